"""One connection, over which statements go in batches: a batch is one round trip,
however many statements it has.

libpq's pipeline mode is used directly. A batch ends with a sync; if one of its
statements fails, the server skips the others. Statements are prepared on the connection
when they are first used, within the same round trip.
"""

from __future__ import annotations

import os
import re
import time
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import psycopg
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus
from psycopg.waiting import READY_NONE, READY_R, WAIT_R, WAIT_RW, wait

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from psycopg.abc import PQGen
    from psycopg.pq.abc import PGresult

R = TypeVar("R")
Rows = list[tuple[Any, ...]]
_BINARY: Final = 1
_SCHEMA: Final = re.compile(r"\bhexad(?=[.']|$)")
_BETWEEN_LOOKS: Final = (
    0.1  # seconds between looks at the clock, while an answer is awaited
)
_FAILED: Final = (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED)


class Sql(NamedTuple):
    """SQL with placeholders ``$1``, ``$2``… and their values: numbers, texts, bytes,
    flags, None, or lists of them.
    """

    sql: str
    values: Sequence[Any] = ()


class ServerError(Exception):
    """PostgreSQL refused a statement: its SQLSTATE and message. The connection can be
    used again.
    """

    def __init__(self, state: str, message: str) -> None:
        super().__init__(message)
        self.state = state


class ConnectionLost(Exception):
    """The connection broke."""


class TookTooLong(Exception):
    """No answer came in time; the connection cannot be used again."""


class PipelineConnection:
    """A connection in pipeline mode. Not for several threads at once. ``schema`` is the
    one that SQL calls `hexad`.
    """

    def __init__(self, conninfo: str, schema: str, *, prepare: bool = True) -> None:
        self._connection = psycopg.connect(
            conninfo, autocommit=True, client_encoding="utf8"
        )
        self._pg = self._connection.pgconn
        self.version = self._pg.server_version // 10000
        self._pg.nonblocking = 1
        self._pg.enter_pipeline_mode()
        self._named = cache(partial(_SCHEMA.sub, f'"{schema}"'))
        self._prepare = prepare
        self._prepared: dict[str, bytes] = {}
        self._owed = 0  # batches whose results nobody has read
        self._loading = Transformer(self._connection)
        self.broken = False

    def run(
        self, statements: Sequence[Sql], *, until: float | None = None
    ) -> list[Rows]:
        """Run a batch and return the rows of each statement; ``until`` is a time of the
        monotonic clock.
        """
        try:
            new = self._send(statements, until)
            while self._owed:  # batches that were sent before
                self._wait(self._results(until))
                self._owed -= 1
            return self._checked(self._wait(self._results(until)), new)
        except (psycopg.OperationalError, OSError) as error:
            self.broken = True
            raise ConnectionLost(str(error).strip()) from error
        except ServerError:
            raise
        except (
            BaseException
        ):  # such as KeyboardInterrupt: it is not known what will still arrive
            self.broken = True
            raise

    def send(self, statements: Sequence[Sql]) -> None:
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
        """In a child process: let go of the parent's socket without a word, so that its
        session goes on.
        """
        self.broken = True
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, self._pg.socket)
        os.close(nothing)

    def _send(self, statements: Sequence[Sql], until: float | None) -> list[str | None]:
        """Send a batch; return the expected results: None for a statement, or the SQL
        that is being prepared.
        """
        expected: list[str | None] = []
        for sql, given in statements:
            values, formats = _encoded(given)
            if not self._prepare:
                self._pg.send_query_params(
                    self._named(sql).encode(), values, None, formats, _BINARY
                )
            else:
                name = self._prepared.get(sql)
                if name is None:
                    name = self._prepared[sql] = f"hexad_{len(self._prepared)}".encode()
                    self._pg.send_prepare(name, self._named(sql).encode())
                    expected.append(sql)
                self._pg.send_query_prepared(name, values, formats, _BINARY)
            expected.append(None)
        self._pg.pipeline_sync()
        if self._pg.flush():
            self._wait(self._flushing(until))
        return expected

    def _flushing(self, until: float | None) -> PQGen[None]:
        """Send the rest of a batch, as a generator for psycopg's `wait`."""
        while self._pg.flush():
            ready = yield WAIT_RW
            _check(ready, until)
            if ready & READY_R:
                self._pg.consume_input()

    def _results(self, until: float | None) -> PQGen[list[PGresult]]:
        """The results up to the next sync."""
        found: list[PGresult] = []
        while True:
            while self._pg.is_busy():
                _check((yield WAIT_R), until)
                self._pg.consume_input()
            result = self._pg.get_result()
            if result is None:
                continue
            if result.status == ExecStatus.PIPELINE_SYNC:
                return found
            found.append(result)

    def _wait(self, exchange: PQGen[R]) -> R:
        return wait(exchange, self._pg.socket, _BETWEEN_LOOKS)

    def _checked(
        self, results: Sequence[PGresult], expected: Sequence[str | None]
    ) -> list[Rows]:
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
            primary = (
                failed.error_field(psycopg.pq.DiagnosticField.MESSAGE_PRIMARY)
                or b"no reason given"
            )
            raise ServerError(state.decode(), primary.decode(errors="replace"))
        return rows

    def _loaded(self, result: PGresult) -> Rows:
        if not result.ntuples:
            return []
        self._loading.set_pgresult(result)
        return self._loading.load_rows(0, result.ntuples, tuple)


def _check(ready: int, until: float | None) -> None:
    """Look at the clock, if nothing arrived for a while."""
    if ready == READY_NONE and until is not None and time.monotonic() > until:
        raise TookTooLong


def _encoded(values: Sequence[Any]) -> tuple[list[bytes | None], list[int]]:
    encoded = [
        None if value is None else _ENCODERS.get(type(value), str.encode)(value)
        for value in values
    ]
    return encoded, [_BINARY if type(value) is bytes else 0 for value in values]


def _array(values: Sequence[Any]) -> bytes:
    """A list of numbers, or of texts."""
    return (
        "{"
        + ",".join(map(repr if values and type(values[0]) is int else _quoted, values))
        + "}"
    ).encode()


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


_ENCODERS: Final[dict[type, Callable[[Any], bytes]]] = {
    str: str.encode,
    bytes: bytes,
    bool: lambda flag: b"t" if flag else b"f",
    int: lambda number: b"%d" % number,
    float: lambda number: repr(number).encode(),
    list: _array,
}


def columns(rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Rows as one list for each column, for ``unnest``."""
    return [list(column) for column in zip(*rows, strict=True)]


def flat(rows: Iterable[Sequence[Any]]) -> list[Any]:
    """The values of rows with one column."""
    return list(chain.from_iterable(rows))
