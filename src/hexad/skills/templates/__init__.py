"""Templates: Jinja's syntax, read by Jinja's own parser, and evaluated here, over data alone.

Jinja itself turns a template into Python and then guards what that may do. Here nothing is turned into Python: the
tree is walked, each step is counted, and there is no operation that reads an attribute or calls a function of Python.
"""

from hexad.skills.templates.budget import RenderLimits
from hexad.skills.templates.rendering import inferred_parameters, needed_by, parameters_of, problems, render

__all__ = ["RenderLimits", "inferred_parameters", "needed_by", "parameters_of", "problems", "render"]
