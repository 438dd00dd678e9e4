"""A call in flight: its client gets progress, and the work ends when the client disconnects."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mcp.server.mcpserver import Context
    from starlette.requests import Request

BEAT: Final = 1.0  # seconds between reports


class Progress:
    """How far work has come. The value always grows, as the protocol wants it, and never reaches the next step.

    >>> progress = Progress("begun")
    >>> progress.value, progress.beat()
    (0.0, 0.5)
    >>> progress.step(1, 3, "step 2 of 3")
    >>> progress.value, progress.beat()
    (1.0, 1.5)
    """

    def __init__(self, doing: str) -> None:
        self.doing = doing
        self.total = 1
        self._done = 0
        self._beats = 0

    @property
    def value(self) -> float:
        """Steps that are done, and a part of the current one."""
        return self._done + self._beats / (self._beats + 1)

    def step(self, done: int, total: int, doing: str) -> None:
        """So many steps are done, and the next one begins."""
        self._done, self.total, self.doing, self._beats = max(done, self._done), total, doing, 0

    def beat(self) -> float:
        """Time has passed."""
        self._beats += 1
        return self.value


@asynccontextmanager
async def reporting(
    context: Context[Any, Any], begun: str, *, beat: float, at_once: bool = True
) -> AsyncIterator[Callable[[int, int, str], None]]:
    """Report progress while the body runs; yields a function that the work's thread calls at each step.

    Without ``at_once``, work that ends within one beat is not reported.
    """
    progress, loop = Progress(begun), asyncio.get_running_loop()
    reported = -1.0

    async def report() -> None:
        nonlocal reported
        if progress.value > reported:
            reported = progress.value
            await context.report_progress(reported, progress.total, progress.doing)

    async def beats() -> None:
        while True:
            await anyio.sleep(beat)
            progress.beat()
            await report()

    def step(done: int, total: int, doing: str) -> None:
        progress.step(done, total, doing)
        report_now = report()
        with suppress(Exception, asyncio.CancelledError):  # the client may be gone; the work goes on
            asyncio.run_coroutine_threadsafe(report_now, loop).result()
        report_now.close()

    async with anyio.create_task_group() as group:
        if at_once:
            await report()
        group.start_soon(beats)
        yield step
        group.cancel_scope.cancel()
    if reported >= 0:
        await context.report_progress(progress.total, progress.total, "done")


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
