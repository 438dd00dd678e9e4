"""Migrates a database to this program's schema, once, even if several processes open it
at the same time.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

from hexad.errors import SchemaTooNew, StoreDamaged, StoreReadOnly
from hexad.store.sqlite.statements import split

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SCHEMA: Final = "schema"


def schema_of(connection: sqlite3.Connection) -> int:
    """The schema that the database has; 0 without Hexad's tables. Reads only."""
    tables = connection.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'hexad_note'"
    )
    if tables.fetchone() is None:
        return 0
    row = connection.execute(
        "SELECT value FROM hexad_note WHERE name = ?", (_SCHEMA,)
    ).fetchone()
    return int(row[0]) if row else 0


def refuse_newer(connection: sqlite3.Connection, path: Path, known: int) -> int:
    """The schema that was found, or an error that leaves the file as it is."""
    try:
        found = schema_of(connection)
    except ValueError as error:
        advice = "restore a backup into a new file with `hexad restore BACKUP --db NEW`"
        raise StoreDamaged(
            str(path), f"its schema is not a number; {advice}"
        ) from error
    if found > known:
        raise SchemaTooNew(str(path), found, known)
    return found


def migrate(connection: sqlite3.Connection, path: Path, scripts: Sequence[str]) -> None:
    """Apply the missing scripts in one transaction, after a copy of what was there."""
    if refuse_newer(connection, path, len(scripts)) == len(scripts):
        return
    connection.execute("BEGIN IMMEDIATE")
    with connection:  # commits, or rolls back
        found = refuse_newer(
            connection, path, len(scripts)
        )  # another process may have been first
        if 0 < found < len(scripts):
            _copy(path, found)
        for schema, script in enumerate(scripts[found:], found + 1):
            for statement in split(script):
                connection.execute(statement)
            connection.execute(
                "INSERT OR REPLACE INTO hexad_note (name, value) VALUES (?, ?)",
                (_SCHEMA, str(schema)),
            )


def backup_path(path: Path, schema: int) -> Path:
    """The path of the copy made before a migration."""
    return path.with_name(f"{path.name}.schema-{schema}.backup")


def _copy(path: Path, schema: int) -> None:
    """A consistent copy through a second connection, readable by its owner alone,
    complete or not there at all.
    """
    target = backup_path(path, schema)
    partial = target.with_name(target.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with (
            closing(sqlite3.connect(path)) as source,
            closing(sqlite3.connect(partial)) as copy,
        ):
            source.backup(copy)
        partial.replace(target)
    except OSError as error:
        raise StoreReadOnly(
            str(target),
            f"the copy cannot be made: {error.strerror}; nothing was migrated",
        ) from error
    finally:
        partial.unlink(missing_ok=True)
