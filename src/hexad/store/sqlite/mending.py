"""Rows that cannot be read are moved to a file beside the database, so that the rest
can be read and backed up.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import HexadError
from hexad.store.sqlite.rows import ASSOCIATIONS, PROPOSALS, TABLES, VERSIONS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_ORPHANED: Final = "(namespace, name) NOT IN (SELECT namespace, name FROM hexad_skill)"


def set_aside(connection: sqlite3.Connection, file: Path) -> Sequence[tuple[str, str]]:
    """Move unreadable rows into ``file``, one JSON object a line; return the namespace
    and the name of each.

    The versions of a skill go with it: they are of no use alone, and in the way of a
    new skill of that name.
    """
    connection.execute("BEGIN IMMEDIATE")
    with connection:
        moved = list(_removed(connection))
        if moved:
            opened = os.open(file, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            with os.fdopen(opened, "a", encoding="utf-8") as lines:
                lines.writelines(
                    json.dumps(row, default=repr) + "\n" for _, row in moved
                )
    return [(str(row["namespace"]), name) for name, row in moved]


def _removed(connection: sqlite3.Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    for table in (*TABLES.values(), *VERSIONS.values(), ASSOCIATIONS, PROPOSALS):
        lost = _ORPHANED if table.name == "hexad_skill_version" else "0"
        select = f"SELECT {table.selected}, namespace, {lost} FROM {table.name}"
        for *values, orphaned in connection.execute(select).fetchall():
            with suppress(HexadError):
                if table.decode(values) and not orphaned:
                    continue
            row = dict(zip((*table.columns, "namespace"), values, strict=True))
            own = [name for name in row if name != table.aside]
            where = " AND ".join(f'"{name}" IS ?' for name in own)
            connection.execute(
                f"DELETE FROM {table.name} WHERE {where}", [row[name] for name in own]
            )
            yield f"{table.name} {row[table.key]!r}", {"table": table.name, **row}
