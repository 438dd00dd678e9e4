"""`doctor`: check this machine and the database, and rebuild what can be rebuilt."""

import os
import platform
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Annotated, Final, Literal

import typer

from hexad._version import __version__
from hexad.cli.commands import Commands, Common
from hexad.cli.memory.auditing import verify_all
from hexad.cli.memory.status import status_of
from hexad.cli.opening import absence_of
from hexad.cli.options import flag
from hexad.cli.terminal import screen
from hexad.cli.terminal.suggesting import completed
from hexad.errors import ConfigError, HexadError, NoSandbox, StoreDamaged
from hexad.extras import install_command, is_importable
from hexad.facade import Hexad
from hexad.memory.checking import Damage
from hexad.semantic import ENCODER_PACKAGES, PACKAGES
from hexad.settings import secrets_in, survey
from hexad.skills.sandbox import find_sandbox

OLDEST_SQLITE: Final = (3, 35, 0)
EXTRAS: Final = {  # the packages of each, and what is missing without them
    "semantic": (PACKAGES, "search is by words"),
    "encoder": (ENCODER_PACKAGES, "meaning is by static embeddings"),
    "scripts": (
        ("tree_sitter_bash",),
        "scripts cannot be checked, so they stay drafts",
    ),
    "adk": (("google.adk",), "the adapter for Google ADK cannot be used"),
    "mcp": (("mcp",), "the MCP server cannot start"),
    "postgres": (("psycopg",), "a PostgreSQL database cannot be used"),
}
_UNREAD: Final = "not checked, because the settings cannot be read"
_BEYOND: Final = "restore a backup into a new database (`hexad restore BACKUP --db NEW`), or try SQLite's `.recover`"
_COLUMNS: Final = ("verdict", screen.Wide("check", 18), screen.Wide("detail"))


@dataclass(frozen=True, slots=True)
class Check:
    """One result."""

    name: str
    verdict: Literal["ok", "info", "warning", "problem"]
    detail: str


app = Commands()


@app.command(epilog="Example: hexad doctor --db agent.db")
def doctor(
    *,
    repair: Annotated[
        bool,
        flag(
            "--repair",
            "Rebuild index, vectors and entries, and set aside unreadable rows.",
        ),
    ] = False,
    common: Common,
) -> None:
    """Check this machine and the database; exit 1 if there is a problem."""
    path = None if common.is_server else common.path
    configured = settings(None if path is None else path.parent)
    inside = (
        [Check("database", "info", _UNREAD)]
        if configured.verdict == "problem"
        else content(common, repair=repair)
    )
    of_file = [] if path is None else [permissions(path)]
    checks = [*machine(), configured, *of_file, *inside]
    healthy = all(check.verdict != "problem" for check in checks)
    if common.as_json:
        rows = [
            {
                "name": check.name,
                "verdict": check.verdict,
                "detail": completed(check.detail),
            }
            for check in checks
        ]
        screen.emit({"ok": healthy, "checks": rows})
    else:
        screen.table(
            _COLUMNS,
            [(check.verdict, check.name, completed(check.detail)) for check in checks],
        )
    if not healthy:
        raise typer.Exit(1)


def machine() -> Iterator[Check]:
    """Check the installed programs and packages."""
    yield Check(
        "hexad",
        "info",
        f"{__version__} on Python {platform.python_version()}, {platform.system()}",
    )
    old = sqlite3.sqlite_version_info < OLDEST_SQLITE
    advice = (
        f" is too old; {'.'.join(map(str, OLDEST_SQLITE))} is needed: use a newer Python"
        if old
        else ""
    )
    yield Check("SQLite", "problem" if old else "ok", sqlite3.sqlite_version + advice)
    try:
        yield Check("sandbox", "ok", find_sandbox().name)
    except NoSandbox as error:
        yield Check("sandbox", "info", f"scripts cannot run here: {error}")
    for extra, (packages, without) in EXTRAS.items():
        missing = ", ".join(
            package for package in packages if not is_importable(package)
        )
        detail = (
            f"{missing} not installed; {without}: {install_command(extra)}"
            if missing
            else "installed"
        )
        yield Check(f"extra {extra}", "info" if missing else "ok", detail)


def settings(folder: Path | None) -> Check:
    """Check that the settings can be read, and that a file with a secret is private."""
    try:
        found = survey({}, beside=folder).file
        held = () if found is None else secrets_in(found)
    except ConfigError as error:
        return Check("settings", "problem", str(error))
    if found is None:
        how = (
            "HEXAD_CONFIG names a file with others"
            if folder is None
            else "`hexad init` writes a file to change them"
        )
        return Check("settings", "info", f"defaults; {how}")
    if held and os.name == "posix" and found.stat().st_mode & 0o077:
        detail = f"{found} holds {', '.join(held)}, and others can read it; run: `chmod 600 {quote(str(found))}`"
        return Check("settings", "warning", detail)
    return Check("settings", "ok", str(found))


def permissions(path: Path) -> Check:
    """Check that only the owner can read the database."""
    if os.name != "posix":
        return Check("permissions", "info", "unknown on this system")
    if not path.exists():
        return Check(
            "permissions", "info", "a new database is readable only by its owner"
        )
    parts = [path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))]
    if open_to_others := [
        part for part in parts if part.is_file() and part.stat().st_mode & 0o077
    ]:
        names = " ".join(str(part) for part in open_to_others)
        return Check(
            "permissions", "warning", f"other users can read it; run: chmod 600 {names}"
        )
    return Check(
        "permissions", "ok", f"{stat.filemode(path.stat().st_mode)}, only its owner"
    )


def content(common: Common, *, repair: bool) -> Iterator[Check]:
    """Check the contents of the database, if there is one."""
    if not common.is_server and (absence := absence_of(common.path)):
        yield Check("database", "warning", f"{common.path}: {absence}")
        return
    try:
        with common.opened() as hx:
            damage = hx.check()
            if repair:
                kinds, damage = (
                    screen.counted(len(damage), "kind"),
                    hx.check(repair=True),
                )
                yield Check(
                    "repair",
                    "ok",
                    f"rebuilt index, vectors and versions; found {kinds} of damage before",
                )
            yield from (*health(hx), *agreement(hx, damage), *counts(hx))
    except StoreDamaged as error:
        tried = f"{error.location} {error.reason.partition(';')[0]}, and the repair could not help; {_BEYOND}"
        yield Check("database", "problem", tried if repair else str(error))
    except HexadError as error:
        yield Check("database", "problem", str(error))


def health(hx: Hexad) -> Iterator[Check]:
    """Check the store's integrity and journal."""
    facts = hx.store.inspect()
    integrity, journal, server = (
        facts.get(name, "unknown") for name in ("integrity", "journal", "server")
    )
    whole = "whole" if server == "unknown" else server
    if integrity == "ok":
        yield Check("database", "ok", f"{hx.store.location}, {whole}")
    else:
        yield Check(
            "database", "problem", f"{hx.store.location}: {integrity}; {_BEYOND}"
        )
    if server == "unknown" and journal != "wal":
        yield Check(
            "journal",
            "warning",
            f"{journal}, not wal: readers and writers block each other",
        )


def agreement(hx: Hexad, damage: Sequence[Damage]) -> Iterator[Check]:
    """Verify the audit chain of every namespace, and name what the comparison of its
    contents found.
    """
    verdicts = verify_all(hx)
    for found in verdicts:
        if not found.ok:
            yield Check(
                "audit log",
                "problem",
                f"namespace {found.namespace!r}: {found.problem}",
            )
    if all(found.ok for found in verdicts):
        records = screen.counted(sum(found.records for found in verdicts), "record")
        yield Check("audit log", "ok", f"whole: {records}, namespaces: {len(verdicts)}")
    for each in damage:
        yield Check(
            each.part,
            "problem",
            f"namespace {each.namespace!r}: {each.detail}; {each.advice}",
        )
    if not damage:
        yield Check("content", "ok", "rows, versions, index and vectors agree")


def counts(hx: Hexad) -> Iterator[Check]:
    """Count the entries of each layer in this namespace, and the rows without an
    embedding, if meaning is on.
    """
    counted = ", ".join(
        f"{layer.value} {rows}" for layer, rows in status_of(hx).stored.items()
    )
    yield Check("entries", "info", f"in namespace {hx.namespace!r}: {counted}")
    if missing := hx.without_vector():
        rows = screen.counted(missing, "row is", "rows are")
        yield Check(
            "embeddings", "warning", f"{rows} found by words only; run: `hexad reindex`"
        )
    elif missing is not None:
        yield Check("embeddings", "ok", "every row has one")
