"""External Knowledge: references to documents, APIs, wikis, repositories and tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from hexad.errors import InvalidInput
from hexad.memory import admission
from hexad.memory.collection import RecordCollection, not_given
from hexad.model import KEEP, Keep, Layer, Origin, Reference, ReferenceKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hexad.memory.workspace import Change
    from hexad.model import Item, Json


class ReferenceCollection(RecordCollection[Reference]):
    """References by name."""

    layer: ClassVar[Layer] = Layer.EXTERNAL_KNOWLEDGE

    def save(
        self,
        name: str,
        *,
        location: str | Keep = KEEP,
        summary: str | Keep = KEEP,
        kind: str | Keep = KEEP,
        metadata: Mapping[str, Json] | Keep = KEEP,
        tags: Iterable[str] | Keep = KEEP,
        origin: str = Origin.USER,
        session: str | None = None,
        redact: bool = True,
    ) -> Reference:
        """Save or update a reference. Fields that are not given stay; saving the same
        again changes nothing.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> hx.references.save("Runbook", location="https://wiki/runbook", summary="At night", kind="wiki").kind
        <ReferenceKind.WIKI: 'wiki'>
        """
        intake = admission.Intake(limit=self._workspace.max_text, redact=redact)
        new = Reference(
            name=admission.key("name", name),
            location=""
            if location is KEEP
            else intake.text("location", location, required=True),
            summary="" if summary is KEEP else intake.text("summary", summary),
            kind=ReferenceKind.DOCUMENTATION
            if kind is KEEP
            else ReferenceKind.parse(kind, "kind"),
            metadata={} if metadata is KEEP else intake.mapping("metadata", metadata),
            tags=() if tags is KEEP else admission.tags("tags", tags),
            **self._said(intake, origin, session),
        )
        same = not_given(
            location=location, summary=summary, kind=kind, metadata=metadata, tags=tags
        )
        return self._upsert(new, carried=same)

    def _settled(
        self, change: Change, new: Reference
    ) -> tuple[Reference, Reference | None]:
        new, old = super()._settled(change, new)
        if not new.location and old is None:
            raise InvalidInput("location", "must be given for a new reference")
        return new, old

    def search(
        self, query: str, *, kind: str | None = None, limit: int = 10
    ) -> tuple[Item, ...]:
        """The references that match best, best first."""
        return self._search(
            query,
            limit=limit,
            kind=None if kind is None else ReferenceKind.parse(kind, "kind").value,
        )
