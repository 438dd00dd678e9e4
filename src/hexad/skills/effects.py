"""One program for `run` and `arun`: it yields what takes time, and a driver waits for it in its own way.

`drive` waits in this thread; coroutines run in an event loop of their own, in another thread, because this one may have
a running loop already. `adrive` awaits in the caller's event loop, and runs blocking work in a thread pool. A `Halt`
ends either of them from outside; `adrive` calls it if it is cancelled, and waits until the work has stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from types import ModuleType

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Blocking:
    """Work that blocks its thread; what takes long ends soon after the `Halt` of its run was called."""

    work: Callable[[], Any]


Effect: TypeAlias = Awaitable[Any] | Blocking
Program: TypeAlias = Generator[Effect, Any, R]


class Halted(BaseException):
    """A run was ended from outside. Not an `Exception`: no step of a program should handle it as a failure."""


class Halt:
    """Call it from any thread to end a run: the work in flight is stopped, and no further step begins."""

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


def drive(program: Program[R], halt: Halt) -> R:
    """Run a program to its end in this thread."""
    step: Callable[[], Effect] = program.__next__
    with ExitStack() as stack, closing(program):
        loop: Any = None
        while True:
            try:
                effect = step()
            except StopIteration as done:
                return cast("R", done.value)
            try:
                if isinstance(effect, Blocking):
                    halt.check()
                    value = effect.work()
                    halt.check()
                else:
                    loop = loop or stack.enter_context(_event_loop().OwnLoop(halt))
                    value = loop.wait(effect)
                step = partial(program.send, value)
            except Exception as error:  # noqa: BLE001 - the program handles it
                step = partial(program.throw, error)


async def adrive(program: Program[R], halt: Halt) -> R:
    """Run a program to its end in the running event loop."""
    step: Callable[[], Effect] = program.__next__
    with closing(program):
        while True:
            try:
                effect = step()
            except StopIteration as done:
                return cast("R", done.value)
            try:
                value = await (_event_loop().in_thread(effect, halt) if isinstance(effect, Blocking) else effect)
                step = partial(program.send, value)
            except Exception as error:  # noqa: BLE001 - the program handles it
                step = partial(program.throw, error)


def _event_loop() -> ModuleType:
    from hexad.skills import event_loop  # noqa: PLC0415 - loads asyncio: 26 ms

    return event_loop
