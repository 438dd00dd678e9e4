"""The name of a tool, and the arguments of a call by their names in its signature."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Places: TypeAlias = tuple[
    tuple[str, ...], str
]  # names of the arguments by place, and of those that are left
_LONGEST_NAME: Final = 200
_OWN: Final = frozenset({"self", "cls"})


def name_of(tool: Callable[..., Any]) -> str:
    """The name of a tool.

    >>> name_of(len), name_of(functools.partial(sorted, reverse=True))
    ('len', 'sorted')
    """
    if isinstance(tool, functools.partial):
        return name_of(tool.func)
    for holder in (tool, type(tool)):
        for attribute in ("__name__", "name"):
            named = getattr(holder, attribute, None)
            if isinstance(named, str) and named.strip():
                return " ".join(named.split())[:_LONGEST_NAME]
    return "tool"


def signature_of(tool: Callable[..., Any]) -> inspect.Signature | None:
    """The signature of a tool; None for one without."""
    try:
        return inspect.signature(tool)
    except (ValueError, TypeError):  # some functions written in C have none
        return None


def places_of(signature: inspect.Signature | None) -> Places:
    """The names of arguments that are given by place."""
    known = [] if signature is None else [*signature.parameters.values()]
    names = tuple(
        each.name
        for each in known
        if each.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD
    )
    return names, next(
        (each.name for each in known if each.kind is inspect.Parameter.VAR_POSITIONAL),
        "",
    )


def arguments_by_name(
    places: Places, given: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Any]:
    """Arguments by name, without the object of a method; also those of a call that does
    not fit the signature.

    `Signature.bind` takes ten times as long, and every watched call passes here.
    """
    names, rest = places
    found: dict[str, Any] = dict(zip(names, given, strict=False))
    if left := given[len(names) :]:
        found |= (
            {rest: left}
            if rest
            else {
                f"argument {at}": each for at, each in enumerate(left, len(names) + 1)
            }
        )
    if next(iter(found), "") in _OWN:
        del found[next(iter(found))]
    return {**found, **named}
