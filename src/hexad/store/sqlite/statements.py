"""Runs SQL, and reads the migrations; a script that must run inside a transaction is
split into its statements.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import TYPE_CHECKING, Any

from hexad.store.codec import scripts_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hexad.store.sqlite.connections import Connection


class Queries:
    """Runs statements for one namespace, over one connection inside one transaction."""

    def __init__(self, connection: Connection, namespace: str) -> None:
        self.namespace = namespace
        self._connection = connection

    def _run(self, sql: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(sql, values)

    def _many(self, sql: str, values: Iterable[tuple[Any, ...]]) -> None:
        self._connection.executemany(sql, values)


@cache
def in_sqlite(sql: str) -> str:
    """A statement of PostgreSQL's with SQLite's names and placeholders: it has no
    schemas, and no tenants but names.
    """
    return (
        sql.replace("hexad.", "hexad_").replace("tenant", "namespace").replace("$", "?")
    )


def migrations() -> list[str]:
    """The migrations' scripts in order; the n-th leads to schema n."""
    return scripts_of(__package__)


def split(script: str) -> Iterator[str]:
    """The script's statements one by one: `executescript` would commit the transaction
    it runs in.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
