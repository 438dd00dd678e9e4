"""Agent Learnings: an error pattern, its diagnosis and its fix, one record for each trigger and pattern."""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from hexad.memory import admission
from hexad.memory.shelf import Shelf
from hexad.model import ErrorCategory, Layer, Learning, Origin

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
        diagnosis: str = "",
        fix: str = "",
        category: str = ErrorCategory.GENERAL,
        tags: Iterable[str] = (),
        origin: str = Origin.USER,
        session: str | None = None,
        redact: bool = True,
    ) -> Learning:
        """Keep what is known of an error; the same trigger and pattern again update the one record.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> one = hx.learnings.save(trigger="tool:deploy", error_pattern="quota exceeded", fix="wait an hour")
        >>> two = hx.learnings.save(trigger="tool:deploy", error_pattern="quota exceeded", fix="ask for more quota")
        >>> one.id == two.id, two.fix
        (True, 'ask for more quota')
        """
        intake = admission.Intake(limit=self._keeper.max_text, redact=redact)
        now = self._keeper.clock()
        new = Learning(
            id=secrets.token_hex(5),  # random: the log names it, and must not hold a hash of what it says
            trigger=admission.key("trigger", trigger),
            error_pattern=intake.text("error_pattern", error_pattern),
            diagnosis=intake.text("diagnosis", diagnosis),
            fix=intake.text("fix", fix),
            category=ErrorCategory.parse(category, "category"),
            tags=admission.tags("tags", tags),
            origin=Origin.parse(origin, "origin"),
            session=self._keeper.session_of(session),
            created=now,
            updated=now,
            **intake.notes,
        )
        return self._upsert(new, carried=("seen", "worked", "failed"), slot="learnings")

    def search(self, query: str, *, category: str | None = None, limit: int = 10) -> tuple[Item, ...]:
        """The learnings that match best, best first."""
        wanted = None if category is None else ErrorCategory.parse(category, "category").value
        return self._search(query, limit=limit, category=wanted)

    def _settled(self, change: Change, new: Learning) -> Learning:
        known = change.unit.learning_id(self._keeper.namespace, new.trigger, new.error_pattern)
        return new if known is None else replace(new, id=known)
