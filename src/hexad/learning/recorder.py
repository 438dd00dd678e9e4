"""Records one observed call in one transaction: the log, the failure as evidence, and
what came of it.

A failure counts for the learning of its pattern, and opens a question for its session:
what works next? The first call of the same tool, for a shell of the same program, that
works answers it: the two calls become an example. What the session was shown, or that
it was shown nothing, decides what the outcome counts for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.calls.arguments import OWN_TOOLS, as_json, summarised
from hexad.calls.commands import ARGUMENTS, edits_files, names_of, shell_text
from hexad.calls.fingerprints import fingerprints
from hexad.errors import HexadError
from hexad.examples import Example, call_text, cut
from hexad.learning.difference import Difference, between
from hexad.learning.evidence import (
    Shown,
    counted,
    example_for,
    settled,
    with_example,
    with_names,
    with_same_call,
)
from hexad.learning.lookup import fade, get, point_to, remembered, shown_for, triggers
from hexad.learning.offers import OFFER_HOLDS, PATIENCE, new_offer, offer
from hexad.learning.shapes import forms_in_words
from hexad.memory.usage.habits import credit
from hexad.model import ErrorCategory, Layer, Learning, Origin
from hexad.store.learning import (
    ASKED,
    FAILED,
    MENDED,
    MET,
    OFFERED,
    SHOWN,
    STUCK,
    UNAIDED,
    WORKED,
    LearningChanges,
    RecordedCall,
    SessionOffer,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from hexad.calls.outcome import Outcome
    from hexad.memory.workspace import Change, Workspace
    from hexad.model import Json

CALLS_KEPT: Final = 32  # calls of one session that are compared
CALLS_STORED: Final = (
    96  # calls of one session that are stored: skills are discovered in them
)
CALLS_SPAN: Final = 10_000  # audit records after which a call is dropped
ONE_TASK: Final = timedelta(hours=1)  # a call that worked later mended nothing
MANY_TRIES: Final = 3  # failures with one error that make its lesson worth a sentence
_TIDIED, _SWEPT = (
    16,
    1024,
)  # every so many audit records the oldest calls go, of this session and of all
_MOST_STEPS: Final = 4
_MOST_NEEDED: Final = (
    2  # calls of other tools that may be why the very same call works now
)
_LONGEST_STEP: Final = 120
_LONGEST_STRETCH: Final = (
    64  # audit records that are read for the steps between two calls
)
_PASSING: Final = frozenset(
    {ErrorCategory.TIMEOUT, ErrorCategory.PROVIDER_ERROR}
)  # trouble that may pass by itself
_OPEN: Final = frozenset({MET, SHOWN, STUCK, FAILED})  # the session has not gone on yet


class Recorded(NamedTuple):
    """What came of recording a call."""

    learning: Learning | None = None  # that its error belongs to
    shown: Shown | None = None  # what is known about the failure, if that was asked for
    mended: Learning | None = (
        None  # what this call mended after it had cost much, and nobody put into words yet
    )


def record(
    workspace: Workspace,
    outcome: Outcome,
    *,
    fetch: bool = True,
    advise: bool = False,
    patience: float = PATIENCE,
) -> Recorded:
    """Record a call. With ``fetch``, the answer has the learning that its error belongs
    to.

    With ``advise`` it has what is known about this very failure, which counts as shown.
    A call whose arguments or result cannot be read, because their own methods fail, is
    recorded without them.
    """
    try:
        return _record(
            workspace, outcome, fetch=fetch, advise=advise, patience=patience
        )
    except HexadError:
        raise
    except Exception:  # noqa: BLE001 - any error of somebody else's class
        bare = replace(outcome, given={}, result=None, problem=None)
        return _record(workspace, bare, fetch=fetch, advise=advise, patience=patience)


def _record(
    workspace: Workspace,
    outcome: Outcome,
    *,
    fetch: bool,
    advise: bool,
    patience: float,
) -> Recorded:
    with workspace.change(
        actor=Origin.TOOL, session=outcome.session, patience=patience
    ) as change:
        recording = _Recording(change, outcome, workspace.clock())
        learning = recording.write()
        shown = recording.known() if advise and learning else None
        kept = get(change, learning) if learning and fetch else None
        return Recorded(kept, shown, recording.mended)


@dataclass(
    slots=True
)  # not frozen: that takes three times as long, and every watched call makes one
class _Recording:
    """One outcome inside the transaction that records it."""

    change: Change
    outcome: Outcome
    now: datetime
    seen: dict[str, datetime] = field(
        default_factory=dict
    )  # the learning that the error counts for
    trusts: dict[str, Json] = field(
        default_factory=dict
    )  # the trust in each learning that changed
    mended: Learning | None = None
    _kept: dict[str, Any] | None = None

    def write(self) -> str:
        """Record everything that follows from the outcome; return the id of the error's
        learning, if it failed.

        Errors of Hexad's own tools are not learned: each says itself what to do.
        """
        learning = ""
        if self.outcome.ok:
            self._worked()
        elif self.outcome.tool not in OWN_TOOLS:
            learning = self._failed()
        self._log(learning)
        if self.outcome.ok:
            credit(self.change, Layer.TOOL_REGISTRY, self.outcome.tool)
        return learning

    def known(self) -> Shown | None:
        """What is known about this failure; that it is shown now is stored."""
        found = shown_for(self.change.unit, self.outcome, self._arguments())
        if not found:
            return None
        offer(self.change, [found[0].learning], self.now)
        return found[0]

    def _arguments(self) -> dict[str, Any]:
        """The call's arguments as evidence keeps them."""
        if self._kept is None:
            self._kept = self.outcome.kept
        return self._kept

    def _log(self, learning: str) -> None:
        """Append to the audit log and to the session's calls."""
        outcome = self.outcome
        details: dict[str, Json] = {
            "ok": outcome.ok,
            "arguments": summarised(outcome.tool, outcome.given),
        }
        if not outcome.ok:
            details["learning"] = learning
        if self.trusts:
            details["trust"] = self.trusts
        number = self.change.audit("tool.call", outcome.tool, details, at=self.now)
        call = RecordedCall(
            number=number,
            session=self.change.session,
            tool=outcome.tool,
            ok=outcome.ok,
            learning=learning,
            arguments=self._stored_arguments(),
            at=self.now,
        )
        self.change.unit.learn(
            LearningChanges(
                seen=self.seen,
                calls=[call],
                keep_calls={call.session: CALLS_STORED}
                if number % _TIDIED == 0
                else {},
                drop_calls_below=number - CALLS_SPAN if number % _SWEPT == 0 else None,
            )
        )
        if learning:
            fade(self.change, number, self.now)

    def _stored_arguments(self) -> str:
        """A failure's arguments, with which later calls are compared; a success's
        fingerprints, for discovery.
        """
        outcome = self.outcome
        if not outcome.ok:
            return as_json({"given": self._arguments(), "error": outcome.telling})
        if not self.change.session:  # discovery reads sessions only
            return ""
        return fingerprints(outcome.tool, outcome.given, outcome.result)

    def _failed(self) -> str:
        """Count the error for its learning, and for what the session was shown; return
        the learning's id.
        """
        known, again = remembered(self.change, self.outcome, self.now)
        if again:
            self.seen[known] = self.now
        before = self._offers().get(known)
        stored = get(self.change, known)
        if stored is None:
            return known
        learning = stored
        state = _after_failure(before, self.change.session)
        if before is None or before.state == OFFERED or state == MET:
            learning = replace(learning, sessions=learning.sessions + 1)
        elif state == STUCK and before.state == MET:
            learning = replace(learning, stuck=learning.stuck + 1)
        elif before.state == SHOWN:
            state = (
                FAILED
                if self._tried(learning, self._arguments(), self.outcome.error)
                else SHOWN
            )
            learning = (
                self._counted(learning, worked=False) if state == FAILED else learning
            )
        text = shell_text(self.outcome.given)
        named = (
            with_names(learning, [" ".join(each) for each in names_of(text)])
            if text
            else learning
        )
        if named != stored:
            self._put(settled(named, named.known))
        if before is None or state != before.state:
            self._set(
                before or new_offer(self.change, learning, state, self.now), state
            )
        return known

    def _worked(self) -> None:
        """Answer the session's open questions about this tool: what works after its
        failures?
        """
        activity = self.change.unit.activity(self.change.session, self.outcome.tool)
        if not activity.failed:
            return
        offers = self._offers()
        recent = self.change.unit.activity(
            self.change.session, self.outcome.tool, calls=CALLS_KEPT
        ).calls
        for learning, known in offers.items():
            failed = [
                place
                for place, call in enumerate(recent)
                if self._is_open(call, learning)
            ]
            if failed and known.state in _OPEN:
                self._answer(
                    recent[failed[0]], recent[: failed[0]], known, tries=len(failed)
                )

    def _is_open(self, call: RecordedCall, learning: str) -> bool:
        """Whether a call is a failure of this tool with a learning's error, and belongs
        to the present task.
        """
        late = abs(self.now - call.at) > ONE_TASK
        return (
            not call.ok
            and not late
            and call.tool == self.outcome.tool
            and call.learning == learning
        )

    def _answer(
        self,
        failure: RecordedCall,
        after: Sequence[RecordedCall],
        known: SessionOffer,
        *,
        tries: int,
    ) -> None:
        """Keep this call as what worked after a failure, if it did the same thing."""
        stored = json.loads(failure.arguments or "{}")
        learning = get(self.change, failure.learning)
        given, error = stored.get("given", {}), str(stored.get("error", ""))
        change = between(given, self._arguments(), error)
        if learning is None or change is None:
            return
        steps = self._steps_between(after)
        if (
            change.nothing
            and 0 < len(steps) <= _MOST_NEEDED
            and shell_text(self.outcome.given) is None
        ):
            change = Difference(steps=tuple(call.tool for call in steps))
        if change.nothing and self._made_in_steps(
            learning, [call for call in after if call.ok][:_MOST_STEPS]
        ):
            self._put(
                self._counted(learning, worked=True)
                if known.state == SHOWN
                else learning
            )
            self._set(known, WORKED if known.state == SHOWN else MENDED)
            return
        state = MENDED
        if known.state == MET:
            state, learning = UNAIDED, replace(learning, unaided=learning.unaided + 1)
        elif known.state == SHOWN and self._tried(learning, given, error):
            state, learning = WORKED, self._counted(learning, worked=True)
        if change.nothing:
            learning = with_same_call(learning)
        elif change.runs_more(given, self._arguments()) or not any(
            edits_files(call.tool) for call in after if call.ok
        ):
            learning = with_example(
                learning, self._example(learning, stored, change, after)
            )
        self._put(learning)
        self._set(known, state)
        if (
            (tries >= MANY_TRIES or learning.sessions > 1)
            and not learning.in_words
            and not change.nothing
        ):
            self.mended = learning

    def _made_in_steps(self, learning: Learning, steps: Sequence[RecordedCall]) -> bool:
        """Whether what an example did in one shell text was done in several calls, the
        last of them this one.
        """
        own = shell_text(self.outcome.given)
        if own is None or not learning.known.examples:
            return False
        texts = [
            str(given.get(name, ""))
            for given in self._logged(steps)
            for name in ARGUMENTS
        ]
        whole = {ARGUMENTS[0]: " && ".join(filter(None, (*texts, own)))}
        made = (Difference.from_json(each.change) for each in learning.known.examples)
        return any(each.added and each.is_made_in(whole) for each in made)

    def _example(
        self,
        learning: Learning,
        stored: dict[str, Any],
        change: Difference,
        after: Sequence[RecordedCall],
    ) -> Example:
        session = self.change.session
        return Example(
            failed=stored["given"],
            error=stored["error"],
            worked=self._arguments(),
            at=self.now,
            change=change.to_json(),
            steps=self._as_text(self._steps_between(after)),
            said=self.outcome.said,
            form=forms_in_words(change.forms),
            passing=learning.category in _PASSING,
            sessions=(session,) if session else (),
        )

    def _steps_between(self, after: Sequence[RecordedCall]) -> Sequence[RecordedCall]:
        """The latest calls of other tools that worked between a failure and this one,
        oldest first.
        """
        others = [
            call
            for call in reversed(after)
            if call.ok and call.tool != self.outcome.tool
        ]
        return others[-_MOST_STEPS:]

    def _as_text(self, steps: Sequence[RecordedCall]) -> tuple[str, ...]:
        """Calls as text."""
        given = zip(steps, self._logged(steps), strict=True)
        return tuple(
            cut(call_text(call.tool, arguments), _LONGEST_STEP)
            for call, arguments in given
        )

    def _logged(self, steps: Sequence[RecordedCall]) -> list[dict[str, Any]]:
        """The arguments of calls, which the audit log has: of one stretch of it, read
        at once.
        """
        if not steps:
            return []
        numbers = {call.number for call in steps}
        stretch = min(max(numbers) - min(numbers) + 1, _LONGEST_STRETCH)
        records = self.change.unit.audit(after=min(numbers) - 1, limit=stretch)
        found = {
            each.sequence: each.details.get("arguments")
            for each in records
            if each.sequence in numbers
        }
        given = [found.get(call.number) for call in steps]
        return [each if isinstance(each, dict) else {} for each in given]

    def _tried(self, learning: Learning, failed: dict[str, Any], error: str) -> bool:
        """Whether this call has what the example for a failed one has; of a lesson in
        words nobody can see that.
        """
        if learning.fix:
            return True
        shown = example_for(learning, failed, error, asked=True) or example_for(
            learning, None, "", asked=True
        )
        return shown is not None and Difference.from_json(shown.change).is_made_in(
            self._arguments()
        )

    def _counted(self, learning: Learning, *, worked: bool) -> Learning:
        return counted(learning, worked=worked, by_lesson=bool(learning.fix))

    def _offers(self) -> dict[str, SessionOffer]:
        """What the session has to do with learnings about this tool, by learning."""
        known = self.change.unit.activity(
            self.change.session, self.outcome.tool if self.outcome.ok else ""
        ).offers
        own = [each for each in known if each.trigger in triggers(self.outcome.trigger)]
        return {
            each.learning: each
            for each in own
            if abs(self.now - each.at) <= OFFER_HOLDS
        }

    def _set(self, known: SessionOffer, state: str) -> None:
        changed = replace(known, state=state, at=self.now)
        self.change.unit.learn(LearningChanges(offers=[changed]))

    def _put(self, learning: Learning) -> None:
        self.trusts[learning.id] = round(learning.trust, 3)
        self.change.put(replace(learning, updated=self.now))
        says = learning.in_words or any(
            each.form or each.times > 1 for each in learning.known.examples
        )
        if says:
            point_to(self.change.unit, learning)


def _after_failure(before: SessionOffer | None, session: str) -> str:
    """The state of a session that met an error; calls without a session stand each for
    themselves.
    """
    if before is None:
        return MET
    if before.state in {OFFERED, SHOWN}:
        return SHOWN
    if not session:
        return MET
    return STUCK if before.state == MET else before.state


def ask_once(workspace: Workspace, session: str | None) -> bool:
    """Whether a session was not asked yet to put something into words; from now on it
    was.
    """
    with workspace.change(actor=Origin.TOOL, session=session) as change:
        known = change.unit.activity(change.session, "").offers
        if any(each.state == ASKED for each in known):
            return False
        asked = SessionOffer(
            session=change.session,
            learning=ASKED,
            trigger="",
            state=ASKED,
            at=workspace.clock(),
        )
        change.unit.learn(LearningChanges(offers=[asked]))
        return True
