"""Nouns ↔ rows: fields that SQL reads have columns, all others are one JSON object.

A new field of a noun needs no migration, unless it becomes a column: rows without it
get its default.
"""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from hexad.model import (
    RECORD_OF,
    Association,
    AuditRecord,
    Knowledge,
    Layer,
    Learning,
    Proposal,
    Record,
    SkillVersion,
    Version,
)
from hexad.store import SKETCHED, Row, Sketch, folded, standing_of
from hexad.store.codec import CODES, LAYERS, Codec, as_json, unreadable
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

ASIDE: Final = {Layer.SKILL_PATTERNS: "definition"}
_SKETCHED: Final = (
    "origin",
    "updated",
    "use_count",
    "relevance",
    "expires",
    "thread",
    "position",
    "asks",
    "trust",
)
_COLUMNS: Final = (*_SKETCHED, "last_used", "subject", "seen")
# values of columns that a noun has no field for
_WITHOUT: Final[dict[str, object]] = {
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
_DERIVED: Final = (
    "standing",
    "folded",
    "trigger",
    "template",
    "length",
    "error",
)  # only searched by
WRITTEN: Final = (
    "layer",
    "number",
    "id",
    "words",
    *_COLUMNS,
    "data",
    "aside",
    *_DERIVED,
)  # a row, after its tenant


def hashed(text: str) -> int:
    """A text's key in the database, where it would be too long or too many: 64 bits,
    signed.
    """
    return int.from_bytes(
        blake2b(text.encode(), digest_size=8).digest(), "big", signed=True
    )


ASSOCIATIONS: Final = Codec(Association)
AUDIT: Final = Codec(AuditRecord)
PROPOSALS: Final = Codec(Proposal)
VERSIONS: Final = {
    Layer.USER_KNOWLEDGE: Codec(Version),
    Layer.SKILL_PATTERNS: Codec(SkillVersion),
}
_RECORDS: Final = {
    layer: Codec(noun, [ASIDE[layer]] if layer in ASIDE else ())
    for layer, noun in RECORD_OF.items()
}
_BEFORE: Final = 4  # columns before the fields of a row
_DATA: Final = _BEFORE + len(_COLUMNS)


def encode(record: Record, number: int, words: str | None) -> tuple[Any, ...]:
    """A record's columns, as `WRITTEN` lists them."""
    values = _RECORDS[record.layer].plain(record)
    values["asks"] = isinstance(record, Knowledge) and record.content.endswith("?")
    columns = [values.pop(name, _WITHOUT.get(name)) for name in _COLUMNS]
    aside = (
        as_json(dict(getattr(record, ASIDE[record.layer])))
        if record.layer in ASIDE
        else None
    )
    return (
        CODES[record.layer],
        number,
        record.id,
        words,
        *columns,
        as_json(values),
        aside,
        *_derived(record),
    )


def _derived(record: Record) -> tuple[Any, ...]:
    """The values of `_DERIVED`."""
    if isinstance(record, Knowledge):
        return int(standing_of(record)), folded(record.key), *[None] * 4
    if isinstance(record, Learning):
        error = (
            None if record.error_pattern == record.template else record.error_pattern
        )
        return 0, None, hashed(record.trigger), record.template, record.length, error
    return 0, *[None] * 5


def decode(row: Sequence[Any]) -> Row:
    """The row of `BRIEF` or `WHOLE` columns, or of `SKETCH` with its data."""
    try:
        layer = LAYERS[row[0]]
        codec, values = _RECORDS[layer], json.loads(row[_DATA])
        values |= {
            name: value
            for name, value in zip(_COLUMNS, row[_BEFORE:], strict=False)
            if name in codec.names
        }
        if layer in ASIDE:
            values[ASIDE[layer]] = json.loads(row[_DATA + 1] or "{}")
        return Row(
            row[1],
            codec.made(values),
            None if row[3] is None else Document.unpack(row[3]),
        )
    except (ValueError, LookupError, TypeError) as error:
        raise unreadable("record", row[2], error) from error


def decode_sketch(row: Sequence[Any]) -> Sketch:
    """The sketch of `SKETCH` columns."""
    return Sketch(
        row[1], row[2], row[3][:SKETCHED], *row[_BEFORE : _BEFORE + len(_SKETCHED)]
    )


def version_row(version: Version | SkillVersion) -> tuple[Any, ...]:
    """The columns of a version after its tenant: layer, id, version, session, subject,
    data.
    """
    if isinstance(version, Version):
        layer, key, subject = Layer.USER_KNOWLEDGE, version.key, version.subject
    else:
        layer, key, subject = Layer.SKILL_PATTERNS, version.name, ""
    data = as_json(VERSIONS[layer].plain(version))
    return CODES[layer], key, version.version, version.session, subject, data
