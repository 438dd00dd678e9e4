"""A database → a backup, under a temporary name until it is whole, on the disk and
checked.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import BackupError
from hexad.json_form import WIRE, to_json
from hexad.memory import audit
from hexad.memory.backup.lines import END, HEADER
from hexad.memory.backup.restoring import check_backup
from hexad.memory.index.indexing import all_namespaces, records
from hexad.model import RECORDS, Knowledge, Skill

try:
    import fcntl
except ImportError:  # Windows, where nobody can remove an open file
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from typing import TextIO

    from hexad.memory.backup.lines import Noun
    from hexad.memory.workspace import Workspace
    from hexad.store import Reading, Store

_HEAD: Final = b'{"type":"hexad-backup"'  # how every backup begins
_PARTIAL: Final = ".partial"  # the end of the name of a file that is being written


def write_backup(
    workspace: Workspace, path: Path, *, namespace: str | None = None
) -> int:
    """Write everything, each namespace in one state, whole or not at all; returns the
    lines of data.

    The file is checked as `restore` would check it before it replaces an earlier
    backup.
    """
    store = workspace.store
    namespaces = all_namespaces(store) if namespace is None else (namespace,)
    try:
        _refuse_other_files(workspace.own_files, path)
        _remove_leftovers(path)
        with _temporary(path) as (file, partial):
            count = _write_lines(file.write, store, workspace.clock(), namespaces)
            file.flush()
            os.fsync(file.fileno())
            _check(partial, path)
            if sys.platform == "win32":
                file.close()
            partial.replace(path)
            _sync_folder(path.parent)
    except OSError as error:
        raise BackupError(
            str(path), f"cannot be written: {error.strerror}; choose another place"
        ) from error
    return count


def _refuse_other_files(database: Sequence[Path], path: Path) -> None:
    """A backup replaces an earlier backup, never the database or any other file."""
    linked = path.exists() and any(
        path.samefile(own) for own in database if own.exists()
    )
    if linked or os.path.realpath(path) in set(map(os.path.realpath, database)):
        raise BackupError(str(path), "is the database itself; choose another file")
    if path.is_file() and path.stat().st_size:
        with path.open("rb") as file:
            if file.read(len(_HEAD)) != _HEAD:
                raise BackupError(
                    str(path), "exists and is not a backup; choose another file"
                )
    if not path.parent.is_dir():
        raise BackupError(
            str(path), f"there is no folder {str(path.parent)!r}; create it first"
        )


@contextmanager
def _temporary(path: Path) -> Iterator[tuple[TextIO, Path]]:
    """A new file beside ``path``, for its owner alone. It is locked as long as its
    writer lives.
    """
    while True:
        handle, name = tempfile.mkstemp(
            prefix=_prefix(path), suffix=_PARTIAL, dir=path.parent
        )
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                _lock(handle, wait=True)
                if (
                    os.fstat(handle).st_nlink
                ):  # else another backup took it for a leftover, just before the lock
                    yield file, Path(name)
                    return
        finally:
            Path(name).unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    """Remove the files that killed backups to ``path`` left behind: nobody holds their
    locks.
    """
    for found in path.parent.iterdir():
        if found.name.startswith(_prefix(path)) and found.name.endswith(_PARTIAL):
            with suppress(OSError), found.open("rb") as file:
                _lock(file.fileno(), wait=False)
                found.unlink()


def _lock(handle: int, *, wait: bool) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def _prefix(path: Path) -> str:
    return f"{path.name[:40]}."  # short: a name has at most 255 bytes


def _check(partial: Path, path: Path) -> None:
    try:
        check_backup(partial)
    except BackupError as error:
        problem = f"would not be restorable ({error.reason}); run `hexad doctor`"
        raise BackupError(str(path), problem, error.line) from error


def _sync_folder(folder: Path) -> None:
    """Put a renamed file's name on the disk."""
    if sys.platform == "win32":  # which opens no folder
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _write_lines(
    write: Callable[[str], object],
    store: Store,
    now: datetime,
    namespaces: Iterable[str],
) -> int:
    write(_line({"type": HEADER, "wire": WIRE, "created": now.isoformat()}))
    count = 0
    for namespace in namespaces:
        with store.reading(namespace) as view:
            for noun in _nouns(view):
                write(_line({"namespace": namespace, **to_json(noun)}))
                count += 1
    write(_line({"type": END, "lines": count}))
    return count


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


def _nouns(view: Reading) -> Iterator[Noun]:
    for kind in RECORDS:
        for record in records(view, kind.layer):
            yield record
            if isinstance(record, Knowledge | Skill):
                yield from reversed(view.versions(kind.layer, record.id))
    yield from view.associations()
    yield from view.proposals()
    yield from audit.records(view)
