"""Transcripts of conversations, as programs write them → messages."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import BackupError
from hexad.interchange.arrays import LONGEST, array

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BODY: Final = {"knowledge": "content", "reference": "summary", "learning": "diagnosis", "skill": "description"}


def messages_in(path: Path) -> list[Any]:
    """The messages of a conversation's file: an array, or a line for each."""
    return [message for each in _elements(path) for message in _messages(each)]


def _elements(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as raw, io.TextIOWrapper(raw, encoding="utf-8-sig") as file:
            lines = map(json.loads, filter(str.strip, iter(lambda: file.readline(LONGEST), "")))
            for each in lines if path.suffix == ".jsonl" else array(file, str(path)):
                if isinstance(each, dict):
                    yield each
    except OSError as error:
        raise BackupError(str(path), f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise BackupError(str(path), f"is not JSON in UTF-8: {error}") from error


def _messages(element: dict[str, Any]) -> list[Any]:
    """The messages of a conversation, or the one message that an element is."""
    return element.get("chat_messages") or (_path(element) if "mapping" in element else [element])


def _path(conversation: dict[str, Any]) -> list[Any]:
    """The messages of ChatGPT's tree that were shown last, from the first to the last."""
    mapping, node, found = conversation["mapping"], conversation.get("current_node"), list[Any]()
    if not isinstance(mapping, dict):
        return []
    if not isinstance(node, str) or node not in mapping:
        return [each.get("message") for each in mapping.values() if isinstance(each, dict) and each.get("message")]
    while isinstance(node, str) and isinstance(mapping.get(node), dict) and len(found) <= len(mapping):
        found.append(mapping[node].get("message"))
        node = mapping[node].get("parent")
    return [message for message in reversed(found) if message]
