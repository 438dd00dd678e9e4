"""Scripts whose words are not set apart by spaces: runs of characters to overlapping
pairs.

Korean has spaces, but its particles join the word before them, so it is read here as
well.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Literal, cast

from hexad.text.stopwords import (
    CHINESE_CHARACTERS,
    KOREAN,
    LIGHT_CHARACTERS,
    STOP_PAIRS,
)

Script = Literal["spaced", "hangul", "eastern", "southeast"]

# Members of a regular expression's character class.
_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3038-\u303b\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA = "\u3041-\u30ff\u3100-\u312f\u31a0-\u31bf\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"
# Thai and Lao, Myanmar, Khmer.
_SOUTHEAST = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"

PIECE = 64  # longer runs are cut into pieces of so many characters, which overlap by one so that no pair is lost

# Which form a particle takes depends on whether a consonant or a vowel closes the word
# before it; longest first.
_AFTER_CONSONANT = ("으로", "이랑", "이나", "은", "을", "이", "과")
_AFTER_VOWEL = ("랑", "는", "를", "가", "와", "로")
_AFTER_EITHER = (
    *("에서는", "에서", "에게", "한테", "까지", "부터", "처럼", "보다"),
    *("마다", "에는", "에", "의", "도", "만"),
)
_PARTICLES = frozenset(_AFTER_CONSONANT + _AFTER_VOWEL + _AFTER_EITHER)
_SYLLABLES = range(0xAC00, 0xD7A4)


# Compiled when the first such text comes: classes this wide take milliseconds, which
# English text need not pay.
@cache
def _splitter() -> re.Pattern[str]:
    return re.compile(
        f"(?P<hangul>[{_HANGUL}]+)|(?P<eastern>[{_HAN}{_KANA}]+)|(?P<southeast>[{_SOUTHEAST}]+)"
        f"|(?P<spaced>[^{_HANGUL}{_HAN}{_KANA}{_SOUTHEAST}]+)"
    )


@cache
def _ideographs() -> re.Pattern[str]:
    return re.compile(f"[{_HAN}]+")


def split(text: str) -> Iterator[tuple[Script, str]]:
    """Legible `text` cut where its kind of script changes: hangul, eastern, southeast,
    or spaced for all others.
    """
    if text.isascii():
        yield "spaced", text
        return
    for match in _splitter().finditer(text):
        yield cast("Script", match.lastgroup), match.group()


def pieces(run: str) -> Iterator[str]:
    """`run` in pieces of bounded length that hold all of its pairs."""
    for start in range(0, max(len(run) - 1, 1), PIECE - 1):
        yield run[start : start + PIECE]


def unspaced_terms(
    run: str, *, asking: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The pairs of a run and its single ideographs, and those of the singles that are
    parts of a word.

    When asking in Chinese, only ideographs that stand alone count: a longer question is
    not answered by a character.
    """
    found, parts = _ideographs().findall(run), ""
    if asking and found == [
        run
    ]:  # no kana: Chinese, whose function words are characters
        apart = "".join(
            " " if each in CHINESE_CHARACTERS else each for each in run
        ).split()
        single = "".join(
            each for each in apart if len(each) == 1 and each not in LIGHT_CHARACTERS
        )
    else:
        single, parts = (
            "".join(found),
            "".join(each for each in found if len(each) > 1) if asking else "",
        )
    return tuple(dict.fromkeys((*_pairs(run), *single))), tuple(dict.fromkeys(parts))


def hangul_terms(word: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A Korean word without its particle, and as its parts the whole word and its
    pairs; empty for a stop word.
    """
    stem = _without_particle(word)
    if word in KOREAN or word in _PARTICLES or (len(stem) > 1 and stem in KOREAN):
        return (), ()
    found = tuple(dict.fromkeys((stem, word, *_pairs(word))))
    return found, found[1:]


def _pairs(run: str) -> list[str]:
    return [pair for pair in map("".join, pairwise(run)) if pair not in STOP_PAIRS]


def _without_particle(word: str) -> str:
    """`word` up to the particle it ends in, never empty: 배포는 and 배포를 are both 배포; 국가
    ends in none.
    """
    for particle in (*_AFTER_EITHER, *_AFTER_CONSONANT, *_AFTER_VOWEL):
        stem = word.removesuffix(particle)
        if stem and stem != word and _fits(particle, stem):
            return stem
    return word


def _fits(particle: str, stem: str) -> bool:
    """Whether `particle` has the form that the last sound of `stem` asks for."""
    if particle in _AFTER_EITHER:
        return True
    code = ord(stem[-1])
    # A syllable's code counts its closing consonants in steps of one, 28 to a vowel,
    # none first.
    closed = code in _SYLLABLES and (code - _SYLLABLES.start) % 28 != 0
    return closed == (particle in _AFTER_CONSONANT)
