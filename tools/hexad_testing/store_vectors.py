"""The part of the store contract that is about vectors, associations and repair.
`store_suite` imports it.
"""

from __future__ import annotations

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from hexad.model import Association, Layer
from hexad.store import MOST_ASSOCIATIONS, Embedded, Entry, Store, VectorState
from hexad_testing.nouns import (
    AWAY,
    ENTRIES,
    HOME,
    MOMENT,
    document,
    knowledge,
    reference,
    version,
)
from hexad_testing.store_data import asked, property_of_a_store, requirement, row_of

TOOLS: Final = Layer.TOOL_REGISTRY
REFERENCES: Final = Layer.EXTERNAL_KNOWLEDGE
ONE: Final = Embedded("one", b"\x01\x02")
TWO: Final = Embedded("two", b"\x03\x04")


def embedded(
    store: Store, key: str, content: str, vector: Embedded | None, namespace: str = HOME
) -> None:
    with store.transaction(namespace) as unit:
        unit.put([Entry(knowledge(key, content), document(content), vector)])


def taught(
    id: str, *terms: str, layer: Layer = TOOLS, weight: float = 1.0
) -> list[Association]:
    return [
        Association(
            layer=layer, id=id, term=term, weight=weight, session="s", used=MOMENT
        )
        for term in terms
    ]


def state(store: Store, embedder: str = "one") -> VectorState:
    with store.reading(HOME) as view:
        return asked(view, (), embedder=embedder).vectors


def vectors(
    store: Store, embedder: str = "one", namespace: str = HOME
) -> dict[int, bytes]:
    with store.reading(namespace) as view:
        held = view.vectors(ENTRIES, embedder)
        assert [each.stamp for each in held] == sorted({each.stamp for each in held})
        assert set(view.vector_numbers(ENTRIES, embedder)) == {
            each.number for each in held
        }
        assert asked(view, (), embedder=embedder).vectors.rows == len(held)
    return {each.number: each.vector for each in held}


@requirement("EVAL-04")
def test_a_vector_is_kept_under_its_embedder_and_in_its_namespace(store: Store) -> None:
    embedded(store, "editor", "vim", ONE)
    embedded(store, "editor", "emacs", TWO, AWAY)
    assert vectors(store) == {row_of(store, "editor").number: ONE.vector}
    assert vectors(store, "two") == vectors(store, "one", AWAY) == {}
    assert state(store, "never heard of") == VectorState(0, 0)


@requirement("EVAL-04")
def test_a_vector_is_removed_with_the_words_it_was_made_of(store: Store) -> None:
    embedded(store, "editor", "vim", ONE)
    embedded(store, "editor", "vim", None)
    assert len(vectors(store)) == 1
    embedded(store, "editor", "emacs", None)
    assert vectors(store) == {}
    embedded(store, "editor", "emacs", ONE)
    with store.transaction(HOME) as unit:
        unit.put([Entry(knowledge("editor", "emacs"), None)])
    assert vectors(store) == {}
    embedded(store, "editor", "emacs", ONE)
    with store.transaction(HOME) as unit:
        unit.remove(ENTRIES, "editor")
    assert vectors(store) == {}


@requirement("EVAL-04")
def test_a_text_that_is_analysed_anew_keeps_its_vectors(store: Store) -> None:
    embedded(store, "editor", "vim", ONE)
    with store.transaction(HOME) as unit:
        unit.put(
            [Entry(knowledge("editor", "vim"), document("vim again"), analysed=True)]
        )
    assert len(vectors(store)) == 1


@requirement("SAFE-05")
def test_a_cleared_index_holds_nothing_until_a_record_is_put_again(
    store: Store,
) -> None:
    for number in range(40):
        embedded(store, f"key {number}", "vim", ONE)
    embedded(store, "editor", "vim", ONE, AWAY)
    with store.transaction(HOME) as unit:
        unit.scrub(index=True)
        assert asked(unit, ("vim",)).statistics.rows == 0
        unit.put([Entry(knowledge("key 7", "vim"), document("vim"))])
    with store.reading(HOME) as view:
        found = asked(view, ("vim",))
    assert (found.statistics.rows, [each[0] for each in found.postings["vim"]]) == (
        1,
        [row_of(store, "key 7").number],
    )
    assert (len(vectors(store)), len(vectors(store, "one", AWAY))) == (0, 1)


@requirement("SAFE-05")
def test_the_keys_of_all_entries_and_of_all_versions_are_known(store: Store) -> None:
    embedded(store, "editor", "vim", None)
    with store.transaction(HOME) as unit:
        unit.add_versions([version(1, "lost"), version(2, "lost")])
    with store.reading(HOME) as view:
        assert list(view.keys_of()) == ["editor", "lost"]
    with store.reading(AWAY) as view:
        assert list(view.keys_of()) == []


@requirement("EVAL-04")
def test_what_came_since_a_stamp_is_found_after_it(store: Store) -> None:
    embedded(store, "a", "vim", ONE)
    first = state(store).stamp
    embedded(store, "b", "emacs", ONE)
    embedded(store, "a", "nano", Embedded("one", b"\x09\x09"))
    with store.reading(HOME) as view:
        since = view.vectors(ENTRIES, "one", after=first)
        assert {each.number for each in since} == {
            row.number for row in view.page(ENTRIES)
        }
        assert view.vectors(ENTRIES, "one", after=first, limit=1) == since[:1]
    assert state(store) == VectorState(2, since[-1].stamp)
    embedded(store, "a", "nano", Embedded("one", b"\x09\x09"))
    assert state(store) == VectorState(
        2, since[-1].stamp
    )  # the same again changes nothing


@requirement("EVAL-04")
def test_rows_without_a_vector_are_found_and_get_one(store: Store) -> None:
    embedded(store, "a", "vim", ONE)
    embedded(store, "b", "emacs", None)
    embedded(store, "c", "nano", None)
    embedded(store, "far", "nano", None, AWAY)
    with store.transaction(HOME) as unit:
        unit.put([Entry(knowledge("hidden"), None)])
        missing = unit.page(ENTRIES, without="one")
        assert [row.record.id for row in missing] == ["b", "c"]
        assert [
            row.record.id
            for row in unit.page(ENTRIES, without="one", after=missing[0].number)
        ] == ["c"]
        assert len(unit.page(ENTRIES, without="two", limit=2)) == 2
        unit.embed(ENTRIES, {missing[0].number: ONE})
        assert [row.record.id for row in unit.page(ENTRIES, without="one")] == ["c"]


@requirement("EVAL-02")
def test_associations_are_found_by_term_and_by_item_within_their_namespace(
    store: Store,
) -> None:
    with store.transaction(AWAY) as unit:
        unit.associate(TOOLS, "hotel", taught("hotel", "sleep"))
    with store.transaction(HOME) as unit:
        unit.put(
            [
                Entry(reference("Runbook"), document("vim")),
                Entry(reference("hidden"), None),
            ]
        )
        unit.associate(TOOLS, "hotel", taught("hotel", "sleep", "room"))
        unit.associate(TOOLS, "mail", taught("mail", "room"))
        for name in ("Runbook", "hidden", "gone"):
            unit.associate(REFERENCES, name, taught(name, "room", layer=REFERENCES))
    number = row_of(store, "Runbook", layer=REFERENCES).number
    with store.reading(HOME) as view:
        assert {
            each.id
            for each in asked(view, ["room", "unheard"], layer=TOOLS).associations
        } == {"hotel", "mail"}
        found = asked(view, ["room"], layer=REFERENCES)
        assert {each.id for each in found.associations} == {"Runbook", "hidden", "gone"}
        assert found.numbers == {"Runbook": number}  # the only one that is indexed
        assert list(view.associations(TOOLS, "hotel")) == taught(
            "hotel", "room", "sleep"
        )
        assert {each.id for each in view.associations(TOOLS)} == {"hotel", "mail"}
        assert len(view.associations()) == 6
    with store.reading(AWAY) as view:
        assert list(view.associations()) == taught("hotel", "sleep")
    assert set(store.namespaces()) == {AWAY, HOME}


@requirement("EVAL-02")
def test_a_term_that_led_to_too_many_items_says_nothing(store: Store) -> None:
    with store.transaction(HOME) as unit:
        for number in range(MOST_ASSOCIATIONS + 1):
            terms = ("common",) if number else ("common", "rare")
            unit.associate(TOOLS, f"tool{number}", taught(f"tool{number}", *terms))
        assert list(
            asked(unit, ["common", "rare"], layer=TOOLS).associations
        ) == taught("tool0", "rare")


@requirement("EVAL-02")
def test_associating_replaces_and_removing_a_record_removes_its_associations(
    store: Store,
) -> None:
    with store.transaction(HOME) as unit:
        unit.put([Entry(reference("Runbook"), document("vim"))])
        unit.associate(
            REFERENCES, "Runbook", taught("Runbook", "one", "two", layer=REFERENCES)
        )
        last = taught("Runbook", "three", layer=REFERENCES, weight=2.5)
        unit.associate(REFERENCES, "Runbook", last)
        assert list(unit.associations(REFERENCES, "Runbook")) == last
        unit.remove(REFERENCES, "Runbook")
        assert list(unit.associations(REFERENCES, "Runbook")) == []


@requirement("EVAL-04")
@property_of_a_store
@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcd"), st.sampled_from(["vim", "emacs"]), st.booleans()
        ),
        max_size=12,
    )
)
def test_after_any_saves_a_row_has_the_vector_of_its_latest_words(
    store: Store, steps: list[tuple[str, str, bool]]
) -> None:
    expected: dict[str, tuple[str, bool]] = {}
    for key, words, with_vector in steps:
        embedded(
            store, key, words, Embedded(words, words.encode()) if with_vector else None
        )
        before = expected.get(key)
        expected[key] = (
            words,
            with_vector or (before is not None and before[0] == words and before[1]),
        )
    with store.transaction(HOME) as unit:
        numbers = {row.record.id: row.number for row in unit.page(ENTRIES)}
        for embedder in ("vim", "emacs"):
            found = {
                numbers[key]
                for key, (words, has) in expected.items()
                if has and words == embedder
            }
            assert found == unit.vector_numbers(ENTRIES, embedder)
        for key in expected:
            unit.remove(ENTRIES, key)
        assert not unit.vector_numbers(ENTRIES, "vim")
