"""A change to a client's configuration: planned first, then written, all or nothing.

A copy of the file is kept before: in Hexad's own folder, never in a project.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hexad.errors import ClientConfigError
from hexad.mcp.install.jsonc import Unfit
from hexad.settings import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.mcp.install.entries import Entries

_PRIVATE: Final = 0o600
_ADDRESSES: Final = (
    "url",
    "serverUrl",
    "httpUrl",
)  # of a server that a client does not start


@dataclass(frozen=True, slots=True)
class FileChange:
    """The content of a file before and after; None if there is no file."""

    file: Path
    before: str | None
    after: str | None
    diff: str = ""  # for a person: of our entries alone, since other servers' secrets stand beside them

    @property
    def needed(self) -> bool:
        """Whether anything changes."""
        return self.after != self.before


def installed(file: Path, entries: Entries) -> FileChange:
    """The change that puts the entries in; other keys of a server with that name stay."""
    before = _read(file)
    with _fitting(
        file, f", or paste there yourself: {' '.join(entries.put_into('').split())}"
    ):
        there: object = entries.found(before or "").server
        addresses = (
            [key for key in _ADDRESSES if key in there]
            if isinstance(there, dict)
            else ()
        )
        if addresses:  # it is another kind of server
            raise ClientConfigError(
                str(file),
                f'has a server {entries.name!r} with a "{addresses[0]}", and was left as it is; give this one another '
                "--name, or take that one out first: the same command with `uninstall`",
            )
        after = entries.put_into(before or "")
    if after == (before or ""):
        return FileChange(file, before, before)
    return FileChange(file, before, after, f"{file}\n{entries.shown('+')}")


def uninstalled(file: Path, entries: Entries) -> FileChange:
    """The change that takes the entries out: a file as it was before, if a copy shows
    that, or no file.
    """
    before = _read(file)
    text = before or ""
    with _fitting(file):
        ours = entries.found(text)
        if ours.server is None and not ours.hooks:
            return FileChange(file, before, before)
        after = next(
            (each for each in _kept(file.resolve()) if _leads_to(each, ours, text)),
            None,
        )
        if after is None and not _leads_to("", ours, text):
            after = ours.taken_from(text)
    return FileChange(file, before, after, f"{file}\n{ours.shown('-')}")


def write(change: FileChange) -> Path | None:
    """Make the change, atomically; returns the backup, if there was a file."""
    target = change.file.resolve()
    if _read(change.file) != change.before:
        raise ClientConfigError(
            str(change.file),
            "has changed since; nothing was written, run the command again",
        )
    try:
        if target.exists() and not (
            target.stat().st_mode & stat.S_IWUSR and os.access(target, os.W_OK)
        ):
            raise PermissionError(0, "it is read-only; allow writing first")
        target.parent.mkdir(parents=True, exist_ok=True)
        backup = None if change.before is None else _keep(target, change.before)
        if change.after is None:
            target.unlink()
            with suppress(OSError):  # one that is not empty stays
                for folder in takewhile(
                    lambda each: each not in {Path.cwd(), Path.home().resolve()},
                    target.parents,
                ):
                    folder.rmdir()
        else:
            _replace(target, change.after)
    except OSError as error:
        raise ClientConfigError(
            str(change.file), f"cannot be written: {error.strerror or error}"
        ) from error
    return backup


def _keep(target: Path, content: str) -> Path:
    """Copy the content of a file, readable by its owner alone; returns the copy."""
    folder = data_folder() / "backups"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        copy = _copy(target, sum(1 for _ in _kept(target)) + 1)
        with os.fdopen(
            os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb"
        ) as file:
            file.write(content.encode())
    except OSError as error:
        reason = f"was left as it is, since no copy of it can be kept in {folder}: {error.strerror or error}"
        raise ClientConfigError(str(target), reason) from error
    return copy


def _kept(target: Path) -> Iterator[str]:
    """The copies of a file, oldest first."""
    for number in count(1):
        copy = _copy(target, number)
        if not copy.exists():
            return
        yield copy.read_bytes().decode()


def _copy(target: Path, number: int) -> Path:
    """A copy's name: the file's own for a person, and a fingerprint of its path."""
    name = f"{target.name.lstrip('.')}.{sha256(os.fsencode(target)).hexdigest()[:8]}.{number}"
    return data_folder() / "backups" / name


def _leads_to(earlier: str, ours: Entries, text: str) -> bool:
    """Whether a text without our entries becomes this one by putting them in: then
    nothing else has changed.
    """
    try:
        known = ours.found(earlier)
        return (
            known.server is None and not known.hooks and ours.put_into(earlier) == text
        )
    except Unfit:
        return False


@contextmanager
def _fitting(file: Path, also: str = "") -> Iterator[None]:
    """Raise an error that names the file, if its text cannot be edited."""
    try:
        yield
    except Unfit as error:
        raise ClientConfigError(
            str(file), f"{error}; it was left as it is: mend it{also}", error.line
        ) from None


def _read(file: Path) -> str | None:
    try:
        return file.resolve().read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise ClientConfigError(
            str(file), "is not UTF-8, and was left as it is; save it as UTF-8 first"
        ) from None
    except OSError as error:
        raise ClientConfigError(
            str(file), f"cannot be read: {error.strerror or error}"
        ) from error


def _replace(target: Path, content: str) -> None:
    """Write beside it, then put it in place; its permissions stay."""
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else _PRIVATE
    handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode())
            file.flush()
            os.fsync(file.fileno())
        Path(beside).chmod(mode)
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
