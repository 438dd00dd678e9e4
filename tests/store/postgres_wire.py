"""A proxy in front of a PostgreSQL server that counts round trips: batches of
statements that a client waits for.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit, urlunsplit

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

_LENGTH: Final = struct.Struct("!I")
_ASKS_FOR_TLS: Final = struct.pack("!HH", 1234, 5679)  # before the first message
_UNAWAITED: Final = (
    {"COMMIT"},
    {"ROLLBACK"},
)  # the end of a transaction that only read: nobody waits for it


class Wire:
    """Forwards connections to the server of a URL; use it as a context manager, and
    connect to its own `url`.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._server = (parts.hostname or "127.0.0.1", parts.port or 5432)
        self._door = socket.create_server(("127.0.0.1", 0))
        user = parts.netloc.rpartition("@")[0]
        here = f"{user}@127.0.0.1:{self._door.getsockname()[1]}"
        self.url = urlunsplit(parts._replace(netloc=here))
        self._threads: list[threading.Thread] = []
        self._ends: list[socket.socket] = []
        self.batches: list[list[str]] = []  # the SQL of each batch that was sent

    def __enter__(self) -> Self:
        self._start(self._serve)
        return self

    def __exit__(self, *error: object) -> None:
        with contextlib.suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._door.close()
        for end in self._ends:
            end.close()

    def trips(self, action: Callable[[], object]) -> int:
        """How many batches an action sent and waited for."""
        self.batches.clear()
        action()
        return sum(set(batch) not in _UNAWAITED for batch in list(self.batches))

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client = self._door.accept()[0]
                server = socket.create_connection(self._server)
                self._ends += [client, server]
                self._start(_forward, client, server, _Messages(self.batches))
                self._start(_forward, server, client, None)

    def _start(self, work: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()


class _Messages:
    """Reads a client's messages: which statements each batch holds, up to its Sync or
    simple query.
    """

    def __init__(self, batches: list[list[str]]) -> None:
        self._batches = batches
        self._buffer = b""
        self._started = False
        self._prepared: dict[bytes, str] = {}
        self._batch: list[str] = []

    def read(self, data: bytes) -> None:
        """Take some bytes, which may end anywhere."""
        self._buffer += data
        while message := self._next():
            self._take(*message)

    def _next(self) -> tuple[bytes, bytes] | None:
        kind = 1 if self._started else 0  # the first message has no letter
        if len(self._buffer) < kind + 4:
            return None
        end = kind + _LENGTH.unpack_from(self._buffer, kind)[0]
        if len(self._buffer) < end:
            return None
        letter, content = self._buffer[:kind], self._buffer[kind + 4 : end]
        self._started = not content.startswith(_ASKS_FOR_TLS)
        self._buffer = self._buffer[end:]
        return letter, content

    def _take(self, letter: bytes, content: bytes) -> None:
        if letter == b"P":
            name, sql = content.split(b"\0")[:2]
            self._prepared[name] = sql.decode()
        elif letter == b"B":
            self._batch.append(self._prepared[content.split(b"\0")[1]])
        elif letter == b"Q":
            self._batches.append([content[:-1].decode()])
        elif letter == b"S":
            self._batches.append(self._batch)
            self._batch = []


def _forward(
    source: socket.socket, target: socket.socket, seen: _Messages | None
) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            if seen is not None:
                seen.read(data)
            target.sendall(data)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
