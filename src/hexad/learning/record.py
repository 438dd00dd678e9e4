"""Agent Learnings: an error pattern, its diagnosis and its fix, one record for each trigger and pattern."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from hexad.errors import HexadError, InvalidInput
from hexad.learning import housekeeping
from hexad.learning.evidence import PATIENCE, offer
from hexad.learning.fixes import chosen
from hexad.learning.outcome import text_of, trigger_of
from hexad.learning.pattern import split, told, words_of
from hexad.learning.remedy import CORRECTION, in_words, signature, trust_in
from hexad.learning.tree import known_as, new_id, trusted_for
from hexad.memory import admission
from hexad.memory.collection import RecordCollection, not_given
from hexad.memory.indexing import put, records
from hexad.model import KEEP, ErrorCategory, Keep, Layer, Learning, Origin
from hexad.store.learning import TemplateFilter

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime, timedelta

    from hexad.learning.housekeeping import Cleaned, Statistics
    from hexad.memory.workspace import Change, Workspace
    from hexad.model import Item
    from hexad.store import Reading, Writing

_EVIDENCE = ("worked", "failed", "support", "trust", "remedies")


class Fix(str):
    """A fix that is trusted: its text, with where it comes from.

    >>> hx = Hexad.open(":memory:", enabled=True)
    >>> _ = hx.learnings.correct(trigger="tool:deploy", error_pattern="quota exceeded", fix="ask ops")
    >>> fix = hx.learnings.fix_for("deploy", "quota exceeded")
    >>> fix, round(fix.trust, 2)
    ('ask ops', 0.83)
    """

    __slots__ = ("learning",)
    learning: Learning

    @classmethod
    def of(cls, learning: Learning) -> Fix:
        """The fix of a learning."""
        fix = cls(learning.fix)
        fix.learning = learning
        return fix

    @property
    def trust(self) -> float:
        """How far it is trusted."""
        return self.learning.trust

    @property
    def data(self) -> Mapping[str, Any]:
        """The fix as data; empty for one in words."""
        return self.learning.remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningFilter:
    """Which learnings are meant."""

    category: ErrorCategory | None = None
    trigger: str | None = None
    trust_above: float | None = None
    trust_below: float | None = None
    seen_after: datetime | None = None
    seen_before: datetime | None = None

    def admits(self, learning: Learning) -> bool:
        """Whether a learning is one of them."""
        return all(
            (
                self.category in {None, learning.category},
                self.trigger is None or learning.trigger in {self.trigger, trigger_of(self.trigger)},
                self.trust_above is None or learning.trust > self.trust_above,
                self.trust_below is None or learning.trust < self.trust_below,
                self.seen_after is None or learning.updated >= self.seen_after,
                self.seen_before is None or learning.updated < self.seen_before,
            )
        )


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
        """Keep what is known of an error; the same trigger and pattern again update what is given of the one record.

        A pattern may be an error as it was seen: what differs between its occurrences is masked when they are compared.
        A user's correction that is still trusted stays the fix, whatever others save.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> one = hx.learnings.save(trigger="tool:deploy", error_pattern="quota exceeded", fix="wait an hour")
        >>> two = hx.learnings.save(trigger="tool:deploy", error_pattern="quota exceeded", fix="ask for more quota")
        >>> one.id == two.id, two.fix
        (True, 'ask for more quota')
        """
        intake = admission.Intake(limit=self._workspace.max_text, redact=redact)
        now, pattern = self._workspace.clock(), intake.text("error_pattern", error_pattern)
        words = words_of(pattern) if pattern.strip() else ()
        new = Learning(
            id=new_id(),
            trigger=admission.key("trigger", trigger),
            error_pattern=pattern,
            diagnosis="" if diagnosis is KEEP else intake.text("diagnosis", diagnosis),
            fix="" if fix is KEEP else intake.text("fix", fix),
            category=ErrorCategory.GENERAL if category is KEEP else ErrorCategory.parse(category, "category"),
            tags=() if tags is KEEP else admission.tags("tags", tags),
            origin=Origin.parse(origin, "origin"),
            session=self._workspace.session_of(session),
            created=now,
            updated=now,
            template=told(words),
            length=len(words),
            **intake.notes,
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
        """A user's correction: trusted at once, until evidence or another correction overrules it.

        It is about the named ``learning``, or about the trigger with that error pattern, or about every error of the
        trigger.
        """
        if learning is not None:
            known = self.get(learning)
            trigger, error_pattern = known.trigger, known.error_pattern
        new = not self._known(trigger, error_pattern)
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

    def fix_for(self, tool: str, error: object, *, session: str | None = None) -> Fix | None:
        """The fix for an error of a tool, if one is trusted; it counts as offered in the session.

        ``error`` is an exception or its text.
        """
        trigger = trigger_of(admission.key("tool", tool))
        with self._workspace.reading() as view:
            trusted = trusted_for(view, trigger, words_of(text_of(error)))
        if trusted is None:
            return None
        remember_offers(self._workspace, [trusted.id], session=session)
        return Fix.of(trusted)

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
        wanted = LearningFilter(
            category=None if category is None else ErrorCategory.parse(category, "category"),
            trigger=None if trigger is None else admission.key("trigger", trigger),
            trust_above=None if trust_above is None else admission.share("trust_above", trust_above),
            trust_below=None if trust_below is None else admission.share("trust_below", trust_below),
            seen_after=admission.moment("seen_after", seen_after),
            seen_before=admission.moment("seen_before", seen_before),
        )
        return tuple(filter(wanted.admits, self._records()))

    def doubtful(self) -> tuple[Learning, ...]:
        """What a person should look at: fixes that are not trusted and were tried, or were read from what happened.

        The error that was seen most often comes first, among equals the latest. `correct` or `delete` settles one.
        """
        found = filter(housekeeping.is_doubtful, self._records())
        return tuple(sorted(found, key=lambda each: (each.seen, each.updated), reverse=True))

    def stats(self) -> Statistics:
        """How many learnings there are, of which kind, and how far they are trusted."""
        return housekeeping.count(self._records())

    def clean(self, *, dry_run: bool = True, unseen_for: timedelta | None = None) -> Cleaned:
        """Merge near-duplicates and remove what was never confirmed and has faded; a dry run only tells.

        With ``unseen_for`` everything unproven that was not seen for so long goes. A user's word and what is trusted
        stay in any case.
        """
        if unseen_for is not None and unseen_for.total_seconds() < 0:
            raise InvalidInput("unseen_for", "must not be negative")
        dry = admission.flag("dry_run", dry_run)
        if dry:
            with self._workspace.reading() as view:
                return housekeeping.plan(housekeeping.all_of(view), self._workspace.clock(), unseen_for)
        with self._workspace.change(actor=Origin.USER) as change:
            return housekeeping.clean(change, unseen_for)

    def _settled(self, change: Change, new: Learning) -> Learning:
        """Under the id of the one learning about that error, with the fixes that are known of it."""
        known = self._known_in(change, new)
        old = None if known is None else cast("Learning", change.get(self.layer, known))
        if old is not None:
            about = {"error_pattern": old.error_pattern, "template": old.template, "length": old.length}
            stands = old.fix and not new.fix and new.origin is not Origin.USER  # what is added makes no fix another's
            new = replace(new, id=old.id, origin=old.origin if stands else new.origin, **about)  # type: ignore[arg-type]
        return _with_fix(new, old) if new.fix else new

    def _known_in(self, change: Change, new: Learning) -> str | None:
        exact = _about(change.unit, new.trigger, new.error_pattern)
        if exact is not None or not new.length:
            return exact
        return known_as(change.unit, new.trigger, split(new.template))

    def _known(self, trigger: str, error_pattern: str) -> bool:
        words = words_of(error_pattern) if error_pattern.strip() else ()
        with self._workspace.reading() as view:
            if _about(view, trigger, error_pattern) is not None:
                return True
            return bool(words) and known_as(view, trigger, words) is not None


def _about(view: Reading, trigger: str, error_pattern: str) -> str | None:
    """The id of the one learning about an error."""
    found = view.templates([TemplateFilter(trigger, limit=1, error_pattern=error_pattern)])
    return found[0][1] if found else None


def remember_offers(
    workspace: Workspace, ids: Iterable[str], *, session: str | None = None, patience: float = PATIENCE
) -> None:
    """Remember that these learnings' fixes were shown in a session, so that what comes of it can be credited.

    Learnings without a fix offer nothing. A store that is busy or full is logged: who asked for an answer gets it.
    """
    try:
        ids = _with_a_fix(workspace, ids)
        if not ids:
            return
        with workspace.change(actor=Origin.AGENT, session=session, patience=patience) as change:
            known = [cast("Learning | None", change.get(Layer.AGENT_LEARNINGS, each)) for each in ids]
            offer(change, [each for each in known if each is not None], workspace.clock())
    except HexadError as error:
        logging.getLogger("hexad").warning("what was offered could not be stored: %s", error)


def _with_a_fix(workspace: Workspace, ids: Iterable[str]) -> Sequence[str]:
    with workspace.reading() as view:
        rows = [row for each in ids if (row := view.get(Layer.AGENT_LEARNINGS, each)) is not None]
    return [row.record.id for row in rows if cast("Learning", row.record).fix]


def complete_patterns(unit: Writing) -> None:
    """Give every learning that has a pattern and no template its template, and a fix its trust."""
    for known in [cast("Learning", each) for each in records(unit, Layer.AGENT_LEARNINGS)]:
        words = words_of(known.error_pattern) if known.error_pattern.strip() else ()
        whole = known if known.template else replace(known, template=told(words), length=len(words))
        whole = _with_fix(whole, None) if whole.fix and not whole.remedies else whole
        if whole != known:
            put(unit, [whole])


def _with_fix(new: Learning, old: Learning | None) -> Learning:
    """A fix in words becomes one of the learning's remedies, and its fix unless a trusted correction stands.

    A user who says the same again knows what became of it: what failed of the correction before is forgotten.
    """
    counted = {name: getattr(new, name) for name in ("worked", "failed", "support")}
    said = {**in_words(new.fix, correction=new.origin is Origin.USER), **counted}
    known: dict[str, Any] = dict(old.remedies) if old is not None else {}
    name = signature(said)
    again = known.setdefault(name, said)
    if new.origin is Origin.USER and trust_in(again) < trust_in(said):
        known[name] = said
    if old is not None and new.origin is not Origin.USER and old.trusted and old.remedy.get("kind") == CORRECTION:
        return chosen(replace(new, fix=old.fix, origin=old.origin), known)
    same = next(
        (each for each, held in known.items() if held.get("says") == new.fix and held["kind"] != CORRECTION), name
    )
    return chosen(new, known, name=name if new.origin is Origin.USER else same)
