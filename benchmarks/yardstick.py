"""The baseline: a plain FTS5 table and a plain OR query ordered by rank, fully
synchronous.
"""

from __future__ import annotations

import re
import sqlite3
from typing import TYPE_CHECKING

from hexad.text import words

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from benchmarks.corpus import Entry

_QUERY = "SELECT key, content FROM entry WHERE entry MATCH ? ORDER BY rank LIMIT 5"


class Yardstick:
    def __init__(self, path: Path, entries: Iterable[Entry] = ()) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(
            "CREATE VIRTUAL TABLE entry USING fts5 (key, content, tags)"
        )
        self._connection.execute("BEGIN")
        for entry in entries:
            self._insert(entry)
        self._connection.execute("COMMIT")
        self._connection.execute("INSERT INTO entry (entry) VALUES ('optimize')")

    def ask(self, question: str) -> list[tuple[str, str]]:
        """Every word of the question, as alternatives."""
        return self._match(re.findall(r"\w+", question))

    def ask_keywords(self, question: str) -> list[tuple[str, str]]:
        """The same without stop words: a harder yardstick, for it spares itself the
        long lists.
        """
        return self._match(
            [
                part
                for word in words(question, asking=True)
                for part in re.findall(r"\w+", word.surface)
            ]
        )

    def save(self, entry: Entry) -> None:
        self._connection.execute("BEGIN")
        self._insert(entry)
        self._connection.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()

    def _insert(self, entry: Entry) -> None:
        self._connection.execute(
            "INSERT INTO entry VALUES (?, ?, ?)",
            (entry.key, entry.content, " ".join(entry.tags)),
        )

    def _match(self, found: list[str]) -> list[tuple[str, str]]:
        if not found:
            return []
        query = " OR ".join(f'"{word}"' for word in found)
        return self._connection.execute(_QUERY, (query,)).fetchall()
