"""What is known of a text before the script runs: a few possible strings, with marks for what is not known."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

Values: TypeAlias = tuple[str, ...]

UNKNOWN: Final = "\x00"  # any text; a script cannot hold this character
HOME: Final = "\x01"  # the path of the user's home
SPLIT: Final = "\x02"  # where a word falls into several
WORK: Final = "\x03"  # the path of the folder that the script starts in
SELF: Final = "\x04"  # the script itself, `$0`
FOREIGN: Final = "\x06"  # text from elsewhere: downloaded, or decoded from what is not known
MARKS: Final = re.compile(r"[\x00-\x04\x06]")

NOTHING: Final[Values] = ("",)
ANYTHING: Final[Values] = (UNKNOWN,)
DOWNLOADED: Final[Values] = (FOREIGN,)
MOST_VALUES: Final = 16
_WORST: Final = frozenset({"/", "/*", HOME, f"{HOME}/"})  # of too many values these are kept, and disks
_SHORT: Final = 64
LONGEST: Final = 65_536
MOST_BRACES: Final = 256

MOST_TEXT: Final = 1_048_576  # characters of all the words of one command

_ESCAPES: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_ESCAPE: Final = re.compile(
    r"\\(?:x(\{[0-9A-Fa-f]{1,6}\}|[0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|(0[0-7]{1,3}|[0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)


_CLASSES: Final = {
    "[:digit:]": "0-9",
    "[:alpha:]": "A-Za-z",
    "[:alnum:]": "A-Za-z0-9",
    "[:upper:]": "A-Z",
    "[:lower:]": "a-z",
    "[:space:]": " \t\n",
    "[:blank:]": " \t",
    "[:punct:]": "!-/:-@[-`{-~",
    "[:xdigit:]": "0-9A-Fa-f",
}


class TooComplex(Exception):
    """The script is more work than a check may take."""


def known(text: str) -> bool:
    """Whether all of a text is known."""
    return UNKNOWN not in text and FOREIGN not in text


def foreign(values: Iterable[str]) -> bool:
    """Whether a part of it comes from elsewhere."""
    return any(FOREIGN in value for value in values)


def bounded(values: Iterable[str]) -> Values:
    """The values without repetition; too many, or too long ones, are not known."""
    if type(values) is tuple and len(values) == 1 and len(values[0]) <= LONGEST:
        return values  # nearly always
    kept = tuple(dict.fromkeys(values))
    if len(kept) <= MOST_VALUES and len(max(kept, key=len, default="")) <= LONGEST:
        return kept
    worst = [value for value in kept if value in _WORST or (value[:5] == "/dev/" and len(value) < _SHORT)]
    return (*worst[:4], FOREIGN if foreign(kept) else UNKNOWN)


def joined(parts: Sequence[Values], between: str = "") -> Values:
    """Every text that comes of one value of each part."""
    if len(parts) == 1:
        return parts[0]
    texts = [part[0] for part in parts if len(part) == 1]
    if len(texts) == len(parts):
        if len(parts) > 2 and sum(map(len, texts)) > LONGEST:
            return DOWNLOADED if foreign(texts) else ANYTHING
        text = between.join(texts)
        return (text,) if len(text) <= LONGEST else bounded((text,))
    count = 1
    for part in parts:
        count *= len(part)
    if count > MOST_VALUES:
        return DOWNLOADED if any(foreign(part) for part in parts) else ANYTHING
    return bounded([between.join(chosen) for chosen in product(*parts)])


def mapped(values: Values, change: Callable[[str], str]) -> Values:
    """Each value that is known, changed; the others stay as they are."""
    return bounded(change(value) if known(value) else value for value in values)


def exchanged(text: str, old: str, new: str, most: int = -1) -> str:
    """A text with one part of it replaced by another; not known if that makes it too long."""
    count = text.count(old) if most < 0 else most
    return text.replace(old, new, most) if len(text) + count * len(new) <= MOST_TEXT else UNKNOWN


def fields(value: str) -> list[str]:
    """The words that a value falls into; empty ones vanish."""
    return [part for part in value.split(SPLIT) if part]


def split(value: str, separators: str = " \t\n") -> str:
    """A value outside quotes: it falls into words where it has blanks."""
    if value.isalnum():
        return value
    for character in separators:
        if character in value:
            value = value.replace(character, SPLIT)
    return value


def unescaped(text: str) -> str:
    r"""A word without its backslashes.

    >>> unescaped(r"r\m")
    'rm'
    """
    return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL) if "\\" in text else text


def decoded(text: str) -> str:
    r"""The text of a `$'…'`, an `echo -e` or a `printf` format, its escapes resolved.

    >>> decoded(r"\x72\155")
    'rm'
    """
    return _ESCAPE.sub(_escape, text) if "\\" in text else text


def _escape(found: re.Match[str]) -> str:
    for group, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
        if found[group]:
            code = int(found[group].strip("{}"), base) & (0xFF if base == 8 else -1)
            return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else UNKNOWN
    if found[5]:
        return chr(ord(found[5]) & 0x1F or 0x20)
    return _ESCAPES.get(found[6], found[0])


@lru_cache(maxsize=256)
def pattern(glob: str) -> re.Pattern[str]:
    """A shell pattern as a regular expression for a whole text."""
    for name, characters in _CLASSES.items() if "[:" in glob else ():
        glob = glob.replace(name, characters)
    return re.compile(translate(glob.replace("[^", "[!")))


def is_glob(text: str) -> bool:
    """Whether a text has a character that makes it a pattern of names."""
    return "*" in text or "?" in text or "[" in text


def braces(word: str, most: int = MOST_BRACES) -> list[str] | None:
    """The words of a brace expansion; None if there are too many.

    >>> braces("a{b,c{1..2}}")
    ['ab', 'ac1', 'ac2']
    """
    done: list[str] = []
    waiting = [word]
    while waiting:
        each = waiting.pop()
        parts = _first_brace(each)
        if parts is None:
            done.append(each)
        else:
            before, choices, after = parts
            waiting.extend(f"{before}{choice}{after}" for choice in reversed(choices))
        if len(done) + len(waiting) > most:
            return None
    return done


def _first_brace(word: str) -> tuple[str, list[str], str] | None:
    """What stands before, in and behind the first brace that expands."""
    start = word.find("{")
    while start >= 0:
        end = _closing(word, start)
        inner = word[start + 1 : end] if end > 0 else ""
        choices = _choices(inner)
        if choices:
            return word[:start], choices, word[end + 1 :]
        start = word.find("{", start + 1)
    return None


def _closing(word: str, start: int) -> int:
    depth = 0
    for place in range(start, len(word)):
        depth += (word[place] == "{") - (word[place] == "}")
        if depth == 0:
            return place
    return -1


def _choices(inner: str) -> list[str]:
    if "," in inner:
        return _parted(inner)
    ends = re.fullmatch(r"(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])(?:\.\.-?\d+)?", inner)
    if not ends:
        return []
    if ends[1].isalpha() != ends[2].isalpha():
        return []
    first, last = (ord(end) if end.isalpha() else int(end) for end in (ends[1], ends[2]))
    step = 1 if last >= first else -1
    numbers = range(first, last + step, step)[: MOST_BRACES + 1]
    return [chr(number) if ends[1].isalpha() else str(number) for number in numbers]


def _parted(inner: str) -> list[str]:
    """The parts between the commas that are in no inner brace; one part alone is no choice."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(inner):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            parts.append(inner[start:place])
            start = place + 1
    parts.append(inner[start:])
    return parts if len(parts) > 1 else []
