"""A unit of work in SQL: reads and writes one namespace over one connection, inside one
transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from hexad.model import (
    Association,
    AuditRecord,
    Layer,
    Proposal,
    Record,
    SkillVersion,
    Version,
)
from hexad.shape import to_microseconds
from hexad.store import Entry, Row, Sketch, Sketches, Use, folded, places_beside
from hexad.store.codec import as_json
from hexad.store.sqlite.index import Index, chunks, padded, placeholders
from hexad.store.sqlite.learning import LearningTables
from hexad.store.sqlite.rows import (
    ASSOCIATIONS,
    AUDIT,
    LAYERS,
    PROPOSALS,
    TABLES,
    VERSIONS,
    NounTable,
    unpacked,
)
from hexad.store.sqlite.search import Search
from hexad.store.sqlite.vectors import Vectors

if TYPE_CHECKING:
    from datetime import datetime


SCRUBBED: Final = (
    *(
        table.name
        for table in (*TABLES.values(), *VERSIONS.values(), ASSOCIATIONS, PROPOSALS)
    ),
    *(
        "hexad_fresh",
        "hexad_posting",
        "hexad_vector",
        "hexad_call",
        "hexad_offer",
        "hexad_skill_definition",
    ),
    "hexad_fact",
)
_WIDEST: Final = max(len(table.columns) for table in TABLES.values())
_SEEN_TOGETHER: Final = 32  # rows of a layer that are usually looked at
_FACT: Final = "SELECT value FROM hexad_fact WHERE namespace = ? AND name = ?"
_SET_FACT: Final = (
    "INSERT OR REPLACE INTO hexad_fact (namespace, name, value) VALUES (?, ?, ?)"
)
_CLEAR_VECTORS: Final = "DELETE FROM hexad_vector WHERE meaning IN (SELECT id FROM hexad_meaning WHERE namespace = ?)"
_CLEAR_MEANINGS: Final = "UPDATE hexad_meaning SET rows = 0 WHERE namespace = ?"
_KEYS_OF_SESSION: Final = (
    "SELECT key FROM hexad_knowledge_version WHERE namespace = ?1 AND session = ?2 UNION SELECT key FROM "
    "hexad_knowledge WHERE namespace = ?1 AND given_by <> '{}' AND EXISTS (SELECT 1 FROM json_each(given_by) WHERE "
    "value = ?2) ORDER BY key"
)
_KEYS_OF_SUBJECT: Final = (
    "SELECT key FROM hexad_knowledge_version WHERE namespace = ?1 AND (?2 IS NULL OR subject = ?2) UNION SELECT key "
    "FROM hexad_knowledge WHERE namespace = ?1 AND (?2 IS NULL OR subject = ?2) ORDER BY key"
)
_AUDIT: Final = (
    f"SELECT {AUDIT.selected} FROM hexad_audit WHERE namespace = ? AND sequence > "
    f"? ORDER BY sequence LIMIT ?"
)
_ASSOCIATIONS: Final = (
    f"SELECT {ASSOCIATIONS.selected} FROM hexad_association WHERE namespace = ?1 AND (?2 IS NULL OR layer = ?2) "
    "AND (?3 IS NULL OR id = ?3) ORDER BY layer, id, term"
)
_ASSOCIATIONS_OF: Final = (
    f"SELECT {ASSOCIATIONS.selected} FROM hexad_association INDEXED BY hexad_association_id "
    "WHERE namespace = ? AND layer = ? AND id = ? ORDER BY term"
)
_REMOVE_ASSOCIATIONS: Final = (
    "DELETE FROM hexad_association WHERE namespace = ? AND layer = ? AND id = ?"
)
_CHAIN_END: Final = "SELECT sequence, hash FROM hexad_audit WHERE namespace = ? ORDER BY sequence DESC LIMIT 1"


class Unit(Search, Vectors, Index, LearningTables):
    """Implements the ports through a connection whose transaction somebody else begins
    and ends.
    """

    _seen: tuple[NounTable[Any], str, tuple[int, str | None] | None] | None = (
        None  # the latest row that was asked for
    )
    _record: Any = None  # the record of that row

    # reading

    def get(
        self, layer: Layer, id: str, *, ahead: Sequence[tuple[Layer, str]] = ()
    ) -> Row | None:
        table = TABLES[layer]
        row = self._connection.execute(table.of_id, (self.namespace, id)).fetchone()
        if row is None and layer is Layer.USER_KNOWLEDGE:
            row = self._connection.execute(
                _OF_FOLDED, (self.namespace, folded(id))
            ).fetchone()
        self._seen = table, row[0] if row else id, row and (row[-1], row[-2])
        self._record = row and table.decode(row)
        return row and Row(row[-1], self._record, unpacked(row[-2], id))

    def page(
        self,
        layer: Layer,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int = 1000,
        without: str | None = None,
    ) -> Sequence[Row]:
        # The + keeps SQLite on the primary key: rows of one namespace come in the order
        # they were saved.
        where, values = (
            "+namespace = ? AND number > ?",
            list[object]((self.namespace, after)),
        )
        if before is not None:
            where += " AND number < ?"
            values.append(before)
        if without is not None:
            where += (
                " AND words IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hexad_vector "
                f"WHERE meaning = ? AND hexad_vector.number = {TABLES[layer].name}.number)"
            )
            values.append(self._meaning(layer, without))  # NULL: there are none
        order = "number" if before is None else "number DESC"
        return self.rows(layer, f"{where} ORDER BY {order} LIMIT ?", (*values, limit))

    def sketch(
        self,
        chosen: Mapping[Layer, Collection[int]],
        now: datetime,
        *,
        rest: Callable[[], Sequence[int]] = tuple,
    ) -> Mapping[Layer, Sketches]:
        moment = to_microseconds(now)
        found = {}
        sketched = self._of_all_layers(chosen, _SKETCHED, "AND words IS NOT NULL")
        for layer, rows in sketched.items():
            every = map(Sketch._make, rows)
            found[layer] = [
                each for each in every if each.expires is None or each.expires > moment
            ]
        beside = self._beside(found.get(Layer.USER_KNOWLEDGE, ()), moment)
        return {
            layer: Sketches(rows, beside if layer is Layer.USER_KNOWLEDGE else ())
            for layer, rows in found.items()
        }

    def fetch(
        self, chosen: Mapping[Layer, Collection[int]]
    ) -> Mapping[Layer, Sequence[Row]]:
        found = {}
        for layer, rows in self._of_all_layers(chosen, _WHOLE, "").items():
            found[layer] = [_whole(layer, row) for row in rows]
        return found

    def versions(self, layer: Layer, id: str) -> Sequence[Version | SkillVersion]:
        table = VERSIONS[layer]
        rows = self._connection.execute(
            f"SELECT {table.selected} FROM {table.name} "
            f'WHERE namespace = ? AND "{table.key}" = ? ORDER BY version DESC',
            (self.namespace, id),
        )
        return [table.decode(row) for row in rows]

    def keys_of(
        self, *, session: str | None = None, subject: str | None = None
    ) -> Sequence[str]:
        name, value = (
            (_KEYS_OF_SUBJECT, subject)
            if session is None
            else (_KEYS_OF_SESSION, session)
        )
        return [key for (key,) in self._run(name, self.namespace, value)]

    def associations(
        self, layer: Layer | None = None, id: str | None = None
    ) -> Sequence[Association]:
        name = _ASSOCIATIONS if layer is None or id is None else _ASSOCIATIONS_OF
        return [
            ASSOCIATIONS.decode(row)
            for row in self._run(name, self.namespace, layer, id)
        ]

    def proposals(self) -> Sequence[Proposal]:
        [count] = self._run(
            "SELECT count(*) FROM hexad_proposal WHERE namespace = ?", self.namespace
        ).fetchone()
        every = f"SELECT {PROPOSALS.selected} FROM hexad_proposal WHERE namespace = ? ORDER BY number"
        return _Proposals(
            count,
            lambda: [PROPOSALS.decode(row) for row in self._run(every, self.namespace)],
        )

    def audit(self, *, after: int = 0, limit: int = 1000) -> Sequence[AuditRecord]:
        return [
            AUDIT.decode(row) for row in self._run(_AUDIT, self.namespace, after, limit)
        ]

    def chain_end(self) -> tuple[int, str] | None:
        found: tuple[int, str] | None = self._run(_CHAIN_END, self.namespace).fetchone()
        return found

    def note(self, name: str) -> str | None:
        row = self._run(_FACT, self.namespace, name).fetchone()
        return row[0] if row else None

    # writing

    def put(self, entries: Sequence[Entry]) -> None:
        for record, document, embedded, analysed in entries:
            layer, table = record.layer, TABLES[record.layer]
            old = self._row_number(table, record.id)
            values = [*table.encode(record), document.pack() if document else None]
            if old is None:
                number = (
                    self._connection.execute(
                        table.insert, (*values, self.namespace)
                    ).lastrowid
                    or 0
                )
            else:
                number = old[0]
                self._connection.execute(table.update, (*values, number))
            self._put_aside(table, number, record)
            if old is None or old[1] != values[-1]:
                self._reindex(layer, number, old[1] if old else None, document)
                if old is not None and not analysed:
                    self._remove_vectors(layer, number)
            if embedded is not None and document is not None:
                self.embed(layer, {number: embedded})

    def associate(
        self, layer: Layer, id: str, associations: Collection[Association]
    ) -> None:
        self._run(_REMOVE_ASSOCIATIONS, self.namespace, layer, id)
        self._many(
            ASSOCIATIONS.insert,
            [(*ASSOCIATIONS.encode(each), self.namespace) for each in associations],
        )

    def remove(self, layer: Layer, id: str) -> bool:
        table = TABLES[layer]
        old = self._row_number(table, id)
        if old is None:
            return False
        for name in (table.name, *([table.home_of_aside] if table.aside else ())):
            self._connection.execute(f"DELETE FROM {name} WHERE number = ?", (old[0],))
        self._reindex(layer, old[0], old[1], None)
        self._remove_vectors(layer, old[0])
        self.associate(layer, id, ())
        return True

    def add_versions(self, versions: Sequence[Version | SkillVersion]) -> None:
        for version in versions:
            table = VERSIONS[
                Layer.USER_KNOWLEDGE
                if isinstance(version, Version)
                else Layer.SKILL_PATTERNS
            ]
            self._connection.execute(
                table.insert, (*table.encode(version), self.namespace)
            )

    def remove_versions(
        self, layer: Layer, id: str, numbers: Collection[int] | None = None
    ) -> None:
        table = VERSIONS[layer]
        delete = f'DELETE FROM {table.name} WHERE namespace = ? AND "{table.key}" = ?'
        if numbers is None:
            self._connection.execute(delete, (self.namespace, id))
        else:
            places = [(self.namespace, id, number) for number in numbers]
            self._connection.executemany(f"{delete} AND version = ?", places)

    def propose(
        self, proposals: Sequence[Proposal] = (), *, withdrawn: Collection[str] = ()
    ) -> None:
        for proposal in proposals:
            values = (*PROPOSALS.encode(proposal), self.namespace)
            changed = ", ".join(
                f'"{column}" = excluded."{column}"' for column in PROPOSALS.columns
            )
            self._connection.execute(
                f"{PROPOSALS.insert} ON CONFLICT (namespace, id) DO UPDATE SET {changed}",
                values,
            )
        places = [(self.namespace, each) for each in withdrawn]
        self._connection.executemany(
            "DELETE FROM hexad_proposal WHERE namespace = ? AND id = ?", places
        )

    def use(self, uses: Collection[Use]) -> None:
        for use in uses:
            table = TABLES[use.layer]
            self._connection.execute(
                f"UPDATE {table.name} SET use_count = use_count + ?, last_used = ? "
                f'WHERE namespace = ? AND "{table.key}" = ?',
                (use.count, to_microseconds(use.at), self.namespace, use.id),
            )

    def append_audit(
        self, records: Sequence[AuditRecord], details: Sequence[str] = ()
    ) -> None:
        encoded = details or [as_json(record.details) for record in records]
        for record, written in zip(
            records, encoded, strict=True
        ):  # by hand: every watched call passes here
            what = (
                record.session,
                record.action,
                str.__str__(record.actor),
                record.target,
                written,
            )
            chain = (record.previous, record.hash, self.namespace)
            self._run(
                AUDIT.insert, record.sequence, to_microseconds(record.at), *what, *chain
            )

    def take_slot(self, session: str, kind: str, limit: int) -> None:
        """Nothing: the slots of a file are counted in the process."""

    def set_note(self, name: str, value: str) -> None:
        self._run(_SET_FACT, self.namespace, name, value)

    def scrub(self, *, index: bool = False) -> None:
        """Empty and refill each table: its old pages are zeroed as they are freed,
        slack between cells included.

        VACUUM would do it too, but may renumber rows of other people's tables in the
        same file.
        """
        self._seen = None
        if index:
            self._clear_index()
        for table in SCRUBBED:
            self._connection.execute(
                f"CREATE TEMP TABLE hexad_scrub AS SELECT * FROM main.{table}"
            )
            self._connection.execute(f"DELETE FROM main.{table}")
            self._connection.execute(
                f"INSERT INTO main.{table} SELECT * FROM hexad_scrub"
            )
            self._connection.execute("DROP TABLE hexad_scrub")

    # the parts of it

    def _clear_index(self) -> None:
        """Empty the index, and give each layer a new home there: postings that damage
        left behind belong to nobody.
        """
        for layer, table in TABLES.items():
            sql = f"SELECT words FROM {table.name} WHERE namespace = ? AND words IS NOT NULL"
            rows = self._run(sql, self.namespace)
            self._clear_layer(layer, [words for (words,) in rows])
            self._connection.execute(
                f"UPDATE {table.name} SET words = NULL WHERE namespace = ?",
                (self.namespace,),
            )
        self._run(_CLEAR_VECTORS, self.namespace)
        self._run(_CLEAR_MEANINGS, self.namespace)

    def _of_all_layers(
        self,
        chosen: Mapping[Layer, Collection[int]],
        columns: Mapping[Layer, str],
        more: str,
    ) -> dict[Layer, list[Sequence[Any]]]:
        """Rows of these numbers from all layers' tables, with one statement for some
        thousands of them.
        """
        found: dict[Layer, list[Sequence[Any]]] = {layer: [] for layer in chosen}
        size = max(map(len, chosen.values()), default=0)
        for start in range(0, size, _MOST_TOGETHER):
            parts, values = dict[Layer, str](), list[object]()
            for layer, numbers in chosen.items():
                part = list(numbers)[start : start + _MOST_TOGETHER]
                if part:
                    padding = padded(part)
                    where = f"WHERE number IN ({placeholders(padding)}) AND +namespace = ? {more}"
                    name = "" if len(chosen) == 1 else f", '{layer.value}'"
                    parts[layer] = (
                        f"SELECT {columns[layer]}{name} FROM {TABLES[layer].name} {where}"
                    )
                    values += [*padding, self.namespace]
            rows = self._connection.execute(
                " UNION ALL ".join(parts.values()), values
            ).fetchall()
            if len(chosen) == 1:
                found[layer] += rows
                continue
            for name, of_layer in groupby(rows, itemgetter(-1)):
                found[LAYERS[name]] += [row[:-1] for row in of_layer]
        return found

    def _beside(self, sketches: Sequence[Sketch], now: int) -> Sequence[Sketch]:
        """The neighbours of these rows in their threads."""
        known, found = {each.number for each in sketches}, list[Sketch]()
        for chunk in chunks(places_beside(sketches)):
            places = padded(sorted(chunk), _SEEN_TOGETHER)
            rows = self._connection.execute(
                f"SELECT {_SKETCHED[Layer.USER_KNOWLEDGE]} FROM hexad_knowledge INDEXED BY hexad_knowledge_thread "
                "WHERE namespace = ? AND thread <> '' AND words IS NOT NULL AND (thread, position) IN "
                f"(VALUES {','.join(['(?,?)'] * len(places))}) AND (expires IS NULL OR expires > ?)",
                (self.namespace, *(value for place in places for value in place), now),
            )
            found += [
                sketch
                for sketch in map(Sketch._make, rows)
                if sketch.number not in known
            ]
        return found

    def _row_number(
        self, table: NounTable[Any], id: str
    ) -> tuple[int, str | None] | None:
        """The number and the words of a row that is about to change; most were read
        just before.
        """
        seen, self._seen = self._seen, None
        if seen is not None and seen[0] is table and seen[1] == id:
            return seen[2]
        sql = f'SELECT number, words FROM {table.name} WHERE namespace = ? AND "{table.key}" = ?'
        found: tuple[int, str | None] | None = self._run(
            sql, self.namespace, id
        ).fetchone()
        return found

    def _put_aside(self, table: NounTable[Any], number: int, record: Record) -> None:
        """Write the column that lies in a table of its own, unless it is the same
        already.
        """
        known, self._record = self._record, None
        if table.aside is not None and getattr(known, table.aside, None) is not getattr(
            record, table.aside
        ):
            self._connection.execute(
                f"INSERT INTO {table.home_of_aside} VALUES (?1, ?2) "
                f"ON CONFLICT DO UPDATE SET {table.aside} = ?2 WHERE {table.aside} != ?2",
                (number, as_json(getattr(record, table.aside))),
            )


_MOST_TOGETHER: Final = 4000
_OF_FOLDED: Final = TABLES[Layer.USER_KNOWLEDGE].of_id.replace(
    '"key" = ?', "folded = ? ORDER BY number LIMIT 1"
)

_SKETCHED: Final = {layer: table.sketched for layer, table in TABLES.items()}
_WHOLE: Final = {  # the columns of a whole row, as many as the widest table has
    layer: f"{table.brief}{', NULL' * (_WIDEST - len(table.columns))}, words, number"
    for layer, table in TABLES.items()
}


class _Proposals(Sequence[Proposal]):
    """Proposals that are read when one of them is: counting them reads none."""

    def __init__(self, count: int, read: Callable[[], list[Proposal]]) -> None:
        self._count, self._read = count, cache(read)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        return self._read()[place]


def _whole(layer: Layer, row: Sequence[Any]) -> Row:
    """A row with its record and the words of its index."""
    record, words = TABLES[layer].decode(row), unpacked(row[-2], row[-1])
    return Row(row[-1], record, words)
