"""Whose live connection a model is about to open: ADK shows plugins a live request only when it is open."""

from __future__ import annotations

import weakref
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from hexad.edges.conversation import Speaker


class _Opening(NamedTuple):
    """A live run that is about to connect; its session lives as long as the run."""

    session: weakref.ref[Any]
    model: object
    speaker: Speaker


_opening: Final[ContextVar[_Opening | None]] = ContextVar("hexad_opening", default=None)


def announce(session: object, model: object, speaker: Speaker) -> None:
    """Say who is about to connect to the model in this task."""
    _opening.set(_Opening(weakref.ref(session), model, speaker))


def connecting(model: object) -> Speaker | None:
    """Who connects to that model in this task, while the run lasts."""
    found = _opening.get()
    return found.speaker if found is not None and found.model is model and found.session() is not None else None


def done() -> None:
    """The run is over."""
    _opening.set(None)
