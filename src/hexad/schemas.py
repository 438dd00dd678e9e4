"""JSON Schemas for MCP tools and HTTP alike: of the nouns, made from their own fields,
and of every answer.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from hexad.json_form import TYPES
from hexad.memory.admission import MAX_KEY, MAX_TAGS
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
KEYS: Final[Schema] = {"type": "array", "items": KEY, "minItems": 1, "maxItems": 1000}
BOUNDS: Final[dict[str, Schema]] = {  # of fields, by name
    "tags": {"items": KEY, "maxItems": MAX_TAGS},
    "relevance": {"minimum": 0, "maximum": 1},
    "position": {"minimum": 0, "maximum": 2**53},
    **{
        name: {"maxLength": MAX_KEY}
        for name in ("key", "name", "trigger", "subject", "thread")
    },
}


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
    return {
        "type": "object",
        "properties": {"type": TEXT, **properties},
        "required": ["type", *properties],
    }


def given(noun: type, names: str, *, required: str = "", **more: Schema) -> Schema:
    """A body with some fields of a noun, and others."""
    return body(required=required, **fields_of(noun, names), **more)


def fields_of(noun: type, names: str) -> dict[str, Schema]:
    """Some fields of a noun, with the bounds that the engine checks."""
    return {
        name: {**_field(noun, name), **BOUNDS.get(name, {})} for name in names.split()
    }


def body(*, required: str = "", **properties: Schema) -> Schema:
    """A body of these properties; others are refused."""
    schema: Schema = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    return {**schema, "required": required.split()} if required else schema


def ref(name: str) -> Schema:
    """A noun's schema, by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


def listed(name: str) -> Schema:
    """A page of a listing: its items, and the cursor of the next page, if there is one."""
    return {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": ref(name)},
            "next": {"type": ["string", "null"]},
        },
        "required": ["items"],
    }


def answer(fields: str) -> Schema:
    """An answer with these properties: each a text, or of the kind behind its colon."""
    properties = {}
    for field in fields.split():
        name, _, kind = field.partition(":")
        properties[name] = _written(kind or "text")
    return {"type": "object", "properties": properties, "required": list(properties)}


def _written(kind: str) -> Schema:
    """A kind by its name: `whole`, a noun, `[a list of a kind]`, `{an object by
    names}`, `what may be null?`.
    """
    if kind.endswith("?"):
        return {"anyOf": [_written(kind[:-1]), {"type": "null"}]}
    if kind.startswith("["):
        return {"type": "array", "items": _written(kind[1:-1])}
    if kind.startswith("{"):
        return {"type": "object", "additionalProperties": _written(kind[1:-1])}
    return ref(kind) if kind.istitle() else _KINDS[Kind(kind)]


_ITEM: Final = "layer id key content category source origin score:number pinned:flag reasons:[Reason]"
_KEY: Final = "id name made:time namespaces:list rights:list"
_QUALITY: Final = "recall_at_5:number recall_at_10:number mrr:number ndcg_at_10:number"
_ANSWERS: Final[dict[str, str]] = {
    "Reason": "signal detail value:number",
    "Item": _ITEM,
    "Candidate": f"{_ITEM} kept:flag verdict",
    "Failure": "layer reason",
    "Retrieval": "query keywords:list items:{[Item]} failures:[Failure]",
    "Prompt": "text tokens:whole budget:whole? standing:list kept:list dropped:list",
    "Explanation": "message keywords:list candidates:{[Candidate]} failures:[Failure] prompt:Prompt seconds:number"
    " layer_seconds:{number} standing_tokens:whole standing_budget:whole unfit",
    "Shown": "at:time session standing:whole tokens:whole items:[Scored]",
    "Scored": "layer id score:number",
    "Changed": "changed:list refused:{text}",
    "Statistics": "learnings:whole noticed:whole seen:whole with_fix:whole with_example:whole trusted:whole"
    " worked:whole failed:whole categories:{whole} tools:{whole}",
    "Fix": "fix:text? trust:number? learning:Learning?",
    "Observed": "learning:Learning?",
    "Cleaned": "removed:list dry_run:flag",
    "Finding": "rule line:whole says decision capability:text? file",
    "Review": "skill:Skill fingerprint grants:list obstacle findings:[Finding]",
    "Waiting": "what",
    "Run": "name kind ok:flag error files:list seconds:number dry_run:flag steps:[object]",
    "Folder": "folder skill:text? result changed:list notes:list",
    "Status": "version namespace stored:{whole} pinned:whole awaiting:{whole} semantic:flag unfit",
    "Verdict": "ok:flag namespace records:whole head broken_at:whole? problem",
    "Forgotten": "entries:whole erased:flag detail",
    "Imported": "added:whole replaced:whole kept:whole left_out:whole proposed:whole reasons:{whole} gone:list",
    "Statement": "content sentence category key against proposal",
    "Check": "name verdict detail",
    "Evaluation": f"{_QUALITY} layers:{{Quality}} sets:{{Quality}} baselines:{{Quality}} left_out:whole",
    "Quality": _QUALITY,
    "Token": _KEY,
    "Made": f"{_KEY} secret",
    "Problem": "type title status:whole detail",
}
COMPONENTS: Final[dict[str, Schema]] = {
    **{noun.__name__: noun_schema(noun) for noun in TYPES.values()},
    **{name: answer(fields) for name, fields in _ANSWERS.items()},
}
_COUNTED: Final = "of what was found, which `budget` limits; the standing block is not counted (`/explain` counts it)"
COMPONENTS["Prompt"]["properties"]["tokens"] = {
    "type": "integer",
    "description": _COUNTED,
}
