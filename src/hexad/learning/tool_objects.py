"""`watch` for the tools of agent frameworks, which are objects rather than functions.

A tool object has a ``name`` and an async ``run_async(args=…, tool_context=…)``; a toolset has an async ``get_tools``.
That is how ADK's tools look, whether they wrap a function, run long, or stand for a tool of an MCP server. The watched
one is a copy whose class is a subclass of its own, so that whoever looks at its type sees what it was. The session of a
call is the one that its context names.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import InvalidInput
from hexad.learning.outcome import reported_failure
from hexad.learning.watching import MARK, Watch
from hexad.memory.admission import label

if TYPE_CHECKING:
    from hexad.learning.outcome import FailureRule
    from hexad.memory.workspace import Workspace

_PENDING: Final = frozenset(
    {"pending", "running", "in_progress", "in-progress", "processing", "waiting", "started", "submitted", "queued"}
)


def is_tool_object(tool: object) -> bool:
    """Whether it is a tool object or a toolset; what can be called is a tool as it is."""
    return not callable(tool) and (_is_tool(tool) or _is_toolset(tool))


def watched_object(
    workspace: Workspace,
    tool: Any,
    *,
    name: str | None,
    session: str | None,
    failure: FailureRule | None,
    advise: bool,
) -> Any:
    """A copy of the tool or toolset that is observed; one that this store watches already comes back as it is."""
    if failure is not None and not callable(failure):
        raise InvalidInput("failure", "must be a function from a result to what it says of its failure, or None")
    if watches(tool, workspace.store):
        return tool
    watch = Watch.of(workspace, tool, name or "", session, failure, advise=advise)
    changed = copy.copy(tool)
    kind: type = type(tool)
    changed.__class__ = _observed_toolset(kind) if _is_toolset(tool) else _observed_tool(kind)
    changed.__dict__[MARK] = ObjectMark(watch)
    return changed


@dataclass(frozen=True, slots=True)
class ObjectMark:
    """What a watched tool object carries."""

    watch: Watch


def watches(tool: object, store: object) -> bool:
    """Whether the store's own watch is on the tool, or on the function inside it: then nobody else need record it."""
    marks = [getattr(each, MARK, None) for each in (tool, getattr(tool, "func", None))]
    watched_by = [mark.watch.workspace.store for mark in marks if mark is not None]
    return any(each is store for each in watched_by)


def is_pending(tool: object, result: object) -> bool:
    """Whether what a long-running tool returned is not its outcome: that comes later, unless it failed at once."""
    return bool(getattr(tool, "is_long_running", False)) and (is_under_way(result) or reported_failure(result) is None)


def is_under_way(result: object) -> bool:
    """Whether a result only says that something has begun, or how far it is."""
    status = result.get("status") if isinstance(result, Mapping) else None
    return not result or (isinstance(status, str) and status.casefold() in _PENDING)


def _is_tool(tool: object) -> bool:
    return isinstance(getattr(tool, "name", None), str) and inspect.iscoroutinefunction(
        getattr(tool, "run_async", None)
    )


def _is_toolset(tool: object) -> bool:
    return inspect.iscoroutinefunction(getattr(tool, "get_tools", None))


@functools.cache
def _observed_tool(kind: type) -> type:
    """The tool's class, its calls observed. The name is asked for at each call: a toolset may prefix it later."""

    async def run_async(self: Any, *, args: dict[str, Any], tool_context: Any) -> Any:
        watch = _at_call(self, tool_context)
        try:
            result = await kind.run_async(self, args=args, tool_context=tool_context)  # type: ignore[attr-defined]
        except Exception as error:
            await _aside(watch.raised, (), args, error)
            raise
        if is_pending(self, result) or awaits_a_person(tool_context):
            return result
        return await _aside(watch.returned, (), args, result)

    return type(
        kind.__name__, (kind,), {"run_async": run_async, "__module__": kind.__module__, "__doc__": kind.__doc__}
    )


@functools.cache
def _observed_toolset(kind: type) -> type:
    """The toolset's class, each of its tools observed."""

    async def get_tools(self: Any, readonly_context: Any = None) -> list[Any]:
        tools = await kind.get_tools(self, readonly_context)  # type: ignore[attr-defined]
        watch: Watch = self.__dict__[MARK].watch
        return [_watched_alike(watch, tool) if _is_tool(tool) else tool for tool in tools]

    return type(
        kind.__name__, (kind,), {"get_tools": get_tools, "__module__": kind.__module__, "__doc__": kind.__doc__}
    )


def _watched_alike(watch: Watch, tool: Any) -> Any:
    return watched_object(
        watch.workspace, tool, name=None, session=watch.session, failure=watch.failure, advise=watch.advise
    )


def awaits_a_person(tool_context: Any) -> bool:
    """Whether the call was not made: a person has to confirm it or sign in, or has refused it."""
    actions, answer = getattr(tool_context, "actions", None), getattr(tool_context, "tool_confirmation", None)
    asked = ("requested_tool_confirmations", "requested_auth_configs")
    return any(getattr(actions, name, None) for name in asked) or getattr(answer, "confirmed", None) is False


def _at_call(tool: Any, tool_context: Any) -> Watch:
    watch: Watch = tool.__dict__[MARK].watch
    session = watch.session if watch.session is not None else _session_of(tool_context)
    return replace(watch, tool=watch.tool or tool.name, session=session)


def _session_of(tool_context: Any) -> str | None:
    """The session that the framework's context names, if it can be one of ours."""
    try:
        return label("session", getattr(getattr(tool_context, "session", None), "id", None)) or None
    except InvalidInput:
        return None


async def _aside(call: Any, *given: Any) -> Any:
    """In a thread: frameworks with tool objects run many conversations in one event loop, and a write may wait."""
    import asyncio  # noqa: PLC0415 - only who runs one needs it

    return await asyncio.to_thread(call, *given)
