"""Changing a namespace: the contract is the ports'.

A unit computes in memory what follows from a change: the next number, the counts, which
words become stale. It holds the lock of the namespace's head, so nobody else changes
them. Writes are queued; they go with the next read or the commit.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import HexadError, RateLimited
from hexad.model import (
    Association,
    AuditRecord,
    Layer,
    Learning,
    Proposal,
    SkillVersion,
    Version,
)
from hexad.shape import to_microseconds
from hexad.store import Embedded, Entry, Row, Use, folded
from hexad.store.codec import CODES, LAYERS, as_json, insert, upsert
from hexad.store.postgres.connection import ServerError, Sql
from hexad.store.postgres.failures import Failure, is_gone
from hexad.store.postgres.merging import merge
from hexad.store.postgres.records import (
    ASSOCIATIONS,
    AUDIT,
    PROPOSALS,
    WRITTEN,
    encode,
    hashed,
    version_row,
)
from hexad.store.postgres.view import View
from hexad.store.postgres.work import ADD_HEAD, LOCK_HEAD, SETTINGS, LayerIndex
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hexad.store.learning import LearningChanges

_PUT: Final = upsert("hexad.record", WRITTEN, "layer", "number")
_ADD_STALE: Final = insert(
    "hexad.stale", ("layer", "number", "words"), "ON CONFLICT DO NOTHING"
)
_VECTOR: Final = ("layer", "embedder", "number", "stamp", "vector")
_PUT_VECTOR: Final = (  # the same vector again changes nothing; `xmax` is 0 in a new row
    f"WITH put AS ({upsert('hexad.vector AS v', _VECTOR, 'number', 'embedder')} "
    "WHERE v.vector <> excluded.vector RETURNING layer, embedder, stamp, (xmax = 0)::int AS added) "
    "INSERT INTO hexad.embedder AS e (tenant, layer, embedder, rows, stamp) "
    "SELECT $1, layer, embedder, added, stamp FROM put "
    "ON CONFLICT (tenant, layer, embedder) DO UPDATE SET rows = e.rows + excluded.rows, stamp = excluded.stamp"
)
_ADD_VERSION: Final = insert(
    "hexad.version", ("layer", "id", "version", "session", "subject", "data")
)
_ADD_AUDIT: Final = insert("hexad.audit", AUDIT.names)
_DETAILS: Final = AUDIT.names.index("details")
_ADD_ASSOCIATION: Final = insert("hexad.association", ASSOCIATIONS.names)
_PUT_PROPOSAL: Final = upsert("hexad.proposal", ("id", "data"), "id")
_PUT_FACT: Final = upsert("hexad.fact", ("name", "value"), "name")
_REMOVE_PROPOSALS: Final = (
    "DELETE FROM hexad.proposal WHERE tenant = $1 AND id = ANY($2::text[])"
)
_TAKE_SLOT: Final = (
    "INSERT INTO hexad.slot AS s (tenant, session, kind, taken, most) VALUES ($1, $2, $3, 1, $4) "
    "ON CONFLICT (tenant, session, kind) DO UPDATE SET taken = s.taken + 1, most = excluded.most, at = now()"
)
_DROP_SLOTS: Final = (
    "DELETE FROM hexad.slot WHERE tenant = $1 AND at < now() - interval '7 days'"
)
_DROP_EVERY: Final = 256  # transactions of a namespace
_BEYOND_LIMIT: Final = "23514"  # the check of `hexad.slot`
_PUT_HEAD: Final = (
    "UPDATE hexad.head SET number = $2, sequence = $3, hash = $4, changed = $5, stamp = $6, facts = $7, "
    "rows = $8, lengths = $9, merged = $10, waiting = $11 WHERE tenant = $1"
)
_USE: Final = (
    "UPDATE hexad.record SET use_count = use_count + $4, last_used = $5 WHERE "
    "tenant = $1 AND layer = $2 AND id = $3"
)
_REMOVE: Final = (
    "DELETE FROM hexad.record WHERE tenant = $1 AND layer = $2 AND number = $3"
)
_REMOVE_VECTORS: Final = (
    "WITH gone AS (DELETE FROM hexad.vector WHERE tenant = $1 AND number = $2 "
    "RETURNING layer, embedder) UPDATE hexad.embedder e SET rows = rows - g.count FROM "
    "(SELECT layer, embedder, count(*) FROM gone GROUP BY layer, embedder) g "
    "WHERE e.tenant = $1 AND e.layer = g.layer AND e.embedder = g.embedder"
)
_CLEAR_INDEX: Final = (
    "UPDATE hexad.record SET words = NULL WHERE tenant = $1",
    *(
        f"DELETE FROM hexad.{table} WHERE tenant = $1"
        for table in ("leaf", "block", "stale", "vector", "embedder")
    ),
)
_REMOVE_ASSOCIATIONS: Final = (
    "DELETE FROM hexad.association WHERE tenant = $1 AND layer = $2 AND id = $3"
)
_REMOVE_VERSIONS: Final = (
    "DELETE FROM hexad.version WHERE tenant = $1 AND layer = $2 AND id = $3 "
    "AND ($4::bigint[] IS NULL OR version = ANY($4))"
)
MOST_WAITING: Final = (
    256  # rows of a layer whose words a question reads whole; then they are merged
)
_MERGED_AT_ONCE: Final = 2048  # so many are merged before the commit: somebody imports
_NO_WORDS: Final = Document((), ())


class PostgresUnit(View):
    """Changes one namespace inside one transaction."""

    only_reads = False

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._reindexed = False  # since the head was last written
        self._limited: RateLimited | None = None
        self.appended: tuple[int, str] | None = (
            None  # sequence and hash of the last audit record
        )

    def put(self, entries: Sequence[Entry]) -> None:
        for record in (each.record for each in entries):
            if isinstance(record, Learning) and record.id not in self._templates.get(
                record.trigger, (record.id,)
            ):
                self.rows.setdefault(
                    (record.layer, record.id), None
                )  # those of its trigger are known
        self._read([(each.record.layer, each.record.id) for each in entries])
        self.filled.pop(self.tenant)
        for entry in entries:
            self._put(entry)

    def learn(self, changes: LearningChanges) -> None:
        super().learn(changes)
        for learning, at in changes.seen.items():
            self._edit(Layer.AGENT_LEARNINGS, learning, "seen", 1, updated=at)

    def _edit(
        self, layer: Layer, id: str, count: str, more: int, **changes: Any
    ) -> None:
        """Change a row in memory as a statement does in the database."""
        row = self.rows.get((layer, id))
        if row is not None:
            record = replace(
                row.record, **{count: getattr(row.record, count) + more}, **changes
            )
            self.rows[layer, id] = row._replace(record=record)

    def _put(self, entry: Entry) -> None:
        record, document = entry.record, entry.document
        old = self.rows[record.layer, record.id]
        self.head.number += old is None
        number = old.number if old else self.head.number
        self.rows[record.layer, record.id] = Row(number, record, document)
        if record.layer is Layer.USER_KNOWLEDGE:
            self.folds[folded(record.id)] = record.id
        elif isinstance(record, Learning) and record.trigger in self._templates:
            self._templates[record.trigger][record.id] = (
                record.template,
                record.length,
                record.error_pattern,
            )
        self.queue(
            _PUT,
            self.tenant,
            *encode(record, number, document.pack() if document else None),
        )
        before = old.document if old else None
        if before != document:
            self._reindex(record.layer, number, before, document)
            if old and not entry.analysed:
                self.queue(_REMOVE_VECTORS, self.tenant, number)
        if entry.embedded is not None and document is not None:
            self.embed(record.layer, {number: entry.embedded})

    def embed(self, layer: Layer, vectors: Mapping[int, Embedded]) -> None:
        for number, embedded in vectors.items():
            self.head.stamp += 1
            values = (
                CODES[layer],
                hashed(embedded.embedder),
                number,
                self.head.stamp,
                embedded.vector,
            )
            self.queue(_PUT_VECTOR, self.tenant, *values)

    def associate(
        self, layer: Layer, id: str, associations: Collection[Association]
    ) -> None:
        self.queue(_REMOVE_ASSOCIATIONS, self.tenant, CODES[layer], id)
        for each in associations:
            self.queue(_ADD_ASSOCIATION, self.tenant, *ASSOCIATIONS.row(each))

    def remove(self, layer: Layer, id: str) -> bool:
        self._read([(layer, id)])
        old = self.rows[layer, id]
        if old is None:
            return False
        self.rows[layer, id] = None
        self.folds.pop(folded(id), None)
        if layer is Layer.AGENT_LEARNINGS:
            for known in self._templates.values():
                known.pop(id, None)
        if old.document is not None:
            self._reindex(layer, old.number, old.document, None)
        self.queue(_REMOVE_VECTORS, self.tenant, old.number)
        self.queue(_REMOVE, self.tenant, CODES[layer], old.number)
        self.associate(layer, id, ())
        return True

    def add_versions(self, versions: Sequence[Version | SkillVersion]) -> None:
        for version in versions:
            self.queue(_ADD_VERSION, self.tenant, *version_row(version))

    def remove_versions(
        self, layer: Layer, id: str, numbers: Collection[int] | None = None
    ) -> None:
        self.queue(
            _REMOVE_VERSIONS,
            self.tenant,
            CODES[layer],
            id,
            None if numbers is None else list(numbers),
        )

    def propose(
        self, proposals: Sequence[Proposal] = (), *, withdrawn: Collection[str] = ()
    ) -> None:
        for proposal in proposals:
            self.queue(
                _PUT_PROPOSAL,
                self.tenant,
                proposal.id,
                as_json(PROPOSALS.plain(proposal)),
            )
        if withdrawn:
            self.queue(_REMOVE_PROPOSALS, self.tenant, list(withdrawn))

    def use(self, uses: Collection[Use]) -> None:
        for use in uses:
            self._edit(use.layer, use.id, "use_count", use.count, last_used=use.at)
            self.queue(
                _USE,
                self.tenant,
                CODES[use.layer],
                use.id,
                use.count,
                to_microseconds(use.at),
            )

    def append_audit(
        self, records: Sequence[AuditRecord], details: Sequence[str] = ()
    ) -> None:
        head = self.known_head()
        for record, written in zip_longest(records, details):
            row = AUDIT.row(record)
            row[_DETAILS] = written or row[_DETAILS]
            self.queue(_ADD_AUDIT, self.tenant, *row)
            if record.sequence > head.sequence:
                head.sequence, head.hash = self.appended = record.sequence, record.hash

    def take_slot(self, session: str, kind: str, limit: int) -> None:
        self._limited = RateLimited(kind, limit, session)
        self.queue(_TAKE_SLOT, self.tenant, session, kind, limit)

    def translated(self, error: BaseException) -> HexadError:
        beyond = isinstance(error, ServerError) and error.state == _BEYOND_LIMIT
        return (
            self._limited
            if beyond and self._limited is not None
            else super().translated(error)
        )

    def set_note(self, name: str, value: str) -> None:
        if ":" in name:
            self._facts = None
            self.queue(_PUT_FACT, self.tenant, name, value)
        else:
            self.known_head().facts[name] = value

    def scrub(self, *, index: bool = False) -> None:
        """Merge the index, so that no words of removed rows are left in it; the rest is
        the server's maintenance.
        """
        if not index:
            self.merge(least=0)
            return
        for statement in _CLEAR_INDEX:
            self.queue(statement, self.tenant)
        self.head.scopes = {code: LayerIndex() for code in self.known_head().scopes}
        self.rows.clear()
        self._reindexed = True

    def merge(self, *, least: int = MOST_WAITING) -> None:
        """Turn the words of rows into postings, in layers where more than ``least``
        wait.
        """
        self.known_head()
        for code, scope in self.head.scopes.items():
            if scope.waiting > least:
                merge(self, LAYERS[code], scope.merged)
                scope.merged, scope.waiting = self.head.number, 0
                self._reindexed = True

    @property
    def waits(self) -> bool:
        """Whether a layer should be merged."""
        return any(scope.waiting > MOST_WAITING for scope in self.head.scopes.values())

    def commit(self) -> bool:
        """Commit; whether it is known that it happened. An error says that it did not."""
        if not self._begun and not self._queued:
            return True
        self.known_head()
        try:
            self._run([*self._last(), Sql("COMMIT")])
        except Failure as error:
            if is_gone(error):
                return False
            raise self.translated(error) from error
        self._sent = False
        return True

    def _last(self) -> list[Sql]:
        """Everything that the commit sends before it commits."""
        if any(scope.waiting > _MERGED_AT_ONCE for scope in self.head.scopes.values()):
            self.merge(least=_MERGED_AT_ONCE)
        self.head.changed += 1
        if self.head.changed % _DROP_EVERY == 0:
            self.queue(_DROP_SLOTS, self.tenant)
        self._reindexed = True
        queued, self._queued = [*self._queued, *self._state()], []
        return queued

    # the parts of it

    def _reindex(
        self, layer: Layer, number: int, old: Document | None, new: Document | None
    ) -> None:
        """Count a row's new words in the place of its old ones; what the index says
        about it becomes stale.
        """
        code = CODES[layer]
        scope = self.head.scopes[code]
        for change, document in ((-1, old), (1, new)):
            if document is not None:
                scope.rows += change
                scope.length += change * document.length
        if number <= scope.merged:
            self.queue(_ADD_STALE, self.tenant, code, number, (old or _NO_WORDS).pack())
        scope.waiting += 1
        self._reindexed = True

    def _first(self) -> list[Sql]:
        patience = f"{max(1, int((self._seconds or 0.0) * 1000))}"
        return [
            Sql("BEGIN ISOLATION LEVEL READ COMMITTED"),
            Sql(SETTINGS, ("0", patience)),
            Sql(ADD_HEAD, (self.tenant, self.namespace)),
            Sql(LOCK_HEAD, (self.tenant,)),
        ]

    def _state(self) -> Sequence[Sql]:
        """The head, if the index has changed."""
        if not self._reindexed:
            return []
        self._reindexed, head = False, self.head
        indexes = head.scopes.values()
        scopes = [[*map(attrgetter(name), indexes)] for name in LayerIndex.__slots__]
        values = (
            head.number,
            head.sequence,
            head.hash,
            head.changed,
            head.stamp,
            as_json(head.facts),
            *scopes,
        )
        return [Sql(_PUT_HEAD, (self.tenant, *values))]
