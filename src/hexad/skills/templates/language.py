"""Which templates there are: Jinja's syntax without what reaches beyond the template's own data."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from jinja2 import TemplateSyntaxError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from hexad.errors import TemplateFailed
from hexad.skills.templates.filters import FILTERS, ON_MISSING, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.skills.templates.budget import RenderLimits

MOST_NODES, MOST_PLACES = 10_000, 4_000  # so that reading one, which nothing interrupts, takes no longer than using it
_OPENINGS: Final = ("{{", "{%", "{#")
_KNOWN: Final = frozenset({
    *("Template", "Output", "TemplateData", "If", "For", "Assign", "With"),
    *("Const", "Name", "List", "Tuple", "Dict", "Pair", "Keyword", "CondExpr", "Filter", "Test", "Compare", "Operand"),
    *("And", "Or", "Not", "Neg", "Pos", "Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow", "Concat"),
    *("Getitem", "Getattr", "Slice", "Call"),
})  # fmt: skip
_CALLED: Final = {
    "Include": "include", "Import": "import", "FromImport": "import", "Extends": "extends", "Block": "block",
    "Macro": "macro", "CallBlock": "call", "FilterBlock": "filter", "AssignBlock": "set with a body",
    "NSRef": "namespace", "ScopedEvalContextModifier": "autoescape",
}  # fmt: skip


def parse(template: str, limits: RenderLimits) -> nodes.Template:
    """The tree of a template that has nothing but what is known here."""
    if len(template) > limits.template:
        raise TemplateFailed(f"has {len(template):,} characters, the limit is {limits.template:,}; split it")
    if sum(map(template.count, _OPENINGS)) > MOST_PLACES:
        raise TemplateFailed(f"has more than {MOST_PLACES:,} places where something is put in; split it")
    try:
        tree = _parser(_newline(template)).parse(template)
        found = next(_faults(tree), None)
    except TemplateSyntaxError as error:
        raise TemplateFailed(f"cannot be read: {error.message}", line=error.lineno) from None
    except ValueError as error:  # a number with thousands of digits
        raise TemplateFailed(f"cannot be read: {error}") from None
    except RecursionError:
        raise TemplateFailed("is nested too deeply; make it flatter") from None
    if found:
        line, reason = found
        raise TemplateFailed(reason, line=line)
    return tree


def names(tree: nodes.Template) -> frozenset[str]:
    """The values that a template needs."""
    return frozenset(meta.find_undeclared_variables(tree)) - {"range"}


def _newline(template: str) -> str:
    """Jinja writes all ends of lines alike: as the first one is."""
    found = template.find("\n")
    return "\r\n" if found > 0 and template[found - 1] == "\r" else "\n"


@cache
def _parser(newline: str) -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(keep_trailing_newline=True, newline_sequence=newline)


def _faults(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """What is not known here, or used in an unknown way, each with its line."""
    for count, node in enumerate(_all(tree)):
        if count >= MOST_NODES:
            yield node.lineno, f"has more than {MOST_NODES:,} parts; split it"
            return
        if reason := _fault(node):
            yield node.lineno, reason


def _all(tree: nodes.Node) -> Iterator[nodes.Node]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(list(node.iter_child_nodes())))


def _fault(node: nodes.Node) -> str:
    kind = type(node).__name__
    if kind not in _KNOWN:
        return f"uses `{_CALLED.get(kind, kind)}`, which templates do not have here"
    if isinstance(node, nodes.For) and node.recursive:
        return "uses a recursive loop, which templates do not have here"
    if isinstance(node, nodes.Filter | nodes.Test):
        return _unknown(node)
    if isinstance(node, nodes.Call) and not (isinstance(node.node, nodes.Name) and node.node.name == "range"):
        return "calls a function; only range can be called, for everything else there are filters, such as |items"
    if isinstance(node, nodes.Filter | nodes.Test | nodes.Call) and (node.dyn_args or node.dyn_kwargs):
        return "spreads arguments with *, which templates do not have here; name them"
    return ""


def _unknown(node: nodes.Filter | nodes.Test) -> str:
    kind, known = ("filter", FILTERS) if isinstance(node, nodes.Filter) else ("test", TESTS)
    if node.name in known or node.name in ON_MISSING or (kind == "test" and node.name in COMPARISONS):
        return "spreads arguments with *; name them" if node.dyn_args or node.dyn_kwargs else ""
    return f"uses the {kind} `{node.name}`, which templates do not have here; there are {', '.join(sorted(known))}"


COMPARISONS: Final = {
    "eq": "eq", "==": "eq", "equalto": "eq", "ne": "ne", "!=": "ne", "lt": "lt", "<": "lt", "lessthan": "lt",
    "le": "lteq", "<=": "lteq", "gt": "gt", ">": "gt", "greaterthan": "gt", "ge": "gteq", ">=": "gteq",
}  # fmt: skip
