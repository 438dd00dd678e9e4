"""How far what is shown about an error can be trusted: arithmetic on sessions that met
it.

Only sessions count that met the error, were shown something, and tried it. Confidence
is the lower end of what their share of successes may be (the Wilson bound of one
standard deviation). Sessions that met the error and were shown nothing are the
baseline: what does no better than they do gains nothing.

Properties, each tested: it lies strictly between 0 and 1; more successes never lower it
and more failures never raise it; without a session that was shown something it does not
move; one success is not enough for `TRUSTED`, three are if the baseline is no better; a
user's word starts above `TRUSTED`, and two failures bring it below.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from hexad.model import TRUSTED, Origin

__all__ = ["TRUSTED", "UNPROVEN", "confidence"]

UNPROVEN: Final = 0.4
_USERS_WORD: Final = (5.0, 1.0)  # successes and failures that a user's word begins with
_LEAST, _MOST = 0.001, 0.999


def confidence(
    worked: int,
    failed: int,
    *,
    unaided: int = 0,
    stuck: int = 0,
    origin: str = "",
    visible: bool = True,
) -> float:
    """From 0 to 1, never either.

    ``worked`` and ``failed`` count sessions that were shown something and tried it,
    ``unaided`` and ``stuck`` those that were shown nothing and went on, or met the
    error again. Whether a sentence was tried is not ``visible``: it gains nothing until
    some session that was shown nothing was stuck.

    >>> [round(confidence(n, 0), 2) for n in range(5)]
    [0.4, 0.5, 0.67, 0.75, 0.8]
    >>> round(confidence(3, 0, unaided=9), 2), round(confidence(0, 2, origin="user"), 2)
    (0.4, 0.62)
    """
    if origin == Origin.USER:
        successes, failures = _USERS_WORD
        return min(
            (successes + worked) / (successes + failures + worked + failed), _MOST
        )
    tried = worked + failed
    if not tried:
        return UNPROVEN
    bound = lower_bound(worked, tried)
    baseline = (unaided + (not visible)) / (unaided + stuck + 1)
    if bound <= baseline:
        bound = min(bound, UNPROVEN)
    return min(max(bound, _LEAST), _MOST)


def lower_bound(successes: int, trials: int) -> float:
    """The Wilson score bound below a share of successes, one standard deviation away.

    >>> lower_bound(0, 3), lower_bound(3, 3)
    (0.0, 0.75)
    """
    share = successes / trials
    spread = sqrt(share * (1 - share) / trials + 1 / (4 * trials * trials))
    return max(0.0, (share + 1 / (2 * trials) - spread) / (1 + 1 / trials))
