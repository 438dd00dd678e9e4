"""A failure of Hexad does not stop the agent: one warning per turn gives the reason."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.memory.troubles import Trouble, collecting, pass_on, trouble
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Turn: TypeAlias = tuple[str, ...]
_TURNS: Final = 256  # whose warnings are remembered


class _TurnWarnings:
    """The troubles that were warned of, by turn."""

    def __init__(self) -> None:
        self._warned: Recent[Turn, tuple[Trouble, ...]] = Recent(_TURNS)

    def warn(self, turn: Turn, what: str, troubles: Sequence[Trouble]) -> None:
        """Log what did not happen, with the first reason that this turn was not warned
        of; nothing if it was warned of all.
        """
        known = self._warned.get(turn) or ()
        reasons = {each.reason for each in known}
        new = [each for each in troubles if each.reason not in reasons]
        if self.met_lock(turn):  # by another writer
            new = [each for each in new if not each.busy]
        if not new:
            return
        self._warned.put(turn, (*known, *new))
        more = f" (and {len(new) - 1} more)" if len(new) > 1 else ""
        pass_on(replace(new[0], what=what, reason=f"{new[0].reason}{more}"))

    def met_lock(self, turn: Turn) -> bool:
        """Whether a wait for other writers failed in this turn; then nothing waits again."""
        return any(each.busy for each in self._warned.get(turn) or ())

    def begin(self, turn: Turn) -> None:
        """Warn again: a new turn has the key of an earlier one."""
        self._warned.pop(turn)


TURN_WARNINGS: Final = _TurnWarnings()


@contextmanager
def said_once(turn: Turn) -> Iterator[None]:
    """Log each reason of a warning once a turn, however many calls it concerns."""
    troubles: Sequence[Trouble] = ()
    try:
        with collecting() as troubles:
            yield
    finally:
        for each in troubles:
            TURN_WARNINGS.warn(turn, each.what, [each])


@contextmanager
def excused(troubles: list[Trouble]) -> Iterator[None]:
    """Add an error, and what is told, to ``troubles``: ours are not the agent's."""
    with collecting() as told:
        try:
            yield
        except Exception as error:  # noqa: BLE001 - as said
            troubles.append(trouble("", error))
        finally:
            troubles += told


@contextmanager
def going_on(what: str, turn: Turn | None = None) -> Iterator[None]:
    """Log what did not happen, and why, as one warning: the agent goes on without it.

    In a ``turn`` each reason is given once.
    """
    troubles = list[Trouble]()
    with excused(troubles):
        yield
    if troubles and turn is not None:
        TURN_WARNINGS.warn(turn, what, troubles)
    elif troubles:
        pass_on(replace(troubles[0], what=what))
