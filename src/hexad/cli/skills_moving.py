"""`skills import|export|discover`: skills from folders, into folders, and out of what was done again and again."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hexad.cli import screen
from hexad.cli.opening import opened
from hexad.cli.options import AsJson, Database, KeepSecrets, Namespace, Session, SkillName
from hexad.cli.screen import Column
from hexad.errors import FolderRefused
from hexad.wire import to_json

if TYPE_CHECKING:
    from hexad.facade import Hexad
    from hexad.skills.moving import ImportedSkill

_FOLDERS: Final = (Column("folder", "fold", 30), Column("skill", "fold", 24), Column("result"), Column("notes", "fold"))
_OFFERED: Final = (Column("name", "fold", 24), Column("steps"), Column("needs", "fold", 20), Column("what", "fold"))

Folder = Annotated[
    Path, typer.Argument(metavar="DIR", help="A folder with a SKILL.md, or one with such folders below it.")
]
Into = Annotated[Path, typer.Argument(metavar="DIR", help="Where the skill's own folder is made.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Let it take the place of another skill of its name.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the skill's folder that is there.")]
Lenient = Annotated[bool, typer.Option("--lenient", help="Also what the Agent Skills format does not allow.")]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("import", epilog="Example: hexad skills import ./skills")(import_)
    app.command(epilog="Example: hexad skills export release ./skills")(export)
    app.command(epilog="Example: hexad skills discover")(discover)


def import_(
    folder: Folder,
    *,
    overwrite: Overwrite = False,
    keep_secrets: KeepSecrets = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Take in SKILL.md folders as drafts; what is refused is told, and the others are taken. Nothing in them is run."""
    from hexad.skills.folders import skill_folders

    found = skill_folders(folder)
    if not found:
        raise FolderRefused(str(folder), "has no SKILL.md, and no folder below it has one")
    with opened(db, namespace, create=True) as hx, screen.progress("importing") as show:
        told = []
        for done, each in enumerate(found, start=1):
            told.append(_taken(hx, each, overwrite=overwrite, redact=not keep_secrets))
            show(done, len(found))
    results = Counter(each["result"] for each in told)
    if as_json:
        screen.emit({"folders": told})
    else:
        screen.table(_FOLDERS, [_row(each, folder) for each in told])
        screen.remark(_summary(results))
    if results["refused"]:
        raise typer.Exit(1)


def export(
    name: SkillName,
    folder: Into,
    *,
    force: Force = False,
    lenient: Lenient = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Write a skill as a SKILL.md folder of its name inside DIR."""
    from hexad.skills.document import MANIFEST

    with opened(db, namespace) as hx:
        written = hx.skills.export_folder(name, folder, force=force, strict=not lenient)
        held: Any = hx.skills.get(name).definition.get("files", {})
    files = sorted(each.relative_to(written).as_posix() for each in written.rglob("*") if each.is_file())
    inside = sorted({*held} - ({*files} - {MANIFEST}))
    if as_json:
        screen.emit({"folder": str(written), "files": files, "in_front_matter": inside})
        return
    screen.say(f"{written}: {screen.counted(len(files), 'file')} written")
    for path in inside:
        screen.remark(f"{path} cannot be a file of the folder: it is in the front matter, where only Hexad finds it")


def discover(
    *, session: Session = None, db: Database = None, namespace: Namespace = None, as_json: AsJson = False
) -> None:
    """Offer what was done in at least three sessions as drafts of composite skills."""
    with opened(db, namespace) as hx:
        offered = hx.skills.discover(session=session)
    if as_json:
        screen.emit({"skills": [to_json(skill) for skill in offered]})
    elif offered:
        screen.table(_OFFERED, [_offer(skill) for skill in offered])
    else:
        screen.remark("nothing new was done in the same way in three sessions")


def _taken(hx: "Hexad", folder: Path, *, overwrite: bool, redact: bool) -> dict[str, Any]:
    """What became of one folder."""
    try:
        imported = hx.skills.import_folder(folder, overwrite=overwrite, redact=redact)
    except FolderRefused as error:
        return {"folder": str(folder), "skill": None, "result": "refused", "changed": [], "notes": [error.reason]}
    return {
        "folder": str(folder),
        "skill": imported.skill.name,
        "result": _result(imported),
        "changed": [*imported.changed],
        "notes": [*imported.notes],
    }


def _summary(results: "Counter[str]") -> str:
    drafts, said = results["new"] + results["replaced"], {"kept": "as before", "refused": "refused"}
    parts = [f"{drafts} taken in as {'a draft' if drafts == 1 else 'drafts'}"] if drafts else []
    return ", ".join((*parts, *(f"{results[word]} {how}" for word, how in said.items() if results[word])))


def _result(imported: "ImportedSkill") -> str:
    if imported.new:
        return "new"
    return "replaced" if imported.replaced else "kept"


def _row(told: dict[str, Any], root: Path) -> tuple[str, ...]:
    folder = Path(told["folder"])
    inside = folder.relative_to(root).as_posix() if folder != root else str(folder)
    redacted = [f"secrets were taken out of {path}" for path in told["changed"]]
    return inside, told["skill"] or "", told["result"], "; ".join((*redacted, *told["notes"]))


def _offer(skill: Any) -> tuple[str, str, str, str]:
    needs = ", ".join(skill.parameters.get("properties", {}))
    return skill.name, str(len(skill.definition["steps"])), needs, skill.description
