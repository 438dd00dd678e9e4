"""What comes from outside as JSON: read strictly, and refused with a sentence that says where it is wrong.

Python reads more than JSON allows (NaN, Infinity), makes infinity of 1e999, and refuses numbers of thousands of digits
with an error of its own.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_DIGITS: Final = 1000
DEEPEST: Final = 100
_LONG: Final = 10**MOST_DIGITS  # the first that is too long; stands for all of them
_PARSE_ERROR: Final = -32700  # of JSON-RPC
_LONGEST_PATH: Final = 8  # names that a sentence tells
_TOO_DEEP: Final = f"is nested more than {DEEPEST} levels deep; make it flatter"
_NO_NUMBER: Final = "which JSON does not have; send null, or text"


NO_MESSAGE: Final = "it is no message of JSON-RPC; send an object with jsonrpc, id, method and params"


class Unreadable(ValueError):
    """A text that is not taken: what is wrong with it, and the id of the request that it is, where that can be read."""

    def __init__(self, sentence: str, id: str | int | None = None, *, code: int = _PARSE_ERROR) -> None:
        super().__init__(sentence)
        self.id = id
        self.code = code


def read(text: str | bytes) -> Any:
    """A JSON text as data, or `Unreadable`.

    >>> read('{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    >>> read('{"a": [1, NaN]}')
    Traceback (most recent call last):
    hexad.mcp.incoming.Unreadable: a.1 is NaN, which JSON does not have; send null, or text
    """
    try:
        value = json.loads(text.decode() if isinstance(text, bytes) else text, parse_int=_whole)
    except UnicodeDecodeError:
        raise Unreadable("it is not UTF-8; encode it as UTF-8") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"it is not JSON ({error.msg}: {place}); send one JSON object") from None
    except RecursionError:
        raise Unreadable(f"it {_TOO_DEEP}") from None
    wrong = fault_in(value)
    if wrong:
        raise Unreadable(wrong, id_of(value))
    return value


def id_of(value: object) -> str | int | None:
    """The id of what may be a request."""
    own = value.get("id") if isinstance(value, dict) else None
    return own if isinstance(own, str | int) and not isinstance(own, bool) and not fault_in(own) else None


def fault_in(value: object) -> str:
    """What is wrong with data that came as JSON, in a sentence; nothing if it can be taken."""
    found = _fault(value, DEEPEST)
    if found is None:
        return ""
    path, told = found
    return f"{'.'.join(path[:_LONGEST_PATH]) or 'it'} {told}"


def _fault(value: object, levels: int) -> tuple[tuple[str, ...], str] | None:
    if isinstance(value, dict | list):
        return _within(value.items() if isinstance(value, dict) else enumerate(value), levels)
    if isinstance(value, float) and not math.isfinite(value):
        return (), f"is {'NaN' if math.isnan(value) else 'infinite'}, {_NO_NUMBER}"
    if isinstance(value, int) and abs(value) >= _LONG:
        return (), f"is a number of more than {MOST_DIGITS} digits; send it as text"
    if isinstance(value, str) and not _whole_characters(value):
        return (), "holds a lone surrogate, which is no character; leave it out"
    return None


def _within(pairs: Iterable[tuple[object, object]], levels: int) -> tuple[tuple[str, ...], str] | None:
    if not levels:
        return (), _TOO_DEEP
    for name, each in pairs:
        found = _fault(each, levels - 1)
        if found is not None:
            return (_shown(name), *found[0]), found[1]
        if isinstance(name, str) and not _whole_characters(name):
            return (), "has a name that holds a lone surrogate, which is no character; leave it out"
    return None


def _shown(name: object) -> str:
    text = str(name)
    return text if len(text) <= 40 and text.isprintable() else ascii(text[:40])


def _whole_characters(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _whole(digits: str) -> int:
    return int(digits) if len(digits) <= MOST_DIGITS else _LONG  # a sign counts as a digit
