"""What commands bring from elsewhere: the files that they save, and what is run of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import check_writes, operands
from hexad.skills.shell.held_files import hold
from hexad.skills.shell.values import DOWNLOADED

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.machine import Shell

_ATTACHED: Final = re.compile(r"-[a-zA-Z]*[oO]([^\s-].*)").fullmatch


def fetch(shell: Shell, name: str, argv: list[str]) -> None:
    """Note the files that a command saves."""
    saves = _FETCHING.get(name)
    if saves is not None:
        saves(shell, argv)


def is_fetched(shell: Shell, path: str) -> bool:
    """Whether a file, or the folder that it is in, has the name of something that was brought."""
    if not shell.fetched:
        return False
    *folders, name = f"{shell.folder}/{path}".split("/")
    return name in shell.fetched or not shell.fetched.isdisjoint([f"{folder}/" for folder in folders])


def saved(shell: Shell, argv: list[str]) -> None:
    """Curl and wget: what they save is text from elsewhere."""
    remote = any(
        word in {"-O", "--remote-name", "-OL", "-LO", "-sSLO", "-fsSLO"} or re.fullmatch(r"-\w*O", word)
        for word in argv
    )
    for number, word in enumerate(argv[:-1]):
        if (
            word in {"-o", "--output", "--output-document"}
            or re.fullmatch(r"-[a-zA-Z]*o", word)
            or (argv[0] == "wget" and re.fullmatch(r"-[a-zA-Z]*O", word))
        ):
            _save(shell, argv, argv[number + 1])
    for word in argv[1:]:
        option, equals, path = word.partition("=")
        if equals and option in {"--output", "--output-document"}:
            _save(shell, argv, path)
        if "/" in word and word[:1] != "-" and (remote or argv[0] == "wget"):
            folder = argv[argv.index("-P") + 1] + "/" if "-P" in argv[:-1] else ""
            _save(shell, argv, folder + word.rpartition("/")[2])


def _save(shell: Shell, argv: list[str], path: str) -> None:
    check_writes(shell, argv, [path])
    hold(shell, path, DOWNLOADED)


def _named_in_words(shell: Shell, argv: list[str]) -> None:
    """Curl and wget by the names in their words too: an address's last part, or what is attached to an option."""
    saved(shell, argv)
    for word in operands(argv[1:]) if "curl" not in argv[0] or "--output-dir" in argv else ():
        if "/" in word:
            _bring(shell, word)
    for word in argv[1:]:
        attached = _ATTACHED(word)
        if attached:
            _save(shell, argv, attached[1])


def _bring(shell: Shell, word: str, *, folder: bool = False) -> None:
    name = word.rstrip("/").rpartition("/")[2].removesuffix(".git")
    if name:
        shell.fetched.add(f"{name}/" if folder else name)


def _from_host(shell: Shell, argv: list[str]) -> None:
    """Scp and its like: what comes from `host:path`, and the name that it gets here."""
    words = operands(argv[1:])
    remote = [word.partition(":")[2] for word in words[:-1] if ":" in word]
    if remote and ":" not in words[-1]:
        for word in (*remote, words[-1]):
            _bring(shell, word)


def _cloned(shell: Shell, argv: list[str]) -> None:
    words = operands(argv[1:])
    if "clone" in words:
        _bring(shell, words[-1], folder=True)


_FETCHING: Final[dict[str, Callable[[Shell, list[str]], None]]] = {
    "curl": _named_in_words,
    "wget": _named_in_words,
    "aria2c": _named_in_words,
    "axel": _named_in_words,
    "scp": _from_host,
    "rsync": _from_host,
    "git": _cloned,
    "hg": _cloned,
}
