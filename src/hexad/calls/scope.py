"""The namespace and session that watched calls are recorded under while one engine
serves many users.

An edge sets a `CallScope` around a call. It applies to tools that were watched in that
engine's own namespace; a tool that was watched in another namespace is recorded there.
An adapter may report a call that a watch has recorded.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextvars import Token

    from hexad.memory.workspace import Workspace
    from hexad.store import Store


@dataclass(frozen=True, slots=True)
class CallScope:
    """Where to record the calls of tools that the engine with this store and namespace
    watches.

    With ``recorded_elsewhere`` they are not recorded here: the edge does that itself.
    """

    store: Store
    engine_namespace: str
    namespace: str
    session: str
    recorded_elsewhere: bool = False

    def applies_to(self, workspace: Workspace) -> bool:
        """Whether it holds for tools that were watched in this workspace."""
        return workspace.store is self.store and workspace.namespace in {
            self.engine_namespace,
            self.namespace,
        }


_CALLS: Final = 64  # of one tool that are remembered
_PLAIN: Final = (str, int, bool)  # a framework converts other values
_MOST_BITS: Final = 1024  # Python writes out no number of thousands of digits
Known: TypeAlias = Mapping[
    str, int | None
]  # the arguments of a call: hashes of plain ones
_watched: Final = Recent[tuple[str, ...], tuple[Known, ...]](1024)
_asked = False  # whether an adapter was made that asks
_current: Final[ContextVar[CallScope | None]] = ContextVar(
    "hexad_call_scope", default=None
)


def recording_workspace(watched_in: Workspace) -> Workspace | None:
    """The workspace that records a call of a watched tool; None if the call is recorded
    elsewhere.
    """
    scope = _current.get()
    if scope is None or not scope.applies_to(watched_in):
        return watched_in
    if scope.recorded_elsewhere:
        return None
    return replace(watched_in, namespace=scope.namespace, session=scope.session)


def enter(scope: CallScope) -> Token[CallScope | None]:
    """Record the calls of this context under a scope, until `leave`."""
    return _current.set(scope)


def leave() -> None:
    """Record the calls of this context where their tools were watched."""
    _current.set(None)


@contextmanager
def recorded_under(scope: CallScope) -> Iterator[None]:
    """Record the calls inside the `with` block under a scope."""
    token = enter(scope)
    try:
        yield
    finally:
        _current.reset(token)


def expect_reports() -> None:
    """From now on adapters may ask whether a watch has recorded a call."""
    global _asked  # noqa: PLW0603 - once for the process
    _asked = True


def note_watched(workspace: Workspace, tool: str, args: Mapping[str, object]) -> None:
    """Remember that a watch has recorded a call, if somebody may ask."""
    if not _asked:
        return
    plain = {
        name: _mark(value) if type(value) in _PLAIN else None
        for name, value in args.items()
    }
    _watched.update(
        _key(workspace.store, workspace.namespace, tool),
        lambda known: (*(known or ()), plain)[-_CALLS:],
    )


def was_watched(
    store: Store, namespace: str, tool: str, args: Mapping[str, object]
) -> bool:
    """Whether a watch has recorded this call: once for each that it recorded. It may
    have seen more arguments.
    """
    before, after = _watched.update(
        _key(store, namespace, tool), lambda known: _without(known or (), args)
    )
    return len(after) < len(before or ())


def _without(known: tuple[Known, ...], args: Mapping[str, object]) -> tuple[Known, ...]:
    for place, each in enumerate(known):
        whole = [*each.values()] == [None]  # all arguments in one object
        if whole or all(
            name in each and each[name] in {None, _mark(value)}
            for name, value in args.items()
        ):
            return known[:place] + known[place + 1 :]
    return known


def _mark(value: object) -> int:
    return hash(
        value
        if isinstance(value, int) and value.bit_length() > _MOST_BITS
        else str(value)
    )


def _key(store: Store, namespace: str, tool: str) -> tuple[str, ...]:
    return (
        f"{store.location} {id(store)}",
        namespace,
        tool.rpartition("__")[2],
    )  # without the name of an MCP server
