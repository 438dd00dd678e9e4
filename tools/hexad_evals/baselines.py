"""Baselines: other ways to answer the same questions over the same items, measured in
the same run.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import AbstractContextManager, closing, contextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad import semantic
from hexad.errors import UnknownChoice
from hexad.extras import missing_extra
from hexad.text import words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad_evals.data import EvalItem

    Answer: TypeAlias = Callable[
        [str, int], Sequence[str]
    ]  # a question and a number → the ids of the best, best first
    Baseline: TypeAlias = Callable[[Sequence[EvalItem]], AbstractContextManager[Answer]]


@contextmanager
def like(documents: Sequence[EvalItem]) -> Iterator[Answer]:
    """Any of the first five keywords of the question, anywhere in the text, oldest
    first: what many agents do today.
    """
    with closing(_table("TABLE item (id TEXT, text TEXT)", documents)) as table:

        def answer(question: str, limit: int) -> Sequence[str]:
            keywords = [f"%{word.surface}%" for word in words(question, asking=True)][
                :5
            ]
            where = " OR ".join("text LIKE ?" for _ in keywords) or "FALSE"
            return _ids(table, where, *keywords, limit)

        yield answer


@contextmanager
def fts5(documents: Sequence[EvalItem]) -> Iterator[Answer]:
    """SQLite's full-text index with its own Porter stemmer, all words as alternatives,
    ordered by BM25.
    """
    fields = "VIRTUAL TABLE item USING fts5 (id UNINDEXED, text, tokenize = 'porter unicode61')"
    with closing(_table(fields, documents)) as table:

        def answer(question: str, limit: int) -> Sequence[str]:
            query = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
            return (
                _ids(table, "item MATCH ? ORDER BY rank", query, limit) if query else []
            )

        yield answer


@contextmanager
def static(documents: Sequence[EvalItem]) -> Iterator[Answer]:
    """Static embeddings only, with Hexad's embedder: what a vector memory finds."""
    if not semantic.installed():
        raise missing_extra("the baseline static", semantic.EXTRA)
    space = semantic.static_similarity(patience=60.0).space(
        [each.text for each in documents]
    )
    yield lambda question, limit: [
        documents[number].id
        for number in space.near(question).nearest(limit, all_of_them=True)
    ]


def _table(fields: str, documents: Sequence[EvalItem]) -> sqlite3.Connection:
    table = sqlite3.connect(":memory:")
    table.execute(f"CREATE {fields}")
    table.executemany(
        "INSERT INTO item VALUES (?, ?)", [(each.id, each.text) for each in documents]
    )
    return table


def _ids(table: sqlite3.Connection, where: str, *values: str | int) -> Sequence[str]:
    return [
        row[0]
        for row in table.execute(f"SELECT id FROM item WHERE {where} LIMIT ?", values)  # noqa: S608 - nothing but placeholders
    ]


BASELINES: Final[dict[str, Baseline]] = {"like": like, "fts5": fts5, "static": static}


def chosen(names: Sequence[str]) -> dict[str, Baseline]:
    """The baselines of these names."""
    for name in names:
        if name not in BASELINES:
            raise UnknownChoice("baseline", name, BASELINES)
    return {name: BASELINES[name] for name in names}
