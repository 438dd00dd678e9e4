"""A command with its words → what it would do: run another, destroy something, need a capability, print."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.skills.shell.awk_programs import AWKS, awk
from hexad.skills.shell.capabilities import NEEDED, needs
from hexad.skills.shell.carried import CARRYING, look_at_carried
from hexad.skills.shell.destructive import DELETING, DESTRUCTIVE, destroyer, told
from hexad.skills.shell.editing import EDITING
from hexad.skills.shell.endless import CONDITIONS
from hexad.skills.shell.fetching import fetch, is_fetched
from hexad.skills.shell.git_commands import git
from hexad.skills.shell.held_files import held, is_shell, on_path, program_of
from hexad.skills.shell.languages import INTERPRETING, file_code, is_interpreter, run_code
from hexad.skills.shell.lasting import judged_elsewhere, rejected
from hexad.skills.shell.makefiles import make
from hexad.skills.shell.option_needs import OPTION_NEEDS, note_options
from hexad.skills.shell.output import PRINTING, printed
from hexad.skills.shell.own_commands import OWN_COMMANDS
from hexad.skills.shell.suspicion import look_at_words
from hexad.skills.shell.tools import TOOLS, is_tool, look_at_tool
from hexad.skills.shell.unseen import UNPACKING, run_unseen
from hexad.skills.shell.values import ANYTHING, FOREIGN, SELF, UNKNOWN, Values, is_glob, known, pattern
from hexad.skills.shell.wrapper_tables import SHELLS
from hexad.skills.shell.wrappers import WRAPPING, check_self, run_file, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell

    _Check: TypeAlias = Callable[[Shell, list[str]], None]

_OPENS_A_BLOCK: Final = frozenset({"{", "!", "then", "do", "else", "(", "if", "while", "until"})
_THIS_SHELL: Final = re.compile(r"/proc/[^/]+/exe").fullmatch
_RUNNING: Final = frozenset({*CARRYING, *WRAPPING, *AWKS, *INTERPRETING, *EDITING})
_LOOKED_AT: Final = (
    DESTRUCTIVE,
    UNPACKING,
    TOOLS,
    WRAPPING,
    CARRYING,
    INTERPRETING,
    NEEDED,
    OPTION_NEEDS,
    PRINTING,
    AWKS,
    EDITING,
)
INTERESTING: Final = frozenset(name.encode() for names in _LOOKED_AT for name in names)
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
_MORE: Final[dict[str, _Check]] = {
    **UNPACKING,
    "git": git,
    "make": make,
    "gmake": make,
}
_MATCHED: Final = frozenset({*DESTRUCTIVE, *SHELLS, "curl", "wget", "sudo", "mkfs.ext4", "eval", "find"})


def execute(shell: Shell, argv: list[str], *, by_name: bool = True) -> Values:
    """Look at one command; what it prints, if somebody captures that."""
    word = argv[0]
    if by_name and (word in shell.functions or word in shell.aliases):
        return _renamed(shell, argv)
    if word in _OPENS_A_BLOCK:  # the grammar takes `time { …` for a command with words
        return shell.run_words(argv[1:])
    return _named(shell, word, argv) if word.isalnum() else _by_name(shell, word, argv)


def _renamed(shell: Shell, argv: list[str]) -> Values:
    """A function or an alias. One that is called as a command that destroys may not be defined where it is called."""
    word = argv[0]
    printed = _function(shell, argv) if word in shell.functions else _alias(shell, argv)
    if word in OWN_COMMANDS:
        _named(shell, word, argv)
    elif word.encode("utf-8", "replace") in INTERESTING:
        rejected(shell, partial(_named, shell, word, argv))
    return printed


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
    if name in OPTION_NEEDS:
        note_options(shell, name, argv)
    if destroys is not None:
        words = argv if argv[0] == name else [name, *argv[1:]]
        destroys(shell, words)
        if shell.haunts:
            judged_elsewhere(shell, partial(destroys, shell, words))
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
    runs = name in _RUNNING or is_interpreter(name)
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
    elif is_interpreter(name):
        run_code(shell, name, argv)
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
    """A function that calls itself beside itself, in a pipe without a condition or twice, or whatever happens."""
    if not CONDITIONS(shell.functions[argv[0]].text or b""):
        shell.find("fork-bomb", told(argv))
        return
    in_pipe = shell.piped > piped
    if in_pipe and shell.node is not None:
        shell.self_calls.add(shell.node.start_byte)
    always = shell.conditional == conditional
    if shell.background > background or (in_pipe and (always or len(shell.self_calls) > 1)):
        shell.find("fork-bomb", told(argv))


def _alias(shell: Shell, argv: list[str]) -> Values:
    texts = shell.aliases.pop(argv[0])
    for text in texts:
        shell.run_text(" ".join([text, *argv[1:]]), here=True)
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
