"""The MCP server over one engine. `stdio.py` and `http.py` serve it."""

from __future__ import annotations

import json
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hexad.mcp import DONE_BY_HOOKS, HOOK_TOOL, REPORTING, require_sdk

require_sdk()

from mcp.server.mcpserver import Context, MCPServer  # noqa: E402 - a missing package is reported first

from hexad._version import __version__  # noqa: E402
from hexad.calls.signature import name_of  # noqa: E402
from hexad.errors import Disabled  # noqa: E402
from hexad.mcp.answers import explain_errors, result_of  # noqa: E402
from hexad.mcp.backend import READING, Backend  # noqa: E402
from hexad.mcp.coding.hooks import Hooks  # noqa: E402
from hexad.mcp.resources import add_resources, listed  # noqa: E402
from hexad.mcp.sessions import ClientSessions  # noqa: E402
from hexad.mcp.tools import BEAT, tools_of  # noqa: E402
from hexad.memory.admission import key  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mcp_types import Resource
    from mcp_types import Tool as MCPTool

    from hexad.facade import Hexad

_ASKING: Final = (
    "Before you answer a user's message, call get_context with it and read what comes back. ",
    "When a tool of yours fails, call report_tool_result, which may know the fix; report what worked after it too. ",
)
_HOOKED: Final = (
    "It adds what it knows to each message, and learns from your tool calls, by itself. ",
    "",
)
_INSTRUCTIONS: Final = (
    "Hexad is your memory. {}When the user states a rule, a preference or a lasting fact, save_knowledge; if it has "
    "changed, update_knowledge; to forget it, delete_knowledge; if it applies always, pin_knowledge. Changes to what "
    "the user said themselves are proposals: tell them the command in the answer. {}list_skills and run_skill give you "
    "procedures that a person has approved; propose new ones with create_skill."
)


class HexadServer(MCPServer[Any]):
    """The server; make one with `server_of`."""

    backend: Backend
    hooks: Hooks | None = None
    hidden: Sequence[str] = ()

    async def list_tools(self) -> list[MCPTool]:
        """The tools for a model. Where hooks do the work, it need not ask for context
        nor report results.
        """
        return [
            each for each in await super().list_tools() if each.name not in self.hidden
        ]

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any],
        context: Context[Any, Any] | None = None,
    ) -> Any:
        """A tool's answer. The one for hooks is listed to nobody, so no model sees it."""
        if self.hooks is None or name != HOOK_TOOL:
            return await super().call_tool(name, arguments, context)
        return result_of(
            {
                "texts": [
                    json.dumps(await READING.run(partial(self.hooks.answer, arguments)))
                ]
            }
        )

    async def run_over(self, messages: Any, answers: Any) -> None:
        """Serve one client over streams of messages until they end."""
        engine = self._lowlevel_server
        await engine.run(messages, answers, engine.create_initialization_options())

    async def list_resources(self) -> list[Resource]:
        """The newest knowledge entries and active skills."""
        return await READING.run(partial(listed, self.backend.hx))


def server_of(
    hx: Hexad,
    *,
    tools: Iterable[Callable[..., Any]] = (),
    hooks: bool = False,
    reports: bool = True,
    beat: float = BEAT,
    now: Callable[[], float] = time.monotonic,
) -> HexadServer:
    """An MCP server over an engine that is on.

    ``tools`` are callables that the steps of composite skills may call, besides the
    agent tools. With ``hooks`` it answers the hooks of a coding agent, which then need
    not ask for context nor report results; without ``reports`` it only need not report.
    A client that waits gets a progress report every ``beat`` seconds. ``now`` is the
    clock by which sessions over HTTP expire.
    """
    if not hx.enabled:
        raise Disabled
    backend = Backend(
        hx,
        ClientSessions(now),
        {key("tools", name_of(tool)): tool for tool in tools},
        beat,
    )
    server = HexadServer(
        "hexad",
        title="Hexad",
        description="The context engine for AI agents: six layers of memory, the right few items for each message.",
        instructions=_INSTRUCTIONS.format(
            *(_HOOKED if hooks else _ASKING if reports else (_ASKING[0], ""))
        ),
        version=__version__,
        tools=tools_of(backend),
        log_level="ERROR",
        middleware=[explain_errors],
    )
    server.backend = backend
    server.hooks = Hooks(hx, resident=True) if hooks else None
    server.hidden = DONE_BY_HOOKS if hooks else () if reports else (REPORTING,)
    add_resources(server, backend)
    return server
