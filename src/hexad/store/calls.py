"""The calls and offers of sessions, in tables that every database has; the contract is
the ports'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hexad.shape import to_microseconds
from hexad.store.codec import Codec, insert, upsert
from hexad.store.learning import LearningChanges, RecordedCall, SessionOffer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


CALLS: Final = Codec(RecordedCall)
OFFERS: Final = Codec(SessionOffer)
_CALL: Final = f"SELECT {', '.join(CALLS.names)} FROM hexad.call WHERE tenant = $1"
LATEST_CALLS: Final = f"{_CALL} AND session = $2 ORDER BY number DESC LIMIT $3"
_EVERY_CALL: Final = f"{_CALL} ORDER BY session, number"
LATEST_OF_TOOL: Final = (
    "SELECT ok FROM hexad.call WHERE tenant = $1 AND session = $2 AND tool = $3 "
    "ORDER BY number DESC LIMIT 12"
)
OFFERS_OF: Final = (
    'SELECT session, learning, "trigger", state, at FROM hexad.offer '
    "WHERE tenant = $1 AND session = $2 ORDER BY learning"
)
_ADD_CALL: Final = insert("hexad.call", CALLS.names)
_PUT_OFFER: Final = upsert("hexad.offer", OFFERS.names, "session", "learning")
_RELINK_CALLS: Final = (
    "UPDATE hexad.call SET learning = $3 WHERE tenant = $1 AND learning = $2"
)
_RELINK_OFFERS: Final = (
    "UPDATE hexad.offer SET learning = $3 WHERE tenant = $1 AND learning = $2 AND session NOT IN "
    "(SELECT session FROM hexad.offer WHERE tenant = $1 AND learning = $3)"
)
_DROP_OFFERS_OF: Final = "DELETE FROM hexad.offer WHERE tenant = $1 AND learning = $2"
_KEEP_CALLS: Final = (
    "DELETE FROM hexad.call WHERE tenant = $1 AND session = $2 AND number <= (SELECT number FROM hexad.call "
    "WHERE tenant = $1 AND session = $2 ORDER BY number DESC LIMIT 1 OFFSET $3)"
)
_DROP_CALLS: Final = "DELETE FROM hexad.call WHERE tenant = $1 AND number < $2"
_DROP_OFFERS: Final = "DELETE FROM hexad.offer WHERE tenant = $1 AND at < $2"


class CallTables:
    """Writes calls and offers, and reads them; a store runs the statements for its
    namespace.
    """

    see: str  # the statement that counts an occurrence of a learning's error: the learning, and when it was
    of_sessions: Sequence[str] = (
        "hexad.call",
        "hexad.offer",
    )  # the tables that are forgotten with a session

    def _write(self, sql: str, *values: Any) -> object:
        raise NotImplementedError

    def _rows(self, sql: str, *values: Any) -> Iterable[Sequence[Any]]:
        raise NotImplementedError

    def calls(self) -> Sequence[RecordedCall]:
        """The calls of every session."""
        return list(map(CALLS.of_row, self._rows(_EVERY_CALL)))

    def learn(self, changes: LearningChanges) -> None:
        """Write changes, in the order of their fields."""
        for learning, at in changes.seen.items():
            self._write(self.see, learning, to_microseconds(at))
        for call in changes.calls:
            self._write(_ADD_CALL, *CALLS.row(call))
        for offer in changes.offers:
            self._write(_PUT_OFFER, *OFFERS.row(offer))
        for old, new in changes.renamed.items():
            self._write(_RELINK_CALLS, old, new or "")
            if new is not None:
                self._write(_RELINK_OFFERS, old, new)
            self._write(_DROP_OFFERS_OF, old)
        for session, latest in changes.keep_calls.items():
            self._write(_KEEP_CALLS, session, latest)
        if changes.drop_calls_below is not None:
            self._write(_DROP_CALLS, changes.drop_calls_below)
        if changes.drop_offers_before is not None:
            self._write(_DROP_OFFERS, to_microseconds(changes.drop_offers_before))
        if changes.forget_sessions or changes.forget_everything:
            self._forget(changes)

    def _forget(self, changes: LearningChanges) -> None:
        for everything in [
            f"DELETE FROM {table} WHERE tenant = $1" for table in self.of_sessions
        ]:
            if changes.forget_everything:
                self._write(everything)
            for session in changes.forget_sessions:
                self._write(f"{everything} AND session = $2", session)
