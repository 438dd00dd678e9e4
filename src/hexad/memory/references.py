"""External Knowledge: where documents, APIs, wikis, repositories and tools are to be found."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from hexad.memory import admission
from hexad.memory.shelf import Shelf
from hexad.model import Layer, Origin, Reference, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hexad.model import Item, Json


class ReferenceShelf(Shelf[Reference]):
    """References by name."""

    layer: ClassVar[Layer] = Layer.EXTERNAL_KNOWLEDGE

    def save(
        self,
        name: str,
        *,
        location: str,
        summary: str = "",
        kind: str = ReferenceKind.DOCUMENTATION,
        metadata: Mapping[str, Json] | None = None,
        tags: Iterable[str] = (),
        origin: str = Origin.USER,
        session: str | None = None,
        redact: bool = True,
    ) -> Reference:
        """Keep where something is written down, or update it; the same again changes nothing.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> hx.references.save("Runbook", location="https://wiki/runbook", summary="What to do at night", kind="wiki").kind
        <ReferenceKind.WIKI: 'wiki'>
        """
        intake = admission.Intake(limit=self._keeper.max_text, redact=redact)
        now = self._keeper.clock()
        new = Reference(
            name=admission.key("name", name),
            location=intake.text("location", location, required=True),
            summary=intake.text("summary", summary),
            kind=ReferenceKind.parse(kind, "kind"),
            metadata=intake.mapping("metadata", {} if metadata is None else metadata),
            tags=admission.tags("tags", tags),
            origin=Origin.parse(origin, "origin"),
            session=self._keeper.session_of(session),
            created=now,
            updated=now,
            **intake.notes,
        )
        return self._upsert(new)

    def search(self, query: str, *, kind: str | None = None, limit: int = 10) -> tuple[Item, ...]:
        """The references that match best, best first."""
        return self._search(query, limit=limit, kind=None if kind is None else ReferenceKind.parse(kind, "kind").value)
