"""Streams that were closed before the command began: nothing is read from them, and what is written goes nowhere."""

import os
import sys
from typing import Final

_STREAMS: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def open_closed() -> None:
    """Put an empty file where a standard stream is closed; else the next file, a database too, would take its place."""
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            _occupy(number)
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - for the whole process


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        nothing = os.open(os.devnull, os.O_RDWR)
        if nothing != number:
            os.dup2(nothing, number)
            os.close(nothing)
