"""Judge one command by its name and its literal words."""

from __future__ import annotations

import re
from itertools import pairwise
from posixpath import basename
from typing import TYPE_CHECKING, Final

from hexad.skills.shell import running
from hexad.skills.shell.places import (
    HOME,
    MADE,
    SELF,
    UNKNOWN,
    Place,
    is_secret,
    named,
    place,
    settled,
)
from hexad.skills.shell.reading import MOST, unescaped
from hexad.skills.shell.tables import SHELLS, needs

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.walking import Shell

_BIN: Final = re.compile(r"(?:/usr|/usr/local|/opt/homebrew)?/s?bin/([^/]+)")
DESTROYS: Final = named("rm dd mv chmod chown find shred sudo mkfs.ext4")
_PATTERNS: Final = [
    (rule, re.compile(text.replace("…", f"[{UNKNOWN}{MADE}]"), re.DOTALL))
    for rule, text in (
        row.split(maxsplit=1)
        for row in r"""
    pipe-to-shell   (?:nc|ncat|netcat|socat|telnet) .*(?:-\w*[ec] |--(?:sh-)?exec |(?i:exec|system):)
    kill-all        killall5|pkill .*(?<= )(?:\.|\.\*|\^)$|kill (?:-\w+ )?(?:-- )?(?:.* )?-?1$
    kill-other      (?:pkill|killall|skill) |fuser .*-\w*k|kill .*…
    privilege       chmod (?:\S+ )*(?:[ugoa,]*[ug][ugoa,]*\+[rwx]*s|\+s|0?[2467]\d{3} )|install .*-?m ?0?[2467]\d{3}\s
    privilege       (?:mkfs|mke2fs|mkswap|wipefs)\S* .*…|ifconfig \S+ \S
    write-outside   git .*config .*--(?:global|system) \S+ \S|dd .*of=…|mv .* /dev/null$
    delete-unknown  git .*(?:-C|--work-tree).* clean
    unknown-command sed .*(?:-\w*f |--file|(?:^|[;{}\n\d$/! ])e(?: |$)|s(\W)(?:(?!\1).)*\1(?:(?!\1).)*\1[gpIim\d]*e)
    unknown-command .* --?[\w-]*(?:exec|command|program|shell|rsh|pager|editor|hook|action|filter)[\w-]*=
    unknown-command .*\b(?:Proxy|Local)Command[= ]|.* --[\w-]*(?:program|exec|to-command|c-path|t-action)\b
    unknown-command git .*(?:-c|config) (?:\S+ )*(?!user|color|init|pu|advice|core\.(?:[qali]|file))[a-z]+\.\S+[= ]\S
    unknown-command git .*(?:bisect run|foreach|filter-b|for-each-repo|-pack=|(?:rebase|difft\w+) .*-\w*x)
    unknown-command (?:hash|bind) .*-\w*[px]|enable .*-\w*f|zip .*-TT|coproc\s|complete .*-C
    unknown-command (?:make|just|rake|ninja) .*(?:SHELL|--eval|-\w?[fCd] ?(?:-|/|~|\.\.)|=\S*…)
    unknown-command (?:tar|rsync|fd|n?vim?|emacs|x?term\w*) .*(?:-\w*[Iexc]|--(?:eval|exec|use-compress)\S*)[ =]\S*…
    unknown-command git .*(?:--config-env|--ext-|grep .*-O)|rg .*--pre|man .*-P
    unknown-command (?:n?vim?|view|ex|ed|emacs|less|gdb|lldb|sqlite3|l?ftp|mail|nmap) .*[ :.\\+]!\s*\w
    unknown-command (?:n?vim?|ex|emacs|gdb|lldb|sqlite3) .*(?:\b(?:system|shell|call|exec|py|lua)|-[Sxl] |-script)
    format          (?:mkfs(?:\.\w+)?|mke2fs|mkswap|wipefs|newfs|mkdosfs|mkntfs|blkdiscard|badblocks|pvcreate) .*/dev/\w
    format          (?:sgdisk|sfdisk|parted|fdisk|gdisk) (?!.*(?:-[lpin]|--list|--print|--no-act|print)(?: |$)).*/dev/\w
    format          cryptsetup (?!.*(?:status|isLuks|\w*(?:[oO]pen|[cC]lose|Dump|Key|UUID)) ).*/dev/\w
""".strip().splitlines()
    )
]
"""A rule, and the command lines that meet it; `…` is any text that is not known."""
_LONGEST: Final = 4_000  # characters of a command
_READS_COMMANDS: Final = named(
    "ed ex sqlite3 dc gdb m4 make"
)  # from standard input, and runs what some of them say
_RUNS: Final = re.compile(rf"{UNKNOWN}|(?m:^\s*[.!])|syscmd|shell|system|[;:]\s")
_PRINTS_WORDS: Final = named(
    "echo printf grep egrep fgrep rg ag man which type whatis apropos help info tldr"
)
_PASSES_ON: Final = named("cat tee head tail sort uniq nl column less more pv sponge")
_HARMLESS: Final = named("""
    [ [[ test false exit return break continue wait sleep date ls pwd stat file du df wc cut paste join comm diff cmp tr
    rev tac fold fmt expand seq sed jq yq xmllint xxd od hexdump strings base64 base32 basename dirname realpath mktemp
    md5sum sha1sum sha256sum sha512sum gzip gunzip zcat bzip2 xz zstd tar cpio unzip zip 7z iconv openssl gpg mkdir
    rmdir rm mv cp ln touch chmod tree dd bc expr numfmt shuf whoami id uname hostname kill umask ulimit curl wget find
""") | (_PRINTS_WORDS | _PASSES_ON)
"""Programs that run neither their input nor, by themselves, a file of the working directory."""
_DECODES: Final = re.compile(
    r"base(?:64|32|58|85|nc) .*-{1,2}[dD]|xxd .*-r|(?:gzip|bzip2|pigz|lzma|lzip|brotli) .*-\w*d|"
    r"(?:bunzip2|7z|openssl|gpg2?|age|uudecode|rev|tr|g?un(?:zip|xz|lz\w+|compress)|[bx]?z(?:cat|dec)?|zst\w*|"
    r"lz4\w*|iconv|dc|bc|hex2bin|funzip|c?crypt|ccat) "
)
_PRINTS: Final = {
    "jobs": "%1",
    "nproc": "1",
    "id": "1",
    "mktemp": f"/tmp/{UNKNOWN}",  # noqa: S108
    f"dirname {SELF}": ".",
}
_READS_DISK: Final = named(
    "cat head tail strings dd dcfldd cp gzip tar xxd od hexdump less more grep scp rsync base64"
)
_ASKS_DISK: Final = named("df lsblk blkid ls stat file findmnt udevadm test [")
_COLLECTS: Final = named("tar zip 7z cp rsync rclone scp grep rg ag")
_WRITES_ALL: Final = named(
    "touch mkdir rmdir unlink tee truncate shred chmod chown chgrp mkfifo mknod setfacl mv"
)
_WRITES_LAST: Final = named(
    "cp ln install rsync split convert magick ffmpeg scp ditto rclone pax link sed perl"
)
_WRITES_FIRST: Final = named("zip ed ex patch gpasswd sqlite3")
_UNPACKS: Final = re.compile(
    r"(?:unzip|7z[ar]? [xe]|unrar [xe]|cpio .*-\w*i|(?:bsd)?tar (?:-?\w*x|.* -\w*x|.*--(?:ex|get))\w*|git clone|wget|"
    r"g?un(?:xz|zip|zstd|lzma|compress)|bunzip2|(?:gzip|bzip2|xz|zstd|lz4) (?:\S+ )*-\w*d)\b"
)
_OUTPUTS: Final = re.compile(
    rf" (?:-o|--?out\w*|--output-\w+|--(?:target-)?directory|--dest|--prefix|-keyout)[ =](\S+)|"
    rf" -\w*[oOCtDf]((?:/|{HOME})\S+)| of=(\S+)"
)
_OUTPUTS_OF: Final = re.compile(
    r"(?:(?:cp|mv|ln|install) .*-t|(?:unzip|patch|aria2c) .*-d|ssh-keygen .*-f|(?:bsd)?tar .*-C|wget2? .*-[OP]) (\S+)"
)
"""Options whose value is written to: of any command, and of a few."""
_URL: Final = re.compile(
    r"(?:--?[\w-]+=)?(?!file:|data:)[a-z][a-z0-9+.-]*://|(?:--?[\w-]+=)?git@[\w.-]+:|.*/dev/tcp/"
)
_A_SHELL: Final = re.compile(rf"(?:\S*/)?(?:{'|'.join(SHELLS)})(?!\S)")
_NARROWS: Final = re.compile(
    r"-(?:i?name|i?path|i?regex|size|[acm]time|[acm]min|newer\w*|user|empty|perm)"
)


def judge(shell: Shell, argv: list[str]) -> str:
    """Judge one command with its words; returns what it prints, as far as that is
    known.
    """
    shell.spend(5 + len(argv))
    name = _BIN.sub(r"\1", argv[0])
    if MADE in name:
        shell.find("pipe-to-shell", argv)
        return MADE
    if (
        len(name) > _LONGEST
        or UNKNOWN in name
        or re.search(r"[*?\[]", name.rstrip("["))
    ):
        shell.find("unknown-command", argv)
        judge_words(shell, argv)
        return UNKNOWN
    return (
        shell.call(name, argv[1:])
        if argv[0] in shell.functions
        else judge_named(shell, name, argv)
    )


def judge_named(shell: Shell, name: str, argv: list[str]) -> str:
    """Judge a command that is not a function of the script."""
    if "PATH" in shell.variables:  # a file of the script may be what this name runs
        name = next((path for path in shell.files if path.endswith(f"/{name}")), name)
    if "/" in name or name == SELF:
        return running.run_file(shell, name, argv)
    argv = [name, *argv[1:]]
    return (_BUILTINS.get(name) or running.judge_of(name) or _judge_program)(
        shell, argv
    )


def _judge_program(shell: Shell, argv: list[str]) -> str:
    name = argv[0]
    line = " ".join(argv)
    if len(line) > _LONGEST:  # the patterns take quadratic time
        shell.find("too-complex", "")
        return UNKNOWN
    shell.spend(len(line) ** 2 // 10_000)
    for rule in needs(name, argv[1:]):
        shell.find(rule, argv)
    for rule, pattern in _PATTERNS:
        if name not in _PRINTS_WORDS - {"rg", "man"} and pattern.match(line):
            shell.find(rule, argv)
    runs = name in _READS_COMMANDS and _RUNS.search(shell.stdin or "")
    if runs or (
        name not in _HARMLESS
        and (shell.has_made_file or MADE in f"{line}{shell.stdin}")
    ):
        shell.find("unknown-command", argv)  # it may run that text
    if name in {"rm", "rmdir", "srm", "shred", "rimraf", "trash", "trash-put"}:
        _remove(shell, argv)
    elif name == "find":
        _find_files(shell, argv)
    elif name == "mv" or (
        name in {"chmod", "chown", "chgrp"} and has_option(argv, "R", "--recursive")
    ):
        paths = operands(argv[1:])
        if any(
            place(path, folder) is Place.VITAL
            for path in paths
            for folder in shell.folders
        ):
            shell.find("change-root", argv)
    _judge_writes(shell, argv)
    judge_words(shell, argv)
    return _printed(shell, argv)


def operands(arguments: list[str]) -> list[str]:
    """The words that are not options; all of those behind `--`."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return [
        *(word for word in arguments[:at] if word[:1] != "-" or word == "-"),
        *arguments[at + 1 :],
    ]


def has_option(argv: list[str], letters: str, long: str) -> bool:
    """Whether one of these options is among the words."""
    return any(re.match(rf"-\w*[{letters}]|{long}", word) for word in argv[1:])


def judge_words(shell: Shell, argv: list[str]) -> None:
    """Judge what the words of any command give away: secrets, addresses, devices, and
    other commands among them.
    """
    name = argv[0]
    for number, word in enumerate(argv[1:], 1):
        value = (
            word.partition("=")[2]
            if re.match(r"-?-?[\w-]+=", word)
            else word.removeprefix("@")
        )
        is_collected = (
            name in _COLLECTS
            and place(word) is Place.VITAL
            and argv[number - 1] != "-C"
        )
        if is_collected or any(
            is_secret(each, folder)
            for each in (value, word)
            for folder in shell.folders
        ):
            shell.find("credentials", argv)
        if name in _PRINTS_WORDS:
            continue
        if place(value) is Place.DISK and name not in _ASKS_DISK and word[:3] != "of=":
            shell.find("disk-copy" if name in _READS_DISK else "privilege", argv)
        if _URL.match(word) and name not in {"git", "npm"}:
            shell.find("network", argv)
        _judge_carried(shell, argv, number, value)
    if shell.stdin and name not in _PRINTS_WORDS | _PASSES_ON:
        shell.suspect(shell.stdin.lstrip("!:"), argv)


def _judge_carried(shell: Shell, argv: list[str], number: int, value: str) -> None:
    """A word that may hold a command, or with which one may begin."""
    word = argv[number]
    if _A_SHELL.match(word) and argv[number + 1 : number + 2] in (
        ["-c"],
        ["-lc"],
        ["-ic"],
    ):
        judge(shell, argv[number:])
    elif _A_SHELL.match(value.lstrip("!:")) and (
        argv[0] not in _HARMLESS or value != word or " " in word
    ):
        shell.find("unknown-command", argv)
    elif word in DESTROYS or word.startswith("mkfs"):
        shell.suspect(" ".join(argv[number:]), argv)
    elif " " in value and argv[number - 1] not in {"-m", "-am", "--message", "--grep"}:
        shell.suspect(value.lstrip("!:"), argv)


def _judge_writes(shell: Shell, argv: list[str]) -> None:
    name, paths, line = argv[0], operands(argv[1:]), " ".join(argv)
    targets = (
        paths if name in _WRITES_ALL else paths[:1] if name in _WRITES_FIRST else []
    )
    if (
        name in _WRITES_LAST
        and len(paths) > 1
        and (name not in {"sed", "perl"} or has_option(argv, "i", "--in-place"))
    ):
        targets = [path for path in paths[-1:] if not re.match(r"[\w.@-]+:", path)]
    targets = [
        *targets,
        *("".join(found) for found in _OUTPUTS.findall(line)),
        *_OUTPUTS_OF.findall(line),
    ]
    unpacks = _UNPACKS.match(line) and not has_option(argv, "tlp", "--list")
    if unpacks and "-C" not in argv:
        targets = [*targets, "."]
    decodes = unpacks or MADE in (shell.stdin or "") or _DECODES.match(f"{name} -d -r")
    is_made = decodes or "network" in needs(name, ["x"])
    for target in targets:
        shell.write(target, MADE if is_made else None, argv)
    if name in {"curl", "wget", "wget2", "aria2c", "axel"}:
        shell.files.update(
            (settled(basename(path), shell.folders[0]), MADE) for path in paths
        )
        shell.has_made_file |= name != "curl" or has_option(argv, "O", "--remote")
    elif name in {"cp", "mv", "ln", "install"} and len(paths) == 2:
        shell.files[settled(paths[1], shell.folders[0])] = shell.read(paths[0])


def _printed(shell: Shell, argv: list[str]) -> str:
    """The output of a program, as far as it is known."""
    name, stdin, paths = (
        argv[0],
        UNKNOWN if shell.stdin is None else shell.stdin,
        operands(argv[1:]),
    )
    if name in {"tee", "sponge"}:
        for path in paths:
            shell.write(path, stdin, argv)
        return stdin
    if name in _PASSES_ON and MADE not in stdin:
        files = [path for path in paths if not path.isdigit()]
        return "".join(map(shell.read, files)) if files else stdin
    if (
        MADE in stdin
        or _DECODES.match(" ".join([*argv, ""]))
        or "network" in needs(name, argv[1:])
    ):
        return MADE
    if name == "find":
        return "\n".join(f"{start}/{UNKNOWN}" for start in _starts(argv))
    return (
        shell.folders[0]
        if name == "pwd"
        else _PRINTS.get(" ".join(argv)) or _PRINTS.get(name, UNKNOWN)
    )


def _remove(shell: Shell, argv: list[str]) -> None:
    recursive = has_option(argv, "rR", "--recursive") or argv[0] not in {
        "rm",
        "rmdir",
        "srm",
    }
    for path in operands(argv[1:]):
        for where in {place(path, folder) for folder in shell.folders}:
            if where is Place.VITAL and (recursive or "*" in path):
                shell.find("delete-root-or-home", argv)
            elif where in {Place.VITAL, Place.OUTSIDE, Place.DISK}:
                shell.find("write-outside", argv)
            elif where is Place.UNKNOWN and recursive:
                shell.find("delete-unknown", argv)


def _starts(argv: list[str]) -> list[str]:
    """The folders that `find` searches."""
    words = [word for word in argv[1:] if not re.fullmatch(r"-[LHPD]|--|-O\d", word)]
    return words[
        : next(
            (n for n, word in enumerate(words) if word[:1] in {"-", "(", "!"}),
            len(words),
        )
    ] or ["."]


def _find_files(shell: Shell, argv: list[str]) -> None:
    """`find`: what it deletes, and what it runs for each file."""
    narrowed = any(_NARROWS.fullmatch(word) for word in argv)
    for start in _starts(argv):
        if "-delete" in argv:
            _remove(shell, ["rm", "-r", f"{start}/x" if narrowed else start])
        for number, word in enumerate(argv):
            if word in {"-exec", "-execdir", "-ok", "-okdir"}:
                inner = [
                    each.replace("{}", f"{start}/{UNKNOWN}")
                    for each in argv[number + 1 :]
                ]
                end = next(
                    (n for n, each in enumerate(inner) if each in {";", "+"}),
                    len(inner),
                )
                judge(shell, inner[:end] or [":"])


def _echo(_shell: Shell, argv: list[str]) -> str:
    options, text = re.findall(r"(?s)\A((?:-[neE]+ )*)(.*)", " ".join(argv[1:]))[0]
    return (unescaped(text) if "e" in options else text) + (
        "" if "n" in options else "\n"
    )


def _printf(shell: Shell, argv: list[str]) -> str:
    if argv[1:2] == ["-v"] and len(argv) > 3:
        shell.assign(argv[2], (_printf(shell, ["printf", *argv[3:]]),))
        return ""
    form, *given = argv[1:] or [""]
    values = iter(given)
    text = re.sub(
        r"%(?:([sbdi])|[^%]*[a-z])",
        lambda found: next(values, "") if found[1] else UNKNOWN,
        unescaped(form),
    )
    return text + "".join(f" {rest}" for rest in values)


def _change_folder(shell: Shell, argv: list[str]) -> str:
    target = (operands(argv[1:]) or [HOME])[0]
    unknown = target == "-" or argv[0] == "popd" or "CDPATH" in shell.variables
    folders = (
        [UNKNOWN] if unknown else [settled(target, each) for each in shell.folders]
    )
    folders += shell.folders if shell.unsure_depth else ()
    shell.folders = tuple(dict.fromkeys(folders))[:MOST]
    return ""


def _read_line(shell: Shell, argv: list[str]) -> str:
    text, names = (shell.stdin or UNKNOWN).strip(), operands(argv[1:])
    is_whole = len(names) == 1 and "\n" not in text
    for option, callback in pairwise(argv) if argv[0] != "read" else ():
        shell.run_text(callback if option == "-C" else "", argv)
    for name in names:
        shell.assign(name, (text if is_whole else MADE if MADE in text else UNKNOWN,))
    return ""


def _set(shell: Shell, argv: list[str]) -> str:
    if argv[0] == "shift" or operands(argv[1:]):
        shell.arguments = None if argv[0] == "shift" else operands(argv[1:])
    return UNKNOWN


def _define(shell: Shell, argv: list[str]) -> str:
    """`trap` and `alias`: texts that run later, as functions do."""
    defined = {
        word.partition("=")[0]: f'{word.partition("=")[2]} "$@"'
        for word in argv[1:]
        if "=" in word
    }
    if argv[0] == "trap":
        defined = {
            " ".join(argv): text for text in operands(argv[1:])[:1] if len(argv) > 2
        }
    shell.functions.update((name, (text, False)) for name, text in defined.items())
    return ""


_BUILTINS: Final[dict[str, Callable[[Shell, list[str]], str]]] = {
    "echo": _echo,
    "printf": _printf,
    **dict.fromkeys(("cd", "pushd", "popd", "chdir"), _change_folder),
    **dict.fromkeys(("read", "mapfile", "readarray"), _read_line),
    **dict.fromkeys(("set", "shift"), _set),
    **dict.fromkeys(
        (".", "source"),
        lambda shell, argv: running.run_file(shell, "".join(argv[1:2]), argv),
    ),
    "eval": lambda shell, argv: shell.run_text(" ".join(argv[1:]), argv),
    **dict.fromkeys(("trap", "alias"), _define),
    **dict.fromkeys((":", "true"), lambda _shell, _argv: ""),
}
