"""An error → the words of its pattern: masked, and without what differs between its
occurrences.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.calls.error_body import readable
from hexad.calls.masking import PLACEHOLDERS, WILD, holds_code, masked, word
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Sequence

    Words: TypeAlias = tuple[str, ...]

MOST_WORDS: Final = 96  # of an error; later ones are ignored
MOST_TEXT: Final = 4096  # characters that are read: half of them at the end, where a traceback has its message
_PUNCTUATION: Final = re.compile(r"([\s,;:=()\[\]{}\"'`|]+)")
_FRAME: Final = re.compile(
    r"^Traceback \(most recent call last\):|^\s+at [\w$.<>]+\(|^\s+File \"",
    re.MULTILINE,
)
_EXCEPTION: Final = re.compile(
    r"^(?:[\w.$]+\.)?([A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|Timeout|\b))(?::|$)"
)
_ECHO: Final = re.compile(
    r"\n(?:LINE \d+: .*|[ \t]*\^[ ^~]*)(?=\n|\Z)"
)  # a database's copy of the statement
_PAIR: Final = re.compile(  # a driver's code and message
    r"""\((-?\d+), b?(["'])(?:\w+\2, (["'])(\w+ .+)\3|(.+?)\2)(?:, .*)?\)\Z""",
    re.DOTALL,
)
_QUOTED_WHOLE: Final = re.compile(
    r"""(?<=Error: )(["'])(\w+(?: [a-z]+){3} .*)\1\Z"""
)  # a message that a KeyError holds
_LANGUAGE: Final = re.compile(r"^(?:Caused by: |Exception in thread \"[^\"]*\" )?")
SIGNS: Final = ",;:=()[]{}|"  # words of a pattern; a single quote is not one
_STOPS: Final = ".!?"
_DIGIT: Final = re.compile(r"\d")
_STATUS: Final = re.compile(
    r"[45]\d\d\b"
)  # the one code that is recognised by its digits
_COUNTS: Final = re.compile(
    r"\{|::|\.[a-z]+\d"
)  # JSON, ::1 and .mp3: a digit matters there
_ZEROS: Final = str.maketrans("123456789", "000000000")
_SHORT: Final = 1000  # characters of an error that is looked up before it is read
_known: Final = Recent[int, "Words"](1024)  # by the hash of an error without its digits
_NOTHING: Final = "..."  # the pattern of an error without words
_TIGHT_BEFORE: Final = frozenset(",;:=)]}")
_TIGHT_AFTER: Final = frozenset("([{=")


def words_of(error: str) -> Words:
    """The words of an error's pattern.

    >>> words_of("Transaction with ID 3 not found.")
    ('Transaction', 'with', 'ID', '<num>', 'not', 'found')
    """
    if len(error) > _SHORT or _STATUS.search(error):
        return _words_of(error)
    shape = hash(error.translate(_ZEROS))  # an error of another row has the same words
    words = _known.get(shape)
    if words is None:
        words = _words_of(error)
        if not (
            any(map(_DIGIT.search, words)) or _COUNTS.search(error) or holds_code(error)
        ):
            _known.put(shape, words)
    return words


def _words_of(error: str) -> Words:
    found: list[str] = []
    for place, part in enumerate(
        _PUNCTUATION.split(masked(readable(essence(ends(error, MOST_TEXT)))))
    ):
        if place % 2:
            found += [sign for sign in part if sign in SIGNS] if part != " " else ()
        elif part.strip(_STOPS):
            found.append(word(part.rstrip(_STOPS)))
        if len(found) > 2 * MOST_WORDS:
            break
    return _in_one(found)[:MOST_WORDS] or (_NOTHING,)


@lru_cache(
    maxsize=4096
)  # the patterns of a tool are compared with each of its new errors
def split(pattern: str) -> Words:
    """The words of a pattern that `pattern_text` wrote."""
    parts = enumerate(_PUNCTUATION.split(pattern))
    signs = (
        filter(SIGNS.__contains__, part) if place % 2 else (part,)
        for place, part in parts
    )
    return tuple(each for part in signs for each in part if each)


@lru_cache(maxsize=1024)
def pattern_text(words: Words) -> str:
    """A pattern as a person reads it.

    >>> pattern_text(words_of("ValueError: no file 'a.txt' (errno=2)"))
    'ValueError: no file <value> (errno=<value>)'
    """
    text = ""
    for each in words:
        tight = not text or each in _TIGHT_BEFORE or text[-1] in _TIGHT_AFTER
        text += each if tight else f" {each}"
    return text


def essence(error: str) -> str:
    r"""The last exception of a traceback with its message; any other text without its
    copy of a statement.

    >>> essence("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nKeyError: 'name'")
    "KeyError: 'name'"
    """
    if "\n" not in error or not _FRAME.search(error):
        error = _ECHO.sub(
            "", _QUOTED_WHOLE.sub(r"\2", error) if "Error: " in error else error
        )
        return (
            _PAIR.sub(r" error code \1: \4\5", error) if error.endswith(")") else error
        ).rstrip()
    lines = [line for line in error.splitlines() if line.strip()]
    heads = [
        place
        for place, line in enumerate(lines)
        if _EXCEPTION.match(_LANGUAGE.sub("", line))
    ]
    if not heads:
        return lines[-1]
    java = any(line.lstrip().startswith("at ") for line in lines)
    kept = [
        line
        for line in lines[heads[-1] :]
        if not re.match(r"\s+(?:at |File \"|\.\.\. \d+ more)", line)
    ]
    return _QUOTED_WHOLE.sub(r"\2", "\n".join(kept[:1] if java else kept))


def ends(text: str, most: int) -> str:
    """A text's beginning and end, if it has more than so many characters; the end
    begins with a line if it has some.
    """
    if len(text) <= most:
        return text
    half = most // 2
    end = text[-half:]
    lines = end.partition("\n")[2]
    return f"{text[:half]}\n{lines if len(lines) > half // 2 else end}"


def is_placeholder(token: str) -> bool:
    """Whether a word of a pattern is a placeholder."""
    return token in PLACEHOLDERS


def _in_one(found: Sequence[str]) -> Words:
    """Several values in a row, with or without commas, become one: a list may have any
    length.
    """
    row: list[str] = []
    for each in found:
        if is_placeholder(each):
            if len(row) > 1 and row[-1] == "," and is_placeholder(row[-2]):
                row.pop()
            if row and is_placeholder(row[-1]):
                row[-1] = each if row[-1] == each else WILD
                continue
        row.append(each)
    return tuple(row)
