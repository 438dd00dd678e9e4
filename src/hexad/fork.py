"""State that a child process must not share with its parent: locks, connections, counts
that wait to be written.
"""

from __future__ import annotations

import os
import weakref
from typing import Final, Protocol


class Forkable(Protocol):
    """Something with state that a child process must not share."""

    def after_fork(self) -> None:
        """Reset the state; called in the child before anything else runs there."""


class Holdable(Forkable, Protocol):
    """Something whose work must not be under way while the process forks."""

    def before_fork(self) -> None:
        """Let no work begin, and wait for what is under way."""

    def after_fork_in_parent(self) -> None:
        """Let work begin again."""


FORK_PATIENCE: Final = (
    5.0  # seconds that a `fork` waits for the work of other threads to end
)
_known: Final[weakref.WeakSet[Forkable]] = weakref.WeakSet()
_holdable: Final[weakref.WeakSet[Holdable]] = weakref.WeakSet()
_held: Final[list[Holdable]] = []


def survive_fork(thing: Forkable) -> None:
    """Call `after_fork` of ``thing`` in every child process, while ``thing`` exists."""
    _known.add(thing)


def hold_over_fork(thing: Holdable) -> None:
    """The same, and call `before_fork` and `after_fork_in_parent` in the parent."""
    _known.add(thing)
    _holdable.add(thing)


def _before() -> None:
    _held[:] = _holdable
    for thing in _held:
        thing.before_fork()


def _after_in_parent() -> None:
    while _held:
        _held.pop().after_fork_in_parent()


def _after_in_child() -> None:
    _held.clear()
    for thing in list(_known):
        thing.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before, after_in_parent=_after_in_parent, after_in_child=_after_in_child
    )
