"""Code in other languages that a script carries: what it plainly starts, deletes or opens.

This reads the code's calls and quoted texts, not its meaning. Code that builds what it runs is not known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import told
from hexad.skills.shell.held_files import hold
from hexad.skills.shell.paths import place
from hexad.skills.shell.rules import RULES
from hexad.skills.shell.values import ANYTHING, FOREIGN, HOME, LONGEST, decoded, known

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
_TEXT: Final = r"""(?:[rbfu]{0,2}"((?:[^"\\]|\\.){0,500})"|[rbfu]{0,2}'((?:[^'\\]|\\.){0,500})')"""
_STARTS: Final = re.compile(
    r"\b(?:system|popen\d?|Popen|exec[lv]?[pe]{0,2}|execSync|execFile(?:Sync)?|spawn(?:Sync|[lv]p?e?)?|shell_exec|passthru|"
    r"proc_open|getoutput|getstatusoutput|check_output|check_call|subprocess\.(?:run|call)|posix_spawnp?|pcntl_exec|"
    r"IO\.popen|os\.execute|io\.popen|capture2e?|capture3|shellout|run_command|do shell script|eval|"
    r"pty\.spawn)\b\s*\(?\s*"
)
_OPTION: Final = re.compile(r"\b\w+\s*(?:=|:)\s*(?:True|False|None|\d+|true|false|\w+\.(?:PIPE|DEVNULL))")
_LEFT_OVER: Final = re.compile(r"[A-Za-z$@_]\w*")
_ONE: Final = re.compile(_TEXT)
_BACKTICKS: Final = re.compile(r"`([^`]*)`|%x\{([^}]{0,500})\}|\bqx\s*[({/|!]([^)}/|!]{0,500})[)}/|!]")
_DELETES: Final = re.compile(
    r"\b(?:rmtree|remove_tree|rm_rf|rm_r|remove_entry(?:_secure)?|rmSync|rmdirSync|rimraf|removeSync|remove_dir_all|"
    r"rm(?=\s*\(|\s+['\"/]))\b\s*\(?\s*([^)]{0,200})"
)
_REMOVES: Final = re.compile(
    rf"\b(?:unlink|os\.remove|os\.rmdir|os\.rename|unlinkSync|rmdir)\b\s*\(?\s*(?:glob\b\s*\(?\s*)?{_TEXT}"
)
_WALKS: Final = re.compile(
    rf"(?:\b(?:walk|Path|glob|iglob|scandir|listdir|rglob|nftw|find)\s*\(\s*|delete-directory\s+){_TEXT}|"
    r"\bfile\s+delete\s+(?:-force\s+)?(?:--\s+)?([/~][^\s;]*)"
)
_UNLINKS: Final = re.compile(r"\b(?:unlink\w*|remove\w*|rmtree|rmdir|rm|delete)\b")
_CAN_START: Final = re.compile(
    r"\.(?:call|run)\b|subprocess|getattr|__import__|Command|qx|%x|shell|spawn|system|exec|popen", re.IGNORECASE
)
_FIRST_WORD: Final = re.compile(r"[\w./-]+")
_A_HOME: Final = re.compile(r"expanduser|homedir|Path\.home|\bHOME\b|Dir\.home")
_OPENS: Final = re.compile(rf"\bopen\w*\s*\(?\s*{_TEXT}\s*,\s*['\"][rbt]*[wax+>]|>\s*['\"]?(/[\w./-]+)")
_CONNECTS: Final = re.compile(
    r"\burllib|\burlopen\b|\brequests\.|\bhttp\.client|\bhttpx\b|\bsocket\b|\bLWP\b|\bHTTP::|IO::Socket|net/http|Net::HTTP|"
    r"\bfetch\s*\(|https?://|open-uri|\bTCPSocket\b|require\(['\"]net['\"]\)|fsockopen|http\.server|/inet/tcp/"
)
_FORK: Final = re.compile(r"\bfork\b")
_LOOP: Final = re.compile(r"\b(?:while|until|for|foreach|loop|redo|goto|map|times|each)\b")
_FORKS_ON: Final = re.compile(r"\bfork\b[^;\n]{0,80}?[ \t)}](?:while|until|for|foreach)\b")
_CALMS: Final = re.compile(r"\b(?:_?exit|exec\w*|wait\w*|accept|break|last|return|kill)\b")
_PUT_TOGETHER: Final = re.compile(r"(?P<quote>['\"])\s*[+.]\s*(?P=quote)")  # "/dev/" + "sda"
_GAP: Final = re.compile(r"\s{50,}")  # longer than anybody writes: it would be looked at again from each of its places
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))#[^\n]*")
_MOST_CALLS: Final = 100  # of other programs, in one piece of code
_HIDES: Final = re.compile(
    r"b64decode|base64|decode64|unhexlify|fromhex|atob|unpack|decompress|\bchr\b|fromCharCode|codecs|rot13|urlopen|pack\("
)
_ONLY_COUNTS: Final = re.compile(
    r"(?:[\s\d{}()\[\]$+*=;,<!&.?:^-]|\b(?:BEGIN|END|FS|OFS|NF|NR|FNR|print|if|else|for|while|in|next|exit|length|int|"
    r"substr|split|tolower|toupper|sum|count|total|max|min|seen|[a-z])\b)*+"
).fullmatch
"""An awk program without a text, a pipe, a file or a call that matters; most are such."""
_AWK_WRITES: Final = re.compile(r'print\w*\s*(?:"([^"]{0,500})"|[^>;}]{0,200})\s*>+\s*"([^"]{1,500})"')
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
    if len(code) > LONGEST:
        shell.find("too-complex", "")
        code = code[:LONGEST]
    code = _GAP.sub("\n", code)
    if FOREIGN in code:
        shell.find("pipe-to-shell", told(argv))
    elif not known(code) and not re.search(r"\w{3}", code):
        shell.find("unknown-command", told(argv))
    if "+" in code or "." in code:
        code = _PUT_TOGETHER.sub("", code)
    if "fork" in code and _forks_on(code):
        shell.find("fork-bomb", told(argv))
    if _CONNECTS.search(code):
        shell.find("network", told(argv))
    _scan_paths(shell, argv, code)
    _scan_starts(shell, argv, code)
    _scan_texts(shell, code)
    for spawned in re.findall(r"\bspawn\s+([^;\n]+)", code) if argv[0] == "expect" else ():
        shell.run_text(spawned)


def _forks_on(code: str) -> bool:
    """Whether code starts itself in a loop, and neither ends nor awaits what it started."""
    code = _COMMENT.sub("", code)
    forks = [found.start() for found in _FORK.finditer(code)]
    loop = _LOOP.search(code)
    in_loop = (loop is not None and forks and loop.start() < forks[-1]) or _FORKS_ON.search(code) is not None
    return bool(in_loop) and _CALMS.search(code) is None


def scan_awk(shell: Shell, argv: list[str], code: str) -> None:
    """The same for awk, whose pipes start commands too."""
    if _ONLY_COUNTS(code):
        return
    scan(shell, argv, code)
    for text, path in _AWK_WRITES.findall(code):
        hold(shell, path, (f"{decoded(text)}\n",) if text else ANYTHING)
    for found in _AWK_PIPES.finditer(code):
        text = next((group for group in found.groups() if group), "")
        shell.stdin = None if text.rpartition("/")[2] not in {"sh", "bash"} else (FOREIGN,)
        shell.run_text(_unquoted(text))


def _scan_paths(shell: Shell, argv: list[str], code: str) -> None:
    for found in _ONE.finditer(code):
        text = found[1] if found[1] is not None else found[2]
        if text.startswith("/") and place(_unquoted(text)).is_disk:
            shell.find("device-write", told(argv))
    for found in _DELETES.finditer(code):
        _deleted(shell, argv, found[1])
    for found in _WALKS.finditer(code) if _UNLINKS.search(code) else ():
        if place(next((group for group in found.groups() if group), "")).is_vital:
            shell.find("delete-root-or-home", told(argv))
    for found in _REMOVES.finditer(code):
        target = place(next((group for group in found.groups() if group), ""))
        if target.is_vital or target.is_outside:
            shell.find("delete-root-or-home" if target.is_vital else "write-outside", told(argv))
    for found in _OPENS.finditer(code):
        text = next((group for group in found.groups() if group), "")
        if place(text).is_outside:
            shell.find("write-outside", told(argv))


def _scan_texts(shell: Shell, code: str) -> None:
    """Quoted texts that would destroy something as a command, in code that can start one in some way."""
    if not _CAN_START.search(code):
        return
    texts = [_unquoted(one or other) for one, other in _ONE.findall(code)]
    before = dict(shell.found)
    for text in [*texts, " ".join(texts), code]:
        first = _FIRST_WORD.search(text)
        if first and " " in text:
            shell.run_text(text[first.start() :])
    for spot in re.finditer(r"\b(?:rm|dd|mkfs\S{0,40})\s+[^\"'`)}]+", code):
        shell.run_text(spot[0])
    for mark in [mark for mark in shell.found if mark not in before and RULES[mark[0]].capability is not None]:
        del shell.found[mark]


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
    for number, call in enumerate(_STARTS.finditer(code)):
        if number == _MOST_CALLS:
            shell.find("too-complex", "")
            break
        behind = _call_words(code[call.end() : call.end() + 2000])
        if not behind.strip() or (behind[:1] in {",", ")", "=", ";"} and "(" not in call[0]):
            continue
        words = [_unquoted(one or other) for one, other in _ONE.findall(behind)]
        _started(shell, argv, call[0], words)
        if not words or _LEFT_OVER.search(_ONE.sub("", _OPTION.sub("", behind))):
            shell.find("pipe-to-shell" if _HIDES.search(code) else "unknown-command", told(argv))


def _call_words(behind: str) -> str:
    """What a call is given: up to the bracket that closes it, or the end of the statement."""
    depth = 0
    for place_, sign in enumerate(_ONE.sub(lambda text: "_" * len(text[0]), behind)):
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (depth == 0 and sign in ";\n"):
            return behind[:place_]
    return behind


def _started(shell: Shell, argv: list[str], call: str, words: list[str]) -> None:
    """The words of a call, in each way in which it may put them together."""
    if not words:
        return
    if call.startswith(("eval", "exec")) and len(words) == 1 and re.search(r"[=(]", words[0]):
        scan(shell, argv, words[0])
        return
    shell.run_text("".join(words))
    for some in (words, words[1:]) if len(words) > 1 else ():
        shell.run_words([word for word in some if word])


def _unquoted(text: str) -> str:
    return decoded(text)
