"""Answering a question: one round trip brings everything that all layers and terms need, except in rare cases.

The index has three parts. Blocks hold the postings of most rows, the words of the latest rows are read whole, and stale
words take back what the blocks say about rows that have changed since. Common terms of a large namespace may need
blocks that the first round trip did not bring.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from hexad.model import RECORD_OF, Association, Layer
from hexad.shape import to_microseconds
from hexad.store import MOST_ASSOCIATIONS, Evidence, Standing, VectorState
from hexad.store.postgres.blocks import unpack
from hexad.store.postgres.connection import Statement, flat
from hexad.store.postgres.records import ASSOCIATIONS, BRIEF, CODES, LAYERS, decode, hashed
from hexad.store.searching import CAPACITY, Opening, UnsplitRows, counted_terms, opening_order
from hexad.text.index import Posting, Statistics

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from hexad.store import Question, Row
    from hexad.store.postgres.work import Work

_BLOCKS_AT_FIRST: Final = 6  # of each term: more rows than a layer has room for

_SCOPES: Final = "SELECT layer, rows, length FROM hexad.scope WHERE tenant = $1 AND layer = ANY($2::smallint[])"
_LATEST: Final = (  # the LIMIT makes the planner use the primary key, however wrong it is about `merged`
    "SELECT s.layer, r.number, r.words, true FROM hexad.scope s CROSS JOIN LATERAL (SELECT number, words "
    "FROM hexad.record WHERE tenant = $1 AND layer = s.layer AND number > s.merged ORDER BY number LIMIT 1000000) r "
    "WHERE s.tenant = $1 AND s.layer = ANY($2::smallint[]) AND s.waiting > 0 AND r.words IS NOT NULL "
    "UNION ALL SELECT s.layer, s.number, r.words, true FROM hexad.stale s CROSS JOIN LATERAL (SELECT words "
    "FROM hexad.record WHERE tenant = $1 AND layer = s.layer AND number = s.number LIMIT 1) r "
    "WHERE s.tenant = $1 AND s.layer = ANY($2::smallint[]) AND r.words IS NOT NULL "
    "UNION ALL SELECT layer, number, words, false FROM hexad.stale "
    "WHERE tenant = $1 AND layer = ANY($2::smallint[])"
)
_OF_TERM: Final = "SELECT term, newest, total, postings FROM hexad.block WHERE tenant = $1 AND term = t.term"
_BLOCKS: Final = (
    f"SELECT b.* FROM unnest($2::bigint[]) AS t (term) CROSS JOIN LATERAL ({_OF_TERM} ORDER BY newest DESC LIMIT $3) b "
    "WHERE EXISTS (SELECT 1 FROM hexad.scope WHERE tenant = $1 AND merged > 0)"
)
_BLOCKS_OF_ROWS: Final = (
    "SELECT DISTINCT ON (b.term, b.newest) b.* FROM unnest($2::bigint[], $3::bigint[]) AS t (term, number) "
    f"CROSS JOIN LATERAL ({_OF_TERM} AND newest >= t.number ORDER BY newest LIMIT 1) b"
)
_EXPIRED: Final = (
    "SELECT number FROM hexad.record WHERE tenant = $1 AND expires <= $2 AND expires IS NOT NULL AND words IS NOT NULL"
)
_OWN: Final = "SELECT EXISTS (SELECT 1 FROM hexad.record WHERE tenant = $1 AND standing > 0 AND words IS NOT NULL)"
_STANDING: Final = (
    f"SELECT {BRIEF} FROM hexad.record WHERE tenant = $1 AND standing >= $2 AND standing > 0 AND words IS NOT NULL "
    "AND (expires IS NULL OR expires > $3) ORDER BY standing DESC, updated DESC, number DESC LIMIT $4"
)
_STANDING_OF_FEW: Final = _STANDING.replace(
    "standing >= $2",
    "standing >= CASE WHEN (SELECT count(*) FROM (SELECT 1 FROM hexad.record WHERE tenant = $1 AND standing > 0 "
    "AND words IS NOT NULL LIMIT $4::bigint + 1) AS own) <= $4 THEN 1 ELSE $2 END",
)
_STATES: Final = "SELECT layer, rows, stamp FROM hexad.embedder WHERE tenant = $1 AND embedder = $2"
_ASSOCIATIONS: Final = (
    "SELECT a.*, (SELECT number FROM hexad.record r WHERE r.tenant = $1 AND r.layer = a.layer AND r.id = a.id "
    "AND r.words IS NOT NULL) FROM unnest($2::smallint[]) AS l (layer) CROSS JOIN unnest($3::text[]) AS t (term) "
    "CROSS JOIN LATERAL (SELECT layer, id, term, weight, session, used FROM hexad.association "
    f"WHERE tenant = $1 AND layer = l.layer AND term = t.term LIMIT {MOST_ASSOCIATIONS + 1}) a "
    "WHERE EXISTS (SELECT 1 FROM hexad.association WHERE tenant = $1)"
)
_PASSING: Final = (
    "SELECT number FROM hexad.record WHERE tenant = $1 AND layer = $2 AND number = ANY($3::bigint[]) "
    "AND (expires IS NULL OR expires > $4) "
    "AND ($5::text[] = '{}' OR string_to_array(split_part(words, E'\\n', 1), ' ') @> $5::text[])"
)


def term_key(layer: Layer, term: str) -> int:
    """The key of a term in one layer."""
    return hashed(f"{CODES[layer]} {term}")


@dataclass(slots=True)
class _Term:
    """The blocks of a term that were read, newest first."""

    total: int = 0
    blocks: dict[int, list[Any]] = field(default_factory=dict)  # by their `newest`
    held: int = 0

    def add(self, newest: int, total: int, packed: bytes) -> None:
        if newest not in self.blocks:
            self.total += total
            self.blocks[newest] = postings = unpack(packed)
            self.held += len(postings)

    @property
    def complete(self) -> bool:
        """Whether all blocks were read."""
        return self.held >= self.total

    def postings(self) -> Iterator[Posting]:
        """The postings, newest first."""
        for newest in sorted(self.blocks, reverse=True):
            yield from self.blocks[newest]


@dataclass(slots=True)
class _LayerSearch:
    """The search in one layer."""

    layer: Layer
    rows: int
    length: int
    counted: Sequence[str]
    facets: Sequence[str]
    expired: Collection[int] = ()
    latest: UnsplitRows = field(default_factory=UnsplitRows)
    stale: UnsplitRows = field(default_factory=UnsplitRows)
    terms: dict[str, _Term] = field(default_factory=dict)
    order: Sequence[str] = ()
    opening: Opening = field(default_factory=Opening)
    _changed: set[int] | None = None
    _with_facets: set[int] | None = None

    @property
    def filtered(self) -> bool:
        """Whether rows may be left out."""
        return bool(self.facets or self.expired)

    def statistics(self) -> Statistics:
        """The counts of the terms, those of stale rows taken back."""
        counts = {}
        for term in self.counted:
            count = self.terms[term].total + len(self.latest.postings(term)) - len(self.stale.postings(term))
            if count:
                counts[term] = count
        return Statistics(self.rows, self.length, counts)

    def newest(self, term: str, limit: int) -> list[Posting]:
        """The newest rows that hold a term and pass the filter."""
        latest = [posting for posting in self.latest.postings(term) if self._passes(posting[0])]
        stored = list(islice(self._stored(term), limit))
        if latest and stored and latest[-1][0] < stored[0][0]:
            return sorted([*latest, *stored], reverse=True)
        return [*latest, *stored]

    def among(self, term: str, rows: Collection[int]) -> list[Posting]:
        """Those of the given rows that hold a term, newest first."""
        held = (*self.latest.postings(term), *self._current(term))
        return sorted((posting for posting in held if posting[0] in rows), reverse=True)

    def is_thin(self, term: str) -> bool:
        """Whether more blocks must be read to know the newest rows of a term."""
        known = self.terms[term]
        return not known.complete and sum(1 for _ in islice(self._stored(term), CAPACITY)) < CAPACITY

    def _stored(self, term: str) -> Iterator[Posting]:
        current = self._current(term)
        return (posting for posting in current if self._passes(posting[0])) if self.filtered else current

    def _current(self, term: str) -> Iterator[Posting]:
        """The rows in the blocks, without the stale ones."""
        if self._changed is None:
            self._changed = {number for number, _ in self.stale.rows}
        changed = self._changed
        postings = self.terms[term].postings()
        return (posting for posting in postings if posting[0] not in changed) if changed else postings

    def _passes(self, number: int) -> bool:
        if number in self.expired:
            return False
        if not self.facets:
            return True
        if self._with_facets is None:
            held = [
                {posting[0] for posting in (*self.latest.postings(each), *self._current(each))} for each in self.facets
            ]
            self._with_facets = set.intersection(*held)
        return number in self._with_facets


class Search:
    """Evidence for questions, inside one unit of work."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def evidence(self, question: Question) -> dict[Layer, Evidence]:
        """The evidence of each layer."""
        searches, keys, asked = self._asked(question)
        answers = dict(zip(asked, self._work.ask(*asked.values()), strict=True))
        self._fill(searches, keys, answers, to_microseconds(question.now))
        self._open(searches, question)
        associations, numbers = _associated(answers.get("associations", ()))
        states = {LAYERS[layer]: VectorState(rows, stamp) for layer, rows, stamp in answers.get("states", ())}
        standing: Sequence[Row] = [decode(row) for row in answers.get("standing", ())]
        found = {layer: Evidence(associations=associations.get(layer, ())) for layer in question.layers}
        for layer, search in searches.items():
            if search.rows:
                found[layer] = Evidence(
                    search.statistics(),
                    search.opening.postings,
                    standing if layer is Layer.USER_KNOWLEDGE else (),
                    states.get(layer, VectorState()),
                    associations.get(layer, ()),
                    numbers.get(layer, {}),
                    search.filtered,
                    layer is Layer.USER_KNOWLEDGE and any(flat(answers["own"])),
                )
        return found

    def passing(self, layer: Layer, numbers: Collection[int], facets: Sequence[str], now: int) -> set[int]:
        """Those of the given rows that hold all facets and have not expired."""
        values = (self._work.tenant, CODES[layer], list(numbers), now, list(facets))
        return set(flat(self._work.ask(Statement(_PASSING, values))[0]))

    def _asked(
        self, question: Question
    ) -> tuple[dict[Layer, _LayerSearch], dict[int, tuple[Layer, str]], dict[str, Statement]]:
        """The layers that are searched, the keys of their terms, and the statements of the first round trip."""
        tenant, keys = self._work.tenant, dict[int, tuple[Layer, str]]()
        searches: dict[Layer, _LayerSearch] = {}
        for layer in question.layers:
            if layer in RECORD_OF:
                counted = counted_terms(question.terms, question.facets, subjects=layer in question.with_subjects)
                searches[layer] = _LayerSearch(layer, 0, 0, tuple(dict.fromkeys(counted)), question.facets)
                keys |= {term_key(layer, term): (layer, term) for term in counted}
        codes = [CODES[layer] for layer in searches]
        asked = {"scopes": Statement(_SCOPES, (tenant, codes))}
        if keys:
            asked["latest"] = Statement(_LATEST, (tenant, codes))
            asked["blocks"] = Statement(_BLOCKS, (tenant, list(keys), _BLOCKS_AT_FIRST))
        if Layer.USER_KNOWLEDGE in searches:
            now = to_microseconds(question.now)
            asked["expired"] = Statement(_EXPIRED, (tenant, now))
            asked["own"] = Statement(_OWN, (tenant,))
            if question.standing:
                least = int(Standing.RULE if question.with_rules else Standing.PINNED)
                rows = _STANDING_OF_FEW if question.with_rules else _STANDING
                asked["standing"] = Statement(rows, (tenant, least, now, question.standing))
        if question.embedder is not None:
            asked["states"] = Statement(_STATES, (tenant, hashed(question.embedder)))
        if question.terms:
            all_codes = [CODES[layer] for layer in question.layers]
            asked["associations"] = Statement(_ASSOCIATIONS, (tenant, all_codes, list(dict.fromkeys(question.terms))))
        return searches, keys, asked

    def _fill(
        self,
        searches: Mapping[Layer, _LayerSearch],
        keys: Mapping[int, tuple[Layer, str]],
        answers: Mapping[str, Sequence[Any]],
        now: int,
    ) -> None:
        for code, rows, length in answers["scopes"]:
            searches[LAYERS[code]].rows, searches[LAYERS[code]].length = rows, length
        whole: dict[tuple[Layer, bool], list[tuple[int, str]]] = {}
        for code, number, words, is_latest in answers.get("latest", ()):
            whole.setdefault((LAYERS[code], is_latest), []).append((number, words))
        for (layer, is_latest), rows in whole.items():
            setattr(searches[layer], "latest" if is_latest else "stale", UnsplitRows(sorted(rows, reverse=True)))
        for layer, term in keys.values():
            searches[layer].terms[term] = _Term()
        _add_blocks(searches, keys, answers.get("blocks", ()))
        if Layer.USER_KNOWLEDGE in searches:
            searches[Layer.USER_KNOWLEDGE].expired = frozenset(flat(answers["expired"]))

    def _open(self, searches: Mapping[Layer, _LayerSearch], question: Question) -> None:
        """Open the terms of all layers, in as few further round trips as possible: usually none."""
        for search in searches.values():
            statistics = search.statistics()
            if all(each in statistics.frequencies for each in question.facets):
                search.order = opening_order(statistics, question.terms)
        facets = [(search, each) for search in searches.values() if search.order for each in search.facets]
        self._read_all(searches, [(search, each) for search, each in facets if not search.terms[each].complete])
        opened = [(search, term) for search in searches.values() for term in search.order]
        self._read_all(searches, [(search, term) for search, term in opened if search.is_thin(term)])
        for search in searches.values():
            for term in search.order:
                room = search.opening.room
                search.opening.add(term, search.newest(term, room) if room else [])
        self._complete(searches)

    def _read_all(self, searches: Mapping[Layer, _LayerSearch], wanted: Sequence[tuple[_LayerSearch, str]]) -> None:
        """Read all blocks of some terms."""
        keys = {term_key(search.layer, term): (search.layer, term) for search, term in wanted}
        if keys:
            statement = Statement(_BLOCKS, (self._work.tenant, list(keys), None))
            _add_blocks(searches, keys, self._work.ask(statement)[0])

    def _complete(self, searches: Mapping[Layer, _LayerSearch]) -> None:
        """Look up the terms without room among the rows that others named."""
        keys: dict[int, tuple[Layer, str]] = {}
        pairs: list[tuple[int, int]] = []
        for search in searches.values():
            terms, rows = search.opening.unread
            for term in terms:
                if not search.terms[term].complete:
                    key = term_key(search.layer, term)
                    keys[key] = search.layer, term
                    pairs += [(key, row) for row in rows]
        if pairs:
            values = (self._work.tenant, [key for key, _ in pairs], [row for _, row in pairs])
            _add_blocks(searches, keys, self._work.ask(Statement(_BLOCKS_OF_ROWS, values))[0])
        for search in searches.values():
            terms, rows = search.opening.unread
            search.opening.complete({term: search.among(term, rows) for term in terms})


def _add_blocks(
    searches: Mapping[Layer, _LayerSearch], keys: Mapping[int, tuple[Layer, str]], blocks: Sequence[Any]
) -> None:
    for key, newest, total, postings in blocks:
        layer, term = keys[key]
        searches[layer].terms[term].add(newest, total, postings)


def _associated(rows: Sequence[Any]) -> tuple[dict[Layer, list[Association]], dict[Layer, dict[str, int]]]:
    """The associations, without terms that led to too many items; and the numbers of their items that are rows."""
    counts = Counter((row[0], row[2]) for row in rows)
    found: dict[Layer, list[Association]] = {}
    numbers: dict[Layer, dict[str, int]] = {}
    for *values, number in rows:
        if counts[values[0], values[2]] <= MOST_ASSOCIATIONS:
            association = ASSOCIATIONS.decode(values)
            found.setdefault(association.layer, []).append(association)
            if number is not None:
                numbers.setdefault(association.layer, {})[association.id] = number
    return found, numbers
