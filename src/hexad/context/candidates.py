"""Candidates for ranking: the rows that hold the question's rarest terms, each with the
score of its words.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.context.policy import FEW, POLICY, many
from hexad.store.searching import MAX_OPENED, Opening, opening_order
from hexad.text.document import SUBJECT, facet

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hexad.text.index import IndexStatistics, Posting, TermIndex

_PART: Final = 0.5  # a part of a word counts half
SATURATION: Final = 0.9  # BM25's k1: how soon a repeated term stops counting
NORMALISATION: Final = 0.6  # BM25's b: how much a long text is held against it


class Measure(NamedTuple):
    """How rare each term of a question is, and how long a row usually is."""

    rarity: Mapping[str, float]
    mean_length: float
    total: float  # the rarity of all terms together: what a perfect answer would hold
    terms: float = (
        0.0  # how many terms there are; an everyday word counts less than one
    )

    def saturated(self, weight: float, length: int) -> float:
        """The BM25 weight of a term's occurrences in a row, from 0 to 1."""
        usual = SATURATION * (
            1 - NORMALISATION + NORMALISATION * length / self.mean_length
        )
        return weight / (weight + usual)


class Candidates(NamedTuple):
    """Rows with the score of their words: the sum over the terms they hold, from 0 to
    `Measure.total`.
    """

    measure: Measure
    scores: Mapping[int, float]
    subjects: tuple[str, ...] = ()  # facets of the subjects that the question names
    named: tuple[str, ...] = ()  # the terms that name them
    rows: int = 0  # of the layer
    common: Mapping[int, float] = {}  # the part of a score that is from everyday words
    small_talk: bool = False  # whether the question has nothing but everyday words
    several: Collection[int] = ()  # the rows that hold more than one term

    def words(self, number: int) -> float:
        """The share of the question's rarity that a row holds, from 0 to 1."""
        return self.scores.get(number, 0.0) / self.measure.total

    def evidence(self, number: int) -> float:
        """The same without everyday words, the more so the less the layer holds: they
        do not count alone.
        """
        held = self.scores.get(number, 0.0)
        if number in self.common:
            held -= (1 - many(self.rows)) * self.common[number]
        return held / self.measure.total


def measure(statistics: IndexStatistics, terms: Sequence[str]) -> Measure:
    """Rarity of each term; one that no row holds is the rarest.

    A small layer is measured as if it were larger: a word that all of three rows hold
    may still be a rare word.
    """
    rarity = {
        term: rarity_of(statistics.frequencies.get(term, 0), statistics.rows)
        for term in terms
    }
    mean_length = (
        max(1.0, statistics.length / statistics.rows) if statistics.rows else 1.0
    )
    return Measure(rarity, mean_length, sum(rarity.values()) or 1.0)


def rarity_of(frequency: int, rows: int) -> float:
    """The weight of a term: the fewer rows hold it, the higher."""
    of_all = max(rows, FEW, frequency)
    inverse = math.log(1 + (of_all - frequency + 0.5) / (frequency + 0.5))
    return math.pow(inverse, POLICY.rarity)


def weigh(
    statistics: IndexStatistics,
    postings: Mapping[str, Sequence[Posting]],
    terms: Sequence[str],
    common: Collection[str] = (),
    parts: Collection[str] = (),
) -> Candidates:
    """The rows of these postings, each with the score of its words.

    A word that names a subject counts little: all rows about it hold the word. So do
    everyday words in a small layer, which cannot count how common they are. A part of a
    word counts half, and only if some row holds it.
    """
    terms = (
        [term for term in terms if term not in parts or term in statistics.frequencies]
        if parts
        else terms
    )
    named = {
        term: name
        for term in terms
        if (name := facet(SUBJECT, term)) in statistics.frequencies
    }
    measured = _less(
        measure(statistics, _rarest(statistics, terms)),
        common,
        parts,
        many(statistics.rows),
    )
    measured = _named_less(measured, named)
    scores: dict[int, float] = {}
    of_common: dict[int, float] = {}
    several = set[int]()
    for term, found in postings.items():
        several |= _add(scores, found, measured.rarity[term], measured.mean_length)
        if term in common:
            _add(of_common, found, measured.rarity[term], measured.mean_length)
    talk = bool(terms) and all(term in common for term in terms)
    return Candidates(
        measured,
        scores,
        tuple(named.values()),
        tuple(named),
        statistics.rows,
        of_common,
        talk,
        several,
    )


def opened(
    index: TermIndex, terms: Sequence[str], counted: Sequence[str]
) -> tuple[IndexStatistics, Mapping[str, Sequence[Posting]]]:
    """The frequencies and postings of terms in an index in memory."""
    statistics = index.statistics(counted)
    opening = Opening()
    for term in opening_order(statistics, terms):
        opening.add(term, index.postings(term, limit=opening.room))
    opening.complete(
        {
            term: index.postings_among(term, rows)
            for term, rows in opening.unread.items()
        }
    )
    return statistics, opening.postings


def _less(
    measured: Measure, common: Collection[str], parts: Collection[str], much: float
) -> Measure:
    """Everyday words count the less, the less the layer holds; parts of words count
    half.
    """
    less = POLICY.little ** (1 - much)
    weights = {
        term: (less if term in common else 1.0) * (_PART if term in parts else 1.0)
        for term in measured.rarity
    }
    return _times(measured, weights)._replace(terms=sum(weights.values()))


def _named_less(measured: Measure, named: Collection[str]) -> Measure:
    """Words that name a subject count a tenth, unless the question has no others."""
    if not named or all(term in named for term in measured.rarity):
        return measured
    weights = dict.fromkeys(measured.rarity, 1.0)
    weights.update(dict.fromkeys(named, POLICY.little))
    return _times(measured, weights)


def _times(measured: Measure, weights: Mapping[str, float]) -> Measure:
    rarity = {term: value * weights[term] for term, value in measured.rarity.items()}
    return measured._replace(rarity=rarity, total=sum(rarity.values()) or 1.0)


def _rarest(statistics: IndexStatistics, terms: Sequence[str]) -> Sequence[str]:
    """The rarest terms, rarest first: those that no row holds, then as many others as
    are read.
    """
    unknown = [term for term in terms if term not in statistics.frequencies]
    known = sorted(
        statistics.frequencies.keys() & set(terms),
        key=lambda term: (statistics.frequencies[term], term),
    )
    return [*unknown, *known[:MAX_OPENED]]


def _add(
    scores: dict[int, float],
    postings: Sequence[Posting],
    rarity: float,
    mean_length: float,
) -> set[int]:
    """`Measure.saturated` for many postings, written out: this loop is the cost of a
    question.

    The answer are the rows that had a score before.
    """
    fixed = SATURATION * (1 - NORMALISATION)
    per_term = SATURATION * NORMALISATION / mean_length
    found = {
        number: rarity * weight / (weight + fixed + per_term * length)
        for number, weight, length in postings
    }
    again = scores.keys() & found.keys()
    for number in again:
        found[number] += scores[number]
    scores.update(found)
    return again
