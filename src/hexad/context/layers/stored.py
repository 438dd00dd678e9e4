"""The four layers that are persisted: candidates from the index, ranked in process, read in one snapshot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hexad.context.candidates import gather
from hexad.context.conversation import lending, places_beside
from hexad.context.layers.presenting import present
from hexad.context.ranking import SLACK, Ranking
from hexad.model import Item, Layer, Query, Reason
from hexad.shape import to_microseconds
from hexad.store import Scope
from hexad.text.document import Document, facet

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from hexad.context.candidates import Candidates
    from hexad.model import Clock, Record
    from hexad.store import Reading, Sketch, Store
    from hexad.text.index import Posting, Statistics

_PINNED: Final = Reason("pinned", "always in its layer", 1.0)


@dataclass(frozen=True, slots=True)
class ScopedIndex:
    """The part of a store's index that one scope is."""

    view: Reading
    scope: Scope

    def statistics(self, terms: Collection[str]) -> Statistics:
        """What the scope's index knows of these terms."""
        return self.view.statistics(self.scope, terms)

    def postings(self, term: str, *, limit: int) -> Sequence[Posting]:
        """The scope's rows that hold a term."""
        return self.view.postings(self.scope, term, limit=limit)

    def postings_among(self, term: str, numbers: Collection[int]) -> Sequence[Posting]:
        """Those of the given rows that hold a term."""
        return self.view.postings_among(self.scope, term, numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSource:
    """A persisted layer of one namespace."""

    layer: Layer
    store: Store
    namespace: str
    clock: Clock
    deadline: float | None = None
    max_pinned: int = 0
    facets: Mapping[str, str] = field(default_factory=dict)

    def find(self, query: Query, limit: int) -> Sequence[Item]:
        """Pinned entries first, then what matches best."""
        scope, now = Scope(self.namespace, self.layer), self.clock()
        with self.store.reading(deadline=self.deadline) as view:
            pinned = self._pinned(view, scope, now)
            found = self._matching(view, scope, query, now, limit, without={item.id for item in pinned})
        return (*pinned, *found)[:limit]

    def _pinned(self, view: Reading, scope: Scope, now: datetime) -> Sequence[Item]:
        numbers = view.pinned(scope) if self.max_pinned else ()
        if not numbers:
            return ()
        moment = to_microseconds(now)
        living = [each for each in view.sketch(scope, numbers) if _lives(each, moment)]
        latest = sorted(living, key=lambda each: (each.updated, each.number), reverse=True)[: self.max_pinned]
        rows = sorted(view.fetch(scope, [each.number for each in latest]), key=lambda row: row.number)
        return [present(row.record, _PINNED.value, (_PINNED,)) for row in rows]

    def _matching(
        self, view: Reading, scope: Scope, query: Query, now: datetime, limit: int, *, without: set[str]
    ) -> Sequence[Item]:
        facets = tuple(facet(name, value) for name, value in self.facets.items())
        known = self.layer is Layer.USER_KNOWLEDGE
        candidates = gather(ScopedIndex(view, scope), query.terms, facets=facets, subjects=known)
        ranked = _Ranked(query, candidates, to_microseconds(now), facets, without)
        for batch in candidates.batches(limit + len(without), slack=SLACK):
            ranked.add(view.sketch(scope, batch))
            if len(ranked.rows) >= limit:
                break
        if beside := places_beside(ranked.rows):
            ranked.add(view.in_threads(scope, beside))
        best = ranked.best(limit)
        records = {row.number: row.record for row in view.fetch(scope, [row.number for row in best])}
        return [ranked.told(records[row.number], row) for row in best]


class _Ranked:
    """The rows that were looked at, each once, to be ordered when all of them are known."""

    def __init__(
        self, query: Query, candidates: Candidates, now: int, facets: Sequence[str], without: set[str]
    ) -> None:
        self.rows: list[Sketch] = []
        self._seen: set[int] = set()
        self._candidates = candidates
        self._ranking = Ranking(query, candidates.measure, now, candidates.subjects)
        self._now = now
        self._facets = facets
        self._without = without
        self._lent: Mapping[int, float] = {}

    def add(self, sketches: Sequence[Sketch]) -> None:
        fresh = [sketch for sketch in sketches if sketch.number not in self._seen]
        self._seen.update(sketch.number for sketch in fresh)
        self.rows += [
            sketch
            for sketch in fresh
            if _lives(sketch, self._now) and sketch.id not in self._without and _has(sketch, self._facets)
        ]

    def best(self, limit: int) -> Sequence[Sketch]:
        """By score, then the latest changed, then the latest added; rows with no score are no answer."""
        self._lent = lending(self.rows, self._candidates.words)
        scored = [(self._score(row), row.updated, row.number, row) for row in self.rows]
        scored.sort(key=lambda each: each[:3], reverse=True)
        return [row for value, _, _, row in scored[:limit] if value]

    def told(self, record: Record, row: Sketch) -> Item:
        return present(record, self._score(row), self._ranking.reasons(row, self._lent.get(row.number, 0.0)))

    def _score(self, row: Sketch) -> float:
        return self._ranking.score(self._candidates.words(row.number), row, self._lent.get(row.number, 0.0))


def _lives(sketch: Sketch, now: int) -> bool:
    return sketch.expires is None or sketch.expires > now


def _has(sketch: Sketch, facets: Sequence[str]) -> bool:
    held = Document.unpack(sketch.words).facets if facets else ()
    return all(each in held for each in facets)
