"""Copies of clients' configurations, made before a change: in Hexad's own folder, never in a project."""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING

from hexad.errors import ClientConfigError
from hexad.settings import data_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def keep(target: Path, content: str) -> Path:
    """Copy the content of a file, readable by its owner alone; returns the copy."""
    try:
        folder().mkdir(mode=0o700, parents=True, exist_ok=True)
        copy = _named(target, sum(1 for _ in kept(target)) + 1)
        with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content.encode())
    except OSError as error:
        reason = f"was left as it is, since no copy of it can be kept in {folder()}: {error.strerror or error}"
        raise ClientConfigError(str(target), reason) from error
    return copy


def kept(target: Path) -> Iterator[str]:
    """The copies of a file, oldest first."""
    number = 1
    while (copy := _named(target, number)).exists():
        yield copy.read_bytes().decode()
        number += 1


def folder() -> Path:
    """The folder of all copies."""
    return data_folder() / "backups"


def _named(target: Path, number: int) -> Path:
    """A copy's name: the file's own for a person, and a fingerprint of its path."""
    return folder() / f"{target.name.lstrip('.')}.{sha256(os.fsencode(target)).hexdigest()[:8]}.{number}"
