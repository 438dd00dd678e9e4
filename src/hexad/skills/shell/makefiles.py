"""`make`: the commands of a makefile that the script wrote or pipes in."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import told
from hexad.skills.shell.held_files import read
from hexad.skills.shell.values import foreign

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell

_USUAL: Final = ("Makefile", "makefile", "GNUmakefile")
_FILE: Final = re.compile(r"(?:-f|--file=|--makefile=)(.+)").fullmatch
_FOLDER: Final = re.compile(r"(?:-C|--directory=)(.+)").fullmatch
_STARTS: Final = re.compile(r"\$[({]shell\s+((?:[^()]|\([^()]*\))*)[)}]|^[\w.]+[ \t]*!=[ \t]*(.+)$", re.MULTILINE)
_VARIABLE: Final = re.compile(r"\$\((\w+)\)")
_RECIPE: Final = re.compile(r"^(?:\t|[^\t#=;:\n]+:[^=;\n]*;)[ \t]*[@+-]*(.*)$", re.MULTILINE)


def make(shell: Shell, argv: list[str]) -> None:
    """Look at what the recipes of a makefile run, and what is run while it is read."""
    folders = _values(argv, {"-C", "--directory"}, _FOLDER) or ["."]
    named = _values(argv, {"-f", "--file", "--makefile"}, _FILE)
    for path in named or _USUAL:
        for folder in folders:
            made = read(shell, path if folder == "." else f"{folder}/{path}")
            if foreign(made or ()):
                shell.find("pipe-to-shell", told(argv))
            for text in made or ():
                run_makefile(shell, text)
    for word, following in pairwise([*argv[1:], ""]):
        if word.startswith(("--eval", "-E")):
            shell.find("unknown-command", told(argv))
            run_makefile(shell, word.partition("=")[2] or following)


def _values(argv: list[str], options: set[str], attached: Callable[[str], re.Match[str] | None]) -> list[str]:
    found = [path for word, path in pairwise(argv) if word in options]
    return found + [match[1] for word in argv[1:] if word not in options and (match := attached(word))]


def run_makefile(shell: Shell, text: str) -> None:
    """Every command of a makefile, whichever target it is for."""
    for found in _STARTS.finditer(text):
        shell.run_text(_as_shell(found[1] or found[2] or ""))
    shell.run_text("\n".join(_as_shell(found[1]) for found in _RECIPE.finditer(text)))


def _as_shell(text: str) -> str:
    """What the shell gets: make's variables are looked up in the same place here."""
    return _VARIABLE.sub(r"${\1}", text).replace("$$", "$")
