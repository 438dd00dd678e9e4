"""`env`: the variables, the folder and the text that it gives to the command it runs."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

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


def _split_text(arguments: list[str]) -> str:
    for number, word in enumerate(arguments):
        if word in {"-S", "--split-string", "-vS"}:
            return " ".join(arguments[number + 1 :])
        if word.startswith("--split-string="):
            return word.partition("=")[2]
        if word.startswith("-S"):
            return word[2:]
    return ""
