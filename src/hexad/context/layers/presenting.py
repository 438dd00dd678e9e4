"""How each kind of record appears as an item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.model import Item, Knowledge, Learning, Record, Reference, Skill

if TYPE_CHECKING:
    from hexad.model import Reason


def present(record: Record, score: float, reasons: tuple[Reason, ...]) -> Item:
    """A record as an item."""
    key, content, category = _shown(record)
    return Item(
        layer=record.layer,
        id=record.id,
        key=key,
        content=content,
        category=category,
        source=record.source if isinstance(record, Knowledge) else "",
        origin=record.origin,
        score=score,
        reasons=reasons,
        pinned=isinstance(record, Knowledge) and record.pinned,
        verbatim=record.verbatim,
    )


def _shown(record: Record) -> tuple[str, str, str]:
    """What stands for a record in a prompt: its key, its content and its category."""
    match record:
        case Knowledge():
            return record.key, record.content, record.category
        case Learning():
            return record.trigger, _solution(record), record.category
        case Skill():
            return record.name, record.description, record.kind
        case Reference():
            return record.name, _pointer(record), record.kind


def _solution(learning: Learning) -> str:
    parts = (
        (learning.error_pattern, learning.error_pattern),
        (learning.diagnosis, f"cause: {learning.diagnosis}"),
        (learning.fix, f"fix: {learning.fix}"),
    )
    return "; ".join(text for given, text in parts if given)


def _pointer(reference: Reference) -> str:
    return f"{reference.summary} ({reference.location})" if reference.summary else reference.location
