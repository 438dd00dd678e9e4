"""Changes to the configurations of clients: shown, agreed to, and written."""

import sys
from collections.abc import Sequence
from typing import Any

from hexad.cli import opening
from hexad.cli.places import DEFAULT
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.mcp.coding.installing import BY_FOLDER, Installation
from hexad.mcp.install import changes
from hexad.mcp.install.changes import Change
from hexad.mcp.install.clients import Scope
from hexad.settings import database_from_environment


def apply(plan: Sequence[Change], done: str, no_need: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Show the changes, ask, and write them."""
    needed = [each for each in plan if each.needed]
    if not as_json:
        for each in needed:
            screen.show(each.diff)
    if not dry_run:
        refuse_asking(plan, yes=yes)
    wanted = bool(needed) and not dry_run and (yes or screen.confirmed(f"Change {_files(plan)}?"))
    backups = {each.file: changes.write(each) for each in needed} if wanted else {}
    if as_json:
        first, *more = (_document(each, written=each.file in backups, backup=backups.get(each.file)) for each in plan)
        screen.emit({**first, **({"hooks": more[0]} if more else {})})
    elif not needed:
        screen.remark(no_need)
    elif wanted:
        for each in needed:
            _say_written(each, done, backups[each.file])
        screen.remark(f"restart the client{' to use it' if done == 'installed' else ''}")
    else:
        screen.remark("nothing was written")


def memory_for(place: Installation, db: str | None, *, hooks: bool) -> str | None:
    """The database that a client's entry names. None: what its folder decides, which hooks need no option for."""
    shared = place.scope is Scope.PROJECT  # then not HEXAD_DB, which belongs to this machine
    named = db if db is not None or shared else database_from_environment()
    if named is None and hooks and place.client in BY_FOLDER:
        return None
    if shared:
        return db or DEFAULT
    opening.announce(db)
    return str(opening.place(db))


def _say_written(change: Change, done: str, backup: object) -> None:
    if change.kept:
        screen.remark(f"kept from the old entry: {', '.join(change.kept)}")
    gone = " (the file is gone, as before)" if change.after is None else ""
    screen.remark(f"{done}: {change.file}{gone}{'' if backup is None else f'; backup: {backup}'}")


def _document(change: Change, *, written: bool, backup: object) -> dict[str, Any]:
    document = {"file": str(change.file), "needed": change.needed, "written": written, "diff": change.diff}
    return {**document, "kept": list(change.kept), "backup": None if backup is None else str(backup)}


def refuse_asking(plan: Sequence[Change], *, yes: bool) -> None:
    """Raise if a person would have to agree, and there is no terminal to ask on."""
    if not yes and not sys.stdin.isatty() and any(each.needed for each in plan):
        raise InvalidInput(
            "--yes",
            f"is needed to change {_files(plan)}, because there is no terminal to ask on; "
            "`hexad mcp install --dry-run` shows the change",
        )


def _files(plan: Sequence[Change]) -> str:
    return " and ".join(str(each.file) for each in plan if each.needed)
