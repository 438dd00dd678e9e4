"""The template language: Jinja's syntax, without constructs that reach beyond the
template's data.
"""

from __future__ import annotations

from functools import cache, lru_cache
from inspect import Signature
from inspect import signature as signature_of
from typing import TYPE_CHECKING, Final

from jinja2 import TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from hexad.errors import TemplateFailed
from hexad.skills.templates.filters import FILTERS, ON_MISSING, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.skills.templates.budget import RenderLimits

MOST_NODES, MOST_PLACES = (
    10_000,
    4_000,
)  # so that reading one, which nothing interrupts, takes no longer than using it
_OPENINGS: Final = ("{{", "{%", "{#")
_KNOWN: Final = frozenset({
    *("Template", "Output", "TemplateData", "If", "For", "Assign"),
    *("Const", "Name", "List", "Tuple", "Keyword", "CondExpr", "Filter", "Test", "Compare", "Operand"),
    *("And", "Or", "Not", "Neg", "Pos", "Add", "Sub", "Mul", "Div", "Mod", "Pow", "Concat", "Getitem", "Getattr"),
    "Call",
})  # fmt: skip
_CALLED: Final = {
    "FromImport": "import", "CallBlock": "call", "FilterBlock": "filter", "AssignBlock": "set with a body",
    "NSRef": "namespace", "Scope": "autoescape", "FloorDiv": "//", "Slice": "a slice",
    "Dict": "a mapping in braces",
}  # fmt: skip


@lru_cache(maxsize=16)
def parse(template: str, limits: RenderLimits) -> nodes.Template:
    """The tree of a template that has nothing but what is known here; a skill's is
    checked before each run.
    """
    if len(template) > limits.template:
        raise TemplateFailed(
            f"has {len(template):,} characters, the limit is {limits.template:,}; split it"
        )
    if sum(map(template.count, _OPENINGS)) > MOST_PLACES:
        raise TemplateFailed(
            f"has more than {MOST_PLACES:,} places where something is put in; split it"
        )
    ends = (
        "\r\n"
        if template.partition("\n")[0].endswith("\r") and "\n" in template
        else "\n"
    )
    try:
        tree = _parser(ends).parse(
            template
        )  # Jinja writes all ends of lines alike: as the first one is
        found = _fault_in(tree)
    except TemplateSyntaxError as error:
        raise TemplateFailed(
            f"cannot be read: {error.message}", line=error.lineno
        ) from None
    except ValueError as error:  # a number with thousands of digits
        raise TemplateFailed(f"cannot be read: {error}") from None
    except RecursionError:
        raise TemplateFailed("is nested too deeply; make it flatter") from None
    if found:
        line, reason = found
        raise TemplateFailed(reason, line=line)
    return tree


def names(tree: nodes.Template) -> frozenset[str]:
    """The values that a template needs: the names that it reads before it sets them.

    Jinja's `meta` would answer too, but it evaluates constants on the way: ``{{
    3**(10**8) }}`` takes minutes.
    """
    needed, known = set[str](), {"loop"}
    for node in _all(tree):
        if isinstance(node, nodes.Name) and node.ctx != "load":
            known.add(node.name)
        elif isinstance(node, nodes.Name) and node.name not in known:
            needed.add(node.name)
    return frozenset(needed) - {"range"}


def asked_about(tree: nodes.Template) -> frozenset[str]:
    """Names that the template handles when they are missing (`default`, `is defined`)."""
    asking = (
        node
        for node in tree.find_all((nodes.Filter, nodes.Test))
        if node.name in ON_MISSING
    )
    return frozenset(
        node.node.name for node in asking if isinstance(node.node, nodes.Name)
    )


@cache
def _parser(newline: str) -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(
        keep_trailing_newline=True, newline_sequence=newline
    )


def _fault_in(tree: nodes.Template) -> tuple[int, str] | None:
    """The first unsupported part of a template, with its line."""
    for count, node in enumerate(_all(tree)):
        if (
            reason := f"has more than {MOST_NODES:,} parts; split it"
            if count >= MOST_NODES
            else _fault(node)
        ):
            return _line(node), reason
    return None


def _line(node: nodes.Node) -> int:
    """Where a node is; one that Jinja puts around others has no line of its own."""
    return next(each.lineno for each in _all(node) if each.lineno)


def _all(tree: nodes.Node) -> Iterator[nodes.Node]:
    """Every node in the order in which it is used: a value before the name that is set
    to it.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        inner = list(node.iter_child_nodes(exclude=("iter", "node", "target")))
        first = (getattr(node, name, None) for name in ("iter", "node", "target"))
        waiting.extend(
            reversed(
                [*(each for each in first if isinstance(each, nodes.Node)), *inner]
            )
        )


def _fault(node: nodes.Node) -> str:
    kind = type(node).__name__
    if kind not in _KNOWN:
        return f"uses `{_CALLED.get(kind, kind.lower())}`, which templates do not have here"
    if isinstance(node, nodes.For) and node.recursive:
        return "uses a recursive loop, which templates do not have here"
    is_range = (
        isinstance(node, nodes.Call)
        and isinstance(node.node, nodes.Name)
        and node.node.name == "range"
    )
    if isinstance(node, nodes.Call) and (not is_range or node.kwargs):
        return "calls a function; only range can be called, for everything else there are filters, such as |items"
    if isinstance(node, nodes.Call | nodes.Filter | nodes.Test) and (
        node.dyn_args or node.dyn_kwargs
    ):
        return "spreads arguments with *, which templates do not have here; name them"
    return _misuse(node) if isinstance(node, nodes.Filter | nodes.Test) else ""


def _misuse(node: nodes.Filter | nodes.Test) -> str:
    """An unknown filter or test, or mistakes in its arguments that can be seen without
    their values.
    """
    kind, known, skipped = (
        ("filter", FILTERS, 2) if isinstance(node, nodes.Filter) else ("test", TESTS, 1)
    )
    if node.name not in known:
        return f"uses the {kind} `{node.name}`, which templates do not have here; there are {', '.join(sorted(known))}"
    whole = signature_of(known[node.name])
    takes = Signature(
        [*whole.parameters.values()][skipped:]
    )  # without budget and value
    try:
        takes.bind(*node.args, **{str(each.key): each for each in node.kwargs})
    except TypeError:
        named = (
            f"{each.name}=…" if each.kind is each.KEYWORD_ONLY else each.name
            for each in takes.parameters.values()
        )
        return f"gives `{node.name}` other arguments than it takes: {', '.join(named) or 'none'}"
    return ""
