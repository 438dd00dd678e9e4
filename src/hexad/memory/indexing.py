"""Which records belong into the index, and how all of them get there again: analyser or embedder may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hexad.memory.similarity import embed_all, embedded_text
from hexad.model import RECORDS, Knowledge, Record, Skill, SkillStatus
from hexad.store import Embedded, Scope
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexad.memory.similarity import Similarity
    from hexad.store import Reading, Store, Writing

_BATCH: Final = 256  # rows that are embedded at a time


def document_of(record: Record) -> Document | None:
    """A record's terms; None for one that is not to be found: a hidden entry, a skill that is not active."""
    hidden = isinstance(record, Knowledge) and record.deleted is not None
    inactive = isinstance(record, Skill) and record.status is not SkillStatus.ACTIVE
    return None if hidden or inactive else Document.of(record.fields())


def put(unit: Writing, scope: Scope, record: Record, similarity: Similarity | None) -> None:
    """Store a record with its terms and, where there is an embedder, its vector."""
    document = document_of(record)
    texts = [embedded_text(record.fields())] if document is not None and similarity is not None else []
    embedded = embed_all(similarity, texts)
    unit.put(scope, record, document, embedded[0] if embedded else None)


def records(view: Reading, scope: Scope) -> Iterator[Record]:
    """Every record of a scope, in the order of first saving, page by page."""
    last = 0
    while page := view.page(scope, after=last):
        yield from (row.record for row in page)
        last = page[-1].number


def reindex(unit: Writing) -> int:
    """Analyse every row of every namespace again; returns how many."""
    count = 0
    for namespace in unit.namespaces():
        for kind in RECORDS:
            scope = Scope(namespace, kind.layer)
            for record in list(records(unit, scope)):
                unit.put(scope, record, document_of(record))
                count += 1
    return count


def embed_missing(store: Store, similarity: Similarity, progress: Callable[[int, int], None]) -> int:
    """Give every row of every namespace that has none a vector of this embedder; returns how many got one.

    A row that changes meanwhile is left for the next time, so that no vector is of a text that has changed.
    """
    with store.reading() as view:
        scopes = [Scope(namespace, kind.layer) for namespace in view.namespaces() for kind in RECORDS]
    total, done = missing_vectors(store, similarity), 0
    for scope in scopes:
        last = 0
        while rows := _embed_batch(store, similarity, scope, last):
            last, done = rows[-1], done + len(rows)
            progress(done, max(done, total))
    return done


def missing_vectors(store: Store, similarity: Similarity) -> int:
    """How many rows, of all namespaces, have no vector of this embedder."""
    with store.reading() as view:
        scopes = [Scope(namespace, kind.layer) for namespace in view.namespaces() for kind in RECORDS]
        return sum(view.statistics(scope, ()).rows - view.vector_state(scope, similarity.name).rows for scope in scopes)


def _embed_batch(store: Store, similarity: Similarity, scope: Scope, after: int) -> list[int]:
    """The numbers of the rows that were looked at; an embedder's own error is the caller's to see.

    Nobody waits for the embedder: it runs before the transaction, in which a row that has changed since is left.
    """
    with store.reading() as view:
        rows = view.without_vector(scope, similarity.name, after=after, limit=_BATCH)
    if not rows:
        return []
    vectors = similarity.embed([embedded_text(row.record.fields()) for row in rows])
    with store.transaction() as unit:
        now = {row.number: row for row in unit.fetch(scope, [row.number for row in rows])}
        for row, vector in zip(rows, vectors, strict=True):
            if now.get(row.number) == row:
                unit.embed(scope, row.number, Embedded(similarity.name, vector))
    return [row.number for row in rows]
