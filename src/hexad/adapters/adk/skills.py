"""Active skills as ADK tools. The steps of a composite skill go through the agent's own
tools.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hexad.adapters.adk.tools import SECONDS, OwnTool, own_tools
from hexad.agent_tools import error_answer
from hexad.agents.conversation import NamespaceRule, call_scope, checked, per_user
from hexad.agents.threads import pool_of
from hexad.calls.scope import CallScope, recorded_under
from hexad.errors import HexadError
from hexad.memory.troubles import tell
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext

    from hexad.facade import Hexad

_REMEMBERED: Final = 256  # declarations


def adk_tools(hx: Hexad, *, namespace: NamespaceRule = per_user) -> list[BaseTool]:
    """The agent tools and the active skills of this engine as ADK tools; none where the
    engine is off.

    The agent tools save into and search the memory of the conversation that calls them,
    as ``namespace`` says, and search the engine's own too. Skills are those that are
    active now; `HexadPlugin` also offers those of each conversation's own memory, and
    those that become active later.
    """
    checked(namespace)
    if not hx.enabled:
        return []
    try:
        skills = SkillTools(hx, namespace).of(hx)
    except HexadError as error:  # an agent starts without its memory too
        tell("skills are not offered", error)
        skills = ()
    return [*own_tools(hx, namespace), *skills]


class SkillTools:
    """Makes tools of skills. ADK takes a millisecond to declare one, so unchanged
    skills are declared once.
    """

    def __init__(self, hx: Hexad, rule: NamespaceRule) -> None:
        self._hx = hx
        self._rule = rule
        self._made: Recent[tuple[str, ...], SkillTool] = Recent(_REMEMBERED)

    def of(self, own: Hexad) -> Sequence[SkillTool]:
        """The skills of a conversation, and of the engine itself where they have other
        names.
        """
        engines = [own] if own.namespace == self._hx.namespace else [self._hx, own]
        named = {
            skill.__name__: (skill, each)
            for each in engines
            for skill in each.skills.as_tools()
        }
        return [self._tool(skill, each) for skill, each in named.values()]

    def _tool(self, skill: Callable[..., Any], engine: Hexad) -> SkillTool:
        needs = ",".join(sorted(_needs(skill)))
        signature = (
            engine.namespace,
            skill.__name__,
            skill.__doc__ or "",
            str(inspect.signature(skill)),
            needs,
        )
        known = self._made.get(signature)
        if known is None:
            known = SkillTool(self._hx, skill, self._rule, engine.namespace)
            self._made.put(signature, known)
        return known


class SkillTool(OwnTool):
    """One skill. Which version runs is decided when it runs."""

    def __init__(
        self, hx: Hexad, skill: Callable[..., Any], rule: NamespaceRule, namespace: str
    ) -> None:
        super().__init__(hx, skill, rule)
        self._namespace = namespace
        self.needs = _needs(skill)

    async def _answer(
        self, own: Hexad, args: dict[str, Any], tool_context: ToolContext
    ) -> Any:
        """Run the skill from its namespace with the caller's tools; learnings go to the
        caller's memory.
        """
        engine = own.scoped(namespace=self._namespace)
        scope = call_scope(engine, own)
        if engine.own_retriever is not None:
            agent: Any = tool_context.get_invocation_context().agent
            theirs = [
                each
                for each in await agent.canonical_tools(tool_context)
                if not isinstance(each, OwnTool)
            ]
            callables = [
                _callable(each, tool_context, replace(scope, recorded_elsewhere=True))
                for each in theirs
            ]
            if missing := sorted(
                self.needs.difference(each.__name__ for each in callables)
            ):
                return error_answer(
                    f"{self.name} calls {', '.join(missing)}, which you do not have"
                )
            engine = engine.with_tool_registry(callables)
        listed = partial(engine.skills.as_tools, session=own.session, asynchronous=True)
        skills = await pool_of(engine).run(listed, seconds=SECONDS)
        skill = next((each for each in skills if each.__name__ == self.name), None)
        if skill is None:
            return error_answer(f"{self.name} is no longer an active skill")
        try:
            given = inspect.signature(skill).bind(**args)
        except TypeError as error:
            return error_answer(f"{self.name}: {error}")
        with recorded_under(scope):
            return {"status": "ok", "output": await skill(*given.args, **given.kwargs)}


def _needs(skill: Callable[..., Any]) -> frozenset[str]:
    return getattr(skill, "needs", frozenset())


def _callable(
    tool: BaseTool, context: ToolContext, scope: CallScope
) -> Callable[..., Any]:
    """A tool for a step. The skill's run records its calls, so a watch on it does not."""

    async def call(**args: Any) -> Any:
        if await tool.check_require_confirmation(args, context):
            raise PermissionError(
                f"{tool.name} needs a person's confirmation: call it by itself"
            )
        with recorded_under(scope):
            return await tool.run_async(args=args, tool_context=context)

    call.__name__, call.__doc__ = tool.name, tool.description
    return call
