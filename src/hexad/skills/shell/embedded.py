"""Texts of any language that hold a command which destroys: in a call, in quotes, or behind a sign that starts one.

What such a text needs is not asked: whether it is ever run is not known either.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import told
from hexad.skills.shell.interpreters import scan
from hexad.skills.shell.lasting import rejected
from hexad.skills.shell.paths import place
from hexad.skills.shell.values import HOME, LONGEST, decoded

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

_SIGN: Final = re.compile(
    r"\b(?:rm|shred|dd|mkfs|wipefs|chmod|mv|find|fork|unlink)\b|/dev/|-[a-zA-Z]*rf?\s+[/~]|(?i:rm|remove|delete)\w{0,30}[(!_-]|rmtree"
).search
_COMMAND: Final = re.compile(
    r"(?<![\w./-])(?:sudo\s+)?(?:/[\w/]{0,40}/)?(?:rm|shred|dd|mkfs(?:\.\w+)?|wipefs|chmod|mv|find)[ \t]"
    r"[^\n\"'`)};|&]{1,200}"
)
_QUOTED: Final = re.compile(r"\"((?:[^\"\\\n]|\\.){0,300})\"|'((?:[^'\\\n]|\\.){0,300})'")
_DELETES_ALL: Final = re.compile(
    r"(?i:rm|remove|delete|empty|erase)[-_]?(?i:all|dir\w*|tree|rf|recurs\w*|sync)[\w-]{0,40}!?\s?\(?(?:#?p)?\s?[\"']([/~][^\"'\n]{0,200})[\"']"
)
_DELETED: Final = re.compile(
    r"(?:removeItem\(\w{0,20}:?\s?|\bdelete\((?=[^)\n]{0,80}rf)|\((?=[^)\n]{0,80}\)\.(?:delete|remove)(?:Dir|Rec|All)))"
    r"[\"']([/~][^\"'\n]{0,80})[\"']"
)
_EMPTY_QUOTES: Final = re.compile(r"(?<=\w)(?:''|\"\"|\\(?=\w))")
_CAN_START: Final = re.compile(
    r"(?i)system|exec|spawn|popen|shell|\bsh\b|\bcmd|:cmd|process|command|write18|go:generate|runner|\bqx|%x|`|(?:^|:|silent\s)!|\brun[(_]|\.run\b"
).search
_MOST_SPOTS: Final = 50


def look_within(shell: Shell, argv: list[str], text: str, *, is_code: bool = False) -> None:
    """Note what a text would destroy if the program that it is given to runs it; code may also just print it."""
    mark = (argv[0], text)
    if len(text) <= LONGEST and mark not in shell.searched and _SIGN(text):
        shell.searched.add(mark)
        rejected(shell, partial(_search, shell, argv, text, is_code=is_code), spared="pipe-to-shell")


def _search(shell: Shell, argv: list[str], text: str, *, is_code: bool) -> None:
    scan(shell, argv, text)
    for sign in (_DELETES_ALL, _DELETED):
        for found in sign.finditer(text):
            if place(found[1].replace("~", HOME)).is_vital:
                shell.find("delete-root-or-home", told(argv))
    if is_code and not _CAN_START(text):
        return
    quoted = [decoded(one or other) for one, other in _QUOTED.findall(text)]
    together = ("".join(quoted), " ".join(quoted)) if len(quoted) > 1 else ()
    for variant in dict.fromkeys([text, _EMPTY_QUOTES.sub("", text), *together]):
        for found in islice(_COMMAND.finditer(variant), _MOST_SPOTS):
            shell.run_text(found[0])
