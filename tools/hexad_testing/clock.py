"""A clock that moves only when a test moves it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

START: Final = datetime(2026, 1, 1, tzinfo=UTC)


class FixedClock:
    """Give it to `Hexad.open(clock=…)`: recency, expiry and audit times become
    functions of the test.

    >>> clock = FixedClock()
    >>> clock.advance(days=1)
    >>> clock().isoformat()
    '2026-01-02T00:00:00+00:00'
    """

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **delta: float) -> None:
        """Move on, by the keywords of `timedelta`."""
        self.now += timedelta(**delta)
