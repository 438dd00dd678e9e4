"""Baselines: other ways to answer the same questions over the same items, measured in the same run."""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from hexad import semantic
from hexad.errors import MissingExtra, UnknownChoice
from hexad.extras import missing_extra
from hexad.text import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad.evals.data import Document

    Builder: TypeAlias = Callable[[Sequence[Document]], "Baseline"]

try:
    import bm25s
except ImportError:
    bm25s = None


class Baseline(Protocol):
    """Answers questions over the items it was built from."""

    def ask(self, question: str, limit: int) -> Sequence[str]:
        """The ids of the best items, best first."""
        ...

    def close(self) -> None:
        """Release its resources."""
        ...


class Like:
    """Any keyword of the question, anywhere in the text, oldest first: what many agents do today."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute("CREATE TABLE item (id TEXT, text TEXT)")
        self._connection.executemany("INSERT INTO item VALUES (?, ?)", [(each.id, each.text) for each in documents])

    def ask(self, question: str, limit: int) -> Sequence[str]:
        """Rows with any of the first five keywords."""
        keywords = [word.surface for word in words(question, asking=True)][:5]
        if not keywords:
            return []
        where = " OR ".join("text LIKE ?" for _ in keywords)
        rows = self._connection.execute(
            f"SELECT id FROM item WHERE {where} LIMIT ?",  # noqa: S608 - nothing but placeholders
            (*(f"%{keyword}%" for keyword in keywords), limit),
        )
        return [row[0] for row in rows]

    def close(self) -> None:
        """Close its database."""
        self._connection.close()


class Fts5:
    """SQLite's full-text index with its own Porter stemmer, all words as alternatives, ordered by BM25."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute(
            "CREATE VIRTUAL TABLE item USING fts5 (id UNINDEXED, text, tokenize = 'porter unicode61')"
        )
        self._connection.executemany("INSERT INTO item VALUES (?, ?)", [(each.id, each.text) for each in documents])

    def ask(self, question: str, limit: int) -> Sequence[str]:
        """The best rows by rank."""
        found = re.findall(r"\w+", question)
        if not found:
            return []
        query = " OR ".join(f'"{word}"' for word in found)
        rows = self._connection.execute("SELECT id FROM item WHERE item MATCH ? ORDER BY rank LIMIT ?", (query, limit))
        return [row[0] for row in rows]

    def close(self) -> None:
        """Close its database."""
        self._connection.close()


class Bm25s:
    """The package bm25s with its defaults."""

    def __init__(self, documents: Sequence[Document]) -> None:
        if bm25s is None:
            raise MissingExtra("the baseline bm25s", "bm25s")
        self._ids = [each.id for each in documents]
        self._tokenize: Any = lambda texts: bm25s.tokenize(texts, stopwords="en", show_progress=False)
        self._index: Any = bm25s.BM25()
        self._index.index(self._tokenize([each.text for each in documents]), show_progress=False)

    def ask(self, question: str, limit: int) -> Sequence[str]:
        """The best rows by score, without those that score 0."""
        places, scores = self._index.retrieve(
            self._tokenize([question]), k=min(limit, len(self._ids)), show_progress=False
        )
        return [self._ids[place] for place, score in zip(places[0], scores[0], strict=True) if score > 0]

    def close(self) -> None:
        """Nothing to release."""


class Static:
    """Static embeddings only, with Hexad's embedder: what a vector memory finds."""

    def __init__(self, documents: Sequence[Document]) -> None:
        if not semantic.installed():
            raise missing_extra("the baseline static", semantic.EXTRA)
        self._ids = [each.id for each in documents]
        self._space = _static().space([each.text for each in documents])

    def ask(self, question: str, limit: int) -> Sequence[str]:
        """The nearest rows."""
        return [self._ids[number] for number in self._space.near(question).nearest(limit, all_of_them=True)]

    def close(self) -> None:
        """Nothing to release."""


@cache
def _static() -> semantic.LazySimilarity:
    return semantic.static_similarity()


BASELINES: Final[dict[str, Builder]] = {"like": Like, "fts5": Fts5, "bm25s": Bm25s, "static": Static}


def chosen(names: Sequence[str]) -> dict[str, Builder]:
    """The baselines of these names."""
    for name in names:
        if name not in BASELINES:
            raise UnknownChoice("baseline", name, BASELINES)
    return {name: BASELINES[name] for name in names}
