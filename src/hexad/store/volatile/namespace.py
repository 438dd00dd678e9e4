"""One namespace in dictionaries: rows, index, versions, sessions and log, and how to undo a change."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from hexad.errors import StoreError
from hexad.model import Knowledge, Layer, Learning, Reference, Skill, Version
from hexad.shape import to_microseconds
from hexad.store import (
    IN_MEMORY,
    MOST_ASSOCIATIONS,
    Entry,
    Evidence,
    Row,
    Sketches,
    Standing,
    Vector,
    VectorState,
    folded,
    places_beside,
    sketch_of,
    standing_of,
)
from hexad.store.learning import Activity
from hexad.store.searching import counted_terms, open_terms, opening_order
from hexad.text.index import TermIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from hexad.model import Association, AuditRecord, Proposal, Record, SkillVersion
    from hexad.store import Embedded, Question, Use
    from hexad.store.learning import Call, LearningChanges, Offer, TemplateFilter

K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True)
class _LayerData:
    """The rows and the index of one layer."""

    rows: dict[str, Row] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    index: TermIndex = field(default_factory=TermIndex)
    vectors: dict[str, dict[int, Vector]] = field(default_factory=dict)  # by embedder and number
    stamps: dict[str, int] = field(default_factory=dict)  # the latest of each embedder: a removal lowers none
    associations: dict[str, dict[str, Association]] = field(default_factory=dict)  # by id and term
    standing: dict[Standing, set[int]] = field(default_factory=lambda: {rank: set() for rank in Standing})
    expiring: set[int] = field(default_factory=set)  # the numbers of indexed rows that have an end
    folded: dict[str, str] = field(default_factory=dict)  # an id by its key without regard to case

    def swap(self, old: Row | None, new: Row | None) -> None:
        """Put a row in the place of another one; None is no row. The same words are not indexed again."""
        if new is not None:
            self.rows[new.record.id] = new
            self.ids[new.number] = new.record.id
            self.folded.setdefault(folded(new.record.id), new.record.id)
        elif old is not None:
            del self.rows[old.record.id], self.ids[old.number]
            self.folded.pop(folded(old.record.id), None)
        same = old is not None and new is not None and old.document == new.document
        if old is not None and old.document is not None:
            self._update_sets(old, set.discard)
            if not same:
                self.index.remove(old.number, old.document)
        if new is not None and new.document is not None:
            self._update_sets(new, set.add)
            if not same:
                self.index.add(new.number, new.document)

    def _update_sets(self, row: Row, change: Callable[[set[int], int], None]) -> None:
        if isinstance(row.record, Knowledge):
            change(self.standing[standing_of(row.record)], row.number)
            if row.record.expires is not None:
                change(self.expiring, row.number)

    def numbered(self, numbers: Collection[int]) -> list[Row]:
        return [self.rows[self.ids[number]] for number in numbers if number in self.ids]


class Namespace:
    """The data of a namespace, and how to undo what the running transaction did; the contract is the ports'."""

    def __init__(self, namespace: str) -> None:
        self.namespace = namespace
        self._layers: dict[Layer, _LayerData] = {layer: _LayerData() for layer in Layer}
        self._versions: dict[tuple[Layer, str], dict[int, Version | SkillVersion]] = {}
        self._audit: list[AuditRecord] = []
        self._notes: dict[str, str] = {}
        self._calls: dict[str, dict[int, Call]] = {}  # by session and number
        self._offers: dict[tuple[str, str], Offer] = {}
        self._proposals: dict[str, Proposal] = {}
        self._last_number = 0
        self._last_stamp = 0
        self._undo: list[Callable[[], object]] = []

    def holds_anything(self) -> bool:
        return bool(self._audit) or any(data.rows or data.associations for data in self._layers.values())

    def commit(self) -> None:
        self._undo.clear()

    def roll_back(self) -> None:
        while self._undo:
            self._undo.pop()()

    # reading

    def get(self, layer: Layer, id: str, *, ahead: Sequence[tuple[Layer, str]] = ()) -> Row | None:
        data = self._layers[layer]
        row = data.rows.get(id)
        if row is None and layer is Layer.USER_KNOWLEDGE:
            row = data.rows.get(data.folded.get(folded(id), ""))
        return row and _copied(row)

    def page(
        self,
        layer: Layer,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int = 1000,
        without: str | None = None,
    ) -> Sequence[Row]:
        data = self._layers[layer]
        between = [number for number in data.ids if number > after and (before is None or number < before)]
        rows = data.numbered(sorted(between, reverse=before is not None))
        if without is not None:
            held = data.vectors.get(without, {})
            rows = [row for row in rows if row.document is not None and row.number not in held]
        return [_copied(row) for row in rows[:limit]]

    def evidence(self, question: Question) -> Mapping[Layer, Evidence]:
        return {layer: self._evidence(layer, question) for layer in question.layers}

    def passing(self, layer: Layer, numbers: Collection[int], facets: Sequence[str], now: datetime) -> set[int]:
        data = self._layers[layer]
        left = {row.number for row in data.numbered(numbers) if not _expired(row.record, now)}
        for each in facets:
            left &= {posting[0] for posting in data.index.postings_among(each, left)}
        return left

    def sketch(
        self, chosen: Mapping[Layer, Collection[int]], now: datetime, *, rest: Callable[[], Sequence[int]] = tuple
    ) -> Mapping[Layer, Sketches]:
        return {layer: self._sketches(layer, numbers, now) for layer, numbers in chosen.items()}

    def fetch(self, chosen: Mapping[Layer, Collection[int]]) -> Mapping[Layer, Sequence[Row]]:
        return {
            layer: [_copied(_without_definition(row)) for row in self._layers[layer].numbered(numbers)]
            for layer, numbers in chosen.items()
        }

    def vectors(self, layer: Layer, embedder: str, *, after: int = 0, limit: int = 1000) -> Sequence[Vector]:
        held = self._layers[layer].vectors.get(embedder, {}).values()
        return sorted((each for each in held if each.stamp > after), key=lambda each: each.stamp)[:limit]

    def vector_numbers(self, layer: Layer, embedder: str) -> set[int]:
        return set(self._layers[layer].vectors.get(embedder, ()))

    def versions(self, layer: Layer, id: str) -> Sequence[Version | SkillVersion]:
        found = self._versions.get((layer, id), {})
        return [deepcopy(found[number]) for number in sorted(found, reverse=True)]

    def keys_of(self, *, session: str | None = None, subject: str | None = None) -> Sequence[str]:
        def concerns(said: Version | Knowledge) -> bool:
            given = said.given_by.values() if isinstance(said, Knowledge) else (said.session,)
            return session in given if session is not None else subject in {None, said.subject}

        versions = (each for known in self._versions.values() for each in known.values() if isinstance(each, Version))
        entries = (row.record for row in self._layers[Layer.USER_KNOWLEDGE].rows.values())
        said: list[Version | Knowledge] = [*versions, *(entry for entry in entries if isinstance(entry, Knowledge))]
        return sorted({each.key for each in said if concerns(each)})

    def associations(self, layer: Layer | None = None, id: str | None = None) -> Sequence[Association]:
        return [
            held[term]
            for each in sorted(self._layers)
            if layer in {None, each}
            for key, held in sorted(self._layers[each].associations.items())
            if id in {None, key}
            for term in sorted(held)
        ]

    def proposals(self) -> Sequence[Proposal]:
        return list(self._proposals.values())

    def templates(self, wanted: Sequence[TemplateFilter]) -> Sequence[tuple[str, str]]:
        data = self._layers[Layer.AGENT_LEARNINGS]
        rows = [data.rows[data.ids[number]] for number in sorted(data.ids, reverse=True)]
        learnings = [row.record for row in rows if isinstance(row.record, Learning)]
        return [found for each in wanted for found in islice(_passing(each, learnings), each.limit)]

    def activity(self, session: str, tool: str, *, calls: int = 0) -> Activity:
        held = self._calls.get(session, {})
        latest_first = [held[number] for number in sorted(held, reverse=True)]
        return Activity(
            [offer for place, offer in sorted(self._offers.items()) if place[0] == session],
            not all([call.ok for call in latest_first if call.tool == tool][:4]),
            latest_first[:calls],
        )

    def calls(self) -> Sequence[Call]:
        return [held[number] for _, held in sorted(self._calls.items()) for number in sorted(held)]

    def audit(self, *, after: int = 0, limit: int = 1000) -> Sequence[AuditRecord]:
        return [record for record in self._audit if record.sequence > after][:limit]

    def chain_end(self) -> tuple[int, str] | None:
        return (self._audit[-1].sequence, self._audit[-1].hash) if self._audit else None

    def note(self, name: str) -> str | None:
        return self._notes.get(name)

    # writing

    def put(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            data = self._layers[entry.record.layer]
            old = data.rows.get(entry.record.id)
            self._last_number += old is None
            number = old.number if old else self._last_number
            self._set(data, Row(number, entry.record, entry.document))
            if old is not None and old.document != entry.document and not entry.analysed:
                self._drop_vectors(data, number)
            if entry.embedded is not None and entry.document is not None:
                self.embed(entry.record.layer, {number: entry.embedded})

    def embed(self, layer: Layer, vectors: Mapping[int, Embedded]) -> None:
        data = self._layers[layer]
        for number, embedded in vectors.items():
            held = data.vectors.setdefault(embedded.embedder, {})
            before = held.get(number)
            if before is None or before.vector != embedded.vector:
                self._last_stamp += 1
                data.stamps[embedded.embedder] = self._last_stamp
                self._assign(held, number, Vector(number, self._last_stamp, embedded.vector))

    def associate(self, layer: Layer, id: str, associations: Collection[Association]) -> None:
        self._assign(self._layers[layer].associations, id, {each.term: each for each in associations} or None)

    def remove(self, layer: Layer, id: str) -> bool:
        data = self._layers[layer]
        old = data.rows.get(id)
        if old is None:
            return False
        data.swap(old, None)
        self._undo.append(lambda: data.swap(None, old))
        self._drop_vectors(data, old.number)
        self.associate(layer, id, ())
        return True

    def add_versions(self, versions: Sequence[Version | SkillVersion]) -> None:
        for version in versions:
            skills = Layer.SKILL_PATTERNS
            place = (Layer.USER_KNOWLEDGE, version.key) if isinstance(version, Version) else (skills, version.name)
            known = self._versions.setdefault(place, {})
            if version.version in known:
                raise StoreError(IN_MEMORY, f"version {version.version} of {place[1]!r} exists already")
            self._assign(known, version.version, version)

    def remove_versions(self, layer: Layer, id: str, numbers: Collection[int] | None = None) -> None:
        known = self._versions.get((layer, id), {})
        self._drop(known, tuple(known if numbers is None else numbers))

    def propose(self, proposals: Sequence[Proposal] = (), *, withdrawn: Collection[str] = ()) -> None:
        for proposal in proposals:
            self._assign(self._proposals, proposal.id, proposal)
        self._drop(self._proposals, withdrawn)

    def use(self, uses: Collection[Use]) -> None:
        for use in uses:
            row = self._layers[use.layer].rows.get(use.id)
            if row is not None:
                record = replace(row.record, use_count=row.record.use_count + use.count, last_used=use.at)
                self._set(self._layers[use.layer], row._replace(record=record))

    def learn(self, changes: LearningChanges) -> None:
        for learning, at in changes.seen.items():
            self._see(learning, at)
        for call in changes.calls:
            self._assign(self._calls.setdefault(call.session, {}), call.number, call)
        for offer in changes.offers:
            self._assign(self._offers, (offer.session, offer.learning), offer)
        for old, new in changes.renamed.items():
            self._rename(old, new)
        for session, latest in changes.keep_calls.items():
            held = self._calls.get(session, {})
            self._drop(held, sorted(held, reverse=True)[latest:])
        self._forget(changes)

    def _forget(self, changes: LearningChanges) -> None:
        below, before = changes.drop_calls_below, changes.drop_offers_before
        for session, held in self._calls.items():
            if changes.forget_everything or session in changes.forget_sessions:
                self._drop(held, list(held))
            elif below is not None:
                self._drop(held, [number for number in held if number < below])
        for place, offer in tuple(self._offers.items()):
            old = before is not None and offer.at < before
            if old or changes.forget_everything or offer.session in changes.forget_sessions:
                self._assign(self._offers, place, None)

    def append_audit(self, records: Sequence[AuditRecord], details: Sequence[str] = ()) -> None:
        for record in records:
            place = bisect_left(self._audit, record.sequence, key=lambda known: known.sequence)
            if place < len(self._audit) and self._audit[place].sequence == record.sequence:
                raise StoreError(IN_MEMORY, f"audit record {record.sequence} exists already")
            self._audit.insert(place, record)
            self._undo.append(lambda place=place: self._audit.pop(place))  # type: ignore[misc]

    def take_slot(self, session: str, kind: str, limit: int) -> None:
        """Nothing: the slots are counted by the limits."""

    def set_note(self, name: str, value: str) -> None:
        self._assign(self._notes, name, value)

    def scrub(self, *, index: bool = False) -> None:
        """Dictionaries leave nothing behind that anyone can read."""
        for data in self._layers.values() if index else ():
            self.put([Entry(row.record, None) for row in data.rows.values()])

    # the parts of it

    def _evidence(self, layer: Layer, question: Question) -> Evidence:
        data, now, facets = self._layers[layer], question.now, question.facets
        counted = counted_terms(question.terms, facets, subjects=layer in question.with_subjects)
        statistics = data.index.statistics(counted)
        filtered = bool(facets) or any(_expired(row.record, now) for row in data.numbered(data.expiring))

        def newest(term: str, room: int) -> Sequence[tuple[int, int, int]]:
            if not filtered:
                return data.index.postings(term, limit=room)
            holding = data.index.postings(term, limit=len(data.rows))
            left = self.passing(layer, [posting[0] for posting in holding], facets, now)
            return [posting for posting in holding if posting[0] in left][:room]

        known = all(each in statistics.frequencies for each in facets)
        order = opening_order(statistics, question.terms) if known else []
        associations = self._associated(data, question.terms)
        rows = {each.id: data.rows[each.id] for each in associations if each.id in data.rows}
        return Evidence(
            statistics,
            open_terms(order, newest, data.index.postings_among),  # type: ignore[arg-type]
            self._standing(data, question) if question.standing else (),
            VectorState(len(data.vectors.get(question.embedder, ())), data.stamps.get(question.embedder, 0))
            if question.embedder is not None
            else VectorState(),
            associations,
            {key: row.number for key, row in rows.items() if row.document is not None},
            filtered,
            any(numbers for rank, numbers in data.standing.items() if rank),
        )

    def _associated(self, data: _LayerData, terms: Sequence[str]) -> Sequence[Association]:
        found = [held[term] for term in terms for held in data.associations.values() if term in held]
        counts = Counter(each.term for each in found)
        return [each for each in found if counts[each.term] <= MOST_ASSOCIATIONS]

    def _standing(self, data: _LayerData, question: Question) -> Sequence[Row]:
        least = Standing.RULE if question.with_rules else Standing.PINNED
        if question.with_rules and sum(len(data.standing[rank]) for rank in Standing if rank) <= question.standing:
            least = Standing.OWN
        found: list[Row] = []
        for rank in sorted(data.standing, reverse=True):
            rows = data.numbered(data.standing[rank]) if rank >= least else ()
            unexpired = [row for row in rows if not _expired(row.record, question.now)]
            found += sorted(unexpired, key=lambda row: (row.record.updated, row.number), reverse=True)
        return [_copied(row) for row in found[: question.standing]]

    def _sketches(self, layer: Layer, numbers: Collection[int], now: datetime) -> Sketches:
        data = self._layers[layer]
        rows = [sketch_of(row, row.document) for row in data.numbered(numbers) if row.document is not None]
        unexpired = [each for each in rows if each.expires is None or each.expires > to_microseconds(now)]
        places = places_beside(unexpired)
        seats = (row for row in data.rows.values() if places and row.document and _seat(row.record) in places)
        beside = [sketch_of(row, row.document) for row in seats if row.document and not _expired(row.record, now)]
        return Sketches(unexpired, [each for each in beside if each.number not in numbers])

    def _see(self, id: str, at: datetime) -> None:
        data = self._layers[Layer.AGENT_LEARNINGS]
        row = data.rows.get(id)
        if row is not None and isinstance(row.record, Learning):
            self._set(data, row._replace(record=replace(row.record, seen=row.record.seen + 1, updated=at)))

    def _rename(self, old: str, new: str | None) -> None:
        """Put calls and offers of one learning under another's id, where that has no offer itself, or take them off."""
        for held in self._calls.values():
            for call in [each for each in held.values() if each.learning == old]:
                self._assign(held, call.number, replace(call, learning=new or ""))
        for place, offer in [each for each in self._offers.items() if each[0][1] == old]:
            self._assign(self._offers, place, None)
            if new is not None and (offer.session, new) not in self._offers:
                self._assign(self._offers, (offer.session, new), replace(offer, learning=new))

    def _drop(self, held: dict[K, V], keys: Collection[K]) -> None:
        for key in keys:
            self._assign(held, key, None)

    def _drop_vectors(self, data: _LayerData, number: int) -> None:
        for held in data.vectors.values():
            self._assign(held, number, None)

    def _set(self, data: _LayerData, row: Row) -> None:
        old = data.rows.get(row.record.id)
        data.swap(old, row)
        self._undo.append(lambda: data.swap(row, old))

    def _assign(self, held: dict[K, V], key: K, value: V | None) -> None:
        """Set a key of a dictionary, or remove it, in a way that can be undone."""
        before = held.get(key)
        _assign(held, key, value)
        self._undo.append(lambda: _assign(held, key, before))


def _assign(held: dict[K, V], key: K, value: V | None) -> None:
    if value is None:
        held.pop(key, None)
    else:
        held[key] = value


def _expired(record: Record, now: datetime) -> bool:
    return isinstance(record, Knowledge) and record.expires is not None and record.expires <= now


def _seat(record: Record) -> tuple[str, int | None]:
    return (record.thread, record.position) if isinstance(record, Knowledge) and record.thread else ("", None)


def _without_definition(row: Row) -> Row:
    return row._replace(record=replace(row.record, definition={})) if isinstance(row.record, Skill) else row


_MUTABLE: Final[dict[type[Record], tuple[str, ...]]] = {
    Knowledge: (),
    Learning: ("remedies",),
    Skill: ("definition", "parameters"),
    Reference: ("metadata",),
}


def _copied(row: Row) -> Row:
    """The row with copies of its mutable values, so a caller cannot change the stored ones."""
    copies = {name: deepcopy(getattr(row.record, name)) for name in _MUTABLE[type(row.record)]}
    return row._replace(record=replace(row.record, **copies)) if copies else row


def _passing(wanted: TemplateFilter, learnings: Iterable[Learning]) -> Iterator[tuple[str, str]]:
    for known in learnings:
        if known.trigger == wanted.trigger and wanted.passes(known.template, known.length, known.error_pattern):
            yield known.template, known.id
