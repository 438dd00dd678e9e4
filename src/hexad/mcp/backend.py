"""What requests work with: the engine in their session, its tools, and the threads for each kind of work."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from hexad import agent_tools
from hexad.edges.threads import Pool
from hexad.mcp import context_tools
from hexad.mcp.answers import sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mcp.server.mcpserver import Context

    from hexad.facade import Hexad
    from hexad.mcp.sessions import ClientSessions

_TOOLS: Final = len(agent_tools.NAMES) + len(context_tools.NAMES)
# Neither skills nor writers that wait for a lock keep questions waiting: each kind of work has threads of its own.
READING: Final = Pool(8)
SEARCHING: Final = Pool(8)  # reads, and records that it was asked, which waits a little for a lock
WRITING: Final = Pool(4)
RUNNING: Final = Pool(4)  # skills


@dataclass(frozen=True, slots=True)
class Backend:
    """One engine and its client sessions; ``callables`` are for the steps of skills, ``beat`` is in seconds."""

    hx: Hexad
    sessions: ClientSessions
    callables: Mapping[str, Callable[..., Any]]
    beat: float

    def engine(self, context: Context[Any, Any]) -> Hexad:
        """The engine in the session of a request."""
        return self.sessions.of(context).scope(self.hx, tools=_TOOLS)

    def agent_tools(self, context: Context[Any, Any]) -> dict[str, Callable[..., Any]]:
        """The agent tools in the session of a request."""
        session = self.sessions.of(context)
        own = session.scope(self.hx, tools=_TOOLS)
        describe = functools.partial(sentence, renewal=session.renewal)
        return dict(zip(agent_tools.NAMES, agent_tools.agent_tools(own, describe=describe), strict=True))

    def skill_tools(self, context: Context[Any, Any]) -> dict[str, Callable[..., Any]]:
        """The callables for the steps of skills."""
        return {**self.agent_tools(context), **self.callables}
