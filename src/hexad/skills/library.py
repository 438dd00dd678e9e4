"""Skill Patterns: procedures by name, drafts until somebody activates them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from hexad.errors import InvalidInput
from hexad.memory import admission
from hexad.memory.shelf import Shelf
from hexad.model import Layer, Origin, Skill, SkillKind, SkillStatus

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from hexad.memory.keeper import Change
    from hexad.model import Item, Json
    from hexad.skills.moving import ImportedSkill


class SkillLibrary(Shelf[Skill]):
    """Skills by name; only active ones are found by a search."""

    layer: ClassVar[Layer] = Layer.SKILL_PATTERNS

    def create(
        self,
        name: str,
        *,
        kind: str,
        description: str,
        definition: Mapping[str, Json],
        parameters: Mapping[str, Json] | None = None,
        tags: Iterable[str] = (),
        author: str = "",
        origin: str = Origin.USER,
        session: str | None = None,
        redact: bool = True,
    ) -> Skill:
        """Keep a procedure as a draft; the same again changes nothing, another definition makes it a draft again.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> hx.skills.create("greet", kind="instruction", description="Greet", definition={"text": "Say hello"}).status
        <SkillStatus.DRAFT: 'draft'>
        """
        intake = admission.Intake(limit=self._keeper.max_text, redact=redact)
        now = self._keeper.clock()
        draft = Skill(
            name=admission.key("name", name),
            description=intake.text("description", description, required=True),
            kind=SkillKind.parse(kind, "kind"),
            definition=intake.mapping("definition", definition),
            parameters=intake.mapping("parameters", {} if parameters is None else parameters),
            tags=admission.tags("tags", tags),
            author=admission.label("author", author),
            origin=Origin.parse(origin, "origin"),
            session=self._keeper.session_of(session),
            created=now,
            updated=now,
            **intake.notes,
        )
        return self._upsert(draft, carried=("success_count", "requires_approval"))

    def activate(self, name: str) -> Skill:
        """Let a skill be found. A script stays a draft: nothing here checks one yet."""
        if self.get(name).kind is SkillKind.SCRIPT:
            raise InvalidInput(
                "skill", f"{name!r} is a script, and this version has no check for scripts: it stays a draft"
            )
        return self._set_status(name, SkillStatus.ACTIVE)

    def deprecate(self, name: str) -> Skill:
        """Let a skill no longer be found, and keep it."""
        return self._set_status(name, SkillStatus.DEPRECATED)

    def import_folder(
        self, folder: str | os.PathLike[str], *, overwrite: bool = False, redact: bool = True
    ) -> ImportedSkill:
        """Keep the skill of an Agent Skills folder (a SKILL.md and its files) as a draft; nothing in it is run."""
        from hexad.skills import moving  # noqa: PLC0415 - who has no folders need not load it

        roomy = SkillLibrary(moving.roomy(self._keeper), self._find)
        return moving.import_folder(roomy, Path(folder), overwrite=overwrite, redact=redact)

    def export_folder(
        self, name: str, into: str | os.PathLike[str], *, force: bool = False, strict: bool = True
    ) -> Path:
        """Write a skill as an Agent Skills folder of its name inside of ``into``; returns that folder.

        One that is there is left alone, unless ``force``. A skill that the format does not allow is an error, unless
        ``strict`` is False.
        """
        from hexad.skills import moving  # noqa: PLC0415

        return moving.export_folder(self.get(name), Path(into), force=force, strict=strict)

    def discover(self, *, session: str | None = None) -> tuple[Skill, ...]:
        """Offer what was done in several sessions as drafts of composite skills; those that are new, at most five.

        With ``session`` only what was done in that one too. What was offered once is not offered again.
        """
        from hexad.skills.discovery import discover  # noqa: PLC0415 - who discovers nothing need not load it

        return discover(self, self._keeper, None if session is None else admission.label("session", session))

    def joining(self, change: Change) -> SkillLibrary:
        """This library inside of a change that somebody else began and will end."""
        return SkillLibrary(self._keeper.joining(change.unit), self._find)

    def search(self, query: str, *, kind: str | None = None, limit: int = 10) -> tuple[Item, ...]:
        """The active skills that match best, best first."""
        return self._search(query, limit=limit, kind=None if kind is None else SkillKind.parse(kind, "kind").value)

    def _settled(self, change: Change, new: Skill) -> Skill:
        old = cast("Skill | None", change.get(self.layer, new.name))
        return replace(new, status=old.status) if old and _same_work(old, new) else new

    def _set_status(self, name: str, status: SkillStatus) -> Skill:
        with self._keeper.change(actor=Origin.USER) as change:
            found = cast("Skill | None", change.get(self.layer, admission.key("name", name)))
            if found is None:
                raise self._missing(name)
            if found.status is status:
                return found
            skill = replace(found, status=status, updated=self._keeper.clock())
            change.put(skill)
            change.audit(f"skill.{status}", skill.name)
        return skill


def _same_work(old: Skill, new: Skill) -> bool:
    """Whether who approved the one has seen the other: its description is what the model is told."""
    return all(getattr(old, name) == getattr(new, name) for name in ("kind", "definition", "parameters", "description"))
