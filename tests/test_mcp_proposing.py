"""What an agent may do with what a person has said or approved: repeat it, add to it, and propose; not undo it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from hexad import Hexad
from hexad.agent_tools import agent_tools
from hexad.model import Category, ErrorCategory, Origin
from tests.mcp_support import MODES, in_process, play, told
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def memory_hx() -> Iterator[Hexad]:
    with Hexad.open(":memory:", enabled=True, semantic=False) as engine:
        yield engine


@requirement("META-01", "KNOW-03")
@pytest.mark.parametrize("mode", MODES)
def test_an_agent_that_repeats_the_users_rule_changes_nothing(memory_hx: Hexad, mode: str) -> None:
    rule = memory_hx.knowledge.save(
        "deploy", "Deploy on Tuesdays only", category="rule", tags=("ops",), subject="team", pinned=True
    )

    async def scenario() -> None:
        async with in_process(memory_hx, mode=mode) as one:
            answer = await told(one, "save_knowledge", key="deploy", content="Deploy on Tuesdays only")
            assert answer == {"status": "ok", "key": "deploy", "version": 1, "category": "rule"}

    play(scenario())
    assert memory_hx.knowledge.get("deploy") == rule


@requirement("META-01", "KNOW-03", "KNOW-07")
@pytest.mark.parametrize("mode", MODES)
def test_an_agents_other_words_are_not_in_the_place_that_the_user_pinned(memory_hx: Hexad, mode: str) -> None:
    memory_hx.knowledge.save("deploy", "Deploy on Tuesdays only", category="rule", tags=("ops",), pinned=True)

    async def scenario() -> None:
        async with in_process(memory_hx, mode=mode) as one:
            answer = await told(one, "save_knowledge", key="deploy", content="Deploy whenever you like")
            assert (answer["version"], answer["category"], answer["unpinned"]) == (2, "rule", True)

    play(scenario())
    entry = memory_hx.knowledge.get("deploy")
    assert (entry.pinned, entry.origin, entry.category, entry.tags) == (False, Origin.AGENT, Category.RULE, ("ops",))
    assert memory_hx.knowledge.history("deploy")[-1].content == "Deploy on Tuesdays only"


@requirement("KNOW-07")
def test_a_pin_ends_with_other_words_of_anybody_but_the_user_unless_it_is_given_with_them(memory_hx: Hexad) -> None:
    save = memory_hx.knowledge.save
    save("units", "Metric", pinned=True)
    assert save("units", "Always metric").pinned
    assert save("units", "Always metric", origin="agent", category="rule").pinned
    assert not save("units", "Imperial", origin="tool").pinned
    assert save("units", "Metric again", origin="agent", pinned=True).pinned


@requirement("META-01", "LEARN-04")
def test_an_agent_that_notes_a_known_error_again_leaves_its_category(memory_hx: Hexad) -> None:
    known = memory_hx.learnings.correct(trigger="tool:book", error_pattern="cannot read the day", fix="YYYY-MM-DD")
    tools = {tool.__name__: tool for tool in agent_tools(memory_hx)}
    for more in ({"fix": "YYYY-MM-DD"}, {"fix": "try again"}, {"diagnosis": "days are written in many ways"}, {}):
        assert tools["save_learning"]("tool:book", "cannot read the day", **more)["id"] == known.id
        after = memory_hx.learnings.get(known.id)
        assert (after.category, after.origin, after.fix) == (ErrorCategory.USER_CORRECTION, Origin.USER, "YYYY-MM-DD")
    assert after.diagnosis == "days are written in many ways"
    assert tools["save_learning"]("tool:book", "fully booked")["status"] == "ok"
