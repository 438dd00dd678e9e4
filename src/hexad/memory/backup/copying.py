"""A whole database → another store: page by page, each in a transaction, and compared at the end.

A note in the target says how far a namespace has come, so a copy that broke off goes on there. Calls and offers of
sessions stay behind, as in a backup.
"""

from __future__ import annotations

import json
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.errors import StoreError
from hexad.memory.audit import verify
from hexad.memory.indexing import all_namespaces
from hexad.model import RECORDS
from hexad.store import Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexad.model import Layer, SkillVersion, Version
    from hexad.store import Reading, Row, Store, Writing

_PAGE: Final = 500
_LAYERS: Final = tuple(kind.layer for kind in RECORDS)
_VERSIONED: Final = frozenset(kind.layer for kind in RECORDS if "version" in kind.__dataclass_fields__)
_NOTE: Final = "copying"


class Copied(NamedTuple):
    """How much a target holds after a copy."""

    namespaces: int
    records: int


class _Place(NamedTuple):
    """How far the copy of a namespace has come, in the source's numbers."""

    origin: str  # the end of the source's audit chain
    layer: int = 0  # which of `_LAYERS`; after the last one the audit log is copied
    after: int = 0


def copy_store(source: Store, target: Store, progress: Callable[[int, int], None]) -> Copied:
    """Copy every namespace that is not there yet, and compare all of them. Vectors are not copied: see `reindex`."""
    names = list(all_namespaces(source))
    done, total = 0, sum(_count(source, namespace) for namespace in names)
    for namespace in names:
        with source.reading(namespace) as view:
            place = _begin(view, target)
            for page in _copied(view, target, place) if place else ():
                progress(done + page, total)
            done += _compared(view, target)
        progress(done, total)
    return Copied(len(names), done)


def _begin(view: Reading, target: Store) -> _Place | None:
    """Where to begin or to go on; None if the target has the namespace already."""
    end = view.chain_end()
    start = _Place(end[1] if end else "")
    with target.reading(view.namespace) as there:
        written = there.note(_NOTE)
        if written:
            known = _Place(*json.loads(written))
            if known.origin == start.origin:
                return known
        elif there.chain_end() is None and not any(there.page(layer, limit=1) for layer in _LAYERS):
            return start
        elif there.chain_end() == end:
            return None
    what = "is the copy of an earlier state" if written else "holds something else"
    raise StoreError(target.location, f"its namespace {view.namespace!r} {what}; choose an empty database")


def _copied(view: Reading, target: Store, place: _Place) -> Iterator[int]:
    """Copy a namespace from a place on; yields how many records were copied."""
    records = 0
    for number, layer in enumerate(_LAYERS[place.layer :], place.layer):
        for page in _pages(view, layer, place.after if number == place.layer else 0):
            with target.transaction(view.namespace) as unit:
                unit.put([Entry(row.record, row.document) for row in page])
                unit.add_versions([each for row in page for each in _versions(view, row)])
                _note(unit, place._replace(layer=number, after=page[-1].number))
            yield (records := records + len(page))
    _copy_rest(view, target, place)


def _copy_rest(view: Reading, target: Store, place: _Place) -> None:
    """Copy what is not a record, and the audit log last."""
    last = place.after if place.layer == len(_LAYERS) else 0
    with target.transaction(view.namespace) as unit:
        for (layer, name), learned in groupby(view.associations(), key=lambda each: (each.layer, each.id)):
            unit.associate(layer, name, list(learned))
        unit.propose(view.proposals())
        _note(unit, place._replace(layer=len(_LAYERS), after=last))
    while audited := view.audit(after=last, limit=_PAGE):
        last = audited[-1].sequence
        with target.transaction(view.namespace) as unit:
            unit.append_audit(audited)
            _note(unit, place._replace(layer=len(_LAYERS), after=last))
    with target.transaction(view.namespace) as unit:
        unit.set_note(_NOTE, "")


def _note(unit: Writing, place: _Place) -> None:
    unit.set_note(_NOTE, json.dumps(place))


def _compared(view: Reading, target: Store) -> int:
    """The number of records, if the target has the same ones with the same versions, and the same unbroken chain."""
    end = view.chain_end()
    verdict = verify(target, view.namespace, expect=end and end[1])
    problem, records = "" if verdict.ok else verdict.problem or "its audit chain is broken", 0
    with target.reading(view.namespace) as there:
        for layer in _LAYERS:
            for one, other in zip_longest(_pages(view, layer), _pages(there, layer), fillvalue=()):
                records += len(one)
                if _plain(view, one) != _plain(there, other):
                    problem = f"{layer.noun} differ"
    if problem:
        raise StoreError(target.location, f"the copy of namespace {view.namespace!r} is not whole: {problem}")
    return records


def _plain(view: Reading, page: list[Row] | tuple[()]) -> list[object]:
    return [(row.record, list(_versions(view, row))) for row in page]


def _versions(view: Reading, row: Row) -> Iterator[Version | SkillVersion]:
    return iter(view.versions(row.record.layer, row.record.id) if row.record.layer in _VERSIONED else ())


def _pages(view: Reading, layer: Layer, after: int = 0) -> Iterator[list[Row]]:
    while page := list(view.page(layer, after=after, limit=_PAGE)):
        yield page
        after = page[-1].number


def _count(store: Store, namespace: str) -> int:
    with store.reading(namespace) as view:
        return sum(len(page) for layer in _LAYERS for page in _pages(view, layer))
