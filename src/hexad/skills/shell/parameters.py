"""Variables and `${…}`: what they hold, as far as the script itself says so."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.values import (
    ANYTHING,
    DOWNLOADED,
    HOME,
    LONGEST,
    NOTHING,
    SELF,
    SPLIT,
    UNKNOWN,
    WORK,
    Values,
    bounded,
    decoded,
    exchanged,
    foreign,
    is_glob,
    joined,
    known,
    mapped,
    pattern,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from hexad.skills.shell.machine import Shell

_GIVEN: Final[dict[str, Values]] = {
    "HOME": (HOME,),
    "0": (SELF,),
    "BASH_SOURCE": (SELF,),
    "SHELL": ("/bin/bash",),
    "BASH": ("/bin/bash",),
    "TMPDIR": ("/tmp",),  # noqa: S108 - what the variable usually holds
    "PATH": ("/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",),
    "IFS": (" \t\n",),
}
_LONGEST_MATCHED: Final = 256  # characters that a pattern is searched in
_CHANGES: Final[dict[str, Callable[[str], str]]] = {"L": str.lower, "U": str.upper, "E": decoded}
"""What `${name@L}` and its like make of a value."""
_TARGETS: Final = frozenset({"variable_name", "subscript", "special_variable_name"})
_SPELLED: Final = {HOME: "/home/user", WORK: "/home/user/work", SELF: f"/home/user/work/{SELF}"}


def looked_up(shell: Shell, name: str) -> Values:
    """What a variable holds; one that the script never sets comes from outside, and is not known."""
    shell.reads.add(name)
    held = shell.variables.get(name)
    return held if held is not None else _from_outside(shell, name)


def _from_outside(shell: Shell, name: str) -> Values:
    other = shell.names.get(name)
    if other is not None and other not in shell.names:
        return _target_named(shell, other)
    return (shell.folder,) if name == "PWD" else _GIVEN.get(name, ANYTHING)


def _target_named(shell: Shell, name: str) -> Values:
    """What a variable or an element of an array holds, by a name that was itself put together."""
    name, bracket, index = name.partition("[")
    values = looked_up(shell, name)
    return _element(values, index.rstrip("]")) if bracket else values


def expansion(shell: Shell, node: Node) -> Values:
    """What a `${…}` comes to, before it is split into words."""
    children = node.children[1:-1]
    place = next((n for n, child in enumerate(children) if child.type in _TARGETS), None)
    if place is None:
        return _odd(shell, node)
    target, prefix, rest = children[place], [child.type for child in children[:place]], children[place + 1 :]
    values = _target(shell, target)
    if "#" in prefix:
        return ANYTHING
    if "!" in prefix:
        values = _indirect(shell, values)
    return _operated(shell, _text(target), values, rest) if rest else values


def _odd(shell: Shell, node: Node) -> Values:
    """What the grammar has no name for, such as `${10}` or `${@:2}`."""
    shell.run_inside(node)
    name = re.fullmatch(r"\$\{(\w+|[@*#?!$-])\}", _text(node).lstrip())
    return looked_up(shell, name[1]) if name else ANYTHING


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _target(shell: Shell, node: Node) -> Values:
    name, bracket, index = _text(node).partition("[")
    values = looked_up(shell, name)
    if bracket:
        shell.run_inside(node)
    if not bracket:
        return first_element(values) if name not in {"@", "*"} else values
    return _element(values, index.rstrip("]"))


def first_element(values: Values) -> Values:
    """Of each value that is an array its first element."""
    if len(values) == 1 and SPLIT not in values[0] and len(values[0]) <= LONGEST:
        return values  # nearly always
    return bounded(value.split(SPLIT, 1)[0] for value in values)


def _element(values: Values, index: str) -> Values:
    if index in {"@", "*"}:
        return values
    if not re.fullmatch(r"-?\d+", index):
        return bounded([*(part for value in values for part in value.split(SPLIT)), UNKNOWN])
    return bounded(_at(value.split(SPLIT), int(index)) for value in values)


def _at(parts: list[str], index: int) -> str:
    if parts == [UNKNOWN]:
        return UNKNOWN
    return parts[index] if -len(parts) <= index < len(parts) else ""


def _indirect(shell: Shell, values: Values) -> Values:
    return bounded(found for name in values for found in (looked_up(shell, name) if known(name) else ANYTHING))


def _operated(shell: Shell, name: str, values: Values, rest: list[Node]) -> Values:
    operator = rest[0].type
    groups = _operands(shell, rest[1:])
    operation = _OPERATIONS.get(operator)
    if operator == "@" and any(node.type == "P" for node in rest):
        shell.run_later("PS1", values)  # as a prompt: what it substitutes is run
    if operator in {":=", "="}:
        shell.assign(name, joined(groups[0]))
    change = next((_CHANGES[node.type] for node in rest if node.type in _CHANGES), None) if operator == "@" else None
    if change is not None:
        return mapped(values, change)
    return DOWNLOADED if operation is None and foreign(values) else operation(values, groups) if operation else ANYTHING


def _operands(shell: Shell, nodes: list[Node]) -> list[list[Values]]:
    """The texts behind an operator, grouped by the signs that part them."""
    groups: list[list[Values]] = [[]]
    for node in nodes:
        if node.is_named:
            groups[-1].append(shell.evaluate(node, quoted=True))
        elif node.type in {"/", ":"}:
            groups.append([])
    return groups


def _default(values: Values, groups: list[list[Values]]) -> Values:
    return or_default(values, joined(groups[0]))


def or_default(values: Values, other: Values) -> Values:
    """The values, and another one if one of them may be empty."""
    if all(value and known(value) for value in values):
        return values
    return bounded([*(value for value in values if value), *other])


def _alternative(_values: Values, groups: list[list[Values]]) -> Values:
    return bounded(["", *joined(groups[0])])


def _removed(*, suffix: bool, longest: bool) -> Callable[[Values, list[list[Values]]], Values]:
    def remove(values: Values, groups: list[list[Values]]) -> Values:
        (what, *more) = joined(groups[0])
        if more or not known(what):
            return ANYTHING
        return mapped(values, lambda value: _without(spelled(value), what, suffix=suffix, longest=longest))

    return remove


def _without(text: str, glob: str, *, suffix: bool, longest: bool) -> str:
    if not is_glob(glob) and len(glob) == 1 and text.count(glob) <= 1 and (text[-1:] if suffix else text[:1]) != glob:
        return text
    match = pattern(glob).match
    cuts = range(len(text) + 1) if suffix == longest else range(len(text), -1, -1)
    if len(text) > 1024:
        return UNKNOWN
    for cut in cuts:
        gone, kept = (text[cut:], text[:cut]) if suffix else (text[:cut], text[cut:])
        if match(gone):
            return kept
    return text


def spelled(value: str) -> str:
    """A value whose characters are looked at: the marks of paths, written as such a path."""
    for mark, path in _SPELLED.items():
        value = value.replace(mark, path)
    return value


def _replaced(*, every: bool) -> Callable[[Values, list[list[Values]]], Values]:
    def replace(values: Values, groups: list[list[Values]]) -> Values:
        (what, *more), (by, *others) = joined(groups[0]), joined(groups[1]) if len(groups) > 1 else NOTHING
        if more or others or not known(what + by):
            return ANYTHING
        return mapped(values, lambda value: _exchange(spelled(value), what, by, every=every))

    return replace


def _exchange(text: str, glob: str, by: str, *, every: bool) -> str:
    if not is_glob(glob):
        return exchanged(text, glob.replace("\\", "") or "\n", by, -1 if every else 1)
    if len(text) > _LONGEST_MATCHED or glob.count("*") > 2 or len(text) * len(by) > LONGEST:
        return UNKNOWN
    return re.sub(
        pattern(glob).pattern.removesuffix(r"\Z").removesuffix(r"\z"),
        by.replace("\\", r"\\"),
        text,
        count=0 if every else 1,
    )


def _substring(values: Values, groups: list[list[Values]]) -> Values:
    numbers = [_number(joined(group)) for group in groups]
    if None in numbers:
        return ANYTHING
    start = numbers[0] or 0
    length = numbers[1] if len(numbers) > 1 else None
    return mapped(values, lambda value: _slice(spelled(value), start, length))


def _slice(text: str, start: int, length: int | None) -> str:
    if SPLIT in text:
        parts = text.split(SPLIT)
        return SPLIT.join(parts[start:] if length is None else parts[start : start + length])
    begin = start if start >= 0 else len(text) + start
    if length is None:
        return text[begin:]
    return text[begin : begin + length] if length >= 0 else text[begin:length]


def _number(values: Values) -> int | None:
    text = values[0].strip(" ()") if len(values) == 1 else ""
    return int(text) if re.fullmatch(r"-?\d{1,6}", text) else None


def _cased(change: Callable[[str], str]) -> Callable[[Values, list[list[Values]]], Values]:
    return lambda values, _groups: mapped(values, change)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


_OPERATIONS: Final[dict[str, Callable[[Values, list[list[Values]]], Values]]] = {
    ":-": _default,
    "-": _default,
    ":=": _default,
    "=": _default,
    ":+": _alternative,
    "+": _alternative,
    ":?": lambda values, _groups: values,
    "?": lambda values, _groups: values,
    "#": _removed(suffix=False, longest=False),
    "##": _removed(suffix=False, longest=True),
    "%": _removed(suffix=True, longest=False),
    "%%": _removed(suffix=True, longest=True),
    "/": _replaced(every=False),
    "//": _replaced(every=True),
    ":": _substring,
    "^": _cased(_capital),
    "^^": _cased(str.upper),
    ",": _cased(_small),
    ",,": _cased(str.lower),
    "@": lambda values, _groups: bounded([*values, UNKNOWN]),
}
