"""Small regular expressions: what `re` matches in bounded time, and what is refused because it might not.

A matcher that goes back and tries again can take exponential time. So a pattern has few places that repeat, nothing
that repeats holds a repetition or a choice, and what looks around or back is refused.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Final

MOST_CHARACTERS: Final = 200  # of a pattern
LONGEST_TEXT: Final = 256  # that a pattern is matched with
_REPEATS, _OPTIONAL = 3, 4  # how many places may repeat, or may be there a few times more or less
_FEW: Final = 3

_TOKEN: Final = re.compile(
    r"""
    (?P<escaped>\\.)
    | (?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])
    | (?P<open>\((?:\?:)?(?P<odd>\?)?)
    | (?P<close>\))
    | (?P<choice>\|)
    | (?P<times>\{(?P<low>\d*)(?P<range>,)?(?P<high>\d*)\})
    | (?P<many>[*+])
    | (?P<maybe>\?)
    | (?P<plain>.)
    """,
    re.VERBOSE | re.DOTALL,
)


def problem(pattern: str) -> str | None:
    """Why a pattern cannot be accepted, or None.

    >>> problem("^[a-z]+-[0-9]{4}$")
    >>> problem("(a+)+$")
    'repeats a group that holds a repetition or a choice, which can take forever'
    """
    if len(pattern) > MOST_CHARACTERS:
        return f"has {len(pattern)} characters, the limit is {MOST_CHARACTERS}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python may read otherwise one day is refused
            re.compile(pattern)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        return f"is not a regular expression: {error}"
    return _risk(pattern)


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern is found anywhere in a text, which is at most `LONGEST_TEXT` long."""
    return _compiled(pattern).search(text) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    """With `$` as JSON Schema has it: the end, and not also the place before a last line end."""
    return re.compile("".join(r"\Z" if token["plain"] == "$" else token[0] for token in _TOKEN.finditer(pattern)))


def _risk(pattern: str) -> str | None:
    groups, closed = [False], False  # of each open group, whether it holds what must not be repeated
    repeats, optional = 0 if pattern.startswith("^") else 1, 0
    for token in _TOKEN.finditer(pattern):
        if token["odd"] or (token["escaped"] and token["escaped"][1] in "123456789"):
            return "looks ahead or back, or sets a flag, which is not supported"
        if token["open"]:
            groups.append(False)
        least, most = _times(token)
        if closed and (most is None or most > 1):
            return "repeats a group that holds a repetition or a choice, which can take forever"
        closed = bool(token["close"]) and len(groups) > 1 and groups.pop()
        varies = most is None or most > least
        groups[-1] |= varies or bool(token["choice"]) or closed
        few = most is not None and most - least <= _FEW
        repeats += varies and not few
        optional += varies and few
    if repeats > _REPEATS or optional > _OPTIONAL:
        return f"has too many repetitions: {_REPEATS} at most, {_REPEATS - 1} where it does not begin with ^"
    return None


def _times(token: re.Match[str]) -> tuple[int, int | None]:
    """The least and the most repetitions that a quantifier allows."""
    if token["many"]:
        return 0, None
    if token["maybe"]:
        return 0, 1
    if token["times"] is None:
        return 1, 1
    least = int(token["low"] or 0)
    return least, least if not token["range"] else int(token["high"]) if token["high"] else None
