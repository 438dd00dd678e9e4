"""Reading one state of a namespace: the contract is the ports'.

Rows come along with their sketches, so that `fetch` needs no round trip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hexad.model import Association, AuditRecord, Layer, Proposal, SkillVersion, Version
from hexad.shape import to_microseconds
from hexad.store import OTHERS, Row, Sketch, Sketches, Vector, folded
from hexad.store.codec import CODES, LAYERS
from hexad.store.postgres.connection import Sql, columns, flat
from hexad.store.postgres.learning import PostgresLearning
from hexad.store.postgres.records import (
    ASSOCIATIONS,
    AUDIT,
    BRIEF,
    PROPOSALS,
    SKETCH,
    VERSIONS,
    WHOLE,
    decode,
    decode_sketch,
    hashed,
)
from hexad.store.postgres.search import VECTORS, VECTORS_ALONG, PostgresSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime


_ENTRIES: Final = CODES[Layer.USER_KNOWLEDGE]
_GET: Final = (  # two parts, each with an index of its own: for an OR the planner may read the whole layer
    f"(SELECT {WHOLE}, 0 AS way FROM hexad.record WHERE tenant = $1 AND layer = $2 AND id = $3) UNION ALL "
    f"(SELECT {WHOLE}, 1 FROM hexad.record WHERE tenant = $1 AND folded = $4) ORDER BY way, number LIMIT 1"
)
_PAGE: Final = (
    f"SELECT {WHOLE} FROM hexad.record r WHERE tenant = $1 AND layer = $2 AND number > $3 "
    "AND ($4::bigint IS NULL OR (words IS NOT NULL AND NOT EXISTS (SELECT 1 FROM hexad.vector v WHERE v.tenant = $1 "
    "AND v.number = r.number AND v.embedder = $4))) ORDER BY number LIMIT $5"
)
_PAGE_BEFORE: Final = _PAGE.replace(
    "number > $3 ", "number > $3 AND number < $6 "
).replace("ORDER BY number", "ORDER BY number DESC")
_CHOSEN: Final = (
    "FROM unnest($2::smallint[], $3::bigint[]) AS c (l, n) "
    "JOIN hexad.record ON tenant = $1 AND layer = c.l AND number = c.n"
)
_FETCH: Final = f"SELECT {BRIEF} {_CHOSEN}"
_ALIVE: Final = "words IS NOT NULL AND (expires IS NULL OR expires > $4)"
_SKETCH: Final = (  # the rows, their neighbours in threads, and the user's entries among $5 if many rows are others'
    f"WITH chosen AS MATERIALIZED (SELECT {SKETCH} {_CHOSEN} AND {_ALIVE}) SELECT 0, chosen.* FROM chosen "
    f'UNION ALL SELECT 1, {SKETCH} FROM (SELECT DISTINCT thread AS t, "position" + s AS p FROM chosen '
    f"CROSS JOIN unnest(ARRAY[-2, -1, 1, 2]) s WHERE layer = {_ENTRIES} AND thread <> '') w "
    f"JOIN hexad.record ON tenant = $1 AND thread <> '' AND thread = w.t AND \"position\" = w.p AND {_ALIVE} "
    f"UNION ALL SELECT 2, {SKETCH} FROM unnest($5::bigint[]) AS c (n) JOIN hexad.record ON tenant = $1 "
    f"AND layer = {_ENTRIES} AND number = c.n AND origin = 'user' AND {_ALIVE} AND "
    f"(SELECT count(*) FROM chosen WHERE layer = {_ENTRIES} AND origin <> 'user') > {OTHERS}"
)
_BESIDE: Final = 1  # the part of the neighbours
_VECTOR_NUMBERS: Final = (
    "SELECT number FROM hexad.vector WHERE tenant = $1 AND layer = $2 AND embedder = $3"
)
_VERSIONS: Final = "SELECT data FROM hexad.version WHERE tenant = $1 AND layer = $2 AND id = $3 ORDER BY version DESC"
_KEYS_OF_SESSION: Final = (
    f"SELECT id FROM hexad.version WHERE tenant = $1 AND layer = {_ENTRIES} AND session = $2 UNION "
    f"SELECT id FROM hexad.record WHERE tenant = $1 AND layer = {_ENTRIES} "
    "AND EXISTS (SELECT 1 FROM json_each_text(data::json -> 'given_by') AS g WHERE g.value = $2) ORDER BY id"
)
_KEYS_OF_SUBJECT: Final = (
    f"SELECT id FROM hexad.version WHERE tenant = $1 AND layer = {_ENTRIES} AND subject = coalesce($2, subject) "
    f"UNION SELECT id FROM hexad.record WHERE tenant = $1 AND layer = {_ENTRIES} "
    "AND subject = coalesce($2, subject) ORDER BY id"
)
_ASSOCIATIONS: Final = (
    "SELECT layer, id, term, weight, session, used FROM hexad.association WHERE tenant = $1 "
    "AND ($2::smallint IS NULL OR layer = $2) AND ($3::text IS NULL OR id = $3)"
)
_PROPOSALS: Final = "SELECT data FROM hexad.proposal WHERE tenant = $1 ORDER BY number"
_FACTS: Final = "SELECT name, value FROM hexad.fact WHERE tenant = $1"
_AUDIT: Final = (
    "SELECT sequence, at, session, action, actor, target, details, previous, hash FROM hexad.audit "
    "WHERE tenant = $1 AND sequence > $2 ORDER BY sequence LIMIT $3"
)


class View(PostgresSearch, PostgresLearning):
    """Reads one namespace."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._rest: list[int] = []  # of which the user's rows are at hand
        self._users: Mapping[Layer, Sketches] = {}
        self._facts: dict[str, str] | None = None  # those that are not in the head
        self._along: dict[
            tuple[int, int], Sequence[Any]
        ] = {}  # rows that came along with their sketches

    def get(
        self, layer: Layer, id: str, *, ahead: Sequence[tuple[Layer, str]] = ()
    ) -> Row | None:
        self._read([(layer, id), *ahead])
        found = self.rows[layer, id]
        if found is None and layer is Layer.USER_KNOWLEDGE:
            other = self.folds[folded(id)]
            return None if other is None else self.rows[layer, other]
        return found

    def _read(self, places: Iterable[tuple[Layer, str]]) -> None:
        """Read rows unless they are known."""
        wanted = dict.fromkeys(places)
        if all(self.knows(*place) for place in wanted):
            return
        self.forget_rows()
        unknown = [place for place in wanted if not self.knows(*place)]
        answers = self.ask(*(Sql(_GET, self._place(*place)) for place in unknown))
        for place, rows in zip(unknown, answers, strict=True):
            found = [row.record.id for row in self.keep(rows)]
            self.rows.setdefault(place, None)
            if place[0] is Layer.USER_KNOWLEDGE:
                self.folds[folded(place[1])] = next(iter(found), None)

    def _place(self, layer: Layer, id: str) -> tuple[int, int, str, str | None]:
        """The values that find a row: only entries are found without regard to case."""
        return (
            self.tenant,
            CODES[layer],
            id,
            folded(id) if layer is Layer.USER_KNOWLEDGE else None,
        )

    def page(
        self,
        layer: Layer,
        *,
        after: int = 0,
        before: int | None = None,
        limit: int = 1000,
        without: str | None = None,
    ) -> Sequence[Row]:
        if self._begun and not self.head.number:
            return []  # nothing was ever stored
        embedder = None if without is None else hashed(without)
        given = (CODES[layer], after, embedder, limit)
        self.forget_rows()
        return self.keep(
            self._rows(_PAGE, *given)
            if before is None
            else self._rows(_PAGE_BEFORE, *given, before)
        )

    def sketch(
        self,
        chosen: Mapping[Layer, Collection[int]],
        now: datetime,
        *,
        rest: Callable[[], Sequence[int]] = tuple,
    ) -> Mapping[Layer, Sketches]:
        entries = list(chosen.get(Layer.USER_KNOWLEDGE, ()))
        if entries and (chosen.keys(), entries) == (self._users.keys(), self._rest):
            return self._users
        self._rest = list(rest()) if entries else []
        parts: tuple[dict[Layer, list[Sketch]], ...] = (
            {layer: [] for layer in chosen},
            {},
            {},
        )
        known = set(entries)
        for part, *row in self._rows(
            _SKETCH, *_places(chosen), to_microseconds(now), self._rest
        ):
            if part != _BESIDE or row[1] not in known:
                if row[-2] is not None:
                    self._along[row[0], row[1]] = row
                parts[part].setdefault(LAYERS[row[0]], []).append(decode_sketch(row))
        found, beside, users = parts
        self._users = {
            Layer.USER_KNOWLEDGE: Sketches(users.get(Layer.USER_KNOWLEDGE, []))
        }
        return {
            layer: Sketches(each, beside.get(layer, []))
            for layer, each in found.items()
        }

    def fetch(
        self, chosen: Mapping[Layer, Collection[int]]
    ) -> Mapping[Layer, Sequence[Row]]:
        wanted = set(zip(*_places(chosen), strict=True))
        rows = [self._along[place] for place in wanted & self._along.keys()]
        if missing := columns(wanted - self._along.keys()):
            rows += self._rows(_FETCH, *missing)
        found: dict[Layer, list[Row]] = {layer: [] for layer in chosen}
        for row in rows:
            found[LAYERS[row[0]]].append(decode(row))
        return found

    def vectors(
        self, layer: Layer, embedder: str, *, after: int = 0, limit: int = 1000
    ) -> Sequence[Vector]:
        place = CODES[layer], hashed(embedder)
        known, rows = self._vectors.pop(place, (-1, ()))
        if known != after or limit < VECTORS_ALONG or not self.only_reads:
            rows = [
                row[1:]
                for row in self._rows(VECTORS, place[1], [place[0]], [after], limit)
            ]
        if rows:
            self.stamps.put((self.tenant, *place), rows[-1][1])
        return list(map(Vector._make, rows))

    def vector_numbers(self, layer: Layer, embedder: str) -> set[int]:
        return set(flat(self._rows(_VECTOR_NUMBERS, CODES[layer], hashed(embedder))))

    def versions(self, layer: Layer, id: str) -> Sequence[Version | SkillVersion]:
        return [
            VERSIONS[layer].made(data)
            for (data,) in self._rows(_VERSIONS, CODES[layer], id)
        ]

    def keys_of(
        self, *, session: str | None = None, subject: str | None = None
    ) -> Sequence[str]:
        sql, value = (
            (_KEYS_OF_SUBJECT, subject)
            if session is None
            else (_KEYS_OF_SESSION, session)
        )
        return flat(self._rows(sql, value))

    def associations(
        self, layer: Layer | None = None, id: str | None = None
    ) -> Sequence[Association]:
        rows = self._rows(_ASSOCIATIONS, None if layer is None else CODES[layer], id)
        return sorted(
            map(ASSOCIATIONS.of_row, rows),
            key=lambda each: (each.layer.value, each.id, each.term),
        )

    def proposals(self) -> Sequence[Proposal]:
        return [PROPOSALS.made(data) for (data,) in self._rows(_PROPOSALS)]

    def audit(self, *, after: int = 0, limit: int = 1000) -> Sequence[AuditRecord]:
        return list(map(AUDIT.of_row, self._rows(_AUDIT, after, limit)))

    def chain_end(self) -> tuple[int, str] | None:
        head = self.known_head()
        return (head.sequence, head.hash) if head.sequence else None

    def note(self, name: str) -> str | None:
        if ":" not in name:
            return self.known_head().facts.get(name)
        if self._facts is None:
            self._facts = dict(self._rows(_FACTS))
        return self._facts.get(name)


def _places(chosen: Mapping[Layer, Collection[int]]) -> tuple[list[int], list[int]]:
    codes = [CODES[layer] for layer, numbers in chosen.items() for _ in numbers]
    return codes, [number for numbers in chosen.values() for number in numbers]
