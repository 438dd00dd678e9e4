"""Serving over standard input and output: one process for one client, which ends when the client does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError
from pydantic import ValidationError

from hexad.mcp.ending import on_signal
from hexad.mcp.incoming import NO_MESSAGE, Unreadable, id_of, read

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from hexad.mcp.server import HexadServer

_CLOSED: Final = anyio.BrokenResourceError | anyio.ClosedResourceError
_NOT_TAKEN: Final = "the line cannot be taken"


def serve_stdio(server: HexadServer, *, end: Callable[[], None]) -> None:
    """Serve until the client is gone.

    A signal calls ``end``, and so does an output that nobody reads any more. It must end the process: a read cannot be
    interrupted.
    """
    anyio.run(_served, server, end)


async def _served(server: HexadServer, end: Callable[[], None]) -> None:
    try:
        with on_signal(end):
            async with stdio_server() as (lines, answers):
                try:
                    await server.run_over(_Lines(lines, answers), answers)
                except BaseException as error:
                    if _is_gone(error):
                        end()
                    raise
    except BaseException as error:
        if not _is_gone(error):
            raise


def _is_gone(error: BaseException) -> bool:
    """Whether all that went wrong is that nobody is there to be answered, which ends the transport and all with it."""
    if isinstance(error, BaseExceptionGroup):
        return all(map(_is_gone, error.exceptions))
    return isinstance(error, anyio.get_cancelled_exc_class() | BrokenPipeError | _CLOSED)


class _Lines:
    """The messages that come in. A line that is none is answered here: of the SDK a client would hear nothing."""

    def __init__(self, lines: Any, answers: Any) -> None:
        self._lines = lines
        self._answers = answers

    @property
    def last_context(self) -> Any:
        """In which context the latest message was read."""
        return self._lines.last_context

    async def receive(self) -> Any:
        """The next message."""
        while isinstance(item := await self._lines.receive(), Exception):
            answer = _answer(*_given(item))
            if answer is not None:
                await self._answers.send(SessionMessage(answer))
        return item

    async def aclose(self) -> None:
        """Read no more."""
        await self._lines.aclose()

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
        await self.aclose()


def _given(error: Exception) -> tuple[str, object]:
    """What kind of mistake it was, and what could not be taken: a line, or what it held."""
    first = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else {"type": "", "input": None}
    return str(first["type"]), first["input"]


def _answer(kind: str, given: object) -> JSONRPCError | None:
    """What to say to a line that is no message; nothing to an empty one."""
    if kind != "json_invalid":
        return _error(INVALID_REQUEST, NO_MESSAGE, id_of(given))
    if not (line := str(given)).strip():
        return None
    try:
        return _error(INVALID_REQUEST, NO_MESSAGE, id_of(read(line)))
    except Unreadable as error:
        return _error(PARSE_ERROR, str(error), error.id)


def _error(code: int, sentence: str, id: str | int | None) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=f"{_NOT_TAKEN}: {sentence}"))
