"""Parameters that nobody described, read from where they are used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexad.model import Json


def parameters_in(definition: object) -> dict[str, Json]:
    """A schema with the values that a template uses, of any kind; nothing for what is no template, or a broken one.

    Those that it does without are optional.

    >>> parameters_in({"template": "Hi {{ who }}"})
    {'type': 'object', 'properties': {'who': {}}, 'required': ['who']}
    """
    from hexad.skills.rendering import needed_by, parameters_of, problems  # noqa: PLC0415 - who has no templates

    template = definition.get("template") if isinstance(definition, Mapping) else None
    if not isinstance(template, str) or problems(template):
        return {}
    names, needed = sorted(parameters_of(template)), sorted(needed_by(template))
    required: dict[str, Json] = {"required": [*needed]} if needed else {}
    return {"type": "object", "properties": {name: {} for name in names}, **required} if names else {}
