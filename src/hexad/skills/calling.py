"""Calling a tool with arguments by name, also where it takes some of them only by their place."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def by_name(tool: Callable[..., Any]) -> Callable[..., Any]:
    """The tool, or what calls it: arguments that only have a place are put there, and a list is spread over `*rest`.

    >>> by_name(lambda first, /, *rest: (first, rest))(first=1, rest=[2, 3])
    (1, (2, 3))
    """
    code = getattr(tool, "__code__", None)
    if code is not None and not code.co_posonlyargcount and not code.co_flags & inspect.CO_VARARGS:
        return tool  # nearly always
    try:
        signature = inspect.signature(tool)
    except (TypeError, ValueError):  # it has no signature
        return tool
    kinds = {parameter.kind: name for name, parameter in signature.parameters.items()}
    if inspect.Parameter.POSITIONAL_ONLY not in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        return tool
    others = kinds.get(inspect.Parameter.VAR_KEYWORD)

    @wraps(tool)
    def call(**given: Any) -> Any:
        placed = {name: value for name, value in given.items() if name in signature.parameters and name != others}
        named = {name: value for name, value in given.items() if name not in placed}
        if others is not None:
            placed[others] = _merged(named, others)
        elif named:
            return tool(**given)  # it says itself what it does not know
        bound = inspect.BoundArguments(signature, placed)
        return tool(*bound.args, **bound.kwargs)

    return call


def _merged(named: dict[str, Any], others: str) -> dict[str, Any]:
    """The arguments for `**others`: those without a parameter of their own, given directly or under that name."""
    inner = named.get(others)
    if not isinstance(inner, Mapping):
        return named
    return {**{name: value for name, value in named.items() if name != others}, **inner}
