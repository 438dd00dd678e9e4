"""Forgetting: entries with all their versions, of one key, about a subject, of a session, or of a whole namespace."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Final, cast

from hexad.errors import InvalidInput, NotFound
from hexad.memory import admission
from hexad.memory.indexing import records
from hexad.model import RECORDS, Knowledge, Layer, Origin, Record, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad.memory.keeper import Change, Keeper
    from hexad.model import Forgotten

VERSIONED: Final = tuple(field.name for field in fields(Version) if field.name != "created")
"""The fields that a version keeps of its entry."""


def forget_all(keeper: Keeper, *, subject: str | None, session: str | None, everything: bool) -> Forgotten:
    """Erase what was named, of every kind, in one transaction; then its traces."""
    if sum((subject is not None, session is not None, everything is True)) != 1:
        raise InvalidInput("forget", "give exactly one of subject=, session= or everything=True")
    with keeper.change(actor=Origin.USER) as change:
        if subject is not None:
            count = forget_subject(change, subject)
        elif session is not None:
            name = admission.key("session", session)
            count = forget_session(change, name) + _forget_others(change, lambda record: record.session == name)
        else:
            count = _forget_entries(change, lambda _: True) + _forget_others(change, lambda _: True)
        change.unit.scrub()
    return keeper.erase_traces(count)


def forget_key(change: Change, key: str) -> int:
    """Erase one entry, hidden or not, with all its versions."""
    name, namespace = admission.key("key", key), change.keeper.namespace
    numbers = [version.version for version in change.unit.versions(namespace, name)]
    change.unit.remove_versions(namespace, name, numbers)
    if not change.remove(Layer.USER_KNOWLEDGE, name):
        raise NotFound(Layer.USER_KNOWLEDGE.noun, name, namespace)
    change.audit("knowledge.forget", name, {"versions": len(numbers)})
    return 1


def forget_subject(change: Change, subject: str) -> int:
    """Erase every entry about a subject."""
    about = admission.key("subject", subject)
    return _forget_entries(change, lambda entry: entry.subject == about)


def forget_session(change: Change, session: str) -> int:
    """Erase what a session said; an entry that others spoke of too is what it was without it."""
    name, namespace = admission.key("session", session), change.keeper.namespace
    keys = change.unit.keys_in_session(namespace, name)
    for key in keys:
        versions = change.unit.versions(namespace, key)
        others = [version for version in versions if version.session != name]
        if others:
            _fall_back(change, key, others[0], [version.version for version in versions if version.session == name])
        else:
            forget_key(change, key)
    return len(keys)


def _fall_back(change: Change, key: str, newest: Version, dropped: Sequence[int]) -> None:
    """Let an entry be what it was when its newest remaining version was said."""
    entry = cast("Knowledge", change.get(Layer.USER_KNOWLEDGE, key))
    change.unit.remove_versions(change.keeper.namespace, key, dropped)
    hidden = newest.version < entry.first_version  # what is left was deleted before
    back = replace(
        entry,
        **{name: getattr(newest, name) for name in VERSIONED},
        first_version=min(entry.first_version, newest.version),
        touched=(),
        deleted=entry.deleted or (change.keeper.clock() if hidden else None),
    )
    change.put(back)
    change.audit("knowledge.forget", key, {"versions": len(dropped)})


def _forget_entries(change: Change, goes: Callable[[Knowledge], bool]) -> int:
    entries = (cast("Knowledge", record) for record in _records(change, Layer.USER_KNOWLEDGE))
    keys = [entry.key for entry in entries if goes(entry)]
    return sum(forget_key(change, key) for key in keys)


def _forget_others(change: Change, goes: Callable[[Record], bool]) -> int:
    """Learnings, skills and references, which have no versions."""
    layers = [kind.layer for kind in RECORDS if kind is not Knowledge]
    found = [record for layer in layers for record in _records(change, layer) if goes(record)]
    for record in found:
        change.remove(record.layer, record.id)
        change.audit(f"{record.layer.noun}.forget", record.id)
    return len(found)


def _records(change: Change, layer: Layer) -> Iterator[Record]:
    return records(change.unit, change.keeper.scope(layer))
