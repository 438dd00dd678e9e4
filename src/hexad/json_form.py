"""The one JSON shape of every noun: `--json`, backups, MCP and later HTTP all speak it.
Its version is `WIRE`.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from hexad.errors import InvalidInput
from hexad.model import (
    RECORDS,
    Association,
    AuditRecord,
    Layer,
    Proposal,
    SkillVersion,
    Version,
)
from hexad.shape import Kind, shapes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.model import Forgotten, Item, Json, Prompt, Retrieval, Verdict

WIRE: Final = 1
_LARGEST: Final = 2**63 - 1
N = TypeVar("N")
_RENAMED: Final = {
    "learning": {"fixes": "evidence", "support": "unaided"}
}  # fields of earlier versions

TYPES: Final[dict[str, type]] = {
    **{record.layer.noun: record for record in RECORDS},
    "version": Version,
    "skill_version": SkillVersion,
    "association": Association,
    "proposal": Proposal,
    "audit": AuditRecord,
}
_NAMES: Final = {noun: name for name, noun in TYPES.items()}
_PYTHON: Final[dict[Kind, type | tuple[type, ...]]] = {
    Kind.TEXT: str,
    Kind.WHOLE: int,
    Kind.NUMBER: (int, float),
    Kind.FLAG: bool,
    Kind.TIME: str,
    Kind.LIST: list,
    Kind.OBJECT: dict,
    Kind.CHOICE: str,
}


def unique_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a JSON text, for `json.loads`; a key that is there twice is a
    `ValueError`, not the last one's.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(
            f"the key {next(key for key in keys if keys.count(key) > 1)[:40]!a} is there twice"
        )
    return found


def to_json(noun: Any) -> dict[str, Json]:
    """A noun as JSON, its type named in ``type``."""
    kind: type = type(noun)
    values = {
        name: _written(shape.kind, getattr(noun, name))
        for name, shape in shapes(kind).items()
    }
    return {"type": _NAMES[kind], **values}


def from_json(
    noun: type[N],
    shape: Mapping[str, Any],
    *,
    defaults: Mapping[str, Any] | None = None,
) -> N:
    """The noun that `to_json` wrote; a field that is unknown, missing or of the wrong
    type is named.
    """
    known = {field.name for field in fields(noun)}  # type: ignore[arg-type]
    renamed = _RENAMED.get(_NAMES[noun], {})
    shape = {renamed.get(name, name): value for name, value in shape.items()}
    for name in shape:
        if name not in known and name not in {"type", "namespace"}:
            raise InvalidInput(name, f"is not a field of a {_NAMES[noun]}")
    values = {
        **(defaults or {}),
        **{name: _read(noun, name, shape[name]) for name in known if name in shape},
    }
    missing = [
        field.name
        for field in fields(noun)  # type: ignore[arg-type]
        if field.name not in values
        and field.default is MISSING
        and field.default_factory is MISSING
    ]
    if missing:
        raise InvalidInput(missing[0], f"is missing from a {_NAMES[noun]}")
    return noun(**values)


def item(found: Item) -> dict[str, Json]:
    """A retrieved item with the reasons for its score."""
    return {
        "layer": found.layer.value,
        "id": found.id,
        "key": found.key,
        "content": found.content,
        "category": str(found.category),
        "source": found.source,
        "origin": found.origin.value,
        "score": round(found.score, 6),
        "pinned": found.pinned,
        "reasons": [
            {**reason._asdict(), "value": round(reason.value, 6)}
            for reason in found.reasons
        ],
    }


def retrieval(found: Retrieval) -> dict[str, Json]:
    """The answers of all layers."""
    return {
        "query": found.query,
        "keywords": list(found.keywords),
        "items": {
            layer.value: [*map(item, items)] for layer, items in found.items.items()
        },
        "failures": [each._asdict() for each in found.failures],
    }


def prompt(assembled: Prompt) -> dict[str, Json]:
    """An assembled prompt and what went into it."""
    return {
        "text": assembled.text,
        "tokens": assembled.tokens,
        "budget": assembled.budget,
        "standing": [f"{each.layer}/{each.id}" for each in assembled.standing],
        "noted": [f"{each.layer}/{each.id}" for each in assembled.noted],
        "kept": [f"{each.layer}/{each.id}" for each in assembled.kept],
        "dropped": [f"{each.layer}/{each.id}" for each in assembled.dropped],
    }


def verdict(found: Verdict) -> dict[str, Json]:
    """The result of verifying an audit chain."""
    return {"ok": found.ok, **found._asdict()}


def forgotten(done: Forgotten) -> dict[str, Json]:
    """The result of forgetting."""
    return {"entries": done.entries, "erased": done.erased, "detail": done.detail}


def _written(kind: Kind, value: Any) -> Json:
    if value is None:
        return None
    if kind is Kind.TIME:
        return str(value.isoformat())
    if kind is Kind.LIST:
        return list(value)
    if kind is Kind.OBJECT:
        return dict(value)
    written: Json = value.value if isinstance(value, Enum) else value
    return written


def _read(noun: type, name: str, value: Any) -> Any:
    kind, choice, nullable = shapes(noun)[name]
    if value is None and nullable:
        return None
    if name == "layer":
        return Layer.parse(value)
    _check_type(name, kind, value)
    if choice is not None:
        return choice.parse(value, name)
    if kind is Kind.TIME:
        return time(name, value)
    return tuple(value) if kind is Kind.LIST else value


def _check_type(name: str, kind: Kind, value: Any) -> None:
    if not isinstance(value, _PYTHON[kind]) or (
        isinstance(value, bool) and kind is not Kind.FLAG
    ):
        raise InvalidInput(name, f"must be {kind.value}, not {type(value).__name__}")
    if kind is Kind.LIST and not all(
        isinstance(each, str) for each in cast("list[object]", value)
    ):
        raise InvalidInput(name, "must be a list of texts")
    if kind is Kind.WHOLE and abs(cast("int", value)) > _LARGEST:
        raise InvalidInput(name, "is larger than any database's whole numbers")


def time(name: str, value: str) -> datetime:
    """A time of ISO 8601 with its zone, in UTC."""
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        raise InvalidInput(name, f"{value!r} is not a time in ISO 8601") from None
    if moment.tzinfo is None:
        raise InvalidInput(name, f"{value!r} has no time zone")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(name, f"{value!r} is beyond the calendar in UTC") from None
