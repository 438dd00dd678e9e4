"""How well a row matches a question, before the row itself is read: by words, by
meaning and by habit.

A pure sum of the three. `ranking.py` adds what the row's text and age say, and
`floor.py` says which rows are answers at all.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.context.candidates import Candidates, rarity_of
from hexad.context.policy import POLICY
from hexad.memory.usage.habits import faded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from hexad.memory.index.similarity import Nearness
    from hexad.model import Association

NEAREST: Final = 64  # rows that are looked at because of their meaning alone
_BATCH: Final = 32  # rows that are read and ranked at a time


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
    parts: dict[str, list[tuple[float, str]]] = {}
    for term, of_term in by_term.items():
        for each in of_term:
            weight = faded(each, now)
            value = rarity.get(term, 0.0) * weight / (weight + 1)
            parts.setdefault(each.id, []).append((value, term))

    total = sum(rarity.values()) or 1.0
    found = {}
    for key, values in parts.items():
        words = tuple(term for _, term in sorted(values, reverse=True))
        found[key] = Habit(sum(value for value, _ in values) / total, words)
    return found


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
    ) -> None:
        self.candidates = candidates
        self.near = near
        self.habits = learned or {}
        self.mixed: set[int] = (
            set()
        )  # rows of several topics: their closeness says little
        # The more terms a question has, the less each of its words counts, and so does
        # a standard deviation of closeness.
        self._step = POLICY.meaning / math.pow(3 + terms, 0.75)
        self._values: dict[int, float] = {}
        self._steps: dict[int, float] = {}
        self.by_words_alone = near is None and not self.habits
        self.numbers: Mapping[int, object] = candidates.scores
        if not self.by_words_alone:
            self.numbers = dict.fromkeys((*candidates.scores, *self.habits, *nearest))
            self.look_at(self.numbers)

    def of(self, number: int) -> Match:
        """The parts of one row's match."""
        meaning = self._steps.get(number, 0.0) * self._step
        return Match(self.candidates.words(number), meaning, self.habit(number))

    def value(self, number: int) -> float:
        """The value of one row's whole match."""
        if number not in self._values:
            self.look_at((number,))
        return self._values[number]

    def habit(self, number: int) -> float:
        """What earlier questions add to a row."""
        habit = self.habits.get(number)
        return POLICY.habit * habit.value if habit else 0.0

    def closeness(self, number: int) -> float | None:
        """How close a row is in meaning, if that is known and says something."""
        if self.near is None or number in self.mixed:
            return None
        return self.near.closeness(number)

    def look_at(self, numbers: Iterable[int]) -> None:
        """Work out several at once."""
        new = [number for number in numbers if number not in self._values]
        words, total = self.candidates.scores.get, self.candidates.measure.total
        self._values.update({number: words(number, 0.0) / total for number in new})
        for number in self.habits.keys() & set(new) if self.habits else ():
            self._values[number] += self.habit(number)
        if self.near is not None and new:
            for number, steps in zip(new, self.near.standing(new), strict=True):
                self._steps[number] = steps
                self._values[number] += steps * self._step

    def batches(self, limit: int, *, slack: float) -> Iterator[Sequence[int]]:
        """Numbers, best first and the newest first among equals: those that can be
        among the best, then the others.

        ``slack`` is the most that a ranking may add to a match; it decides who can
        still be among the best.
        """
        if self.by_words_alone:  # their scores have the same order
            values = self.candidates.scores
            slack *= self.candidates.measure.total
        else:
            values = {number: self._values[number] for number in self.numbers}
        size, best = max(limit, _BATCH), sorted(values.values(), reverse=True)
        if not best:
            return

        least = max(best[:limit][-1] - slack, best[:size][-1])
        high = [(value, number) for number, value in values.items() if value >= least]
        first = sorted(high, reverse=True)[:size]
        yield [number for _, number in first]

        every = [(value, number) for number, value in values.items()]
        others = sorted(every, reverse=True)[len(first) :]
        for start in range(0, len(others), _BATCH):
            yield [number for _, number in others[start : start + _BATCH]]
