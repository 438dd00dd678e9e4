"""The engine is synchronous, ADK is not: its work is done in threads of ours, within a time, with one warning at most.

What does not answer in time is left to itself, and until it has ended nothing more is asked of that database: an agent
waits for a store that hangs once, not at every turn.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from hexad.errors import DeadlineExceeded
from hexad.fork import survive_fork
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexad.bootstrap import Hexad

T = TypeVar("T")
_THREADS: Final = 8  # a store keeps a connection for each
LOG: Final = logging.getLogger("hexad")


class Worker:
    """Threads for all adapters of the process; none until the first call, and none inherited by a child process."""

    def __init__(self) -> None:
        self.after_fork()
        survive_fork(self)

    def after_fork(self) -> None:
        """Threads stay in the parent."""
        self._threads: ThreadPoolExecutor | None = None
        self._late: dict[str, list[_Work[Any]]] = {}

    async def run(self, hx: Hexad, call: Callable[[], T], *, seconds: float) -> T:
        """The call's result, or `DeadlineExceeded` where the work itself takes longer than that.

        Waiting for a thread, or for an event loop that is busy, does not count.
        """
        place = hx.store.location
        if self._hangs(place):
            raise DeadlineExceeded(place, seconds)
        work = self._begin(call)
        waiting = asyncio.wrap_future(work.future)
        while not work.future.done():
            await asyncio.wait({waiting}, timeout=seconds)
            if not work.future.done() and (work.is_over(seconds) or self._hangs(place)):
                self._late.setdefault(place, []).append(work)
                waiting.cancel()
                raise DeadlineExceeded(place, seconds)
        return work.future.result()

    def _begin(self, call: Callable[[], T]) -> _Work[T]:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="hexad")
        work = _Work(partial(contextvars.copy_context().run, call))
        work.future = self._threads.submit(work)
        return work

    def _hangs(self, place: str) -> bool:
        """Whether an earlier call on that database is late and has not ended."""
        late = [work for work in self._late.pop(place, ()) if not work.future.done()]
        if late:
            self._late[place] = late
        return bool(late)


class _Work(Generic[T]):
    """One call, and when its thread began with it."""

    future: Future[T]

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._began: float | None = None

    def __call__(self) -> T:
        self._began = time.monotonic()
        return self._call()

    def is_over(self, seconds: float) -> bool:
        return self._began is not None and time.monotonic() - self._began >= seconds


WORKER: Final = Worker()


# --- one warning ----------------------------------------------------------------------------------------------------

_held: Final[contextvars.ContextVar[list[str] | None]] = contextvars.ContextVar("hexad_warnings", default=None)


class _Holding(logging.Filter):
    """Keeps back what is warned of inside `gathered`."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is to be logged now."""
        held = _held.get()
        if held is None or record.levelno != logging.WARNING:
            return True
        held.append(record.getMessage())
        return False


_HOLDING: Final = _Holding()


@contextmanager
def gathered() -> Iterator[list[str]]:
    """What is warned of inside, in any thread, is in the list and not in the log: four layers make one warning."""
    LOG.addFilter(_HOLDING)
    held: list[str] = []
    token = _held.set(held)
    try:
        yield held
    finally:
        _held.reset(token)


async def attempted(hx: Hexad, call: Callable[[], T], *, seconds: float, what: str) -> T | None:
    """The call's result; None and one warning, which says what did not happen and why, if it fails."""
    reasons: list[str] = []
    result = await tried(hx, call, seconds=seconds, reasons=reasons)
    if reasons:
        LOG.warning("%s: %s", what, reasons[0])
    return result


async def tried(hx: Hexad, call: Callable[[], T], *, seconds: float, reasons: list[str]) -> T | None:
    """The call's result; None if it fails. Why it did, and what was warned of, is added to ``reasons``."""
    with gathered() as held:
        try:
            return await WORKER.run(hx, call, seconds=seconds)
        except Exception as error:  # noqa: BLE001 - a failure of ours is not the agent's
            reasons.append(told(error))
            return None
        finally:
            reasons += held


def told(error: Exception) -> str:
    """An error in words, without secrets; one that cannot tell itself is named."""
    try:
        return redact(f"{type(error).__name__}: {error}").text
    except Exception:  # noqa: BLE001 - it is an error all the same
        return type(error).__name__
