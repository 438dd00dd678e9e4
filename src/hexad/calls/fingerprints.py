"""Fingerprints of a call's arguments and result: they show that a value went from one
call into another.

A fingerprint is the kind of a value and a 16-bit hash (8 bits of a secret): two of them
show whether values differ, not what they are. Discovery asks for the same equality in
at least three sessions, so a chance one is rarer than 1 in 2^48. Of a result only those
parts are read that a skill's steps can refer to: objects and lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from hexad.calls.arguments import OWN_TOOLS, as_json, by_name, pointer
from hexad.calls.privacy import names_secret
from hexad.memory.value_fingerprints import MOST_FINGERPRINTS, fingerprint_of_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.calls.arguments import Path

_DEEPEST: Final = 3  # objects and lists inside each other, of a result
_LONGEST_NAME: Final = 64
_LONGEST_LIST: Final = 4  # elements of a list that are read


def fingerprints(tool: str, arguments: object, result: object) -> str:
    """A call's fingerprints, as the store keeps them: ``{"a": {"/name": …}, "r":
    {"/name/0": …}}``.
    """
    if tool in OWN_TOOLS or tool.startswith("skill_"):
        return ""
    of_arguments = dict(
        islice(_of_arguments((), by_name(arguments)), MOST_FINGERPRINTS)
    )
    of_result = (
        dict(islice(_of_result((), result), MOST_FINGERPRINTS))
        if result is not None
        else {}
    )
    return as_json({"a": of_arguments, "r": of_result})


def _of_arguments(
    path: Path, values: Mapping[str, object]
) -> Iterator[tuple[str, str]]:
    """Of arguments, and of the values in those that are objects: as deep as the audit
    log shows them.
    """
    for name, value in values.items():
        here = (*path, name)
        if isinstance(value, Mapping) and value and not path and not names_secret(here):
            yield from _of_arguments(here, by_name(value))
        else:
            yield pointer(here), fingerprint_of_value(value, secret=names_secret(here))


def _of_result(path: Path, value: object) -> Iterator[tuple[str, str]]:
    """Of the values in a result, the outermost first."""
    inside = len(path) < _DEEPEST
    if isinstance(value, dict):  # another kind of mapping may do work when it is read
        for name, each in islice(value.items(), MOST_FINGERPRINTS if inside else 0):
            if isinstance(name, str) and len(name) <= _LONGEST_NAME:
                yield from _of_result((*path, name), each)
        return
    yield pointer(path), fingerprint_of_value(value, secret=names_secret(path))
    if isinstance(value, list | tuple) and inside:
        for place, each in enumerate(value[:_LONGEST_LIST]):
            yield from _of_result((*path, str(place)), each)
