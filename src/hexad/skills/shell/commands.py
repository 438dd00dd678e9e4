"""A command with its words → what it would do: run another, destroy something, need a capability, print."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.skills.shell.awk_programs import AWKS, awk
from hexad.skills.shell.capabilities import NEEDED, needs
from hexad.skills.shell.carried import CARRYING, look_at_carried
from hexad.skills.shell.destructive import DELETING, DESTRUCTIVE, destroyer, told
from hexad.skills.shell.editing import EDITING
from hexad.skills.shell.fetching import fetch, is_fetched
from hexad.skills.shell.git_commands import git
from hexad.skills.shell.held_files import held, is_shell, on_path, program_of
from hexad.skills.shell.interpreters import CODE_OPTIONS, code_of, scan
from hexad.skills.shell.makefiles import make
from hexad.skills.shell.output import PRINTING, printed
from hexad.skills.shell.suspicion import look_at_words
from hexad.skills.shell.tools import TOOLS, is_tool, look_at_tool
from hexad.skills.shell.unseen import UNPACKING, doubt, run_unseen, unpacked, writes_files
from hexad.skills.shell.values import ANYTHING, FOREIGN, SELF, UNKNOWN, Values, foreign, is_glob, known, pattern
from hexad.skills.shell.wrappers import SHELLS, WRAPPING, check_self, run_file, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell

    _Check: TypeAlias = Callable[[Shell, list[str]], None]

_OPENS_A_BLOCK: Final = frozenset({"{", "!", "then", "do", "else", "(", "if", "while", "until"})
_VERSIONED: Final = re.compile(r"(python|perl|ruby|php|lua|node|pypy|tclsh)[\d.]*")
_THIS_SHELL: Final = re.compile(r"/proc/[^/]+/exe").fullmatch
_IN_PLACE: Final = re.compile(r"-[a-zA-Z0-9]*i").match
_RUNNING: Final = frozenset({*CARRYING, *WRAPPING, *AWKS, *CODE_OPTIONS, *EDITING})
INTERESTING: Final = frozenset(
    name.encode()
    for names in (DESTRUCTIVE, UNPACKING, TOOLS, WRAPPING, CARRYING, CODE_OPTIONS, NEEDED, PRINTING, AWKS, EDITING)
    for name in names
)
"""Names of commands that have to be looked at; the others do nothing that is known to matter, whatever their words."""
INTERESTING_STARTS: Final = (
    b"mkfs",
    b"newfs",
    b"python",
    b"perl",
    b"ruby",
    b"php",
    b"lua",
    b"node",
    b"pypy",
    b"tclsh",
    b".",
)
_MORE: Final[dict[str, _Check]] = {
    **UNPACKING,
    "git": git,
    "make": make,
    "gmake": make,
}
_MATCHED: Final = frozenset({*DESTRUCTIVE, *SHELLS, "curl", "wget", "sudo", "mkfs.ext4", "eval", "find"})


def execute(shell: Shell, argv: list[str]) -> Values:
    """Look at one command; what it prints, if somebody captures that."""
    word = argv[0]
    if word in shell.functions:
        return _function(shell, argv)
    if word in shell.aliases:
        return _alias(shell, argv)
    if word in _OPENS_A_BLOCK:  # the grammar takes `time { …` for a command with words
        return shell.run_words(argv[1:])
    return _named(shell, word, argv) if word.isalnum() else _by_name(shell, word, argv)


def _by_name(shell: Shell, word: str, argv: list[str]) -> Values:
    if SELF in word:
        check_self(shell, argv)
        return ANYTHING
    if _THIS_SHELL(word):
        return _named(shell, "sh", ["sh", *argv[1:]])
    name = word.rpartition("/")[2] if "/" in word else word
    if not known(name):
        return _unknown(shell, argv, name)
    if is_glob(name) and name != "[":
        return _matched(shell, argv, name)
    return _named(shell, name, argv)


def _named(shell: Shell, name: str, argv: list[str]) -> Values:
    needing, destroys, also, runs, reads = _kind(name)
    if needing:
        _note_needs(shell, name, argv)
    if destroys is not None:
        destroys(shell, argv if argv[0] == name else [name, *argv[1:]])
    if also is not None:
        also(shell, argv)
    if reads:
        look_at_tool(shell, name, argv)
    result = _run_by(shell, name, argv) if runs else None
    if "/" in argv[0] or "PATH" in shell.variables:
        _run_written(shell, argv)
    if shell.suspicious and name not in DELETING:
        look_at_words(shell, name, argv, is_known=needing or destroys is not None or (runs and name not in CARRYING))
    if result is not None:
        return result
    return printed(shell, name, argv[1:]) if shell.capturing or name == "printf" else ANYTHING


def _note_needs(shell: Shell, name: str, argv: list[str]) -> None:
    for rule in needs(name, argv[1:]):
        shell.find(rule, told(argv))
        if rule == "network":
            fetch(shell, name, argv)


@lru_cache(maxsize=1024)
def _kind(name: str) -> tuple[bool, _Check | None, _Check | None, bool, bool]:
    """Whether a command needs something, what it may destroy and write, whether it runs something or reads files."""
    runs = name in _RUNNING or _VERSIONED.fullmatch(name) is not None
    return name in NEEDED, destroyer(name), _MORE.get(name), runs, is_tool(name)


def _run_by(shell: Shell, name: str, argv: list[str]) -> Values | None:
    """Look at what a command runs; what it prints, if that is what the other one does."""
    if name in CARRYING:
        look_at_carried(shell, name, argv)
    result = wrapped(shell, name, argv)
    if result is not None and name not in {"find", "gfind", "ssh"}:
        return result
    if name in AWKS:
        awk(shell, argv)
    elif name in CODE_OPTIONS or _VERSIONED.fullmatch(name):
        _interpreter(shell, name, argv)
    elif name in EDITING:
        EDITING[name](shell, argv)
    return None


def _run_written(shell: Shell, argv: list[str]) -> None:
    """A command that is a file which the script wrote or brought: by its path, or where the script sets `PATH`."""
    by_path = "/" in argv[0]
    for path in [argv[0]] if by_path else on_path(shell, argv[0]):
        program = program_of(shell, path) if shell.programs or shell.links else None
        if program is not None and program != argv[0].rpartition("/")[2]:
            _named(shell, program, [program, *argv[1:]])
        if held(shell, path) is not None or (by_path and is_fetched(shell, path)):
            _started(shell, [path, *argv[1:]])
        elif by_path:
            run_unseen(shell, argv, path)


def _started(shell: Shell, argv: list[str]) -> None:
    """A file that is started by its path: its first line says what runs it."""
    texts = held(shell, argv[0]) or ()
    others = tuple(text for text in texts if text.startswith("#!") and not is_shell(text))
    if others:
        _file_code(shell, argv, others)
    else:
        run_file(shell, argv, argv[0])


def _function(shell: Shell, argv: list[str]) -> Values:
    name = argv[0]
    for called, background, piped, conditional in shell.calls:
        if called == name:
            _check_bomb(shell, argv, background=background, piped=piped, conditional=conditional)
            return ANYTHING
    return shell.call(name, shell.functions[name], argv[1:])


def _check_bomb(shell: Shell, argv: list[str], *, background: int, piped: int, conditional: int) -> None:
    """A function that calls itself beside itself, or in a pipe without a condition or twice."""
    in_pipe = shell.piped > piped
    if in_pipe and shell.node is not None:
        shell.self_calls.add(shell.node.start_byte)
    always = shell.conditional == conditional
    if shell.background > background or (in_pipe and (always or len(shell.self_calls) > 1)):
        shell.find("fork-bomb", told(argv))


def _alias(shell: Shell, argv: list[str]) -> Values:
    texts = shell.aliases.pop(argv[0])
    for text in texts:
        shell.run_text(" ".join([text, *argv[1:]]))
    shell.aliases[argv[0]] = texts
    return ANYTHING


def _unknown(shell: Shell, argv: list[str], name: str) -> Values:
    """A name that is not known. It may be empty, or a part of it may: then what is left is what runs."""
    shell.find("pipe-to-shell" if FOREIGN in name else "unknown-command", told(argv))
    left = name.replace(UNKNOWN, "").replace(FOREIGN, "")
    if left:
        return _named(shell, left, [left, *argv[1:]]) if known(left) else ANYTHING
    return execute(shell, argv[1:]) if len(argv) > 1 and name == UNKNOWN else ANYTHING


def _matched(shell: Shell, argv: list[str], name: str) -> Values:
    """A name that is a pattern of file names, such as `/bin/r?`: every dangerous command that it may be."""
    shell.find("unknown-command", told(argv))
    for each in sorted(filter(pattern(name).match, _MATCHED)) if set(name) != {"*"} else ():
        _named(shell, each, [each, *argv[1:]])
    return ANYTHING


def _interpreter(shell: Shell, name: str, argv: list[str]) -> None:
    family = _VERSIONED.fullmatch(name)
    kind = name if name in CODE_OPTIONS else family[1] if family and family[1] in CODE_OPTIONS else "python"
    codes, reads_input = code_of(kind, argv[1:])
    for code in codes:
        _code(shell, argv, code)
    if reads_input and shell.stdin is not None:
        _piped_code(shell, argv)
    if shell.wrote and any(_IN_PLACE(word) for word in argv[1:]):
        doubt(shell, argv[1:])
    program = None if codes else next((word for word in argv[1:] if word[:1] != "-"), None)
    if program is not None and "-m" in argv[: argv.index(program)]:
        if program in {"zipfile", "tarfile"} and not {"-e", "--extract"}.isdisjoint(argv):
            unpacked(shell)
        return
    texts = None if program is None else held(shell, program)
    if texts is not None:
        _file_code(shell, argv, texts)
    elif program is not None:
        run_unseen(shell, argv, program)


def _piped_code(shell: Shell, argv: list[str]) -> None:
    for text in shell.stdin or ():
        if FOREIGN in text:
            shell.find("pipe-to-shell", told(argv))
        elif not text.strip(UNKNOWN + " \n"):
            shell.find("unknown-command", told(argv))
        _code(shell, argv, text)


def _file_code(shell: Shell, argv: list[str], texts: Values) -> None:
    if foreign(texts):
        shell.find("pipe-to-shell", told(argv))
    for text in texts:
        _code(shell, argv, text)


def _code(shell: Shell, argv: list[str], code: str) -> None:
    """Code in another language; what it writes into files is not known."""
    scan(shell, argv, code)
    writes_files(shell, code)
