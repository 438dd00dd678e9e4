"""`hx.learnings`: error patterns with their diagnoses and fixes, one record for each trigger and pattern."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar, cast

from hexad.errors import InvalidInput
from hexad.learning import housekeeping
from hexad.learning.errors.pattern import pattern_text, split, words_of
from hexad.learning.errors.tree import fixes_for, known_as, new_id, with_type
from hexad.learning.fixes.candidates import Candidate, candidates, chosen, current, judged, rejected
from hexad.learning.fixes.fix import Advice, Correction
from hexad.learning.offers import remember_offers
from hexad.learning.outcome import outcome_of, trigger_of
from hexad.learning.trust import Evidence
from hexad.memory import admission
from hexad.memory.collection import RecordCollection, not_given
from hexad.memory.index.indexing import put
from hexad.model import KEEP, ErrorCategory, Item, Keep, Layer, Learning, Origin
from hexad.store.learning import TemplateFilter
from hexad.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from hexad.learning.errors.pattern import Words
    from hexad.learning.housekeeping import Cleaned, Statistics
    from hexad.memory.workspace import Change
    from hexad.store import Reading, Writing

_EVIDENCE = ("worked", "failed", "support", "trust", "fixes")


class FixText(str):
    """A fix: its sentence, with the learning that it belongs to.

    >>> hx = Hexad.open(":memory:", enabled=True)
    >>> _ = hx.learnings.correct(trigger="tool:deploy", error_pattern="quota exceeded", fix="ask ops")
    >>> fix = hx.learnings.fix_for("deploy", "quota exceeded")
    >>> fix, round(fix.trust, 2)
    ('ask ops', 0.83)
    """

    __slots__ = ("learning",)
    learning: Learning

    @classmethod
    def of(cls, learning: Learning) -> FixText:
        """The fix of a learning, without what nobody sees."""
        fix = cls(visible(learning.fix))
        fix.learning = learning
        return fix

    @property
    def trust(self) -> float:
        """The trust in it, from 0 to 1."""
        return self.learning.trust

    @property
    def data(self) -> Mapping[str, Any]:
        """The fix as data, see `Learning.fix_data`."""
        return self.learning.fix_data


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
        """Save a learning about an error. The same trigger and pattern again update the given fields of the one record.

        The pattern may be an error as it was seen: values that differ between occurrences are masked.
        A user's correction that is still trusted stays the fix, also if others save another.

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
            category=ErrorCategory.GENERAL if category is KEEP else ErrorCategory.parse(category, "category"),
            tags=() if tags is KEEP else admission.tags("tags", tags),
            template=pattern_text(words),
            length=len(words),
            **self._said(intake, origin, session),
        )
        same = not_given(diagnosis=diagnosis, fix=fix, category=category, tags=tags)
        carried = ("seen", *same, *(_EVIDENCE if fix is KEEP else ()))
        return self._upsert(new, carried=carried, slot="learnings")

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
        """Save a user's correction: it is trusted at once, until evidence or another correction overrules it.

        It is about the named ``learning``, else about the trigger with that error pattern, else about every error of
        the trigger.
        """
        if learning is not None:
            known = self.get(learning)
            trigger, error_pattern = known.trigger, known.error_pattern
        trigger = admission.key("trigger", trigger)
        error_pattern = admission.text("error_pattern", error_pattern, limit=self._workspace.max_text)
        with self._workspace.reading() as view:
            new = _about(view, trigger, error_pattern, _words_of(error_pattern)) is None
        return self.save(
            trigger=trigger,
            error_pattern=error_pattern,
            fix=admission.text("fix", fix, limit=self._workspace.max_text, required=True),
            diagnosis=diagnosis,
            category=ErrorCategory.USER_CORRECTION if new else KEEP,
            origin=Origin.USER,
            session=session,
            redact=redact,
        )

    def reject(self, id: str) -> Learning:
        """Never offer the fix of a learning again, however often calls show it; else `NotFound`."""
        with self._workspace.change(actor=Origin.USER) as change:
            left = rejected(self._present(change, id))
            change.put(left)
            change.audit("learning.reject", left.id)
        return left

    def bring_back(self, *, fix: str, seen: int, fixes: Mapping[str, Any], **said: Any) -> Learning:
        """Save a learning that the user exported, with every fix and the evidence for it."""
        intake = admission.Intake(limit=self._workspace.max_text, redact=said.get("redact", True))
        times = admission.whole("seen", seen, low=0, high=1 << 31)
        try:
            stored: Mapping[str, Any] = intake.mapping("fixes", fixes)
            exported = [Candidate.from_json(each) for each in stored.values()]
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InvalidInput("fixes", "must be as `hexad export` writes them") from None
        kept = self.save(fix=KEEP if exported else fix, **said)
        with self._workspace.change(actor=Origin.USER) as change:
            known = {each.fix.signature: each for each in (*exported, *candidates(kept).values())}
            whole = chosen(replace(kept, seen=max(kept.seen, times)), known)
            change.put(whole)
        return whole

    def fix_for(self, tool: str, error: object, *, args: object = None, session: str | None = None) -> FixText | None:
        """The fix for an error of a tool, if one is trusted; it counts as offered in the session.

        ``error`` is an exception or its text. With the ``args`` of the failed call, it is one for their shell command,
        and more than the error's own words.
        """
        return self._fix(tool, error, args, session, trusted=True)

    def known_fix(self, tool: str, error: object, *, args: object = None, session: str | None = None) -> FixText | None:
        """The fix that is known for an error of a tool, like `fix_for`, but trusted or not: for who asks."""
        return self._fix(tool, error, args, session, trusted=False)

    def _fix(self, tool: str, error: object, args: object, session: str | None, *, trusted: bool) -> FixText | None:
        failed = outcome_of(admission.key("tool", tool), args, None, error, session=None, failure=None)
        given = None if args is None else failed.arguments
        with self._workspace.reading() as view:
            found = next(iter(fixes_for(view, failed.trigger, failed.error, failed.words, given)), None)
        if found is None or (trusted and not found.trusted):
            return None
        remember_offers(self._workspace, [found.id], session=session, fix=found.fix)
        return FixText.of(found)

    def search(self, query: str, *, category: str | None = None, limit: int = 10) -> tuple[Item, ...]:
        """The learnings that match best, best first."""
        wanted = None if category is None else ErrorCategory.parse(category, "category").value
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
    ) -> tuple[Learning, ...]:
        """Every learning that fits, in the order of first saving; a trigger may be a tool's name."""
        kind = None if category is None else ErrorCategory.parse(category, "category")
        name = None if trigger is None else admission.key("trigger", trigger)
        above = -1.0 if trust_above is None else admission.number("trust_above", trust_above)
        below = 2.0 if trust_below is None else admission.number("trust_below", trust_below)
        after, before = admission.moment("seen_after", seen_after), admission.moment("seen_before", seen_before)
        return tuple(
            each
            for each in self._records()
            if kind in {None, each.category}
            and (name is None or each.trigger in {name, trigger_of(name)})
            and above < each.trust < below
            and (after is None or each.updated >= after)
            and (before is None or each.updated < before)
        )

    def doubtful(self) -> tuple[Learning, ...]:
        """The fixes that a person should check: those that are not trusted, but were tried or mined from calls.

        The most frequent error comes first, then the latest. `correct` or `delete` settles one.
        """
        found = filter(housekeeping.is_doubtful, self._records())
        return tuple(sorted(found, key=lambda each: (each.seen, each.updated), reverse=True))

    def stats(self) -> Statistics:
        """Counts of learnings by category, tool and trust."""
        return housekeeping.count(self._records())

    def clean(self, *, dry_run: bool = True, unseen_for: timedelta | None = None) -> Cleaned:
        """Merge duplicates, and remove old learnings that were never confirmed; a dry run changes nothing.

        With ``unseen_for`` everything unproven that was not seen for so long goes. A user's word and what is trusted
        stay in any case.
        """
        wanted = "a timedelta that is not negative"
        if unseen_for is not None and admission.instance("unseen_for", unseen_for, timedelta, wanted) < timedelta():
            raise InvalidInput("unseen_for", f"must be {wanted}")
        if admission.flag("dry_run", dry_run):
            with self._workspace.reading() as view:
                known = housekeeping.all_of(view)
            return housekeeping.plan(known, self._workspace.clock(), unseen_for, dry_run=True)
        with self._workspace.change(actor=Origin.USER) as change:
            return housekeeping.clean(change, unseen_for)

    def _noted(self, record: Learning) -> dict[str, Any]:
        return {"trust": {record.id: round(record.trust, 3)}} if record.fix else {}

    def _settled(self, change: Change, new: Learning) -> tuple[Learning, Learning | None]:
        """The learning under the id of the existing one about that error, with its known fixes."""
        known = _about(change.unit, new.trigger, new.error_pattern, split(new.template))
        old = None if known is None else cast("Learning", change.get(self.layer, known))
        if old is not None:
            about = {"error_pattern": old.error_pattern, "template": old.template, "length": old.length}
            stands = old.fix and not new.fix and new.origin is not Origin.USER  # what is added makes no fix another's
            new = replace(new, id=old.id, origin=old.origin if stands else new.origin, **about)  # type: ignore[arg-type]
        return _with_words(new, old) if new.fix else new, old


def _about(view: Reading, trigger: str, error_pattern: str, words: Words) -> str | None:
    """The id of the one learning about an error: with that very pattern, else with one that the words fit."""
    found = view.templates([TemplateFilter(trigger, limit=1, error_pattern=error_pattern)])
    if found:
        return found[0][1]
    return (known_as(view, trigger, words) or with_type(view, trigger, words)) if words else None


def _words_of(error_pattern: str) -> Words:
    """The words of a pattern; an empty one stands for every error of its trigger."""
    return words_of(error_pattern) if error_pattern.strip() else ()


def complete_patterns(unit: Writing) -> None:
    """Give every learning with a pattern its template and a fix its trust; a fix that says nothing is no longer one."""
    for known in housekeeping.all_of(unit):
        words = _words_of(known.error_pattern)
        whole = known if known.template else replace(known, template=pattern_text(words), length=len(words))
        whole = _with_words(whole, None) if whole.fix and not whole.fixes else whole
        whole = judged(whole)
        if whole != known:
            put(unit, [whole])


def _with_words(new: Learning, old: Learning | None) -> Learning:
    """A learning with its fix in words among its candidates; a trusted correction stays the fix.

    A user who repeats a correction overrules its failures so far.
    """
    by_user = new.origin is Origin.USER
    evidence = Evidence(worked=new.worked, failed=new.failed, support=new.support)
    given = Candidate.of(Correction(new.fix) if by_user else Advice(new.fix), evidence)
    known = {} if old is None else candidates(old)
    name = given.fix.signature
    if name not in known or (by_user and known[name].trust < given.trust):
        known[name] = given
    if old is not None and old.trusted and not by_user and isinstance(current(old), Correction):
        return chosen(replace(new, fix=old.fix, origin=old.origin), known)
    others = {each: held for each, held in known.items() if not isinstance(held.fix, Correction)}
    same = (each for each, held in others.items() if held.sentence == new.fix)
    return chosen(new, known, name=name if by_user else next(same, name) if given.says else None)
