"""The answer of each tool as JSON Schema: the fields are those of `hexad.wire`."""

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
    return _object("status", status={"enum": ["ok", "error"]}, error=error, **fields)


def _several(**fields: Schema) -> Schema:
    return {"type": "array", "items": _object(*fields, **fields)}


def _described(schema: Schema, description: str) -> Schema:
    return {**schema, "description": description}


_REDACTED: Final = _described(_TEXTS, "Kinds of secret that were taken out before storing.")
_FOUND: Final = _answer(
    count=_WHOLE, results=_several(key=_TEXT, content=_TEXT, category=_TEXT, origin=_TEXT, score=_NUMBER)
)
_PROMPT: Final = _object(
    *("text", "tokens", "kept", "dropped"),
    text=_described(_TEXT, "The base prompt with the context after it."),
    tokens=_described(_WHOLE, "What was added, in tokens."),
    budget={"type": ["integer", "null"]},
    kept=_described(_TEXTS, "The items in it, as layer/id."),
    dropped=_described(_TEXTS, "The items that did not fit the budget."),
)
_EXPLANATION: Final[Schema] = {
    "type": ["object", "null"],
    "description": "Each layer's candidates with score, reasons and verdict, failures, and the time it took.",
    "properties": {"keywords": _TEXTS, "candidates": _OBJECT, "failures": {"type": "array"}, "seconds": _NUMBER},
}
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
_NAME: Final[Schema] = {"minLength": 1, "maxLength": MAX_KEY}


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
    "save_knowledge": _answer(
        key=_TEXT,
        version=_WHOLE,
        category=_TEXT,
        redacted=_REDACTED,
        unpinned=_described(_FLAG, "Whether it was pinned before, and is no longer: only a person pins."),
    ),
    "search_knowledge": _FOUND,
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
    "get_context": _answer(prompt=_PROMPT, explanation=_EXPLANATION),
    "report_tool_result": _answer(
        failed=_described(_FLAG, "Whether the call counts as a failure."),
        learning={"type": ["object", "null"], "description": "The learning that the error belongs to."},
        fix={"type": ["string", "null"], "description": "What fixed this error before, if that is known."},
        trust={"type": ["number", "null"], "description": "How far that fix is trusted, from 0 to 1."},
    ),
}
