"""The part of the ports that skills need: what a skill was before, and counting its runs cheaply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from hexad.model import SkillVersion

REMEMBERED: Final = 5  # runs whose outcome a skill remembers
WORKED: Final = "+"
FAILED: Final = "-"


class SkillReading(Protocol):
    """What skills read."""

    def skill_versions(self, namespace: str, name: str) -> Sequence[SkillVersion]:
        """What the skill was before, newest first."""
        ...


class SkillWriting(SkillReading, Protocol):
    """What skills change."""

    def add_skill_version(self, namespace: str, version: SkillVersion) -> None:
        """Keep what a skill was; one that is there already is a `StoreError`."""
        ...

    def remove_skill_versions(self, namespace: str, name: str, numbers: Collection[int] | None = None) -> None:
        """Remove some versions of a skill, or all."""
        ...

    def count_run(self, namespace: str, name: str, version: int, at: datetime, *, ok: bool) -> str | None:
        """Count one run of a skill as it was in that version.

        Returns the outcomes of its latest runs, this one last: at most `REMEMBERED`. None, and nothing counted, if the
        skill is gone or another version now.
        """
        ...
