"""One observed call → what is known afterwards, in one transaction: log, pattern, credit, and a fix if one shows.

A failure strengthens the learning of its pattern, and counts against fixes that were offered in the session, were
followed as far as one can see, and did not prevent it. A success counts for the fixes that were offered and followed,
and whatever made the difference to the session's failures before it is mined as a candidate fix.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.learning import remedy as remedies
from hexad.learning.arguments import written
from hexad.learning.fixes import chosen, with_remedy
from hexad.learning.pattern import holds, split
from hexad.learning.tree import get, remembered, triggers, trusted_for
from hexad.memory.habits import credit
from hexad.memory.workspace import Change
from hexad.model import Layer, Learning, Origin
from hexad.store.learning import OFFERED, Call, LearningChanges, Offer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from hexad.learning.outcome import Outcome
    from hexad.learning.pattern import Words
    from hexad.memory.workspace import Workspace
    from hexad.model import Json
    from hexad.store import Writing

PATIENCE: Final = 5.0  # seconds that a tool's caller waits at most for other writers
CALLS_KEPT: Final = 32  # of one session that are compared
CALLS_STORED: Final = 96  # and that are kept: skills are discovered in them
CALLS_SPAN: Final = 10_000  # audit records back that any call is kept
_TIDIED, _SWEPT = 16, 1024  # every so many audit records the oldest calls go, of this session and of all
WORKED, FAILED, FOUND = "worked", "failed", "found"
BOTH: Final = "worked and failed"  # in one session: nothing more is counted there
_ONE_TASK: Final = timedelta(hours=1)  # between a failure and the success that explains it
_OFFER_HOLDS: Final = timedelta(days=1)
_FIRST_MOMENT: Final = datetime.min.replace(tzinfo=UTC)
_LEARNINGS: Final = Layer.AGENT_LEARNINGS


@dataclass(frozen=True, slots=True)
class Recorder:
    """Writes down what was observed, for one namespace."""

    workspace: Workspace

    def record(
        self, outcome: Outcome, *, tell: bool = True, advise: bool = False, patience: float = PATIENCE
    ) -> Learning | None:
        """Write down what a call taught; with ``tell`` or ``advise``, the learning that its error belongs to.

        With ``advise`` a trusted fix of that learning counts as offered.
        """
        with self.workspace.change(actor=Origin.TOOL, session=outcome.session, patience=patience) as change:
            moment = _Moment(change, outcome, self.workspace.clock())
            about = moment.write()
            if advise and about:
                return moment.advised() or get(change, about)
            return get(change, about) if about and tell else None


def write_down(unit: Writing, workspace: Workspace, outcome: Outcome, now: datetime) -> None:
    """Write down what a call taught that was made before, as part of somebody's transaction."""
    _Moment(Change(workspace, unit, Origin.TOOL, workspace.session_of(outcome.session)), outcome, now).write()


@dataclass(frozen=True, slots=True)
class _Moment:
    """One outcome inside the transaction that writes it down."""

    change: Change
    outcome: Outcome
    now: datetime

    @property
    def namespace(self) -> str:
        return self.change.workspace.namespace

    def write(self) -> str:
        """Everything that follows from the outcome; the id of the learning that its error belongs to, if it failed."""
        about = self.worked() if self.outcome.ok else self.failed()
        self.log(about)
        if self.outcome.ok:
            credit(self.change, Layer.TOOL_REGISTRY, self.outcome.tool)
        return about

    def log(self, id: str) -> None:
        """Append to the audit log and to the session's calls."""
        outcome = self.outcome
        details: dict[str, Json] = {"ok": outcome.ok, "arguments": outcome.summary}
        if not outcome.ok:
            details["learning"] = id
        number = self.change.audit("tool.call", outcome.tool, details, at=self.now)
        call = Call(
            number=number,
            session=self.change.session,
            tool=outcome.tool,
            ok=outcome.ok,
            learning=id,
            arguments=self._traced(),
            at=self.now,
        )
        self.change.unit.learn(
            LearningChanges(
                calls=[call],
                keep_calls={call.session: CALLS_STORED} if number % _TIDIED == 0 else {},
                drop_calls_below=number - CALLS_SPAN if number % _SWEPT == 0 else None,
            )
        )

    def _traced(self) -> str:
        """A failure's shapes, which later calls are compared with; a success's marks, for discovery."""
        outcome = self.outcome
        if not outcome.ok:
            return written(outcome.arguments)
        return outcome.marks if self.change.session else ""  # what belongs to no session is in no sequence

    def failed(self) -> str:
        """Strengthen the learning of the error's pattern; blame what was offered against it. Returns its id."""
        about = remembered(self.change, self.outcome, self.now)
        for known in self._offers():
            if known.state in {OFFERED, WORKED}:
                self._blame(known, about)
        return about

    def advised(self) -> Learning | None:
        """The learning whose fix is trusted for this error, as `fix_for` finds it; it counts as offered."""
        known = trusted_for(self.change.unit, self.outcome.trigger, self.outcome.words)
        if known is not None:
            offer(self.change, [known], self.now)
        return known

    def worked(self) -> str:
        """Credit what was offered and followed; mine what made the difference to the failures before."""
        activity = self.change.unit.activity(self.change.session, self.outcome.tool)
        awaited = any(each.state == OFFERED for each in activity.offers)
        if not awaited and (activity.latest is None or activity.latest.ok):
            return ""
        offers = {each.learning: each for each in self._current(activity.offers)}
        calls = self._recent()
        for known in offers.values():
            if known.state == OFFERED:
                self._credit(known, calls)
        for failure, between in _unexplained(calls, self.outcome.tool):
            self._mine(failure, between, offers.get(failure.learning))
        return ""

    def _recent(self) -> Sequence[Call]:
        """The session's calls, newest first, as far as they belong to what is being done now."""
        calls = self.change.unit.activity(self.change.session, self.outcome.tool, calls=CALLS_KEPT).calls
        return [call for call in calls if abs(self.now - call.at) <= _ONE_TASK]

    def _offers(self) -> Sequence[Offer]:
        return self._current(self.change.unit.activity(self.change.session, self.outcome.tool).offers)

    def _current(self, known: Sequence[Offer]) -> Sequence[Offer]:
        """The offers for this tool that are not too long ago."""
        own = [each for each in known if each.trigger in triggers(self.outcome.trigger)]
        return [each for each in own if abs(self.now - each.at) <= _OFFER_HOLDS]

    def _blame(self, known: Offer, about: str) -> None:
        """Count against what was offered for this error, unless the call shows that nobody followed it."""
        learning = get(self.change, known.learning)
        if learning is None or not (learning.id == about or _speaks_of(learning, self.outcome.words)):
            return
        calls = self._recent()
        followed = remedies.followed(learning.remedy, self.outcome.arguments, calls)
        told = learning.remedy.get("kind") in {remedies.TOLD, remedies.CORRECTION}  # nobody can see it followed
        if followed and (told or remedies.shows(learning.remedy) or self._was_met(learning, calls)):
            _count(self.change, learning.id, FAILED)
            self._set(known, BOTH if known.state == WORKED else FAILED)

    def _credit(self, known: Offer, calls: Sequence[Call]) -> None:
        """Count for what was offered, if the call did what it says; if any call does that, only after the error."""
        learning = get(self.change, known.learning)
        if learning is None or not remedies.followed(learning.remedy, self.outcome.arguments, calls):
            return
        if remedies.shows(learning.remedy) or self._was_met(learning, calls):
            _count(self.change, learning.id, WORKED)
            self._set(known, WORKED)

    def _was_met(self, learning: Learning, calls: Iterable[Call]) -> bool:
        """Whether the tool failed in the session with an error that a learning speaks of."""
        failures = {call.learning for call in calls if not call.ok and call.tool == self.outcome.tool}
        if learning.id in failures:
            return True
        met = (get(self.change, each) for each in failures if each)
        return any(_speaks_of(learning, split(each.template)) for each in met if each is not None)

    def _mine(self, failure: Call, between: Sequence[Call], known: Offer | None) -> None:
        learning = get(self.change, failure.learning)
        if learning is None:
            return
        waited = (self.now - failure.at).total_seconds()
        found = remedies.mined(failure, self.outcome.arguments, between, waited)
        if self.change.session:
            found["sessions"] = [self.change.session]
        alone = known is None or self._is_long_ago(known)
        elsewhere = known is None or alone or known.state in {OFFERED, FAILED}
        _put(self.change, with_remedy(learning, found, by_itself=alone, elsewhere=elsewhere), self.now)
        if known is None or alone:
            self._set(_offer(self.change, learning, FOUND, self.now))
        elif elsewhere:
            self._set(known, BOTH if known.state == FAILED else WORKED)

    def _is_long_ago(self, known: Offer) -> bool:
        """Calls that name no session are one session only while they belong together."""
        return not self.change.session and known.state == FOUND and abs(self.now - known.at) > _ONE_TASK

    def _set(self, known: Offer, state: str = "") -> None:
        changed = replace(known, state=state or known.state, at=self.now)
        self.change.unit.learn(LearningChanges(offers=[changed]))


def offer(change: Change, learnings: Iterable[Learning], now: datetime) -> None:
    """Remember that the fixes of these learnings were shown in the change's session: what comes next is about them.

    A session in which a learning's fix has worked, or that found it, does not count for it again.
    """
    known = {each.learning: each for each in change.unit.activity(change.session, "").offers}
    made = [
        _offer(change, learning, _offered_again(change, known.get(learning.id), now), now)
        for learning in learnings
        if learning.fix
    ]
    oldest = now - _OFFER_HOLDS if now - _FIRST_MOMENT > _OFFER_HOLDS else None
    change.unit.learn(LearningChanges(offers=made, drop_offers_before=oldest))


def _offered_again(change: Change, known: Offer | None, now: datetime) -> str:
    """The state of an offer that is made, given what is known of it in the session."""
    another_task = known is not None and not change.session and abs(now - known.at) > _ONE_TASK
    if known is None or another_task or known.state == FAILED:
        return OFFERED
    return WORKED if known.state == FOUND else known.state


def _offer(change: Change, learning: Learning, state: str, now: datetime) -> Offer:
    return Offer(session=change.session, learning=learning.id, trigger=learning.trigger, state=state, at=now)


def _speaks_of(learning: Learning, words: Words) -> bool:
    return not learning.template or holds(words, split(learning.template))


def _unexplained(calls: Sequence[Call], tool: str) -> Iterable[tuple[Call, Sequence[Call]]]:
    """The latest failure of each kind since the tool last worked, each with the calls after it, newest first."""
    seen: set[str] = set()
    for place_, call in enumerate(calls):
        if call.tool != tool:
            continue
        if call.ok:
            return
        if call.learning and call.learning not in seen:
            seen.add(call.learning)
            yield call, calls[:place_]


def _count(change: Change, id: str, state: str) -> None:
    """One more offer after which the fix worked, or did not; another remedy may be the better one now."""
    learning = get(change, id)
    if learning is None:
        return
    known = {name: dict(cast("Mapping[str, Any]", each)) for name, each in learning.remedies.items()}
    current = next((name for name, each in known.items() if each.get("says") == learning.fix), None)
    if current is not None:
        known[current][state] = known[current].get(state, 0) + 1
        _put(change, chosen(learning, known), change.workspace.clock())


def _put(change: Change, learning: Learning, now: datetime) -> None:
    change.put(replace(learning, updated=now))
