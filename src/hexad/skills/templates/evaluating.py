"""Walking a template's tree: each step counted, each value data, no attribute read and
no function called.
"""

from __future__ import annotations

import operator
from collections import ChainMap
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from jinja2 import nodes
from jinja2.sandbox import SandboxedEnvironment

from hexad.skills.templates.budget import Budget, Missing, Stop
from hexad.skills.templates.filters import (
    FILTERS,
    NOTHING,
    ON_MISSING,
    TESTS,
    elements,
    item,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence


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
_LARGEST_POWER: Final = 512
_UNARY: Final = {"not": operator.not_, **SandboxedEnvironment.default_unop_table}


class Evaluator:
    """One rendering; `line` is where it is."""

    def __init__(self, values: Mapping[str, Any], budget: Budget) -> None:
        self.line: int | None = None
        self._budget = budget
        self._scope: ChainMap[str, Any] = ChainMap({}, dict(values))
        self._written: list[str] = []

    def render(self, tree: nodes.Template) -> str:
        """The whole text."""
        self._budget.keep(self._scope.maps[-1])
        self._do(tree.body)
        return "".join(self._written)

    # Statements

    def _do(self, body: Sequence[nodes.Node]) -> None:
        for node in body:
            self._at(node)
            getattr(self, f"_do_{type(node).__name__.lower()}")(
                node
            )  # a kind that `language` let through

    def _at(self, node: nodes.Node) -> None:
        self.line = node.lineno
        self._budget.spend()

    def _do_output(self, node: nodes.Output) -> None:
        for part in node.nodes:
            written = (
                part.data
                if isinstance(part, nodes.TemplateData)
                else str(self._value(part))
            )
            self._budget.write(written)
            self._written.append(written)

    def _do_if(self, node: nodes.If) -> None:
        for branch in (node, *node.elif_):
            if self._value(branch.test):
                return self._do(branch.body)
        return self._do(node.else_)

    def _do_assign(self, node: nodes.Assign) -> None:
        self._assign(node.target, self._value(node.node))

    def _do_for(self, node: nodes.For) -> None:
        found = [
            one for one in elements(self._value(node.iter)) if self._passes(node, one)
        ]
        last = len(found) - 1
        with self._inner():
            for place, one in enumerate(found):
                self._budget.spend()
                self._scope.maps[
                    0
                ].clear()  # nothing is carried from one round to the next
                counted = {"index": place + 1, "index0": place, "first": place == 0}
                self._scope["loop"] = {
                    **counted,
                    "last": place == last,
                    "length": len(found),
                }
                self._assign(node.target, one)
                self._do(node.body)
        if not found:
            self._do(node.else_)

    def _passes(self, node: nodes.For, one: Any) -> bool:
        if node.test is None:
            return True
        with self._inner():
            self._assign(node.target, one)
            return bool(self._value(node.test))

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
            parts = elements(value)
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
            missing = Missing(
                node.name,
                f"needs the parameter {node.name!r}, which was not given",
                parameter=True,
            )
            return self._scope.get(node.name, missing)
        if isinstance(node, nodes.And | nodes.Or | nodes.CondExpr):
            return self._chosen(node)
        if isinstance(node, nodes.Getitem | nodes.Getattr):
            return self._item(node)
        return self._budget.keep(self._made(node))

    def _made(self, node: nodes.Node) -> Any:
        if isinstance(node, nodes.BinExpr):
            return self._calculated(
                node.operator, self._value(node.left), self._value(node.right)
            )
        if isinstance(node, nodes.UnaryExpr):
            return _UNARY[node.operator](self._value(node.node))
        return getattr(self, f"_made_{type(node).__name__.lower()}")(
            node
        )  # a kind that `language` let through

    def _calculated(self, sign: str, left: Any, right: Any) -> Any:
        """The size of a longer text or list is checked before it is made."""
        if sign == "+" and any(
            isinstance(left, kind) and isinstance(right, kind) for kind in (str, list)
        ):
            self._budget.spend(len(left) + len(right))
        elif sign == "*" and isinstance(left, str) and isinstance(right, int):
            self._budget.spend(len(left) * max(0, right))
        elif not all(isinstance(each, int | float) for each in (left, right)):
            raise Stop(
                f"uses {sign} on {type(left).__name__} and {type(right).__name__}, which have none"
            )
        elif sign == "**" and abs(right) > _LARGEST_POWER:
            raise Stop(f"takes a power above {_LARGEST_POWER}; make it smaller")
        return SandboxedEnvironment.default_binop_table[sign](left, right)

    def _chosen(self, node: nodes.And | nodes.Or | nodes.CondExpr) -> Any:
        """One of several values, the others untouched."""
        if not isinstance(node, nodes.CondExpr):
            left = self._value(node.left)
            return (
                self._maybe(node.right)
                if bool(left) is isinstance(node, nodes.And)
                else left
            )
        if self._value(node.test):
            return self._maybe(node.expr1)
        return (
            self._maybe(node.expr2)
            if node.expr2
            else Missing("", "has an `if` that is false, and no `else`")
        )

    def _item(self, node: nodes.Getitem | nodes.Getattr) -> Any:
        """``a.b`` is ``a['b']``: an item of the data, never an attribute of what holds
        it.
        """
        holder = self._value(node.node)
        key = node.attr if isinstance(node, nodes.Getattr) else self._value(node.arg)
        found = item(holder, key)
        return (
            Missing(str(key), f"uses {key!r}, which is not there")
            if found is NOTHING
            else found
        )

    def _made_list(self, node: nodes.List) -> list[Any]:
        return [self._value(one) for one in node.items]

    _made_tuple = _made_list

    def _made_concat(self, node: nodes.Concat) -> str:
        parts = []
        for one in node.nodes:
            parts.append(str(self._value(one)))
            self._budget.spend(len(parts[-1]))
        self._budget.spend(sum(map(len, parts)))
        return "".join(parts)

    def _made_compare(self, node: nodes.Compare) -> bool:
        left = self._value(node.expr)
        for operand in node.ops:
            right = self._value(operand.expr)
            for side in (left, right):
                self._budget.keep(
                    side
                )  # to look through it costs as much as to make it
            if not _COMPARE[operand.op](left, right):
                return False
            left = right
        return True

    def _made_call(self, node: nodes.Call) -> list[int]:
        """The numbers of a `range`, which is all that can be called."""
        given = self._arguments(node)
        if not 1 <= len(given) <= 3 or not all(isinstance(one, int) for one in given):
            raise Stop("gives range something else than one to three whole numbers")
        self._budget.spend(len(range(*given)) * 8)
        return list(range(*given))

    def _made_filter(self, node: nodes.Filter) -> Any:
        return FILTERS[node.name](
            self._budget,
            self._judged(node),
            *self._arguments(node),
            **self._named(node),
        )

    def _made_test(self, node: nodes.Test) -> bool:
        return TESTS[node.name](self._judged(node), *self._arguments(node))

    def _judged(self, node: nodes.Filter | nodes.Test) -> Any:
        """The value that a filter or a test is used on; only a few take one that is
        missing.
        """
        held = node.node or nodes.Const(
            ""
        )  # Jinja has none in a filter block, which `language` refuses
        value = self._maybe(held) if node.name in ON_MISSING else self._value(held)
        return value if isinstance(value, Missing) else self._budget.keep(value)

    def _arguments(self, node: nodes.Filter | nodes.Test | nodes.Call) -> list[Any]:
        return [self._value(one) for one in node.args]

    def _named(self, node: nodes.Filter) -> dict[str, Any]:
        return {str(one.key): self._value(one.value) for one in node.kwargs}
