"""Words that give away what a command does, whichever command it is: a raw disk, or another command that destroys.

A script is looked at in this way only if its text gives reason to: most do not.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import told
from hexad.skills.shell.held_files import followed, held, key_of
from hexad.skills.shell.hidden_commands import look_within, may_hide_commands
from hexad.skills.shell.lasting import rejected
from hexad.skills.shell.paths import leads_to_disk
from hexad.skills.shell.unseen import judge_file

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

_DESTROYS: Final = r"(?:rm|shred|dd|mkfs(?:\.\w+)?|wipefs|chmod|mv)"
_WORTH_A_LOOK: Final = re.compile(
    r"/(?:dev\b(?!/(?:null|zero|full|u?random|std|tty|fd/|shm|tcp/|udp/|pts))|(?:[shv]d[a-z]|nvme\d|mmcblk\d)\b)|\\!|"
    r"/etc/(?:g?shadow|sudoers|ssl/private)|"
    r"rm[ \t]|shred[ \t]|dd[ \t]|mkfs(?:\.\w+)?[ \t]|wipefs[ \t]|chmod[ \t]|mv[ \t]"
).finditer
"""Where it may be so: by what a place begins with, which is found ten times as fast as what stands before it."""
_IN_AN_ODD_PLACE: Final = re.compile(
    rf"(?<![;&|({{\n!])(?<!\bdo)(?<!then)(?<!else)(?<!\btrap )[ \t=/'\"]{_DESTROYS}[ \t]+-|"
    rf"(?<!\btrap )['\"=!/]{_DESTROYS}[ \t]"
).match
_AT_THE_ROOT: Final = re.compile(r"rm[ \t]+-[a-zA-Z]{1,8}[ \t]+['\"]?(?:/|~|\$\{?HOME\b\}?)[/*]*(?![\w./-])").match
_SECRET: Final = re.compile(r"/etc/(?:g?shadow-?|sudoers(?:\.d/.*)?|ssl/private/.*)").fullmatch
_TELLS: Final = frozenset({"echo", "printf", "man", "say", "logger", "test", "["})
_DESTROYER: Final = re.compile(_DESTROYS).fullmatch
_TEXT: Final = re.compile(
    rf"(?:-{{0,2}}[\w.-]+=|-\w|[\\:|]*!|\.(?:sh|shell|system)\b|\w+[:(]|\+)?[\s'\"]*((?:sudo\s+)?(?:/\S*/)?{_DESTROYS}\s.*)",
    re.DOTALL,
).match
_SAYS: Final = frozenset(
    """echo printf grep egrep fgrep rg ag ack man which type whereis tldr apropos info help say logger notify-send wall
    cat true false : test [ export alias history""".split()  # noqa: SIM905
)
_SHOWS: Final = frozenset(
    """lsblk blkid findmnt df du ls stat file test [ udevadm eject fuser lsof mount umount losetup iostat sg_map lshw
    raw blockdev systemd-cryptsetup udiskie-mount udiskie-umount udisksctl fsadm lvmdevices lvs pvs vgs pvdisplay
    dumpe2fs basename dirname realpath readlink cd pushd for in case read grep awk cut sort lsscsi hwinfo cdparanoia
    ntfsinfo exfatlabel e2label fatlabel ntfslabel sg_inq sg_vpd sdparm setserial stty minicom screen picocom""".split()  # noqa: SIM905
)
_READS: Final = frozenset(
    """wc file shellcheck bat diff cmp comm md5sum sha1sum sha256sum sha512sum cksum nl fold fmt column rev paste join
    shfmt jq yq xmllint prettier cloc tree""".split()  # noqa: SIM905
)
_WRITES_ANYWHERE: Final = frozenset(
    """sed gsed openssl vim vi nvim ex ed view gvim gpg gpg2 git sort tar bsdtar pv script strace ltrace xxd
    age""".split()  # noqa: SIM905
)
_PATH: Final = re.compile(r"/(?:dev|proc)/[\w/*?.-]+")
_TELLING: Final = frozenset({"-m", "-am", "--message", "--title", "--body"})


def is_suspicious(script: str) -> bool:
    """Whether a script names a disk, or a destroying command where no command's name stands."""
    for found in _WORTH_A_LOOK(script):
        at = found.start()
        if found[0][0] in "/\\" or (at and _IN_AN_ODD_PLACE(script, at - 1)) or _AT_THE_ROOT(script, at):
            return True
    return may_hide_commands(script)


def look_at_words(shell: Shell, name: str, argv: list[str], *, is_known: bool) -> None:
    """Note what the words of a command plainly are for; ``is_known`` if there is a rule of its own for it."""
    if any(_SECRET(word) for word in argv[1:]) and name not in _TELLS:
        shell.find("privilege", told(argv))
    if name in _SAYS:
        return
    _look_for_commands(shell, argv)
    if not is_known:
        look_within(shell, argv)
    if shell.wrote and not is_known and name not in _READS and name not in _SHOWS:
        _look_at_named_files(shell, argv)
    if name not in _SHOWS and not name.startswith("mount.") and (not is_known or name in _WRITES_ANYWHERE):
        for word in (*argv[1:], *((shell.stdin or ()) if name in _WRITES_ANYWHERE else ())):
            if any(leads_to_disk(followed(shell, path), shell.folder) for path in _paths(word)):
                shell.find("device-write", told(argv))


def _look_at_named_files(shell: Shell, argv: list[str]) -> None:
    """A program that nobody knows may run the files that it is given."""
    for word in argv[1:64]:
        path = word.rpartition("=")[2]
        for text in held(shell, path) or () if key_of(shell, path) in shell.wrote else ():
            judge_file(shell, text)


def _paths(word: str) -> list[str]:
    """A word, and the absolute paths within it, if it is a text."""
    return [word.rpartition("=")[2], *_PATH.findall(word)] if "/" in word else [word]


def _look_for_commands(shell: Shell, argv: list[str]) -> None:
    for number, word in enumerate(argv[1:64], 1):
        if argv[number - 1] in _TELLING:
            continue
        if _DESTROYER(word.rpartition("/")[2]) and len(argv) > number + 1:
            rejected(shell, partial(shell.run_words, argv[number:]))
        elif " " in word and (text := _TEXT(word)):
            rejected(shell, partial(shell.run_text, text[1].rstrip("'\"")))
