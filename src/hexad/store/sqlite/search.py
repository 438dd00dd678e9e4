"""Answering a question with few statements: each of them covers all terms of all layers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.model import Layer
from hexad.shape import to_microseconds
from hexad.store import MOST_ASSOCIATIONS, Evidence, Standing, VectorState
from hexad.store.searching import CAPACITY, Opening, UnsplitRows, counted_terms, opening_order
from hexad.store.sqlite.index import COUNT, chunks, hashed, padded, placeholders
from hexad.store.sqlite.rows import ASSOCIATIONS, LAYERS, TABLES
from hexad.store.sqlite.statements import Queries
from hexad.text.index import Statistics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from hexad.model import Association
    from hexad.store import Question, Row
    from hexad.store.sqlite.connections import Connection
    from hexad.store.sqlite.unit import Unit

_PADDED_ROWS: Final = 32
_TERM, _WITHOUT_TERM = itemgetter(0), itemgetter(1, 2, 3)  # of a posting with its term before it
_NAMESPACES: Final = 8  # of which a connection remembers what every question asks
_FEW: Final = 64  # rows of a term that is read together with others
_COMPOUND: Final = 400  # parts of a compound statement; SQLite allows 500
_POSTING: Final = "SELECT number, weight, length FROM hexad_posting"
_ALSO: Final = "SELECT 1 FROM hexad_posting AS also WHERE also.term = ? AND also.number = driver.number"
_EXPIRED: Final = "SELECT 1 FROM hexad_knowledge AS entry WHERE entry.number = {}.number AND entry.expires <= ?"


class _Namespace(NamedTuple):
    """What a question asks about a namespace, whatever its words are."""

    scopes: Sequence[tuple[Layer, int, int, int, UnsplitRows]]  # the first fields of a `_LayerSearch`
    associated: bool
    expires: int | None  # the first time at which an entry expires
    standing: int  # the highest of an entry
    threads: bool


@dataclass(slots=True)
class _LayerSearch:
    """The search in one layer, as far as it has come."""

    layer: Layer
    home: int
    rows: int
    length: int
    fresh: UnsplitRows
    filtered: bool = False  # whether rows may be left out: the facets, or something has expired
    counted: Sequence[str] = ()
    counts: dict[str, int] = field(default_factory=dict)
    order: Sequence[str] = ()
    opening: Opening = field(default_factory=Opening)
    passing: set[int] | None = None  # of the fresh rows, those that are not left out

    @property
    def statistics(self) -> Statistics:
        return Statistics(self.rows, self.length, self.counts)

    def opened_at_once(self) -> tuple[Sequence[str], int]:
        """How many terms certainly have room for all their rows, and the most rows that the next one has room for."""
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
        if fresh and stored and fresh[-1].number < stored[0][0]:  # an older row was saved again
            self.opening.add(term, sorted([*fresh, *stored], reverse=True))
        else:
            self.opening.add(term, [*fresh, *stored] if fresh else stored)


class Search(Queries):
    """Evidence for questions, over one connection inside one transaction."""

    def __init__(self, unit: Unit, connection: Connection) -> None:
        super().__init__(connection, unit.namespace)
        self._unit = unit

    def evidence(self, question: Question) -> dict[Layer, Evidence]:
        """The evidence of each layer."""
        now = to_microseconds(question.now)
        least = Standing.RULE if question.with_rules else Standing.PINNED
        known = self._known
        searches = self._searches(question, expired=known.expires is not None and known.expires <= now)
        self._open(searches, question, now)
        if question.with_rules and self._run("stand_beyond", self.namespace, question.standing).fetchone() is None:
            least = Standing.OWN
        standing = self._standing(question, now, least) if known.standing >= least and question.standing else ()
        vectors = self._vector_states(question.embedder) if question.embedder is not None else {}
        associations = self._associations(question) if known.associated else {}
        numbers = self._numbers(associations)
        found = {layer: Evidence(associations=associations.get(layer, ())) for layer in question.layers}
        for layer, search in searches.items():
            found[layer] = Evidence(
                search.statistics,
                search.opening.postings,
                standing if layer is Layer.USER_KNOWLEDGE else (),
                vectors.get(layer.value, VectorState()),
                associations.get(layer, ()),
                numbers.get(layer, {}),
                search.filtered,
                known.standing > 0 and layer is Layer.USER_KNOWLEDGE,
                known.threads and layer is Layer.USER_KNOWLEDGE,
            )
        return found

    def passing(self, layer: Layer, numbers: Collection[int], facets: Sequence[str], now: int) -> set[int]:
        """Those of the given rows that hold all facets and have not expired."""
        left = set(numbers)
        searches = self._scopes([layer]) if facets else {}
        for each in facets:
            left &= self._holding(searches[layer], each, left) if layer in searches else set()
        for chunk in chunks(left) if layer is Layer.USER_KNOWLEDGE else ():
            left -= self._expired(chunk, now)
        return left

    # layers and terms

    def _searches(self, question: Question, *, expired: bool) -> dict[Layer, _LayerSearch]:
        """Each layer that has rows, with the frequencies of the question's terms in it."""
        searches = self._scopes(question.layers)
        for layer, search in searches.items():
            search.filtered = bool(question.facets) or (expired and layer is Layer.USER_KNOWLEDGE)
            search.counted = counted_terms(question.terms, question.facets, subjects=layer in question.with_subjects)
        for search, term, count in self._counted(searches.values()):
            search.counts[term] = count
        for search in searches.values():
            for term in search.counted if search.fresh.rows else ():
                found = len(search.fresh.postings(term))
                if found:
                    search.counts[term] = search.counts.get(term, 0) + found
        return searches

    @property
    def _known(self) -> _Namespace:
        """It is read again once somebody has written."""
        known, here = self._connection.known, self.namespace
        state = self._connection.execute("PRAGMA data_version").fetchone(), self._connection.total_changes
        if here not in known or known[here][0] != state:
            scopes = [
                (LAYERS[name], home, rows, length, UnsplitRows(self._run("fresh", home).fetchall() if fresh else ()))
                for name, home, rows, length, fresh in self._run("scopes", here).fetchall()
            ]
            if len(known) >= _NAMESPACES:
                known.clear()
            known[here] = state, _Namespace(scopes, *self._run("flags", here).fetchone())
        found: _Namespace = known[here][1]
        return found

    def _scopes(self, layers: Collection[Layer]) -> dict[Layer, _LayerSearch]:
        return {scope[0]: _LayerSearch(*scope) for scope in self._known.scopes if scope[0] in layers}

    def _counted(self, searches: Collection[_LayerSearch]) -> Iterator[tuple[_LayerSearch, str, int]]:
        hashes = {hashed(search.home, term): (search, term) for search in searches for term in search.counted}
        for chunk in chunks(hashes):
            values = padded(chunk)
            for term, count in self._connection.execute(
                f"SELECT term, weight FROM hexad_posting WHERE term IN ({placeholders(values)}) AND number = {COUNT}",
                values,
            ):
                yield *hashes[term], count

    # postings

    def _open(self, searches: Mapping[Layer, _LayerSearch], question: Question, now: int) -> None:
        """Open the terms of all layers: those with room for all rows and the next one, then all others at once."""
        asked: list[_Asked] = []
        for search in searches.values():
            if all(each in search.counts for each in question.facets):
                search.order = opening_order(search.statistics, question.terms)
            if search.filtered:
                search.passing = self._passing_fresh(search, question.facets, now)
            first, room = search.opened_at_once()
            asked += [_Asked(search, term, None) for term in first]
            asked += [_Asked(search, term, room) for term in search.order[len(first) : len(first) + 1]]
        self._read(asked, question.facets, now)
        rest = [
            _Asked(search, term, search.opening.room)
            for search in searches.values()
            for term in search.order[len(search.opening.postings) :]
        ]
        self._read(rest, question.facets, now)
        self._complete(searches.values())

    def _read(self, asked: Sequence[_Asked], facets: Sequence[str], now: int) -> None:
        """Read terms with many rows one by one, and all others together."""
        found: dict[int, list[Any]] = {}
        few, parts, values = [], [], list[int]()
        for each in asked:
            if each.limit == 0:
                continue
            if each.search.filtered:
                sql, own = _newest(each, facets, now)
                parts.append(sql)
                values += own
            elif each.limit is None and each.search.counts[each.term] <= _FEW:
                few.append(each.hash)
            else:
                limit = CAPACITY if each.limit is None else each.limit
                found[each.hash] = self._run("postings", each.hash, COUNT, limit).fetchall()
        if few:
            keys = padded(few, 4)
            parts.append(
                f"SELECT term, number, weight, length FROM hexad_posting WHERE term IN ({placeholders(keys)}) "
                f"AND number < {COUNT} ORDER BY term DESC, number DESC"
            )
            values += keys
        if parts:
            sql = " UNION ALL ".join(f"SELECT * FROM ({part})" for part in parts) if parts[1:] else parts[0]
            rows = self._connection.execute(sql, values).fetchall()  # rows of one term come one after the other
            found |= {term: list(map(_WITHOUT_TERM, postings)) for term, postings in groupby(rows, _TERM)}
        for each in asked:
            each.search.add(each.term, found.get(each.hash, []))

    def _complete(self, searches: Collection[_LayerSearch]) -> None:
        """Look up the terms without room among the rows that others named."""
        for search in searches:
            among: dict[str, list[Any]] = {}
            for term, rows in search.opening.unread.items():
                wanted, numbers = set(rows), padded(rows, _PADDED_ROWS)
                where = f"term = ? AND number IN ({placeholders(numbers)})"
                values = hashed(search.home, term), *numbers
                stored = self._connection.execute(f"{_POSTING} WHERE {where}", values).fetchall()
                fresh = [posting for posting in search.fresh.postings(term) if posting.number in wanted]
                among[term] = [*fresh, *stored]
            search.opening.complete(among)

    def _passing_fresh(self, search: _LayerSearch, facets: Sequence[str], now: int) -> set[int]:
        numbers = {number for number, _ in search.fresh.rows}
        for each in facets:
            numbers &= {posting.number for posting in search.fresh.postings(each)}
        return numbers - (self._expired(list(numbers), now) if search.layer is Layer.USER_KNOWLEDGE else set())

    def _holding(self, search: _LayerSearch, term: str, numbers: Collection[int]) -> set[int]:
        found = {posting.number for posting in search.fresh.postings(term)}
        for chunk in chunks(numbers):
            found.update(
                number
                for (number,) in self._connection.execute(
                    f"SELECT number FROM hexad_posting WHERE term = ? AND number IN ({placeholders(chunk)})",
                    (hashed(search.home, term), *chunk),
                )
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
        where = (
            "namespace = ? AND standing >= ? AND standing > 0 AND words IS NOT NULL "
            "AND (expires IS NULL OR expires > ?) ORDER BY standing DESC, updated DESC, number DESC LIMIT ?"
        )
        return self._unit.rows(Layer.USER_KNOWLEDGE, where, (self.namespace, least, now, question.standing))

    def _vector_states(self, embedder: str) -> Mapping[str, VectorState]:
        found = self._run("vector_states", self.namespace, embedder)
        return {layer: VectorState(rows, stamp) for layer, rows, stamp in found}

    def _associations(self, question: Question) -> Mapping[Layer, Sequence[Association]]:
        """Associations of the terms; reads one more than the limit to detect overflow."""
        of_term = (
            f"SELECT * FROM (SELECT {ASSOCIATIONS.selected} FROM {ASSOCIATIONS.name} "
            f"WHERE namespace = ? AND layer = ? AND term = ? LIMIT {MOST_ASSOCIATIONS + 1})"
        )
        places = [(self.namespace, layer.value, term) for layer in question.layers for term in question.terms]
        found: dict[Layer, list[Association]] = {}
        for start in range(0, len(places), _COMPOUND):
            part = places[start : start + _COMPOUND]
            sql = " UNION ALL ".join([of_term] * len(part))
            for row in self._connection.execute(sql, [value for place in part for value in place]):
                association = ASSOCIATIONS.decode(row)
                found.setdefault(association.layer, []).append(association)
        return {layer: _few(known) for layer, known in found.items()}

    def _numbers(self, associations: Mapping[Layer, Sequence[Association]]) -> Mapping[Layer, Mapping[str, int]]:
        """The numbers of the associated ids that are indexed rows."""
        found: dict[Layer, dict[str, int]] = {}
        parts, values = [], list[str]()
        for layer, known in associations.items():
            if layer in TABLES and known:
                table, ids = TABLES[layer], padded(dict.fromkeys(each.id for each in known))
                parts.append(
                    f"SELECT '{layer.value}', \"{table.key}\", number FROM {table.name} "
                    f'WHERE namespace = ? AND "{table.key}" IN ({placeholders(ids)}) AND words IS NOT NULL'
                )
                values += [self.namespace, *ids]
        for name, key, number in self._connection.execute(" UNION ALL ".join(parts), values) if parts else ():
            found.setdefault(LAYERS[name], {})[key] = number
        return found


@dataclass(frozen=True, slots=True)
class _Asked:
    """A term whose stored rows are read: all of them, or so many of the newest."""

    search: _LayerSearch
    term: str
    limit: int | None

    @property
    def hash(self) -> int:
        return hashed(self.search.home, self.term)


def _newest(asked: _Asked, facets: Sequence[str], now: int) -> tuple[str, list[int]]:
    """In a layer that is filtered: the newest rows that hold a term and the facets, and are unexpired."""
    limit = CAPACITY if asked.limit is None else asked.limit
    search = asked.search
    driver, *others = sorted((asked.term, *facets), key=lambda each: (search.counts[each], each))
    sql = (
        "SELECT held.term, held.number, held.weight, held.length FROM hexad_posting AS driver "
        f"CROSS JOIN hexad_posting AS held WHERE driver.term = ? AND driver.number < {COUNT} "
        "AND held.term = ? AND held.number = driver.number"
    )
    values = [hashed(search.home, driver), asked.hash]
    for each in others:
        if each != asked.term:
            sql += f" AND EXISTS ({_ALSO})"
            values.append(hashed(search.home, each))
    if search.layer is Layer.USER_KNOWLEDGE:
        sql += f" AND NOT EXISTS ({_EXPIRED.format('driver')})"
        values.append(now)
    return f"{sql} ORDER BY driver.number DESC LIMIT ?", [*values, limit]


def _few(known: Sequence[Association]) -> Sequence[Association]:
    """Without the terms that led to too many items."""
    counts = Counter(each.term for each in known) if len(known) > MOST_ASSOCIATIONS else {}
    return [each for each in known if counts.get(each.term, 0) <= MOST_ASSOCIATIONS]
