"""How well a row matches a question, before the row itself is read: by words, by
meaning and by habit.

A pure sum of three parts, each with a greatest weight written here. `ranking.py` adds
what the row's text and age say.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.context.candidates import SOME, Candidates, many, rarity_of
from hexad.memory.use.habits import faded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from hexad.memory.index.similarity import Nearness
    from hexad.model import Association

MEANING: Final = 0.2  # of one standard deviation of similarity; it falls with more terms, as each word's share does
BY_WORDS: Final = 0.2  # the share of meaning's weight that falls away as one row comes to hold all words
HABIT: Final = 0.6  # the most that words of earlier questions add
NEAREST: Final = 64  # rows that are looked at because of their meaning alone
_BATCH: Final = 32  # rows that are read and ranked at a time
_NO_WORDS: Final = 1e-9

FLOOR: Final = 0.125  # where there are only words: the least share of a question, times the root of its length
NEAR_FLOOR: Final = (
    0.25  # where there is meaning: the least closeness, with what words add to it
)
FEW_NEAR_FLOOR: Final = 0.14  # the same among few rows
HARDLY_ANY: Final = 0.25  # the share of it that falls away as they become fewer still
FEW: Final = 40  # rows up to which everything may matter; from `SOME` on the whole floor holds for meaning
HANDFUL: Final = 20  # rows, with those that stand, from which one is compared with the better ones in full
CHANCE: Final = 120  # rows among which chance finds a word of any question
BESIDE_BEST: Final = 0.4  # the least share of the best score; among a handful of rows less, and among many nothing
BESIDE_FULLER: Final = 0.65  # the same, beside a row that holds the same words of the question and maybe more
BESIDE_NEAREST: Final = (
    0.65  # by meaning alone: the least share of the closeness of the nearest row
)
IMPERSONAL: Final = 0.38  # and the least closeness, among `CHANCE` rows, to a message that speaks of nobody here
WORDS_TO_FLOOR: Final = 0.3
ENOUGH_WORDS: Final = 0.17  # the share of a question's rarity that is an answer even if its meaning seems far

# One row must be better than the floor, or the layer has no answer: the more rows, the
# nearer chance brings the best.
RELAXED: Final = 0.5  # the share of the floor that falls away where the best one decides: from `DECIDED` rows on
DECIDED: Final = 200
BEST_FLOOR, BEST_GROWS = (
    0.17,
    0.04,
)  # by words: the least strength among 1,000 rows, and more for each e-fold of them
BEST_NEAR_FLOOR, BEST_NEAR_GROWS = (
    0.33,
    0.06,
)  # with meaning: the least closeness, with what words add to it
WORDS_TO_BEST: Final = 0.5


class Habit(NamedTuple):
    """How far earlier questions led to an item, from 0 to 1, and by which words."""

    value: float
    terms: tuple[str, ...]


def habits(
    learned: Iterable[Association], terms: Sequence[str], *, rows: int, now: datetime
) -> Mapping[str, Habit]:
    """For each item, the share of the question's weight that earlier questions linked
    to it.
    """
    by_term: dict[str, list[Association]] = {}
    for each in learned:
        by_term.setdefault(each.term, []).append(each)
    if not by_term:
        return {}
    rarity = {term: rarity_of(len(by_term.get(term, ())), rows) for term in terms}
    total = sum(rarity.values()) or 1.0
    parts: dict[str, list[tuple[float, str]]] = {}
    for term, of_term in by_term.items():
        for each in of_term:
            weight = faded(each, now)
            parts.setdefault(each.id, []).append(
                (rarity.get(term, 0.0) * weight / (weight + 1), term)
            )
    return {
        key: Habit(
            sum(value for value, _ in found) / total,
            tuple(term for _, term in sorted(found, reverse=True)),
        )
        for key, found in parts.items()
    }


class Match(NamedTuple):
    """A row's match: what each part adds."""

    words: float = 0.0
    meaning: float = 0.0
    habit: float = 0.0


class Matches:
    """The matches of all rows that are worth looking at, and of any other that is asked
    for.
    """

    def __init__(
        self,
        candidates: Candidates,
        terms: int,
        near: Nearness | None = None,
        learned: Mapping[int, Habit] | None = None,
        nearest: Sequence[int] = (),
        *,
        standing: int = 0,
        personal: bool = True,
        least: int = 1,
    ) -> None:
        self.candidates = candidates
        self._rows = max(
            least, candidates.rows - standing
        )  # among which chance may find something; others are known
        self.near = near
        self.habits = learned or {}
        self.mixed: set[int] = (
            set()
        )  # rows of several topics: how close they are as a whole says little
        best = max(candidates.scores.values(), default=0.0) if near is not None else 0.0
        self._step = (
            MEANING
            / math.pow(3 + terms, 0.75)
            * (1 - BY_WORDS * best / candidates.measure.total)
        )
        self._root = math.sqrt(
            candidates.measure.terms or len(candidates.measure.rarity)
        )
        self._chance = min(1.0, math.log1p(self._rows) / math.log1p(CHANCE))
        closest = near.closeness(nearest[0]) if near is not None and nearest else None
        far_off = 0.0 if personal else IMPERSONAL * self._chance
        self._far = max(BESIDE_NEAREST * (closest or 0.0), far_off) * (
            1 - many(self._rows)
        )
        self._strict = 1 - RELAXED * min(
            1.0, max(0, self._rows - SOME) / (DECIDED - SOME)
        )
        self._values: dict[int, float] = {}
        self._steps: dict[int, float] = {}
        self.by_words_alone = near is None and not self.habits
        self.numbers: Mapping[int, object] = candidates.scores
        if not self.by_words_alone:
            self.numbers = dict.fromkeys((*candidates.scores, *self.habits, *nearest))
            self.look_at(self.numbers)

    def of(self, number: int) -> Match:
        """The parts of one row's match."""
        return Match(
            self.candidates.words(number),
            self._steps.get(number, 0.0) * self._step,
            self._habit(number),
        )

    def value(self, number: int) -> float:
        """The value of one row's whole match."""
        if number not in self._values:
            self.look_at((number,))
        return self._values[number]

    def look_at(self, numbers: Iterable[int]) -> None:
        """Work out several at once."""
        new = [number for number in numbers if number not in self._values]
        words, total = self.candidates.scores.get, self.candidates.measure.total
        self._values.update({number: words(number, 0.0) / total for number in new})
        for number in self.habits.keys() & set(new) if self.habits else ():
            self._values[number] += self._habit(number)
        if self.near is not None and new:
            for number, steps in zip(new, self.near.standing(new), strict=True):
                self._steps[number] = steps
                self._values[number] += steps * self._step

    def weaken(self, shares: Mapping[int, float]) -> None:
        """Let only a share of the meaning of some rows count; each of them once."""
        self.look_at(shares)
        for number, share in shares.items():
            lost = (1 - share) * self._steps[number]
            self._steps[number] -= lost
            self._values[number] -= lost * self._step

    def batches(self, limit: int, *, slack: float) -> Iterator[Sequence[int]]:
        """Numbers, best first and the newest first among equals: those that can be
        among the best, then the others.

        ``slack`` is the most that a ranking may add to a match; it decides who can
        still be among the best.
        """
        if self.by_words_alone:  # their scores have the same order
            values, slack = (
                self.candidates.scores,
                slack * self.candidates.measure.total,
            )
        else:
            values = {number: self._values[number] for number in self.numbers}
        size, best = max(limit, _BATCH), sorted(values.values(), reverse=True)
        if not best:
            return
        least = max(best[:limit][-1] - slack, best[:size][-1])
        first = sorted(
            [(value, number) for number, value in values.items() if value >= least],
            reverse=True,
        )[:size]
        yield [number for _, number in first]
        others = sorted(
            [(value, number) for number, value in values.items()], reverse=True
        )[len(first) :]
        for start in range(0, len(others), _BATCH):
            yield [number for _, number in others[start : start + _BATCH]]

    def answers(self, number: int, lent: float = 0.0) -> bool:
        """Whether a row is an answer at all, and not noise: enough of the words, or
        close enough in meaning.

        The less the layer holds, the less is enough. To a message of everyday words
        alone nothing is an answer.
        """
        if self.candidates.small_talk:
            return self._habit(number) > 0
        share, close = self._seen(number, lent)
        strength = share * self._root
        if close is None:  # what is not known is not held against it
            return strength >= FLOOR * self._chance * self._strict
        if share < _NO_WORDS and close < self._far:
            return False
        enough = share >= ENOUGH_WORDS * self._chance * self._strict
        return (
            enough
            or close + WORDS_TO_FLOOR * strength >= self._near_floor * self._strict
        )

    def convinces(self, number: int, lent: float = 0.0) -> bool:
        """Whether a row shows that the layer knows something about the question."""
        share, close = self._seen(number, lent)
        strength, more = share * self._root, math.log(self._rows / 1000)
        if close is None or number in self.habits:
            return strength >= BEST_FLOOR + BEST_GROWS * more
        return (
            close + WORDS_TO_BEST * strength >= BEST_NEAR_FLOOR + BEST_NEAR_GROWS * more
        )

    def _seen(self, number: int, lent: float) -> tuple[float, float | None]:
        """The share of the question that a row holds or was used for, and how close it
        is, if that is known.
        """
        share = (
            self.candidates.evidence(number)
            + lent
            + (self._habit(number) if self.habits else 0.0)
        )
        return (
            share,
            None
            if self.near is None or number in self.mixed
            else self.near.closeness(number),
        )

    def beside(self, *, fuller: bool = False) -> float:
        """The least share that an answer has of a better score: what is far behind is a
        word found by chance.
        """
        share = BESIDE_FULLER if fuller else BESIDE_BEST
        return share * min(1.0, self.candidates.rows / HANDFUL) * (1 - many(self._rows))

    @property
    def _near_floor(self) -> float:
        lowered = min(1.0, max(0.0, (SOME - self._rows) / (SOME - FEW)))
        fewer = 1 - HARDLY_ANY * max(0, FEW - self._rows) / FEW
        return (NEAR_FLOOR - (NEAR_FLOOR - FEW_NEAR_FLOOR) * lowered) * fewer

    def _habit(self, number: int) -> float:
        return self.habits[number].value * HABIT if number in self.habits else 0.0
