"""Metrics of a ranked answer; pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


NAMES: Final = ("recall_at_5", "recall_at_10", "mrr", "ndcg_at_10")


@dataclass(frozen=True, slots=True)
class Quality:
    """Four metrics, each from 0 to 1."""

    recall_at_5: float
    recall_at_10: float
    mrr: float
    ndcg_at_10: float


def recall(found: Sequence[str], relevant: Collection[str], k: int) -> float:
    """The share of the relevant ids that are among the first ``k``.

    >>> recall(["a", "x", "b"], {"a", "b"}, 2)
    0.5
    """
    return len(set(found[:k]) & set(relevant)) / len(set(relevant))


def reciprocal_rank(found: Sequence[str], relevant: Collection[str]) -> float:
    """One over the place of the first relevant id; 0 if no id is relevant."""
    return next((1 / place for place, each in enumerate(found, start=1) if each in relevant), 0.0)


def ndcg(found: Sequence[str], relevant: Collection[str], k: int) -> float:
    """The discounted gain of the first ``k``, divided by the best possible."""
    gained = sum(1 / math.log2(place + 1) for place, each in enumerate(found[:k], start=1) if each in relevant)
    possible = sum(1 / math.log2(place + 1) for place in range(1, min(k, len(set(relevant))) + 1))
    return gained / possible


def quality(answers: Iterable[tuple[Sequence[str], Collection[str]]]) -> Quality:
    """The mean over questions; each answer is the found ids and the relevant ids."""
    listed = list(answers)
    if not listed:
        return Quality(0.0, 0.0, 0.0, 0.0)
    return Quality(
        recall_at_5=fmean(recall(found, relevant, 5) for found, relevant in listed),
        recall_at_10=fmean(recall(found, relevant, 10) for found, relevant in listed),
        mrr=fmean(reciprocal_rank(found, relevant) for found, relevant in listed),
        ndcg_at_10=fmean(ndcg(found, relevant, 10) for found, relevant in listed),
    )


def mean(qualities: Sequence[Quality]) -> Quality:
    """The plain mean of several."""
    return Quality(*(fmean(getattr(each, name) for each in qualities) for name in NAMES))
