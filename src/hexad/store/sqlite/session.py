"""What the ports' reading and writing mean in SQL, over one connection inside one transaction."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from hexad.shape import to_microseconds
from hexad.store import Row, Scope, Sketch, Use
from hexad.store.sqlite.index import Index, chunks, marks
from hexad.store.sqlite.learning import LearningSession
from hexad.store.sqlite.meaning import Meanings
from hexad.store.sqlite.rows import ASSOCIATIONS, AUDIT, SKILL_VERSIONS, TABLES, VERSIONS, Table, as_json, table_of
from hexad.store.sqlite.skills import SkillSession
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from hexad.model import Association, AuditRecord, Layer, Record, Version
    from hexad.store import Embedded, Vector, VectorState
    from hexad.text.index import Posting, Statistics

SCRUBBED: Final = (
    *(table.name for table in TABLES.values()),
    *(VERSIONS.name, SKILL_VERSIONS.name, ASSOCIATIONS.name, "hexad_fresh", "hexad_posting", "hexad_vector"),
    *("hexad_call", "hexad_offer", "hexad_skill_definition"),
)


class Session(LearningSession, SkillSession):
    """Reads and writes through a connection whose transaction somebody else begins and ends."""

    @cached_property
    def _index(self) -> Index:
        return Index(self._connection)

    @cached_property
    def _meanings(self) -> Meanings:
        return Meanings(self._connection)

    # reading

    def get(self, scope: Scope, id: str) -> Row | None:
        table = table_of(scope.layer)
        rows = self._rows(table, f'namespace = ? AND "{table.key}" = ?', (scope.namespace, id))
        return rows[0] if rows else None

    def fetch(self, scope: Scope, numbers: Collection[int], *, brief: bool = False) -> Sequence[Row]:
        table = table_of(scope.layer)
        where = "number IN ({}) AND +namespace = ?"
        return [
            row
            for chunk in chunks(numbers)
            for row in self._rows(table, where.format(marks(chunk)), (*chunk, scope.namespace), brief=brief)
        ]

    def sketch(self, scope: Scope, numbers: Collection[int]) -> Sequence[Sketch]:
        return [
            sketch
            for chunk in chunks(numbers)
            for sketch in self._sketches(
                scope, f"WHERE number IN ({marks(chunk)}) AND +namespace = ?", (*chunk, scope.namespace)
            )
        ]

    def in_threads(self, scope: Scope, places: Collection[tuple[str, int]]) -> Sequence[Sketch]:
        if scope.layer is not _KNOWLEDGE:
            return ()
        return [
            sketch
            for chunk in chunks(places)
            for sketch in self._sketches(
                scope,
                "INDEXED BY hexad_knowledge_thread WHERE namespace = ? AND thread <> '' "
                f"AND (thread, position) IN (VALUES {','.join(['(?,?)'] * len(chunk))})",
                (scope.namespace, *(value for place in chunk for value in place)),
            )
        ]

    def page(self, scope: Scope, *, after: int = 0, limit: int = 1000) -> Sequence[Row]:
        table = table_of(scope.layer)
        # The + keeps SQLite on the primary key: rows of one namespace come in the order they were saved.
        where = "+namespace = ? AND number > ? ORDER BY number LIMIT ?"
        return self._rows(table, where, (scope.namespace, after, limit))

    def pinned(self, scope: Scope) -> Sequence[int]:
        if scope.layer is not _KNOWLEDGE:
            return ()
        return [number for (number,) in self._run("pinned", scope.namespace)]

    def versions(self, namespace: str, key: str) -> Sequence[Version]:
        rows = self._connection.execute(
            f"SELECT {VERSIONS.selected} FROM {VERSIONS.name} WHERE namespace = ? AND key = ? ORDER BY version DESC",
            (namespace, key),
        )
        return [VERSIONS.decode(row) for row in rows]

    def keys_in_session(self, namespace: str, session: str) -> Sequence[str]:
        values = {"namespace": namespace, "session": session}
        return [key for (key,) in self._connection.execute(self._sql["keys_in_session"], values)]

    def keys_about(self, namespace: str, subject: str) -> Sequence[str]:
        values = {"namespace": namespace, "subject": subject}
        return [key for (key,) in self._connection.execute(self._sql["keys_about"], values)]

    def any_expired(self, scope: Scope, now: datetime) -> bool:
        if scope.layer is not _KNOWLEDGE:
            return False
        return self._run("any_expired", scope.namespace, to_microseconds(now)).fetchone() is not None

    def learning_id(self, namespace: str, trigger: str, error_pattern: str) -> str | None:
        found = self._run("learning_id", namespace, trigger, error_pattern).fetchone()
        return found[0] if found else None

    def statistics(self, scope: Scope, terms: Collection[str]) -> Statistics:
        return self._index.statistics(scope, terms)

    def postings(self, scope: Scope, term: str, *, limit: int, below: int | None = None) -> Sequence[Posting]:
        return self._index.postings(scope, term, limit=limit, below=below)

    def postings_among(self, scope: Scope, term: str, numbers: Collection[int]) -> Sequence[Posting]:
        return self._index.postings_among(scope, term, numbers)

    def vector_state(self, scope: Scope, embedder: str) -> VectorState:
        return self._meanings.state(scope, embedder)

    def vectors(self, scope: Scope, embedder: str, *, after: int = 0, limit: int = 1000) -> Sequence[Vector]:
        return self._meanings.vectors(scope, embedder, after, limit)

    def vector_numbers(self, scope: Scope, embedder: str) -> Collection[int]:
        return self._meanings.numbers(scope, embedder)

    def without_vector(self, scope: Scope, embedder: str, *, after: int = 0, limit: int = 1000) -> Sequence[Row]:
        home = self._meanings.home(scope, embedder)
        where = (
            "+namespace = ? AND number > ? AND words IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hexad_vector "
            "WHERE meaning = ? AND hexad_vector.number = {}.number) ORDER BY number LIMIT ?"
        )
        table = table_of(scope.layer)
        return self._rows(table, where.format(table.name), (scope.namespace, after, home, limit))

    def numbers(self, scope: Scope, ids: Collection[str]) -> Mapping[str, int]:
        table = table_of(scope.layer)
        return {
            key: number
            for chunk in chunks(ids)
            for key, number in self._connection.execute(
                f'SELECT "{table.key}", number FROM {table.name} '
                f'WHERE namespace = ? AND "{table.key}" IN ({marks(chunk)}) AND words IS NOT NULL',
                (scope.namespace, *chunk),
            )
        }

    def associations(self, scope: Scope, terms: Collection[str], *, limit: int) -> Sequence[Association]:
        return self._meanings.associations(scope, terms, limit)

    def associations_of(self, scope: Scope, id: str) -> Sequence[Association]:
        return self._meanings.associations_of(scope, id)

    def all_associations(self, namespace: str) -> Sequence[Association]:
        return self._meanings.all_associations(namespace)

    def audit(self, namespace: str, *, after: int = 0, limit: int = 1000) -> Sequence[AuditRecord]:
        return [AUDIT.decode(row) for row in self._run("audit", namespace, after, limit)]

    def audit_head(self, namespace: str) -> AuditRecord | None:
        row = self._run("audit_head", namespace).fetchone()
        return AUDIT.decode(row) if row else None

    def chain_end(self, namespace: str) -> tuple[int, str] | None:
        found: tuple[int, str] | None = self._run("chain_end", namespace).fetchone()
        return found

    def namespaces(self) -> Sequence[str]:
        return [name for (name,) in self._run("namespaces")]

    def note(self, name: str) -> str | None:
        row = self._connection.execute(self._sql["note"], {"name": name}).fetchone()
        return row[0] if row else None

    # writing

    def put(self, scope: Scope, record: Record, document: Document | None, embedded: Embedded | None = None) -> None:
        table = table_of(scope.layer)
        old = self._row_number(table, scope, record.id)
        values = [*table.encode(record), document.pack() if document else None]
        if old is None:
            number = self._insert(table, scope, values)
        else:
            number = old[0]
            self._update(table, number, values)
        self._put_aside(table, number, record)
        if old is None or old[1] != values[-1]:
            self._index.replace(scope, number, old[1] if old else None, document)
            if old is not None:
                self._meanings.remove(scope, number)
        if embedded is not None and document is not None:
            self._meanings.add(scope, number, embedded)

    def embed(self, scope: Scope, number: int, embedded: Embedded) -> None:
        self._meanings.add(scope, number, embedded)

    def associate(self, scope: Scope, id: str, associations: Collection[Association]) -> None:
        self._meanings.associate(scope, id, associations)

    def remove(self, scope: Scope, id: str) -> bool:
        table = table_of(scope.layer)
        old = self._row_number(table, scope, id)
        if old is None:
            return False
        for name in (table.name, *([table.home_of_aside] if table.aside else ())):
            self._connection.execute(f"DELETE FROM {name} WHERE number = ?", (old[0],))
        self._index.replace(scope, old[0], old[1], None)
        self._meanings.remove(scope, old[0])
        self._meanings.associate(scope, id, ())
        return True

    def add_version(self, namespace: str, version: Version) -> None:
        self._connection.execute(
            f"INSERT INTO {VERSIONS.name} ({VERSIONS.written}, namespace) VALUES ({VERSIONS.placeholders}, ?)",
            (*VERSIONS.encode(version), namespace),
        )

    def remove_versions(self, namespace: str, key: str, numbers: Collection[int]) -> None:
        self._connection.executemany(
            f"DELETE FROM {VERSIONS.name} WHERE namespace = ? AND key = ? AND version = ?",
            [(namespace, key, number) for number in numbers],
        )

    def use(self, uses: Collection[Use]) -> None:
        for use in uses:
            table = table_of(use.scope.layer)
            self._connection.execute(
                f"UPDATE {table.name} SET use_count = use_count + ?, last_used = ? "
                f'WHERE namespace = ? AND "{table.key}" = ?',
                (use.count, to_microseconds(use.at), use.scope.namespace, use.id),
            )

    def append_audit(self, namespace: str, record: AuditRecord, details: str | None = None) -> None:
        # By hand: every watched call passes here.
        what = (record.sequence, to_microseconds(record.at), record.session, record.action, record.actor, record.target)
        told = as_json(record.details) if details is None else details
        self._run("append_audit", *what, told, record.previous, record.hash, namespace)

    def set_note(self, name: str, value: str) -> None:
        self._connection.execute(self._sql["set_note"], {"name": name, "value": value})

    def scrub(self) -> None:
        """Empty and refill each table: its old pages are zeroed as they are freed, slack between cells included.

        VACUUM would do it too, but may renumber rows of other people's tables in the same file.
        """
        for table in SCRUBBED:
            self._connection.execute(f"CREATE TEMP TABLE hexad_scrub AS SELECT * FROM main.{table}")
            self._connection.execute(f"DELETE FROM main.{table}")
            self._connection.execute(f"INSERT INTO main.{table} SELECT * FROM hexad_scrub")
            self._connection.execute("DROP TABLE hexad_scrub")

    # the parts of it

    def _rows(self, table: Table[Record], where: str, values: Sequence[object], *, brief: bool = False) -> list[Row]:
        cursor = self._connection.execute(
            f"SELECT {table.brief if brief else table.selected}, words, number FROM {table.name} WHERE {where}", values
        )
        return [Row(row[-1], table.decode(row), _unpacked(row[-2])) for row in cursor]

    def _sketches(self, scope: Scope, where: str, values: Sequence[object]) -> Iterator[Sketch]:
        table = table_of(scope.layer)
        rows = self._connection.execute(
            f"SELECT {table.sketched} FROM {table.name} {where} AND words IS NOT NULL", values
        )
        return map(Sketch._make, rows)

    def _row_number(self, table: Table[Record], scope: Scope, id: str) -> tuple[int, str | None] | None:
        cursor = self._connection.execute(
            f'SELECT number, words FROM {table.name} WHERE namespace = ? AND "{table.key}" = ?', (scope.namespace, id)
        )
        found: tuple[int, str | None] | None = cursor.fetchone()
        return found

    def _insert(self, table: Table[Record], scope: Scope, values: Sequence[object]) -> int:
        cursor = self._connection.execute(
            f"INSERT INTO {table.name} ({table.written}, words, namespace) VALUES ({table.placeholders}, ?, ?)",
            (*values, scope.namespace),
        )
        return int(cursor.lastrowid or 0)

    def _update(self, table: Table[Record], number: int, values: Sequence[object]) -> None:
        self._connection.execute(
            f"UPDATE {table.name} SET {table.assignments}, words = ? WHERE number = ?", (*values, number)
        )

    def _put_aside(self, table: Table[Record], number: int, record: Record) -> None:
        """Write what lies aside, where it is not the same already."""
        if table.aside is not None:
            self._connection.execute(
                f"INSERT INTO {table.home_of_aside} VALUES (?1, ?2) "
                f"ON CONFLICT DO UPDATE SET {table.aside} = ?2 WHERE {table.aside} != ?2",
                (number, as_json(getattr(record, table.aside))),
            )


_KNOWLEDGE: Final[Layer] = next(layer for layer, table in TABLES.items() if table.name == "hexad_knowledge")


def _unpacked(words: str | None) -> Document | None:
    return None if words is None else Document.unpack(words)
