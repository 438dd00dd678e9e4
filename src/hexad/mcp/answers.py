"""Answers and errors as MCP sends them: an error is a sentence that says what is wrong
and what to do.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, CallToolResult, TextContent
from pydantic import ValidationError

from hexad.errors import DailyLimit, HexadError, NotFound, RateLimited, nearest
from hexad.memory.redaction import redact
from hexad.memory.troubles import tell

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

_LONGEST_NAME: Final = 80
_FINDING: Final = {
    "skill": "list_skills names those",
    "knowledge": "search_knowledge finds those",
}


def result_of(answer: Mapping[str, Any]) -> CallToolResult:
    """A tool's answer: its structure, and the same as text for clients that read no
    structure.

    An answer with the status error is an error. One that consists of ``texts`` has no
    structure: some clients show the structure alone, others the text alone, and a model
    should read the context once.
    """
    # A skill's tool may return lone surrogates and NaN, which JSON cannot hold.
    written = json.dumps(answer, ensure_ascii=False).encode(errors="replace")
    sent = json.loads(written, parse_constant=lambda name: str(float(name)))
    if "texts" in sent:
        return CallToolResult(
            content=[TextContent(type="text", text="\n".join(sent["texts"]))]
        )
    wrong = sent.get("status") == "error"
    text = str(sent.get("error", "")) if wrong else json.dumps(sent, ensure_ascii=False)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=sent,
        is_error=wrong,
    )


def sentence(error: HexadError) -> str:
    """An error in words that an agent can act on: some errors say what to do in Python."""
    if isinstance(error, RateLimited) and not isinstance(error, DailyLimit):
        return (
            f"this session has reached its limit of {error.limit} (max_{error.kind}={error.limit}); save no more, "
            f"and tell the user: a new session has room again, or raise max_{error.kind}"
        )
    if isinstance(error, NotFound):
        finding = _FINDING.get(error.kind, "search_learnings finds those")
        return f"no {error.kind} {shown(error.key)} in namespace {error.namespace!r}; {finding} that exist"
    return str(error)


def shown(name: str) -> str:
    """A client's name for something, in quotes, on one line and not too long."""
    text = ascii(name) if not name.isprintable() else repr(name)
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 4]}…'"


def unexpected(what: str, error: Exception) -> str:
    """A sentence about a bug of ours; the details are in the log."""
    kind = type(error).__name__
    return f"{what} failed unexpectedly ({kind}); try once more, then tell the user: the server's log says more"


def faults(error: ValidationError, known: Collection[str] = ()) -> str:
    """Which arguments are wrong, and how. Their values are not repeated: they may be
    secret.
    """
    found = [
        _fault(each, known)
        for each in error.errors(include_input=False, include_url=False)
    ]
    return "; ".join(dict.fromkeys(found))


def _fault(fault: Mapping[str, Any], known: Collection[str]) -> str:
    place: Sequence[object] = fault["loc"]
    name = ".".join(map(str, place))
    if fault["type"] == "missing":
        return f"{name} is missing"
    if fault["type"] == "extra_forbidden" and len(place) > 1:
        return f"{name} is not known there; leave it out"
    if fault["type"] == "extra_forbidden":
        close = nearest(name, known)
        hint = (
            f"did you mean {close}?"
            if close
            else f"it takes {', '.join(known) or 'none'}"
        )
        return f"{name} is not an argument ({hint})"
    return f"{name}: {str(fault['msg']).removeprefix('Input ')}"


async def explain_errors(ctx: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
    """Middleware for the SDK: every error of a request leaves with a sentence that says
    what to do.
    """
    method = str(ctx.method)
    if ctx.request_id is None:  # a notification has no answer
        return await call_next(ctx)
    try:
        return await call_next(ctx)
    except MCPError:
        raise
    except ValidationError as error:
        raise MCPError(INVALID_PARAMS, f"{method}: {faults(error)}") from error
    except HexadError as error:
        raise MCPError(
            INTERNAL_ERROR, redact(f"{method}: {sentence(error)}").text
        ) from error
    except (
        ValueError
    ) as error:  # the SDK's word for a prompt or an argument that it does not know
        raise MCPError(INVALID_PARAMS, f"{method}: {error}") from error
    except Exception as error:
        tell(f"{method} failed", error)
        raise MCPError(INTERNAL_ERROR, unexpected(method, error)) from error
