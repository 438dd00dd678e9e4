"""Standing context: what the user always wants is in every prompt, and nobody else's
words are.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from hexad import Hexad, Layer
from hexad.context.layers import Fate
from hexad.context.selection import estimate_tokens
from hexad.context.standing import BUDGET, TITLE
from hexad_testing.clock import FixedClock
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["memory", "sqlite"])
def hx(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock
) -> Iterator[Hexad]:
    place = ":memory:" if request.param == "memory" else tmp_path / "agent.db"
    with opened(
        place, clock=clock, max_knowledge=1000, standing_budget=BUDGET
    ) as engine:
        yield engine


UK = Layer.USER_KNOWLEDGE
MANY = 1 + BUDGET // 3  # more facts than could stand, however short they are
LONG = "The archive of the year {} is on the shelf in room {}, beside the window, under the map of the old town"


def fill(hx: Hexad, *, facts: int = 40) -> None:
    """More than twice as many facts as the standing budget holds."""
    for number in range(facts):
        hx.knowledge.save(f"archive-{number}", LONG.format(1900 + number, number))


@requirement("STAND-01")
@pytest.mark.parametrize("message", ["suggest a recipe", "hello", "", "???", "그래"])
def test_what_the_user_said_is_in_every_prompt_while_it_is_little(
    hx: Hexad, message: str
) -> None:
    hx.knowledge.save("diet", "I am vegetarian")
    hx.knowledge.save("language", "Answer me in German", category="preference")
    prompt = hx.prompt("You are terse.", message)
    assert str(prompt) == (
        f"You are terse.\n\n## {TITLE}\n- language: Answer me in German\n- diet: I am vegetarian"
    )
    assert [item.key for item in hx.standing()] == ["language", "diet"]


@requirement("STAND-01", "KNOW-07")
def test_in_a_large_memory_pinned_entries_rules_and_preferences_stand_and_facts_are_found(
    hx: Hexad,
) -> None:
    hx.knowledge.save("first", "Be brief", category="rule")
    fill(hx, facts=MANY)
    hx.knowledge.save("second", "Use metric units", category="preference")
    hx.knowledge.pin("archive-3")
    assert [item.key for item in hx.standing()] == ["archive-3", "second", "first"]
    prompt = hx.prompt("", "what is on the shelf in room 17?")
    assert [item.key for item in prompt.kept][:1] == ["archive-17"]
    assert "archive-3" not in [item.key for item in prompt.kept]


@requirement("STAND-01", "STAND-03")
def test_a_little_beyond_the_budget_short_and_old_facts_stand_and_the_others_are_found(
    hx: Hexad,
) -> None:
    hx.knowledge.save("first", "Be brief", category="rule")
    fill(hx, facts=20)
    block = hx.prompt("", "hello").block
    hx.knowledge.save("diet", "I am vegetarian")
    keys = [item.key for item in hx.standing()]
    assert keys == [
        "first",
        "diet",
        *(f"archive-{number}" for number in range(len(keys) - 2)),
    ]
    assert 10 < len(keys) < 20
    assert estimate_tokens(hx.prompt("", "hello").block) <= BUDGET
    assert [
        item.key for item in hx.prompt("", "which archive is of the year 1918?").kept
    ][:1] == ["archive-18"]
    hx.knowledge.delete("diet")
    fill(hx, facts=25)
    assert (
        hx.prompt("", "hello").block == block
    )  # newer ones of like length leave it as it is


@requirement("STAND-01", "SMALL-01")
def test_a_weak_match_is_not_found_beside_a_clear_answer_that_stands(hx: Hexad) -> None:
    hx.knowledge.save(
        "soil",
        "The roses need a heavy soil, with much old manure from the stable behind the hill in spring",
    )
    for number in range(80):
        hx.knowledge.save(f"shed-{number}", f"Shed {number} is in the yard")
    assert [
        item.key for item in hx.prompt("", "Who waters the roses on Mondays?").kept
    ] == ["soil"]
    hx.knowledge.save("ines", "Ines waters the roses on Mondays", category="rule")
    prompt = hx.prompt("", "Who waters the roses on Mondays?")
    assert "ines" in {item.key for item in prompt.standing}
    assert prompt.kept == ()
    verdicts = {
        each.item.key: each.verdict
        for each in hx.explain("Who waters the roses on Mondays?").candidates[UK]
    }
    assert verdicts["soil"] == Fate.BEHIND.value


@requirement("STAND-01", "SMALL-01")
def test_the_few_that_do_not_stand_are_compared_with_the_clear_answer_that_does(
    hx: Hexad,
) -> None:
    question = "Which day does Ines water the roses beside the gate?"
    hx.knowledge.save(
        "ines",
        "Ines waters the roses beside the gate, the day is Monday",
        category="rule",
    )
    hx.knowledge.save(
        "soil",
        f"{LONG.format(1900, 1)}, and roses are drawn on it in red ink by somebody unknown to us",
    )
    for number in range(60):
        hx.knowledge.save(f"shed-{number}", f"Shed {number} is in the yard")
    prompt = hx.prompt("", question)
    assert {"ines", "soil"} & {item.key for item in prompt.standing} == {"ines"}
    assert "soil" not in {item.key for item in prompt.kept}


@requirement("STAND-01", "STAND-03")
def test_the_block_stays_within_its_budget_and_keeps_the_newest(tmp_path: Path) -> None:
    with opened(
        tmp_path / "a.db", max_knowledge=1000, standing_budget=60, clock=FixedClock()
    ) as hx:
        for number in range(40):
            hx.knowledge.save(
                f"rule-{number}", f"Rule number {number} holds", category="rule"
            )
        keys = [item.key for item in hx.standing()]
        assert keys == [f"rule-{number}" for number in range(39, 39 - len(keys), -1)]
        assert 3 <= len(keys) <= 8
        assert hx.explain("hello").found_tokens == 0
    with opened(tmp_path / "a.db", standing_budget=0) as hx:
        assert hx.standing() == ()
        assert str(hx.prompt("Base.", "hello")) == "Base."


@requirement("STAND-01")
def test_of_two_entries_that_begin_alike_the_later_one_stands(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", standing_budget=60, clock=FixedClock()) as hx:
        hx.knowledge.save("old", "My dentist is Dr. Amsel in the Kaiserstrasse")
        for number in range(6):
            hx.knowledge.save(
                f"other-{number}", f"Cousin number {number} collects postage stamps"
            )
        hx.knowledge.save("new", "My dentist is Dr. Sommer in the Habsburgergasse")
        standing = [item.key for item in hx.standing()]
        assert len(standing) < 8
        assert "old" not in standing
        hx.knowledge.delete("new")
        assert "old" in [item.key for item in hx.standing()]


@requirement("STAND-01")
def test_a_key_that_was_made_from_a_text_with_a_contraction_is_not_shown(
    hx: Hexad,
) -> None:
    said = ["I'm allergic to peanuts", "I don't like l’été"]
    assert [hx.knowledge.save(text).key for text in said] == [
        "allergic-peanuts",
        "dont-like-été",
    ]
    assert str(hx.prompt("", "hello")).splitlines()[1:] == [
        f"- {text}" for text in said
    ]


@requirement("STAND-01")
def test_a_sentence_stands_without_its_key_and_a_fragment_with_it(hx: Hexad) -> None:
    said = {
        "window": "Tuesdays and Thursdays only",
        "diet": "I am vegan.",
        "pet": "我家的狗叫豆豆。",
        "note": "Ask first!",
    }
    for key, text in said.items():
        hx.knowledge.save(key, text)
    lines = str(hx.prompt("", "hello")).splitlines()[1:]
    assert sorted(lines) == sorted(
        [
            f"- window: {said['window']}",
            f"- {said['diet']}",
            f"- {said['pet']}",
            f"- note: {said['note']}",
        ]
    )


@requirement("STAND-01", "STAND-03")
def test_what_each_line_is_rounded_up_by_does_not_add_up(tmp_path: Path) -> None:
    with opened(
        tmp_path / "a.db", max_knowledge=1000, standing_budget=100, clock=FixedClock()
    ) as hx:
        for number in range(10, 40):
            hx.knowledge.save(f"shed-{number}", f"Shed {number} is ours")
        block = hx.prompt("", "hello").block
        assert (
            estimate_tokens(block)
            <= 100
            < estimate_tokens(f"{block}\n- Shed 99 is ours")
        )


@requirement("STAND-01")
def test_not_one_byte_of_what_agents_tools_and_imports_saved_stands(
    hx: Hexad, tmp_path: Path
) -> None:
    for origin in ("agent", "tool"):
        for number in range(50):
            hx.knowledge.save(
                f"{origin}-{number}",
                f"Obey {origin} {number}",
                category="rule",
                origin=origin,
                pinned=True,
            )
    with Hexad.open(":memory:", enabled=True) as theirs:
        for number in range(50):
            theirs.knowledge.save(
                f"import-{number}",
                f"Obey import {number}",
                category="rule",
                pinned=True,
            )
        theirs.backup(tmp_path / "theirs.jsonl")
    hx.import_file(tmp_path / "theirs.jsonl")
    assert hx.standing() == ()
    assert hx.prompt("You are terse.", "hello").block == ""
    hx.knowledge.pin("agent-7")  # a person's word
    assert [item.key for item in hx.standing()] == ["agent-7"]


@requirement("STAND-02")
def test_what_stands_is_not_found_again_and_takes_no_places(hx: Hexad) -> None:
    fill(hx)
    for number in range(5):
        hx.knowledge.save(
            f"rule-{number}",
            f"The shelf of room {number} stays closed",
            category="rule",
        )
    found = hx.prompt("", "the shelf in which room?", layers=[Layer.USER_KNOWLEDGE])
    assert len(found.kept) == 5
    assert all(item.category == "fact" for item in found.kept)
    texts = [item.content for item in (*found.standing, *found.kept)]
    assert len(texts) == len(set(texts)) == 5 + len(found.standing)
    assert all(str(found).count(text) == 1 for text in texts)


@requirement("STAND-02", "CTX-05", "PROMPT-01")
def test_retrieve_and_assemble_know_nothing_of_standing_context(hx: Hexad) -> None:
    hx.knowledge.save("language", "Answer me in German", category="preference")
    assert not hx.retrieve("???")
    assert str(hx.assemble("You are terse.", hx.retrieve("???"))) == "You are terse."
    assert len(hx.retrieve("in which language do I want the answer?").all()) == 1


@requirement("STAND-02", "CTX-09")
def test_standing_is_not_counted_as_use(hx: Hexad) -> None:
    hx.knowledge.save("language", "Answer me in German", category="preference")
    hx.prompt("", "which language do you answer in?")
    assert hx.knowledge.get("language").use_count == 0


@requirement("STAND-03")
def test_the_blocks_bytes_change_only_with_its_entries(hx: Hexad) -> None:
    fill(hx)
    hx.knowledge.save("language", "Answer me in German", category="preference")
    blocks = {
        hx.prompt("", message).block
        for message in ("hello", "room 3?", "", "which language?")
    }
    hx.knowledge.save("more", LONG.format(2000, 99))
    assert {hx.prompt("", "hello").block} == blocks
    hx.knowledge.save("units", "Use metric units", category="preference")
    assert hx.prompt("", "hello").block not in blocks


@requirement("STAND-03", "PROMPT-03")
def test_the_budget_of_what_is_found_is_its_own(hx: Hexad) -> None:
    fill(hx)
    hx.knowledge.save("language", "Answer me in German", category="preference")
    prompt = hx.prompt("", "what is on the shelf in room 17?", budget=40)
    assert prompt.block
    assert len(prompt.kept) == 1
    assert 0 < estimate_tokens(prompt.sections) <= 40
    assert prompt.tokens == estimate_tokens(prompt.text)
    assert prompt.text == f"{prompt.block}\n\n{prompt.sections}"


@requirement("STAND-01", "PROMPT-06")
def test_explain_shows_which_entries_stand_and_which_were_found(hx: Hexad) -> None:
    fill(hx)
    hx.knowledge.save("language", "Answer me in German", category="preference")
    judged = hx.explain("what is on the shelf in room 17?").candidates[
        Layer.USER_KNOWLEDGE
    ]
    verdicts = {each.item.key: each.verdict for each in judged}
    assert verdicts["language"] == Fate.STANDING.value
    assert verdicts["archive-17"] == "kept"


@requirement("STAND-01")
def test_two_memories_are_read_as_one_the_nearer_first_in_one_budget(
    tmp_path: Path,
) -> None:
    with (
        opened(tmp_path / "project.db", standing_budget=BUDGET) as project,
        opened(tmp_path / "own.db") as own,
    ):
        fill(own, facts=MANY)
        own.knowledge.save("tabs", "Indent with tabs", category="preference")
        own.knowledge.save("same", "Be brief", category="rule")
        project.knowledge.save("spaces", "Indent with four spaces", category="rule")
        project.knowledge.save("also", "Be brief", category="rule")
        hx = project.beside(own)
        assert [item.key for item in hx.standing()] == ["also", "spaces", "tabs"]
        prompt = hx.prompt("", "what is on the shelf in room 11?")
        assert prompt.block.count("Be brief") == 1
        assert prompt.kept[0].key == "archive-11"
        assert own.knowledge.get("archive-11").use_count == 1
        hx.knowledge.save("here", "The project's shelf in room 11 is empty")
        assert project.knowledge.get("here")
        assert [item.key for item in hx.retrieve("the shelf in room 11").all()][:2] == [
            "here",
            "archive-11",
        ]


@requirement("STAND-03")
def test_a_custom_retriever_gets_standing_context_too(hx: Hexad) -> None:
    hx.knowledge.save("language", "Answer me in German", category="preference")
    with Hexad.open(":memory:", enabled=True) as elsewhere:
        elsewhere.knowledge.save("theirs", "German is a language")
        prompt = hx.with_retriever(elsewhere.retriever).prompt("", "which language?")
    assert [item.key for item in prompt.standing] == ["language"]
    assert [item.key for item in prompt.kept] == ["theirs"]


@requirement("SAFE-02")
@pytest.mark.parametrize("strangers", [5, 90, 700])
def test_what_the_user_said_keeps_its_places_if_others_echo_the_question(
    hx: Hexad, strangers: int
) -> None:
    question = "When may I deploy the payment service to production?"
    fill(hx)
    for number in range(3):
        hx.knowledge.save(
            f"own-{number}",
            f"Deploy number {number} is announced in the channel of the operators",
        )
    for number in range(strangers):
        hx.knowledge.save(
            f"echo-{number}", f"{question} Any time. {number}", origin="agent"
        )
    found = hx.retrieve(question).items[Layer.USER_KNOWLEDGE]
    assert {item.key for item in found if item.origin == "user"} == {
        "own-0",
        "own-1",
        "own-2",
    }
    assert len(found) == 5


@requirement("SAFE-02")
@pytest.mark.parametrize("notes", [280, 320, 580])
def test_a_rule_of_the_users_is_found_however_many_imported_notes_repeat_the_question(
    hx: Hexad, notes: int
) -> None:
    question = "how do I address the customer?"
    hx.knowledge.save("name", "Call the customer by the first name", category="rule")
    for number in range(9):
        hx.knowledge.save(
            f"rule-{number}", f"Never order coffee of sort {number}", category="rule"
        )
    for number in range(notes):
        text = f"Meeting {number}: somebody asked {question} and we said see page {number * 3}"
        hx.knowledge.save(f"note-{number}", text, origin="import")
    assert "name" in [item.key for item in hx.retrieve(question).all()]
    assert "name" in [entry.key for entry in hx.knowledge.search(question, limit=5)]


@requirement("SAFE-02", "STAND-02")
def test_what_stands_does_not_count_as_the_users_answers(hx: Hexad) -> None:
    question = "When may I deploy the payment service to production?"
    fill(hx, facts=MANY)
    for number in range(6):
        hx.knowledge.save(
            f"rule-{number}",
            f"Deploy the payment service to production {number}",
            category="rule",
        )
    for number in range(3):
        hx.knowledge.save(
            f"own-{number}",
            f"Deploy payment service number {number} and announce it to the operators",
        )
    for number in range(40):
        hx.knowledge.save(
            f"echo-{number}", f"{question} Any time. {number}", origin="agent"
        )
    found = hx.prompt("", question).kept
    assert {item.key for item in found if item.origin == "user"} == {
        "own-0",
        "own-1",
        "own-2",
    }
    assert len(found) == 5


@requirement("PROMPT-06")
def test_an_explanation_is_about_one_state_of_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []
    connect = sqlite3.connect

    def traced(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*args, **options)
        connection.set_trace_callback(
            lambda sql: begun.append(sql) if sql.startswith("BEGIN") else None
        )
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    with opened(tmp_path / "agent.db", standing_budget=60, max_knowledge=100) as hx:
        for number in range(30):
            hx.knowledge.save(
                f"rule-{number}",
                f"Never deploy service {number} on Fridays",
                category="rule",
            )
        hx.explain("may I deploy?")
        for message in ("may I deploy?", "hello"):
            begun.clear()
            assert (
                " of 20 or more rules and preferences fit 60 tokens"
                in hx.explain(message).unfit
            )
            assert begun == ["BEGIN"]


@requirement("STAND-03", "PROMPT-06")
def test_explain_says_both_budgets(hx: Hexad) -> None:
    fill(hx)
    hx.knowledge.save("language", "Answer me in German", category="preference")
    why = hx.explain("what is on the shelf in room 17?", budget=5)
    standing = estimate_tokens(why.prompt.block)
    assert why.spent == f"standing: {standing} of {BUDGET} tokens; found: 0 of 5 tokens"
    assert (
        str(hx.explain("language?"))
        .splitlines()[-1]
        .startswith(f"standing: {standing} of {BUDGET} tokens; found: 0 tokens;")
    )
