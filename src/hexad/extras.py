"""Optional packages: is one installed, and what does a user type to install it?"""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from hexad.errors import MissingExtra, PackageTooOld

if TYPE_CHECKING:
    from collections.abc import Sequence


def require_extra(extra: str, what: str, *modules: str) -> None:
    """Raise `MissingExtra` where a module is not installed, `PackageTooOld` where a
    package of the extra is older.
    """
    if not all(map(is_importable, modules)):
        raise missing_extra(what, extra)
    from importlib import metadata  # noqa: PLC0415 - loads email: 12 ms

    with suppress(metadata.PackageNotFoundError):  # it runs from its folder
        asked = "\n".join(metadata.requires("hexad") or ())
        for package, needed in re.findall(
            rf"^([\w-]+).*>=([\d.]+).*extra == [\"']{extra}[\"']", asked, re.MULTILINE
        ):
            with suppress(
                metadata.PackageNotFoundError
            ):  # importable without metadata: assume that it is new enough
                found = metadata.version(package)
                if () < _numbers(found) < _numbers(needed):
                    raise PackageTooOld(
                        what,
                        package,
                        found=found,
                        needed=needed,
                        install=install_command(extra),
                    )


def missing_extra(what: str, extra: str) -> MissingExtra:
    """The error that says how to add an extra to this very Hexad."""
    return MissingExtra(what, install_command(extra))


def install_command(extra: str) -> str:
    """The command that adds an extra to this very Hexad: with pip, uv or pipx, from an
    index or from its folder.
    """
    from importlib import metadata  # noqa: PLC0415 - loads email: 12 ms, for an error

    try:
        here = metadata.distribution("hexad")
        origin = json.loads(here.read_text("direct_url.json") or "{}")
        installer = (here.read_text("INSTALLER") or "").strip()
    except (metadata.PackageNotFoundError, ValueError):
        origin, installer = {}, ""
    target = f"hexad[{extra}]"
    if "dir_info" in origin:
        folder = str(origin["url"]).removeprefix("file://")
        target = f"{'--editable=' if origin['dir_info'].get('editable') else ''}{folder}[{extra}]"
    return f"{_installing(installer, Path(sys.prefix).parts)} '{target}'"


def _installing(installer: str, folders: Sequence[str]) -> str:
    """The command that installs into an environment in these folders.

    >>> _installing("uv", ("home", "ada", "uv", "tools", "hexad")), _installing("pip", ("home", "ada", ".venv"))
    ('uv tool install', 'pip install')
    """
    if "pipx" in folders:
        return "pipx install --force"
    if installer == "uv":
        return "uv tool install" if "tools" in folders else "uv pip install"
    return "pip install"


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
    numbers = version[: len(version) - len(version.lstrip("0123456789."))]
    return tuple(int(part) for part in numbers.split(".") if part)
