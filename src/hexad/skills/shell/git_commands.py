"""`git`: what it deletes, and the commands in its options and settings."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import leading_to, operands, told
from hexad.skills.shell.unseen import doubt

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

_IS_COMMAND: Final = re.compile(
    r"core\.(?:sshcommand|pager|editor|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..+|sequence\.editor|"
    r"diff\.external|diff\..+\.(?:textconv|command)|merge\..+\.driver|filter\..+\.(?:clean|smudge|process)|"
    r"(?:difftool|mergetool|man|browser)\..+\.(?:cmd|path)|gpg\.(?:.+\.)?program|credential\.(?:.+\.)?helper|"
    r"interactive\.difffilter|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack)|sendemail\..+cmd|"
    r"trailer\..+\.(?:cmd|command)|rebase\.\w*exec|submodule\..+\.update",
    re.IGNORECASE,
).fullmatch
_CHANGES_FILES: Final = frozenset(
    [
        "apply",
        "am",
        "checkout",
        "restore",
        "switch",
        "stash",
        "pull",
        "merge",
        "reset",
        "rebase",
        "revert",
        "cherry-pick",
    ]
)
_RUNS: Final = re.compile(
    r"--(?:exec|upload-pack|receive-pack|extcmd|open-files-in-pager|(?:tree|index|env|msg|commit|parent)-filter)"
).fullmatch


def git(shell: Shell, argv: list[str]) -> None:
    """An alias, a hook or a helper that is given on the command line is run."""
    _clean(shell, argv)
    for word, following in itertools.pairwise(argv):
        if word in {"-c", "--config"}:
            _set(shell, *following.partition("=")[::2])
        elif _RUNS(word) or (word == "-x" and not {"rebase", "difftool"}.isdisjoint(argv)):
            shell.run_text(following)
    for word in argv[1:]:
        option, equals, text = word.partition("=")
        if equals and _RUNS(option):
            shell.run_text(text)
    if "config" in argv:
        words = operands(argv[argv.index("config") + 1 :])
        _set(shell, *[*words[words[:1] == ["set"] :], "", ""][:2])
    _subcommand(shell, argv)
    if shell.wrote and not _CHANGES_FILES.isdisjoint(argv[1:4]):
        doubt(shell, shell.wrote)


def _subcommand(shell: Shell, argv: list[str]) -> None:
    if argv[1:3] == ["bisect", "run"]:
        shell.run_words(argv[3:])
    if not {"filter-branch", "bisect", "foreach"}.isdisjoint(argv):
        for word in operands(argv[2:]):
            if " " in word:
                shell.run_text(word)


def _set(shell: Shell, name: str, value: str) -> None:
    """A setting: its value may be a command."""
    if value.startswith("!"):
        shell.run_text(value[1:])
    elif _IS_COMMAND(name):
        shell.run_text(value)


def _clean(shell: Shell, argv: list[str]) -> None:
    """`git clean` deletes below the folder that git is told to work in."""
    folders = [path for word, path in itertools.pairwise(argv) if word in {"-C", "--work-tree"}]
    folders += [word.partition("=")[2] for word in argv if word.startswith("--work-tree=")]
    if "clean" in argv and any(each.is_vital for each in leading_to(shell, folders or ["."])):
        shell.find("delete-root-or-home", told(argv))
