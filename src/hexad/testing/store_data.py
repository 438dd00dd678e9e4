"""The part of the store contract that is about data: rows, versions and the index. `store_suite` imports it."""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import fields
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hexad.errors import StoreError
from hexad.model import AuditRecord, Layer, Record, Version
from hexad.shape import to_microseconds
from hexad.store import Scope, Sketch, Store, Use
from hexad.testing.nouns import HOME, MOMENT, document, knowledge, learning, reference, skill, version
from hexad.testing.strategies import TERMS, audit_records, documents, records, texts, versions
from hexad.text.document import Document
from hexad.text.index import Posting, Statistics, TermIndex

if TYPE_CHECKING:
    from hexad.store import Reading, Row, Writing

requirement = pytest.mark.requirement
property_of_a_store: Final = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
AWAY: Final = Scope("away", Layer.USER_KNOWLEDGE)

_namespaces = (f"example {number}" for number in itertools.count())


class Halt(Exception):
    """Any error: something went wrong in the middle of a transaction."""


def put(store: Store, *pairs: tuple[Record, Document | None], scope: Scope = HOME) -> None:
    with store.transaction() as unit:
        for record, words in pairs:
            unit.put(scope, record, words)


def row_of(store: Store, id: str, scope: Scope = HOME) -> Row:
    with store.reading() as view:
        row = view.get(scope, id)
    assert row is not None
    return row


def view_number(view: Reading, id: str) -> int:
    row = view.get(HOME, id)
    return row.number if row else 0


# rows


@requirement("STORE-02")
def test_a_new_store_is_empty(store: Store) -> None:
    with store.reading() as view:
        assert view.get(HOME, "editor") is None
        assert not view.page(HOME)
        assert not view.pinned(HOME)
        assert not view.versions("home", "editor")
        assert view.statistics(HOME, ["vim"]) == Statistics(0, 0, {})
        assert list(view.postings(HOME, "vim", limit=9)) == list(view.postings_among(HOME, "vim", [1])) == []
        assert not view.audit("home")
        assert not view.namespaces()
        assert view.audit_head("home") is None
        assert view.note("fact") is None


@requirement("STORE-04")
@property_of_a_store
@given(record=records, words=st.none() | documents)
def test_every_field_of_a_record_comes_back_as_it_was(store: Store, record: Record, words: Document | None) -> None:
    scope = Scope(next(_namespaces), record.layer)
    put(store, (record, words), scope=scope)
    row = row_of(store, record.id, scope)
    for field in fields(record):
        told, kept = getattr(record, field.name), getattr(row.record, field.name)
        assert (field.name, kept, type(kept)) == (field.name, told, type(told))
    assert row.document == words


@requirement("STORE-04")
@property_of_a_store
@given(said=versions)
def test_every_field_of_a_version_comes_back_as_it_was(store: Store, said: Version) -> None:
    namespace = next(_namespaces)
    with store.transaction() as unit:
        unit.add_version(namespace, said)
    with store.reading() as view:
        assert list(view.versions(namespace, said.key)) == [said]
        assert list(view.keys_in_session(namespace, said.session)) == [said.key]


@requirement("STORE-04", "AUDIT-01")
@property_of_a_store
@given(told=audit_records)
def test_every_field_of_an_audit_record_comes_back_as_it_was(store: Store, told: AuditRecord) -> None:
    namespace = next(_namespaces)
    with store.transaction() as unit:
        unit.append_audit(namespace, told)
    with store.reading() as view:
        assert list(view.audit(namespace)) == [told]
        assert view.audit_head(namespace) == told


@requirement("STORE-04")
@property_of_a_store
@given(namespace=texts, name=texts, value=texts)
def test_namespaces_and_notes_may_be_any_text(store: Store, namespace: str, name: str, value: str) -> None:
    put(store, (knowledge(), None), scope=Scope(namespace, Layer.USER_KNOWLEDGE))
    with store.transaction() as unit:
        unit.set_note(name, value)
    with store.reading() as view:
        assert namespace in view.namespaces()
        assert view.note(name) == value


@requirement("KNOW-01")
def test_replacing_a_record_keeps_its_number(store: Store) -> None:
    put(store, (knowledge("editor", "vim"), None), (knowledge("shell"), None))
    before = row_of(store, "editor").number
    put(store, (knowledge("editor", "emacs"), document("emacs")))
    row = row_of(store, "editor")
    assert (row.number, row.record, row.document) == (before, knowledge("editor", "emacs"), document("emacs"))


@requirement("KNOW-01")
@pytest.mark.parametrize("record", [knowledge(), learning(), skill(), reference()], ids=lambda record: record.layer)
def test_removing_says_whether_there_was_something(store: Store, record: Record) -> None:
    scope = Scope("home", record.layer)
    put(store, (record, document("vim")), scope=scope)
    with store.transaction() as unit:
        assert unit.remove(scope, record.id) is True
        assert unit.remove(scope, record.id) is False
        assert unit.get(scope, record.id) is None
        assert unit.statistics(scope, ["vim"]) == Statistics(0, 0, {})


@requirement("CTX-08")
def test_numbers_grow_with_the_order_of_first_saving(store: Store) -> None:
    for key in ("b", "a", "c", "b", "d"):
        put(store, (knowledge(key), None))
    with store.transaction() as unit:
        unit.remove(HOME, "a")
        unit.put(HOME, knowledge("a"), None)
    with store.reading() as view:
        rows = view.page(HOME)
    assert [row.record.id for row in rows] == ["b", "c", "d", "a"]
    assert [row.number for row in rows] == sorted({row.number for row in rows})


@requirement("KNOW-01")
def test_pages_follow_each_other_without_gap_or_repetition(store: Store) -> None:
    put(store, *((knowledge(f"key-{number}"), None) for number in range(10)))
    with store.reading() as view:
        everything = list(view.page(HOME))
        first = list(view.page(HOME, limit=4))
        second = list(view.page(HOME, after=first[-1].number, limit=4))
        third = list(view.page(HOME, after=second[-1].number, limit=4))
        assert not view.page(HOME, after=third[-1].number)
    assert [len(first), len(second), len(third)] == [4, 4, 2]
    assert first + second + third == everything


@requirement("KNOW-01")
def test_fetching_passes_over_what_is_not_there_however_much_is_asked(store: Store) -> None:
    put(store, *((knowledge(f"key-{number}"), None) for number in range(3)))
    with store.reading() as view:
        rows = list(view.page(HOME))
        asked = range(rows[0].number, rows[0].number + 3000)
        assert sorted(view.fetch(HOME, asked), key=lambda row: row.number) == rows
        assert list(view.fetch(HOME, [])) == []


@requirement("CTX-08")
def test_a_sketch_tells_what_its_row_tells(store: Store) -> None:
    told = knowledge(expires=MOMENT, relevance=0.25, subject="anna", thread="t", position=7, use_count=3)
    put(store, (told, document("vim", name="editor")), (knowledge("hidden"), None))
    with store.reading() as view:
        (sketch,) = view.sketch(HOME, [row.number for row in view.page(HOME)])
        number = view.page(HOME)[0].number
    moment = to_microseconds(MOMENT)
    words = document("vim", name="editor").pack()
    assert sketch == Sketch(number, "editor", words, "user", moment, 3, 0.25, moment, "t", 7)


@requirement("CTX-08")
@pytest.mark.parametrize("record", [learning(), skill(), reference()], ids=lambda record: record.layer)
def test_a_sketch_of_another_noun_has_neutral_values(store: Store, record: Record) -> None:
    scope = Scope("home", record.layer)
    put(store, (record, document("vim")), scope=scope)
    number = row_of(store, record.id, scope).number
    with store.reading() as view:
        moment = to_microseconds(record.updated)
        expected = Sketch(number, record.id, document("vim").pack(), "user", moment, 0)
        assert list(view.sketch(scope, [number])) == [expected]


@requirement("KNOW-06")
def test_rows_are_found_by_their_place_in_a_thread(store: Store) -> None:
    said = [knowledge(f"k{at}", "why?" if at == 2 else "so", thread="t", position=at) for at in range(5)]
    put(
        store,
        *((entry, document("so")) for entry in said),
        (knowledge("hidden", thread="t", position=7), None),
        (knowledge("other", thread="u", position=2), document("so")),
        (knowledge("threadless", position=2), document("so")),
    )
    put(store, (knowledge("far", thread="t", position=2), document("so")), scope=AWAY)
    with store.reading() as view:
        found = view.in_threads(HOME, [("t", 1), ("t", 2), ("t", 7), ("v", 1)])
        assert sorted((row.id, row.position, bool(row.asks)) for row in found) == [("k1", 1, False), ("k2", 2, True)]
        assert not view.in_threads(Scope("home", Layer.SKILL_PATTERNS), [("t", 1)])


@requirement("KNOW-07")
def test_pinned_are_the_numbers_of_pinned_rows_that_are_indexed(store: Store) -> None:
    words = document("vim")
    put(
        store,
        (knowledge("b", pinned=True), words),
        (knowledge("plain"), words),
        (knowledge("hidden", pinned=True), None),
        (knowledge("a", pinned=True), words),
    )
    with store.reading() as view:
        assert list(view.pinned(HOME)) == [view_number(view, "b"), view_number(view, "a")]
        assert list(view.pinned(AWAY)) == []


@requirement("KNOW-06")
def test_uses_add_up_and_pass_over_what_is_gone(store: Store) -> None:
    put(store, (knowledge(use_count=1), document("vim")))
    later = MOMENT + timedelta(microseconds=1)
    with store.transaction() as unit:
        unit.use([Use(HOME, "editor", 2, MOMENT), Use(HOME, "gone", 1, MOMENT), Use(HOME, "editor", 3, later)])
        unit.use([])
    assert row_of(store, "editor").record == knowledge(use_count=6, last_used=later)
    assert row_of(store, "editor").document == document("vim")


@requirement("KNOW-06")
def test_the_one_learning_about_an_error_is_found(store: Store) -> None:
    scope = Scope("home", Layer.AGENT_LEARNINGS)
    put(store, (learning("1", "deploy", error_pattern="timeout"), None), (learning("2", "deploy"), None), scope=scope)
    with store.reading() as view:
        assert view.learning_id("home", "deploy", "timeout") == "1"
        assert view.learning_id("home", "deploy", "") == "2"
        assert view.learning_id("home", "deploy", "other") is view.learning_id("away", "deploy", "") is None


# versions


@requirement("KNOW-03")
def test_versions_come_newest_first_and_go_one_by_one(store: Store) -> None:
    with store.transaction() as unit:
        for number in (1, 2, 10, 3):
            unit.add_version("home", version(number))
        unit.add_version("home", version(1, "other"))
        unit.remove_versions("home", "editor", (2, 99))
    with store.reading() as view:
        assert list(view.versions("home", "editor")) == [version(10), version(3), version(1)]
        assert list(view.versions("home", "other")) == [version(1, "other")]
        assert list(view.versions("away", "editor")) == []


@requirement("KNOW-03")
def test_a_version_is_never_overwritten(store: Store) -> None:
    with store.transaction() as unit:
        unit.add_version(HOME.namespace, version(1))
    with pytest.raises(StoreError), store.transaction() as unit:
        unit.add_version(HOME.namespace, version(1, content="other"))
    with store.reading() as view:
        assert list(view.versions(HOME.namespace, "editor")) == [version(1)]


@requirement("KNOW-08")
def test_keys_of_a_session_are_those_with_a_version_from_it(store: Store) -> None:
    with store.transaction() as unit:
        for key, number, session in (("b", 1, "s"), ("b", 2, "t"), ("é", 1, "s"), ("a", 1, "s"), ("c", 1, "S")):
            unit.add_version("home", version(number, key, session=session))
        unit.remove_versions("home", "a", (1,))
    with store.reading() as view:
        assert list(view.keys_in_session("home", "s")) == ["b", "é"]
        assert list(view.keys_in_session("away", "s")) == []


# the index


@requirement("CTX-08")
def test_the_index_counts_rows_terms_and_lengths(store: Store) -> None:
    put(store, (knowledge("a"), document("vim emacs", name="vim")), (knowledge("b"), document("vim")))
    put(store, (knowledge("hidden"), None))
    with store.reading() as view:
        a, b = view_number(view, "a"), view_number(view, "b")
        assert view.statistics(HOME, ["vim", "emacs", "ed"]) == Statistics(2, 4, {"vim": 2, "emacs": 1})
        assert list(view.postings(HOME, "vim", limit=9)) == [Posting(b, 1, 1), Posting(a, 3, 3)]
        assert list(view.postings(HOME, "vim", limit=1)) == [Posting(b, 1, 1)]
        assert list(view.postings_among(HOME, "vim", {a, 99})) == [Posting(a, 3, 3)]
        assert list(view.postings_among(HOME, "emacs", {b})) == []


@requirement("CTX-08")
def test_many_terms_and_rows_can_be_asked_for_at_once(store: Store) -> None:
    many = [f"term{number}" for number in range(1200)]
    put(store, *((knowledge(f"key-{number}"), document(" ".join(many))) for number in range(2)))
    with store.reading() as view:
        assert view.statistics(HOME, many) == Statistics(2, 2400, dict.fromkeys(many, 2))
        assert len(view.postings_among(HOME, many[-1], range(view.page(HOME)[0].number, 3000))) == 2


Changes = list[tuple[list[tuple[str, Document | str | None]], bool]]
keys = st.sampled_from(["a", "ключ", "鍵", "b'\";--", "A"])
changes = st.lists(st.tuples(keys, st.none() | documents | st.just("remove")), max_size=6)


@requirement("CTX-08", "STORE-02")
@property_of_a_store
@given(transactions=st.lists(st.tuples(changes, st.booleans()), max_size=6))
def test_after_any_changes_the_index_is_that_of_the_rows(store: Store, transactions: Changes) -> None:
    scope, model = Scope(next(_namespaces), Layer.USER_KNOWLEDGE), dict[str, Any]()
    for steps, fails in transactions:
        after = dict(model)
        with suppress(Halt), store.transaction() as unit:
            apply(unit, scope, steps, after)
            check_index(unit, scope, list(unit.page(scope)))
            fail_if(fails)
            model = after
    with store.reading() as view:
        rows = list(view.page(scope))
        assert [(row.record.id, row.document) for row in rows] == list(model.items())
        check_index(view, scope, rows)


def apply(unit: Writing, scope: Scope, steps: Any, model: dict[str, Any]) -> None:
    """Do the steps to the store and, as a dictionary would do them, to its model."""
    for key, words in steps:
        if words == "remove":
            assert unit.remove(scope, key) is (key in model)
            model.pop(key, None)
        else:
            unit.put(scope, knowledge(key), words)
            model[key] = words


def fail_if(fails: bool) -> None:  # noqa: FBT001  (hypothesis decides)
    if fails:
        raise Halt


def check_index(view: Reading, scope: Scope, rows: list[Row]) -> None:
    expected = TermIndex()
    for row in rows:
        if row.document is not None:
            expected.add(row.number, row.document)
    numbers = [row.number for row in rows]
    assert view.statistics(scope, TERMS) == expected.statistics(TERMS)
    for term in TERMS:
        assert list(view.postings(scope, term, limit=99)) == expected.postings(term, limit=99)
        assert sorted(view.postings_among(scope, term, numbers)) == sorted(expected.postings_among(term, numbers))
