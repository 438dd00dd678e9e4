"""Learning to retrieve: what was used is found by the words of the question it was used
for.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import strategies as st

from hexad import Hexad, Item, Layer
from hexad.cli import main
from hexad.errors import InvalidInput, NotFound
from hexad.memory.usage.habits import HALF_LIFE_DAYS, MOST_TERMS
from hexad.model import Association
from hexad_testing.clock import START
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = [
    {"name": "book_hotel", "description": "Reserve a room in a city"},
    {"name": "send_mail", "description": "Write to somebody"},
    {"name": "weather", "description": "Temperature and rain"},
]


def keys(hx: Hexad, question: str, layer: Layer = Layer.USER_KNOWLEDGE) -> list[str]:
    return [item.key for item in hx.retrieve(question, layers=[layer]).all()]


def runbook(hx: Hexad) -> Item:
    hx.references.save(
        "Runbook", location="https://wiki.example.com/x", summary="How to roll back"
    )
    hx.references.save(
        "Menu", location="https://wiki.example.com/y", summary="What the canteen cooks"
    )
    return next(
        item for item in hx.retrieve("roll back").all() if item.key == "Runbook"
    )


@requirement("EVAL-02")
def test_what_was_used_for_a_question_is_found_by_its_words_next_time(
    hx: Hexad,
) -> None:
    item = runbook(hx)
    assert keys(hx, "production is broken", Layer.EXTERNAL_KNOWLEDGE) == []
    hx.used(item, "production is broken, help")
    assert keys(hx, "production is broken", Layer.EXTERNAL_KNOWLEDGE) == ["Runbook"]
    (found,) = hx.retrieve("production is broken").all()
    (why,) = [reason for reason in found.reasons if reason.signal == "habit"]
    assert "production" in why.detail
    assert sum(reason.value for reason in found.reasons) == pytest.approx(found.score)


@requirement("EVAL-02", "TOOL-04")
def test_a_tool_is_learned_though_it_is_not_stored_and_another_engine_knows_it(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a.db") as one:
        hx = one.with_tool_registry(TOOLS)
        (tool,) = hx.retrieve("hotel", layers=[Layer.TOOL_REGISTRY]).all()
        hx.used(tool, "I need somewhere to sleep in Lisbon")
    with opened(tmp_path / "a.db") as other:
        asked = other.with_tool_registry(TOOLS).retrieve(
            "somewhere to sleep", layers=[Layer.TOOL_REGISTRY]
        )
        assert [item.key for item in asked.all()] == ["book_hotel"]


@requirement("EVAL-02")
def test_a_watched_tool_that_succeeds_is_credited_to_the_prompt_that_offered_it(
    hx: Hexad,
) -> None:
    def book_hotel(city: str) -> str:
        """Reserve a room."""
        if not city:
            raise ValueError("no city")
        return "booked"

    engine = hx.with_tool_registry([book_hotel])
    tool = engine.watch(book_hotel, session="s")

    def prompted(question: str, session: str) -> None:
        found = engine.retrieve(question, layers=[Layer.TOOL_REGISTRY], session=session)
        engine.shown(engine.assemble("", found))

    tool("Lisbon")
    prompted("a hotel, I have nowhere to sleep", "another")
    tool("Lisbon")
    assert hx.habits.list() == ()  # it was not this session's prompt that offered it
    prompted("a hotel, I have nowhere to sleep", "s")
    with pytest.raises(ValueError, match="no city"):
        tool("")
    assert hx.habits.list() == ()
    tool("Lisbon")
    tool("Porto")
    learned = {
        each.term: each.weight
        for each in hx.habits.of(Layer.TOOL_REGISTRY, "book_hotel")
    }
    assert (
        learned["sleep"] == 1
    )  # once for each prompt, however often the tool is called
    assert keys(engine, "where to sleep?", Layer.TOOL_REGISTRY) == ["book_hotel"]


@requirement("EVAL-02", "STORE-06")
def test_habits_never_cross_namespaces(hx: Hexad) -> None:
    item = runbook(hx)
    theirs = hx.scoped(namespace="theirs")
    runbook(theirs)
    hx.used(item, "production is broken")
    assert keys(theirs, "production is broken", Layer.EXTERNAL_KNOWLEDGE) == []
    assert theirs.habits.list() == ()


@requirement("EVAL-02")
def test_an_item_keeps_a_bounded_number_of_words(hx: Hexad) -> None:
    item = runbook(hx)
    for start in range(0, 300, 20):
        hx.used(item, " ".join(f"word{number}x" for number in range(start, start + 20)))
    assert len(hx.habits.of(item.layer, item.id)) == MOST_TERMS


@requirement("EVAL-02")
def test_what_was_learned_fades(hx: Hexad, clock: FixedClock) -> None:
    item = runbook(hx)
    hx.used(item, "production is broken")

    def habit() -> float:
        found = hx.retrieve("production is broken, call somebody").all()
        return sum(
            reason.value
            for each in found
            for reason in each.reasons
            if reason.signal == "habit"
        )

    fresh = habit()
    clock.advance(days=HALF_LIFE_DAYS)
    assert 0 < habit() < fresh
    clock.advance(days=40 * HALF_LIFE_DAYS)
    assert habit() == 0


@requirement("EVAL-02")
def test_habits_can_be_looked_at_and_reset_one_by_one_or_all(hx: Hexad) -> None:
    item = runbook(hx)
    menu = next(found for found in hx.retrieve("canteen").all() if found.key == "Menu")
    hx.used(item, "production is broken")
    hx.used(menu, "hungry people")
    assert {each.term for each in hx.habits.of(Layer.EXTERNAL_KNOWLEDGE, "Menu")} == {
        "hungri",
        "peopl",
    }
    assert hx.habits.reset(Layer.EXTERNAL_KNOWLEDGE, "Menu") == 2
    assert {each.id for each in hx.habits.list()} == {"Runbook"}
    assert hx.habits.reset() == 2
    assert hx.habits.list() == ()
    assert keys(hx, "production is broken", Layer.EXTERNAL_KNOWLEDGE) == []
    with pytest.raises(InvalidInput, match="layer"):
        hx.habits.reset(id="Menu")


@requirement("EVAL-02", "AUDIT-01")
def test_teaching_and_resetting_are_audited_without_the_words(hx: Hexad) -> None:
    hx.used(runbook(hx), "production is broken")
    hx.habits.reset()
    actions = {record.action: record for record in hx.audit.records()}
    assert actions["habit.teach"].target == "external_knowledge/Runbook"
    assert actions["habit.reset"].details == {"words": 2}
    assert "production" not in str(actions)
    assert hx.audit.verify().ok


@requirement("EVAL-02", "CONF-04")
def test_a_secret_in_a_question_is_not_learned(hx: Hexad) -> None:
    secret = "sk-" + "a1B2c3D4e5F6g7H8" * 3
    hx.used(runbook(hx), f"the key {secret} is broken")
    assert secret.lower() not in str([each.term for each in hx.habits.list()]).lower()


@requirement("EVAL-02", "KNOW-08")
def test_what_is_forgotten_takes_its_habits_along(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as hx:
        hx.used(runbook(hx), "xylophone trouble", session="monday")
        hx.used(
            next(iter(hx.retrieve("canteen").all())),
            "marimba trouble",
            session="tuesday",
        )
        hx.forget(session="monday")
        assert {each.term for each in hx.habits.list()} == {"marimba", "troubl"}
        assert b"xylophon" not in b"".join(
            file.read_bytes() for file in tmp_path.iterdir()
        )
        hx.references.delete("Menu")
        assert hx.habits.list() == ()
        hx.habits.teach(Layer.TOOL_REGISTRY, "book_hotel", "glockenspiel")
        hx.forget(everything=True)
        assert hx.habits.list() == ()
        assert b"glockenspiel" not in b"".join(
            file.read_bytes() for file in tmp_path.iterdir()
        )


@requirement("EVAL-02", "STORE-04")
def test_a_backup_carries_habits_and_an_import_leaves_them_out(
    tmp_path: Path, clock: FixedClock
) -> None:
    with opened(tmp_path / "a.db", clock=clock) as hx:
        hx.used(runbook(hx), "production is broken", session="s")
        learned = hx.habits.list()
        hx.backup(tmp_path / "b.jsonl")
    with opened(tmp_path / "new.db", clock=clock) as back:
        back.restore(tmp_path / "b.jsonl")
        assert back.habits.list() == learned
    with opened(tmp_path / "theirs.db", clock=clock) as theirs:
        theirs.import_file(tmp_path / "b.jsonl")
        assert theirs.habits.list() == ()


@requirement("EVAL-02")
def test_what_is_no_item_and_what_is_gone_are_clear_errors(hx: Hexad) -> None:
    item = runbook(hx)
    with pytest.raises(InvalidInput, match="item"):
        hx.used("Runbook", "production")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="query"):
        hx.used(item, 7)  # type: ignore[arg-type]
    state = Item(
        layer=Layer.RUNTIME_CONTEXT,
        id="session-state",
        key="session-state",
        content="",
        category="session",
    )
    with pytest.raises(InvalidInput, match="runtime"):
        hx.used(state, "production")
    hx.references.delete("Runbook")
    with pytest.raises(NotFound, match="Runbook"):
        hx.used(item, "production")


@requirement("EVAL-02")
def test_the_command_lists_and_resets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "a.db")
    with opened(path) as hx:
        hx.used(runbook(hx), "production is broken")
    assert (
        main(
            [
                "habits",
                "list",
                "--db",
                path,
                "--layer",
                "external_knowledge",
                "--item",
                "Runbook",
            ]
        )
        == 0
    )
    assert [line.split("\t")[:3] for line in capsys.readouterr().out.splitlines()] == [
        ["external_knowledge", "Runbook", "break"],
        ["external_knowledge", "Runbook", "product"],
    ]
    assert main(["habits", "list", "--db", path, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["habits"]) == 2
    assert main(["habits", "reset", "--db", path]) == 2
    assert "--yes" in capsys.readouterr().err
    assert main(["habits", "reset", "--yes", "--db", path]) == 0
    assert capsys.readouterr().out == "2 words reset\n"
    assert main(["habits", "list", "--db", path]) == 0
    assert "no words are learned yet" in capsys.readouterr().err
    assert main(["habits", "reset", "--yes", "--db", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["words"] == 0


lists = st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=20)


def learned(term: str, weight: float, used: int = 0) -> Association:
    return Association(
        layer=Layer.TOOL_REGISTRY,
        id="t",
        term=term,
        weight=weight,
        used=START + timedelta(seconds=used),
    )


@requirement("EVAL-02", "KNOW-08")
def test_a_forgotten_session_teaches_nothing_afterwards(hx: Hexad) -> None:
    engine = hx.with_tool_registry(TOOLS)
    found = engine.retrieve(
        "a room for my secret affair", layers=[Layer.TOOL_REGISTRY], session="s"
    )
    engine.shown(engine.assemble("", found))
    engine.forget(session="s")
    engine.observe(tool="book_hotel", args={}, result="ok", session="s")
    assert hx.habits.list() == ()


@requirement("EVAL-02", "KNOW-08")
def test_forgetting_a_subject_unlearns_its_name(hx: Hexad) -> None:
    hx.knowledge.save("diet", "is vegan", subject="Zenobia")
    hx.used(runbook(hx), "what does Zenobia do when production breaks?")
    hx.forget(subject="Zenobia")
    assert "zenobia" not in {each.term for each in hx.habits.list()}
    assert hx.habits.list()


@requirement("EVAL-02", "KNOW-04")
def test_a_hidden_entry_cannot_be_used(hx: Hexad) -> None:
    hx.knowledge.save("window", "release on Tuesdays")
    (item,) = hx.retrieve("release").all()
    hx.knowledge.delete("window")
    with pytest.raises(NotFound):
        hx.used(item, "shipping")
