"""Which records belong into the index, and how they get there again when the analyser
or the embedder changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hexad.memory.index.similarity import Similarity, embed_all, embedded_text
from hexad.model import (
    DEFAULT_LAYERS,
    RECORDS,
    Knowledge,
    Layer,
    Learning,
    Record,
    Skill,
    SkillStatus,
)
from hexad.store import Embedded, Entry, Question, Reading, Row, Store, Writing
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

_BATCH: Final = 256  # rows that are embedded at a time
_PAGE: Final = 1000
_LOADING: Final = 60.0  # seconds that reindexing waits for the embedder


def document_of(record: Record) -> Document | None:
    """A record's terms; None for one that is not found: a hidden entry, an inactive
    skill, a failure without more.
    """
    hidden = isinstance(record, Knowledge) and record.deleted is not None
    inactive = isinstance(record, Skill) and record.status is not SkillStatus.ACTIVE
    bare = isinstance(record, Learning) and not record.says
    return None if hidden or inactive or bare else Document.of(record.fields())


def put(
    unit: Writing, records: Sequence[Record], similarity: Similarity | None = None
) -> None:
    """Store records with their terms and, where there is an embedder, their vectors."""
    documents = [document_of(record) for record in records]
    if similarity is None:
        unit.put(
            [
                Entry(record, document)
                for record, document in zip(records, documents, strict=True)
            ]
        )
        return
    found = [place for place, document in enumerate(documents) if document is not None]
    texts = [embedded_text(records[place].fields()) for place in found]
    vectors = dict(zip(found, embed_all(similarity, texts), strict=True))
    unit.put(
        [
            Entry(record, documents[place], vectors.get(place))
            for place, record in enumerate(records)
        ]
    )


def pages(
    view: Reading, layer: Layer, *, without: str | None = None
) -> Iterator[Sequence[Row]]:
    """Every row of a layer, in the order of first saving, or the indexed rows without a
    vector of an embedder.
    """
    last = 0
    while page := view.page(layer, after=last, without=without):
        yield page
        last = page[-1].number


def records(view: Reading, layer: Layer) -> Iterator[Record]:
    """Every record of a layer, in the order of first saving."""
    return (row.record for page in pages(view, layer) for row in page)


def all_namespaces(store: Store) -> Iterator[str]:
    """Every namespace, sorted, page by page."""
    last = ""
    while page := store.namespaces(after=last, limit=_PAGE):
        yield from page
        last = page[-1]


def reindex(unit: Writing) -> None:
    """Analyse every row of a namespace again."""
    for kind in RECORDS:
        every = list(records(unit, kind.layer))
        unit.put(
            [Entry(record, document_of(record), analysed=True) for record in every]
        )


def fold_keys(unit: Writing) -> None:
    """Store entries again whose keys SQL alone could not fold: its lower() knows ASCII
    only.
    """
    put(
        unit,
        [each for each in records(unit, Layer.USER_KNOWLEDGE) if not each.id.isascii()],
    )


def embed_missing(
    store: Store,
    similarity: Similarity,
    now: datetime,
    progress: Callable[[int, int], None],
) -> int:
    """Embed every row, in all namespaces, that has no vector of this embedder; return
    their number.

    A row that changes meanwhile is left for the next time, so that no vector belongs to
    an older text.
    """
    similarity.ready(_LOADING)
    total, done = missing_vectors(store, similarity, now), 0
    for namespace in all_namespaces(store):
        for kind in RECORDS:
            last = 0
            while batch := _embed_batch(store, similarity, namespace, kind.layer, last):
                last, done = batch[0], done + batch[1]
                progress(done, max(done, total))
    return done


def missing_vectors(store: Store, similarity: Similarity, now: datetime) -> int:
    """How many rows that the embedder can read, of all namespaces, have no vector of
    it.
    """
    missing, sizes = (
        0,
        Question(layers=DEFAULT_LAYERS, now=now, embedder=similarity.name),
    )
    for namespace in all_namespaces(store):
        with store.reading(namespace) as view:
            for layer, each in view.evidence(sizes).items():
                if each.statistics.rows > each.vectors.rows:
                    rows = (
                        row
                        for page in pages(view, layer, without=similarity.name)
                        for row in page
                    )
                    missing += sum(
                        similarity.reads(embedded_text(row.record.fields()))
                        for row in rows
                    )
    return missing


def _embed_batch(
    store: Store, similarity: Similarity, namespace: str, layer: Layer, after: int
) -> tuple[int, int] | None:
    """The last number that was looked at, and how many rows got a vector; an error of
    the embedder is raised.

    Nobody waits for the embedder: it runs before the transaction, in which rows that
    have changed are left out.
    """
    with store.reading(namespace) as view:
        rows = view.page(layer, after=after, limit=_BATCH, without=similarity.name)
    if not rows:
        return None
    vectors = similarity.embed([embedded_text(row.record.fields()) for row in rows])
    with store.transaction(namespace) as unit:
        now = {
            row.number: row
            for row in unit.page(
                layer, after=after, limit=_BATCH, without=similarity.name
            )
        }
        made = zip(rows, vectors, strict=True)
        same = {
            row.number: Embedded(similarity.name, vector)
            for row, vector in made
            if vector is not None and now.get(row.number) == row
        }
        unit.embed(layer, same)
    return rows[-1].number, sum(vector is not None for vector in vectors)
