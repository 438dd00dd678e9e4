"""Drives programs of `effects.py` with asyncio; loaded when the first of them needs an event loop."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Self

    from hexad.skills.effects import Blocking, Halt


async def in_thread(effect: Blocking, halt: Halt) -> Any:
    """The result of blocking work, done in the thread pool. A cancelled caller halts it and waits for its end."""
    work = asyncio.get_running_loop().run_in_executor(None, contextvars.copy_context().run, effect.work)
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        halt()
        while not work.done():
            with suppress(asyncio.CancelledError):  # it is stopping already
                await asyncio.wait([work])
        raise


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
        loop, task = asyncio.get_running_loop(), cast("asyncio.Task[Any]", asyncio.current_task())
        with self._halt.stopping(lambda: loop.call_soon_threadsafe(task.cancel)):
            return await awaitable

    def _do(self, work: Callable[[], Any]) -> Any:
        return self._pool.submit(contextvars.copy_context().run, work).result()
