"""Agents and the entries of a person: they may repeat it, add to it, and propose; not
undo it.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hexad import Hexad
from hexad.agent_tools import agent_tools
from hexad.errors import InvalidInput
from hexad.model import ErrorCategory, Origin
from tests.mcp.mcp_support import MODES, ask, in_process, play, refusal, teach_greeting
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

GREETING: dict[str, Any] = {"kind": "template", "description": "Greet somebody"}


@pytest.fixture
def memory_hx() -> Iterator[Hexad]:
    with Hexad.open(":memory:", enabled=True, semantic=False) as engine:
        yield engine


@requirement("META-01", "KNOW-03")
@pytest.mark.parametrize("mode", MODES)
def test_an_agent_that_repeats_the_users_rule_changes_nothing(
    memory_hx: Hexad, mode: str
) -> None:
    rule = memory_hx.knowledge.save(
        "deploy",
        "Deploy on Tuesdays only",
        category="rule",
        tags=("ops",),
        subject="team",
        pinned=True,
    )

    async def scenario() -> None:
        async with in_process(memory_hx, mode=mode) as one:
            answer = await ask(
                one, "save_knowledge", key="deploy", content="Deploy on Tuesdays only"
            )
            assert answer == {
                "status": "ok",
                "key": "deploy",
                "version": 1,
                "category": "rule",
            }

    play(scenario())
    assert memory_hx.knowledge.get("deploy") == rule


@requirement("META-01", "SAVE-03", "KNOW-07")
@pytest.mark.parametrize("mode", MODES)
def test_an_agents_other_words_are_not_in_the_place_that_the_user_pinned(
    memory_hx: Hexad, mode: str
) -> None:
    memory_hx.knowledge.save(
        "deploy", "Deploy on Tuesdays only", category="rule", tags=("ops",), pinned=True
    )

    async def scenario() -> None:
        async with in_process(memory_hx, mode=mode) as one:
            answer = await ask(
                one, "save_knowledge", key="deploy", content="Deploy whenever you like"
            )
            assert (answer["status"], answer["accept"]) == (
                "proposed",
                f"hexad review {answer['proposal']}",
            )

    play(scenario())
    entry = memory_hx.knowledge.get("deploy")
    assert (entry.pinned, entry.origin, entry.content) == (
        True,
        Origin.USER,
        "Deploy on Tuesdays only",
    )
    assert memory_hx.proposals.list()[0].content == "Deploy whenever you like"


@requirement("KNOW-07")
def test_a_pin_ends_with_other_words_of_anybody_but_the_user_unless_it_is_given_with_them(
    memory_hx: Hexad,
) -> None:
    save = memory_hx.knowledge.save
    save("units", "Metric", pinned=True)
    assert save("units", "Always metric").pinned
    assert save("units", "Always metric", origin="agent", category="rule").pinned
    assert not save("units", "Imperial", origin="tool").pinned
    assert save("units", "Metric again", origin="agent", pinned=True).pinned


@requirement("META-01", "LEARN-04")
def test_an_agent_that_notes_a_known_error_again_leaves_its_category(
    memory_hx: Hexad,
) -> None:
    known = memory_hx.learnings.correct(
        trigger="tool:book", error_pattern="cannot read the day", fix="YYYY-MM-DD"
    )
    tools = {tool.__name__: tool for tool in agent_tools(memory_hx)}
    for more in (
        {"fix": "YYYY-MM-DD"},
        {"fix": "try again"},
        {"diagnosis": "days are written in many ways"},
        {},
    ):
        assert (
            tools["save_learning"]("tool:book", "cannot read the day", **more)["id"]
            == known.id
        )
        after = memory_hx.learnings.get(known.id)
        assert (after.category, after.origin, after.fix) == (
            ErrorCategory.USER_CORRECTION,
            Origin.USER,
            "YYYY-MM-DD",
        )
    assert after.diagnosis == "days are written in many ways"
    assert tools["save_learning"]("tool:book", "fully booked")["status"] == "ok"


@requirement("META-01", "SKILL-03")
@pytest.mark.parametrize("mode", MODES)
def test_a_skill_in_use_stays_in_use_when_an_agent_proposes_another(
    memory_hx: Hexad, mode: str
) -> None:
    teach_greeting(memory_hx)
    before = memory_hx.skills.get("greet")
    other = {**GREETING, "definition": {"template": "Bye {{ who }}"}}

    async def scenario() -> None:
        async with in_process(memory_hx, mode=mode) as one:
            sentence = await refusal(one, "create_skill", name="greet", **other)
            assert "is approved and in use" in sentence
            assert "under another name; a person can" in sentence
            ran = await ask(one, "run_skill", name="greet", parameters={"who": "Ada"})
            assert ran["result"]["output"] == "Hello Ada"
            await ask(one, "create_skill", name="farewell", **other)

    play(scenario())
    assert memory_hx.skills.get("greet").version == before.version
    assert memory_hx.skills.create("greet", **other).status == "draft"


@requirement("SKILL-03")
def test_where_skills_are_approved_by_themselves_an_agent_may_better_its_own() -> None:
    with opened(":memory:", auto_approve_skills=True) as hx:
        for text in ("Say hello", "Say good morning"):
            hx.skills.create(
                "greet",
                kind="instruction",
                description="Greet",
                definition={"text": text},
                origin="agent",
            )
        assert (hx.skills.get("greet").status, hx.skills.get("greet").version) == (
            "active",
            2,
        )


@requirement("SKILL-07", "META-01")
@pytest.mark.parametrize("mode", MODES)
def test_a_template_that_was_proposed_without_parameters_takes_what_it_uses(
    memory_hx: Hexad, mode: str
) -> None:
    async def scenario() -> None:
        async with in_process(memory_hx, mode=mode) as one:
            await ask(
                one,
                "create_skill",
                name="greet",
                definition={"template": "Hello {{ who }}"},
                **GREETING,
            )
            memory_hx.skills.activate("greet")
            ran = await ask(one, "run_skill", name="greet", parameters={"who": "Ada"})
            assert ran["result"]["output"] == "Hello Ada"
            assert "parameters.who: is missing" in await refusal(
                one, "run_skill", name="greet"
            )

    play(scenario())


@requirement("SKILL-08")
def test_a_script_without_parameters_says_where_they_are_described(
    memory_hx: Hexad,
) -> None:
    memory_hx.skills.create(
        "say",
        kind="script",
        description="Say it",
        definition={"script": 'echo "$word"'},
    )
    with pytest.raises(InvalidInput, match="the skill takes no parameters"):
        memory_hx.skills.run("say", {"word": "hey"}, dry_run=True)


@requirement("META-01", "SKILL-03")
def test_a_proposed_skill_comes_with_how_a_person_approves_it(tmp_path: Path) -> None:
    async def scenario() -> str:
        with opened(tmp_path / "a b.db", namespace="team") as hx:
            async with in_process(hx) as one:
                answer = await ask(
                    one,
                    "create_skill",
                    name="greet",
                    definition={"template": "Hello"},
                    **GREETING,
                )
                assert answer["approve"] in await refusal(
                    one, "run_skill", name="greet"
                )
                return str(answer["approve"])

    program, *arguments = shlex.split(play(scenario()))
    assert program == "hexad"
    done = subprocess.run(
        [sys.executable, "-m", "hexad", *arguments, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert '"greet"' in done.stdout
