"""Hexad's own tools as ADK tools: each call works in the memory of the conversation
that makes it.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from google.adk.tools.function_tool import FunctionTool

from hexad.adapters.adk.context import SPEAKERS
from hexad.adapters.adk.request import text_of
from hexad.agent_tools import agent_tools, error_answer
from hexad.agents.agent import agent_tool_answer
from hexad.agents.conversation import Conversation, NamespaceRule, Speaker, per_user
from hexad.agents.threads import pool_of
from hexad.agents.warnings import TURN_WARNINGS, said_once
from hexad.errors import HexadError
from hexad.memory.troubles import trouble

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.adk.agents.readonly_context import ReadonlyContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types

    from hexad.facade import Hexad

SECONDS: Final = 60.0  # that a tool of ours may take; it waits at most `lock_timeout` for other writers


class OwnTool(FunctionTool):
    """A tool of ours: it records its own calls. Its description and schema are those of
    the function.
    """

    def __init__(
        self, hx: Hexad, tool: Callable[..., Any], rule: NamespaceRule
    ) -> None:
        super().__init__(tool)
        self._hx = hx
        self._rule = rule

    def _get_declaration(self) -> types.FunctionDeclaration | None:
        """A copy whose name toolsets may change. ADK copies all of it, which takes
        longer than finding context.
        """
        return self._declared.model_copy() if self._declared is not None else None

    @cached_property
    def _declared(self) -> types.FunctionDeclaration | None:
        return super()._get_declaration()

    async def process_llm_request(
        self, *, tool_context: ToolContext, llm_request: LlmRequest
    ) -> None:
        """Offer the tool, and note for a `ContextAwareModel` whose conversation the
        request belongs to.
        """
        SPEAKERS.put(llm_request, speaker_of(tool_context, self._rule))
        await super().process_llm_request(
            tool_context=tool_context, llm_request=llm_request
        )

    async def run_async(
        self, *, args: dict[str, Any], tool_context: ToolContext
    ) -> Any:
        """The tool's answer; an error is an answer too."""
        speaker = speaker_of(tool_context, self._rule)
        turn = speaker.conversation.turn
        try:
            own = speaker.scope(self._hx)
        except Exception as error:  # noqa: BLE001 - a rule of the user's own may fail
            what = f"{self.name} was not called"
            TURN_WARNINGS.warn(turn, what, [trouble(what, error)])
            return error_answer(
                "the namespace of this conversation could not be determined"
            )
        with said_once(turn):
            try:
                return await self._answer(own, args, tool_context)
            except HexadError as error:
                return error_answer(str(error))

    async def _answer(
        self, own: Hexad, args: dict[str, Any], tool_context: ToolContext
    ) -> Any:
        return await pool_of(own).run(
            partial(agent_tool_answer, self._hx, own, self.name, **args),
            seconds=SECONDS,
        )


def own_tools(hx: Hexad, rule: NamespaceRule = per_user) -> list[OwnTool]:
    """The agent tools as ADK tools; none where the engine is off."""
    return [OwnTool(hx, tool, rule) for tool in agent_tools(hx)] if hx.enabled else []


def speaker_of(context: ReadonlyContext, rule: NamespaceRule) -> Speaker:
    """Who speaks in ADK's context: its conversation, with the user's message."""
    session, said = context.session, text_of(context.user_content)
    return Speaker(
        Conversation(
            session.app_name, session.user_id, session.id, said, context.invocation_id
        ),
        rule,
    )
