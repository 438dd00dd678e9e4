"""How each kind of record appears as an item."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hexad.model import Item, Knowledge, Learning, Origin, Record, Reference, Skill

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
    """Pattern, cause and fix in one line, and how far the fix is trusted.

    A pattern is a tool's words: where the line stands as the user's own, it is quoted.
    """
    pattern = learning.error_pattern
    quoted = json.dumps(pattern, ensure_ascii=False) if learning.origin is Origin.USER else pattern
    parts = (
        (pattern, quoted),
        (learning.diagnosis, f"cause: {learning.diagnosis}"),
        (learning.fix, f"fix: {learning.fix} (trust {learning.trust:.2f})"),
    )
    return "; ".join(text for given, text in parts if given)


def _pointer(reference: Reference) -> str:
    return f"{reference.summary} ({reference.location})" if reference.summary else reference.location
