"""`skills import|export|discover`: read and write SKILL.md folders, and draft skills
from repeated tool calls.
"""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from hexad.cli.commands import Commands, Common
from hexad.cli.options import KeepSecrets, SkillName, argument, flag, option
from hexad.cli.terminal import screen
from hexad.errors import FolderRefused
from hexad.json_form import to_json
from hexad.skills.folders.files import skill_folders
from hexad.skills.folders.transfer import import_report

_FOLDERS: Final = (
    screen.Wide("folder", 30),
    screen.Wide("skill", 24),
    "result",
    screen.Wide("notes"),
)
_OFFERED: Final = (
    screen.Wide("name", 24),
    "steps",
    screen.Wide("needs", 20),
    screen.Wide("what"),
)

Folder = Annotated[
    Path,
    argument("DIR", "A folder with a SKILL.md, or one with such folders below it."),
]
Into = Annotated[Path, argument("DIR", "Where to create the skill's folder.")]
Overwrite = Annotated[bool, flag("--overwrite", "Replace a skill of the same name.")]
Had = Annotated[
    str | None, option("NAME", "Only sequences that this session had too.", "--session")
]
Force = Annotated[bool, flag("--force", "Replace an existing folder.")]
Lenient = Annotated[
    bool, flag("--lenient", "Also take what the Agent Skills format does not allow.")
]

app = Commands()


@app.command("import", epilog="Example: hexad skills import ./skills")
def import_(
    folder: Folder,
    *,
    overwrite: Overwrite = False,
    keep_secrets: KeepSecrets = False,
    common: Common,
) -> None:
    """Import SKILL.md folders as drafts and report each refused folder. Nothing in them
    is run.
    """
    found = skill_folders(folder)
    if not found:
        raise FolderRefused(
            str(folder), "has no SKILL.md, and no folder below it has one"
        )
    with common.opened(create=True) as hx, screen.progress("importing") as show:
        results = []
        for done, each in enumerate(found, start=1):
            results.append(
                import_report(
                    hx.skills, each, overwrite=overwrite, redact=not keep_secrets
                )
            )
            show(done, len(found))
    common.listing(
        {"folders": results}, _FOLDERS, [_row(each, folder) for each in results]
    )
    counts = Counter(
        "draft" if each["result"] in {"new", "replaced"} else each["result"]
        for each in results
    )
    if not common.as_json:
        screen.remark(
            ", ".join(f"{number} {result}" for result, number in counts.items())
        )
    if counts["refused"]:
        raise typer.Exit(1)


@app.command(epilog="Example: hexad skills export release ./skills")
def export(
    name: SkillName,
    folder: Into,
    *,
    force: Force = False,
    lenient: Lenient = False,
    common: Common,
) -> None:
    """Write a skill to DIR/NAME/SKILL.md, with its files."""
    with common.opened() as hx:
        written = hx.skills.export_folder(name, folder, force=force, strict=not lenient)
    files = sorted(
        each.relative_to(written).as_posix()
        for each in written.rglob("*")
        if each.is_file()
    )
    sentence = f"{written}: {screen.counted(len(files), 'file')} written"
    common.answer({"folder": str(written), "files": files}, sentence)


@app.command(epilog="Example: hexad skills discover")
def discover(*, session: Had = None, common: Common) -> None:
    """Draft composite skills from tool calls that were repeated in at least three
    sessions.
    """
    with common.opened() as hx:
        offered = hx.skills.discover(session=session)
    rows = [_offer(skill) for skill in offered]
    common.listing(
        {"skills": [to_json(skill) for skill in offered]},
        _OFFERED,
        rows,
        empty="no new sequence of tool calls was repeated in three sessions",
    )


def _row(result: dict[str, Any], root: Path) -> tuple[str, ...]:
    folder = Path(result["folder"])
    inside = folder.relative_to(root).as_posix() if folder != root else str(folder)
    redacted = [f"secrets were redacted in {path}" for path in result["changed"]]
    return (
        inside,
        result["skill"] or "",
        result["result"],
        "; ".join((*redacted, *result["notes"])),
    )


def _offer(skill: Any) -> tuple[str, str, str, str]:
    needs = ", ".join(skill.parameters.get("properties", {}))
    return skill.name, str(len(skill.definition["steps"])), needs, skill.description
