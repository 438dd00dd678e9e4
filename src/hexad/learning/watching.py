"""`watch(tool)`: the same tool, observed. Its result, exception, signature, name and docstring stay as they are.

Functions, methods, partials and objects with ``__call__`` are wrapped as what they are: a coroutine function stays one,
a generator streams as before and is judged when it ends. What was cancelled or interrupted is not learned from. If
writing down fails, that is a warning in the log and nothing else.
"""

from __future__ import annotations

import functools
import inspect
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

from hexad.errors import InvalidInput, StoreBusy
from hexad.learning.advice import advise_error, advised_result, warn
from hexad.learning.call_scope import recording_workspace
from hexad.learning.offers import PATIENCE
from hexad.learning.outcome import Passing, is_cancellation, outcome_of
from hexad.learning.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Mapping
    from contextvars import Context

    from hexad.learning.outcome import FailureRule
    from hexad.memory.workspace import Workspace
    from hexad.model import Learning

T = TypeVar("T")
MARK: Final = "__hexad_watched__"
_LONGEST_NAME: Final = 200
_AT_ONCE: Final = 0.01  # seconds that an event loop is held up at most for other writers


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How one tool is watched."""

    workspace: Workspace
    tool: str
    signature: inspect.Signature | None
    places: tuple[str, ...] | None  # names of the arguments that may be given by place, if that is all there is to it
    session: str | None
    failure: FailureRule | None
    advise: bool

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        tool: Callable[..., Any],
        name: str | None,
        session: str | None,
        failure: FailureRule | None,
        *,
        advise: bool,
    ) -> Watch:
        """How a tool is to be watched; one that is given no name has its own."""
        signature = _signature(tool)
        return cls(
            workspace=workspace,
            tool=name_of(tool) if name is None else name,
            signature=signature,
            places=_places(signature),
            session=session,
            failure=failure,
            advise=advise,
        )

    def returned(self, given: tuple[Any, ...], named: Mapping[str, Any], result: Any) -> Any:
        """Write down a call that returned; its result, with advice where it reports a failure and that is wanted."""
        return self._answer(result, self._recorded(given, named, result=result))

    def raised(self, given: tuple[Any, ...], named: Mapping[str, Any], error: Exception) -> None:
        """Write down a call that raised."""
        if not is_cancellation(error):
            self._advise(error, self._recorded(given, named, error=error))

    async def returned_async(self, given: tuple[Any, ...], named: Mapping[str, Any], result: Any) -> Any:
        """As `returned`, without holding up the event loop where other writers do."""
        return self._answer(result, await self._recorded_async(given, named, result=result))

    async def raised_async(self, given: tuple[Any, ...], named: Mapping[str, Any], error: Exception) -> None:
        """As `raised`, likewise."""
        if not is_cancellation(error):
            self._advise(error, await self._recorded_async(given, named, error=error))

    def settled(self, given: tuple[Any, ...], named: Mapping[str, Any], future: Any) -> None:
        """Write down a call that returned a future, which is done now."""
        try:
            error = None if future.cancelled() else future.exception()
            if isinstance(error, Exception):
                self.raised(given, named, error)
            elif error is None and not future.cancelled():
                self.returned(given, named, future.result())
        except Exception as trouble:  # noqa: BLE001 - somebody's future; whoever waits for it gets what it holds
            warn(self.tool, trouble)

    def _answer(self, result: Any, learning: Learning | None) -> Any:
        return advised_result(result, learning) if self._to_tell(learning) else result

    def _advise(self, error: Exception, learning: Learning | None) -> None:
        if learning is not None and self._to_tell(learning):
            advise_error(error, learning)

    def _named(self, given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by name; also those of a call that the signature does not admit, as far as they have a place."""
        if self.places is None or len(given) > len(self.places):
            return _bound(self.signature, given, named)
        return {**dict(zip(self.places, given, strict=False)), **named}

    def _to_tell(self, learning: Learning | None) -> bool:
        return self.advise and learning is not None and learning.trusted

    def _recorded(self, given: tuple[Any, ...], named: Mapping[str, Any], **came: Any) -> Learning | None:
        try:
            return self._record(given, named, PATIENCE, came)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong here, the tool's caller gets what the tool gave
            warn(self.tool, error)
            return None

    async def _recorded_async(self, given: tuple[Any, ...], named: Mapping[str, Any], **came: Any) -> Learning | None:
        """Written down at once if nobody else writes just then, else by another thread."""
        try:
            return self._record(given, named, _AT_ONCE, came)
        except StoreBusy:
            return await _in_a_thread(partial(self._recorded, given, named, **came))
        except Exception as error:  # noqa: BLE001 - likewise
            warn(self.tool, error)
            return None

    def _record(
        self, given: tuple[Any, ...], named: Mapping[str, Any], patience: float, came: Mapping[str, Any]
    ) -> Learning | None:
        workspace = recording_workspace(self.workspace)
        if workspace is None or isinstance(came.get("result"), Passing):
            return None
        arguments = self._named(given, named)
        outcome = outcome_of(self.tool, arguments=arguments, session=self.session, failure=self.failure, **came)
        return Recorder(workspace).record(outcome, tell=False, advise=self.advise, patience=patience)


async def _in_a_thread(work: Callable[[], T]) -> T:
    """What a piece of work gives, without holding up the event loop; one that is not asyncio's waits."""
    import asyncio  # noqa: PLC0415 - whoever awaits this has it

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    return await asyncio.to_thread(work)


class _Mark(NamedTuple):
    """What a wrapper carries. `functools.wraps` copies it onto other functions, so it says whose it is."""

    watch: Watch
    tool: Callable[..., Any]
    wrapper: Callable[..., Any]

    def inside(self, tool: Callable[..., Any]) -> Callable[..., Any] | None:
        """The tool that was watched, bound as this one is; None for what somebody put around the wrapper."""
        if tool is self.wrapper:
            return self.tool
        if isinstance(tool, MethodType) and tool.__func__ is self.wrapper:
            return MethodType(self.tool, tool.__self__)
        return None


def unwatched(tool: Callable[..., Any], workspace: Workspace) -> tuple[Callable[..., Any], Watch | None]:
    """What is inside a tool that the workspace's store watches, and how it is watched.

    The tool itself where nothing can be taken off: what others put around it, or a tool that gives advice.
    """
    mark = getattr(tool, MARK, None)
    if not isinstance(mark, _Mark) or mark.watch.workspace.store is not workspace.store:
        return tool, None
    inside = None if mark.watch.advise else mark.inside(tool)
    return inside or tool, mark.watch


def watched(
    workspace: Workspace,
    tool: Callable[..., Any],
    *,
    name: str | None,
    session: str | None,
    failure: FailureRule | None,
    advise: bool,
) -> Callable[..., Any]:
    """The tool, observed.

    One that this store watches already is not watched twice: it comes back as it is if it is watched in the same way,
    else what is inside is watched in the new way. Its name, its failure rule and, for the same engine, its session
    stay where none is given. What others put around a watched tool is never taken off.
    """
    if not callable(tool):
        raise InvalidInput("tool", f"must be callable, not {type(tool).__name__}")
    if failure is not None and not callable(failure):
        raise InvalidInput("failure", "must be a function from a result to what it says of its failure, or None")
    mark = getattr(tool, MARK, None)
    before = mark.watch if isinstance(mark, _Mark) and mark.watch.workspace.store is workspace.store else None
    if mark is None or before is None:
        return _watched(Watch.of(workspace, tool, name, session, failure, advise=advise), tool)
    name = before.tool if name is None else name
    failure = before.failure if failure is None else failure
    session = before.session if session is None and before.workspace == workspace else session
    if before == replace(before, workspace=workspace, tool=name, session=session, failure=failure, advise=advise):
        return tool
    watch = Watch.of(workspace, mark.inside(tool) or tool, name, session, failure, advise=advise)
    return _watched(watch, mark.inside(tool) or tool)


def _watched(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    return _dressed(_wrapper(watch, tool), tool, watch)


def name_of(tool: Callable[..., Any]) -> str:
    """What a tool is called.

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


def _wrapper(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    called = tool if inspect.isroutine(tool) or isinstance(tool, functools.partial | type) else type(tool).__call__
    if inspect.isasyncgenfunction(called):
        return _async_generator(watch, tool)
    if inspect.iscoroutinefunction(called):
        return _coroutine(watch, tool)
    return _generator(watch, tool) if inspect.isgeneratorfunction(called) else _function(watch, tool)


def _function(watch: Watch, tool: Callable[..., T]) -> Callable[..., T]:
    def call(*given: Any, **named: Any) -> T:
        result = _begun(watch, tool, given, named)
        if inspect.iscoroutine(result):
            return cast("T", _awaited(watch, result, given, named))
        if _is_future(result):
            cast("Any", result).add_done_callback(partial(_settled, copy_context(), watch, given, named))
            return result
        return cast("T", watch.returned(given, named, result))

    return call


def _settled(where: Context, watch: Watch, given: tuple[Any, ...], named: Mapping[str, Any], future: Any) -> None:
    """A future may be done in any thread; its call was made where it was made."""
    where.run(watch.settled, given, named, future)


def _is_future(result: object) -> bool:
    """Whether a result is a promise of one, as asyncio and executors give them."""
    kind = type(result)
    return all(
        callable(getattr(kind, name, None)) for name in ("add_done_callback", "exception", "cancelled", "result")
    )


def _begun(watch: Watch, tool: Callable[..., T], given: tuple[Any, ...], named: Mapping[str, Any]) -> T:
    """What a call returns; one that the tool's signature does not admit fails here, whatever kind of tool it is."""
    try:
        return tool(*given, **named)
    except Exception as error:
        watch.raised(given, named, error)
        raise


async def _awaited(watch: Watch, result: Any, given: tuple[Any, ...], named: Mapping[str, Any]) -> Any:
    """A function that is no coroutine function gave a coroutine: what it comes to is the call's outcome."""
    try:
        value = await result
    except Exception as error:
        await watch.raised_async(given, named, error)
        raise
    return await watch.returned_async(given, named, value)


def _coroutine(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*given: Any, **named: Any) -> Any:
        return await _awaited(watch, _begun(watch, tool, given, named), given, named)

    return call


def _generator(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Generator[Any, Any, Any]:
        try:
            result = yield from tool(*given, **named)
        except GeneratorExit:
            watch.returned(given, named, None)  # its caller had enough: that is no failure
            raise
        except Exception as error:
            watch.raised(given, named, error)
            raise
        return watch.returned(given, named, result)

    return call


def _async_generator(watch: Watch, tool: Callable[..., Any]) -> Callable[..., Any]:
    async def call(*given: Any, **named: Any) -> AsyncGenerator[Any, Any]:
        inner = _begun(watch, tool, given, named)
        try:
            value = await anext(inner)
            while True:
                try:
                    sent = yield value
                except GeneratorExit:
                    raise
                except BaseException as thrown:  # noqa: BLE001 - what its caller throws in is the tool's to handle
                    value = await inner.athrow(thrown)
                else:
                    value = await inner.asend(sent)
        except StopAsyncIteration:
            await watch.returned_async(given, named, None)
        except GeneratorExit:
            await inner.aclose()
            watch.returned(given, named, None)
            raise
        except Exception as error:
            await watch.raised_async(given, named, error)
            raise

    return call


def _dressed(call: Callable[..., Any], tool: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """The wrapper with everything that a reader of the tool may look at."""
    functools.update_wrapper(call, tool)
    if not hasattr(tool, "__name__"):
        call.__name__ = call.__qualname__ = watch.tool
    if call.__doc__ is None:
        call.__doc__ = getattr(tool, "__doc__", None)
    _keep_attributes(call, tool)
    if watch.signature is not None:
        call.__signature__ = watch.signature  # type: ignore[attr-defined]
    setattr(call, MARK, _Mark(watch, tool, call))
    return call


def _keep_attributes(call: Callable[..., Any], tool: Callable[..., Any]) -> None:
    """What a tool has beside its call, such as a cache's `cache_clear` or an object's methods."""
    for name in dir(type(tool)):
        if not name.startswith("_") and not hasattr(call, name):
            with suppress(Exception):  # a property may raise
                setattr(call, name, getattr(tool, name))


def _signature(tool: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(tool)
    except (ValueError, TypeError):  # some functions that are written in C have none
        return None


def _places(signature: inspect.Signature | None) -> tuple[str, ...] | None:
    """The arguments that may be given by place; None where names and places do not tell all, or for a method's own."""
    known = signature.parameters if signature is not None else {}
    plain = {inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY}
    if not {each.kind for each in known.values()} <= plain or next(iter(known), "self") in {"self", "cls"}:
        return None
    return tuple(name for name, each in known.items() if each.kind is not inspect.Parameter.KEYWORD_ONLY)


def _bound(signature: inspect.Signature | None, given: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by name, without the object that a method was called on."""
    try:
        bound = signature.bind(*given, **named) if signature is not None else None
    except TypeError:  # the call itself failed for it
        bound = None
    if signature is None or bound is None:
        return {**{f"argument {place}": value for place, value in enumerate(given, start=1)}, **named}
    found: dict[str, Any] = {}
    for place, (name, value) in enumerate(bound.arguments.items()):
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            found.update(value)
        elif not (place == 0 and name in {"self", "cls"}):
            found[name] = value
    return found
