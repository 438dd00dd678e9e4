"""Commands that delete, overwrite or format: what they do depends on where their words point."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.held_files import copied, followed, hold, link, read
from hexad.skills.shell.paths import leads_to_disk, place, stays
from hexad.skills.shell.values import ANYTHING, DOWNLOADED, UNKNOWN, known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexad.skills.shell.machine import Shell
    from hexad.skills.shell.paths import Place

_MAY_BE_ROOT: Final = re.compile(r"\x00+/+\*?").fullmatch
_AS_ANOTHER: Final = re.compile(r"0?[2467][0-7]{3}|[ugoa]*[+=][rwxXt]*s[rwxXt]*").fullmatch  # whoever starts it
_ENOUGH: Final = 64  # more than is shown


def told(argv: list[str]) -> str:
    """A command as a finding shows it: its words without marks, not too long."""
    first = " ".join([word[:_ENOUGH] for word in argv[:_ENOUGH]])  # a command may have a hundred thousand words
    shown = re.sub(r"[\x00-\x1f]", lambda mark: "~" if mark[0] == "\x01" else "…", first)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def operands(arguments: Iterable[str]) -> list[str]:
    """The words that are no options."""
    found, ended = [], False
    for argument in arguments:
        if argument == "--" and not ended:
            ended = True
        elif ended or not argument.startswith("-"):
            found.append(argument)
    return found


def _flags(arguments: Iterable[str]) -> str:
    return "".join(argument for argument in arguments if argument.startswith("-") and not argument.startswith("--"))


def _says_recursive(arguments: list[str]) -> bool:
    long = any(argument.startswith("--r") for argument in arguments)
    return long or bool(re.search("[rR]", _flags(arguments)))


def _is_recursive(arguments: list[str]) -> bool:
    """Whether an option says so, or an option that is not known may."""
    return _says_recursive(arguments) or any(argument[:1] == UNKNOWN for argument in arguments[:-1])


def check_writes(shell: Shell, argv: list[str], paths: Iterable[str]) -> None:
    """Note what is written outside the working directory, or to a raw device."""
    for written in paths:
        if written[:2] == "--" and "=" in written:  # a name that another program takes for an option
            shell.find("unknown-command", told(argv))
        path = followed(shell, written) if shell.links else written
        if stays(path, shell.folder):
            continue
        target = place(path, shell.folder)
        if target.is_disk:
            shell.find("device-write", told(argv))
        elif target.is_outside:
            shell.find("write-outside", told(argv))


def _check_reads(shell: Shell, argv: list[str], paths: Iterable[str]) -> None:
    for path in paths:
        if "/" in path and leads_to_disk(path, shell.folder):
            shell.find("disk-copy", told(argv))


def leading_to(shell: Shell, paths: Iterable[str]) -> list[Place]:
    """Where paths lead, through the links that the script made."""
    return [place(followed(shell, path), shell.folder) for path in paths]


def _rm(shell: Shell, argv: list[str]) -> None:
    arguments = argv[1:]
    paths = operands(arguments)
    if shell.links:
        paths = [followed(shell, path, itself=path[-1:] == "/") for path in paths]
    left = [path for path in paths if not (known(path[:1]) and stays(path, shell.folder))]
    if not left:
        return
    recursive, says_so = _is_recursive(arguments), _says_recursive(arguments)
    for target in (place(path, shell.folder) for path in left):
        if target.is_vital and (recursive or not target.parts or target.parts[-1][-1:] == "*"):
            shell.find("delete-root-or-home", told(argv))
        elif target.is_disk:
            shell.find("device-write", told(argv))
        elif target.is_outside:
            shell.find("write-outside", told(argv))
        elif target.is_unknown and says_so:
            shell.find("delete-unknown", told(argv))


def _mv(shell: Shell, argv: list[str]) -> None:
    target = _target(argv)
    paths = [path for path in operands(argv[1:]) if path != target]
    sources, last = (paths, target) if target is not None else (paths[:-1], "".join(paths[-1:]))
    if any(each.is_vital for each in leading_to(shell, sources)):
        shell.find("change-root", told(argv))
    elif any(_MAY_BE_ROOT(path) for path in sources):
        shell.find("write-outside", told(argv))
    check_writes(shell, argv, [*sources, last])
    if sources:
        copied(shell, sources, last)


def _target(argv: list[str]) -> str | None:
    """The folder that an option names, into which everything else goes."""
    named = [word.partition("=")[2] for word in argv if word.startswith("--target-directory=")]
    named += [path for option, path in itertools.pairwise(argv) if option in {"-t", "--target-directory"}]
    return named[-1] if named else None


def _rights(shell: Shell, argv: list[str]) -> None:
    """chmod, chown, chgrp: what follows the mode or the owner."""
    targets = operands(
        argument for argument in argv[1:] if not re.fullmatch(r"-[rwxXst,+=-]+", argument) or argument == "-R"
    )
    places = leading_to(shell, targets[1:] if not any(a.startswith("--reference") for a in argv) else targets)
    home_too = argv[0].endswith("chmod")
    for target in places:
        if target.is_vital and _is_recursive(argv[1:]) and (target.start == "/" or home_too):
            shell.find("change-root", told(argv))
    if _is_recursive(argv[1:]) and any(_MAY_BE_ROOT(path) for path in targets[1:]):
        shell.find("write-outside", told(argv))
    if not argv[0].endswith("chmod") and targets and known(targets[0]) and not targets[0].startswith(":"):
        shell.find("privilege", told(argv))
    if home_too and targets and _AS_ANOTHER(targets[0]):
        shell.find("privilege", told(argv))
    check_writes(shell, argv, targets[1:])


def _all(shell: Shell, argv: list[str]) -> None:
    check_writes(shell, argv, operands(argv[1:]))


def _last(shell: Shell, argv: list[str]) -> None:
    """cp, ln, install: the last word is written, the others are read."""
    paths = operands(argv[1:])
    target = _target(argv)
    check_writes(shell, argv, [target] if target is not None else paths[-1:] if len(paths) > 1 else [])
    _check_reads(shell, argv, paths)
    if target is not None or len(paths) > 1:
        copied(shell, paths if target is not None else paths[:-1], paths[-1] if target is None else target)


def _ln(shell: Shell, argv: list[str]) -> None:
    """What is written through a link, or deleted below it, is where it points."""
    _last(shell, argv)
    paths = operands(argv[1:])
    if len(paths) == 2:
        link(shell, paths[1], paths[0])


def _tee(shell: Shell, argv: list[str]) -> None:
    paths = operands(argv[1:])
    check_writes(shell, argv, paths)
    for path in paths:
        hold(shell, path, shell.stdin or DOWNLOADED)


def _dd(shell: Shell, argv: list[str]) -> None:
    parts = dict(word.split("=", 1) for word in argv[1:] if "=" in word)
    target, source = parts.get("of", ""), parts.get("if", "")
    if target:
        check_writes(shell, argv, [target])
        if not known(target[:1]):
            shell.find("write-outside", told(argv))
        hold(shell, target, (read(shell, source) if source else shell.stdin) or ANYTHING)
    if source and place(source, shell.folder).is_disk:
        shell.find("disk-copy", told(argv))


def _reads(shell: Shell, argv: list[str]) -> None:
    _check_reads(shell, argv, argv[1:])


_SORTED: Final = re.compile(r"(?:-[a-zA-Z]*?o|--output=?)(.*)").fullmatch


def _sort(shell: Shell, argv: list[str]) -> None:
    _reads(shell, argv)
    for number, word in enumerate(argv):
        found = _SORTED(word) if "o" in word and word[0] == "-" else None
        for path in ([found[1]] if found[1] else argv[number + 1 : number + 2]) if found else ():
            check_writes(shell, argv, [path])
            hold(shell, path, shell.stdin or ANYTHING)


def _trash(shell: Shell, argv: list[str]) -> None:
    if argv[0] != "gio" or "trash" in argv or "remove" in argv:
        _rm(shell, [argv[0], "-r", *(word for word in argv[1:] if word not in {"trash", "remove"})])


def _reaper(shell: Shell, argv: list[str]) -> None:
    """What is older than a time, below folders."""
    _rm(shell, [argv[0], "-r", *operands(argv[1:])])


def _format(shell: Shell, argv: list[str]) -> None:
    """Mkfs and its like: on a device, or on what is not known; a file of one's own may hold a file system."""
    paths = operands(argv[1:])
    if not paths and len(argv) > 1:
        return
    places = leading_to(shell, paths)
    if (
        any(each.is_disk for each in places)
        or any(each.is_unknown or each.start == "/" for each in places[-1:])
        or not paths
    ):
        shell.find("format", told(argv))


def _partition(*signs: str) -> Callable[[Shell, list[str]], None]:
    """A tool that also only shows: it is formatting if one of these words stands among its own."""
    wanted = frozenset(signs)
    letters = frozenset(sign[1] for sign in signs if len(sign) == 2)

    def check(shell: Shell, argv: list[str]) -> None:
        told_to = any(word.partition("=")[0] in wanted or not letters.isdisjoint(_letters(word)) for word in argv[1:])
        if told_to and any("/" in word or not known(word) for word in argv[1:]):
            shell.find("format", told(argv))

    return check


def _letters(word: str) -> str:
    """The letters of short options that stand in one word."""
    return word[1:] if word[:1] == "-" and word[1:].isalpha() else ""


def _fdisk(shell: Shell, argv: list[str]) -> None:
    """Driven by something that is piped in, it changes the partitions; alone it asks a person."""
    shows = any(word in {"-l", "--list", "-d", "--dump", "-J", "-x", "--json", "-s"} for word in argv)
    if not shows and (shell.stdin is not None) and operands(argv[1:]):
        shell.find("format", told(argv))


def _shred(shell: Shell, argv: list[str]) -> None:
    _all(shell, argv)
    if any(target.is_vital for target in leading_to(shell, operands(argv[1:]))):
        shell.find("delete-root-or-home", told(argv))


def _kill(shell: Shell, argv: list[str]) -> None:
    targets = argv[2:] if len(argv) > 2 else argv[1:]
    if argv[0] == "kill" and "-1" in targets and len(argv) > 2:
        shell.find("kill-all", told(argv))
    if argv[0] == "pkill" and argv[-1] in {".", ".*", "-u", "''"}:
        shell.find("kill-all", told(argv))
    if argv[0] == "killall5":
        shell.find("kill-all", told(argv))


def _rsync(shell: Shell, argv: list[str]) -> None:
    paths = operands(argv[1:])
    _check_moved_away(shell, argv)
    remote = any(re.match(r"[^/]*:|rsync://", path) for path in paths)
    if remote:
        shell.find("network", told(argv))
    local = [path for path in paths[-1:] if not re.match(r"[^/]*:|rsync://", path)]
    deletes = any(word.startswith("--del") for word in argv)
    for target in leading_to(shell, local) if deletes else ():
        if target.is_vital or target.is_unknown:
            shell.find("delete-root-or-home" if target.is_vital else "delete-unknown", told(argv))
    if len(paths) > 1:
        check_writes(shell, argv, local)
        copied(shell, paths[:-1], paths[-1])


def _fifo(shell: Shell, argv: list[str]) -> None:
    _all(shell, argv)
    for path in operands(argv[1:]):
        hold(shell, path, DOWNLOADED)


def _mknod(shell: Shell, argv: list[str]) -> None:
    """A device of its own: what is written to it goes to some disk."""
    _all(shell, argv)
    words = operands(argv[1:])
    if words[1:2] == ["b"]:
        link(shell, words[0], "/dev/sda")


def _attributes(shell: Shell, argv: list[str]) -> None:
    if _is_recursive(argv[1:]) and any(each.is_vital for each in leading_to(shell, operands(argv[1:]))):
        shell.find("change-root", told(argv))


def _check_moved_away(shell: Shell, argv: list[str]) -> None:
    """An archive or a copy that deletes what it holds."""
    if "--remove-files" in argv or "--remove-source-files" in argv:
        folders = [argv[n + 1] for n, word in enumerate(argv[:-1]) if word in {"-C", "--directory"}]
        if any(each.is_vital for each in leading_to(shell, [*operands(argv[1:]), *folders])):
            shell.find("delete-root-or-home", told(argv))


def _archive(shell: Shell, argv: list[str]) -> None:
    """An archive that moves what it is given into itself."""
    moves = any(word in {"--move", "-sdel", "m", "mf"} or "m" in _letters(word) for word in argv[1:])
    if moves and any(each.is_vital for each in leading_to(shell, operands(argv[1:]))):
        shell.find("delete-root-or-home", told(argv))


_TAR_RUNS: Final = re.compile(
    r"--(?:to-c|use-c|checkpoint-a|info-s|new-v|rsh-)[a-z-]*(?:=(.*))?|-[IF](.*)", re.DOTALL
).fullmatch
_TAR_FILE: Final = re.compile(r"-?[A-Za-z]*f").fullmatch


def _tar(shell: Shell, argv: list[str]) -> None:
    extracts = _extracts(argv)
    for number, word in enumerate(argv):
        following = argv[number + 1 : number + 2]
        if word in {"-C", "--directory"} and extracts:
            check_writes(shell, argv, following)
        runs = _TAR_RUNS(word) if word[:1] == "-" else None
        if runs:
            shell.run_text((runs[1] or runs[2] or "".join(following)).removeprefix("exec="))
        if not extracts and (word == "--file" or (word.endswith("f") and _TAR_FILE(word))):
            check_writes(shell, argv, following)
    _check_reads(shell, argv, argv)
    _check_moved_away(shell, argv)


def _unzip(shell: Shell, argv: list[str]) -> None:
    for sign, path in itertools.pairwise(argv):
        if sign == "-d":
            check_writes(shell, argv, [path])


_EXTRACTING: Final = frozenset({"-x", "--extract", "--get", "-t", "--list"})
_TAR_READS: Final = re.compile(r"-?[a-zA-Z]*[xt]").match


def _extracts(argv: list[str]) -> bool:
    first = argv[1] if len(argv) > 1 else ""
    return bool(_TAR_READS(first)) or not _EXTRACTING.isdisjoint(argv)


def _wipe_device(shell: Shell, argv: list[str]) -> None:
    if any(target.is_disk or target.is_unknown for target in leading_to(shell, operands(argv[1:]))):
        shell.find("format", told(argv))


DESTRUCTIVE: Final[dict[str, Callable[[Shell, list[str]], None]]] = {
    "rm": _rm,
    "unlink": _rm,
    "rmdir": _all,
    "trash": _trash,
    "trash-put": _trash,
    "gio": _trash,
    "srm": _rm,
    "tmpreaper": _reaper,
    "tmpwatch": _reaper,
    "rimraf": _reaper,
    "del-cli": _reaper,
    "zip": _archive,
    "7z": _archive,
    "7za": _archive,
    "rar": _archive,
    "wipe": _shred,
    "shred": _shred,
    "mv": _mv,
    "chmod": _rights,
    "chown": _rights,
    "chgrp": _rights,
    "chattr": _attributes,
    "setfacl": _attributes,
    "cp": _last,
    "ln": _ln,
    "link": _last,
    "dos2unix": _all,
    "unix2dos": _all,
    "install": _last,
    "gcp": _last,
    "mkdir": _all,
    "touch": _all,
    "truncate": _all,
    "fallocate": _all,
    "mknod": _mknod,
    "mkfifo": _fifo,
    "tee": _tee,
    "sponge": _tee,
    "dd": _dd,
    "dcfldd": _dd,
    "dc3dd": _dd,
    "ddrescue": _last,
    "cat": _reads,
    "tac": _reads,
    "head": _reads,
    "tail": _reads,
    "pv": _reads,
    "xxd": _reads,
    "od": _reads,
    "hexdump": _reads,
    "strings": _reads,
    "gzip": _reads,
    "base64": _reads,
    "nc": _reads,
    "sort": _sort,
    "less": _reads,
    "more": _reads,
    "mkswap": _format,
    "mke2fs": _format,
    "mkdosfs": _format,
    "mkntfs": _format,
    "newfs": _format,
    "mkreiserfs": _format,
    "wipefs": _partition("-a", "--all", "-o", "--offset"),
    "blkdiscard": _wipe_device,
    "badblocks": _partition("-w"),
    "fdisk": _fdisk,
    "sfdisk": _fdisk,
    "gdisk": _fdisk,
    "cfdisk": _fdisk,
    "sgdisk": _partition("-Z", "--zap-all", "-z", "--zap", "-o", "--clear", "-n", "--new", "-d", "--delete"),
    "parted": _partition("mklabel", "mktable", "mkpart", "rm", "resizepart", "mkfs", "mkpartfs"),
    "cryptsetup": _partition("luksFormat", "erase", "luksErase", "reencrypt"),
    "hdparm": _partition("--security-erase", "--security-erase-enhanced", "--trim-sector-ranges", "--write-sector"),
    "nvme": _partition("format", "sanitize", "write-zeroes"),
    "diskutil": _partition("eraseDisk", "eraseVolume", "partitionDisk", "zeroDisk", "randomDisk", "secureErase"),
    "zpool": _partition("labelclear"),
    "kill": _kill,
    "pkill": _kill,
    "killall5": _kill,
    "rsync": _rsync,
    "tar": _tar,
    "bsdtar": _tar,
    "unzip": _unzip,
}


_GNU: Final = (
    "rm unlink rmdir shred mv chmod chown chgrp cp ln install mkdir touch truncate tee dd cat tac head tail od sort"
)
DESTRUCTIVE.update({f"g{name}": DESTRUCTIVE[name] for name in [*_GNU.split(), "tar"]})  # as some systems call them
DELETING: Final = frozenset({"rm", "unlink", "rmdir", "mv", "shred", "chmod", "chown", "dd", "kill"})
"""Commands whose words are never another command's."""


def destroyer(name: str) -> Callable[[Shell, list[str]], None] | None:
    """What looks at what a command deletes, overwrites or formats."""
    check = DESTRUCTIVE.get(name)
    return _format if check is None and name.startswith(("mkfs", "newfs_")) else check
