"""Commands that stand in the words, the input or the variables of other programs."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import told
from hexad.skills.shell.editing import run_editor_text
from hexad.skills.shell.embedded import look_within
from hexad.skills.shell.held_files import held
from hexad.skills.shell.interpreters import scan
from hexad.skills.shell.makefiles import run_makefile
from hexad.skills.shell.values import Values, foreign

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell

_CARRIES: Final = {
    "m4": re.compile(r"e?syscmd\(`?([^)']*)"),
    "sqlite3": re.compile(r"\.(?:shell|system)\s+(.+)"),
    "gdb": re.compile(r"(?:^|\s)(?:shell|!)\s*(.+)"),
    "less": re.compile(r"^\+?!(.+)"),
    "make": re.compile(r"^(?:SHELL|MAKESHELL)=(.+)"),
    "man": re.compile(r"^-P(.+)"),
    "dc": re.compile(r"(?:^|\s)!\s*([^<>=\s].*)"),
    "ssh": re.compile(r"(?i)^-?o?\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)[= ]\s*(.+)"),
    **dict.fromkeys(("mysql", "mariadb"), re.compile(r"(?:\\!|\bsystem\b)\s*(.+)")),
    "hg": re.compile(r"=!\s*(.+)"),
    "psql": re.compile(r"(?:\\!|\bPROGRAM)\s*'?([^'\n]+)"),
    **dict.fromkeys(
        ("ftp", "sftp", "lftp", "telnet", "mutt", "mail", "mailx"), re.compile(r"^\s*~?!\s*(.+)", re.MULTILINE)
    ),
}
"""Programs with a way to a shell of their own, and how the command stands in their words or their input."""
_SCRIPTED: Final = frozenset({"m4", "sqlite3", "gdb", "dc"})
_OPTIONS: Final = {
    name: frozenset(options.split())
    for names, options in {
        "man": "-P --pager",
        "vagrant": "-c --command",
        "npm npx pnpm": "-c --call",
        "zip": "-TT --unzip-command",
        "rg": "--pre --hostname-bin",
        "sort gsort": "--compress-program",
        "split": "--filter",
        "rsync": "-e --rsh --rsync-path",
        "scp sftp": "-S",
        "fzf sk": "--preview --execute",
        "tcpdump": "-z",
        "nodemon": "-x --exec",
        "bat delta": "--pager",
        "pandoc": "-F --filter",
        "yt-dlp youtube-dl": "--exec --exec-before-download",
        "aria2c": "--on-download-complete --on-download-start --on-download-error --on-download-stop",
        "openvpn": "--up --down --route-up --ipchange",
        "ansible": "-a --args",
        "nix-shell": "--run --command",
        "xterm urxvt alacritty kitty konsole gnome-terminal": "-e -x --command",
        "mysql mariadb": "--pager",
        "inotifywait entr": "",
    }.items()
    for name in names.split()
}
"""Programs, and their options whose value is a command."""
_BEHIND: Final = {
    name: frozenset(parts.split())
    for names, parts in {
        "poetry uv pdm hatch pixi rye conda mamba micromamba dotenv doppler op": "run",
        "bundle rbenv pyenv asdf opam stack cabal aws-vault": "exec",
        "npm pnpm yarn mise": "exec x dlx",
    }.items()
    for name in names.split()
}
"""Programs, and the word behind which a command stands."""
CARRYING: Final = frozenset({*_CARRIES, *_OPTIONS, *_BEHIND})


def look_at_carried(shell: Shell, name: str, argv: list[str]) -> None:
    """Look at the commands that a program is given to run."""
    if name in _SCRIPTED and foreign(shell.stdin or ()):
        shell.find("pipe-to-shell", told(argv))
    if name == "sqlite3" and any("writefile" in text for text in _given(shell, argv)):
        shell.unseen.add("")
    sign = _CARRIES.get(name)
    for text in _given(shell, argv) if sign else ():
        for found in sign.finditer(text) if sign else ():
            shell.run_text(found[1])
    _run_options(shell, argv, _OPTIONS.get(name, frozenset()))
    for number, word in enumerate(argv[1:4], 1):
        if word in _BEHIND.get(name, ()):
            shell.run_words(_without_options(argv[number + 1 :]))
            break


def _given(shell: Shell, argv: list[str]) -> Values:
    """A program's words, its input, and the files that its words name."""
    files = (text for word in argv[1:] for text in held(shell, word) or ()) if shell.files else ()
    return (*argv[1:], *(shell.stdin or ()), *files)


def _run_options(shell: Shell, argv: list[str], options: frozenset[str]) -> None:
    for word, following in pairwise([*argv, ""]):
        option, equals, text = word.partition("=")
        if option in options and (equals or word == option):
            shell.run_text(text if equals else following)


def _without_options(words: list[str]) -> list[str]:
    while words and words[0][:1] == "-":
        words = words[1:]
    return words


def _tar_options(shell: Shell, value: str) -> None:
    if "exec" in value or re.search(r"-[IF]|--(?:to|use|info|new|rsh)-", value):
        shell.find("unknown-command", told([f"TAR_OPTIONS={value}"]))
    shell.run_words(["tar", *value.split()])


def _make_flags(shell: Shell, value: str) -> None:
    if "--eval" in value or "-E" in value:
        shell.find("unknown-command", told([f"MAKEFLAGS={value}"]))
        run_makefile(shell, value)


def _library(shell: Shell, value: str) -> None:
    """A library that programs load is code too; what the system brought is not the script's."""
    if "/" in value and not value.startswith(("/usr/", "/lib", "/opt/")):
        shell.find("unknown-command", told([f"LD_PRELOAD={value}"]))


def _agent(shell: Shell, value: str) -> None:
    if "agent" in value:
        shell.find("unknown-command", told([f"JAVA_TOOL_OPTIONS={value}"]))


def _setting(shell: Shell, value: str) -> None:
    shell.run_text(value.removeprefix("!"))


_COMMANDS: Final = """PROMPT_COMMAND PS0 PS1 PS2 PS4 BASH_ENV ENV PAGER MANPAGER GIT_PAGER EDITOR VISUAL GIT_EDITOR
    GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_SEQUENCE_EDITOR BROWSER LESSOPEN RSYNC_RSH SUDO_ASKPASS LESSCLOSE
    FZF_DEFAULT_COMMAND FZF_CTRL_T_COMMAND SSH_ASKPASS GIT_ASKPASS GIT_PROXY_COMMAND RUSTC_WRAPPER SYSTEMD_EDITOR
    SYSTEMD_PAGER KUBE_EDITOR DIFFPROG HGEDITOR SVN_EDITOR SVN_SSH CVS_RSH TEXEDIT PSQL_EDITOR PSQL_PAGER BAT_PAGER
    DELTA_PAGER GH_PAGER AWS_PAGER FCEDIT LESSEDIT PERL5SHELL MAKESHELL CC CXX CPP LD AR AS FC RANLIB STRIP"""
OTHERWISE_RUN: Final[dict[str, Callable[[Shell, str], None]]] = {
    **dict.fromkeys(("VIMINIT", "EXINIT", "GVIMINIT"), lambda shell, value: run_editor_text(shell, ["vim"], value)),
    "PERL5DB": lambda shell, value: scan(shell, ["perl", "-d"], value),
    "TAR_OPTIONS": _tar_options,
    **dict.fromkeys(("MAKEFLAGS", "GNUMAKEFLAGS"), _make_flags),
    **dict.fromkeys(("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"), _agent),
    **dict.fromkeys(("LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"), _library),
    **dict.fromkeys([f"GIT_CONFIG_VALUE_{number}" for number in range(10)], _setting),
    "GIT_CONFIG_PARAMETERS": lambda shell, value: look_within(shell, ["git"], value),
    "FZF_DEFAULT_OPTS": lambda shell, value: look_within(shell, ["fzf"], value),
}
"""Variables whose value other programs run, though not as a command."""
RUN_BY_OTHERS: Final = frozenset([*_COMMANDS.split(), *OTHERWISE_RUN])
"""Variables whose value other programs run."""
