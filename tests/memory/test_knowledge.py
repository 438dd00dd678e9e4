"""User Knowledge, external references, plain learnings and skills: what is kept, read,
searched and forgotten.
"""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad import Hexad, Layer
from hexad.errors import (
    InvalidInput,
    NotFound,
    TextTooLong,
    UnknownChoice,
    UnstorableText,
)
from hexad.model import Category
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from pathlib import Path


def keys(hx: Hexad, query: str, **options: Any) -> list[str]:
    return [
        item.key
        for item in hx.retrieve(query, layers=[Layer.USER_KNOWLEDGE], **options).all()
    ]


@requirement("KNOW-01")
def test_knowledge_is_saved_read_listed_searched_and_deleted_by_key(hx: Hexad) -> None:
    saved = hx.knowledge.save(
        "deploy-window", "Deploy on Tuesdays only", category="rule"
    )
    assert hx.knowledge.get("deploy-window") == saved
    assert hx.knowledge.list() == (saved,)
    assert [item.key for item in hx.knowledge.search("tuesday deployment deploys")] == [
        "deploy-window"
    ]
    hx.knowledge.delete("deploy-window")
    assert hx.knowledge.list() == ()
    assert hx.knowledge.search("deploy") == ()


@requirement("KNOW-01")
@pytest.mark.parametrize(
    "call", ["get", "history", "delete", "forget", "pin", "undelete"]
)
def test_a_missing_key_is_a_clear_error(hx: Hexad, call: str) -> None:
    with pytest.raises(
        NotFound, match=r"no (deleted )?knowledge 'nowhere' in namespace 'default'"
    ):
        getattr(hx.knowledge, call)("nowhere")


@requirement("SAVE-01")
def test_a_key_that_is_left_out_is_made_from_the_text_readable_and_the_same_each_time(
    hx: Hexad,
) -> None:
    texts = (
        "I like green tea",
        "I do not like coffee",
        "我喜欢绿茶",
        "Große Pakete gehen per Bahn",
        "???",
    )
    made = [hx.knowledge.save(content=text).key for text in texts]
    assert made == [
        "like-green-tea",
        "not-like-coffee",
        "我喜欢绿茶",
        "große-pakete-gehen-bahn",
        "note",
    ]
    assert [hx.knowledge.save(text).version for text in texts] == [1] * len(texts)
    assert len(hx.knowledge.list()) == len(texts)
    assert (
        hx.knowledge.save(None, "Like green tea!").key == "like-green-tea-2"
    )  # nobody's words are replaced
    assert hx.knowledge.save("word " * 99).key == "word"


@requirement("SAVE-01", "CONF-04")
@pytest.mark.parametrize("redact", [True, False])
def test_a_key_that_is_made_gives_no_secret_away(hx: Hexad, redact: bool) -> None:
    assert (
        "tr0ub4dor"
        not in hx.knowledge.save("password=Tr0ub4dor-and-3", redact=redact).key
    )


@requirement("SAVE-01")
def test_keys_that_differ_in_case_alone_are_one(hx: Hexad) -> None:
    hx.knowledge.save("Straße-A", "first")
    assert hx.knowledge.save("STRASSE-a", "second").key == "Straße-A"
    assert hx.knowledge.pin("straße-a").version == 2
    assert [version.content for version in hx.knowledge.history("strasse-A")] == [
        "second",
        "first",
    ]
    hx.knowledge.delete("straße-A")
    assert hx.knowledge.save("strasse-a", "third").key == "Straße-A"
    assert hx.knowledge.forget("STRASSE-A").entries == 1
    assert not hx.knowledge.list()


@requirement("KNOW-02")
def test_there_are_six_categories_and_anything_else_is_an_error_that_lists_them(
    hx: Hexad,
) -> None:
    for category in (
        "rule",
        "definition",
        "preference",
        "fact",
        "pattern",
        "correction",
    ):
        assert (
            hx.knowledge.save(f"a-{category}", "text", category=category).category
            == category
        )
    with pytest.raises(UnknownChoice) as caught:
        hx.knowledge.save("key", "text", category="gossip")
    assert all(category in str(caught.value) for category in Category)
    with pytest.raises(UnknownChoice):
        hx.knowledge.search("text", category="gossip")


@requirement("KNOW-03")
def test_other_content_appends_a_version_and_only_the_newest_is_found(
    hx: Hexad, clock: FixedClock
) -> None:
    first = hx.knowledge.save("editor", "I use vim")
    clock.advance(days=1)
    second = hx.knowledge.save("editor", "I use emacs")
    assert (second.version, second.created, second.updated) == (
        2,
        first.created,
        clock(),
    )
    assert [
        (version.version, version.content) for version in hx.knowledge.history("editor")
    ] == [
        (2, "I use emacs"),
        (1, "I use vim"),
    ]
    assert keys(hx, "vim") == []
    assert keys(hx, "emacs") == ["editor"]


@requirement("KNOW-03")
def test_other_fields_change_in_place_and_those_not_given_stay(hx: Hexad) -> None:
    later = datetime(2027, 1, 1, tzinfo=UTC)
    hx.knowledge.save(
        "editor", "I use vim", tags=("tools",), source="chat", expires=later
    )
    changed = hx.knowledge.save("editor", "I use vim", source="mail", subject="me")
    assert (
        changed.version,
        changed.tags,
        changed.source,
        changed.subject,
        changed.expires,
    ) == (
        1,
        ("tools",),
        "mail",
        "me",
        later,
    )
    assert hx.knowledge.save("editor", "I use vim", expires=None).expires is None
    assert len(hx.knowledge.history("editor")) == 1


@requirement("KNOW-03")
def test_the_same_again_changes_nothing(hx: Hexad, clock: FixedClock) -> None:
    saved = hx.knowledge.save("editor", "I use vim", tags=("tools",), session="slack:1")
    records = hx.audit.records()
    clock.advance(days=1)
    assert hx.knowledge.save("editor", "I use vim", session="slack:2") == saved
    assert (
        hx.knowledge.save("editor", "I use vim", tags=["tools"], category="fact")
        == saved
    )
    assert hx.audit.records() == records


@requirement("KNOW-03", "PROMPT-05")
def test_nobody_repeating_a_users_word_makes_it_theirs_but_the_user_can_make_it_his(
    hx: Hexad,
) -> None:
    hx.knowledge.save("a", "said by the user")
    assert hx.knowledge.save("a", "said by the user", origin="agent").origin == "user"
    hx.knowledge.save("b", "said by a tool", origin="tool")
    assert hx.knowledge.save("b", "said by a tool").origin == "user"
    assert (
        hx.knowledge.save("b", "now an agent says otherwise", origin="agent").origin
        == "agent"
    )


@requirement("KNOW-04")
def test_delete_hides_every_version_at_once_and_undelete_brings_them_back(
    hx: Hexad,
) -> None:
    hx.knowledge.save("editor", "vim")
    hx.knowledge.save("editor", "emacs")
    hx.knowledge.delete("editor")
    with pytest.raises(NotFound):
        hx.knowledge.history("editor")
    assert keys(hx, "emacs") == []
    assert hx.knowledge.undelete("editor").content == "emacs"
    assert len(hx.knowledge.history("editor")) == 2
    assert keys(hx, "emacs") == ["editor"]


@requirement("KNOW-04")
def test_what_is_saved_after_a_delete_does_not_show_what_was_hidden(hx: Hexad) -> None:
    hx.knowledge.save("editor", "vim", tags=("old",), pinned=True)
    hx.knowledge.delete("editor")
    again = hx.knowledge.save("editor", "emacs")
    assert (again.version, again.tags, again.pinned) == (2, (), False)
    assert [version.content for version in hx.knowledge.history("editor")] == ["emacs"]


@requirement("KNOW-04")
def test_forget_erases_also_what_was_deleted(hx: Hexad) -> None:
    hx.knowledge.save("editor", "vim")
    hx.knowledge.delete("editor")
    assert hx.knowledge.forget("editor").entries == 1
    assert hx.knowledge.save("editor", "vim").version == 1


@requirement("KNOW-04", "AUDIT-01")
def test_audit_records_hold_no_content_and_no_hash_of_it(hx: Hexad) -> None:
    import hashlib

    content = "zebrafish secret plan"
    hx.knowledge.save("plan", content)
    hx.learnings.save(trigger="tool:x", error_pattern=content, fix=content)
    hx.knowledge.forget("plan")
    message = str(hx.audit.records())
    assert "zebrafish" not in message
    assert not any(
        hashlib.new(name, content.encode()).hexdigest() in message
        for name in ("sha256", "sha1", "md5")
    )


@requirement("KNOW-05")
def test_search_takes_a_category_and_returns_ten_by_default(hx: Hexad) -> None:
    for number in range(30):
        hx.knowledge.save(
            f"note-{number}",
            f"deploy note {number}",
            category="rule" if number % 10 == 0 else "fact",
        )
    assert len(hx.knowledge.search("deploy")) == 10
    assert len(hx.knowledge.search("deploy", limit=25)) == 25
    rules = hx.knowledge.search("deploy", category="rule")
    assert {item.key for item in rules} == {"note-0", "note-10", "note-20"}
    assert hx.knowledge.search("deploy", category="pattern") == ()
    with pytest.raises(InvalidInput):
        hx.knowledge.search("deploy", limit=0)


@requirement("KNOW-05")
def test_a_category_filter_finds_the_few_among_the_many(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", max_knowledge=10_000) as hx:
        hx.knowledge.save("the-rule", "deploy on Tuesdays", category="rule")
        for number in range(1500):
            hx.knowledge.save(f"fact-{number}", f"deploy happened {number}")
        assert [
            item.key for item in hx.knowledge.search("deploy", category="rule")
        ] == ["the-rule"]


@requirement("KNOW-06")
def test_entries_carry_what_was_said_about_them(hx: Hexad, clock: FixedClock) -> None:
    saved = hx.knowledge.save(
        "meeting",
        "We met in Lisbon",
        tags=["travel", "travel", "work"],
        source="mail",
        origin="agent",
        session="slack:42",
        subject="Caroline",
        thread="trip",
        position=3,
        relevance=0.5,
    )
    assert (saved.tags, saved.source, saved.origin, saved.session) == (
        ("travel", "work"),
        "mail",
        "agent",
        "slack:42",
    )
    assert (saved.subject, saved.thread, saved.position, saved.relevance) == (
        "Caroline",
        "trip",
        3,
        0.5,
    )
    assert (saved.created, saved.updated, saved.use_count, saved.last_used) == (
        clock(),
        clock(),
        0,
        None,
    )
    assert keys(hx, "what about Caroline") == ["meeting"]
    assert keys(hx, "travel") == ["meeting"]


@requirement("KNOW-06")
def test_an_expired_entry_is_not_retrieved_but_still_there(
    hx: Hexad, clock: FixedClock
) -> None:
    hx.knowledge.save(
        "offer", "The offer ends soon", expires=clock() + timedelta(days=1)
    )
    hx.knowledge.save(
        "pinned-offer",
        "Mention the other deal",
        pinned=True,
        expires=clock() + timedelta(days=1),
    )
    assert keys(hx, "offer") == ["pinned-offer", "offer"]
    clock.advance(days=1)
    assert keys(hx, "offer") == []
    assert hx.knowledge.search("offer") == ()
    assert hx.knowledge.get("offer").content == "The offer ends soon"


@requirement("KNOW-06")
def test_expired_entries_do_not_crowd_out_living_ones(
    hx: Hexad, clock: FixedClock
) -> None:
    hx.knowledge.save(
        "living",
        "deploy something and something else, a longer text that matches less well",
    )
    for number in range(100):
        hx.knowledge.save(
            f"dead-{number}", "deploy", expires=clock() + timedelta(hours=1)
        )
    clock.advance(days=1)
    assert keys(hx, "deploy") == ["living"]


@requirement("KNOW-07")
def test_pinned_entries_come_first_in_every_retrieval_of_their_layer_up_to_a_limit(
    hx: Hexad,
) -> None:
    hx.knowledge.save("deploy-window", "Deploy on Tuesdays only")
    for number in range(5):
        hx.knowledge.save(f"pin-{number}", "Always answer in metric units", pinned=True)
    assert keys(hx, "when to deploy") == ["pin-2", "pin-3", "pin-4", "deploy-window"]
    assert keys(hx, "something never stored") == ["pin-2", "pin-3", "pin-4"]
    assert not hx.retrieve("deploy", layers=[Layer.SKILL_PATTERNS])
    assert len(keys(hx, "when to deploy", max_per_layer=2)) == 2


@requirement("KNOW-07")
def test_an_entry_is_pinned_and_unpinned_without_a_new_version(hx: Hexad) -> None:
    hx.knowledge.save("units", "metric", origin="agent")
    assert hx.knowledge.pin("units").pinned
    assert keys(hx, "dinner plans") == ["units"]
    unpinned = hx.knowledge.pin("units", pinned=False)
    assert (unpinned.pinned, unpinned.version, unpinned.origin) == (False, 1, "agent")
    assert keys(hx, "dinner plans") == []


@requirement("KNOW-07", "STORE-02")
def test_pinning_never_brings_back_what_another_thread_replaced_meanwhile(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a.db") as hx:
        hx.knowledge.save("units", "version 0")

        def pin_and_unpin() -> None:
            for number in range(60):
                hx.knowledge.pin("units", pinned=number % 2 == 0)

        pinning = threading.Thread(target=pin_and_unpin)
        pinning.start()
        for number in range(1, 60):
            hx.knowledge.save("units", f"version {number}")
        pinning.join()
        assert [version.content for version in hx.knowledge.history("units")] == [
            f"version {number}" for number in reversed(range(60))
        ]


@requirement("KNOW-07")
def test_expired_pins_do_not_hide_living_ones(hx: Hexad, clock: FixedClock) -> None:
    for number in range(40):
        hx.knowledge.save(
            f"old-{number}", "metric", pinned=True, expires=clock() + timedelta(hours=1)
        )
    hx.knowledge.save("living", "metric", pinned=True)
    clock.advance(days=1)
    assert keys(hx, "dinner plans") == ["living"]


@requirement("KNOW-08")
def test_forgetting_works_by_subject(hx: Hexad) -> None:
    for number in range(3):
        hx.knowledge.save(f"alice-{number}", f"Alice said {number}", subject="Alice")
    hx.knowledge.save("bob", "Bob said nothing of Alice", subject="Bob")
    assert hx.forget(subject="Alice").entries == 3
    assert [entry.key for entry in hx.knowledge.list()] == ["bob"]


@requirement("KNOW-08")
def test_forgetting_a_session_leaves_what_others_said_under_the_same_key(
    hx: Hexad,
) -> None:
    hx.knowledge.save("editor", "vim", session="slack:1")
    hx.knowledge.save("editor", "emacs", session="slack:2")
    hx.knowledge.save("only", "mine", session="slack:2")
    hx.references.save("Runbook", location="https://x", session="slack:2")
    hx.learnings.save(trigger="tool:x", fix="y", session="slack:1")
    assert hx.forget(session="slack:2").entries == 3
    assert hx.knowledge.get("editor").content == "vim"
    assert [version.content for version in hx.knowledge.history("editor")] == ["vim"]
    assert keys(hx, "emacs") == []
    assert keys(hx, "vim") == ["editor"]
    assert [entry.key for entry in hx.knowledge.list()] == ["editor"]
    assert (len(hx.references.list()), len(hx.learnings.list())) == (0, 1)
    assert hx.knowledge.forget(session="slack:1").entries == 1


@requirement("KNOW-08")
def test_forgetting_a_session_does_not_bring_back_what_was_deleted_before_it(
    hx: Hexad,
) -> None:
    hx.knowledge.save("editor", "vim", session="slack:1")
    hx.knowledge.delete("editor")
    hx.knowledge.save("editor", "emacs", session="slack:2")
    hx.forget(session="slack:2")
    with pytest.raises(NotFound):
        hx.knowledge.get("editor")
    assert keys(hx, "vim") == []


@requirement("KNOW-08", "STORE-06")
def test_forgetting_a_namespace_leaves_the_others_alone(hx: Hexad) -> None:
    acme = hx.scoped(namespace="acme")
    for engine in (hx, acme):
        engine.knowledge.save("a", "one")
        engine.skills.create(
            "s", kind="template", description="two", definition={"template": "x"}
        )
    assert acme.forget(everything=True).entries == 2
    assert (acme.knowledge.list(), acme.skills.list()) == ((), ())
    assert len(hx.knowledge.list()) == len(hx.skills.list()) == 1
    assert acme.audit.verify().ok


@requirement("KNOW-08")
@pytest.mark.parametrize(
    "how", [{}, {"subject": "a", "session": "b"}, {"everything": True, "subject": "a"}]
)
def test_forgetting_names_exactly_one_thing(hx: Hexad, how: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="exactly one"):
        hx.forget(**how)


@requirement("KNOW-08")
def test_learnings_skills_and_references_can_be_deleted_and_forgotten(
    hx: Hexad,
) -> None:
    learned = hx.learnings.save(trigger="tool:x", fix="y")
    hx.skills.create("s", kind="instruction", description="d", definition={"text": "t"})
    hx.references.save("r", location="https://x")
    hx.learnings.delete(learned.id)
    hx.skills.forget("s")
    hx.references.delete("r")
    assert (hx.learnings.list(), hx.skills.list(), hx.references.list()) == ((), (), ())
    with pytest.raises(NotFound, match="no learning"):
        hx.learnings.delete(learned.id)


@requirement("KNOW-09")
@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a\0b", UnstorableText),
        ("\ud800", UnstorableText),
        ("é" * 131_073, TextTooLong),
        ("", InvalidInput),
    ],
)
def test_text_that_cannot_be_stored_is_rejected_with_the_reason(
    hx: Hexad, text: str, error: type[Exception]
) -> None:
    with pytest.raises(error, match="content"):
        hx.knowledge.save("key", text)
    assert hx.knowledge.list() == ()
    assert hx.audit.records() == ()


@requirement("KNOW-09")
def test_the_longest_text_that_is_allowed_is_kept_and_found(hx: Hexad) -> None:
    text = "zebra " + "x" * (256 * 1024 - 6)
    assert hx.knowledge.save("long", text).content == text
    assert keys(hx, "zebra") == ["long"]


@requirement("REF-01")
def test_references_are_saved_updated_searched_and_deleted_by_name(
    hx: Hexad, clock: FixedClock
) -> None:
    first = hx.references.save(
        "Runbook", location="https://wiki/runbook", summary="Night shifts", kind="wiki"
    )
    clock.advance(days=1)
    second = hx.references.save(
        "Runbook",
        location="https://wiki/runbook2",
        summary="Weekend shifts",
        kind="api",
        metadata={"owner": "ops"},
    )
    assert (second.created, second.updated, second.kind) == (
        first.created,
        clock(),
        "api",
    )
    assert hx.references.get("Runbook") == second
    assert hx.references.list() == (second,)
    assert [item.key for item in hx.references.search("weekend", kind="api")] == [
        "Runbook"
    ]
    assert (
        hx.references.search("night")
        == hx.references.search("weekend", kind="wiki")
        == ()
    )
    hx.references.delete("Runbook")
    assert hx.references.list() == ()


@requirement("REF-01")
def test_what_is_not_given_of_a_known_reference_stays(hx: Hexad) -> None:
    hx.references.save(
        "Runbook",
        location="https://a",
        summary="Night shifts",
        kind="wiki",
        tags=("ops",),
    )
    moved = hx.references.save("Runbook", location="https://b")
    assert (moved.location, moved.summary, moved.kind, moved.tags) == (
        "https://b",
        "Night shifts",
        "wiki",
        ("ops",),
    )


@requirement("REF-01", "CONF-04")
def test_the_note_about_redaction_stays_true_of_the_text_that_stays(hx: Hexad) -> None:
    hx.references.save("a", location="https://a", summary="password=hunter22x")
    assert hx.references.save("a", location="https://b").redactions == ("password",)
    hx.references.save(
        "b", location="https://a", summary="password=hunter22x", redact=False
    )
    assert hx.references.save("b", location="https://b").verbatim


@requirement("REF-01")
@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "book"},
        {"location": ""},
        {"location": 7},
        {"summary": None},
        {"metadata": [1]},
        {"metadata": {"x": float("nan")}},
        {"metadata": {"x": object()}},
        {"metadata": {"x": "a\0"}},
        {"tags": "abc"},
        {"origin": "nobody"},
    ],
)
def test_a_reference_that_cannot_be_kept_is_an_error(
    hx: Hexad, wrong: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput):
        hx.references.save("Runbook", **{"location": "https://x", **wrong})
    assert hx.references.list() == ()


@requirement("CTX-02", "LIMIT-01")
def test_a_learning_about_the_same_error_updates_the_one_record(hx: Hexad) -> None:
    first = hx.learnings.save(
        trigger="tool:deploy", error_pattern="quota <N>", diagnosis="limit", fix="wait"
    )
    second = hx.learnings.save(
        trigger="tool:deploy",
        error_pattern="quota <N>",
        diagnosis="limit",
        fix="ask for more",
    )
    other = hx.learnings.save(
        trigger="tool:deploy", error_pattern="timeout", category="timeout"
    )
    assert first.id == second.id != other.id
    assert [learning.fix for learning in hx.learnings.list()] == ["ask for more", ""]
    assert [item.key for item in hx.learnings.search("quota")] == ["tool:deploy"]
    assert hx.learnings.search("quota", category="timeout") == ()
    assert hx.learnings.get(first.id).fix == "ask for more"


@requirement("CTX-02")
def test_only_active_skills_are_found(hx: Hexad) -> None:
    hx.skills.create(
        "greet",
        kind="instruction",
        description="Greet a visitor",
        definition={"text": "hello"},
    )
    assert hx.skills.search("greet visitor") == ()
    hx.skills.activate("greet")
    assert [
        item.key for item in hx.skills.search("greet visitor", kind="instruction")
    ] == ["greet"]
    assert hx.skills.search("greet", kind="script") == ()
    hx.skills.create(
        "greet",
        kind="instruction",
        description="Greet a visitor",
        definition={"text": "hello"},
        tags=["a"],
    )
    assert [item.key for item in hx.skills.search("visitor")] == ["greet"]
    hx.skills.create(
        "greet",
        kind="instruction",
        description="Greet a guest",
        definition={"text": "hello"},
    )
    assert hx.skills.get("greet").status == "draft"
    hx.skills.activate("greet")
    hx.skills.create(
        "greet",
        kind="instruction",
        description="Greet a guest",
        definition={"text": "rm -rf"},
    )
    assert hx.skills.get("greet").status == "draft"
    assert hx.skills.search("guest") == ()
    hx.skills.activate("greet")
    hx.skills.deprecate("greet")
    assert hx.skills.search("guest") == ()


@requirement("CTX-02")
def test_a_skill_that_is_not_there_or_of_no_kind_is_an_error(hx: Hexad) -> None:
    with pytest.raises(NotFound):
        hx.skills.activate("nothing")
    with pytest.raises(UnknownChoice):
        hx.skills.create("x", kind="macro", description="d", definition={})


@requirement("STORE-06")
def test_namespaces_see_nothing_of_each_other(hx: Hexad) -> None:
    acme = hx.scoped(namespace="acme", session="slack:1")
    hx.knowledge.save("plan", "deploy the zebra", pinned=True)
    acme.knowledge.save("plan", "deploy the lion")
    assert acme.knowledge.get("plan").content == "deploy the lion"
    assert [item.content for item in acme.retrieve("deploy zebra").all()] == [
        "deploy the lion"
    ]
    assert acme.knowledge.search("zebra") == ()
    assert [version.content for version in acme.knowledge.history("plan")] == [
        "deploy the lion"
    ]
    acme.knowledge.delete("plan")
    assert hx.knowledge.get("plan").content == "deploy the zebra"
    assert len(hx.audit.records()) == 1


@requirement("STORE-06", "CTX-09")
def test_a_prompt_made_in_one_namespace_of_what_another_found_changes_neither(
    hx: Hexad,
) -> None:
    acme = hx.scoped(namespace="acme")
    for engine in (hx, acme):
        engine.knowledge.save("plan", "deploy the zebra")
    hx.shown(hx.assemble("", acme.retrieve("deploy")))
    assert (
        hx.knowledge.get("plan").use_count == acme.knowledge.get("plan").use_count == 0
    )


_contents = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40
).filter(str.strip)


@requirement("KNOW-03")
@given(st.lists(_contents, min_size=1, max_size=8))
@settings(max_examples=60)
def test_history_shows_every_change_and_nothing_else(contents: list[str]) -> None:
    with opened(":memory:") as hx:
        for content in contents:
            hx.knowledge.save("key", content, redact=False)
        changes = [
            content
            for place, content in enumerate(contents)
            if place == 0 or content != contents[place - 1]
        ]
        assert [version.content for version in hx.knowledge.history("key")] == changes[
            ::-1
        ]
        assert hx.knowledge.get("key").version == len(changes)


@requirement("SAVE-01", "KNOW-03", "KNOW-04")
def test_a_key_that_was_made_from_a_text_follows_its_correction(hx: Hexad) -> None:
    hx.knowledge.save("I live in Cork")
    hx.knowledge.save("theme", "I prefer dark mode")
    said = hx.capture(
        ["I live in Galway now.", "I prefer light mode now."], typed=True
    ).saved
    assert {each.key: each.against for each in said} == {
        "live-galway": "live-galway",
        "theme": "theme",
    }
    assert [each.content for each in hx.knowledge.history("live-galway")] == [
        "I live in Galway now.",
        "I live in Cork",
    ]
    proposal = hx.proposals.propose("live-galway", "I live in Sligo now")
    assert hx.proposals.accept(proposal.id).key == "live-sligo"
    assert (
        hx.knowledge.save("live-sligo", "I live in Ennis").key == "live-sligo"
    )  # named by a person: it stays
    assert {each.key for each in hx.knowledge.list()} == {"live-sligo", "theme"}
    assert hx.audit.verify().ok
    assert hx.check() == ()


@requirement("SAVE-01")
def test_a_full_stop_makes_no_second_entry(hx: Hexad) -> None:
    first, second = (
        hx.knowledge.save("Guest wifi changes on Monday"),
        hx.knowledge.save("Guest wifi changes on Monday."),
    )
    assert (first.key, second.version) == (second.key, 2)


@requirement("SAVE-01", "SAVE-02")
def test_the_same_sentence_in_another_case_or_spacing_is_the_same_entry(
    hx: Hexad,
) -> None:
    saved = [
        hx.knowledge.save(text)
        for text in ("We use pnpm", "we  use pnpm", "WE USE PNPM.")
    ]
    assert [(each.key, each.version) for each in saved] == [
        ("use-pnpm", 1),
        ("use-pnpm", 2),
        ("use-pnpm", 3),
    ]
    assert hx.knowledge.save("We do not use pnpm").key != "use-pnpm"


@requirement("SAVE-01", "KNOW-04")
def test_a_key_that_is_made_from_a_text_holds_no_long_number(hx: Hexad) -> None:
    assert hx.knowledge.save("My phone number is 01701234567").key == "phone-number"
    assert hx.knowledge.save("My IBAN is DE89370400440532013000").key == "iban"
    assert hx.knowledge.save("The office is in room 4021").key == "office-room-4021"
