"""Nouns for tests: each complete, with the fields that matter to a test given and the
others filled in.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from hexad.model import (
    AuditRecord,
    Category,
    Knowledge,
    Layer,
    Learning,
    Proposal,
    Reference,
    Skill,
    SkillKind,
    SkillVersion,
    Version,
)
from hexad.text.document import Document

MOMENT: Final = datetime(2026, 1, 1, 12, 30, 15, 123456, tzinfo=UTC)
HOME: Final = "home"  # a namespace
AWAY: Final = "away"  # another
ENTRIES: Final = Layer.USER_KNOWLEDGE


def knowledge(key: str = "editor", content: str = "vim", **fields: Any) -> Knowledge:
    """An entry of User Knowledge."""
    return Knowledge(
        key=key, content=content, **{"created": MOMENT, "updated": MOMENT, **fields}
    )


def learning(
    id: str = "learning-1", trigger: str = "tool:deploy", **fields: Any
) -> Learning:
    """A learning."""
    return Learning(
        id=id, trigger=trigger, **{"created": MOMENT, "updated": MOMENT, **fields}
    )


def skill(name: str = "release", **fields: Any) -> Skill:
    """A skill."""
    given = {
        "description": "cut a release",
        "kind": SkillKind.COMPOSITE,
        "definition": {"steps": []},
        **fields,
    }
    return Skill(name=name, **{"created": MOMENT, "updated": MOMENT, **given})


def skill_version(
    number: int = 1, name: str = "release", **fields: Any
) -> SkillVersion:
    """An earlier version of a skill."""
    given = {
        "description": f"version {number}",
        "kind": SkillKind.COMPOSITE,
        "definition": {"steps": []},
        **fields,
    }
    return SkillVersion(name=name, version=number, **{"created": MOMENT, **given})


def reference(
    name: str = "Runbook", location: str = "https://wiki/runbook", **fields: Any
) -> Reference:
    """A reference."""
    return Reference(
        name=name, location=location, **{"created": MOMENT, "updated": MOMENT, **fields}
    )


def version(number: int = 1, key: str = "editor", **fields: Any) -> Version:
    """One thing that was said under a key."""
    given = {
        "content": f"content {number}",
        "category": Category.FACT,
        "created": MOMENT,
        **fields,
    }
    return Version(key=key, version=number, **given)


def proposal(id: str = "p1", **fields: Any) -> Proposal:
    """A proposal to change an entry."""
    return Proposal(
        id=id, **{"key": "editor", "content": "emacs", "created": MOMENT, **fields}
    )


def audit_record(sequence: int = 1, **fields: Any) -> AuditRecord:
    """A line of the log. A store does not look into its hashes."""
    said = {
        "at": MOMENT,
        "session": "slack:42",
        "action": "knowledge.save",
        "actor": "user",
        "target": "editor",
    }
    chain = {
        "details": {"version": 1},
        "previous": f"hash {sequence - 1}",
        "hash": f"hash {sequence}",
    }
    return AuditRecord(sequence=sequence, **{**said, **chain, **fields})


def document(body: str, *, name: str = "", tags: str = "") -> Document:
    """Indexed text whose terms are its words as they are."""
    return Document(tuple(name.split()), tuple(body.split()), tuple(tags.split()))
