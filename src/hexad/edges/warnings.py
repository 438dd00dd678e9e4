"""A failure of Hexad does not stop the agent: one warning per turn gives the reason."""

from __future__ import annotations

import contextvars
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.errors import StoreBusy
from hexad.memory.redaction import described
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterator

Turn: TypeAlias = tuple[str, ...]
LOG: Final = logging.getLogger("hexad")
_TURNS: Final = 256  # whose warnings are remembered
_held: Final[contextvars.ContextVar[list[str] | None]] = contextvars.ContextVar(
    "hexad_warnings", default=None
)


class _TurnWarnings:
    """The reasons that were given, by turn."""

    def __init__(self) -> None:
        self._given: Recent[Turn, tuple[str, ...]] = Recent(_TURNS)

    def warn(self, turn: Turn, what: str, reason: str, *others: str) -> None:
        """Log what did not happen and why, unless a warning of this turn gave that
        cause, or was about it too.
        """
        given, cause = self._given.get(turn) or (), reason.rpartition(": ")[2] or reason
        again = StoreBusy.__name__ in reason and self.met_lock(
            turn
        )  # by another writer
        if not again and not any(cause in each or each in reason for each in given):
            self._given.put(turn, (*given, reason, *others))
            LOG.warning(
                "%s: %s%s", what, reason, f" (and {len(others)} more)" if others else ""
            )

    def met_lock(self, turn: Turn) -> bool:
        """Whether a wait for other writers has failed in this turn; then nothing waits
        again.
        """
        return any(
            StoreBusy.__name__ in reason for reason in self._given.get(turn) or ()
        )

    def begin(self, turn: Turn) -> None:
        """Warn again: a new turn has the key of an earlier one."""
        self._given.pop(turn)


TURN_WARNINGS: Final = _TurnWarnings()


class _Holding(logging.Filter):
    """Keeps back warnings inside `held_back`."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is logged now."""
        held = _held.get()
        if held is None or record.levelno != logging.WARNING:
            return True
        held.append(record.getMessage())
        return False


_HOLDING: Final = _Holding()


@contextmanager
def held_back() -> Iterator[list[str]]:
    """Collect warnings in the list instead of the log, in any thread, so that four
    layers make one warning.
    """
    LOG.addFilter(_HOLDING)
    held: list[str] = []
    token = _held.set(held)
    try:
        yield held
    finally:
        _held.reset(token)


@contextmanager
def said_once(turn: Turn) -> Iterator[None]:
    """Log each reason of a warning once a turn, however many calls it concerns."""
    with held_back() as held:
        yield
    for what, _, reason in (each.partition(": ") for each in held):
        TURN_WARNINGS.warn(turn, what, reason or what)


@contextmanager
def excused(reasons: list[str]) -> Iterator[None]:
    """Add an error and all warnings to ``reasons``: a failure of ours is not the
    agent's.
    """
    with held_back() as held:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - as said
            reasons.append(described(error))
        finally:
            reasons += held


@contextmanager
def going_on(what: str, turn: Turn | None = None) -> Iterator[None]:
    """Log what did not happen, and why, as one warning, or as one of a turn: the agent
    goes on without it.
    """
    reasons = list[str]()
    with excused(reasons):
        yield
    if reasons and turn is not None:
        TURN_WARNINGS.warn(turn, what, reasons[0])
    elif reasons:
        LOG.warning("%s: %s", what, reasons[0])
