"""The store on a PostgreSQL server keeps the whole contract."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.store import Entry
from hexad.store.postgres import PostgresStore
from hexad_testing.nouns import ENTRIES, HOME, document, knowledge
from hexad_testing.store_data import (
    Changes,
    Interruption,
    apply,
    asked,
    changes,
    check_index,
    fail_if,
    property_of_a_store,
    put,
)
from hexad_testing.store_suite import *  # noqa: F403
from hexad_testing.store_suite import requirement
from tests.store.postgres import drop_schema, new_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexad.store.postgres.unit import PostgresUnit

_namespaces = (f"merged {number}" for number in count())


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


# merging


def merged(store: PostgresStore) -> None:
    with store.transaction(HOME) as unit:
        unit.scrub()


@pytest.fixture
def merging_store(url: str) -> Iterator[PostgresStore]:
    """A store that merges its index with every transaction."""

    class Merging(PostgresStore):
        @contextmanager
        def transaction(
            self, namespace: str, *, patience: float | None = None
        ) -> Iterator[PostgresUnit]:  # type: ignore[override]
            with super().transaction(namespace, patience=patience) as unit:
                yield unit
                unit.scrub()

    store = Merging(url)
    yield store
    store.close()


@requirement("PG-01", "CTX-08")
@property_of_a_store
@given(transactions=st.lists(st.tuples(changes, st.booleans()), max_size=8))
def test_merging_the_index_changes_no_answer(
    merging_store: PostgresStore, transactions: Changes
) -> None:
    namespace, model = next(_namespaces), dict[str, Any]()
    for steps, fails in transactions:
        after = dict(model)
        with suppress(Interruption), merging_store.transaction(namespace) as unit:
            apply(unit, steps, after)
            check_index(unit, list(unit.page(ENTRIES)))
            fail_if(fails)
            model = after
        with merging_store.reading(namespace) as view:
            check_index(view, list(view.page(ENTRIES)))


@requirement("PG-01")
def test_the_index_of_many_rows_is_the_same_before_and_after_it_is_merged(
    store: PostgresStore,
) -> None:
    words = [
        f"common w{number % 7} {'half' if number % 2 else 'other'} n{number}"
        for number in range(1500)
    ]
    put(
        store,
        *(
            (knowledge(f"k{number}"), document(text))
            for number, text in enumerate(words)
        ),
    )
    terms = ["common", "w3", "half", "n3", "n1499"]
    with store.reading(HOME) as view:
        before = asked(view, terms), asked(view, ["common", "half"])
    merged(store)
    with store.transaction(HOME) as unit:  # changes in old blocks
        for number in range(0, 400, 3):
            unit.put([Entry(knowledge(f"k{number}"), document("elsewhere"))])
        for number in range(1, 400, 3):
            unit.remove(ENTRIES, f"k{number}")
    merged(store)
    with store.transaction(HOME) as unit:
        for number in range(0, 400, 3):
            unit.put([Entry(knowledge(f"k{number}"), document(words[number]))])
    with store.reading(HOME) as view:
        changed = asked(view, terms)
    merged(store)
    with store.reading(HOME) as view:
        assert asked(view, terms) == changed
        assert changed.statistics.frequencies["common"] == 1500 - len(range(1, 400, 3))
        assert set(changed.postings["n3"]) == set(before[0].postings["n3"])
        assert before[0].postings["n1499"] == changed.postings["n1499"]
