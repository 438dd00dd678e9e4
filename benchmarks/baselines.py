"""Baselines for `make eval` that need packages of their own: BM25, and static embeddings alone."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from hexad.evals.baselines import BASELINES
from hexad.semantic import static_similarity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexad.evals.baselines import Answer
    from hexad.evals.data import Document


@contextmanager
def bm25(documents: Sequence[Document]) -> Iterator[Answer]:
    """The package bm25s with its defaults; rows that score 0 are no answer."""
    import bm25s

    def tokens(texts: list[str]) -> object:
        return bm25s.tokenize(texts, stopwords="en", show_progress=False)

    index = bm25s.BM25()
    index.index(tokens([each.text for each in documents]), show_progress=False)

    def answer(question: str, limit: int) -> Sequence[str]:
        most = min(limit, len(documents))
        places, scores = index.retrieve(tokens([question]), k=most, show_progress=False)
        return [documents[place].id for place, score in zip(places[0], scores[0], strict=True) if score > 0]

    yield answer


@contextmanager
def static(documents: Sequence[Document]) -> Iterator[Answer]:
    """Static embeddings only, with Hexad's embedder: what a vector memory finds."""
    space = static_similarity(patience=60.0).space([each.text for each in documents])
    yield lambda question, limit: [
        documents[number].id for number in space.near(question).nearest(limit, all_of_them=True)
    ]


ALL = {**BASELINES, "bm25s": bm25, "static": static}
