"""Which rows are worth ranking: those that hold the question's rarest terms, up to a fixed number.

The cost is bounded whatever the size of the database, and the choice is the same on every backend: it depends on
nothing but what the index says of the terms within one scope.
"""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from hexad.text.document import SUBJECT, facet

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from hexad.text.index import Posting, Statistics

CAPACITY: Final = 600  # rows that are weighed by their postings; further terms only add to rows already there
MAX_OPENED: Final = 40  # terms that are looked at, the rarest first
_FEWEST: Final = 100
_MOST_PAGES: Final = 50  # of a term's rows that are read to find those with a facet
_BATCH: Final = 32  # rows that are read and ranked at a time
SATURATION: Final = 0.9  # BM25's k1: how soon a repeated term stops counting
NORMALISATION: Final = 0.6  # BM25's b: how much a long text is held against it


class Index(Protocol):
    """An index bound to one scope."""

    def statistics(self, terms: Collection[str]) -> Statistics:
        """What the index knows of these terms."""
        ...

    def postings(self, term: str, *, limit: int, below: int | None = None) -> Sequence[Posting]:
        """The rows that hold a term, newest first."""
        ...

    def postings_among(self, term: str, numbers: Collection[int]) -> Sequence[Posting]:
        """Those of the given rows that hold a term."""
        ...


@dataclass(frozen=True, slots=True)
class Measure:
    """What the index says of a question: how rare each term is, and how long a row usually is."""

    rarity: Mapping[str, float]
    mean_length: float
    total: float  # the rarity of all terms together: what a perfect answer would hold

    def saturated(self, weight: float, length: int) -> float:
        """BM25's answer to "how much does this count?", from 0 to 1."""
        usual = SATURATION * (1 - NORMALISATION + NORMALISATION * length / self.mean_length)
        return weight / (weight + usual)


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows with what their words count: the sum over the terms they hold, from 0 to `Measure.total`."""

    measure: Measure
    scores: Mapping[int, float]
    subjects: tuple[str, ...] = ()  # facets of the subjects that the question names

    def words(self, number: int) -> float:
        """The share of the question's rarity that a row holds, from 0 to 1."""
        return self.scores.get(number, 0.0) / self.measure.total

    def batches(self, limit: int, *, slack: float) -> Iterator[Sequence[int]]:
        """Numbers, best first and the newest first among equals: those that can be among the best, then the others.

        ``slack`` is the most that a ranking may add to a row's words; it decides who can still be among the best.
        """
        if not self.scores:
            return
        last_in = heapq.nlargest(limit, self.scores.values())[-1] - slack * self.measure.total
        yield _ordered((score, number) for number, score in self.scores.items() if score >= last_in)[:_BATCH]
        others = _ordered((score, number) for number, score in self.scores.items())
        first = sum(score >= last_in for score in self.scores.values())
        for start in range(min(first, _BATCH), len(others), _BATCH):
            yield others[start : start + _BATCH]


def _ordered(pairs: Iterable[tuple[float, int]]) -> list[int]:
    return [number for _, number in sorted(pairs, reverse=True)]


_NONE: Final = Candidates(Measure({}, 1.0, 1.0), {})


def measure(statistics: Statistics, terms: Sequence[str]) -> Measure:
    """Rarity of each term; one that no row holds is the rarest.

    A small scope is measured as if it were larger: a word that all of three rows hold may still be a rare word.
    """
    rows = max(statistics.rows, _FEWEST)
    rarity = {
        term: math.log(1 + (rows - frequency + 0.5) / (frequency + 0.5))
        for term in terms
        for frequency in (statistics.frequencies.get(term, 0),)
    }
    mean_length = max(1.0, statistics.length / statistics.rows) if statistics.rows else 1.0
    return Measure(rarity, mean_length, sum(rarity.values()) or 1.0)


def gather(index: Index, terms: Sequence[str], *, facets: Sequence[str] = (), subjects: bool = False) -> Candidates:
    """The rows worth ranking for these terms; with facets those that have them, where it is cheap to know.

    With ``subjects``, a word that names one no longer counts as a word, if others are left: all of its rows hold it.
    """
    about = {term: facet(SUBJECT, term) for term in terms} if subjects else {}
    statistics = index.statistics((*terms, *facets, *about.values()))
    if not statistics.frequencies:
        return _NONE
    named = {term: name for term, name in about.items() if name in statistics.frequencies}
    asked = [term for term in terms if term not in named] or terms
    measured = measure(statistics, _rarest(statistics, asked))
    if any(each not in statistics.frequencies for each in facets):
        return Candidates(measured, {})
    known = [term for term in measured.rarity if term in statistics.frequencies]
    scores = _weigh(index, statistics, measured, known, facets)
    return Candidates(measured, scores, tuple(named.values()))


def _rarest(statistics: Statistics, terms: Sequence[str]) -> Sequence[str]:
    """The terms that tell most, the rarest first; of a long message the rest is not looked at."""
    return sorted(terms, key=lambda term: (statistics.frequencies.get(term, 0), term))[:MAX_OPENED]


def _weigh(
    index: Index, statistics: Statistics, measured: Measure, known: Sequence[str], facets: Sequence[str]
) -> dict[int, float]:
    scores: dict[int, float] = {}
    room = CAPACITY
    for term in known:
        if not scores or statistics.frequencies[term] <= room:
            postings = _opened(index, term, room, facets)
            room = max(0, room - len(postings))
        else:
            postings = index.postings_among(term, scores)
        _add(scores, postings, measured.rarity[term], measured.mean_length)
    return scores


def _opened(index: Index, term: str, room: int, facets: Sequence[str]) -> Sequence[Posting]:
    """The newest rows that hold a term and have all facets, page by page until there are enough."""
    if not facets:
        return index.postings(term, limit=room)
    found: list[Posting] = []
    below: int | None = None
    for _ in range(_MOST_PAGES):
        page = index.postings(term, limit=CAPACITY, below=below)
        having = {number for number, _, _ in page}
        for each in facets:
            having &= {number for number, _, _ in index.postings_among(each, having)}
        found += [posting for posting in page if posting[0] in having]
        if len(page) < CAPACITY or len(found) >= room:
            break
        below = page[-1][0]
    return found[:room]


def _add(scores: dict[int, float], postings: Sequence[Posting], rarity: float, mean_length: float) -> None:
    """`Measure.saturated` for many postings, written out: this loop is the cost of a question."""
    fixed = SATURATION * (1 - NORMALISATION)
    per_term = SATURATION * NORMALISATION / mean_length
    get = scores.get
    for number, weight, length in postings:
        scores[number] = get(number, 0.0) + rarity * weight / (weight + fixed + per_term * length)
