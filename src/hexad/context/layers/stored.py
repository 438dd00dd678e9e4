"""The four layers that are persisted: candidates from the index, ranked in process, read in one snapshot."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Final

from hexad.context.candidates import gather
from hexad.context.layers.presenting import circumstances, expired, present
from hexad.context.ranking import reasons, score
from hexad.model import Item, Layer, Query, Reason
from hexad.store import Row, Scope
from hexad.text.document import facet

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from hexad.context.candidates import Measure
    from hexad.model import Clock
    from hexad.store import Reading, Store
    from hexad.text.index import Posting, Statistics

_BATCH: Final = 32  # rows that are read and ranked at a time, the most promising first
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
        numbers = view.pinned(scope)[: self.max_pinned * 8] if self.max_pinned else ()
        rows = sorted(view.fetch(scope, numbers), key=lambda row: row.number) if numbers else ()
        living = (row for row in rows if not expired(row.record, now))
        items = (replace(present(row.record), score=_PINNED.value, reasons=(_PINNED,)) for row in living)
        return list(islice(items, self.max_pinned))

    def _matching(
        self, view: Reading, scope: Scope, query: Query, now: datetime, limit: int, *, without: set[str]
    ) -> Sequence[Item]:
        facets = tuple(facet(name, value) for name, value in self.facets.items())
        candidates = gather(ScopedIndex(view, scope), query.terms, facets=facets)
        promising, ranked = candidates.best_first(), _Ranked(query, candidates.measure, now)
        while batch := list(islice(promising, max(_BATCH, limit))):
            ranked.add(row for row in view.fetch(scope, batch) if _wanted(row, now, facets, without))
            if len(ranked.scored) >= limit:
                break
        return ranked.best(limit)


@dataclass(slots=True)
class _Ranked:
    """Rows with their scores; reasons are told for those that are returned."""

    query: Query
    measure: Measure
    now: datetime
    scored: list[tuple[float, Row]] = field(default_factory=list)

    def add(self, rows: Iterator[Row]) -> None:
        for row in rows:
            if row.document is not None:
                value = score(self.query.terms, row.document, circumstances(row.record), self.measure, self.now)
                self.scored.append((value, row))

    def best(self, limit: int) -> Sequence[Item]:
        self.scored.sort(key=lambda pair: (pair[0], pair[1].record.updated, pair[1].number), reverse=True)
        return [self._told(value, row) for value, row in self.scored[:limit]]

    def _told(self, value: float, row: Row) -> Item:
        document = row.document
        why = reasons(self.query.terms, document, circumstances(row.record), self.measure, self.now) if document else ()
        return replace(present(row.record), score=value, reasons=why)


def _wanted(row: Row, now: datetime, facets: Sequence[str], without: set[str]) -> bool:
    has_facets = row.document is not None and all(each in row.document.facets for each in facets)
    return has_facets and row.record.id not in without and not expired(row.record, now)
