"""Serving over standard input and output: one process for one client, which ends when the client does."""

from __future__ import annotations

import asyncio
import json
import signal
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from hexad.mcp.server import HexadServer

_CLOSED: Final = anyio.BrokenResourceError | anyio.ClosedResourceError
_NO_MESSAGE: Final = (
    "it is no message of JSON-RPC: an object with jsonrpc, id, method and params, its texts without lone surrogates"
)


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
                await server.run_over(_Lines(lines, answers), answers)
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
    return isinstance(error, anyio.get_cancelled_exc_class() | BrokenPipeError | _CLOSED)


class _Lines:
    """The incoming messages. A line that is not one is answered here: the SDK drops it, and the client would wait."""

    def __init__(self, lines: Any, answers: Any) -> None:
        self._lines = lines
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lines, name)

    async def receive(self) -> Any:
        """The next message."""
        while isinstance(item := await self._lines.receive(), Exception):
            answer = _answer(item)
            if answer is not None:
                await self._answers.send(SessionMessage(answer))
        return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._lines.aclose()


def _answer(error: Exception) -> JSONRPCError | None:
    """The answer to a line that is not a message; none to an empty one."""
    line = error.errors(include_url=False)[0]["input"] if isinstance(error, ValidationError) else ""
    if isinstance(line, str) and not line.strip():
        return None
    try:
        request = json.loads(line) if isinstance(line, str) else line
    except (ValueError, RecursionError) as problem:
        return _error(PARSE_ERROR, f"it is not JSON ({problem}); send one JSON object", None)
    own = request.get("id") if isinstance(request, dict) else None
    return _error(INVALID_REQUEST, _NO_MESSAGE, own if isinstance(own, str | int) else None)


def _error(code: int, sentence: str, id: str | int | None) -> JSONRPCError:
    message = f"the line cannot be read: {sentence}"
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=message))
