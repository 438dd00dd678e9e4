"""Agent Learnings: an error pattern, its diagnosis and its fix, one record for each trigger and pattern."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from hexad.memory import admission
from hexad.memory.shelf import Shelf, not_given
from hexad.model import KEEP, ErrorCategory, Keep, Layer, Learning, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexad.memory.keeper import Change
    from hexad.model import Item


class LearningShelf(Shelf[Learning]):
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

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> one = hx.learnings.save(trigger="tool:deploy", error_pattern="quota exceeded", fix="wait an hour")
        >>> two = hx.learnings.save(trigger="tool:deploy", error_pattern="quota exceeded", fix="ask for more quota")
        >>> one.id == two.id, two.fix
        (True, 'ask for more quota')
        """
        intake = admission.Intake(limit=self._keeper.max_text, redact=redact)
        now = self._keeper.clock()
        new = Learning(
            id=os.urandom(5).hex(),  # random: the log names it, and must not hold a hash of what it says
            trigger=admission.key("trigger", trigger),
            error_pattern=intake.text("error_pattern", error_pattern),
            diagnosis="" if diagnosis is KEEP else intake.text("diagnosis", diagnosis),
            fix="" if fix is KEEP else intake.text("fix", fix),
            category=ErrorCategory.GENERAL if category is KEEP else ErrorCategory.parse(category, "category"),
            tags=() if tags is KEEP else admission.tags("tags", tags),
            origin=Origin.parse(origin, "origin"),
            session=self._keeper.session_of(session),
            created=now,
            updated=now,
            **intake.notes,
        )
        same = not_given(diagnosis=diagnosis, fix=fix, category=category, tags=tags)
        return self._upsert(new, carried=("seen", "worked", "failed", *same), slot="learnings")

    def search(self, query: str, *, category: str | None = None, limit: int = 10) -> tuple[Item, ...]:
        """The learnings that match best, best first."""
        wanted = None if category is None else ErrorCategory.parse(category, "category").value
        return self._search(query, limit=limit, category=wanted)

    def _settled(self, change: Change, new: Learning) -> Learning:
        known = change.unit.learning_id(self._keeper.namespace, new.trigger, new.error_pattern)
        return new if known is None else replace(new, id=known)
