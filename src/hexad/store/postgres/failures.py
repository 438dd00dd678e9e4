"""PostgreSQL's errors as Hexad's, each with what to do next."""

from __future__ import annotations

from typing import Final

import psycopg

from hexad.errors import (
    DeadlineExceeded,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from hexad.store.postgres.connection import ConnectionLost, ServerError, TookTooLong

Failure = (ServerError, ConnectionLost, TookTooLong, psycopg.Error)
_LOST: Final = "the connection was lost and nothing was stored; try again"
_POOLER: Final = "a pooler between mixes prepared statements of several clients; add prepare=no to the URL"
_AGAIN: Final = frozenset(
    {"40001", "40P01"}
)  # serialization, deadlock: the same again may work
_ELSEWHERE: Final = frozenset(
    {"25006", "26000", "42P05", "0A000"}
)  # a standby, or a statement that is not prepared
_GONE: Final = ("57P0", "080")  # the server ends the session
_TRANSLATIONS: Final[tuple[tuple[str, type[StoreError], str], ...]] = (
    ("55P03", StoreBusy, "another writer kept the namespace locked; try again"),
    (
        "53300",
        StoreBusy,
        "the server has too many clients; try again, or lower `pool` in the URL",
    ),
    (
        "53",
        StoreFull,
        "the server has no space or memory left; free some and try again",
    ),
    (
        "25006",
        StoreReadOnly,
        "the server is read only, such as a standby; give the primary's address",
    ),
    (
        "42501",
        StoreReadOnly,
        "this user lacks rights: on the schema (or on the database, to create it) and its tables",
    ),
    ("42P05", StoreError, _POOLER),
    ("26000", StoreError, _POOLER),
    ("XX001", StoreDamaged, "the database is damaged; restore a backup"),
    (
        "XX002",
        StoreDamaged,
        "an index of the database is damaged; run REINDEX, or restore a backup",
    ),
)


def is_gone(error: BaseException) -> bool:
    """Whether the connection is lost, whichever way that was noticed."""
    return isinstance(error, ConnectionLost) or (
        isinstance(error, ServerError) and error.state.startswith(_GONE)
    )


def may_work_again(error: BaseException) -> bool:
    """Whether the same on another connection may succeed, if nothing was done yet."""
    return is_gone(error) or (
        isinstance(error, ServerError) and error.state in _AGAIN | _ELSEWHERE
    )


def needs_another(error: BaseException) -> bool:
    """Whether the connection, and others like it, must not be used again."""
    return is_gone(error) or (
        isinstance(error, ServerError) and error.state in _ELSEWHERE
    )


def translate(error: BaseException, location: str, seconds: float | None) -> StoreError:
    """The error of the tree."""
    if isinstance(error, TookTooLong) or (
        isinstance(error, ServerError) and error.state == "57014"
    ):
        return DeadlineExceeded(location, seconds or 0.0)
    if is_gone(error):
        return StoreError(location, f"{_LOST} ({error})")
    if isinstance(error, psycopg.OperationalError):
        reason = (
            " ".join(str(error).split())
            .rpartition("failed: ")[2]
            .removeprefix("FATAL: ")
        )
        return StoreError(
            location,
            f"no connection: {reason}; check host, port, user, password and database",
        )
    given = error.state if isinstance(error, ServerError) else ""
    for state, kind, advice in _TRANSLATIONS:
        if given.startswith(state):
            return kind(location, advice)
    return StoreError(
        location,
        f"PostgreSQL says: {error}; check the URL and the server, or run `hexad doctor`",
    )
