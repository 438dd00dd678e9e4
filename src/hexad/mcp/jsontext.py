"""One member of a JSON text put in or taken out; every other byte of the text stays as it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_SPACE: Final = " \t\r\n"
_UNIT: Final = "  "
_MOST_DIGITS: Final = 1000  # of a number that is read; of a longer one only the place counts


class NotJson(ValueError):
    """A text that is not what it should be: reason, line, and whether it would be without its comments."""

    def __init__(self, reason: str, line: int | None = None, *, commented: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.commented = commented


class _NoNumber(ValueError):
    """What Python reads as a number, and JSON does not have."""


def _constant(name: str) -> None:
    raise _NoNumber(name)


def _whole(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


_json: Final = json.JSONDecoder(parse_constant=_constant, parse_int=_whole)
_decode: Final = _json.raw_decode


@dataclass(frozen=True, slots=True)
class Member:
    """Where a member of an object stands: its key, its value, and what the value is."""

    key: str
    start: int
    value: int
    end: int
    is_object: bool


@dataclass(frozen=True, slots=True)
class Object:
    """Where an object stands, and its members."""

    start: int
    end: int
    members: Sequence[Member]

    def named(self, key: str) -> Member | None:
        """The member of that key; the last, as every reader takes it."""
        return next((each for each in reversed(self.members) if each.key == key), None)


def with_entry(text: str, group: str, name: str, entry: dict[str, Any]) -> str:
    """The text with an entry of that name in that group of the outermost object; both are made if they are not there.

    >>> with_entry('{"a": 1}', "servers", "x", {"on": True})
    '{"a": 1, "servers": {"x": {"on": true}}}'
    """
    if not text.strip():
        text = "{}\n"
    root = _root(text)
    there = root.named(group)
    if there is None:
        return _put(text, root, group, {name: entry})
    if not there.is_object:
        raise NotJson(f'"{group}" is not an object', _line(text, there.value))
    return _put(text, _object(text, there.value), name, entry)


def entry_in(text: str, group: str, name: str) -> Any:
    """What the entry of that name is; None where there is none.

    >>> entry_in('{"servers": {"x": {"on": true}}}', "servers", "x")
    {'on': True}
    """
    there = _root(text).named(group) if text.strip() else None
    found = _object(text, there.value).named(name) if there is not None and there.is_object else None
    return None if found is None else json.loads(text[found.value : found.end])


def without_entry(text: str, group: str, name: str) -> str:
    """The text without that entry; the same text where there is none.

    >>> without_entry('{"servers": {"x": {"on": true}, "y": {}}}', "servers", "x")
    '{"servers": {"y": {}}}'
    """
    there = _root(text).named(group) if text.strip() else None
    if there is None or not there.is_object:
        return text
    while (holder := _object(text, there.value)).named(name) is not None:
        text = _drop(text, holder, name)
    return text


def is_commented(text: str) -> bool:
    r"""Whether a text is JSON but for comments and commas before a closing bracket.

    >>> is_commented('{"a": 1, // one\n}'), is_commented('{"a": }')
    (True, False)
    """
    try:
        _json.decode(_without_trailing_commas(_without_comments(text)))
    except (ValueError, RecursionError):
        return False
    return True


def _root(text: str) -> Object:
    try:
        whole = _json.decode(text)
    except _NoNumber as error:
        name = str(error)
        raise NotJson(
            f"is not JSON: {name} is no number of it; write null", _line(text, _found_outside(text, name))
        ) from None
    except json.JSONDecodeError as error:
        raise NotJson(f"is not JSON: {error.msg}", error.lineno, commented=is_commented(text)) from None
    except RecursionError:
        raise NotJson("is nested too deeply") from None
    if not isinstance(whole, dict):
        raise NotJson("does not hold a JSON object")
    return _object(text, _skip(text, 0))


def _object(text: str, start: int) -> Object:
    """The object that begins at that place of a text that is JSON."""
    members: list[Member] = []
    at = _skip(text, start + 1)
    while text[at] != "}":
        key, after = _decode(text, at)
        value = _skip(text, _skip(text, after) + 1)
        read, end = _decode(text, value)
        members.append(Member(key, at, value, end, isinstance(read, dict)))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return Object(start, at, members)


def _put(text: str, holder: Object, key: str, value: dict[str, Any]) -> str:
    there = holder.named(key)
    if there is not None:
        if _json.decode(text[there.value : there.end]) == value:
            return text
        return text[: there.value] + _written(text, value, _gap(text, holder)) + text[there.end :]
    gap = _gap(text, holder)
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
    """A value as the text around it is written: over several lines, or in one where ``gap`` has no line's end."""
    if not gap.strip(" \t"):
        return _dumped(value)
    return gap.join(_dumped(value, indent=_unit(text)).split("\n"))


def _dumped(value: dict[str, Any], indent: str | None = None) -> str:
    """As JSON: letters as they are, unless one is half of a pair, which no file can hold."""
    told = json.dumps(value, ensure_ascii=False, indent=indent)
    return json.dumps(value, indent=indent) if any("\ud800" <= letter <= "\udfff" for letter in told) else told


def _gap(text: str, holder: Object) -> str:
    """What stands before each member of an object: a line's end and an indent, or nothing where all is in one line."""
    if holder.members:
        before = text[holder.start + 1 : holder.members[0].start]
        return _last_line(before) if "\n" in before else ""
    if "\n" not in text.strip() and text.strip() != "{}":
        return ""
    line = text[text.rfind("\n", 0, holder.start) + 1 : holder.start]
    return _newline(text) + line[: len(line) - len(line.lstrip(" \t"))] + _unit(text)


def _last_line(space: str) -> str:
    at = space.rfind("\n")
    return space[at - 1 if at and space[at - 1] == "\r" else at :]


def _unit(text: str) -> str:
    """By how much this text indents."""
    start = text.find("{")
    first = _skip(text, start + 1)
    space = text[start + 1 : first].rpartition("\n")
    return space[2] if space[1] and space[2] and text[first] != "}" else _UNIT


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1


def _without_comments(text: str) -> str:
    kept: list[str] = []
    at = 0
    while at < len(text):
        end = _piece(text, at)
        kept.append(" " if text.startswith(("//", "/*"), at) else text[at:end])
        at = end
    return "".join(kept)


def _piece(text: str, at: int) -> int:
    """Where the comment, the string or the character that begins here ends."""
    if text.startswith("//", at):
        return _found(text, "\n", at)
    if text.startswith("/*", at):
        return _found(text, "*/", at + 2) + 2
    if text[at] == '"':
        try:
            return _decode(text, at)[1]
        except ValueError:
            return len(text)
    return at + 1


def _found_outside(text: str, what: str) -> int:
    """Where it stands, not counting strings."""
    at = 0
    while at < len(text) and not text.startswith(what, at):
        at = _piece(text, at)
    return at


def _found(text: str, what: str, at: int) -> int:
    place = text.find(what, at)
    return len(text) if place < 0 else place


def _without_trailing_commas(text: str) -> str:
    kept: list[str] = []
    at = 0
    while at < len(text):
        end = _piece(text, at)
        following = _skip(text, end)
        if text[at] != "," or text[following : following + 1] not in {"}", "]"}:
            kept.append(text[at:end])
        at = end
    return "".join(kept)
