"""Answers as MCP sends them: the structure, and the same as text for clients that read no structure."""

from __future__ import annotations

import difflib
import json
import math
from typing import TYPE_CHECKING, Any, Final

from mcp_types import CallToolResult, TextContent

from hexad.errors import DailyLimit, NotFound, RateLimited
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pydantic import ValidationError

    from hexad.errors import HexadError

_LONGEST_NAME: Final = 80
_FINDING: Final = {"skill": "list_skills names those", "knowledge": "search_knowledge finds those"}


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


def sentence(error: HexadError, *, renewal: str = "a new session has room again") -> str:
    """An error as who speaks MCP can do something about it: not every remedy in Python is within reach.

    ``renewal`` tells when a session that has reached a limit gives way to another.
    """
    if isinstance(error, DailyLimit):
        told = f"agents have created as many skills today as they may, {error.limit} (max_skills_per_day={error.limit})"
        return f"{told}; go on without, and tell the user: whoever runs this server can raise max_skills_per_day"
    if isinstance(error, RateLimited):
        told = f"this session has reached its limit of {error.limit} (max_{error.kind}={error.limit})"
        return f"{told}; save no more, and tell the user: {renewal}, or raise max_{error.kind}"
    if isinstance(error, NotFound):
        finding = _FINDING.get(error.kind, "search_learnings finds those")
        return f"no {error.kind} {shown(error.key)} in namespace {error.namespace!r}; {finding} that there are"
    return str(error)


def shown(name: str) -> str:
    """A name that somebody has given, in quotes, on one line and not too long."""
    text = ascii(name) if not name.isprintable() else repr(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 4]}…'"


def failed(sentence: str) -> dict[str, Any]:
    """An error as an answer."""
    return {"status": "error", "error": redact(sentence).text}


def unexpected(what: str, error: Exception) -> str:
    """What is told of a mistake of ours; the rest is in the log."""
    kind = type(error).__name__
    return f"{what} failed unexpectedly ({kind}); try once more, then tell the user: the server's log says more"


def faults(error: ValidationError, known: Collection[str] = ()) -> str:
    """Which arguments are wrong, and how; nothing of what was given, which may be secret."""
    told = [_fault(each, known) for each in error.errors(include_input=False, include_url=False)]
    return "; ".join(dict.fromkeys(told))


def _fault(fault: Mapping[str, Any], known: Collection[str]) -> str:
    place: Sequence[object] = fault["loc"]
    name = ".".join(map(str, place))
    if fault["type"] == "missing":
        return f"{name} is missing"
    if fault["type"] == "extra_forbidden" and len(place) > 1:
        return f"{name} is not known there; leave it out"
    if fault["type"] == "extra_forbidden":
        close = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]}?" if close else f"it takes {', '.join(known) or 'none'}"
        return f"{name} is not an argument ({hint})"
    return f"{name}: {str(fault['msg']).removeprefix('Input ')}"
