"""The store in a file keeps the whole contract."""
# ruff: noqa: E402  (the suite's asserts are rewritten before it is imported)

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

pytest.register_assert_rewrite(*(f"hexad.testing.store_{part}" for part in ("suite", "data", "vectors", "skills")))

from hexad.store.sqlite import SqliteStore
from hexad.testing.store_suite import *  # noqa: F403

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "agent.db")
    yield store
    store.close()


@pytest.fixture
def reopen(tmp_path: Path) -> Callable[[], SqliteStore]:
    return partial(SqliteStore, tmp_path / "agent.db")
