"""Loops: what their bodies do the first time and again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.endless import check_endless
from hexad.skills.shell.values import ANYTHING, NOTHING, SPLIT, UNKNOWN, Values, bounded, fields, joined, known
from hexad.skills.shell.words import evaluate, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from hexad.skills.shell.machine import Shell

_GROWS: Final = re.compile(rb"(\w+)(?:\+=|=[\"']?\$\{?\1\b)").search
_MOST_TURNS: Final = 16


def for_each(shell: Shell, node: Node) -> Values:
    """`for name in words`: the name holds each of them."""
    children = node.named_children
    name, body = text_of(children[0]), children[-1]
    given = [evaluate(shell, child) for child in children[1:-1] if child.type != "comment"]
    if not given:
        given = [shell.variables.get("@", ANYTHING)]
    each = [part for word in given for value in word for part in fields(value)]
    for value in each:
        if "[" in value:
            shell.run_subscript(value)
    if 1 < len(each) <= _MOST_TURNS and _GROWS(body.text or b"") and all(map(known, each)):
        return _turns(shell, name, each, body)
    shell.variables[name] = bounded(each) if each else ANYTHING
    return _loop(shell, node, [body])


def _turns(shell: Shell, name: str, each: list[str], body: Node) -> Values:
    """A loop over a few words that puts something together: turn by turn."""
    printed = []
    shell.loops += 1
    for value in each:
        shell.variables[name] = (value,)
        printed.append(shell.run(body))
    shell.loops -= 1
    return joined(printed) if shell.capturing else NOTHING


def while_true(shell: Shell, node: Node) -> Values:
    """`while`, `until` and `for ((…))`: a condition and a body."""
    return _loop(shell, node, node.named_children)


def _loop(shell: Shell, node: Node, parts: list[Node]) -> Values:
    """The body as it runs the first time, and again if it reads what it changes."""
    if b"shift" in (node.text or b""):
        _widen(shell)
    outer, shell.again = shell.again, set()
    reads, shell.reads = shell.reads, set()
    started = shell.started
    shell.conditional += 1
    shell.unsure += 1
    shell.loops += 1
    printed = [shell.run(part) for part in parts]
    if shell.again:
        for name in shell.again:
            shell.variables[name] = bounded([*shell.variables.get(name, ()), UNKNOWN])
        printed += [shell.run(part) for part in parts]
    shell.loops -= 1
    shell.conditional -= 1
    shell.unsure -= 1
    shell.reads |= reads
    shell.again = outer
    if shell.started > started:
        check_endless(shell, node)
    return bounded([*joined(printed), UNKNOWN]) if shell.capturing else NOTHING


def _widen(shell: Shell) -> None:
    """A loop that shifts: its first argument is each of them in turn."""
    given = shell.variables.get("@")
    if given is not None and len(given) == 1 and known(given[0]):
        every = bounded(given[0].split(SPLIT))
        shell.variables.update(dict.fromkeys("123456789", every))
