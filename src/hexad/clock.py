"""The clock that an engine uses where none is given."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)
