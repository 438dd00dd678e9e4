"""Learning's part of the ports in SQL, over one connection inside one transaction; the contract is the ports'."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexad.shape import from_microseconds, to_microseconds
from hexad.store.learning import Activity, Call, Offer
from hexad.store.sqlite.statements import statements

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from hexad.store.learning import LearningChanges, TemplateFilter

_CALL = "SELECT number, session, tool, ok, learning, arguments, at FROM hexad_call WHERE namespace = ?"


class LearningTables:
    """Templates, calls and offers of a namespace."""

    def __init__(self, connection: sqlite3.Connection, namespace: str) -> None:
        self._connection = connection
        self._namespace = namespace
        self._sql = statements()

    def templates(self, wanted: Sequence[TemplateFilter]) -> Sequence[tuple[str, str]]:
        """Template and id, filter by filter."""
        return [found for each in wanted for found in self._connection.execute(*self._filtered(each))]

    def activity(self, session: str, tool: str, calls: int) -> Activity:
        """A session's offers and calls."""
        place = (self._namespace, session)
        offers = [_offer(row) for row in self._run("offers", *place)]
        latest = self._connection.execute(
            f"{_CALL} AND session = ? AND tool = ? ORDER BY number DESC LIMIT 1", (*place, tool)
        ).fetchone()
        recent = f"{_CALL} AND session = ? ORDER BY number DESC LIMIT ?"
        rows = self._connection.execute(recent, (*place, calls)) if calls else ()
        return Activity(offers, latest and _call(latest), [_call(row) for row in rows])

    def calls(self) -> Sequence[Call]:
        """The calls of every session."""
        rows = self._connection.execute(f"{_CALL} ORDER BY session, number", (self._namespace,))
        return [_call(row) for row in rows]

    def change(self, changes: LearningChanges) -> None:
        """Write changes, in the order of their fields."""
        for learning, at in changes.seen.items():
            self._run("see", to_microseconds(at), self._namespace, learning)
        for call in changes.calls:
            given = (call.session, call.number, call.tool, int(call.ok), call.learning, call.arguments)
            self._run("add_call", self._namespace, *given, to_microseconds(call.at))
        for offer in changes.offers:
            values = (offer.session, offer.learning, offer.trigger, offer.state, to_microseconds(offer.at))
            self._run("put_offer", self._namespace, *values)
        for old, new in changes.renamed.items():
            self._rename(old, new)
        for session, latest in changes.keep_calls.items():
            self._run("drop_calls_but", self._namespace, session, self._namespace, session, latest)
        if changes.drop_calls_below is not None:
            self._run("drop_old_calls", self._namespace, changes.drop_calls_below)
        if changes.drop_offers_before is not None:
            self._run("drop_offers", self._namespace, to_microseconds(changes.drop_offers_before))
        for session in changes.forget_sessions:
            self._run("forget_calls_of", self._namespace, session)
            self._run("forget_offers_of", self._namespace, session)
        if changes.forget_everything:
            self._run("forget_calls", self._namespace)
            self._run("forget_offers", self._namespace)

    def _filtered(self, wanted: TemplateFilter) -> tuple[str, list[object]]:
        """A query for a filter, with the index that serves it."""
        exact = {
            "skeleton": wanted.skeleton,
            "template": wanted.template,
            "error_pattern": wanted.error_pattern,
            "length": wanted.length,
        }
        given = {column: value for column, value in exact.items() if value is not None}
        index = "wildcard" if wanted.wildcard else next(iter(given), "length")
        where = "".join(f" AND {column} = ?" for column in given) + (" AND wildcard" if wanted.wildcard else "")
        sql = (
            f"SELECT template, id FROM hexad_learning INDEXED BY hexad_learning_{_INDEXES.get(index, index)} "
            f'WHERE namespace = ? AND "trigger" = ?{where} ORDER BY number DESC LIMIT ?'
        )
        return sql, [self._namespace, wanted.trigger, *given.values(), wanted.limit]

    def _rename(self, old: str, new: str | None) -> None:
        self._run("relink_calls", new or "", self._namespace, old)
        if new is not None:
            self._run("relink_offers", new, self._namespace, old)
        self._run("drop_offers_of", self._namespace, old)

    def _run(self, name: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)


_INDEXES = {"error_pattern": "error"}


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


def _offer(row: Any) -> Offer:
    session, learning, trigger, state, at = row
    return Offer(session=session, learning=learning, trigger=trigger, state=state, at=from_microseconds(at))
