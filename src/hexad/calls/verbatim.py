"""A call's arguments as evidence keeps them: as they were given, without secrets, and
bounded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from hexad.calls.arguments import (
    OWN_TOOLS,
    by_name,
    is_private,
    masked_text,
    placeholder_of,
    plain,
)
from hexad.calls.commands import ARGUMENTS
from hexad.calls.privacy import names_person

if TYPE_CHECKING:
    from hexad.calls.arguments import Path
    from hexad.model import Json

MOST_TEXT: Final = 300  # characters of a text
MOST_COMMAND: Final = 1000  # characters of a shell text
_MOST_ITEMS: Final = 24  # of a list, and arguments of a call
_DEEPEST: Final = 4
_MOST_VALUES: Final = 96  # in all
CUT: Final = "…"


def verbatim(tool: str, arguments: object) -> dict[str, Json]:
    """The arguments of a call; of Hexad's own tools none, since what they hold is
    content.

    >>> verbatim("mail", {"to": ["ann"], "password": "hunter2hunter2", "body": "x" * 999})["password"]
    '[redacted:password]'
    """
    if tool in OWN_TOOLS or tool.startswith("skill_"):
        return {}
    left = [_MOST_VALUES]
    given = islice(by_name(arguments).items(), _MOST_ITEMS)
    return {name: _kept((name,), value, left) for name, value in given}


def _kept(path: Path, value: object, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0 or len(path) > _DEEPEST:
        return CUT
    if is_private(path, value) or (
        names_person(path) and isinstance(value, str | int | float)
    ):
        return placeholder_of(path[-1], value)
    if isinstance(value, str):
        return _text(path, value)
    if isinstance(value, Mapping):
        inner = islice(by_name(value).items(), _MOST_ITEMS)
        return {name: _kept((*path, name), each, left) for name, each in inner}
    if isinstance(value, Sequence | Set) and not isinstance(
        value, bytes | bytearray | memoryview
    ):
        return [_kept((*path, "0"), each, left) for each in islice(value, _MOST_ITEMS)]
    return (
        plain(value)
        if value is None or isinstance(value, int | float)
        else f"({type(value).__name__[:64]})"
    )


def _text(path: Path, value: str) -> str:
    most = MOST_COMMAND if path[-1] in ARGUMENTS else MOST_TEXT
    text = masked_text(path, value)
    return text if len(text) <= most else f"{text[:most]}{CUT}"
