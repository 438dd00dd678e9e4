"""The kind of value in each field of a noun, read from its annotation: the basis of SQL
columns and of JSON.

A field with an annotation that is not in `_KINDS` is a `KeyError` when its noun is
first stored or written.
"""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum, auto
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.choices import Choice

if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(StrEnum):
    """How a field's value is written where there are no Python objects."""

    TEXT = auto()
    WHOLE = auto()
    NUMBER = auto()
    FLAG = auto()
    TIME = auto()
    LIST = auto()
    OBJECT = auto()
    CHOICE = auto()


class Shape(NamedTuple):
    """The values that a field may hold: its kind, the closed set of a choice, and
    whether it may be None.
    """

    kind: Kind
    choice: type[Choice] | None
    nullable: bool


_KINDS: Final[dict[str, Kind]] = {
    "str": Kind.TEXT,
    "int": Kind.WHOLE,
    "float": Kind.NUMBER,
    "bool": Kind.FLAG,
    "datetime": Kind.TIME,
    "tuple[str, ...]": Kind.LIST,
    "Mapping[str, Json]": Kind.OBJECT,
    "Mapping[str, str]": Kind.OBJECT,
    "Layer": Kind.TEXT,
    **{choice.__name__: Kind.CHOICE for choice in Choice.__subclasses__()},
}
_CHOICES: Final = {choice.__name__: choice for choice in Choice.__subclasses__()}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """A time as a whole number: microseconds since 1970, in UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(number: int) -> datetime:
    """The time in UTC that `to_microseconds` turned into a number."""
    return _EPOCH + timedelta(microseconds=number)


@cache
def shapes(noun: type[Any]) -> Mapping[str, Shape]:
    """The shape of each field of a noun: its own fields first, then those that it
    shares with others.
    """
    found: dict[str, Shape] = {}
    for field in sorted(
        fields(noun), key=lambda field: field.name not in noun.__annotations__
    ):
        name = str(field.type).removesuffix(" | None")
        found[field.name] = Shape(_KINDS[name], _CHOICES.get(name), name != field.type)
    return found
