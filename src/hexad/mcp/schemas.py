"""The answer of each tool as JSON Schema; `get_context` answers with text alone."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from hexad.mcp.context_tools import MOST_TOOLS
from hexad.memory.admission import MAX_KEY, MAX_TAGS

Schema: TypeAlias = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_WHOLE: Final[Schema] = {"type": "integer"}
_NUMBER: Final[Schema] = {"type": "number"}
_FLAG: Final[Schema] = {"type": "boolean"}
_TEXTS: Final[Schema] = {"type": "array", "items": _TEXT}
_OBJECT: Final[Schema] = {"type": "object"}


def _object(*required: str, **fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(required)}


def _answer(**fields: Schema) -> Schema:
    """An answer has a status and, if that is ok, these fields; else an error, which says what to do."""
    error = _described(_TEXT, "What went wrong and what to do, if the status is error.")
    return _object("status", status={"enum": ["ok", "proposed", "error"]}, error=error, **fields)


def _several(**fields: Schema) -> Schema:
    return {"type": "array", "items": _object(*fields, **fields)}


def _described(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


_REDACTED: Final = _described(_TEXTS, "Kinds of secret that were taken out before storing.")
_ACCEPT: Final = _described(_TEXT, "What a person types to look at the proposal and to accept it; tell the user.")
_SAVED: Final = _answer(
    key=_TEXT,
    version=_WHOLE,
    category=_TEXT,
    similar=_described(_several(key=_TEXT, content=_TEXT), "Entries that say nearly the same, or contradict it."),
    proposal=_described(_TEXT, "The id of the proposal, if the entry is the user's own."),
    accept=_ACCEPT,
    redacted=_REDACTED,
)
_FOUND: Final = _answer(
    count=_WHOLE, results=_several(key=_TEXT, content=_TEXT, category=_TEXT, origin=_TEXT, score=_NUMBER)
)
_RESULT: Final = _object(
    *("name", "kind", "ok"),
    name=_TEXT,
    kind=_TEXT,
    ok=_FLAG,
    output={"description": "The last step's result, the script's output, or the text."},
    error=_TEXT,
    steps=_described({"type": "array"}, "The calls and their results; for a dry run, the plan."),
    seconds=_NUMBER,
    dry_run=_FLAG,
)

MOST_RESULTS: Final = 200
_NAME: Final[Schema] = {"maxLength": MAX_KEY}


def _shown(**schema: Any) -> dict[str, Any]:
    """A bound that a model sees; the engine checks it, with a sentence of its own."""
    return {"json_schema_extra": schema}


BOUNDS: Final[dict[str, dict[str, Any]]] = {  # of arguments, by name; the same in every tool
    "limit": {"ge": 1, "le": MOST_RESULTS},  # nothing else bounds an answer
    "budget": _shown(minimum=0),
    "tools": _shown(maxItems=MOST_TOOLS),
    "tags": _shown(maxItems=MAX_TAGS),
    **{name: _shown(**_NAME) for name in ("key", "name", "tool", "trigger")},
}

ANSWERS: Final[dict[str, Schema]] = {
    "save_knowledge": _SAVED,
    "update_knowledge": _SAVED,
    "delete_knowledge": _answer(key=_TEXT, deleted=_FLAG, proposal=_TEXT, accept=_ACCEPT),
    "pin_knowledge": _answer(key=_TEXT, proposal=_TEXT, accept=_ACCEPT),
    "search_knowledge": _FOUND,
    "list_knowledge": _answer(
        count=_WHOLE, entries=_several(key=_TEXT, content=_TEXT, category=_TEXT, origin=_TEXT, pinned=_FLAG)
    ),
    "save_learning": _answer(id=_TEXT, trigger=_TEXT, redacted=_REDACTED),
    "search_learnings": _FOUND,
    "create_skill": _answer(
        name=_TEXT,
        state={"enum": ["draft", "active", "deprecated"]},
        approve=_described(_TEXT, "What a person types to look at a draft and to approve it; tell the user."),
        redacted=_REDACTED,
    ),
    "list_skills": _answer(
        count=_WHOLE, skills=_several(name=_TEXT, description=_TEXT, kind=_TEXT, parameters=_OBJECT, tool=_TEXT)
    ),
    "run_skill": _answer(result=_RESULT),
    "report_tool_result": _answer(
        failed=_described(_FLAG, "Whether the call counts as a failure."),
        fix={"type": ["string", "null"], "description": "What fixed this error before, if that is known."},
        trust={"type": ["number", "null"], "description": "How far that fix is trusted, from 0 to 1."},
    ),
}
