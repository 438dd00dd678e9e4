"""A bounded number of connections, used last first; made when needed, discarded when broken, left behind by `fork`.

`psycopg_pool` has threads of its own, which a forked child lacks, and a call waits for its whole timeout while a server
is down. Here the first call after a failure connects by itself and says why it cannot.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from hexad.errors import StoreBusy, StoreClosed
from hexad.fork import survive_fork

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.store.postgres.connection import Connection

_inherited: Final[list[object]] = []  # a child must neither use nor close its parent's connections


class Pool:
    """Lends connections."""

    def __init__(self, connect: Callable[[], Connection], size: int, location: str) -> None:
        self._connect = connect
        self._location = location
        self._size = size
        self._closed = False
        self._start()
        survive_fork(self)

    def take(self, patience: float | None) -> Connection:
        """A connection, to be given back; waits for others if too many are in use."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._closed or self._used < self._size, patience):
                raise StoreBusy(self._location, "all connections are in use; try again, or raise `pool` in the URL")
            if self._closed:
                raise StoreClosed(self._location, "this engine was closed; open it again")
            self._used += 1
            if self._idle:
                return self._lent(self._idle.pop())
        try:
            connection = self._connect()
        except BaseException:
            self._release()
            raise
        with self._changed:
            return self._lent(connection)

    def give_back(self, connection: Connection) -> None:
        """End its use; a broken one is closed."""
        with self._changed:
            if connection not in self._busy:  # taken before a fork
                return
            self._busy.remove(connection)
            keep = not (connection.broken or self._closed)
            if keep:
                self._idle.append(connection)
        if not keep:
            connection.close()
        self._release()

    def forget_idle(self) -> None:
        """Close the connections that nobody uses: the server they lead to may be gone."""
        with self._changed:
            idle = self._idle.copy()
            self._idle.clear()
        for connection in idle:
            connection.close()

    def close(self, patience: float) -> None:
        """Let the work of other threads end, then close everything."""
        end = time.monotonic() + patience
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._used, max(0.0, end - time.monotonic()))
        self.forget_idle()

    def after_fork(self) -> None:
        """Start afresh in a child process."""
        for connection in (*self._idle, *self._busy):
            connection.leave_to_parent()
        _inherited.append((self._idle, self._busy))
        self._start()

    def _start(self) -> None:
        self._changed = threading.Condition()
        self._idle: list[Connection] = []
        self._busy: set[Connection] = set()
        self._used = 0

    def _lent(self, connection: Connection) -> Connection:
        self._busy.add(connection)
        return connection

    def _release(self) -> None:
        with self._changed:
            self._used -= 1
            self._changed.notify()
