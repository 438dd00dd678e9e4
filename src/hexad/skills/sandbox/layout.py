"""The file system that a script sees: the system's programs, read-only, and no files of any user."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hexad.errors import InvalidInput
from hexad.skills.sandbox.inputs import within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

USER: Final = 1000  # inside; whom it stands for outside is decided when the process starts
SCRIPT, VARIABLES = "/skill/script", "/skill/variables"
PRIVATE, WORK, HOME, SHARED_MEMORY = "/tmp", "/tmp/work", "/tmp/home", "/tmp/shm"  # noqa: S108 - in the sandbox
FIXED: Final = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": HOME,
    "TMPDIR": PRIVATE,
    "LANG": "C.UTF-8",
}
ETC: Final = {  # ours, not the host's, whose users are nobody's business
    "/etc/passwd": f"root:x:0:0::/:\nskill:x:{USER}:{USER}::{HOME}:/bin/sh\nnobody:x:65534:65534::/:\n",
    "/etc/group": f"root:x:0:\nskill:x:{USER}:\nnogroup:x:65534:\n",
}
_ETC_ALONE: Final = {
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_SYSTEM: Final = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC_ALWAYS: Final = ("/etc/alternatives",)
_ETC_COPIED: Final = ("/etc/ld.so.cache", "/etc/localtime")  # a copy costs a tenth of a mount
_ETC_NETWORK: Final = (
    *("/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/services", "/etc/protocols"),
    *("/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/ca-certificates", "/etc/pki/ca-trust", "/etc/pki/tls/certs"),
    "/etc/crypto-policies",
)
_DEVICES: Final = ("null", "zero", "urandom")
_LINKS: Final = {
    "random": "urandom",
    "fd": "/proc/self/fd",
    "stdin": "fd/0",
    "stdout": "fd/1",
    "stderr": "fd/2",
    "shm": SHARED_MEMORY,
}
_NEEDED: Final = (  # without one of these no shell starts
    *("/usr", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64", "/usr/libexec", "/usr/share", "/usr/local"),
    *("/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", *_SYSTEM, "/etc"),
)


def namespaces(*, network: bool) -> Iterator[str]:
    """Namespaces of its own for processes, users, names and network; it dies with its parent and has no terminal."""
    yield from ("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session")
    yield from ("--uid", str(USER), "--gid", str(USER), "--hostname", "sandbox", "--cap-drop", "ALL")
    if network:
        yield "--share-net"


def system(*, network: bool) -> Iterator[str]:
    """Programs and libraries, a few devices, its own view of processes."""
    yield from ("--ro-bind", "/usr", "/usr", "--proc", "/proc")
    for folder in map(Path, _SYSTEM):
        if folder.is_symlink():
            yield from ("--symlink", str(folder.readlink()), str(folder))
        elif folder.is_dir():
            yield from ("--ro-bind", str(folder), str(folder))
    for path in (*_ETC_ALWAYS, *(_ETC_NETWORK if network else ())):
        if Path(path).exists():
            yield from ("--ro-bind", path, path)
    for name in _DEVICES:
        yield from ("--dev-bind", f"/dev/{name}", f"/dev/{name}")
    for name, target in _LINKS.items():
        yield from ("--symlink", target, f"/dev/{name}")


def etc(*, network: bool) -> dict[str, bytes]:
    """The files of /etc that are made up, or copied."""
    made_up = ETC if network else ETC | _ETC_ALONE
    copied = {path: Path(path).read_bytes() for path in _ETC_COPIED if Path(path).is_file()}
    return {path: text.encode() for path, text in made_up.items()} | copied


def private(disk: int) -> Iterator[str]:
    """One file system in memory, of a size, for everything that the script writes."""
    yield from ("--perms", "0755", "--size", str(disk), "--tmpfs", PRIVATE)
    for folder in (WORK, HOME, SHARED_MEMORY):
        yield from ("--perms", "0700", "--dir", folder)


def masks(hidden: Sequence[Path]) -> Iterator[str]:
    """An empty folder over each hidden one that lies in what the script sees.

    Of a hidden file it is the folder that is covered: a database has companions, and some come later.
    """
    covered = {cover for path in hidden for cover in _cover(os.path.realpath(path))}
    outermost = (one for one in covered if not any(within(one, other) for other in covered - {one}))
    for place in outermost:
        yield from ("--perms", "0000", "--size", "4096", "--tmpfs", place, "--remount-ro", place)


def _cover(place: str) -> Iterator[str]:
    if not any(within(place, bound) for bound in ("/usr", *_SYSTEM, *_ETC_ALWAYS, *_ETC_NETWORK)):
        return
    folder = Path(place) if Path(place).is_dir() else Path(place).parent
    if str(folder) in _NEEDED:
        raise InvalidInput(
            "hidden", f"{place!r} lies among the system's programs, where nothing can be hidden; move it"
        )
    shut = next((above for above in reversed(folder.parents) if above.is_dir() and not _may_enter(above)), folder)
    if shut.is_dir():
        yield str(shut)


def _may_enter(folder: Path) -> bool:
    """Whether the user who makes the sandbox gets through; if not, it is this folder that must be covered."""
    return bool(folder.stat().st_mode & 0o001) if os.geteuid() == 0 else os.access(folder, os.X_OK)
