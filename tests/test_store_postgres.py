"""The store on a PostgreSQL server keeps the whole contract."""
# ruff: noqa: E402  (the suite's asserts are rewritten before it is imported)

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

pytest.register_assert_rewrite(*(f"hexad.testing.store_{part}" for part in ("suite", "data", "vectors", "skills")))

from hexad.store.postgres import PostgresStore
from hexad.testing.store_suite import *  # noqa: F403
from tests.postgres import drop_schema, new_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def url() -> Iterator[str]:
    made = new_schema()
    yield made
    drop_schema(made)


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url)
    yield store
    store.close()


@pytest.fixture
def reopen(url: str) -> Callable[[], PostgresStore]:
    return partial(PostgresStore, url)
