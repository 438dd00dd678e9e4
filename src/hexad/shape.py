"""What kind of value each field of a noun holds: the one table behind its columns in SQL and its shape in JSON."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum, auto
from typing import TYPE_CHECKING, Final

from hexad.model import (
    Category,
    Choice,
    ErrorCategory,
    Knowledge,
    Learning,
    Origin,
    Reference,
    ReferenceKind,
    Skill,
    SkillKind,
    SkillStatus,
    SkillVersion,
    Version,
)

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


_KINDS: Final[Mapping[Kind, frozenset[str]]] = {
    Kind.TIME: frozenset({"created", "updated", "expires", "deleted", "last_used", "at", "used"}),
    Kind.LIST: frozenset({"tags", "redactions"}),
    Kind.OBJECT: frozenset({"definition", "parameters", "metadata", "details", "given_by", "remedies"}),
    Kind.FLAG: frozenset({"pinned", "verbatim", "requires_approval"}),
    Kind.NUMBER: frozenset({"relevance", "trust", "weight"}),
    Kind.WHOLE: frozenset(
        {"version", "first_version", "position", "use_count", "success_count", "seen", "worked", "failed", "sequence"}
    )
    | {"support", "length", "run_count"},
}
_CHOICES: Final[Mapping[tuple[type, str], type[Choice]]] = {
    (Knowledge, "category"): Category,
    (Version, "category"): Category,
    (Learning, "category"): ErrorCategory,
    (Skill, "kind"): SkillKind,
    (Skill, "status"): SkillStatus,
    (SkillVersion, "kind"): SkillKind,
    (Reference, "kind"): ReferenceKind,
}


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def to_microseconds(moment: datetime) -> int:
    """A time as a whole number: since 1970, in UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def from_microseconds(number: int) -> datetime:
    """The time of such a number, in UTC."""
    return _EPOCH + timedelta(microseconds=number)


def choice_of(noun: type, field: str) -> type[Choice] | None:
    """The closed set that a field's values come from."""
    return Origin if field == "origin" else _CHOICES.get((noun, field))


def kind_of(noun: type, field: str) -> Kind:
    """What a field holds."""
    if choice_of(noun, field) is not None:
        return Kind.CHOICE
    return next((kind for kind, names in _KINDS.items() if field in names), Kind.TEXT)
