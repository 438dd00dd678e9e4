"""Changes to the configurations of clients: shown, agreed to, and written."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any, Final

from hexad.cli import opening
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.mcp.coding.installing import Installation
from hexad.mcp.install import changes
from hexad.mcp.install.changes import FileChange
from hexad.mcp.install.clients import Scope
from hexad.settings import variable

_REACH: Final = {
    Scope.USER: "for all your projects",
    Scope.PROJECT: "for everybody in this project",
}


def apply(
    plan: Sequence[FileChange],
    done: str,
    scope: Scope,
    no_need: str,
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Show the changes, ask, and write them."""
    needed, reach = [each for each in plan if each.needed], _REACH[scope]
    if not as_json:
        for each in needed:
            screen.say(each.diff)
    if not dry_run:
        refuse_asking(plan, yes=yes)
    wanted = (
        bool(needed)
        and not dry_run
        and (yes or screen.confirmed(f"Change {_files(plan)}, {reach}?"))
    )
    backups = {each.file: changes.write(each) for each in needed} if wanted else {}
    if as_json:
        first, *more = (
            _document(each, written=each.file in backups, backup=backups.get(each.file))
            for each in plan
        )
        screen.emit({**first, **({"hooks": more[0]} if more else {})})
    elif not needed:
        screen.remark(no_need)
    elif wanted:
        for each in needed:
            gone = " (the file is gone, as before)" if each.after is None else ""
            backup = (
                "" if backups[each.file] is None else f"; backup: {backups[each.file]}"
            )
            screen.remark(f"{done} {each.file}{gone}, {reach}{backup}")
        screen.remark("restart the client")
    else:
        screen.remark("nothing was written")


def planned(
    place: Installation,
    db: str | None,
    namespace: str | None,
    *,
    hooks: bool,
    quiet: bool,
) -> list[FileChange]:
    """The changes that install; unless ``quiet`` it says which memory the client will
    use.
    """
    shared = (
        place.scope is Scope.PROJECT
    )  # then nothing of the environment, which belongs to this machine
    memory = db
    if not shared:
        named = db if db is not None else variable("HEXAD_DB")
        memory, namespace = (
            named and str(opening.place(named)),
            namespace or variable("HEXAD_NAMESPACE"),
        )
    plan = place.install(memory, namespace, hooks=hooks)
    if not quiet:
        _describe(memory, namespace, shared=shared)
    return plan


def _describe(memory: str | None, namespace: str | None, *, shared: bool) -> None:
    if memory is None:
        made = "in projects that you made with `hexad init` or trusted"
        screen.remark(
            f"{made}, the agent uses the project's memory and yours; elsewhere yours alone"
        )
    else:
        whole = Path(memory).absolute()
        see = f"hexad --db {quote(str(whole))}" + (
            f" --namespace {quote(namespace)}" if namespace else ""
        )
        screen.remark(
            f"its memory is {whole}; see it with `{see}`, choose another with --db"
        )
    if shared:
        screen.remark(
            "it names no path of this machine, so commit it; add *.db* to .gitignore: each has their own memory"
        )
    if shared and shutil.which("hexad") is None:
        screen.warn(
            "`hexad` is not on the PATH, where the client looks for it; everybody in the project needs it there"
        )


def _document(change: FileChange, *, written: bool, backup: object) -> dict[str, Any]:
    document = {
        "file": str(change.file),
        "needed": change.needed,
        "written": written,
        "diff": change.diff,
    }
    return {**document, "backup": None if backup is None else str(backup)}


def refuse_asking(plan: Sequence[FileChange], *, yes: bool) -> None:
    """Raise if a person would have to agree, and there is no terminal to ask on."""
    if not yes and not sys.stdin.isatty() and any(each.needed for each in plan):
        reason = f"is needed to change {_files(plan)}, because there is no terminal to ask on; nothing was written"
        raise InvalidInput("--yes", reason)


def _files(plan: Sequence[FileChange]) -> str:
    return " and ".join(str(each.file) for each in plan if each.needed)
