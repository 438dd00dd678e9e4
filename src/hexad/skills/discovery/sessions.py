"""The sessions that a discovered skill was found in: a draft goes with them when they are forgotten.

What is remembered of a session is a hash of its name, in a note of the database beside the skill: nothing of it is in
the skill itself, so approving one does not depend on it.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final, cast

from hexad.memory.indexing import records
from hexad.model import Layer, Origin, Skill, SkillStatus
from hexad.skills.discovery.sequences import FEWEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexad.memory.workspace import Change

_SIZE: Final = 8  # bytes of a hash


def remember_sessions(change: Change, skill: str, offer: str, sessions: Iterable[str]) -> None:
    """Note where a skill was found; ``offer`` is the note that keeps it from being offered again."""
    _keep(change, skill, offer, [_hashed(change, session) for session in sessions])


def forget_discovered(change: Change, session: str) -> int:
    """Forget a session: remove discovered skills that too few other sessions support; return their number.

    Skills that a person activated or rewrote are kept.
    """
    gone = _hashed(change, session)
    found = [cast("Skill", each) for each in records(change.unit, Layer.SKILL_PATTERNS)]
    removed = 0
    for skill in found:
        offer, sessions = _kept(change, skill.name)
        if gone not in sessions:
            continue
        left = [each for each in sessions if each != gone]
        _keep(change, skill.name, offer, left)
        if len(left) >= FEWEST:
            continue
        versions = change.unit.versions(Layer.SKILL_PATTERNS, skill.name)
        found_here = [each.version for each in versions if each.origin is Origin.TOOL]
        change.unit.remove_versions(Layer.SKILL_PATTERNS, skill.name, found_here)
        if skill.origin is Origin.TOOL and skill.status is not SkillStatus.ACTIVE:
            change.remove(Layer.SKILL_PATTERNS, skill.name)
            change.audit("skill.forget", skill.name)
            change.unit.set_note(offer, "")  # nobody turned it down: done in other sessions, it is offered again
            removed += 1
    return removed


def _kept(change: Change, skill: str) -> tuple[str, list[str]]:
    offer, sessions = json.loads(change.unit.note(_note(change, skill)) or '["", []]')
    return offer, sessions


def _keep(change: Change, skill: str, offer: str, sessions: list[str]) -> None:
    change.unit.set_note(_note(change, skill), json.dumps([offer, sessions]))


def _note(change: Change, skill: str) -> str:
    return f"sessions of skill {_hashed(change, skill)}"


def _hashed(change: Change, name: str) -> str:
    named = json.dumps([change.workspace.namespace, name], ensure_ascii=False).encode(errors="replace")
    return hashlib.blake2b(named, digest_size=_SIZE).hexdigest()
