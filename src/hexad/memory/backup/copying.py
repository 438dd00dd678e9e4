"""A whole database → another store: page by page, each in a transaction, and compared
at the end.

What the target has already is not copied again, so a copy that broke off goes on there.
Calls and offers of sessions stay behind, as in a backup.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.errors import StoreError
from hexad.memory.audit import AuditLog
from hexad.memory.index.indexing import all_namespaces, pages
from hexad.model import RECORDS, Layer, SkillVersion, Version
from hexad.store import Entry, Reading, Row, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LAYERS: Final = tuple(kind.layer for kind in RECORDS)
_VERSIONED: Final = frozenset(
    kind.layer for kind in RECORDS if "version" in kind.__dataclass_fields__
)


class Copied(NamedTuple):
    """How much a target holds after a copy."""

    namespaces: int
    records: int


def copy_store(
    source: Store, target: Store, progress: Callable[[int, int], None]
) -> Copied:
    """Copy every namespace, as far as it is not there yet, and compare. Vectors are not
    copied: see `reindex`.
    """
    sizes = {
        namespace: _size(source, namespace) for namespace in all_namespaces(source)
    }
    done, total = 0, sum(sizes.values())
    for namespace, size in sizes.items():
        with source.reading(namespace) as view:
            for records in _copied(view, target, _held(view, target)):
                progress(done + records, total)
            end, held = view.chain_end(), sum(_held(view, target).values())
        verdict = AuditLog(target, namespace).verify(expect=end and end[1])
        if held != size or not verdict.ok:
            problem = verdict.problem or f"it has {held:,} of {size:,} records"
            raise StoreError(
                target.location,
                f"the copy of namespace {namespace!r} is not whole: {problem}",
            )
        done += size
    progress(done, total)
    return Copied(len(sizes), done)


def _held(view: Reading, target: Store) -> dict[Layer, int]:
    """How many records of each layer the target has. They must be the source's first: a
    copy that broke off.
    """
    held = dict.fromkeys(_LAYERS, 0)
    with target.reading(view.namespace) as there:
        end = there.chain_end()
        fits = end is None or [end[1]] == [
            each.hash for each in view.audit(after=end[0] - 1, limit=1)
        ]
        for layer in _LAYERS:
            own = pages(view, layer)
            for other in pages(there, layer):
                fits = fits and _plain(there, other) == _plain(
                    view, next(own, [])[: len(other)]
                )
                held[layer] += len(other)
    if not fits:
        problem = f"its namespace {view.namespace!r} holds something else; choose an empty database"
        raise StoreError(target.location, problem)
    return held


def _copied(view: Reading, target: Store, held: dict[Layer, int]) -> Iterator[int]:
    """Copy what the target does not have of a namespace, the audit log last; yields how
    many records it has.
    """
    records = 0
    for layer in _LAYERS:
        known = records + held[layer]
        for page in pages(view, layer):
            new = page[max(0, known - records) :]
            records += len(page)
            if new:
                with target.transaction(view.namespace) as unit:
                    unit.put([Entry(row.record, row.document) for row in new])
                    unit.add_versions(
                        [each for row in new for each in _versions(view, row)]
                    )
                yield records
    with target.transaction(view.namespace) as unit:
        for (layer, name), learned in groupby(
            view.associations(), key=lambda each: (each.layer, each.id)
        ):
            unit.associate(layer, name, list(learned))
        unit.propose(view.proposals())
        last = unit.chain_end()
    after = last[0] if last else 0
    while audited := view.audit(after=after):
        after = audited[-1].sequence
        with target.transaction(view.namespace) as unit:
            unit.append_audit(audited)


def _plain(view: Reading, page: Sequence[Row]) -> list[object]:
    return [(row.record, list(_versions(view, row))) for row in page]


def _versions(view: Reading, row: Row) -> Iterator[Version | SkillVersion]:
    return iter(
        view.versions(row.record.layer, row.record.id)
        if row.record.layer in _VERSIONED
        else ()
    )


def _size(store: Store, namespace: str) -> int:
    with store.reading(namespace) as view:
        return sum(len(page) for layer in _LAYERS for page in pages(view, layer))
