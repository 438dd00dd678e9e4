"""The engine is synchronous, MCP is not: its work is done in threads, so that one client does not wait for another.

What may take long has threads of its own: skills that wait must not keep questions from being answered. A client that
does not wait any longer is let go at once, but the place of its work is free only when the work has ended: else whoever
cancels again and again could have any number of threads.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from anyio import to_thread
from anyio.lowlevel import RunVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
QUICK: Final = 12  # a store keeps a connection for each
SLOW: Final = 4
_limiters: Final[dict[int, RunVar[anyio.CapacityLimiter]]] = {
    count: RunVar(f"hexad_mcp_{count}_threads") for count in (QUICK, SLOW)
}


def _unstoppable() -> None:
    """It goes on to its end by itself."""


async def in_thread(work: Callable[[], T], *, among: int = QUICK, stop: Callable[[], object] = _unstoppable) -> T:
    """The work's result. Where nobody waits any longer, ``stop`` tells it to end; what has not begun never does."""
    place = _Place(_limiter(among))
    await place.taken()

    def held() -> T:
        with place:
            return work()

    try:
        return await to_thread.run_sync(held, abandon_on_cancel=True, limiter=anyio.CapacityLimiter(1))
    except BaseException:
        if not place.given_up():
            stop()
        raise


class _Place:
    """A place among the threads. It is given back by the thread that has it, or by whoever gives up before that."""

    def __init__(self, limiter: anyio.CapacityLimiter) -> None:
        self._limiter = limiter
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._begun = self._gone = False

    async def taken(self) -> None:
        """Wait until there is one."""
        await self._limiter.acquire_on_behalf_of(self)

    def given_up(self) -> bool:
        """Give it back unless work has begun in it; whether it was."""
        with self._lock:
            if self._begun or self._gone:
                return self._gone
            self._gone = True
        self._limiter.release_on_behalf_of(self)
        return True

    def __enter__(self) -> None:
        with self._lock:
            if self._gone:
                raise asyncio.CancelledError
            self._begun = True

    def __exit__(self, *_: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody needs a place any more
            self._loop.call_soon_threadsafe(self._limiter.release_on_behalf_of, self)


def _limiter(count: int) -> anyio.CapacityLimiter:
    """Each event loop has its own."""
    try:
        return _limiters[count].get()
    except LookupError:
        limiter = anyio.CapacityLimiter(count)
        _limiters[count].set(limiter)
        return limiter
