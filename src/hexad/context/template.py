"""Items → text. An item is one line: it cannot leave its bullet, forge a heading or
pretend to be another.

What the user said stands as it is; what anyone else said is quoted, with its origin.
Secrets that came from elsewhere than a save (a tool's description, another retriever)
are taken out here.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from hexad.memory.redaction import redact
from hexad.model import Item, Layer, Origin
from hexad.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BREAK: Final = " ⏎ "  # how a line break inside an item is shown
_BREAKS: Final = re.compile("[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_NAME: Final = re.compile(
    r"[\w.:/@#+-]{1,120}"
)  # a key that is a name and can pretend to be nothing else
_PARTS: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(
    r"-\d{1,2}$"
)  # of a key that was made from a text like another's
_SENTENCE: Final = re.compile(
    r"\S\s+\S+\s+\S.*[.!?]$|[。！？]$"
)  # it says by itself what it is about
_APOSTROPHE: Final = re.compile("['’]")
_NOT_IN_LABELS: Final = re.compile(r"[^\w -]")


def write(base: str, items: Sequence[Item], lines: Mapping[int, str]) -> str:
    """The base prompt, then a section for each layer that has items, in the layers'
    order.

    ``lines`` are the items' bullets, by the identity of the item.

    >>> write("You are terse.", [], {})
    'You are terse.'
    """
    sections = []
    for layer in Layer:
        here = [item for item in items if item.layer == layer]
        here.sort(key=lambda item: (item.origin != Origin.USER, not item.pinned))
        if here:
            sections.append(
                "\n".join((f"## {layer.heading}", *(lines[id(item)] for item in here)))
            )
    return joined(base, *sections)


def joined(*parts: str) -> str:
    """Parts of a prompt, an empty line between them; empty parts are left out."""
    return "\n\n".join(part for part in parts if part)


def line(item: Item) -> str:
    """One item as its bullet."""
    own_word = item.origin == Origin.USER or item.layer == Layer.TOOL_REGISTRY
    said_by = "" if own_word else f", from {_label(item.origin)}"
    return f"- [{_label(item.category)}{said_by}] {_key(item)}: {_content(item)}"


def standing_line(item: Item) -> str:
    """An entry of the user's in the standing block: its text, after its key where that
    says more.

    A sentence stands without its key, whose tokens another entry can use; "Tuesdays
    only" needs it.
    """
    text, key = _content(item), _key(item)
    if _SENTENCE.search(text) or (
        item.said and item.origin == Origin.USER
    ):  # then the key is an agent's
        return f"- {text}"
    said = _APOSTROPHE.sub(
        "", text.casefold()
    )  # as a key that is made from a text leaves them out
    says_more = any(
        part.casefold() not in said for part in _PARTS.findall(_NUMBER.sub("", key))
    )
    return f"- {key}: {text}" if says_more else f"- {text}"


def _label(word: str) -> str:
    return _NOT_IN_LABELS.sub("", _one_line(visible(word)))[:40]


def _key(item: Item) -> str:
    key = one_line(item.key, item)
    return (
        key
        if item.origin == Origin.USER or _NAME.fullmatch(key)
        else json.dumps(key, ensure_ascii=False)
    )


def _content(item: Item) -> str:
    text = one_line(item.content, item)
    return text if item.origin == Origin.USER else json.dumps(text, ensure_ascii=False)


def one_line(text: str, item: Item) -> str:
    """One line without secrets; invisible characters go first, because they could split
    a secret.
    """
    seen = visible(text)
    return _one_line(seen if item.verbatim else redact(seen).text)


def _one_line(text: str) -> str:
    return _BREAKS.sub(_BREAK, text.strip())
