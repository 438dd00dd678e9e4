"""`watch(tool)`: the same tool, observed. Its result, exception, signature, name and docstring stay as they are.

Functions, methods, partials and objects with ``__call__`` are wrapped as what they are: a coroutine function stays one,
a generator streams as before and is judged when it ends. What was cancelled or interrupted is not learned from. If
writing down fails, that is a warning in the log and nothing else.
"""

from __future__ import annotations

import functools
import inspect
import logging
from dataclasses import dataclass, replace
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar, cast

from hexad.errors import InvalidInput
from hexad.learning.evidence import Recorder
from hexad.learning.outcome import ADVICE, ADVISED, is_cancellation, outcome_of
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Mapping

    from hexad.learning.outcome import FailureRule
    from hexad.memory.keeper import Keeper
    from hexad.model import Learning

T = TypeVar("T")
MARK: Final = "__hexad_watched__"
_LONGEST_NAME: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """How one tool is watched."""

    keeper: Keeper
    tool: str
    signature: inspect.Signature | None
    session: str | None
    failure: FailureRule | None
    advise: bool

    @classmethod
    def of(
        cls,
        keeper: Keeper,
        tool: Callable[..., Any],
        name: str | None,
        session: str | None,
        failure: FailureRule | None,
        *,
        advise: bool,
    ) -> Watch:
        """How a tool is to be watched; one that is given no name has its own."""
        return cls(
            keeper=keeper,
            tool=name_of(tool) if name is None else name,
            signature=_signature(tool),
            session=session,
            failure=failure,
            advise=advise,
        )

    def returned(self, given: tuple[Any, ...], named: Mapping[str, Any], result: Any) -> Any:
        """Write down a call that returned; its result, with advice where it reports a failure and that is wanted."""
        learning = self._recorded(given, named, result=result)
        return _advised_result(result, learning) if self._to_tell(learning) else result

    def raised(self, given: tuple[Any, ...], named: Mapping[str, Any], error: Exception) -> None:
        """Write down a call that raised."""
        if not is_cancellation(error):
            learning = self._recorded(given, named, error=error)
            if learning is not None and self._to_tell(learning):
                _advise_error(error, learning)

    def _to_tell(self, learning: Learning | None) -> bool:
        return self.advise and learning is not None and learning.trusted

    def _recorded(self, given: tuple[Any, ...], named: Mapping[str, Any], **came: Any) -> Learning | None:
        try:
            arguments = _bound(self.signature, given, named)
            outcome = outcome_of(self.tool, arguments=arguments, session=self.session, failure=self.failure, **came)
            return Recorder(self.keeper).record(outcome, tell=False, advise=self.advise)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong here, the tool's caller gets what the tool gave
            warn(self.tool, error)
            return None


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


def unwatched(tool: Callable[..., Any], keeper: Keeper) -> tuple[Callable[..., Any], Watch | None]:
    """What is inside a tool that the keeper's store watches, and how it is watched.

    The tool itself where nothing can be taken off: what others put around it, or a tool that gives advice.
    """
    mark = getattr(tool, MARK, None)
    if not isinstance(mark, _Mark) or mark.watch.keeper.store is not keeper.store:
        return tool, None
    inside = None if mark.watch.advise else mark.inside(tool)
    return inside or tool, mark.watch


def warn(tool: str, error: Exception) -> None:
    """Say in the log that a call could not be written down; an error that cannot tell itself is named."""
    try:
        reason = redact(f"{type(error).__name__}: {error}").text
    except Exception:  # noqa: BLE001 - likewise
        reason = type(error).__name__
    logging.getLogger("hexad").warning("a call of %s was not recorded: %s", tool, reason)


def watched(
    keeper: Keeper,
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
    before = mark.watch if isinstance(mark, _Mark) and mark.watch.keeper.store is keeper.store else None
    if mark is None or before is None:
        return _watched(Watch.of(keeper, tool, name, session, failure, advise=advise), tool)
    name = before.tool if name is None else name
    failure = before.failure if failure is None else failure
    session = before.session if session is None and before.keeper == keeper else session
    if before == replace(before, keeper=keeper, tool=name, session=session, failure=failure, advise=advise):
        return tool
    watch = Watch.of(keeper, mark.inside(tool) or tool, name, session, failure, advise=advise)
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
        return cast("T", watch.returned(given, named, result))

    return call


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
        watch.raised(given, named, error)
        raise
    return watch.returned(given, named, value)


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
            watch.returned(given, named, None)
        except GeneratorExit:
            await inner.aclose()
            watch.returned(given, named, None)
            raise
        except Exception as error:
            watch.raised(given, named, error)
            raise

    return call


def _dressed(call: Callable[..., Any], tool: Callable[..., Any], watch: Watch) -> Callable[..., Any]:
    """The wrapper with everything that a reader of the tool may look at."""
    functools.update_wrapper(call, tool)
    if not hasattr(tool, "__name__"):
        call.__name__ = call.__qualname__ = watch.tool
    if call.__doc__ is None:
        call.__doc__ = getattr(tool, "__doc__", None)
    if watch.signature is not None:
        call.__signature__ = watch.signature  # type: ignore[attr-defined]
    setattr(call, MARK, _Mark(watch, tool, call))
    return call


def _signature(tool: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(tool)
    except (ValueError, TypeError):  # some functions that are written in C have none
        return None


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


# --- advice ---------------------------------------------------------------------------------------------------------


def _advice(learning: Learning) -> str:
    return ADVICE.format(trust=learning.trust, fix=" ".join(learning.fix.split()))


def _advise_error(error: Exception, learning: Learning) -> None:
    """Put the fix behind what the error says, wherever its message is kept; a note if that cannot be told.

    An error that was advised before, when it was raised or inside of another tool, stays as it is.
    """
    advice = _advice(learning)
    try:
        if ADVISED.search("\n".join((str(error), *getattr(error, "__notes__", ())))):
            return
        if isinstance(error, OSError) and isinstance(error.strerror, str):
            error.strerror += advice
        elif error.args and isinstance(error.args[0], str):
            error.args = (error.args[0] + advice, *error.args[1:])
        elif not error.args:
            error.args = (advice.strip(),)
        if learning.fix not in str(error):
            error.add_note(advice.strip())
    except Exception as trouble:  # noqa: BLE001 - the error goes on as it was
        warn(learning.trigger, trouble)


def _advised_result(result: Any, learning: Learning | None) -> Any:
    """A copy of an error dict with the fix in its message, or beside it."""
    if learning is None or not isinstance(result, dict):
        return result
    said = next((name for name in ("error", "message", "detail", "stderr") if isinstance(result.get(name), str)), None)
    if said is None:
        return {**result, "known_fix": _advice(learning).strip()}
    return {**result, said: result[said] + _advice(learning)}
