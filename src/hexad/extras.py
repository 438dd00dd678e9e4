"""Optional packages: is one installed, and what does a user type to install it?"""

from __future__ import annotations

import json
import re
from importlib.util import find_spec

from hexad.errors import MissingExtra, PackageTooOld


def require_extra(extra: str, *, what: str, package: str, module: str, needed: str) -> None:
    """Raise `MissingExtra` where a package is not installed, and `PackageTooOld` where it is older than ``needed``."""
    if not is_importable(module):
        raise missing_extra(what, extra)
    found = _installed_version(package)
    if () < _numbers(found) < _numbers(needed):
        raise PackageTooOld(what, package, found=found, needed=needed, install=install_target(extra))


def missing_extra(what: str, extra: str) -> MissingExtra:
    """The error that says how to add an extra to this very Hexad."""
    return MissingExtra(what, install_target(extra))


def install_target(extra: str) -> str:
    """The argument of ``pip install`` that adds an extra to this very Hexad: from an index, or from its folder."""
    from importlib import metadata  # noqa: PLC0415 - loads email: 12 ms, for an error

    try:
        origin = json.loads(metadata.distribution("hexad").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, ValueError):
        origin = {}
    if "dir_info" not in origin:
        return f"hexad[{extra}]"
    folder = str(origin["url"]).removeprefix("file://")
    return f"--editable={folder}[{extra}]" if origin["dir_info"].get("editable") else f"{folder}[{extra}]"


def _installed_version(package: str) -> str:
    from importlib import metadata  # noqa: PLC0415 - loads email: 12 ms

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:  # importable without metadata: assume that it is new enough
        return ""


def is_importable(module: str) -> bool:
    """Whether a module is installed, without importing it."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError):  # not even the package around it
        return False


def _numbers(version: str) -> tuple[int, ...]:
    """A version's leading numbers.

    >>> _numbers("1.39.1") < _numbers("2.0") < _numbers("2.13.0rc1")
    True
    """
    return tuple(int(part) for part in re.match(r"[\d.]*", version)[0].split(".") if part)  # type: ignore[index]
