"""One program for `run` and `arun`: it yields what takes time, and whoever drives it waits in the way of its world.

`run` waits for a coroutine in an event loop of its own, in another thread where the caller's thread has a running one;
a `Halt` ends it from outside. `arun` awaits it in the caller's loop, and has what blocks done in a thread; if it is
cancelled, that has ended too.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    import asyncio
    from types import TracebackType
    from typing import Self

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Blocking:
    """Work that blocks the thread it is done in; ``stop``, called in another, makes it end soon."""

    work: Callable[[], Any]
    stop: Callable[[], object] = lambda: None  # what takes no time need not be stopped


Effect: TypeAlias = Awaitable[Any] | Blocking
Program: TypeAlias = Generator[Effect, Any, R]


class Halted(BaseException):
    """A run was ended from outside; no `Exception`, since no step of a program should take it for a failure."""


class Halt:
    """Call it, from any thread, and the run that has it ends: what it waits for is stopped, and nothing more begins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._said = False
        self._stop: Callable[[], object] = _nothing

    def __call__(self) -> None:
        """Say it; it does not wait for the end."""
        with self._lock:
            self._said = True
            self._stop()

    def check(self) -> None:
        """Raise where it was said."""
        if self._said:
            raise Halted

    @contextmanager
    def stopping(self, stop: Callable[[], object]) -> Iterator[None]:
        """While the body works, saying it calls ``stop``; what comes of the body then is not wanted any more."""
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
    with _Loop(halt or Halt()) as loop, closing(program):
        course = _Course(program)
        while (effect := course.next()) is not None:
            try:
                course.came(loop.wait(effect))
            except Exception as error:  # noqa: BLE001 - the program's to handle
                course.failed(error)
        return course.result


async def adrive(program: Program[R]) -> R:
    """Run a program to its end in the running event loop."""
    with closing(program):
        course = _Course(program)
        while (effect := course.next()) is not None:
            try:
                course.came(await (_in_thread(effect) if isinstance(effect, Blocking) else effect))
            except Exception as error:  # noqa: BLE001 - likewise
                course.failed(error)
        return course.result


async def _in_thread(effect: Blocking) -> Any:
    """What the work comes to. Who is cancelled meanwhile stops it, and goes when it has ended."""
    import asyncio  # noqa: PLC0415 - who is not in a loop need not load it

    work = asyncio.get_running_loop().run_in_executor(None, contextvars.copy_context().run, effect.work)
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        effect.stop()
        while not work.done():
            with suppress(asyncio.CancelledError):  # it is being done already
                await asyncio.wait([work])
        raise


class _Course(Generic[R]):
    """How far a program has come, and how it goes on."""

    result: R

    def __init__(self, program: Program[R]) -> None:
        self._program = program
        self._on: Callable[[], Effect] = program.__next__

    def next(self) -> Effect | None:
        """What is to be waited for; None when the program has ended with its result."""
        try:
            return self._on()
        except StopIteration as done:
            self.result = done.value
            return None

    def came(self, value: Any) -> None:
        """What was waited for is there."""
        self._on = partial(self._program.send, value)

    def failed(self, error: Exception) -> None:
        """It raised instead."""
        self._on = partial(self._program.throw, error)


class _Loop:
    """An event loop for the coroutines of one run: made when the first comes, one for all of them."""

    def __init__(self, halt: Halt) -> None:
        self._halt = halt
        self._runner: asyncio.Runner | None = None
        self._in_thread: Callable[[Callable[[], Any]], Any] | None = None
        self._close: list[Callable[[], object]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._close:
            self._close.pop()()

    def wait(self, effect: Effect) -> Any:
        """What it comes to."""
        if isinstance(effect, Blocking):
            with self._halt.stopping(effect.stop):
                return effect.work()
        if self._in_thread is None:
            self._in_thread = self._prepared()
        return self._in_thread(lambda: self._run(effect))

    def _run(self, awaitable: Awaitable[Any]) -> Any:
        import asyncio  # noqa: PLC0415

        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner.run(self._awaited(awaitable))

    async def _awaited(self, awaitable: Awaitable[Any]) -> Any:
        import asyncio  # noqa: PLC0415

        loop, task = asyncio.get_running_loop(), cast("asyncio.Task[Any]", asyncio.current_task())
        with self._halt.stopping(lambda: loop.call_soon_threadsafe(task.cancel)):
            return await awaitable

    def _prepared(self) -> Callable[[Callable[[], Any]], Any]:
        """How to do something where a loop may run: here, or in a thread if this one's is running already."""
        import asyncio  # noqa: PLC0415

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            self._close.append(self._end)
            return lambda work: work()
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

        pool = ThreadPoolExecutor(1, thread_name_prefix="hexad-skill")
        self._close += [pool.shutdown, lambda: pool.submit(self._end).result()]
        return lambda work: pool.submit(contextvars.copy_context().run, work).result()

    def _end(self) -> None:
        if self._runner is not None:
            self._runner.close()
