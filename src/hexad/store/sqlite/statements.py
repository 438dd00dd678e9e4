"""SQL by name, read once from `queries.sql`, and split where a script must run inside a transaction."""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@cache
def statements() -> Mapping[str, str]:
    """Every statement of `queries.sql` under its name."""
    parts = re.split(r"^-- name: (\w+)\n", read("queries.sql"), flags=re.MULTILINE)
    return {name: sql.strip() for name, sql in zip(parts[1::2], parts[2::2], strict=True)}


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
