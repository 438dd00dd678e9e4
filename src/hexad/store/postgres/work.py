"""A unit of work: one connection, one transaction, one namespace. It begins with its
first statement.

So the first round trip begins the transaction, locks or reads the namespace's head, and
brings the first answer.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import HexadError, StoreError
from hexad.model import Layer
from hexad.recent import Recent
from hexad.store import Row, folded
from hexad.store.codec import LAYERS
from hexad.store.postgres.connection import PipelineConnection, Rows, Sql
from hexad.store.postgres.failures import (
    Failure,
    is_gone,
    may_work_again,
    needs_another,
    translate,
)
from hexad.store.postgres.records import decode, hashed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad.store.postgres.pool import Pool

_MOST_STAMPS: Final = 4096  # layers whose latest read vector is remembered, and namespaces with their layers
_MOST_QUEUED: Final = 5000  # statements that wait for a round trip
_MOST_ROWS: Final = 4096  # that a unit of work remembers: an import has more
_ATTEMPTS: Final = 3  # for a transaction that has not done anything yet
_GRACE: Final = 1.0  # seconds after its deadline in which the server itself may say that a query took too long
_HEAD: Final = (
    "SELECT namespace, number, sequence, hash, changed, stamp, facts, rows, lengths, merged, waiting "
    "FROM hexad.head WHERE tenant = $1"
)
ADD_HEAD: Final = "INSERT INTO hexad.head (tenant, namespace) VALUES ($1, $2) ON CONFLICT (tenant) DO NOTHING"
LOCK_HEAD: Final = f"{_HEAD} FOR UPDATE"
SETTINGS: Final = (  # every statement finds its rows by keys; statistics of a table that was small mislead the planner
    "SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true), "
    "set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), "
    "set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)"
)


@dataclass(slots=True)
class Database:
    """Shared by every unit of work of a store."""

    pool: Pool
    location: str
    patience: float
    maintain: Callable[[Work], bool] = lambda _: (
        False
    )  # called when a head is known; whether to ask again
    stamps: Recent[tuple[int, int, int], int] = field(
        default_factory=lambda: Recent(_MOST_STAMPS)
    )
    filled: Recent[int, frozenset[int]] = field(
        default_factory=lambda: Recent(_MOST_STAMPS)
    )  # layers with rows


@dataclass(slots=True)
class LayerIndex:
    """The index of a layer, in numbers."""

    rows: int = 0
    length: int = 0
    merged: int = 0  # the number up to which rows have postings
    waiting: int = 0  # changes since


@dataclass(slots=True)
class Head:
    """The row of a namespace: its counters, the end of its audit chain, its facts, and
    its index in numbers.
    """

    namespace: str
    number: int = 0
    sequence: int = 0
    hash: str = ""
    changed: int = 0
    stamp: int = 0
    facts: dict[str, str] = field(default_factory=dict)
    scopes: dict[int, LayerIndex] = field(
        default_factory=lambda: defaultdict(LayerIndex)
    )  # by the code of the layer


class Work:
    """Asks the database, a round trip at a time; everything queued goes along."""

    only_reads = True

    def __init__(
        self, database: Database, namespace: str, seconds: float | None
    ) -> None:
        self.namespace = namespace
        self.tenant = hashed(namespace)
        self._database = database
        self._seconds = seconds
        self._until: float | None = None
        self._queued: list[Sql] = []
        self._begun = False
        self._sent = False
        self._connection: PipelineConnection
        self.stamps = database.stamps
        self.filled = database.filled
        self.head = Head(namespace)
        self.rows: dict[
            tuple[Layer, str], Row | None
        ] = {}  # as they were read or written; None: there is no such row
        self.folds: dict[
            str, str | None
        ] = {}  # of keys without regard to case, the one that is there

    def ask(self, *statements: Sql) -> list[Rows]:
        """The rows of each statement, in one round trip."""
        queued, self._queued = [*self._queued, *self._state()], []
        try:
            if self._begun:
                return self._run([*queued, *statements])[len(queued) :]
            return self._begin(queued, statements)
        except Failure as error:
            if self._begun and self.only_reads and is_gone(error):
                return self._resumed(error, statements)
            raise self.translated(error) from error

    def queue(self, sql: str, *values: Any) -> None:
        """Send a statement with the next round trip, which is now if very many wait."""
        self._queued.append(Sql(sql, values))
        if len(self._queued) >= _MOST_QUEUED:
            self.ask()

    def known_head(self) -> Head:
        """The head, read if that has not happened yet."""
        if not self._begun:
            self.ask()
        return self.head

    def knows(self, layer: Layer, id: str) -> bool:
        """Whether it is known which row an id finds."""
        if (layer, id) not in self.rows:
            return False
        return (
            layer is not Layer.USER_KNOWLEDGE
            or self.rows[layer, id] is not None
            or folded(id) in self.folds
        )

    def keep(self, rows: Sequence[Sequence[Any]]) -> list[Row]:
        """Decode rows and remember them, unless they were changed here."""
        found = list(map(decode, rows))
        for row in found:
            place = row.record.layer, row.record.id
            self.rows[place] = self.rows.get(place) or row
        return found

    def forget_rows(self) -> None:
        """Remember no rows any more, if they are many."""
        if len(self.rows) > _MOST_ROWS:
            self.rows.clear()

    def take(self) -> None:
        """Take a connection."""
        try:
            self._connection = self._database.pool.take(self._patience())
        except Failure as error:
            raise self.translated(error) from error

    @contextmanager
    def interrupted(self) -> Iterator[None]:
        """End the transaction without a connection in hand, and begin it anew
        afterwards.
        """
        self.leave("ROLLBACK")
        self._begun = self._sent = False
        yield
        self.take()

    def leave(self, ending: str) -> None:
        """End the transaction without waiting for it, and give the connection back."""
        if not hasattr(self, "_connection"):  # interrupted
            return
        if self._sent and not self._connection.broken:
            self._connection.send([Sql(ending)])
        self._database.pool.give_back(self._connection)
        del self._connection

    def translated(self, error: BaseException) -> HexadError:
        """An error of the driver as one of the tree."""
        return translate(error, self._database.location, self._seconds)

    def _begin(self, queued: Sequence[Sql], statements: Sequence[Sql]) -> list[Rows]:
        first = self._first()
        for attempt in range(_ATTEMPTS):
            try:
                results = self._run([*first, *queued, *statements])
                break
            except Failure as error:
                if attempt == _ATTEMPTS - 1 or not may_work_again(error):
                    raise
                self._start_again(error)
        self._begun = True
        self._opened(results[: len(first)])
        return (
            self.ask(*statements)
            if self._database.maintain(self)
            else results[len(first) + len(queued) :]
        )

    def _resumed(self, error: Exception, statements: Sequence[Sql]) -> list[Rows]:
        """Read on over another connection. If nobody changed the namespace in the
        meantime, it is the same state.
        """
        changed = self.head.changed
        try:
            self._start_again(error)
            results = self._begin((), statements)
        except Failure as another:
            raise self.translated(another) from another
        if self.head.changed != changed:
            raise self.translated(error) from error
        return results

    def _run(self, statements: Sequence[Sql]) -> list[Rows]:
        self._sent = True
        return self._connection.run(statements, until=self._until)

    def _start_again(self, error: BaseException) -> None:
        """Roll back, on another connection if this one is of no use."""
        pool = self._database.pool
        if needs_another(error):
            self._connection.broken = True
            pool.forget_idle()
            pool.give_back(self._connection)
            self._connection = pool.take(self._patience())
        else:
            self._connection.send([Sql("ROLLBACK")])

    def _opened(self, results: Sequence[Rows]) -> None:
        """Take the head from the results of `_first`."""
        for (
            namespace,
            number,
            sequence,
            digest,
            changed,
            stamp,
            facts,
            *numbers,
        ) in results[-1]:
            held = dict(enumerate(starmap(LayerIndex, zip(*numbers, strict=True)), 1))
            scopes = {
                code: held.get(code) or LayerIndex() for code in sorted(LAYERS)
            }  # a layer may be newer than the row
            self.head = Head(
                namespace,
                number,
                sequence,
                digest,
                changed,
                stamp,
                json.loads(facts),
                scopes,
            )
        if self.head.namespace != self.namespace:
            reason = (
                f"has the same hash as {self.head.namespace!r}; choose another name"
            )
            raise StoreError(
                self._database.location, f"namespace {self.namespace!r} {reason}"
            )

    def _first(self) -> list[Sql]:
        """The statements that begin the transaction; the last one reads the head."""
        self._until = (
            None if self._seconds is None else time.monotonic() + self._seconds + _GRACE
        )
        deadline = (
            "0" if self._seconds is None else f"{max(1, int(self._seconds * 1000))}"
        )
        return [
            Sql("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            Sql(SETTINGS, (deadline, "0")),
            Sql(_HEAD, (self.tenant,)),
        ]

    def _state(self) -> Sequence[Sql]:
        """Statements that bring the database up to what this unit of work has in
        memory.
        """
        return ()

    def _patience(self) -> float:
        return self._database.patience if self._seconds is None else self._seconds
