"""Interpreters and compilers: which languages they read, and where on a command line their code stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.capabilities import NEEDED
from hexad.skills.shell.destructive import check_writes, operands, told
from hexad.skills.shell.held_files import INPUT, held
from hexad.skills.shell.interpreters import scan
from hexad.skills.shell.unseen import doubt, run_unseen, unpacked, writes_files
from hexad.skills.shell.values import FOREIGN, UNKNOWN, Values, foreign

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

CODE_OPTIONS: Final[dict[str, str]] = {
    "python": "c",
    "ipython": "c",
    "ipython3": "c",
    "perl": "eE",
    "raku": "e",
    "ruby": "e",
    "irb": "e",
    "pry": "e",
    "jruby": "e",
    "node": "ep",
    "nodejs": "ep",
    "bun": "ep",
    "gjs": "c",
    "qjs": "e",
    "php": "rB",
    "lua": "e",
    "luajit": "e",
    "Rscript": "e",
    "R": "e",
    "osascript": "e",
    "tclsh": "",
    "wish": "",
    "deno": "",
    "expect": "c",
    "julia": "eE",
    "octave": "",
    "octave-cli": "",
    "pwsh": "c",
    "powershell": "c",
    "guile": "c",
    "emacs": "",
    "sbcl": "",
    "clisp": "x",
    "ecl": "",
    "clojure": "e",
    "clj": "e",
    "bb": "e",
    "racket": "e",
    "ghc": "e",
    "ghci": "e",
    "runghc": "e",
    "elixir": "e",
    "iex": "e",
    "erl": "",
    "escript": "",
    "groovy": "e",
    "scala": "e",
    "jshell": "",
    "java": "",
    "kotlin": "",
    "swift": "e",
    "nim": "",
    "crystal": "",
    "dart": "",
    "ts-node": "ep",
    "tsx": "ep",
}
"""Interpreters, and the letters of the options behind which they take code."""
COMPILERS: Final[dict[str, str]] = {
    **dict.fromkeys("gcc cc c99 c89 clang tcc g++ c++ clang++ zig nvcc gfortran ldc2 dmd".split(), "gcc"),  # noqa: SIM905
    **dict.fromkeys(("go", "tinygo", "gccgo"), "go"),
    **dict.fromkeys(("rustc", "rust-script"), "rustc"),
    **dict.fromkeys(("java", "javac", "jshell", "kotlinc", "kotlin", "scalac", "groovyc", "swift", "swiftc"), "java"),
    **dict.fromkeys(("ghc", "tsc", "nim", "crystal", "dart"), ""),
}
"""Programs that read any of the files that they are given as code, and the language that it is read as."""
INTERPRETING: Final = frozenset({*CODE_OPTIONS, *COMPILERS})
"""Every program that is given code in another language."""
_LONG: Final = frozenset(
    {"--eval", "--print", "--command", "-Command", "eval", "-exec", "--execute", "-eval", "--run", "-x"}
)
_VERSIONED: Final = re.compile(
    r"(python|perl|ruby|php|lua|node|pypy|tclsh|gcc|clang|g\+\+|clang\+\+|octave|irb)-?[\d.]*"
)
_IN_PLACE: Final = re.compile(r"-[a-zA-Z0-9]*i").match
_SERVES: Final = frozenset({"http.server", "xmlrpc.server", "smtpd", "ensurepip", "pydoc", "http", "httpd"})


def is_interpreter(name: str) -> bool:
    """Whether a program reads code in another language, whatever its version."""
    return name in INTERPRETING or _VERSIONED.fullmatch(name) is not None


def _family(name: str) -> str:
    """An interpreter without its version."""
    if name in INTERPRETING:
        return name
    versioned = _VERSIONED.fullmatch(name)
    return versioned[1] if versioned and versioned[1] in INTERPRETING else "python"


def run_code(shell: Shell, name: str, argv: list[str]) -> None:
    """Look at the code that an interpreter or a compiler is given: in its words, its input, or a file that is known."""
    kind = _family(name)
    if kind in COMPILERS:
        _compiled(shell, argv)
    if kind not in CODE_OPTIONS:
        return
    codes, reads_input = code_of(kind, argv[1:])
    for code in codes:
        _code(shell, argv, code)
    if shell.wrote and any(_IN_PLACE(word) for word in argv[1:]):
        doubt(shell, argv[1:])
    if reads_input and shell.stdin is not None:
        _piped(shell, argv)
    _look_at_options(shell, kind, argv, codes)
    program = None if codes else next((word for word in argv[1:] if word[:1] != "-"), None)
    if program is not None:
        _look_at_program(shell, argv, program)


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
        elif argument.startswith(("--eval=", "--execute=", "--command=")):
            codes.append(argument.partition("=")[2])
            reads_input = False
        elif argument in {"-m", "-f"} or (
            not argument.startswith("-") or argument in {"--version", "-V", "--help", "-v"}
        ):
            reads_input = False
            break
    return codes, reads_input


def _look_at_options(shell: Shell, kind: str, argv: list[str], codes: list[str]) -> None:
    """Options that make an interpreter do something else than run a program."""
    options = [word for word in argv[1:] if word[:1] == "-"]
    if kind in {"perl", "ruby"} and any(re.fullmatch(r"-[a-zA-Z0]*i(?:\.\w+)?[a-zA-Z]?", word) for word in options):
        check_writes(shell, argv, [word for word in operands(argv[1:]) if word not in codes])
    if (kind == "php" and "-S" in options) or (kind == "ruby" and {"-run", "-rsocket"} & set(options)):
        shell.find("network", told(argv))
    if kind in {"python", "ipython"} and "-m" in argv[1:-1]:
        _module(shell, argv, argv[argv.index("-m") + 1 :])


def _module(shell: Shell, argv: list[str], words: list[str]) -> None:
    """`python -m name`: a program of its own, or a file that is known."""
    name = words[0]
    if name in _SERVES:
        shell.find("network", told(argv))
    elif name in {"zipfile", "tarfile"} and not {"-e", "--extract"}.isdisjoint(words):
        unpacked(shell)
    elif name in NEEDED:
        shell.run_words(words)
    path = name.replace(".", "/")
    for texts in (held(shell, f"{path}.py"), held(shell, f"{path}/__main__.py")):
        if texts is not None:
            file_code(shell, argv, texts)


def _look_at_program(shell: Shell, argv: list[str], program: str) -> None:
    if "-m" in argv[: argv.index(program)]:
        return
    texts = held(shell, program) or held(shell, f"{program}/__main__.py")
    if texts is not None:
        file_code(shell, argv, texts)
    else:
        run_unseen(shell, argv, program)


def _compiled(shell: Shell, argv: list[str]) -> None:
    """A compiler: every file among its words, and its input where they say so."""
    if shell.stdin is not None and not INPUT.isdisjoint(argv):
        _piped(shell, argv)
    for word in operands(argv[1:]) if shell.files else ():
        texts = held(shell, word)
        if texts is not None and word != argv[0]:
            file_code(shell, argv, texts)


def _piped(shell: Shell, argv: list[str]) -> None:
    for text in shell.stdin or ():
        if FOREIGN in text:
            shell.find("pipe-to-shell", told(argv))
        elif not text.strip(UNKNOWN + " \n"):
            shell.find("unknown-command", told(argv))
        _code(shell, argv, text)


def file_code(shell: Shell, argv: list[str], texts: Values) -> None:
    """Code in a file that the script wrote or brought."""
    if foreign(texts):
        shell.find("pipe-to-shell", told(argv))
    for text in texts:
        _code(shell, argv, text)


def _code(shell: Shell, argv: list[str], code: str) -> None:
    """Code in another language; what it writes into files is not known."""
    scan(shell, argv, code)
    writes_files(shell, code)
