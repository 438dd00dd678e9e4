"""Metrics of a ranked answer; pure."""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


class Quality(NamedTuple):
    """Four metrics, each from 0 to 1."""

    recall_at_5: float = 0.0
    recall_at_10: float = 0.0
    mrr: float = 0.0
    ndcg_at_10: float = 0.0


def recall(found: Sequence[str], relevant: Collection[str], k: int) -> float:
    """The share of the relevant ids that are among the first ``k``.

    >>> recall(["a", "x", "b"], {"a", "b"}, 2)
    0.5
    """
    return len(set(found[:k]) & set(relevant)) / len(set(relevant))


def reciprocal_rank(found: Sequence[str], relevant: Collection[str]) -> float:
    """One over the place of the first relevant id; 0 if no id is relevant."""
    return next(
        (1 / place for place, each in enumerate(found, start=1) if each in relevant),
        0.0,
    )


def ndcg(found: Sequence[str], relevant: Collection[str], k: int) -> float:
    """The discounted gain of the first ``k``, divided by the best possible."""
    gained = sum(
        1 / math.log2(place + 1)
        for place, each in enumerate(found[:k], start=1)
        if each in relevant
    )
    possible = sum(
        1 / math.log2(place + 1) for place in range(1, min(k, len(set(relevant))) + 1)
    )
    return gained / possible


def quality(answers: Iterable[tuple[Sequence[str], Collection[str]]]) -> Quality:
    """The mean over questions; each answer is the found ids and the relevant ids."""
    return mean(
        Quality(
            recall(*each, 5), recall(*each, 10), reciprocal_rank(*each), ndcg(*each, 10)
        )
        for each in answers
    )


def mean(qualities: Iterable[Quality]) -> Quality:
    """The plain mean of several."""
    return Quality(*map(fmean, zip(*qualities, strict=True)))
