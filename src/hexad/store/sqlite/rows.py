"""Nouns ↔ columns: one table for each noun, one column for each of its fields, in the same order.

A field that may be large can lie aside, in a table `<table>_<field>` with the row's number, so that most statements
neither read nor rewrite it.
"""

from __future__ import annotations

import json
from operator import attrgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from hexad.model import RECORD_OF, Association, AuditRecord, Layer, Proposal, SkillVersion, Version
from hexad.shape import Kind, from_microseconds, shapes, to_microseconds
from hexad.store import SKETCHED, folded, standing_of
from hexad.store.codec import as_json, decoder_of, unreadable
from hexad.store.learning import WILDCARD, skeleton
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Derived: TypeAlias = Mapping[str, Callable[[Any], object]]


_NONE: Final[Derived] = MappingProxyType({})
_OPTIONAL: Final = (  # a column of a `Sketch`, and its constant where a noun has no such field
    ("relevance", "relevance", "1.0"),
    ("expires", "expires", "NULL"),
    ("thread", "thread", "''"),
    ("position", "position", "NULL"),
    ("content", "substr(content, -1) = '?'", "0"),  # read as whether it ends with a question mark
    ("trust", "trust", "0.0"),
)


class Table:
    """How a noun lies in its table.

    ``aside`` is the column that lies in a table of its own. ``derived`` are further columns, computed from the noun, to
    be searched by. A record has its indexed words beside it.
    """

    def __init__(self, name: str, noun: type[Any], *, aside: str = "", derived: Derived = _NONE) -> None:
        shaped = shapes(cast("Any", noun))
        self.name, self.aside, self.home_of_aside = name, aside, f"{name}_{aside}"
        self.columns = tuple(shaped)
        self.key = "id" if "id" in shaped else self.columns[0]
        self._noun = noun
        self._derived = list(derived.values())
        own = [column for column in self.columns if column != aside]
        self._values = attrgetter(*own)
        kinds = enumerate(shaped[column].kind for column in own)
        self._encoders = [(place, _ENCODERS[kind]) for place, kind in kinds if kind in _ENCODERS]
        self._decoders = {column: read for column, shape in shaped.items() if (read := decoder_of(shape, _DECODERS))}
        if "layer" in shaped:
            self._decoders["layer"] = Layer.parse
        self._types = [_STORED[each.kind] | ({type(None)} if each.nullable else set()) for each in shaped.values()]
        self._sound = set[tuple[type, ...]]()  # the types of rows that were read before
        written = [f'"{column}"' for column in (*own, *derived, *(["words"] if noun in RECORD_OF.values() else ()))]
        there = f"(SELECT {aside} FROM {self.home_of_aside} AS aside WHERE aside.number = {name}.number)"
        self.selected = self._listed(there)
        self.brief = self._listed("'{}'")
        first = ("number", f'"{self.key}"', f"substr(words, 1, {SKETCHED})", "origin", "updated", "use_count")
        optional = (column if name in shaped else constant for name, column, constant in _OPTIONAL)
        self.sketched = ", ".join((*first, *optional))
        self.of_id = f'SELECT {self.selected}, words, number FROM {name} WHERE namespace = ? AND "{self.key}" = ?'
        self.insert = f"INSERT INTO {name} ({', '.join(written)}, namespace) VALUES ({'?, ' * len(written)}?)"
        self.update = f"UPDATE {name} SET {', '.join(f'{column} = ?' for column in written)} WHERE number = ?"

    def encode(self, noun: Any) -> list[object]:
        """A noun's values, in the order of the table's own columns."""
        values = list(self._values(noun))
        for place, encoder in self._encoders:
            if values[place] is not None:
                values[place] = encoder(values[place])
        return [*values, *(compute(noun) for compute in self._derived)]

    def decode(self, values: Sequence[Any]) -> Any:
        """The noun of a row's first values."""
        decoded = dict(zip(self.columns, values, strict=False))
        try:
            self._check(values)
            for column, decoder in self._decoders.items():
                if decoded[column] is not None:
                    decoded[column] = decoder(decoded[column])
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            raise unreadable(self.name, decoded[self.key], error) from error
        return self._noun(**decoded)

    def _check(self, values: Sequence[Any]) -> None:
        """Refuse values of other types than the columns have: SQLite keeps what it is given."""
        if (found := tuple(map(type, values))) not in self._sound:
            for value, types in zip(values, self._types, strict=False):
                if type(value) not in types:
                    raise TypeError(f"it holds {value!r:.40}")
            self._sound.add(found)

    def _listed(self, instead: str) -> str:
        """The columns as a query lists them, with something else for the one that lies aside."""
        return ", ".join(instead if column == self.aside else f'"{column}"' for column in self.columns)


def unpacked(words: str | None, id: object) -> Document | None:
    """The indexed text of a row."""
    try:
        return None if words is None else Document.unpack(words)
    except (ValueError, TypeError, AttributeError) as error:
        raise unreadable("the terms of", id, error) from error


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
_ASIDE: Final = {Layer.SKILL_PATTERNS: "definition"}
_DERIVED: Final[dict[Layer, dict[str, Callable[[Any], object]]]] = {
    Layer.USER_KNOWLEDGE: {"standing": standing_of, "folded": lambda entry: folded(entry.key)},
    Layer.AGENT_LEARNINGS: {
        "skeleton": lambda learning: skeleton(learning.template),
        "wildcard": lambda learning: WILDCARD in learning.template,
    },
}
TABLES: Final[dict[Layer, Table]] = {
    layer: Table(f"hexad_{layer.noun}", noun, aside=_ASIDE.get(layer, ""), derived=_DERIVED.get(layer, _NONE))
    for layer, noun in RECORD_OF.items()
}
LAYERS: Final = {layer.value: layer for layer in TABLES}
VERSIONS: Final[dict[Layer, Table]] = {
    Layer.USER_KNOWLEDGE: Table("hexad_knowledge_version", Version),
    Layer.SKILL_PATTERNS: Table("hexad_skill_version", SkillVersion),
}
ASSOCIATIONS: Final = Table("hexad_association", Association)
PROPOSALS: Final = Table("hexad_proposal", Proposal)
AUDIT: Final = Table("hexad_audit", AuditRecord)
_NAMED: Final = [f"SELECT namespace FROM {table.name}" for table in (*TABLES.values(), ASSOCIATIONS, AUDIT)]
NAMESPACES: Final = f"SELECT namespace FROM ({' UNION '.join(_NAMED)}) WHERE namespace > ? ORDER BY 1 LIMIT ?"
