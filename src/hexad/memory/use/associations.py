"""Learning to retrieve: the words of a question help find what was used after it. Bounded, and fading."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hexad.model import Association

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from hexad.model import Layer

MOST_TERMS: Final = 64  # words that are kept for one item, the strongest
HALF_LIFE_DAYS: Final = 90.0
FAINTEST: Final = 0.05  # a weight below this is dropped when its item is used again
_DAY: Final = 86_400.0


def faded(learned: Association, now: datetime) -> float:
    """Its weight now: half of it after each half-life; a clock that went back adds nothing."""
    days = max(0.0, (now - learned.used).total_seconds() / _DAY)
    return float(learned.weight * 0.5 ** (days / HALF_LIFE_DAYS))


def strengthened(
    held: Iterable[Association], layer: Layer, id: str, terms: Collection[str], *, session: str, now: datetime
) -> Sequence[Association]:
    """The associations of an item after one more use for a question with these terms."""
    weights = {each.term: each for each in (replace(each, weight=faded(each, now), used=now) for each in held)}
    for term in dict.fromkeys(terms):
        before = weights[term].weight if term in weights else 0.0
        weights[term] = Association(layer=layer, id=id, term=term, weight=before + 1, session=session, used=now)
    strongest = sorted(weights.values(), key=lambda each: (-each.weight, each.term))[:MOST_TERMS]
    return [each for each in strongest if each.weight >= FAINTEST]
