"""Items → text. An item is one line: it cannot leave its bullet, forge a heading or pretend to be another.

What the user said stands as it is; what anyone else said is quoted, with its origin. Secrets that came from elsewhere
than a save (a tool's description, another retriever) are taken out here.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from hexad.memory.redaction import redact
from hexad.model import Layer, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hexad.model import Item

_BREAK: Final = " ⏎ "  # how a line break inside an item is shown
_BREAKS: Final = re.compile("[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_INVISIBLE: Final = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def write(base: str, items: Iterable[Item]) -> str:
    """The base prompt, then a section for each layer that has items, in the layers' order.

    >>> write("You are terse.", [])
    'You are terse.'
    """
    sections = "\n\n".join(_sections(list(items)))
    if not sections:
        return base
    return f"{base}\n\n{sections}" if base else sections


def line(item: Item) -> str:
    """One item as its bullet."""
    said_by = "" if item.origin in {Origin.USER, item.category} else f", from {item.origin}"
    return f"- [{_one_line(item.category)}{said_by}] {_one_line(item.key)}: {_content(item)}"


def _sections(items: Sequence[Item]) -> Iterable[str]:
    for layer in Layer:
        here = [item for item in items if item.layer is layer]
        if here:
            yield "\n".join((f"## {layer.heading}", *map(line, sorted(here, key=_user_first))))


def _user_first(item: Item) -> tuple[bool, bool]:
    return item.origin is not Origin.USER, not item.pinned


def _content(item: Item) -> str:
    text = item.content if item.verbatim else redact(item.content).text
    if item.origin is Origin.USER:
        return _one_line(text)
    return json.dumps(_one_line(text), ensure_ascii=False)


def _one_line(text: str) -> str:
    return _INVISIBLE.sub("", _BREAKS.sub(_BREAK, text.strip())).replace("\t", " ")
