"""The four layers that are persisted: candidates from the index, ranked in process, read in one snapshot."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final

from hexad.context.candidates import gather
from hexad.context.conversation import lending, places_beside
from hexad.context.layers.presenting import present
from hexad.context.matching import MOST_HABITS, NEAREST, Matches, habits
from hexad.context.ranking import SLACK, Ranking
from hexad.errors import DeadlineExceeded
from hexad.memory.similarity import or_by_words_alone, without_words
from hexad.model import Item, Layer, Learning, Origin, Query, Reason
from hexad.shape import to_microseconds
from hexad.store import Scope
from hexad.text.document import facet

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from hexad.context.candidates import Candidates, Wanted
    from hexad.context.matching import Habit
    from hexad.memory.similarity import Nearness, Similarity
    from hexad.model import Clock, Record
    from hexad.store import Reading, Row, Sketch, Store
    from hexad.text.index import Posting, Statistics

_MUTE_PASSED: Final = 4  # times as many learnings are looked at as are wanted: some know no fix
_MOST_NEAR: Final = 20_000  # rows that are passed over to find those with a facet, or that live
_PINNED: Final = Reason("pinned", "always in its layer", 1.0)


@dataclass(frozen=True, slots=True)
class ScopedIndex:
    """The part of a store's index that one scope is."""

    view: Reading
    scope: Scope

    def statistics(self, terms: Collection[str]) -> Statistics:
        """What the scope's index knows of these terms."""
        return self.view.statistics(self.scope, terms)

    def postings(self, term: str, *, limit: int, below: int | None = None) -> Sequence[Posting]:
        """The scope's rows that hold a term."""
        return self.view.postings(self.scope, term, limit=limit, below=below)

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
    similarity: Similarity | None = None
    floor: bool = True  # whether what is probably noise is left out

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
        first = sorted(living, key=_pinned_first, reverse=True)[: self.max_pinned]
        rows = sorted(view.fetch(scope, [each.number for each in first]), key=lambda row: row.number)
        return [present(row.record, _PINNED.value, (_PINNED,)) for row in rows]

    def _matching(
        self, view: Reading, scope: Scope, query: Query, now: datetime, limit: int, *, without: set[str]
    ) -> Sequence[Item]:
        facets = tuple(facet(name, value) for name, value in self.facets.items())
        known = self.layer is Layer.USER_KNOWLEDGE
        ends = None if self.deadline is None else time.monotonic() + self.deadline
        living = _living_in(view, scope, now) if view.any_expired(scope, now) else None
        candidates = gather(
            ScopedIndex(view, scope),
            query.terms,
            facets=facets,
            subjects=known,
            wanted=living,
        )
        room = limit - len(without)
        if not candidates.rows or room < 1:
            return ()
        matches = self._matches(view, scope, query, candidates, _Passing(view, scope, facets, living))
        ranked = _Ranked(query, matches, to_microseconds(now), facets, without, floor=self.floor)
        for batch in matches.batches(limit + len(without), slack=SLACK):
            self._check_time(ends)
            ranked.add(view.sketch(scope, batch))
            if ranked.answers() >= room:
                break
        if beside := places_beside(ranked.rows):
            ranked.add(view.in_threads(scope, beside))
        mute = self.floor and self.layer is Layer.AGENT_LEARNINGS  # an error that nobody explained is no solution
        best = ranked.best(_MUTE_PASSED * room if mute else room)
        rows = {row.number: row for row in view.fetch(scope, [each.number for each in best], brief=True)}
        telling = (each for each in best if not mute or _explains(rows[each.number].record))
        return [ranked.told(rows[each.number], each) for each in islice(telling, room)]

    def _matches(self, view: Reading, scope: Scope, query: Query, candidates: Candidates, passing: _Passing) -> Matches:
        near = self._near(view, scope, query, candidates)
        nearest = passing.nearest(near) if near is not None else ()
        return Matches(
            candidates,
            len(query.terms),
            near,
            _habits(view, scope, query, candidates.rows, self.clock()),
            nearest,
        )

    def _near(self, view: Reading, scope: Scope, query: Query, candidates: Candidates) -> Nearness | None:
        if self.similarity is None:
            return None
        similarity, named = self.similarity, [query.spelled[term] for term in candidates.named]
        return or_by_words_alone(lambda: similarity.near(self.store, view, scope, without_words(query.text, named)))

    def _check_time(self, ends: float | None) -> None:
        """The database interrupts a query that is late; the work between queries looks at the clock itself."""
        if self.deadline is not None and ends is not None and time.monotonic() > ends:
            raise DeadlineExceeded(self.store.location, self.deadline)


class _Ranked:
    """The rows that were looked at, each once, to be ordered when all of them are known."""

    def __init__(
        self, query: Query, matches: Matches, now: int, facets: Sequence[str], without: set[str], *, floor: bool
    ) -> None:
        self.rows: list[Sketch] = []
        self._seen: set[int] = set()
        self._matches = matches
        candidates = matches.candidates
        self._ranking = Ranking(query, candidates.measure, now, candidates.subjects)
        self._now = now
        self._facets = facets
        self._without = without
        self._floor = floor
        self._lent: Mapping[int, float] = {}

    def add(self, sketches: Sequence[Sketch]) -> None:
        fresh = [sketch for sketch in sketches if sketch.number not in self._seen]
        self._seen.update(sketch.number for sketch in fresh)
        self.rows += [sketch for sketch in fresh if _lives(sketch, self._now)]

    def answers(self) -> int:
        """How many of the rows may be returned; the others only lend."""
        return sum(map(self._may_answer, self.rows))

    def _may_answer(self, row: Sketch) -> bool:
        return row.id not in self._without and _has(row, self._facets)

    def best(self, limit: int) -> Sequence[Sketch]:
        """By score, then the latest changed, then the latest added; what is below the floor is no answer."""
        self._matches.look_at(row.number for row in self.rows)
        self._lent = lending(self.rows, self._matches.value)
        scored = [(self._score(row), row.updated, row.number, row) for row in self.rows if self._may_answer(row)]
        scored.sort(key=lambda each: each[:3], reverse=True)
        answers = ((value, row) for value, _, _, row in scored if value and self._is_answer(row))
        return _with_the_users_word(list(answers), limit)

    def _is_answer(self, row: Sketch) -> bool:
        return not self._floor or self._matches.answers(row.number, self._lent.get(row.number, 0.0))

    def told(self, row: Row, sketch: Sketch) -> Item:
        match, habit = self._matches.of(row.number), self._matches.habits.get(row.number)
        why = (
            self._ranking.reasons(
                sketch, row.document, match, habit.terms if habit else (), self._lent.get(row.number, 0.0)
            )
            if row.document
            else ()
        )
        return present(row.record, self._score(sketch), why)

    def _score(self, row: Sketch) -> float:
        return self._ranking.score(self._matches.value(row.number), row, self._lent.get(row.number, 0.0))


def _habits(view: Reading, scope: Scope, query: Query, rows: int, now: datetime) -> Mapping[int, Habit]:
    """What earlier questions say, by the numbers of the rows that are there to be found."""
    learned = view.associations(scope, query.terms, limit=MOST_HABITS)
    found = habits(learned, query.terms, rows=rows, now=now)
    return {number: found[key] for key, number in view.numbers(scope, found).items()} if found else {}


@dataclass(frozen=True, slots=True)
class _Passing:
    """Which rows may be answers at all: those that have the facets, and whose time is not over."""

    view: Reading
    scope: Scope
    facets: Sequence[str]
    living: Wanted | None

    def nearest(self, near: Nearness) -> Sequence[int]:
        """The nearest rows that may, so that however many others are nearer they take no place."""
        if not self.facets and self.living is None:
            return near.nearest(NEAREST)
        numbers = near.nearest(_MOST_NEAR, all_of_them=bool(self.facets))
        left = set(numbers)
        for each in self.facets:
            left &= {posting[0] for posting in self.view.postings_among(self.scope, each, left)}
        if self.living is not None and left:
            left = self.living(left)
        return [number for number in numbers if number in left][:NEAREST]


def _with_the_users_word(scored: Sequence[tuple[float, Sketch]], limit: int) -> Sequence[Sketch]:
    """The best; where none of them is the user's, the user's best takes the last place if it answers half as well."""
    best = [row for _, row in scored[:limit]]
    if limit < 2 or any(row.origin == Origin.USER for row in best):
        return best
    last = scored[limit - 1][0] if len(scored) >= limit else 0.0
    own = next((row for value, row in scored[limit:] if row.origin == Origin.USER and value >= last / 2), None)
    return best if own is None else [*best[:-1], own]


def _explains(record: Record) -> bool:
    """Whether a learning says more than that an error occurred."""
    return not isinstance(record, Learning) or bool(record.fix or record.diagnosis)


def _pinned_first(sketch: Sketch) -> tuple[bool, int, int]:
    """The user's own pins before anybody else's, then the latest."""
    return sketch.origin == Origin.USER, sketch.updated, sketch.number


def _living_in(view: Reading, scope: Scope, now: datetime) -> Wanted:
    """Passes over rows whose time is over, so that however many there are they take no living row's place."""
    moment = to_microseconds(now)
    return lambda numbers: {each.number for each in view.sketch(scope, numbers) if _lives(each, moment)}


def _lives(sketch: Sketch, now: int) -> bool:
    return sketch.expires is None or sketch.expires > now


def _has(sketch: Sketch, facets: Sequence[str]) -> bool:
    held = sketch.words.split("\n", 1)[0].split(" ") if facets else ()
    return all(each in held for each in facets)
