"""The messages of a JSON body in an error's text, each with the field that it is about.

By the names that APIs use (FastAPI and pydantic, GitHub, Stripe, Google, Django), not
by the API.
"""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
)
_PLACES: Final = (
    "field",
    "param",
    "loc",
    "path",
    "parameter",
    "property",
    "name",
    "pointer",
    "location",
    "target",
)
_IGNORED: Final = (
    "documentation_url",
    "input",
    "url",
    "type",
    "object",
    "status",
    "request_id",
    "ctx",
    "code",
)
_GROUPS: Final = (
    "errors",
    "details",
    "violations",
    "fieldViolations",
    "errorMessages",
    "issues",
)
_BODY: Final = re.compile(r"[\[{].*[\]}]", re.DOTALL)
_CODE: Final = re.compile(r"[\w.:/#-]*")
_UNSTORABLE: Final = re.compile(
    "[\x00\ud800-\udfff]"
)  # which a JSON text may hold escaped
_MOST_PARTS: Final = 8
_DEEPEST: Final = 6  # levels of a JSON body that are read


def readable(error: str) -> str:
    """An error with its JSON body, if it has one, replaced by the body's messages.

    >>> readable('HTTP 422: {"detail": [{"loc": ["body", "title"], "msg": "Field required", "input": {"a": 1}}]}')
    'HTTP 422: title: Field required'
    """
    found = _BODY.search(error)
    said = messages(error) if found else []
    return (
        f"{error[: found.start()]}{'; '.join(said)}{error[found.end() :]}"
        if found and said
        else error
    )


def messages(error: str) -> list[str]:
    """The messages of an error's JSON body; none if it has no body, or one without
    messages.
    """
    found = _BODY.search(error)
    parsed = _messages(_parsed(found[0]), "", 0) if found else ()
    said = list(dict.fromkeys(_UNSTORABLE.sub("\ufffd", each) for each in parsed))
    return said if any(" " in each for each in said) else []


def _parsed(text: str) -> Any:
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
    return None


def _messages(value: Any, place: str, depth: int) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        named = not place or place.rsplit(".", 1)[-1].casefold() in value.casefold()
        yield value if named else f"{place}: {value}"
    elif isinstance(value, list) and depth < _DEEPEST:
        for each in value[:_MOST_PARTS]:
            yield from _messages(each, place, depth + 1)
    elif isinstance(value, dict) and depth < _DEEPEST:
        here = _place(value) or place
        texts = [value[name] for name in _MESSAGES if isinstance(value.get(name), str)]
        texts = (
            [each for each in texts if not _CODE.fullmatch(each)]
            or texts
            or [value.get("code")] * bool(here)
        )
        for each in texts[:2]:
            yield from _messages(each, here, depth + 1)
        for name, inner in value.items():
            if isinstance(inner, dict | list) and name not in {*_IGNORED, *_PLACES}:
                yield from _messages(
                    inner,
                    here if name in {*_MESSAGES, *_GROUPS} else str(name),
                    depth + 1,
                )
            elif isinstance(inner, str) and name not in {
                *_IGNORED,
                *_PLACES,
                *_MESSAGES,
            }:
                yield from _messages(inner, str(name), depth + 1)


def _place(value: Mapping[str, Any]) -> str:
    """The field that an object is about."""
    held = next(
        (
            value[name]
            for name in _PLACES
            if isinstance(value.get(name), str | list) and value[name]
        ),
        "",
    )
    named = ".".join(
        str(each)
        for each in ([held] if isinstance(held, str) else held)
        if each not in {"body", "query"}
    )
    return named if len(named) <= 60 else ""
