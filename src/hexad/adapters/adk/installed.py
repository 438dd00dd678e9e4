"""Is there an ADK, and is it one that this adapter works with? If not, one sentence says what to install."""

from __future__ import annotations

import re
from importlib import metadata
from importlib.util import find_spec
from typing import Final

from hexad.errors import MissingExtra, PackageTooOld

PACKAGE: Final = "google-adk"
NEEDED: Final = "2.0"
_EXTRA: Final = "hexad[adk]"


def check() -> None:
    """Raise `MissingExtra` where there is no ADK, and `PackageTooOld` where there is an old one."""
    if not _is_there():
        raise MissingExtra("the ADK adapter", _EXTRA)
    try:
        found = metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:  # it came without its papers; what it lacks will show
        return
    if _numbers(found) < _numbers(NEEDED):
        raise PackageTooOld("the ADK adapter", PACKAGE, found=found, needed=NEEDED, install=_EXTRA)


def _is_there() -> bool:
    try:
        return find_spec("google.adk") is not None
    except ImportError:  # not even the namespace
        return False


def _numbers(version: str) -> tuple[int, ...]:
    """A version's leading numbers.

    >>> _numbers("1.39.1") < _numbers("2.0") < _numbers("2.13.0rc1")
    True
    """
    return tuple(int(part) for part in re.match(r"[\d.]*", version)[0].split(".") if part)  # type: ignore[index]
