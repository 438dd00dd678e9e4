"""Answers as MCP sends them: the structure, and the same as text for clients that read no structure."""

from __future__ import annotations

import difflib
import json
import math
from typing import TYPE_CHECKING, Any

from mcp_types import CallToolResult, TextContent

from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pydantic import ValidationError


def answered(told: Mapping[str, Any], *texts: str) -> CallToolResult:
    """What a tool tells; an answer with the status error is an error. ``texts`` replace the JSON in the text."""
    sent = {name: _sendable(value) for name, value in told.items()}
    wrong = sent.get("status") == "error"
    said = [str(sent.get("error", ""))] if wrong else list(texts) or [json.dumps(sent, ensure_ascii=False)]
    return CallToolResult(
        content=[TextContent(type="text", text=_sendable(each)) for each in said],
        structured_content=sent,
        is_error=wrong,
    )


def _sendable(value: Any) -> Any:
    """The same as JSON can hold it: a skill's tool may give lone surrogates, and numbers that are none."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode(errors="replace").decode()
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {_sendable(name): _sendable(each) for name, each in value.items()}
    return [_sendable(each) for each in value] if isinstance(value, list) else value


def refused(sentence: str) -> CallToolResult:
    """An error, in one sentence."""
    return answered(failed(sentence))


def failed(sentence: str) -> dict[str, Any]:
    """An error as an answer."""
    return {"status": "error", "error": redact(sentence).text}


def wrong_arguments(tool: str, error: ValidationError, known: Collection[str]) -> str:
    """Which arguments are wrong, and how; nothing of what was given, which may be secret."""
    return f"{tool}: " + "; ".join(_fault(each, known) for each in error.errors(include_input=False, include_url=False))


def _fault(fault: Mapping[str, Any], known: Collection[str]) -> str:
    place: Sequence[object] = fault["loc"]
    name = ".".join(map(str, place))
    if fault["type"] == "missing":
        return f"{name} is missing"
    if fault["type"] == "extra_forbidden":
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"it takes {', '.join(known)}"
        return f"{name} is not an argument ({hint})"
    return f"{name}: {str(fault['msg']).removeprefix('Input ')}"
