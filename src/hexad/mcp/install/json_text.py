"""Put one member of a JSON text in, or take it out; every other byte of the text stays."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPACE: Final = " \t\r\n"
_UNIT: Final = "  "
_STRING: Final = r'("(?:\\.|[^"\\])*")'
_COMMENT: Final = re.compile(rf"{_STRING}|//[^\n]*|/\*.*?\*/", re.DOTALL)
_TRAILING_COMMA: Final = re.compile(rf"{_STRING}|,(?=\s*[}}\]])")


class NotJson(ValueError):
    """A text that is not a JSON object: why, in which line, and whether its comments are all that is wrong."""

    def __init__(self, reason: str, line: int | None = None, *, commented: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.commented = commented


_decode: Final = json.JSONDecoder().raw_decode


class Member(NamedTuple):
    """The place of a member of an object: of its key and of its value."""

    key: str
    start: int
    value: int
    end: int


class Object(NamedTuple):
    """The place of an object, and its members."""

    start: int
    end: int
    members: Sequence[Member]

    def named(self, key: str) -> Member | None:
        """The member of that key; the last, as every reader takes it."""
        return next((each for each in reversed(self.members) if each.key == key), None)


def with_entry(text: str, group: str, name: str, entry: dict[str, Any]) -> str:
    """The text with an entry of that name in that group of the outermost object; both are made if they are missing.

    >>> with_entry('{"a": 1}', "servers", "x", {"on": True})
    '{"a": 1, "servers": {"x": {"on": true}}}'
    """
    if entry_in(text, group, name) == entry:
        return text
    text = text if text.strip() else "{}\n"
    root = _object(text, _skip(text, 0))
    there = root.named(group)
    if there is None:
        return _put(text, root, group, {name: entry})
    if text[there.value] != "{":
        raise NotJson(f'"{group}" is not an object', text.count("\n", 0, there.value) + 1)
    return _put(text, _object(text, there.value), name, entry)


def entry_in(text: str, group: str, name: str) -> Any:
    """The entry of that name, or None.

    >>> entry_in('{"servers": {"x": {"on": true}}}', "servers", "x")
    {'on': True}
    """
    servers = _parsed(text).get(group)
    return servers.get(name) if isinstance(servers, dict) else None


def without_entry(text: str, group: str, name: str) -> str:
    """The text without that entry; the same text if no entry has the name.

    >>> without_entry('{"servers": {"x": {"on": true}, "y": {}}}', "servers", "x")
    '{"servers": {"y": {}}}'
    """
    while isinstance(servers := _parsed(text).get(group), dict) and name in servers:
        there = _object(text, _skip(text, 0)).named(group)
        text = _drop(text, _object(text, there.value), name)  # type: ignore[union-attr]  # it was just found
    return text


def is_commented(text: str) -> bool:
    r"""Whether a text is JSON except for comments and commas before a closing bracket.

    >>> is_commented('{"a": 1, // one\n}'), is_commented('{"a": }')
    (True, False)
    """
    try:
        json.loads(_TRAILING_COMMA.sub(r"\1", _COMMENT.sub(r"\1 ", text)))
    except (ValueError, RecursionError):
        return False
    return True


def _parsed(text: str) -> dict[str, Any]:
    try:
        whole = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise NotJson(f"is not JSON: {error.msg}", error.lineno, commented=is_commented(text)) from None
    except (ValueError, RecursionError) as error:  # a number too long or an object too deep for Python
        raise NotJson(f"cannot be read: {error}") from None
    if not isinstance(whole, dict):
        raise NotJson("does not hold a JSON object")
    return whole


def _object(text: str, start: int) -> Object:
    """The object that begins at that place of a text that is JSON."""
    members: list[Member] = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, after = _decode(text, at)
        value = _skip(text, _skip(text, after) + 1)
        _, end = _decode(text, value)
        members.append(Member(key, at, value, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return Object(start, at, members)


def _put(text: str, holder: Object, key: str, value: dict[str, Any]) -> str:
    there, gap = holder.named(key), _gap(text, holder)
    if there is not None:
        return text[: there.value] + _written(text, value, gap) + text[there.end :]
    member = f"{json.dumps(key)}: {_written(text, value, gap)}"
    if holder.members:
        last = holder.members[-1].end
        return f"{text[:last]},{gap or ' '}{member}{text[last:]}"
    closing = gap.removesuffix(_unit(text))
    return f"{text[: holder.start]}{{{gap}{member}{closing}}}{text[holder.end + 1 :]}"


def _drop(text: str, holder: Object, key: str) -> str:
    place = max(number for number, each in enumerate(holder.members) if each.key == key)
    if place + 1 < len(holder.members):
        return text[: holder.members[place].start] + text[holder.members[place + 1].start :]
    begin = holder.members[place - 1].end if place else holder.start + 1
    end = holder.members[place].end if place else holder.end
    return text[:begin] + text[end:]


def _written(text: str, value: dict[str, Any], gap: str) -> str:
    """A value in the style of the text around it: over several lines, or in one if ``gap`` has no newline."""
    if not gap.strip(" \t"):
        return json.dumps(value, ensure_ascii=False)
    return gap.join(json.dumps(value, ensure_ascii=False, indent=_unit(text)).split("\n"))


def _gap(text: str, holder: Object) -> str:
    """The white space before each member of an object: a newline and an indent, or none if all is in one line."""
    if holder.members:
        before = text[holder.start + 1 : holder.members[0].start]
        return _last_line(before) if "\n" in before else ""
    if "\n" not in text.strip() and text.strip() != "{}":
        return ""
    line = text[text.rfind("\n", 0, holder.start) + 1 : holder.start]
    return ("\r\n" if "\r\n" in text else "\n") + line[: len(line) - len(line.lstrip(" \t"))] + _unit(text)


def _last_line(space: str) -> str:
    at = space.rfind("\n")
    return space[at - 1 if at and space[at - 1] == "\r" else at :]


def _unit(text: str) -> str:
    """The indent of this text."""
    start = text.find("{")
    first = _skip(text, start + 1)
    space = text[start + 1 : first].rpartition("\n")
    return space[2] if space[1] and space[2] and text[first] != "}" else _UNIT


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
