"""Changes to the configurations of clients: shown, agreed to, and written."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any, Final

from hexad.cli import opening
from hexad.cli.places import DEFAULT
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.mcp.coding.installing import BY_FOLDER, Installation
from hexad.mcp.install import changes
from hexad.mcp.install.changes import Change
from hexad.mcp.install.clients import Scope
from hexad.settings import database_from_environment

REACH: Final = {Scope.USER: "for all your projects", Scope.PROJECT: "for everybody in this project"}


def apply(
    plan: Sequence[Change], done: str, reach: str, no_need: str, *, dry_run: bool, yes: bool, as_json: bool
) -> None:
    """Show the changes, ask, and write them. ``reach`` says which projects they are for."""
    needed = [each for each in plan if each.needed]
    if not as_json:
        for each in needed:
            screen.show(each.diff)
    if not dry_run:
        refuse_asking(plan, yes=yes)
    wanted = bool(needed) and not dry_run and (yes or screen.confirmed(f"Change {_files(plan)}, {reach}?"))
    backups = {each.file: changes.write(each) for each in needed} if wanted else {}
    if as_json:
        first, *more = (_document(each, written=each.file in backups, backup=backups.get(each.file)) for each in plan)
        screen.emit({**first, **({"hooks": more[0]} if more else {})})
    elif not needed:
        screen.remark(no_need)
    elif wanted:
        for each in needed:
            _say_written(each, done, reach, backups[each.file])
        screen.remark("restart the client")
    else:
        screen.remark("nothing was written")


def memory_for(place: Installation, db: str | None, *, hooks: bool) -> str | None:
    """The database that a client's entry names. None if nobody named one: then the folder decides."""
    if place.scope is Scope.PROJECT:  # not HEXAD_DB, which belongs to this machine
        return db or (None if hooks and place.client in BY_FOLDER else DEFAULT)
    named = db if db is not None else database_from_environment()
    return None if named is None else str(opening.place(named))


def describe(memory: str | None, namespace: str | None, scope: Scope) -> None:
    """Say which memory a client will use."""
    shared = scope is Scope.PROJECT
    if memory is None:
        made = "in projects that you made with `hexad init` or trusted"
        screen.remark(f"{made}, the agent uses the project's memory and yours; elsewhere yours alone")
    elif not shared:
        whole = Path(memory).absolute()
        see = f"hexad --db {quote(str(whole))}" + (f" --namespace {quote(namespace)}" if namespace else "")
        screen.remark(f"its memory is {whole}; see it with `{see}`, choose another with --db")
    if not shared:
        return
    screen.remark(
        "the configuration names no paths of this machine, so it can be committed; each person has their own memory: "
        "add *.db* to .gitignore"
    )
    if shutil.which("hexad") is None:
        screen.warn(
            "`hexad` is not on the PATH, where the client will look for it; everybody in the project needs it there"
        )


def _say_written(change: Change, done: str, reach: str, backup: object) -> None:
    if change.kept:
        screen.remark(f"kept from the old entry: {', '.join(change.kept)}")
    gone = " (the file is gone, as before)" if change.after is None else ""
    screen.remark(f"{done} {change.file}{gone}, {reach}{'' if backup is None else f'; backup: {backup}'}")


def _document(change: Change, *, written: bool, backup: object) -> dict[str, Any]:
    document = {"file": str(change.file), "needed": change.needed, "written": written, "diff": change.diff}
    return {**document, "kept": list(change.kept), "backup": None if backup is None else str(backup)}


def refuse_asking(plan: Sequence[Change], *, yes: bool) -> None:
    """Raise if a person would have to agree, and there is no terminal to ask on."""
    if not yes and not sys.stdin.isatty() and any(each.needed for each in plan):
        raise InvalidInput(
            "--yes",
            f"is needed to change {_files(plan)}, because there is no terminal to ask on; nothing was written",
        )


def _files(plan: Sequence[Change]) -> str:
    return " and ".join(str(each.file) for each in plan if each.needed)
