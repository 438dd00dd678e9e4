"""State that a child process must not share with its parent: locks, connections, counts that wait to be written."""

from __future__ import annotations

import os
import weakref
from typing import Final, Protocol


class Forkable(Protocol):
    """Something with state that a child process must not share."""

    def after_fork(self) -> None:
        """Reset the state; called in the child before anything else runs there."""
        ...


_known: Final[weakref.WeakSet[Forkable]] = weakref.WeakSet()


def survive_fork(thing: Forkable) -> None:
    """Call `after_fork` of ``thing`` in every child process, while ``thing`` exists."""
    _known.add(thing)


def _reset_all() -> None:
    for thing in list(_known):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_all)
