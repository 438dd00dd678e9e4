"""How the runs of a skill are counted, the same on every store."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hexad.model import Layer, Skill
from hexad.store import Entry

if TYPE_CHECKING:
    from datetime import datetime

    from hexad.store import Writing

REMEMBERED: Final = 5  # runs whose outcome a skill remembers
WORKED: Final = "+"
FAILED: Final = "-"


def count_run(unit: Writing, name: str, version: int, at: datetime, *, ok: bool) -> str | None:
    """Count one run of a skill in that version; returns the outcomes of its latest runs, this one last.

    None, and nothing counted, if the skill does not exist or has another version now.
    """
    row = unit.get(Layer.SKILL_PATTERNS, name)
    if row is None or not isinstance(row.record, Skill) or row.record.version != version:
        return None
    skill = row.record
    counted = replace(
        skill,
        use_count=skill.use_count + 1,
        run_count=skill.run_count + 1,
        success_count=skill.success_count + ok,
        last_used=at,
        recent=(skill.recent + (WORKED if ok else FAILED))[-REMEMBERED:],
    )
    unit.put([Entry(counted, row.document)])
    return counted.recent
