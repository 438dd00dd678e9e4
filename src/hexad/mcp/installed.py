"""Is there an MCP SDK, and is it one that this server is written for? If not, one sentence says what to install."""

from __future__ import annotations

from importlib import metadata
from importlib.util import find_spec
from typing import Final

from hexad.errors import MissingExtra, PackageTooOld

PACKAGE: Final = "mcp"
NEEDED: Final = 2  # the major version: an older one has another interface
_WHAT: Final = "the MCP server"
_EXTRA: Final = "hexad[mcp]"


def check() -> None:
    """Raise `MissingExtra` where there is no SDK, and `PackageTooOld` where there is an old one."""
    if find_spec(PACKAGE) is None:
        raise MissingExtra(_WHAT, _EXTRA)
    try:
        found = metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:  # it came without its papers; what it lacks will show
        return
    if _major(found) < NEEDED:
        raise PackageTooOld(_WHAT, PACKAGE, found=found, needed=str(NEEDED), install=_EXTRA)


def _major(version: str) -> int:
    first = version.split(".", 1)[0]
    return int(first) if first.isdecimal() else NEEDED
