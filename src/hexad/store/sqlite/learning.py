"""Learning's part of the ports in SQL, over one connection inside one transaction; the contract is the ports'."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from hexad.shape import from_microseconds, to_microseconds
from hexad.store.learning import Activity, Call, Offer
from hexad.store.sqlite.statements import Queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.store.learning import LearningChanges, TemplateFilter

_CALL = "SELECT number, session, tool, ok, learning, arguments, at FROM hexad_call WHERE namespace = ?"
_LATEST = f"{_CALL} AND session = ? ORDER BY number DESC LIMIT ?"


class LearningTables(Queries):
    """Templates, calls and offers of a namespace: `Unit` adds the rest of the ports."""

    def templates(self, wanted: Sequence[TemplateFilter]) -> Sequence[tuple[str, str]]:
        """Template and id, filter by filter."""
        return [found for each in wanted for found in self._connection.execute(*self._filtered(each))]

    def activity(self, session: str, tool: str, *, calls: int = 0) -> Activity:
        """A session's offers and calls."""
        rows = self._run("activity", self.namespace, session, tool).fetchall()
        latest = self._connection.execute(_LATEST, (self.namespace, session, calls)) if calls else ()
        offers = [_offer(session, row) for row in sorted(row for row in rows if row[0] is not None)]
        failed = any(row[0] is None and not row[2] for row in rows)
        return Activity(offers, failed, [_call(row) for row in latest])

    def calls(self) -> Sequence[Call]:
        """The calls of every session."""
        rows = self._connection.execute(f"{_CALL} ORDER BY session, number", (self.namespace,))
        return [_call(row) for row in rows]

    def learn(self, changes: LearningChanges) -> None:
        """Write changes, in the order of their fields."""
        for learning, at in changes.seen.items():
            self._run("see", to_microseconds(at), self.namespace, learning)
        for call in changes.calls:
            given = (call.session, call.number, call.tool, int(call.ok), call.learning, call.arguments)
            self._run("add_call", self.namespace, *given, to_microseconds(call.at))
        for offer in changes.offers:
            values = (offer.session, offer.learning, offer.trigger, offer.state, to_microseconds(offer.at))
            self._run("put_offer", self.namespace, *values)
        for old, new in changes.renamed.items():
            self._rename(old, new)
        for session, latest in changes.keep_calls.items():
            self._run("drop_calls_but", self.namespace, session, self.namespace, session, latest)
        if changes.drop_calls_below is not None:
            self._run("drop_old_calls", self.namespace, changes.drop_calls_below)
        if changes.drop_offers_before is not None:
            self._run("drop_offers", self.namespace, to_microseconds(changes.drop_offers_before))
        for session in changes.forget_sessions:
            self._run("forget_calls_of", self.namespace, session)
            self._run("forget_offers_of", self.namespace, session)
        if changes.forget_everything:
            self._run("forget_calls", self.namespace)
            self._run("forget_offers", self.namespace)

    def _filtered(self, wanted: TemplateFilter) -> tuple[str, list[object]]:
        """A query for a filter, and its values."""
        exact = (wanted.skeleton, wanted.template, wanted.error_pattern, wanted.length)
        given = [value for value in exact if value is not None]
        query = _query(*[value is not None for value in exact], wildcard=wanted.wildcard)
        return query, [self.namespace, wanted.trigger, *given, wanted.limit]

    def _rename(self, old: str, new: str | None) -> None:
        self._run("relink_calls", new or "", self.namespace, old)
        if new is not None:
            self._run("relink_offers", new, self.namespace, old)
        self._run("drop_offers_of", self.namespace, old)


_EXACT = ("skeleton", "template", "error_pattern", "length")
_INDEXES = {"error_pattern": "error"}


@cache
def _query(*exact: bool, wildcard: bool) -> str:
    """A query for filters of these columns, with the index that serves it."""
    given = [column for column, is_given in zip(_EXACT, exact, strict=True) if is_given]
    index = "wildcard" if wildcard else next(iter(given), "length")
    where = "".join(f" AND {column} = ?" for column in given) + (" AND wildcard" if wildcard else "")
    return (
        f"SELECT template, id FROM hexad_learning INDEXED BY hexad_learning_{_INDEXES.get(index, index)} "
        f'WHERE namespace = ? AND "trigger" = ?{where} ORDER BY number DESC LIMIT ?'
    )


def _call(row: Any) -> Call:
    number, session, tool, ok, learning, arguments, at = row
    return Call(
        number=number,
        session=session,
        tool=tool,
        ok=bool(ok),
        learning=learning,
        arguments=arguments,
        at=from_microseconds(at),
    )


def _offer(session: str, row: Any) -> Offer:
    learning, trigger, state, at = row
    return Offer(session=session, learning=learning, trigger=trigger, state=state, at=from_microseconds(at))
