"""Nouns ↔ rows: fields that SQL reads have columns, all others are one JSON object.

A new field of a noun needs no migration, unless it becomes a column: rows without it get its default.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.errors import StoreDamaged
from hexad.model import (
    RECORD_OF,
    Association,
    AuditRecord,
    Knowledge,
    Layer,
    Learning,
    Proposal,
    SkillVersion,
    Version,
)
from hexad.shape import Kind, from_microseconds, shapes, to_microseconds
from hexad.store import SKETCHED, Row, Sketch, folded, standing_of
from hexad.store.learning import Call, Offer
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from hexad.model import Record
    from hexad.shape import Shape

as_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
CODES: Final = {layer: layer.code for layer in Layer}
LAYERS: Final = {code: layer for layer, code in CODES.items()}
ASIDE: Final = {Layer.SKILL_PATTERNS: "definition"}
_SKETCHED: Final = ("origin", "updated", "use_count", "relevance", "expires", "thread", "position", "asks", "trust")
_COLUMNS: Final = (*_SKETCHED, "last_used", "subject", "seen")
_WITHOUT: Final[dict[str, object]] = {  # values of columns that a noun has no field for
    "relevance": 1.0,
    "thread": "",
    "trust": 0.0,
    "subject": "",
    "seen": 0,
}
_NAMED: Final = ", ".join(f'"{name}"' for name in _COLUMNS)
BRIEF: Final = f"layer, number, id, words, {_NAMED}, data, NULL::text"
WHOLE: Final = f"layer, number, id, words, {_NAMED}, data, aside"
_ALONG: Final = "octet_length(words) + octet_length(data) <= 16384"  # a row that is read along with its sketch
SKETCH: Final = (
    f"layer, number, id, CASE WHEN {_ALONG} THEN words ELSE left(words, {SKETCHED}) END, {_NAMED}, "
    f"CASE WHEN {_ALONG} THEN data END, NULL::text"
)
_DERIVED: Final = ("standing", "folded", "trigger", "template", "length", "error")  # only searched by
WRITTEN: Final = ("layer", "number", "id", "words", *_COLUMNS, "data", "aside", *_DERIVED)  # a row, after its tenant


def hashed(text: str) -> int:
    """A text's key in the database, where it would be too long or too many: 64 bits, signed."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


class Codec:
    """How a noun is written as values that SQL and JSON have, and read again. ``without`` names fields left out."""

    def __init__(self, noun: type[Any], without: Collection[str] = ()) -> None:
        shaped = {name: shape for name, shape in shapes(cast("Any", noun)).items() if name not in without}
        self._noun = noun
        self._values = attrgetter(*shaped)
        self.names = tuple(shaped)
        self._encoders = {name: _ENCODERS[shape.kind] for name, shape in shaped.items() if shape.kind in _ENCODERS}
        self._decoders = {name: decode for name, shape in shaped.items() if (decode := _decoder(name, shape))}
        self._objects = [name for name, shape in shaped.items() if shape.kind is Kind.OBJECT]
        if "layer" in shaped:
            self._encoders["layer"] = CODES.__getitem__

    def plain(self, noun: Any) -> dict[str, Any]:
        """The fields as plain values."""
        values = dict(zip(self.names, self._values(noun), strict=True))
        for name, encode in self._encoders.items():
            if values[name] is not None:
                values[name] = encode(values[name])
        return values

    def made(self, values: dict[str, Any]) -> Any:
        """The noun of such values."""
        try:
            for name, decode in self._decoders.items():
                if values.get(name) is not None:
                    values[name] = decode(values[name])
            return self._noun(**values)
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            raise StoreDamaged(self._noun.__name__, f"a row cannot be read ({error!r}); restore a backup") from error

    def row(self, noun: Any) -> list[Any]:
        """The values of a table whose columns are the fields, in the same order."""
        values = self.plain(noun)
        values |= {name: as_json(values[name]) for name in self._objects}
        return list(values.values())

    def of_row(self, row: Sequence[Any]) -> Any:
        """The noun of a row."""
        values = dict(zip(self.names, row, strict=True))
        return self.made(values | {name: json.loads(values[name]) for name in self._objects})

    def of_json(self, data: str) -> Any:
        """The noun of a JSON object of its values."""
        return self.made(json.loads(data))


def _decoder(name: str, shape: Shape) -> Callable[[Any], object] | None:
    if name == "layer":
        return LAYERS.__getitem__
    if shape.choice is not None:
        return {member.value: member for member in shape.choice}.__getitem__
    return _DECODERS.get(shape.kind)


_ENCODERS: Final[dict[Kind, Callable[[Any], object]]] = {
    Kind.TIME: to_microseconds,
    Kind.LIST: list,
    Kind.OBJECT: dict,
    Kind.CHOICE: str.__str__,
}
_DECODERS: Final[dict[Kind, Callable[[Any], object]]] = {Kind.TIME: from_microseconds, Kind.LIST: tuple}
ASSOCIATIONS: Final = Codec(Association)
AUDIT: Final = Codec(AuditRecord)
CALLS: Final = Codec(Call)
OFFERS: Final = Codec(Offer)
PROPOSALS: Final = Codec(Proposal)
VERSIONS: Final = {Layer.USER_KNOWLEDGE: Codec(Version), Layer.SKILL_PATTERNS: Codec(SkillVersion)}
_RECORDS: Final = {layer: Codec(noun, [ASIDE[layer]] if layer in ASIDE else ()) for layer, noun in RECORD_OF.items()}
_BEFORE: Final = 4  # columns before the fields of a row
_DATA: Final = _BEFORE + len(_COLUMNS)


def encode(record: Record, number: int, words: str | None) -> tuple[Any, ...]:
    """A record's columns, as `WRITTEN` lists them."""
    values = _RECORDS[record.layer].plain(record)
    values["asks"] = isinstance(record, Knowledge) and record.content.endswith("?")
    columns = [values.pop(name, _WITHOUT.get(name)) for name in _COLUMNS]
    aside = as_json(dict(getattr(record, ASIDE[record.layer]))) if record.layer in ASIDE else None
    return CODES[record.layer], number, record.id, words, *columns, as_json(values), aside, *_derived(record)


def _derived(record: Record) -> tuple[Any, ...]:
    """The values of `_DERIVED`."""
    if isinstance(record, Knowledge):
        return int(standing_of(record)), folded(record.key), *[None] * 4
    if isinstance(record, Learning):
        error = None if record.error_pattern == record.template else record.error_pattern
        return 0, None, hashed(record.trigger), record.template, record.length, error
    return 0, *[None] * 5


def decode(row: Sequence[Any]) -> Row:
    """The row of `BRIEF` or `WHOLE` columns, or of `SKETCH` with its data."""
    layer = LAYERS[row[0]]
    codec, values = _RECORDS[layer], json.loads(row[_DATA])
    values |= {name: value for name, value in zip(_COLUMNS, row[_BEFORE:], strict=False) if name in codec.names}
    if layer in ASIDE:
        values[ASIDE[layer]] = json.loads(row[_DATA + 1] or "{}")
    return Row(row[1], codec.made(values), None if row[3] is None else Document.unpack(row[3]))


def decode_sketch(row: Sequence[Any]) -> Sketch:
    """The sketch of `SKETCH` columns."""
    return Sketch(row[1], row[2], row[3][:SKETCHED], *row[_BEFORE : _BEFORE + len(_SKETCHED)])


def version_row(version: Version | SkillVersion) -> tuple[Any, ...]:
    """The columns of a version after its tenant: layer, id, version, session, subject, data."""
    if isinstance(version, Version):
        layer, key, subject = Layer.USER_KNOWLEDGE, version.key, version.subject
    else:
        layer, key, subject = Layer.SKILL_PATTERNS, version.name, ""
    data = as_json(VERSIONS[layer].plain(version))
    return CODES[layer], key, version.version, version.session, subject, data


def insert(table: str, names: Sequence[str], conflict: str = "") -> str:
    """An INSERT of one row, its tenant first."""
    places = ", ".join(f"${place}" for place in range(1, len(names) + 2))
    return f"INSERT INTO {table} (tenant, {', '.join(map(_quoted, names))}) VALUES ({places}) {conflict}"


def upsert(table: str, names: Sequence[str], *keys: str) -> str:
    """An INSERT that replaces a row of the same keys."""
    changed = ", ".join(f"{_quoted(name)} = excluded.{_quoted(name)}" for name in names if name not in keys)
    return insert(table, names, f"ON CONFLICT (tenant, {', '.join(keys)}) DO UPDATE SET {changed}")


def _quoted(name: str) -> str:
    return f'"{name}"'
