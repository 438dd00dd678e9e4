"""SQL by name, read once from `queries.sql`, and split where a script must run inside a transaction."""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from hexad.store.sqlite.connections import Connection


@cache
def statements() -> Mapping[str, str]:
    """Every statement of `queries.sql` under its name."""
    parts = re.split(r"^-- name: (\w+)\n", read("queries.sql"), flags=re.MULTILINE)
    return {name: sql.strip() for name, sql in zip(parts[1::2], parts[2::2], strict=True)}


class Queries:
    """Runs statements for one namespace, over one connection inside one transaction."""

    def __init__(self, connection: Connection, namespace: str) -> None:
        self.namespace = namespace
        self._connection = connection
        self._sql = statements()

    def _run(self, name: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)

    def _many(self, name: str, values: Iterable[tuple[Any, ...]]) -> None:
        self._connection.executemany(self._sql[name], values)


def read(name: str) -> str:
    """A file of this package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def migrations() -> tuple[str, ...]:
    """The migrations' scripts in order; the n-th leads to schema n."""
    folder = files(__package__).joinpath("migrations")
    found = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return tuple(entry.read_text(encoding="utf-8") for entry in found)


def split(script: str) -> Iterator[str]:
    """The script's statements one by one: `executescript` would commit the transaction it runs in."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
