"""The ports of skills over dictionaries, in the state that `volatile` keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from copy import deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING

from hexad.errors import StoreError
from hexad.store.skills import FAILED, REMEMBERED, WORKED

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import datetime

    from hexad.model import Skill, SkillVersion


class VolatileSkills(ABC):
    """The part of a volatile state that is about skills."""

    _undo: list[Callable[[], object]]

    def __init__(self) -> None:
        super().__init__()
        self._skill_versions: dict[tuple[str, str], dict[int, SkillVersion]] = {}

    @abstractmethod
    def skill(self, namespace: str, name: str) -> Skill | None: ...

    @abstractmethod
    def set_skill(self, namespace: str, skill: Skill) -> None: ...

    def skill_versions(self, namespace: str, name: str) -> Sequence[SkillVersion]:
        found = self._skill_versions.get((namespace, name), {})
        return [deepcopy(found[number]) for number in sorted(found, reverse=True)]

    def add_skill_version(self, namespace: str, version: SkillVersion) -> None:
        known = self._skill_versions.get((namespace, version.name), {})
        if version.version in known:
            raise StoreError(":memory:", f"version {version.version} of {version.name!r} is there already")
        self._set_versions(namespace, version.name, {**known, version.version: version})

    def remove_skill_versions(self, namespace: str, name: str, numbers: Collection[int] | None = None) -> None:
        known = self._skill_versions.get((namespace, name), {})
        left = {} if numbers is None else {number: each for number, each in known.items() if number not in numbers}
        self._set_versions(namespace, name, left)

    def count_run(self, namespace: str, name: str, version: int, at: datetime, *, ok: bool) -> str | None:
        skill = self.skill(namespace, name)
        if skill is None or skill.version != version:
            return None
        recent = (skill.recent + (WORKED if ok else FAILED))[-REMEMBERED:]
        counted = replace(
            skill,
            use_count=skill.use_count + 1,
            run_count=skill.run_count + 1,
            success_count=skill.success_count + ok,
            last_used=at,
            recent=recent,
        )
        self.set_skill(namespace, counted)
        return recent

    def _set_versions(self, namespace: str, name: str, versions: dict[int, SkillVersion]) -> None:
        old = self._skill_versions.get((namespace, name), {})
        self._skill_versions[namespace, name] = versions
        self._undo.append(lambda: self._skill_versions.update({(namespace, name): old}))
