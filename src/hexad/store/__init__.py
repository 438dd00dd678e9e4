"""The ports: all that the four paths ask of a database. `volatile` and `sqlite` implement them.

A store keeps nouns, versions, an index of opaque terms and an audit log, each within a namespace. It knows no
rules: what is admitted, versioned, ranked or hidden is decided above. It promises that a transaction happens wholly
or not at all, and that a read inside `reading()` sees one state of the data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from hexad.store.learning import LearningReading, LearningWriting
from hexad.store.skills import SkillReading, SkillWriting

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from hexad.model import Association, AuditRecord, Layer, Record, Version
    from hexad.text.document import Document
    from hexad.text.index import Posting, Statistics


class Scope(NamedTuple):
    """Where rows live: no call sees, counts or changes what is in another scope."""

    namespace: str
    layer: Layer


@dataclass(frozen=True, slots=True)
class Row:
    """A stored record with its number, which grows with the order of first saving, and its indexed text.

    ``document`` is None for a record that is kept but not to be found: a deleted entry, a draft.
    """

    number: int
    record: Record
    document: Document | None


SKETCHED: Final = 8192


class Sketch(NamedTuple):
    """What a ranking may know of a row, cheap to read; times are whole microseconds."""

    number: int
    id: str
    words: str  # how its document begins, packed: `SKETCHED` characters are enough for a ranking
    origin: str
    updated: int
    use_count: int
    relevance: float = 1.0
    expires: int | None = None
    thread: str = ""
    position: int | None = None
    asks: bool = False  # whether its text ends with a question mark
    trust: float = 0.0  # of a learning's fix


@dataclass(frozen=True, slots=True)
class Use:
    """An item that was put into prompts."""

    scope: Scope
    id: str
    count: int
    at: datetime


class Embedded(NamedTuple):
    """What a row's text means to one embedder: a vector, as bytes that only the embedder's side reads."""

    embedder: str
    vector: bytes


class Vector(NamedTuple):
    """A stored vector: the row's number, and a stamp that grows with every vector of its scope and embedder."""

    number: int
    stamp: int
    vector: bytes


class VectorState(NamedTuple):
    """How many vectors a scope has of one embedder, and the latest stamp that was given to one."""

    rows: int
    stamp: int


class Reading(LearningReading, SkillReading, Protocol):
    """What can be read, of one state of the data."""

    def get(self, scope: Scope, id: str) -> Row | None:
        """The row of that id."""
        ...

    def fetch(self, scope: Scope, numbers: Collection[int], *, brief: bool = False) -> Sequence[Row]:
        """The rows of these numbers that exist, in any order; if ``brief``, skills without their definition."""
        ...

    def sketch(self, scope: Scope, numbers: Collection[int]) -> Sequence[Sketch]:
        """The indexed rows of these numbers, in any order, as far as a ranking needs them."""
        ...

    def in_threads(self, scope: Scope, places: Collection[tuple[str, int]]) -> Sequence[Sketch]:
        """The indexed rows at these positions of these threads, in any order."""
        ...

    def page(self, scope: Scope, *, after: int = 0, limit: int = 1000) -> Sequence[Row]:
        """The rows numbered above ``after``, in order of number."""
        ...

    def pinned(self, scope: Scope) -> Sequence[int]:
        """The numbers of the indexed rows that are pinned, in order."""
        ...

    def versions(self, namespace: str, key: str) -> Sequence[Version]:
        """All versions under a key, newest first."""
        ...

    def keys_in_session(self, namespace: str, session: str) -> Sequence[str]:
        """The keys that the session said a version of, or gave a field of, sorted."""
        ...

    def keys_about(self, namespace: str, subject: str) -> Sequence[str]:
        """The keys with an entry or a version about that subject, sorted."""
        ...

    def any_expired(self, scope: Scope, now: datetime) -> bool:
        """Whether the time of any indexed row is over."""
        ...

    def learning_id(self, namespace: str, trigger: str, error_pattern: str) -> str | None:
        """The id of the one learning about that error."""
        ...

    def statistics(self, scope: Scope, terms: Collection[str]) -> Statistics:
        """What the index knows of these terms; a term that no row holds is absent."""
        ...

    def postings(self, scope: Scope, term: str, *, limit: int, below: int | None = None) -> Sequence[Posting]:
        """The rows that hold a term, newest number first, at most ``limit``; with ``below`` only lower numbers."""
        ...

    def postings_among(self, scope: Scope, term: str, numbers: Collection[int]) -> Sequence[Posting]:
        """Those of the given rows that hold a term, in any order."""
        ...

    def vector_state(self, scope: Scope, embedder: str) -> VectorState:
        """What there is of an embedder's vectors: cheap, so that who holds copies of them can tell when to look."""
        ...

    def vectors(self, scope: Scope, embedder: str, *, after: int = 0, limit: int = 1000) -> Sequence[Vector]:
        """An embedder's vectors with a stamp above ``after``, in the order of stamps."""
        ...

    def vector_numbers(self, scope: Scope, embedder: str) -> Collection[int]:
        """The numbers of the rows that have a vector of an embedder."""
        ...

    def without_vector(self, scope: Scope, embedder: str, *, after: int = 0, limit: int = 1000) -> Sequence[Row]:
        """The indexed rows numbered above ``after`` that have no vector of an embedder, in order of number."""
        ...

    def numbers(self, scope: Scope, ids: Collection[str]) -> Mapping[str, int]:
        """The number of each of these ids that is an indexed row."""
        ...

    def associations(self, scope: Scope, terms: Collection[str], *, limit: int) -> Sequence[Association]:
        """What was learned of these terms, in any order; of a term with more than ``limit`` of them, none."""
        ...

    def associations_of(self, scope: Scope, id: str) -> Sequence[Association]:
        """All that was learned of one item, by term."""
        ...

    def all_associations(self, namespace: str) -> Sequence[Association]:
        """All that was learned in a namespace, by layer, id and term."""
        ...

    def audit(self, namespace: str, *, after: int = 0, limit: int = 1000) -> Sequence[AuditRecord]:
        """The audit records above ``after``, in order of sequence."""
        ...

    def audit_head(self, namespace: str) -> AuditRecord | None:
        """The newest audit record."""
        ...

    def chain_end(self, namespace: str) -> tuple[int, str] | None:
        """Sequence and hash of the newest audit record: all that the next one needs of it."""
        ...

    def namespaces(self) -> Sequence[str]:
        """Every namespace that holds a row or an audit record, sorted."""
        ...

    def note(self, name: str) -> str | None:
        """A fact about the database itself, such as which analyser wrote its index."""
        ...


class Writing(Reading, LearningWriting, SkillWriting, Protocol):
    """What can be changed, inside one transaction; it reads its own writes."""

    def put(self, scope: Scope, record: Record, document: Document | None, embedded: Embedded | None = None) -> None:
        """Insert a record, or replace the one of the same id; index and vector follow.

        Vectors of a text that is no longer the record's are removed.
        """
        ...

    def embed(self, scope: Scope, number: int, embedded: Embedded) -> None:
        """Keep a vector for an indexed row, in the place of an earlier one of the same embedder."""
        ...

    def associate(self, scope: Scope, id: str, associations: Collection[Association]) -> None:
        """Let this be all that was learned of an item, which need not be a record; nothing: forget it."""
        ...

    def remove(self, scope: Scope, id: str) -> bool:
        """Remove a record from table and index, with what was learned of it; whether there was one."""
        ...

    def add_version(self, namespace: str, version: Version) -> None:
        """Append a version; one that is there already is a `StoreError`."""
        ...

    def remove_versions(self, namespace: str, key: str, numbers: Collection[int]) -> None:
        """Remove some versions of a key."""
        ...

    def use(self, uses: Collection[Use]) -> None:
        """Add to use counts and set the time of last use; rows that are gone are passed over."""
        ...

    def append_audit(self, namespace: str, record: AuditRecord, details: str | None = None) -> None:
        """Append to the log; a sequence that is taken is a `StoreError`. No record can be changed or removed.

        ``details`` are the record's as JSON, where they have been written already.
        """
        ...

    def set_note(self, name: str, value: str) -> None:
        """Set a fact about the database itself."""
        ...

    def scrub(self) -> None:
        """Rewrite what held removed rows, so that no bytes of them stay behind; linear in the data."""
        ...


class Store(Protocol):
    """A database. Safe to use from many threads; it survives `fork` where it is durable."""

    @property
    def durable(self) -> bool:
        """Whether acknowledged transactions outlive the process."""
        ...

    @property
    def location(self) -> str:
        """What to call it in messages: a path, or a word."""
        ...

    @property
    def path(self) -> Path | None:
        """The absolute path of its file, whatever folder is current now; None where it is no file."""
        ...

    def reading(self, *, deadline: float | None = None) -> AbstractContextManager[Reading]:
        """One state of the data to read; after ``deadline`` seconds a query stops with `DeadlineExceeded`."""
        ...

    def transaction(self, *, patience: float | None = None) -> AbstractContextManager[Writing]:
        """All or nothing; waits at most ``patience`` seconds for other writers, then `StoreBusy`.

        A thread has one at a time: a second inside the first is a `StoreError`.
        """
        ...

    def flush_traces(self) -> bool:
        """Bring logs down to the scrubbed state; false while another connection's snapshot prevents it."""
        ...

    def close(self) -> None:
        """Release everything, once the work of other threads has ended; later calls are `StoreClosed`, but for this."""
        ...
