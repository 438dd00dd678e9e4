"""`HexadPlugin`: one line gives an agent its context, its tools, and learning from what its other tools do."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools.base_tool import BaseTool

from hexad.adapters.adk.calls import failure_in, is_adks_own, long_running_call
from hexad.adapters.adk.context import BUDGET, Recall
from hexad.adapters.adk.conversation import (
    UNDER_WAY,
    Conversation,
    Known,
    Notes,
    caller_of,
    checked,
    opened_by_nobody,
    opening,
    per_user,
    scope_of,
)
from hexad.adapters.adk.model import ContextAwareModel
from hexad.adapters.adk.request import Placement
from hexad.adapters.adk.skills import SkillTools
from hexad.adapters.adk.tools import OwnTool, conversation_of, the_six
from hexad.adapters.adk.troubles import TROUBLES
from hexad.adapters.adk.worker import told, tried
from hexad.learning.call_scope import enter, leave
from hexad.learning.tool_objects import awaits_a_person, is_pending, is_under_way, watches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from google.adk.agents.callback_context import CallbackContext
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types

    from hexad.adapters.adk.conversation import NamespaceRule
    from hexad.facade import Hexad

_RECORDED: Final[Notes[frozenset[int]]] = Notes()  # calls that were written down, and in which stores
_PATIENCE: Final = 10.0  # seconds that an agent waits at most for a call to be written down


class HexadPlugin(BasePlugin):
    """Everything for an existing agent: ``App(name=…, root_agent=agent, plugins=[HexadPlugin(hx)])``.

    Put it first: a plugin before it that answers for a tool hides from it what the tool did. ``namespace`` says whose
    memory a conversation uses: `per_user`, `per_app`, `shared`, or a function of your own. ``tools=False`` leaves the
    agent's tools as they are.
    """

    def __init__(
        self,
        hx: Hexad,
        *,
        name: str = "hexad",
        placement: str = Placement.SYSTEM,
        budget: int = BUDGET,
        namespace: NamespaceRule = per_user,
        tools: bool = True,
    ) -> None:
        super().__init__(name=name)
        self._hx = hx
        self._rule = checked(namespace)
        self._recall = Recall.of(hx, placement, budget)
        self._six: Sequence[OwnTool] = the_six(hx, namespace) if tools else ()
        self._skills = SkillTools(hx, namespace) if tools else None

    async def before_agent_callback(self, *, agent: Any, callback_context: CallbackContext) -> None:
        """Tell a wrapped model whose live connection it is about to open."""
        invocation = callback_context.get_invocation_context()
        model = getattr(agent, "canonical_live_model", None) if invocation.live_request_queue is not None else None
        if self._hx.enabled and isinstance(model, ContextAwareModel):
            opening(invocation.session, model, Known(conversation_of(callback_context), self._rule))

    async def after_agent_callback(self, *, agent: Any, callback_context: CallbackContext) -> None:
        """The agent is done, and so is what was told of it."""
        opened_by_nobody()

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Add tools and context to the request, or leave the context to a model that is wrapped already."""
        if not self._hx.enabled:
            return
        try:
            await self._prepare(callback_context, llm_request)
        except Exception as error:  # noqa: BLE001 - a failure of ours is not the agent's
            turn = conversation_of(callback_context).turn
            TROUBLES.warn(turn, "a request goes to the model as it is", told(error))

    async def _prepare(self, context: CallbackContext, request: LlmRequest) -> None:
        known, reasons = Known(conversation_of(context), self._rule), list[str]()
        UNDER_WAY.put(request, known)
        await self._offer_tools(request, known.conversation, reasons)
        if _is_wrapped(context, self._hx):
            self._recall.warn(reasons, known, known.conversation.message)
            return
        served = await self._recall.augmented(request, reasons=reasons)
        request.contents, request.config = served.contents, self._recall.marked(served.config)

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> None:
        """Let a watch on the tool, or on what it calls, write into the memory of the conversation that calls it."""
        if not self._hx.enabled:
            return
        with suppress(Exception):  # a rule of the user's own may fail; `_observe` tells of it
            enter(caller_of(self._hx, scope_of(self._hx, conversation_of(tool_context), self._rule)))

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> None:
        """Learn from a result, unless it only stands for an error that was learned from already."""
        leave()
        undecided = is_pending(tool, result) or awaits_a_person(tool_context)
        if not undecided and self._is_mine(tool) and self._is_first_at(tool_context):
            await self._observe(conversation_of(tool_context), tool=tool.name, args=tool_args, result=result)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> None:
        """Learn from an error; a cancellation says nothing about the tool."""
        leave()
        if isinstance(error, asyncio.CancelledError) or type(tool) is BaseTool or not self._is_mine(tool):
            return  # a bare BaseTool stands for a name that the model made up
        if self._is_first_at(tool_context):
            await self._observe(conversation_of(tool_context), tool=tool.name, args=tool_args, error=error)

    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> None:
        """Learn from what came of long-running tools: their results come back as messages."""
        if not self._hx.enabled:
            return
        session = invocation_context.session
        invocation = invocation_context.invocation_id
        whose = Conversation(session.app_name, session.user_id, session.id, invocation=invocation)
        for part in user_message.parts or ():
            answer = part.function_response
            call = long_running_call(session.events, answer.id) if answer is not None else None
            if answer is None or call is None or is_adks_own(call.name or "") or is_under_way(answer.response):
                continue
            if self._is_first_at(answer):
                await self._observe(whose, tool=call.name or "", args=call.args or {}, result=answer.response)

    async def _offer_tools(self, request: LlmRequest, whose: Conversation, reasons: list[str]) -> None:
        """Add our tools and the conversation's skills, where function tools may stand beside what the request has."""
        config = request.config
        built_in = any(not getattr(tool, "function_declarations", None) for tool in config.tools or ())
        if self._skills is None or built_in or config.response_schema is not None:
            return
        own = scope_of(self._hx, whose, self._rule)
        seconds = self._hx.settings.layer_deadline
        skills = await tried(own, partial(self._skills.of, own), seconds=seconds, reasons=reasons)
        has = frozenset(name for name, tool in request.tools_dict.items() if not isinstance(tool, OwnTool))
        offered = [*self._six, *(skill for skill in skills or () if skill.needs <= has)]
        request.append_tools([tool for tool in offered if tool.name not in request.tools_dict])

    def _is_mine(self, tool: BaseTool) -> bool:
        """Whether its calls are to be written down here: it is neither ours, nor ADK's own, nor watched."""
        others = isinstance(tool, OwnTool) or is_adks_own(tool.name) or watches(tool, self._hx.store)
        return self._hx.enabled and not others

    def _is_first_at(self, call: object) -> bool:
        """Whether this call is not in the engine's record yet: its error is, or another plugin was first."""
        store, known = id(self._hx.store), _RECORDED.of(call) or frozenset()
        _RECORDED.put(call, known | {store})
        return store not in known

    async def _observe(self, whose: Conversation, *, tool: str, **call: Any) -> None:
        """Write a call down. A store that is locked is waited for once in a turn, and one warning tells of it."""
        what, reasons = f"a call of {tool} may be missing from the record", list[str]()
        patience = 0.0 if TROUBLES.met_a_lock(whose.turn) else None
        try:
            own = scope_of(self._hx, whose, self._rule)
            work = partial(own.observe, tool=tool, failure=failure_in, patience=patience, **call)
            await tried(own, work, seconds=_PATIENCE, reasons=reasons)
        except Exception as error:  # noqa: BLE001 - a rule of the user's own may fail
            reasons.append(told(error))
        if reasons:
            TROUBLES.warn(whose.turn, what, reasons[0].removeprefix(f"a call of {tool} was not recorded: "))


def _is_wrapped(context: CallbackContext, hx: Hexad) -> bool:
    """Whether the model looks after its context by itself, with a placement and budget of its own."""
    model = getattr(context.get_invocation_context().agent, "canonical_model", None)
    return isinstance(model, ContextAwareModel) and model.serves(hx)
