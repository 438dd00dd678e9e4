"""Answering a question with few statements: each of them covers all terms of all
layers.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from hexad.model import Association, Layer
from hexad.shape import to_microseconds
from hexad.store import (
    MOST_ASSOCIATIONS,
    MOST_NOTES,
    LayerEvidence,
    Question,
    Row,
    Standing,
    VectorState,
)
from hexad.store.searching import (
    CAPACITY,
    Opening,
    UnsplitRows,
    counted_terms,
    evidence_of,
    opening_order,
)
from hexad.store.sqlite.index import COUNT, chunks, hashed, padded, placeholders
from hexad.store.sqlite.rows import ASSOCIATIONS, LAYERS, TABLES, unpacked
from hexad.store.sqlite.statements import Queries
from hexad.text.index import IndexStatistics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from hexad.model import Knowledge


# Half the time of rows.
_COLUMNS: Final = (
    "json_group_array(number), json_group_array(weight), json_group_array(length)"
)
_parsed: Final = (
    json.JSONDecoder().raw_decode
)  # half the work of `json.loads` for a short list
_COMPOUND: Final = 400  # parts of a compound statement; SQLite allows 500
_OF_TERM: Final = "hexad_posting AS held WHERE held.term = ?"
_ALSO: Final = "SELECT 1 FROM hexad_posting AS also WHERE also.term = ? AND also.number = driver.number"
_EXPIRED: Final = "SELECT 1 FROM hexad_knowledge AS entry WHERE entry.number = {}.number AND entry.expires <= ?"
_SCOPES: Final = (
    "SELECT layer, id, rows, length, (SELECT json_group_array(json_array(number, words)) FROM hexad_fresh "
    "WHERE scope = hexad_scope.id) FROM hexad_scope WHERE namespace = ?"
)
_OWN: Final = (
    "hexad_knowledge INDEXED BY hexad_knowledge_standing WHERE namespace = ?1 "
    "AND standing > 0 AND words IS NOT NULL"
)
_FLAGS: Final = (
    "SELECT EXISTS (SELECT 1 FROM hexad_association WHERE namespace = ?1), (SELECT min(expires) FROM hexad_knowledge "
    "INDEXED BY hexad_knowledge_expires WHERE namespace = ?1 AND expires IS NOT NULL AND words IS NOT NULL), "
    f"(SELECT coalesce(max(standing), 0) FROM {_OWN}), EXISTS (SELECT 1 FROM hexad_knowledge "
    "INDEXED BY hexad_knowledge_thread WHERE namespace = ?1 AND thread <> '' AND words IS NOT NULL)"
)
_BEYOND: Final = f"SELECT 1 FROM {_OWN} LIMIT 1 OFFSET ?2"
_HIGHEST: Final = "ORDER BY standing DESC, updated DESC, number DESC"
_TOLD: Final = (
    "SELECT number FROM hexad_knowledge WHERE namespace = ?1 AND words IS NOT NULL "
    "AND (expires IS NULL OR expires > ?3)"
)
_STANDING: Final = (
    f"SELECT number FROM ({_TOLD} AND standing >= ?2 AND standing > 0 {_HIGHEST} LIMIT ?4) "
    f"UNION ALL SELECT number FROM ({_TOLD} AND standing = -1 ORDER BY updated DESC, number DESC LIMIT ?5)"
)
_VECTOR_STATES: Final = (
    "SELECT layer, rows, stamp FROM hexad_meaning WHERE namespace = ? AND embedder = ?"
)


class Namespace(NamedTuple):
    """The facts of a namespace that every question needs."""

    scopes: Sequence[
        tuple[Layer, int, int, int, UnsplitRows]
    ]  # the first fields of a `_LayerSearch`
    associated: bool
    expires: int | None  # the first time at which an entry expires
    standing: int  # the highest of an entry
    threads: bool
    stands: dict[
        tuple[Standing, int], _StandingRows
    ]  # what was read of the standing entries


class _StandingRows(NamedTuple):
    """The standing entries of a time, which stay the same until one of them expires."""

    since: int
    until: float
    rows: Sequence[Row]


@dataclass(slots=True)
class _LayerSearch:
    """The search in one layer, as far as it has come."""

    layer: Layer
    home: int
    rows: int
    length: int
    fresh: UnsplitRows
    filtered: bool = (
        False  # whether rows may be left out: the facets, or something has expired
    )
    counted: Sequence[str] = ()
    counts: dict[str, int] = field(default_factory=dict)
    order: Sequence[str] = ()
    opening: Opening = field(default_factory=Opening)
    passing: set[int] | None = None  # of the fresh rows, those that are not left out

    @property
    def statistics(self) -> IndexStatistics:
        return IndexStatistics(self.rows, self.length, self.counts)

    def opened_at_once(self) -> tuple[Sequence[str], int]:
        """How many terms certainly have room for all their rows, and the most rows that
        the next one has room for.
        """
        room, largest = CAPACITY, 0
        for place, term in enumerate(self.order):
            room -= self.counts[term]
            if room < 0:
                return self.order[:place], CAPACITY - (0 if self.filtered else largest)
            largest = max(largest, self.counts[term])
        return self.order, 0

    def add(self, term: str, stored: list[Any]) -> None:
        """Open a term: its stored rows, newest first, and the fresh ones."""
        fresh = self.fresh.postings(term)
        if self.passing is not None:
            fresh = [posting for posting in fresh if posting.number in self.passing]
        if (
            fresh and stored and fresh[-1].number < stored[0][0]
        ):  # an older row was saved again
            self.opening.add(term, sorted([*fresh, *stored], reverse=True))
        else:
            self.opening.add(term, [*fresh, *stored] if fresh else stored)


class Search(Queries):
    """Evidence for questions: `Unit` adds the rest of the ports."""

    def evidence(self, question: Question) -> dict[Layer, LayerEvidence]:
        """The evidence of each layer."""
        now = to_microseconds(question.now)
        least = Standing.RULE if question.with_rules else Standing.PINNED
        known = self._known
        searches = self._searches(
            question, expired=known.expires is not None and known.expires <= now
        )
        self._open(searches, question, now)
        if (
            question.with_rules
            and self._run(_BEYOND, self.namespace, question.standing).fetchone() is None
        ):
            least = Standing.OWN
        wanted = question.standing and (
            known.standing >= least or least is Standing.OWN
        )
        standing = self._standing(question, now, least) if wanted else ()
        states = (
            self._run(_VECTOR_STATES, self.namespace, question.embedder)
            if question.embedder is not None
            else ()
        )
        vectors = {
            LAYERS[layer]: VectorState(rows, stamp)
            for layer, rows, stamp in states
            if layer in LAYERS
        }
        associations = self._associations(question) if known.associated else ()
        opened = {
            layer: (each.statistics, each.opening, each.filtered)
            for layer, each in searches.items()
        }
        own = known.standing > 0
        return evidence_of(
            question,
            opened,
            associations,
            vectors,
            standing,
            own=own,
            threads=known.threads,
        )

    def passing(
        self,
        layer: Layer,
        numbers: Collection[int],
        facets: Sequence[str],
        now: datetime,
    ) -> set[int]:
        """Those of the given rows that hold all facets and have not expired."""
        left = set(numbers)
        searches = self._scopes([layer]) if facets else {}
        for each in facets:
            left &= (
                self._holding(searches[layer], each, left)
                if layer in searches
                else set()
            )
        for chunk in chunks(left) if layer is Layer.USER_KNOWLEDGE else ():
            left -= self._expired(chunk, to_microseconds(now))
        return left

    # layers and terms

    def _searches(
        self, question: Question, *, expired: bool
    ) -> dict[Layer, _LayerSearch]:
        """Each layer that has rows, with the frequencies of the question's terms in it."""
        searches = self._scopes(question.layers)
        for layer, search in searches.items():
            search.filtered = bool(question.facets) or (
                expired and layer is Layer.USER_KNOWLEDGE
            )
            search.counted = counted_terms(
                question.terms,
                question.facets,
                subjects=layer in question.with_subjects,
            )
        hashes = {
            hashed(search.home, term): (search, term)
            for search in searches.values()
            for term in search.counted
        }
        for values in map(padded, chunks(hashes)):
            sql = f"SELECT term, weight FROM hexad_posting WHERE term IN ({placeholders(values)}) AND number = {COUNT}"
            for found, count in self._connection.execute(sql, values):
                search, term = hashes[found]
                search.counts[term] = count
        for search in searches.values():
            for term in search.counted if search.fresh.rows else ():
                fresh = len(search.fresh.postings(term))
                if fresh:
                    search.counts[term] = search.counts.get(term, 0) + fresh
        return searches

    @property
    def _known(self) -> Namespace:
        """It is read again once somebody has written."""
        connection = self._connection
        state = (
            self.namespace,
            self._run("PRAGMA data_version").fetchone(),
            connection.total_changes,
        )
        if connection.known is None or connection.known[0] != state:
            scopes = [
                (
                    LAYERS[name],
                    home,
                    rows,
                    length,
                    UnsplitRows(sorted(json.loads(fresh), reverse=True)),
                )
                for name, home, rows, length, fresh in self._run(
                    _SCOPES, self.namespace
                )
                if name
                in LAYERS  # a damaged one counts as lost, which the check notices
            ]
            associated, expires, standing, threads = self._run(
                _FLAGS, self.namespace
            ).fetchone()
            connection.known = (
                state,
                Namespace(scopes, associated, expires, standing, threads, {}),
            )
        return connection.known[1]

    def _scopes(self, layers: Collection[Layer]) -> dict[Layer, _LayerSearch]:
        return {
            scope[0]: _LayerSearch(*scope)
            for scope in self._known.scopes
            if scope[0] in layers
        }

    # postings

    def _open(
        self, searches: Mapping[Layer, _LayerSearch], question: Question, now: int
    ) -> None:
        """Open the terms of all layers: those with room for all rows and the next one,
        then all others at once.
        """
        asked: list[_AskedTerm] = []
        for search in searches.values():
            if all(each in search.counts for each in question.facets):
                search.order = opening_order(search.statistics, question.terms)
            if search.filtered:
                search.passing = self._passing_fresh(search, question.facets, now)
            first, room = search.opened_at_once()
            asked += [_AskedTerm(search, term, None) for term in first]
            asked += [
                _AskedTerm(search, term, room)
                for term in search.order[len(first) : len(first) + 1]
            ]
        self._read(asked, question.facets, now)
        rest = [
            _AskedTerm(search, term, search.opening.room)
            for search in searches.values()
            for term in search.order[len(search.opening.postings) :]
        ]
        self._read(rest, question.facets, now)
        self._complete(searches.values())

    def _read(
        self, asked: Sequence[_AskedTerm], facets: Sequence[str], now: int
    ) -> None:
        """Read the rows of terms, all with one statement."""
        wanted = [each for each in asked if each.limit != 0]
        found = dict(
            zip(
                wanted,
                self._postings([_newest(each, facets, now) for each in wanted]),
                strict=True,
            )
        )
        for each in asked:
            each.search.add(each.term, found.get(each, []))

    def _complete(self, searches: Collection[_LayerSearch]) -> None:
        """Look up the terms without room among the rows that others named."""
        for search in searches:
            unread = search.opening.unread
            sql = f"{_OF_TERM} AND held.number IN (SELECT value FROM json_each(?))"
            parts = [
                (sql, [hashed(search.home, term), str(list(rows))])
                for term, rows in unread.items()
            ]
            stored = self._postings(parts)
            for (term, rows), postings in zip(unread.items(), stored, strict=True):
                wanted = set(rows) if search.fresh.rows else ()
                fresh = [
                    each
                    for each in search.fresh.postings(term)
                    if each.number in wanted
                ]
                search.opening.complete({term: [*fresh, *postings]})

    def _postings(
        self, parts: Sequence[tuple[str, Sequence[object]]]
    ) -> Sequence[list[Any]]:
        """The postings that each part selects."""
        found: list[list[Any]] = [[] for _ in parts]
        for start in range(0, len(parts), _COMPOUND):
            some = parts[start : start + _COMPOUND]
            selects = (
                f"SELECT {place}, {_COLUMNS} FROM (SELECT held.* FROM {sql})"
                for place, (sql, _) in enumerate(some, start)
            )
            values = [value for _, values in some for value in values]
            for place, *columns in self._connection.execute(
                " UNION ALL ".join(selects), values
            ):
                found[place] = list(
                    zip(*[_parsed(column)[0] for column in columns], strict=True)
                )
        return found

    def _passing_fresh(
        self, search: _LayerSearch, facets: Sequence[str], now: int
    ) -> set[int]:
        numbers = {number for number, _ in search.fresh.rows}
        for each in facets:
            numbers &= {posting.number for posting in search.fresh.postings(each)}
        return numbers - (
            self._expired(list(numbers), now)
            if search.layer is Layer.USER_KNOWLEDGE
            else set()
        )

    def _holding(
        self, search: _LayerSearch, term: str, numbers: Collection[int]
    ) -> set[int]:
        found = {posting.number for posting in search.fresh.postings(term)}
        for chunk in chunks(numbers):
            sql = f"SELECT number FROM hexad_posting WHERE term = ? AND number IN ({placeholders(chunk)})"
            found.update(
                number
                for (number,) in self._run(sql, hashed(search.home, term), *chunk)
            )
        return found

    def _expired(self, numbers: Sequence[int], now: int) -> set[int]:
        if not numbers:
            return set()
        values = padded(numbers)
        sql = f"SELECT number FROM hexad_knowledge WHERE number IN ({placeholders(values)}) AND expires <= ?"
        return {number for (number,) in self._connection.execute(sql, (*values, now))}

    # standing rows, vectors and associations

    def _standing(self, question: Question, now: int, least: Standing) -> Sequence[Row]:
        """The entries that stand, the highest first; in a small memory the agent's
        notes behind them.
        """
        known = self._known.stands
        kept = known.get((least, question.standing))
        if kept is None or not kept.since <= now < kept.until:
            notes = MOST_NOTES if least is Standing.OWN else 0
            values = (self.namespace, least, now, question.standing, notes)
            rows = self.rows(
                Layer.USER_KNOWLEDGE, f"number IN ({_STANDING}) {_HIGHEST}", values
            )
            entries = [cast("Knowledge", row.record) for row in rows]
            ends = [
                to_microseconds(entry.expires)
                for entry in entries
                if entry.expires is not None
            ]
            kept = known[least, question.standing] = _StandingRows(
                now, min(ends, default=math.inf), rows
            )
        return kept.rows

    def rows(self, layer: Layer, where: str, values: Sequence[object]) -> list[Row]:
        """Whole rows of one layer."""
        table = TABLES[layer]
        columns = f"{table.selected}, words, number"
        cursor = self._connection.execute(
            f"SELECT {columns} FROM {table.name} WHERE {where}", values
        )
        found = ((row, table.decode(row)) for row in cursor)
        return [
            Row(row[-1], record, unpacked(row[-2], record.id)) for row, record in found
        ]

    def _associations(
        self, question: Question
    ) -> Iterator[tuple[Association, int | None]]:
        """Associations of the terms, with the numbers of their items; reads one more
        than the limit.
        """
        places = [(layer, term) for layer in question.layers for term in question.terms]
        for start in range(0, len(places), _COMPOUND):
            part = places[start : start + _COMPOUND]
            sql = " UNION ALL ".join(_of_term(layer) for layer, _ in part)
            values = [
                value
                for layer, term in part
                for value in (self.namespace, layer.value, term)
            ]
            for row in self._connection.execute(sql, values):
                yield ASSOCIATIONS.decode(row), row[-1]


@cache
def _of_term(layer: Layer) -> str:
    """The associations of a term, their namespace, and the number of their item."""
    number = "NULL"
    if (table := TABLES.get(layer)) is not None:
        of_item = f'row.namespace = a.namespace AND row."{table.key}" = a.id AND row.words IS NOT NULL'
        number = f"(SELECT number FROM {table.name} AS row WHERE {of_item})"
    return (
        f"SELECT a.*, {number} FROM (SELECT {ASSOCIATIONS.selected}, namespace FROM {ASSOCIATIONS.name} "
        f"WHERE namespace = ? AND layer = ? AND term = ? LIMIT {MOST_ASSOCIATIONS + 1}) AS a"
    )


@dataclass(frozen=True, slots=True, eq=False)
class _AskedTerm:
    """A term whose stored rows are read: all of them, or so many of the newest."""

    search: _LayerSearch
    term: str
    limit: int | None

    @property
    def hash(self) -> int:
        return hashed(self.search.home, self.term)


def _newest(
    asked: _AskedTerm, facets: Sequence[str], now: int
) -> tuple[str, Sequence[object]]:
    """The newest rows that hold a term; in a layer that is filtered those that hold the
    facets and are unexpired.
    """
    limit = CAPACITY if asked.limit is None else asked.limit
    search = asked.search
    if not search.filtered:
        return (
            f"{_OF_TERM} AND held.number < {COUNT} ORDER BY held.number DESC LIMIT ?",
            [asked.hash, limit],
        )
    driver, *others = sorted(
        (asked.term, *facets), key=lambda each: (search.counts[each], each)
    )
    sql = (
        f"hexad_posting AS driver CROSS JOIN {_OF_TERM} AND driver.term = ? AND driver.number < {COUNT} "
        "AND held.number = driver.number"
    )
    values = [asked.hash, hashed(search.home, driver)]
    for each in others:
        if each != asked.term:
            sql += f" AND EXISTS ({_ALSO})"
            values.append(hashed(search.home, each))
    if search.layer is Layer.USER_KNOWLEDGE:
        sql += f" AND NOT EXISTS ({_EXPIRED.format('driver')})"
        values.append(now)
    return f"{sql} ORDER BY driver.number DESC LIMIT ?", [*values, limit]
