"""Operators of templates; the size of a result is checked before it is made."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

from hexad.skills.templates.budget import Stop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad.skills.templates.budget import Budget

NOTHING: Final = object()
_EXPONENT: Final = 512


def _add(budget: Budget, left: Any, right: Any) -> Any:
    if any(isinstance(left, kind) and isinstance(right, kind) for kind in (str, list)):
        budget.room(len(left) + len(right))
        return left + right
    return _with_numbers("+", operator.add)(budget, left, right)


def _times(budget: Budget, left: Any, right: Any) -> Any:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, str | list) and isinstance(other, int):
            budget.room(len(one) * max(0, other))
            return one * other
    return _with_numbers("*", operator.mul)(budget, left, right)


def _power(budget: Budget, left: Any, right: Any) -> Any:
    whole = isinstance(left, int) and isinstance(right, int)
    if whole and (abs(right) > _EXPONENT or left.bit_length() * abs(right) > _EXPONENT):
        raise Stop(f"makes a number of more than {_EXPONENT} bits; make it smaller")
    found = _with_numbers("**", operator.pow)(budget, left, right)
    if isinstance(found, complex):
        raise Stop("takes a root of a negative number")
    return found


def _with_numbers(sign: str, work: Callable[[Any, Any], Any]) -> Callable[[Budget, Any, Any], Any]:
    def numbers_only(_budget: Budget, left: Any, right: Any) -> Any:
        if not all(isinstance(each, int | float) for each in (left, right)):
            raise Stop(f"uses {sign} on {type(left).__name__} and {type(right).__name__}, which have none")
        return work(left, right)

    return numbers_only


BINARY: Final[dict[str, Callable[[Budget, Any, Any], Any]]] = {
    "+": _add,
    "*": _times,
    "**": _power,
    "-": _with_numbers("-", operator.sub),
    "/": _with_numbers("/", operator.truediv),
    "//": _with_numbers("//", operator.floordiv),
    "%": _with_numbers("%", operator.mod),
}
UNARY: Final[dict[str, Callable[[Any], Any]]] = {"not": operator.not_, "-": operator.neg, "+": operator.pos}


def elements(value: Any) -> list[Any]:
    """The elements of a list, the keys of a mapping, or the characters of a text."""
    if isinstance(value, list | dict | str):
        return list(value)
    raise Stop(f"loops over a {type(value).__name__}; loop over a list, a mapping or text")


def numbers(budget: Budget, arguments: Sequence[Any]) -> list[int]:
    """The numbers of a range, as a list."""
    if not 1 <= len(arguments) <= 3 or not all(isinstance(one, int) for one in arguments):
        raise Stop("gives range something else than one to three whole numbers")
    found = range(*arguments)
    try:
        count = len(found)
    except OverflowError:
        raise Stop("makes a range that is too long") from None
    budget.room(count * 8)
    return list(found)


def item(holder: Any, key: Any) -> Any:
    """An item of a mapping, a list or a text; NOTHING if it has no such item."""
    if isinstance(holder, dict) and isinstance(key, str):
        return holder.get(key, NOTHING)
    if isinstance(holder, list | str) and isinstance(key, int) and -len(holder) <= key < len(holder):
        return holder[key]
    return NOTHING


def sliced(holder: Any, parts: Sequence[Any]) -> Any:
    """A part of a list or a text."""
    if not isinstance(holder, list | str):
        raise Stop(f"takes a slice of a {type(holder).__name__}; only lists and texts have some")
    return holder[slice(*parts)]


def key(value: Any) -> str:
    """A key of a mapping: text, as in JSON."""
    if not isinstance(value, str):
        raise Stop("makes a mapping with a key that is no text")
    return value
