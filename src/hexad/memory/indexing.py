"""Which records belong into the index, and how all of them get there again when the analyser has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hexad.model import RECORDS, Knowledge, Layer, Record, Skill, SkillStatus
from hexad.store import Scope
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from hexad.store import Reading, Writing

_SWEPT: Final = 128


def document_of(record: Record, now: datetime) -> Document | None:
    """A record's terms; None for one that is not to be found: hidden, expired, or a skill that is not active."""
    if isinstance(record, Knowledge):
        hidden = record.deleted is not None or (record.expires is not None and record.expires <= now)
    else:
        hidden = isinstance(record, Skill) and record.status is not SkillStatus.ACTIVE
    return None if hidden else Document.of(record.fields())


def sweep(unit: Writing, namespace: str, now: datetime) -> None:
    """Take entries whose time is over out of the index, some at each change: they would crowd out living ones."""
    scope = Scope(namespace, Layer.USER_KNOWLEDGE)
    for key in unit.expired(scope, now, limit=_SWEPT):
        row = unit.get(scope, key)
        if row is not None:
            unit.put(scope, row.record, None)


def records(view: Reading, scope: Scope) -> Iterator[Record]:
    """Every record of a scope, in the order of first saving, page by page."""
    last = 0
    while page := view.page(scope, after=last):
        yield from (row.record for row in page)
        last = page[-1].number


def reindex(unit: Writing, now: datetime) -> int:
    """Analyse every row of every namespace again; returns how many."""
    count = 0
    for namespace in unit.namespaces():
        for kind in RECORDS:
            scope = Scope(namespace, kind.layer)
            for record in list(records(unit, scope)):
                unit.put(scope, record, document_of(record, now))
                count += 1
    return count
