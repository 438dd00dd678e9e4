"""The messages of a JSON body in an error's text, each with the field that it is about.

By the names that APIs use (FastAPI and pydantic, GitHub, Stripe, Google, Django), not by the API.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_MESSAGES: Final = (
    "message",
    "msg",
    "detail",
    "error_description",
    "description",
    "hint",
    "title",
    "reason",
    "error",
    "cause",
)
_PLACES: Final = ("field", "param", "loc", "path", "parameter", "property", "name", "pointer", "location", "target")
_BODY: Final = re.compile(r"[\[{].*[\]}]", re.DOTALL)
_NO_MESSAGE: Final = re.compile(r"\A[\w.:/#-]*\Z")
_IGNORED_KEYS: Final = frozenset(
    {"documentation_url", "input", "url", "type", "object", "status", "statusCode", "request_id", "ctx"}
)
_LISTS: Final = frozenset({"errors", "details", "violations", "fieldViolations", "errorMessages", "issues"})
_READ: Final = frozenset({*_MESSAGES, *_PLACES, "code"})
_MOST_PARTS: Final = 8
_DEEPEST: Final = 6  # levels of a JSON body that are read


def readable(error: str) -> str:
    """An error with its JSON body, if it has one, replaced by the body's messages.

    >>> readable('HTTP 422: {"detail": [{"loc": ["body", "title"], "msg": "Field required", "input": {"a": 1}}]}')
    'HTTP 422: title: Field required'
    """
    found = _BODY.search(error)
    said = messages(error) if found else []
    return f"{error[: found.start()]}{'; '.join(said)}{error[found.end() :]}" if found and said else error


def messages(error: str) -> list[str]:
    """The messages of an error's JSON body; none if it has no body, or one without messages."""
    found = _BODY.search(error)
    told = list(dict.fromkeys(_told(_parsed(found[0]), "", 0))) if found else []
    return told if any(" " in each for each in told) else []


def _parsed(text: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def _told(value: Any, place: str, depth: int) -> Iterator[str]:
    """The messages of a JSON body, each with the field that it is about."""
    if isinstance(value, str) and value.strip():
        named = not place or place.rsplit(".", 1)[-1].casefold() in value.casefold()
        yield value if named else f"{place}: {value}"
    elif isinstance(value, list) and depth < _DEEPEST:
        for each in value[:_MOST_PARTS]:
            yield from _told(each, place, depth + 1)
    elif isinstance(value, Mapping) and depth < _DEEPEST:
        here = _place(value) or place
        for each in _messages(value, here):
            yield from _told(each, here, depth + 1)
        for name, inner in value.items():
            if not _is_told(name, inner):
                yield from _told(inner, here if name in _MESSAGES or name in _LISTS else str(name), depth + 1)


def _messages(value: Mapping[str, Any], place: str) -> list[str]:
    """The texts of one object: its messages, else the code of a field."""
    found = [value[name] for name in _MESSAGES if isinstance(value.get(name), str)]
    if place and not found and isinstance(value.get("code"), str):
        found = [value["code"]]
    return ([each for each in found if not _NO_MESSAGE.match(each)] or found)[:2]


def _is_told(name: str, value: object) -> bool:
    """Whether a part of an object is no message, or was read with the object."""
    if name in _IGNORED_KEYS or value is None or isinstance(value, int | float):
        return True
    return name in _PLACES if isinstance(value, list) else isinstance(value, str) and name in _READ


def _place(value: Mapping[str, Any]) -> str:
    held = next(
        (value[name] for name in _PLACES if isinstance(value.get(name), str | list | tuple) and value[name]), ""
    )
    parts = [held] if isinstance(held, str) else [str(each) for each in held]
    named = [each for each in parts if each not in {"body", "query", "path", "header"}]
    return ".".join(named) if len(".".join(named)) <= 60 else ""
