"""The store in one SQLite file: write-ahead log, full synchronisation, one writer at a
time, readers never wait.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hexad.errors import NotADatabase, StoreReadOnly
from hexad.model import Erasure
from hexad.store.sqlite.connections import (
    Connections,
    Snapshot,
    Transaction,
    persistently,
    translated,
)
from hexad.store.sqlite.mending import set_aside
from hexad.store.sqlite.migrating import migrate, refuse_newer
from hexad.store.sqlite.rows import NAMESPACES
from hexad.store.sqlite.statements import migrations
from hexad.store.sqlite.unit import SCRUBBED

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SqliteStore"]

ENDINGS: Final = ("", "-wal", "-shm", "-journal", "-unreadable.jsonl")
PATIENCE: Final = 30.0  # seconds that a writer waits for the others
_TRACE_PATIENCE: Final = 1.0  # seconds that `flush_traces` waits for readers to end


class SqliteStore:
    """A store in the file at ``path``, created for its owner alone if it does not
    exist; other tables are left alone.

    SQLite has one writer a file, so writers of other namespaces wait too.
    """

    durable: bool = True

    def __init__(
        self, path: str | os.PathLike[str], *, patience: float = PATIENCE
    ) -> None:
        self._path = (
            Path(path).absolute()
        )  # the folder that is current may change before the next thread connects
        self.location = str(path)
        self.files: Sequence[Path] = [
            Path(f"{self._path}{ending}") for ending in ENDINGS
        ]
        self._patience = patience
        _create_for_owner(self._path)
        self.shared_as: str | None = os.path.realpath(self._path)
        self._connections = Connections(self._path, patience=patience)
        try:
            with translated(self._path), self._connections.taken() as connection:
                scripts = migrations()
                refuse_newer(connection, self._path, len(scripts))
                persistently(
                    lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone(),
                    patience,
                )
                persistently(lambda: migrate(connection, self._path, scripts), patience)
        except BaseException:
            self.close()
            raise

    def reading(self, namespace: str, *, deadline: float | None = None) -> Snapshot:
        """One snapshot; a query stops ``deadline`` seconds after it was taken."""
        return Snapshot(self._connections, namespace, deadline)

    def transaction(
        self, namespace: str, *, patience: float | None = None
    ) -> Transaction:
        """All or nothing. The write lock is taken first, so that nobody waits for it
        half-way.
        """
        return Transaction(
            self._connections,
            namespace,
            self._patience if patience is None else patience,
        )

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        """The namespaces above ``after``, sorted."""
        with translated(self._path), self._connections.taken() as connection:
            return [name for (name,) in connection.execute(NAMESPACES, (after, limit))]

    def flush_traces(self) -> Erasure:
        """Write the log into the file and truncate it, unless a reader's snapshot needs
        it.
        """
        with translated(self._path), self._connections.taken() as connection:
            connection.wait_for(_TRACE_PATIENCE)
            busy, _, _ = connection.execute(
                "PRAGMA wal_checkpoint(TRUNCATE)"
            ).fetchone()
            return Erasure.HELD if busy else Erasure.DONE

    def inspect(self) -> dict[str, str]:
        """SQLite's journal mode, and what its check of the file and of its indexes
        says.
        """
        with translated(self._path), self._connections.taken() as connection:
            return {
                "journal": str(connection.execute("PRAGMA journal_mode").fetchone()[0]),
                "integrity": str(
                    connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
                ),
            }

    def mend(self) -> Sequence[tuple[str, str]]:
        """Rebuild SQLite's own indexes, and set unreadable rows aside: the namespace of
        each, and where it is now.
        """
        with translated(self._path), self._connections.taken() as connection:
            for table in SCRUBBED:
                connection.execute(f"REINDEX {table}")
            rows = set_aside(connection, self.files[-1])
        return [
            (namespace, f"{name} could not be read and is in {self.files[-1]} now")
            for namespace, name in rows
        ]

    def close(self) -> None:
        """Close every thread's connection."""
        self._connections.close()


def _create_for_owner(path: Path) -> None:
    """Create the file before SQLite would, with the permissions that its log then
    inherits.
    """
    if os.path.isdir(path):  # noqa: PTH112  (unlike a Path, it does not raise where it may not look)
        raise NotADatabase(str(path), "is a directory; give the path of a file")
    if not os.path.isdir(path.parent):  # noqa: PTH112
        raise StoreReadOnly(
            str(path), f"there is no folder {str(path.parent)!r}; create it first"
        )
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return
    except OSError as error:
        raise StoreReadOnly(
            str(path), f"cannot be created: {error.strerror}; choose another folder"
        ) from error
    except ValueError as error:  # NUL, or a surrogate that is no byte
        raise NotADatabase(
            ascii(str(path)), "is no path; give the path of a file"
        ) from error
