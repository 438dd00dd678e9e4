"""Import and export of skill folders, through the library's own methods."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hexad.errors import Disabled, FolderRefused, HexadError, InvalidInput, StoreError
from hexad.memory.redaction import redact as redacted
from hexad.model import Origin, Skill
from hexad.skills import definition as shapes
from hexad.skills.folders.document import (
    FACTS,
    Described,
    Files,
    files_of,
    problems,
    skill_in,
)
from hexad.skills.folders.files import check_readable, read_folder, write_folder
from hexad.skills.names import MANIFEST, path_fault

if TYPE_CHECKING:
    from pathlib import Path

    from hexad.skills.library import SkillLibrary


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSkill:
    """A skill that came from a folder."""

    skill: Skill
    new: bool
    replaced: bool = False  # another skill had its name, or it was otherwise
    changed: tuple[
        str, ...
    ] = ()  # files that export will not give back as they were: secrets were taken out
    notes: tuple[
        str, ...
    ] = ()  # sentences about what was left out, and about deviations from the format


def import_folder(
    library: SkillLibrary, folder: Path, *, overwrite: bool, redact: bool
) -> ImportedSkill:
    """Import a folder as a draft. An existing skill that differs is kept unless
    ``overwrite``.

    Every problem of the folder is `FolderRefused`, so importing many can go on with the
    next.
    """
    try:
        return _imported(library, folder, overwrite=overwrite, redact=redact)
    except (FolderRefused, StoreError, Disabled):
        raise
    except HexadError as error:
        raise FolderRefused(str(folder), str(error)) from error
    except Exception as error:
        described = f"cannot be imported ({type(error).__name__}: {error}); change the folder, and please report it"
        raise FolderRefused(str(folder), described) from error


def import_report(
    library: SkillLibrary, folder: Path, *, overwrite: bool, redact: bool = True
) -> dict[str, Any]:
    """Import a folder, and say as JSON what became of it: new, replaced, kept or
    refused.
    """
    try:
        imported = library.import_folder(folder, overwrite=overwrite, redact=redact)
    except FolderRefused as error:
        return {
            "folder": str(folder),
            "skill": None,
            "result": "refused",
            "changed": [],
            "notes": [error.reason],
        }
    result = "new" if imported.new else "replaced" if imported.replaced else "kept"
    lists = {"changed": [*imported.changed], "notes": [*imported.notes]}
    return {
        "folder": str(folder),
        "skill": imported.skill.name,
        "result": result,
        **lists,
    }


def _imported(
    library: SkillLibrary, folder: Path, *, overwrite: bool, redact: bool
) -> ImportedSkill:
    found = read_folder(folder)
    described = skill_in(found.files, folder.resolve().name)
    notes = (*described.notes, *found.notes)
    if redact:
        _refuse_unredactable(folder, found.files, described)
    facts = {name: getattr(described, name) for name in FACTS}
    before = library.lookup(described.name)
    if before is not None and all(
        getattr(before, name) == value for name, value in facts.items()
    ):
        return ImportedSkill(skill=before, new=False, notes=notes)
    if before is not None and not overwrite:
        raise FolderRefused(
            str(folder),
            f"there is another skill {described.name!r} already; overwrite it, or rename one",
        )
    skill = library.create(**facts, origin=Origin.IMPORT, redact=redact)
    kept = files_of(skill)
    changed = tuple(
        sorted(
            path for path, file in files_of(described).items() if kept.get(path) != file
        )
    )
    is_replaced = before is not None and before != skill
    return ImportedSkill(
        skill=skill,
        new=before is None,
        replaced=is_replaced,
        changed=changed,
        notes=notes,
    )


def export_folder(skill: Skill, into: Path, *, force: bool, strict: bool) -> Path:
    """Write a skill as a folder of its own name inside of ``into``; returns it."""
    wrong = problems(skill.name, skill.description) if strict else ()
    if wrong:
        raise InvalidInput(
            "skill",
            f"does not fit the Agent Skills format: {'; '.join(wrong)}; or export it leniently",
        )
    target = into / _folder_name(skill.name)
    files = files_of(skill)
    check_readable(target, files)  # what import would refuse is not written
    described = skill_in(files, target.name)
    shapes.check(described.kind, described.definition, described.parameters)
    write_folder(target, files, force=force)
    return target


def _refuse_unredactable(folder: Path, files: Files, described: Described) -> None:
    """Refuse a secret in a name or a binary file: it cannot be redacted there."""
    for path in files:
        if names := redacted(path).kinds:
            raise FolderRefused(
                str(folder),
                f"the name {path!r} looks like a secret ({names[0]}); rename the file",
            )
    held: Any = described.definition.get("files", {})
    for path, file in held.items():
        if (
            kinds := redacted(f"base64: {file['base64']}").kinds
            if "base64" in file
            else ()
        ):
            raise FolderRefused(
                str(folder),
                f"{path} is binary and seems to hold a secret ({kinds[0]}); remove it, or keep secrets",
            )


def _folder_name(name: str) -> str:
    """A folder name for a skill: the skill's own if every system allows it."""
    if "/" not in name and name != MANIFEST and not path_fault(name):
        return name
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:64] or "skill"
