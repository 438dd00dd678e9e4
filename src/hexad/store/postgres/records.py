"""Nouns ↔ rows: fields that SQL reads have columns, all others are one JSON object.

A new field of a noun needs no migration, unless it becomes a column: rows without it get its default.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.model import RECORD_OF, Knowledge, Layer, Learning, Proposal, SkillVersion, Version
from hexad.shape import Kind, from_microseconds, shapes, to_microseconds
from hexad.store import SKETCHED, Row, Sketch, folded, standing_of
from hexad.store.learning import WILDCARD, skeleton
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hexad.model import Record
    from hexad.shape import Shape

as_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
CODES: Final = {  # of layers in the database: never change one
    Layer.RUNTIME_CONTEXT: 1,
    Layer.TOOL_REGISTRY: 2,
    Layer.USER_KNOWLEDGE: 3,
    Layer.AGENT_LEARNINGS: 4,
    Layer.SKILL_PATTERNS: 5,
    Layer.EXTERNAL_KNOWLEDGE: 6,
}
LAYERS: Final = {code: layer for layer, code in CODES.items()}
ASIDE: Final = {Layer.SKILL_PATTERNS: "definition"}
_COLUMNS: Final[dict[str, object]] = {  # fields with a column, and its value for a noun without the field
    "origin": "",
    "updated": 0,
    "use_count": 0,
    "last_used": None,
    "relevance": 1.0,
    "expires": None,
    "thread": "",
    "position": None,
    "trust": 0.0,
    "subject": "",
    "seen": 0,
}
_NAMED: Final = ", ".join(f'"{name}"' for name in _COLUMNS)
BRIEF: Final = f"layer, number, id, words, data, {_NAMED}, NULL::text"
WHOLE: Final = f"layer, number, id, words, data, {_NAMED}, aside"
_MOST_ALONG: Final = 16_384  # bytes of a row that are read along with its sketch
SKETCH: Final = (
    f"layer, number, id, CASE WHEN octet_length(words) + octet_length(data) <= {_MOST_ALONG} THEN words "
    f"ELSE left(words, {SKETCHED}) END, "
    f"CASE WHEN octet_length(words) + octet_length(data) <= {_MOST_ALONG} THEN data END, {_NAMED}, NULL::text, asks"
)
WRITTEN: Final = {  # the columns of a row as it is written, after its tenant, and their types
    "layer": "smallint",
    "number": "bigint",
    "id": "text",
    "words": "text",
    "data": "text",
    "origin": "text",
    "updated": "bigint",
    "use_count": "bigint",
    "last_used": "bigint",
    "relevance": "double precision",
    "expires": "bigint",
    "thread": "text",
    "position": "bigint",
    "trust": "double precision",
    "subject": "text",
    "seen": "bigint",
    "aside": "text",
    "asks": "boolean",
    "standing": "smallint",
    "givers": "text",
    "folded": "text",
    "trigger": "bigint",
    "template": "text",
    "template_hash": "bigint",
    "skeleton": "bigint",
    "error": "bigint",
    "length": "bigint",
    "wildcard": "boolean",
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


def _codec(noun: type[Any], aside: str | None = None) -> _Codec:
    shaped = shapes(cast("Any", noun))
    key, *names = shaped
    encoders = {name: _ENCODERS[shape.kind] for name, shape in shaped.items() if shape.kind in _ENCODERS}
    decoders = {name: decode for name, shape in shaped.items() if (decode := _decoder(shape))}
    own = tuple(name for name in _COLUMNS if name in shaped) if noun in RECORD_OF.values() else ()
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
_VERSIONS: Final = {Layer.USER_KNOWLEDGE: _codec(Version), Layer.SKILL_PATTERNS: _codec(SkillVersion)}
_PROPOSAL: Final = _codec(Proposal)
CODECS: Final = {layer: _codec(noun, ASIDE.get(layer)) for layer, noun in RECORD_OF.items()}
_NAMES: Final = tuple(_COLUMNS)
_BEFORE: Final = 5  # columns before these


def encode(record: Record, number: int, words: str | None) -> tuple[Any, ...]:
    """A record's columns, as `WRITTEN` lists them."""
    codec = CODECS[record.layer]
    values = codec.plain(record, (*codec.columns, *codec.others))
    data = as_json({name: values[name] for name in codec.others})
    aside = ASIDE.get(record.layer)
    return (
        CODES[record.layer],
        number,
        record.id,
        words,
        data,
        *(values.get(name, default) for name, default in _COLUMNS.items()),
        None if aside is None else as_json(dict(getattr(record, aside))),
        *_derived(record),
    )


def _derived(record: Record) -> tuple[Any, ...]:
    """The columns that are searched by, after `aside`."""
    if isinstance(record, Knowledge):
        givers = as_json(sorted(set(record.given_by.values()))) if record.given_by else None
        return record.content.endswith("?"), int(standing_of(record)), givers, folded(record.key), *[None] * 7
    if isinstance(record, Learning):
        hashes = (hashed(record.template), hashed(skeleton(record.template)), hashed(record.error_pattern))
        template = (record.template, *hashes, record.length, WILDCARD in record.template)
        return False, 0, None, None, hashed(record.trigger), *template
    return False, 0, *[None] * 9


def decode(row: Sequence[Any]) -> Row:
    """The row of `BRIEF` or `WHOLE` columns."""
    layer = LAYERS[row[0]]
    codec, aside = CODECS[layer], ASIDE.get(layer)
    values = json.loads(row[4])
    values[codec.key] = row[2]
    for place, name in enumerate(_NAMES, _BEFORE):
        if name in codec.columns:
            values[name] = row[place]
    if aside is not None:
        written = row[_BEFORE + len(_NAMES)]
        values[aside] = {} if written is None else json.loads(written)
    return Row(row[1], codec.made(values), None if row[3] is None else Document.unpack(row[3]))


def decode_sketch(row: Sequence[Any]) -> Sketch:
    """The sketch of `SKETCH` columns."""
    at = dict(zip(_NAMES, row[_BEFORE:], strict=False))
    return Sketch(
        row[1],
        row[2],
        row[3][:SKETCHED],
        at["origin"],
        at["updated"],
        at["use_count"],
        at["relevance"],
        at["expires"],
        at["thread"],
        at["position"],
        row[-1],
        at["trust"],
    )


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
