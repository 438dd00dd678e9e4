"""`hx.learnings`: errors, what worked after them, and what somebody says about them;
one record for each pattern.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar, cast

from hexad.calls.error_words import pattern_text, split, words_of
from hexad.calls.outcome import outcome_of, trigger_of
from hexad.errors import InvalidInput
from hexad.examples import Evidence
from hexad.learning import before_call, housekeeping
from hexad.learning.difference import Difference
from hexad.learning.evidence import rejected, settled, with_lesson
from hexad.learning.lookup import known_as, new_id, point_to, shown_for, with_type
from hexad.learning.offers import remember_offers
from hexad.memory import admission
from hexad.memory.collection import RecordCollection, not_given
from hexad.memory.index.indexing import put
from hexad.model import KEEP, ErrorCategory, Item, Keep, Layer, Learning, Origin
from hexad.store.learning import TemplateFilter
from hexad.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from hexad.calls.error_words import Words
    from hexad.learning.evidence import Shown
    from hexad.learning.housekeeping import Cleaned, Statistics
    from hexad.memory.workspace import Change
    from hexad.store import Reading, Writing

_COUNTS = ("seen", "sessions", "unaided", "stuck")
_LARGEST_COUNT = 1 << 31
_MINED = frozenset(
    {"arguments", "prerequisite", "retry", "stated"}
)  # kinds of fixes that rules had inferred


class FixText(str):
    """What is shown about an error: a lesson in somebody's words, or an example.

    >>> hx = Hexad.open(":memory:", enabled=True)
    >>> _ = hx.learnings.correct(trigger="tool:deploy", error_pattern="quota exceeded", fix="ask ops")
    >>> fix = hx.learnings.fix_for("deploy", "quota exceeded")
    >>> fix, round(fix.trust, 2)
    ('ask ops', 0.83)
    """

    __slots__ = ("data", "learning", "note", "trust")
    learning: Learning
    trust: float  # from 0 to 1
    note: str  # the text with who says it, as an agent reads it
    data: Mapping[str, Any]  # the example as data; empty for a lesson

    @classmethod
    def of(cls, shown: Shown) -> FixText:
        """The text of what is shown, without what nobody sees."""
        fix = cls(visible(shown.text))
        fix.learning, fix.trust, fix.note = (
            shown.learning,
            shown.trust,
            visible(shown.note),
        )
        fix.data = {} if shown.example is None else shown.example.to_json()
        return fix


class LearningCollection(RecordCollection[Learning]):
    """Learnings by id."""

    layer: ClassVar[Layer] = Layer.AGENT_LEARNINGS

    def save(
        self,
        *,
        trigger: str,
        error_pattern: str = "",
        diagnosis: str | Keep = KEEP,
        fix: str | Keep = KEEP,
        category: str | Keep = KEEP,
        tags: Iterable[str] | Keep = KEEP,
        origin: str = Origin.AGENT,
        session: str | None = None,
        redact: bool = True,
    ) -> Learning:
        """Save a learning about an error. The same trigger and pattern again update the
        given fields of the one record.

        The pattern may be an error as it was seen: values that differ between
        occurrences are masked. A user's correction that is still trusted stays the fix,
        also if others save another.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> one = hx.learnings.save(trigger="tool:deploy", error_pattern="quota exceeded", fix="wait an hour")
        >>> two = hx.learnings.save(trigger="tool:deploy", error_pattern="quota exceeded", fix="ask for more quota")
        >>> one.id == two.id, two.fix
        (True, 'ask for more quota')
        """
        intake = admission.Intake(limit=self._workspace.max_text, redact=redact)
        pattern = intake.text("error_pattern", error_pattern)
        words = _words_of(pattern)
        new = Learning(
            id=new_id(),
            trigger=admission.key("trigger", trigger),
            error_pattern=pattern,
            diagnosis="" if diagnosis is KEEP else intake.text("diagnosis", diagnosis),
            fix="" if fix is KEEP else intake.text("fix", fix),
            category=ErrorCategory.GENERAL
            if category is KEEP
            else ErrorCategory.parse(category, "category"),
            tags=() if tags is KEEP else admission.tags("tags", tags),
            template=pattern_text(words),
            length=len(words),
            **self._said(intake, origin, session),
        )
        same = not_given(diagnosis=diagnosis, category=category, tags=tags)
        return self._upsert(new, carried=(*_COUNTS, *same), slot="learnings")

    def correct(
        self,
        *,
        trigger: str = "",
        fix: str,
        error_pattern: str = "",
        learning: str | None = None,
        diagnosis: str | Keep = KEEP,
        session: str | None = None,
        redact: bool = True,
    ) -> Learning:
        """Save a user's correction: it is trusted at once, until evidence or another
        correction overrules it.

        It is about the named ``learning``, else about the trigger with that error
        pattern, else about every error of the trigger.
        """
        if learning is not None:
            known = self.get(learning)
            trigger, error_pattern = known.trigger, known.error_pattern
        trigger = admission.key("trigger", trigger)
        error_pattern = admission.text(
            "error_pattern", error_pattern, limit=self._workspace.max_text
        )
        with self._workspace.reading() as view:
            new = _about(view, trigger, error_pattern, _words_of(error_pattern)) is None
        return self.save(
            trigger=trigger,
            error_pattern=error_pattern,
            fix=admission.text(
                "fix", fix, limit=self._workspace.max_text, required=True
            ),
            diagnosis=diagnosis,
            category=ErrorCategory.USER_CORRECTION if new else KEEP,
            origin=Origin.USER,
            session=session,
            redact=redact,
        )

    def reject(self, id: str) -> Learning:
        """Never show the lesson of a learning again, or its examples if it has none;
        else `NotFound`.
        """
        with self._workspace.change(actor=Origin.USER) as change:
            left = rejected(self._present(change, id))
            change.put(left)
            change.audit("learning.reject", left.id)
        return left

    def bring_back(
        self,
        *,
        fix: str,
        evidence: Mapping[str, Any],
        counts: Mapping[str, object],
        **said: Any,
    ) -> Learning:
        """Save a learning that the user exported, with every lesson, example and count."""
        intake = admission.Intake(
            limit=self._workspace.max_text, redact=said.get("redact", True)
        )
        exported = _readable_evidence(intake.mapping("evidence", evidence), fix)
        kept = self.save(fix=KEEP if exported.lessons else fix, **said)
        known = {each.text for each in exported.lessons}
        lessons = (
            *exported.lessons,
            *(each for each in kept.known.lessons if each.text not in known),
        )
        numbers: dict[str, Any] = {}
        for name in _COUNTS:
            told = admission.whole(
                name, counts.get(name, 0), low=0, high=_LARGEST_COUNT
            )
            numbers[name] = max(getattr(kept, name), told)
        whole = settled(replace(kept, **numbers), replace(exported, lessons=lessons))
        with self._workspace.change(actor=Origin.USER) as change:
            change.put(whole)
            point_to(change.unit, whole)
        return whole

    def fix_for(
        self,
        tool: str,
        error: object,
        *,
        args: object = None,
        session: str | None = None,
    ) -> FixText | None:
        """What is known about an error of a tool, a lesson or an example, if it is
        trusted; it counts as shown.

        ``error`` is an exception or its text. With the ``args`` of the failed call, an
        example speaks to this call.
        """
        return self._fix(tool, error, args, session, trusted=True)

    def known_fix(
        self,
        tool: str,
        error: object,
        *,
        args: object = None,
        session: str | None = None,
        unasked: bool = False,
        counts: bool = True,
    ) -> FixText | None:
        """What is known about an error of a tool, like `fix_for`, but trusted or not.

        What takes rights or turns a check off is left out if nobody asked
        (``unasked``), and else marked. It counts as shown, unless nobody will read it.
        """
        return self._fix(
            tool, error, args, session, trusted=False, unasked=unasked, counts=counts
        )

    def _fix(
        self,
        tool: str,
        error: object,
        args: object,
        session: str | None,
        *,
        trusted: bool,
        unasked: bool = False,
        counts: bool = True,
    ) -> FixText | None:
        failed = outcome_of(
            admission.key("tool", tool), args, None, error, session=None, failure=None
        )
        given = None if args is None else failed.kept
        with self._workspace.reading() as view:
            every = shown_for(
                view, failed, given, asked=not unasked, brief=given is not None
            )
        found = next((each for each in every if each.trusted or not trusted), None)
        if found is None:
            return None
        if counts:
            remember_offers(self._workspace, [found.learning.id], session=session)
        return FixText.of(found)

    def before(
        self,
        tool: str,
        args: object,
        *,
        session: str | None = None,
        counts: bool = True,
    ) -> FixText | None:
        """What to know before a call that failed before in this very form, once a
        session; None for nearly all calls.

        It failed before and something else worked in two sessions, or somebody's lesson
        is about it.
        """
        found = before_call.warning(
            self._workspace, admission.key("tool", tool), args, session=session
        )
        if found is None:
            return None
        if counts:
            remember_offers(self._workspace, [found.learning.id], session=session)
        return FixText.of(found)

    def notes(self, tools: Sequence[str]) -> dict[str, str]:
        """What is known of the arguments of structured tools, by tool: it belongs
        behind their descriptions.

        The text stays the same, to the byte, until there is new evidence.
        """
        if isinstance(tools, str) or not isinstance(tools, Iterable):
            raise InvalidInput(
                "tools", f"must be names of tools, not {type(tools).__name__}"
            )
        return before_call.notes(
            self._workspace, [admission.key("tool", each) for each in tools]
        )

    def search(
        self, query: str, *, category: str | None = None, limit: int = 10
    ) -> tuple[Item, ...]:
        """The learnings that match best, best first."""
        wanted = (
            None
            if category is None
            else ErrorCategory.parse(category, "category").value
        )
        return self._search(query, limit=limit, category=wanted)

    def list(
        self,
        *,
        category: str | None = None,
        trigger: str | None = None,
        trust_above: float | None = None,
        trust_below: float | None = None,
        seen_after: datetime | None = None,
        seen_before: datetime | None = None,
        noticed: bool = False,
    ) -> tuple[Learning, ...]:
        """Every learning that fits, in the order of first saving; a trigger may be a
        tool's name.

        With ``noticed`` also the failures that only one session met, and that nobody
        put into words: they fade.
        """
        kind = None if category is None else ErrorCategory.parse(category, "category")
        name = None if trigger is None else admission.key("trigger", trigger)
        above = (
            -1.0
            if trust_above is None
            else admission.number("trust_above", trust_above)
        )
        below = (
            2.0 if trust_below is None else admission.number("trust_below", trust_below)
        )
        after, before = (
            admission.moment("seen_after", seen_after),
            admission.moment("seen_before", seen_before),
        )
        return tuple(
            each
            for each in self._records()
            if (each.learned or admission.flag("noticed", noticed))
            and kind in {None, each.category}
            and (name is None or each.trigger in {name, trigger_of(name)})
            and above < each.trust < below
            and (after is None or each.updated >= after)
            and (before is None or each.updated < before)
        )

    def doubtful(self) -> tuple[Learning, ...]:
        """The learnings that a person should look at: lessons that nobody proved, and
        what failed when it was tried.

        The most frequent error comes first, then the latest. `correct` or `delete`
        settles one.
        """
        found = filter(housekeeping.is_doubtful, self.list())
        return tuple(
            sorted(found, key=lambda each: (each.seen, each.updated), reverse=True)
        )

    def stats(self) -> Statistics:
        """Counts of learnings by category, tool and trust."""
        return housekeeping.count(tuple(self._records()))

    def clean(
        self, *, dry_run: bool = True, unseen_for: timedelta | None = None
    ) -> Cleaned:
        """Remove old learnings that were never confirmed; a dry run changes nothing.

        With ``unseen_for`` everything unproven that was not seen for so long goes. A
        user's word and what is trusted stay in any case.
        """
        wanted = "a timedelta that is not negative"
        if (
            unseen_for is not None
            and admission.instance("unseen_for", unseen_for, timedelta, wanted)
            < timedelta()
        ):
            raise InvalidInput("unseen_for", f"must be {wanted}")
        if admission.flag("dry_run", dry_run):
            with self._workspace.reading() as view:
                known = housekeeping.all_of(view)
            return housekeeping.plan(
                known, self._workspace.clock(), unseen_for, dry_run=True
            )
        with self._workspace.change(actor=Origin.USER) as change:
            return housekeeping.clean(change, unseen_for)

    def _noted(self, record: Learning) -> dict[str, Any]:
        return {"trust": {record.id: round(record.trust, 3)}} if record.fix else {}

    def _settled(
        self, change: Change, new: Learning
    ) -> tuple[Learning, Learning | None]:
        """The learning under the id of the existing one about that error, with its
        evidence.
        """
        known = _about(change.unit, new.trigger, new.error_pattern, split(new.template))
        old = None if known is None else cast("Learning", change.get(self.layer, known))
        given = new.fix
        if old is not None:
            new = replace(
                new,
                id=old.id,
                error_pattern=old.error_pattern,
                template=old.template,
                length=old.length,
                fix=old.fix,
                worked=old.worked,
                failed=old.failed,
                trust=old.trust,
                evidence=old.evidence,
                unaided=old.unaided,
                stuck=old.stuck,
                origin=old.origin
                if old.fix and not given and new.origin is not Origin.USER
                else new.origin,
            )
        if given:
            new = with_lesson(new, given, new.origin)
        if new.in_words:
            point_to(change.unit, new)
        return new, old


def _about(view: Reading, trigger: str, error_pattern: str, words: Words) -> str | None:
    """The id of the one learning about an error: with that very pattern, else with one
    that the words fit.
    """
    found = view.templates(
        [TemplateFilter(trigger, limit=1, error_pattern=error_pattern)]
    )
    if found:
        return found[0][1]
    return (
        (known_as(view, trigger, words) or with_type(view, trigger, words))
        if words
        else None
    )


def _readable_evidence(stored: Mapping[str, Any], fix: str) -> Evidence:
    """Evidence that a file holds; every part of it can be read later."""
    try:
        evidence = Evidence.from_json(carried_over(stored, fix))
        examples = [
            replace(each, change=Difference.from_json(each.change).to_json())
            for each in evidence.examples
        ]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InvalidInput("evidence", "must be as `hexad export` writes it") from None
    return replace(evidence, examples=tuple(examples))


def _words_of(error_pattern: str) -> Words:
    """The words of a pattern; an empty one stands for every error of its trigger."""
    return words_of(error_pattern) if error_pattern.strip() else ()


def carry_over(unit: Writing) -> int:
    """Bring the learnings of an earlier version up to date; returns how many sentences
    of rules went.

    What somebody said stays with its counts. Sentences that rules had inferred go: what
    happened is shown instead.
    """
    gone = 0
    for known in housekeeping.all_of(unit):
        words = _words_of(known.error_pattern)
        whole = (
            known
            if known.template
            else replace(known, template=pattern_text(words), length=len(words))
        )
        evidence = carried_over(whole.evidence, whole.fix, whole.origin)
        lessons = {str(each["text"]) for each in evidence.get("lessons", ())}
        gone += bool(whole.fix) and whole.fix not in lessons
        met = whole.sessions or (2 if whole.seen > 1 else 1 if whole.seen else 0)
        whole = settled(replace(whole, sessions=met), Evidence.from_json(evidence))
        if whole.in_words:
            point_to(unit, whole)
        if whole != known:
            put(unit, [whole])
    return gone


def carried_over(
    stored: Mapping[str, Any], fix: str, origin: str = Origin.AGENT
) -> dict[str, Any]:
    """Evidence as it is kept now: of fixes in an earlier form those that somebody said."""
    if not any(isinstance(each, dict) and "says" in each for each in stored.values()):
        lessons = list(stored.get("lessons", ()))
        known = {str(each["text"]) for each in lessons}
        said = (
            []
            if not fix or fix in known or origin == Origin.TOOL
            else [{"text": fix, "origin": str(origin)}]
        )
        return {**stored, **({"lessons": [*lessons, *said]} if lessons or said else {})}
    lessons = []
    for each in stored.values():
        if each.get("kind") in _MINED or not each.get("says"):
            continue
        by_user = each.get("kind") == "correction"
        others = Origin.IMPORT if origin == Origin.IMPORT else Origin.AGENT
        said_by = Origin.USER if by_user else others
        counts = {
            name: each[name]
            for name in ("worked", "failed", "rejected")
            if each.get(name)
        }
        lessons.append({"text": str(each["says"]), "origin": str(said_by), **counts})
    return {"lessons": lessons} if lessons else {}
