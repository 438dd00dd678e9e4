"""On whose behalf tools are called just now: what watches them writes down there, not where they were watched.

Whoever serves many users with one engine says so around a call. It holds for the watches of that engine's own
namespace; a watch that somebody put into another namespace stays there.
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
class Caller:
    """Whose namespace and session, and which engine's watches are meant: its store, and its own namespace.

    ``told`` says that somebody else writes the calls down.
    """

    store: Store
    house: str
    namespace: str
    session: str
    told: bool = False

    def concerns(self, workspace: Workspace) -> bool:
        """Whether a watch of that workspace's is meant."""
        return workspace.store is self.store and workspace.namespace in {self.house, self.namespace}


_calling: Final[ContextVar[Caller | None]] = ContextVar("hexad_caller", default=None)


def workspace_of(workspace: Workspace) -> Workspace | None:
    """Who records a call that this workspace's watch sees: itself, the caller's workspace, or None."""
    caller = _calling.get()
    if caller is None or not caller.concerns(workspace):
        return workspace
    return None if caller.told else replace(workspace, namespace=caller.namespace, session=caller.session)


def begin(caller: Caller) -> Token[Caller | None]:
    """Let what is called from now on be called on somebody's behalf, until `end`."""
    return _calling.set(caller)


def end() -> None:
    """From now on nobody in particular calls."""
    _calling.set(None)


@contextmanager
def calling(caller: Caller) -> Iterator[None]:
    """Let what is called inside be called on somebody's behalf."""
    token = begin(caller)
    try:
        yield
    finally:
        _calling.reset(token)
