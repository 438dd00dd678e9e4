"""A whole database → another store: each namespace in one transaction, and compared with its source afterwards.

A namespace that the target has already is only compared, so a copy that broke off goes on with the others. Calls and
offers of sessions stay behind, as in a backup.
"""

from __future__ import annotations

from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.errors import StoreError
from hexad.memory.audit import records
from hexad.memory.backup.writing import nouns
from hexad.memory.indexing import all_namespaces, pages
from hexad.model import RECORDS, Knowledge, Skill
from hexad.store import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexad.store import Reading, Store, Writing

_LAYERS: Final = tuple(kind.layer for kind in RECORDS)


class Copied(NamedTuple):
    """How much a target holds after a copy."""

    namespaces: int
    records: int


def copy_store(source: Store, target: Store, progress: Callable[[int, int], None]) -> Copied:
    """Copy every namespace that is not there yet, and compare all of them. For vectors see `reindex`."""
    sizes = {namespace: _size(source, namespace) for namespace in all_namespaces(source)}
    known, done, total = {*all_namespaces(target)}, 0, sum(sizes.values())
    for namespace, size in sizes.items():
        with source.reading(namespace) as view:
            if namespace not in known:
                with target.transaction(namespace) as unit:
                    for copied in _copied(view, unit):
                        progress(done + copied, total)
            with target.reading(namespace) as there:
                if any(one != other for one, other in zip_longest(nouns(view), nouns(there))):
                    problem = f"its namespace {namespace!r} holds something else; choose an empty database"
                    raise StoreError(target.location, problem)
        done += size
    progress(done, total)
    return Copied(len(sizes), done)


def _copied(view: Reading, unit: Writing) -> Iterator[int]:
    """Copy a namespace, the audit log last; yields how many records it has."""
    copied = 0
    for layer in _LAYERS:
        for page in pages(view, layer):
            unit.put([Entry(row.record, row.document) for row in page])
            versioned = [row.record.id for row in page if isinstance(row.record, Knowledge | Skill)]
            unit.add_versions([version for name in versioned for version in view.versions(layer, name)])
            copied += len(page)
            yield copied
    for (layer, name), learned in groupby(view.associations(), key=lambda each: (each.layer, each.id)):
        unit.associate(layer, name, list(learned))
    unit.propose(view.proposals())
    unit.append_audit(list(records(view)))


def _size(store: Store, namespace: str) -> int:
    with store.reading(namespace) as view:
        return sum(len(page) for layer in _LAYERS for page in pages(view, layer))
