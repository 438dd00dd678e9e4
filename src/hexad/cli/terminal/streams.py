"""The standard streams, made safe before a command runs."""

import os
import sys
from typing import Final

_STREAMS: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def prepare() -> None:
    """Replace closed streams by empty ones, and escape text that a stream's encoding lacks."""
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            _occupy(number)
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - for the whole process
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", None) == "strict":
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _occupy(number: int) -> None:
    """Open the null device under a closed descriptor; or the next file, even a database, gets its number."""
    try:
        os.fstat(number)
    except OSError:
        null = os.open(os.devnull, os.O_RDWR)
        if null != number:
            os.dup2(null, number)
            os.close(null)
