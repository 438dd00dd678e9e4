"""Claude Agent SDK: `HexadClaude` gives an agent its context, the agent tools, and
learning from what its tools do.

::

    ClaudeAgentOptions(**HexadClaude(hx).options(user="dana"))

What is known of a failure goes to the model beside it. The SDK has no place for what is
known of a tool's arguments: each server describes its tools itself.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.extras import require_extra

require_extra("claude-agent", "the Claude Agent adapter", "claude_agent_sdk")

from claude_agent_sdk import HookMatcher, SdkMcpTool, create_sdk_mcp_server  # noqa: E402 - a missing package comes first
from pydantic import TypeAdapter  # noqa: E402

from hexad.agents.agent import AgentMemory, EndedCall  # noqa: E402
from hexad.agents.context import BUDGET, Latest  # noqa: E402
from hexad.agents.threads import pool_of  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.facade import Hexad

_SERVER: Final = "hexad"
_PREFIX: Final = f"mcp__{_SERVER}__"


class HexadClaude:
    """Everything for agents of the SDK. What is found for a message becomes part of it,
    and stays in the transcript.
    """

    def __init__(self, hx: Hexad, *, budget: int = BUDGET) -> None:
        self._hx, self._budget = hx, budget

    def options(
        self, *, user: str = "", session: str = "", with_tools: bool = True, **own: Any
    ) -> dict[str, Any]:
        """The keyword arguments of `ClaudeAgentOptions` for one user's client; give
        your own here, they stay in force.

        ``with_tools=False`` offers no tools of ours. The user's rules and preferences
        are the end of the system prompt, as they are now. The SDK's session is the
        session, unless one is named.
        """
        if not self._hx.enabled:
            return own
        memory = AgentMemory(self._hx, user=user, session=session, budget=self._budget)
        standing = memory.standing()
        options = {
            **own,
            "hooks": _hooks(own.get("hooks") or {}, _HookLearning(memory)),
        }
        if standing:
            options["system_prompt"] = _longer(own.get("system_prompt"), standing)
        if with_tools:
            made = [_tool(memory, each) for each in memory.tools()]
            servers = own.get("mcp_servers") or {}
            options["mcp_servers"] = {
                **servers,
                _SERVER: create_sdk_mcp_server(_SERVER, tools=made),
            }
            options["allowed_tools"] = [
                *own.get("allowed_tools", ()),
                *(f"{_PREFIX}{each.name}" for each in made),
            ]
        return options


class _HookLearning:
    """The hooks of one client."""

    def __init__(self, memory: AgentMemory) -> None:
        self._memory = memory

    async def prompted(self, given: Any, _id: str | None, _context: Any) -> Any:
        """Context for a message."""
        latest = Latest(given["prompt"], 0, last=True)
        added = await self._memory.arecall(given, latest, session=given["session_id"])
        if not added.found:
            return {}
        return {
            "hookSpecificOutput": {
                "hookEventName": "UserPromptSubmit",
                "additionalContext": added.found,
            }
        }

    async def starting(self, given: Any, _id: str | None, _context: Any) -> Any:
        """A warning before a call that failed before in this very form."""
        name, call, session = (
            given["tool_name"],
            given["tool_use_id"],
            given["session_id"],
        )
        if name.startswith(_PREFIX):
            return {}
        text = await self._memory.awarn_before(
            given, name, given["tool_input"], id=call, session=session
        )
        return (
            {
                "hookSpecificOutput": {
                    "hookEventName": "PreToolUse",
                    "additionalContext": text,
                }
            }
            if text
            else {}
        )

    async def ended(self, given: Any, _id: str | None, _context: Any) -> Any:
        """Learn from a call that worked or failed, unless a person interrupted it; say
        what is known of a failure.
        """
        name, error = given["tool_name"], given.get("error")
        if given.get("is_interrupt") or name.startswith(_PREFIX):
            return {}
        result = given.get("tool_response")
        if isinstance(result, list):  # of an MCP tool
            result = "".join(each.get("text", "") for each in result)
        call = EndedCall(name, given["tool_input"], result, error, given["tool_use_id"])
        text = await self._memory.abeside(given, call, session=given["session_id"])
        if not text:
            return {}
        return {
            "hookSpecificOutput": {
                "hookEventName": given["hook_event_name"],
                "additionalContext": text,
            }
        }


def _hooks(own: dict[str, Any], learning: _HookLearning) -> dict[str, Any]:
    ours = {
        "UserPromptSubmit": learning.prompted,
        "PreToolUse": learning.starting,
        "PostToolUse": learning.ended,
        "PostToolUseFailure": learning.ended,
    }
    return {
        **own,
        **{
            event: [*own.get(event, ()), HookMatcher(hooks=[hook])]
            for event, hook in ours.items()
        },
    }


def _longer(prompt: Any, standing: str) -> dict[str, Any]:
    """A system prompt of any shape, with the standing context at its end; a session
    that goes on reads it again.
    """
    given = prompt if isinstance(prompt, dict) else {"type": "custom", "prompt": prompt}
    field = "append" if given["type"] == "preset" else "prompt"
    return {
        "snapshot": False,
        **given,
        field: "\n\n".join(filter(None, (given.get(field), standing))),
    }


def _tool(memory: AgentMemory, tool: Callable[..., Any]) -> SdkMcpTool[Any]:
    async def handle(given: dict[str, Any]) -> dict[str, Any]:
        with memory.serving(None):
            answer = await pool_of(memory.hx).run(partial(tool, **given))
        return {"content": [{"type": "text", "text": json.dumps(answer)}]}

    schema = TypeAdapter(cast("type[Any]", tool)).json_schema()  # of its arguments
    return SdkMcpTool(tool.__name__, tool.__doc__ or "", schema, handle)
