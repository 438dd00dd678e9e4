"""Serving over standard input and output: one process for one client, which ends when
the client does.
"""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING, Final

import anyio
from mcp.server.stdio import stdio_server

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.mcp.server import HexadServer

_CLOSED: Final = anyio.BrokenResourceError | anyio.ClosedResourceError


def serve_stdio(server: HexadServer, *, end: Callable[[], None]) -> None:
    """Serve until the client disconnects.

    A signal calls ``end``, and so does an output that nobody reads any more. It must
    end the process: a read cannot be interrupted.
    """
    anyio.run(_serve, server, end)


async def _serve(server: HexadServer, end: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for name in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # not asyncio's handlers, which Windows lacks
        signal.signal(name, lambda *_: loop.call_soon_threadsafe(end))
    try:
        async with stdio_server() as (lines, answers):
            try:
                await server.run_over(lines, answers)
            except BaseException as error:
                if _is_disconnect(error):
                    end()
                raise
    except BaseException as error:
        if not _is_disconnect(error):
            raise


def _is_disconnect(error: BaseException) -> bool:
    """Whether the client is gone, which ends the transport and the server."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_disconnect, error.exceptions))
    return isinstance(
        error, anyio.get_cancelled_exc_class() | BrokenPipeError | _CLOSED
    )
