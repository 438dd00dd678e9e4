"""Commands that run another command: shells, `sudo`, `env`, `xargs`, `find -exec` and their like."""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import operands, told
from hexad.skills.shell.endless import CONDITIONS, takes_apart
from hexad.skills.shell.environment import set_up
from hexad.skills.shell.fetching import is_fetched
from hexad.skills.shell.held_files import INPUT, held
from hexad.skills.shell.hidden_commands import look_within
from hexad.skills.shell.interpreters import scan
from hexad.skills.shell.lasting import rejected
from hexad.skills.shell.output import FIND_TESTS
from hexad.skills.shell.own_commands import OWN_COMMANDS
from hexad.skills.shell.plain import quoted_words
from hexad.skills.shell.unseen import run_unseen
from hexad.skills.shell.values import (
    ANYTHING,
    FOREIGN,
    NOTHING,
    SELF,
    UNKNOWN,
    Values,
    bounded,
    exchanged,
    foreign,
    known,
)
from hexad.skills.shell.wrapper_tables import RUNNERS, SHELLS, WRAPPERS, behind_sign, inner_words, without_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell


_OF_THE_SHELL: Final = frozenset({"time", "coproc", "noglob", "nocorrect"})  # they run functions too
_IN_TEXT: Final = frozenset(
    {"watch", "hyperfine", "ssh", "mosh", "rsh", "script", "su", "sg", "runuser", "flock", "tmux", "screen", "xterm"}
)
_TAKES_TEXT: Final = frozenset({"script", "su", "sg", "runuser", "flock", "capsh"})
_APART: Final = re.compile(f"(?<!/){UNKNOWN}")  # what is not known may be several words; behind a folder it is a name
_TEXT_FOLLOWS: Final = re.compile(r"-[a-zA-Z]*c").fullmatch


def wrapped(shell: Shell, name: str, argv: list[str]) -> Values | None:
    """Run what a wrapper runs; None if the command is none."""
    if name in SHELLS:
        return _shell(shell, argv)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(shell, argv)
    if name in RUNNERS:
        return _runner(shell, name, argv)
    return _plain(shell, name, argv) if name in WRAPPERS else None


def _plain(shell: Shell, name: str, argv: list[str]) -> Values:
    arguments = argv[1:]
    if name == "command" and arguments[:1] and re.fullmatch(r"-[pvV]*[vV]", arguments[0]):
        return (arguments[-1],)
    if name == "env":
        return _env(shell, arguments)
    inner = inner_words(name, arguments)
    if name == "coproc" and "{" in inner:
        inner = inner[inner.index("{") :]
    if not inner and name in {"sudo", "doas"} and shell.stdin is not None and {"-s", "-i", "-"} & set(arguments):
        return _reads_input(shell, argv)
    shell.started += name == "coproc" or (name == "setsid" and bool({"-f", "--fork"} & set(arguments)))
    outer = shell.stdin
    if name == "coproc":
        shell.stdin = ANYTHING  # whatever is written to it later
    printed = shell.run_words(inner, by_name=name in _OF_THE_SHELL) if inner else NOTHING
    if len(inner) < len(arguments):  # an option may have taken more words than is known
        look_within(shell, inner)
    shell.stdin = outer
    return printed


def _env(shell: Shell, arguments: list[str]) -> Values:
    scope = shell.enter()
    text = set_up(shell, arguments)
    inner = inner_words("env", arguments)
    printed = shell.run_text(text) if text else shell.run_words(inner, by_name=False) if inner else NOTHING
    if len(inner) < len(arguments):
        look_within(shell, inner)
    shell.leave(scope)
    return printed


def _runner(shell: Shell, name: str, argv: list[str]) -> Values | None:
    """A program that runs a command, or a text, for somebody; it may do much else."""
    words = behind_sign(name, argv[1:])
    if not words:
        return None
    if " " in words[0]:
        for text in words:
            shell.run_text(text)
    else:
        shell.run_words(words)
        look_within(shell, words)
    return ANYTHING


def _shell(shell: Shell, argv: list[str]) -> Values:
    """A shell: the code of its `-c`, the script that it is given, or what it reads."""
    arguments = argv[1:]
    takes_code = reads = False
    while arguments and arguments[0][:1] in {"-", "+"} and len(arguments[0]) > 1:
        word = arguments[0]
        if word in {"--version", "--help", "-n"}:
            return NOTHING
        takes_value = word in {"--rcfile", "--init-file", "-o", "+o", "-O", "+O"}
        if word in {"--rcfile", "--init-file"} and len(arguments) > 1:
            run_file(shell, argv, arguments[1])
        takes_code = takes_code or (not word.startswith("--") and "c" in word) or word == "--command"
        reads = reads or (not word.startswith("--") and "s" in word)
        arguments = arguments[2 if takes_value else 1 :]
        if word == "--":
            break
    if takes_code:
        return _code(shell, argv, arguments)
    if arguments and not reads and arguments[0] not in INPUT:
        return run_file(shell, argv, arguments[0])
    return _reads_input(shell, argv)


def _code(shell: Shell, argv: list[str], arguments: list[str]) -> Values:
    if not arguments:
        if shell.stdin is not None:
            shell.find("pipe-to-shell", told(argv))
        return NOTHING
    code, given = arguments[0], arguments[1:]
    if FOREIGN in code:
        shell.find("pipe-to-shell", told(argv))
    if argv[0].endswith("xonsh"):
        scan(shell, argv, code)
    return shell.run_with(code, given)


def _reads_input(shell: Shell, argv: list[str]) -> Values:
    """A shell that runs what it is given: that must be known as it stands."""
    if shell.stdin is None:
        shell.find("unknown-command", told(argv))
        return ANYTHING
    printed: list[str] = []
    for text in shell.stdin:
        if (FOREIGN in text or not text.strip(UNKNOWN + " \t\n")) and text.strip():
            shell.find("pipe-to-shell" if FOREIGN in text or shell.hides else "unknown-command", told(argv))
        if known(text) or text.strip(UNKNOWN + FOREIGN + " \t\n"):
            printed += _input_run(shell, text)
    return bounded(printed) if printed else ANYTHING


def _input_run(shell: Shell, text: str) -> Values:
    outer, shell.stdin = shell.stdin, None
    printed = shell.run_text(text)
    shell.stdin = outer
    return printed


def run_file(shell: Shell, argv: list[str], path: str, *, here: bool = False) -> Values:
    """A script in a file: what this script wrote into it is known."""
    if SELF in path:
        check_self(shell, argv)
        return ANYTHING
    if path in INPUT:
        return _reads_input(shell, argv)
    texts = held(shell, path)
    if texts is None:
        if is_fetched(shell, path):
            shell.find("pipe-to-shell", told(argv))
        run_unseen(shell, argv, path)
        if not known(path) and path != f"/tmp/{UNKNOWN}":  # noqa: S108
            shell.find("unknown-command", told(argv))
        return ANYTHING
    if foreign(texts):
        shell.find("pipe-to-shell", told(argv))
    return bounded(text for each in texts for text in _held(shell, argv, each, here=here))


def _held(shell: Shell, argv: list[str], text: str, *, here: bool) -> Values:
    if text == SELF:
        check_self(shell, argv)
        return ANYTHING
    if not text.strip(UNKNOWN + FOREIGN + " \t\n"):
        if UNKNOWN in text:
            shell.find("unknown-command", told(argv))
        return ANYTHING
    return shell.run_text(text, here=here)


def check_self(shell: Shell, argv: list[str]) -> None:
    """The script starts itself: beside itself, in a pipe, or whatever happens, it never ends."""
    whole = (shell.script.root.text if shell.script else None) or b""
    place = next((n for n, word in enumerate(argv) if SELF in word), len(argv))
    if (shell.background or shell.piped or not CONDITIONS(whole)) and not takes_apart(whole, argv[place + 1 :]):
        shell.find("fork-bomb", told(argv))


def _eval(shell: Shell, argv: list[str]) -> Values:
    return shell.run_text(" ".join(word for word in argv[1:] if word != "--"), here=True)


def _source(shell: Shell, argv: list[str]) -> Values:
    return run_file(shell, argv, argv[1], here=True) if len(argv) > 1 else NOTHING


def _trap(shell: Shell, argv: list[str]) -> Values:
    words = [word for word in argv[1:] if word not in {"--", "-"}]
    if len(words) > 1 and not words[0].startswith("-"):
        rejected(shell, partial(shell.run_text, words[0]))  # as it is now; and at the end as it is then
        shell.traps.append(words[0])
    return NOTHING


def _xargs(shell: Shell, argv: list[str]) -> Values:
    """The command behind the options, with what is piped in behind its words or in the place of a sign."""
    arguments = argv[1:]
    sign = ""
    while arguments and arguments[0].startswith("-") and len(arguments[0]) > 1:
        word = arguments[0]
        if word.startswith(("-I", "-i", "--replace", "-J")):
            sign = word[2:] or (arguments[1] if word in {"-I", "-J"} and len(arguments) > 1 else "{}")
            sign = word.partition("=")[2] or "{}" if word.startswith("--replace") else sign
        takes = word in {
            "-I",
            "-J",
            "-n",
            "-P",
            "-L",
            "-d",
            "-s",
            "-a",
            "-E",
            "-R",
            "-S",
            "--max-args",
            "--max-procs",
            "--arg-file",
            "--delimiter",
        }
        arguments = arguments[2 if takes else 1 :]
    given = shell.stdin if shell.stdin is not None else ANYTHING
    arguments = arguments or ["echo"]
    printed: list[str] = []
    for text in given:
        printed += _with_input(shell, argv, arguments, text, sign)
    return bounded(printed) if printed else ANYTHING


def _with_input(shell: Shell, argv: list[str], words: list[str], text: str, sign: str) -> Values:
    items = _APART.sub(f" {UNKNOWN} ", text).replace("'", "").replace('"', "").split() if text else []
    if words[0].rpartition("/")[2] in SHELLS and (len(words) == 1 or words[-1] == "-c"):
        if not known(text):
            shell.find("pipe-to-shell", told(argv))
        items = quoted_words(text)
        return shell.run_text(f"{text}\n{' '.join(items)}") if words[-1] == "-c" else shell.run_words([*words, *items])
    outer, shell.stdin = shell.stdin, None
    filled = [exchanged(word, sign, " ".join(items)) for word in words[:256]] if sign else [*words, *items]
    printed = shell.run_words(filled[:256])
    look_within(shell, filled)
    shell.stdin = outer
    return printed


_PARALLEL_TAKES: Final = frozenset(
    """--jobs --sshlogin --colsep --results --joblog --timeout --tmpdir --workdir --wd --arg-file --delay --retries
    --env --max-args --max-procs --basefile --return --tagstring --load --memfree --halt --tempdir --delimiter --nice
    --rpl""".split()  # noqa: SIM905
)
_PARALLEL_SIGN: Final = re.compile(r"\{[/.#%0-9]*\}")


def _parallel(shell: Shell, argv: list[str]) -> Values:
    words = argv[1:]
    signs = [n for n, word in enumerate(words) if re.fullmatch(r":::\+?|::::\+?", word)]
    command, lists = (words[: signs[0]], words[signs[0] + 1 :]) if signs else (words, [])
    files = [path for word, path in pairwise(words) if word in {"-a", "--arg-file", "::::"}]
    command = without_options(command, "jSNnaPILXCd", _PARALLEL_TAKES)
    items = [word for word in lists if not word.startswith(":::")] if signs else list(shell.stdin or ANYTHING)
    items = [line for path in files for text in held(shell, path) or () for line in text.split("\n") if line] or items
    text = " ".join(command)
    for item in items[:64]:
        if not text and not known(item):
            shell.find("pipe-to-shell" if FOREIGN in item else "unknown-command", told(argv))
        else:
            form = _PARALLEL_SIGN.sub("{}", text)
            shell.run_text(exchanged(form, "{}", item) if "{}" in form else f"{text} {item}")
            look_within(shell, [*command, item])
    return ANYTHING


def _find(shell: Shell, argv: list[str]) -> Values:
    arguments, follows = argv[1:], ""
    while arguments[:1] and re.fullmatch(r"-[LHP]|-O\d?|-D|--", arguments[0]):
        follows = "/" if arguments[0] in {"-L", "-H"} else follows
        arguments = arguments[2 if arguments[0] == "-D" else 1 :]
    count = next((n for n, word in enumerate(arguments) if word[:1] in {"-", "(", "!"}), len(arguments))
    paths, tests = arguments[:count] or ["."], arguments[count:]
    filtered = any(
        FIND_TESTS.fullmatch(word)
        and set("".join(tests[n + 1 : n + 2])) - set("*?.")
        and tests[n - 1] not in {"!", "-not"}
        for n, word in enumerate(tests)
    )
    if "-delete" in tests:
        shell.run_words(["rm", "-r", *(f"{path}/{UNKNOWN}" if filtered else path + follows for path in paths)])
    for number, word in enumerate(tests):
        if word in {"-exec", "-execdir", "-ok", "-okdir"}:
            _find_exec(shell, tests[number + 1 :], paths, filtered=filtered)
        elif word.startswith("-fprint") or word == "-fls":
            shell.run_words(["touch", *tests[number + 1 : number + 2]])
    return ANYTHING


def _find_exec(shell: Shell, tests: list[str], paths: list[str], *, filtered: bool) -> None:
    end = next((n for n, word in enumerate(tests) if word in {";", "+", "\\;"}), len(tests))
    words = tests[:end]
    for path in paths:
        found = f"{path.rstrip('/')}/{UNKNOWN}" if filtered else path
        if words:
            outer, shell.stdin = shell.stdin, None
            shell.run_words([exchanged(word, "{}", found) for word in words])
            if not filtered and words[0].rpartition("/")[2] in {"rm", "unlink", "shred", "truncate"}:
                shell.run_words(["rm", "-r", path])  # file by file
            shell.stdin = outer


def _fd(shell: Shell, argv: list[str]) -> Values:
    for sign in ("-x", "-X", "--exec", "--exec-batch"):
        if sign in argv:
            words, paths = argv[argv.index(sign) + 1 :], operands(argv[1 : argv.index(sign)])[1:]
            recursive = ["-r"] if words[:1] == ["rm"] else []
            shell.run_words([*words, *recursive, *(paths or [UNKNOWN])])
    return ANYTHING


def _behind_c(arguments: list[str]) -> str | None:
    for number, word in enumerate(arguments):
        if word.startswith("--command="):
            return word.partition("=")[2]
        if (word == "--command" or _TEXT_FOLLOWS(word)) and arguments[number + 1 :]:
            return arguments[number + 1]
    return None


def _in_text(shell: Shell, argv: list[str]) -> Values:
    """Commands that give a text to a shell: the one behind `-c`, or all the words that follow."""
    name, arguments = argv[0].rpartition("/")[2], argv[1:]
    text = _behind_c(arguments) if name in _TAKES_TEXT else None
    if text is not None:
        return shell.run_text(text)
    if name in {"script", "su", "sg", "runuser"}:
        return _reads_input(shell, argv) if name in {"su", "runuser"} and shell.stdin is not None else NOTHING
    takes = {
        "ssh": "bcDEeFIiJLlmOopQRSWw",
        "watch": "n",
        "flock": "wE",
        "mosh": "",
        "rsh": "l",
        "tmux": "fLSct",
        "screen": "cSptsT",
    }
    left = without_options(arguments, takes.get(name, ""))
    if name == "hyperfine":
        for text in left:
            shell.run_text(text)
        return ANYTHING
    left = left[{"ssh": 1, "mosh": 1, "rsh": 1, "flock": 1, "tmux": 1}.get(name, 0) :]
    while name == "tmux" and left and left[0].startswith("-"):
        left = left[2 if left[0] in {"-s", "-n", "-t", "-c"} else 1 :]
    if name == "ssh":
        outer, shell.folder = shell.folder, "/home/user"
        shell.run_text(" ".join(left))
        shell.folder = outer
        return (FOREIGN,)
    has_text = " " not in "".join(left[:1]) and any(" " in word for word in left)
    return shell.run_words(left) if name == "flock" or has_text else shell.run_text(" ".join(left))


def _at(shell: Shell, argv: list[str]) -> Values:
    shell.find("privilege", told(argv))
    return _reads_input(shell, argv) if shell.stdin else NOTHING


def _crontab(shell: Shell, _argv: list[str]) -> Values:
    for text in shell.stdin or ():
        for line in text.split("\n"):
            shell.run_text(re.sub(r"^\s*(?:@\w+|(?:[\d*/,-]+\s+){4}[\d*/,\w-]+)\s+", "", line))
    return NOTHING


def _connected(shell: Shell, argv: list[str]) -> Values:
    """Nc and socat can give a shell to whoever is at the other end."""
    runs = {"-e", "-c", "--exec", "--sh-exec", "--lua-exec"} if argv[0].rpartition("/")[2] != "socat" else set()
    if runs & set(argv) or any(re.match(r"(?i)exec:|system:|shell:", word) for word in argv):
        shell.find("pipe-to-shell", told(argv))
    return (FOREIGN,)


def _renamed(name: str, shell: Shell, argv: list[str]) -> Values:
    """A command of a module of zsh that does what another one does."""
    return shell.run_words([name, *argv[1:]])


_SPECIAL: Final[dict[str, Callable[[Shell, list[str]], Values]]] = {
    "eval": _eval,
    ".": _source,
    "source": _source,
    "trap": _trap,
    "xargs": _xargs,
    "parallel": _parallel,
    "coreutils": lambda shell, argv: shell.run_words([argv[1].rpartition("=")[2], *argv[2:]] if argv[1:] else []),
    "find": _find,
    "gfind": _find,
    "bfs": _find,
    "fd": _fd,
    "fdfind": _fd,
    "run-parts": lambda shell, argv: run_file(shell, argv, f"{argv[-1]}/*"),
    "at": _at,
    "batch": _at,
    "crontab": _crontab,
    **dict.fromkeys(("nc", "ncat", "netcat", "socat"), _connected),
    **{f"zf_{name}": partial(_renamed, name) for name in ("rm", "mv", "rmdir", "ln", "chmod", "chown", "mkdir")},
    "sem": lambda shell, argv: _parallel(shell, [argv[0], *argv[1:], ":::", ""]),
    **OWN_COMMANDS,
    **dict.fromkeys(_IN_TEXT, _in_text),
}
WRAPPING: Final = frozenset({*SHELLS, *WRAPPERS, *RUNNERS, *_SPECIAL})
"""Commands that run another one, or change what is known."""
