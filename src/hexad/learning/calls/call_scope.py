"""The namespace and session that watched calls are recorded under while one engine serves many users.

An edge sets a `CallScope` around a call. It applies to tools that were watched in that engine's own namespace; a tool
that was watched in another namespace is recorded there.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextvars import Token

    from hexad.memory.workspace import Workspace
    from hexad.store import Store


@dataclass(frozen=True, slots=True)
class CallScope:
    """Where to record the calls of tools that the engine with this store and namespace watches.

    With ``recorded_elsewhere`` they are not recorded here: the edge does that itself.
    """

    store: Store
    engine_namespace: str
    namespace: str
    session: str
    recorded_elsewhere: bool = False

    def applies_to(self, workspace: Workspace) -> bool:
        """Whether it holds for tools that were watched in this workspace."""
        return workspace.store is self.store and workspace.namespace in {self.engine_namespace, self.namespace}


_current: Final[ContextVar[CallScope | None]] = ContextVar("hexad_call_scope", default=None)


def recording_workspace(watched_in: Workspace) -> Workspace | None:
    """The workspace that records a call of a watched tool; None if the call is recorded elsewhere."""
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
