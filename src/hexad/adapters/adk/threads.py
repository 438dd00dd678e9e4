"""A few threads for one database: they end when they have nothing to do, and no process waits for them to exit."""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")
_MOST: Final = 4  # threads; a store keeps a connection for each
_IDLE: Final = 5.0  # seconds after which a thread without work ends
_QUEUED: Final = 4.0  # deadlines that work may wait for a thread at most, though others get one meanwhile


class Work(Generic[T]):
    """One call, what came of it, and since when it waits or runs."""

    def __init__(self, call: Callable[[], T], tell: Callable[[], None]) -> None:
        self.done = False
        self.asked = time.monotonic()
        self.began: float | None = None
        self._call = call
        self._tell = tell
        self._result: T | None = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Make the call, and tell whoever waits for it."""
        self.began = time.monotonic()
        try:
            self._result = self._call()
        except BaseException as error:  # noqa: BLE001 - it is raised where somebody waits
            self._error = error
        finally:
            self.done = True
            self._tell()

    def outcome(self) -> T:
        """What the call returned; what it raised is raised here."""
        if self._error is None:
            return cast("T", self._result)
        error, self._error = self._error, None
        raise error


class Threads:
    """Takes work for one database, and knows when that does not answer."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[Work[Any]] = deque()
        self._running: set[Work[Any]] = set()
        self._late: list[Work[Any]] = []
        self._freed = 0.0  # when a thread last ended a piece of work
        self._count = 0
        self._idle = 0

    def take(self, work: Work[Any]) -> None:
        """Have the work done when a thread is free."""
        with self._changed:
            self._queue.append(work)
            if self._idle >= len(self._queue) or self._count >= _MOST:
                self._changed.notify()
                return
            try:
                threading.Thread(target=self._serve, name="hexad", daemon=True).start()
            except RuntimeError:  # no thread can be had
                self._queue.remove(work)
                raise
            self._count += 1

    def left(self, work: Work[Any], seconds: float) -> float:
        """How much longer to wait for the work; nothing or less if it is late.

        Waiting for a thread counts too, from when the last one got free: behind others who are served it is a queue.
        """
        now = time.monotonic()
        if work.began is not None:
            return work.began + seconds - now
        return min(max(work.asked, self._freed) + seconds, work.asked + seconds * _QUEUED) - now

    def give_up(self, work: Work[Any]) -> None:
        """Nobody waits for the work any more: what runs is late, and what had no thread yet is not begun."""
        with self._changed:
            if work in self._queue:
                self._queue.remove(work)
                self._late += self._running
            else:
                self._late.append(work)

    @property
    def hang(self) -> bool:
        """Whether something is late and has not ended."""
        with self._changed:
            self._late = [work for work in self._late if not work.done]
            return bool(self._late)

    @property
    def gone(self) -> bool:
        """Whether there is no thread and nothing to do."""
        with self._changed:
            return not self._count and not self._queue

    def _serve(self) -> None:
        while (work := self._next()) is not None:
            work.run()
            with self._changed:
                self._running.discard(work)
                self._freed = time.monotonic()
            del work  # what it holds may be large, and the next may be long in coming

    def _next(self) -> Work[Any] | None:
        with self._changed:
            self._idle += 1
            found = self._changed.wait_for(lambda: self._queue, timeout=_IDLE)
            self._idle -= 1
            if not found:
                self._count -= 1
                return None
            work = self._queue.popleft()
            self._running.add(work)
            return work
