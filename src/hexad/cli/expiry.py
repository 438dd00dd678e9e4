"""Until when something holds, as people write it: a duration, a date, a time, or never."""

import re
from datetime import UTC, datetime, timedelta
from typing import Final

from hexad.errors import InvalidInput

NEVER: Final = "never"
_DURATION: Final = re.compile(r"(\d{1,9})([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def parse(told: str, now: datetime) -> datetime | None:
    """The moment that was meant; None for never. A time without a zone is the local one.

    >>> parse("30d", datetime(2026, 1, 1, tzinfo=UTC)).isoformat()
    '2026-01-31T00:00:00+00:00'
    """
    text = told.strip().casefold()
    if text == NEVER:
        return None
    duration = _DURATION.fullmatch(text)
    try:
        if duration:
            return now + timedelta(**{_UNITS[duration[2]]: int(duration[1])})
        return datetime.fromisoformat(told.strip()).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        reason = "is neither a duration such as 30d or 12h, nor a time in ISO 8601, nor 'never'"
        raise InvalidInput("--expires", f"{told!r} {reason}") from None
