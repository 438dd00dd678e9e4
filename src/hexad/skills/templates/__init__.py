"""Templates: Jinja's syntax, read by Jinja's own parser, and evaluated here, over data
alone.

Jinja itself turns a template into Python and then guards what that may do. Here nothing
is turned into Python: the tree is walked, each step is counted, and there is no
operation that reads an attribute or calls a function of Python. The language is a part
of Jinja's, see docs/sandbox.md. A mistake in a template is a `TemplateFailed` that says
where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import nodes

from hexad.errors import TemplateFailed
from hexad.skills.templates.budget import Budget, RenderLimits, Stop
from hexad.skills.templates.evaluating import Evaluator
from hexad.skills.templates.language import asked_about, names, parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexad.model import Json

__all__ = ["RenderLimits", "inferred_parameters", "parameters_of", "problems", "render"]


def render(
    template: str, values: Mapping[str, Json], *, limits: RenderLimits | None = None
) -> str:
    """The text of a template with these values; what it needs and is not given is an
    error that names it.

    >>> render("Dear {{ name|title }},", {"name": "ada"})
    'Dear Ada,'

    Raises:
        TemplateFailed: the template is wrong, misses a value, or goes beyond a limit.
    """
    limits = limits or RenderLimits()
    tree = parse(template, limits)
    evaluator = Evaluator(values, Budget(limits))
    try:
        return evaluator.render(tree)
    except Stop as stop:
        raise TemplateFailed(
            stop.reason,
            line=evaluator.line,
            missing=stop.missing,
            parameter=stop.parameter,
        ) from None
    except RecursionError:
        raise TemplateFailed(
            "is nested too deeply; make it flatter", line=evaluator.line
        ) from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise TemplateFailed(
            f"cannot do this with these values: {error}", line=evaluator.line
        ) from None


def problems(template: str) -> tuple[str, ...]:
    """Mistakes in a template that do not depend on its values."""
    try:
        parse(template, RenderLimits())
    except TemplateFailed as failed:
        return (str(failed),)
    return ()


def parameters_of(template: str) -> frozenset[str]:
    """The names of the values that a template uses.

    >>> sorted(parameters_of("{% for one in guests %}{{ greeting }}, {{ one }}!{% endfor %}"))
    ['greeting', 'guests']
    """
    return names(parse(template, RenderLimits()))


def inferred_parameters(template: str) -> dict[str, Json]:
    """A schema with the values that a template uses, of any type; nothing for a broken
    template.

    Values with a default are optional. A value that the template loops over is a list
    or an object.

    >>> inferred_parameters("Hi {{ who }}")
    {'type': 'object', 'properties': {'who': {}}, 'required': ['who']}
    """
    if problems(template):
        return {}
    tree = parse(template, RenderLimits())
    listed, needed = sorted(names(tree)), sorted(names(tree) - asked_about(tree))
    looped = {
        loop.iter.name
        for loop in tree.find_all(nodes.For)
        if isinstance(loop.iter, nodes.Name)
    }
    required: dict[str, Json] = {"required": [*needed]} if needed else {}
    properties: dict[str, Json] = {
        name: {"type": ["array", "object"]} if name in looped else {} for name in listed
    }
    return {"type": "object", "properties": properties, **required} if listed else {}
