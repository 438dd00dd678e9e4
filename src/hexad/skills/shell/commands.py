"""A command with its words → what it would do: run another, destroy something, need a capability, print."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.capabilities import NEEDED, needs
from hexad.skills.shell.destructive import DELETING, DESTRUCTIVE, destroyer, told
from hexad.skills.shell.fetching import fetch, is_fetched
from hexad.skills.shell.held_files import held, is_shell, read
from hexad.skills.shell.interpreters import scan_awk
from hexad.skills.shell.languages import INTERPRETING, file_code, is_interpreter, run_code
from hexad.skills.shell.option_needs import OPTION_NEEDS, note_options
from hexad.skills.shell.output import PRINTING, printed
from hexad.skills.shell.suspicion import look_at_words
from hexad.skills.shell.values import ANYTHING, FOREIGN, SELF, UNKNOWN, Values, foreign, is_glob, known, pattern
from hexad.skills.shell.wrapper_tables import SHELLS
from hexad.skills.shell.wrappers import WRAPPING, check_self, run_file, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell

_OPENS_A_BLOCK: Final = frozenset({"{", "!", "then", "do", "else", "(", "if", "while", "until"})
_AWKS: Final = frozenset({"awk", "gawk", "mawk", "nawk", "original-awk"})
_THIS_SHELL: Final = re.compile(r"/proc/[^/]+/exe").fullmatch
_EDITORS: Final = frozenset({"vim", "vi", "nvim", "ex", "ed", "view", "gvim"})
CARRYING: Final = frozenset({"m4", "sqlite3", "gdb", "less", "make", "man", "vagrant", "npm", "npx", "git"})
_RUNNING: Final = frozenset({*CARRYING, *WRAPPING, *_AWKS, *INTERPRETING, *_EDITORS})
INTERESTING: Final = frozenset(
    name.encode()
    for names in (DESTRUCTIVE, WRAPPING, CARRYING, INTERPRETING, NEEDED, OPTION_NEEDS, PRINTING, _AWKS, _EDITORS)
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
    b"gcc",
    b"clang",
    b"g++",
    b".",
)
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
    needing, destroys, runs = _kind(name)
    if needing:
        _note_needs(shell, name, argv)
    if name in OPTION_NEEDS:
        note_options(shell, name, argv)
    if destroys is not None:
        destroys(shell, argv if argv[0] == name else [name, *argv[1:]])
    result = _run_by(shell, name, argv) if runs else None
    if not runs and ("/" in argv[0] or "PATH" in shell.variables):
        _run_written(shell, argv)
    if shell.suspicious and name not in DELETING:
        look_at_words(shell, name, argv, is_known=needing or destroys is not None or runs)
    if result is not None:
        return result
    return printed(shell, name, argv[1:]) if shell.capturing or name == "printf" else ANYTHING


def _note_needs(shell: Shell, name: str, argv: list[str]) -> None:
    for rule in needs(name, argv[1:]):
        shell.find(rule, told(argv))
        if rule == "network":
            fetch(shell, name, argv)


@lru_cache(maxsize=1024)
def _kind(name: str) -> tuple[bool, Callable[[Shell, list[str]], None] | None, bool]:
    """Whether a command is in the table of needs, what it may destroy, and whether it may run something."""
    runs = name in _RUNNING or is_interpreter(name)
    return name in NEEDED, destroyer(name), runs


def _run_by(shell: Shell, name: str, argv: list[str]) -> Values | None:
    """Look at what a command runs; what it prints, if that is what the other one does."""
    if name in CARRYING:
        _carried(shell, name, argv)
    result = wrapped(shell, name, argv)
    if result is not None and name not in {"find", "gfind", "ssh"}:
        return result
    if name in _AWKS:
        _awk(shell, argv)
    elif is_interpreter(name):
        run_code(shell, name, argv)
    elif name in _EDITORS:
        _editor(shell, argv)
    elif "/" in argv[0] and held(shell, argv[0]) is not None:
        _started(shell, argv)
    return None


def _run_written(shell: Shell, argv: list[str]) -> None:
    """A command that is a file which the script wrote or brought: by its path, or where the script sets `PATH`."""
    by_path = "/" in argv[0]
    if by_path and (held(shell, argv[0]) is not None or is_fetched(shell, argv[0])):
        _started(shell, argv)
    elif not by_path and "PATH" in shell.variables and held(shell, argv[0]) is not None:
        run_file(shell, argv, argv[0])


def _started(shell: Shell, argv: list[str]) -> None:
    """A file that is started by its path: its first line says what runs it."""
    texts = held(shell, argv[0]) or ()
    others = tuple(text for text in texts if text.startswith("#!") and not is_shell(text))
    if others:
        file_code(shell, argv, others)
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


def _awk(shell: Shell, argv: list[str]) -> None:
    words = argv[1:]
    while words and words[0].startswith("-") and len(words[0]) > 1:
        if words[0] in {"-f", "--file"} or words[0].startswith("-f"):
            program = words[0][2:] if words[0] not in {"-f", "--file"} else "".join(words[1:2])
            for code in read(shell, program) or ():
                scan_awk(shell, argv, code)
            return
        words = words[2 if words[0] in {"-F", "-v", "-i"} else 1 :]
    if words:
        scan_awk(shell, argv, words[0])


_CARRIES: Final = {
    "m4": re.compile(r"e?syscmd\(`?([^)']*)"),
    "sqlite3": re.compile(r"\.(?:shell|system)\s+(.+)"),
    "gdb": re.compile(r"(?:^|\s)(?:shell|!)\s*(.+)"),
    "less": re.compile(r"^\+?!(.+)"),
    "make": re.compile(r"^(?:SHELL|MAKESHELL)=(.+)"),
    "man": re.compile(r"^-P(.+)"),
}
"""Programs with a way to a shell of their own, and how the command stands in their words or their input."""
_FOLLOWS: Final = {
    "man": {"-P", "--pager"},
    "vagrant": {"-c"},
    "npm": {"-c", "--call"},
    "npx": {"-c"},
    "git": {"-x", "--exec"},
}


def _carried(shell: Shell, name: str, argv: list[str]) -> None:
    sign = _CARRIES.get(name)
    if name in {"m4", "sqlite3", "gdb"} and foreign(shell.stdin or ()):
        shell.find("pipe-to-shell", told(argv))
    for text in (*argv[1:], *(shell.stdin or ())) if sign else ():
        for found in sign.finditer(text) if sign else ():
            shell.run_text(found[1])
    for option, text in pairwise(argv):
        if option in _FOLLOWS.get(name, ()):
            shell.run_text(text)
    if name == "git" and argv[1:3] == ["bisect", "run"]:
        shell.run_words(argv[3:])


def _editor(shell: Shell, argv: list[str]) -> None:
    """An editor's command that begins with `!` is run by a shell."""
    if foreign(shell.stdin or ()):
        shell.find("pipe-to-shell", told(argv))
    texts = [word for word in argv[1:] if "!" in word] + [text for text in shell.stdin or () if known(text)]
    for text in texts:
        for found in re.finditer(r"(?:^|[+:\s|])(?:[rw%]+\s*)?!\s*(.+)", text):
            shell.run_text(found[1])
