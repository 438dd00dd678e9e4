"""The fields of each answer and the bounds of arguments, as JSON Schema; `get_context` answers with text alone."""

from __future__ import annotations

from typing import Any, Final

from hexad.mcp.context_tools import MOST_TOOLS
from hexad.memory.admission import MAX_KEY, MAX_TAGS

MOST_RESULTS: Final = 200
_STATUS: Final = {
    "status": {"enum": ["ok", "proposed", "error"]},
    "error": {"type": "string", "description": "What went wrong and what to do, if the status is error."},
}
_SAVED: Final = "key version category similar proposal accept redacted"
_FIELDS: Final = {  # of an answer, beside its status
    "save_knowledge": _SAVED,
    "update_knowledge": _SAVED,
    "delete_knowledge": "key deleted proposal accept",
    "pin_knowledge": "key proposal accept",
    "search_knowledge": "count results",
    "list_knowledge": "count entries",
    "save_learning": "id trigger redacted",
    "search_learnings": "count results",
    "create_skill": "name state approve redacted",
    "list_skills": "count skills",
    "run_skill": "result",
    "report_tool_result": "failed fix trust",
}
ANSWERS: Final[dict[str, dict[str, Any]]] = {
    tool: {"type": "object", "properties": {**_STATUS, **{name: {} for name in names.split()}}, "required": ["status"]}
    for tool, names in _FIELDS.items()
}


def _shown(**schema: Any) -> dict[str, Any]:
    """A bound that a model sees; the engine checks it, with a sentence of its own."""
    return {"json_schema_extra": schema}


BOUNDS: Final[dict[str, dict[str, Any]]] = {  # of arguments, by name; the same in every tool
    "limit": {"ge": 1, "le": MOST_RESULTS},  # nothing else bounds an answer
    "budget": _shown(minimum=0),
    "tools": _shown(maxItems=MOST_TOOLS),
    "tags": _shown(maxItems=MAX_TAGS),
    **{name: _shown(maxLength=MAX_KEY) for name in ("key", "name", "tool", "trigger")},
}
