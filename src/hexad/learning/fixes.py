"""The fixes that a learning knows, each with its evidence. The most trusted one is the learning's `fix`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, assert_never

from hexad.learning import remedy as remedies
from hexad.learning.mining import stated as asked_for
from hexad.learning.remedy import Advice, ChangedArguments, Correction, Prerequisite, Retry, Stated
from hexad.learning.trust import Evidence, trust
from hexad.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hexad.learning.arguments.shapes import Argument
    from hexad.learning.remedy import Remedy
    from hexad.model import Json, Learning

MOST: Final = 8  # fixes that one learning keeps
_MOST_SESSIONS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A fix as data and as a sentence, and the evidence for it.

    ``sessions`` are the first that found it: a fix that only one of them knows goes when that session is forgotten.
    """

    remedy: Remedy
    sentence: str
    evidence: Evidence
    sessions: tuple[str, ...] = ()

    @classmethod
    def of(cls, remedy: Remedy, evidence: Evidence, sessions: tuple[str, ...] = ()) -> Candidate:
        """A fix with its present sentence."""
        evidence = replace(evidence, users_word=isinstance(remedy, Correction))
        return cls(remedy=remedy, sentence=remedies.sentence(remedy), evidence=evidence, sessions=sessions)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Candidate:
        """The candidate that `to_json` wrote."""
        text = str(stored.get("says", ""))
        remedy = remedies.from_json(stored, text)
        counts = {name: remedies.whole(stored.get(name)) for name in ("worked", "failed", "support")}
        evidence = Evidence(users_word=isinstance(remedy, Correction), **counts)
        return cls(remedy=remedy, sentence=text, evidence=evidence, sessions=tuple(stored.get("sessions", ())))

    def to_json(self) -> dict[str, Json]:
        """The form that the store keeps."""
        known = self.evidence
        counts: dict[str, Json] = {"support": known.support, "worked": known.worked, "failed": known.failed}
        sessions: dict[str, Json] = {"sessions": list(self.sessions)} if self.sessions else {}
        return {**remedies.to_json(self.remedy), "says": self.sentence, **counts, **sessions}

    @property
    def trust(self) -> float:
        """The trust in it, from 0 to 1."""
        return trust(self.evidence)

    def confirmed(
        self, again: Remedy, sessions: Sequence[str], *, on_its_own: bool, another_session: bool
    ) -> Candidate:
        """The candidate after it was found again; a session that found it ``on_its_own`` adds support."""
        remedy = remedies.confirmed(self.remedy, again, another_session=another_session)
        evidence = replace(self.evidence, support=self.evidence.support + (1 if on_its_own else 0))
        return Candidate.of(remedy, evidence, _first_of(self.sessions, sessions))

    def merged(self, other: Candidate) -> Candidate:
        """The same fix of two learnings that have become one."""
        return replace(self, evidence=self.evidence + other.evidence, sessions=_first_of(self.sessions, other.sessions))


def candidates(learning: Learning) -> dict[str, Candidate]:
    """The fixes of a learning by their signatures, the latest last."""
    stored = learning.remedies.items()
    return {name: Candidate.from_json(each) for name, each in stored if isinstance(each, Mapping)}


def current(learning: Learning) -> Candidate | None:
    """The one of a learning's fixes that is its `fix`."""
    return next((each for each in candidates(learning).values() if each.sentence == learning.fix), None)


def with_fix(learning: Learning, found: Candidate, *, on_its_own: bool, another_session: bool) -> Learning:
    """A learning that knows one more fix, or one fix better.

    Sessions change more than they need, so a known fix is confirmed if its changes are part of the new one's.
    """
    known, own = candidates(learning), remedies.signature(found.remedy)
    if isinstance(found.remedy, Retry):  # the same call worked: it is not what the error says it is
        known = {
            name: each for name, each in known.items() if not isinstance(each.remedy, Stated) or each.remedy.seconds
        }
    for name, each in known.items():
        part = remedies.part_of(each.remedy, found.remedy) if name != own else None
        if part is not None:
            known[name] = each.confirmed(part, found.sessions, on_its_own=on_its_own, another_session=another_session)
    before = known.pop(own, None)
    known[own] = (
        replace(found, evidence=Evidence(support=1 if on_its_own else 0))
        if before is None
        else before.confirmed(found.remedy, found.sessions, on_its_own=on_its_own, another_session=another_session)
    )
    return chosen(learning, known)


def chosen(learning: Learning, known: Mapping[str, Candidate], *, name: str | None = None) -> Learning:
    """A learning whose fix is the named candidate, else the most trusted one that says something to do.

    A tie keeps the fix that it has. Candidates that say nothing stay known, and are no fix.
    """
    if not known:
        return replace(learning, remedies={})
    order = {each: place for place, each in enumerate(known)}  # the last is the latest
    best_first = sorted(known, key=lambda each: (-known[each].trust, -order[each]))
    kept = {each: known[each] for each in known if each in best_first[:MOST]}
    offered = [each for each in kept if remedies.says(kept[each].remedy)]
    if name is None and not offered:
        return replace(_without_fix(learning), remedies={each: held.to_json() for each, held in kept.items()})
    best = name or max(offered, key=lambda each: (kept[each].trust, kept[each].sentence == learning.fix, each))
    kept[best] = known[best]
    evidence = kept[best].evidence
    return replace(
        learning,
        fix=kept[best].sentence,
        worked=evidence.worked,
        failed=evidence.failed,
        support=evidence.support,
        trust=kept[best].trust,
        remedies={each: candidate.to_json() for each, candidate in kept.items()},
        origin=_origin(learning, kept[best].remedy),
    )


def counted(learning: Learning, *, worked: bool) -> Learning:
    """A learning after its fix worked or failed once more; another fix may now be its best."""
    known = candidates(learning)
    for name, each in known.items():
        if each.sentence == learning.fix:
            one_more = Evidence(worked=1) if worked else Evidence(failed=1)
            known[name] = replace(each, evidence=each.evidence + one_more)
            return chosen(learning, known)
    return learning


def without_session(learning: Learning, session: str) -> Learning:
    """A learning without the fixes that only one session found."""
    known = candidates(learning)
    left = {
        name: replace(each, sessions=tuple(other for other in each.sessions if other != session))
        for name, each in known.items()
        if each.sessions != (session,)
    }
    if left == known:
        return learning
    if left:
        return chosen(learning, left)
    return replace(_without_fix(learning), remedies={})


def judged(learning: Learning) -> Learning:
    """A learning as today's rules see it: a stored fix that says nothing to do is kept, and no longer its fix."""
    known = candidates(learning)
    present = {name: Candidate.of(each.remedy, each.evidence, each.sessions) for name, each in known.items()}
    fixes = (name for name, each in known.items() if each.sentence == learning.fix and remedies.says(each.remedy))
    return chosen(learning, present, name=next(fixes, None)) if known else learning


def with_stated(learning: Learning, error: str, arguments: Mapping[str, Argument], session: str) -> Learning:
    """A learning that knows what its error asks for, if it asks for something."""
    known = candidates(learning)
    stated = None if any(isinstance(each.remedy, Stated) for each in known.values()) else asked_for(error, arguments)
    if stated is None:
        return learning
    found = Candidate.of(stated, Evidence(), (session,) if session else ())
    return chosen(learning, {remedies.signature(stated): found, **known})


def _without_fix(learning: Learning) -> Learning:
    return replace(learning, fix="", worked=0, failed=0, support=0, trust=0.0)


def joined(one: Learning, others: Iterable[Learning]) -> Learning:
    """One learning of several about the same error: every count and every fix of them."""
    known = candidates(one)
    for other in others:
        for name, each in candidates(other).items():
            known[name] = known[name].merged(each) if name in known else each
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
    """Whether learnings have fixes for different errors, so that they must stay apart."""
    corrected = [is_corrected(each) for each in learnings]
    if any(corrected) and (not all(corrected) or len({each.fix for each in learnings}) > 1):
        return True
    fixes = [fix.remedy for each in learnings if (fix := current(each)) is not None]
    return any(remedies.at_odds(one, other) for one, other in combinations(fixes, 2))


def is_corrected(learning: Learning) -> bool:
    """Whether a user gave one of its fixes."""
    return any(isinstance(each.remedy, Correction) for each in candidates(learning).values())


def _first_of(*sessions: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for some in sessions for each in some))[:_MOST_SESSIONS]


def _origin(learning: Learning, shown: Remedy) -> Origin:
    """The origin of a learning with this fix: only a user's correction has the origin user."""
    match shown:
        case Correction():
            return Origin.USER
        case ChangedArguments() | Prerequisite() | Retry() | Stated():
            return Origin.TOOL
        case Advice():
            return Origin.AGENT if learning.origin is Origin.USER else learning.origin
        case _:
            assert_never(shown)
