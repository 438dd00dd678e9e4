"""The public names of the library, with signatures and the first sentence of what they
promise.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

import hexad
from hexad import errors
from hexad.learning.learnings import LearningCollection
from hexad.memory.audit import AuditLog
from hexad.memory.knowledge import KnowledgeCollection
from hexad.memory.references import ReferenceCollection
from hexad.memory.usage.habits import Habits
from hexad.skills.library import SkillLibrary

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """\
# The Python names

`make docs` writes this page. `from hexad import …` gives each name of the first part. What is on a shelf is reached
through an engine: `hx.knowledge.save(…)`. The ADK adapter is on [its own page](../adk.md).
"""
_SHELVES = {
    "hx.knowledge": KnowledgeCollection,
    "hx.references": ReferenceCollection,
    "hx.learnings": LearningCollection,
    "hx.skills": SkillLibrary,
    "hx.habits": Habits,
    "hx.audit": AuditLog,
}


def python_names() -> str:
    """The page."""
    parts = [_HEAD, "## hexad\n"]
    for name in sorted(hexad.__all__):
        if not name.startswith("_"):
            parts.extend(_described(name, getattr(hexad, name)))
    parts.append("## What an engine has\n")
    for name, shelf in _SHELVES.items():
        parts.extend((f"### {name}\n\n{_summary(shelf)}\n", *_members(shelf)))
    parts.append(
        "## hexad.errors\n\nEvery error is a `HexadError`, and says what to do next.\n"
    )
    parts.extend(_tree(errors.HexadError))
    return "\n".join(parts) + "\n"


def _described(name: str, noun: Any) -> Iterator[str]:
    yield f"### {name}\n\n{_summary(noun)}\n"
    if isinstance(noun, type) and issubclass(noun, Enum):
        yield "\n".join(f"- `{each.value}`" for each in noun) + "\n"
    elif is_dataclass(noun):
        yield "\n".join(f"- `{each.name}: {each.type}`" for each in fields(noun)) + "\n"
    elif hasattr(noun, "_fields"):  # a named tuple
        kinds = {
            name: getattr(kind, "__forward_arg__", kind)
            for name, kind in noun.__annotations__.items()
        }
        yield "\n".join(f"- `{name}: {kinds[name]}`" for name in noun._fields) + "\n"
    yield from _members(noun)


def _members(noun: Any) -> Iterator[str]:
    """The public methods and properties, its own and those it inherits from a shelf."""
    if isinstance(noun, type) and issubclass(noun, BaseException | Enum):
        return
    lines = []
    for name in dict.fromkeys(name for kind in noun.__mro__ for name in vars(kind)):
        member = inspect.getattr_static(noun, name)
        if name.startswith("_") or not (
            callable(member)
            or hasattr(member, "__func__")
            or hasattr(member, "__doc__")
        ):
            continue
        if inspect.isfunction(member) or isinstance(member, classmethod):
            lines.append(
                f"- `{name}{_signature(getattr(noun, name))}`: {_summary(member)}"
            )
        elif isinstance(member, property) or type(member).__name__ == "cached_property":
            lines.append(f"- `{name}`: {_summary(member)}")
    if lines:
        yield "\n".join(lines) + "\n"


def _signature(function: Any) -> str:
    """Without `self`, and without what differs from run to run."""
    text = str(inspect.signature(function))
    text = re.sub(r"\((self|cls)(, )?", "(", text)
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    text = re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", text)
    return re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", text)


def _summary(noun: Any) -> str:
    """The first paragraph of the docstring, as one line."""
    text = inspect.cleandoc(noun.__doc__ or "").split("\n\n", maxsplit=1)[0]
    return " ".join(text.split())


def _tree(error: type, depth: int = 0) -> Iterator[str]:
    """An error and those below it, in the order of the source; a private one stands for
    its children.
    """
    private = error.__name__.startswith("_")
    if not private:
        yield f"{'  ' * depth}- `{error.__name__}`: {_summary(error)}"
    known = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and error in each.__bases__
    ]
    for each in known:
        yield from _tree(each, depth + (not private))
