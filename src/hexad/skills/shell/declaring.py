"""Variables of a kind of their own: elements of arrays, names for others, those of a function alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.skills.shell.values import SPLIT, Values, joined
from hexad.skills.shell.words import evaluate, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from hexad.skills.shell.machine import Shell


def names_in(node: Node) -> list[Node]:
    """The names that a declaration is about."""
    return [child.children[0] if child.type == "variable_assignment" else child for child in node.named_children]


def hide(shell: Shell, node: Node) -> None:
    """`local name`: what it held outside comes back when the function ends."""
    for name in map(text_of, names_in(node)):
        shell.locals[-1].setdefault(name, shell.variables.get(name))


def run_subscripts(shell: Shell, words: list[Values]) -> None:
    """The names that `test -v`, `unset`, `read` and `let` are given: in a subscript they run what it substitutes."""
    for word in words:
        for value in word:
            if "[" in value:
                shell.run_subscript(value)


def assign_element(shell: Shell, name: str, index: str, values: Values) -> None:
    """One element of an array: in the order in which they are set, whatever their index."""
    if name in {"BASH_ALIASES", "BASH_CMDS"}:
        shell.aliases[index.strip("'\"")] = values
    old = shell.variables.get(name)
    if index.isdigit() and int(index) <= 64 and old is not None and len(old) == 1 and len(values) == 1:
        parts = old[0].split(SPLIT)
        parts += [""] * (int(index) + 1 - len(parts))
        parts[int(index)] = values[0]
        shell.variables[name] = (SPLIT.join(parts),)
    elif old is None:
        shell.variables[name] = (
            values if index == "0" else joined([(SPLIT * min(int(index), 64),), values]) if index.isdigit() else values
        )
    else:
        shell.assign(name, joined([old, values], SPLIT))


def name_another(shell: Shell, node: Node) -> None:
    """`declare -n name=other`: from here on one is the other."""
    name, value = text_of(node.children[0]), node.children[-1]
    for other in evaluate(shell, value, quoted=True):
        shell.run_subscript(other)
        if other != name:
            shell.names[name] = other
            shell.variables.pop(name, None)
