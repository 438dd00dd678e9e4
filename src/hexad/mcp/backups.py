"""Copies of the configurations of clients, made before a change: in Hexad's own folder, never in a project."""

from __future__ import annotations

import os
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING, Final

from hexad.errors import ClientConfigError
from hexad.settings import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PRIVATE: Final = 0o600
_PRIVATE_FOLDER: Final = 0o700


def keep(target: Path, content: bytes) -> Path:
    """Keep what a file holds, for its owner's eyes; returns where."""
    try:
        folder().mkdir(mode=_PRIVATE_FOLDER, parents=True, exist_ok=True)
        free = next(each for each in _names(target) if not each.exists())
        with os.fdopen(os.open(free, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "wb") as file:
            file.write(content)
    except OSError as error:
        reason = f"was left as it is, since no copy of it can be kept in {folder()}: {error.strerror or error}"
        raise ClientConfigError(str(target), reason) from error
    return free


def kept(target: Path) -> Iterator[bytes]:
    """What was kept of a file, oldest first; what cannot be read is as good as lost."""
    for each in _names(target):
        try:
            yield each.read_bytes()
        except OSError:
            return


def folder() -> Path:
    """Where the copies are."""
    return data_folder() / "backups"


def _names(target: Path) -> Iterator[Path]:
    """The places for copies of a file: its name for a person, and its whole path as a few letters."""
    letters = sha256(os.fsencode(target)).hexdigest()[:8]
    for number in count(1):
        yield folder() / f"{target.name.lstrip('.')}.{letters}.{number}"
