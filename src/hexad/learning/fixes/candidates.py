"""The fixes that a learning knows, each with its evidence. The most trusted one is the learning's `fix`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from hexad.learning.errors.advice import is_dangerous, wait_of
from hexad.learning.fixes.fix import (
    Advice,
    ChangedArguments,
    Correction,
    StatedWait,
    StatedWords,
    from_json,
    sentence,
    words,
)
from hexad.learning.fixes.mining import stated
from hexad.learning.trust import Evidence, trust
from hexad.model import Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hexad.learning.arguments.shapes import Argument
    from hexad.learning.fixes.fix import Fix
    from hexad.model import Json, Learning

MOST: Final = 8  # fixes that one learning keeps
_MOST_SESSIONS: Final = 8
_LARGEST: Final = 1 << 31  # of a count: more is no count
_COUNTS: Final = ("worked", "failed", "support")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A fix as data and as a sentence, and the evidence for it.

    ``sessions`` are the first that found it: a fix that only one of them knows goes when that session is forgotten.
    One that a person ``rejected`` stays known and is not offered again.
    """

    fix: Fix
    sentence: str
    evidence: Evidence
    sessions: tuple[str, ...] = ()
    rejected: bool = False

    @classmethod
    def of(cls, fix: Fix, evidence: Evidence, sessions: tuple[str, ...] = ()) -> Candidate:
        """A fix with its present sentence."""
        evidence = replace(evidence, users_word=isinstance(fix, Correction))
        return cls(fix=fix, sentence=sentence(fix), evidence=evidence, sessions=sessions)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Candidate:
        """The candidate that `to_json` wrote."""
        text = str(stored.get("says", ""))
        fix = from_json(stored, text)
        counts = {name: held for name in _COUNTS if type(held := stored.get(name)) is int and 0 <= held < _LARGEST}
        evidence = Evidence(users_word=isinstance(fix, Correction), **counts)
        sessions, rejected = tuple(stored.get("sessions", ())), stored.get("rejected") is True
        return cls(fix=fix, sentence=text, evidence=evidence, sessions=sessions, rejected=rejected)

    def to_json(self) -> dict[str, Json]:
        """The form that the store keeps."""
        counts: dict[str, Json] = {name: getattr(self.evidence, name) for name in _COUNTS}
        sessions: dict[str, Json] = {"sessions": list(self.sessions)} if self.sessions else {}
        searched: dict[str, Json] = {} if self.fix.given else {"words": words(self.fix)}
        rejected: dict[str, Json] = {"rejected": True} if self.rejected else {}
        return {**self.fix.to_json(), "says": self.sentence, **searched, **counts, **sessions, **rejected}

    @property
    def says(self) -> bool:
        """Whether it says something to do that nobody rejected, and that takes no rights unless a person says so."""
        risky = isinstance(self.fix, Advice) and is_dangerous(self.fix.given)
        return self.fix.says and not self.rejected and not risky

    @property
    def trust(self) -> float:
        """The trust in it, from 0 to 1."""
        return trust(self.evidence)

    def merged(self, other: Candidate) -> Candidate:
        """The same fix, found again or of two learnings that have become one."""
        by_another = other.evidence.support or not set(other.sessions) <= set(self.sessions)
        fix = self.fix.again(other.fix) if by_another and isinstance(self.fix, ChangedArguments) else self.fix
        sessions = tuple(dict.fromkeys((*self.sessions, *other.sessions)))[:_MOST_SESSIONS]
        both = Candidate.of(fix, self.evidence + other.evidence, sessions)
        return replace(both, rejected=self.rejected or other.rejected)


def candidates(learning: Learning) -> dict[str, Candidate]:
    """The fixes of a learning by their signatures, the latest last."""
    stored = learning.fixes.items()
    return {name: Candidate.from_json(each) for name, each in stored if isinstance(each, Mapping)}


def current(learning: Learning) -> Fix | None:
    """The one of a learning's fixes that is its `fix`."""
    return next((each.fix for each in candidates(learning).values() if each.sentence == learning.fix), None)


def with_fix(learning: Learning, found: Candidate) -> Learning:
    """A learning that knows one more fix, or one fix better.

    Sessions change more than they need, so a known fix is confirmed if its changes are part of the new one's.
    """
    known, own = candidates(learning), found.fix.signature
    for name, each in known.items():
        if name != own and each.fix.is_part_of(found.fix):
            known[name] = each.merged(found)
    before = known.pop(own, None)
    known[own] = found if before is None else before.merged(found)
    return chosen(learning, known)


def for_error(learning: Learning, error: str, arguments: Mapping[str, Argument] | None) -> Learning:
    """A learning with its most trusted fix that can be about this very error; without a fix if there is none.

    Errors with one pattern differ in names and values: the words of another error are no fix for this one, and neither
    is the fix of another program.
    """
    wait = wait_of(error)
    for each in sorted(candidates(learning).values(), key=lambda each: (-each.trust, each.sentence != learning.fix)):
        shown = StatedWait.of(wait) if isinstance(each.fix, StatedWait) else each.fix
        repeats = arguments is not None and isinstance(shown, StatedWords)
        if each.says and shown.says and shown.holds_for(error, arguments or {}) and not repeats:
            return replace(learning, fix=sentence(shown), trust=each.trust, origin=_origin(learning, shown))
    return _without_fix(learning)


def chosen(learning: Learning, known: Mapping[str, Candidate], *, name: str | None = None) -> Learning:
    """A learning whose fix is the named candidate, else the most trusted one that says something to do.

    A tie keeps the fix that it has. Candidates that say nothing stay known, and are no fix.
    """
    order = {each: place for place, each in enumerate(known)}  # the last is the latest
    best_first = sorted(known, key=lambda each: (-known[each].trust, -order[each]))
    kept = {each: known[each] for each in known if each in {*best_first[:MOST], name} or known[each].rejected}
    stored: dict[str, Json] = {each: held.to_json() for each, held in kept.items()}
    offered = [each for each in kept if kept[each].says]
    if name is None and not offered:
        return replace(_without_fix(learning) if known else learning, fixes=stored)
    best = kept[name or max(offered, key=lambda each: (kept[each].trust, kept[each].sentence == learning.fix, each))]
    counts = {each: getattr(best.evidence, each) for each in _COUNTS}
    origin = _origin(learning, best.fix)
    return replace(learning, fix=best.sentence, trust=best.trust, fixes=stored, origin=origin, **counts)


def counted(learning: Learning, *, worked: bool) -> Learning:
    """A learning after its fix worked or failed once more; another fix may now be its best."""
    known = candidates(learning)
    one_more = Evidence(worked=1) if worked else Evidence(failed=1)
    for name, each in known.items():
        if each.sentence == learning.fix:
            known[name] = replace(each, evidence=each.evidence + one_more)
            return chosen(learning, known)
    return learning


def rejected(learning: Learning) -> Learning:
    """A learning whose fix a person rejected: another one that it knows is its fix now, or none."""
    known = candidates(learning)
    gone = {name: replace(each, rejected=True) for name, each in known.items() if each.sentence == learning.fix}
    return chosen(learning, {**known, **gone})


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
    return chosen(learning, left) if left else replace(_without_fix(learning), fixes={})


def judged(learning: Learning) -> Learning:
    """A learning as today's rules see it: a stored fix that says nothing to do is kept, and no longer its fix."""
    known = candidates(learning)
    present = {name: replace(each, sentence=sentence(each.fix)) for name, each in known.items()}
    same = (name for name, each in known.items() if each.sentence == learning.fix and each.says)
    return chosen(learning, present, name=next(same, None)) if known else learning


def with_stated(learning: Learning, error: str, arguments: Mapping[str, Argument]) -> Learning:
    """A new learning with what its error asks for, if it asks for something."""
    asked = stated(error, arguments)
    if asked is None:
        return learning
    found = Candidate.of(asked, Evidence(), (learning.session,) if learning.session else ())
    return chosen(learning, {asked.signature: found})


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
    fixes = [fix for each in learnings if (fix := current(each)) is not None]
    return any(one.is_at_odds_with(other) for one, other in combinations(fixes, 2))


def is_corrected(learning: Learning) -> bool:
    """Whether a user gave one of its fixes."""
    return any(isinstance(each.fix, Correction) for each in candidates(learning).values())


def _origin(learning: Learning, shown: Fix) -> Origin:
    """The origin of a learning with this fix: only a user's correction has the origin user."""
    if isinstance(shown, Correction):
        return Origin.USER
    if not shown.given:
        return Origin.TOOL
    return Origin.AGENT if learning.origin is Origin.USER else learning.origin
