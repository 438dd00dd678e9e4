"""What may hold though something else was said later: what would do harm is not forgotten.

A command may not have run, and a `cd` may have failed. What it changed is then one more possibility beside what was:
the values of variables, a vital folder that the script was in, a dangerous text that a file held.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.paths import place
from hexad.skills.shell.rules import RULES
from hexad.skills.shell.values import HOME, NOTHING, Values, bounded

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from hexad.skills.shell.machine import Shell

_HARMS: Final = re.compile(
    rf"[/{HOME}](?:[\w*?]*/?){{0,2}}[*.]*\Z|/dev/|(?:^|[\s/;&|(])(?:rm|dd|mkfs|shred|wipefs|chmod|mv|find|curl|wget|eval|"
    r"(?:ba|da|z)?sh)\b"
).match
_ENDS: Final = re.compile(
    rb"\{?\s*(?:[^;}]*;\s*)*?(?:exit|return|die|fail|abort|error|fatal|usage|break|continue)\b"
).match
_HARMS_INSIDE: Final = re.compile(r"[\s/;&|(](?:rm|dd|mkfs[.\w]*|shred|wipefs|chmod|mv|find|curl|wget|eval)\s").search


def lasting(old: Values | None, new: Values) -> Values:
    """What a file holds, and of what it held before that which would do harm: it may not have been written again."""
    if old is None or old == new:
        return new
    kept = [value for value in old if value and (_HARMS(value) or _HARMS_INSIDE(value)) and value not in new]
    return bounded((*new, *kept)) if kept else new


def is_guarded(behind: list[Node]) -> bool:
    """Whether what follows a command, a sign and another command, runs only if it worked, or ends the script if not."""
    sign = behind[0].type if behind else ""
    return sign == "&&" or (sign == "||" and len(behind) > 1 and _ENDS((behind[1].text or b"")[:400]) is not None)


def may_not_have_run(shell: Shell, before: dict[str, Values], folder: str) -> None:
    """What the commands behind the first of a list have set may not be set: they run only if the others worked."""
    for name, values in list(shell.variables.items()):
        old = before.get(name)
        if values is not old:
            shell.variables[name] = bounded((*values, *(NOTHING if old is None else old)))
    if shell.folder != folder:
        now, shell.folder = shell.folder, folder
        leave(shell, surely=False)
        shell.folder = now


def leave(shell: Shell, *, surely: bool) -> None:
    """Remember the folder that a script leaves, if it is a vital one and may be where it stays."""
    if not surely and shell.folder not in shell.haunts and place(".", shell.folder).is_vital:
        shell.haunts = (*shell.haunts, shell.folder)


def judged_elsewhere(shell: Shell, judge: Callable[[], object]) -> None:
    """Judge a command as if a `cd` before it had not happened; only what is rejected there counts."""
    outer = shell.folder
    for folder in shell.haunts:
        shell.folder = folder
        rejected(shell, judge)
    shell.folder = outer


def rejected(shell: Shell, judge: Callable[[], object], *, spared: str = "") -> None:
    """Judge what may not happen at all: what it would need does not count, what is rejected does, but for one rule."""
    before = dict(shell.found)
    judge()
    for mark in [mark for mark in shell.found if mark not in before]:
        if RULES[mark[0]].capability is not None or mark[0] == spared:
            del shell.found[mark]
