"""Answering a question: one round trip brings everything that all layers and terms
need, except in rare cases.

The index has three parts. Blocks hold the postings of most rows, the words of the
latest rows are read whole, and stale words take back what the blocks say about rows
that have changed since. If common terms of a large namespace add to rows that others
named, a second round trip brings their blocks.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from hexad.model import RECORD_OF, Layer
from hexad.shape import to_microseconds
from hexad.store import (
    MOST_ASSOCIATIONS,
    MOST_NOTES,
    LayerEvidence,
    Question,
    Standing,
    VectorState,
)
from hexad.store.codec import CODES, LAYERS
from hexad.store.postgres.blocks import count_of, find, unpack
from hexad.store.postgres.connection import Sql, columns, flat
from hexad.store.postgres.records import ASSOCIATIONS, BRIEF, decode, hashed
from hexad.store.postgres.work import Work
from hexad.store.searching import (
    Opening,
    UnsplitRows,
    counted_terms,
    evidence_of,
    opening_order,
)
from hexad.text.index import IndexStatistics, Posting

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime


_NEWEST: Final = 2**63  # above every row: the part of a term that is in its leaf
_BLOCKS_AT_FIRST: Final = 128  # of each term, 32,000 rows: however many of these expired, older ones are not opened
_ALL_BLOCKS: Final = 2**31

UNSPLIT: Final = (  # the LIMIT makes the planner use the primary key, however wrong it is about `merged`
    "SELECT l.layer, r.number, r.words, true FROM hexad.head h CROSS JOIN unnest($2::smallint[]) AS l (layer) "
    "CROSS JOIN LATERAL (SELECT number, words FROM hexad.record WHERE tenant = $1 AND layer = l.layer "
    "AND number > h.merged[l.layer] ORDER BY number LIMIT 1000000) r "
    "WHERE h.tenant = $1 AND h.waiting[l.layer] > 0 AND r.words IS NOT NULL "
    "UNION ALL SELECT s.layer, s.number, r.words, true FROM hexad.stale s CROSS JOIN LATERAL (SELECT words "
    "FROM hexad.record WHERE tenant = $1 AND layer = s.layer AND number = s.number LIMIT 1) r "
    "WHERE s.tenant = $1 AND s.layer = ANY($2::smallint[]) AND r.words IS NOT NULL "
    "UNION ALL SELECT layer, number, words, false FROM hexad.stale "
    "WHERE tenant = $1 AND layer = ANY($2::smallint[])"
)
_POSTINGS: Final = (
    "SELECT t.term, p.* FROM hexad.head h CROSS JOIN unnest($2::bigint[], $4::smallint[]) AS t (term, layer) "
    "CROSS JOIN LATERAL ((SELECT NULL::bigint, terms "
    "FROM hexad.leaf WHERE tenant = $1 AND low <= t.term ORDER BY low DESC LIMIT 1) UNION ALL (SELECT newest, postings "
    "FROM hexad.block WHERE tenant = $1 AND term = t.term ORDER BY newest DESC LIMIT $3)) p "
    "WHERE h.tenant = $1 AND h.merged[t.layer] > 0"
)
BLOCKS_OF_ROWS: Final = (
    "SELECT DISTINCT ON (b.term, b.newest) b.* FROM unnest($2::bigint[], $3::bigint[]) AS t (term, number) "
    "CROSS JOIN LATERAL (SELECT term, newest, postings FROM hexad.block "
    "WHERE tenant = $1 AND term = t.term AND newest >= t.number ORDER BY newest LIMIT 1) b"
)
_EXPIRED: Final = (
    "SELECT number FROM hexad.record WHERE tenant = $1 AND expires <= $2 AND "
    "expires IS NOT NULL AND words IS NOT NULL"
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
_NOTED: Final = (
    f"SELECT {BRIEF} FROM hexad.record WHERE tenant = $1 AND standing = -1 AND words IS NOT NULL "
    "AND (expires IS NULL OR expires > $2) AND (SELECT count(*) FROM (SELECT 1 FROM hexad.record WHERE tenant = $1 "
    "AND standing > 0 AND words IS NOT NULL LIMIT $3::bigint + 1) AS own) <= $3 "
    "ORDER BY updated DESC, number DESC LIMIT $4"
)
_STATES: Final = (
    "SELECT layer, rows, stamp FROM hexad.embedder WHERE tenant = $1 AND embedder = $2"
)
_ASSOCIATIONS: Final = (
    "SELECT a.*, (SELECT number FROM hexad.record r WHERE r.tenant = $1 AND r.layer = a.layer AND r.id = a.id "
    "AND r.words IS NOT NULL) FROM unnest($2::smallint[]) AS l (layer) CROSS JOIN unnest($3::text[]) AS t (term) "
    "CROSS JOIN LATERAL (SELECT layer, id, term, weight, session, used FROM hexad.association "
    f"WHERE tenant = $1 AND layer = l.layer AND term = t.term LIMIT {MOST_ASSOCIATIONS + 1}) a "
    "WHERE EXISTS (SELECT 1 FROM hexad.association WHERE tenant = $1)"
)
VECTORS: Final = (
    "SELECT l.layer, v.* FROM unnest($3::smallint[], $4::bigint[]) AS l (layer, after) CROSS JOIN LATERAL (SELECT "
    "number, stamp, vector FROM hexad.vector WHERE tenant = $1 AND layer = l.layer AND embedder = $2 "
    "AND stamp > l.after ORDER BY stamp LIMIT $5) v"
)
VECTORS_ALONG: Final = 1000  # of each layer


def term_key(layer: Layer, term: str) -> int:
    """The key of a term in one layer."""
    return hashed(f"{CODES[layer]} {term}")


@dataclass(slots=True)
class _Term:
    """The postings of a term that were read: those in its leaf, and in some of its
    blocks.
    """

    total: int = 0
    held: int = 0
    parts: dict[int, bytes] = field(default_factory=dict)  # by their highest number

    def add(self, newest: int | None, packed: bytes, key: int) -> None:
        """Add a block, or the term's part of a leaf."""
        if newest is None:
            newest, found = _NEWEST, find(packed, key)
            packed = found.packed if found else b""
            self.total = found.in_blocks + count_of(packed) if found else 0
        if newest not in self.parts:
            self.parts[newest] = packed
            self.held += count_of(packed)

    @property
    def complete(self) -> bool:
        """Whether all blocks were read."""
        return self.held >= self.total

    def postings(self) -> Iterator[Posting]:
        """The postings, newest first."""
        for newest in sorted(self.parts, reverse=True):
            yield from unpack(self.parts[newest])

    def among(self, rows: Sequence[int]) -> Iterator[Posting]:
        """The postings of the parts in which some of these rows, in order, can be."""
        before = 0
        for newest in sorted(self.parts):
            until = bisect_right(rows, newest)
            if until > before:
                yield from unpack(self.parts[newest])
            before = until


@dataclass(slots=True)
class _PostgresLayer:
    """The search in one layer."""

    counted: Sequence[str]
    facets: Sequence[str]
    keys: Mapping[int, str]  # the counted terms by their keys
    rows: int = 0
    length: int = 0
    expired: Collection[int] = ()
    latest: UnsplitRows = field(default_factory=UnsplitRows)
    stale: UnsplitRows = field(default_factory=UnsplitRows)
    changed: Collection[int] = ()  # the stale rows
    terms: dict[str, _Term] = field(default_factory=dict)
    statistics: IndexStatistics = field(
        default_factory=lambda: IndexStatistics(0, 0, {})
    )
    opening: Opening = field(default_factory=Opening)
    _with_facets: set[int] | None = None

    @property
    def filtered(self) -> bool:
        """Whether rows may be left out."""
        return bool(self.facets or self.expired)

    def count(self) -> None:
        """Work out the counts of the terms, those of stale rows taken back."""
        counts = {
            term: self.terms[term].total
            + len(self.latest.postings(term))
            - len(self.stale.postings(term))
            for term in self.counted
        }
        self.statistics = IndexStatistics(
            self.rows,
            self.length,
            {term: count for term, count in counts.items() if count},
        )

    def newest(self, term: str, limit: int) -> list[Posting]:
        """The newest rows that hold a term and pass the filter."""
        latest = [
            posting for posting in self.latest.postings(term) if self.passes(posting[0])
        ]
        current = self._current(term)
        passing = (
            (posting for posting in current if self.passes(posting[0]))
            if self.filtered
            else current
        )
        stored = list(islice(passing, limit))
        if latest and stored and latest[-1][0] < stored[0][0]:
            return sorted([*latest, *stored], reverse=True)
        return [*latest, *stored]

    def among(self, term: str, rows: Collection[int]) -> list[Posting]:
        """Those of the given rows that hold a term, newest first."""
        stored = (
            posting
            for posting in self.terms[term].among(sorted(rows))
            if posting[0] not in self.changed
        )
        return sorted(
            posting
            for posting in (*self.latest.postings(term), *stored)
            if posting[0] in rows
        )[::-1]

    def passes(self, number: int) -> bool:
        """Whether a row holds all facets and has not expired."""
        if self.facets and self._with_facets is None:
            held = []
            for each in self.facets:
                postings = (*self.latest.postings(each), *self._current(each))
                held.append({posting[0] for posting in postings})
            self._with_facets = set.intersection(*held)
        return number not in self.expired and (
            self._with_facets is None or number in self._with_facets
        )

    def _current(self, term: str) -> Iterator[Posting]:
        """The rows in leaves and blocks, without the stale ones."""
        postings, changed = self.terms[term].postings(), self.changed
        return (
            (posting for posting in postings if posting[0] not in changed)
            if changed
            else postings
        )


class PostgresSearch(Work):
    """Evidence for questions."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._searches: dict[Layer, _PostgresLayer] = {}  # of the latest question
        self._vectors: dict[
            tuple[int, int], tuple[int, Sequence[Any]]
        ] = {}  # by layer and embedder, above a stamp

    def evidence(self, question: Question) -> dict[Layer, LayerEvidence]:
        """The evidence of each layer. Those that were empty lately are asked only if
        they are not any more.
        """
        stored, lately = (
            [layer for layer in question.layers if layer in RECORD_OF],
            self.filled.get(self.tenant),
        )
        some = (
            [each for each in stored if lately is None or CODES[each] in lately]
            if self.only_reads
            else stored
        )
        searches = self._searches = {
            layer: _layer_search(layer, question) for layer in some
        }
        asked = self._of_layers(question) | self._of_entries(question)
        answers = dict(zip(asked, self.ask(*asked.values()), strict=True))
        filled = frozenset(
            code for code, scope in self.head.scopes.items() if scope.rows
        )
        self.filled.put(self.tenant, filled)
        if any(layer not in searches and CODES[layer] in filled for layer in stored):
            return self.evidence(question)
        self._fill(answers)
        self._open(question)
        if (
            question.embedder is not None
        ):  # somebody will probably ask for the vectors that came along
            embedder, along = hashed(question.embedder), answers["vectors"]
            for code in [CODES[layer] for layer in searches]:
                after = self.stamps.get((self.tenant, code, embedder)) or 0
                self._vectors[code, embedder] = (
                    after,
                    [row[1:] for row in along if row[0] == code],
                )
        states = {
            LAYERS[layer]: VectorState(rows, stamp)
            for layer, rows, stamp in answers.get("states", ())
        }
        standing = [
            decode(row)
            for name in ("standing", "noted")
            for row in answers.get(name, ())
        ]
        associations = [
            (ASSOCIATIONS.of_row(row[:-1]), row[-1])
            for row in answers.get("associations", ())
        ]
        opened = {
            layer: (each.statistics, each.opening, each.filtered)
            for layer, each in searches.items()
            if each.rows
        }
        own = any(flat(answers.get("own", ())))
        return evidence_of(question, opened, associations, states, standing, own=own)

    def passing(
        self,
        layer: Layer,
        numbers: Collection[int],
        facets: Sequence[str],
        now: datetime,
    ) -> set[int]:
        """Those of the given rows that hold all facets and have not expired: usually
        the latest question knows.
        """
        search = self._searches.get(layer)
        if search is None or search.facets != facets or not self.only_reads:
            self.evidence(Question(layers=(layer,), now=now, facets=facets))
            search = self._searches.get(layer)
        return set() if search is None else set(filter(search.passes, numbers))

    def _of_layers(self, question: Question) -> dict[str, Sql]:
        """The statements of the first round trip about every layer."""
        tenant, codes = self.tenant, [CODES[layer] for layer in self._searches]
        asked: dict[str, Sql] = {}
        if keys := columns(
            (key, CODES[layer])
            for layer, search in self._searches.items()
            for key in search.keys
        ):
            most = _ALL_BLOCKS if question.facets else _BLOCKS_AT_FIRST
            asked["latest"] = Sql(UNSPLIT, (tenant, codes))
            asked["postings"] = Sql(_POSTINGS, (tenant, keys[0], most, keys[1]))
        if question.embedder is not None:
            embedder = hashed(question.embedder)
            known = [self.stamps.get((tenant, code, embedder)) or 0 for code in codes]
            asked["states"] = Sql(_STATES, (tenant, embedder))
            asked["vectors"] = Sql(
                VECTORS, (tenant, embedder, codes, known, VECTORS_ALONG)
            )
        if question.terms:
            all_codes = [CODES[layer] for layer in question.layers]
            asked["associations"] = Sql(
                _ASSOCIATIONS, (tenant, all_codes, list(dict.fromkeys(question.terms)))
            )
        return asked

    def _of_entries(self, question: Question) -> dict[str, Sql]:
        """Its statements about the entries."""
        if Layer.USER_KNOWLEDGE not in self._searches:
            return {}
        tenant, now = self.tenant, to_microseconds(question.now)
        asked = {"expired": Sql(_EXPIRED, (tenant, now)), "own": Sql(_OWN, (tenant,))}
        if question.standing:
            least = int(Standing.RULE if question.with_rules else Standing.PINNED)
            rows = _STANDING_OF_FEW if question.with_rules else _STANDING
            asked["standing"] = Sql(rows, (tenant, least, now, question.standing))
            if question.with_rules:
                asked["noted"] = Sql(
                    _NOTED, (tenant, now, question.standing, MOST_NOTES)
                )
        return asked

    def _fill(self, answers: Mapping[str, Sequence[Any]]) -> None:
        whole: dict[tuple[Layer, bool], list[tuple[int, str]]] = {}
        for code, number, words, is_latest in answers.get("latest", ()):
            whole.setdefault((LAYERS[code], is_latest), []).append((number, words))
        for (layer, is_latest), rows in whole.items():
            setattr(
                self._searches[layer],
                "latest" if is_latest else "stale",
                UnsplitRows(sorted(rows, reverse=True)),
            )
        self._add(answers.get("postings", ()))
        for layer, search in self._searches.items():
            scope = self.head.scopes[CODES[layer]]
            search.rows, search.length = scope.rows, scope.length
            search.changed = frozenset(number for number, _ in search.stale.rows)
            search.expired = (
                frozenset(flat(answers["expired"]))
                if layer is Layer.USER_KNOWLEDGE
                else ()
            )
            search.count()

    def _add(self, blocks: Sequence[Any]) -> None:
        homes = {
            key: search for search in self._searches.values() for key in search.keys
        }
        for key, newest, packed in blocks:
            search = homes[key]
            search.terms[search.keys[key]].add(newest, packed, key)

    def _open(self, question: Question) -> None:
        """Open the terms of all layers, usually without a further round trip."""
        for search in self._searches.values():
            if all(each in search.statistics.frequencies for each in question.facets):
                for term in opening_order(search.statistics, question.terms):
                    room = search.opening.room
                    search.opening.add(term, search.newest(term, room) if room else [])
        self._complete(self._searches.values())

    def _complete(self, searches: Collection[_PostgresLayer]) -> None:
        """Look up the terms without room among the rows that others named."""
        pairs: list[tuple[int, int]] = []
        for search in searches:
            unread = search.opening.unread
            lacking = {
                key: term
                for key, term in search.keys.items()
                if not search.terms[term].complete
            }
            pairs += [
                (key, row)
                for key, term in lacking.items()
                for row in unread.get(term, ())
            ]
        if pairs:
            self._add(self.ask(Sql(BLOCKS_OF_ROWS, (self.tenant, *columns(pairs))))[0])
        for search in searches:
            unread = search.opening.unread
            search.opening.complete(
                {term: search.among(term, set(rows)) for term, rows in unread.items()}
            )


def _layer_search(layer: Layer, question: Question) -> _PostgresLayer:
    counted = counted_terms(
        question.terms, question.facets, subjects=layer in question.with_subjects
    )
    terms = tuple(dict.fromkeys(counted))
    keys = {term_key(layer, term): term for term in terms}
    return _PostgresLayer(
        terms, question.facets, keys, terms={term: _Term() for term in terms}
    )
