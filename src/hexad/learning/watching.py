"""`watch(tool)`: the same tool, observed. Its result, exception, signature, name and
docstring stay as they are.

Functions, methods, partials and objects with ``__call__`` keep their kind: a coroutine
function stays one, a generator streams as before and is recorded when it ends. A
cancelled or interrupted call is not recorded. If recording fails, that is a warning in
the log and nothing else. The steps of a skill call tools through `WatchedStepTool`.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from hexad.calls.advice import advise_error, advised_result
from hexad.calls.error_text import text_of, warn
from hexad.calls.outcome import failure_of, outcome_of, reported_failure, says_nothing
from hexad.calls.scope import note_watched, recording_workspace
from hexad.calls.signature import (
    Places,
    arguments_by_name,
    name_of,
    places_of,
    signature_of,
)
from hexad.errors import InvalidInput, StoreBusy
from hexad.learning.offers import PATIENCE
from hexad.learning.recorder import record

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Mapping

    from hexad.calls.outcome import FailureRule
    from hexad.learning.evidence import Shown
    from hexad.memory.workspace import Workspace

T = TypeVar("T")
WATCHED: Final = "__hexad_watched__"
_AT_ONCE: Final = (
    0.01  # seconds for which an event loop may be blocked by other writers
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How one tool is watched; without a name it is recorded under its own."""

    workspace: Workspace
    tool: str = ""
    session: str | None = None
    failure: FailureRule | None = None
    advise: bool = False
    signature: inspect.Signature | None = None
    places: Places = ((), "")

    def __post_init__(self) -> None:
        if self.failure is not None and not callable(self.failure):
            raise InvalidInput(
                "failure",
                "must be a function from a result to a description of its failure, or None",
            )

    def on(self, tool: Callable[..., Any]) -> Watch:
        """This watch with the tool's signature, and with its name if none is given."""
        signature = signature_of(tool)
        return replace(
            self,
            tool=self.tool or name_of(tool),
            signature=signature,
            places=places_of(signature),
        )


class Invocation(NamedTuple):
    """One call of a watched tool, with its arguments as they were given."""

    watch: Watch
    given: tuple[Any, ...]
    named: Mapping[str, Any]

    def ended(self, result: Any = None, error: Exception | None = None) -> Any:
        """Record the call; return its result. What is known about a failure is added to
        it, if that is wanted.
        """
        return self._advised(result, error, self._recorded(result, error))

    async def ended_async(
        self, result: Any = None, error: Exception | None = None
    ) -> Any:
        """Like `ended`, without blocking the event loop: another thread records it if
        others are writing.
        """
        try:
            shown = self._record(result, error, _AT_ONCE)
        except StoreBusy:
            shown = await _in_a_thread(lambda: self._recorded(result, error))
        except Exception as problem:  # noqa: BLE001 - as in `_recorded`
            warn(self.watch.tool, problem)
            return result
        return self._advised(result, error, shown)

    def _recorded(self, result: Any, error: Exception | None) -> Shown | None:
        try:
            return self._record(result, error, PATIENCE)
        except Exception as problem:  # noqa: BLE001 - the tool's caller gets what the tool gave, even if this fails
            warn(self.watch.tool, problem)
            return None

    def _record(
        self, result: Any, error: Exception | None, patience: float
    ) -> Shown | None:
        watch, workspace = self.watch, recording_workspace(self.watch.workspace)
        if workspace is None or says_nothing(result, error):
            return None
        arguments = arguments_by_name(watch.places, self.given, self.named)
        outcome = outcome_of(
            watch.tool,
            arguments,
            result,
            error,
            session=watch.session,
            failure=watch.failure,
        )
        done = record(
            workspace, outcome, fetch=False, advise=watch.advise, patience=patience
        )
        note_watched(workspace, watch.tool, arguments)
        return done.shown

    def _advised(
        self, result: Any, error: Exception | None, shown: Shown | None
    ) -> Any:
        if shown is None:
            return result
        if error is None:
            return advised_result(result, shown.note)
        advise_error(error, shown.note)
        return result


async def _in_a_thread(work: Callable[[], T]) -> T:
    """The result of a piece of work, without blocking asyncio's event loop; another
    event loop waits.
    """
    import asyncio  # noqa: PLC0415 - loads in 20 ms; a program without coroutines never gets here

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    return await asyncio.to_thread(work)


class _Watched(NamedTuple):
    """An attribute of a wrapper. It names that wrapper, because `functools.wraps`
    copies it onto other functions.
    """

    watch: Watch
    tool: Callable[..., Any]
    wrapper: Callable[..., Any]

    def inside(self, tool: Callable[..., Any]) -> Callable[..., Any] | None:
        """The watched tool, bound as this one is; None if somebody wrapped the wrapper."""
        if tool is self.wrapper:
            return self.tool
        if isinstance(tool, MethodType) and tool.__func__ is self.wrapper:
            return MethodType(self.tool, tool.__self__)
        return None


def _watched_by(tool: object, workspace: Workspace) -> _Watched | None:
    """The attribute of a tool that the workspace's store watches; None for other tools."""
    known = getattr(tool, WATCHED, None)
    return (
        known
        if isinstance(known, _Watched)
        and known.watch.workspace.store is workspace.store
        else None
    )


def watched(tool: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """The tool, observed.

    A tool that this store watches already is not watched twice. It is returned if
    nothing changes; else the tool inside it is watched in the new way. Its name, its
    failure rule and, for the same engine, its session stay where none is given. A
    wrapper that somebody put around a watched tool stays.
    """
    if not callable(tool):
        raise InvalidInput("tool", f"must be callable, not {type(tool).__name__}")
    known = _watched_by(tool, watch.workspace)
    if known is None:
        return _wrapped(watch.on(tool), tool)
    before = known.watch
    keeps_session = watch.session is None and before.workspace == watch.workspace
    watch = replace(
        watch,
        tool=watch.tool or before.tool,
        failure=watch.failure or before.failure,
        session=before.session if keeps_session else watch.session,
    )
    if before == replace(watch, signature=before.signature, places=before.places):
        return tool
    inside = known.inside(tool) or tool
    return _wrapped(watch.on(inside), inside)


class WatchedStepTool:
    """A tool as a skill's step calls it: watched, with its rule for failed results.

    A tool that this store watches already keeps its name and its rule, and each call is
    recorded once.
    """

    def __init__(
        self,
        workspace: Workspace,
        name: str,
        tool: Callable[..., Any],
        session: str | None,
    ) -> None:
        known = _watched_by(tool, workspace)
        watch = Watch(workspace=workspace, tool=name) if known is None else known.watch
        own = watch if session is None else replace(watch, session=session)
        self.call = watched(tool, own)
        self._rule = watch.failure or reported_failure

    def failure(self, result: object) -> str | None:
        """The failure that a result reports, if any; a rule that raises sees none."""
        problem = failure_of(result, self._rule)
        return None if problem is None else text_of(problem)


def _wrapped(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    """A wrapper of the tool's kind, with everything that a reader of the tool may look
    at.
    """
    call = _wrapper(watch, tool)
    functools.update_wrapper(call, tool)
    if not hasattr(tool, "__name__"):
        call.__name__ = call.__qualname__ = watch.tool
    if call.__doc__ is None:
        call.__doc__ = getattr(tool, "__doc__", None)
    for name in dir(
        type(tool)
    ):  # such as a cache's `cache_clear`, or an object's methods
        if not name.startswith("_") and not hasattr(call, name):
            with suppress(Exception):  # a property may raise
                setattr(call, name, getattr(tool, name))
    if watch.signature is not None:
        call.__signature__ = watch.signature  # type: ignore[attr-defined]
    setattr(call, WATCHED, _Watched(watch, tool, call))
    return call


def _wrapper(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    called = (
        tool
        if inspect.isroutine(tool) or isinstance(tool, functools.partial | type)
        else type(tool).__call__
    )
    if inspect.isasyncgenfunction(called):
        return _async_generator(watch, tool)
    if inspect.iscoroutinefunction(called):
        return _coroutine(watch, tool)
    return (
        _generator(watch, tool)
        if inspect.isgeneratorfunction(called)
        else _function(watch, tool)
    )


def _function(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Any:
        invocation = Invocation(watch, given, named)
        result = _begun(tool, invocation)
        if inspect.iscoroutine(result):
            return _awaited(result, invocation)
        return invocation.ended(result)

    return call


def _begun(tool: Callable[..., Any], invocation: Invocation) -> Any:
    """The result of a call; one that does not fit the tool's signature fails here, for
    every kind of tool.
    """
    try:
        return tool(*invocation.given, **invocation.named)
    except Exception as error:
        invocation.ended(error=error)
        raise


async def _awaited(result: Any, invocation: Invocation) -> Any:
    try:
        value = await result
    except Exception as error:
        await invocation.ended_async(error=error)
        raise
    return await invocation.ended_async(value)


def _coroutine(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*given: Any, **named: Any) -> Any:
        invocation = Invocation(watch, given, named)
        return await _awaited(_begun(tool, invocation), invocation)

    return call


def _generator(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Generator[Any, Any, Any]:
        invocation = Invocation(watch, given, named)
        try:
            result = yield from tool(*given, **named)
        except GeneratorExit:
            invocation.ended()  # its caller had enough: that is no failure
            raise
        except Exception as error:
            invocation.ended(error=error)
            raise
        return invocation.ended(result)

    return call


def _async_generator(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*given: Any, **named: Any) -> AsyncGenerator[Any, Any]:
        invocation = Invocation(watch, given, named)
        inner = _begun(tool, invocation)
        try:
            value = await anext(inner)
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    raise
                except BaseException as thrown:  # noqa: BLE001 - the tool handles what its caller throws in
                    value = await inner.athrow(thrown)
                else:
                    value = await inner.asend(sent)
        except StopAsyncIteration:
            await invocation.ended_async()
        except GeneratorExit:
            await inner.aclose()
            invocation.ended()
            raise
        except Exception as error:
            await invocation.ended_async(error=error)
            raise

    return call
