"""A call in flight: its client gets progress, and the work ends when the client disconnects."""

from __future__ import annotations

from contextlib import asynccontextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from mcp.server.mcpserver import Context
    from starlette.requests import Request

BEAT: Final = 1.0  # seconds between reports


@asynccontextmanager
async def reporting(
    context: Context[Any, Any], doing: str, *, beat: float, at_once: bool = True
) -> AsyncIterator[None]:
    """Report every ``beat`` seconds that the body still runs.

    Without ``at_once``, work that ends within one beat is not reported.
    """

    async def beats() -> None:
        for number in count():
            if number or at_once:
                await context.report_progress(number, None, doing)
            await anyio.sleep(beat)

    async with anyio.create_task_group() as group:
        group.start_soon(beats)
        yield
        group.cancel_scope.cancel()


@asynccontextmanager
async def while_connected(context: Context[Any, Any]) -> AsyncIterator[None]:
    """Cancel the body when the connection closes that its answer would go through. Pipes end with the server."""
    request: Request | None = context.request_context.request
    if request is None:
        yield
        return
    async with anyio.create_task_group() as group:
        group.start_soon(_cancel_on_disconnect, request, group.cancel_scope)
        yield
        group.cancel_scope.cancel()


async def _cancel_on_disconnect(request: Request, work: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    work.cancel()
