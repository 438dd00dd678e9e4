"""A connection for each thread, opened when it is first needed, closed around `fork`,
and errors translated once.
"""

from __future__ import annotations

import os
import random
import sqlite3
import threading
import time
import weakref
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

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
from hexad.fork import FORK_PATIENCE, hold_over_fork
from hexad.store.sqlite.unit import Unit
from hexad.store.sqlite.write_queue import WriteQueue, turns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from hexad.store.sqlite.search import Namespace

_CACHED: Final = 8192  # KiB of pages at most, a connection; SQLite's own 2,000 hold too little of a large index
_STEPS_BETWEEN_LOOKS: Final = (
    2000  # of SQLite's machine, between two looks at the clock
)
_NAP: Final = 0.0005, 0.002  # seconds between two tries to take the lock
_inherited: Final[
    list[object]
] = []  # a child must neither use nor close its parent's connections


class Connection(sqlite3.Connection):
    """SQLite's connection; ``busy`` is held as long as a unit of work uses it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.busy = threading.RLock()
        self.retired = False
        self.file = (
            0,
            0,
        )  # device and number of the file, as long as it is the one at the path
        self._waits: float | None = None
        self.known: tuple[object, Namespace] | None = (
            None  # of the latest one: in which state, and what was read
        )

    def wait_for(self, seconds: float) -> None:
        """Wait so long for other writers from now on; saying the same again costs
        nothing.
        """
        if seconds != self._waits:
            self.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
            self._waits = seconds

    def stop_at(self, end: float) -> None:
        """Interrupt queries from that time on, by the monotonic clock."""
        self.set_progress_handler(lambda: time.monotonic() > end, _STEPS_BETWEEN_LOOKS)

    @property
    def working(self) -> bool:
        """Whether a transaction is open; a connection that its thread took with it has
        none.
        """
        try:
            return self.in_transaction
        except sqlite3.ProgrammingError:
            return False

    def retire(self) -> None:
        """Close it for good; who finds it so asks for another."""
        self.retired = True
        self.close()

    def __del__(self) -> None:
        with suppress(
            sqlite3.ProgrammingError
        ):  # it was never open: the file could not be opened
            self.close()


OPTIONS: Final[dict[str, Any]] = {
    "isolation_level": None,
    "check_same_thread": False,  # `close` may come from another thread
    "cached_statements": 256,
    "factory": Connection,
}


class _Lease:
    """A thread's hold on its connection: it closes the connection when the thread ends."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._process = os.getpid()

    def __del__(self) -> None:
        if os.getpid() == self._process:
            self.connection.retire()


class Connections:
    """Hands each thread its own connection to one file.

    SQLite remembers a process's locks in its memory, which a child of `fork` inherits
    without having the locks: it would write into a log that others have removed. So all
    connections are closed before a `fork`, by both.
    """

    def __init__(self, path: Path, *, patience: float) -> None:
        self.path = path
        self.patience = patience
        self._closed = False
        self._start()
        hold_over_fork(self)

    def take(self) -> Connection:
        """This thread's connection, to be released through its ``busy``; until then
        nobody closes it.
        """
        while True:
            connection = self._mine()
            connection.busy.acquire()
            if not connection.retired:
                return connection
            connection.busy.release()

    @contextmanager
    def taken(self) -> Iterator[Connection]:
        """This thread's connection for a while."""
        connection = self.take()
        try:
            yield connection
        finally:
            connection.busy.release()

    def close(self) -> None:
        """Close every thread's connection, once its work is done; later calls are
        errors.
        """
        with self._lock:
            self._closed = True
            for connection in self._retire_idle(self.patience):
                connection.retire()
            self._start()

    def before_fork(self) -> None:
        """Let nobody open a connection until `after_fork` or `after_fork_in_parent`,
        and close those there are.
        """
        self._lock.acquire()
        self._retire_idle(FORK_PATIENCE)

    def after_fork_in_parent(self) -> None:
        """Go on; each thread opens a connection when it needs one."""
        self._lock.release()

    def after_fork(self) -> None:
        """Start afresh in a child process; what the parent could not close is left as
        it is.
        """
        _inherited.append((self._local, self._living()))
        self._start()

    def _mine(self) -> Connection:
        lease: _Lease | None = getattr(self._local, "lease", None)
        if lease is None or lease.connection.retired:
            lease = self._local.lease = _Lease(self._connect())
        return lease.connection

    def _retire_idle(self, patience: float) -> list[Connection]:
        """Close the connections whose work ends in time, and name those whose work does
        not.
        """
        end = time.monotonic() + patience
        left = []
        for connection in self._living():
            if not connection.busy.acquire(timeout=max(0.0, end - time.monotonic())):
                left.append(connection)
                continue
            if connection.working:  # for this very thread
                left.append(connection)
            else:
                connection.retire()
            connection.busy.release()
        return left

    def _living(self) -> list[Connection]:
        return [connection for connection in list(self._all) if not connection.retired]

    def _start(self) -> None:
        self.turns = turns_of(os.path.realpath(self.path))
        self.line = WriteQueue(str(self.path.parent))
        self._lock = threading.RLock()
        self._local = threading.local()
        self._all: weakref.WeakSet[Connection] = weakref.WeakSet()

    def _connect(self) -> Connection:
        with self._lock:
            if self._closed:
                raise StoreClosed(str(self.path), _CLOSED)
            connection = open_connection(self.path, self.patience)
            self._all.add(connection)
            return connection


def open_connection(path: Path, patience: float) -> Connection:
    """A connection to a file that is there; it commits durably and overwrites what it
    deletes.
    """
    connection: Connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw", uri=True, timeout=patience, **OPTIONS
    )
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA cache_size = -{_CACHED}")
        connection.file = _file_at(path)
    except (
        UnicodeDecodeError
    ) as error:  # of SQLite's message, which quotes the damaged schema
        raise StoreDamaged(str(path), _DAMAGED) from error
    return connection


def _file_at(path: Path) -> tuple[int, int]:
    """Device and number of the file at a path, which are those of another file once it
    is replaced.
    """
    try:
        found = os.stat(path)  # noqa: PTH116 - half the time of Path's own; every save passes here
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


class _Work:
    """A transaction as a context manager. A class, not a generator: that takes half the
    time.
    """

    def __init__(
        self, connections: Connections, namespace: str, seconds: float | None
    ) -> None:
        self._connections = connections
        self._namespace = namespace
        self._seconds = seconds

    def __enter__(self) -> Unit:
        try:
            self._connection = connection = self._connections.take()
            try:
                self._begin(connection)
            except BaseException:
                connection.busy.release()
                raise
        except sqlite3.Error as error:
            raise self._translated(error) from error
        return Unit(connection, self._namespace)

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> None:
        try:
            self._end(self._connection, error)
        except sqlite3.Error as failure:
            raise self._translated(failure) from failure
        finally:
            self._connection.busy.release()
        if isinstance(error, sqlite3.Error):
            raise self._translated(error) from error

    def _begin(self, connection: Connection) -> None:
        raise NotImplementedError

    def _end(self, connection: Connection, error: BaseException | None) -> None:
        raise NotImplementedError

    def _translated(self, error: sqlite3.Error) -> StoreError:
        return as_ours(error, str(self._connections.path), self._seconds)


class Snapshot(_Work):
    """A read transaction; its queries stop after some seconds, if any are given."""

    def _begin(self, connection: Connection) -> None:
        connection.wait_for(self._connections.patience)
        connection.execute("BEGIN")
        if self._seconds is not None:
            connection.stop_at(time.monotonic() + self._seconds)

    def _end(self, connection: Connection, error: BaseException | None) -> None:
        connection.set_progress_handler(None, 0)
        if connection.in_transaction:
            connection.execute("COMMIT")


class Transaction(_Work):
    """A write transaction; it waits some seconds for other writers."""

    def _begin(self, connection: Connection) -> None:
        if connection.in_transaction:
            raise StoreError(
                str(self._connections.path),
                "this thread is in a transaction already; use that one",
            )
        seconds, start = self._seconds or 0.0, time.monotonic()
        self._turns = self._connections.turns
        if not self._turns.take(seconds):
            raise StoreBusy(str(self._connections.path), _BUSY_HERE)
        self._line = self._connections.line
        try:
            self._line.stand(seconds)
            connection.wait_for(0.0)
            try:
                connection.execute("BEGIN IMMEDIATE")  # at once, as nearly always
            except sqlite3.OperationalError:
                persistently(
                    lambda: connection.execute("BEGIN IMMEDIATE"),
                    seconds - (time.monotonic() - start),
                )
        except BaseException:
            self._give()
            raise

    def _end(self, connection: Connection, error: BaseException | None) -> None:
        try:
            if error is None:
                if _file_at(self._connections.path) != connection.file:
                    raise StoreError(str(self._connections.path), _GONE)
                connection.execute("COMMIT")
        finally:  # SQLite has ended it already where the disk is full
            try:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            finally:
                connection.known = None  # what was written may have been taken back
                self._give()

    def _give(self) -> None:
        self._line.leave()
        self._turns.give()


def persistently(action: Callable[[], object], patience: float) -> None:
    """Try until the lock is free.

    SQLite sleeps longer and longer, so that those who came late are served first; and
    it does not wait at all where two processes create one file at once.
    """
    start = time.monotonic()
    while True:
        try:
            action()
        except sqlite3.OperationalError as error:
            waited = time.monotonic() - start
            if (
                not str(getattr(error, "sqlite_errorname", "")).startswith(
                    "SQLITE_BUSY"
                )
                or waited > patience
            ):
                raise
            time.sleep(random.uniform(*_NAP))  # noqa: S311
        else:
            return


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """SQLite's errors as Hexad's, each with what to do next."""
    try:
        yield
    except sqlite3.Error as error:
        raise as_ours(error, str(path), None) from error


def as_ours(error: sqlite3.Error, path: str, seconds: float | None) -> StoreError:
    """An error of SQLite's as one of Hexad's."""
    name = str(getattr(error, "sqlite_errorname", ""))
    if name == "SQLITE_INTERRUPT":
        return DeadlineExceeded(path, seconds or 0.0)
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
        return StoreClosed(path, _CLOSED)
    for prefixes, kind, advice in _TRANSLATIONS:
        if name.startswith(prefixes):
            return kind(path, advice)
    return StoreError(path, f"SQLite says: {error}; run `hexad doctor`")


_DAMAGED: Final = (
    "the database is damaged; see `hexad doctor --repair`, or restore a backup into a new file: "
    "`hexad restore BACKUP --db NEW`"
)
_GONE: Final = "the file was deleted or replaced after it was opened, so nothing was saved; open it again"
_BUSY_HERE: Final = "another thread of this process kept the database locked; try again"
_CLOSED: Final = "this engine was closed; open it again"
_IOERR: Final = tuple(
    f"SQLITE_IOERR_{what}" for what in ("WRITE", "FSYNC", "SHMSIZE", "TRUNCATE")
)
_TRANSLATIONS: Final[
    tuple[tuple[str | tuple[str, ...], type[StoreError], str], ...]
] = (
    ("SQLITE_BUSY", StoreBusy, "another process kept the database locked; try again"),
    ("SQLITE_LOCKED", StoreBusy, "another connection kept the table locked; try again"),
    (
        ("SQLITE_READONLY", "SQLITE_PERM"),
        StoreReadOnly,
        "cannot be written; check the permissions of file and folder",
    ),
    ("SQLITE_FULL", StoreFull, "the disk is full; free some space and try again"),
    (_IOERR, StoreFull, "could not be written; check the disk's free space and quota"),
    (
        "SQLITE_NOTADB",
        NotADatabase,
        "is not a SQLite database; give the path of another file",
    ),
    ("SQLITE_CORRUPT", StoreDamaged, _DAMAGED),
    (
        "SQLITE_CANTOPEN",
        StoreReadOnly,
        "cannot be opened; check that its folder exists and can be written",
    ),
)
