"""Creates and migrates the schema, once, even if many processes start at the same time."""

from __future__ import annotations

import re
from typing import Final

from hexad.errors import SchemaTooNew, StoreError
from hexad.store.codec import scripts_of
from hexad.store.postgres.connection import PipelineConnection, ServerError, Sql

_SCHEMA_OF: Final = "SELECT value FROM hexad.note WHERE name = 'schema'"
_IS_THERE: Final = (  # it reads a table: without one, a session may not hear what another has just created
    "SELECT to_regnamespace('hexad') IS NOT NULL, to_regclass('hexad.note') IS NOT NULL FROM pg_namespace LIMIT 1"
)
_END: Final = re.compile(
    r";\n(?=\s*(?:CREATE|ALTER|INSERT|UPDATE|--))"
)  # of a statement: a function has more of them
_OLDEST: Final = 15  # the oldest version that the tests ran on
_LOCK: Final = 0x68657861  # the key of the advisory lock


def migrate(connection: PipelineConnection, location: str) -> None:
    """Apply the missing scripts in one transaction."""
    if connection.version < _OLDEST:
        raise StoreError(
            location,
            f"runs PostgreSQL {connection.version}; Hexad needs {_OLDEST} or newer",
        )
    scripts = [_END.split(script.rstrip(";\n")) for script in scripts_of(__package__)]
    if _found(connection, location, len(scripts)) == len(scripts):
        return
    try:
        connection.run(
            [Sql("BEGIN"), Sql("SELECT pg_advisory_xact_lock($1)", (_LOCK,))]
        )
        found = _found(
            connection, location, len(scripts)
        )  # another process may have been first
        statements = [Sql("CREATE SCHEMA hexad")] if found is None else []
        statements += [
            Sql(statement) for script in scripts[found or 0 :] for statement in script
        ]
        note = "INSERT INTO hexad.note VALUES ('schema', $1) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        connection.run([*statements, Sql(note, (str(len(scripts)),)), Sql("COMMIT")])
    except ServerError:
        connection.run([Sql("ROLLBACK")])
        raise


def _found(connection: PipelineConnection, location: str, known: int) -> int | None:
    """The number of the scripts that were applied; None if there is not even a schema,
    which needs a further right.
    """
    ((has_schema, has_notes),) = connection.run([Sql(_IS_THERE)])[0]
    if not has_notes:
        return 0 if has_schema else None
    rows = connection.run([Sql(_SCHEMA_OF)])[0]
    found = int(rows[0][0]) if rows else 0
    if found > known:
        raise SchemaTooNew(location, found, known)
    return found
