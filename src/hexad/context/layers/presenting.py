"""How each kind of record appears as an item, and what the ranking may know of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.context.ranking import Circumstances
from hexad.model import Item, Knowledge, Learning, Record, Reference, Skill

if TYPE_CHECKING:
    from datetime import datetime


def present(record: Record) -> Item:
    """A record as an item, without a score."""
    match record:
        case Knowledge():
            return _knowledge(record)
        case Learning():
            return _item(record, record.trigger, _solution(record), record.category)
        case Skill():
            return _item(record, record.name, record.description, record.kind)
        case Reference():
            return _item(record, record.name, _pointer(record), record.kind)


def circumstances(record: Record) -> Circumstances:
    """What is known of a record beyond its words."""
    relevance = record.relevance if isinstance(record, Knowledge) else 1.0
    return Circumstances(record.origin, relevance, record.updated, record.use_count)


def expired(record: Record, now: datetime) -> bool:
    """Whether a record's time is over."""
    return isinstance(record, Knowledge) and record.expires is not None and record.expires <= now


def _knowledge(entry: Knowledge) -> Item:
    return Item(
        layer=entry.layer,
        id=entry.key,
        key=entry.key,
        content=entry.content,
        category=entry.category,
        source=entry.source,
        origin=entry.origin,
        pinned=entry.pinned,
        verbatim=entry.verbatim,
    )


def _item(record: Learning | Skill | Reference, key: str, content: str, category: str) -> Item:
    return Item(
        layer=record.layer,
        id=record.id,
        key=key,
        content=content,
        category=category,
        origin=record.origin,
        verbatim=record.verbatim,
    )


def _solution(learning: Learning) -> str:
    parts = (
        (learning.error_pattern, learning.error_pattern),
        (learning.diagnosis, f"cause: {learning.diagnosis}"),
        (learning.fix, f"fix: {learning.fix}"),
    )
    return "; ".join(text for given, text in parts if given)


def _pointer(reference: Reference) -> str:
    return f"{reference.summary} ({reference.location})" if reference.summary else reference.location
