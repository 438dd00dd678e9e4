"""`HexadPlugin`: one line gives an agent its context, its tools, and learning from what
its other tools do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool

from hexad.adapters.adk.context import SPEAKERS, Recall, warn_unserved
from hexad.adapters.adk.model import ContextAwareModel
from hexad.adapters.adk.request import ContextPlace
from hexad.adapters.adk.skills import SkillTools
from hexad.adapters.adk.tools import OwnTool, own_tools, speaker_of
from hexad.adapters.adk_shape import is_outcome
from hexad.agents.agent import EndedCall, TurnJob, soon
from hexad.agents.context import BUDGET
from hexad.agents.conversation import NamespaceRule, call_scope, checked, per_user
from hexad.calls.scope import enter, leave
from hexad.learning.tool_objects import watches

if TYPE_CHECKING:
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.tool_context import ToolContext

    from hexad.agents.conversation import Speaker
    from hexad.facade import Hexad

_ADKS_OWN: Final = frozenset(
    {"transfer_to_agent", "set_model_response"}
)  # calls that ADK uses for itself
_ADKS_PREFIX: Final = (
    "adk_"  # adk_request_confirmation, adk_request_credential, adk_request_input
)
_REFLECTED: Final = "ERROR_HANDLED_BY_REFLECT_AND_RETRY_PLUGIN"  # ADK's retry plugin, on behalf of a tool that failed


class HexadPlugin(BasePlugin):
    """Everything for an existing agent: ``App(name=…, root_agent=agent,
    plugins=[HexadPlugin(hx)])``.

    Put it first: a plugin before it that answers for a tool hides the tool's own
    result. Found context stands in front of the user's message; ``placement="system"``
    moves it into the instruction. ``namespace`` says whose memory a conversation uses:
    `per_user`, `per_app`, `shared`, or a function of your own. ``tools=False`` leaves
    the agent's tools as they are.
    """

    def __init__(
        self,
        hx: Hexad,
        *,
        name: str = "hexad",
        placement: str = ContextPlace.USER_TURN,
        budget: int = BUDGET,
        namespace: NamespaceRule = per_user,
        tools: bool = True,
    ) -> None:
        super().__init__(name=name)
        self._hx = hx
        self._rule = checked(namespace)
        self._recall = Recall(hx, placement, budget)
        self._tools: Sequence[OwnTool] = own_tools(hx, namespace) if tools else ()
        self._skills = SkillTools(hx, namespace) if tools else None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> None:
        """Add tools and context to the request, or leave the context to a model that is
        wrapped already.
        """
        if not self._hx.enabled:
            return
        speaker = speaker_of(callback_context, self._rule)
        SPEAKERS.put(llm_request, speaker)
        try:
            await self._offer_tools(llm_request, speaker)
            model = getattr(
                callback_context.get_invocation_context().agent, "canonical_model", None
            )
            if not isinstance(model, ContextAwareModel) or not model.serves(self._hx):
                served = await self._recall.augmented(llm_request)
                llm_request.contents, llm_request.config = (
                    served.contents,
                    served.config,
                )
        except Exception as error:  # noqa: BLE001 - a failure of ours is not the agent's
            warn_unserved(speaker, error)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """Let a watch on the tool, or on a function that it calls, record into the
        memory of this conversation.
        """
        if not self._hx.enabled:
            return
        with suppress(
            Exception
        ):  # a rule of the user's own may fail, and is warned of when the call ends
            enter(
                call_scope(
                    self._hx, speaker_of(tool_context, self._rule).scope(self._hx)
                )
            )

    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        result: Any,
    ) -> None:
        """Learn from a result, unless it only stands for an error that was recorded
        already.
        """
        leave()
        if is_outcome(tool, tool_context, result) and self._records(tool):
            call = EndedCall(
                tool.name,
                tool_args,
                result,
                _reflected_failure(result),
                _id(tool_context),
            )
            await self._recall.learn(speaker_of(tool_context, self._rule), call)

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],
        tool_context: ToolContext,
        error: BaseException,
    ) -> None:
        """Learn from an error; a cancellation says nothing about the tool."""
        leave()
        if (
            isinstance(error, asyncio.CancelledError)
            or type(tool) is BaseTool
            or not self._records(tool)
        ):
            return  # a bare BaseTool stands for a name that the model made up
        call = EndedCall(tool.name, tool_args, error=error, id=_id(tool_context))
        await self._recall.memory.alearn(speaker_of(tool_context, self._rule), call)

    async def _offer_tools(self, request: LlmRequest, speaker: Speaker) -> None:
        """Add our tools and the conversation's skills, if function tools may stand
        beside the request's own.
        """
        config = request.config
        built_in = any(
            not getattr(tool, "function_declarations", None)
            for tool in config.tools or ()
        )
        if self._skills is None or built_in or config.response_schema is not None:
            return
        own = speaker.scope(self._hx)
        seconds, work = self._hx.settings.layer_deadline, partial(self._skills.of, own)
        skills = await soon(
            own,
            TurnJob(speaker.conversation.turn, "skills are not offered", seconds, work),
        )
        has = frozenset(
            name
            for name, tool in request.tools_dict.items()
            if not isinstance(tool, OwnTool)
        )
        offered = [
            *self._tools,
            *(skill for skill in skills or () if skill.needs <= has),
        ]
        request.append_tools(
            [tool for tool in offered if tool.name not in request.tools_dict]
        )

    def _records(self, tool: BaseTool) -> bool:
        """Whether the plugin records the calls of a tool: it is neither ours, nor ADK's
        own, nor watched.
        """
        adks_own = tool.name in _ADKS_OWN or tool.name.startswith(_ADKS_PREFIX)
        return self._hx.enabled and not (
            isinstance(tool, OwnTool) or adks_own or watches(tool, self._hx.store)
        )


def _id(context: ToolContext) -> str:
    """The id of a call: ADK reports an error that a plugin handles again, as a result."""
    return (
        f"{context.invocation_id} {context.function_call_id}"
        if context.function_call_id
        else ""
    )


def _reflected_failure(result: object) -> str | None:
    """The failure that ADK's `ReflectAndRetryToolPlugin` reports for a tool, if the
    result is such a report.

    >>> _reflected_failure({"response_type": _REFLECTED, "error_type": "ValueError", "error_details": "no such day"})
    'ValueError: no such day'
    """
    if not isinstance(result, Mapping) or result.get("response_type") != _REFLECTED:
        return None
    parts = (str(result.get(name) or "") for name in ("error_type", "error_details"))
    return ": ".join(filter(None, parts)) or "failed"
