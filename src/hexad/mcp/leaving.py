"""Clients that hang up while their call is under way: the answer could reach nobody, so the work may end."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp.server.mcpserver import Context
    from starlette.requests import Request


@asynccontextmanager
async def while_connected(context: Context[Any, Any]) -> AsyncIterator[None]:
    """The body is cut short when the connection closes that its answer is to go through; pipes end with the server."""
    request: Request | None = context.request_context.request
    if request is None:
        yield
        return
    async with anyio.create_task_group() as group:
        group.start_soon(_watch, request, group.cancel_scope)
        yield
        group.cancel_scope.cancel()


async def _watch(request: Request, work: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    work.cancel()
