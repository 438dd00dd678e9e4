"""A whole database → another store: namespace by namespace, each in one transaction, and verified at the end.

Calls and offers of sessions stay behind, as in a backup. A namespace whose copy is whole is skipped, so a copy that
broke off goes on where it ended.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.errors import StoreError
from hexad.memory.audit import verify
from hexad.memory.indexing import all_namespaces
from hexad.model import RECORDS, Knowledge, Skill
from hexad.store import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexad.model import Layer
    from hexad.store import Reading, Row, Store, Writing

_PAGE: Final = 500


class Copied(NamedTuple):
    """How much a target holds after a copy."""

    namespaces: int
    records: int


def copy_store(source: Store, target: Store, progress: Callable[[int, int], None]) -> Copied:
    """Copy every namespace that is not there yet, and verify all of them. Vectors are not copied: see `reindex`."""
    names = list(all_namespaces(source))
    records = 0
    for place, namespace in enumerate(names):
        with source.reading(namespace) as view:
            if not _is_copied(view, target):
                with target.transaction(namespace) as unit:
                    _copy(view, unit)
            records += _verified(view, target)
        progress(place + 1, len(names))
    return Copied(len(names), records)


def _is_copied(view: Reading, target: Store) -> bool:
    """Whether the target has the namespace already; an error if it has another one of that name."""
    with target.reading(view.namespace) as there:
        if not _count(there) and there.chain_end() is None:
            return False
        if (there.chain_end(), _count(there)) == (view.chain_end(), _count(view)):
            return True
    raise StoreError(
        target.location, f"its namespace {view.namespace!r} holds something else; choose an empty database"
    )


def _copy(view: Reading, unit: Writing) -> None:
    for kind in RECORDS:
        for page in _pages(view, kind.layer):
            unit.put([Entry(row.record, row.document) for row in page])
            if kind in {Knowledge, Skill}:
                unit.add_versions([each for row in page for each in view.versions(kind.layer, row.record.id)])
    for (layer, name), learned in groupby(view.associations(), key=lambda each: (each.layer, each.id)):
        unit.associate(layer, name, list(learned))
    unit.propose(view.proposals())
    last = 0
    while audited := view.audit(after=last, limit=_PAGE):
        unit.append_audit(audited)
        last = audited[-1].sequence


def _verified(view: Reading, target: Store) -> int:
    """The number of records, if the target has as many, and the same audit chain, unbroken."""
    end = view.chain_end()
    verdict = verify(target, view.namespace, expect=end and end[1])
    with target.reading(view.namespace) as there:
        counts = _count(view), _count(there)
    if not verdict.ok or counts[0] != counts[1]:
        problem = verdict.problem or f"has {counts[1]} records instead of {counts[0]}"
        raise StoreError(target.location, f"the copy of namespace {view.namespace!r} is not whole: {problem}")
    return counts[0]


def _pages(view: Reading, layer: Layer) -> Iterator[list[Row]]:
    last = 0
    while page := list(view.page(layer, after=last, limit=_PAGE)):
        yield page
        last = page[-1].number


def _count(view: Reading) -> int:
    return sum(len(page) for kind in RECORDS for page in _pages(view, kind.layer))
