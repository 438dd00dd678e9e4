"""Records one observed call in one transaction: the log, the error's learning, the credit for fixes, a new fix.

A failure counts for the learning of its pattern. It counts against fixes that the session was shown and followed, as
far as that can be seen, and that did not prevent it. A success counts for the fixes that were shown and followed, and
its difference to the session's failures before it becomes a candidate fix.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from hexad.errors import HexadError
from hexad.learning.arguments.fingerprints import fingerprints
from hexad.learning.arguments.shapes import OWN_TOOLS, summarised, written
from hexad.learning.errors.pattern import holds, split
from hexad.learning.errors.tree import fixes_for, get, remembered, triggers
from hexad.learning.fixes.candidates import Candidate, counted, current, with_fix
from hexad.learning.fixes.mining import is_retry, mined, steps_in
from hexad.learning.offers import BOTH, FAILED, FOUND, OFFER_HOLDS, ONE_TASK, PATIENCE, WORKED, new_offer, offer
from hexad.learning.trust import Evidence
from hexad.memory.use.habits import credit
from hexad.model import Layer, Learning, Origin
from hexad.store.learning import OFFERED, Activity, Call, LearningChanges, Offer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from hexad.learning.errors.pattern import Words
    from hexad.learning.fixes.fix import Fix, Shapes
    from hexad.learning.outcome import Outcome
    from hexad.memory.workspace import Change, Workspace
    from hexad.model import Json

CALLS_KEPT: Final = 32  # calls of one session that are compared
CALLS_STORED: Final = 96  # calls of one session that are stored: skills are discovered in them
CALLS_SPAN: Final = 10_000  # audit records after which a call is dropped
_MOST_SUCCESSES: Final = 3  # of the tool between a failure and the call that is compared with it
_TIDIED, _SWEPT = 16, 1024  # every so many audit records the oldest calls go, of this session and of all


def record(
    workspace: Workspace, outcome: Outcome, *, fetch: bool = True, advise: bool = False, patience: float = PATIENCE
) -> Learning | None:
    """Record a call; with ``fetch``, return the learning that its error belongs to.

    With ``advise`` the answer is a learning with a trusted fix for this very error, which counts as offered. A call
    whose arguments or result cannot be read, because their own methods fail, is recorded without them.
    """
    try:
        return _record(workspace, outcome, fetch=fetch, advise=advise, patience=patience)
    except HexadError:
        raise
    except Exception:  # noqa: BLE001 - any error of somebody else's class
        bare = replace(outcome, given={}, result=None, problem=None)
        return _record(workspace, bare, fetch=fetch, advise=advise, patience=patience)


def _record(workspace: Workspace, outcome: Outcome, *, fetch: bool, advise: bool, patience: float) -> Learning | None:
    with workspace.change(actor=Origin.TOOL, session=outcome.session, patience=patience) as change:
        recording = _Recording(change, outcome, workspace.clock())
        learning = recording.write()
        if advise:
            return recording.advised() if learning else None
        return get(change, learning) if learning and fetch else None


@dataclass(slots=True)  # not frozen: that takes three times as long, and every watched call makes one
class _Recording:
    """One outcome inside the transaction that records it."""

    change: Change
    outcome: Outcome
    now: datetime
    seen: dict[str, datetime] = field(default_factory=dict)  # the learning that the error counts for
    trusts: dict[str, Json] = field(default_factory=dict)  # what fixes are trusted now, for which it was evidence

    def write(self) -> str:
        """Record everything that follows from the outcome; return the id of the error's learning, if it failed.

        Errors of Hexad's own tools are not learned: each says itself what to do.
        """
        retrying = self.outcome.ok and self._succeeded()
        learning = "" if self.outcome.ok or self.outcome.tool in OWN_TOOLS else self._failed()
        self._log(learning, retrying=retrying)
        if self.outcome.ok:
            credit(self.change, Layer.TOOL_REGISTRY, self.outcome.tool)
        return learning

    def advised(self) -> Learning | None:
        """The learning whose fix is trusted for this error, as `fix_for` finds it; the fix counts as offered."""
        outcome = self.outcome
        about = (outcome.trigger, outcome.error, outcome.words, outcome.arguments)
        found = next(iter(fixes_for(self.change.unit, *about)), None)
        if found is None or not found.trusted:
            return None
        known = get(self.change, found.id)
        if known is not None and known.fix == found.fix:
            offer(self.change, [known], self.now)
        return found

    def _log(self, learning: str, *, retrying: bool) -> None:
        """Append to the audit log and to the session's calls."""
        outcome = self.outcome
        shaped = {} if outcome.ok else outcome.arguments
        details: dict[str, Json] = {"ok": outcome.ok, "arguments": summarised(outcome.tool, outcome.given, shaped)}
        if not outcome.ok:
            details["learning"] = learning
        if self.trusts:
            details["trust"] = self.trusts
        number = self.change.audit("tool.call", outcome.tool, details, at=self.now)
        call = Call(
            number=number,
            session=self.change.session,
            tool=outcome.tool,
            ok=outcome.ok,
            learning=learning,
            arguments=self._stored_arguments(shaped, retrying=retrying),
            at=self.now,
        )
        self.change.unit.learn(
            LearningChanges(
                seen=self.seen,
                calls=[call],
                keep_calls={call.session: CALLS_STORED} if number % _TIDIED == 0 else {},
                drop_calls_below=number - CALLS_SPAN if number % _SWEPT == 0 else None,
            )
        )

    def _stored_arguments(self, shaped: Shapes, *, retrying: bool) -> str:
        """A failure's shapes, with which later calls are compared; a success's fingerprints, for discovery."""
        outcome = self.outcome
        if not outcome.ok:
            return written(shaped, outcome.error)
        if not self.change.session:  # discovery reads sessions only
            return ""
        commands = steps_in(outcome.arguments) if retrying else None
        return fingerprints(outcome.tool, outcome.given, outcome.result, commands)

    def _failed(self) -> str:
        """Count the error for its learning, and against the fixes that were offered; return the learning's id."""
        known, again = remembered(self.change, self.outcome, self.now)
        if again:
            self.seen[known] = self.now
        for made in self._holding(self._activity().offers):
            if made.state in {OFFERED, WORKED}:
                self._blame(made, known)
        return known

    def _succeeded(self) -> bool:
        """Credit the fixes that were offered and followed; mine the difference to the failures before.

        The answer is whether there was a failure or an offer, so that this call may be part of a fix.
        """
        activity = self._activity()
        if not activity.failed and not any(each.state == OFFERED for each in activity.offers):
            return False
        offers = {each.learning: each for each in self._holding(activity.offers)}
        calls = self._recent()
        for known in offers.values():
            if known.state == OFFERED:
                self._credit(known, calls)
        for failure, between in _unexplained(calls, self.outcome.tool):
            held = offers.get(failure.learning)
            if held is None or held.state == OFFERED or held.at < failure.at:
                self._mine(failure, between, held)
        return True

    def _recent(self) -> Sequence[Call]:
        """The session's calls that belong to the present task, newest first."""
        calls = self._activity(CALLS_KEPT).calls
        return [call for call in calls if abs(self.now - call.at) <= ONE_TASK]

    def _activity(self, calls: int = 0) -> Activity:
        tool = self.outcome.tool if self.outcome.ok else ""  # after a failure only offers and calls matter
        return self.change.unit.activity(self.change.session, tool, calls=calls)

    def _holding(self, known: Sequence[Offer]) -> Sequence[Offer]:
        """The offers for this tool that still hold."""
        own = [each for each in known if each.trigger in triggers(self.outcome.trigger)]
        return [each for each in own if abs(self.now - each.at) <= OFFER_HOLDS]

    def _blame(self, known: Offer, about: str) -> None:
        """Count a failure against an offered fix, unless the call shows that nobody followed it."""
        learning = get(self.change, known.learning)
        if learning is None or not (learning.id == about or _is_about(learning, self.outcome.words)):
            return
        calls, fix = self._recent(), current(learning)
        if fix is None or not fix.followed(self.outcome.arguments, calls):
            return
        if fix.given or fix.shows or self._had_error(learning, fix, calls):  # nobody sees whether words are followed
            self._put(counted(learning, worked=False))
            self._set(known, BOTH if known.state == WORKED else FAILED)

    def _credit(self, known: Offer, calls: Sequence[Call]) -> None:
        """Count a success for an offered fix that the call followed.

        If any call would seem to follow it, only a session that had the error counts.
        """
        learning = get(self.change, known.learning)
        fix = None if learning is None else current(learning)
        if learning is None or fix is None or not fix.followed(self.outcome.arguments, calls):
            return
        if fix.shows or self._had_error(learning, fix, calls):
            self._put(counted(learning, worked=True))
            self._set(known, WORKED)

    def _had_error(self, learning: Learning, fix: Fix, calls: Iterable[Call]) -> bool:
        """Whether the tool failed in the session with an error that a learning is about, and this call tries again."""
        failed = [call for call in calls if not call.ok and call.tool == self.outcome.tool]
        judged = not fix.given and not fix.changes  # else the call shows it itself, or nobody can see it
        failures = {call.learning for call in failed if not judged or is_retry(call, self.outcome.arguments, self.now)}
        if learning.id in failures:
            return True
        others = (get(self.change, each) for each in failures if each)
        return any(_is_about(learning, split(each.template)) for each in others if each is not None)

    def _mine(self, failure: Call, between: Sequence[Call], known: Offer | None) -> None:
        """Add the difference between a failure and this success to the fixes of the failure's learning."""
        learning = get(self.change, failure.learning)
        if learning is None:
            return
        waited = (self.now - failure.at).total_seconds()
        fix = mined(failure, self.outcome.arguments, between, waited)
        if fix is None:
            return
        apart = known is not None and known.state == FOUND and abs(self.now - known.at) > ONE_TASK
        on_its_own = known is None or (apart and not self.change.session)  # without one, what belongs together is one
        evidence = Evidence(support=1 if on_its_own else 0)
        self._put(with_fix(learning, Candidate.of(fix, evidence, tuple(filter(None, [self.change.session])))))
        if known is None or on_its_own:
            self._set(new_offer(self.change, learning, FOUND, self.now))
        elif known.state in {OFFERED, FAILED}:
            self._set(known, BOTH if known.state == FAILED else WORKED)

    def _set(self, known: Offer, state: str = "") -> None:
        changed = replace(known, state=state or known.state, at=self.now)
        self.change.unit.learn(LearningChanges(offers=[changed]))

    def _put(self, learning: Learning) -> None:
        self.trusts[learning.id] = round(learning.trust, 3)
        self.change.put(replace(learning, updated=self.now))


def _is_about(learning: Learning, words: Words) -> bool:
    return not learning.template or holds(words, split(learning.template))


def _unexplained(calls: Sequence[Call], tool: str) -> Iterable[tuple[Call, Sequence[Call]]]:
    """The latest failure of each kind, each with the calls after it, newest first.

    An agent looks around before it tries again, so the tool may have worked a few times since, with something else.
    """
    own = [(place, call) for place, call in enumerate(calls) if call.tool == tool]
    worked = [place for place, call in own if call.ok][_MOST_SUCCESSES:]
    recent = [(place, call) for place, call in own if call.learning and place < min(worked, default=len(calls))]
    latest = {call.learning: (call, calls[:place]) for place, call in reversed(recent)}
    return latest.values()
