"""A bounded number of connections, used last first; made when needed, discarded when
broken, left behind by `fork`.

`psycopg_pool` has threads of its own, which a forked child lacks, and a call waits for
its whole timeout while a server is down. Here the first call after a failure connects
by itself and says why it cannot.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from hexad.errors import StoreBusy, StoreClosed
from hexad.fork import survive_fork

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.store.postgres.connection import PipelineConnection

_inherited: Final[
    list[object]
] = []  # a child must neither use nor close its parent's connections


class Pool:
    """Lends connections."""

    def __init__(
        self, connect: Callable[[], PipelineConnection], size: int, location: str
    ) -> None:
        self._connect = connect
        self._size = size
        self._location = location
        self._closed = False
        self._start()
        survive_fork(self)

    def take(self, patience: float | None) -> PipelineConnection:
        """A connection, to be given back; waits for others if too many are in use."""
        if not self._free.acquire(timeout=patience):
            raise StoreBusy(
                self._location,
                "all connections are in use; try again, or raise `pool` in the URL",
            )
        try:
            connection = self._taken() or self._connected()
        except BaseException:
            self._free.release()
            raise
        self._busy.add(connection)
        return connection

    def give_back(self, connection: PipelineConnection) -> None:
        """End its use; a broken one is closed."""
        if connection not in self._busy:  # taken before a fork
            return
        self._busy.remove(connection)
        if connection.broken or self._closed:
            connection.close()
        else:
            self._idle.append(connection)
        self._free.release()

    def forget_idle(self) -> None:
        """Close the connections that nobody uses: the server they lead to may be gone."""
        while connection := self._taken():
            connection.close()

    def close(self, patience: float) -> None:
        """Let the work of other threads end, then close everything."""
        self._closed = True
        end = time.monotonic() + patience
        ended = [
            self._free.acquire(timeout=max(0.0, end - time.monotonic()))
            for _ in range(self._size)
        ]
        self.forget_idle()
        self._free.release(sum(ended) or 1)  # for those that wait: it is closed

    def after_fork(self) -> None:
        """Start afresh in a child process."""
        for connection in (*self._idle, *self._busy):
            connection.leave_to_parent()
        _inherited.append((self._idle, self._busy))
        self._start()

    def _start(self) -> None:
        self._free = threading.Semaphore(self._size)
        self._idle: deque[PipelineConnection] = deque()
        self._busy: set[PipelineConnection] = set()

    def _connected(self) -> PipelineConnection:
        if self._closed:
            raise StoreClosed(self._location, "this engine was closed; open it again")
        return self._connect()

    def _taken(self) -> PipelineConnection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None
