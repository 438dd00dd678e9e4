"""Serving over standard input and output: one process for one client, which ends when the client does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

from hexad.mcp.ending import on_signal

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import MCPServer


def serve_stdio(server: MCPServer[Any], *, end: Callable[[], None]) -> None:
    """Serve until the input ends. A signal calls ``end``, which must end the process: a read cannot be interrupted."""
    anyio.run(_served, server, end)


async def _served(server: MCPServer[Any], end: Callable[[], None]) -> None:
    with on_signal(end):
        await server.run_stdio_async()
