"""The store in a file keeps the whole contract."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from hexad.store.sqlite import SqliteStore
from hexad_testing.store_suite import *  # noqa: F403

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
