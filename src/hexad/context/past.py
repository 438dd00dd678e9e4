"""What was known at an earlier time: the entries of that time, from their versions, in
a store of their own.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final, cast

from hexad.memory.index.indexing import put, records
from hexad.model import RECORD_OF, Knowledge, Layer, Version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from hexad.context.retriever import ContextRetriever
    from hexad.model import Record
    from hexad.store import Reading, Store

_KEPT: Final = {"key", "created"}  # of the entry, not of its version
_SHARED: Final = {each.name for each in fields(Version)} & {
    each.name for each in fields(Knowledge)
} - _KEPT


def as_of(
    retriever: ContextRetriever, when: datetime, store: Store
) -> ContextRetriever:
    """A retriever of what was known then: entries in their versions of that time, other
    records if they were there.

    It reads every entry, and puts those of then into an empty store.
    """
    with retriever.store.reading(retriever.namespace) as view:
        known = [record for layer in RECORD_OF for record in _known(view, layer, when)]
    with store.transaction(retriever.namespace) as unit:
        put(unit, known)
    return replace(retriever, store=store, clock=lambda: when, similarity=None)


def _known(view: Reading, layer: Layer, when: datetime) -> Iterator[Record]:
    """The records of a layer at a time."""
    for record in records(view, layer):
        then = _entry(view, record, when) if isinstance(record, Knowledge) else record
        if then is not None and then.created <= when:
            yield then


def _entry(view: Reading, now: Knowledge, when: datetime) -> Knowledge | None:
    """An entry as it was; None if it was not there, or was deleted before."""
    if now.deleted is not None and now.deleted <= when:
        return None
    if now.updated <= when:
        return replace(now, deleted=None)
    versions = cast("Sequence[Version]", view.versions(Layer.USER_KNOWLEDGE, now.key))
    then = next(
        (
            each
            for each in versions
            if each.created <= when and each.version >= now.first_version
        ),
        None,
    )
    if then is None:
        return None
    told = {name: getattr(then, name) for name in _SHARED}
    return replace(now, **told, updated=then.created, deleted=None)
