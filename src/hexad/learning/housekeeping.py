"""Keeping learnings few: counting them, merging duplicates, removing those that were never confirmed.

The strength of a learning halves every `HALF_LIFE` days since it was last seen; every confirmation adds as much as it
had when it was new. Below `FAINT` it is removed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from hexad.learning.errors.pattern import is_placeholder, split
from hexad.learning.errors.tree import absorb
from hexad.learning.fixes.candidates import at_odds, current, without_session
from hexad.memory.index.indexing import records
from hexad.model import Layer, Learning, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime, timedelta

    from hexad.memory.workspace import Change
    from hexad.store import Reading

HALF_LIFE: Final = 30.0  # days
FAINT: Final = 0.125  # 90 days of a learning that nothing confirmed
_FEWEST_WORDS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts over learnings."""

    learnings: int
    seen: int  # occurrences of all errors
    with_fix: int
    trusted: int
    worked: int
    failed: int
    categories: Mapping[str, int]
    tools: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """The result of a clean-up, or its plan: ids that were removed, and ids that were merged into another."""

    removed: tuple[str, ...]
    merged: Mapping[str, str]  # the id of each merged learning, and of the one that has it now
    dry_run: bool


def count(learnings: Iterable[Learning]) -> Statistics:
    """Statistics over learnings."""
    known = list(learnings)
    return Statistics(
        learnings=len(known),
        seen=sum(each.seen for each in known),
        with_fix=sum(bool(each.fix) for each in known),
        trusted=sum(each.trusted for each in known),
        worked=sum(each.worked for each in known),
        failed=sum(each.failed for each in known),
        categories=dict(sorted(Counter(each.category.value for each in known).items())),
        tools=dict(Counter(each.trigger.removeprefix("tool:") for each in known).most_common()),
    )


def is_doubtful(learning: Learning) -> bool:
    """Whether a person should check a fix: it is not trusted, but was tried or mined from calls."""
    if not learning.fix or learning.trusted:
        return False
    fix = current(learning)
    return (fix is not None and not fix.given) or bool(learning.worked or learning.failed)


def strength(learning: Learning, now: datetime) -> float:
    """The strength of a learning: it halves with time and multiplies with confirmations."""
    days = max(0.0, (now - learning.updated).total_seconds() / 86_400)
    return float((1 + learning.worked + learning.support) * 0.5 ** (days / HALF_LIFE))


def plan(learnings: Sequence[Learning], now: datetime, unseen_for: timedelta | None, *, dry_run: bool) -> Cleaned:
    """The changes that a clean-up would make."""
    faded = [each.id for each in learnings if _goes(each, now, unseen_for)]
    staying = [each for each in learnings if each.id not in set(faded)]
    merged = {other.id: group[0].id for group in _duplicates(staying) for other in group[1:]}
    return Cleaned(removed=tuple(faded), merged=merged, dry_run=dry_run)


def clean(change: Change, unseen_for: timedelta | None) -> Cleaned:
    """Do it, in a change's transaction."""
    known = {each.id: each for each in all_of(change.unit)}
    planned = plan(list(known.values()), change.workspace.clock(), unseen_for, dry_run=False)
    for faded in planned.removed:
        change.remove(Layer.AGENT_LEARNINGS, faded)
        change.audit("learning.clean", faded)
    for kept in dict.fromkeys(planned.merged.values()):
        absorb(change, known[kept], [known[each] for each, into in planned.merged.items() if into == kept])
    return planned


def forget_session(change: Change, session: str) -> None:
    """Remove from every learning the fixes that only this session found."""
    for known in all_of(change.unit):
        left = without_session(known, session)
        if left != known:
            change.put(left)
            change.audit("learning.forget", known.id, {"fixes": len(known.fixes) - len(left.fixes)})


def all_of(view: Reading) -> list[Learning]:
    """Every learning of a namespace."""
    return [cast("Learning", each) for each in records(view, Layer.AGENT_LEARNINGS)]


def _goes(learning: Learning, now: datetime, unseen_for: timedelta | None) -> bool:
    if learning.origin is Origin.USER or learning.trusted:
        return False
    old = unseen_for is not None and now - learning.updated > unseen_for
    return old or strength(learning, now) < FAINT


def _duplicates(learnings: Sequence[Learning]) -> Iterable[Sequence[Learning]]:
    """Groups of learnings of one trigger whose patterns have the same words, in any case and punctuation.

    Learnings stay apart if their fixes show that they are about different errors.
    """
    groups: dict[tuple[str, ...], list[Learning]] = {}
    for each in learnings:
        words = tuple(word.casefold() for word in split(each.template) if word[0].isalpha() or is_placeholder(word))
        group = groups.setdefault((each.trigger, *words), [])
        if len(words) >= _FEWEST_WORDS and not at_odds([*group, each]):
            group.append(each)
    return [group for group in groups.values() if len(group) > 1]
