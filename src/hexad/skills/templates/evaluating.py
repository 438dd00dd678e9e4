"""Walking a template's tree: each step counted, each value data, no attribute read and no function called."""

from __future__ import annotations

import operator
from collections import ChainMap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from jinja2 import nodes

from hexad.skills.templates import operators
from hexad.skills.templates.budget import Missing, Stop
from hexad.skills.templates.filters import FILTERS, ON_MISSING, TESTS, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hexad.skills.templates.budget import Budget

_COMPARE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "lteq": operator.le,
    "gt": operator.gt,
    "gteq": operator.ge,
    "in": lambda one, other: one in other,
    "notin": lambda one, other: one not in other,
}


class Evaluator:
    """One rendering; `line` is where it is."""

    def __init__(self, values: Mapping[str, Any], budget: Budget) -> None:
        self.line = 1
        self._budget = budget
        self._scope: ChainMap[str, Any] = ChainMap({}, dict(values))
        self._written: list[str] = []

    def render(self, tree: nodes.Template) -> str:
        """The whole text."""
        self._do(tree.body)
        return "".join(self._written)

    # Statements

    def _do(self, body: Sequence[nodes.Node]) -> None:
        for node in body:
            self._at(node)
            getattr(self, f"_do_{type(node).__name__.lower()}")(node)  # a kind that `language` let through

    def _at(self, node: nodes.Node) -> None:
        self.line = node.lineno
        self._budget.step()

    def _do_output(self, node: nodes.Output) -> None:
        for part in node.nodes:
            written = part.data if isinstance(part, nodes.TemplateData) else text(self._value(part))
            self._budget.write(written)
            self._written.append(written)

    def _do_if(self, node: nodes.If) -> None:
        for branch in (node, *node.elif_):
            if self._value(branch.test):
                return self._do(branch.body)
        return self._do(node.else_)

    def _do_assign(self, node: nodes.Assign) -> None:
        self._assign(node.target, self._value(node.node))

    def _do_with(self, node: nodes.With) -> None:
        values = [self._value(value) for value in node.values]
        with self._inner():
            for target, value in zip(node.targets, values, strict=True):
                self._assign(target, value)
            self._do(node.body)

    def _do_for(self, node: nodes.For) -> None:
        found = operators.elements(self._value(node.iter))
        if node.test is not None:
            found = [one for one in found if self._passes(node, one)]
        with self._inner():
            for place, one in enumerate(found):
                self._budget.step()
                self._scope.maps[0].clear()  # nothing is carried from one round to the next
                self._scope["loop"] = _loop(found, place)
                self._assign(node.target, one)
                self._do(node.body)
        if not found:
            self._do(node.else_)

    def _passes(self, node: nodes.For, one: Any) -> bool:
        with self._inner():
            self._assign(node.target, one)
            return node.test is not None and bool(self._value(node.test))

    @contextmanager
    def _inner(self) -> Iterator[None]:
        outer = self._scope
        self._scope = outer.new_child()
        try:
            yield
        finally:
            self._scope = outer

    def _assign(self, target: nodes.Node, value: Any) -> None:
        if isinstance(target, nodes.Name):
            self._scope[target.name] = value
        elif isinstance(target, nodes.Tuple):
            parts = operators.elements(value)
            if len(parts) != len(target.items):
                raise Stop(f"takes {len(target.items)} values out of {len(parts)}")
            for one, part in zip(target.items, parts, strict=True):
                self._assign(one, part)

    # Expressions

    def _value(self, node: nodes.Node) -> Any:
        found = self._maybe(node)
        if isinstance(found, Missing):
            raise Stop(found.reason, found.name, parameter=found.parameter)
        return found

    def _maybe(self, node: nodes.Node) -> Any:
        """A value, or that it is missing."""
        self._at(node)
        if isinstance(node, nodes.Const):
            return self._budget.keep(node.value)
        if isinstance(node, nodes.Name):
            return self._found(node.name)
        if isinstance(node, nodes.And | nodes.Or | nodes.CondExpr):
            return self._chosen(node)
        if isinstance(node, nodes.Getitem | nodes.Getattr):
            return self._item(node)
        return self._budget.keep(self._made(node))

    def _found(self, name: str) -> Any:
        for scope in self._scope.maps:
            if name in scope:
                return scope[name]
        return Missing(name, f"needs the parameter {name!r}, which was not given", parameter=True)

    def _made(self, node: nodes.Node) -> Any:
        if isinstance(node, nodes.BinExpr):
            left, right = self._value(node.left), self._value(node.right)
            return operators.BINARY[node.operator](self._budget, left, right)
        if isinstance(node, nodes.UnaryExpr):
            return operators.UNARY[node.operator](self._value(node.node))
        return getattr(self, f"_made_{type(node).__name__.lower()}")(node)  # a kind that `language` let through

    def _chosen(self, node: nodes.And | nodes.Or | nodes.CondExpr) -> Any:
        """One of several values, the others untouched."""
        if not isinstance(node, nodes.CondExpr):
            left = self._value(node.left)
            return self._maybe(node.right) if bool(left) is isinstance(node, nodes.And) else left
        if self._value(node.test):
            return self._maybe(node.expr1)
        return self._maybe(node.expr2) if node.expr2 else Missing("", "has an `if` that is false, and no `else`")

    def _item(self, node: nodes.Getitem | nodes.Getattr) -> Any:
        """``a.b`` is ``a['b']``: an item of the data, never an attribute of what holds it."""
        holder = self._value(node.node)
        if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Slice):
            parts = [part and self._value(part) for part in (node.arg.start, node.arg.stop, node.arg.step)]
            return self._budget.keep(operators.sliced(holder, parts))
        key = node.attr if isinstance(node, nodes.Getattr) else self._value(node.arg)
        found = operators.item(holder, key)
        return Missing(str(key), f"uses {key!r}, which is not there") if found is operators.NOTHING else found

    def _made_list(self, node: nodes.List) -> list[Any]:
        return [self._value(one) for one in node.items]

    _made_tuple = _made_list

    def _made_dict(self, node: nodes.Dict) -> dict[str, Any]:
        return {operators.key(self._value(pair.key)): self._value(pair.value) for pair in node.items}

    def _made_concat(self, node: nodes.Concat) -> str:
        parts = []
        for one in node.nodes:
            parts.append(text(self._value(one)))
            self._budget.work(len(parts[-1]))
        self._budget.room(sum(map(len, parts)))
        return "".join(parts)

    def _made_compare(self, node: nodes.Compare) -> bool:
        left = self._value(node.expr)
        for operand in node.ops:
            right = self._value(operand.expr)
            for side in (left, right):
                self._budget.keep(side)  # to look through it costs as much as to make it
            if not _COMPARE[operand.op](left, right):
                return False
            left = right
        return True

    def _made_call(self, node: nodes.Call) -> list[int]:
        arguments, _ = self._arguments(node)
        return operators.numbers(self._budget, arguments)

    def _made_filter(self, node: nodes.Filter) -> Any:
        value = self._judged(node)
        arguments, named = self._arguments(node)
        return FILTERS[node.name](self._budget, value, *arguments, **named)

    def _made_test(self, node: nodes.Test) -> bool:
        value = self._judged(node)
        arguments, named = self._arguments(node)
        return TESTS[node.name](value, *arguments, **named)

    def _judged(self, node: nodes.Filter | nodes.Test) -> Any:
        """The value that a filter or a test is used on; only a few take one that is missing."""
        if node.node is None:
            return ""
        value = self._maybe(node.node) if node.name in ON_MISSING else self._value(node.node)
        return value if isinstance(value, Missing) else self._budget.keep(value)

    def _arguments(self, node: nodes.Filter | nodes.Test | nodes.Call) -> tuple[list[Any], dict[str, Any]]:
        named = {str(one.key): self._value(one.value) for one in node.kwargs}
        return [self._value(one) for one in node.args], named


def _loop(found: Sequence[Any], place: int) -> dict[str, Any]:
    """The variable `loop` of a template."""
    return {
        "index": place + 1,
        "index0": place,
        "first": place == 0,
        "last": place == len(found) - 1,
        "length": len(found),
    }
