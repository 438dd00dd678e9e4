"""Which records belong into the index, and how all of them get there again when the analyser has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.model import RECORDS, Knowledge, Record, Skill, SkillStatus
from hexad.store import Scope
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.store import Reading, Writing


def document_of(record: Record) -> Document | None:
    """A record's terms; None for one that is not to be found: a hidden entry, a skill that is not active."""
    hidden = isinstance(record, Knowledge) and record.deleted is not None
    inactive = isinstance(record, Skill) and record.status is not SkillStatus.ACTIVE
    return None if hidden or inactive else Document.of(record.fields())


def records(view: Reading, scope: Scope) -> Iterator[Record]:
    """Every record of a scope, in the order of first saving, page by page."""
    last = 0
    while page := view.page(scope, after=last):
        yield from (row.record for row in page)
        last = page[-1].number


def reindex(unit: Writing) -> int:
    """Analyse every row of every namespace again; returns how many."""
    count = 0
    for namespace in unit.namespaces():
        for kind in RECORDS:
            scope = Scope(namespace, kind.layer)
            for record in list(records(unit, scope)):
                unit.put(scope, record, document_of(record))
                count += 1
    return count
