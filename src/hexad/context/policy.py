"""The numbers that decide what is found.

Each was left out in turn on nine public sets, with and without meaning, and on the
memories of `tests/life`; one that made no difference is not here
(`docs/decisions/tuning-log.md` has the table). Elsewhere stand only the forms of the
arithmetic: BM25's own two numbers (`candidates.py`), how a signal falls with distance,
age or length, and how many rows are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Policy:
    """The numbers of scores and floors. Scores are shares of the question, 0 to 1."""

    # What a match is worth.
    rarity: float = 1.3  # power of inverse document frequency
    little: float = (
        0.1  # weight of a word that says little: everyday, or a subject's name
    )
    meaning: float = 0.2  # of one standard deviation of closeness
    habit: float = 0.6  # the most that words of earlier questions add
    lent: float = 0.4  # the share that a row lends to its neighbour in a thread

    # What is added to a match.
    phrase: float = 0.3  # neighbouring words of the question stand next to each other;
    # half of it where the question names whom the entry is about
    trust: float = 0.1  # how far a learning is trusted
    prior: float = 0.03  # the user said it; a third of it if it changed lately

    # Floors: below them a row, or a whole layer, is no answer.
    # Strength is a row's share of the question times the root of its length; where
    # closeness is known, it and half the strength must reach twice as much.
    floor: float = 0.125  # least strength of an answer
    lowest: float = (
        0.45  # the share of the floor for closeness that holds among few rows
    )
    best: float = 0.17  # least strength of the best row among 1,000
    growth: float = 0.03  # more for each e-fold of rows
    beside: float = 0.5  # least share of the best score among few rows
    nearest: float = 0.65  # without words: least share of the nearest row's closeness
    impersonal: float = 0.38  # least closeness to a message about nobody here


POLICY: Final = Policy()
FEW, MANY = 100, 300  # rows of a layer that holds little, and of one that holds much


def many(rows: int) -> float:
    """How much a layer holds: 0 up to `FEW` rows, 1 from `MANY` rows on."""
    return min(1.0, max(0, rows - FEW) / (MANY - FEW))
