"""Templates with values become text; whatever a template does wrong is a `TemplateFailed` that says where.

The language is a part of Jinja's, see docs/sandbox.md. Jinja is imported when the first template is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.errors import TemplateFailed
from hexad.skills.templates.budget import Budget, RenderLimits, Stop, plain, weight

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from hexad.model import Json

__all__ = ["RenderLimits", "needed_by", "parameters_of", "problems", "render"]


def render(template: str, values: Mapping[str, Json], *, limits: RenderLimits | None = None) -> str:
    """The text of a template with these values; what it needs and is not given is an error that names it.

    >>> render("Dear {{ name|title }},", {"name": "ada"})
    'Dear Ada,'

    Raises:
        TemplateFailed: the template is wrong, misses a value, or goes beyond a limit.
    """
    from hexad.skills.templates.evaluating import Evaluator  # noqa: PLC0415 - Jinja is needed only here
    from hexad.skills.templates.language import parse  # noqa: PLC0415

    limits = limits or RenderLimits()
    budget = Budget(limits)
    tree = parse(template, limits)
    evaluator = Evaluator(_plain(values, limits), budget)
    try:
        return evaluator.render(tree)
    except Stop as stop:
        raise TemplateFailed(stop.reason, line=evaluator.line, missing=stop.missing, parameter=stop.parameter) from None
    except RecursionError:
        raise TemplateFailed("is nested too deeply; make it flatter", line=evaluator.line) from None
    except (TypeError, ValueError, ArithmeticError) as error:
        raise TemplateFailed(f"cannot do this with these values: {error}", line=evaluator.line) from None


def problems(template: str) -> tuple[str, ...]:
    """What is wrong with a template, whatever its values; empty if nothing is."""
    from hexad.skills.templates.language import parse  # noqa: PLC0415 - Jinja is needed only here

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
    from hexad.skills.templates.language import names, parse  # noqa: PLC0415 - Jinja is needed only here

    return names(parse(template, RenderLimits()))


def needed_by(template: str) -> frozenset[str]:
    """Those of its values that a template never asks about with ``default`` or ``is defined``.

    >>> sorted(needed_by("{{ greeting|default('Hello') }}, {{ name }}{{ title if title is defined }}"))
    ['name']
    """
    from hexad.skills.templates.language import asked_about, names, parse  # noqa: PLC0415 - likewise

    tree = parse(template, RenderLimits())
    return names(tree) - asked_about(tree)


def _plain(values: Mapping[str, Json], limits: RenderLimits) -> dict[str, Any]:
    try:
        found: dict[str, Any] = plain(values)
        if weight(found, limits.value) > limits.value:
            raise TemplateFailed(f"is given more than {limits.value:,} characters of values; give less")
    except Stop as stop:
        raise TemplateFailed(stop.reason) from None
    return found
