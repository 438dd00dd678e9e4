"""`watch(tool)`: the same tool, observed. Its result, exception, signature, name and docstring stay as they are.

Functions, methods, partials and objects with ``__call__`` keep their kind: a coroutine function stays one, a generator
streams as before and is recorded when it ends. A cancelled or interrupted call is not recorded. If recording fails,
that is a warning in the log and nothing else. The steps of a skill call tools through `StepTool`.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import suppress
from dataclasses import dataclass, replace
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from hexad.errors import InvalidInput, StoreBusy
from hexad.learning.calls.call_scope import note_watched, recording_workspace
from hexad.learning.errors.text import advise_error, advised_result, text_of, warn
from hexad.learning.offers import PATIENCE
from hexad.learning.outcome import failure_of, outcome_of, reported_failure, says_nothing
from hexad.learning.recorder import record

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Mapping

    from hexad.learning.outcome import FailureRule
    from hexad.memory.workspace import Workspace
    from hexad.model import Learning

T = TypeVar("T")
WATCHED: Final = "__hexad_watched__"
_LONGEST_NAME: Final = 200
_OWN: Final = frozenset({"self", "cls"})
Places: TypeAlias = tuple[tuple[str, ...], str]  # names of the arguments by place, and of those that are left
_AT_ONCE: Final = 0.01  # seconds for which an event loop may be blocked by other writers


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
            raise InvalidInput("failure", "must be a function from a result to a description of its failure, or None")

    def on(self, tool: Callable[..., Any]) -> Watch:
        """This watch with the tool's signature, and with its name if none is given."""
        signature = _signature(tool)
        return replace(self, tool=self.tool or name_of(tool), signature=signature, places=_places(signature))


class Invocation(NamedTuple):
    """One call of a watched tool, with its arguments as they were given."""

    watch: Watch
    given: tuple[Any, ...]
    named: Mapping[str, Any]

    def ended(self, result: Any = None, error: Exception | None = None) -> Any:
        """Record the call; return its result. A trusted fix is added to a failure, if advice is wanted."""
        return self._advised(result, error, self._recorded(result, error))

    async def ended_async(self, result: Any = None, error: Exception | None = None) -> Any:
        """Like `ended`, without blocking the event loop: another thread records it if others are writing."""
        try:
            learning = self._record(result, error, _AT_ONCE)
        except StoreBusy:
            learning = await _in_a_thread(lambda: self._recorded(result, error))
        except Exception as problem:  # noqa: BLE001 - as in `_recorded`
            warn(self.watch.tool, problem)
            return result
        return self._advised(result, error, learning)

    def _recorded(self, result: Any, error: Exception | None) -> Learning | None:
        try:
            return self._record(result, error, PATIENCE)
        except Exception as problem:  # noqa: BLE001 - the tool's caller gets what the tool gave, even if this fails
            warn(self.watch.tool, problem)
            return None

    def _record(self, result: Any, error: Exception | None, patience: float) -> Learning | None:
        watch, workspace = self.watch, recording_workspace(self.watch.workspace)
        if workspace is None or says_nothing(result, error):
            return None
        arguments = _by_name(watch.places, self.given, self.named)
        outcome = outcome_of(watch.tool, arguments, result, error, session=watch.session, failure=watch.failure)
        learning = record(workspace, outcome, fetch=False, advise=watch.advise, patience=patience)
        note_watched(workspace, watch.tool, arguments)
        return learning

    def _advised(self, result: Any, error: Exception | None, learning: Learning | None) -> Any:
        if not self.watch.advise or learning is None or not learning.trusted:
            return result
        if error is None:
            return advised_result(result, learning)
        advise_error(error, learning)
        return result


async def _in_a_thread(work: Callable[[], T]) -> T:
    """The result of a piece of work, without blocking asyncio's event loop; another event loop waits."""
    import asyncio  # noqa: PLC0415 - loads in 20 ms; a program without coroutines never gets here

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    return await asyncio.to_thread(work)


class _Watched(NamedTuple):
    """An attribute of a wrapper. It names that wrapper, because `functools.wraps` copies it onto other functions."""

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
    return known if isinstance(known, _Watched) and known.watch.workspace.store is workspace.store else None


def watched(tool: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """The tool, observed.

    A tool that this store watches already is not watched twice. It is returned if nothing changes; else the tool inside
    it is watched in the new way. Its name, its failure rule and, for the same engine, its session stay where none is
    given. A wrapper that somebody put around a watched tool stays.
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


class StepTool:
    """A tool as a skill's step calls it: watched, with its rule for failed results.

    A tool that this store watches already keeps its name and its rule, and each call is recorded once.
    """

    def __init__(self, workspace: Workspace, name: str, tool: Callable[..., Any], session: str | None) -> None:
        known = _watched_by(tool, workspace)
        watch = Watch(workspace=workspace, tool=name) if known is None else known.watch
        own = watch if session is None else replace(watch, session=session)
        self.call = watched(tool, own)
        self._rule = watch.failure or reported_failure

    def failure(self, result: object) -> str | None:
        """The failure that a result reports, if any; a rule that raises sees none."""
        problem = failure_of(result, self._rule)
        return None if problem is None else text_of(problem)


def name_of(tool: Callable[..., Any]) -> str:
    """The name of a tool.

    >>> name_of(len), name_of(functools.partial(sorted, reverse=True))
    ('len', 'sorted')
    """
    if isinstance(tool, functools.partial):
        return name_of(tool.func)
    for holder in (tool, type(tool)):
        for attribute in ("__name__", "name"):
            named = getattr(holder, attribute, None)
            if isinstance(named, str) and named.strip():
                return " ".join(named.split())[:_LONGEST_NAME]
    return "tool"


def _wrapped(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    """A wrapper of the tool's kind, with everything that a reader of the tool may look at."""
    call = _wrapper(watch, tool)
    functools.update_wrapper(call, tool)
    if not hasattr(tool, "__name__"):
        call.__name__ = call.__qualname__ = watch.tool
    if call.__doc__ is None:
        call.__doc__ = getattr(tool, "__doc__", None)
    for name in dir(type(tool)):  # such as a cache's `cache_clear`, or an object's methods
        if not name.startswith("_") and not hasattr(call, name):
            with suppress(Exception):  # a property may raise
                setattr(call, name, getattr(tool, name))
    if watch.signature is not None:
        call.__signature__ = watch.signature  # type: ignore[attr-defined]
    setattr(call, WATCHED, _Watched(watch, tool, call))
    return call


def _wrapper(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    called = tool if inspect.isroutine(tool) or isinstance(tool, functools.partial | type) else type(tool).__call__
    if inspect.isasyncgenfunction(called):
        return _async_generator(watch, tool)
    if inspect.iscoroutinefunction(called):
        return _coroutine(watch, tool)
    return _generator(watch, tool) if inspect.isgeneratorfunction(called) else _function(watch, tool)


def _function(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Any:
        invocation = Invocation(watch, given, named)
        result = _begun(tool, invocation)
        if inspect.iscoroutine(result):
            return _awaited(result, invocation)
        return invocation.ended(result)

    return call


def _begun(tool: Callable[..., Any], invocation: Invocation) -> Any:
    """The result of a call; one that does not fit the tool's signature fails here, for every kind of tool."""
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


def _signature(tool: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(tool)
    except (ValueError, TypeError):  # some functions written in C have none
        return None


def _places(signature: inspect.Signature | None) -> Places:
    known = [] if signature is None else [*signature.parameters.values()]
    names = tuple(each.name for each in known if each.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return names, next((each.name for each in known if each.kind is inspect.Parameter.VAR_POSITIONAL), "")


def _by_name(places: Places, given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, without the object of a method; also those of a call that does not fit the signature.

    `Signature.bind` takes ten times as long, and every watched call passes here.
    """
    names, rest = places
    found: dict[str, Any] = dict(zip(names, given, strict=False))
    if left := given[len(names) :]:
        found |= {rest: left} if rest else {f"argument {at}": each for at, each in enumerate(left, len(names) + 1)}
    if next(iter(found), "") in _OWN:
        del found[next(iter(found))]
    return {**found, **named}
