"""Code in other languages that a script carries: what it plainly starts, deletes or opens.

This reads the code's calls and quoted texts, not its meaning. Code that builds what it runs is not known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import told
from hexad.skills.shell.paths import place
from hexad.skills.shell.values import FOREIGN, HOME, decoded, known

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

CODE_OPTIONS: Final[dict[str, str]] = {
    "python": "c",
    "perl": "eE",
    "ruby": "e",
    "node": "ep",
    "nodejs": "ep",
    "bun": "e",
    "php": "rB",
    "lua": "e",
    "luajit": "e",
    "Rscript": "e",
    "R": "e",
    "osascript": "e",
    "tclsh": "",
    "deno": "",
    "expect": "c",
    "julia": "eE",
    "pwsh": "c",
    "guile": "c",
    "emacs": "",
    "ghc": "e",
    "groovy": "e",
    "scala": "e",
}
"""Interpreters, and the letters of the options behind which they take code."""

_LONG: Final = frozenset({"--eval", "--print", "--command", "-Command", "eval", "-exec", "--execute"})
_TEXT: Final = r"""(?:[rbfu]{0,2}"((?:[^"\\]|\\.)*)"|[rbfu]{0,2}'((?:[^'\\]|\\.)*)')"""
_STARTS: Final = re.compile(
    r"\b(?:system|popen\d?|Popen|exec[lv]?[pe]{0,2}|execSync|execFile(?:Sync)?|spawn(?:Sync|[lv]p?e?)?|shell_exec|passthru|"
    r"proc_open|getoutput|getstatusoutput|check_output|check_call|subprocess\.(?:run|call)|posix_spawnp?|pcntl_exec|"
    r"IO\.popen|os\.execute|io\.popen|capture2e?|capture3|shellout|run_command|do shell script|eval|pty\.spawn)\b\s*\(?\s*"
)
_LIST: Final = re.compile(rf"[\[(]?\s*{_TEXT}(?:\s*,\s*{_TEXT})*\s*[\])]?")
_ONE: Final = re.compile(_TEXT)
_BACKTICKS: Final = re.compile(r"`([^`]*)`|%x\{([^}]*)\}|\bqx\s*[({/|!]([^)}/|!]*)[)}/|!]")
_DELETES: Final = re.compile(
    r"\b(?:rmtree|remove_tree|rm_rf|rm_r|remove_entry(?:_secure)?|rmSync|rmdirSync|rimraf|removeSync|remove_dir_all|rm)\b"
    r"\s*\(?\s*([^)]{0,200})"
)
_A_HOME: Final = re.compile(r"expanduser|homedir|Path\.home|\bHOME\b|Dir\.home")
_OPENS: Final = re.compile(rf"\bopen\w*\s*\(?\s*{_TEXT}\s*,\s*['\"][rbt]*[wax+>]|>\s*['\"]?(/[\w./-]+)")
_CONNECTS: Final = re.compile(
    r"\burllib|\burlopen\b|\brequests\.|\bhttp\.client|\bhttpx\b|\bsocket\b|\bLWP\b|\bHTTP::|IO::Socket|net/http|Net::HTTP|"
    r"\bfetch\s*\(|https?://|open-uri|\bTCPSocket\b|require\(['\"]net['\"]\)|fsockopen|http\.server|/inet/tcp/"
)
_FORK_LOOP: Final = re.compile(
    r"\bfork\b.*\b(?:while|until|for|foreach|loop)\b|\b(?:while|until|for|foreach|loop)\b.*\bfork\b", re.DOTALL
)
_HIDES: Final = re.compile(
    r"b64decode|base64|decode64|unhexlify|fromhex|atob|unpack|decompress|\bchr\b|fromCharCode|codecs|rot13|urlopen|pack\("
)
_AWK_PIPES: Final = re.compile(rf"\|&?\s*{_TEXT}|{_TEXT}\s*\|&?\s*getline")


def code_of(name: str, arguments: list[str]) -> tuple[list[str], bool]:
    """The code on an interpreter's command line, and whether it reads its program from elsewhere instead."""
    letters = CODE_OPTIONS[name]
    codes: list[str] = []
    reads_input = True
    skip = False
    for place_, argument in enumerate(arguments):
        following = arguments[place_ + 1 : place_ + 2]
        if skip:
            skip = False
        elif argument in _LONG or (letters and re.fullmatch(rf"-[a-zA-Z0-9]*[{letters}]", argument)):
            codes += following
            reads_input, skip = False, True
        elif letters and re.match(rf"-[{letters}]\S", argument):
            codes.append(argument[2:])
            reads_input = False
        elif argument in {"-m", "-f"} or (
            not argument.startswith("-") or argument in {"--version", "-V", "--help", "-v"}
        ):
            reads_input = False
            break
    return codes, reads_input


def scan(shell: Shell, argv: list[str], code: str) -> None:
    """Look at what a piece of code plainly does."""
    if FOREIGN in code:
        shell.find("pipe-to-shell", told(argv))
    elif not known(code) and not re.search(r"\w{3}", code):
        shell.find("unknown-command", told(argv))
    if _FORK_LOOP.search(code):
        shell.find("fork-bomb", told(argv))
    if _CONNECTS.search(code):
        shell.find("network", told(argv))
    _scan_paths(shell, argv, code)
    _scan_starts(shell, argv, code)


def scan_awk(shell: Shell, argv: list[str], code: str) -> None:
    """The same for awk, whose pipes start commands too."""
    scan(shell, argv, code)
    for found in _AWK_PIPES.finditer(code):
        text = next(group for group in found.groups("") if group is not None)
        for group in found.groups():
            text = group if group is not None else text
        shell.stdin = None if text not in {"sh", "bash"} else ("\x00",)
        shell.run_text(_unquoted(text))


def _scan_paths(shell: Shell, argv: list[str], code: str) -> None:
    for found in _ONE.finditer(code):
        text = found[1] if found[1] is not None else found[2]
        if text.startswith("/") and place(_unquoted(text)).is_disk:
            shell.find("device-write", told(argv))
    for found in _DELETES.finditer(code):
        _deleted(shell, argv, found[1])
    for found in _OPENS.finditer(code):
        text = next((group for group in found.groups() if group), "")
        if place(text).is_outside:
            shell.find("write-outside", told(argv))


def _deleted(shell: Shell, argv: list[str], given: str) -> None:
    text = _ONE.search(given)
    path = _unquoted((text[1] if text[1] is not None else text[2]) if text else "")
    if path.startswith("~") or (_A_HOME.search(given) and not re.search(r"/\w|,\s*['\"]\w", given)):
        path = HOME + path.lstrip("~")
    target = place(path) if path else None
    if target is None:
        shell.find("delete-unknown", told(argv))
    elif target.is_vital:
        shell.find("delete-root-or-home", told(argv))
    elif target.is_outside:
        shell.find("write-outside", told(argv))


def _scan_starts(shell: Shell, argv: list[str], code: str) -> None:
    for found in _BACKTICKS.finditer(code):
        shell.run_text(next(group for group in found.groups() if group is not None))
    for call in _STARTS.finditer(code):
        behind = code[call.end() : call.end() + 2000]
        if behind[:1] in {",", ")", "=", ";", ""} and "(" not in call[0]:
            continue
        words = _LIST.match(behind)
        if words:
            _started(shell, argv, call[0], [_unquoted(one or other) for one, other in _ONE.findall(words[0])])
        else:
            shell.find("pipe-to-shell" if _HIDES.search(code) else "unknown-command", told(argv))


def _started(shell: Shell, argv: list[str], call: str, words: list[str]) -> None:
    if call.startswith(("eval", "exec(", "exec ")) and not re.match(r"[\w./-]+(\s|$)", words[0]):
        scan(shell, argv, words[0])
    elif call.startswith("execl") and len(words) > 1:
        shell.run_words(words[1:])
    elif len(words) > 1 and not words[1].startswith(("r", "w")) or (len(words) > 1 and "/" in words[-1]):
        shell.run_words(words)
    else:
        shell.run_text(words[0])


def _unquoted(text: str) -> str:
    return decoded(text)
