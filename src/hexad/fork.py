"""What must start afresh in a child process: locks that a thread of the parent held, connections, counts in waiting."""

from __future__ import annotations

import os
import weakref
from typing import Final, Protocol


class Forkable(Protocol):
    """Something with state that a child must not share."""

    def after_fork(self) -> None:
        """Start afresh; called in the child, before anything else runs there."""
        ...


_known: Final[weakref.WeakSet[Forkable]] = weakref.WeakSet()


def survive_fork(thing: Forkable) -> None:
    """Have ``thing`` told when it finds itself in a child process, as long as it lives."""
    _known.add(thing)


def _tell_all() -> None:
    for thing in list(_known):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_tell_all)
