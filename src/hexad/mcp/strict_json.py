"""JSON from outside, read strictly, and refused with a sentence that says where it is wrong.

Python reads more than JSON allows (NaN, Infinity), makes infinity of 1e999, and refuses numbers of thousands of digits
with an error of its own.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Final

from hexad.wire import unique_keys

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_DIGITS: Final = 1000
_DEEPEST: Final = 100
_LONG: Final = 10**MOST_DIGITS  # the first that is too long; stands for all of them
_LONGEST_PATH: Final = 8  # names in a sentence
_TOO_DEEP: Final = f"is nested more than {_DEEPEST} levels deep; make it flatter"
_SURROGATE: Final = "a lone surrogate, which is no character; leave it out"


class Unreadable(ValueError):
    """A text that is not JSON: what is wrong, and the id of the request, if that can be read."""

    def __init__(self, sentence: str, id: str | int | None = None) -> None:
        super().__init__(sentence)
        self.id = id


def read(text: str) -> Any:
    """A JSON text as data, or `Unreadable`.

    >>> read('{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    >>> read('{"a": [1, NaN]}')
    Traceback (most recent call last):
    hexad.mcp.strict_json.Unreadable: a.1 is NaN, which JSON does not have; send null, or text
    """
    try:
        value = json.loads(text, parse_int=_whole, object_pairs_hook=unique_keys)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise Unreadable(f"it is not JSON ({error.msg}: {place}); send one JSON object") from None
    except ValueError as error:
        raise Unreadable(f"in it {error}; send it once", id_of(json.loads(text, parse_int=_whole))) from None
    except RecursionError:
        raise Unreadable(f"it {_TOO_DEEP}") from None
    wrong = fault_in(value)
    if wrong:
        raise Unreadable(wrong, id_of(value))
    return value


def id_of(value: object) -> str | int | None:
    """The id of a value that may be a request."""
    own = value.get("id") if isinstance(value, dict) else None
    return own if isinstance(own, str | int) and not isinstance(own, bool) and not fault_in(own) else None


def fault_in(value: object) -> str:
    """A sentence about the first thing in JSON data that cannot be taken; empty if all of it can."""
    for path, part in _parts(value, ()):
        if fault := _fault(part, len(path)):
            return f"{'.'.join(map(_shown, path[:_LONGEST_PATH])) or 'it'} {fault}"
    return ""


def _parts(value: object, path: tuple[object, ...]) -> Iterator[tuple[tuple[object, ...], object]]:
    """The value and all values in it, each with the names that lead there, down to those that are too deep."""
    yield path, value
    if isinstance(value, dict | list) and len(path) < _DEEPEST:
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _parts(each, (*path, name))


def _fault(value: object, depth: int) -> str:
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return _TOO_DEEP
    if isinstance(value, dict) and not all(map(_is_text, value)):
        return f"has a name that holds {_SURROGATE}"
    if isinstance(value, float) and not math.isfinite(value):
        return f"is {'NaN' if math.isnan(value) else 'infinite'}, which JSON does not have; send null, or text"
    if isinstance(value, int) and abs(value) >= _LONG:
        return f"is a number of more than {MOST_DIGITS} digits; send it as text"
    return f"holds {_SURROGATE}" if isinstance(value, str) and not _is_text(value) else ""


def _shown(name: object) -> str:
    text = str(name)
    return text if len(text) <= 40 and text.isprintable() else ascii(text[:40])


def _is_text(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _whole(digits: str) -> int:
    return int(digits) if len(digits) <= MOST_DIGITS else _LONG  # a sign counts as a digit
