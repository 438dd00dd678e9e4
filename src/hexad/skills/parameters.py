"""A skill's parameters: a documented part of JSON Schema, checked when a skill is
stored and before it runs.

Keywords that this module does not know are refused when the skill is stored, so no rule
is silently ignored. The top level is an object; parameters that it does not list are
refused.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import InvalidInput

if TYPE_CHECKING:
    from hexad.model import Json

DEEPEST: Final = 12  # objects and lists inside each other
MOST_PARAMETERS: Final = 64
_WORDS: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def check_schema(schema: Mapping[str, Json]) -> None:
    """Refuse a schema that this module would not keep to, with the place and the
    reason.
    """
    if not schema:
        return
    if schema.get("type", "object") != "object":
        raise InvalidInput(
            "parameters",
            'must describe an object: {"type": "object", "properties": {…}}',
        )
    if schema.get("additionalProperties", False) is not False:
        reason = "must be false here: a skill takes what its schema lists"
        raise InvalidInput("parameters.additionalProperties", reason)
    _check(schema, "parameters", 0)
    if len(properties_of(schema)) > MOST_PARAMETERS:
        raise InvalidInput("parameters", f"has more than {MOST_PARAMETERS} parameters")


def properties_of(schema: Mapping[str, Json]) -> Mapping[str, Mapping[str, Any]]:
    """The parameters that a schema lists."""
    return schema.get("properties", {})  # type: ignore[return-value]  # `check_schema` has seen it


def required_of(schema: Mapping[str, Json]) -> Sequence[str]:
    """The parameters that must be given."""
    return schema.get("required", ())  # type: ignore[return-value]  # the same


def admit(schema: Mapping[str, Json], given: object) -> dict[str, Json]:
    """The parameters as a skill gets them, defaults filled in; else `InvalidInput` that
    names the parameter.

    >>> admit({"properties": {"city": {"type": "string"}, "days": {"default": 3}}}, {"city": "Bonn"})
    {'city': 'Bonn', 'days': 3}
    """
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) for name in given
    ):
        raise InvalidInput(
            "parameters", f"must be an object with names, not {_kind(given)}"
        )
    whole = {"type": "object", "additionalProperties": False, **schema}
    admitted: dict[str, Json] = _admit(whole, dict(given), "parameters", 0)
    return admitted


# --- a value against a schema -------------------------------------------------------------------------------------


def _admit(schema: Mapping[str, Any], value: Any, path: str, depth: int) -> Any:
    """The value with its defaults, or the first thing that is wrong with it."""
    if depth > DEEPEST:
        raise InvalidInput(path, f"is nested more than {DEEPEST} deep")
    _check_value(schema, value, path)
    kinds = kinds_of(schema)
    if isinstance(value, float) and "integer" in kinds and "number" not in kinds:
        value = int(value)
    if "anyOf" in schema:
        value = _any_of(schema["anyOf"], value, path, depth)
    if isinstance(value, Mapping):
        return _admit_object(schema, value, path, depth)
    if isinstance(value, list | tuple):
        items = schema.get("items", {})
        return [
            _admit(items, each, f"{path}.{place}", depth + 1)
            for place, each in enumerate(value)
        ]
    return value


def _check_value(schema: Mapping[str, Any], value: Any, path: str) -> None:
    """Check a value by itself, without what is inside of it."""
    names = kinds_of(schema)
    if not any(_IS[name](value) for name in names or _WORDS):
        expected = (
            "must be " + " or ".join(_WORDS[name] for name in names)
            if names
            else "is not a value of JSON"
        )
        raise InvalidInput(path, f"{expected}, not {_kind(value)}")
    for keyword, limit in schema.items():
        if keyword in _RULES and (wrong := _RULES[keyword](limit, value)):
            raise InvalidInput(path, wrong)


def kinds_of(schema: Mapping[str, Any]) -> Sequence[str]:
    """The types that a schema allows; none if it does not say."""
    wanted = schema.get("type", ())
    return (wanted,) if isinstance(wanted, str) else wanted


def _any_of(
    choices: Sequence[Mapping[str, Any]], value: Any, path: str, depth: int
) -> Any:
    reasons = []
    for choice in choices:
        try:
            return _admit(choice, value, path, depth + 1)
        except InvalidInput as error:
            reasons.append(error.reason)
    raise InvalidInput(path, "fits none of its forms: " + "; ".join(reasons))


def _admit_object(
    schema: Mapping[str, Any], value: Mapping[str, Any], path: str, depth: int
) -> dict[str, Any]:
    known, closed = (
        schema.get("properties", {}),
        schema.get("additionalProperties") is False,
    )
    needed = (name for name in schema.get("required", ()) if name not in value)
    missing = [name for name in needed if "default" not in known.get(name, {})]
    unknown = [name for name in value if name not in known] if closed else []
    if missing:
        says = known.get(missing[0], {}).get("description")
        wanted = f" ({says})" if isinstance(says, str) and says else ""
        instead = f"; {unknown[0]!r} was given, which is not known" if unknown else ""
        raise InvalidInput(f"{path}.{missing[0]}", f"is missing{wanted}{instead}")
    if unknown:
        takes = (
            f"known are {', '.join(known)}"
            if known
            else "the skill takes no parameters"
        )
        raise InvalidInput(f"{path}.{unknown[0]}", f"is not known; {takes}")
    filled = {
        name: _admit(each, deepcopy(each["default"]), f"{path}.{name}", depth + 1)
        for name, each in known.items()
        if "default" in each and name not in value
    }
    return {
        **{
            name: _admit(known.get(name, {}), each, f"{path}.{name}", depth + 1)
            for name, each in value.items()
        },
        **filled,
    }


def _kind(value: object) -> str:
    """The type of a value in words; the value itself only where it is a short number or
    flag.
    """
    for name, test in _IS.items():
        if test(value):
            return (
                f"{value!r:.20}"
                if name in {"integer", "number", "boolean"}
                else _WORDS[name]
            )
    return f"a {type(value).__name__}"


def _is_number(value: object) -> bool:
    finite = not isinstance(value, float) or (
        value == value and abs(value) != float("inf")  # noqa: PLR0124 - NaN
    )
    return isinstance(value, int | float) and not isinstance(value, bool) and finite


_IS: Final[Mapping[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: _is_number(value) and value == int(value),
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list | tuple),
    "object": lambda value: (
        isinstance(value, Mapping) and all(isinstance(name, str) for name in value)
    ),
    "null": lambda value: value is None,
}


def _limit(
    name: str, words: str, wrong: Callable[[Any, Any], bool]
) -> Callable[[Any, Any], str | None]:
    """A rule about a number, or about the size of a text or a list."""

    def rule(limit: Any, value: Any) -> str | None:
        if not _IS[name](value):
            return None
        size = value if name == "number" else len(value)
        return (
            f"must {words.format(limit)}, not {_shown(size)}"
            if wrong(size, limit)
            else None
        )

    return rule


def _enum(known: Sequence[Any], value: Any) -> str | None:
    fits = _comparable(value) in map(_comparable, known)
    return None if fits else f"must be one of {', '.join(map(_shown, known))}"


def _comparable(value: Any) -> tuple[Any, ...]:
    """The same for values that are equal as JSON, and for no others."""
    if isinstance(value, Mapping):
        return "object", frozenset(
            (name, _comparable(each)) for name, each in value.items()
        )
    if isinstance(value, list | tuple):
        return "list", tuple(map(_comparable, value))
    return isinstance(value, bool), value


def _shown(value: object) -> str:
    try:
        text = f"{value!r}"
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."


_RULES: Final[Mapping[str, Callable[..., str | None]]] = {
    "enum": _enum,
    "const": lambda known, value: (
        None if _comparable(value) == _comparable(known) else f"must be {_shown(known)}"
    ),
    "minimum": _limit("number", "be at least {}", operator.lt),
    "maximum": _limit("number", "be at most {}", operator.gt),
    "exclusiveMinimum": _limit("number", "be above {}", operator.le),
    "exclusiveMaximum": _limit("number", "be below {}", operator.ge),
    "minLength": _limit("string", "have at least {} characters", operator.lt),
    "maxLength": _limit("string", "have at most {} characters", operator.gt),
    "minItems": _limit("array", "have at least {} items", operator.lt),
    "maxItems": _limit("array", "have at most {} items", operator.gt),
}


# --- the schema itself --------------------------------------------------------------------------------------------


def _check(schema: Any, path: str, depth: int) -> None:
    """Refuse what `_admit` would not keep to."""
    if not isinstance(schema, Mapping):
        raise InvalidInput(
            path, f"must be an object that describes a value, not {_kind(schema)}"
        )
    if depth > DEEPEST:
        raise InvalidInput(path, f"is nested more than {DEEPEST} deep")
    for keyword, value in schema.items():
        if keyword not in _KEYWORDS:
            raise InvalidInput(
                f"{path}.{keyword}",
                f"is not supported; known are {', '.join(sorted(_KEYWORDS))}",
            )
        _check_value(_KEYWORDS[keyword], value, f"{path}.{keyword}")
    if not all(kind in [*_WORDS] for kind in kinds_of(schema)):
        raise InvalidInput(
            f"{path}.type", f"must be one of {', '.join(_WORDS)}, or a list of them"
        )
    strange = [
        name
        for name in schema.get("required", ())
        if name not in [*schema.get("properties", {})]
    ]
    if strange:
        raise InvalidInput(
            f"{path}.required",
            f"names {strange[0]!r}, which is not among its properties",
        )
    for where, each in _inner(schema):
        _check(each, f"{path}.{where}", depth + 1)
    if "default" in schema:
        try:
            _admit(schema, schema["default"], path, depth)
        except InvalidInput as error:
            raise InvalidInput(
                f"{path}.default", f"does not fit: {error.reason}"
            ) from None


def _inner(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The schemas inside of a schema, with their places."""
    yield from schema.get("properties", {}).items()
    yield from (
        (f"anyOf.{place}", each) for place, each in enumerate(schema.get("anyOf", ()))
    )
    if "items" in schema:
        yield "items", schema["items"]


_KEYWORDS: Final[Mapping[str, Mapping[str, Any]]] = {
    **{
        key: {}
        for key in (
            "title",
            "description",
            "examples",
            "$schema",
            "$comment",
            "default",
            "const",
        )
    },
    "type": {"type": ["string", "array"], "minItems": 1},
    "properties": {"type": "object"},
    "required": {"type": "array"},
    "additionalProperties": {"type": "boolean"},
    "items": {"type": "object"},
    **{key: {"type": "array", "minItems": 1} for key in ("anyOf", "enum")},
    **{
        key: {"type": "number"}
        for key in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    },
    **{
        key: {"type": "integer", "minimum": 0}
        for key in ("minLength", "maxLength", "minItems", "maxItems")
    },
}
"""Every keyword that is known, with the schema of its value."""
