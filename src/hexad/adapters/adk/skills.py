"""Active skills as ADK tools. The steps of a composite skill go through the agent's own tools."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from hexad.adapters.adk.conversation import checked, per_user
from hexad.adapters.adk.tools import OwnTool, the_six
from hexad.adapters.adk.worker import LOG
from hexad.context.retriever import ContextRetriever
from hexad.errors import HexadError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext

    from hexad.adapters.adk.conversation import NamespaceRule
    from hexad.bootstrap import Hexad

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
        told = (engine.namespace, skill.__name__, skill.__doc__ or "", str(inspect.signature(skill)))
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

    async def _answer(self, own: Hexad, args: dict[str, Any], tool_context: ToolContext) -> Any:
        engine = own.scoped(namespace=self._namespace)
        if isinstance(engine.retriever, ContextRetriever):
            engine = engine.with_tool_registry(await _callables(tool_context))
        skills = engine.skills.as_tools(session=own.session, asynchronous=True)
        skill = next((each for each in skills if each.__name__ == self.name), None)
        if skill is None:
            return {"status": "error", "error": f"{self.name} is no longer an active skill"}
        try:
            given = inspect.signature(skill).bind(**args)
        except TypeError as error:
            return {"status": "error", "error": f"{self.name}: {error}"}
        return {"status": "ok", "output": await skill(*given.args, **given.kwargs)}


async def _callables(context: ToolContext) -> list[Callable[..., Any]]:
    """The tools of the agent that calls, but ours, as coroutine functions."""
    agent: Any = context.get_invocation_context().agent
    return [_callable(tool, context) for tool in await agent.canonical_tools(context) if not isinstance(tool, OwnTool)]


def _callable(tool: BaseTool, context: ToolContext) -> Callable[..., Any]:
    async def call(**args: Any) -> Any:
        if await tool.check_require_confirmation(args, context):
            raise PermissionError(f"{tool.name} needs a person's word: call it by itself")
        return await tool.run_async(args=args, tool_context=context)

    call.__name__, call.__doc__ = tool.name, tool.description
    return call
