"""How a run waits for what takes time: `Here` waits in this thread, `event_loop.InLoop`
in the caller's event loop.

A run is a coroutine that waits through one of the two. A `Halt` ends it from outside.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator

    from hexad.skills.event_loop import InLoop, OwnLoop

R = TypeVar("R")
Wait: TypeAlias = "Here | InLoop"


class Halted(BaseException):
    """A run was ended from outside. Not an `Exception`: no step of a program should
    handle it as a failure.
    """


class Halt:
    """Call it from any thread to end a run: the work in flight is stopped, and no
    further step begins.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.called = False
        self._stop: Callable[[], object] = _nothing

    def __call__(self) -> None:
        """End the run, without waiting for it."""
        with self._lock:
            self.called = True
            self._stop()

    def check(self) -> None:
        """Raise `Halted` if it was called."""
        if self.called:
            raise Halted

    @contextmanager
    def stopping(self, stop: Callable[[], object]) -> Iterator[None]:
        """While the body works, a halt calls ``stop``; the result of the body is
        discarded then.
        """
        with self._lock:
            self.check()
            self._stop = stop
        try:
            yield
        finally:
            with self._lock:
                self._stop = _nothing
            self.check()


def _nothing() -> None:
    """There is nothing to stop."""


class Here:
    """Waits in this thread, so that a run never suspends.

    Coroutines run in an event loop of their own, in another thread, because this one
    may have a running loop already.
    """

    def __init__(self, halt: Halt) -> None:
        self.halt = halt
        self._open = ExitStack()
        self._loop: OwnLoop | None = None

    async def blocking(self, work: Callable[[], Any]) -> Any:
        """The result of work that blocks its thread; what takes long ends soon after
        the halt was called.
        """
        self.halt.check()
        value = work()
        self.halt.check()
        return value

    async def awaited(self, awaitable: Awaitable[Any]) -> Any:
        """The result of a coroutine."""
        from hexad.skills.event_loop import OwnLoop  # noqa: PLC0415 - loads asyncio: 26 ms

        self._loop = self._loop or self._open.enter_context(OwnLoop(self.halt))
        return self._loop.wait(awaitable)

    def run(self, program: Coroutine[Any, Any, R]) -> R:
        """Run a program to its end."""
        with self._open:
            try:
                program.send(None)
            except StopIteration as done:
                return cast("R", done.value)
        raise RuntimeError("a run waited for something by itself")
