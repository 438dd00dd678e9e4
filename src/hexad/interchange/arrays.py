"""A JSON array, read one element at a time: a file of any size takes the memory of its largest element."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import BackupError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_CHUNK: Final = 1 << 16  # characters
LONGEST: Final = 1 << 27  # characters of one element
_BETWEEN: Final = re.compile(r"[\s,]*")


def array(file: TextIO, name: str) -> Iterator[Any]:
    """The elements of the first array of a file."""
    text = file.read(_CHUNK)
    place = text.find("[") + 1
    if not place:
        raise BackupError(name, "holds no JSON array; see `hexad import --help` for the formats that --as names")
    while True:
        place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]
        if text.startswith("]", place):
            return
        try:
            element, end = json.JSONDecoder().raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            end = len(text)
        if end < len(text):  # a number at the end may go on
            yield element
            place = end
            continue
        more = file.read(max(_CHUNK, len(text) - place))  # twice as much each time, so that all takes linear time
        if not more or len(text) - place > LONGEST:
            raise BackupError(name, "holds an array that is cut short, too deep or too long, or is not JSON")
        text, place = text[place:] + more, 0
