"""The engine is synchronous, ADK is not: its work is done in threads of ours, within a time, with one warning at most.

Each database has threads of its own, so one that hangs holds up no other. What does not answer in time is left to
itself, and until it has ended nothing more is asked of that database: an agent waits for a store that hangs once, not
at every turn.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
import threading
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from hexad.adapters.adk.threads import Threads, Work
from hexad.errors import DeadlineExceeded
from hexad.fork import survive_fork
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexad.facade import Hexad
    from hexad.store import Store

T = TypeVar("T")
LOG: Final = logging.getLogger("hexad")


class Worker:
    """Threads for all adapters of the process; none until the first call, and none inherited by a child process."""

    def __init__(self) -> None:
        self.after_fork()
        survive_fork(self)

    def after_fork(self) -> None:
        """Threads stay in the parent."""
        self._lock = threading.Lock()
        self._threads: dict[str, Threads] = {}

    async def run(self, hx: Hexad, call: Callable[[], T], *, seconds: float) -> T:
        """The call's result, or `DeadlineExceeded` where it takes longer than that, or no thread gets free meanwhile.

        An event loop that is busy does not count: what is there when it looks is taken.
        """
        threads = self._of(hx.store)
        if threads.hang:
            raise DeadlineExceeded(hx.store.location, seconds)
        ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        told = partial(_tell, asyncio.get_running_loop(), ended)
        work = Work(partial(contextvars.copy_context().run, call), told)
        threads.take(work)
        while not work.done:
            left = threads.left(work, seconds)
            if left <= 0:
                threads.give_up(work)
                raise DeadlineExceeded(hx.store.location, seconds)
            await asyncio.wait((ended,), timeout=left)  # unlike `wait_for`, it lets every cancellation through
        return work.outcome()

    def _of(self, store: Store) -> Threads:
        """The database's own; those of databases that nobody asks any more are forgotten."""
        place = store.location if store.durable else f"{store.location} {id(store)}"
        with self._lock:
            known = self._threads.get(place)
            if known is None:
                self._threads = {name: each for name, each in self._threads.items() if not each.gone}
                known = self._threads[place] = Threads()
            return known


def _tell(loop: asyncio.AbstractEventLoop, ended: asyncio.Future[None]) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody waits
        loop.call_soon_threadsafe(_end, ended)


def _end(ended: asyncio.Future[None]) -> None:
    if not ended.done():
        ended.set_result(None)


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
