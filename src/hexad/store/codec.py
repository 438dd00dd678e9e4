"""Nouns as values that SQL and JSON have, and statements over tables whose columns are
a noun's fields.

A statement is written once, as PostgreSQL reads it: its tables are `hexad.…`, its first
value is the tenant.
"""

from __future__ import annotations

import json
from importlib.resources import files
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.errors import StoreDamaged
from hexad.model import Layer
from hexad.shape import Kind, Shape, from_microseconds, shapes, to_microseconds

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence


as_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
CODES: Final = {layer: layer.code for layer in Layer}
LAYERS: Final = {code: layer for layer, code in CODES.items()}


class Codec:
    """How a noun is written as values that SQL and JSON have, and read again.
    ``without`` names fields left out.
    """

    def __init__(self, noun: type[Any], without: Collection[str] = ()) -> None:
        shaped = {
            name: shape
            for name, shape in shapes(cast("Any", noun)).items()
            if name not in without
        }
        self._noun = noun
        self._values = attrgetter(*shaped)
        self.names = tuple(shaped)
        self._encoders = {
            name: _ENCODERS[shape.kind]
            for name, shape in shaped.items()
            if shape.kind in _ENCODERS
        }
        self._decoders = {
            name: read
            for name, shape in shaped.items()
            if (read := decoder_of(shape, _DECODERS))
        }
        self._objects = [
            name for name, shape in shaped.items() if shape.kind is Kind.OBJECT
        ]
        if "layer" in shaped:
            self._encoders["layer"], self._decoders["layer"] = (
                CODES.__getitem__,
                LAYERS.__getitem__,
            )

    def plain(self, noun: Any) -> dict[str, Any]:
        """The fields as plain values."""
        values = dict(zip(self.names, self._values(noun), strict=True))
        for name, encode in self._encoders.items():
            if values[name] is not None:
                values[name] = encode(values[name])
        return values

    def made(self, given: dict[str, Any] | str) -> Any:
        """The noun of such values, or of a JSON object of them."""
        try:
            values: dict[str, Any] = (
                json.loads(given) if isinstance(given, str) else given
            )
            for name, decode in self._decoders.items():
                if values.get(name) is not None:
                    values[name] = decode(values[name])
            return self._noun(**values)
        except (ValueError, LookupError, TypeError, OverflowError) as error:
            raise StoreDamaged(
                self._noun.__name__,
                f"a row cannot be read ({error!r}); restore a backup",
            ) from error

    def row(self, noun: Any) -> list[Any]:
        """The values of a table whose columns are the fields, in the same order."""
        values = self.plain(noun)
        for name in self._objects:
            values[name] = as_json(values[name])
        return list(values.values())

    def of_row(self, row: Sequence[Any]) -> Any:
        """The noun of a row."""
        values = dict(zip(self.names, row, strict=True))
        for name in self._objects:
            values[name] = json.loads(values[name])
        return self.made(values)


def unreadable(table: str, id: object, error: Exception) -> StoreDamaged:
    """The error about a row that cannot be decoded."""
    reason = (
        "not valid JSON"
        if isinstance(error, json.JSONDecodeError)
        else f"{error!r:.80}"
    )
    advice = (
        f"cannot be read ({reason}); see `hexad doctor --repair`, or restore a backup"
    )
    return StoreDamaged(f"{table} {id!r}", advice, id if isinstance(id, str) else None)


def decoder_of(
    shape: Shape, decoders: Mapping[Kind, Callable[[Any], object]]
) -> Callable[[Any], object] | None:
    """How a field of this shape is read; None if it is stored as it is."""
    if shape.choice is not None:
        return {member.value: member for member in shape.choice}.__getitem__
    return decoders.get(shape.kind)


_ENCODERS: Final[dict[Kind, Callable[[Any], object]]] = {
    Kind.TIME: to_microseconds,
    Kind.LIST: list,
    Kind.OBJECT: dict,
    Kind.CHOICE: str.__str__,
}
_DECODERS: Final[dict[Kind, Callable[[Any], object]]] = {
    Kind.TIME: from_microseconds,
    Kind.LIST: tuple,
    Kind.FLAG: bool,  # SQLite has none
}


def insert(table: str, names: Sequence[str], conflict: str = "") -> str:
    """An INSERT of one row, its tenant first."""
    places = ", ".join(f"${place}" for place in range(1, len(names) + 2))
    return f"INSERT INTO {table} (tenant, {', '.join(map(_quoted, names))}) VALUES ({places}) {conflict}"


def upsert(table: str, names: Sequence[str], *keys: str) -> str:
    """An INSERT that replaces a row of the same keys."""
    changed = ", ".join(
        f"{_quoted(name)} = excluded.{_quoted(name)}"
        for name in names
        if name not in keys
    )
    return insert(
        table, names, f"ON CONFLICT (tenant, {', '.join(keys)}) DO UPDATE SET {changed}"
    )


def scripts_of(package: str) -> list[str]:
    """The migrations of a store's package, in order; the n-th leads to schema n."""
    found = [
        each
        for each in files(package).joinpath("migrations").iterdir()
        if each.name.endswith(".sql")
    ]
    return [
        each.read_text(encoding="utf-8")
        for each in sorted(found, key=lambda each: each.name)
    ]


def _quoted(name: str) -> str:
    return f'"{name}"'
