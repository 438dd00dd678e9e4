"""The store in memory keeps the contract, as far as it declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hexad.store.volatile import VolatileStore
from hexad.testing.store_suite import *  # noqa: F403

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def store() -> Iterator[VolatileStore]:
    store = VolatileStore()
    yield store
    store.close()
