"""Which database a command works on, and how it is opened: enabled by being called, created only by what stores."""

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hexad.errors import InvalidInput, NotFound, StoreError
from hexad.model import DEFAULT_NAMESPACE, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.facade import Hexad
    from hexad.memory.collection import RecordCollection

N = TypeVar("N", bound=Record)
DEFAULT: Final = "hexad.db"
MAKER: Final = "remember KEY CONTENT"  # what a user who has nothing yet would do first
ABSENT: Final = f"there is no database; `hexad {MAKER}` creates it, --db names another"
FOREIGN: Final = f"holds nothing of Hexad's; `hexad {MAKER}` adds its tables, --db names another file"


@contextmanager
def opened(
    db: str | None, namespace: str | None, *, create: bool = False, maker: str = MAKER, **settings: Any
) -> "Iterator[Hexad]":
    """The engine over the database that was named.

    Without ``create`` a missing one is an error that names the command ``maker``, and it stays missing.
    """
    path = place(db)
    if not create:
        refuse_absent(path, maker)
    from hexad.facade import Hexad

    new = not path.exists()
    try:
        with Hexad.open(path, enabled=True, namespace=namespace, **settings) as hx:
            yield hx
    except BaseException:
        if new:
            _remove_empty(path)
        raise


def _remove_empty(path: Path) -> None:
    """A command that failed leaves no database behind that was not there before, unless something is in it."""
    from hexad.facade import Hexad

    if path.is_file() and holds_hexad(path):
        with Hexad.open(path, enabled=True, namespace=DEFAULT_NAMESPACE) as hx:
            if hx.store.namespaces(limit=1):
                return
        for name in (path.name, f"{path.name}-wal", f"{path.name}-shm"):
            path.with_name(name).unlink(missing_ok=True)


def now_under(collection: "RecordCollection[N]", id: str) -> "N | None":
    """What a collection has under that id, before a command changes it."""
    try:
        return collection.get(id)
    except NotFound:
        return None


def place(db: str | None) -> Path:
    """The file that was named, by the option, by HEXAD_DB, or by nobody."""
    from hexad.settings import database_from_environment

    named = db if db is not None else database_from_environment() or DEFAULT
    if not named.strip():
        raise InvalidInput("--db", "must be the path of a file, not empty")
    if named == ":memory:":
        raise InvalidInput("--db", "what is in memory ends with the command; give the path of a file")
    path = Path(named)
    _refuse_unusable(path)
    return path


def _refuse_unusable(path: Path) -> None:
    """Say what SQLite would not: that the folder is gone, that it is a device, that it is somebody else's."""
    try:
        path.absolute()
    except FileNotFoundError:
        reason = "the current folder was deleted; go to another one, or give a whole path with --db"
        raise StoreError(str(path), reason) from None
    if path.is_char_device() or path.is_block_device():
        raise InvalidInput("--db", f"{path} is no file but a device; give the path of a file")
    try:
        if path.is_file():
            path.open("rb").close()
    except PermissionError:
        raise StoreError(str(path), "you may not read it; check its owner and permissions") from None


def refuse_absent(path: Path, maker: str = MAKER) -> None:
    """An error where there is no file, or a database without Hexad's tables: reading must not add them."""
    if not path.exists():
        raise StoreError(str(path), ABSENT.replace(MAKER, maker))
    if path.is_file() and not holds_hexad(path):
        raise StoreError(str(path), FOREIGN.replace(MAKER, maker))


def holds_hexad(path: Path) -> bool:
    """Whether Hexad's tables are there. Changes nothing; true also where it cannot tell, and opening will."""
    import sqlite3

    try:
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?{_harmlessly(path)}", uri=True, timeout=0)
    except sqlite3.Error:
        return True
    try:
        found = connection.execute("SELECT 1 FROM sqlite_master WHERE name GLOB 'hexad_*' LIMIT 1").fetchone()
    except sqlite3.Error:
        return True
    finally:
        connection.close()
    return found is not None


def _harmlessly(path: Path) -> str:
    """How to read a file and leave none beside it: where nobody has a log, SQLite needs none either."""
    log = path.with_name(path.name + "-wal")
    return "mode=ro" if log.exists() else "immutable=1"
