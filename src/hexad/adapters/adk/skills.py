"""Active skills as ADK tools. The steps of a composite skill go through the agent's own tools."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from google.adk.tools.base_toolset import BaseToolset

from hexad.adapters.adk.conversation import caller_of, checked, per_user
from hexad.adapters.adk.tools import SECONDS, OwnTool, the_six
from hexad.adapters.adk.worker import LOG, WORKER
from hexad.context.retriever import ContextRetriever
from hexad.errors import HexadError
from hexad.learning.call_scope import recorded_under

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from google.adk.models.llm_request import LlmRequest
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext

    from hexad.adapters.adk.conversation import NamespaceRule
    from hexad.facade import Hexad
    from hexad.learning.call_scope import CallScope

_MOST_KEPT: Final = 256  # skills whose declarations are remembered


def adk_tools(hx: Hexad, *, namespace: NamespaceRule = per_user) -> list[BaseTool]:
    """The agent tools and the active skills of this engine as ADK tools; none where the engine is off.

    The agent tools save into and search the memory of the conversation that calls them, as ``namespace`` says, and
    search the engine's own too. Skills are those that are active now; `HexadPlugin` also offers those of each
    conversation's own memory, and those that become active later.
    """
    checked(namespace)
    if not hx.enabled:
        return []
    try:
        skills = SkillTools(hx, namespace).of(hx)
    except HexadError as error:  # an agent starts, whatever its memory does
        LOG.warning("skills are not offered: %s", error)
        skills = ()
    return [*the_six(hx, namespace), *skills]


class SkillTools:
    """Makes tools of skills. ADK takes a millisecond to declare one, so what did not change is made once."""

    def __init__(self, hx: Hexad, rule: NamespaceRule) -> None:
        self._hx = hx
        self._rule = rule
        self._made: OrderedDict[tuple[str, ...], SkillTool] = OrderedDict()

    def of(self, own: Hexad) -> Sequence[SkillTool]:
        """The skills of a conversation, and of the engine itself where they have other names."""
        engines = [own] if own.namespace == self._hx.namespace else [self._hx, own]
        named = {skill.__name__: (skill, each) for each in engines for skill in each.skills.as_tools()}
        return [self._tool(skill, each) for skill, each in named.values()]

    def _tool(self, skill: Callable[..., Any], engine: Hexad) -> SkillTool:
        needs = ",".join(sorted(_needs(skill)))
        told = (engine.namespace, skill.__name__, skill.__doc__ or "", str(inspect.signature(skill)), needs)
        known = self._made.get(told)
        if known is None:
            known = self._made[told] = SkillTool(self._hx, skill, self._rule, engine.namespace)
            while len(self._made) > _MOST_KEPT:
                self._made.popitem(last=False)
        return known


class SkillTool(OwnTool):
    """One skill. Which version runs is decided when it runs."""

    def __init__(self, hx: Hexad, skill: Callable[..., Any], rule: NamespaceRule, namespace: str) -> None:
        super().__init__(hx, skill, rule)
        self._namespace = namespace
        self.needs = _needs(skill)

    async def process_llm_request(self, *, tool_context: ToolContext, llm_request: LlmRequest) -> None:
        """Offer it to an agent that has the tools of its steps, as far as that can be seen without asking anybody."""
        known = _names(tool_context)
        if known is None or self.needs <= known:
            await super().process_llm_request(tool_context=tool_context, llm_request=llm_request)

    async def _answer(self, own: Hexad, args: dict[str, Any], tool_context: ToolContext) -> Any:
        """The skill is whose it is; its steps are the caller's, and what they teach is kept there."""
        engine = own.scoped(namespace=self._namespace)
        caller = caller_of(engine, own)
        if isinstance(engine.retriever, ContextRetriever):
            callables = await _callables(tool_context, replace(caller, recorded_elsewhere=True))
            if missing := sorted(self.needs.difference(each.__name__ for each in callables)):
                return {"status": "error", "error": f"{self.name} calls {', '.join(missing)}, which you do not have"}
            engine = engine.with_tool_registry(callables)
        listed = partial(engine.skills.as_tools, session=own.session, asynchronous=True)
        skills = await WORKER.run(engine, listed, seconds=SECONDS)
        skill = next((each for each in skills if each.__name__ == self.name), None)
        if skill is None:
            return {"status": "error", "error": f"{self.name} is no longer an active skill"}
        try:
            given = inspect.signature(skill).bind(**args)
        except TypeError as error:
            return {"status": "error", "error": f"{self.name}: {error}"}
        with recorded_under(caller):
            return {"status": "ok", "output": await skill(*given.args, **given.kwargs)}


def _needs(skill: Callable[..., Any]) -> frozenset[str]:
    return getattr(skill, "needs", frozenset())


def _names(context: ToolContext) -> frozenset[str] | None:
    """The tools of the agent that asks; None where a toolset would have to be asked for its own."""
    tools = getattr(context.get_invocation_context().agent, "tools", ())
    if any(isinstance(tool, BaseToolset) for tool in tools):
        return None
    return frozenset(str(getattr(tool, "name", None) or getattr(tool, "__name__", "")) for tool in tools)


async def _callables(context: ToolContext, told: CallScope) -> list[Callable[..., Any]]:
    """The tools of the agent that calls, but ours, as coroutine functions."""
    agent: Any = context.get_invocation_context().agent
    tools = await agent.canonical_tools(context)
    return [_callable(tool, context, told) for tool in tools if not isinstance(tool, OwnTool)]


def _callable(tool: BaseTool, context: ToolContext, told: CallScope) -> Callable[..., Any]:
    """A tool for a step. The skill's run writes its calls down, so a watch on it does not."""

    async def call(**args: Any) -> Any:
        if await tool.check_require_confirmation(args, context):
            raise PermissionError(f"{tool.name} needs a person's word: call it by itself")
        with recorded_under(told):
            return await tool.run_async(args=args, tool_context=context)

    call.__name__, call.__doc__ = tool.name, tool.description
    return call
