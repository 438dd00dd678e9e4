"""Reads and writes a skill's folder; links in it cannot redirect either.

Reading goes from folder to folder by open descriptors and follows no link: what is swapped meanwhile is not reached.
Every limit is checked while reading, so nothing large is ever held. Writing happens in a new folder beside the place,
which then takes its name in one step.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hexad.errors import FolderRefused
from hexad.skills import definition as shapes
from hexad.skills.definition import LARGEST_FOLDER
from hexad.skills.folders.document import LARGEST_FILE, File
from hexad.skills.names import DEEPEST, LEFT_OUT, MANIFEST, path_fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hexad.skills.folders.document import Files

MOST_FILES: Final = shapes.MOST_FILES + 2  # SKILL.md and the file that holds the work are not among the skill's files
MOST_ENTRIES: Final = 10 * shapes.MOST_FILES  # files and folders, empty ones too
MOST_FOLDERS: Final = 1000  # skills below one folder, and folders that are looked into for each of them
_DIRECTORY: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_REGULAR: Final = os.O_RDONLY | _NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(slots=True)
class Found:
    """A folder's files, and sentences about what is not among them."""

    folder: Path
    files: dict[str, File] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    size: int = 0
    entries: int = 0
    done: str = "imported"

    def names(self, entries: Iterable[os.DirEntry[str]]) -> list[str]:
        """The entries of one folder, sorted; an error if there are too many."""
        found = []
        for entry in entries:
            self.entries += 1
            if self.entries > MOST_ENTRIES:
                raise self.refused(f"holds more than {MOST_ENTRIES:,} files and folders")
            found.append(entry.name)
        return sorted(found)

    def add(self, path: str, file: File) -> None:
        """One file more, unless that is too much."""
        self.size += len(file.data)
        if len(self.files) >= MOST_FILES:
            raise self.refused(f"holds more than {MOST_FILES} files")
        if self.size > LARGEST_FOLDER:
            raise self.refused(f"holds more than {LARGEST_FOLDER:,} bytes")
        self.files[path] = file

    def refused(self, reason: str) -> FolderRefused:
        """An error about this folder."""
        return FolderRefused(str(self.folder), f"{reason}; nothing was {self.done}")


def read_folder(folder: Path) -> Found:
    """All files of a skill's folder; links, devices and files beyond a limit are an error."""
    if os.open not in os.supports_dir_fd or os.scandir not in os.supports_fd:
        raise FolderRefused(str(folder), "this system cannot read a folder without following links")
    found = Found(folder)
    try:
        with _opened(str(folder), _DIRECTORY) as descriptor:
            _gather(found, descriptor, "")
    except OSError as error:
        raise found.refused(f"cannot be read: {error.strerror}") from error
    return found


def skill_folders(folder: Path) -> tuple[Path, ...]:
    """The folder itself if it is a skill's, else those below it that are, sorted; links are not followed."""
    if not folder.is_dir():
        raise FolderRefused(str(folder), "is not a folder")
    found: list[Path] = []
    waiting, looked_into = [(folder, 0)], 0
    while waiting:
        here, depth = waiting.pop()
        looked_into += 1
        if looked_into > MOST_FOLDERS * 10 or len(found) > MOST_FOLDERS:
            raise FolderRefused(str(folder), f"has too many folders; import parts of it, at most {MOST_FOLDERS} skills")
        try:
            inner = None if (here / MANIFEST).is_file() else _inside(here)
        except OSError:
            inner = None  # reading it will say what is wrong
        if inner is None:
            found.append(here)
        elif depth < DEEPEST:
            waiting += [(each, depth + 1) for each in inner]
    return tuple(sorted(found))


def _inside(folder: Path) -> list[Path]:
    inner = (each for each in folder.iterdir() if each.name != LEFT_OUT)
    return [each for each in inner if each.is_dir() and not each.is_symlink()]


def check_readable(folder: Path, files: Files) -> None:
    """Refuse files that `read_folder` would refuse, so every exported folder can be imported."""
    found = Found(folder, done="written")
    for path, file in files.items():
        if reason := path_fault(path):
            raise found.refused(f"{path} {reason}")
        if len(file.data) > LARGEST_FILE:
            raise found.refused(f"{path} has more than {LARGEST_FILE:,} bytes")
        found.add(path, file)


def write_folder(target: Path, files: Files, *, force: bool) -> None:
    """Write files as a new folder: all of them or nothing. With ``force`` it takes the place of a skill's folder."""
    if os.path.lexists(target):
        if not force:
            raise FolderRefused(
                str(target),
                "is there already; choose another place, or replace it (force, on the command line --force)",
            )
        if target.is_symlink() or not (target / MANIFEST).is_file():
            raise FolderRefused(str(target), f"is no skill's folder (no {MANIFEST} in it), and is not replaced")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = Path(tempfile.mkdtemp(prefix=f".{target.name[:40]}.", dir=target.parent))
    except OSError as error:
        raise FolderRefused(str(target), f"cannot be written: {error.strerror}") from error
    try:
        _fill(beside / "new", files)
        _swap(beside, target)
    except OSError as error:
        raise FolderRefused(str(target), f"cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _fill(folder: Path, files: Files) -> None:
    folder.mkdir(mode=0o755)
    for path, file in files.items():
        place = folder / path
        place.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        mode = 0o755 if file.executable else 0o644
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, mode)
        with os.fdopen(descriptor, "wb") as out:
            out.write(file.data)


def _swap(beside: Path, target: Path) -> None:
    """Swap the new folder in; restore the old one if that fails."""
    old = beside / "old"
    if os.path.lexists(target):
        target.rename(old)
    try:
        (beside / "new").rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise


@contextmanager
def _opened(name: str, flags: int, beside: int | None = None) -> Iterator[int]:
    descriptor = os.open(name, flags, dir_fd=beside)
    try:
        yield descriptor
    finally:
        with suppress(OSError):
            os.close(descriptor)


def _gather(found: Found, descriptor: int, path: str) -> None:
    with os.scandir(descriptor) as entries:
        names = found.names(entries)
    if not names and path:
        found.notes.append(f"the empty folder {path[:-1]} is not kept")
    for name in names:
        if name == LEFT_OUT:
            found.notes.append(f"{path}{name} is left out")
            continue
        if reason := path_fault(f"{path}{name}"):
            raise found.refused(f"{path}{name}".encode("ascii", "backslashreplace").decode() + f" {reason}")
        _take(found, descriptor, name, f"{path}{name}")


def _take(found: Found, beside: int, name: str, path: str) -> None:
    mode = os.stat(name, dir_fd=beside, follow_symlinks=False).st_mode
    if stat.S_ISLNK(mode):
        raise found.refused(f"{path} is a link; put the file itself in its place")
    try:
        if stat.S_ISDIR(mode):
            with _opened(name, _DIRECTORY | _NO_LINK, beside) as inner:
                _gather(found, inner, f"{path}/")
        elif stat.S_ISREG(mode):
            with _opened(name, _REGULAR, beside) as descriptor:
                found.add(path, _read(found, descriptor, path))
        else:
            raise found.refused(f"{path} is no file")
    except OSError as error:
        changed = error.errno in {errno.ELOOP, errno.ENOTDIR}
        raise found.refused(f"{path} {'became a link' if changed else f'cannot be read: {error.strerror}'}") from error


def _read(found: Found, descriptor: int, path: str) -> File:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise found.refused(f"{path} is no file")
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        data = stream.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise found.refused(f"{path} has more than {LARGEST_FILE:,} bytes")
    return File(data, bool(status.st_mode & 0o111))
