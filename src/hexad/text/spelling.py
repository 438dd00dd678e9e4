"""One spelling for texts that read the same: compatibility forms, case, accents,
invisible characters.
"""

import re
import unicodedata
from typing import Final

SLICE = 256  # normalising is quadratic in a run of combining marks, so longer texts are normalised in slices

_LAST_CACHED: Final = 0xFFFF

_APOSTROPHES = "\u2018\u2019\u02bc\u2032\u055a\ua78c"
_HYPHENS = "\u2010\u2011\u2212"
# Letters and marks by category, yet nothing that a person sees.
_INVISIBLE = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0" + "".join(
    map(chr, range(0xFE00, 0xFE10))
)

# Blocks whose marks are never letters of their own, the Hebrew and Arabic vowel points,
# and the Arabic tatweel.
_MARKS = re.compile(
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0640]+"
)
_CYRILLIC = re.compile("[\u0400-\u052f]")
_STROKES = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)


class _Characters(dict[int, int | None]):
    """A `str.translate` table, filled as it is used.

    ASCII, letters, numbers and combining marks stay, invisible characters go, all
    others (also lone surrogates, private and unassigned code points) become spaces.
    """

    def __missing__(self, code: int) -> int | None:
        kept = code if code < 0x80 else _kept(chr(code))
        if code <= _LAST_CACHED:  # bounds the table for any texts
            self[code] = kept
        return kept


def _kept(character: str) -> int | None:
    category = unicodedata.category(character)
    if category[0] in "LNM":
        return ord(character)
    return None if category == "Cf" else ord(" ")


_CHARACTERS = _Characters(
    dict.fromkeys(map(ord, _APOSTROPHES), ord("'"))
    | dict.fromkeys(map(ord, _HYPHENS), ord("-"))
    | dict.fromkeys(map(ord, _INVISIBLE), None)
    | {0x200B: ord(" ")}  # a zero-width space is a format character, and yet a space
)


def legible(text: str) -> str:
    """`text` in NFKC, with its case, in which every character beyond ASCII is a letter,
    a number or a mark.

    It never raises. Backslashes become slashes, so that a path has one spelling.
    """
    if text.isascii():
        return text.replace("\\", "/")
    slices = (text[start : start + SLICE] for start in range(0, len(text), SLICE))
    joined = "".join(unicodedata.normalize("NFKC", part) for part in slices)
    return joined.translate(_CHARACTERS).replace("\\", "/")


def caseless(word: str) -> str:
    """`word` casefolded, in NFKC."""
    folded = word.casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFKC", folded)


def plain(word: str) -> str:
    """A caseless `word` without accents and vowel points; may be empty when it held
    nothing else.

    Cyrillic keeps the marks that make a letter (й is not и), except that ё is е; so do
    Indic scripts.
    """
    if word.isascii():
        return word
    if _CYRILLIC.search(word):
        return _MARKS.sub("", word).replace("ё", "е")
    bare = _MARKS.sub("", unicodedata.normalize("NFD", word))
    return unicodedata.normalize("NFC", bare).translate(_STROKES)
