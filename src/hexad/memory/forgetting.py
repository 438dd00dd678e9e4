"""Forgetting: entries with all their versions, of one key, about a subject, of a
session, or of a whole namespace.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.errors import InvalidInput, NotFound
from hexad.memory import admission
from hexad.memory.index.indexing import records
from hexad.memory.usage.habits import unlearn
from hexad.memory.usage.timeline import forget_prompts
from hexad.model import (
    RECORDS,
    Knowledge,
    Layer,
    Origin,
    Record,
    Skill,
    SkillStatus,
    Version,
)
from hexad.store.learning import LearningChanges
from hexad.text import terms

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from hexad.memory.workspace import Change, Workspace
    from hexad.model import Association, Forgotten, Proposal, SkillVersion

_EVERY_CALL: Final = 1 << 62
VERSIONED: Final = tuple(
    field.name for field in fields(Version) if field.name != "created"
)
"""The fields that a version keeps of its entry."""

GIVEN: Final[dict[str, Any]] = {
    field.name: field.default
    for field in fields(Knowledge)
    if field.name
    in {
        "tags",
        "source",
        "subject",
        "thread",
        "position",
        "pinned",
        "expires",
        "relevance",
    }
}
"""The fields that are not versioned, each with its default."""


def forget_all(
    workspace: Workspace,
    *,
    subject: str | None,
    session: str | None,
    everything: bool,
    traces: bool,
    also: Callable[[Change, str], int],
) -> Forgotten:
    """Erase what was named, of every kind, in one transaction; then its traces.

    ``also`` takes what a session gave out of records that are not its own, and says how
    many of them went.
    """
    if (
        sum(
            (
                subject is not None,
                session is not None,
                everything is True,
                traces is True,
            )
        )
        != 1
    ):
        raise InvalidInput(
            "forget",
            "give exactly one of subject=, session=, everything=True or traces=True",
        )
    if traces:
        return workspace.erase_traces(0)
    with workspace.change(actor=Origin.USER) as change:
        if subject is not None:
            count = forget_subject(change, subject)
            words = set(terms(subject))
            _forget_habits(change, lambda learned: learned.term in words)
            change.unit.learn(
                LearningChanges(drop_calls_below=_EVERY_CALL)
            )  # their arguments may mention it
        elif session is not None:
            name = admission.key("session", session)
            count = forget_session(change, name) + _forget_skills(change, name)
            count += _forget_others(change, lambda record: record.session == name)
            _forget_habits(change, lambda learned: learned.session == name)
            change.unit.learn(LearningChanges(forget_sessions=[name]))
            forget_prompts(change, name)
            count += also(change, name)
        else:
            keys = [entry.id for entry in records(change.unit, Layer.USER_KNOWLEDGE)]
            count = sum(forget_key(change, key) for key in keys) + _forget_others(
                change, lambda _: True
            )
            _forget_habits(change, lambda _: True)
            withdraw(change, lambda _: True)
            change.unit.learn(LearningChanges(forget_everything=True))
            forget_prompts(change)
        change.unit.scrub()
    return workspace.erase_traces(count)


def forget_key(change: Change, key: str) -> int:
    """Erase one entry, hidden or not, with all its versions."""
    name = admission.key("key", key)
    entry = change.get(Layer.USER_KNOWLEDGE, name)
    name = (
        name if entry is None else entry.id
    )  # as it is stored: keys that differ in case alone are one
    numbers = [
        version.version for version in change.unit.versions(Layer.USER_KNOWLEDGE, name)
    ]
    change.unit.remove_versions(Layer.USER_KNOWLEDGE, name)
    if not change.remove(Layer.USER_KNOWLEDGE, name):
        raise NotFound(Layer.USER_KNOWLEDGE.noun, name, change.workspace.namespace)
    withdraw(
        change,
        lambda proposal: (
            name.casefold() in {proposal.key.casefold(), proposal.against.casefold()}
        ),
    )
    change.audit("knowledge.forget", name, {"versions": len(numbers)})
    return 1


def forget_subject(change: Change, subject: str) -> int:
    """Erase every entry about a subject, and every old version that was."""
    name = admission.key("subject", subject)
    withdraw(change, lambda proposal: proposal.subject == name)
    keys = change.unit.keys_of(subject=name)
    for key in keys:
        entry = cast("Knowledge", change.get(Layer.USER_KNOWLEDGE, key))
        if entry.subject == name:
            forget_key(change, key)
        else:
            _without(change, entry, lambda version: version.subject == name, {})
    return len(keys)


def forget_session(change: Change, session: str) -> int:
    """Erase a session's versions and fields; those of other sessions under the same key
    stay.
    """
    name = admission.key("session", session)
    withdraw(change, lambda proposal: proposal.session == name)
    keys = change.unit.keys_of(session=name)
    for key in keys:
        entry = cast("Knowledge", change.get(Layer.USER_KNOWLEDGE, key))
        given = {
            field: GIVEN[field] for field, who in entry.given_by.items() if who == name
        }
        _without(change, entry, lambda version: version.session == name, given)
    return len(keys)


def _without(
    change: Change,
    entry: Knowledge,
    goes: Callable[[Version], bool],
    reset: dict[str, Any],
) -> None:
    """An entry without some versions and fields; the newest version that is left is its
    content.
    """
    versions = cast(
        "Sequence[Version]", change.unit.versions(Layer.USER_KNOWLEDGE, entry.key)
    )
    left = [version for version in versions if not goes(version)]
    if not left:
        forget_key(change, entry.key)
        return
    dropped = [version.version for version in versions if goes(version)]
    change.unit.remove_versions(Layer.USER_KNOWLEDGE, entry.key, dropped)
    back = replace(_fallen_back(entry, left[0], change.workspace.clock()), **reset)
    kept_by = {field: who for field, who in back.given_by.items() if field not in reset}
    change.put(replace(back, given_by=kept_by))
    change.audit(
        "knowledge.forget", entry.key, {"versions": len(dropped), "fields": len(reset)}
    )


def _fallen_back(entry: Knowledge, newest: Version, now: datetime) -> Knowledge:
    if newest.version == entry.version:
        return entry
    said = {name: getattr(newest, name) for name in VERSIONED if name not in GIVEN}
    hidden = newest.version < entry.first_version  # what is left was deleted before
    first, deleted = (
        min(entry.first_version, newest.version),
        entry.deleted or (now if hidden else None),
    )
    return replace(entry, **said, first_version=first, deleted=deleted)


def _forget_others(change: Change, goes: Callable[[Record], bool]) -> int:
    """Learnings, skills and references, whole."""
    layers = [kind.layer for kind in RECORDS if kind is not Knowledge]
    found = [
        record
        for layer in layers
        for record in records(change.unit, layer)
        if goes(record)
    ]
    for record in found:
        change.remove(record.layer, record.id)
        change.audit(f"{record.layer.noun}.forget", record.id)
    return len(found)


def _forget_skills(change: Change, session: str) -> int:
    """Erase a session's versions of skills. A skill with older versions becomes a draft
    of the latest of them.
    """
    count = 0
    for skill in [
        cast("Skill", record) for record in records(change.unit, Layer.SKILL_PATTERNS)
    ]:
        versions = cast(
            "Sequence[SkillVersion]",
            change.unit.versions(Layer.SKILL_PATTERNS, skill.name),
        )
        gone = [version.version for version in versions if version.session == session]
        left = next(
            (version for version in versions if version.session != session), None
        )
        if left is not None and skill.session == session:
            gone.append(left.version)
            change.put(_earlier(skill, left))
            count += 1
        if gone and (left is not None or skill.session != session):
            change.unit.remove_versions(Layer.SKILL_PATTERNS, skill.name, gone)
            change.audit("skill.forget", skill.name, {"versions": len(gone)})
    return count


def _earlier(skill: Skill, version: SkillVersion) -> Skill:
    """A skill as it was in an earlier version, not approved and without the outcomes of
    later runs.
    """
    names = [each.name for each in fields(version) if each.name != "created"]
    said: dict[str, Any] = {name: getattr(version, name) for name in names}
    unapproved: dict[str, Any] = {
        "requires_approval": True,
        "approved": "",
        "approved_by": "",
        "reason": "",
    }
    refused = (
        skill.status is SkillStatus.DEPRECATED
    )  # a person's word, which no session takes back
    status = SkillStatus.DEPRECATED if refused else SkillStatus.DRAFT
    return replace(
        skill,
        **said,
        **unapproved,
        recent="",
        status=status,
        tags=(),
        updated=version.created,
    )


def withdraw(change: Change, goes: Callable[[Proposal], bool]) -> None:
    """Remove proposals, with what they came from or are about."""
    change.unit.propose(
        withdrawn=[each.id for each in change.unit.proposals() if goes(each)]
    )


def _forget_habits(change: Change, goes: Callable[[Association], bool]) -> None:
    """Erase the associations of words with items, also with tools, which are not
    stored.
    """
    unlearn(change, [each for each in change.unit.associations() if goes(each)])
