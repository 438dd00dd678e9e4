"""JSON Schemas of what the interface takes and answers, made from the nouns' own fields, as in `wire`."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from hexad.memory.admission import MAX_KEY, MAX_TAGS
from hexad.model import RECORDS, Association, AuditRecord, Layer, Proposal, SkillVersion, Version
from hexad.shape import Kind, shapes

Schema: TypeAlias = dict[str, Any]

_KINDS: Final[dict[Kind, Schema]] = {
    Kind.TEXT: {"type": "string"},
    Kind.WHOLE: {"type": "integer"},
    Kind.NUMBER: {"type": "number"},
    Kind.FLAG: {"type": "boolean"},
    Kind.TIME: {"type": "string", "format": "date-time"},
    Kind.LIST: {"type": "array", "items": {"type": "string"}},
    Kind.OBJECT: {"type": "object"},
    Kind.CHOICE: {"type": "string"},
}
KEY: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": MAX_KEY}
TEXT: Final[Schema] = {"type": "string"}
FLAG: Final[Schema] = {"type": "boolean"}
COUNT: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 1_000_000}
OBJECT: Final[Schema] = {"type": "object", "additionalProperties": True}
NOTHING: Final[Schema] = {}
LAYERS: Final[Schema] = {"type": "array", "items": {"enum": [layer.value for layer in Layer]}, "maxItems": len(Layer)}
KEYS: Final[Schema] = {"type": "array", "items": KEY, "minItems": 1, "maxItems": 1000}
_BOUNDS: Final[dict[str, Schema]] = {
    "tags": {"items": KEY, "maxItems": MAX_TAGS},
    "relevance": {"minimum": 0, "maximum": 1},
    "position": {"minimum": 0, "maximum": 2**53},
    **{name: {"maxLength": MAX_KEY} for name in ("key", "name", "trigger", "subject", "thread")},
}

NOUNS: Final = {noun.__name__: noun for noun in (*RECORDS, Version, SkillVersion, Proposal, Association, AuditRecord)}


def _field(noun: type, name: str) -> Schema:
    kind, choice, nullable = shapes(noun)[name]
    schema = dict(_KINDS[kind])
    if choice is not None:
        schema["enum"] = [member.value for member in choice]
    if nullable:
        schema["type"] = [schema["type"], "null"]
    return schema


def noun_schema(noun: type) -> Schema:
    """A noun as `wire.to_json` writes it."""
    properties = {name: _field(noun, name) for name in shapes(noun)}
    return {"type": "object", "properties": {"type": TEXT, **properties}, "required": ["type", *properties]}


def given(noun: type, names: str, *, required: str = "", **more: Schema) -> Schema:
    """A body with some fields of a noun, and others."""
    return body(required=required, **fields_of(noun, names), **more)


def fields_of(noun: type, names: str) -> dict[str, Schema]:
    """Some fields of a noun, with the bounds that the engine checks."""
    return {name: {**_field(noun, name), **_BOUNDS.get(name, {})} for name in names.split()}


def body(*, required: str = "", **properties: Schema) -> Schema:
    """A body of these properties; others are refused."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**schema, "required": required.split()} if required else schema


def ref(name: str) -> Schema:
    """A noun's schema, by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def listed(name: str) -> Schema:
    """A page of a listing: its items, and the cursor of the next page, if there is one."""
    return {
        "type": "object",
        "properties": {"items": {"type": "array", "items": ref(name)}, "next": {"type": ["string", "null"]}},
        "required": ["items"],
    }
