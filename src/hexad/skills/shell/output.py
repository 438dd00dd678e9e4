"""What a few harmless commands print, worked out and not run: the ways in which a script hides its words."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.held_files import INPUT, held
from hexad.skills.shell.parameters import looked_up, spelled
from hexad.skills.shell.values import (
    ANYTHING,
    DOWNLOADED,
    FOREIGN,
    HOME,
    NOTHING,
    SELF,
    UNKNOWN,
    WORK,
    Values,
    bounded,
    decoded,
    exchanged,
    foreign,
    joined,
    known,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell

DISK: Final = "/dev/sdX"
"""What stands for a disk whose name is not known."""
_MOUNTED: Final = frozenset({"/proc/mounts", "/proc/self/mounts", "/etc/mtab", "/etc/fstab"})
FIND_TESTS: Final = re.compile(
    r"-(?:i?name|i?path|i?regex|newer\w*|[amc]time|[amc]min|size|user|group|perm|empty|links|inum|wholename|uid|gid|nouser|"
    r"nogroup)"
)
"""The tests of `find` that choose some files; without one it finds all."""
_FETCHERS: Final = frozenset(
    [
        "curl",
        "wget",
        "nc",
        "ncat",
        "netcat",
        "socat",
        "ssh",
        "ftp",
        "lynx",
        "w3m",
        "links",
        "aria2c",
        "http",
        "https",
        "xh",
        "dig",
        "host",
        "nslookup",
        "telnet",
        "scp",
        "lftp",
        "GET",
    ]
)
_DECODERS: Final = frozenset(
    [
        "base64",
        "base32",
        "xxd",
        "openssl",
        "gunzip",
        "zcat",
        "gzip",
        "bunzip2",
        "bzcat",
        "xz",
        "xzcat",
        "unxz",
        "zstd",
        "zstdcat",
        "uudecode",
        "gpg",
        "uncompress",
    ]
)


_TAR_PRINTS: Final = re.compile(
    r"-?[a-zA-Z]*x[a-zA-Z]*O[a-zA-Z]*|-O|--to-stdout|-?[a-zA-Z]*O[a-zA-Z]*x[a-zA-Z]*"
).fullmatch
_ARCHIVES: Final = {
    **dict.fromkeys(("tar", "gtar", "bsdtar"), _TAR_PRINTS),
    "unzip": re.compile(r"-[a-zA-Z]*[pc]").fullmatch,
    **dict.fromkeys(("7z", "7za", "7zr"), re.compile(r"-so").fullmatch),
    "ar": re.compile(r"-?p").fullmatch,
}
"""What prints a file of an archive, by the option that says so."""


def printed(shell: Shell, name: str, arguments: list[str]) -> Values:
    """What a command prints, as far as that can be known."""
    if name in _FETCHERS:
        return DOWNLOADED
    given = shell.stdin
    if given is None and arguments and arguments[-1] in _MOUNTED:
        given, arguments = (DISK, UNKNOWN), arguments[:-1]
    came = _worked_out(shell, name, arguments, given)
    if UNKNOWN in came and (_is_told(given) or any(SELF in argument for argument in arguments)):
        shell.hides = True
    return came


def _is_told(given: Values | None) -> bool:
    return given is not None and any(known(text) and text.strip() for text in given)


def _worked_out(shell: Shell, name: str, arguments: list[str], given: Values | None) -> Values:
    work = _OUTPUTS.get(name)
    if work is not None:
        texts = given or NOTHING
        if len(texts) == 1:
            return bounded(work(shell, arguments, texts[0]))
        return bounded(text for each in texts for text in work(shell, arguments, each))
    if name in _DECODERS:
        return _decoder(name, arguments, given)
    if name in _ARCHIVES and any(map(_ARCHIVES[name], arguments)):
        return DOWNLOADED
    if given is not None and DISK in given and _keeps_first(name, arguments):
        return (DISK, UNKNOWN)
    return DOWNLOADED if given is not None and foreign(given) else ANYTHING


def _keeps_first(name: str, arguments: list[str]) -> bool:
    """Whether the first column is what is left."""
    return name.endswith("awk") and any("$1" in word for word in arguments)


def _decoder(name: str, arguments: list[str], given: Values | None) -> Values:
    """What is decoded is known if its code is; all the same it was hidden, and counts as text from elsewhere too."""
    flags = "".join(argument.lstrip("-") for argument in arguments if argument.startswith("-"))
    unpacks = name in {"gunzip", "zcat", "bunzip2", "bzcat", "xzcat", "unxz", "zstdcat", "uudecode", "uncompress"}
    if not (unpacks or re.search(r"d|D|r", flags)):
        return ANYTHING
    found: list[str] = []
    for text in given or ():
        plain = _plain(name, text) if known(text) else None
        found += [FOREIGN] if plain is None else [plain, plain + FOREIGN]
    return bounded(found) if found else DOWNLOADED


def _plain(name: str, text: str) -> str | None:
    coded = "".join(text.split())
    try:
        if name in {"base64", "openssl"}:
            return base64.b64decode(coded + "=" * (-len(coded) % 4)).decode()
        if name == "base32":
            return base64.b32decode(coded).decode()
        if name == "xxd":
            return bytes.fromhex(re.sub(r"^\w+:|\s{2}.*$", "", text, flags=re.MULTILINE)).decode()
    except (ValueError, binascii.Error):
        return None
    return None


def _echo(_shell: Shell, arguments: list[str], _given: str) -> Values:
    flags = ""
    while arguments and arguments[0][:1] == "-" and re.fullmatch(r"-[neE]+", arguments[0]):
        flags += arguments[0]
        arguments = arguments[1:]
    text = " ".join(arguments)
    end = "" if "n" in flags else "\n"
    if "\\" not in text:
        return (text + end,)
    return (decoded(text) + end,) if "e" in flags else bounded([text + end, decoded(text) + end])


def _printf(shell: Shell, arguments: list[str], _given: str) -> Values:
    variable = arguments[1] if arguments[:1] == ["-v"] and len(arguments) > 1 else None
    if variable is not None:
        arguments = arguments[2:]
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    text = _formatted(arguments[0], arguments[1:]) if arguments else ""
    if variable is None:
        return (text,)
    shell.assign(variable, (text,))
    return NOTHING


def _formatted(form: str, arguments: list[str]) -> str:
    if form == r"%s\n":  # nearly always
        return "".join([f"{argument}\n" for argument in arguments[:64]]) or "\n"
    waiting = list(arguments)
    pieces: list[str] = []
    for _ in range(64):
        pieces.append(re.sub(r"%(%|-?\d*(?:\.\d+)?[a-zA-Z])", lambda found: _converted(found[1], waiting), form))
        if not waiting or "%" not in form.replace("%%", ""):
            break
    return decoded("".join(pieces))


def _converted(conversion: str, waiting: list[str]) -> str:
    if conversion == "%":
        return "%"
    value = waiting.pop(0) if waiting else ""
    letter = conversion[-1]
    if letter in "sq":
        _, dot, most = conversion[:-1].partition(".")
        return (value[: int(most or 0)] if dot else value).replace("\\", "\\\\")
    if letter in "bc":
        return value if letter == "b" else value[:1]
    if not re.fullmatch(r"\d{1,9}", value):
        return UNKNOWN if value else "0"
    width = re.fullmatch(r"0?(\d{1,2})", conversion[:-1])
    return {"o": f"{int(value):o}", "x": f"{int(value):x}", "X": f"{int(value):X}"}.get(letter, value).rjust(
        int(width[1]) if width else 0, "0"
    )


def _cat(shell: Shell, arguments: list[str], given: str) -> Values:
    files = [argument for argument in arguments if not argument.startswith("-") or argument == "-"]
    if not files:
        return (given if shell.stdin is not None else UNKNOWN,)
    return joined([held(shell, file) or ANYTHING if file not in INPUT else (given,) for file in files])


def _rev(_shell: Shell, arguments: list[str], given: str) -> Values:
    return (
        ("\n".join(line[::-1] for line in given.split("\n")),)
        if known(given) and not arguments
        else (given or UNKNOWN,)
    )


def _tr(_shell: Shell, arguments: list[str], given: str) -> Values:
    if not known(given):
        return (given,)
    flags = "".join(argument[1:] for argument in arguments if re.fullmatch(r"-[cCdst]+", argument))
    sets = [_characters(argument) for argument in arguments if not re.fullmatch(r"-[cCdst]+", argument)]
    if not sets or set(flags) - {"d"} or None in sets:
        return ANYTHING
    first = sets[0] or ""
    if "d" in flags:
        return ("".join(character for character in given if character not in first),)
    if len(sets) != 2 or not sets[1]:
        return ANYTHING
    second = sets[1].ljust(len(first), sets[1][-1])
    return (given.translate(dict(zip(map(ord, first), second, strict=False))),)


def _characters(told: str) -> str | None:
    classes = {"[:upper:]": "A-Z", "[:lower:]": "a-z", "[:digit:]": "0-9", "[:space:]": " \t\n", "[:blank:]": " \t"}
    told = decoded(classes.get(told, told))
    if "[:" in told or not known(told):
        return None
    return re.sub(
        r"(.)-(.)", lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1))), told, flags=re.DOTALL
    )


def _sed(_shell: Shell, arguments: list[str], given: str) -> Values:
    """Substitutions of plain text; anything else is not known."""
    scripts = [argument for argument in arguments if argument not in {"-e", "-E", "-r", "--expression"}]
    if not known(given) or len(scripts) != 1:
        return (FOREIGN,) if FOREIGN in given else ANYTHING
    for part in scripts[0].split(";"):
        found = re.fullmatch(r"\s*s([/|,#:@!])(.*?)\1(.*?)\1(g?)\s*", part)
        if not found or re.search(r"[\\.*\[^$+?(&]", found[2] + found[3]):
            return ANYTHING
        lines = given.split("\n")
        given = "\n".join(exchanged(line, found[2], found[3], -1 if found[4] else 1) for line in lines)
    return (given,)


def _disks(asks: str) -> Callable[[Shell, list[str], str], Values]:
    """What lists disks, if its words say that it names them by their paths."""
    names = re.compile(asks).search

    def work(_shell: Shell, arguments: list[str], _given: str) -> Values:
        return (DISK, UNKNOWN) if names(" ".join(["", *arguments])) else ANYTHING

    return work


_COLUMNS: Final = re.compile(r"-[cb](\d*)(-?)(\d*)").fullmatch


def _cut(_shell: Shell, arguments: list[str], given: str) -> Values:
    if given == DISK and "-f1" in "".join(arguments):
        return (DISK,)
    told = _COLUMNS("".join(arguments))
    if not told or not known(given):
        return (FOREIGN,) if FOREIGN in given else ANYTHING
    first = int(told[1] or 1)
    last = int(told[3]) if told[3] else None if told[2] else first
    return ("\n".join(line[first - 1 : last] for line in spelled(given).split("\n")),)


def _passed(_shell: Shell, _arguments: list[str], given: str) -> Values:
    """Perhaps all of what was given, perhaps a part."""
    return (given, UNKNOWN) if known(given) and given else (given or UNKNOWN,)


def _folder(shell: Shell, _arguments: list[str], _given: str) -> Values:
    return (shell.folder,)


def _temporary(_shell: Shell, arguments: list[str], _given: str) -> Values:
    flags = {"-p", "--tmpdir"}
    return ANYTHING if flags & set(arguments) else (f"/tmp/{UNKNOWN}",)  # noqa: S108 - where mktemp makes it


def _last_path(_shell: Shell, arguments: list[str], _given: str) -> Values:
    return (arguments[-1] if arguments else UNKNOWN,)


def _which(_shell: Shell, arguments: list[str], _given: str) -> Values:
    name = arguments[-1] if arguments else UNKNOWN
    return (name if "/" in name or not known(name) else f"/usr/bin/{name}",)


def _dirname(_shell: Shell, arguments: list[str], _given: str) -> Values:
    path = arguments[-1] if arguments else UNKNOWN
    if path.startswith("\x04"):
        return (WORK,)
    if path.rstrip("/") in {HOME, WORK}:
        return ("/home" if path.rstrip("/") == HOME else f"{WORK}/..",)
    head, slash, _ = path.rstrip("/").rpartition("/")
    return (head or ("/" if slash else WORK) if known(path) else UNKNOWN,)


def _basename(_shell: Shell, arguments: list[str], _given: str) -> Values:
    paths = [argument for argument in arguments if not argument.startswith("-")]
    name = paths[0].rstrip("/").rpartition("/")[2] if paths else UNKNOWN
    return (name.removesuffix(paths[1]) if len(paths) > 1 else name,)


def _find(_shell: Shell, arguments: list[str], _given: str) -> Values:
    """The first thing that `find` prints is the folder it starts in, unless it looks for something."""
    count = next((n for n, word in enumerate(arguments) if word[:1] in {"-", "(", "!"}), len(arguments))
    if any(path.rstrip("/") == "/dev" for path in arguments[:count]):
        return (DISK, UNKNOWN)
    looks_for = any(FIND_TESTS.fullmatch(word) for word in arguments)
    starts = arguments[:count] or [WORK]
    if looks_for and all(known(start) and start not in {"/", HOME} for start in starts):
        return bounded(f"{start.rstrip('/')}/{UNKNOWN}" for start in starts)
    return ANYTHING if looks_for or not count else bounded([*starts, UNKNOWN])


def _ls(_shell: Shell, arguments: list[str], _given: str) -> Values:
    paths = [argument for argument in arguments if not argument.startswith("-")]
    return bounded([*paths, UNKNOWN]) if any("d" in argument for argument in arguments[:1]) else ANYTHING


_OUTPUTS: Final[dict[str, Callable[[Shell, list[str], str], Values]]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "tee": lambda shell, _arguments, given: _cat(shell, [], given),
    "rev": _rev,
    "tr": _tr,
    "sed": _sed,
    "cut": _cut,
    "head": _passed,
    "tail": _passed,
    "sort": _passed,
    "uniq": _passed,
    "grep": _passed,
    "pwd": _folder,
    "printenv": lambda shell, arguments, _given: looked_up(shell, arguments[-1]) if arguments else ANYTHING,
    "mktemp": _temporary,
    "which": _which,
    "type": _last_path,
    "realpath": _last_path,
    "readlink": _last_path,
    "dirname": _dirname,
    "basename": _basename,
    "find": _find,
    "ls": _ls,
    "lsblk": _disks(r" -\w*p| --paths|PATH"),
    "findmnt": _disks("SOURCE"),
    "df": _disks(r"output=source|^(?!.*output)"),
    "mount": _disks("^$| -l$"),
    "blkid": _disks(r" -[LU]| device"),
    "test": lambda _shell, _arguments, _given: NOTHING,
    "[": lambda _shell, _arguments, _given: NOTHING,
    ":": lambda _shell, _arguments, _given: NOTHING,
    "true": lambda _shell, _arguments, _given: NOTHING,
}
PRINTING: Final = frozenset({*_OUTPUTS, *_FETCHERS, *_DECODERS, *_ARCHIVES}) - {"test", "[", ":", "true"}
"""Commands of which something is known that they print."""
