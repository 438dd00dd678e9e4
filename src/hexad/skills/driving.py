"""One program for `run` and `arun`: it yields what takes time, and a driver waits for it in its own way.

`drive` waits in this thread; coroutines run in an event loop of their own, in another thread if this one has a running
loop already. A `Halt` ends it from outside. `adrive` awaits in the caller's event loop, and runs blocking work in a
thread pool; if it is cancelled, it waits until that work has stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from types import ModuleType

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Blocking:
    """Work that blocks its thread; ``stop``, called in another thread, makes it end soon."""

    work: Callable[[], Any]
    stop: Callable[[], object] = lambda: None  # quick work need not be stopped


Effect: TypeAlias = Awaitable[Any] | Blocking
Program: TypeAlias = Generator[Effect, Any, R]


class Halted(BaseException):
    """A run was ended from outside. Not an `Exception`: no step of a program should handle it as a failure."""


class Halt:
    """Call it from any thread to end a run: the work in flight is stopped, and no further step begins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._called = False
        self._stop: Callable[[], object] = _nothing

    def __call__(self) -> None:
        """End the run, without waiting for it."""
        with self._lock:
            self._called = True
            self._stop()

    def check(self) -> None:
        """Raise `Halted` if it was called."""
        if self._called:
            raise Halted

    @contextmanager
    def stopping(self, stop: Callable[[], object]) -> Iterator[None]:
        """While the body works, a halt calls ``stop``; the result of the body is discarded then."""
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


def drive(program: Program[R], halt: Halt | None = None) -> R:
    """Run a program to its end in this thread."""
    halt = halt or Halt()
    with ExitStack() as stack, closing(program):
        course = _Course(program)
        loop: Any = None
        while (effect := course.next()) is not None:
            try:
                if isinstance(effect, Blocking):
                    with halt.stopping(effect.stop):
                        course.came(effect.work())
                else:
                    loop = loop or stack.enter_context(_event_loop().OwnLoop(halt))
                    course.came(loop.wait(effect))
            except Exception as error:  # noqa: BLE001 - the program handles it
                course.failed(error)
        return course.result


async def adrive(program: Program[R]) -> R:
    """Run a program to its end in the running event loop."""
    with closing(program):
        course = _Course(program)
        while (effect := course.next()) is not None:
            try:
                course.came(await (_event_loop().in_thread(effect) if isinstance(effect, Blocking) else effect))
            except Exception as error:  # noqa: BLE001 - the program handles it
                course.failed(error)
        return course.result


def _event_loop() -> ModuleType:
    from hexad.skills import event_loop  # noqa: PLC0415 - loads asyncio: 26 ms

    return event_loop


class _Course(Generic[R]):
    """The state of a program between two effects."""

    result: R

    def __init__(self, program: Program[R]) -> None:
        self._program = program
        self._on: Callable[[], Effect] = program.__next__

    def next(self) -> Effect | None:
        """The next effect to wait for; None when the program has ended with its result."""
        try:
            return self._on()
        except StopIteration as done:
            self.result = done.value
            return None

    def came(self, value: Any) -> None:
        """The effect ended with this value."""
        self._on = partial(self._program.send, value)

    def failed(self, error: Exception) -> None:
        """The effect raised this error."""
        self._on = partial(self._program.throw, error)
