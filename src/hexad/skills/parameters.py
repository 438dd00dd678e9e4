"""A skill's parameters: a documented part of JSON Schema, checked when a skill is
stored and before it runs.

Keywords that are not in `_META` are refused when the skill is stored, so no rule is
silently ignored. The top level is an object; parameters that it does not list are
refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import InvalidInput

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

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
_SAYS: Final = {
    "minimum": "must be at least {limit}, not {value}",
    "maximum": "must be at most {limit}, not {value}",
    "exclusiveMinimum": "must be above {limit}, not {value}",
    "exclusiveMaximum": "must be below {limit}, not {value}",
    "minLength": "must have at least {limit} characters, not {size}",
    "maxLength": "must have at most {limit} characters, not {size}",
    "minItems": "must have at least {limit} items, not {size}",
    "maxItems": "must have at most {limit} items, not {size}",
    "const": "must be {limit}",
}
_META: Final[dict[str, Any]] = json.loads("""{
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "title": {}, "description": {}, "examples": {}, "$schema": {}, "$comment": {}, "default": {}, "const": {},
    "type": {"anyOf": [{"$ref": "#/$defs/kind"}, {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/kind"}}]},
    "properties": {"type": "object", "additionalProperties": {"$ref": "#"}},
    "required": {"type": "array", "items": {"type": "string"}},
    "additionalProperties": {"type": "boolean"},
    "items": {"$ref": "#"},
    "anyOf": {"type": "array", "minItems": 1, "items": {"$ref": "#"}},
    "enum": {"type": "array", "minItems": 1},
    "minimum": {"type": "number"}, "maximum": {"type": "number"},
    "exclusiveMinimum": {"type": "number"}, "exclusiveMaximum": {"type": "number"},
    "minLength": {"$ref": "#/$defs/size"}, "maxLength": {"$ref": "#/$defs/size"},
    "minItems": {"$ref": "#/$defs/size"}, "maxItems": {"$ref": "#/$defs/size"}
  },
  "$defs": {
    "kind": {"enum": ["string", "integer", "number", "boolean", "array", "object", "null"]},
    "size": {"type": "integer", "minimum": 0}
  }
}""")
"""The schema of a schema: every keyword that is known, with what its value may be."""


def check_schema(schema: Mapping[str, Json]) -> None:
    """Refuse a schema that would not be kept to, with the place and the reason."""
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
    _validate(_META, _plain(schema, "parameters", -2 * DEEPEST))
    _check(schema, "parameters", 0)
    if len(properties_of(schema)) > MOST_PARAMETERS:
        raise InvalidInput("parameters", f"has more than {MOST_PARAMETERS} parameters")


def properties_of(schema: Mapping[str, Json]) -> Mapping[str, Mapping[str, Any]]:
    """The parameters that a schema lists."""
    return schema.get("properties", {})  # type: ignore[return-value]  # `check_schema` has seen it


def required_of(schema: Mapping[str, Json]) -> Sequence[str]:
    """The parameters that must be given."""
    return schema.get("required", ())  # type: ignore[return-value]  # the same


def kinds_of(schema: Mapping[str, Any]) -> Sequence[str]:
    """The types that a schema allows; none if it does not say."""
    wanted = schema.get("type", ())
    return (wanted,) if isinstance(wanted, str) else wanted


def admit(schema: Mapping[str, Json], given: object) -> dict[str, Json]:
    """The parameters as a skill gets them, defaults filled in; else `InvalidInput` that
    names the parameter.

    >>> admit({"properties": {"city": {"type": "string"}, "days": {"default": 3}}}, {"city": "Bonn"})
    {'city': 'Bonn', 'days': 3}
    """
    is_named = isinstance(given, Mapping) and all(
        isinstance(name, str) for name in given
    )
    if not is_named:
        reason = f"must be an object with names, not {_kind(given)}"
        raise InvalidInput("parameters", reason)
    whole = {"type": "object", "additionalProperties": False, **schema}
    value = _filled(whole, _plain(given, "parameters", 0))
    _validate(whole, value)
    admitted: dict[str, Json] = value
    return admitted


def _check(schema: Mapping[str, Any], path: str, depth: int) -> None:
    """Refuse what a schema of schemas cannot say."""
    if depth > DEEPEST:
        raise InvalidInput(path, f"is nested more than {DEEPEST} deep")
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in properties:
            reason = f"names {name!r}, which is not among its properties"
            raise InvalidInput(f"{path}.required", reason)
    inner = {f"{path}.{name}": each for name, each in properties.items()}
    for place, each in enumerate(schema.get("anyOf", ())):
        inner[f"{path}.anyOf.{place}"] = each
    if "items" in schema:
        inner[f"{path}.items"] = schema["items"]
    for where, each in inner.items():
        _check(each, where, depth + 1)
    if "default" in schema:
        try:
            _validate(schema, _filled(schema, deepcopy(schema["default"])))
        except InvalidInput as error:
            reason = f"does not fit: {error.reason}"
            raise InvalidInput(f"{path}.default", reason) from None


def _plain(value: Any, path: str, depth: int) -> Any:
    """A copy of a value of JSON; anything else is refused."""
    if depth > DEEPEST + 1:
        raise InvalidInput(path, f"is nested more than {DEEPEST} deep")
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        whole = {}
        for name, each in value.items():
            whole[name] = _plain(each, f"{path}.{name}", depth + 1)
        return whole
    if isinstance(value, list | tuple):
        items = enumerate(value)
        return [_plain(each, f"{path}.{place}", depth + 1) for place, each in items]
    if isinstance(value, float) and not abs(value) < float("inf"):
        raise InvalidInput(path, f"must be a number that JSON has, not {value}")
    if isinstance(value, int) and value.bit_length() > 10_000:
        raise InvalidInput(
            path, "is a number of thousands of digits; give a smaller one"
        )
    if value is None or isinstance(value, str | int | float):
        return value
    raise InvalidInput(path, f"is not a value of JSON, but {_kind(value)}")


def _filled(schema: Mapping[str, Any], value: Any) -> Any:
    """A value with the defaults of its schema; whole numbers are written as such."""
    kinds = kinds_of(schema)
    is_whole = isinstance(value, float) and value.is_integer()
    if is_whole and "integer" in kinds and "number" not in kinds:
        return int(value)
    for choice in schema.get("anyOf", ()):
        form = _filled(choice, deepcopy(value))
        if _validator(choice).is_valid(form):
            value = form
            break
    if isinstance(value, dict):
        known = schema.get("properties", {})
        for name, each in known.items():
            if "default" in each and name not in value:
                value[name] = deepcopy(each["default"])
        for name in value.keys() & known.keys():
            value[name] = _filled(known[name], value[name])
    if isinstance(value, list) and "items" in schema:
        return [_filled(schema["items"], each) for each in value]
    return value


@cache
def _class() -> Any:
    """The validator of the keywords that are known; with lazy imports, which take
    60 ms.
    """
    from jsonschema import Draft202012Validator as Whole  # noqa: PLC0415
    from jsonschema.validators import create  # noqa: PLC0415

    known = {"$ref", *_META["properties"]} & Whole.VALIDATORS.keys()
    keywords = {name: Whole.VALIDATORS[name] for name in known}
    return create({}, keywords, type_checker=Whole.TYPE_CHECKER)


def _validator(schema: Mapping[str, Any]) -> Validator:
    made: Validator = _class()(schema)
    return made


def _validate(schema: Mapping[str, Any], value: Any) -> None:
    """Raise the outermost thing that is wrong with a value."""
    first = min(_validator(schema).iter_errors(value), key=_rank, default=None)
    if first is not None:
        where, reason = _said(first, is_schema=schema is _META)
        raise InvalidInput(".".join(["parameters", *where]), reason)


def _rank(error: ValidationError) -> tuple[int, bool]:
    return len(error.absolute_path), error.validator == "additionalProperties"


def _said(error: ValidationError, *, is_schema: bool = False) -> tuple[list[str], str]:
    """Where an error is, and what it says: what is wrong and what would be right."""
    where: list[str] = []
    for part in error.absolute_path:
        where.append(str(part))
        if is_schema and where[-2:-1] == ["properties"]:
            del where[-2]
    schema: Any = error.schema
    value, limit = error.instance, error.validator_value
    known = schema.get("properties", {})
    names = value if isinstance(value, dict) else {}
    unknown = [name for name in names if name not in known]
    match error.validator:
        case "type":
            wanted = " or ".join(_WORDS[name] for name in kinds_of({"type": limit}))
            return where, f"must be {wanted}, not {_kind(value)}"
        case "required":
            missing = next(name for name in limit if name not in names)
            says = known.get(missing, {}).get("description")
            reason = f"is missing ({says})" if says else "is missing"
            if unknown and schema.get("additionalProperties") is False:
                reason += f"; {unknown[0]!r} was given, which is not known"
            return [*where, missing], reason
        case "additionalProperties":
            reason = "not supported" if is_schema else "not known"
            takes = f"known are {', '.join(known)}"
            takes = takes if known else "the skill takes no parameters"
            return [*where, unknown[0]], f"is {reason}; {takes}"
        case "enum":
            return where, f"must be one of {', '.join(map(_shown, limit))}"
        case "anyOf":
            reasons = [_said(each)[1] for each in error.context or ()]
            return where, "fits none of its forms: " + "; ".join(reasons)
        case _:  # a limit
            size = len(value) if isinstance(value, str | list) else 0
            shown = {"limit": _shown(limit), "value": _shown(value), "size": size}
            return where, _SAYS[error.validator].format(**shown)


def _kind(value: object) -> str:
    """The type of a value in words; the value itself only where it is a short number or
    flag.
    """
    if isinstance(value, int | float):
        return f"{_shown(value):.20}"
    if value is None:
        return "null"
    words = {"str": "text", "list": "a list", "tuple": "a list", "dict": "an object"}
    name = type(value).__name__
    return words.get(name, f"a {name}")


def _shown(value: object) -> str:
    text = f"{value!r}"
    return text if len(text) <= 60 else text[:57] + "..."
