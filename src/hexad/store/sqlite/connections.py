"""A connection for each thread, opened when it is first needed, reopened after `fork`, and errors translated once."""

from __future__ import annotations

import sqlite3
import threading
import time
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from hexad.errors import (
    DeadlineExceeded,
    NotADatabase,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from hexad.fork import survive_fork

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_STATEMENTS_KEPT: Final = 256
_inherited: Final[list[object]] = []  # a child must neither use nor close its parent's connections


class Connection(sqlite3.Connection):
    """SQLite's connection, closed when its thread is gone."""

    def __del__(self) -> None:
        self.close()


class Connections:
    """Hands each thread its own connection to one file."""

    def __init__(self, path: Path, *, patience: float) -> None:
        self.path = path
        self._patience = patience
        self._closed = False
        self._start()
        survive_fork(self)

    def mine(self) -> Connection:
        """This thread's connection."""
        found: Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = self._local.connection = self._connect()
        return found

    def close(self) -> None:
        """Close every thread's connection; later calls are errors."""
        with self._lock:
            self._closed = True
            for connection in list(self._all):
                connection.close()
            self._start()

    def after_fork(self) -> None:
        """Start afresh in a child process, leaving the parent's connections as they are."""
        _inherited.append((self._local, list(self._all)))
        self._start()

    def _start(self) -> None:
        self._lock = threading.RLock()
        self._local = threading.local()
        self._all: weakref.WeakSet[Connection] = weakref.WeakSet()

    def _connect(self) -> Connection:
        with self._lock:
            if self._closed:
                raise StoreClosed(str(self.path), "this engine was closed; open it again")
            connection = open_connection(self.path, self._patience)
            self._all.add(connection)
            return connection


def open_connection(path: Path, patience: float) -> Connection:
    """A connection that commits durably and overwrites what it deletes."""
    connection = sqlite3.connect(
        path,
        timeout=patience,
        isolation_level=None,
        check_same_thread=False,  # `close` may come from another thread
        cached_statements=_STATEMENTS_KEPT,
        factory=Connection,
    )
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA secure_delete = ON")
    return connection


@contextmanager
def limited(connection: sqlite3.Connection, seconds: float | None) -> Iterator[None]:
    """Interrupt what runs longer than it may."""
    if seconds is None:
        yield
        return
    end = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > end, 2000)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


@contextmanager
def translated(path: Path, seconds: float | None = None) -> Iterator[None]:
    """SQLite's errors as Hexad's, each with what to do next."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translate(error, str(path), seconds) from error


def _translate(error: sqlite3.Error, path: str, seconds: float | None) -> StoreError:
    name = str(getattr(error, "sqlite_errorname", ""))
    if name == "SQLITE_INTERRUPT":
        return DeadlineExceeded(path, seconds or 0.0)
    for prefix, kind, advice in _TRANSLATIONS:
        if name.startswith(prefix):
            return kind(path, advice)
    return StoreError(path, f"SQLite says: {error}; run `hexad doctor`")


_TRANSLATIONS: Final[tuple[tuple[str, type[StoreError], str], ...]] = (
    ("SQLITE_BUSY", StoreBusy, "another process kept the database locked; try again"),
    ("SQLITE_LOCKED", StoreBusy, "another connection kept the table locked; try again"),
    ("SQLITE_READONLY", StoreReadOnly, "cannot be written; check the permissions of the file and its folder"),
    ("SQLITE_PERM", StoreReadOnly, "cannot be written; check the permissions of the file and its folder"),
    ("SQLITE_FULL", StoreFull, "the disk is full; free some space and try again"),
    ("SQLITE_IOERR_WRITE", StoreFull, "could not be written; check the disk's free space and quota"),
    ("SQLITE_IOERR_FSYNC", StoreFull, "could not be written; check the disk's free space and quota"),
    ("SQLITE_NOTADB", NotADatabase, "is not a SQLite database; give the path of another file"),
    ("SQLITE_CORRUPT", StoreDamaged, "the database is damaged; restore a backup with `hexad restore`"),
    ("SQLITE_CANTOPEN", StoreReadOnly, "cannot be opened; check that its folder exists and can be written"),
)
