"""Keeping learnings few: counting them, and removing those that nothing confirmed for
long.

The strength of a learning halves every `HALF_LIFE` days since it was last seen; every
session that it helped, and every example, adds as much as it had when it was new. Below
`FAINT` it is removed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from hexad.learning.evidence import without_session
from hexad.memory.index.indexing import records
from hexad.model import Layer, Learning, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime, timedelta

    from hexad.memory.workspace import Change
    from hexad.store import Reading

HALF_LIFE: Final = 30.0  # days
FAINT: Final = 0.125  # 90 days of a learning that nothing confirmed


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts over learnings, and over the failures that were only noticed."""

    learnings: int
    noticed: int  # failures that one session met, and that nobody put into words
    seen: int  # occurrences of all errors
    with_fix: int  # learnings with a lesson in words
    with_example: int
    trusted: int
    worked: int
    failed: int
    categories: Mapping[str, int]
    tools: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """The result of a clean-up, or its plan: the ids that were removed."""

    removed: tuple[str, ...]
    dry_run: bool


def count(known: Sequence[Learning]) -> Statistics:
    """Statistics over learnings."""
    learned = [each for each in known if each.learned]
    return Statistics(
        learnings=len(learned),
        noticed=len(known) - len(learned),
        seen=sum(each.seen for each in known),
        with_fix=sum(bool(each.fix) for each in learned),
        with_example=sum(bool(each.known.shown) for each in learned),
        trusted=sum(each.trusted for each in learned),
        worked=sum(each.worked for each in learned),
        failed=sum(each.failed for each in learned),
        categories=dict(
            sorted(Counter(each.category.value for each in learned).items())
        ),
        tools=dict(Counter(each.tool for each in learned).most_common()),
    )


def is_doubtful(learning: Learning) -> bool:
    """Whether a person should look: a lesson that nobody proved, or that failed, and is
    not the user's.
    """
    if learning.origin is Origin.USER or learning.trusted:
        return False
    return bool(learning.fix) or learning.failed > 0


def strength(learning: Learning, now: datetime) -> float:
    """The strength of a learning: it halves with time and multiplies with
    confirmations.
    """
    days = max(0.0, (now - learning.updated).total_seconds() / 86_400)
    confirmed = learning.worked + sum(each.times for each in learning.known.examples)
    return float((1 + confirmed) * 0.5 ** (days / HALF_LIFE))


def plan(
    learnings: Iterable[Learning],
    now: datetime,
    unseen_for: timedelta | None,
    *,
    dry_run: bool,
) -> Cleaned:
    """The changes that a clean-up would make."""
    faded = [each.id for each in learnings if _goes(each, now, unseen_for)]
    return Cleaned(removed=tuple(faded), dry_run=dry_run)


def clean(change: Change, unseen_for: timedelta | None) -> Cleaned:
    """Do it, in a change's transaction."""
    planned = plan(
        all_of(change.unit), change.workspace.clock(), unseen_for, dry_run=False
    )
    for faded in planned.removed:
        change.remove(Layer.AGENT_LEARNINGS, faded)
        change.audit("learning.clean", faded)
    return planned


def forget_session(change: Change, session: str) -> None:
    """Remove from every learning the examples that only this session gave."""
    for known in all_of(change.unit):
        left = without_session(known, session)
        if left != known:
            change.put(left)
            gone = len(known.known.examples) - len(left.known.examples)
            change.audit("learning.forget", known.id, {"examples": gone})


def all_of(view: Reading) -> list[Learning]:
    """Every learning of a namespace, and every failure that was noticed."""
    return [cast("Learning", each) for each in records(view, Layer.AGENT_LEARNINGS)]


def _goes(learning: Learning, now: datetime, unseen_for: timedelta | None) -> bool:
    if learning.origin is Origin.USER or learning.trusted:
        return False
    old = unseen_for is not None and now - learning.updated > unseen_for
    return old or strength(learning, now) < FAINT
