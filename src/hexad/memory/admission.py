"""Checks of what may be stored: each returns the value as it is stored, or raises an
error that names the field.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hexad.errors import InvalidInput, TextTooLong, UnstorableText
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from hexad.model import Json

T = TypeVar("T")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")
MAX_KEY: Final = 256  # characters of a key, a name, a tag, a session
_LONG_SECRET: Final = 20
MAX_TAGS: Final = 64
MAX_TEXT: Final = 256 * 1024  # bytes of any one text


def instance(field: str, value: object, kind: type[T], words: str) -> T:
    """A value of a type, which ``words`` name in the error."""
    if not isinstance(value, kind):
        raise InvalidInput(field, f"must be {words}, not {type(value).__name__}")
    return value


def text(
    field: str, value: object, *, limit: int = MAX_TEXT, required: bool = False
) -> str:
    """Text that any database keeps as it is."""
    given = instance(field, value, str, "text")
    if required and not given.strip():
        raise InvalidInput(field, "must not be empty")
    return _storable(field, given, limit)


def key(field: str, value: object) -> str:
    """A name to find something by: one short line without secrets."""
    name = text(field, value, required=True).strip()
    if len(name) > MAX_KEY:
        raise InvalidInput(
            field,
            f"has {len(name)} characters, the limit is {MAX_KEY}; put the text into the content",
        )
    if _CONTROL.search(name):
        raise InvalidInput(field, "must be one line without control characters")
    if redact(name).kinds:
        raise InvalidInput(
            field, "looks like a secret; choose a name that gives nothing away"
        )
    return name


def label(field: str, value: object) -> str:
    """A key that may be empty."""
    return "" if value is None or value == "" else key(field, value)


def tags(field: str, value: object) -> tuple[str, ...]:
    """Tags in the order given, each once."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInput(field, "must be a list of words")
    found = tuple(dict.fromkeys(key(field, tag) for tag in value))
    if len(found) > MAX_TAGS:
        raise InvalidInput(field, f"has {len(found)} entries, the limit is {MAX_TAGS}")
    return found


def flag(field: str, value: object) -> bool:
    """True or false, nothing that merely looks like it."""
    return instance(field, value, bool, "True or False")


def whole(field: str, value: object, *, low: int, high: int = 2**53) -> int:
    """A whole number within its range."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidInput(field, f"must be a whole number, not {type(value).__name__}")
    if not low <= value <= high:
        raise InvalidInput(field, f"must be from {low} to {high}, not {value}")
    return value


def number(field: str, value: object, *, most: float = 1) -> float:
    """A number from 0 to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(field, f"must be a number, not {type(value).__name__}")
    if not 0 <= value <= most:
        raise InvalidInput(field, f"must be from 0 to {most}, not {value}")
    return float(value)


def moment(field: str, value: object) -> datetime | None:
    """A time with a zone, in UTC; None for never."""
    if value is None:
        return None
    given = instance(field, value, datetime, "a datetime")
    if given.tzinfo is None:
        raise InvalidInput(
            field, "has no time zone; use datetime.now(UTC) or give a tzinfo"
        )
    try:
        return given.astimezone(UTC)
    except OverflowError:
        raise InvalidInput(field, "is beyond the calendar in UTC") from None


def mapping(field: str, value: object, *, limit: int = MAX_TEXT) -> dict[str, Json]:
    """An object that JSON can carry, copied."""
    if not isinstance(value, Mapping):
        raise InvalidInput(field, f"must be a mapping, not {type(value).__name__}")
    try:
        written = json.dumps(dict(value), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(field, f"cannot be written as JSON: {error}") from None
    copied: dict[str, Json] = json.loads(_storable(field, written, limit))
    if holds_nul(copied):
        raise UnstorableText(field, "NUL")
    return copied


def address(field: str, value: object) -> str:
    """The path of a file or folder, as text."""
    found = os.fspath(value) if isinstance(value, str | os.PathLike) else None
    if not isinstance(found, str) or not found.strip() or "\0" in found:
        raise InvalidInput(field, "must be the path of a file")
    return found


def path(field: str, value: object) -> Path:
    """The path of a file or folder."""
    return Path(address(field, value))


def holds_nul(value: object) -> bool:
    """Whether any text inside a JSON value holds NUL."""
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, Mapping):
        return any(holds_nul(each) for pair in value.items() for each in pair)
    return isinstance(value, list | tuple) and any(map(holds_nul, value))


class Intake:
    """Admits the texts of one save: checks each, and takes out secrets unless
    ``redact`` is false.
    """

    def __init__(self, *, limit: int, redact: object, accounts: bool = False) -> None:
        self._limit = limit
        self._accounts = accounts
        self._redact = flag("redact", redact)
        self._kinds: set[str] = set()

    def text(self, field: str, value: object, *, required: bool = False) -> str:
        """Text as it will be stored."""
        return self._clean_text(
            text(field, value, limit=self._limit, required=required)
        )

    def mapping(self, field: str, value: object) -> dict[str, Json]:
        """A JSON object as it will be stored."""
        try:
            cleaned: dict[str, Json] = self._clean_json(
                mapping(field, value, limit=self._limit)
            )
        except RecursionError:
            raise InvalidInput(field, "is nested too deeply") from None
        return cleaned

    @property
    def notes(self) -> dict[str, Any]:
        """The record's fields about its own redaction."""
        return {"verbatim": not self._redact, "redactions": tuple(sorted(self._kinds))}

    def _clean_text(self, value: str) -> str:
        if not self._redact:
            return value
        result = redact(value, accounts=self._accounts)
        self._kinds.update(result.kinds)
        return result.text

    def _clean_json(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._clean_text(value)
        if isinstance(value, list):
            return [self._clean_json(element) for element in value]
        if isinstance(value, dict):
            return {
                self._clean_text(name): self.named(name, each)
                if isinstance(each, str)
                else self._clean_json(each)
                for name, each in value.items()
            }
        return value

    def named(self, name: str, value: str, *, prose: bool = False) -> str:
        """A text without its secrets, where its name may show that all of it is one:
        ``{"password": "…"}``.

        In ``prose`` names are loose ("stop token", "access key"): there only a password
        or a long value is taken.
        """
        cleaned = self._clean_text(value)
        if (
            not self._redact
            or cleaned != value
            or not value
            or any(map(str.isspace, value))
        ):
            return cleaned
        whole = redact(
            f"{name}: {value}"
        )  # a colon: after = a plain word would be a password too
        if not whole.kinds or (
            prose and "password" not in whole.kinds and len(value) < _LONG_SECRET
        ):
            return value
        self._kinds.update(whole.kinds)
        return f"[redacted:{whole.kinds[0]}]"


def _storable(field: str, value: str, limit: int) -> str:
    if "\0" in value:
        raise UnstorableText(field, "NUL")
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise UnstorableText(field, "a lone surrogate") from None
    if size > limit:
        raise TextTooLong(field, size, limit)
    return str(value)
