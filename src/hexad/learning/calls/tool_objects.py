"""`watch` for tools that are objects, as Google ADK has them, and for objects that list such tools.

A tool has a ``name`` and an async ``run_async(args=…, tool_context=…)``; a toolset has an async ``get_tools``. A
watched object is a copy whose class is a subclass of the original's, so that a look at its type shows what it was.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import InvalidInput
from hexad.learning.calls.watching import WATCHED, Invocation, Watch
from hexad.learning.outcome import reported_failure
from hexad.memory.admission import label

if TYPE_CHECKING:
    from collections.abc import Callable

_CALL, _LISTING = "run_async", "get_tools"
_PENDING: Final = frozenset(
    {"pending", "running", "in_progress", "in-progress", "processing", "waiting", "started", "submitted", "queued"}
)


def is_tool(tool: object) -> bool:
    """Whether an object is a tool."""
    return isinstance(getattr(tool, "name", None), str) and _has_method(tool, _CALL)


def is_tool_or_list(tool: object) -> bool:
    """Whether an object is a tool or lists tools; a function is neither."""
    return not callable(tool) and (is_tool(tool) or _has_method(tool, _LISTING))


def _has_method(tool: object, name: str) -> bool:
    return inspect.iscoroutinefunction(getattr(tool, name, None))


def is_in_progress(result: object) -> bool:
    """Whether a result only says that something has begun, or how far it is."""
    status = result.get("status") if isinstance(result, Mapping) else None
    return not result or (isinstance(status, str) and status.casefold() in _PENDING)


def is_outcome(tool: object, tool_context: object, result: object) -> bool:
    """Whether a result is the outcome of a call: not of one that a person has to confirm, nor of one that goes on.

    A long-running tool returns a ticket or the like, unless it fails at once; its outcome comes later.
    """
    long_running = bool(getattr(tool, "is_long_running", False))
    pending = long_running and (is_in_progress(result) or reported_failure(result) is None)
    return not pending and not _awaits_person(tool_context)


def _awaits_person(tool_context: object) -> bool:
    """Whether the call was not made: a person has to confirm it or sign in, or has refused it."""
    actions, answer = getattr(tool_context, "actions", None), getattr(tool_context, "tool_confirmation", None)
    asked = ("requested_tool_confirmations", "requested_auth_configs")
    return any(getattr(actions, name, None) for name in asked) or getattr(answer, "confirmed", None) is False


def watched_object(tool: Any, watch: Watch) -> Any:
    """A copy of the tool, or of the list of tools, that is observed; one that this store watches already stays."""
    if watches(tool, watch.workspace.store):
        return tool
    changed = copy.copy(tool)
    kind: type = type(tool)
    changed.__class__ = _observed(kind, _LISTING if _has_method(tool, _LISTING) else _CALL)
    changed.__dict__[WATCHED] = WatchedObject(watch)
    return changed


@dataclass(frozen=True, slots=True)
class WatchedObject:
    """An attribute of a watched tool object: its watch."""

    watch: Watch


def watches(tool: object, store: object) -> bool:
    """Whether this store already records the calls of the tool, or of the function inside it."""
    held = [getattr(each, WATCHED, None) for each in (tool, getattr(tool, "func", None))]
    return any(known.watch.workspace.store is store for known in held if known is not None)


@functools.cache
def _observed(kind: type, method: str) -> type:
    """The class of a tool or of a list of tools, with its calls or each of its tools observed."""
    replacement = _observed_call(kind) if method == _CALL else _observed_listing(kind)
    return type(kind.__name__, (kind,), {method: replacement, "__module__": kind.__module__, "__doc__": kind.__doc__})


def _observed_call(kind: Any) -> Callable[..., Any]:
    async def run_async(self: Any, **named: Any) -> Any:
        context = named["tool_context"]
        invocation = Invocation(_at_call(self, context), (), named["args"])
        try:
            result = await kind.run_async(self, **named)
        except Exception as error:
            await invocation.ended_async(error=error)
            raise
        return await invocation.ended_async(result) if is_outcome(self, context, result) else result

    return run_async


def _observed_listing(kind: Any) -> Callable[..., Any]:
    async def get_tools(self: Any, *given: Any, **named: Any) -> list[Any]:
        watch = replace(self.__dict__[WATCHED].watch, tool="")
        tools = await kind.get_tools(self, *given, **named)
        return [watched_object(tool, watch) if is_tool(tool) else tool for tool in tools]

    return get_tools


def _at_call(tool: Any, context: object) -> Watch:
    """The watch with the name that the tool has now, which a list of tools may prefix, and with the call's session."""
    watch: Watch = tool.__dict__[WATCHED].watch
    return replace(watch, tool=watch.tool or tool.name, session=watch.session or _session_of(context))


def _session_of(context: object) -> str | None:
    """The id of the framework's session, if it can be one of ours."""
    try:
        return label("session", getattr(getattr(context, "session", None), "id", None)) or None
    except InvalidInput:
        return None
