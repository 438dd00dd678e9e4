"""The engine and the tools in the session of a request, and the threads for each kind
of work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hexad import agent_tools
from hexad.agents.threads import ThreadPool
from hexad.mcp import CONTEXT_TOOLS, context_tools
from hexad.mcp.answers import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp.server.mcpserver import Context

    from hexad.facade import Hexad
    from hexad.mcp.sessions import ClientSessions
    from hexad.skills.waiting import Halt

_TOOLS: Final = len(agent_tools.NAMES) + len(CONTEXT_TOOLS)
# Neither skills nor writers that wait for a lock keep questions waiting: each kind of
# work has threads of its own.
READING: Final = ThreadPool(8)
SEARCHING: Final = ThreadPool(
    8
)  # reads, and records that it was asked, which waits a little for a lock
WRITING: Final = ThreadPool(4)
RUNNING: Final = ThreadPool(4)  # skills


@dataclass(frozen=True, slots=True)
class Backend:
    """One engine and its client sessions; ``callables`` are for the steps of skills,
    ``beat`` is in seconds.
    """

    hx: Hexad
    sessions: ClientSessions
    callables: Mapping[str, Callable[..., Any]]
    beat: float

    def engine(self, context: Context[Any, Any]) -> Hexad:
        """The engine in the session of a request."""
        return self.sessions.of(context).scope(self.hx, tools=_TOOLS)

    def tool(
        self, name: str, context: Context[Any, Any], halt: Halt
    ) -> Callable[..., dict[str, Any]]:
        """A tool in the session of a request."""
        if name in agent_tools.NAMES:
            return self._agent_tools(context)[name]
        steps = (
            {**self._agent_tools(context), **self.callables}
            if name == "run_skill"
            else {}
        )
        tools = context_tools.ContextTools(self.engine(context), steps, halt)
        tool: Callable[..., dict[str, Any]] = getattr(tools, name)
        return tool

    def _agent_tools(self, context: Context[Any, Any]) -> dict[str, Callable[..., Any]]:
        tools = agent_tools.agent_tools(self.engine(context), describe=sentence)
        return dict(zip(agent_tools.NAMES, tools, strict=True))
