"""A PostgreSQL server for the tests: the one whose URL the environment names, else one
that is started here.

`HEXAD_TEST_POSTGRES` names a server whose user may create schemas. Without it the
binaries in the folder `HEXAD_TEST_POSTGRES_BIN` are started, else those of the extra
`postgres-server`, else those on the PATH. Where there are none the tests are skipped,
but fail in CI.
"""

from __future__ import annotations

import os
from functools import cache
from itertools import count

import psycopg
import pytest

from tests.store.postgres_server import NoPostgresServer, PostgresServer

_GIVEN = os.environ.get("HEXAD_TEST_POSTGRES")  # before the settings are cleared
_schemas = count()


@cache
def _started() -> PostgresServer:
    return PostgresServer()


def server_url() -> str:
    """The URL of the server, which is started when it is first needed."""
    if _GIVEN:
        return _GIVEN
    try:
        return _started().url
    except NoPostgresServer as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def stop_server() -> None:
    """Stop the server, if it was started."""
    if _started.cache_info().currsize:
        _started().stop()


def new_schema() -> str:
    """The URL of a schema that nobody used before."""
    url = server_url()
    return (
        f"{url}{'&' if '?' in url else '?'}schema=test_{os.getpid()}_{next(_schemas)}"
    )


def drop_schema(url: str) -> None:
    """Remove it."""
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(
            f"DROP SCHEMA IF EXISTS {url.rsplit('schema=', 1)[1]} CASCADE"
        )


def end_sessions() -> None:
    """End every session but this one, as a server does that restarts."""
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'hexad' AND pid <> pg_backend_pid()"
        )
