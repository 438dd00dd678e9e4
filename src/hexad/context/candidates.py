"""Which rows are worth ranking: those that hold the question's rarest terms, up to a fixed number.

The cost is bounded whatever the size of the database, and the choice is the same on every backend: it depends on
nothing but what the index says of the terms within one scope.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from hexad.text.document import SUBJECT, facet

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hexad.text.index import Posting, Statistics

CAPACITY: Final = 600  # rows that are weighed by their postings; further terms only add to rows already there
MAX_OPENED: Final = 64  # terms that are looked up, the rarest first
RARITY: Final = 1.3  # the power of a term's inverse document frequency: above 1, rare words count even more
_FEWEST: Final = 100
_NAMED: Final = 0.1
_MOST_PAGES: Final = 50  # of a term's rows that are read to find those with a facet
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
    named: tuple[str, ...] = ()  # the terms that name them
    rows: int = 0  # of the scope

    def words(self, number: int) -> float:
        """The share of the question's rarity that a row holds, from 0 to 1."""
        return self.scores.get(number, 0.0) / self.measure.total


_NONE: Final = Candidates(Measure({}, 1.0, 1.0), {})


def measure(statistics: Statistics, terms: Sequence[str]) -> Measure:
    """Rarity of each term; one that no row holds is the rarest.

    A small scope is measured as if it were larger: a word that all of three rows hold may still be a rare word.
    """
    rarity = {term: rarity_of(statistics.frequencies.get(term, 0), statistics.rows) for term in terms}
    mean_length = max(1.0, statistics.length / statistics.rows) if statistics.rows else 1.0
    return Measure(rarity, mean_length, sum(rarity.values()) or 1.0)


def rarity_of(frequency: int, rows: int) -> float:
    """How much it tells that a row holds a term which so many of all rows hold."""
    of_all = max(rows, _FEWEST, frequency)
    return math.pow(math.log(1 + (of_all - frequency + 0.5) / (frequency + 0.5)), RARITY)


class Wanted(Protocol):
    """Which of some rows may be answers at all: those that have the facets, and whose time is not over."""

    def __call__(self, numbers: set[int]) -> set[int]:
        """The rows that may."""
        ...


def gather(
    index: Index,
    terms: Sequence[str],
    *,
    facets: Sequence[str] = (),
    subjects: bool = False,
    wanted: Wanted | None = None,
) -> Candidates:
    """The rows worth ranking for these terms: those with all ``facets``, and that are ``wanted``.

    With ``subjects``, a word that names one counts little: all of its rows hold it.
    """
    about = {term: facet(SUBJECT, term) for term in terms} if subjects else {}
    statistics = index.statistics((*terms, *facets, *about.values()))
    if not statistics.rows or any(each not in statistics.frequencies for each in facets):
        return _NONE
    named = {term: name for term, name in about.items() if name in statistics.frequencies}
    measured = _named_less(measure(statistics, _rarest(statistics, terms)), named)
    known = [term for term in measured.rarity if term in statistics.frequencies]
    scores = _weigh(_Opener(index, statistics, facets, wanted), measured, sorted(known, key=lambda term: term in named))
    return Candidates(measured, scores, tuple(named.values()), tuple(named), statistics.rows)


def _named_less(measured: Measure, named: Collection[str]) -> Measure:
    """The measure with a tenth of their rarity for words that name a subject, unless there are no others."""
    if not named or all(term in named for term in measured.rarity):
        return measured
    rarity = {term: value * (_NAMED if term in named else 1.0) for term, value in measured.rarity.items()}
    return replace(measured, rarity=rarity, total=sum(rarity.values()) or 1.0)


def _rarest(statistics: Statistics, terms: Sequence[str]) -> Sequence[str]:
    """The terms that tell most, the rarest first: those that no row holds, then as many others as are opened."""
    unknown = [term for term in terms if term not in statistics.frequencies]
    known = sorted(statistics.frequencies.keys() & set(terms), key=lambda term: (statistics.frequencies[term], term))
    return [*unknown, *known[:MAX_OPENED]]


def _weigh(opener: _Opener, measured: Measure, known: Sequence[str]) -> dict[int, float]:
    scores: dict[int, float] = {}
    for term in known:
        room = CAPACITY - len(scores)
        postings = opener.newest(term, room) if room else []
        if len(postings) == room or not room:  # there are more of them: some may be among the rows that are here
            seen = {posting[0] for posting in postings}
            postings = [*postings, *(each for each in opener.among(term, scores) if each[0] not in seen)]
        _add(scores, postings, measured.rarity[term], measured.mean_length)
    return scores


class _Opener:
    """Reads a term's rows, newest first, passing over those that cannot be answers."""

    def __init__(self, index: Index, statistics: Statistics, facets: Sequence[str], wanted: Wanted | None) -> None:
        self._index = index
        self._frequencies = statistics.frequencies
        self._facets = facets
        self._wanted = wanted

    def among(self, term: str, numbers: Collection[int]) -> Sequence[Posting]:
        return self._index.postings_among(term, numbers) if numbers else ()

    def newest(self, term: str, room: int) -> list[Posting]:
        """At most ``room`` rows, page by page; where a facet is rarer than the term, by the facet's rows."""
        if not self._facets and self._wanted is None:
            return list(self._index.postings(term, limit=room))
        rarest = min((term, *self._facets), key=lambda each: (self._frequencies[each], each))
        found: list[Posting] = []
        below: int | None = None
        for _ in range(_MOST_PAGES):
            page = self._index.postings(rarest, limit=CAPACITY, below=below)
            found += self._kept(term, {posting[0] for posting in page})
            if len(page) < CAPACITY or len(found) >= room:
                break
            below = page[-1][0]
        return found[:room]

    def _kept(self, term: str, numbers: set[int]) -> list[Posting]:
        for each in self._facets:
            numbers &= {number for number, _, _ in self._index.postings_among(each, numbers)}
        if self._wanted is not None:
            numbers = self._wanted(numbers)
        return sorted(self._index.postings_among(term, numbers), reverse=True)


def _add(scores: dict[int, float], postings: Sequence[Posting], rarity: float, mean_length: float) -> None:
    """`Measure.saturated` for many postings, written out: this loop is the cost of a question."""
    fixed = SATURATION * (1 - NORMALISATION)
    per_term = SATURATION * NORMALISATION / mean_length
    get = scores.get
    for number, weight, length in postings:
        scores[number] = get(number, 0.0) + rarity * weight / (weight + fixed + per_term * length)
