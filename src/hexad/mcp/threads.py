"""The engine is synchronous, MCP is not: its work is done in threads, so that one client does not wait for another.

What may take long has threads of its own: neither skills nor writers that wait for another process's lock may keep
questions from being answered. A client that
does not wait any longer is let go at once, but the place of its work is free only when the work has ended: else whoever
cancels again and again could have any number of threads.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from anyio import to_thread
from anyio.lowlevel import RunVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
SLOW: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """How many pieces of work of one kind are done at a time; a store keeps a connection for each."""

    limiter: RunVar[anyio.CapacityLimiter]
    count: int

    @classmethod
    def of(cls, kind: str, count: int) -> Places:
        """Places of a kind of work."""
        return cls(RunVar(f"hexad_mcp_{kind}"), count)

    def here(self) -> anyio.CapacityLimiter:
        """Each event loop has its own."""
        try:
            return self.limiter.get()
        except LookupError:
            limiter = anyio.CapacityLimiter(self.count)
            self.limiter.set(limiter)
            return limiter


READING: Final = Places.of("reading", 8)
SEARCHING: Final = Places.of("searching", 8)  # reads, and writes down that it was asked: a lock holds that up a little
WRITING: Final = Places.of("writing", 4)
RUNNING: Final = Places.of("running", SLOW)


def _unstoppable() -> None:
    """It goes on to its end by itself."""


async def in_thread(work: Callable[[], T], *, among: Places = READING, stop: Callable[[], object] = _unstoppable) -> T:
    """The work's result. Where nobody waits any longer, ``stop`` tells it to end; what has not begun never does."""
    place = _Place(among.here())
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
