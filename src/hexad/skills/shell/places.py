"""Where a path leads: below the working directory, outside it, to the system's own
folders, or to a raw device.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from fnmatch import fnmatchcase
from typing import Final

HOME: Final = "\ue000"  # the home folder, in a text that a script comes to
UNKNOWN: Final = "\ue001"  # some text that is not known
MADE: Final = "\ue002"  # some text that is downloaded, decoded or computed
SELF: Final = "\ue003"  # the script's own path
BREAK: Final = "\ue004"  # the end of a field in an expanded word
MARKERS: Final = re.compile(f"[{HOME}-{BREAK}]")
_SHOWN: Final = str.maketrans(
    {HOME: "~", UNKNOWN: "…", MADE: "…", SELF: "$0", BREAK: " "}
)


def named(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


_SYSTEM: Final = named(
    "bin boot dev etc home lib lib32 lib64 media mnt opt proc root run sbin srv sys usr var private"
) | (named("Users System Library Applications Volumes cygdrive"))
_DEEPER: Final = named(
    "bin sbin lib lib64 libexec local share include lib spool log mail www cache db"
)
_SAFE_DEVICES: Final = re.compile(
    r"/dev/(?:null|zero|full|u?random|std(?:in|out|err)|tty|fd/\S*|ptmx|shm/.+)"
)
_DISK: Final = re.compile(
    r"/dev/(?:[shv]d[a-zX*?\[]|xvd|nvme|mmcblk|r?disk\d|disk/|mapper/|md\d|dm-|vg|loop\d|sr\d|mtd|k?mem$|port$|core$)|"
    r"/proc/(?:kcore|sysrq-trigger|kmem)"
)
_SECRET: Final = re.compile(
    rf"(?:{HOME}|/root|/home/[^/]+|/Users/[^/]+)/\.(?:ssh|aws|gnupg|kube|azure|docker|mozilla|thunderbird|password-store"
    r"|electrum|bitcoin|ethereum|vault-token|pgpass|my\.cnf|npmrc|pypirc|gem/credentials|\w*_history|cargo/credentials|"
    r"config/(?:gcloud|gh|hub|op|rclone|google-chrome|chromium|BraveSoftware|microsoft-edge|vivaldi|opera)|"
    r"local/share/(?:keyrings|kwalletd))|Library/Keychains|"
    r"/etc/(?:g?shadow|sudoers|ssh/ssh_host|krb5\.keytab|master\.passwd|security/opasswd|ssl/private)|"
    r"/proc/[^/]+/(?:environ|mem)$|/run/secrets|/dev/(?:input|video|snd|hidraw|kmsg)|"
    r"(?:^|/)(?:id_(?:rsa|dsa|ecdsa|ed25519|\*)|\.env|\.env\.(?:local|prod\w*|staging)|\.netrc|_netrc|wallet\.dat|"
    r"logins\.json|key[34]\.db|cookies\.sqlite|Login Data|Cookies|\.git-credentials|\.htpasswd|shadow|\*?\.kdbx|"
    r"\.aws/credentials|\.ssh(?:/(?!known_hosts).*)?)$"
)


class Place(Enum):
    """Where a path leads."""

    INSIDE = auto()  # the working directory or the temporary folder
    OUTSIDE = auto()
    VITAL = auto()  # the root, a folder of the system, a home folder
    DISK = auto()
    UNKNOWN = auto()


def shown(words: list[str] | str) -> str:
    """Words as a person reads them, in at most 80 characters."""
    text = (
        (words if isinstance(words, str) else " ".join(words)).translate(_SHOWN).strip()
    )
    return text if len(text) <= 80 else f"{text[:79]}…"


def settled(path: str, folder: str = ".") -> str:
    """A path without `.` and `..`, from the folder that the script is in. Relative ones
    begin with a dot.
    """
    if path[:1] not in {"/", HOME, UNKNOWN, MADE}:
        path = f"{folder}/{path}"
    start = path[:1]
    parts: list[str] = []
    for part in path[1:].split("/"):
        if part == ".." and (start == "/" or (parts and parts[-1] != "..")):
            del parts[-1:]
        elif part == ".." and start == HOME:
            start, parts = "/", ["home"]
        elif part not in {"", "."}:
            parts.append(part)
    return f"{start}{'/'.join(parts)}" if start == "/" else "/".join([start, *parts])


def place(path: str, folder: str = ".") -> Place:
    """Where ``path`` leads from ``folder``."""
    whole = settled(path, folder)
    start, parts = whole[:1], [part for part in whole[1:].split("/") if part]
    if start in {UNKNOWN, MADE}:
        return Place.DISK if _DISK.match(f"/{'/'.join(parts)}") else Place.UNKNOWN
    if start == ".":
        is_far = len(parts) > 2 and set(parts) == {".."}
        return (
            Place.VITAL
            if is_far
            else Place.OUTSIDE
            if parts[:1] == [".."]
            else Place.INSIDE
        )
    if _SAFE_DEVICES.fullmatch(whole) or (
        start == "/" and (parts[:1] == ["tmp"] or parts[:2] == ["var", "tmp"])
    ):
        return Place.INSIDE if len(parts) > 1 else Place.VITAL
    if _DISK.match(whole):
        return Place.DISK
    while parts and re.fullmatch(r"\.?(?:[*?]+|\[!?\.\]\*)", parts[-1]):
        parts.pop()
    return Place.VITAL if _is_vital(start, parts) else Place.OUTSIDE


def _is_vital(start: str, parts: list[str]) -> bool:
    if not parts:
        return True
    if start == HOME or len(parts) > 2:
        return False
    tops = {parts[0]} & _SYSTEM or {
        name for name in _SYSTEM if fnmatchcase(name, parts[0])
    }
    if len(parts) == 1:
        return bool(tops)
    return bool(tops & {"home", "Users"}) or (
        bool(tops & {"usr", "var"}) and parts[1] in _DEEPER
    )


def is_secret(path: str, folder: str = ".") -> bool:
    """Whether a path leads to keys, passwords, cookies, a shell's history or a device
    that watches the user.
    """
    return not path.endswith((".pub", ".example")) and bool(
        _SECRET.search(settled(path, folder))
    )
