"""What went wrong without stopping the agent.

A part that can go on without something tells of it. That is a warning in the log,
unless an edge collects the troubles of a turn to give one warning for all of them.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hexad.errors import DeadlineExceeded, StoreBusy
from hexad.memory.redaction import described

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOG: Final = logging.getLogger("hexad")
_collected: Final = ContextVar[list["Trouble"] | None]("hexad_troubles", default=None)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What did not happen, and why, in words without secrets."""

    what: str
    reason: str
    kind: type[Exception] | None = None

    @property
    def busy(self) -> bool:
        """Whether other writers held the store for too long."""
        return self.kind is not None and issubclass(self.kind, StoreBusy)

    @property
    def passing(self) -> bool:
        """Whether it is over by the next turn."""
        return self.kind is not None and issubclass(
            self.kind, StoreBusy | DeadlineExceeded
        )

    def __str__(self) -> str:
        return f"{self.what}: {self.reason}" if self.what else self.reason


def trouble(what: str, error: Exception | str) -> Trouble:
    """The trouble that an error is."""
    if isinstance(error, str):
        return Trouble(what, error)
    return Trouble(what, described(error), type(error))


def tell(what: str, error: Exception | str) -> None:
    """Tell what did not happen, and why."""
    pass_on(trouble(what, error))


def pass_on(found: Trouble) -> None:
    """Log a trouble, or add it to what an edge collects."""
    collected = _collected.get()
    if collected is None:
        _LOG.warning("%s", found)
    else:
        collected.append(found)


@contextmanager
def collecting() -> Iterator[list[Trouble]]:
    """Collect what is told in the list instead of the log, in any thread of the context."""
    collected = list[Trouble]()
    token = _collected.set(collected)
    try:
        yield collected
    finally:
        _collected.reset(token)
