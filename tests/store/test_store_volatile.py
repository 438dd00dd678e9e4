"""The store in memory keeps the contract, as far as it declares."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from hexad.store.volatile import VolatileStore
from hexad_testing.store_suite import *  # noqa: F403
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def store() -> Iterator[VolatileStore]:
    store = VolatileStore()
    yield store
    store.close()


@requirement("STORE-02")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings(
    "ignore:This process .* is multi-threaded:DeprecationWarning"
)
def test_a_child_process_goes_on_with_its_own_copy_though_another_thread_was_writing(
    store: VolatileStore,
) -> None:
    writing, go_on = threading.Event(), threading.Event()

    def write() -> None:
        with store.transaction("n") as unit:
            unit.set_note("a", "1")
            writing.set()
            go_on.wait()

    thread = threading.Thread(target=write)
    thread.start()
    writing.wait()
    threading.Timer(0.05, go_on.set).start()
    if (child := os.fork()) == 0:
        with store.transaction("n") as unit:
            unit.set_note("a", f"{unit.note('a')}2")
            os._exit(0 if unit.note("a") == "12" else 1)
    assert os.waitpid(child, 0)[1] == 0
    thread.join()
    with store.reading("n") as view:
        assert view.note("a") == "1"
