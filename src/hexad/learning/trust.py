"""Trust in a fix: a pure function of the evidence.

Trust is the expected share of offers after which the fix works, with a cautious prior (a smoothed ratio)::

    trust = (prior successes + successes) / (prior successes + prior failures + successes + failures)

A success is an offer after which the tool worked. A session that found the same fix without an offer counts as three
quarters of one. A failure is an offer that was followed, as far as can be seen, and then the same error came back.

Properties, each tested: trust lies strictly between 0 and 1; more successes or support never lower it and more failures
never raise it; without evidence it is below one half; one success is not enough for `TRUSTED`, three are; a user's
correction starts above `TRUSTED`, and enough failures bring it below.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hexad.model import TRUSTED

__all__ = ["TRUSTED", "Evidence", "trust"]

_PRIOR: Final = (1.0, 1.5)  # successes and failures to begin with
_USERS_WORD: Final = (5.0, 1.0)  # the same, for a user's correction
_SUPPORT: Final = 0.75
_NEVER_CERTAIN: Final = 0.999


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """How often a fix worked and failed, and how many sessions found it themselves."""

    worked: int = 0
    failed: int = 0
    support: int = 0
    users_word: bool = False

    def __add__(self, other: Evidence) -> Evidence:
        return Evidence(
            worked=self.worked + other.worked,
            failed=self.failed + other.failed,
            support=self.support + other.support,
            users_word=self.users_word or other.users_word,
        )


def trust(evidence: Evidence) -> float:
    """From 0 to 1, never either.

    >>> [round(trust(Evidence(worked=n)), 2) for n in range(5)]
    [0.4, 0.57, 0.67, 0.73, 0.77]
    >>> round(trust(Evidence(users_word=True)), 2), round(trust(Evidence(users_word=True, failed=2)), 2)
    (0.83, 0.62)
    """
    for_it, against = _USERS_WORD if evidence.users_word else _PRIOR
    for_it += evidence.worked + _SUPPORT * evidence.support
    against += evidence.failed
    return min(for_it / (for_it + against), _NEVER_CERTAIN)
