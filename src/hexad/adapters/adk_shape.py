"""How `hx.watch` sees the tool objects of Google ADK, and objects of the same shape.
Needs no ADK.

A tool has a ``name`` and an async ``run_async(args=…, tool_context=…)``; a toolset has
an async ``get_tools``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hexad.calls.outcome import reported_failure
from hexad.learning.tool_objects import ObjectCall, ToolObjectShape

if TYPE_CHECKING:
    from collections.abc import Mapping


def is_outcome(tool: object, tool_context: object, result: object) -> bool:
    """Whether a result is the outcome of a call: not of one that a person has to
    confirm, nor of one that goes on.

    A long-running tool returns a ticket or the like, unless it fails at once; what
    comes of it is not learned from.
    """
    pending = (
        getattr(tool, "is_long_running", False) and reported_failure(result) is None
    )
    return not pending and not _awaits_person(tool_context)


def _awaits_person(tool_context: object) -> bool:
    """Whether the call was not made: a person has to confirm it or sign in, or has
    refused it.
    """
    actions, answer = (
        getattr(tool_context, "actions", None),
        getattr(tool_context, "tool_confirmation", None),
    )
    asked = ("requested_tool_confirmations", "requested_auth_configs")
    return (
        any(getattr(actions, name, None) for name in asked)
        or getattr(answer, "confirmed", None) is False
    )


def _read(named: Mapping[str, Any]) -> ObjectCall:
    return ObjectCall(
        named["args"],
        getattr(getattr(named["tool_context"], "session", None), "id", None),
    )


SHAPE: Final = ToolObjectShape(
    call="run_async",
    listing="get_tools",
    read=_read,
    is_outcome=lambda tool, named, result: is_outcome(
        tool, named["tool_context"], result
    ),
)
