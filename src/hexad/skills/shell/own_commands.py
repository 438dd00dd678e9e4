"""Commands of the shell itself that change what is known: the folder, the arguments, variables and aliases."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.held_files import followed
from hexad.skills.shell.lasting import leave
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
_ENDS_ON_FAILURE: Final = re.compile(r"-\w*e\w*|errexit").fullmatch
_TO_ARRAY: Final = re.compile(r"-\w*a").fullmatch


def _cd(shell: Shell, argv: list[str]) -> Values:
    """A folder, and where it fails or may not happen the one that it was."""
    words = [word for word in argv[1:] if not re.fullmatch(r"-[LPe@]+|--", word)]
    leave(shell, surely=shell.guarded and not shell.conditional)
    if not words:
        shell.folder = HOME
    elif words[0] in {"-", "+1"} or not known(words[0][:1]):
        shell.folder = UNKNOWN
    else:
        for start in shell.variables.get("CDPATH", ()):
            outer, shell.folder = shell.folder, _led(shell, f"{start}/{words[0]}")
            leave(shell, surely=False)
            shell.folder = outer
        shell.folder = _led(shell, words[0])
    return NOTHING


def _led(shell: Shell, path: str) -> str:
    target = place(followed(shell, path), shell.folder)
    start = {"/": "/", "~": f"{HOME}/", ".": f"{WORK}/", "?": UNKNOWN}[target.start]
    return WORK if target.start == "." and not target.parts else start + "/".join(target.parts)


def _pushd(shell: Shell, argv: list[str]) -> Values:
    words = [word for word in argv[1:] if word != "-n"]
    if "-n" in argv:
        shell.stack.append(_led(shell, words[0]) if words else shell.folder)
        return NOTHING
    shell.stack.append(shell.folder)
    return _cd(shell, ["cd", *(words or ["-"])])


def _popd(shell: Shell, argv: list[str]) -> Values:
    """Back to a folder that was left; which one is not known where words say so."""
    leave(shell, surely=False)
    shell.folder = shell.stack.pop() if shell.stack and len(argv) == 1 else UNKNOWN
    leave(shell, surely=False)
    return NOTHING


def _shift(shell: Shell, argv: list[str]) -> Values:
    """The arguments behind the first ones."""
    count = argv[1] if len(argv) > 1 else "1"
    given = shell.variables.get("@", ANYTHING)
    if len(given) != 1 or not known(given[0]) or not count.isdigit():
        shell.set_arguments(None)
        return NOTHING
    before = {name: shell.variables.get(name) for name in "123456789"}
    shell.set_arguments(given[0].split(SPLIT)[int(count) :] if given[0] else [])
    for name, old in before.items() if shell.unsure else ():
        shell.variables[name] = bounded([*shell.variables[name], *(old or ())])
    return NOTHING


def _set(shell: Shell, argv: list[str]) -> Values:
    """`set -- words`: they become `$@`. `set -e`: from here on what fails ends the script."""
    if not shell.conditional and any(_ENDS_ON_FAILURE(word) for word in argv[1:]):
        shell.guarded = True
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
    options, names = _read_words(argv)
    to_array = any(_TO_ARRAY(word) for word in argv[1:])
    separators = shell.variables.get("IFS")
    signs = " \t\n" if separators is None else separators[-1]
    between = SPLIT if to_array else signs[:1]
    lines = [line for text in shell.stdin or ANYTHING for line in _lines(text, options)]
    if len(names) == 1 and not to_array:
        shell.assign(names[0], bounded([line.strip(signs) for line in lines]), surely=True)
        return NOTHING
    rows = [split(line, signs).split(SPLIT) for line in lines]
    for number, name in enumerate(names):
        last = number == len(names) - 1
        shell.assign(name, bounded([_of_row(row, number, between if last else None) for row in rows]))
    return NOTHING


def _of_row(row: list[str], number: int, between: str | None) -> str:
    """The word of a line that a variable gets, or all that are left; of a line that is not known any may be."""
    if not known("".join(row)):
        return FOREIGN if foreign(row) else UNKNOWN
    return "".join(row[number : number + 1]) if between is None else between.join(row[number:])


def _read_words(argv: list[str]) -> tuple[dict[str, str], list[str]]:
    """The options of `read` that say how much is read, and the variables."""
    options: dict[str, str] = {}
    names: list[str] = []
    words = iter(argv[1:])
    for word in words:
        if word[:1] == "-" and len(word) > 1:
            letters = word.lstrip("-")
            taking = next((n for n, letter in enumerate(letters) if letter in "dnNitpu"), None)
            if taking is not None:
                options[letters[taking]] = letters[taking + 1 :] or next(words, "")
        elif word == '""' or _IS_NAME(word):
            names.append(word)
    if not names and _IS_NAME(options.get("d", "")):  # an empty word is none: `read -d '' name`
        names, options["d"] = [options["d"]], ""
    return options, names


def _lines(text: str, options: dict[str, str]) -> list[str]:
    """What may be read: any line, for others may have been read before; a part up to a sign, or some characters."""
    count = options.get("n") or options.get("N") or ""
    if count.isdigit():
        return [text.strip("\n")[: int(count)]]
    if "d" in options:
        sign = options["d"][:1]
        return [text.rstrip("\n"), *(text.split(sign, MOST_VALUES) if sign else ())]
    return text.strip().split("\n", MOST_VALUES + 1)


def _mapfile(shell: Shell, argv: list[str]) -> Values:
    names = [word for word in argv[1:] if not word.startswith("-")] or ["MAPFILE"]
    sign, skipped = "\n", 0
    for option, text in pairwise([*argv, ""]):
        if option == "-C":
            shell.run_text(text)
        if option[:2] == "-d":
            sign = (option[2:] or text)[:1] or "\0"
        if option[:2] == "-s" and (option[2:] or text).isdigit():
            skipped = int(option[2:] or text)
    rows = (text.rstrip("\n").split(sign)[skipped:] for text in shell.stdin or ANYTHING)
    shell.assign(names[-1], bounded(SPLIT.join(row) for row in rows))
    return NOTHING


def _complete(shell: Shell, argv: list[str]) -> Values:
    """What completion would offer: a list of words that is expanded, a command that is run."""
    for option, text in pairwise(argv):
        if option in {"-W", "-C", "-F"}:
            shell.run_text(f'echo "{text}"' if option == "-W" else text)
    return NOTHING


OWN_COMMANDS: Final[dict[str, Callable[[Shell, list[str]], Values]]] = {
    "cd": _cd,
    "pushd": _pushd,
    "popd": _popd,
    "shift": _shift,
    "compgen": _complete,
    "complete": _complete,
    "set": _set,
    "alias": _alias,
    "hash": _hash,
    "read": _read,
    "mapfile": _mapfile,
    "readarray": _mapfile,
}
"""By their names."""
