"""The store on a PostgreSQL server: any number of processes and machines, one writer a
namespace at a time.

The URL is libpq's, with three further options: ``schema`` (default ``hexad``), ``pool``
(the most connections of this process, default 16) and ``prepare=no`` for poolers that
cannot prepare statements, such as PgBouncer before 1.21.
"""

from __future__ import annotations

import re
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from hexad.errors import CommitInDoubt, InvalidInput, StoreError
from hexad.fork import survive_fork
from hexad.model import Erasure
from hexad.store.postgres.connection import PipelineConnection, Rows, Sql, flat
from hexad.store.postgres.failures import Failure, translate
from hexad.store.postgres.migrating import migrate
from hexad.store.postgres.pool import Pool
from hexad.store.postgres.unit import PostgresUnit
from hexad.store.postgres.view import View
from hexad.store.postgres.work import Database, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad.store import Reading, Writing

__all__ = ["PostgresStore"]

PATIENCE: Final = 30.0  # seconds that a writer waits for the others
_SCHEMA: Final = "hexad"
_MOST_CONNECTIONS: Final = 16
_BEFORE_MERGING: Final = 1.0  # seconds
_BETWEEN_ATTEMPTS: Final = 0.1  # seconds, to reach a server that restarts
_DEFAULTS: Final = {
    "connect_timeout": "3",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
    "application_name": "hexad",
}
_NAMESPACES: Final = (
    "SELECT namespace FROM hexad.head h WHERE namespace > $1 AND (sequence > 0 "
    "OR EXISTS (SELECT 1 FROM hexad.record r WHERE r.tenant = h.tenant) "
    "OR EXISTS (SELECT 1 FROM hexad.association a WHERE a.tenant = h.tenant)) ORDER BY namespace LIMIT $2"
)
_APPENDED: Final = (
    "SELECT 1 FROM hexad.audit WHERE tenant = $1 AND sequence = $2 AND hash = $3"
)
_QUOTED: Final = re.compile('"([^"]*)"')
_WORD: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")


class PostgresStore:
    """A store in a schema of a PostgreSQL database, created if it does not exist."""

    durable: bool = True

    def __init__(self, url: str, *, patience: float = PATIENCE) -> None:
        conninfo, options = _parsed(url)
        schema, prepare = options.get("schema", _SCHEMA), options.get("prepare") != "no"
        self.location = _shown(conninfo, schema)
        self.shared_as: str | None = self.location
        self._patience = patience
        size = int(options.get("pool", _MOST_CONNECTIONS))
        self._pool = Pool(
            lambda: PipelineConnection(conninfo, schema, prepare=prepare),
            size,
            self.location,
        )
        self._database = Database(self._pool, self.location, patience)
        self.after_fork()
        survive_fork(self)
        try:
            self._migrate()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(
        self, namespace: str, *, deadline: float | None = None
    ) -> Iterator[View]:
        """One state, from the first statement on; a query stops ``deadline`` seconds
        after it.
        """
        view = View(self._database, namespace, deadline)
        view.take()
        try:
            yield view
        finally:
            view.leave("COMMIT")  # nobody waits for it

    @contextmanager
    def transaction(
        self, namespace: str, *, patience: float | None = None
    ) -> Iterator[PostgresUnit]:
        """All or nothing. The namespace is locked with the first statement."""
        if getattr(self._writing, "now", False):
            raise StoreError(
                self.location, "this thread is in a transaction already; use that one"
            )
        unit = PostgresUnit(
            self._database, namespace, self._patience if patience is None else patience
        )
        unit.take()
        self._writing.now = True
        try:
            yield unit
            known = unit.commit()
        finally:
            unit.leave("ROLLBACK")
            self._writing.now = False
        if not known:
            self._resolve(unit)
        if unit.waits and self._merging.acquire(blocking=False):
            threading.Thread(
                target=self._merge, args=(namespace,), name="hexad-merge", daemon=True
            ).start()

    def namespaces(self, *, after: str = "", limit: int = 1000) -> Sequence[str]:
        """The namespaces above ``after``, sorted."""
        return flat(self._ask(_NAMESPACES, after, limit))

    def flush_traces(self) -> Erasure:
        """The server's vacuum removes the last bytes, and its log and replicas keep
        them for a time of their own.
        """
        return Erasure.SCHEDULED

    def inspect(self) -> dict[str, str]:
        """The server's version, and whether it can be written."""
        refuses = "pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'"
        ((version, read_only),) = self._ask(
            f"SELECT current_setting('server_version'), {refuses}"
        )
        state = "read only, such as a standby" if read_only else "ok"
        return {"server": f"PostgreSQL {version}", "integrity": state}

    def mend(self) -> Sequence[tuple[str, str]]:
        """The server mends itself: a row that cannot be read is `StoreDamaged`."""
        return ()

    def maintain(
        self, due: Callable[[Reading], bool], do: Callable[[Writing], bool]
    ) -> None:
        """Bring each namespace up to date when a unit of work knows its facts, which
        come with the first answer.

        ``due`` says whether that is needed before reading, ``do`` does it in a
        transaction and says if it was needed.
        """

        def maintained(work: Work) -> bool:
            if isinstance(work, PostgresUnit):
                return do(work)
            if not (isinstance(work, View) and due(work)):
                return False
            with work.interrupted(), self.transaction(work.namespace) as unit:
                unit.known_head()  # any use of it does the work
            return True

        self._database.maintain = maintained

    def close(self) -> None:
        """Close every connection, after the work of other threads has ended."""
        self._closing.set()
        with self._merging:
            self._pool.close(self._patience)

    def after_fork(self) -> None:
        """A thread of the parent may have been merging or writing."""
        self._writing = threading.local()
        self._merging = threading.Lock()
        self._closing = threading.Event()

    def _resolve(self, unit: PostgresUnit) -> None:
        """Return if a commit whose connection was lost did happen, else raise; the
        audit chain knows.
        """
        if unit.appended is None:
            raise CommitInDoubt(self.location)
        until = time.monotonic() + self._patience
        while (found := self._has_appended(unit, *unit.appended)) is None:
            if time.monotonic() > until:
                raise CommitInDoubt(self.location)
            time.sleep(_BETWEEN_ATTEMPTS)
        if not found:
            raise StoreError(
                self.location,
                "the connection was lost and nothing was stored; try again",
            )

    def _has_appended(
        self, unit: PostgresUnit, sequence: int, digest: str
    ) -> bool | None:
        """Whether the audit chain has this record of a unit's; None while the server
        does not answer.
        """
        self._pool.forget_idle()
        try:
            with self.transaction(
                unit.namespace
            ) as later:  # a session that still commits has the lock
                return bool(
                    later.ask(Sql(_APPENDED, (unit.tenant, sequence, digest)))[0]
                )
        except StoreError:
            return None

    def _merge(self, namespace: str) -> None:
        """Merge a namespace's index, a moment later: many saves may follow. If it
        fails, the next save tries again.
        """
        try:
            self._closing.wait(_BEFORE_MERGING)
            with self.transaction(namespace) as unit:
                unit.merge()
        except StoreError:
            pass
        finally:
            self._merging.release()

    def _ask(self, sql: str, *values: Any) -> Rows:
        with self.reading("") as view:
            return view.ask(Sql(sql, values))[0]

    def _migrate(self) -> None:
        try:
            connection = self._pool.take(self._patience)
            try:
                migrate(connection, self.location)
            finally:
                self._pool.give_back(connection)
        except Failure as error:
            raise translate(error, self.location, None) from error


def _parsed(url: str) -> tuple[str, dict[str, str]]:
    """The parameters for libpq, and the options that are Hexad's own."""
    address, _, query = url.partition("?")
    given = [part.partition("=") for part in query.split("&")]
    own = {
        name: unquote(value)
        for name, _, value in given
        if name in {"schema", "pool", "prepare"}
    }
    rest = "&".join(
        "".join(part) for part in given if part[0] not in own
    )  # as it is: libpq reads no `+` as a space
    if not _WORD.fullmatch(own.get("schema", _SCHEMA)):
        raise InvalidInput(
            "database",
            f"schema {own['schema']!r} must be a word of a-z, 0-9 and _, at most 63 letters",
        )
    if own.get("prepare", "no") not in {"yes", "no"}:
        raise InvalidInput("database", f"prepare={own['prepare']} must be yes or no")
    if not own.get("pool", "1").isdecimal() or own.get("pool") == "0":
        raise InvalidInput(
            "database", f"pool={own['pool']} must be a number of connections"
        )
    try:
        found = conninfo_to_dict(f"{address}?{rest}" if rest else address)
    except psycopg.Error as error:
        names = {name for name, *_ in given}
        reason = _QUOTED.sub(
            lambda word: word[0] if word[1] in names else "its text", str(error)
        )
        raise InvalidInput(
            "database", f"is not a PostgreSQL URL: {reason}"
        ) from None  # it may quote the password
    several = (
        {"target_session_attrs": "read-write"}
        if "," in str(found.get("host", ""))
        else {}
    )
    options: dict[str, Any] = {**_DEFAULTS, **several, **found}
    return make_conninfo(**options), own


def _shown(conninfo: str, schema: str) -> str:
    """The database's name in messages, without its password."""
    found = conninfo_to_dict(conninfo)
    user = f"{found['user']}@" if "user" in found else ""
    hosts, ports = (
        str(found.get("host", "")).split(","),
        str(found.get("port", "")).split(","),
    )
    pairs = zip(
        hosts, ports if len(ports) == len(hosts) else ports * len(hosts), strict=False
    )
    place = ",".join(f"{host}:{port}" if port else host for host, port in pairs)
    inside = "" if schema == _SCHEMA else f"?schema={schema}"
    return f"postgresql://{user}{place}/{found.get('dbname', '')}{inside}"
