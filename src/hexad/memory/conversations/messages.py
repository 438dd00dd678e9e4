"""Messages as frameworks, providers and exports write them → the texts that the user
wrote.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

_USER: Final = frozenset({"user", "human", "user-prompt"})
_NAMES: Final = (
    "author",
    "role",
    "sender",
    "source",
    "from",
    "type",
    "kind",
    "part_kind",
)  # of who speaks
_CONTENTS: Final = ("content", "parts", "contents", "text", "value")
_TEXTS: Final = frozenset(
    {"", "text", "input_text", "user-prompt", "multimodal_text"}
)  # kinds of parts with words
_NOT_TYPED: Final = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "toolUseResult",
)  # beside Claude Code's messages
_DEEPEST: Final = 4  # parts inside parts
_PARTS: Final = 200  # of one message that are read
OWN_CONTEXT: Final = "Context for the next message, from memory."  # what the edges put before the user's message


class Turn(NamedTuple):
    """One message: whether the user wrote it, and its words."""

    by_user: bool
    text: str


def turns(messages: object) -> Iterator[Turn]:
    """Every message that has words. A plain text is the user's.

    >>> list(turns([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}, ("assistant", "Hello")]))
    [Turn(by_user=True, text='Hi'), Turn(by_user=False, text='Hello')]
    """
    if isinstance(messages, str):
        messages = [messages]
    if isinstance(messages, Mapping) or not isinstance(messages, Iterable):
        raise InvalidInput(
            "messages", f"must be a list of messages, not {type(messages).__name__}"
        )
    for message in messages:
        for by_user, content in _said(message):
            text = _text(content).strip()
            if text and not text.startswith(OWN_CONTEXT):
                yield Turn(by_user, text)


def _said(message: Any) -> Iterator[tuple[bool, Any]]:
    """Who speaks and the content; a request of several parts, each with its own kind,
    is several.
    """
    if isinstance(message, str):
        yield True, message
    elif isinstance(message, tuple) and len(message) == 2:  # role and content
        yield str(message[0]).lower() in _USER, message[1]
    else:
        inner = field_of(message, "message")
        if inner is not None and not isinstance(inner, str):
            typed = not any(field_of(message, name) for name in _NOT_TYPED)
            yield from (
                (by_user and typed, content) for by_user, content in _said(inner)
            )
            return
        parts = field_of(message, "parts")
        if isinstance(parts, list | tuple) and any(
            field_of(part, "part_kind") for part in parts[:_PARTS]
        ):
            yield from (
                (_speaker(part) in _USER, field_of(part, "content"))
                for part in parts[:_PARTS]
            )
            return
        held = field_of(message, "data") or message  # LangChain's JSON
        content = next(filter(None, (field_of(held, name) for name in _CONTENTS)), "")
        yield _speaker(message) in _USER, content


def field_of(value: Any, name: str) -> Any:
    """A field of a mapping, or of an object."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _speaker(message: Any) -> str:
    for name in _NAMES:
        said = field_of(message, name)
        said = field_of(said, "role") or getattr(
            said, "value", said
        )  # an author who has a role, an enumeration
        if isinstance(said, str) and said:
            return said.lower()
    return ""


def _text(content: Any, depth: int = 0) -> str:
    """The words of a content of any shape; results of tools, images and thoughts have
    none.
    """
    if isinstance(content, str):
        return content
    if content is None or depth > _DEEPEST:
        return ""
    if isinstance(content, list | tuple):
        return "\n".join(
            filter(None, (_text(part, depth + 1) for part in content[:_PARTS]))
        )
    kind = (
        field_of(content, "type")
        or field_of(content, "content_type")
        or field_of(content, "part_kind")
        or ""
    )
    if str(getattr(kind, "value", kind)) not in _TEXTS:
        return ""
    inner = field_of(content, "text")
    return _text(inner or field_of(content, "parts"), depth + 1)
