"""A tool call in the event of a coding agent: its tool, its arguments, and how it
ended.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.agent_tools import NAMES
from hexad.agents.agent import EndedCall, parsed
from hexad.mcp import CONTEXT_TOOLS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHELL: Final = "Bash"
_SHELLS: Final = frozenset(
    {SHELL, "Shell", "run_shell_command", "exec_command"}
)  # one tool by many names
_OURS: Final = (*NAMES, *CONTEXT_TOOLS)
_FAILED: Final = re.compile(
    r"Output: (.*)\n(?:Exit Code|Signal): (-?\w+)", re.DOTALL
)  # in a response of Gemini CLI
_TAIL: Final = 1_000_000  # bytes of a transcript that are searched for a call


def call_in(event: Mapping[str, Any]) -> EndedCall | None:
    """The call, or None if it is one of our tools, if a person stopped it, or if nobody
    knows how it ended.
    """
    tool, call = str(event["tool_name"]), str(event.get("tool_use_id") or "")
    stopped = (
        str(event.get("is_interrupt", "")).lower() == "true"
        or event.get("failure_type") == "permission_denied"
    )
    error = event.get("error") or event.get("error_message") or _failure(event, call)
    if (
        stopped
        or error is None
        or (tool.lower().startswith("mcp") and tool.endswith(_OURS))
    ):
        return None
    tool, args = planned_call(event)
    return EndedCall(
        tool, args, error=error or None, id=call, said=str(event.get("said") or "")
    )


def planned_call(event: Mapping[str, Any]) -> tuple[str, Any]:
    """The tool and the arguments of an event; a shell is one tool under any name that
    the client gives it.
    """
    tool, args = str(event["tool_name"]), parsed(event.get("tool_input"))
    if tool in _SHELLS and isinstance(
        args, dict
    ):  # what the model says about a command differs each time
        return SHELL, {"command": args.get("command") or args.get("cmd")}
    return tool, args


def _failure(event: Mapping[str, Any], call: str) -> str | None:
    """The error of a call whose event has no word for errors: "" if it worked, None if
    that is not known.
    """
    response = parsed(event.get("tool_response", event.get("tool_output")))
    if isinstance(response, dict):
        return _in_response(response)
    if response is None or "turn_id" not in event:
        return ""
    # Codex wrote an item about the call before its hook: it has the exit code, which
    # the event lacks.
    rows = latest_rows(Path(str(event.get("transcript_path"))), _TAIL, call, '"item"')
    items = (row["payload"].get("item") for row in rows)
    item = next((each for each in items if each and each.get("id") == call), None)
    if item is None:
        return None
    status = item.get("exit_code")
    return (
        _said(status, str(response))
        if status
        else str(response)
        if item.get("status") == "failed"
        else ""
    )


def _in_response(response: Mapping[str, Any]) -> str:
    error = response.get("error")
    words = error.get("message") if isinstance(error, dict) else error
    if found := _FAILED.search(str(response.get("llmContent", ""))):
        return _said(found[2], found[1])
    status, text = (
        response.get("exitCode"),
        response.get("stderr") or response.get("stdout") or "",
    )
    return str(words) if words else _said(status, str(text)) if status else ""


def _said(status: object, text: str) -> str:
    """A failed command as Claude Code reports it, so that all clients share what was
    learned.
    """
    return f"Exit code {status}\n{text}"


def latest_rows(file: Path, size: int, *holding: str) -> Iterator[dict[str, Any]]:
    """The latest rows containing these words, within the last ``size`` bytes; a
    half-written row is skipped.
    """
    with file.open("rb") as stream:
        start = stream.seek(max(stream.seek(0, os.SEEK_END) - size, 0))
        lines = stream.read().split(b"\n")[start > 0 :]
    for word in holding:
        lines = [line for line in lines if word.encode() in line]
    for line in reversed(lines):
        with suppress(ValueError):
            yield json.loads(line.decode(errors="replace"))
