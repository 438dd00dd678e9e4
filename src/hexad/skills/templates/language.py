"""The template language: Jinja's syntax, without constructs that reach beyond the template's data."""

from __future__ import annotations

from functools import cache
from inspect import Signature
from inspect import signature as signature_of
from typing import TYPE_CHECKING, Final

from jinja2 import TemplateSyntaxError, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

from hexad.errors import TemplateFailed
from hexad.skills.templates.filters import FILTERS, ON_MISSING, TESTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
    "NSRef": "namespace", "Scope": "autoescape",
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
    """The values that a template needs.

    Jinja's `meta` would answer too, but it evaluates constants on the way: ``{{ 3**(10**8) }}`` takes minutes.
    """
    needed: set[str] = set()
    _read_body(tree.body, set(), needed)
    return frozenset(needed) - {"range"}


def _read_body(body: Iterable[nodes.Node], known: set[str], needed: set[str]) -> None:
    """Add the names that statements read before they are set to ``needed``, and those that they set to ``known``."""
    for node in body:
        if isinstance(node, nodes.If):
            _read_if(node, known, needed)
        elif isinstance(node, nodes.For):
            _read_names([node.iter], known, needed)
            inner = known | _read_names([node.target], known, set()) | {"loop"}
            _read_names([node.test] if node.test else [], inner, needed)
            _read_body(node.body, inner, needed)
            _read_body(node.else_, set(known), needed)
        elif isinstance(node, nodes.With):
            _read_names(node.values, known, needed)
            _read_body(node.body, known | _read_names(node.targets, known, set()), needed)
        else:
            known |= _read_names([node], known, needed)


def _read_if(node: nodes.If, known: set[str], needed: set[str]) -> None:
    """After an `if` a name is known where every branch sets it."""
    branches = []
    for test, body in (*((each.test, each.body) for each in (node, *node.elif_)), (None, node.else_)):
        _read_names([test] if test else [], known, needed)
        branches.append(set(known))
        _read_body(body, branches[-1], needed)
    known |= set.intersection(*branches)


def _read_names(expressions: Iterable[nodes.Node], known: set[str], needed: set[str]) -> set[str]:
    """Add unknown names that expressions read to ``needed``; return the names that they set."""
    found = [node for each in expressions for node in _all(each) if isinstance(node, nodes.Name)]
    needed |= {node.name for node in found if node.ctx == "load"} - known
    return {node.name for node in found if node.ctx != "load"}


def asked_about(tree: nodes.Template) -> frozenset[str]:
    """Names that the template handles when they are missing (`default`, `is defined`)."""
    asking = (node for node in tree.find_all((nodes.Filter, nodes.Test)) if node.name in ON_MISSING)
    return frozenset(node.node.name for node in asking if isinstance(node.node, nodes.Name))


def _newline(template: str) -> str:
    """Jinja writes all ends of lines alike: as the first one is."""
    found = template.find("\n")
    return "\r\n" if found > 0 and template[found - 1] == "\r" else "\n"


@cache
def _parser(newline: str) -> ImmutableSandboxedEnvironment:
    return ImmutableSandboxedEnvironment(keep_trailing_newline=True, newline_sequence=newline)


def _faults(tree: nodes.Template) -> Iterator[tuple[int, str]]:
    """Unsupported parts of a template, each with its line."""
    for count, node in enumerate(_all(tree)):
        if count >= MOST_NODES:
            yield _line(node), f"has more than {MOST_NODES:,} parts; split it"
            return
        if reason := _fault(node):
            yield _line(node), reason


def _line(node: nodes.Node) -> int:
    """Where a node is; one that Jinja puts around others has no line of its own."""
    return next(each.lineno for each in _all(node) if each.lineno)


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
    if isinstance(node, nodes.Call) and not (isinstance(node.node, nodes.Name) and node.node.name == "range"):
        return "calls a function; only range can be called, for everything else there are filters, such as |items"
    if isinstance(node, nodes.Filter | nodes.Test | nodes.Call):
        return _unknown(node) or _misfit(node)
    return ""


def _unknown(node: nodes.Filter | nodes.Test | nodes.Call) -> str:
    if isinstance(node, nodes.Call) or _signature(type(node), node.name) is not None:
        return ""
    kind, known = ("filter", FILTERS) if isinstance(node, nodes.Filter) else ("test", TESTS)
    return f"uses the {kind} `{node.name}`, which templates do not have here; there are {', '.join(sorted(known))}"


def _misfit(node: nodes.Filter | nodes.Test | nodes.Call) -> str:
    """Mistakes in the arguments that can be seen without their values."""
    if node.dyn_args or node.dyn_kwargs:
        return "spreads arguments with *, which templates do not have here; name them"
    name = "range" if isinstance(node, nodes.Call) else node.name
    signature = _signature(type(node), name)
    named = [str(each.key) for each in node.kwargs]
    try:
        if signature is not None and len(named) == len(set(named)):
            signature.bind(*node.args, **dict.fromkeys(named))
            return ""
    except TypeError:
        pass
    return f"gives `{name}` other arguments than it takes: {_takes(signature)}"


@cache
def _signature(kind: type[nodes.Node], name: str) -> Signature | None:
    """The signature of a filter, a test or `range`, without the value that it is used on; None if unknown."""
    if issubclass(kind, nodes.Call):
        return signature_of(_range)
    work, skipped = (TESTS.get(name), 1) if issubclass(kind, nodes.Test) else (FILTERS.get(name), 2)  # budget and value
    signature = work and signature_of(work)
    return signature and signature.replace(parameters=[*signature.parameters.values()][skipped:])


def _takes(signature: Signature | None) -> str:
    """Parameters as a reader of the page knows them."""
    listed = signature.parameters.values() if signature else ()
    return ", ".join(f"{each.name}=…" if each.kind is each.KEYWORD_ONLY else each.name for each in listed) or "none"


def _range(start: int, stop: int = 0, step: int = 1, /) -> None:
    """The signature of `range`."""
