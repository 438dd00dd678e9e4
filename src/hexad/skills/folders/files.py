"""Reads and writes a skill's folder. Links in it are refused.

Every limit is checked while reading, so nothing large is ever held. Writing happens in
a new folder beside the place, which then takes its name in one step.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from hexad.errors import FolderRefused
from hexad.skills import definition as shapes
from hexad.skills.folders.document import LARGEST_FILE, File, Files
from hexad.skills.names import DEEPEST, LEFT_OUT, MANIFEST, path_fault

MOST_FILES: Final = (
    shapes.MOST_FILES + 2
)  # SKILL.md and the file that holds the work are not among the skill's files
MOST_ENTRIES: Final = 10 * shapes.MOST_FILES  # files and folders, empty ones too
MOST_FOLDERS: Final = (
    1000  # skills below one folder, and folders that are looked into for each of them
)


@dataclass(slots=True)
class Found:
    """A folder's files, and sentences about what is not among them."""

    folder: Path
    files: dict[str, File] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    size: int = 0
    entries: int = 0
    done: str = "imported"

    def add(self, path: str, file: File) -> None:
        """One file more, unless it is not allowed or too much."""
        self.size += len(file.data)
        if reason := path_fault(path):
            raise self.refused(f"{path} {reason}")
        if len(file.data) > LARGEST_FILE:
            raise self.refused(f"{path} has more than {LARGEST_FILE:,} bytes")
        if len(self.files) >= MOST_FILES:
            raise self.refused(f"holds more than {MOST_FILES} files")
        if self.size > shapes.LARGEST_FOLDER:
            raise self.refused(f"holds more than {shapes.LARGEST_FOLDER:,} bytes")
        self.files[path] = file

    def gather(self, folder: Path, path: str = "") -> None:
        """Add what lies in a folder; ``path`` leads to it and ends with a slash."""
        inside = sorted(os.scandir(folder), key=lambda entry: entry.name)
        self.entries += len(inside)
        if self.entries > MOST_ENTRIES:
            raise self.refused(f"holds more than {MOST_ENTRIES:,} files and folders")
        if not inside and path:
            self.notes.append(f"the empty folder {path[:-1]} is not kept")
        for entry in inside:
            if entry.name == LEFT_OUT:
                self.notes.append(f"{path}{entry.name} is left out")
            else:
                self._take(entry, f"{path}{entry.name}")

    def _take(self, entry: os.DirEntry[str], path: str) -> None:
        if reason := path_fault(path):
            raise self.refused(
                path.encode("ascii", "backslashreplace").decode() + f" {reason}"
            )
        if entry.is_symlink():
            raise self.refused(f"{path} is a link; put the file itself in its place")
        if entry.is_dir():
            self.gather(Path(entry.path), f"{path}/")
        elif entry.is_file():
            with Path(entry.path).open("rb") as stream:
                self.add(
                    path,
                    File(
                        stream.read(LARGEST_FILE + 1),
                        bool(entry.stat().st_mode & 0o111),
                    ),
                )
        else:
            raise self.refused(f"{path} is no file")

    def refused(self, reason: str) -> FolderRefused:
        """An error about this folder."""
        return FolderRefused(str(self.folder), f"{reason}; nothing was {self.done}")


def read_folder(folder: Path) -> Found:
    """All files of a skill's folder; links, devices and files beyond a limit are an
    error.
    """
    found = Found(folder)
    try:
        found.gather(folder)
    except OSError as error:
        where = os.path.relpath(error.filename or folder, folder).removeprefix(".")
        raise found.refused(
            f"{where} cannot be read: {error.strerror}".lstrip()
        ) from error
    return found


def skill_folders(folder: Path) -> tuple[Path, ...]:
    """The folder itself if it is a skill's, else those below it that are, sorted; links
    are not followed.
    """
    if not folder.is_dir():
        raise FolderRefused(str(folder), "is not a folder")
    found: list[Path] = []
    walk = os.walk(
        folder, onerror=lambda error: found.append(Path(error.filename))
    )  # reading it will say why
    for number, (here, inner, names) in enumerate(walk):
        if number > MOST_FOLDERS * 10 or len(found) > MOST_FOLDERS:
            raise FolderRefused(
                str(folder),
                f"has too many folders; import parts of it, at most {MOST_FOLDERS} skills",
            )
        if MANIFEST in names:
            found.append(Path(here))
        is_deep = len(Path(here).relative_to(folder).parts) >= DEEPEST
        inner[:] = (
            []
            if MANIFEST in names or is_deep
            else [name for name in inner if name != LEFT_OUT]
        )
    return tuple(sorted(found))


def check_readable(folder: Path, files: Files) -> None:
    """Refuse files that `read_folder` would refuse, so every exported folder can be
    imported.
    """
    found = Found(folder, done="written")
    for path, file in files.items():
        found.add(path, file)


def write_folder(target: Path, files: Files, *, force: bool) -> None:
    """Write files as a new folder: all of them or nothing. With ``force`` it takes the
    place of a skill's folder.
    """
    if os.path.lexists(target):
        if not force:
            reason = "is there already; choose another place, or replace it (force, on the command line --force)"
            raise FolderRefused(str(target), reason)
        if target.is_symlink() or not (target / MANIFEST).is_file():
            raise FolderRefused(
                str(target),
                f"is no skill's folder (no {MANIFEST} in it), and is not replaced",
            )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        prefix = f".{target.name[:40]}."
        with TemporaryDirectory(
            prefix=prefix, dir=target.parent, ignore_cleanup_errors=True
        ) as beside:
            new = Path(beside) / "new"
            new.mkdir(mode=0o755)
            for path, file in files.items():
                (new / path).parent.mkdir(mode=0o755, parents=True, exist_ok=True)
                (new / path).touch(
                    mode=0o755 if file.executable else 0o644, exist_ok=False
                )
                (new / path).write_bytes(file.data)
            _swap(Path(beside), target)
    except OSError as error:
        raise FolderRefused(
            str(target), f"cannot be written: {error.strerror}"
        ) from error


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
