"""Editors and `sed`: the commands that their own commands start, and the files that they write."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import check_writes, operands, told
from hexad.skills.shell.held_files import held, hold, read
from hexad.skills.shell.interpreters import scan
from hexad.skills.shell.unseen import doubt
from hexad.skills.shell.values import ANYTHING, UNKNOWN, Values, bounded, foreign, known

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell

_ADDRESS: Final = r"(?:^|[;{}\n]|(?<=[0-9$/!]))[ \t]*"
_STARTS: Final = re.compile(rf"{_ADDRESS}e[ \t]+(\S[^\n]*)")
_STARTS_INPUT: Final = re.compile(rf"{_ADDRESS}e[ \t]*(?=$|[;}}\n])")
_STARTS_RESULT: Final = re.compile(r"s([/|,#])(?:(?!\1).)*\1(?:(?!\1).)*\1[gpIm0-9]*e")
_WRITES: Final = re.compile(rf"(?:{_ADDRESS}|/[gpIm0-9]*)[wW][ \t]+([^\s;}}]+)")
_IN_PLACE: Final = re.compile(r"-[nErsz]*i|--in-place").match
_SAVES: Final = re.compile(r"(?:^|[\s|:+])(?:w|wq|x|sav|saveas|up|update|write)!?[ \t]+([^\s|!]+)", re.MULTILINE)
_SHELL_LINE: Final = re.compile(r"(?:^|[+:\s|])(?:[rw%]+\s*)?!\s*(.+)")
_MOST_STARTS: Final = 20
_SCRIPT_OPTIONS: Final = frozenset({"-S", "-u", "-s", "-U", "--cmd"})


def _sed(shell: Shell, argv: list[str]) -> None:
    scripts, files = _sed_words(shell, argv[1:])
    for script in scripts:
        _sed_script(shell, argv, script)
    if any(_IN_PLACE(word) for word in argv[1:]):
        check_writes(shell, argv, files)
        for path in files:
            hold(shell, path, bounded([*(held(shell, path) or ()), UNKNOWN]))


def _sed_words(shell: Shell, arguments: list[str]) -> tuple[list[str], list[str]]:
    """The scripts, those in files too, and the files that are edited."""
    scripts: list[str] = []
    left: list[str] = []
    waiting = iter(arguments)
    for word in waiting:
        option, equals, value = word.partition("=")
        if word in {"-e", "--expression"} or re.fullmatch(r"-[nErsz]+e", word):
            scripts.append(next(waiting, ""))
        elif word in {"-f", "--file"} or re.fullmatch(r"-[nErsz]+f", word):
            scripts += read(shell, next(waiting, "")) or ()
        elif equals and option in {"--expression", "--file"}:
            scripts += [value] if option == "--expression" else read(shell, value) or ()
        elif word.startswith(("-e", "-f")):
            scripts += [word[2:]] if word[1] == "e" else read(shell, word[2:]) or ()
        else:
            left.append(word)
    given = any(word.startswith(("-e", "-f", "--expression", "--file")) for word in arguments)
    words = operands(left)
    return (scripts, words) if scripts or given else (words[:1], words[1:])


def _sed_script(shell: Shell, argv: list[str], script: str) -> None:
    for found in islice(_STARTS.finditer(script), _MOST_STARTS):
        shell.run_text(found[1])
    if _STARTS_RESULT.search(script):
        shell.find("unknown-command", told(argv))
    if _STARTS_INPUT.search(script):
        shell.find("unknown-command", told(argv))
        for text in shell.stdin or ():
            shell.run_text(text)
    for found in islice(_WRITES.finditer(script), _MOST_STARTS):
        check_writes(shell, argv, [found[1]])
        hold(shell, found[1], bounded([*(shell.stdin or ()), UNKNOWN]))


def _editor(shell: Shell, argv: list[str]) -> None:
    """An editor's command that begins with `!` is run by a shell; others are code, or save what was edited."""
    if foreign(shell.stdin or ()):
        shell.find("pipe-to-shell", told(argv))
    for text in [*argv[1:], *_scripts(shell, argv), *(text for text in shell.stdin or () if known(text))]:
        run_editor_text(shell, argv, text)
    doubt(shell, operands(argv[1:]))
    if shell.stdin or any(word[:2] in {"-c", "-S", "-s"} for word in argv[1:]):
        shell.unseen.add("")


def _scripts(shell: Shell, argv: list[str]) -> Values:
    """What the files hold that an editor is told to run."""
    named = [argv[n + 1] for n, word in enumerate(argv[:-1]) if word in _SCRIPT_OPTIONS]
    return tuple(text for path in named for text in held(shell, path) or ())


def run_editor_text(shell: Shell, argv: list[str], text: str) -> None:
    """The commands of an editor."""
    for found in _SHELL_LINE.finditer(text) if "!" in text else ():
        shell.run_text(found[1])
    if "(" in text or " " in text:
        scan(shell, argv, text)
    for found in _SAVES.finditer(text):
        check_writes(shell, argv, [found[1]])
        hold(shell, found[1], ANYTHING)


EDITING: Final[dict[str, Callable[[Shell, list[str]], None]]] = {
    **dict.fromkeys(("vim", "vi", "nvim", "ex", "ed", "view", "gvim", "vimdiff", "red"), _editor),
    **dict.fromkeys(("sed", "gsed"), _sed),
}
"""By their names."""
