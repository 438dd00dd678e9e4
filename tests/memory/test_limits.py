"""How much one session may save."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from hexad.errors import InvalidInput, RateLimited
from tests.support import opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad import Hexad
    from hexad.memory.workspace import Workspace


@pytest.fixture(params=["memory", "sqlite"])
def narrow(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Hexad:
    place = (
        ":memory:"
        if request.param == "memory"
        else tmp_path_factory.mktemp("narrow") / "a.db"
    )
    return opened(place, max_knowledge=3, max_learnings=2)


@requirement("LIMIT-01")
def test_a_session_saves_twenty_entries_and_ten_learnings_by_default() -> None:
    with opened(":memory:") as hx:
        for number in range(20):
            hx.knowledge.save(f"k{number}", "text", session="s")
        with pytest.raises(RateLimited, match="max_knowledge=20"):
            hx.knowledge.save("one-more", "text", session="s")
        for number in range(10):
            hx.learnings.save(trigger=f"t{number}", session="s")
        with pytest.raises(RateLimited, match="max_learnings=10"):
            hx.learnings.save(trigger="one-more", session="s")


@requirement("LIMIT-01")
def test_the_next_save_is_rejected_with_the_limit_in_the_error_and_the_rejection_audited(
    narrow: Hexad,
) -> None:
    for number in range(3):
        narrow.knowledge.save(f"k{number}", "text", session="slack:1")
    with pytest.raises(RateLimited) as caught:
        narrow.knowledge.save("k3", "text", session="slack:1")
    assert (caught.value.kind, caught.value.limit, caught.value.session) == (
        "knowledge",
        3,
        "slack:1",
    )
    last = narrow.audit.records()[-1]
    assert (last.action, last.session, last.details) == (
        "knowledge.reject",
        "slack:1",
        {"limit": 3},
    )
    assert len(narrow.knowledge.list()) == 3
    assert narrow.audit.verify().ok
    narrow.knowledge.save("k3", "text", session="slack:2")
    narrow.close()


@requirement("LIMIT-01")
def test_a_limit_of_zero_lets_nothing_in_and_other_namespaces_have_their_own_count(
    narrow: Hexad,
) -> None:
    with opened(":memory:", max_knowledge=0) as closed, pytest.raises(RateLimited):
        closed.knowledge.save("k", "text", session="s")
    other = narrow.scoped(namespace="other", session="s")
    for number in range(3):
        narrow.knowledge.save(f"k{number}", "text", session="s")
        other.knowledge.save(f"k{number}", "text")
    with pytest.raises(RateLimited):
        other.knowledge.save("k3", "text")
    narrow.close()


@requirement("LIMIT-02")
@pytest.mark.parametrize("place", ["memory", "sqlite"])
def test_concurrent_savers_at_a_limit_get_exactly_as_many_successes(
    place: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    where = (
        ":memory:" if place == "memory" else tmp_path_factory.mktemp("many") / "a.db"
    )
    with opened(where, max_knowledge=7) as hx:
        start, outcomes = threading.Barrier(16), []

        def save(number: int) -> None:
            start.wait()
            try:
                hx.knowledge.save(f"k{number}", "text", session="s")
                outcomes.append("saved")
            except RateLimited:
                outcomes.append("rejected")

        threads = [
            threading.Thread(target=save, args=(number,)) for number in range(16)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert (outcomes.count("saved"), outcomes.count("rejected")) == (7, 9)
        assert len(hx.knowledge.list()) == 7
        assert hx.audit.verify().ok


@requirement("LIMIT-03")
def test_a_save_that_fails_or_changes_nothing_gives_its_slot_back(
    narrow: Hexad,
) -> None:
    narrow.knowledge.save("k0", "text", session="s")
    for _ in range(5):
        narrow.knowledge.save("k0", "text", session="s")
        with pytest.raises(InvalidInput):
            narrow.knowledge.save("bad", "\0", session="s")
    narrow.knowledge.save("k1", "text", session="s")
    narrow.knowledge.save("k2", "text", session="s")
    assert narrow.knowledge.save("k2", "text", session="s").version == 1
    with pytest.raises(RateLimited):
        narrow.knowledge.save("k3", "text", session="s")
    narrow.close()


def interrupted_change(workspace: Workspace, error: type[Exception]) -> None:
    with workspace.change(actor="user", session="s") as change:
        change.take_slot("knowledge")
        raise error


@requirement("LIMIT-03")
def test_a_save_whose_transaction_fails_gives_its_slot_back(narrow: Hexad) -> None:
    class Interrupted(RuntimeError):
        pass

    workspace = narrow._engine.workspace
    for _ in range(5):
        with pytest.raises(Interrupted):
            interrupted_change(workspace, Interrupted)
    for number in range(3):
        narrow.knowledge.save(f"k{number}", "text", session="s")
    narrow.close()


@requirement("LIMIT-04")
def test_an_empty_session_is_not_limited_and_counters_are_not_persisted(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("fresh") / "a.db"
    with opened(path, max_knowledge=2) as hx:
        for number in range(10):
            hx.knowledge.save(f"free-{number}", "text")
            hx.knowledge.save(f"free-{number}", "other text", session="")
        hx.knowledge.save("a", "text", session="s")
        hx.knowledge.save("b", "text", session="s")
    with opened(path, max_knowledge=2) as hx:
        hx.knowledge.save("c", "text", session="s")


@requirement("LIMIT-04")
def test_an_engine_that_closes_takes_its_counts_along_wherever_the_process_has_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        monkeypatch.chdir(tmp_path)
        with opened("a.db", max_knowledge=1) as hx:
            hx.knowledge.save(f"k{number}", "text", session="s")
            monkeypatch.chdir("/")
