"""How much one session may save: counted in this process, one atomic step for check and
increment.

A store that several machines share counts as well (`Writing.take_slot`), so that the
limits hold for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hexad.errors import RateLimited
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Mapping

_SESSIONS_COUNTED: Final = 100_000  # the least recently active are dropped, so that a long life needs bounded memory


class Tally(Recent[tuple[str, str, str], int]):
    """Counts what the sessions of one database have saved, for all engines open on it
    in this process.
    """

    engines = 0

    def __init__(self) -> None:
        super().__init__(_SESSIONS_COUNTED, inherited=True)


_tallies: Final[dict[str, Tally]] = {}


def join_tally(database: str) -> Tally:
    """The tally of a database, by what its engines share; `leave_tally` when the engine
    closes.
    """
    tally = _tallies.setdefault(database, Tally())
    tally.engines += 1
    return tally


def leave_tally(database: str) -> None:
    """Leave a tally; the last engine that closes drops its counts, which are not
    persisted.
    """
    tally = _tallies.get(database)
    if tally is not None:
        tally.engines -= 1
        if tally.engines <= 0:
            del _tallies[database]


class Limits:
    """Slots for each namespace, session and kind. An empty session is not limited."""

    def __init__(self, maxima: Mapping[str, int], tally: Tally | None = None) -> None:
        self._maxima = dict(maxima)
        self._tally = Tally() if tally is None else tally

    def take(self, namespace: str, session: str, kind: str) -> int | None:
        """Take a slot, or say which limit is reached. Returns the limit, if there is
        one.
        """
        limit = self._maxima.get(kind) if session else None
        if limit is not None:
            key = (namespace, session, kind)
            before, _ = self._tally.update(
                key, lambda count: (count or 0) + ((count or 0) < limit)
            )
            if (before or 0) >= limit:
                raise RateLimited(kind, limit, session)
        return limit

    def give_back(self, namespace: str, session: str, kind: str) -> None:
        """Undo `take`."""
        self._tally.update(
            (namespace, session, kind), lambda count: max((count or 0) - 1, 0)
        )
