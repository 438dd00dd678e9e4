"""Which places a path of a script leads to, and which of them matter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hexad.skills.shell.values import HOME, UNKNOWN, WORK, is_glob, known, pattern

_SYSTEM: Final = frozenset(
    [
        "bin",
        "boot",
        "dev",
        "etc",
        "home",
        "lib",
        "lib32",
        "lib64",
        "media",
        "mnt",
        "opt",
        "proc",
        "root",
        "run",
        "sbin",
        "srv",
        "sys",
        "usr",
        "var",
        "Applications",
        "Library",
        "System",
        "Users",
        "Volumes",
        "private",
    ]
)
_HOMES: Final = frozenset({"home", "Users"})
_DEEPER: Final = frozenset({"bin", "sbin", "lib", "lib64", "libexec", "share", "local", "log"})
_EVERYTHING: Final = frozenset({"*", ".*", "**", "?*", "*.*", ".??*", ".[!.]*", ".[^.]*", "[!.]*", "[a-z]*", "."})
_HARMLESS_DEVICE: Final = re.compile(
    r"null|zero|full|u?random|stdin|stdout|stderr|tty\w*|pts/.*|ptmx|fd/.*|shm/.*|console|tcp/.*|udp/.*"
)
_DISK: Final = re.compile(
    r"/dev/(?:(?:[shv]|xv)d[a-zX?*\[\x00][^/]*|nvme.*|mmcblk.*|r?disk.*|dm-.*|mapper/.+|md\d.*|loop\d.*|sr\d.*|cdrom.*|"
    r"block/.*|bd[a-z]|usb.*|drive.*|device.*|partition.*|mem|kmem|port|nbd.*|zram.*|zd\d.*|rbd.*|fb\d|mtd.*|vg.*/.*|"
    r"pmem\d.*|dasd.*|root|raw.*|n?st\d|ubi.*|nvram|ada\d.*|da\d.*|sg\d.*|[*?]+|\[.*|[sn]\*)|/proc/(?:kcore|sysrq-trigger)"
)
_SOME_DISKS: Final = ("/dev/sda", "/dev/vda", "/dev/hda", "/dev/xvda", "/dev/nvme0n1", "/dev/mmcblk0", "/dev/disk0")
_WRITABLE: Final = ("tmp", "dev/shm", "var/tmp")
_SEEN_BY_PROCESS: Final = re.compile(r"^(?:/proc/[^/]+/root(?=/|$))+")  # the root folder
_MANY_UPS: Final = 4  # so many folders up lead from most working directories to the root


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads: ``start`` is "/", "~" (home), "." (the working directory) or "?" (not known)."""

    start: str
    parts: tuple[str, ...]

    @property
    def path(self) -> str:
        """As an absolute path, if it is one."""
        return "/" + "/".join(self.parts)

    @property
    def is_vital(self) -> bool:
        """Whether it is the root folder, a folder of the system, or a home folder, or everything in one of them."""
        parts = list(self.parts)
        while parts and parts[-1] in _EVERYTHING:
            parts.pop()
        if self.start == "/":
            return _is_system(parts)
        if self.start == "~":
            return not parts
        return self.start == "." and len(parts) >= _MANY_UPS and set(parts) == {".."}

    @property
    def is_outside(self) -> bool:
        """Whether it is for certain outside the working directory and the places for temporary files."""
        if self.start == "/":
            return not (self.path.startswith("/dev/") and _HARMLESS_DEVICE.fullmatch(self.path[5:])) and not any(
                self.path[1:] == home or self.path[1:].startswith(f"{home}/") for home in _WRITABLE
            )
        return self.start == "~" or (self.start == "." and self.parts[:1] == ("..",))

    @property
    def is_disk(self) -> bool:
        """Whether it is a raw device: a disk, a part of one, the memory; behind what is not known it may be one."""
        if self.start not in {"/", "?"} or not self.parts:
            return False
        if is_glob(self.path):
            return self.start == "/" and (bool(_DISK.fullmatch(self.path)) or _stands_for_disk(self.path))
        return bool(_DISK.fullmatch(self.path))

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known of it."""
        return self.start == "?"


def leads_to_disk(path: str, folder: str = WORK) -> bool:
    """Whether a path leads to a raw device."""
    whole = path if path.startswith("/") else f"{folder}/{path}"
    return ("/dev/" in whole or "/proc/" in whole or (path[:1] == "/" and is_glob(path))) and place(
        path, folder
    ).is_disk


def _stands_for_disk(glob: str) -> bool:
    return glob.count("/") == 2 and any(map(pattern(glob).match, _SOME_DISKS))


def stays(path: str, folder: str = WORK) -> bool:
    """Whether it is plain that a path leads nowhere that matters: no device, nothing outside, or not known at all.

    What is not plain has to be looked at with `place`.
    """
    if path.startswith(UNKNOWN):
        return "/dev/" not in path and "/proc/" not in path
    if ".." in path or path.startswith((HOME, WORK)):
        return False
    return path.startswith("/tmp/") or (folder == WORK and not path.startswith("/"))  # noqa: S108 - a script's path


def place(path: str, folder: str = WORK) -> Place:
    """Where ``path`` leads from ``folder``; both as a script writes them, with marks for what is not known."""
    if not path.startswith(("/", HOME, WORK)):
        if not known(path[:1]):
            behind = path.lstrip(UNKNOWN)
            return Place("?", _settled("/", behind.split("/")).parts if behind[:1] == "/" else ())
        path = f"{folder}/{path}"
    if path.startswith("/proc/"):
        path = _SEEN_BY_PROCESS.sub("/", path)
    start = {"/": "/", HOME: "~", WORK: "."}.get(path[:1], "?")
    if start == "?":
        return Place("?", ())
    return _settled(start, path.lstrip(HOME + WORK).split("/"))


def _settled(start: str, steps: list[str]) -> Place:
    """Without `.` and `..`; above a home is `/home`, above the root is the root."""
    parts: list[str] = []
    for step in steps:
        if step in {"", "."}:
            continue
        if step != "..":
            parts.append(step)
        elif parts and parts[-1] != "..":
            parts.pop()
        elif start == "~":
            start, parts = "/", ["home"]
        elif start == ".":
            parts.append(step)
    return Place(start, tuple(parts))


def _is_system(parts: list[str]) -> bool:
    if not parts:
        return True
    top = _matching(parts[0], _SYSTEM)
    if not top:
        return False
    if len(parts) == 1:
        return True
    if len(parts) > 2:
        return False
    return bool(top & _HOMES) or (bool(top & {"usr", "var"}) and bool(_matching(parts[1], _DEEPER)))


def _matching(part: str, names: frozenset[str]) -> frozenset[str]:
    """The names that a part of a path, perhaps a pattern, stands for."""
    if part in names:
        return frozenset({part})
    if UNKNOWN in part or not any(character in part for character in "*?["):
        return frozenset()
    return frozenset(filter(pattern(part).match, names))
