"""Whether a row is an answer at all, and not noise: enough of the words, or close enough
in meaning.

The more rows a layer holds, the nearer chance brings the best of them. So among few
rows little is enough, and among many the best one must show that the layer knows
something about the question.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from hexad.context.policy import FEW, POLICY, many

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.context.matching import Matches

_NO_WORDS: Final = 1e-9
_HANDFUL: Final = 20  # rows of which each may matter


class Floor:
    """The floor of one layer for one question.

    ``rows`` are those among which chance may find something; ``nearest`` their numbers,
    the nearest first. A message that is not ``personal`` speaks of nobody here.
    """

    def __init__(
        self,
        matches: Matches,
        rows: int,
        nearest: Sequence[int] = (),
        *,
        personal: bool = True,
    ) -> None:
        self._matches = matches
        measure = matches.candidates.measure
        self._root = math.sqrt(measure.terms or len(measure.rarity))
        self._much = many(rows)
        self._chance = min(1.0, math.log1p(rows) / math.log1p(FEW))
        self._best = POLICY.best + POLICY.growth * math.log(rows / 1000)

        strict = 1 - self._much / 2  # from many rows on the best one decides
        lowered = POLICY.lowest + (1 - POLICY.lowest) * min(1.0, rows / FEW)
        self._words_floor = POLICY.floor * self._chance * strict
        self._near_floor = 2 * POLICY.floor * lowered * strict

        closest = matches.closeness(nearest[0]) if nearest else None
        far = 0.0 if personal else POLICY.impersonal * self._chance
        self._far = max(POLICY.nearest * (closest or 0.0), far) * (1 - self._much)

    def answers(self, number: int, lent: float = 0.0) -> bool:
        """Whether a row is an answer. To a message of everyday words alone nothing is."""
        if self._matches.candidates.small_talk:
            return self._matches.habit(number) > 0

        share = self._share(number, lent)
        strength = share * self._root
        close = self._matches.closeness(number)
        if close is None:  # what is not known is not held against it
            return strength >= self._words_floor
        if share < _NO_WORDS and close < self._far:
            return False
        return close + strength / 2 >= self._near_floor

    def convinces(self, number: int, lent: float = 0.0) -> bool:
        """Whether a row shows that the layer knows something about the question."""
        strength = self._share(number, lent) * self._root
        close = self._matches.closeness(number)
        if close is None or number in self._matches.habits:
            return strength >= self._best
        return close + strength / 2 >= 2 * self._best

    def beside(self) -> float:
        """The least share that an answer has of a better score: what is far behind is a
        word found by chance. Scaled down below 20 rows; 0 from 300.
        """
        few = min(1.0, self._matches.candidates.rows / _HANDFUL)
        return POLICY.beside * few * (1 - self._much)

    def _share(self, number: int, lent: float) -> float:
        """The share of the question that a row holds, or was used for."""
        evidence = self._matches.candidates.evidence(number)
        return evidence + lent + self._matches.habit(number)
