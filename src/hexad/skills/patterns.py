"""Small regular expressions: what `re` matches in bounded time, and what is refused because it might not.

A matcher that goes back and tries again can take exponential time. So a pattern has few places that repeat, nothing
that repeats holds a repetition or a choice, and what looks around or back is refused. A group may only be optional, or
be there a fixed number of times.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Final

MOST_CHARACTERS: Final = 200  # of a pattern
LONGEST_TEXT: Final = 256  # that a pattern is matched with
_REPEATS, _OPTIONAL = 3, 4  # how many places may repeat, or may be there up to three times

_ONE_CHARACTER: Final = re.compile(r"\\[^1-9]|\[\^?\]?(?:\\.|[^\]\\])*\]", re.DOTALL)  # an escape, a set
_END: Final = re.compile(rf"({_ONE_CHARACTER.pattern})|\$", re.DOTALL)
_QUANTIFIER: Final = re.compile(r"[*+?]|\{\d*,\d*\}")
_FEW_TIMES: Final = re.compile(r"\?|\{[0-3]?,[0-3]\}")
_REPEATED_GROUP: Final = re.compile(r"\)(?:[*+]|\{\d*,)|(?:[*+?|]|\{\d*,\d*\}).*\)\{", re.DOTALL)


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
    return re.compile(_END.sub(lambda found: found[1] or r"\Z", pattern))


def _risk(pattern: str) -> str | None:
    plain = _ONE_CHARACTER.sub("x", pattern).replace("(?:", "(")
    if "\\" in plain or "(?" in plain:
        return "looks ahead or back, or sets a flag, which is not supported"
    if _REPEATED_GROUP.search(plain):
        return "repeats a group that holds a repetition or a choice, which can take forever"
    optional = len(_FEW_TIMES.findall(plain))
    repeats = len(_QUANTIFIER.findall(plain)) - optional + (not pattern.startswith("^"))
    if repeats > _REPEATS or optional > _OPTIONAL:
        return f"has too many repetitions: {_REPEATS} at most, {_REPEATS - 1} where it does not begin with ^"
    return None
