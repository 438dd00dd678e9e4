"""Nouns ↔ columns: one table for each noun, one column for each of its fields, in the same order.

A field that may be large can lie aside, in a table `<table>_<field>` with the row's number, so that most statements
neither read nor rewrite it.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from hexad.model import RECORD_OF, Association, AuditRecord, Layer, SkillVersion, Version
from hexad.shape import Kind, from_microseconds, shapes, to_microseconds
from hexad.store import SKETCHED, standing_of
from hexad.store.learning import WILDCARD, skeleton

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hexad.shape import Shape

N = TypeVar("N")

_SKETCHED: Final = {"content": "substr(content, -1) = '?'"}

as_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_OPTIONAL: Final = (
    ("relevance", "1.0"),
    ("expires", "NULL"),
    ("thread", "''"),
    ("position", "NULL"),
    ("content", "0"),  # read as whether it ends with a question mark
    ("trust", "0.0"),
)


class Undecodable(sqlite3.DatabaseError):
    """A value that no noun has: what SQLite calls corrupt, one level up."""

    sqlite_errorname = "SQLITE_CORRUPT"


@dataclass(frozen=True, slots=True)
class Table(Generic[N]):
    """How a noun lies in its table."""

    name: str
    noun: type[N]
    key: str
    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    decoders: tuple[tuple[int, Callable[[Any], object]], ...]
    aside: str | None  # the column that lies in a table of its own
    selected: str  # the columns as a query lists them
    brief: str  # the same, with nothing in the one that lies aside
    written: str  # the table's own columns
    placeholders: str  # one for each of these
    assignments: str  # each of these with a placeholder, for an update
    sketched: str  # the columns of a `Sketch`; a column that this noun does not have is a constant
    derived: Mapping[str, Callable[[N], object]]  # further columns, computed from the noun, to be searched by

    def encode(self, noun: N) -> list[object]:
        """A noun's values, in the order of the table's own columns."""
        values = [
            _encoded(kind, getattr(noun, column))
            for column, kind in zip(self.columns, self.kinds, strict=True)
            if column != self.aside
        ]
        return [*values, *(compute(noun) for compute in self.derived.values())] if self.derived else values

    @property
    def home_of_aside(self) -> str:
        """The table in which the column lies that lies aside."""
        return f"{self.name}_{self.aside}"

    def decode(self, values: Sequence[Any]) -> N:
        """The noun of a row's first values."""
        decoded = dict(zip(self.columns, values, strict=False))
        if self.aside is not None and decoded[self.aside] is None:
            raise Undecodable(f"{self.name}: a row has no {self.aside}")
        try:
            for place, decoder in self.decoders:
                value = values[place]
                if value is not None:
                    decoded[self.columns[place]] = decoder(value)
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            raise Undecodable(f"{self.name}: {error!r}") from error
        return self.noun(**decoded)


def _table(
    name: str,
    noun: type[N],
    *,
    key: str = "",
    aside: str | None = None,
    derived: Mapping[str, Callable[[N], object]] | None = None,
) -> Table[N]:
    shaped = shapes(cast("type", noun))
    columns, kinds = tuple(shaped), tuple(shape.kind for shape in shaped.values())
    key = key or columns[0]
    decoders = ((place, _decoder(column, shape)) for place, (column, shape) in enumerate(shaped.items()))
    own = [*(column for column in columns if column != aside), *(derived or {})]
    there = f"(SELECT {aside} FROM {name}_{aside} AS aside WHERE aside.number = {name}.number)"  # noqa: S608 - names of ours
    optional = (_SKETCHED.get(column, column) if column in columns else constant for column, constant in _OPTIONAL)
    return Table(
        name,
        noun,
        key,
        columns,
        kinds,
        tuple((place, decoder) for place, decoder in decoders if decoder),
        aside,
        selected=", ".join(there if column == aside else f'"{column}"' for column in columns),
        brief=", ".join("'{}'" if column == aside else f'"{column}"' for column in columns),
        written=", ".join(f'"{column}"' for column in own),
        placeholders=", ".join("?" * len(own)),
        assignments=", ".join(f'"{column}" = ?' for column in own),
        sketched=", ".join(
            ("number", f'"{key}"', f"substr(words, 1, {SKETCHED})", "origin", "updated", "use_count", *optional)
        ),
        derived=derived or {},
    )


def _encoded(kind: Kind, value: Any) -> object:
    if value is None:
        return None
    if kind is Kind.TIME:
        return to_microseconds(value)
    if kind is Kind.LIST or kind is Kind.OBJECT:
        return as_json(value)
    return int(value) if kind is Kind.FLAG else value


def _decoder(column: str, shape: Shape) -> Callable[[Any], object] | None:
    if column == "layer":
        return Layer.parse
    if shape.choice is not None:
        return {member.value: member for member in shape.choice}.__getitem__
    return _DECODERS.get(shape.kind)


def _list(stored: str) -> tuple[str, ...]:
    return () if stored == "[]" else tuple(json.loads(stored))


_DECODERS: Final[dict[Kind, Callable[[Any], object]]] = {
    Kind.TIME: from_microseconds,
    Kind.LIST: _list,
    Kind.OBJECT: json.loads,
    Kind.FLAG: bool,
}
_ASIDE: Final = {Layer.SKILL_PATTERNS: "definition"}
_DERIVED: Final[dict[Layer, dict[str, Callable[[Any], object]]]] = {
    Layer.USER_KNOWLEDGE: {"standing": standing_of},
    Layer.AGENT_LEARNINGS: {
        "skeleton": lambda learning: skeleton(learning.template),
        "wildcard": lambda learning: WILDCARD in learning.template,
    },
}
TABLES: Final[dict[Layer, Table[Any]]] = {
    layer: _table(f"hexad_{layer.noun}", record, aside=_ASIDE.get(layer), derived=_DERIVED.get(layer))
    for layer, record in RECORD_OF.items()
}
LAYERS: Final = {layer.value: layer for layer in TABLES}
VERSIONS: Final[dict[Layer, Table[Any]]] = {
    Layer.USER_KNOWLEDGE: _table("hexad_knowledge_version", Version),
    Layer.SKILL_PATTERNS: _table("hexad_skill_version", SkillVersion),
}
ASSOCIATIONS: Final = _table("hexad_association", Association, key="id")
AUDIT: Final = _table("hexad_audit", AuditRecord)
_NAMED: Final = [f"SELECT namespace FROM {table.name}" for table in (*TABLES.values(), ASSOCIATIONS, AUDIT)]  # noqa: S608
NAMESPACES: Final = f"SELECT namespace FROM ({' UNION '.join(_NAMED)}) WHERE namespace > ? ORDER BY 1 LIMIT ?"  # noqa: S608
