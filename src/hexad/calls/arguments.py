"""A call's arguments: a summary for the audit log, and shapes from which a fix can be
read.

A summary keeps no content: texts are cut, lists are counted, secrets are masked. A
shape is the kind of an argument ("YYYY-MM-DD", "list of text"), so that the difference
between a failed call and a successful one can be described without the values of
either.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hexad.calls.privacy import (
    REDACTED,
    is_number_of_somebody,
    names_person,
    names_secret,
)
from hexad.memory.admission import Intake
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from hexad.model import Json

    Path: TypeAlias = tuple[str, ...]  # names, the outermost first

LONGEST: Final = 200  # characters of a text that are kept
MOST: Final = 64  # arguments that are read, nested ones included
_DEEPEST_SUMMARY: Final = 2  # levels that a summary shows
_LONGEST_NAME: Final = 64
_SEARCHED: Final = (
    1 << 14
)  # characters of a text in which secrets are masked before it is cut
_SHORT: Final = 40  # characters of a constant
OWN_TOOLS: Final = frozenset(
    {
        f"{verb}_knowledge"
        for verb in ("save", "search", "list", "update", "delete", "pin")
    }
    | {"save_learning", "search_learnings", "create_skill", "list_skills"}
)
_PLACEHOLDER: Final = re.compile(r"\[redacted:[a-z-]+\]")
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_SHAPES: Final = {  # the first pattern that a whole text matches
    r"\d{4}-\d\d-\d\d": "YYYY-MM-DD",
    r"\d{4}-\d\d-\d\d \d\d:\d\d": "YYYY-MM-DD HH:MM",
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d": "YYYY-MM-DD HH:MM:SS",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d": "YYYY-MM-DDTHH:MM",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?": "YYYY-MM-DDTHH:MM:SS",
    r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)": "YYYY-MM-DDTHH:MM:SS with zone",
    r"\d\d?/\d\d?/\d{4}": "DD/MM/YYYY",
    r"\d\d?\.\d\d?\.\d{4}": "DD.MM.YYYY",
    r"\d{8}": "eight digits as text",
    r"[0-5]?\d:[0-5]\d": "HH:MM",  # and not the ports 80:80
    r"[0-5]?\d:[0-5]\d:[0-5]\d": "HH:MM:SS",
    r"[A-Z][a-z]{2,8} \d\d?,? \d{4}": "Month D, YYYY",
    r"-?\d+": "whole number as text",
    r"-?\d+\.\d+": "number as text",
    r"(?i:https://\S+)": "https URL",
    r"(?i:http://\S+)": "http URL",
    r"(?i:[a-z][a-z0-9+.-]*://\S+)": "URL",
    r"[^@\s]+@[^@\s]+\.[^@\s]+": "e-mail address",
    r"(?i:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})": "UUID",
    r"/\S*": "absolute path",
    r"[#@+$~]\S*": "",  # named after its first character
    r"[a-z]{2}[_-][A-Z]{2}": "locale",
    r"(?:Africa|America|Asia|Atlantic|Australia|Europe|Pacific)/[A-Z]\w+(?:/\w+)?": "time zone",
    r"[A-Za-z]\S*|[A-Z0-9_-]+|[a-z0-9]+(?:-[a-z0-9]+)+": "word",
}
_STRONG: Final = re.compile(
    r"YYYY|DD|HH:|Month|digits|number|URL|UUID|e-mail|list|object|true or false|null|whole|locale|zone|empty"
    r"|starts with|before it"
)  # shapes that are a form of their own; words and texts of other kinds are not
_ARTICLE: Final = re.compile(
    r"[eoh](?=-mail|mpty|bject|ttp)|(?=list|whole|number|URL|UUID|locale|time)"
)
_SHAPE: Final = re.compile("|".join(f"({pattern})" for pattern in _SHAPES))
_SHAPE_NAMES: Final = tuple(_SHAPES.values())
CONSTANT: Final = frozenset(
    {
        "word",
        "locale",
        "true or false",
        "whole number",
        "number",
        "whole number as text",
    }
)
"""Shapes of values that may be the same in every run."""
_BYTES: Final = (bytes, bytearray, memoryview)
_KINDS: Final[dict[type, str]] = {
    type(None): "null",
    bool: "true or false",
    int: "whole number",
    float: "number",
    Mapping: "object",
    **dict.fromkeys(_BYTES, "bytes"),
}
_INTAKE: Final = Intake(limit=1 << 30, redact=True, accounts=True)
as_json: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def summarised(tool: str, arguments: object) -> dict[str, Json]:
    """A call's arguments as the audit log shows them. Of Hexad's own tools only names
    and sizes: the rest is content.

    >>> summarised("mail", {"to": ["a", "b"], "body": "x" * 300, "password": "hunter2hunter2", "n": 3})["to"]
    '[2 items]'
    """
    given = by_name(arguments)
    if tool in OWN_TOOLS or tool.startswith("skill_"):
        return {name: f"({_size(value)})" for name, value in given.items()}
    return {name: _summary((name,), value) for name, value in given.items()}


def shape_of(value: object) -> str:
    """The kind of a value, in words.

    >>> [shape_of(v) for v in ("2024-05-19", "#general", ["a"], "EUR", 3, None, "two words")]
    ['YYYY-MM-DD', "word with '#' before it", 'list of text', 'word', 'whole number', 'null', 'text']
    """
    if isinstance(value, str):
        return _shape_of_text(value)
    if type(value) in _KINDS:
        return _KINDS[type(value)]
    if isinstance(value, Sequence | Set) and not isinstance(value, _BYTES):
        return _shape_of_list(value)
    known = next((name for kind, name in _KINDS.items() if isinstance(value, kind)), "")
    return known or _clean(type(value).__name__)[:_LONGEST_NAME]


def is_strong(shape: str) -> bool:
    """Whether a shape is a form of its own, and not just some text."""
    return _STRONG.search(shape) is not None


def in_words(shape: str) -> str:
    """A shape as a sentence has it: kinds of words are text to a reader.

    >>> [in_words(each) for each in ("word", "list of text", "whole number as text", "e-mail address")]
    ['text', 'a list of text', 'digits', 'an e-mail address']
    """
    if shape == "word":
        return "text"
    if shape.startswith("word with"):
        return f"text that starts with {shape.split()[2]}"
    if shape.endswith(" as text"):
        return "a decimal number" if shape == "number as text" else "digits"
    article = _ARTICLE.match(shape)
    shape = re.sub(r"(?<=list of )((?:whole )?number|object)$", r"\1s", shape)
    shape = shape.replace("time zone", "time zone like Europe/Berlin")
    shape = re.sub(
        r"(https?) URL", r"\1:// URL", shape.replace("with zone", "with a time zone")
    )
    return shape if article is None else f"{'an' if article[0] else 'a'} {shape}"


def _shape_of_text(value: str) -> str:
    if not value.strip():
        return "empty text"
    found = _SHAPE.fullmatch(value)
    if found is None or found.lastindex is None:
        return "text"
    return _SHAPE_NAMES[found.lastindex - 1] or f"word with {value[0]!r} before it"


def _shape_of_list(value: Sequence[Any] | Set[Any]) -> str:
    first = next(iter(value), None) if len(value) else None
    if first is None:
        return "list" if len(value) else "empty list"
    kind = (
        "text"
        if isinstance(first, str)
        else "lists"
        if isinstance(first, Sequence)
        else shape_of(first)
    )
    return f"list of {kind}"


def is_constant(path: Path, value: object) -> bool:
    """Whether a value may be a constant of every run: a short word, a flag or a small
    number, and not personal.

    >>> given = {"queue": "urgent", "patient": "Jane Roe", "born": "1970-01-01", "to": "a@example.org", "pages": 4000}
    >>> [name for name, value in given.items() if is_constant((name,), value)]
    ['queue']
    """
    return _constant(path, value, shape_of(value)) is not None


def is_secret(name: str, value: str) -> bool:
    """Whether a text is secret by the name of its argument.

    >>> is_secret("pw", "Erdbeere34"), is_secret("password", "hunter2"), is_secret("city", "Paris")
    (True, True, False)
    """
    return names_secret((name,)) or (
        not any(map(str.isspace, value)) and _INTAKE.named(name, value) != value
    )


def _constant(path: Path, value: object, shape: str) -> Json:
    """A value that may be the same in other runs; None if it is long, private or
    compound.
    """
    if (
        shape not in CONSTANT
        or names_secret(path)
        or names_person(path)
        or is_number_of_somebody(value)
    ):
        return None
    if isinstance(value, bool | int) or (
        isinstance(value, float) and math.isfinite(value)
    ):
        return value
    if isinstance(value, str) and 0 < len(value) <= _SHORT:
        clean = _INTAKE.named(path[-1], _clean(value))
        return clean if clean == value else None
    return None


def _summary(path: Path, value: object) -> Json:
    if is_private(path, value):
        return placeholder_of(path[-1], value)
    if isinstance(value, str):
        text = masked_text(path, value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    if (
        isinstance(value, Mapping)
        and len(path) < _DEEPEST_SUMMARY
        and not names_secret(path)
    ):
        return {
            each: _summary((*path, each), inner)
            for each, inner in by_name(value).items()
        }
    if value is None or isinstance(value, int | float):
        return plain(value)
    return _measured(value)


def masked_text(path: Path, value: str) -> str:
    """The beginning of a text without secrets: more than is kept of it, so that a cut
    never leaves half of one.
    """
    return _INTAKE.named(path[-1], _clean(value[:_SEARCHED]))


def is_private(path: Path, value: object) -> bool:
    """Whether a text or number has the name of a secret, or is a number with a name of
    personal data.
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, str | int | float)
        or value == ""
    ):
        return False
    return names_secret(path) or (names_person(path) and is_number_of_somebody(value))


def placeholder_of(name: str, value: object) -> str:
    """The placeholder of a secret, with its kind if its name or text shows one."""
    masked = (
        _INTAKE.named(name, _clean(value))
        if isinstance(value, str) and len(value) <= LONGEST
        else ""
    )
    return masked if masked != value and _PLACEHOLDER.fullmatch(masked) else REDACTED


def plain(value: float | int | None) -> Json:
    """A number as JSON has it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return (
        value
        if value is None or abs(value) < 1 << 53
        else f"whole number of {value.bit_length()} bits"
    )


def _measured(value: object) -> str:
    """The size of a compound value in the brackets of its kind, or its type."""
    if isinstance(value, Mapping):
        return f"{{{_size(value)}}}"
    return (
        f"[{_size(value)}]"
        if isinstance(value, Sequence | Set | memoryview)
        else f"({_size(value)})"
    )


def by_name(arguments: object) -> dict[str, object]:
    """Arguments by name, at most `MOST` of them; anything but a mapping or a dataclass
    is one argument.
    """
    if (
        type(arguments) is not dict
        and is_dataclass(arguments)
        and not isinstance(arguments, type)
    ):
        arguments = {
            field.name: getattr(arguments, field.name, None)
            for field in fields(arguments)
        }
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping):
        return {"arguments": arguments}
    return {
        _name(str(name)[:_SEARCHED]): value
        for name, value in islice(arguments.items(), MOST)
    }


@lru_cache(maxsize=1024)  # a tool's arguments have the same names in every call
def _name(name: str) -> str:
    """A name without secrets: callers may use anything as a key."""
    return redact(_clean(name)).text[:_LONGEST_NAME]


@lru_cache(maxsize=1024)
def pointer(path: Path) -> str:
    """A path as JSON Pointer writes it; a character that cannot be stored is replaced."""
    return "".join(
        "/" + _clean(name).replace("~", "~0").replace("/", "~1") for name in path
    )


def _clean(text: str) -> str:
    return (
        text if text.isascii() and "\0" not in text else _UNSTORABLE.sub("\ufffd", text)
    )


def _size(value: object) -> str:
    """How large a value is; its type if it has no size."""
    if isinstance(value, str):
        return f"{len(value)} characters"
    if isinstance(value, _BYTES):
        return f"{len(value)} bytes"
    if isinstance(value, Mapping | Sequence | Set):
        return "1 item" if len(value) == 1 else f"{len(value)} items"
    return _clean(type(value).__name__)[:_LONGEST_NAME]
