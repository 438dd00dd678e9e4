"""Telling a client that waits that the work goes on: at each step, and every few seconds in between."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio import from_thread

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from mcp.server.mcpserver import Context

BEAT: Final = 1.0  # seconds between reports


class Progress:
    """How far work has come. What is told always grows, as the protocol wants it, and never reaches the next step.

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
        """Steps that are done, and a part of the one under way."""
        return self._done + self._beats / (self._beats + 1)

    def step(self, done: int, total: int, doing: str) -> None:
        """So many steps are done, and the next one is begun."""
        self._done, self.total, self.doing, self._beats = max(done, self._done), total, doing, 0

    def beat(self) -> float:
        """Time has passed."""
        self._beats += 1
        return self.value


@asynccontextmanager
async def reporting(
    context: Context[Any, Any], begun: str, *, beat: float, at_once: bool = True
) -> AsyncIterator[Callable[[int, int, str], None]]:
    """Report while the body runs. It gives what the work's thread calls at each step; a client may not care.

    Without ``at_once`` nothing is told of what ends within one beat.
    """
    progress = Progress(begun)
    told = -1.0

    async def tell() -> None:
        nonlocal told
        if progress.value > told:
            told = progress.value
            await context.report_progress(told, progress.total, progress.doing)

    async def beats() -> None:
        while True:
            await anyio.sleep(beat)
            progress.beat()
            await tell()

    def step(done: int, total: int, doing: str) -> None:
        progress.step(done, total, doing)
        with suppress(Exception, asyncio.CancelledError):  # the client may be gone; the work goes on
            from_thread.run(tell)

    async with anyio.create_task_group() as group:
        if at_once:
            await tell()
        group.start_soon(beats)
        yield step
        group.cancel_scope.cancel()
    if told >= 0:
        await context.report_progress(progress.total, progress.total, "done")
