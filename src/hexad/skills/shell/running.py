"""Commands that run something else: other commands, text as a shell script, files, or
code in another language.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell import commands
from hexad.skills.shell.places import (
    HOME,
    MADE,
    SELF,
    UNKNOWN,
    Place,
    named,
    place,
    settled,
)
from hexad.skills.shell.tables import SHELLS, needs

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.walking import Shell

_WRAPPERS: Final[dict[str, tuple[str, int]]] = {
    name: (letters.strip("-"), int(skips))
    for row in """
        sudo=ugpCThRDrtU=0 doas=uC=0 pkexec=-=0 env=uC=0 nohup=-=0 setsid=-=0 setarch=-=1 time=fo=0 gtime=fo=0 nice=n=0
        ionice=cnpPu=0 chrt=TPD=1 taskset=-=1 stdbuf=ioe=0 unbuffer=-=0 timeout=sk=1 gtimeout=sk=1 command=-=0
        builtin=-=0 exec=a=0 chroot=-=1 unshare=SGwR=0 nsenter=tSGrw=0 systemd-run=pMHuE=0 gosu=-=1 su-exec=-=1
        setpriv=-=0 strace=eopsauEIOPS=0 ltrace=eopsauEnlx=0 valgrind=-=0 fakeroot=lis=0 proot=rbwq=0 firejail=-=0
        bwrap=-=0 xvfb-run=nsewfp=0 chronic=-=0 torsocks=-=0 proxychains=f=0 busybox=-=0 daemonize=ceolpu=0
        start-stop-daemon=xapnu=0 entr=-=0 sshpass=pfdP=0 flock=wE=1 tini=pe=0 dumb-init=r=0 dtach=-=1
        systemd-nspawn=DMuiSE=0 run0=ugD=0 cross-env=-=0 xargs=IPnLdsaE=0 parallel=jSNnI=0 watch=n=0 screen=SeTtcph=0
        prlimit=-=0 rlwrap=-=0 numactl=mNCpi=0 cpulimit=lpPe=0 dbus-run-session=-=0 ssh-agent=aEt=0 sg=-=1
        runuser=ug=0 hyperfine=wmMrp=0 sem=j=0 uvx=-=0 npx=p=0 nix-shell=p=0 su=c=0 script=c=0 ssh=-=1 autossh=M=1
    """.split()  # noqa: SIM905 - a table
    for name, letters, skips in [row.split("=")]
}
"""A command → the letters of its options that take a value, and how many words of its own precede the inner command."""
_SUBCOMMAND: Final = named(
    "exec run x dlx new new-session neww new-window record stat --"
)
_ON_SUBCOMMAND: Final = named(
    "perf poetry pipenv uv docker podman kubectl tmux bundle conda direnv pipx"
)
"""Commands that run another one behind one of these subcommands."""
_ELSEWHERE: Final = named("docker podman kubectl ssh autossh")
_JOINS_WORDS: Final = named("watch parallel sem tmux screen hyperfine")
_SETS_VARIABLES: Final = named("env sudo doas cross-env")
_TAKES_TEXT: Final = named("su sg script runuser nix-shell flock")
_SHELL_OPTIONS: Final = named(
    "--version --help --login --norc --noprofile --posix --verbose --restricted --emulate"
)
_LONG_VALUES: Final = named(
    "--user --group --chdir --signal --kill-after --unset --host --prompt"
)

_LANGUAGES: Final = re.compile(
    r"i?python[\d.]*|pypy\d?|[gmn]?awk|perl[\d.]*|ruby[\d.]*|irb|node|nodejs|php[\d.]*|lua[\d.]*|luajit|Rscript|R|osascript|"
    r"pwsh|powershell|tclsh[\d.]*|wish|expect|guile|racket|sbcl|clisp|runghc|ghci|scala|groovy|elixir|erl|julia|octave|"
    r"ocaml|tsx|ts-node|jshell|raku|clojure|gnuplot"
)
_CODE_OPTION: Final = re.compile(
    r"-\w*[ceErRn]|--(?:eval|execute|print|run|command)|-p"
)
_TEXT: Final = re.compile(r"""('{3}|"{3}|['"`])((?:\\.|(?!\1).)*?)\1""", re.DOTALL)
_LIST: Final = re.compile(r"""(?:['"][^'"\n]*['"][\s,.\[\](){}:\w]{0,12})+""")
_CALLS: Final = re.compile(
    r"system|exec|spawn|popen|process|run|call|command|shell|\bsh\b|qx|`|\|",
    re.IGNORECASE,
)
_DELETES: Final = (
    r"(?:rmtree|rm_rf?|remove\w*|rimraf|rm\w*Sync|rmdir|unlink|delete\w*)\W{1,4}"
)
_CODE_PATTERNS: Final = (
    (
        "fork-bomb",
        re.compile(
            r"fork\W{0,4}\b(?:while|until)\b|\b(?:while|until|loop)\b.{0,40}\bfork\b",
            re.DOTALL,
        ),
    ),
    (
        "pipe-to-shell",
        re.compile(
            r"(?:exec|eval)\W.*(?:b64|base64|decode|unpack|fromhex|urlopen|get\()",
            re.DOTALL,
        ),
    ),
    (
        "network",
        re.compile(
            r"(?i)socket|urllib|urlopen|requests|https?[:.]|net::|lwp|fetch\(|/inet/|smtplib|ftplib"
        ),
    ),
)
_AWK_RUNS: Final = re.compile(rf"{UNKNOWN}|system|getline|@load|\|&?\s*[\"\w]")
_NETWORK_MODULES: Final = named("http.server pip ensurepip smtpd")
_RUNS_CODE: Final = named(
    "timeit code codeop pdb runpy profile cProfile trace doctest idlelib asyncio"
)


def judge_of(name: str) -> Callable[[Shell, list[str]], str] | None:
    """The function that judges a command together with what it runs; None if it runs
    nothing else.
    """
    if _LANGUAGES.fullmatch(name):
        return _judge_interpreter
    if name in SHELLS:
        return _judge_shell
    return _judge_wrapper if name in _WRAPPERS or name in _ON_SUBCOMMAND else None


def run_file(shell: Shell, path: str, argv: list[str]) -> str:
    """Judge a file that is run: one of the skill, or one that the script wrote. Any
    other cannot be known.
    """
    if path in {"-", "/dev/stdin", "/dev/fd/0"}:
        return shell.run_text(UNKNOWN if shell.stdin is None else shell.stdin, argv)
    text = shell.read(path)
    if path == SELF or text in {UNKNOWN, ""}:
        shell.find("unknown-command", argv)
    elif (first := text.partition("\n")[0]).startswith("#!") and not re.search(
        r"sh\b", first
    ):
        _judge_code(shell, text, argv)
    else:
        key = settled(path, shell.folders[0])
        before, shell.files[key] = (
            shell.files.get(key, UNKNOWN),
            UNKNOWN,
        )  # a file that runs itself is not followed
        with shell.unsure():
            shell.run_text(text, argv)
        shell.files[key] = before
    return UNKNOWN


def _judge_wrapper(shell: Shell, argv: list[str]) -> str:
    name = argv[0]
    for rule in ("network",) if name in {"ssh", "autossh"} else needs(name, argv[1:]):
        shell.find(rule, argv)
    line = " ".join(argv) if name in _SETS_VARIABLES else ""
    for variable, held, text in re.findall(
        r" (?:(\w+)=(\S*)|(?:-\w*?S|--split-string[= ])(.*))", line
    ):
        shell.run_text(text, argv) if text else shell.assign(variable, (held,))
    for word, text in pairwise(argv) if name in _TAKES_TEXT else ():
        if re.fullmatch(r"-\w*c|--(?:command|run|session-command)", word):
            return shell.run_text(text, argv)
    if name == "command" and argv[1:2] in (["-v"], ["-V"]):
        return argv[-1]
    inner = _inner(name, argv[1:])
    if name == "xargs":
        inner = _with_input(inner or ["echo"], shell.stdin or UNKNOWN, argv)
    if not inner:
        return (
            UNKNOWN
            if shell.stdin is None or name in {"exec", "env", "time"}
            else shell.run_text(shell.stdin, argv)
        )
    if name in _ELSEWHERE:
        return _judge_elsewhere(shell, argv, inner)
    if name in _JOINS_WORDS:
        return shell.run_text(" ".join(word for word in inner if word != ":::"), argv)
    return commands.judge(shell, inner)


def _judge_elsewhere(shell: Shell, argv: list[str], inner: list[str]) -> str:
    """In a container or on another machine only the worst counts; a container may get
    folders of this machine.
    """
    for rule in shell.rejections(" ".join(inner)):
        shell.find(rule, argv)
    if any(
        re.match(rf"(?:--volume=|-v)?(?:/|{HOME})[^:]*:", word) for word in argv[1:]
    ):
        shell.find("write-outside", argv)
    return MADE


def _inner(name: str, arguments: list[str]) -> list[str]:
    """The command that a wrapper runs: the words behind its own options and operands."""
    letters, skips = _WRAPPERS.get(name, ("", int(name in _ELSEWHERE)))
    if name in _ON_SUBCOMMAND:
        start = next(
            (n for n, word in enumerate(arguments, 1) if word in _SUBCOMMAND),
            len(arguments),
        )
        arguments = arguments[start:]
    left = _without_options(arguments, letters)
    while name in _SETS_VARIABLES and left and re.match(r"\w+=|-$", left[0]):
        left = _without_options(left[1:], letters)
    return _without_options(left[skips:], "") if skips else left


def _without_options(words: list[str], letters: str) -> list[str]:
    left = list(words)
    while left and len(left[0]) > 1 and left[0][0] == "-":
        word = left.pop(0)
        if word == "--":
            break
        if word in _LONG_VALUES or (word[:2] != "--" and word[-1] in letters):
            del left[:1]
    return left


def _with_input(inner: list[str], text: str, argv: list[str]) -> list[str]:
    """The command of `xargs` with what it reads as its last words, or where `-I` says."""
    for number, word in enumerate(argv):
        sign = (
            (word[2:] or "".join(argv[number + 1 : number + 2]))
            if word.startswith(("-I", "-i"))
            else ""
        )
        if sign:
            return [
                each.replace(
                    sign, text.strip() if len(text) * len(each) < 100_000 else UNKNOWN
                )
                for each in inner
            ]
    return [*inner, text.strip()] if "-c" in inner else [*inner, *text.split()]


def _judge_shell(shell: Shell, argv: list[str]) -> str:
    """`sh -c TEXT`, `sh FILE`, or a shell that reads its input."""
    arguments, letters = argv[1:], ""
    options: list[str] = []
    while (
        arguments
        and re.match(r"[-+]\w|--?$|--\w", arguments[0])
        and options[-1:] not in (["-"], ["--"])
    ):
        options.append(option := arguments.pop(0))
        letters += option if re.match(r"-\w", option) else ""
        if re.fullmatch(r"[-+]\w*[oO]", option):
            del arguments[:1]
        elif option[2:] and option[:2] == "--" and option not in _SHELL_OPTIONS:
            shell.find("unknown-command", argv)
    if options == ["-n"] or {"--version", "--help"} & {*options}:
        return ""
    if "c" in letters:
        before, shell.arguments = shell.arguments, arguments[2:]
        with shell.unsure():
            output = shell.run_text(arguments[0] if arguments else UNKNOWN, argv)
        shell.arguments = before
        return output
    return (
        run_file(shell, arguments[0], argv)
        if arguments and "s" not in letters
        else run_file(shell, "-", argv[:1])
    )


def _judge_interpreter(shell: Shell, argv: list[str]) -> str:
    """An interpreter with its code, its file or its input."""
    arguments = argv[1:]
    if arguments[:1] and arguments[0] in {"--version", "-V", "-v", "--help", "-h"}:
        return UNKNOWN
    if argv[0].endswith("awk"):
        return _judge_awk(shell, argv)
    if arguments[:1] == ["-m"]:
        if arguments[1:2] and arguments[1] in _NETWORK_MODULES:
            shell.find("network", argv)
        if _RUNS_CODE & {*arguments} or UNKNOWN in " ".join(arguments):
            shell.find("unknown-command", argv)
        commands.judge_words(shell, argv)
        return UNKNOWN
    for option, code in pairwise(arguments):
        if _CODE_OPTION.fullmatch(option):
            _judge_code(shell, code, argv)
            return MADE
    files = [path for path in commands.operands(arguments) if path != "-"]
    _judge_code(
        shell,
        shell.read(files[0])
        if files
        else UNKNOWN
        if shell.stdin is None
        else shell.stdin,
        argv,
    )
    return UNKNOWN if files else MADE


def _judge_code(shell: Shell, code: str, argv: list[str]) -> None:
    """Judge the literal texts of some code as shell calls; the rest of it is unknown."""
    shell.find("pipe-to-shell" if MADE in code else "unknown-command", argv)
    bare = _TEXT.sub(" ", code)
    for rule, pattern in _CODE_PATTERNS:
        if pattern.search(bare if rule == "fork-bomb" else code):
            shell.find(rule, argv)
    texts = [found[2] for found in _TEXT.finditer(code)][:200]
    lists = [
        " ".join(text for _, text in _TEXT.findall(each[0]))
        for each in _LIST.finditer(code)
    ][:50]
    for text in {*texts, *lists} if _CALLS.search(bare) else ():
        for rule in shell.rejections(text):
            shell.find(rule, argv)
    for text in texts:
        where = place(text.replace("~", HOME, 1) if text.startswith("~") else text)
        if where is Place.VITAL and re.search(rf"{_DELETES}{re.escape(text)}", code):
            shell.find("delete-root-or-home", argv)
        elif where is Place.DISK and re.search(r"open|write|print", code):
            shell.find("device-write", argv)


def _judge_awk(shell: Shell, argv: list[str]) -> str:
    """An awk program can run commands (`system`, pipes) and write files; most only
    print.
    """
    program = "".join(_without_options(argv[1:], "Fv")[:1])
    commands.judge_words(
        shell, [argv[0], *(word for word in argv[1:] if word != program)]
    )
    if "-f" in argv or _AWK_RUNS.search(program.replace("||", "")):
        _judge_code(shell, program or UNKNOWN, argv)
    for path in re.findall(r">\s*\"([^\"]+)\"", program):
        shell.write(path, None, argv)
    return MADE if MADE in (shell.stdin or "") else UNKNOWN
