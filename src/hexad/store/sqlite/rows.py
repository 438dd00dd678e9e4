"""Nouns ↔ columns: one table for each noun, one column for each of its fields, in the
same order.

A field that may be large can lie aside, in a table `<table>_<field>` with the row's
number, so that most statements neither read nor rewrite it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from hexad.model import (
    RECORD_OF,
    Association,
    AuditRecord,
    Layer,
    Proposal,
    SkillVersion,
    Version,
)
from hexad.shape import Kind, from_microseconds, shapes, to_microseconds
from hexad.store import SKETCHED, folded, standing_of
from hexad.store.codec import as_json, decoder_of, unreadable
from hexad.store.learning import WILDCARD, skeleton
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


N = TypeVar("N")

_SKETCHED: Final = {"content": "substr(content, -1) = '?'"}

_OPTIONAL: Final = (
    ("relevance", "1.0"),
    ("expires", "NULL"),
    ("thread", "''"),
    ("position", "NULL"),
    ("content", "0"),  # read as whether it ends with a question mark
    ("trust", "0.0"),
)


@dataclass(frozen=True, slots=True)
class NounTable(Generic[N]):
    """How a noun lies in its table."""

    name: str
    noun: type[N]
    key: str
    columns: tuple[str, ...]
    values: Callable[[N], tuple[Any, ...]]  # of the table's own columns
    encoders: tuple[tuple[int, Callable[[Any], object]], ...]  # by the place of these
    decoders: tuple[tuple[str, Callable[[Any], object]], ...]  # by column
    types: tuple[frozenset[type], ...]  # of what SQLite gives for each column
    aside: str | None  # the column that lies in a table of its own
    selected: str  # the columns as a query lists them
    brief: str  # the same, with nothing in the one that lies aside
    of_id: str  # the statement that reads a row
    insert: str
    update: str
    sketched: str  # the columns of a `Sketch`; a column that this noun does not have is a constant
    derived: Mapping[
        str, Callable[[N], object]
    ]  # further columns, computed from the noun, to be searched by
    sound: set[tuple[type, ...]] = field(
        default_factory=set
    )  # the types of rows that were read before

    def encode(self, noun: N) -> list[object]:
        """A noun's values, in the order of the table's own columns."""
        values = list(self.values(noun))
        for place, encoder in self.encoders:
            if values[place] is not None:
                values[place] = encoder(values[place])
        return (
            [*values, *(compute(noun) for compute in self.derived.values())]
            if self.derived
            else values
        )

    @property
    def home_of_aside(self) -> str:
        """The table in which the column lies that lies aside."""
        return f"{self.name}_{self.aside}"

    def decode(self, values: Sequence[Any]) -> N:
        """The noun of a row's first values."""
        if (found := tuple(map(type, values))) not in self.sound:
            for value, types in zip(values, self.types, strict=False):
                if type(value) not in types:
                    held = TypeError(f"it holds {value!r:.40}")
                    raise unreadable(
                        self.name, values[self.columns.index(self.key)], held
                    )
            self.sound.add(found)
        decoded = dict(zip(self.columns, values, strict=False))
        try:
            for column, decoder in self.decoders:
                if decoded[column] is not None:
                    decoded[column] = decoder(decoded[column])
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            raise unreadable(
                self.name, values[self.columns.index(self.key)], error
            ) from error
        return self.noun(**decoded)


def unpacked(words: str | None, id: object) -> Document | None:
    """The indexed text of a row."""
    try:
        return None if words is None else Document.unpack(words)
    except (ValueError, TypeError, AttributeError) as error:
        raise unreadable("the terms of", id, error) from error


def _table(
    name: str,
    noun: type[N],
    *,
    key: str = "",
    aside: str | None = None,
    derived: Mapping[str, Callable[[N], object]] | None = None,
) -> NounTable[N]:
    shaped = shapes(cast("type", noun))
    columns = tuple(shaped)
    key = key or columns[0]
    layer = {"layer": Layer.parse}
    decoders = (
        (column, layer.get(column) or decoder_of(shape, _DECODERS))
        for column, shape in shaped.items()
    )
    encoded = [column for column in columns if column != aside]
    encoders = (
        (place, _ENCODERS.get(shaped[column].kind))
        for place, column in enumerate(encoded)
    )
    own = [
        f'"{column}"'
        for column in (
            *encoded,
            *(derived or {}),
            *(["words"] if name in _INDEXED else ()),
        )
    ]
    there = f"(SELECT {aside} FROM {name}_{aside} AS aside WHERE aside.number = {name}.number)"
    selected = ", ".join(
        there if column == aside else f'"{column}"' for column in columns
    )
    optional = (
        _SKETCHED.get(column, column) if column in columns else constant
        for column, constant in _OPTIONAL
    )
    return NounTable(
        name,
        noun,
        key,
        columns,
        attrgetter(*encoded),
        tuple((place, encoder) for place, encoder in encoders if encoder),
        tuple((column, decoder) for column, decoder in decoders if decoder),
        tuple(
            _STORED[shape.kind] | ({type(None)} if shape.nullable else set())
            for shape in shaped.values()
        ),
        aside,
        selected=selected,
        brief=", ".join(
            "'{}'" if column == aside else f'"{column}"' for column in columns
        ),
        of_id=f'SELECT {selected}, words, number FROM {name} WHERE namespace = ? AND "{key}" = ?',
        insert=f"INSERT INTO {name} ({', '.join(own)}, namespace) VALUES ({'?, ' * len(own)}?)",
        update=f"UPDATE {name} SET {', '.join(f'{column} = ?' for column in own)} WHERE number = ?",
        sketched=", ".join(
            (
                "number",
                f'"{key}"',
                f"substr(words, 1, {SKETCHED})",
                "origin",
                "updated",
                "use_count",
                *optional,
            )
        ),
        derived=derived or {},
    )


_ENCODERS: Final[dict[Kind, Callable[[Any], object]]] = {
    Kind.TIME: to_microseconds,
    Kind.LIST: lambda value: as_json(value) if value else "[]",
    Kind.OBJECT: lambda value: as_json(value) if value else "{}",
    Kind.FLAG: int,
    Kind.CHOICE: str.__str__,  # for anything but a plain string SQLite first looks for an adapter
}
_DECODERS: Final[dict[Kind, Callable[[Any], object]]] = {
    Kind.TIME: from_microseconds,
    Kind.LIST: lambda stored: () if stored == "[]" else tuple(json.loads(stored)),
    Kind.OBJECT: lambda stored: {} if stored == "{}" else dict(json.loads(stored)),
    Kind.FLAG: bool,
}
_STORED: Final[dict[Kind, frozenset[type]]] = {
    **dict.fromkeys((Kind.TEXT, Kind.CHOICE, Kind.LIST, Kind.OBJECT), frozenset({str})),
    **dict.fromkeys((Kind.WHOLE, Kind.TIME, Kind.FLAG), frozenset({int})),
    Kind.NUMBER: frozenset({int, float}),
}
_INDEXED: Final = {f"hexad_{layer.noun}" for layer in RECORD_OF}
_ASIDE: Final = {Layer.SKILL_PATTERNS: "definition"}
_DERIVED: Final[dict[Layer, dict[str, Callable[[Any], object]]]] = {
    Layer.USER_KNOWLEDGE: {
        "standing": standing_of,
        "folded": lambda entry: folded(entry.key),
    },
    Layer.AGENT_LEARNINGS: {
        "skeleton": lambda learning: skeleton(learning.template),
        "wildcard": lambda learning: WILDCARD in learning.template,
    },
}
TABLES: Final[dict[Layer, NounTable[Any]]] = {
    layer: _table(
        f"hexad_{layer.noun}",
        record,
        aside=_ASIDE.get(layer),
        derived=_DERIVED.get(layer),
    )
    for layer, record in RECORD_OF.items()
}
LAYERS: Final = {layer.value: layer for layer in TABLES}
VERSIONS: Final[dict[Layer, NounTable[Any]]] = {
    Layer.USER_KNOWLEDGE: _table("hexad_knowledge_version", Version),
    Layer.SKILL_PATTERNS: _table("hexad_skill_version", SkillVersion),
}
ASSOCIATIONS: Final = _table("hexad_association", Association, key="id")
PROPOSALS: Final = _table("hexad_proposal", Proposal)
AUDIT: Final = _table("hexad_audit", AuditRecord)
_NAMED: Final = [
    f"SELECT namespace FROM {table.name}"
    for table in (*TABLES.values(), ASSOCIATIONS, AUDIT)
]
NAMESPACES: Final = f"SELECT namespace FROM ({' UNION '.join(_NAMED)}) WHERE namespace > ? ORDER BY 1 LIMIT ?"
