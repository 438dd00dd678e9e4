"""Limits of one rendering: work, time and output. Values are JSON, and none is ever
large.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_STEP: Final = 100  # characters that could be handled in the time of a step
_ELEMENT: Final = 8  # what a number, or a place in a list, weighs in characters
_DEEPEST: Final = 50
_BITS: Final = 512  # of a whole number


class Stop(Exception):
    """A template cannot or may not go on; what is missing is an item of some data, or a
    parameter itself.
    """

    def __init__(
        self, reason: str, missing: str | None = None, *, parameter: bool = False
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.missing = missing
        self.parameter = parameter


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that was not given; it may be tested and replaced, and nothing else."""

    name: str
    reason: str
    parameter: bool = False


@dataclass(frozen=True, slots=True)
class RenderLimits:
    """Limits of one rendering."""

    seconds: float = 1.0
    output: int = 2**20  # bytes of the result
    work: int = (
        20 * 2**20
    )  # characters of all values that are given, made or compared; each step counts as a hundred
    template: int = 100_000  # characters of the template itself


class Budget:
    """The rest of the limits during a rendering."""

    def __init__(
        self, limits: RenderLimits, clock: Callable[[], float] = monotonic
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._until = clock() + limits.seconds
        self._work = limits.work
        self._output = limits.output

    def spend(self, size: int = _STEP) -> None:
        """Do one more step, or handle that many characters, before they are made."""
        self._work -= size
        if self._work < 0:
            raise Stop(
                f"handles more than {self._limits.work:,} characters of data; loop over less, or make it smaller"
            )
        if self._clock() > self._until:
            raise Stop(f"takes longer than {self._limits.seconds:g} s; loop over less")

    def keep(self, value: Any) -> Any:
        """A value that is data, and not too large."""
        self.spend(weight(value, self._work))
        return value

    def write(self, text: str) -> None:
        """Give out a text."""
        try:
            self._output -= len(text.encode())
        except UnicodeEncodeError:
            raise Stop("writes a lone surrogate, which is no text; remove it") from None
        if self._output < 0:
            raise Stop(f"writes more than {self._limits.output:,} bytes; write less")


def weight(value: Any, limit: int) -> int:
    """How large a value is when it is written down, roughly; counted no further than a
    little beyond ``limit``.
    """
    total, waiting = 0, [(value, 0)]
    while waiting and total <= limit:
        one, depth = waiting.pop()
        if depth > _DEEPEST:
            raise Stop(
                f"makes a value that is nested deeper than {_DEEPEST} levels; make it flatter"
            )
        total += _own_weight(one)
        if isinstance(one, dict):
            waiting.extend((part, depth + 1) for pair in one.items() for part in pair)
        elif isinstance(one, list):
            waiting.extend((part, depth + 1) for part in one)
    return total


def _own_weight(value: Any) -> int:
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, int) and value.bit_length() > _BITS:
        raise Stop(f"makes a number of more than {_BITS} bits; make it smaller")
    if value is None or isinstance(value, bool | int | float | list | dict):
        return _ELEMENT
    raise Stop(
        f"uses a {type(value).__name__}, which is no JSON; give text, numbers, lists and mappings"
    )
