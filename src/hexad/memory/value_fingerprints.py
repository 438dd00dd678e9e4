"""The fingerprint of a value: its kind and a 16-bit hash. Equal values have equal ones;
no value can be read back.

Watching a call writes fingerprints; discovering skills compares them with the values in
the audit log.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Final

_KINDS: Final = {
    str: "s",
    bool: "b",
    int: "i",
    float: "n",
    type(None): "z",
    list: "a",
    tuple: "a",
    Mapping: "o",
}
MOST_FINGERPRINTS: Final = 32  # of a call's arguments, and of its result
_PLAIN_MODULES: Final = frozenset(
    {"datetime", "decimal", "fractions", "ipaddress", "pathlib", "uuid"}
)
_END: Final = 1024  # characters of a long text, at either end
_ELEMENTS: Final = 4  # of a list


def fingerprint_of_value(value: object, *, secret: bool = False) -> str:
    """The fingerprint of a value, 8 bits of a secret. Of a large value only the size
    and a part are hashed.

    >>> fingerprint_of_value("a") == fingerprint_of_value("a"), fingerprint_of_value(1)[0], fingerprint_of_value("1")[0]
    (True, 'i', 's')
    """
    kind = next(
        (letter for kind, letter in _KINDS.items() if isinstance(value, kind)), "x"
    )
    digest = hashlib.blake2b(
        _part(value).encode(errors="replace"), digest_size=2
    ).hexdigest()
    return kind + (digest[:2] if secret else digest)


def _part(value: object) -> str:
    if isinstance(value, str):
        return f"{len(value)}:{value if len(value) <= 2 * _END else value[:_END] + value[-_END:]}"
    if isinstance(value, list | tuple):
        return f"{len(value)}:{','.join(map(_single, value[:_ELEMENTS]))}"
    return _single(value)


def _single(value: object) -> str:
    if isinstance(value, str):
        return f"{len(value)}:{value[:_END]}"
    if isinstance(value, int | float):
        return str(hash(value))
    if type(value).__module__ in _PLAIN_MODULES:  # their `str` runs nobody's code
        return str(value)
    return f"{len(value)} names" if isinstance(value, dict) else type(value).__name__
