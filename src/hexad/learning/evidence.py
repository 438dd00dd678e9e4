"""One observed call → what is known afterwards, in one transaction: log, pattern, credit, and a fix if one shows.

A failure strengthens the learning of its pattern, and counts against fixes that were offered in the session, were
followed as far as one can see, and did not prevent it. A success counts for the fixes that were offered and followed,
and whatever made the difference to the session's failures before it is mined as a candidate fix.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.learning import remedy as remedies
from hexad.learning.arguments import written
from hexad.learning.pattern import Placement, holds, opens, place, split, told
from hexad.memory.habits import credit
from hexad.model import Layer, Learning, Origin
from hexad.store.learning import OFFERED, Call, Offer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from hexad.learning.outcome import Outcome
    from hexad.learning.pattern import Words
    from hexad.learning.remedy import Remedy
    from hexad.memory.keeper import Change, Keeper
    from hexad.model import Json
    from hexad.store import Reading, Scope

PATIENCE: Final = 5.0  # seconds that a tool's caller waits at most for other writers
CALLS_KEPT: Final = 32  # of one session that are compared
CALLS_STORED: Final = 96  # and that are kept: skills are discovered in them
CALLS_SPAN: Final = 10_000  # audit records back that any call is kept
_TIDIED, _SWEPT = 16, 1024  # every so many audit records the oldest calls go, of this session and of all
COMPARED: Final = 256  # patterns of a tool and a length that a new error is compared with, the latest
WORKED, FAILED, FOUND = "worked", "failed", "found"
BOTH: Final = "worked and failed"  # in one session: nothing more is counted there
_ONE_TASK: Final = timedelta(hours=1)  # between a failure and the success that explains it
_OFFER_HOLDS: Final = timedelta(days=1)
_LEARNINGS: Final = Layer.AGENT_LEARNINGS


@dataclass(frozen=True, slots=True)
class Recorder:
    """Writes down what was observed, for one namespace."""

    keeper: Keeper

    def record(self, outcome: Outcome, *, tell: bool = True, advise: bool = False) -> Learning | None:
        """Write down what a call taught; with ``tell`` or ``advise``, the learning that its error belongs to.

        With ``advise`` a trusted fix of that learning counts as offered.
        """
        with self.keeper.change(actor=Origin.TOOL, session=outcome.session, patience=PATIENCE) as change:
            moment = _Moment(change, outcome, self.keeper.clock())
            about = moment.worked() if outcome.ok else moment.failed()
            moment.log(about)
            if outcome.ok:
                credit(change, Layer.TOOL_REGISTRY, outcome.tool)
            if advise and about:
                return moment.advised() or _get(change, about)
            return _get(change, about) if about and tell else None


@dataclass(frozen=True, slots=True)
class _Moment:
    """One outcome inside the transaction that writes it down."""

    change: Change
    outcome: Outcome
    now: datetime

    @property
    def namespace(self) -> str:
        return self.change.keeper.namespace

    def log(self, id: str) -> None:
        """Append to the audit log and to the session's calls."""
        outcome = self.outcome
        details: dict[str, Json] = {"ok": outcome.ok, "arguments": outcome.summary}
        if not outcome.ok:
            details |= {"category": outcome.category.value, "learning": id}
        number = self.change.audit("tool.call", outcome.tool, details)
        call = Call(
            number=number,
            session=self.change.session,
            tool=outcome.tool,
            ok=outcome.ok,
            learning=id,
            arguments=self._traced(),
            at=self.now,
        )
        self.change.unit.add_call(self.namespace, call)
        if number % _TIDIED == 0:
            self.change.unit.keep_calls(self.namespace, call.session, CALLS_STORED)
        if number % _SWEPT == 0:
            self.change.unit.drop_calls(self.namespace, number - CALLS_SPAN)

    def _traced(self) -> str:
        """A failure's shapes, which later calls are compared with; a success's marks, for discovery."""
        outcome = self.outcome
        if not outcome.ok:
            return written(outcome.arguments)
        return outcome.marks if self.change.session else ""  # what belongs to no session is in no sequence

    def failed(self) -> str:
        """Strengthen the learning of the error's pattern; blame what was offered against it. Returns its id."""
        about = _remembered(self.change, self.outcome, self.now)
        for known in self._offers():
            if known.state in {OFFERED, WORKED}:
                self._blame(known, about)
        return about

    def advised(self) -> Learning | None:
        """The learning whose fix is trusted for this error, as `fix_for` finds it; it counts as offered."""
        scope = self.change.keeper.scope(_LEARNINGS)
        known = trusted_for(self.change.unit, scope, self.outcome.trigger, self.outcome.words)
        if known is not None:
            offer(self.change, [known], self.now)
        return known

    def worked(self) -> str:
        """Credit what was offered and followed; mine what made the difference to the failures before."""
        if not self.change.unit.awaits_success(self.namespace, self.change.session, self.outcome.tool):
            return ""
        offers = {each.learning: each for each in self._offers()}
        calls = self._recent()
        for known in offers.values():
            if known.state == OFFERED:
                self._credit(known, calls)
        for failure, between in _unexplained(calls, self.outcome.tool):
            self._mine(failure, between, offers.get(failure.learning))
        return ""

    def _recent(self) -> Sequence[Call]:
        """The session's calls, newest first, as far as they belong to what is being done now."""
        calls = self.change.unit.calls(self.namespace, self.change.session, CALLS_KEPT)
        return [call for call in calls if abs(self.now - call.at) <= _ONE_TASK]

    def _offers(self) -> Sequence[Offer]:
        """What was offered for this tool in this session, and not too long ago."""
        known = self.change.unit.offers(self.namespace, self.change.session)
        own = [each for each in known if each.trigger in _triggers(self.outcome.trigger)]
        return [each for each in own if abs(self.now - each.at) <= _OFFER_HOLDS]

    def _blame(self, known: Offer, about: str) -> None:
        """Count against what was offered for this error, unless the call shows that nobody followed it."""
        learning = _get(self.change, known.learning)
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
        learning = _get(self.change, known.learning)
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
        met = (_get(self.change, each) for each in failures if each)
        return any(_speaks_of(learning, split(each.template)) for each in met if each is not None)

    def _mine(self, failure: Call, between: Sequence[Call], known: Offer | None) -> None:
        learning = _get(self.change, failure.learning)
        if learning is None:
            return
        waited = (self.now - failure.at).total_seconds()
        found = remedies.mined(failure, self.outcome.arguments, between, waited)
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
        self.change.unit.put_offer(self.namespace, changed)


def offer(change: Change, learnings: Iterable[Learning], now: datetime) -> None:
    """Remember that the fixes of these learnings were shown in the change's session: what comes next is about them.

    A session in which a learning's fix has worked, or that found it, does not count for it again.
    """
    namespace = change.keeper.namespace
    known = {each.learning: each for each in change.unit.offers(namespace, change.session)}
    for learning in learnings:
        if learning.fix:
            state = _offered_again(change, known.get(learning.id), now)
            change.unit.put_offer(namespace, _offer(change, learning, state, now))
    change.unit.drop_offers(namespace, now - _OFFER_HOLDS)


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


def matching(view: Reading, namespace: str, trigger: str, words: Words) -> Sequence[str]:
    """The ids of the learnings that speak of an error, the closest first.

    Those whose pattern it has; then those whose pattern is a part of it, or that say more than it does; then what is
    known of the tool whatever the error.
    """
    lengths = (len(words), 0, None)  # those of its own length, those about any error, and of the others the latest
    rows = [
        (found, template)
        for each in _triggers(trigger)
        for length in lengths
        for template, found in view.templates(namespace, each, length, COMPARED)
    ]
    known = [(split(template), found) for found, template in dict(rows).items()]
    same = [each for each in known if len(each[0]) == len(words) and holds(words, each[0])]
    part = [each for each in known if 0 < len(each[0]) < len(words) and holds(words, each[0])]
    more = [each for each in known if len(each[0]) > len(words) > 2 and holds(each[0], words)]
    any_error = [each for each in known if not each[0]]
    ordered = (*same, *sorted(part, key=_longest_first), *sorted(more, key=_longest_first), *any_error)
    return [found for _, found in ordered]


def trusted_for(view: Reading, scope: Scope, trigger: str, words: Words) -> Learning | None:
    """The closest learning about an error of a tool whose fix is trusted."""
    found = (view.get(scope, each) for each in matching(view, scope.namespace, trigger, words))
    known = (cast("Learning", row.record) for row in found if row is not None)
    return next((each for each in known if each.trusted), None)


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


def absorb(change: Change, kept: Learning, others: Sequence[Learning]) -> Learning:
    """Let a learning take the place of others, with what the sessions' calls and offers say of them."""
    whole = joined(kept, others)
    for other in others:
        change.unit.relink(change.keeper.namespace, other.id, kept.id)
        change.unit.remove(change.keeper.scope(_LEARNINGS), other.id)
    change.put(whole)
    for other in others:
        change.audit("learning.merge", kept.id, {"merged": other.id})
    return whole


def new_id() -> str:
    """An id that says nothing: the log names it, and must not hold a hash of what it stands for."""
    return os.urandom(5).hex()


def _remembered(change: Change, outcome: Outcome, now: datetime) -> str:
    """The id of the one learning about an error, which has been seen once more."""
    unit, namespace, size = change.unit, change.keeper.namespace, len(outcome.words)
    known = unit.see_template(namespace, outcome.trigger, told(outcome.words), size, now)
    if known is not None:
        return known
    bucket = {split(text): found for text, found in unit.templates(namespace, outcome.trigger, size, COMPARED)}
    where = _placed(change, outcome.words, bucket)
    if where.replaced or where.template not in bucket:
        oldest_first = [bucket[each] for each in reversed(bucket) if each in where.replaced]
        return _grown(change, outcome, where.template, oldest_first, now)
    unit.see(namespace, bucket[where.template], now)
    return bucket[where.template]


def _placed(change: Change, words: Words, bucket: Mapping[Words, str]) -> Placement:
    """Where an error belongs. Patterns do not become one if what is known of one would be told for another."""
    where = place(words, bucket.keys())
    if not opens(where.template, (words, *where.replaced)):
        return where
    known = {each: _get(change, bucket[each]) for each in where.replaced}
    corrected = {each for each, learning in known.items() if learning is not None and _is_corrected(learning)}
    if corrected:
        where = place(words, [each for each in bucket if each not in corrected])
    joining = [each for name in where.replaced if (each := known.get(name) or _get(change, bucket[name])) is not None]
    return Placement(words) if at_odds(joining) else where


def at_odds(learnings: Sequence[Learning]) -> bool:
    """Whether learnings know what to do about different errors: they must not become one."""
    corrected = [_is_corrected(each) for each in learnings]
    if any(corrected) and (not all(corrected) or len({each.fix for each in learnings}) > 1):
        return True
    return any(remedies.at_odds(one.remedy, other.remedy) for one, other in combinations(learnings, 2))


def _is_corrected(learning: Learning) -> bool:
    return any(cast("Remedy", each)["kind"] == remedies.CORRECTION for each in learning.remedies.values())


def _grown(change: Change, outcome: Outcome, template: Words, replaced: Sequence[str], now: datetime) -> str:
    """A learning for a template that is new, or that takes the place of others; of these the first stays."""
    old = [each for name in replaced if (each := _get(change, name)) is not None]
    text = told(template)
    about = {"error_pattern": text, "template": text, "length": len(template)}
    if not old:
        fresh = Learning(
            id=new_id(),
            trigger=outcome.trigger,
            category=outcome.category,
            origin=Origin.TOOL,
            session=change.session,
            seen=1,
            created=now,
            updated=now,
            **about,  # type: ignore[arg-type]
        )
        change.put(fresh)
        return fresh.id
    first = replace(old[0], seen=old[0].seen + 1, updated=now, **about)  # type: ignore[arg-type]
    return absorb(change, first, old[1:]).id


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
    learning = _get(change, id)
    if learning is None:
        return
    known = {name: dict(cast("Mapping[str, Any]", each)) for name, each in learning.remedies.items()}
    current = next((name for name, each in known.items() if each.get("says") == learning.fix), None)
    if current is not None:
        known[current][state] = known[current].get(state, 0) + 1
        _put(change, chosen(learning, known), change.keeper.clock())


def _put(change: Change, learning: Learning, now: datetime) -> None:
    change.put(replace(learning, updated=now))


def _get(change: Change, id: str) -> Learning | None:
    return cast("Learning | None", change.get(_LEARNINGS, id))


def _triggers(trigger: str) -> tuple[str, str]:
    """What a learning about a tool may be kept under: people leave the prefix out."""
    return trigger, trigger.removeprefix("tool:")


def _longest_first(found: tuple[Words, str]) -> tuple[int, str]:
    return -len(found[0]), found[1]
