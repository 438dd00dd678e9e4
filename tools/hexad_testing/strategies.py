"""Nouns for property tests: every value that a field may hold, with hypothesis."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from hypothesis import strategies as st

from hexad.model import (
    AuditRecord,
    Knowledge,
    Learning,
    Proposal,
    Record,
    Reference,
    Skill,
    SkillVersion,
    Version,
)
from hexad.shape import Kind, Shape, shapes
from hexad.text.document import Document

if TYPE_CHECKING:
    from hexad.model import Json

N = TypeVar("N")

texts: Final = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40
)
times: Final = st.datetimes(timezones=st.just(UTC))
counts: Final = st.integers(0, 2**53)
words: Final = st.lists(texts, max_size=3).map(tuple)

json_values: Final[st.SearchStrategy[Json]] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=6,
)
json_objects: Final = st.dictionaries(texts, json_values, max_size=3)

_VALUES: Final[dict[Kind, st.SearchStrategy[Any]]] = {
    Kind.TEXT: texts,
    Kind.WHOLE: counts,
    Kind.NUMBER: st.floats(0, 1),
    Kind.FLAG: st.booleans(),
    Kind.TIME: times,
    Kind.LIST: words,
    Kind.OBJECT: json_objects,
}


def _values(shape: Shape) -> st.SearchStrategy[Any]:
    values = (
        _VALUES[shape.kind] if shape.choice is None else st.sampled_from(shape.choice)
    )
    return st.none() | values if shape.nullable else values


def _nouns(noun: type[N], **narrower: st.SearchStrategy[Any]) -> st.SearchStrategy[N]:
    return st.builds(
        noun,
        **{name: _values(shape) for name, shape in shapes(cast("type", noun)).items()}
        | narrower,
    )


_records = (
    _nouns(Knowledge, given_by=st.dictionaries(texts, texts)),
    *map(_nouns, (Learning, Skill, Reference)),
)
records: Final[st.SearchStrategy[Record]] = st.one_of(*_records)
versions: Final = _nouns(Version)
skill_versions: Final = _nouns(SkillVersion)
proposals: Final = _nouns(Proposal)
audit_records: Final = _nouns(AuditRecord, sequence=st.integers(1, 2**53))

TERMS: Final = (
    "deploy",
    "größe",
    "配置",
    "=category/rule",
    "a'b\"c;--",
    "%_",
    "Deploy",
)
_fields: Final = st.lists(st.sampled_from(TERMS), max_size=4).map(tuple)
documents: Final = st.builds(
    Document, name=_fields, body=_fields, tags=_fields, facets=_fields
)
