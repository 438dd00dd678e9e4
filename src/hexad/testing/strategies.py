"""Nouns for property tests: every value that a field may hold, with hypothesis."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from hexad.model import (
    AuditRecord,
    Category,
    ErrorCategory,
    Knowledge,
    Learning,
    Origin,
    Record,
    Reference,
    ReferenceKind,
    Skill,
    SkillKind,
    SkillStatus,
    SkillVersion,
    Version,
)
from hexad.text.document import Document

if TYPE_CHECKING:
    from hexad.model import Json

texts: Final = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
times: Final = st.datetimes(timezones=st.just(UTC))
counts: Final = st.integers(0, 2**53)
words: Final = st.lists(texts, max_size=3).map(tuple)
origins: Final = st.sampled_from(Origin)

json_values: Final[st.SearchStrategy[Json]] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
json_objects: Final = st.dictionaries(texts, json_values, max_size=3)

_said: Final = {"origin": origins, "session": texts, "verbatim": st.booleans(), "redactions": words}
_kept: Final = {
    **_said,
    "tags": words,
    "use_count": counts,
    "last_used": st.none() | times,
    "created": times,
    "updated": times,
}

knowledges: Final = st.builds(
    Knowledge,
    key=texts,
    content=texts,
    category=st.sampled_from(Category),
    source=texts,
    subject=texts,
    thread=texts,
    position=st.none() | counts,
    pinned=st.booleans(),
    expires=st.none() | times,
    relevance=st.floats(0, 1),
    version=counts,
    first_version=counts,
    deleted=st.none() | times,
    **_kept,
)
learnings: Final = st.builds(
    Learning,
    id=texts,
    trigger=texts,
    error_pattern=texts,
    diagnosis=texts,
    fix=texts,
    category=st.sampled_from(ErrorCategory),
    seen=counts,
    worked=counts,
    failed=counts,
    template=texts,
    length=counts,
    support=counts,
    trust=st.floats(0, 1),
    remedies=json_objects,
    **_kept,
)
skills: Final = st.builds(
    Skill,
    name=texts,
    description=texts,
    kind=st.sampled_from(SkillKind),
    definition=json_objects,
    parameters=json_objects,
    status=st.sampled_from(SkillStatus),
    author=texts,
    requires_approval=st.booleans(),
    when=texts,
    approved=texts,
    approved_by=texts,
    reason=texts,
    version=counts,
    recent=texts,
    run_count=counts,
    success_count=counts,
    **_kept,
)
skill_versions: Final = st.builds(
    SkillVersion,
    name=texts,
    version=counts,
    description=texts,
    kind=st.sampled_from(SkillKind),
    definition=json_objects,
    parameters=json_objects,
    when=texts,
    author=texts,
    created=times,
    **_said,
)
references: Final = st.builds(
    Reference,
    name=texts,
    location=texts,
    summary=texts,
    kind=st.sampled_from(ReferenceKind),
    metadata=json_objects,
    **_kept,
)
records: Final[st.SearchStrategy[Record]] = st.one_of(knowledges, learnings, skills, references)
versions: Final = st.builds(
    Version,
    key=texts,
    version=counts,
    content=texts,
    category=st.sampled_from(Category),
    source=texts,
    created=times,
    **_said,
)
audit_records: Final = st.builds(
    AuditRecord,
    sequence=st.integers(1, 2**53),
    at=times,
    session=texts,
    action=texts,
    actor=texts,
    target=texts,
    details=json_objects,
    previous=texts,
    hash=texts,
)

TERMS: Final = ("deploy", "größe", "配置", "=category/rule", "a'b\"c;--", "%_", "Deploy")
_fields: Final = st.lists(st.sampled_from(TERMS), max_size=4).map(tuple)
documents: Final = st.builds(Document, name=_fields, body=_fields, tags=_fields, facets=_fields)
