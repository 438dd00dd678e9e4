"""Microsoft Agent Framework: `HexadProvider` gives an agent its context, the agent
tools, and learning from its tools.

::

    Agent(client=client, context_providers=[HexadProvider(hx, user="dana")])

What is known of a tool's arguments stands behind its description, in the request alone,
with clients that have chat middleware; what is known of a failure behind the text that
a tool returns. An exception goes on as it is.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from hexad.extras import require_extra

require_extra("agent-framework", "the Agent Framework adapter", "agent_framework")

from agent_framework import (  # noqa: E402
    ChatMiddleware,
    Content,
    ContextProvider,
    FunctionMiddleware,
    FunctionTool,
    Message,
    MiddlewareTermination,
    tool,
)
from agent_framework.exceptions import UserInputRequiredException  # noqa: E402

from hexad.agents.agent import AgentMemory, EndedCall, Named  # noqa: E402
from hexad.agents.context import BUDGET, Latest  # noqa: E402
from hexad.agents.transcripts import described  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from agent_framework import (
        AgentSession,
        ChatContext,
        FunctionInvocationContext,
        SessionContext,
    )

    from hexad.facade import Hexad

_CONTROL_FLOW: Final = (MiddlewareTermination, UserInputRequiredException)


class HexadProvider(ContextProvider):
    """Everything for an agent; ``tools=False`` leaves its tools as they are.

    ``user`` says whose memory it is: a name, or a function of the agent's session, such
    as ``lambda session: session.state["user"]``. The session's id is the session,
    unless ``session`` says otherwise.
    """

    def __init__(
        self,
        hx: Hexad,
        *,
        user: Named = "",
        session: Named = "",
        budget: int = BUDGET,
        tools: bool = True,
    ) -> None:
        super().__init__("hexad")
        self._memory = AgentMemory(hx, user=user, session=session, budget=budget)
        self._tools = [tool(each) for each in self._memory.tools()] if tools else []

    async def before_run(
        self,
        *,
        agent: Any,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        """Add context, tools and learning to a run; nothing of it is stored in the
        session.
        """
        if not self._memory.hx.enabled:
            return
        said = [
            each.text
            for each in context.input_messages
            if each.role == "user" and each.text
        ]
        latest = (
            Latest(said[-1], 0, last=True) if said else None
        )  # each run looks its context up once
        added = await self._memory.arecall(session, latest, session=session.session_id)
        if added.found:
            context.extend_messages(self, [Message("user", [added.found])])
        if added.standing:
            context.extend_instructions(self.source_id, added.standing)
        context.extend_tools(self.source_id, self._tools)
        context.extend_middleware(self.source_id, _Learning(self._memory, session))
        context.extend_middleware(self.source_id, _Noting(self._memory, session))


class _Learning(FunctionMiddleware):
    """Records the calls of one run."""

    def __init__(self, memory: AgentMemory, session: AgentSession) -> None:
        self._memory, self._session = memory, session

    async def process(
        self,
        context: FunctionInvocationContext,
        call_next: Callable[[], Awaitable[None]],
    ) -> None:
        """Call the tool; learn from its result or its exception."""

        def ended(_nothing: None, error: Exception | None) -> EndedCall | None:
            result = context.result if error is None else None
            if isinstance(
                result, list
            ):  # contents: what a tool without a parser returned stays as it is
                result = "".join(getattr(each, "text", None) or "" for each in result)
            call = EndedCall(context.function.name, context.arguments, result, error)
            return None if isinstance(error, _CONTROL_FLOW) else call

        def beside(_nothing: None, text: str) -> None:
            if isinstance(context.result, list):
                context.result = [*context.result, Content.from_text(text)]
            elif isinstance(context.result, str):
                context.result = f"{context.result}\n{text}"

        session = self._session.session_id
        await self._memory.recorded(
            self._session, call_next, ended, session=session, beside=beside
        )


class _Noting(ChatMiddleware):
    """Describes the tools of a request with what is known of their arguments."""

    def __init__(self, memory: AgentMemory, session: AgentSession) -> None:
        self._memory, self._session = memory, session

    async def process(
        self, context: ChatContext, call_next: Callable[[], Awaitable[None]]
    ) -> None:
        """Put notes on copies of the tools, which the request alone holds."""
        tools = [
            each
            for each in (context.options or {}).get("tools") or ()
            if isinstance(each, FunctionTool)
        ]
        names = [each.name for each in tools]
        notes = await self._memory.anotes(
            self._session, names, session=self._session.session_id
        )
        if notes and context.options:
            offered = [_noted(each, notes) for each in context.options["tools"]]
            context.options = {**context.options, "tools": offered}
        await call_next()


def _noted(offered: Any, notes: Mapping[str, str]) -> Any:
    note = notes.get(offered.name) if isinstance(offered, FunctionTool) else None
    if not note:
        return offered
    noted = copy.copy(offered)
    noted.description = described(offered.description, note)
    return noted
