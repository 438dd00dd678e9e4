"""Branches: each begins with what was known before, and behind them holds what any of them left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.skills.shell.lasting import leave
from hexad.skills.shell.values import ANYTHING, Values, bounded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad.skills.shell.machine import Shell


def branches(shell: Shell, ways: Sequence[Callable[[], Values]], *, complete: bool) -> list[str]:
    """Run each way by itself; what they may print. ``complete`` if one of them is taken for certain."""
    before, folder = shell.variables, shell.folder
    ends = [] if complete else [(before, folder)]
    printed: list[str] = []
    shell.conditional += 1
    for way in ways:
        shell.variables, shell.folder = before.copy(), folder
        printed += way()
        ends.append((shell.variables, shell.folder))
    shell.conditional -= 1
    shell.variables = _met(before, [variables for variables, _ in ends])
    for _, end in ends:
        leave(shell, surely=shell.folder == end)
        shell.folder = end
    return printed


def _met(before: dict[str, Values], ends: list[dict[str, Values]]) -> dict[str, Values]:
    """What the variables hold where several ways meet; one that is not set on each of them may come from outside."""
    names = {name for end in ends for name, values in end.items() if before.get(name) is not values}
    names |= {name for end in ends for name in before if name not in end}
    met = before.copy()
    for name in names:
        met[name] = bounded([value for end in ends for value in end.get(name, ANYTHING)])
    return met
