"""A store that vanishes with the process, for tests and trials: the tables of
`sqlite/`, without a file.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hexad.errors import DeadlineExceeded, StoreBusy, StoreClosed, StoreError
from hexad.fork import FORK_PATIENCE, hold_over_fork
from hexad.model import Erasure
from hexad.store import IN_MEMORY
from hexad.store.sqlite.connections import OPTIONS, Connection, as_ours
from hexad.store.sqlite.migrating import migrate
from hexad.store.sqlite.rows import NAMESPACES
from hexad.store.sqlite.statements import migrations
from hexad.store.sqlite.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["VolatileStore"]

_inherited: Final[
    list[object]
] = []  # a child must neither use nor close what a thread of its parent worked with


class VolatileStore:
    """One SQLite connection behind one lock: readers and writers take turns."""

    durable: bool = False
    location: str = IN_MEMORY
    shared_as: str | None = None

    def __init__(self) -> None:
        self._lock = threading.RLock()
        connection: Connection = sqlite3.connect(IN_MEMORY, **OPTIONS)
        connection.executescript(_schema())
        self._connection: Connection | None = connection
        self._held = False
        hold_over_fork(self)

    def before_fork(self) -> None:
        """A child that got the connection in the middle of another thread's work could
        not use it.
        """
        self._held = self._lock.acquire(timeout=FORK_PATIENCE)

    def after_fork_in_parent(self) -> None:
        """Go on."""
        if self._held:
            self._lock.release()

    def after_fork(self) -> None:
        """Go on in a child process; what this very thread was writing is the parent's."""
        if not self._held:
            _inherited.append(self._connection)
            self._lock, self._connection = threading.RLock(), None
            return
        if self._connection is not None and self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        self._lock.release()

    @contextmanager
    def reading(
        self, namespace: str, *, deadline: float | None = None
    ) -> Iterator[Unit]:
        """One state: writers wait until the block ends, and it waits for them, but not
        beyond its deadline.
        """
        start = time.monotonic()
        with self._taken(
            deadline, DeadlineExceeded(IN_MEMORY, deadline or 0.0)
        ) as connection:
            if deadline is not None:
                connection.stop_at(start + deadline)
            try:
                yield Unit(connection, namespace)
            finally:
                connection.set_progress_handler(None, 0)

    @contextmanager
    def transaction(
        self, namespace: str, *, patience: float | None = None
    ) -> Iterator[Unit]:
        """All or nothing, one writer at a time."""
        with self._taken(patience) as connection:
            if connection.in_transaction:
                raise StoreError(
                    IN_MEMORY, "this thread is in a transaction already; use that one"
                )
            connection.execute("BEGIN")
            try:
                with connection:  # commits, or rolls back
                    yield Unit(connection, namespace)
            finally:
                connection.known = None

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        """The namespaces that hold anything."""
        with self._taken(None) as connection:
            return [name for (name,) in connection.execute(NAMESPACES, (after, limit))]

    def flush_traces(self) -> Erasure:
        """There is no log."""
        return Erasure.DONE

    def inspect(self) -> Mapping[str, str]:
        """Nothing is known of it: there is no file."""
        return {}

    def mend(self) -> Sequence[tuple[str, str]]:
        """There is no file to mend."""
        return ()

    def close(self) -> None:
        """Drop everything."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    @contextmanager
    def _taken(
        self, seconds: float | None, late: StoreError | None = None
    ) -> Iterator[Connection]:
        """The connection, if it is free in time."""
        if not self._lock.acquire(timeout=-1 if seconds is None else seconds):
            raise late or StoreBusy(IN_MEMORY, "another thread is writing; try again")
        try:
            if self._connection is None:
                raise StoreClosed(IN_MEMORY, "this store was closed; open a new one")
            yield self._connection
        except sqlite3.Error as error:
            raise as_ours(error, IN_MEMORY, seconds) from error
        finally:
            self._lock.release()


@cache
def _schema() -> str:
    """A script that creates the tables as all migrations leave them: a sixth of the
    time of migrating.
    """
    with closing(sqlite3.connect(IN_MEMORY, isolation_level=None)) as connection:
        migrate(connection, Path(IN_MEMORY), migrations())
        return "\n".join(connection.iterdump())
