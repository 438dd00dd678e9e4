"""MCP behind the server's tokens: one MCP server for each namespace, made when it is first asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from hexad.mcp.http import sdk_app
from hexad.mcp.server import server_of
from hexad.server.api.problems import document
from hexad.server.tokens import Right

if TYPE_CHECKING:
    from anyio.abc import TaskGroup
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from hexad.facade import Hexad
    from hexad.server.tokens import Callers

_MOST_NAMESPACES = 500  # with an MCP server of their own


@dataclass(slots=True)
class McpByNamespace:
    """Each namespace has its own sessions, so that no session id reaches into another's memory."""

    hx: Hexad
    callers: Callers
    tasks: TaskGroup | None = None
    _apps: dict[str, Starlette] = field(default_factory=dict)
    _making: anyio.Lock = field(default_factory=anyio.Lock)

    async def answer(self, request: Request) -> ASGIApp:
        """The MCP server of the caller's namespace, which answers."""
        caller = self.callers.bearer(request)
        caller.require(Right.WRITE)
        hx = caller.engine(self.hx, request.query_params.get("namespace"))
        async with self._making:
            if hx.namespace not in self._apps:
                if len(self._apps) >= _MOST_NAMESPACES or self.tasks is None:
                    return document(503, "Too many namespaces", "restart the server to serve MCP in other namespaces")
                app = sdk_app(server_of(hx), hx.settings)
                await self.tasks.start(_running, app)
                self._apps[hx.namespace] = app
        return self._apps[hx.namespace]


async def _running(app: Starlette, *, task_status: anyio.abc.TaskStatus[None]) -> None:
    """Keep the SDK's session manager alive until the server ends."""
    async with app.router.lifespan_context(app):
        task_status.started()
        await anyio.sleep_forever()
