"""The file system that a script sees: the system's programs, read-only, and no files of
any user.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hexad.errors import InvalidInput
from hexad.skills.sandbox.inputs import within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

USER: Final = (
    1000  # inside; whom it stands for outside is decided when the process starts
)
SCRIPT: Final = "/skill/script"
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
_ETC_COPIED: Final = (
    "/etc/ld.so.cache",
    "/etc/localtime",
)  # a copy costs a tenth of a mount
_ETC_NETWORK: Final = (
    *(
        "/etc/resolv.conf",
        "/etc/hosts",
        "/etc/nsswitch.conf",
        "/etc/services",
        "/etc/protocols",
    ),
    *(
        "/etc/ssl/certs",
        "/etc/ssl/openssl.cnf",
        "/etc/ca-certificates",
        "/etc/pki/ca-trust",
        "/etc/pki/tls/certs",
    ),
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


def namespaces(*, network: bool) -> Iterator[str]:
    """Namespaces of its own for processes, users, names and network; it dies with its
    parent and has no terminal.
    """
    yield from (
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
    )
    yield from (
        "--uid",
        str(USER),
        "--gid",
        str(USER),
        "--hostname",
        "sandbox",
        "--cap-drop",
        "ALL",
    )
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
    copied = {
        path: Path(path).read_bytes() for path in _ETC_COPIED if Path(path).is_file()
    }
    return {path: text.encode() for path, text in made_up.items()} | copied


def private(disk: int) -> Iterator[str]:
    """One file system in memory, of a size, for everything that the script writes."""
    yield from ("--perms", "0755", "--size", str(disk), "--tmpfs", PRIVATE)
    for folder in (WORK, HOME, SHARED_MEMORY):
        yield from ("--perms", "0700", "--dir", folder)


def refuse_visible(hidden: Sequence[Path]) -> None:
    """Refuse to hide what lies in the folders of the system that a script sees."""
    for place in (os.path.realpath(path) for path in hidden):
        if any(
            within(place, bound)
            for bound in ("/usr", *_SYSTEM, *_ETC_ALWAYS, *_ETC_NETWORK)
        ):
            raise InvalidInput(
                "hidden",
                f"{place!r} lies among the system's files, which scripts read; move it",
            )
