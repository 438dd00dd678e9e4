"""JSON with comments and trailing commas, edited as text: one value goes in or out, and
every other byte stays.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_STRING: Final = r'("(?:[^"\\]|\\.)*")'
_COMMENT: Final = re.compile(rf"{_STRING}|\ufeff|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])", re.DOTALL)
_INDENT: Final = re.compile(r"\s*\{\s*\n([ \t]+)\"")
_COMMA: Final = re.compile(r"\s*,")
_LINE_END: Final = re.compile(r"[ \t\r]*\n")
_NEXT: Final = re.compile(r"[^\s:,]|$")
_DECODER: Final = json.JSONDecoder()
NEW: Final = -1  # in a path: one more at the end of a list


class Unfit(ValueError):
    """A text that cannot be edited; it says why, and ``line`` where, if that is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


class _Span(NamedTuple):
    """A member of an object or an item of a list: where it begins, and where its value
    begins and ends.
    """

    start: int
    value: int
    end: int


def loads(text: str) -> Any:
    """The document in a text; an empty object in an empty one."""
    try:
        return json.loads(_strict(text) if text.strip() else "{}")
    except json.JSONDecodeError as error:
        raise Unfit(f"is not JSON: {error.msg}", error.lineno) from None
    except (
        ValueError,
        RecursionError,
    ) as error:  # a number too long or an object too deep for Python
        raise Unfit(f"cannot be read: {error}") from None


def put(text: str, path: Sequence[str | int], value: Any) -> str:
    """The text with a value at a path: it replaces what is there, or becomes the last
    of its object or list.
    """
    if not text.strip():
        text = "{}\n"
    found = _along(text, path)
    depth, last = len(found) - 1, found[-1]
    for key in reversed(path[depth + 1 :]):
        value = [value] if isinstance(key, int) else {key: value}
    if depth == len(path):
        return text[: last.value] + _dumped(text, value, depth) + text[last.end :]
    name, bracket = (
        ("", "[")
        if isinstance(path[depth], int)
        else (f"{json.dumps(path[depth])}: ", "{")
    )
    if text[last.value] != bracket:
        raise Unfit(f'has something else where "{path[depth - 1]}" should be')
    return _added(text, last, name + _dumped(text, value, depth + 1), depth)


def removed(text: str, path: Sequence[str | int]) -> str:
    """The text without the value at a path, and without an object or a list that held
    nothing else.
    """
    *outer, parent, gone = _along(text, path)
    rest = text[parent.value + 1 : gone.start] + text[gone.end : parent.end - 1]
    if outer and rest.strip() in {"", ","}:
        return removed(text, path[:-1])
    bare, start, rest = _bare(text), len(text[: gone.start].rstrip()), text[gone.end :]
    if comma := _COMMA.match(bare, gone.end):
        rest = text[gone.end : comma.end() - 1] + text[comma.end() :]
    if "\n" in text[start : gone.start] and not _LINE_END.match(
        rest
    ):  # what follows must not join a comment
        start = gone.start
    before = len(bare[:start].rstrip())
    if comma is None and bare[before - 1] == ",":  # it was the last
        return text[: before - 1] + text[before:start] + rest
    return text[:start] + rest


def _along(text: str, path: Sequence[str | int]) -> list[_Span]:
    """The document, then the value at each step of a path, as far as there is one."""
    strict = _strict(text)
    start = _next(strict, 0)
    found = [_Span(start, start, _DECODER.raw_decode(strict, start)[1])]
    for key in path:
        if key not in (inside := _inside(strict, found[-1])):
            break
        found.append(inside[key])
    return found


def _inside(strict: str, parent: _Span) -> dict[str | int, _Span]:
    """The members of an object by their keys, or the items of a list by their numbers."""
    found, at = dict[str | int, _Span](), _next(strict, parent.value + 1)
    while strict[parent.value] in "{[" and at < parent.end - 1:
        key, value = (
            _DECODER.raw_decode(strict, at)
            if strict[parent.value] == "{"
            else (len(found), at)
        )
        value = _next(strict, value)
        found[key] = _Span(at, value, _DECODER.raw_decode(strict, value)[1])
        at = _next(strict, found[key].end)
    return found


def _added(text: str, parent: _Span, item: str, depth: int) -> str:
    """The text with an item at the end of an object or a list; a comma follows it if
    one followed the last.
    """
    close = parent.end - 1
    end = len(text[:close].rstrip())
    last = max(
        (each.end for each in _inside(_strict(text), parent).values()), default=None
    )
    trailing = last is not None and "," in _bare(text)[last:close]
    comma = "" if last is None or trailing else ","
    tail = "" if "\n" in text[end:close] else _line(text, depth)
    added = f"{_line(text, depth + 1)}{item}{',' if trailing else ''}{tail}"
    return f"{text[: last or end]}{comma}{text[last or end : end]}{added}{text[end:]}"


def _dumped(text: str, value: Any, depth: int) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return _line(text, depth).join(lines)


def _line(text: str, depth: int) -> str:
    return ("\r\n" if "\r\n" in text else "\n") + _unit(text) * depth


def _unit(text: str) -> str:
    found = _INDENT.match(_bare(text))
    return found[1] if found else "  "


def _next(strict: str, start: int) -> int:
    """Where the next value begins, or the bracket that ends them."""
    return next(_NEXT.finditer(strict, start)).start()


def _bare(text: str) -> str:
    """The text with spaces in place of comments: every position stays."""
    return _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)


def _strict(text: str) -> str:
    """The text without comments and trailing commas: every position stays."""
    return _TRAILING.sub(lambda found: found[1] or " ", _bare(text))
