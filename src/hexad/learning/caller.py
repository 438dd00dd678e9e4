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

    from hexad.memory.keeper import Keeper
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

    def concerns(self, keeper: Keeper) -> bool:
        """Whether a watch of that keeper's is meant."""
        return keeper.store is self.store and keeper.namespace in {self.house, self.namespace}


_calling: Final[ContextVar[Caller | None]] = ContextVar("hexad_caller", default=None)


def keeper_of(keeper: Keeper) -> Keeper | None:
    """Who writes down a call that this keeper's watch sees: itself, the caller's, or None where somebody else does."""
    caller = _calling.get()
    if caller is None or not caller.concerns(keeper):
        return keeper
    return None if caller.told else replace(keeper, namespace=caller.namespace, session=caller.session)


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
