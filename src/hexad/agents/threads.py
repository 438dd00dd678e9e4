"""A pool of daemon threads with deadlines: it runs the synchronous engine for
asynchronous edges.

Unlike the standard library's executors, these threads end when they are idle, no
process waits for them to exit, and a caller that gives up gets its place in the queue
removed.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections import deque
from concurrent import futures
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from hexad.agents.notes import Notes
from hexad.errors import DeadlineExceeded
from hexad.fork import survive_fork

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.facade import Hexad

T = TypeVar("T")
PER_STORE: Final = 4  # threads; a store keeps a connection for each
_IDLE: Final = 5.0  # seconds after which a thread without work ends
_QUEUED: Final = (
    4.0  # deadlines that work may wait for a thread at most, as long as others get one
)


@dataclass(slots=True, eq=False)
class _PooledWork(Generic[T]):
    """One call and its result."""

    call: Callable[[], T]
    future: Future[T] = field(default_factory=Future)
    asked: float = field(default_factory=time.monotonic)
    began: float | None = None

    def run(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return
        self.began = time.monotonic()
        try:
            self.future.set_result(self.call())
        except BaseException as error:  # noqa: BLE001 - the caller gets it
            self.future.set_exception(error)


class ThreadPool:
    """At most ``size`` threads. A pool knows when its work hangs."""

    def __init__(self, size: int, name: str = "hexad") -> None:
        self._size = size
        self._name = name
        self.after_fork()
        survive_fork(self)

    def after_fork(self) -> None:
        """Threads stay in the parent."""
        self._changed = threading.Condition()
        self._queue: deque[_PooledWork[Any]] = deque()
        self._running: set[_PooledWork[Any]] = set()
        self._late: list[_PooledWork[Any]] = []
        self._waited = 0.0  # seconds, for the work that was late last
        self._freed = 0.0  # when a thread last finished a piece of work
        self._threads = 0
        self._idle = 0

    async def run(
        self,
        call: Callable[[], T],
        *,
        seconds: float | None = None,
        stop: Callable[[], object] | None = None,
    ) -> T:
        """The result of a call.

        With ``seconds``, `DeadlineExceeded` where it takes longer, and at once while an
        earlier call hangs. A caller that is cancelled or late returns immediately; its
        call is removed if it has not begun, else ``stop`` is called and the thread is
        busy until the call ends.
        """
        work = self._begun(call, seconds)
        ended = asyncio.wrap_future(work.future)
        ended.add_done_callback(
            lambda done: done.cancelled() or done.exception()
        )  # it is read from the work itself
        try:
            while (
                not work.future.done()
            ):  # even if the event loop was too busy to look in time
                left = None if seconds is None else self._left(work, seconds)
                await asyncio.wait(
                    (ended,), timeout=left
                )  # unlike `wait_for`, it lets every cancellation through
        except BaseException:
            if not work.future.cancel() and stop is not None:
                stop()
            raise
        return work.future.result()

    def wait(self, call: Callable[[], T], *, seconds: float) -> T:
        """Like `run`, for a caller without an event loop."""
        work = self._begun(call, seconds)
        try:
            while not work.future.done():
                futures.wait((work.future,), timeout=self._left(work, seconds))
        except BaseException:
            work.future.cancel()
            raise
        return work.future.result()

    def _begun(self, call: Callable[[], T], seconds: float | None) -> _PooledWork[T]:
        work = _PooledWork(partial(contextvars.copy_context().run, call))
        with self._changed:
            self._late = [late for late in self._late if not late.future.done()]
            if seconds is not None and self._late:
                raise DeadlineExceeded(self._name, self._waited)
            self._queue.append(work)
            if self._idle >= len(self._queue) or self._threads >= self._size:
                self._changed.notify()
                return work
            try:
                threading.Thread(
                    target=self._serve, name=self._name, daemon=True
                ).start()
            except RuntimeError:  # the system has no thread left
                self._queue.remove(work)
                raise
            self._threads += 1
        return work

    def _left(self, work: _PooledWork[Any], seconds: float) -> float:
        """Seconds left, or `DeadlineExceeded`. While queued, the deadline restarts when
        a thread becomes free.
        """
        if work.began is not None:
            until = work.began + seconds
        else:
            until = min(
                max(work.asked, self._freed) + seconds, work.asked + seconds * _QUEUED
            )
        left = until - time.monotonic()
        if left <= 0:
            self._late += [work] if work.began is not None else self._running
            self._waited = seconds
            raise DeadlineExceeded(self._name, seconds)
        return left

    def _serve(self) -> None:
        while (work := self._next()) is not None:
            work.run()
            with self._changed:
                self._running.discard(work)
                self._freed = time.monotonic()
            del work  # it may hold a large result

    def _next(self) -> _PooledWork[Any] | None:
        with self._changed:
            self._idle += 1
            found = self._changed.wait_for(lambda: self._queue, timeout=_IDLE)
            self._idle -= 1
            if not found:
                self._threads -= 1
                return None
            work = self._queue.popleft()
            self._running.add(work)
            return work


_pools: Final[Notes[ThreadPool]] = Notes()
_pools_lock: Final = threading.Lock()


def pool_of(hx: Hexad) -> ThreadPool:
    """The thread pool of an engine's store. Each store has its own, so one that hangs
    does not block another.
    """
    with _pools_lock:
        pool = _pools.of(hx.store)
        if pool is None:
            pool = ThreadPool(PER_STORE, hx.store.location)
            _pools.put(hx.store, pool)
        return pool
