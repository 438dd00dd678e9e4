"""A skill in words, for who reads its SKILL.md: what it does, what it is given, and where the exact text is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.model import Json


_LONGEST: Final = 1000  # characters of one thing: the exact text is elsewhere, and this one has to fit into a file


def explained(name: str, description: str, definition: Mapping[str, Json], parameters: Mapping[str, Json]) -> str:
    """Markdown that a person can follow by hand; Hexad itself reads the definition."""
    return "\n".join((f"# {name}", "", description, "", *_parameters(parameters), *_work(definition)))


def _parameters(schema: Mapping[str, Any]) -> Iterator[str]:
    known = schema.get("properties")
    if not isinstance(known, Mapping) or not known:
        return
    required = schema.get("required")
    needed = required if isinstance(required, Sequence) else ()
    yield from ("## Parameters", "")
    for name, schema_of in known.items():
        facts = schema_of if isinstance(schema_of, Mapping) else {}
        kind = facts.get("type", "anything")
        about = facts.get("description")
        words = f": {_short(str(about))}" if about else ""
        yield f"- `{name}` ({kind}{'' if name in needed else ', optional'}){words}"
    yield ""


def _work(definition: Mapping[str, Any]) -> Iterator[str]:
    steps = definition.get("steps")
    if isinstance(steps, Sequence) and not isinstance(steps, str):
        yield from ("## Steps", "")
        for number, step in enumerate(steps, start=1):
            yield f"{number}. {_step(step)}"
    elif "script" in definition:
        yield from (
            "## Script",
            "",
            "The script is a file of this folder. Its parameters are environment variables.",
        )
    elif "template" in definition:
        yield from ("## Template", "", "The template is a file of this folder. Fill in the parameters.")
    yield ""


def _step(step: Any) -> str:
    if not isinstance(step, Mapping):
        return _short(json.dumps(step, ensure_ascii=False))
    given = _short(json.dumps(step.get("args", {}), ensure_ascii=False))
    saved = f", and keep the result as `{step['save_as']}`" if "save_as" in step else ""
    return f"Call `{step.get('tool')}` with `{given}`{saved}."


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
