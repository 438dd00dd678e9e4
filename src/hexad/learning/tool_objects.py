"""`watch` for tools that are objects rather than functions, and for objects that list
such tools.

An adapter describes the tools of its framework by a `ToolObjectShape` and names it as
an entry point of the group `hexad.tool_objects`. A watched object is a copy whose class
is a subclass of the original's, so that a look at its type shows what it was.
"""

from __future__ import annotations

import copy
import functools
import inspect
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.errors import InvalidInput
from hexad.learning.watching import WATCHED, Invocation, Watch
from hexad.memory.admission import label

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_GROUP: Final = "hexad.tool_objects"


class ObjectCall(NamedTuple):
    """One call of a tool object: the tool's arguments, and the framework's session."""

    args: dict[str, Any]
    session: object


@dataclass(frozen=True, slots=True)
class ToolObjectShape:
    """How a framework's tool objects look: the coroutine methods that call one tool and
    list several, by name.

    ``read`` understands the keyword arguments of a call, ``is_outcome`` says whether a
    result is the call's outcome: a tool may still be running, or wait for a person.
    """

    call: str
    listing: str
    read: Callable[[Mapping[str, Any]], ObjectCall]
    is_outcome: Callable[[Any, Mapping[str, Any], Any], bool]

    def fits_tool(self, tool: object) -> bool:
        """Whether an object is such a tool."""
        named = isinstance(getattr(tool, "name", None), str)
        return named and inspect.iscoroutinefunction(getattr(tool, self.call, None))

    def fits_list(self, tool: object) -> bool:
        """Whether an object lists such tools."""
        return inspect.iscoroutinefunction(getattr(tool, self.listing, None))


def shape_of(tool: object) -> ToolObjectShape | None:
    """The shape of a tool object; None for functions, and for objects that no adapter
    knows.
    """
    if callable(tool):
        return None
    return next(
        (
            shape
            for shape in _shapes()
            if shape.fits_tool(tool) or shape.fits_list(tool)
        ),
        None,
    )


@functools.cache
def _shapes() -> list[ToolObjectShape]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - loads email: 20 ms, for tool objects alone

    return [entry.load() for entry in entry_points(group=_GROUP)]


def watched_object(tool: Any, watch: Watch, shape: ToolObjectShape) -> Any:
    """A copy of the tool, or of the list of tools, that is observed; one that this
    store watches already stays.
    """
    if watches(tool, watch.workspace.store):
        return tool
    changed = copy.copy(tool)
    kind: type = type(tool)
    changed.__class__ = (
        _observed_list(kind, shape)
        if shape.fits_list(tool)
        else _observed_tool(kind, shape)
    )
    changed.__dict__[WATCHED] = WatchedObject(watch)
    return changed


@dataclass(frozen=True, slots=True)
class WatchedObject:
    """An attribute of a watched tool object: its watch."""

    watch: Watch


def watches(tool: object, store: object) -> bool:
    """Whether this store already records the calls of the tool, or of the function
    inside it.
    """
    held = [
        getattr(each, WATCHED, None) for each in (tool, getattr(tool, "func", None))
    ]
    return any(
        known.watch.workspace.store is store for known in held if known is not None
    )


@functools.cache
def _observed_tool(kind: type, shape: ToolObjectShape) -> type:
    """The tool's class, its calls observed. The name is read at each call: a list of
    tools may prefix it later.
    """

    async def call(self: Any, **named: Any) -> Any:
        args, session = shape.read(named)
        invocation = Invocation(_at_call(self, session), (), args)
        try:
            result = await getattr(kind, shape.call)(self, **named)
        except Exception as error:
            await invocation.ended_async(error=error)
            raise
        return (
            await invocation.ended_async(result)
            if shape.is_outcome(self, named, result)
            else result
        )

    return _subclass(kind, shape.call, call)


@functools.cache
def _observed_list(kind: type, shape: ToolObjectShape) -> type:
    """The class of a list of tools, each of them observed."""

    async def listing(self: Any, *given: Any, **named: Any) -> list[Any]:
        watch = replace(self.__dict__[WATCHED].watch, tool="")
        tools = await getattr(kind, shape.listing)(self, *given, **named)
        return [
            watched_object(tool, watch, shape) if shape.fits_tool(tool) else tool
            for tool in tools
        ]

    return _subclass(kind, shape.listing, listing)


def _subclass(kind: type, method: str, replacement: Callable[..., Any]) -> type:
    return type(
        kind.__name__,
        (kind,),
        {method: replacement, "__module__": kind.__module__, "__doc__": kind.__doc__},
    )


def _at_call(tool: Any, session: object) -> Watch:
    watch: Watch = tool.__dict__[WATCHED].watch
    return replace(
        watch,
        tool=watch.tool or tool.name,
        session=watch.session or _session_of(session),
    )


def _session_of(named: object) -> str | None:
    """The framework's session, if its id can be one of ours."""
    try:
        return label("session", named) or None
    except InvalidInput:
        return None
