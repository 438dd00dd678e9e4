"""What a learning knows to do: its remedies, of which one is its fix, and when two learnings may become one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, cast

from hexad.learning import remedy as remedies
from hexad.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hexad.learning.remedy import Remedy
    from hexad.model import Learning


def with_remedy(learning: Learning, found: Remedy, *, by_itself: bool, elsewhere: bool) -> Learning:
    """A learning that knows a remedy more, or the same one better; its fix is the one that is trusted most.

    A known remedy that is part of the new one was confirmed by it: a session changes more than it needs to.
    """
    known = {name: dict(cast("Mapping[str, Any]", each)) for name, each in learning.remedies.items()}
    own = remedies.signature(found)
    confirmed = partial(remedies.confirmed, by_itself=by_itself, elsewhere=elsewhere)
    for name, each in known.items():
        if name != own and remedies.part_of(each, found):
            known[name] = confirmed(each, remedies.narrowed(found, each))
    again = known.pop(own, None)
    fresh = {**found, "support": 1 if by_itself else 0}
    known[own] = fresh if again is None else confirmed(again, found)
    return chosen(learning, known)


def chosen(learning: Learning, known: Mapping[str, Remedy], *, name: str | None = None) -> Learning:
    """A learning whose fix is the named remedy, or else the one that is trusted most; ties stay with what it was."""
    if not known:
        return replace(learning, remedies={})
    order = {each: place for place, each in enumerate(known)}  # the last is the latest
    best_first = sorted(known, key=lambda each: (-remedies.trust_in(known[each]), -order[each]))
    kept = {each: known[each] for each in known if each in best_first[: remedies.MOST]}
    now = learning.fix
    best = name or max(kept, key=lambda each: (remedies.trust_in(kept[each]), kept[each]["says"] == now, each))
    kept[best] = known[best]
    evidence = remedies.evidence_of(kept[best])
    return replace(
        learning,
        fix=kept[best]["says"],
        worked=evidence.worked,
        failed=evidence.failed,
        support=evidence.support,
        trust=remedies.trust_in(kept[best]),
        remedies=kept,
        origin=_speaker(learning, kept[best]),
    )


def without_session(learning: Learning, session: str) -> Learning:
    """A learning without the remedies that only a session found."""
    known = {name: cast("Remedy", each) for name, each in learning.remedies.items()}
    left = {name: kept for name, each in known.items() if (kept := remedies.without_session(each, session)) is not None}
    if left == known:
        return learning
    if left:
        return chosen(learning, left)
    return replace(learning, fix="", remedies={}, worked=0, failed=0, support=0, trust=0.0)


def _speaker(learning: Learning, shown: Remedy) -> Origin:
    """Whose word a learning is while it shows a remedy: only a user's correction stands in a prompt as the user's."""
    if shown["kind"] == remedies.CORRECTION:
        return Origin.USER
    if shown["kind"] != remedies.TOLD:
        return Origin.TOOL
    return Origin.AGENT if learning.origin is Origin.USER else learning.origin


def joined(one: Learning, others: Iterable[Learning]) -> Learning:
    """One learning of several about the same error: every count and every remedy of them."""
    known = {name: dict(cast("Mapping[str, Any]", each)) for name, each in one.remedies.items()}
    for other in others:
        for name, each in other.remedies.items():
            theirs = dict(cast("Mapping[str, Any]", each))
            known[name] = remedies.merged(known[name], theirs) if name in known else theirs
        one = replace(
            one,
            seen=one.seen + other.seen,
            diagnosis=one.diagnosis or other.diagnosis,
            tags=tuple(dict.fromkeys((*one.tags, *other.tags))),
            use_count=one.use_count + other.use_count,
            redactions=tuple(sorted({*one.redactions, *other.redactions})),
            verbatim=one.verbatim or other.verbatim,
        )
    return chosen(one, known)


def at_odds(learnings: Sequence[Learning]) -> bool:
    """Whether learnings know what to do about different errors: they must not become one."""
    corrected = [is_corrected(each) for each in learnings]
    if any(corrected) and (not all(corrected) or len({each.fix for each in learnings}) > 1):
        return True
    return any(remedies.at_odds(one.remedy, other.remedy) for one, other in combinations(learnings, 2))


def is_corrected(learning: Learning) -> bool:
    """Whether a user said what to do."""
    return any(cast("Remedy", each)["kind"] == remedies.CORRECTION for each in learning.remedies.values())
