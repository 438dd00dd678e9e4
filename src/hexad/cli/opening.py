"""Find and open the database of a command. Only a command that stores something creates
one.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shlex import quote
from typing import Any, Final

from hexad.cli import places
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput, NotFound, StoreError, nearest
from hexad.facade import Hexad
from hexad.settings import unknown_variables, variable

_MAKER: Final = 'remember "TEXT"'  # the first command of a new user


@contextmanager
def opened(
    db: str | None, namespace: str | None, *, create: bool = False, **settings: Any
) -> Iterator[Hexad]:
    """Open the engine over a database; without ``create`` a missing one is an error."""
    address: str | Path | None = server(db)
    if address is None:
        address = path = place(db)
        if not create and (
            absence := absence_of(path)
        ):  # a command that reads must not make one
            raise StoreError(str(path), absence)
        if create and path == places.own():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with Hexad.open(
        address, enabled=True, namespace=namespace, **{"patient": True, **settings}
    ) as hx:
        try:
            yield hx
        except NotFound as error:
            raise NotFound(
                error.kind, error.key, error.namespace, next_step=_next_step(hx, error)
            ) from None


@contextmanager
def opened_beside_own(
    db: str | None, namespace: str | None, *, create: bool = True, **settings: Any
) -> Iterator[Hexad]:
    """Open the engine as agents read it: where a project's memory is found, the user's
    own is read beside it.
    """
    own = places.own()
    with ExitStack() as open_ones:
        hx = open_ones.enter_context(opened(db, namespace, create=create, **settings))
        named = db if db is not None else variable("HEXAD_DB")
        if named is None and places.found().path != own and own.exists():
            hx = hx.beside(
                open_ones.enter_context(
                    Hexad.open(own, enabled=True, namespace=namespace, **settings)
                )
            )
        yield hx


def _next_step(hx: Hexad, missing: NotFound) -> str:
    """How to bring back what is missing if it is deleted; else the name in the database
    that looks most like it.
    """
    stored = hx.collections.get(missing.kind)
    names = [record.id for record in stored.list()] if stored else []
    deleted = (
        [entry.key for entry in hx.knowledge.list(deleted=True)]
        if "knowledge" in missing.kind
        else []
    )
    if missing.key in deleted:
        return f"it is deleted; `hexad undelete {quote(missing.key)}` brings it back"
    near = nearest(missing.key, [*names, *deleted])
    return f"did you mean {near!r}?" if near else ""


def server(db: str | None) -> str | None:
    """The URL of a database server, if --db or HEXAD_DB is one."""
    named = db if db is not None else variable("HEXAD_DB")
    return named if named is not None and "://" in named else None


def place(db: str | None) -> Path:
    """The path of the database: --db, else HEXAD_DB, else the project's or the user's
    own.
    """
    if server(db) is not None:
        raise InvalidInput(
            "--db", "names a server; this command needs the path of a file"
        )
    named = db if db is not None else variable("HEXAD_DB") or str(places.found().path)
    if not named.strip():
        raise InvalidInput("--db", "must be the path of a file, not empty")
    if named == ":memory:":
        raise InvalidInput(
            "--db",
            "a database in memory ends with the command; give the path of a file",
        )
    path = Path(named)
    if path.is_file() and not os.access(path, os.R_OK):
        raise StoreError(
            str(path), "permission denied; check its owner and permissions"
        )
    return path


def announce(db: str | None, *, storing: bool = False) -> None:
    """Say once which memory a command uses if nobody named one, and what is wrong in
    the environment.

    The user's own is the usual one: only a command that may create it says so.
    """
    for warning in unknown_variables():
        screen.once(screen.warn, warning)
    if db is None and variable("HEXAD_DB") is None:
        place = places.found()
        if place.untrusted:
            screen.once(screen.warn, place.untrusted)
        if place.note and (storing or place.path != places.own()):
            screen.once(screen.remark, place.note)


def absence_of(path: Path) -> str:
    """Why there is no memory in a file yet; empty if there is one."""
    if not path.exists():
        return f"there is no database; `hexad {_MAKER}` creates it, --db names another"
    empty = f"has no tables of Hexad; `hexad {_MAKER}` adds its tables, --db names another file"
    return empty if path.is_file() and not _holds_hexad(path) else ""


def _holds_hexad(path: Path) -> bool:
    """Whether a file has Hexad's tables. Changes nothing; true if SQLite cannot read
    it, because opening says why.
    """
    mode = (
        "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
    )  # either creates no log
    try:
        with closing(
            sqlite3.connect(f"{path.resolve().as_uri()}?{mode}", uri=True, timeout=0)
        ) as connection:
            query = "SELECT 1 FROM sqlite_master WHERE name GLOB 'hexad_*' LIMIT 1"
            return connection.execute(query).fetchone() is not None
    except sqlite3.Error:
        return True
