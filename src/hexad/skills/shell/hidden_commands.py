"""Commands among the words of another one that is not known to run any: `strange bash -c '…'`, `strange rm -rf /`.

Where a program that is not known is given a shell and its code, it will run it. Where it is given words that would
destroy something as a command, it is judged by them; what they would need is not known, since they may not be run.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.rules import RULES
from hexad.skills.shell.wrapper_tables import SHELLS

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

_DESTROYING: Final = frozenset({"rm", "mv", "dd", "shred", "chmod", "chown", "find", "wipefs", "mke2fs", "unlink"})
_INTERPRETER: Final = re.compile(r"(?:python|pypy|perl|ruby|node|nodejs|php|lua)[\d.]*").fullmatch
_TAKES_CODE: Final = re.compile(r"-[a-zA-Z]*[ceEpr]|--eval|--command|-Command").fullmatch
_NAMES: Final = "|".join(sorted(SHELLS - {"rc", "nu"}, key=len, reverse=True))
_ENDS: Final = (*SHELLS, "python", "perl", "ruby", "node", "php", "lua", ".", *"0123456789", " ", "\t")
_BLANKS: Final = (" ", "\t", "/")
_SIGNS: Final = tuple(
    (re.compile(sign).finditer, ends, re.compile(before).search)
    for sign, ends, before in (
        (
            r" -[a-zA-Z]*[ceEpr][ \t]",
            _ENDS,
            rf"[\w'\"}})][ \t]+(?:/\S*/)?(?:{_NAMES}|(?:python|perl|ruby|node|php|lua)[\d.]*)[ \t]*$",
        ),
        (r"find[ \t]+[\"'$]*[/~H]", _BLANKS, r"[\w'\"})][ \t]+(?:/\S*/)?$"),
        (r"rm[ \t]+[\"'$]*[/~H]", _BLANKS, r"[\w'\"})][ \t]+(?:/\S*/)?$"),
        (r"mv[ \t]+[\"'$]*[/~H]", _BLANKS, r"[\w'\"})][ \t]+(?:/\S*/)?$"),
        (r"''[a-z]", tuple(ascii_lowercase), r"[a-z]$"),
        (r'""[a-z]', tuple(ascii_lowercase), r"[a-z]$"),
        (r"\\[a-z]+[ \t]", (*_BLANKS, *ascii_lowercase), r"[ \t][a-z]*$"),
    )
)
"""What gives reason to look, and what must stand before it: how that ends, which is seen fast, and what it is."""
_BEFORE: Final = 60  # characters that are looked at
_MOST_WORDS: Final = 64


def may_hide_commands(script: str) -> bool:
    """Whether a script's text gives reason to look for commands among the words of others."""
    return any(
        script.endswith(ends, 0, found.start()) and before(script, max(0, found.start() - _BEFORE), found.start())
        for sign, ends, before in _SIGNS
        for found in sign(script)
    )


def look_within(shell: Shell, words: list[str]) -> None:
    """Judge what the words behind the first one would do if they were a command."""
    for number, word in enumerate(words[1:_MOST_WORDS], 1):
        name = word.rpartition("/")[2]
        following = words[number + 1 : number + 2]
        if not following:
            return
        if (name in SHELLS or _INTERPRETER(name)) and _TAKES_CODE(following[0]):
            _run(shell, words[number:])
            return
        if name in _DESTROYING or name.startswith("mkfs"):
            before = dict(shell.found)
            _run(shell, words[number:])
            for mark in [mark for mark in shell.found if mark not in before and RULES[mark[0]].capability is not None]:
                del shell.found[mark]


def _run(shell: Shell, words: list[str]) -> None:
    outer, folder, shell.stdin = shell.stdin, shell.folder, None
    shell.run_words(words)
    shell.stdin, shell.folder = outer, folder
