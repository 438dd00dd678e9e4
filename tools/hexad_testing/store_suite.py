"""The contract that every store keeps, as tests that a backend imports.

A backend's whole test file, with pytest and hypothesis installed::

    import pytest
    pytest.register_assert_rewrite(*(f"hexad_testing.store_{part}" for part in ("suite", "data", "learning")))
    from hexad_testing.store_suite import *  # noqa

    @pytest.fixture
    def store(tmp_path):  # a fresh, empty store for each test
        store = MyStore(tmp_path / "my.db")
        yield store
        store.close()

    @pytest.fixture
    def reopen(tmp_path):  # only if `store.durable`: opens the same database again
        return functools.partial(MyStore, tmp_path / "my.db")

What ``reopen`` returns is called without arguments, in other processes too, so it must
be picklable. A store that does not declare durability skips reopening, other processes,
`fork` and sudden death. Every test is marked with the IDs of its requirements: register
the marker ``requirement(id)``, or run without ``--strict-markers``.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import pytest

from hexad.errors import DeadlineExceeded, StoreBusy, StoreClosed, StoreError
from hexad.model import RECORDS, Erasure, Layer, Origin, Record
from hexad.store import Entry, Reading, Store, Use, Writing
from hexad.store.learning import LearningChanges
from hexad.text.index import IndexStatistics
from hexad_testing import processes
from hexad_testing.nouns import (
    AWAY,
    ENTRIES,
    HOME,
    MOMENT,
    audit_record,
    document,
    knowledge,
    learning,
    proposal,
    reference,
    skill,
    skill_version,
    version,
)
from hexad_testing.processes import counted, finish, start, step
from hexad_testing.store_data import *  # noqa: F403
from hexad_testing.store_data import Interruption, asked, put, requirement
from hexad_testing.store_learning import *  # noqa: F403
from hexad_testing.store_learning import call, offer
from hexad_testing.store_vectors import *  # noqa: F403
from hexad_testing.store_vectors import ONE, TOOLS, TWO, taught

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KILLS: Final = 3
SKILLS: Final = Layer.SKILL_PATTERNS


@pytest.fixture
def reopening(request: pytest.FixtureRequest, store: Store) -> Callable[[], Store]:
    """How to open a durable store again."""
    if not store.durable:
        pytest.skip("this store does not declare durability")
    found: Callable[[], Store] = request.getfixturevalue("reopen")
    return found


@pytest.fixture
def forking(reopening: Callable[[], Store]) -> Callable[[], Store]:
    """The same, where there is `fork`."""
    if not hasattr(os, "fork"):
        pytest.skip("this system has no fork")
    return reopening


def furnish(store: Store, namespace: str = HOME) -> None:
    """Store something of everything."""
    with store.transaction(namespace) as unit:
        unit.put(
            [Entry(knowledge("editor", "vim"), document("vim vim", name="editor"), ONE)]
        )
        unit.put(
            [
                Entry(knowledge("doomed"), document("other")),
                Entry(knowledge("hidden"), None),
            ]
        )
        unit.put(
            [
                Entry(record, document("vim"))
                for record in (learning(), skill(), reference())
            ]
        )
        unit.add_versions([version(1), skill_version(1)])
        unit.associate(TOOLS, "hotel", taught("hotel", "sleep"))
        unit.learn(LearningChanges(calls=[call(1)], offers=[offer()]))
        unit.propose([proposal("p1"), proposal("p2")])
        unit.append_audit([audit_record(1)])
        unit.set_note("fact", "original")


def change_everything(unit: Writing) -> None:
    """Use every method that changes something."""
    unit.put([Entry(knowledge("editor", "emacs", pinned=True), document("emacs"), TWO)])
    unit.put(
        [
            Entry(knowledge(key), document("other vim"), ONE)
            for key in ("hidden", "third")
        ]
    )
    unit.embed(ENTRIES, {unit.page(ENTRIES)[-1].number: TWO})
    unit.remove(ENTRIES, "doomed")
    unit.remove(SKILLS, "release")
    unit.add_versions([version(2), skill_version(5)])
    unit.remove_versions(ENTRIES, "editor", (1,))
    unit.remove_versions(SKILLS, "release")
    unit.associate(TOOLS, "hotel", ())
    unit.associate(TOOLS, "mail", taught("mail", "write"))
    unit.learn(
        LearningChanges(
            seen={"learning-1": MOMENT}, calls=[call(2)], offers=[offer(state="worked")]
        )
    )
    unit.learn(
        LearningChanges(
            renamed={"learning-1": "x"}, keep_calls={"s": 1}, forget_sessions=["t"]
        )
    )
    unit.propose(
        [proposal("p1", content="other"), proposal("p3")], withdrawn=["p2", "nobody's"]
    )
    unit.use([Use(ENTRIES, "editor", 3, MOMENT)])
    unit.append_audit([audit_record(2)])
    unit.set_note("fact", "changed")
    unit.scrub()


def break_off(store: Store, error: BaseException) -> None:
    """Change everything, and fail before the end."""
    with store.transaction(HOME) as unit:
        change_everything(unit)
        raise error


def everything(store: Store) -> list[object]:
    """All that can be read, to compare before and after."""
    return [
        list(store.namespaces()),
        *(held_by(store, each) for each in store.namespaces()),
    ]


def held_by(store: Store, namespace: str) -> list[object]:
    """All that can be read in a namespace."""
    with store.reading(namespace) as view:
        return [
            *(
                (
                    *view.page(each.layer),
                    asked(view, ["vim", "emacs", "other"], layer=each.layer),
                )
                for each in RECORDS
            ),
            [*view.versions(ENTRIES, "editor"), *view.versions(SKILLS, "release")],
            [list(view.vectors(ENTRIES, each.embedder)) for each in (ONE, TWO)],
            [*view.associations(), *view.proposals(), *view.audit()],
            view.activity("s", "deploy", calls=9),
            view.note("fact"),
        ]


@contextmanager
def another_writing(store: Store) -> Iterator[None]:
    """Another thread is in the middle of a transaction."""
    inside, enough = threading.Event(), threading.Event()

    def work() -> None:
        with store.transaction(HOME) as unit:
            unit.set_note("fact", "not yet")
            inside.set()
            enough.wait()

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    try:
        yield
    finally:
        enough.set()
        thread.join()


def in_another_thread(work: Callable[[], object]) -> object:
    """The work's result or error."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work).result()


# transactions


@requirement("STORE-02")
def test_a_transaction_reads_its_own_writes(store: Store) -> None:
    furnish(store)
    with store.transaction(HOME) as unit:
        change_everything(unit)
        row = unit.get(ENTRIES, "editor")
        assert row is not None
        assert row.record == knowledge(
            "editor", "emacs", pinned=True, use_count=3, last_used=MOMENT
        )
        assert unit.get(ENTRIES, "doomed") is None
        found = asked(unit, ["vim", "emacs", "other"], standing=9)
        assert found.statistics.frequencies == {"vim": 2, "emacs": 1, "other": 2}
        assert [each.number for each in found.standing] == [row.number]
        assert list(unit.versions(ENTRIES, "editor")) == [version(2)]
        assert unit.chain_end() == (2, "hash 2")
        assert unit.note("fact") == "changed"


@requirement("STORE-02", "EVAL-02", "EVAL-04", "SKILL-01")
def test_a_transaction_that_fails_changes_nothing(store: Store) -> None:
    furnish(store)
    before = everything(store)
    with pytest.raises(Interruption):
        break_off(store, Interruption())
    assert everything(store) == before


@requirement("STORE-02")
def test_a_transaction_within_a_transaction_is_refused_and_harms_nothing(
    store: Store,
) -> None:
    with store.transaction(HOME) as unit:
        unit.set_note("fact", "outer")
        for namespace in (HOME, AWAY):
            with pytest.raises(StoreError), store.transaction(namespace):
                pass
        unit.set_note("another", "outer")
    with store.reading(HOME) as view:
        assert (view.note("fact"), view.note("another")) == ("outer", "outer")


@requirement("STORE-02", "CTX-10")
def test_a_reader_sees_only_committed_transactions_and_waits_for_none_beyond_its_deadline(
    store: Store,
) -> None:
    furnish(store)
    with (
        another_writing(store),
        suppress(DeadlineExceeded),
        store.reading(HOME, deadline=0.05) as view,
    ):
        assert view.note("fact") == "original"
    with store.reading(HOME, deadline=60) as view:
        assert view.note("fact") == "not yet"


@requirement("STORE-02")
def test_what_a_reader_sees_does_not_change_while_it_reads(store: Store) -> None:
    furnish(store)

    def write() -> bool:
        try:
            with store.transaction(HOME, patience=0) as unit:
                change_everything(unit)
        except StoreBusy:
            return False
        return True

    with store.reading(HOME) as view:
        before = _glimpse(view)
        written = in_another_thread(write)
        assert _glimpse(view) == before
    with store.reading(HOME) as view:
        assert view.note("fact") == ("changed" if written else "original")


def _glimpse(view: Reading) -> list[object]:
    return [
        list(view.page(ENTRIES)),
        asked(view, ["vim"]),
        view.note("fact"),
        list(view.audit()),
    ]


@requirement("STORE-02")
def test_a_namespace_has_one_writer_at_a_time_and_others_wait_as_long_as_their_patience(
    store: Store,
) -> None:
    furnish(store)
    before = everything(store)
    with (
        pytest.raises(StoreBusy, match="again"),
        another_writing(store),
        store.transaction(HOME, patience=0) as unit,
    ):
        pytest.fail(f"two transactions at once, and the other's {unit.note('fact')}")
    with store.transaction(HOME, patience=0) as unit:
        assert unit.note("fact") == "not yet"
        unit.set_note("fact", "original")
    assert everything(store) == before


@requirement("STORE-02")
def test_many_threads_at_once_lose_nothing_and_read_only_whole_transactions(
    store: Store,
) -> None:
    with ThreadPoolExecutor(8) as pool:
        written = [pool.submit(step, store) for _ in range(80)]
        read = [pool.submit(counted, store) for _ in range(40)]
    assert sorted(future.result() for future in written) == list(range(1, 81))
    assert all(0 <= future.result() <= 80 for future in read)
    assert counted(store) == 80


# isolation


@requirement("SAFE-02")
def test_evidence_says_whether_the_user_has_entries(store: Store) -> None:
    put(store, (knowledge("agents", origin=Origin.AGENT), document("vim")))
    with store.reading(HOME) as view:
        assert not asked(view, ["vim"]).own
    put(store, (knowledge("users"), document("vim")))
    with store.reading(HOME) as view:
        assert asked(view, ["vim"]).own


@requirement("STORE-06")
def test_namespaces_and_layers_with_the_same_keys_and_terms_do_not_see_each_other(
    store: Store,
) -> None:
    words = document("vim vim")
    put(
        store,
        (knowledge("editor", "mine", pinned=True), words),
        (reference("editor"), words),
    )
    put(
        store,
        (knowledge("editor", "theirs"), document("vim")),
        (knowledge("b"), words),
        namespace=AWAY,
    )
    with store.reading(AWAY) as view:
        theirs = [row.number for row in view.page(ENTRIES)]
        assert not asked(view, ["vim"], standing=9).standing
    with store.reading(HOME) as view:
        (mine,) = view.page(ENTRIES)
        found = asked(view, ["vim"])
        assert mine.record == knowledge("editor", "mine", pinned=True)
        assert found.statistics == IndexStatistics(1, 2, {"vim": 1})
        assert [posting[0] for posting in found.postings["vim"]] == [mine.number]
        others = {ENTRIES: [number for number in theirs if number != mine.number]}
        assert not view.fetch(others)[ENTRIES]
        assert view.sketch(others, MOMENT)[ENTRIES] == ([], [])


@requirement("STORE-06")
def test_changing_one_namespace_leaves_the_others_as_they_were(store: Store) -> None:
    others = (AWAY, "Home", "home ")
    for namespace in (HOME, *others):
        furnish(store, namespace)
    before = [held_by(store, each) for each in others]
    with store.transaction(HOME) as unit:
        change_everything(unit)
    assert [held_by(store, each) for each in others] == before


@requirement("STORE-06")
def test_namespaces_are_those_with_a_row_or_an_audit_record_and_come_in_pages(
    store: Store,
) -> None:
    kept: tuple[Record, ...] = (knowledge(), learning(), skill(), reference())
    for number, record in enumerate(kept):
        put(store, (record, None), namespace=f"n{number}")
    with store.transaction("é") as unit:
        unit.append_audit([audit_record()])
    with store.transaction("n0") as unit:
        unit.remove(ENTRIES, "editor")
        unit.set_note("fact", "a fact alone is nothing")
    assert list(store.namespaces()) == ["n1", "n2", "n3", "é"]
    assert list(store.namespaces(limit=2)) == ["n1", "n2"]
    assert list(store.namespaces(after="n2", limit=2)) == ["n3", "é"]
    assert not store.namespaces(after="é")


# the audit log


@requirement("AUDIT-01", "AUDIT-02")
def test_the_audit_log_is_read_in_order_page_by_page(store: Store) -> None:
    log = [audit_record(number) for number in range(1, 8)]
    with store.transaction(AWAY) as unit:
        unit.append_audit([audit_record(1, target="theirs")])
    with store.transaction(HOME) as unit:
        assert unit.chain_end() is None
        unit.append_audit(log[:5])
        assert unit.chain_end() == (5, "hash 5")
        unit.append_audit(log[5:])
    with store.reading(HOME) as view:
        assert list(view.audit()) == log
        assert list(view.audit(after=2, limit=3)) == log[2:5]
        assert list(view.audit(after=7)) == []
        assert view.chain_end() == (7, "hash 7")


@requirement("AUDIT-01")
def test_an_audit_record_is_never_overwritten(store: Store) -> None:
    furnish(store)
    with pytest.raises(StoreError), store.transaction(HOME) as unit:
        unit.append_audit([audit_record(1, target="forged")])
    with store.reading(HOME) as view:
        assert list(view.audit()) == [audit_record(1)]


# scrubbing and closing


@requirement("KNOW-04")
def test_scrubbing_keeps_everything_that_is_alive(store: Store) -> None:
    furnish(store)
    put(
        store,
        *(
            (knowledge(f"key-{number}", "x" * 5000), document(f"vim t{number}"))
            for number in range(50)
        ),
    )
    with store.transaction(HOME) as unit:
        unit.remove(ENTRIES, "key-7")
    before = everything(store)
    with store.transaction(HOME) as unit:
        unit.scrub()
    assert everything(store) == before
    assert store.flush_traces() in Erasure
    assert everything(store) == before


@requirement("STORE-02")
def test_closing_twice_is_allowed_and_using_it_afterwards_says_that_it_is_closed(
    store: Store,
) -> None:
    furnish(store)
    store.close()
    store.close()
    for begin in (store.reading, store.transaction):
        with pytest.raises(StoreClosed), begin(HOME):
            pass
    with pytest.raises(StoreClosed):
        in_another_thread(lambda: step(store))


@requirement("STORE-02")
def test_closing_lets_a_transaction_of_another_thread_end_first(store: Store) -> None:
    inside, enough = threading.Event(), threading.Event()

    def work() -> int:
        with store.transaction(HOME) as unit:
            inside.set()
            enough.wait()
            return processes.count_in(unit)

    with ThreadPoolExecutor(2) as pool:
        working = pool.submit(work)
        inside.wait()
        closing = pool.submit(store.close)
        enough.set()
        assert working.result() == 1
        closing.result()


# outliving the process


@requirement("STORE-03")
def test_reopening_finds_everything(
    store: Store, reopening: Callable[[], Store]
) -> None:
    furnish(store)
    with store.transaction(HOME) as unit:
        change_everything(unit)
    before = everything(store)
    store.close()
    again = reopening()
    assert everything(again) == before
    again.close()


@requirement("STORE-02")
def test_two_stores_of_one_database_see_each_others_changes(
    store: Store, reopening: Callable[[], Store]
) -> None:
    second = reopening()
    assert [step(one) for one in (store, second, store, second)] == [1, 2, 3, 4]
    assert counted(store) == counted(second) == 4
    second.close()


@requirement("STORE-02")
def test_several_processes_writing_at_once_lose_nothing(
    store: Store, reopening: Callable[[], Store]
) -> None:
    finish(*[start(processes.count_up, reopening, 25) for _ in range(4)])
    assert counted(store) == 100


@requirement("STORE-02")
def test_after_a_fork_among_writing_threads_parent_and_child_both_write(
    forking: Callable[[], Store], store: Store
) -> None:
    finish(start(processes.fork_among_writers, forking, 10))
    assert counted(store) == 20


@requirement("STORE-03")
def test_a_process_killed_at_any_moment_loses_nothing_acknowledged(
    store: Store, reopening: Callable[[], Store]
) -> None:
    store.close()
    chance, known = random.Random(20260101), 0  # noqa: S311  (moments, not secrets)
    for _ in range(KILLS):
        acknowledged = _kill_in_the_middle(
            reopening, steps=chance.randint(1, 12), moment=chance.uniform(0, 0.004)
        )
        again = reopening()
        found = counted(again)
        assert known < acknowledged <= found <= acknowledged + 1
        known = step(again)
        again.close()


def _kill_in_the_middle(
    reopening: Callable[[], Store], *, steps: int, moment: float
) -> int:
    """Kill a process some time after so many steps; the last step that it acknowledged."""
    listening, telling = multiprocessing.get_context("spawn").Pipe(duplex=False)
    process = start(processes.count_until_killed, reopening, telling)
    telling.close()
    acknowledged = [listening.recv() for _ in range(steps)]
    listening.poll(moment)
    process.kill()
    process.join()
    with suppress(EOFError):
        while True:
            acknowledged.append(listening.recv())
    listening.close()
    assert process.exitcode != 0
    return int(acknowledged[-1])
