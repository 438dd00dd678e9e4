"""Serving over standard input and output: one process for one client, which ends when the client does."""

from __future__ import annotations

import asyncio
import json
import re
import signal
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError
from pydantic import ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.mcp.server import HexadServer

_NO_MESSAGE: Final = (
    "the line is no message of JSON-RPC: one JSON object with jsonrpc, id, method and params, without lone surrogates"
)
_CLOSED: Final = anyio.BrokenResourceError | anyio.ClosedResourceError


def serve_stdio(server: HexadServer, *, end: Callable[[], None]) -> None:
    """Serve until the client disconnects.

    A signal calls ``end``, and so does an output that nobody reads any more. It must end the process: a read cannot be
    interrupted.
    """
    anyio.run(_serve, server, end)


async def _serve(server: HexadServer, end: Callable[[], None]) -> None:
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):  # not asyncio's handlers, which Windows lacks
        signal.signal(name, lambda *_: loop.call_soon_threadsafe(end))
    try:
        async with stdio_server() as (lines, answers):
            try:
                await _answer_all(server, lines, answers)
            except BaseException as error:
                if _is_disconnect(error):
                    end()
                raise
    except BaseException as error:
        if not _is_disconnect(error):
            raise


async def _answer_all(server: HexadServer, lines: Any, answers: Any) -> None:
    """Serve the messages. A line that is none is answered here: the SDK drops it, and the client would wait."""
    given, messages = anyio.create_memory_object_stream[Any](0)

    async def sort() -> None:
        async with given:
            async for item in lines:
                if not isinstance(item, Exception):
                    await given.send(item)
                elif line := _line(item):
                    await answers.send(SessionMessage(_refusal(line)))

    async with anyio.create_task_group() as group:
        group.start_soon(sort)
        await server.run_over(messages, answers)
        group.cancel_scope.cancel()


def _line(error: Exception) -> str:
    given = error.errors(include_url=False)[0]["input"] if isinstance(error, ValidationError) else ""
    return given.strip() if isinstance(given, str) else json.dumps(given)


def _refusal(line: str) -> JSONRPCError:
    found = re.search(r'"id":\s*(?:"([^"\\]*)"|(\d{1,15})\b)', line)
    own = found and (found[1] if found[1] is not None else int(found[2]))
    return JSONRPCError(jsonrpc="2.0", id=own, error=ErrorData(code=INVALID_REQUEST, message=_NO_MESSAGE))


def _is_disconnect(error: BaseException) -> bool:
    """Whether the client is gone, which ends the transport and the server."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_disconnect, error.exceptions))
    return isinstance(error, anyio.get_cancelled_exc_class() | BrokenPipeError | _CLOSED)
