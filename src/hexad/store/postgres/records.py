"""Nouns ↔ rows: fields that SQL reads have columns, all others are one JSON object.

A new field of a noun needs no migration, unless it becomes a column: rows without it get its default.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.model import (
    RECORD_OF,
    RECORDS,
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
from hexad.store.learning import WILDCARD, Call, Offer, skeleton
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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
_TYPES: Final = {
    "smallint": "layer standing",
    "bigint": "number updated use_count last_used expires position seen trigger template_hash skeleton error length",
    "double precision": "relevance trust",
    "boolean": "asks wildcard",
}
_TYPE_OF: Final = {name: kind for kind, names in _TYPES.items() for name in names.split()}
_DERIVED: Final = ("standing", "givers", "folded", "trigger", "template", "template_hash", "skeleton", "error")
WRITTEN: Final = {  # the columns of a row as it is written, after its tenant, and their types
    name: _TYPE_OF.get(name, "text")
    for name in ("layer", "number", "id", "words", *_COLUMNS, "data", "aside", *_DERIVED, "length", "wildcard")
}


class Undecodable(Exception):
    """A value in the database that no noun has."""


def hashed(text: str) -> int:
    """A text's key in the database, where it would be too long or too many: 64 bits, signed."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


@dataclass(frozen=True, slots=True)
class _Codec:
    """How a noun is written and read."""

    noun: type[Any]
    key: str
    encoders: Mapping[str, Callable[[Any], object]]
    decoders: Mapping[str, Callable[[Any], object]]
    columns: tuple[str, ...]  # of the noun's fields
    others: tuple[str, ...]  # its fields in the JSON object

    def plain(self, noun: Any, names: Sequence[str]) -> dict[str, Any]:
        """Some fields as values that JSON and SQL have."""
        values = {name: getattr(noun, name) for name in names}
        for name, encode in self.encoders.items():
            if values.get(name) is not None:
                values[name] = encode(values[name])
        return values

    def made(self, values: dict[str, Any]) -> Any:
        """The noun of such values."""
        try:
            for name, decode in self.decoders.items():
                if values.get(name) is not None:
                    values[name] = decode(values[name])
            return self.noun(**values)
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            raise Undecodable(f"{self.noun.__name__}: {error!r}") from error


class Flat:
    """A noun whose fields are the columns of its table, in the same order."""

    def __init__(self, noun: type[Any]) -> None:
        self._codec = _codec(noun)
        self._columns = (self._codec.key, *self._codec.others)
        self._objects = [name for name, shape in shapes(cast("Any", noun)).items() if shape.kind is Kind.OBJECT]

    def encode(self, noun: Any) -> list[Any]:
        """The values of the columns."""
        values = self._codec.plain(noun, self._columns).values()
        return [as_json(value) if isinstance(value, dict) else value for value in values]

    def decode(self, row: Sequence[Any]) -> Any:
        """The noun of a row."""
        values = dict(zip(self._columns, row, strict=True))
        return self._codec.made(values | {name: json.loads(values[name]) for name in self._objects})


def _codec(noun: type[Any], aside: str | None = None) -> _Codec:
    shaped = shapes(cast("Any", noun))
    key, *names = shaped
    encoders = {name: _ENCODERS[shape.kind] for name, shape in shaped.items() if shape.kind in _ENCODERS}
    decoders = {name: decode for name, shape in shaped.items() if (decode := _decoder(shape))}
    if "layer" in shaped:
        encoders["layer"], decoders["layer"] = CODES.__getitem__, LAYERS.__getitem__
    own = tuple(name for name in _COLUMNS if name in shaped) if noun in RECORDS else ()
    others = tuple(name for name in names if name not in own and name != aside)
    return _Codec(noun, key, encoders, decoders, own, others)


def _decoder(shape: Shape) -> Callable[[Any], object] | None:
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
ASSOCIATIONS: Final = Flat(Association)
AUDIT: Final = Flat(AuditRecord)
CALLS: Final = Flat(Call)
OFFERS: Final = Flat(Offer)
_VERSIONS: Final = {Layer.USER_KNOWLEDGE: _codec(Version), Layer.SKILL_PATTERNS: _codec(SkillVersion)}
_PROPOSAL: Final = _codec(Proposal)
_CODECS: Final = {layer: _codec(noun, ASIDE.get(layer)) for layer, noun in RECORD_OF.items()}
_BEFORE: Final = 4  # columns before the fields of a row
_DATA: Final = _BEFORE + len(_COLUMNS)


def encode(record: Record, number: int, words: str | None) -> tuple[Any, ...]:
    """A record's columns, as `WRITTEN` lists them."""
    codec = _CODECS[record.layer]
    values = codec.plain(record, (*codec.columns, *codec.others))
    data = as_json({name: values[name] for name in codec.others})
    values["asks"] = isinstance(record, Knowledge) and record.content.endswith("?")
    columns = [values.get(name, _WITHOUT.get(name)) for name in _COLUMNS]
    aside = ASIDE.get(record.layer)
    written = None if aside is None else as_json(dict(getattr(record, aside)))
    return CODES[record.layer], number, record.id, words, *columns, data, written, *_derived(record)


def _derived(record: Record) -> tuple[Any, ...]:
    """The columns that are only searched by."""
    if isinstance(record, Knowledge):
        givers = as_json(sorted(set(record.given_by.values()))) if record.given_by else None
        return int(standing_of(record)), givers, folded(record.key), *[None] * 7
    if isinstance(record, Learning):
        hashes = (hashed(record.template), hashed(skeleton(record.template)), hashed(record.error_pattern))
        template = (record.template, *hashes, record.length, WILDCARD in record.template)
        return 0, None, None, hashed(record.trigger), *template
    return 0, *[None] * 9


def decode(row: Sequence[Any]) -> Row:
    """The row of `BRIEF` or `WHOLE` columns, or of `SKETCH` with its data."""
    layer = LAYERS[row[0]]
    codec, aside = _CODECS[layer], ASIDE.get(layer)
    values = json.loads(row[_DATA]) | {codec.key: row[2]}
    for name, value in zip(_COLUMNS, row[_BEFORE:], strict=False):
        if name in codec.columns:
            values[name] = value
    if aside is not None:
        values[aside] = json.loads(row[_DATA + 1] or "{}")
    return Row(row[1], codec.made(values), None if row[3] is None else Document.unpack(row[3]))


def decode_sketch(row: Sequence[Any]) -> Sketch:
    """The sketch of `SKETCH` columns."""
    return Sketch(row[1], row[2], row[3][:SKETCHED], *row[_BEFORE : _BEFORE + len(_SKETCHED)])


def encode_version(version: Version | SkillVersion) -> tuple[Any, ...]:
    """The columns of a version after its tenant: layer, id, version, session, subject, data."""
    if isinstance(version, Version):
        layer, key, subject = Layer.USER_KNOWLEDGE, version.key, version.subject
    else:
        layer, key, subject = Layer.SKILL_PATTERNS, version.name, ""
    data = as_json(_VERSIONS[layer].plain(version, _VERSIONS[layer].others))
    return CODES[layer], key, version.version, version.session, subject, data


def decode_version(layer: Layer, id: str, data: str) -> Version | SkillVersion:
    """The version of its JSON."""
    codec = _VERSIONS[layer]
    found: Version | SkillVersion = codec.made({codec.key: id, **json.loads(data)})
    return found


def encode_proposal(proposal: Proposal) -> tuple[str, str]:
    """The columns of a proposal after its tenant: id, data."""
    return proposal.id, as_json(_PROPOSAL.plain(proposal, _PROPOSAL.others))


def decode_proposal(id: str, data: str) -> Proposal:
    """The proposal of its JSON."""
    found: Proposal = _PROPOSAL.made({"id": id, **json.loads(data)})
    return found


def bulk(table: str, named: str, conflict: str = "") -> str:
    """An INSERT of any number of rows, a list for each column; ``named`` are the columns with their types."""
    places = [each.strip().partition(" ") for each in named.split(",")]
    names = ", ".join(f'"{name}"' for name, _, _ in places)
    lists = ", ".join(f"${place}::{kind}[]" for place, (_, _, kind) in enumerate(places, 2))
    return f"INSERT INTO {table} (tenant, {names}) SELECT $1, * FROM unnest({lists}) {conflict}"


def upsert(table: str, named: str, *keys: str) -> str:
    """An INSERT that replaces rows of the same keys."""
    names = [each.split()[0] for each in named.split(",")]
    changed = ", ".join(f'"{name}" = excluded."{name}"' for name in names if name not in keys)
    return bulk(table, named, f"ON CONFLICT (tenant, {', '.join(keys)}) DO UPDATE SET {changed}")
