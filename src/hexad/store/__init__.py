"""The ports: everything that the four paths ask of a database. `volatile`, `sqlite` and
`postgres` implement them.

A store keeps records, versions, an index of opaque terms and an audit log, each within
a namespace. It applies no rules: what is admitted, versioned, ranked or hidden is
decided above. It promises that a transaction happens wholly or not at all, and that
everything read inside one `reading()` belongs to one state of the namespace.

The ports are coarse, so that a store across a network needs few round trips: a question
is one `evidence` and one `sketch` (such a store reads the rows along with the sketches
and answers `fetch` from memory). Writes return nothing, so that it can queue them and
send them with the commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from hexad.model import Category, Knowledge, Learning, Origin
from hexad.shape import to_microseconds
from hexad.text.index import IndexStatistics, Posting

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from hexad.model import (
        Association,
        AuditRecord,
        Erasure,
        Layer,
        Proposal,
        Record,
        SkillVersion,
        Version,
    )
    from hexad.store.learning import (
        Activity,
        LearningChanges,
        RecordedCall,
        TemplateFilter,
    )
    from hexad.text.document import Document


class Row(NamedTuple):
    """A stored record with its number, which grows with the order of first saving, and
    its indexed text.
    """

    number: int
    record: Record
    document: (
        Document | None
    )  # None if the record is kept but cannot be found: a deleted entry, a draft


IN_MEMORY: Final = ":memory:"  # the address of a store without a file
SKETCHED: Final = 8192


class Sketch(NamedTuple):
    """The fields of a row that a ranking needs, cheap to read; times are whole
    microseconds.
    """

    number: int
    id: str
    words: str  # the beginning of its document, packed: `SKETCHED` characters are enough for a ranking
    origin: str
    updated: int
    use_count: int
    relevance: float = 1.0
    expires: int | None = None
    thread: str = ""
    position: int | None = None
    asks: bool = False  # whether its text ends with a question mark
    trust: float = 0.0  # of a learning's fix


def sketch_of(row: Row, document: Document) -> Sketch:
    """The sketch of a whole row."""
    record = row.record
    sketch = Sketch(
        number=row.number,
        id=record.id,
        words=document.pack()[:SKETCHED],
        origin=record.origin,
        updated=to_microseconds(record.updated),
        use_count=record.use_count,
    )
    if not isinstance(record, Knowledge):
        return (
            sketch._replace(trust=record.trust)
            if isinstance(record, Learning)
            else sketch
        )
    return sketch._replace(
        relevance=record.relevance,
        expires=None if record.expires is None else to_microseconds(record.expires),
        thread=record.thread,
        position=record.position,
        asks=record.content.endswith("?"),
    )


class Sketches(NamedTuple):
    """The requested sketches, and those of their neighbours in threads, up to `BESIDE`
    places away.
    """

    rows: Sequence[Sketch] = ()
    beside: Sequence[Sketch] = ()


BESIDE: Final = 2
OTHERS: Final = 2  # places of a layer that go to other origins while matching entries of the user's wait


def places_beside(sketches: Iterable[Sketch]) -> set[tuple[str, int]]:
    """The places, each a thread and a position, that are near enough to one of these
    rows.
    """
    near = [step for step in range(-BESIDE, BESIDE + 1) if step]
    placed = [(each.thread, each.position) for each in sketches if each.thread]
    return {
        (thread, position + step)
        for thread, position in placed
        if position is not None
        for step in near
    }


@dataclass(frozen=True, slots=True)
class Use:
    """How often an item was put into prompts, and when last."""

    layer: Layer
    id: str
    count: int
    at: datetime


class Embedded(NamedTuple):
    """The vector of a text, as bytes that only the embedder's side reads."""

    embedder: str
    vector: bytes


class Vector(NamedTuple):
    """A stored vector: the row's number, and a stamp that grows with every vector of
    its layer and embedder.
    """

    number: int
    stamp: int
    vector: bytes


class VectorState(NamedTuple):
    """How many vectors of one embedder a layer has, and the latest stamp: they show
    whether a cache is current.
    """

    rows: int = 0
    stamp: int = 0


class Standing(IntEnum):
    """Whether an entry belongs into every prompt, and why; stores keep it in a separate
    column.
    """

    NOTED = -1  # an agent's short fact, or its note of what the user said: told beside the block of a small memory
    NONE = 0
    OWN = 1  # any other entry of the user's
    RULE = 2  # the user's own rule or preference, if it is short
    PINNED = 3
    PINNED_BY_USER = 4


LONGEST_RULE: Final = 1600  # characters of a rule that may stand
LONGEST_NOTE: Final = 300
MOST_NOTES: Final = 48


def standing_of(record: Knowledge) -> Standing:
    """The standing of an entry."""
    own = record.origin is Origin.USER
    if record.pinned:
        return Standing.PINNED_BY_USER if own else Standing.PINNED
    is_rule = record.category in {Category.RULE, Category.PREFERENCE}
    if own and is_rule and len(record.content) <= LONGEST_RULE:
        return Standing.RULE
    is_fact = (
        record.category in {Category.FACT, Category.DEFINITION}
        and len(record.content) <= LONGEST_NOTE
    )
    if record.origin is Origin.AGENT and (is_fact or record.said):
        return Standing.NOTED
    return Standing.OWN if own else Standing.NONE


def folded(key: str) -> str:
    """A key without regard to case; stores keep it in a separate column."""
    return key.casefold()


class Entry(NamedTuple):
    """A record to store, with its indexed text and its vector."""

    record: Record
    document: Document | None
    embedded: Embedded | None = None
    analysed: bool = False  # again, and nothing else about it is new: its vectors stay


class Question(NamedTuple):
    """Everything that one message asks of the index, for all layers at once."""

    layers: Collection[Layer]
    now: datetime  # a row that has expired by then is no evidence
    terms: Sequence[str] = ()
    facets: Sequence[str] = ()  # a row must hold all of these terms
    with_subjects: Collection[
        Layer
    ] = ()  # the layers whose rows may be about a subject that a term names
    embedder: str | None = None
    standing: int = 0  # most rows that come with any question: see `Standing`
    with_rules: bool = False  # whether the user's rules and preferences come besides pinned entries, and all of the
    # user's own entries if no more than ``standing`` rows come then


_NONE: Final[Mapping[str, int]] = MappingProxyType({})
_NO_POSTINGS: Final[Mapping[str, Sequence[Posting]]] = MappingProxyType({})


class LayerEvidence(NamedTuple):
    """The index evidence for a question within one layer."""

    statistics: IndexStatistics = IndexStatistics(
        0, 0, _NONE
    )  # of the terms, the facets, and the subjects that the terms name
    postings: Mapping[str, Sequence[Posting]] = (
        _NO_POSTINGS  # of the opened terms, see `searching`
    )
    standing: Sequence[
        Row
    ] = ()  # of the highest `Standing` first, then the latest changed
    vectors: VectorState = VectorState()
    associations: Sequence[
        Association
    ] = ()  # of a term with more than `MOST_ASSOCIATIONS`, none
    numbers: Mapping[str, int] = _NONE  # of the associated ids that are indexed rows
    filtered: bool = (
        False  # whether rows were left out because they expired or lack a facet
    )
    own: bool = False  # whether the layer has entries of the user's
    threads: bool = True  # whether entries may stand in threads


MOST_ASSOCIATIONS: Final = (
    600  # items of a layer that one term may have led to before it says nothing
)


class Reading(Protocol):
    """Reads one namespace, in one state of its data."""

    namespace: str

    def get(
        self, layer: Layer, id: str, *, ahead: Sequence[tuple[Layer, str]] = ()
    ) -> Row | None:
        """The row of that id; for knowledge, else one whose key differs from it in case
        alone.

        ``ahead`` are those that will be asked for next: a store across a network reads
        them along.
        """

    def page(
        self,
        layer: Layer,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int = 1000,
        without: str | None = None,
    ) -> Sequence[Row]:
        """The rows numbered above ``after``, in order of number; or only the indexed
        rows ``without`` a vector of that embedder. With ``before``, those below it, the
        highest number first.
        """

    def evidence(self, question: Question) -> Mapping[Layer, LayerEvidence]:
        """The evidence of each layer that was asked for."""

    def passing(
        self,
        layer: Layer,
        numbers: Collection[int],
        facets: Sequence[str],
        now: datetime,
    ) -> set[int]:
        """Those of the given rows that hold all facets and have not expired."""

    def sketch(
        self,
        chosen: Mapping[Layer, Collection[int]],
        now: datetime,
        *,
        rest: Callable[[], Sequence[int]] = tuple,
    ) -> Mapping[Layer, Sketches]:
        """The indexed rows of these numbers that have not expired, and their neighbours
        in threads, in any order.

        ``rest`` gives the entries of which the user's will be wanted next if more than
        `OTHERS` of the chosen ones are not the user's: a store across a network reads
        them along, without neighbours.
        """

    def fetch(
        self, chosen: Mapping[Layer, Collection[int]]
    ) -> Mapping[Layer, Sequence[Row]]:
        """The rows of these numbers, in any order; skills come without their
        definition.
        """

    def vectors(
        self, layer: Layer, embedder: str, *, after: int = 0, limit: int = 1000
    ) -> Sequence[Vector]:
        """An embedder's vectors with a stamp above ``after``, in the order of stamps."""

    def vector_numbers(self, layer: Layer, embedder: str) -> set[int]:
        """The numbers of the rows that have a vector of an embedder."""

    def versions(self, layer: Layer, id: str) -> Sequence[Version | SkillVersion]:
        """All versions of an entry, or the earlier ones of a skill, newest first."""

    def keys_of(
        self, *, session: str | None = None, subject: str | None = None
    ) -> Sequence[str]:
        """Sorted keys of entries that a session wrote to, or that are about a subject,
        or all that have a version.
        """

    def associations(
        self, layer: Layer | None = None, id: str | None = None
    ) -> Sequence[Association]:
        """The words that lead to items, by layer, id and term: all of them, or those of
        one layer or item.
        """

    def proposals(self) -> Sequence[Proposal]:
        """Every proposal, in the order in which they were first put."""

    def templates(self, wanted: Sequence[TemplateFilter]) -> Sequence[tuple[str, str]]:
        """Template and id of the learnings that pass a filter, newest first, filter by
        filter.
        """

    def activity(self, session: str, tool: str, *, calls: int = 0) -> Activity:
        """A session's offers, whether the tool's latest call in it failed, and its
        latest calls of any tool.
        """

    def calls(self) -> Sequence[RecordedCall]:
        """The calls of every session, by session and then in their order."""

    def audit(self, *, after: int = 0, limit: int = 1000) -> Sequence[AuditRecord]:
        """The audit records above ``after``, in order of sequence."""

    def chain_end(self) -> tuple[int, str] | None:
        """Sequence and hash of the newest audit record: the next one needs them."""

    def note(self, name: str) -> str | None:
        """A fact about the namespace, such as which analyser indexed it.

        Names with a colon are for facts that are many or long: a store across a network
        reads them only when asked.
        """


class Writing(Reading, Protocol):
    """Changes one namespace inside one transaction, and reads its own writes."""

    def put(self, entries: Sequence[Entry]) -> None:
        """Insert records, or replace those of the same id, with their index; vectors of
        an older text are removed.
        """

    def embed(self, layer: Layer, vectors: Mapping[int, Embedded]) -> None:
        """Keep vectors of indexed rows, by number, in the place of earlier ones of the
        same embedder.
        """

    def associate(
        self, layer: Layer, id: str, associations: Collection[Association]
    ) -> None:
        """Replace all words that lead to an item, which need not be a record."""

    def remove(self, layer: Layer, id: str) -> bool:
        """Remove a record with its index and associations; whether there was one."""

    def add_versions(self, versions: Sequence[Version | SkillVersion]) -> None:
        """Append versions; one that exists already is a `StoreError`, now or when the
        transaction commits.
        """

    def remove_versions(
        self, layer: Layer, id: str, numbers: Collection[int] | None = None
    ) -> None:
        """Remove some versions of an entry or a skill, or all of them."""

    def propose(
        self, proposals: Sequence[Proposal] = (), *, withdrawn: Collection[str] = ()
    ) -> None:
        """Insert proposals, or replace those of the same id, and remove others; unknown
        ids are skipped.
        """

    def use(self, uses: Collection[Use]) -> None:
        """Add to use counts and set the time of last use; ids that do not exist are
        skipped.
        """

    def learn(self, changes: LearningChanges) -> None:
        """Count occurrences of errors, and change the calls and offers of sessions."""

    def append_audit(
        self, records: Sequence[AuditRecord], details: Sequence[str] = ()
    ) -> None:
        """Append to the log; a sequence that exists already is a `StoreError`. No
        record can be changed or removed.

        ``details`` are the records' details as JSON, where they were encoded before.
        """

    def take_slot(self, session: str, kind: str, limit: int) -> None:
        """Count one more save of a session; beyond the limit `RateLimited`, now or when
        the transaction commits.

        Only a store that several machines share counts here. Elsewhere `memory.limits`
        counts in the process.
        """

    def set_note(self, name: str, value: str) -> None:
        """Set a fact about the namespace."""

    def scrub(self, *, index: bool = False) -> None:
        """Rewrite the pages that held removed rows, so that no bytes of them stay
        behind; linear in the data.

        With ``index`` the index and the vectors are emptied: `put` indexes each record
        anew. A store that cannot do so inside a transaction leaves it to its
        maintenance: see `Store.flush_traces`.
        """


class Store(Protocol):
    """A database. Safe to use from many threads; it survives `fork` where it is
    durable.
    """

    durable: bool  # whether acknowledged transactions outlive the process
    location: str  # its name in messages: a path, a URL without its password, or a word
    shared_as: (
        str | None
    )  # engines with the same value share their limits; None: no other engine can use the data

    def reading(
        self, namespace: str, *, deadline: float | None = None
    ) -> AbstractContextManager[Reading]:
        """One state of a namespace to read; after ``deadline`` seconds a query stops
        with `DeadlineExceeded`.
        """

    def transaction(
        self, namespace: str, *, patience: float | None = None
    ) -> AbstractContextManager[Writing]:
        """All or nothing, one writer a namespace at a time; `StoreBusy` after waiting
        ``patience`` seconds for others.

        The wait is at the beginning, or at the first thing that is read or written
        inside. A thread has one at a time: a second inside the first is a `StoreError`.
        """

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        """The namespaces above ``after`` that hold a row, an association or an audit
        record, sorted by code point.
        """

    def flush_traces(self) -> Erasure:
        """Remove the last traces of scrubbed rows from logs, or say when they will be
        gone.
        """

    def inspect(self) -> Mapping[str, str]:
        """Facts about its health: ``integrity`` is "ok" or a problem; ``journal`` and
        ``server`` where there is one.
        """

    def mend(self) -> Sequence[tuple[str, str]]:
        """Mend what lies below the rows, and set unreadable rows aside: the namespace
        of each, and where it is now.
        """

    def close(self) -> None:
        """Release everything, after the work of other threads has ended; later calls
        are `StoreClosed`.
        """
