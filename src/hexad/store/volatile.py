"""A store of dictionaries: for tests, trials and memory that may vanish with the process."""

from __future__ import annotations

import threading
from bisect import bisect_left
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

from hexad.errors import DeadlineExceeded, StoreBusy, StoreClosed, StoreError
from hexad.fork import survive_fork
from hexad.model import Knowledge, Layer, Learning, Reference, Skill
from hexad.shape import to_microseconds
from hexad.store import SKETCHED, Row, Scope, Sketch, Use, Vector, VectorState
from hexad.store.volatile_learning import VolatileLearning
from hexad.store.volatile_skills import VolatileSkills
from hexad.text.index import TermIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from hexad.model import Association, AuditRecord, Record, Version
    from hexad.store import Embedded
    from hexad.text.document import Document
    from hexad.text.index import Posting, Statistics

LOCATION: Final = ":memory:"
K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class _Shelf:
    """One scope's rows and index."""

    rows: dict[str, Row] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    index: TermIndex = field(default_factory=TermIndex)
    vectors: dict[str, dict[int, Vector]] = field(default_factory=dict)  # by embedder and number
    stamps: dict[str, int] = field(default_factory=dict)  # the latest of each embedder: a removal lowers none
    learned: dict[str, dict[str, Association]] = field(default_factory=dict)  # by id and term


_EMPTY: Final = _Shelf()


class VolatileStore:
    """Everything in dictionaries behind one lock; a transaction that fails is undone step by step."""

    durable: Final = False
    location: Final = LOCATION
    path: Final = None

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._state: _State | None = _State()
        survive_fork(self)

    def after_fork(self) -> None:
        """A thread of the parent may have been in the middle of a transaction."""
        self._lock = threading.RLock()
        if self._state is not None:
            self._state.roll_back()

    @contextmanager
    def reading(self, *, deadline: float | None = None) -> Iterator[_State]:
        """One state: writers wait until the block ends, and it waits for them, but not beyond its deadline."""
        if not self._lock.acquire(timeout=-1 if deadline is None else deadline):
            raise DeadlineExceeded(LOCATION, deadline or 0.0)
        try:
            yield self._open()
        finally:
            self._lock.release()

    @contextmanager
    def transaction(self, *, patience: float | None = None) -> Iterator[_State]:
        """All or nothing, one writer at a time."""
        if not self._lock.acquire(timeout=-1 if patience is None else patience):
            raise StoreBusy(LOCATION, "another thread is writing; try again")
        try:
            state = self._open()
            state.begin()
            try:
                yield state
            except BaseException:
                state.roll_back()
                raise
            state.commit()
        finally:
            self._lock.release()

    def flush_traces(self) -> bool:
        """There is no log to bring down."""
        return True

    def close(self) -> None:
        """Drop everything."""
        with self._lock:
            self._state = None

    def _open(self) -> _State:
        if self._state is None:
            raise StoreClosed(LOCATION, "this store was closed; open a new one")
        return self._state


class _State(VolatileLearning, VolatileSkills):
    """The data, and how to take back what the running transaction did."""

    def __init__(self) -> None:
        super().__init__()
        self._shelves: dict[Scope, _Shelf] = {}
        self._versions: dict[tuple[str, str], dict[int, Version]] = {}
        self._audit: dict[str, list[AuditRecord]] = {}
        self._notes: dict[str, str] = {}
        self._last_number = 0
        self._last_stamp = 0
        self._changing = False

    # reading

    def get(self, scope: Scope, id: str) -> Row | None:
        row = self._shelf(scope).rows.get(id)
        return row and _apart(row)

    def fetch(self, scope: Scope, numbers: Collection[int], *, brief: bool = False) -> Sequence[Row]:
        shelf = self._shelf(scope)
        return [_apart(shelf.rows[shelf.ids[number]]) for number in numbers if number in shelf.ids]

    def sketch(self, scope: Scope, numbers: Collection[int]) -> Sequence[Sketch]:
        return [_sketch(row, row.document) for row in self.fetch(scope, numbers) if row.document is not None]

    def in_threads(self, scope: Scope, places: Collection[tuple[str, int]]) -> Sequence[Sketch]:
        wanted = set(places)
        return [
            _sketch(row, row.document)
            for row in self._shelf(scope).rows.values()
            if row.document is not None and isinstance(row.record, Knowledge) and _seat(row.record) in wanted
        ]

    def page(self, scope: Scope, *, after: int = 0, limit: int = 1000) -> Sequence[Row]:
        shelf = self._shelf(scope)
        numbers = sorted(number for number in shelf.ids if number > after)
        return self.fetch(scope, numbers[:limit])

    def pinned(self, scope: Scope) -> Sequence[int]:
        rows = self._shelf(scope).rows.values()
        return sorted(
            row.number for row in rows if row.document and isinstance(row.record, Knowledge) and row.record.pinned
        )

    def versions(self, namespace: str, key: str) -> Sequence[Version]:
        found = self._versions.get((namespace, key), {})
        return [found[number] for number in sorted(found, reverse=True)]

    def keys_in_session(self, namespace: str, session: str) -> Sequence[str]:
        said = {
            key
            for (home, key), versions in self._versions.items()
            if home == namespace and any(version.session == session for version in versions.values())
        }
        rows = self._shelf(Scope(namespace, Layer.USER_KNOWLEDGE)).rows.values()
        return sorted(said | {row.record.id for row in rows if session in _given_by(row.record).values()})

    def keys_about(self, namespace: str, subject: str) -> Sequence[str]:
        versions = (
            version for (home, _), each in self._versions.items() if home == namespace for version in each.values()
        )
        rows = self._shelf(Scope(namespace, Layer.USER_KNOWLEDGE)).rows.values()
        told = {version.key for version in versions if version.subject == subject}
        return sorted(told | {row.record.id for row in rows if getattr(row.record, "subject", None) == subject})

    def any_expired(self, scope: Scope, now: datetime) -> bool:
        return any(row.document and _over(row.record, now) for row in self._shelf(scope).rows.values())

    def learning_id(self, namespace: str, trigger: str, error_pattern: str) -> str | None:
        for row in self._shelf(Scope(namespace, Layer.AGENT_LEARNINGS)).rows.values():
            about = row.record
            if isinstance(about, Learning) and (about.trigger, about.error_pattern) == (trigger, error_pattern):
                return about.id
        return None

    def statistics(self, scope: Scope, terms: Collection[str]) -> Statistics:
        return self._shelf(scope).index.statistics(terms)

    def postings(self, scope: Scope, term: str, *, limit: int, below: int | None = None) -> Sequence[Posting]:
        return self._shelf(scope).index.postings(term, limit=limit, below=below)

    def postings_among(self, scope: Scope, term: str, numbers: Collection[int]) -> Sequence[Posting]:
        return self._shelf(scope).index.postings_among(term, numbers)

    def vector_state(self, scope: Scope, embedder: str) -> VectorState:
        shelf = self._shelf(scope)
        return VectorState(len(shelf.vectors.get(embedder, ())), shelf.stamps.get(embedder, 0))

    def vectors(self, scope: Scope, embedder: str, *, after: int = 0, limit: int = 1000) -> Sequence[Vector]:
        held = self._shelf(scope).vectors.get(embedder, {}).values()
        return sorted((each for each in held if each.stamp > after), key=lambda each: each.stamp)[:limit]

    def vector_numbers(self, scope: Scope, embedder: str) -> Collection[int]:
        return set(self._shelf(scope).vectors.get(embedder, ()))

    def without_vector(self, scope: Scope, embedder: str, *, after: int = 0, limit: int = 1000) -> Sequence[Row]:
        shelf = self._shelf(scope)
        held = shelf.vectors.get(embedder, {})
        missing = (number for number in shelf.ids if number > after and number not in held)
        rows = self.fetch(scope, sorted(missing))
        return [row for row in rows if row.document is not None][:limit]

    def numbers(self, scope: Scope, ids: Collection[str]) -> Mapping[str, int]:
        rows = self._shelf(scope).rows
        return {key: rows[key].number for key in ids if key in rows and rows[key].document is not None}

    def associations(self, scope: Scope, terms: Collection[str], *, limit: int) -> Sequence[Association]:
        learned = self._shelf(scope).learned.values()
        found = ([held[term] for held in learned if term in held] for term in terms)
        return [each for of_term in found if len(of_term) <= limit for each in of_term]

    def associations_of(self, scope: Scope, id: str) -> Sequence[Association]:
        held = self._shelf(scope).learned.get(id, {})
        return [held[term] for term in sorted(held)]

    def all_associations(self, namespace: str) -> Sequence[Association]:
        scopes = sorted(scope for scope in self._shelves if scope.namespace == namespace)
        return [
            each
            for scope in scopes
            for key in sorted(self._shelves[scope].learned)
            for each in self.associations_of(scope, key)
        ]

    def audit(self, namespace: str, *, after: int = 0, limit: int = 1000) -> Sequence[AuditRecord]:
        return [record for record in self._audit.get(namespace, ()) if record.sequence > after][:limit]

    def audit_head(self, namespace: str) -> AuditRecord | None:
        log = self._audit.get(namespace)
        return log[-1] if log else None

    def chain_end(self, namespace: str) -> tuple[int, str] | None:
        head = self.audit_head(namespace)
        return (head.sequence, head.hash) if head else None

    def namespaces(self) -> Sequence[str]:
        rows = {scope.namespace for scope, shelf in self._shelves.items() if shelf.rows or shelf.learned}
        return sorted(rows | {namespace for namespace, log in self._audit.items() if log})

    def note(self, name: str) -> str | None:
        return self._notes.get(name)

    # writing

    def put(self, scope: Scope, record: Record, document: Document | None, embedded: Embedded | None = None) -> None:
        shelf = self._shelves.setdefault(scope, _Shelf())
        old = shelf.rows.get(record.id)
        self._last_number += old is None
        number = old.number if old else self._last_number
        self._set(shelf, Row(number, record, document))
        if old is not None and old.document != document:
            self._drop_vectors(shelf, number)
        if embedded is not None and document is not None:
            self.embed(scope, number, embedded)

    def embed(self, scope: Scope, number: int, embedded: Embedded) -> None:
        shelf = self._shelves[scope]
        held = shelf.vectors.setdefault(embedded.embedder, {})
        before = held.get(number)
        if before is None or before.vector != embedded.vector:
            self._last_stamp += 1
            shelf.stamps[embedded.embedder] = self._last_stamp
            held[number] = Vector(number, self._last_stamp, embedded.vector)
            self._undo.append(lambda: _back(held, number, before))

    def associate(self, scope: Scope, id: str, associations: Collection[Association]) -> None:
        learned = self._shelves.setdefault(scope, _Shelf()).learned
        before = learned.pop(id, None)
        if associations:
            learned[id] = {each.term: each for each in associations}
        self._undo.append(lambda: _back(learned, id, before))

    def remove(self, scope: Scope, id: str) -> bool:
        shelf = self._shelf(scope)
        old = shelf.rows.get(id)
        if old is None:
            return False
        _take(shelf, old)
        self._undo.append(lambda: _place(shelf, old))
        self._drop_vectors(shelf, old.number)
        self.associate(scope, id, ())
        return True

    def add_version(self, namespace: str, version: Version) -> None:
        versions = self._versions.setdefault((namespace, version.key), {})
        if version.version in versions:
            raise StoreError(LOCATION, f"version {version.version} of {version.key!r} is there already")
        versions[version.version] = version
        self._undo.append(lambda: versions.pop(version.version))

    def remove_versions(self, namespace: str, key: str, numbers: Collection[int]) -> None:
        versions = self._versions.get((namespace, key), {})
        taken = {number: versions.pop(number) for number in tuple(numbers) if number in versions}
        self._undo.append(lambda: versions.update(taken))

    def use(self, uses: Collection[Use]) -> None:
        for use in uses:
            shelf = self._shelf(use.scope)
            row = shelf.rows.get(use.id)
            if row is not None:
                record = replace(row.record, use_count=row.record.use_count + use.count, last_used=use.at)
                self._set(shelf, replace(row, record=record))

    def append_audit(self, namespace: str, record: AuditRecord, details: str | None = None) -> None:
        log = self._audit.setdefault(namespace, [])
        place = bisect_left(log, record.sequence, key=lambda known: known.sequence)
        if place < len(log) and log[place].sequence == record.sequence:
            raise StoreError(LOCATION, f"audit record {record.sequence} is there already")
        log.insert(place, record)
        self._undo.append(lambda: log.pop(place))

    def set_note(self, name: str, value: str) -> None:
        old = self._notes.get(name)
        self._notes[name] = value
        self._undo.append(lambda: self._notes.pop(name) if old is None else self._notes.update({name: old}))

    def scrub(self) -> None:
        """Dictionaries leave nothing behind that anyone can read."""

    def learnings(self, namespace: str) -> Sequence[Learning]:
        rows = self._shelf(Scope(namespace, Layer.AGENT_LEARNINGS)).rows.values()
        found = sorted((row for row in rows), key=lambda row: row.number)
        return [row.record for row in found if isinstance(row.record, Learning)]

    def change_learning(self, namespace: str, id: str, change: Callable[[Learning], Learning]) -> None:
        shelf = self._shelf(Scope(namespace, Layer.AGENT_LEARNINGS))
        row = shelf.rows.get(id)
        if row is not None and isinstance(row.record, Learning):
            self._set(shelf, replace(row, record=change(row.record)))

    def skill(self, namespace: str, name: str) -> Skill | None:
        row = self._shelf(Scope(namespace, Layer.SKILL_PATTERNS)).rows.get(name)
        return row.record if row is not None and isinstance(row.record, Skill) else None

    def set_skill(self, namespace: str, skill: Skill) -> None:
        shelf = self._shelf(Scope(namespace, Layer.SKILL_PATTERNS))
        self._set(shelf, replace(shelf.rows[skill.name], record=skill))

    # transactions

    def begin(self) -> None:
        if self._changing:
            raise StoreError(LOCATION, "this thread is in a transaction already; use that one")
        self._changing = True

    def commit(self) -> None:
        self._undo.clear()
        self._changing = False

    def roll_back(self) -> None:
        while self._undo:
            self._undo.pop()()
        self._changing = False

    def _shelf(self, scope: Scope) -> _Shelf:
        return self._shelves.get(scope, _EMPTY)

    def _drop_vectors(self, shelf: _Shelf, number: int) -> None:
        for held in shelf.vectors.values():
            before = held.pop(number, None)
            self._undo.append(lambda held=held, before=before: _back(held, number, before))  # type: ignore[misc]

    def _set(self, shelf: _Shelf, row: Row) -> None:
        old = shelf.rows.get(row.record.id)
        if old is not None:
            _take(shelf, old)
        _place(shelf, row)
        self._undo.append(lambda: _put_back(shelf, row, old))


def _back(held: dict[K, V], key: K, before: V | None) -> None:
    """Let a dictionary have what it had under a key, or nothing."""
    if before is None:
        held.pop(key, None)
    else:
        held[key] = before


def _sketch(row: Row, document: Document) -> Sketch:
    record = row.record
    sketch = Sketch(
        number=row.number,
        id=record.id,
        words=document.pack()[:SKETCHED],
        origin=record.origin,
        updated=to_microseconds(record.updated),
        use_count=record.use_count,
    )
    if isinstance(record, Learning):
        return sketch._replace(trust=record.trust)
    if not isinstance(record, Knowledge):
        return sketch
    return sketch._replace(
        relevance=record.relevance,
        expires=None if record.expires is None else to_microseconds(record.expires),
        thread=record.thread,
        position=record.position,
        asks=record.content.endswith("?"),
    )


def _given_by(record: Record) -> Mapping[str, str]:
    return record.given_by if isinstance(record, Knowledge) else {}


def _over(record: Record, now: datetime) -> bool:
    return isinstance(record, Knowledge) and record.expires is not None and record.expires <= now


def _apart(row: Row) -> Row:
    """The row with objects of its own: a caller who changes what he was given changes nothing here."""
    match row.record:
        case Reference() as record:
            return replace(row, record=replace(record, metadata=deepcopy(record.metadata)))
        case Skill() as record:
            definition, parameters = deepcopy(record.definition), deepcopy(record.parameters)
            return replace(row, record=replace(record, definition=definition, parameters=parameters))
        case Learning() as record:
            return replace(row, record=replace(record, remedies=deepcopy(record.remedies)))
    return row


def _seat(entry: Knowledge) -> tuple[str, int | None]:
    return (entry.thread, entry.position) if entry.thread else ("", None)


def _put_back(shelf: _Shelf, row: Row, old: Row | None) -> None:
    _take(shelf, row)
    if old is not None:
        _place(shelf, old)


def _place(shelf: _Shelf, row: Row) -> None:
    shelf.rows[row.record.id] = row
    shelf.ids[row.number] = row.record.id
    if row.document is not None:
        shelf.index.add(row.number, row.document)


def _take(shelf: _Shelf, row: Row) -> None:
    del shelf.rows[row.record.id]
    del shelf.ids[row.number]
    if row.document is not None:
        shelf.index.remove(row.number, row.document)
