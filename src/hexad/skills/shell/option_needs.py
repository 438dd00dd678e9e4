"""What a command needs by the values of its options and its operands: files that it writes, hosts that it asks.

`capabilities.py` knows what the name and the subcommand tell; here stands what only the other words do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import check_writes, operands, told
from hexad.skills.shell.values import UNKNOWN, known

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell


@dataclass(frozen=True, slots=True)
class Outputs:
    """Which options name what is written: letters and long names; ``folder`` if it else writes where it is started."""

    letters: str = ""
    long: tuple[str, ...] = ()
    folder: bool = False


_OUTPUTS: Final[dict[str, Outputs]] = {
    "sort": Outputs("o", ("--output",)),
    "shuf": Outputs("o", ("--output",)),
    "iconv": Outputs("o", ("--output",)),
    "ctags": Outputs("of"),
    "uniq": Outputs(),
    "gpg": Outputs("o", ("--output",)),
    "gpg2": Outputs("o", ("--output",)),
    "mktemp": Outputs("p", ("--tmpdir",)),
    "ssh-keygen": Outputs("f"),
    "pandoc": Outputs("o", ("--output",)),
    "csplit": Outputs("f", ("--prefix",)),
    "cp": Outputs("t", ("--target-directory",)),
    "mv": Outputs("t", ("--target-directory",)),
    "ln": Outputs("t", ("--target-directory",)),
    "install": Outputs("t", ("--target-directory",)),
    "patch": Outputs("do", ("--directory", "--output")),
    "pv": Outputs("o", ("--output",)),
    "strace": Outputs("o", ("--output",)),
    "time": Outputs("o", ("--output",)),
    "xmllint": Outputs("", ("--output",)),
    "xsltproc": Outputs("o", ("--output",)),
    "openssl": Outputs("", ("-out", "-keyout")),
    "zstd": Outputs("o"),
    "gcc": Outputs("o"),
    "cc": Outputs("o"),
    "clang": Outputs("o"),
    "jq": Outputs(),
    "split": Outputs(),
    "zip": Outputs(),
    "sqlite3": Outputs(),
    "ed": Outputs(),
    "ex": Outputs(),
    "tree": Outputs("o"),
    "convert": Outputs(),
    "magick": Outputs(),
    "ffmpeg": Outputs(),
    "git": Outputs("", ("--output",)),
    "unzip": Outputs("d", folder=True),
    "7z": Outputs("o", folder=True),
    "7za": Outputs("o", folder=True),
    "7zr": Outputs("o", folder=True),
    "unrar": Outputs(folder=True),
    "cpio": Outputs("D", ("--directory",), folder=True),
    "tar": Outputs("C", ("--directory", "--cd"), folder=True),
    "bsdtar": Outputs("C", ("--directory", "--cd"), folder=True),
}
_URL: Final = re.compile(
    r"(?:https?|ftps?|sftp|rtmps?|rtsp|rtp|srt|udp|tcp|wss?|hkps?|ldaps?|mongodb(?:\+srv)?|redis|amqp)://"
).match
_OPENS_URLS: Final = frozenset(
    """chromium chromium-browser google-chrome google-chrome-stable chrome brave firefox opera microsoft-edge epiphany
    ffmpeg ffplay ffprobe mpv vlc cvlc mplayer gst-launch-1.0 xdg-open open sensible-browser x-www-browser xmllint
    xsltproc wkhtmltopdf wkhtmltoimage weasyprint mongosh mongo mongodump mongorestore mongoexport mongoimport puppeteer
    playwright gio pandoc monolith httrack redis-cli psql pg_dump pg_restore gpg gpg2""".split()  # noqa: SIM905
)
_HOSTS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    **dict.fromkeys(
        ("psql", "pg_dump", "pg_dumpall", "pg_restore", "createdb", "dropdb", "pg_isready", "pgbench", "redis-cli"),
        ("h", ("--host",)),
    ),
    **dict.fromkeys(("mysql", "mariadb", "mysqldump", "mysqlimport", "mysqlshow"), ("h", ("--host",))),
    **dict.fromkeys(("mongosh", "mongo", "mongodump", "mongorestore"), ("", ("--host",))),
    **dict.fromkeys(("sqlcmd", "bcp"), ("S", ("--server",))),
    "influx": ("", ("-host", "--host")),
    "clickhouse-client": ("h", ("--host",)),
    "cqlsh": ("", ()),
}
"""Programs that talk to a server of their own machine unless an option names another one."""
_HERE: Final = re.compile(
    r"(?:localhost|127(?:\.\d+){3}|::1|\(local\)|\.|/.*|host|hostname|)(?:[:,\\]\d*)?", re.DOTALL
).fullmatch
_CHANGES_DATA: Final = re.compile(
    r"(?i)\b(?:drop|delete|insert|update|create|alter|replace|vacuum|attach|reindex|pragma\s+\w+\s*=)\b|\.(?:import|"
    r"restore|read|save|backup)"
)
_SHOWS_ARCHIVE: Final = re.compile(r"-(?:l|t|p|v|Z|z|c)\w*")


def values_of(arguments: list[str], letters: str, long: tuple[str, ...]) -> list[str]:
    """What the options of these names are given: in the same word, behind `=`, or as the next word."""
    found: list[str] = []
    short = _short(letters) if letters else None
    for number, word in enumerate(arguments):
        if word[:1] != "-" or word in {"-", "--"}:
            continue
        following = arguments[number + 1 : number + 2]
        name, equals, value = word.partition("=")
        if name in long or (len(name) > 5 and name.startswith("--") and any(each.startswith(name) for each in long)):
            found += [value] if equals else following
        elif short and not word.startswith("--") and (given := short(word)):
            found += [given[1].removeprefix("=")] if given[1] else following
    return found


@lru_cache(maxsize=128)
def _short(letters: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(rf"-[A-Za-z0-9]*?[{letters}](.*)", re.DOTALL).fullmatch


def note_options(shell: Shell, name: str, argv: list[str]) -> None:
    """Note what a command needs by its options and operands."""
    outputs = _OUTPUTS.get(name)
    if outputs is not None:
        _note_outputs(shell, name, argv, outputs)
    host = _HOSTS.get(name)
    if host is not None and any(not _HERE(value) for value in values_of(argv[1:], *host) if known(value)):
        shell.find("network", told(argv))
    if name in _OPENS_URLS and any(_URL(word.partition("=")[2] if word[:2] == "--" else word) for word in argv[1:]):
        shell.find("network", told(argv))
    special = _SPECIAL.get(name)
    if special is not None:
        special(shell, argv)


def _note_outputs(shell: Shell, name: str, argv: list[str], outputs: Outputs) -> None:
    paths = values_of(argv[1:], outputs.letters, outputs.long)
    if not outputs.folder:
        check_writes(shell, argv, paths)
    elif _unpacks(name, argv):
        check_writes(shell, argv, paths or ["."])
    elif name in {"tar", "bsdtar"}:
        check_writes(shell, argv, values_of(argv[1:], "f", ("--file",)))


def _unpacks(name: str, argv: list[str]) -> bool:
    """Whether an archive is taken apart, and not made or shown."""
    first = "".join(argv[1:2])
    if name in {"tar", "bsdtar"}:
        letters = [word for word in argv[1:2] if "/" not in word and "." not in word]
        letters += [word for word in argv[2:] if re.fullmatch(r"-[a-zA-Z]+", word)]
        long = {"--extract", "--get"} & set(argv)
        return bool(long) or any("x" in word and word[:2] != "--" for word in letters)
    if name == "unzip":
        return not any(_SHOWS_ARCHIVE.fullmatch(word) for word in argv[1:])
    if name == "cpio":
        return any(re.fullmatch(r"-[a-zA-Z]*i[a-zA-Z]*", word) for word in argv[1:]) or "--extract" in argv
    return first in {"x", "e"}


def _first_operand(shell: Shell, argv: list[str]) -> None:
    check_writes(shell, argv, operands(argv[1:])[:1])


def _last_operand(shell: Shell, argv: list[str]) -> None:
    paths = operands(argv[1:])
    check_writes(shell, argv, paths[-1:] if len(paths) > 1 else [])


def _sqlite(shell: Shell, argv: list[str]) -> None:
    words = operands(argv[1:])
    texts = [*words[1:], *(shell.stdin or ())]
    if any(_CHANGES_DATA.search(text) for text in texts) and words:
        check_writes(shell, argv, words[:1])


def _edited(shell: Shell, argv: list[str]) -> None:
    if shell.stdin is not None:
        check_writes(shell, argv, operands(argv[1:]))


def _git(shell: Shell, argv: list[str]) -> None:
    words = operands(argv[1:])
    if (
        words[:1] == ["config"]
        and {"--global", "--system"} & set(argv)
        and (len(words) > 2 or {"--unset", "--unset-all", "--add", "--edit", "-e", "--remove-section"} & set(argv))
    ):
        shell.find("write-outside", told(argv))
    if words[:1] in (["archive"], ["format-patch"], ["bundle"]):
        check_writes(shell, argv, [*values_of(argv[1:], "o", ("--output", "--output-directory")), *words[2:3]])


def _date(shell: Shell, argv: list[str]) -> None:
    words = operands(argv[1:])
    if values_of(argv[1:], "s", ("--set",)) or any(re.fullmatch(r"\d{8,12}(?:\.\d\d)?", word) for word in words):
        shell.find("privilege", told(argv))


def _hostname(shell: Shell, argv: list[str]) -> None:
    if operands(argv[1:]) or {"-F", "--file", "-b", "--boot"} & set(argv):
        shell.find("privilege", told(argv))


def _ifconfig(shell: Shell, argv: list[str]) -> None:
    if len(operands(argv[1:])) > 1:
        shell.find("privilege", told(argv))


def _go(shell: Shell, argv: list[str]) -> None:
    if any("@" in word for word in argv[2:]):
        shell.find("network", told(argv))


_EVERY_PROCESS: Final = re.compile(
    r"(?:\$\(|`)\s*(?:ps\s+(?:-?[eA]\w*|-?ax\w*|-?aux\w*)\b(?!.*(?:grep|pgrep|/[^/]+/|[=~]=))|"
    r"pgrep\s+(?:-u\s*\S+\s*)?['\"]?\.?['\"]?\s*[)`]|"
    r"ls\s+/proc)",
    re.DOTALL,
).search


def _kill(shell: Shell, argv: list[str]) -> None:
    """What is killed is not known, but the script asks for every process there is."""
    text = (shell.node.text or b"").decode("utf-8", "replace") if shell.node is not None else ""
    if any(UNKNOWN in word for word in argv[1:]) and _EVERY_PROCESS(text):
        shell.find("kill-all", told(argv))


def _kill_by_user(shell: Shell, argv: list[str]) -> None:
    """All the processes of a user, if no name says which of them."""
    users = values_of(argv[1:], "uU", ("--user", "--euid", "--uid"))
    others = [word for word in operands(argv[1:]) if word not in users]
    narrowed = any(
        re.match(r"-[fxtPgGnoJ]|--(?:full|exact|terminal|parent|oldest|newest|older)", word) for word in argv[1:]
    )
    if users and not others and not narrowed:
        shell.find("kill-all", told(argv))


_SPECIAL: Final[dict[str, Callable[[Shell, list[str]], None]]] = {
    "uniq": lambda shell, argv: check_writes(shell, argv, operands(argv[1:])[1:2]),
    "zip": _first_operand,
    "7z": lambda shell, argv: check_writes(shell, argv, argv[2:3]) if argv[1:2] in (["a"], ["u"], ["d"]) else None,
    "split": _last_operand,
    "convert": _last_operand,
    "magick": _last_operand,
    "ffmpeg": _last_operand,
    "patch": _first_operand,
    "sqlite3": _sqlite,
    "ed": _edited,
    "ex": _edited,
    "git": _git,
    "date": _date,
    "hostname": _hostname,
    "ifconfig": _ifconfig,
    "go": _go,
    "kill": _kill,
    "pkill": _kill_by_user,
    "killall": _kill_by_user,
}
OPTION_NEEDS: Final = frozenset({*_OUTPUTS, *_HOSTS, *_OPENS_URLS, *_SPECIAL})
"""Every command that is looked at here."""
