"""The MCP server over one engine. How it is reached is decided elsewhere: `stdio.py`, `http.py`, or in process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from hexad.mcp.installed import check

check()

from mcp.server.mcpserver import MCPServer  # noqa: E402 - what is missing is told first
from mcp.server.mcpserver.exceptions import ResourceNotFoundError  # noqa: E402

from hexad._version import __version__  # noqa: E402
from hexad.errors import Disabled  # noqa: E402
from hexad.learning.calls.watching import name_of  # noqa: E402
from hexad.mcp.answers import refused, shown  # noqa: E402
from hexad.mcp.callers import Callers  # noqa: E402
from hexad.mcp.explaining import explained  # noqa: E402
from hexad.mcp.progress import BEAT  # noqa: E402
from hexad.mcp.resources import KINDS, add_prompt, add_resources, listed, refuse_prompt  # noqa: E402
from hexad.mcp.tools import Desk, tools_of  # noqa: E402
from hexad.memory.admission import key  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp.server.lowlevel.helper_types import ReadResourceContents
    from mcp.server.mcpserver import Context
    from mcp_types import CallToolResult, GetPromptResult, InputRequiredResult, Resource
    from pydantic.networks import AnyUrl

    from hexad.facade import Hexad

_INSTRUCTIONS: Final = (
    "Hexad is your memory. Before you answer a user's message, call get_context with it and read what comes back. "
    "When the user states a rule, a preference or a lasting fact, save_knowledge. When a tool of yours fails, call "
    "report_tool_result: it may know the fix; report the call that worked after it too. list_skills and run_skill give "
    "you procedures that a person has approved; propose new ones with create_skill."
)


class HexadServer(MCPServer[Any]):
    """The server; make one with `server_of`."""

    desk: Desk

    async def run_over(self, messages: Any, answers: Any) -> None:
        """Serve one client over streams of messages until they end."""
        engine = self._lowlevel_server
        await engine.run(messages, answers, engine.create_initialization_options())

    async def list_resources(self) -> list[Resource]:
        """The newest knowledge entries and active skills."""
        return await listed(self.desk)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """What a tool answers; one that is not there is answered with those that are."""
        known = [tool.name for tool in await self.list_tools()]
        if name not in known:
            named = f"there is no tool {shown(name)}" if name.strip() else "name is empty; name a tool"
            return refused(f"{named}; there are {', '.join(known)}")
        return await super().call_tool(name, arguments, context)

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """The prompt, or an error that says what was wrong with the request."""
        refuse_prompt(name, arguments or {})
        return await super().get_prompt(name, arguments, context)

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """A record; what can be none is answered with what can."""
        if not str(uri).startswith(tuple(kind.partition("{")[0] for kind in KINDS)):
            raise ResourceNotFoundError(f"there is no resource {shown(str(uri))}; there are {', '.join(KINDS)}")
        return await super().read_resource(uri, context)


def server_of(
    hx: Hexad,
    *,
    tools: Iterable[Callable[..., Any]] = (),
    beat: float = BEAT,
    now: Callable[[], float] = time.monotonic,
) -> HexadServer:
    """An MCP server over an engine that is on.

    ``tools`` are callables that the steps of composite skills may go through, besides the agent tools. A client
    that waits is told every ``beat`` seconds that work goes on. ``now`` counts the seconds after which a client over
    HTTP that keeps no session is taken for a new one.
    """
    if not hx.enabled:
        raise Disabled
    desk = Desk(hx, Callers(now), {key("tools", name_of(tool)): tool for tool in tools}, beat=beat)
    server = HexadServer(
        "hexad",
        title="Hexad",
        description="The context engine for AI agents: six layers of memory, the right few items for each message.",
        instructions=_INSTRUCTIONS,
        version=__version__,
        tools=tools_of(desk),
        log_level="ERROR",
        middleware=[explained],
    )
    server.desk = desk
    add_resources(server, desk)
    add_prompt(server, desk)
    return server
