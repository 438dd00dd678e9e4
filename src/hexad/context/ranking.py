"""How well a text answers a question, as a sum of named signals. Pure: the same
arguments give the same score.

The match decides (`matching.py`: words, meaning, habit; `neighbours.py`: those beside it).
Everything else is a gentle prior whose greatest value is written here, so that it can
order what matches alike and never bury a clear match.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.context.policy import POLICY
from hexad.model import Origin, Query, Reason, shown_trust
from hexad.text.document import FIELD_WEIGHTS, facet
from hexad.text.document import SUBJECT as BY_SUBJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.context.candidates import Measure
    from hexad.context.matching import Match
    from hexad.store import Sketch
    from hexad.text.document import Document

SUBJECT: Final = POLICY.phrase / 2  # the question names whom the entry is about
ADDED: Final = SUBJECT + POLICY.prior  # the most that needs no look at the words
SLACK: Final = ADDED + POLICY.phrase + POLICY.trust  # the most that anything adds
_LATELY: Final = 1 / 3  # of what a user's word counts: it changed lately
_HALF_LIFE_DAYS: Final = 30.0
_DAY: Final = 86_400_000_000  # microseconds
_LINE: Final = "\n"
_PRIORS: Final = ("origin", "recency", "trust")
_SHOWN: Final = 3  # words of earlier questions that a reason names
_NEAR: Final = 3  # words apart that still count as a phrase, in part


class Ranking:
    """How rows are scored for one question. What depends on the question alone is
    worked out once.
    """

    def __init__(
        self, query: Query, measure: Measure, now: int, subjects: Sequence[str] = ()
    ) -> None:
        self._query = query
        self._subjects = subjects
        self._measure = measure
        self._now = now
        worth = measure.rarity.get
        asked = [
            term
            for term in query.terms
            if term in measure.rarity and facet(BY_SUBJECT, term) not in subjects
        ]
        self._pairs = [
            (f" {left} ", f" {right} ", worth(left, 0.0) + worth(right, 0.0))
            for left, right in pairwise(asked)
        ]
        self._all_pairs = sum(pair[2] for pair in self._pairs)
        self._seen: dict[
            int, tuple[float, float, tuple[float, ...]]
        ] = {}  # a row is scored twice, and explained

    def score(self, match: float, sketch: Sketch, lent: float = 0.0) -> float:
        """The sum of all signals: ``match`` is what the row's match is worth, ``lent``
        what its neighbours add.
        """
        matched = match + lent
        if not matched:
            return 0.0
        phrase, subject, priors = self._added(sketch)
        return matched + phrase + subject + sum(priors)

    def reasons(
        self,
        sketch: Sketch,
        document: Document,
        match: Match,
        habit: Sequence[str] = (),
        lent: float = 0.0,
    ) -> tuple[Reason, ...]:
        """The parts of the same sum: one reason for each matching term and each signal
        that added something.
        """
        values: dict[
            tuple[str, str], float
        ] = {}  # one reason a word, even if several of its terms matched
        measure, length = self._measure, document.length
        for term in self._query.terms if match.words else ():
            weight = document.weight(term)
            if weight and term in measure.rarity:
                signal = "words", self._matched(term, document)
                worth = (
                    measure.rarity[term]
                    / measure.total
                    * measure.saturated(weight, length)
                )
                values[signal] = values.get(signal, 0.0) + worth
        if any(match) or lent:
            values["meaning", "near in meaning"] = match.meaning
            values["habit", f"used before for {self._spelled(habit)}"] = match.habit
            values["neighbours", "beside it in its thread"] = lent
            phrase, values["subject", "the question names it"], priors = self._added(
                sketch
            )
            values["phrase", "neighbouring words"] = phrase
            values.update(
                zip(
                    zip(_PRIORS, _priors_seen(sketch, self._now), strict=True),
                    priors,
                    strict=True,
                )
            )
        return tuple(
            Reason(signal, detail, value)
            for (signal, detail), value in values.items()
            if value
        )

    def _added(self, sketch: Sketch) -> tuple[float, float, tuple[float, ...]]:
        """The values of phrase, subject and `_PRIORS`."""
        if sketch.number not in self._seen:
            words, priors = sketch.words, _priors(sketch, self._now)
            self._seen[sketch.number] = (
                self._phrase(words),
                self._subject(words),
                priors,
            )
        return self._seen[sketch.number]

    def _spelled(self, terms: Sequence[str]) -> str:
        return ", ".join(
            dict.fromkeys(
                self._query.spelled.get(term, term) for term in terms[:_SHOWN]
            )
        )

    def _matched(self, term: str, document: Document) -> str:
        fields = [name for name in FIELD_WEIGHTS if term in getattr(document, name)]
        return f"{self._query.spelled.get(term, term)} in {' and '.join(fields)}"

    def _subject(self, packed: str) -> float:
        facets = packed.split(_LINE, 1)[0].split(" ") if self._subjects else ()
        return SUBJECT if any(map(facets.__contains__, self._subjects)) else 0.0

    def _phrase(self, packed: str) -> float:
        """The rarity of neighbouring pairs that are near each other in the body, as a
        share of all pairs.
        """
        if not self._all_pairs:
            return 0.0
        body, found = f" {packed.rsplit(_LINE, 1)[-1]} ", 0.0
        for left, right, worth in self._pairs:
            if left in body and right in body:
                found += worth * _closeness(left, right, body)
        return POLICY.phrase * found / self._all_pairs


def _closeness(left: str, right: str, body: str) -> float:
    """1 if the right word follows the left one directly; less with distance; 0 beyond
    `_NEAR`.
    """
    if left + right[1:] in body:
        return 1.0
    terms, here, there = body.split(), left.strip(), right.strip()
    lefts = [place for place, term in enumerate(terms) if term == here]
    rights = [place for place, term in enumerate(terms) if term == there]
    gap = min(
        other - one if other > one else one - other + 1
        for one in lefts[:8]
        for other in rights[:8]
    )
    return 0.0 if gap > _NEAR else 1 / gap


def _priors(sketch: Sketch, now: int) -> tuple[float, float, float]:
    """The values of `_PRIORS`: who said it and when it changed share one weight."""
    days = max(0.0, (now - sketch.updated) / _DAY)
    said = POLICY.prior * (1 - _LATELY) if sketch.origin == Origin.USER else 0.0
    lately = POLICY.prior * _LATELY * 0.5 ** (days / _HALF_LIFE_DAYS)
    return said, lately, POLICY.trust * sketch.trust


def _priors_seen(sketch: Sketch, now: int) -> tuple[str, str, str]:
    """The details of `_PRIORS`."""
    days = max(0.0, (now - sketch.updated) / _DAY)
    trusted = f"its fix is trusted {shown_trust(sketch.trust)}"
    return "said by the user", f"{days:.0f} days old", trusted
