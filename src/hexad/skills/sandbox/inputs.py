"""Checks of what a caller hands into the sandbox: variables, files and folders."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from hexad.errors import InvalidInput
from hexad.skills.names import path_fault, variable_fault
from hexad.skills.sandbox.running import NOBODY

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_FILES: Final = 256
_LARGE, _LARGE_ALL = (
    100_000,
    1_000_000,
)  # bytes; the kernel takes 128 KB in one variable, and some MB in all
_SYSTEM: Final = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/dev",
    "/proc",
    "/sys",
)
_SYSTEM_TOO: Final = ("/boot", "/run", "/skill")  # `skill` is the sandbox's own
_SHARED: Final = (
    "/",
    "/home",
    "/root",
    "/tmp",  # noqa: S108
    "/var",
    "/var/tmp",  # noqa: S108
    "/var/lib",
    "/opt",
    "/srv",
    "/mnt",
    "/media",
)
_OWN: Final = ("/tmp/work", "/tmp/home", "/tmp/shm")  # noqa: S108 - in the sandbox, where nobody else is


def environment(given: Mapping[str, str]) -> Mapping[str, str]:
    """Check variables: their names, and that the kernel can hand them over."""
    total = 0
    for name, value in given.items():
        if reason := variable_fault(name):
            raise InvalidInput(f"environment {name!r}", reason)
        size = len(name) + len(encoded(f"environment {name}", value)) + 2
        total += size
        if size > _LARGE or total > _LARGE_ALL:
            raise InvalidInput(
                f"environment {name}",
                f"has {size:,} bytes, more than programs can get; use a file",
            )
    return given


def encoded(field: str, text: str) -> bytes:
    """A text as bytes that a file or a variable can hold."""
    if "\0" in text:
        raise InvalidInput(
            field, "holds NUL, which no variable and no script can; remove it"
        )
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(
            field, "holds a lone surrogate, which is no text; remove it"
        ) from None


def files(
    given: Mapping[str, bytes | tuple[bytes, bool]], *, room: int
) -> dict[str, tuple[bytes, str]]:
    """Check the files for the working directory; returns their contents and modes."""
    if len(given) > MOST_FILES:
        raise InvalidInput(
            "files",
            f"are {len(given)}, at most {MOST_FILES} are possible; leave some out",
        )
    found = {
        path: each if isinstance(each, tuple) else (each, False)
        for path, each in given.items()
    }
    if sum(len(content) for content, _ in found.values()) > room:
        raise InvalidInput(
            "files",
            f"are larger than the {room:,} bytes of the working directory; raise limits.disk",
        )
    for path in found:
        if reason := path_fault(path):
            raise InvalidInput("files", f"{path[:60]!a} {reason}")
        if above := next(
            (str(each) for each in PurePosixPath(path).parents if str(each) in found),
            "",
        ):
            raise InvalidInput(
                "files", f"{above!r} is a file and the folder of another; rename one"
            )
    return {
        path: (content, "0755" if executable else "0644")
        for path, (content, executable) in found.items()
    }


def folders(
    writable: Sequence[Path], hidden: Sequence[Path]
) -> tuple[tuple[str, str], ...]:
    """For each folder that may be written: where it really is, and where the script
    will look for it.
    """
    secret = {place for path in hidden for place in places(path)}
    return tuple(_folder(path, secret) for path in writable)


def _folder(path: Path, secret: Iterable[str]) -> tuple[str, str]:
    encoded("writable", os.fsencode(path).decode(errors="replace"))
    seen, real = os.path.normpath(path), os.path.realpath(path)
    if not path.is_absolute() or not Path(real).is_dir():
        raise InvalidInput(
            "writable",
            f"{str(path)!r} is not the absolute path of a folder that exists",
        )
    for place in (seen, real):
        if any(within(place, system) for system in (*_SYSTEM, *_SYSTEM_TOO, *_OWN)):
            raise InvalidInput(
                "writable",
                f"{str(path)!r} belongs to the system; give a folder of your own",
            )
        if any(within(shared, place) for shared in (*_SHARED, _home(), *secret)):
            raise InvalidInput(
                "writable",
                f"{str(path)!r} holds more than a script may change: a home, other users' files or what is hidden; "
                "give a folder of its own",
            )
    if any(within(place, kept) for place in (seen, real) for kept in secret):
        raise InvalidInput(
            "writable", f"{str(path)!r} is hidden from scripts; give another folder"
        )
    if os.geteuid() == 0 and not _open_to_nobody(Path(real)):
        raise InvalidInput(
            "writable",
            f"{str(path)!r} cannot be written by the user {NOBODY}, who runs the superuser's scripts; "
            f"give a folder that it owns and can reach (chown {NOBODY})",
        )
    return real, seen


def _open_to_nobody(folder: Path) -> bool:
    mine = folder.stat()
    writes = (
        0o200 if mine.st_uid == NOBODY else 0o020 if mine.st_gid == NOBODY else 0o002
    )
    return bool(mine.st_mode & writes) and all(
        above.stat().st_mode & 0o001 for above in folder.parents
    )


def places(path: Path) -> tuple[str, ...]:
    """A path as it was given, and where it leads."""
    return os.path.abspath(path), os.path.realpath(path)  # noqa: PTH100 - without following links


def within(path: str, folder: str) -> bool:
    """Whether a path is a folder or below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _home() -> str:
    """The home folder of this user, from the system; the environment is not asked."""
    import pwd  # noqa: PLC0415 - Windows has none

    try:
        return os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:  # a user without an entry, as in many containers
        return "/root"
