"""The filters and tests that templates have. Each makes sure of its result's size
before it makes it.
"""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import quote

import jinja2.tests

from hexad.skills.templates.budget import Budget, Missing, Stop

if TYPE_CHECKING:
    from collections.abc import Callable


NOTHING: Final = object()
_LONGEST_NUMBER: Final = 100
_WIDEST: Final = 200
_LEEWAY: Final = 5  # a text that is hardly too long is not truncated, as in Jinja


def _str(value: Any, what: str = "value") -> str:
    if not isinstance(value, str):
        raise Stop(f"needs text as {what}, not {_kind(value)}")
    return value


def _whole(value: Any, what: str, most: int) -> int:
    if (
        isinstance(value, bool)
        or not isinstance(value, int)
        or not -most <= value <= most
    ):
        raise Stop(f"needs a whole number up to {most} as {what}")
    return value


def _kind(value: Any) -> str:
    names = {"str": "text", "dict": "a mapping", "list": "a list", "NoneType": "none"}
    return names.get(type(value).__name__, f"a {type(value).__name__}")


def elements(value: Any) -> list[Any]:
    """The elements of a list, the keys of a mapping, or the characters of a text."""
    if isinstance(value, list | dict | str):
        return list(value)
    raise Stop(f"loops over {_kind(value)}; loop over a list, a mapping or text")


def item(holder: Any, key: Any) -> Any:
    """An item of a mapping, a list or a text; NOTHING if it has no such item."""
    if isinstance(holder, dict) and isinstance(key, str):
        return holder.get(key, NOTHING)
    if (
        isinstance(holder, list | str)
        and isinstance(key, int)
        and -len(holder) <= key < len(holder)
    ):
        return holder[key]
    return NOTHING


def of_each(value: Any, attribute: Any) -> list[Any]:
    """An item of each element; ``a.b`` is an item of an item, as in Jinja."""
    found = elements(value)
    for key in () if attribute is None else _str(attribute, "attribute").split("."):
        found = [item(one, key) for one in found]
        if any(one is NOTHING for one in found):
            raise Stop(f"has an element without {attribute!r}")
    return found


def _join(budget: Budget, value: Any, d: Any = "", attribute: Any = None) -> str:
    parts, between = [], _str(d, "separator")
    for part in of_each(value, attribute):
        parts.append(str(part))
        budget.spend(len(parts[-1]))
    budget.spend(sum(map(len, parts)) + len(between) * max(0, len(parts) - 1))
    return between.join(parts)


def _replace(budget: Budget, value: Any, old: Any, new: Any) -> str:
    whole, old, new = (
        str(value),
        _str(old, "what is replaced"),
        _str(new, "what replaces it"),
    )
    budget.spend(len(whole) + whole.count(old) * len(new))
    return whole.replace(old, new)


def _indent(budget: Budget, value: Any, width: Any = 4) -> str:
    margin = " " * _whole(width, "width", _WIDEST)
    lines = _str(value).split("\n")
    budget.spend(len(value) + len(lines) * len(margin))
    return "\n".join(
        margin + line if number and line else line for number, line in enumerate(lines)
    )


def _truncate(
    _budget: Budget,
    value: Any,
    length: Any = 255,
    killwords: Any = False,  # noqa: FBT002
    end: Any = "...",
) -> str:
    whole, end = _str(value), _str(end, "end")
    most = max(len(end), _whole(length, "length", 2**31))
    if len(whole) <= most + _LEEWAY:
        return whole
    kept = whole[: most - len(end)]
    return f"{kept if killwords else kept.rsplit(' ', 1)[0]}{end}"


def _sort(
    budget: Budget,
    value: Any,
    reverse: Any = False,  # noqa: FBT002 - as Jinja names it
    attribute: Any = None,
) -> Any:
    found = elements(value)
    keys = of_each(value, attribute)
    budget.spend(len(repr(keys)) * max(1, len(keys).bit_length()))
    fold = [key.casefold() if isinstance(key, str) else key for key in keys]
    order = sorted(range(len(found)), key=fold.__getitem__, reverse=bool(reverse))
    return [found[place] for place in order]


def _tojson(_budget: Budget, value: Any, indent: Any = None) -> str:
    indent = None if indent is None else _whole(indent, "indent", 8)
    return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)


def _number(kind: type[int] | type[float]) -> Callable[..., Any]:
    def number(_budget: Budget, value: Any, default: Any = 0) -> Any:
        if isinstance(value, str) and len(value) > _LONGEST_NUMBER:
            raise Stop(
                f"reads a number of {len(value):,} characters, the limit is {_LONGEST_NUMBER}"
            )
        try:
            return kind(value)
        except (TypeError, ValueError, OverflowError):
            return default

    return number


def _default(
    _budget: Budget,
    value: Any,
    default_value: Any = "",
    boolean: Any = False,  # noqa: FBT002
) -> Any:
    return (
        default_value
        if isinstance(value, Missing) or (boolean and not value)
        else value
    )


def _end(place: int) -> Callable[[Budget, Any], Any]:
    def end(_budget: Budget, value: Any) -> Any:
        found = elements(value)
        if not found:
            raise Stop("takes an element of an empty list; test its length first")
        return found[place]

    return end


def _items(_budget: Budget, value: Any) -> list[Any]:
    if not isinstance(value, dict):
        raise Stop(f"needs a mapping, not {_kind(value)}")
    return [list(pair) for pair in value.items()]


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "abs": lambda _, value: abs(value),
    "capitalize": lambda _, value: _str(value).capitalize(),
    "count": lambda _, value: len(elements(value)),
    "d": _default,
    "default": _default,
    "dictsort": lambda _, value: sorted(
        _items(_, value), key=lambda pair: str(pair[0])
    ),
    "e": lambda _, value: html.escape(str(value)),
    "escape": lambda _, value: html.escape(str(value)),
    "first": _end(0),
    "float": _number(float),
    "indent": _indent,
    "int": _number(int),
    "items": _items,
    "join": _join,
    "last": _end(-1),
    "length": lambda _, value: len(elements(value)),
    "list": lambda _, value: elements(value),
    "lower": lambda _, value: _str(value).lower(),
    "map": lambda _, value, *, attribute: of_each(value, attribute),
    "max": lambda _, value: max(elements(value)),
    "min": lambda _, value: min(elements(value)),
    "replace": _replace,
    "reverse": lambda _, value: (
        value[::-1] if isinstance(value, str) else elements(value)[::-1]
    ),
    "round": lambda _, value, precision=0: round(
        value, _whole(precision, "precision", 15)
    ),
    "sort": _sort,
    "string": lambda _, value: str(value),
    "sum": lambda _, value, attribute=None: sum(of_each(value, attribute)),
    "title": lambda _, value: _str(value).title(),
    "tojson": _tojson,
    "trim": lambda _, value: _str(value).strip(),
    "truncate": _truncate,
    "upper": lambda _, value: _str(value).upper(),
    "urlencode": lambda _, value: quote(str(value)),
}
ON_MISSING: Final = frozenset(
    {"default", "d", "defined", "undefined"}
)  # what may be said of a value that is not there
_OF_JINJA: Final = (
    *(
        "boolean",
        "divisibleby",
        "even",
        "false",
        "float",
        "integer",
        "iterable",
        "lower",
        "mapping",
        "none",
        "number",
    ),
    *("odd", "sequence", "string", "true", "upper"),
)
TESTS: Final[dict[str, Callable[..., bool]]] = {
    **{
        name: cast("Callable[..., bool]", jinja2.tests.TESTS[name])
        for name in _OF_JINJA
    },
    "defined": lambda value: not isinstance(value, Missing),
    "undefined": lambda value: isinstance(value, Missing),
}
