"""Copies of clients' configurations, made before a change: in Hexad's own folder, never in a project."""

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
    """Copy the content of a file, readable by its owner alone; returns the copy."""
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
    """The copies of a file, oldest first, up to one that cannot be read."""
    for each in _names(target):
        try:
            yield each.read_bytes()
        except OSError:
            return


def folder() -> Path:
    """The folder of all copies."""
    return data_folder() / "backups"


def _names(target: Path) -> Iterator[Path]:
    """The names for copies of a file: its own name for a person, and a fingerprint of its path."""
    letters = sha256(os.fsencode(target)).hexdigest()[:8]
    for number in count(1):
        yield folder() / f"{target.name.lstrip('.')}.{letters}.{number}"
