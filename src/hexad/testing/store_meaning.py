"""The part of the store contract that is about vectors and associations. `store_suite` imports it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.model import Association, Layer
from hexad.store import Embedded, Scope, VectorState
from hexad.testing.nouns import HOME, MOMENT, document, knowledge, reference
from hexad.testing.store_data import AWAY, Halt, property_of_a_store, requirement, row_of

if TYPE_CHECKING:
    from hexad.store import Store

TOOLS: Final = Scope("home", Layer.TOOL_REGISTRY)
ONE: Final = Embedded("one", b"\x01\x02")
TWO: Final = Embedded("two", b"\x03\x04")


def embedded(store: Store, key: str, content: str, vector: Embedded | None, scope: Scope = HOME) -> None:
    with store.transaction() as unit:
        unit.put(scope, knowledge(key, content), document(content), vector)


def taught(id: str, *terms: str, layer: Layer = Layer.TOOL_REGISTRY, weight: float = 1.0) -> list[Association]:
    return [Association(layer=layer, id=id, term=term, weight=weight, session="s", used=MOMENT) for term in terms]


def vectors(store: Store, embedder: str = "one", scope: Scope = HOME) -> dict[int, bytes]:
    with store.reading() as view:
        held = view.vectors(scope, embedder)
        assert [each.stamp for each in held] == sorted({each.stamp for each in held})
        assert set(view.vector_numbers(scope, embedder)) == {each.number for each in held}
        assert view.vector_state(scope, embedder).rows == len(held)
    return {each.number: each.vector for each in held}


@requirement("EVAL-04")
def test_a_vector_is_kept_under_its_embedder_and_in_its_scope(store: Store) -> None:
    embedded(store, "editor", "vim", ONE)
    embedded(store, "editor", "emacs", TWO, AWAY)
    number = row_of(store, "editor").number
    assert vectors(store) == {number: ONE.vector}
    assert vectors(store, "two") == vectors(store, "one", AWAY) == {}
    with store.reading() as view:
        assert view.vector_state(HOME, "never heard of") == VectorState(0, 0)


@requirement("EVAL-04")
def test_a_vector_goes_with_the_words_it_was_made_of(store: Store) -> None:
    embedded(store, "editor", "vim", ONE)
    embedded(store, "editor", "vim", None)
    assert len(vectors(store)) == 1
    embedded(store, "editor", "emacs", None)
    assert vectors(store) == {}
    embedded(store, "editor", "emacs", ONE)
    with store.transaction() as unit:
        unit.put(HOME, knowledge("editor", "emacs"), None)
    assert vectors(store) == {}
    embedded(store, "editor", "emacs", ONE)
    with store.transaction() as unit:
        unit.remove(HOME, "editor")
    assert vectors(store) == {}


@requirement("EVAL-04")
def test_what_came_since_a_stamp_is_found_after_it(store: Store) -> None:
    embedded(store, "a", "vim", ONE)
    with store.reading() as view:
        first = view.vector_state(HOME, "one").stamp
    embedded(store, "b", "emacs", ONE)
    embedded(store, "a", "nano", Embedded("one", b"\x09\x09"))
    with store.reading() as view:
        since = view.vectors(HOME, "one", after=first)
        assert {each.number for each in since} == {row.number for row in view.page(HOME)}
        assert view.vectors(HOME, "one", after=first, limit=1) == since[:1]
        assert view.vector_state(HOME, "one") == VectorState(2, since[-1].stamp)


@requirement("EVAL-04")
def test_the_same_vector_again_changes_nothing(store: Store) -> None:
    embedded(store, "a", "vim", ONE)
    with store.reading() as view:
        before = view.vector_state(HOME, "one")
    embedded(store, "a", "vim", ONE)
    with store.reading() as view:
        assert view.vector_state(HOME, "one") == before


@requirement("EVAL-04")
def test_rows_without_a_vector_are_told_apart(store: Store) -> None:
    embedded(store, "a", "vim", ONE)
    embedded(store, "b", "emacs", None)
    embedded(store, "c", "nano", None)
    embedded(store, "far", "nano", None, AWAY)
    with store.transaction() as unit:
        unit.put(HOME, knowledge("hidden"), None)
        missing = unit.without_vector(HOME, "one")
        assert [row.record.id for row in missing] == ["b", "c"]
        assert [row.record.id for row in unit.without_vector(HOME, "one", after=missing[0].number)] == ["c"]
        assert len(unit.without_vector(HOME, "two", limit=2)) == 2
        unit.embed(HOME, missing[0].number, ONE)
        assert [row.record.id for row in unit.without_vector(HOME, "one")] == ["c"]


@requirement("EVAL-02")
def test_numbers_are_those_of_the_rows_that_can_be_found(store: Store) -> None:
    embedded(store, "a", "vim", None)
    embedded(store, "far", "vim", None, AWAY)
    with store.transaction() as unit:
        unit.put(HOME, knowledge("hidden"), None)
    number = row_of(store, "a").number
    with store.reading() as view:
        assert dict(view.numbers(HOME, ["a", "hidden", "far", "nowhere"])) == {"a": number}


@requirement("EVAL-02")
def test_associations_are_found_by_term_and_by_item_within_their_scope(store: Store) -> None:
    with store.transaction() as unit:
        unit.associate(TOOLS, "hotel", taught("hotel", "sleep", "room"))
        unit.associate(TOOLS, "mail", taught("mail", "room"))
        unit.associate(Scope("away", Layer.TOOL_REGISTRY), "hotel", taught("hotel", "sleep"))
    with store.reading() as view:
        assert {each.id for each in view.associations(TOOLS, ["room", "unheard"], limit=9)} == {"hotel", "mail"}
        assert view.associations(TOOLS, ["room", "sleep"], limit=1) == taught("hotel", "sleep")
        assert list(view.associations_of(TOOLS, "hotel")) == taught("hotel", "room", "sleep")
        assert list(view.all_associations("away")) == taught("hotel", "sleep")
        assert set(view.namespaces()) == {"away", "home"}


@requirement("EVAL-02")
def test_associating_replaces_and_removing_a_record_takes_what_was_learned_of_it(store: Store) -> None:
    home = Scope("home", Layer.EXTERNAL_KNOWLEDGE)
    with store.transaction() as unit:
        unit.put(home, reference("Runbook"), document("vim"))
        unit.associate(home, "Runbook", taught("Runbook", "one", "two", layer=home.layer))
        unit.associate(home, "Runbook", taught("Runbook", "three", layer=home.layer, weight=2.5))
        assert list(unit.associations_of(home, "Runbook")) == taught("Runbook", "three", layer=home.layer, weight=2.5)
        unit.remove(home, "Runbook")
        assert list(unit.associations_of(home, "Runbook")) == []


@requirement("EVAL-02", "EVAL-04", "STORE-02")
def test_a_transaction_that_fails_leaves_vectors_and_associations_as_they_were(store: Store) -> None:
    embedded(store, "editor", "vim", ONE)
    with store.transaction() as unit:
        unit.associate(TOOLS, "hotel", taught("hotel", "sleep"))

    def break_off() -> None:
        with store.transaction() as unit:
            unit.put(HOME, knowledge("editor", "emacs"), document("emacs"), TWO)
            unit.put(HOME, knowledge("new", "nano"), document("nano"), ONE)
            unit.embed(HOME, unit.numbers(HOME, ["new"])["new"], TWO)
            unit.associate(TOOLS, "hotel", ())
            unit.associate(TOOLS, "mail", taught("mail", "write"))
            unit.remove(HOME, "editor")
            raise Halt

    with pytest.raises(Halt):
        break_off()
    assert vectors(store) == {row_of(store, "editor").number: ONE.vector}
    assert vectors(store, "two") == {}
    with store.reading() as view:
        assert list(view.all_associations("home")) == taught("hotel", "sleep")


@requirement("EVAL-04")
@property_of_a_store
@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["vim", "emacs"]), st.booleans()), max_size=12))
def test_whatever_is_saved_a_row_has_the_vector_of_its_latest_words(
    store: Store, steps: list[tuple[str, str, bool]]
) -> None:
    expected: dict[str, tuple[str, bool]] = {}
    for key, words, with_vector in steps:
        embedded(store, key, words, Embedded(words, words.encode()) if with_vector else None)
        before = expected.get(key)
        expected[key] = (words, with_vector or (before is not None and before[0] == words and before[1]))
    with store.transaction() as unit:
        for embedder in ("vim", "emacs"):
            found = {key for key, (words, has) in expected.items() if has and words == embedder}
            assert set(unit.numbers(HOME, found).values()) == set(unit.vector_numbers(HOME, embedder))
        for key in expected:
            unit.remove(HOME, key)
        assert not unit.vector_numbers(HOME, "vim")
