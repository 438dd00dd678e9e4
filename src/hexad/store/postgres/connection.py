"""One connection, over which statements go in batches: a batch is one round trip, however many statements it has.

libpq's pipeline mode is used directly. A batch ends with a sync; if one of its statements fails, the server skips the
others. Statements are prepared on the connection when they are first used, within the same round trip.
"""

from __future__ import annotations

import os
import select
import time
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import psycopg
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from psycopg.pq.abc import PGresult

Rows = list[tuple[Any, ...]]
_BINARY: Final = 1
_READ, _WRITE = 1, 4  # as `select.poll` has them
_FAILED: Final = (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED)


class Statement(NamedTuple):
    """SQL with placeholders ``$1``, ``$2``… and their values: numbers, texts, bytes, flags, None, or lists of them."""

    sql: str
    values: Sequence[Any] = ()


class ServerError(Exception):
    """PostgreSQL refused a statement: its SQLSTATE and message. The connection can be used again."""

    def __init__(self, state: str, message: str) -> None:
        super().__init__(message)
        self.state = state


class ConnectionLost(Exception):
    """The connection broke. ``sent`` says whether the batch was on its way."""

    def __init__(self, reason: str, *, sent: bool) -> None:
        super().__init__(reason)
        self.sent = sent


class TookTooLong(Exception):
    """No answer came in time; the connection cannot be used again."""


class Connection:
    """A connection in pipeline mode. Not for several threads at once."""

    def __init__(self, conninfo: str, *, prepare: bool = True) -> None:
        self._connection = psycopg.connect(conninfo, autocommit=True, client_encoding="utf8")
        self._pg = self._connection.pgconn
        self.version = self._pg.server_version // 10000
        self._pg.nonblocking = 1
        self._pg.enter_pipeline_mode()
        self._prepare = prepare
        self._prepared: dict[str, bytes] = {}
        self._owed = 0  # batches whose results nobody has read
        self._loading = Transformer(self._connection)
        self.broken = False

    def run(self, statements: Sequence[Statement], *, until: float | None = None) -> list[Rows]:
        """Run a batch and return the rows of each statement; ``until`` is a time of the monotonic clock."""
        sent = False
        try:
            new = self._send(statements, until)
            sent = True
            while self._owed:  # batches that were sent before
                self._results(until)
                self._owed -= 1
            return self._checked(self._results(until), new)
        except (psycopg.OperationalError, OSError) as error:
            self.broken = True
            raise ConnectionLost(str(error).strip(), sent=sent) from error
        except ServerError:
            raise
        except BaseException:  # such as KeyboardInterrupt: it is not known what will still arrive
            self.broken = True
            raise

    def send(self, statements: Sequence[Statement]) -> None:
        """Run a batch without waiting for its results, which must be of no interest."""
        try:
            self._send(statements, None)
            self._owed += 1
        except (psycopg.Error, OSError):
            self.broken = True

    def close(self) -> None:
        """Close it."""
        self.broken = True
        self._connection.close()

    def leave_to_parent(self) -> None:
        """In a child process: let go of the parent's socket without a word, so that its session goes on."""
        self.broken = True
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, self._pg.socket)
        os.close(nothing)

    def _send(self, statements: Sequence[Statement], until: float | None) -> list[str | None]:
        """Send a batch; return the expected results: None for a statement, or the SQL that is being prepared."""
        expected: list[str | None] = []
        for sql, given in statements:
            values, formats = _encoded(given)
            if not self._prepare:
                self._pg.send_query_params(sql.encode(), values, None, formats, _BINARY)
            else:
                name = self._prepared.get(sql)
                if name is None:
                    name = self._prepared[sql] = f"hexad_{len(self._prepared)}".encode()
                    self._pg.send_prepare(name, sql.encode())
                    expected.append(sql)
                self._pg.send_query_prepared(name, values, formats, _BINARY)
            expected.append(None)
        self._pg.pipeline_sync()
        while self._pg.flush():
            if self._wait(_READ | _WRITE, until) & _READ:
                self._pg.consume_input()
        return expected

    def _results(self, until: float | None) -> list[PGresult]:
        """The results up to the next sync."""
        found: list[PGresult] = []
        while True:
            while self._pg.is_busy():
                self._wait(_READ, until)
                self._pg.consume_input()
            result = self._pg.get_result()
            if result is None:
                continue
            if result.status == ExecStatus.PIPELINE_SYNC:
                return found
            found.append(result)

    def _checked(self, results: Sequence[PGresult], expected: Sequence[str | None]) -> list[Rows]:
        rows: list[Rows] = []
        failed: PGresult | None = None
        for sql, result in zip(expected, results, strict=True):
            if result.status in _FAILED:
                failed = failed or result
                if sql is not None:
                    self._prepared.pop(sql)
            elif sql is None and failed is None:
                rows.append(self._loaded(result))
        if failed is not None:
            state = failed.error_field(psycopg.pq.DiagnosticField.SQLSTATE) or b""
            primary = failed.error_field(psycopg.pq.DiagnosticField.MESSAGE_PRIMARY) or b"no reason given"
            raise ServerError(state.decode(), primary.decode(errors="replace"))
        return rows

    def _loaded(self, result: PGresult) -> Rows:
        if not result.ntuples:
            return []
        self._loading.set_pgresult(result)
        return self._loading.load_rows(0, result.ntuples, tuple)

    def _wait(self, events: int, until: float | None) -> int:
        seconds = None if until is None else until - time.monotonic()
        if seconds is not None and seconds <= 0:
            raise TookTooLong
        found = _ready(self._pg.socket, events, seconds)
        if not found:
            raise TookTooLong
        return found


def _ready(socket: int, events: int, seconds: float | None) -> int:
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(socket, events)
        found = poll.poll(None if seconds is None else seconds * 1000)
        return (found[0][1] & events or _READ) if found else 0  # an error or the end is read
    reading, writing, _ = select.select([socket], [socket] if events & _WRITE else [], [], seconds)
    return (_READ if reading else 0) | (_WRITE if writing else 0)


def _encoded(values: Sequence[Any]) -> tuple[list[bytes | None], list[int]]:
    encoded = [_bytes(value) for value in values]
    return encoded, [_BINARY if isinstance(value, bytes) else 0 for value in values]


def _bytes(value: Any) -> bytes | None:
    if value is None or isinstance(value, bytes):
        return value
    return _text(value).encode()


def _text(value: Any) -> str:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool):
        return "t" if value else "f"
    if isinstance(value, int | float):
        return repr(int(value) if isinstance(value, int) else value)
    return _array(value)


def _array(values: Sequence[Any]) -> str:
    """A list; its values are of one type."""
    plain = bool(values) and type(values[0]) is int
    return "{" + ",".join(map(repr if plain else _element, values)) + "}"


def _element(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f'"\\\\x{value.hex()}"'
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return _text(value)


def columns(rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Rows as one list for each column, for ``unnest``."""
    return [list(column) for column in zip(*rows, strict=True)]


def flat(rows: Iterable[Sequence[Any]]) -> list[Any]:
    """The values of rows with one column."""
    return list(chain.from_iterable(rows))
