"""Compares the rows of a namespace with their versions, index and vectors, and rebuilds
one from the other.

It asks a store what everybody asks, so it notices what would give a wrong answer, and
works on every store.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from hexad.errors import StoreDamaged
from hexad.memory import audit
from hexad.memory.forgetting import VERSIONED
from hexad.memory.index.indexing import (
    all_namespaces,
    document_of,
    embed_missing,
    pages,
    put,
    reindex,
)
from hexad.memory.index.similarity import Similarity, embedded_text
from hexad.memory.knowledge import version_of
from hexad.model import RECORDS, Knowledge, Layer, Origin, Record, Skill, Version
from hexad.store import (
    LayerEvidence,
    Question,
    Reading,
    Row,
    Store,
    Writing,
    standing_of,
)
from hexad.store.searching import CAPACITY, MAX_OPENED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_EARLIEST: Final = datetime.min.replace(tzinfo=UTC)  # nothing has expired by then
_FORGET: Final = "knowledge.forget"
_AGAIN: Final = "restore a backup, or review and activate them again"
_GONE: Final = "restore a backup, or accept the loss with `hexad doctor --repair`"
_MOVED: Final = "save it again from there, or restore a backup"
_NAMED: Final = 3  # damaged records that a message names


@dataclass(frozen=True, slots=True)
class Damage:
    """One kind of damage in a namespace; ``part`` is rows, versions, index or vectors."""

    namespace: str
    part: str
    detail: str
    advice: str = "run `hexad doctor --repair`"


def damages(
    store: Store, similarity: Similarity | None, is_altered: Callable[[Record], bool]
) -> Iterator[Damage]:
    """The damage of every namespace. Vectors are compared with what an embedder makes
    of the rows.

    ``is_altered`` says of a record whether it is not what a person approved, which
    nothing here can mend.
    """
    for namespace in all_namespaces(store):
        try:
            with store.reading(namespace) as view:
                yield from _Comparison(view, similarity, is_altered).damages()
        except StoreDamaged as error:
            yield Damage(namespace, "rows", str(error).partition(";")[0])


def rebuild(store: Store, now: datetime, similarity: Similarity | None) -> list[Damage]:
    """Rebuild rows from versions, and versions, index and vectors from rows, in a
    transaction for each namespace.

    A file first sets aside the rows that cannot be read: these are returned. On a
    server they are `StoreDamaged`, if they have no version, and the namespace stays as
    it was.
    """
    aside = store.mend()
    for namespace in all_namespaces(store):
        with store.transaction(namespace) as unit:
            mended = sum(_mend(unit, key) for key in unit.keys_of())
            unit.scrub(index=True)
            reindex(unit)
            log = partial(audit.append, unit, at=now, session="", actor=Origin.USER)
            for key in _lost(
                unit, [key for key in unit.keys_of() if _has_gap(unit, key)]
            ):
                log(action=_FORGET, target=key, details={"lost": True})
            log(action="repair", target=namespace, details={"rebuilt": mended})
    if similarity is not None:
        embed_missing(store, similarity, now, lambda _done, _total: None)
    return [Damage(namespace, "rows", moved, _MOVED) for namespace, moved in aside]


class _Comparison:
    """The comparison of one namespace, in one state of it."""

    def __init__(
        self,
        view: Reading,
        similarity: Similarity | None,
        is_altered: Callable[[Record], bool],
    ) -> None:
        self._view = view
        self._similarity = similarity
        self._is_altered = is_altered

    def damages(self) -> Iterator[Damage]:
        keys, altered, gaps = set[str](), list[str](), list[str]()
        for kind in RECORDS:
            expected, unlike = _Expected(), list[str]()
            for page in pages(self._view, kind.layer):
                for row in page:
                    expected.add(row)
                    altered += [row.record.id] if self._is_altered(row.record) else []
                    if isinstance(row.record, Knowledge):
                        keys.add(row.record.key)
                        versions = _versions(self._view, row.record.key)
                        unlike += (
                            []
                            if versions and _agree(row.record, versions[0])
                            else [row.record.key]
                        )
                        gaps += (
                            [row.record.key] if _is_gap(row.record, versions) else []
                        )
                    elif isinstance(row.record, Skill):
                        self._view.versions(kind.layer, row.record.name)
            yield from self._found(
                "versions", "differ from the newest version, or have none", unlike
            )
            yield from self._of_layer(kind.layer, expected)
        (
            self._view.associations(),
            list(self._view.proposals()),
        )  # both are read by backups
        lost = sorted(set(self._view.keys_of()) - keys)
        yield from self._found("rows", "have versions and no row", lost)
        yield from self._found(
            "rows", "are not what was approved", altered, advice=_AGAIN
        )
        yield from self._found(
            "versions", "have lost an older one", _lost(self._view, gaps), advice=_GONE
        )

    def _of_layer(self, layer: Layer, expected: _Expected) -> Iterator[Damage]:
        yield from self._found(
            "rows", f"of {layer} hold other words than are indexed", expected.unlike
        )
        for fault in list(self._index_faults(layer, expected))[:1]:
            yield Damage(self._view.namespace, "index", f"of {layer}: {fault}")
        faults = self._vector_faults(layer)
        yield from self._found(
            "vectors", f"of {layer} are not those of the text", faults
        )

    def _found(
        self, part: str, what: str, ids: Iterable[object], **advice: str
    ) -> Iterator[Damage]:
        if listed := list(ids):
            named = ", ".join(map(repr, listed[:_NAMED])) + (
                " …" if len(listed) > _NAMED else ""
            )
            yield Damage(
                self._view.namespace, part, f"{len(listed)} {what}: {named}", **advice
            )

    def _index_faults(self, layer: Layer, expected: _Expected) -> Iterator[str]:
        """Ask for every term, as many at once as are answered in full."""
        for terms in _together(expected.frequencies) or [[]]:
            found = self._asked(
                Question(layers=[layer], now=_EARLIEST, terms=terms), layer
            )
            if (found.statistics.rows, found.statistics.length) != (
                expected.rows,
                expected.length,
            ):
                yield f"its {expected.rows} rows are counted as {found.statistics.rows}, or their lengths are wrong"
            for term in terms:
                count = expected.frequencies[term]
                postings = (
                    _digest(found.postings.get(term, ()))
                    if count < CAPACITY
                    else expected.postings[term]
                )
                if (found.statistics.frequencies.get(term), postings) != (
                    count,
                    expected.postings[term],
                ):
                    yield f"the term {term!r} leads to wrong rows"
        yield from self._frequent_faults(layer, expected)
        question = Question(
            layers=[layer], now=_EARLIEST, standing=expected.rows + 1, with_rules=True
        )
        if {
            row.number for row in self._asked(question, layer).standing
        } != expected.standing:
            yield "other entries stand in every prompt than should"

    def _frequent_faults(self, layer: Layer, expected: _Expected) -> Iterator[str]:
        """Ask which rows hold the terms that have too many rows for one answer."""
        frequent = [
            term for term, count in expected.frequencies.items() if count >= CAPACITY
        ]
        for page in pages(self._view, layer) if frequent else ():
            held = {
                row.number: row.document.weights()
                for row in page
                if row.document is not None
            }
            for term in frequent:
                wanted = {number for number, weights in held.items() if term in weights}
                if self._view.passing(layer, list(held), [term], _EARLIEST) != wanted:
                    yield f"the term {term!r} leads to wrong rows"

    def _asked(self, question: Question, layer: Layer) -> LayerEvidence:
        return self._view.evidence(question)[layer]

    def _vector_faults(self, layer: Layer) -> Iterator[int]:
        """The numbers of vectors without a row, or unlike what the embedder makes of
        its text now.
        """
        last, similarity, count = 0, self._similarity, 0
        while similarity is not None and (
            page := self._view.vectors(layer, similarity.name, after=last)
        ):
            last, count = page[-1].stamp, count + len(page)
            numbers = [each.number for each in page]
            fetched = self._view.fetch({layer: numbers})[layer]
            rows = {row.number: row for row in fetched}
            known = [
                each
                for each in page
                if each.number in rows and rows[each.number].document is not None
            ]
            yield from (each.number for each in page if each not in known)
            made = similarity.embed(
                [embedded_text(rows[each.number].record.fields()) for each in known]
            )
            yield from (
                each.number
                for each, vector in zip(known, made, strict=True)
                if vector != each.vector
            )
        if similarity is not None:
            state = self._asked(
                Question(layers=[layer], now=_EARLIEST, embedder=similarity.name), layer
            ).vectors
            yield from range(
                count, state.rows
            )  # so many are counted, and are not there


@dataclass(slots=True)
class _Expected:
    """The index that a layer must have, by its rows."""

    rows: int = 0
    length: int = 0
    frequencies: dict[str, int] = field(default_factory=dict)
    postings: dict[str, int] = field(
        default_factory=dict
    )  # of each term, as a `_digest`
    standing: set[int] = field(default_factory=set)
    unlike: list[str] = field(
        default_factory=list
    )  # the rows whose indexed words are not those of their text

    def add(self, row: Row) -> None:
        """Take in a row."""
        if document_of(row.record) != row.document:
            self.unlike.append(row.record.id)
        if row.document is None:
            return
        self.rows += 1
        self.length += row.document.length
        if isinstance(row.record, Knowledge) and standing_of(row.record):
            self.standing.add(row.number)
        for term, weight in row.document.weights().items():
            self.frequencies[term] = self.frequencies.get(term, 0) + 1
            posting = (row.number, weight, row.document.length)
            self.postings[term] = self.postings.get(term, 0) + _digest([posting])


def _digest(postings: Iterable[Sequence[int]]) -> int:
    """A number for some postings, the same in any order."""
    return sum(hash(tuple(posting)) for posting in postings)


def _together(frequencies: dict[str, int]) -> list[list[str]]:
    """The terms in lists, each of which one question answers with all its rows; a
    frequent term stands alone.
    """
    found, total = list[list[str]](), CAPACITY
    for term, count in sorted(frequencies.items(), key=lambda each: each[1]):
        if total + count >= CAPACITY or len(found[-1]) == MAX_OPENED:
            found.append([])
            total = 0
        found[-1].append(term)
        total += count
    return found


def _versions(view: Reading, key: str) -> Sequence[Version]:
    return cast("Sequence[Version]", view.versions(Layer.USER_KNOWLEDGE, key))


def _agree(entry: Knowledge, version: Version) -> bool:
    return (entry.version, entry.content, entry.category) == (
        version.version,
        version.content,
        version.category,
    )


def _is_gap(entry: Knowledge, versions: Sequence[Version]) -> bool:
    """Whether a version that `history` should show is missing; the newest is compared
    with the entry itself.
    """
    known = {each.version for each in versions}
    return any(
        number not in known for number in range(entry.first_version, entry.version)
    )


def _has_gap(view: Reading, key: str) -> bool:
    row = view.get(Layer.USER_KNOWLEDGE, key)
    return row is not None and _is_gap(
        cast("Knowledge", row.record), _versions(view, key)
    )


def _lost(view: Reading, gaps: Sequence[str]) -> list[str]:
    """The keys of ``gaps`` whose older versions nobody has forgotten."""
    log = audit.records(view) if gaps else ()
    forgotten = {record.target for record in log if record.action == _FORGET}
    return [key for key in gaps if key not in forgotten]


def _mend(unit: Writing, key: str) -> bool:
    """Rebuild an entry from its newest version, or the version from the entry; whether
    one of them was damaged.
    """
    versions, row = _versions(unit, key), _readable(unit, key)
    if row is None:
        put(unit, [_restored(versions)] if versions else [])
        return bool(versions)
    entry = cast("Knowledge", row.record)
    if versions and _agree(entry, versions[0]):
        return False
    if (
        versions
        and versions[0].version >= entry.version
        and not _is_whole(row, versions[0])
    ):
        put(unit, [_from(entry, versions[0])])
    else:
        unit.remove_versions(Layer.USER_KNOWLEDGE, key, [entry.version])
        unit.add_versions([version_of(entry)])
    return True


def _is_whole(row: Row, version: Version) -> bool:
    """Whether not the row was damaged but its version: the words that are indexed are
    the row's.
    """
    entry = cast("Knowledge", row.record)
    return document_of(entry) == row.document != document_of(_from(entry, version))


def _from(entry: Knowledge, version: Version) -> Knowledge:
    return replace(
        entry,
        version=version.version,
        content=version.content,
        category=version.category,
    )


def _restored(versions: Sequence[Version]) -> Knowledge:
    """An entry of which only the versions are left: its tags, pin, thread and expiry
    are lost.
    """
    newest, oldest = versions[0], versions[-1]
    said = {name: getattr(newest, name) for name in VERSIONED}
    return Knowledge(
        **said,
        created=oldest.created,
        updated=newest.created,
        first_version=oldest.version,
    )


def _readable(unit: Writing, key: str) -> Row | None:
    """The row of an entry; None if it cannot be read, and then no index is left that
    could be the reason.
    """
    try:
        row = unit.get(Layer.USER_KNOWLEDGE, key)
    except StoreDamaged:
        unit.scrub(index=True)
        return None
    return row if row and row.record.id == key else None
