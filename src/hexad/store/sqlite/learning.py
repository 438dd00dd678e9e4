"""Learning's part of the ports in SQL, over one connection inside one transaction; the
contract is the ports'.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from hexad.store.calls import (
    CALLS,
    LATEST_CALLS,
    LATEST_OF_TOOL,
    OFFERS,
    OFFERS_OF,
    CallTables,
)
from hexad.store.learning import Activity, TemplateFilter
from hexad.store.sqlite.statements import Queries, in_sqlite

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence


class LearningTables(Queries, CallTables):
    """Templates, calls and offers of a namespace: `Unit` adds the rest of the ports."""

    see = (
        "UPDATE hexad.learning SET seen = seen + 1, updated = $3 "
        "WHERE number = (SELECT number FROM hexad.learning WHERE tenant = $1 AND id = $2)"
    )

    def templates(self, wanted: Sequence[TemplateFilter]) -> Sequence[tuple[str, str]]:
        """Template and id, filter by filter."""
        found: list[tuple[str, str]] = []
        for each in wanted:
            exact = (each.skeleton, each.template, each.error_pattern, each.length)
            given = [value for value in exact if value is not None]
            query = _query(
                *[value is not None for value in exact], wildcard=each.wildcard
            )
            found += self._run(query, self.namespace, each.trigger, *given, each.limit)
        return found

    def activity(self, session: str, tool: str, *, calls: int = 0) -> Activity:
        """A session's offers and calls."""
        offers = list(map(OFFERS.of_row, self._rows(OFFERS_OF, session)))
        failed = bool(tool) and any(
            not ok for (ok,) in self._rows(LATEST_OF_TOOL, session, tool)
        )
        latest = self._rows(LATEST_CALLS, session, calls) if calls else ()
        return Activity(offers, failed, list(map(CALLS.of_row, latest)))

    def _rows(self, sql: str, *values: object) -> sqlite3.Cursor:
        return self._run(in_sqlite(sql), self.namespace, *values)

    _write = _rows


_EXACT = ("skeleton", "template", "error_pattern", "length")
_INDEXES = {"error_pattern": "error"}


@cache
def _query(*exact: bool, wildcard: bool) -> str:
    """A query for filters of these columns, with the index that serves it."""
    given = [column for column, is_given in zip(_EXACT, exact, strict=True) if is_given]
    index = "wildcard" if wildcard else next(iter(given), "length")
    where = "".join(f" AND {column} = ?" for column in given) + (
        " AND wildcard" if wildcard else ""
    )
    return (
        f"SELECT template, id FROM hexad_learning INDEXED BY hexad_learning_{_INDEXES.get(index, index)} "
        f'WHERE namespace = ? AND "trigger" = ?{where} ORDER BY number DESC LIMIT ?'
    )
