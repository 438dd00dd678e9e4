"""Variables by other ways than `=`: what `env` gives to the command that it runs, what `declare` makes of a value."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.values import mapped

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell


_FUNCTION: Final = re.compile(r"BASH_FUNC_(\w+)(?:%%|\(\))").fullmatch


def set_up(shell: Shell, arguments: list[str]) -> str:
    """Let variables and the folder be what `env` says; the text that it splits into words itself, if there is one."""
    for word in arguments:
        variable, equals, value = word.partition("=")
        if equals and variable.isidentifier():
            shell.assign(variable, (value,))
        elif equals and (function := _FUNCTION(variable)):
            shell.run_text(f"{function[1]} {value}", here=True)
        elif variable == "--chdir":
            shell.run_words(["cd", value])
    for word, following in pairwise(arguments):
        if word in {"-C", "--chdir"}:
            shell.run_words(["cd", following])
    return _split_text(arguments)


_SPLITS: Final = re.compile(r"(?:-[a-zA-Z0]*S|--split-string=?)(.*)", re.DOTALL).fullmatch


def _split_text(arguments: list[str]) -> str:
    for number, word in enumerate(arguments):
        if not word.startswith("-"):
            return "" if "=" not in word else _split_text(arguments[number + 1 :])
        given = _SPLITS(word)
        if given:
            text = " ".join([given[1], *arguments[number + 1 :]]).strip()
            return text.replace("\\_", " ")
    return ""


_CASED: Final = re.compile(r"\w+\s(?:.*\s)?-\w*([lu])").match


def keep_case(shell: Shell, declaration: str) -> None:
    """`declare -l name=TEXT`: the variable holds small letters, or with `-u` great ones."""
    found = _CASED(declaration)
    for name in re.findall(r"(\w+)=", declaration) if found else ():
        values = shell.variables.get(name, ())
        shell.variables[name] = mapped(values, str.lower if found and found[1] == "l" else str.upper)
