"""The parts of `waiting.py` that need asyncio; loaded when the first run needs an event
loop.
"""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from hexad.skills.waiting import Halt


class InLoop:
    """Waits in the caller's event loop; blocking work is done in the thread pool."""

    def __init__(self, halt: Halt) -> None:
        self.halt = halt

    async def blocking(self, work: Callable[[], Any]) -> Any:
        """The result of blocking work. A cancelled caller halts it and waits for its
        end.
        """
        working = asyncio.get_running_loop().run_in_executor(
            None, contextvars.copy_context().run, work
        )
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            self.halt()
            while not working.done():
                with suppress(asyncio.CancelledError):  # it is stopping already
                    await asyncio.wait([working])
            raise

    async def awaited(self, awaitable: Awaitable[Any]) -> Any:
        """The result of a coroutine."""
        return await awaitable


class OwnLoop:
    """An event loop for the coroutines of one run, in a thread of its own."""

    def __init__(self, halt: Halt) -> None:
        self._halt = halt
        self._runner = asyncio.Runner()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="hexad-skill")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._do(self._runner.close)
        self._pool.shutdown()

    def wait(self, awaitable: Awaitable[Any]) -> Any:
        """The result of a coroutine."""
        return self._do(lambda: self._runner.run(self._awaited(awaitable)))

    async def _awaited(self, awaitable: Awaitable[Any]) -> Any:
        loop, task = (
            asyncio.get_running_loop(),
            cast("asyncio.Task[Any]", asyncio.current_task()),
        )
        with self._halt.stopping(lambda: loop.call_soon_threadsafe(task.cancel)):
            return await awaitable

    def _do(self, work: Callable[[], Any]) -> Any:
        return self._pool.submit(contextvars.copy_context().run, work).result()
