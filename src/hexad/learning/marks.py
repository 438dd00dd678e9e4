"""Marks of what a call was given and of what it gave: enough to see that a value went from one call into another.

A mark is the kind of a value and 16 bits over it (8 of a secret), as with the arguments of failures: two marks tell
that values differ, and not what they are. Discovery asks for the same equality in at least three sessions, so a chance
one is rarer than 1 in 2^48. Results are looked at as far as a skill's steps can refer into them: objects and lists.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from hexad.learning.arguments import OWN_TOOLS, named
from hexad.learning.privacy import names_secret
from hexad.memory.value_fingerprints import MOST_FINGERPRINTS, fingerprint_of_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.learning.arguments import Path

_DEEPEST: Final = 3  # objects and lists inside each other, of a result
_LONGEST_NAME: Final = 64
_LONGEST_LIST: Final = 4  # elements of a list that are looked at


def traced(tool: str, arguments: object, result: object) -> str:
    """A call's marks, as the store keeps them: ``{"a": {"/name": mark, …}, "r": {"/name/0": mark, …}}``."""
    if tool in OWN_TOOLS or tool.startswith("skill_"):
        return ""
    given = dict(islice(_given((), named(arguments)), MOST_FINGERPRINTS))
    gave = dict(islice(_gave((), result), MOST_FINGERPRINTS)) if result is not None else {}
    return json.dumps({"a": given, "r": gave}, ensure_ascii=False, separators=(",", ":"))


def _given(path: Path, values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Arguments, and what is in those that are objects: as deep as the audit log tells them."""
    for name, value in values.items():
        here = (*path, name)
        if isinstance(value, Mapping) and value and not path and not names_secret(here):
            yield from _given(here, named(value))
        else:
            yield _pointer(here), _marked(here, value)


def _gave(path: Path, value: object) -> Iterator[tuple[str, str]]:
    """What is in a result, the outermost first."""
    inside = len(path) < _DEEPEST
    if isinstance(value, dict):  # what only behaves like one may do work when it is read
        for name, each in islice(value.items(), MOST_FINGERPRINTS if inside else 0):
            if isinstance(name, str) and len(name) <= _LONGEST_NAME:
                yield from _gave((*path, name), each)
        return
    yield _pointer(path), _marked(path, value)
    if isinstance(value, list | tuple) and inside:
        for place, each in enumerate(value[:_LONGEST_LIST]):
            yield from _gave((*path, str(place)), each)


def _marked(path: Path, value: object) -> str:
    mark = fingerprint_of_value(value)
    return mark[:3] if names_secret(path) else mark


def _pointer(path: Path) -> str:
    return "".join(f"/{each.replace('~', '~0').replace('/', '~1')}" for each in path)
