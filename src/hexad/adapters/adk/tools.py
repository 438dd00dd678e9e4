"""Hexad's own tools as ADK tools: each call works in the memory of the conversation that makes it."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from google.adk.tools.function_tool import FunctionTool

from hexad.adapters.adk.conversation import UNDER_WAY, Conversation, Known, per_user, scope_of
from hexad.adapters.adk.request import text_of
from hexad.adapters.adk.worker import WORKER
from hexad.agent_tools import agent_tools
from hexad.errors import HexadError

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext

    from hexad.adapters.adk.conversation import NamespaceRule
    from hexad.bootstrap import Hexad

_SECONDS = 60.0  # that a tool of ours may take; it waits at most `lock_timeout` for other writers


def adk_tools(hx: Hexad, *, namespace: NamespaceRule = per_user) -> list[BaseTool]:
    """The agent tools as ADK tools; none where the engine is off.

    They save into and search the memory of the conversation that calls them, as ``namespace`` says, and search the
    engine's own too.
    """
    return [HexadTool(hx, tool, namespace) for tool in agent_tools(hx)] if hx.enabled else []


class HexadTool(FunctionTool):
    """One of Hexad's tools. Its description and schema are those of the function."""

    def __init__(self, hx: Hexad, tool: Callable[..., Any], rule: NamespaceRule) -> None:
        super().__init__(tool)
        self._hx = hx
        self._rule = rule

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        """Offer the tool, and tell a `ContextAwareModel` whose conversation it serves."""
        UNDER_WAY.put(llm_request, Known(conversation_of(tool_context), self._rule))
        await super().process_llm_request(tool_context=tool_context, llm_request=llm_request)

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        """What the tool answers, in the conversation's own memory; an error is an answer too."""
        try:
            own = scope_of(self._hx, conversation_of(tool_context), self._rule)
            work = functools.partial(self._called, own, args)
            return await WORKER.run(own, work, seconds=_SECONDS)
        except HexadError as error:
            return {"status": "error", "error": str(error)}

    def _called(self, own: Hexad, args: dict[str, Any]) -> Any:
        house = self._hx if own.namespace != self._hx.namespace else None
        tools = {tool.__name__: tool for tool in agent_tools(own, house=house)}
        return tools[self.func.__name__](**args)


def conversation_of(context: ReadonlyContext) -> Conversation:
    """The conversation that ADK's context belongs to, with what its user said."""
    session = context.session
    return Conversation(session.app_name, session.user_id, session.id, text_of(context.user_content))
