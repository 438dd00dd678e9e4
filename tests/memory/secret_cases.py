"""Texts with secrets and texts without, one in each line of a file, for measuring
redaction.
"""

from __future__ import annotations

import random
import re
import string
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER: Final = Path(__file__).parents[1] / "secrets"
_LETTERS: Final = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "u": string.ascii_uppercase + string.digits,
    "l": string.ascii_lowercase + string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "w": string.ascii_letters + string.digits + "_-",
}


def secrets_of(name: str, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Each text of a file with the secret in it; no secret is stored, because random
    characters are filled in.
    """
    made = random.Random(seed)  # noqa: S311 - the same every time

    def filled(match: re.Match[str]) -> str:
        return "".join(made.choices(_LETTERS[match[1]], k=int(match[2])))

    for line in _lines(name):
        before, _, rest = re.sub(r"\{([ahdulbw])(\d+)\}", filled, line).partition("«")
        secret, _, after = rest.partition("»")
        yield f"{before}{secret}{after}", secret


def harmless_of(name: str) -> list[str]:
    """Each text of a file."""
    return list(_lines(name))


def _lines(name: str) -> Iterator[str]:
    for line in (_FOLDER / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line.replace("\\n", "\n")
