"""`doctor`: what this machine and this database can do, and what is wrong with them. It repairs nothing."""

import os
import platform
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Final, Literal, Protocol, runtime_checkable

import typer

from hexad._version import __version__
from hexad.cli import screen
from hexad.cli.auditing import verify_all
from hexad.cli.opening import ABSENT, FOREIGN, holds_hexad, opened, place
from hexad.cli.options import AsJson, Database, Namespace
from hexad.cli.screen import Column
from hexad.cli.suggesting import completed
from hexad.errors import ConfigError, HexadError, NoSandbox
from hexad.semantic import PACKAGES

if TYPE_CHECKING:
    from hexad.facade import Hexad

OLDEST_SQLITE: Final = (3, 35, 0)
EXTRAS: Final = {
    "semantic": PACKAGES,
    "scripts": ("tree_sitter_bash",),
    "adk": ("google.adk",),
    "mcp": ("mcp",),
}
NETWORK: Final = frozenset(
    {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "davfs"}
    | {"fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "fuse.davfs2"}
)
_WITHOUT: Final = {
    "semantic": "search is by words",
    "scripts": "scripts cannot be checked, so they stay drafts",
    "adk": "there is no adapter for Google ADK",
    "mcp": "the MCP server cannot start",
}
_UNREAD: Final = "not looked at, since the settings cannot be read"
_MOUNTS: Final = Path("/proc/self/mountinfo")
_COLUMNS: Final = (Column("verdict"), Column("check", "fold", 18), Column("detail", "fold"))


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    verdict: Literal["ok", "info", "warning", "problem"]
    detail: str


@runtime_checkable
class Inspectable(Protocol):
    """A store that can tell its own health."""

    def inspect(self) -> dict[str, str]:
        """Facts by name; ``integrity`` is "ok" when nothing is wrong."""
        ...


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command(epilog="Example: hexad doctor --db agent.db")(doctor)


def doctor(*, db: Database = None, namespace: Namespace = None, as_json: AsJson = False) -> None:
    """Look at this machine and at the database; exit 1 if something is wrong."""
    path = place(db)
    said = settings(path)
    inside = [Check("database", "info", _UNREAD)] if said.verdict == "problem" else content(db, namespace, path)
    checks = [*machine(), said, *file(path), *inside]
    healthy = all(check.verdict != "problem" for check in checks)
    if as_json:
        told = [{"name": check.name, "verdict": check.verdict, "detail": completed(check.detail)} for check in checks]
        screen.emit({"ok": healthy, "checks": told})
    else:
        screen.table(_COLUMNS, [(check.verdict, check.name, completed(check.detail)) for check in checks])
    if not healthy:
        raise typer.Exit(1)


def machine() -> Iterator[Check]:
    """The programs and packages that are here."""
    import sqlite3

    yield Check("hexad", "info", f"{__version__} on Python {platform.python_version()}, {platform.system()}")
    yield sqlite_version(sqlite3.sqlite_version_info)
    yield sandbox()
    for extra, packages in EXTRAS.items():
        yield extra_packages(extra, [package for package in packages if not _importable(package)])


def sqlite_version(found: Sequence[int]) -> Check:
    """Whether SQLite is new enough for what the store uses."""
    version, oldest = (".".join(map(str, numbers)) for numbers in (found, OLDEST_SQLITE))
    if tuple(found) >= OLDEST_SQLITE:
        return Check("SQLite", "ok", version)
    return Check("SQLite", "problem", f"{version} is too old; {oldest} is needed: use a newer Python")


def sandbox(candidates: Sequence[Path] | None = None) -> Check:
    """Whether scripts can be run safely: bubblewrap is tried, the system's and the extra's."""
    from hexad.skills.sandbox import find_sandbox

    try:
        return Check("sandbox", "ok", find_sandbox(candidates).name)
    except NoSandbox as error:
        return Check("sandbox", "info", f"scripts do not run here: {error}")


def extra_packages(extra: str, missing: Sequence[str]) -> Check:
    """Whether an optional part is installed, and what it is good for."""
    if missing:
        told = f"{', '.join(missing)} not installed; {_WITHOUT[extra]}: pip install 'hexad[{extra}]'"
        return Check(f"extra {extra}", "info", told)
    return Check(f"extra {extra}", "ok", "installed")


def settings(path: Path) -> Check:
    """Whether the settings beside the database can be read, and whether a secret among them is kept from others."""
    from hexad.settings import secrets_in, traced

    try:
        found = traced({}, beside=path.parent).file
        held = () if found is None else secrets_in(found)
    except ConfigError as error:
        return Check("settings", "problem", str(error))
    if found is None:
        return Check("settings", "info", "defaults; `hexad init` writes a file to change them")
    if held and os.name == "posix" and found.stat().st_mode & 0o077:
        told = f"{found} holds {', '.join(held)}, and others can read it; run: `chmod 600 {quote(str(found))}`"
        return Check("settings", "warning", told)
    return Check("settings", "ok", str(found))


def file(path: Path) -> Iterator[Check]:
    """The database's file, from outside."""
    yield permissions(path)
    mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace") if _MOUNTS.is_file() else ""
    yield file_system(path, mounts)


def permissions(path: Path) -> Check:
    """Whether only its owner can read the database."""
    if os.name != "posix":
        return Check("permissions", "info", "unknown on this system")
    if not path.exists():
        return Check("permissions", "info", "a new database is readable by its owner alone")
    parts = [path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm"))]
    if open_to_others := [part for part in parts if part.is_file() and part.stat().st_mode & 0o077]:
        names = " ".join(str(part) for part in open_to_others)
        return Check("permissions", "warning", f"others can get at it; run: chmod 600 {names}")
    return Check("permissions", "ok", f"{stat.filemode(path.stat().st_mode)}, its owner alone")


def file_system(path: Path, mounts: str) -> Check:
    """Whether the database lies where locks can be trusted. ``mounts`` is Linux's mountinfo, empty elsewhere."""
    kind = mounted_as(path.resolve(), mounts)
    if kind is None:
        return Check("file system", "info", "unknown on this system")
    if kind in NETWORK:
        detail = f"{kind} is a network file system, where SQLite's locks cannot be trusted; move it to a local disk"
        return Check("file system", "warning", detail)
    return Check("file system", "ok", f"{kind}, local")


def mounted_as(path: Path, mounts: str) -> str | None:
    """The type of the file system that holds a path: the innermost mount, of two on one place the later."""
    best, kind = -1, None
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        fields, facts = before.split(), after.split()
        if len(fields) < 5 or not facts:
            continue
        point = Path(_unescaped(fields[4]))
        if path.is_relative_to(point) and len(point.parts) >= best:
            best, kind = len(point.parts), facts[0]
    return kind


def content(db: str | None, namespace: str | None, path: Path) -> Iterator[Check]:
    """The database from inside, if there is one."""
    if not path.exists():
        yield Check("database", "warning", f"{path}: {ABSENT}")
    elif path.is_file() and not holds_hexad(path):
        yield Check("database", "warning", f"{path}: {FOREIGN}")
    else:
        try:
            with opened(db, namespace) as hx:
                yield from (*health(hx), *chains(hx), counts(hx), *vectors(hx))
        except HexadError as error:
            yield Check("database", "problem", str(error))


def health(hx: "Hexad") -> Iterator[Check]:
    """What the store says of itself."""
    facts = hx.store.inspect() if isinstance(hx.store, Inspectable) else {}
    integrity, journal = facts.get("integrity", "unknown"), facts.get("journal", "unknown")
    if integrity == "ok":
        yield Check("database", "ok", f"{hx.store.location}, whole")
    else:
        yield Check(
            "database",
            "problem",
            f"{hx.store.location}: {integrity}; restore a backup into a new file with `hexad restore BACKUP --db NEW`",
        )
    if journal == "wal":
        yield Check("journal", "ok", journal)
    else:
        yield Check("journal", "warning", f"{journal}, not wal: readers and writers wait for each other")


def chains(hx: "Hexad") -> Iterator[Check]:
    """The audit chain of every namespace."""
    verdicts = verify_all(hx)
    broken = [found for found in verdicts if not found.ok]
    for found in broken:
        yield Check("audit log", "problem", f"namespace {found.namespace!r}: {found.problem}")
    if not broken:
        records = sum(found.records for found in verdicts)
        yield Check("audit log", "ok", f"whole: {screen.counted(records, 'record')}, namespaces: {len(verdicts)}")


def counts(hx: "Hexad") -> Check:
    """How much can be found in each layer of this namespace."""
    from hexad.clock import utc_now
    from hexad.memory.indexing import sizes

    with hx.store.reading(hx.namespace) as view:
        found = {layer: size.statistics.rows for layer, size in sizes(view, utc_now()).items()}
    told = ", ".join(f"{layer.value} {rows}" for layer, rows in found.items())
    return Check("entries", "info", f"in namespace {hx.namespace!r}: {told}")


def vectors(hx: "Hexad") -> Iterator[Check]:
    """Whether everything can be found by meaning, where anything can."""
    missing = hx.without_vector()
    if missing is None:
        return
    if missing:
        rows = screen.counted(missing, "row is", "rows are")
        yield Check("vectors", "warning", f"{rows} found by words alone; run: `hexad reindex`")
    else:
        yield Check("vectors", "ok", "every row has one")


def _importable(package: str) -> bool:
    """Whether a package is there, without running it."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _unescaped(text: str) -> str:
    """Linux writes blanks in a mount point as octal."""
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, character)
    return text
