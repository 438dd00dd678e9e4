"""Baselines: other ways to answer the same questions over the same items, measured in the same run."""

from __future__ import annotations

import re
import sqlite3
from abc import ABC, abstractmethod
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

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


class Baseline(ABC):
    """Answers questions over the items it was built from."""

    @abstractmethod
    def ask(self, question: str, limit: int) -> Sequence[str]:
        """The ids of the best items, best first."""

    def close(self) -> None:  # noqa: B027 - most have nothing to release
        """Release its resources."""


class _InSqlite(Baseline):
    """A table of ids and texts in SQLite."""

    create: ClassVar[str]

    def __init__(self, documents: Sequence[Document]) -> None:
        self._connection = sqlite3.connect(":memory:")
        self._connection.execute(self.create)
        self._connection.executemany("INSERT INTO item VALUES (?, ?)", [(each.id, each.text) for each in documents])

    def _ids(self, where: str, *values: str | int) -> Sequence[str]:
        return [row[0] for row in self._connection.execute(f"SELECT id FROM item WHERE {where} LIMIT ?", values)]  # noqa: S608 - nothing but placeholders

    def close(self) -> None:
        """Close its database."""
        self._connection.close()


class Like(_InSqlite):
    """Any of the first five keywords of the question, anywhere in the text, oldest first: what many agents do today."""

    create = "CREATE TABLE item (id TEXT, text TEXT)"

    def ask(self, question: str, limit: int) -> Sequence[str]:
        """Rows with any of the keywords."""
        keywords = [f"%{word.surface}%" for word in words(question, asking=True)][:5]
        where = " OR ".join("text LIKE ?" for _ in keywords)
        return self._ids(f"({where})", *keywords, limit) if keywords else []


class Fts5(_InSqlite):
    """SQLite's full-text index with its own Porter stemmer, all words as alternatives, ordered by BM25."""

    create = "CREATE VIRTUAL TABLE item USING fts5 (id UNINDEXED, text, tokenize = 'porter unicode61')"

    def ask(self, question: str, limit: int) -> Sequence[str]:
        """The best rows by rank."""
        query = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        return self._ids("item MATCH ? ORDER BY rank", query, limit) if query else []


class Bm25s(Baseline):
    """The package bm25s with its defaults."""

    def __init__(self, documents: Sequence[Document]) -> None:
        if bm25s is None:
            raise MissingExtra("the baseline bm25s", "pip install bm25s")
        self._ids = [each.id for each in documents]
        self._tokenize: Any = lambda texts: bm25s.tokenize(texts, stopwords="en", show_progress=False)
        self._index: Any = bm25s.BM25()
        self._index.index(self._tokenize([each.text for each in documents]), show_progress=False)

    def ask(self, question: str, limit: int) -> Sequence[str]:
        """The best rows by score, without those that score 0."""
        most = min(limit, len(self._ids))
        places, scores = self._index.retrieve(self._tokenize([question]), k=most, show_progress=False)
        return [self._ids[place] for place, score in zip(places[0], scores[0], strict=True) if score > 0]


class Static(Baseline):
    """Static embeddings only, with Hexad's embedder: what a vector memory finds."""

    def __init__(self, documents: Sequence[Document]) -> None:
        if not semantic.installed():
            raise missing_extra("the baseline static", semantic.EXTRA)
        self._ids = [each.id for each in documents]
        self._space = _static().space([each.text for each in documents])

    def ask(self, question: str, limit: int) -> Sequence[str]:
        """The nearest rows."""
        return [self._ids[number] for number in self._space.near(question).nearest(limit, all_of_them=True)]


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
