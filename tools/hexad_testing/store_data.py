"""The part of the store contract that is about data: rows, versions and the index.
`store_suite` imports it.
"""

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
from hexad.model import (
    AuditRecord,
    Layer,
    Origin,
    Proposal,
    Record,
    SkillVersion,
    Version,
)
from hexad.shape import to_microseconds
from hexad.store import (
    Entry,
    LayerEvidence,
    Question,
    Reading,
    Row,
    Sketch,
    Store,
    Use,
    Writing,
)
from hexad.store.searching import CAPACITY
from hexad.text.document import Document
from hexad.text.index import IndexStatistics, Posting, TermIndex
from hexad_testing.nouns import (
    AWAY,
    ENTRIES,
    HOME,
    MOMENT,
    document,
    knowledge,
    learning,
    reference,
    skill,
    skill_version,
    version,
)
from hexad_testing.strategies import (
    TERMS,
    audit_records,
    documents,
    proposals,
    records,
    skill_versions,
    texts,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


requirement = pytest.mark.requirement
property_of_a_store: Final = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
LATER: Final = MOMENT + timedelta(hours=1)

_namespaces = (f"example {number}" for number in itertools.count())


class Interruption(Exception):
    """Any error: something went wrong in the middle of a transaction."""


def put(
    store: Store, *pairs: tuple[Record, Document | None], namespace: str = HOME
) -> None:
    with store.transaction(namespace) as unit:
        unit.put([Entry(record, words) for record, words in pairs])


def row_of(store: Store, id: str, namespace: str = HOME, layer: Layer = ENTRIES) -> Row:
    with store.reading(namespace) as view:
        row = view.get(layer, id)
    assert row is not None
    return row


def asked(
    view: Reading, terms: Sequence[str], *, layer: Layer = ENTRIES, **fields: Any
) -> LayerEvidence:
    """The evidence of one layer."""
    return view.evidence(
        Question(**{"layers": [layer], "now": MOMENT, "terms": terms, **fields})
    )[layer]


# rows


@requirement("STORE-04")
@property_of_a_store
@given(record=records, words=st.none() | documents)
def test_every_field_of_a_record_comes_back_as_it_was(
    store: Store, record: Record, words: Document | None
) -> None:
    namespace = next(_namespaces)
    put(store, (record, words), namespace=namespace)
    row = row_of(store, record.id, namespace, record.layer)
    for field in fields(record):
        given, kept = getattr(record, field.name), getattr(row.record, field.name)
        assert (field.name, kept, type(kept)) == (field.name, given, type(given))
    assert row.document == words


@requirement("SAVE-01")
def test_an_entry_is_found_by_its_key_in_any_case_the_exact_one_first(
    store: Store,
) -> None:
    put(
        store,
        (knowledge("Öl"), None),
        (knowledge("ÖL", "other"), None),
        (reference("Runbook"), None),
    )
    assert [row_of(store, key).record.id for key in ("Öl", "ÖL", "öl")] == [
        "Öl",
        "ÖL",
        "Öl",
    ]
    with store.reading(HOME) as view:
        assert view.get(Layer.EXTERNAL_KNOWLEDGE, "runbook") is None
        assert view.get(ENTRIES, "ol") is None


@requirement("STORE-04", "SKILL-01")
@property_of_a_store
@given(said=versions | skill_versions)
def test_every_field_of_a_version_comes_back_as_it_was(
    store: Store, said: Version | SkillVersion
) -> None:
    namespace = next(_namespaces)
    layer, name = (
        (ENTRIES, said.key)
        if isinstance(said, Version)
        else (Layer.SKILL_PATTERNS, said.name)
    )
    with store.transaction(namespace) as unit:
        unit.add_versions([said])
    with store.reading(namespace) as view:
        assert list(view.versions(layer, name)) == [said]
        assert list(view.keys_of(session=said.session)) == (
            [name] if layer is ENTRIES else []
        )


@requirement("STORE-04", "SAVE-04")
@property_of_a_store
@given(proposal=proposals)
def test_every_field_of_a_proposal_comes_back_as_it_was(
    store: Store, proposal: Proposal
) -> None:
    namespace = next(_namespaces)
    for _ in range(2):  # the same id again takes its place
        with store.transaction(namespace) as unit:
            unit.propose([proposal])
    with store.reading(namespace) as view:
        assert list(view.proposals()) == [proposal]


@requirement("STORE-04", "AUDIT-01")
@property_of_a_store
@given(record=audit_records)
def test_every_field_of_an_audit_record_comes_back_as_it_was(
    store: Store, record: AuditRecord
) -> None:
    namespace = next(_namespaces)
    with store.transaction(namespace) as unit:
        unit.append_audit([record])
    with store.reading(namespace) as view:
        assert list(view.audit()) == [record]
        assert view.chain_end() == (record.sequence, record.hash)


@requirement("STORE-04")
@property_of_a_store
@given(namespace=texts.filter(bool), name=texts, value=texts)
def test_namespaces_and_notes_may_be_any_text(
    store: Store, namespace: str, name: str, value: str
) -> None:
    put(store, (knowledge(), None), namespace=namespace)
    with store.transaction(namespace) as unit:
        unit.set_note(name, value)
    with store.reading(namespace) as view:
        assert view.note(name) == value
    assert namespace in store.namespaces()


@requirement("KNOW-01")
def test_replacing_a_record_keeps_its_number(store: Store) -> None:
    put(store, (knowledge("editor", "vim"), None), (knowledge("shell"), None))
    before = row_of(store, "editor").number
    put(store, (knowledge("editor", "emacs"), document("emacs")))
    row = row_of(store, "editor")
    assert (row.number, row.record, row.document) == (
        before,
        knowledge("editor", "emacs"),
        document("emacs"),
    )


@requirement("KNOW-01")
@pytest.mark.parametrize(
    "record",
    [knowledge(), learning(), skill(), reference()],
    ids=lambda record: record.layer,
)
def test_removing_says_whether_there_was_something(
    store: Store, record: Record
) -> None:
    put(store, (record, document("vim")))
    with store.transaction(HOME) as unit:
        assert unit.remove(record.layer, record.id) is True
        assert unit.remove(record.layer, record.id) is False
        assert unit.get(record.layer, record.id) is None
        assert asked(unit, ["vim"], layer=record.layer).statistics == IndexStatistics(
            0, 0, {}
        )


@requirement("CTX-08")
def test_numbers_grow_with_the_order_of_first_saving(store: Store) -> None:
    for key in ("b", "a", "c", "b", "d"):
        put(store, (knowledge(key), None))
    with store.transaction(HOME) as unit:
        unit.remove(ENTRIES, "a")
        unit.put([Entry(knowledge("a"), None)])
    with store.reading(HOME) as view:
        rows = view.page(ENTRIES)
    assert [row.record.id for row in rows] == ["b", "c", "d", "a"]
    assert [row.number for row in rows] == sorted({row.number for row in rows})


@requirement("KNOW-01")
def test_pages_follow_each_other_without_gap_or_repetition(store: Store) -> None:
    put(store, *((knowledge(f"key-{number}"), None) for number in range(10)))
    with store.reading(HOME) as view:
        everything = list(view.page(ENTRIES))
        first = list(view.page(ENTRIES, limit=4))
        second = list(view.page(ENTRIES, after=first[-1].number, limit=4))
        third = list(view.page(ENTRIES, after=second[-1].number, limit=4))
        assert (
            list(view.page(ENTRIES, before=third[-1].number, limit=3))
            == everything[-2:-5:-1]
        )
    assert [len(first), len(second), len(third)] == [4, 4, 2], (
        "nothing follows the last"
    )
    assert first + second + third == everything


@requirement("KNOW-01", "CTX-08")
def test_rows_of_all_layers_are_fetched_at_once_and_those_that_do_not_exist_are_skipped(
    store: Store,
) -> None:
    put(
        store,
        *((knowledge(f"key-{number}"), None) for number in range(3)),
        (learning(), None),
        (reference(), None),
    )
    put(store, (skill(definition={"steps": [1]}, parameters={"a": 1}), document("vim")))
    layers = (
        ENTRIES,
        Layer.AGENT_LEARNINGS,
        Layer.SKILL_PATTERNS,
        Layer.EXTERNAL_KNOWLEDGE,
    )
    with store.reading(HOME) as view:
        rows = {layer: list(view.page(layer)) for layer in layers}
        numbers = {
            layer: range(rows[layer][0].number, rows[layer][0].number + 3000)
            for layer in layers
        }
        found = view.fetch(numbers)
        assert not view.fetch({})
    assert sorted(found[ENTRIES], key=lambda row: row.number) == rows[ENTRIES]
    assert [list(found[layer]) for layer in layers[1::2]] == [
        rows[layer] for layer in layers[1::2]
    ]
    assert found[Layer.SKILL_PATTERNS][0].record == skill(
        definition={}, parameters={"a": 1}
    )


@requirement("CTX-08")
def test_a_sketch_has_what_its_row_has(store: Store) -> None:
    entry = knowledge(
        expires=LATER,
        relevance=0.25,
        subject="anna",
        thread="t",
        position=7,
        use_count=3,
    )
    put(store, (entry, document("vim", name="editor")), (knowledge("hidden"), None))
    put(store, (learning(trust=0.5), document("vim")), (reference(), document("vim")))
    with store.reading(HOME) as view:
        chosen = {
            layer: [row.number for row in view.page(layer)]
            for layer in (ENTRIES, *_OTHERS)
        }
        found = view.sketch(chosen, MOMENT)
    moment, later, words = (
        to_microseconds(MOMENT),
        to_microseconds(LATER),
        document("vim", name="editor").pack(),
    )
    one = Sketch(
        chosen[ENTRIES][0], "editor", words, "user", moment, 3, 0.25, later, "t", 7
    )
    assert found[ENTRIES] == ([one], [])
    plain = document("vim").pack()
    assert [each.rows for each in (found[layer] for layer in _OTHERS)] == [
        [
            Sketch(
                chosen[_OTHERS[0]][0], "learning-1", plain, "user", moment, 0, trust=0.5
            )
        ],
        [Sketch(chosen[_OTHERS[1]][0], "Runbook", plain, "user", moment, 0)],
    ]


_OTHERS: Final = (Layer.AGENT_LEARNINGS, Layer.EXTERNAL_KNOWLEDGE)


@requirement("KNOW-06")
def test_sketches_bring_their_neighbours_in_threads_and_nothing_that_has_expired(
    store: Store,
) -> None:
    put(
        store,
        *(
            (
                knowledge(
                    f"k{at}", "why?" if at == 2 else "so", thread="t", position=at
                ),
                document("so"),
            )
            for at in range(6)
        ),
        (knowledge("expired", thread="t", position=1, expires=MOMENT), document("so")),
        (knowledge("hidden", thread="t", position=1), None),
        (knowledge("other", thread="u", position=1), document("so")),
        (knowledge("threadless", position=1), document("so")),
    )
    put(
        store,
        (knowledge("far", thread="t", position=1), document("so")),
        namespace=AWAY,
    )
    with store.reading(HOME) as view:
        numbers = {row.record.id: row.number for row in view.page(ENTRIES)}
        found = view.sketch(
            {ENTRIES: [numbers["k3"], numbers["expired"], numbers["threadless"]]},
            MOMENT,
        )[ENTRIES]
    assert sorted(each.id for each in found.rows) == ["k3", "threadless"]
    assert sorted((each.id, bool(each.asks)) for each in found.beside) == [
        ("k1", False),
        ("k2", True),
        ("k4", False),
        ("k5", False),
    ]


@requirement("KNOW-07")
def test_standing_rows_are_pinned_and_unexpired_the_users_own_first_then_the_latest(
    store: Store,
) -> None:
    words = document("vim")
    put(
        store,
        (knowledge("agents", pinned=True, origin=Origin.AGENT, updated=LATER), words),
        (knowledge("older", pinned=True), words),
        (knowledge("rule", category="rule", updated=LATER), words),
        (knowledge("wish", category="preference"), words),
        (knowledge("long rule", "x" * 2000, category="rule"), words),
        (knowledge("agents rule", category="rule", origin=Origin.AGENT), words),
        (knowledge("over", pinned=True, expires=MOMENT), words),
        (knowledge("hidden", pinned=True), None),
        (knowledge("newer", pinned=True), words),
    )
    with store.reading(HOME) as view:
        pinned = asked(view, (), standing=9).standing
        rules, own = (
            asked(view, (), standing=most, with_rules=True).standing for most in (6, 9)
        )
        assert [row.record.id for row in pinned] == ["newer", "older", "agents"]
        assert [row.record.id for row in rules] == [
            "newer",
            "older",
            "agents",
            "rule",
            "wish",
        ]
        assert [row.record.id for row in own] == [
            "newer",
            "older",
            "agents",
            "rule",
            "wish",
            "long rule",
        ]
        assert [len(asked(view, (), standing=most).standing) for most in (0, 1)] == [
            0,
            1,
        ]
        assert pinned[0] == view.get(ENTRIES, "newer")


@requirement("KNOW-06")
def test_uses_add_up_and_ids_that_do_not_exist_are_skipped(store: Store) -> None:
    put(store, (knowledge(use_count=1), document("vim")))
    with store.transaction(HOME) as unit:
        uses = [
            Use(ENTRIES, "editor", 2, MOMENT),
            Use(ENTRIES, "gone", 1, MOMENT),
            Use(ENTRIES, "editor", 3, LATER),
        ]
        unit.use(uses)
        unit.use([])
    assert row_of(store, "editor").record == knowledge(use_count=6, last_used=LATER)
    assert row_of(store, "editor").document == document("vim")


# versions


of_each_kind = pytest.mark.parametrize(
    ("layer", "said", "id"),
    [(ENTRIES, version, "editor"), (Layer.SKILL_PATTERNS, skill_version, "release")],
)


@requirement("KNOW-03", "SKILL-01")
@of_each_kind
def test_versions_come_newest_first_and_are_removed_one_by_one_or_all(
    store: Store, layer: Layer, said: Callable[..., Any], id: str
) -> None:
    with store.transaction(AWAY) as unit:
        unit.add_versions([said(7)])
    with store.transaction(HOME) as unit:
        unit.add_versions([said(number) for number in (1, 2, 10, 3)])
        unit.add_versions([said(1, "other")])
        unit.remove_versions(layer, id, (2, 99))
        unit.remove_versions(layer, "nothing")
    with store.reading(HOME) as view:
        assert list(view.versions(layer, id)) == [said(10), said(3), said(1)]
        assert list(view.versions(layer, "other")) == [said(1, "other")]
    with store.transaction(HOME) as unit:
        unit.remove_versions(layer, id)
        assert not unit.versions(layer, id)
    with store.reading(AWAY) as view:
        assert list(view.versions(layer, id)) == [said(7)]


@requirement("KNOW-03", "SKILL-01")
@of_each_kind
def test_a_version_is_never_overwritten_and_what_was_read_is_apart_from_what_is_stored(
    store: Store, layer: Layer, said: Callable[..., Any], id: str
) -> None:
    with store.transaction(HOME) as unit:
        unit.add_versions([said(1)])
    with pytest.raises(StoreError), store.transaction(HOME) as unit:
        unit.add_versions([said(1, session="other")])
    with store.reading(HOME) as view:
        (found,) = view.versions(layer, id)
    getattr(found, "definition", {}).setdefault("steps", []).append("a reader's own")
    with store.reading(HOME) as view:
        assert list(view.versions(layer, id)) == [said(1)]


@requirement("KNOW-08")
def test_keys_are_found_by_the_sessions_and_subjects_of_versions_and_entries(
    store: Store,
) -> None:
    said = (("b", 1, "s"), ("b", 2, "t"), ("é", 1, "s"), ("a", 1, "s"), ("c", 1, "S"))
    put(
        store,
        (knowledge("given", given_by={"tags": "s"}), None),
        (knowledge("about", subject="anna"), None),
    )
    with store.transaction(HOME) as unit:
        unit.add_versions(
            [version(number, key, session=session) for key, number, session in said]
        )
        unit.add_versions(
            [
                version(1, "was about", subject="anna"),
                version(1, "other", subject="Anna"),
            ]
        )
        unit.remove_versions(ENTRIES, "a", (1,))
    with store.reading(HOME) as view:
        assert list(view.keys_of(session="s")) == ["b", "given", "é"]
        assert list(view.keys_of(subject="anna")) == ["about", "was about"]
    with store.reading(AWAY) as view:
        assert not view.keys_of(session="s")


# the index


@requirement("CTX-08")
def test_the_index_counts_rows_terms_and_lengths(store: Store) -> None:
    put(
        store,
        (knowledge("a"), document("vim emacs", name="vim")),
        (knowledge("b"), document("vim")),
    )
    put(store, (knowledge("hidden"), None))
    a, b = row_of(store, "a").number, row_of(store, "b").number
    with store.reading(HOME) as view:
        found = asked(view, ["vim", "emacs", "ed"])
    assert found.statistics == IndexStatistics(2, 4, {"vim": 2, "emacs": 1})
    assert list(found.postings) == ["emacs", "vim"]  # the rarest first
    assert list(found.postings["vim"]) == [Posting(b, 1, 1), Posting(a, 3, 3)]
    assert not found.filtered


@requirement("CTX-08")
def test_many_terms_are_counted_at_once_and_the_rarest_are_opened(store: Store) -> None:
    many = [f"term{number}" for number in range(1200)]
    put(
        store,
        *(
            (knowledge(f"key-{number}"), document(" ".join(many)))
            for number in range(2)
        ),
    )
    with store.reading(HOME) as view:
        found = asked(view, many)
        assert found.statistics == IndexStatistics(2, 2400, dict.fromkeys(many, 2))
        assert list(found.postings) == sorted(many)[:64]


@requirement("CTX-08")
def test_a_question_of_common_terms_names_a_bounded_number_of_rows(
    store: Store,
) -> None:
    count = CAPACITY + 100
    words = [
        "rare common usual"
        if number == 3
        else "common usual"
        if number % 2
        else "common"
        for number in range(count)
    ]
    put(
        store,
        *(
            (knowledge(f"k{number}"), document(text))
            for number, text in enumerate(words)
        ),
    )
    with store.reading(HOME) as view:
        rows = [row.number for row in view.page(ENTRIES)]
        found = asked(view, ["common", "usual", "rare"])
    usual = [number for number in reversed(rows) if rows.index(number) % 2]
    assert [each[0] for each in found.postings["rare"]] == [rows[3]]
    assert [each[0] for each in found.postings["usual"]] == usual
    newest = rows[
        :-251:-1
    ]  # there is room for 250 rows more; of the others those that are named already
    named = [each[0] for each in found.postings["common"]]
    assert named[:250] == newest
    assert set(named) == {*newest, *usual}


@requirement("CTX-08", "KNOW-06")
def test_rows_that_have_expired_or_lack_a_facet_are_no_evidence(store: Store) -> None:
    rule, fact = (
        Document((), ("vim",), (), (f"=category/{name}",)) for name in ("rule", "fact")
    )
    put(
        store,
        (knowledge("rule"), rule),
        (knowledge("fact"), fact),
        *((knowledge(f"over-{number}", expires=MOMENT), rule) for number in range(40)),
        (knowledge("later", expires=LATER), rule),
    )
    with store.reading(HOME) as view:
        numbers = {row.record.id: row.number for row in view.page(ENTRIES)}
        everything = asked(view, ["vim"])
        rules = asked(view, ["vim"], facets=["=category/rule"])
        none = asked(view, ["vim"], facets=["=category/none"])
        passing = view.passing(ENTRIES, numbers.values(), ["=category/rule"], MOMENT)
    assert [each[0] for each in everything.postings["vim"]] == [
        numbers["later"],
        numbers["fact"],
        numbers["rule"],
    ]
    assert [each[0] for each in rules.postings["vim"]] == [
        numbers["later"],
        numbers["rule"],
    ]
    assert not none.postings
    assert everything.filtered
    assert rules.filtered
    assert passing == {numbers["later"], numbers["rule"]}


@requirement("CTX-08")
def test_a_term_that_names_a_subject_is_opened_last(store: Store) -> None:
    about = Document((), ("anna", "tea"), (), ("=subject/anna",))
    put(
        store,
        (knowledge("a"), about),
        *((knowledge(f"b{number}"), document("tea")) for number in range(5)),
    )
    with store.reading(HOME) as view:
        assert list(asked(view, ["anna", "tea"]).postings) == ["anna", "tea"]
        named = asked(view, ["anna", "tea"], with_subjects=[ENTRIES])
    assert list(named.postings) == ["tea", "anna"]
    assert named.statistics.frequencies == {"anna": 1, "tea": 6, "=subject/anna": 1}


Changes = list[tuple[list[tuple[str, Document | str | None]], bool]]
keys = st.sampled_from(["a", "ключ", "鍵", "b'\";--", "A"])
changes = st.lists(
    st.tuples(keys, st.none() | documents | st.just("remove")), max_size=6
)


@requirement("CTX-08", "STORE-02")
@property_of_a_store
@given(transactions=st.lists(st.tuples(changes, st.booleans()), max_size=6))
def test_after_any_changes_the_index_is_that_of_the_rows(
    store: Store, transactions: Changes
) -> None:
    namespace, model = next(_namespaces), dict[str, Any]()
    for steps, fails in transactions:
        after = dict(model)
        with suppress(Interruption), store.transaction(namespace) as unit:
            apply(unit, steps, after)
            check_index(unit, list(unit.page(ENTRIES)))
            fail_if(fails)
            model = after
    with store.reading(namespace) as view:
        rows = list(view.page(ENTRIES))
        assert [(row.record.id, row.document) for row in rows] == list(model.items())
        check_index(view, rows)


def apply(unit: Writing, steps: Any, model: dict[str, Any]) -> None:
    """Do the steps to the store and, as a dictionary would do them, to its model."""
    for key, words in steps:
        if words == "remove":
            assert unit.remove(ENTRIES, key) is (key in model)
            model.pop(key, None)
        else:
            unit.put([Entry(knowledge(key), words)])
            model[key] = words


def fail_if(fails: bool) -> None:  # noqa: FBT001  (hypothesis decides)
    if fails:
        raise Interruption


def check_index(view: Reading, rows: list[Row]) -> None:
    expected = TermIndex()
    for row in rows:
        if row.document is not None:
            expected.add(row.number, row.document)
    found = asked(view, TERMS)
    assert found.statistics == expected.statistics(TERMS)
    assert {term: list(postings) for term, postings in found.postings.items()} == {
        term: expected.postings(term, limit=99) for term in found.statistics.frequencies
    }
