"""Loops: what their bodies do the first time and again, and whether they ever end."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.values import ANYTHING, NOTHING, SPLIT, UNKNOWN, Values, bounded, fields, joined, known
from hexad.skills.shell.words import evaluate, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from hexad.skills.shell.machine import Shell

_FOREVER: Final = re.compile(
    rb"\s*(?:while\s+(?:true|:|\[+ *1 *\]+|\(\( *1 *\)\)|/bin/true)|until\s+false|for\s*\(\(\s*;\s*;)"
)
_FED_FOREVER: Final = re.compile(rb"(?:yes|cat\s+/dev/(?:zero|u?random)|tail\s+-[fF])\b").match
_ENDS_BESIDE: Final = re.compile(rb"[^&>]&\s*[)};]").search
_PAUSES: Final = re.compile(rb"\b(?:wait|sleep|read|break|exit|return|inotifywait|jobs)\b")


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
    shell.variables[name] = bounded(each) if each else ANYTHING
    return _loop(shell, node, [body])


def while_true(shell: Shell, node: Node) -> Values:
    """`while`, `until` and `for ((…))`: a condition and a body."""
    return _loop(shell, node, node.named_children)


def _loop(shell: Shell, node: Node, parts: list[Node]) -> Values:
    """The body as it runs the first time, and again if it reads what it changes."""
    _check_endless(shell, node, parts[-1])
    if b"shift" in (node.text or b""):
        _widen(shell)
    outer, shell.again = shell.again, set()
    reads, shell.reads = shell.reads, set()
    shell.conditional += 1
    shell.loops += 1
    printed = [shell.run(part) for part in parts]
    if shell.again:
        for name in shell.again:
            shell.variables[name] = bounded([*shell.variables.get(name, ()), UNKNOWN])
        printed += [shell.run(part) for part in parts]
    shell.loops -= 1
    shell.conditional -= 1
    shell.reads |= reads
    shell.again = outer
    return bounded([*joined(printed), UNKNOWN]) if shell.capturing else NOTHING


def _widen(shell: Shell) -> None:
    """A loop that shifts: its first argument is each of them in turn."""
    given = shell.variables.get("@")
    if given is not None and len(given) == 1 and known(given[0]):
        every = bounded(given[0].split(SPLIT))
        shell.variables.update(dict.fromkeys("123456789", every))


def _check_endless(shell: Shell, node: Node, body: Node) -> None:
    """A loop without an end that starts something beside itself, and never waits."""
    if b"&" not in (node.text or b"") or not (_FOREVER.match(node.text or b"") or _is_fed_forever(node)):
        return
    children = body.children
    beside = [child for child, sign in itertools.pairwise(children) if sign.type == "&"]
    beside += [child for child in children if child.type == "subshell" and _ENDS_BESIDE(child.text or b"")]
    waits = any(_PAUSES.search(child.text or b"") for child in children if child not in beside)
    if beside and not waits:
        shell.node = node
        shell.find("fork-bomb", "a loop without an end")


def _is_fed_forever(node: Node) -> bool:
    """Whether a loop reads what never ends, such as the output of `yes`."""
    before = node.prev_named_sibling
    return before is not None and _FED_FOREVER(before.text or b"") is not None
