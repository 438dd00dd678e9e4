"""Commands of the shell itself that change what is known: the folder, the arguments, variables and aliases."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.held_files import followed
from hexad.skills.shell.paths import place
from hexad.skills.shell.values import (
    ANYTHING,
    FOREIGN,
    HOME,
    MOST_VALUES,
    NOTHING,
    SPLIT,
    UNKNOWN,
    WORK,
    Values,
    bounded,
    foreign,
    known,
    split,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell


_IS_NAME: Final = re.compile(r"[A-Za-z_]\w*").fullmatch
_TO_ARRAY: Final = re.compile(r"-\w*a").fullmatch


def _cd(shell: Shell, argv: list[str]) -> Values:
    words = [word for word in argv[1:] if not re.fullmatch(r"-[LPe@]+|--", word)]
    if not words:
        shell.folder = HOME
    elif words[0] in {"-", "+1"} or not known(words[0][:1]):
        shell.folder = UNKNOWN
    else:
        target = place(followed(shell, words[0]), shell.folder)
        start = {"/": "/", "~": f"{HOME}/", ".": f"{WORK}/", "?": UNKNOWN}[target.start]
        shell.folder = WORK if target.start == "." and not target.parts else start + "/".join(target.parts)
    return NOTHING


def _set(shell: Shell, argv: list[str]) -> Values:
    """`set -- words`: they become `$@`."""
    if "--" in argv:
        shell.set_arguments(argv[argv.index("--") + 1 :])
    elif len(argv) > 1 and argv[1][:1] not in {"-", "+"}:
        shell.set_arguments(argv[1:])
    return NOTHING


def _alias(shell: Shell, argv: list[str]) -> Values:
    for word in argv[1:]:
        name, equals, text = word.partition("=")
        if equals:
            shell.aliases[name] = bounded([*shell.aliases.get(name, ()), text])
    return NOTHING


def _hash(shell: Shell, argv: list[str]) -> Values:
    """`hash -p path name`: a name for another program."""
    if argv[1:2] == ["-p"] and len(argv) > 3:
        shell.aliases[argv[3]] = (argv[2],)
    return NOTHING


def _read(shell: Shell, argv: list[str]) -> Values:
    """`read` puts words of its input into variables."""
    names = [word for word in argv[1:] if _IS_NAME(word)]
    to_array = any(_TO_ARRAY(word) for word in argv[1:])
    separators = shell.variables.get("IFS")
    signs = " \t\n" if separators is None else separators[-1]
    between = SPLIT if to_array else signs[:1]
    rows = [split(line, signs).split(SPLIT) for text in shell.stdin or ANYTHING for line in _lines(shell, text)]
    for number, name in enumerate(names):
        last = number == len(names) - 1
        shell.assign(name, bounded([_of_row(row, number, between if last else None) for row in rows]))
    return NOTHING


def _of_row(row: list[str], number: int, between: str | None) -> str:
    """The word of a line that a variable gets, or all that are left; of a line that is not known any may be."""
    if not known("".join(row)):
        return FOREIGN if foreign(row) else UNKNOWN
    return "".join(row[number : number + 1]) if between is None else between.join(row[number:])


def _lines(shell: Shell, text: str) -> list[str]:
    """The line that is read; in a loop each may be."""
    lines = text.strip().split("\n", MOST_VALUES + 1)
    return lines if shell.loops else lines[:1]


def _mapfile(shell: Shell, argv: list[str]) -> Values:
    names = [word for word in argv[1:] if not word.startswith("-")] or ["MAPFILE"]
    for option, text in pairwise(argv):
        if option == "-C":
            shell.run_text(text)
    shell.assign(names[-1], tuple(SPLIT.join(text.split("\n")) for text in shell.stdin or ANYTHING))
    return NOTHING


OWN_COMMANDS: Final[dict[str, Callable[[Shell, list[str]], Values]]] = {
    "cd": _cd,
    "pushd": _cd,
    "set": _set,
    "alias": _alias,
    "hash": _hash,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
}
"""By their names."""
