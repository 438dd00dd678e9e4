"""Nothing relevant means nothing returned, and a caller can ask to see it all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad import Hexad, Layer, SessionRuntime
from hexad.context.candidates import Candidates, Measure
from hexad.context.floor import Floor
from hexad.context.layers import Fate
from hexad.context.matching import Matches
from hexad.context.policy import FEW
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FACTS = (
    "The release train leaves every second Thursday at noon",
    "Invoices above five thousand euros need two signatures",
    "The staging cluster is rebuilt from scratch every night",
    "Visitors get their badge at the reception on the ground floor",
    "Customer data must never leave the region it was collected in",
    "The on-call engineer answers a page within ten minutes",
)


@pytest.fixture(params=["words", "meaning"])
def furnished(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hexad]:
    with opened(
        tmp_path / "a.db", semantic=request.param == "meaning", max_knowledge=2000
    ) as hx:
        for number in range(120):
            hx.knowledge.save(
                f"entry-{number}", f"{FACTS[number % len(FACTS)]}, note {number}"
            )
        yield hx


@requirement("EVAL-03")
@pytest.mark.parametrize(
    "question",
    [
        "hello",
        "good morning, how are you doing today?",
        "what is the boiling point of mercury in kelvin?",
        "write me a poem about a lonely lighthouse keeper and his parrot",
        "who painted the ceiling of the chapel, and how long did the painter work on it?",
    ],
)
def test_a_question_about_nothing_stored_is_answered_with_nothing(
    furnished: Hexad, question: str
) -> None:
    assert furnished.retrieve(question).all() == ()


@requirement("EVAL-03")
@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("when does the release train leave?", "release train"),
        ("how many signatures does an invoice need?", "signatures"),
        ("where does a visitor get a badge?", "badge"),
    ],
)
def test_a_question_about_something_stored_is_answered_with_it(
    furnished: Hexad, question: str, found: str
) -> None:
    items = furnished.retrieve(question).all()
    assert items
    assert all(found in item.content for item in items[:3])


@requirement("EVAL-03", "KNOW-07", "RUN-06")
def test_pinned_entries_and_the_runtime_item_are_under_no_floor(
    furnished: Hexad,
) -> None:
    furnished.knowledge.save("units", "Always answer in metric units", pinned=True)
    hx = furnished.with_runtime_context(SessionRuntime())
    found = hx.retrieve("a poem about a lighthouse keeper", layers=list(Layer)).all()
    assert [item.key for item in found] == ["units", "session-state"]


@requirement("EVAL-03", "KNOW-05")
def test_a_search_shows_everything_that_matches(furnished: Hexad) -> None:
    question = "a poem about the reception of a lonely lighthouse keeper and his parrot in a storm at sea"
    assert not furnished.retrieve(question).all()
    assert furnished.knowledge.search(question, limit=3)


@requirement("EVAL-03", "PROMPT-06")
def test_explain_shows_what_was_below_the_floor(furnished: Hexad) -> None:
    explanation = furnished.explain(
        "a poem about the reception of a lonely lighthouse keeper and his parrot in a storm at sea"
    )
    judged = explanation.candidates[Layer.USER_KNOWLEDGE]
    assert judged
    assert {each.verdict for each in judged} == {Fate.TOO_LITTLE.value}
    assert explanation.prompt.text == ""


@requirement("EVAL-03", "CONF-03")
def test_the_floor_can_be_turned_off(tmp_path: Path) -> None:
    question = "a poem about the reception of a lonely lighthouse keeper and his parrot in a storm at sea"
    with opened(tmp_path / "a.db", floor=False, max_knowledge=2000) as hx:
        for number in range(120):
            hx.knowledge.save(
                f"entry-{number}", f"{FACTS[number % len(FACTS)]}, note {number}"
            )
        assert hx.retrieve(question).all()


@requirement("EVAL-03")
def test_among_few_entries_one_shared_word_is_a_sign(hx: Hexad) -> None:
    hx.knowledge.save("diet", "Alice is vegan and allergic to nuts")
    assert hx.retrieve(
        "what would be a good birthday cake for our colleague Alice from the office?"
    ).all()


@requirement("EVAL-03")
@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.integers(1, 40),
    st.integers(1, 10**6),
    st.integers(1, 10**6),
)
def test_more_of_a_question_never_falls_below_the_floor_where_less_is_above(
    words: float, more: float, lent: float, terms: int, rows: int, fewer: int
) -> None:
    measure = Measure(dict.fromkeys(map(str, range(terms)), 1.0), 5.0, float(terms))

    def answers(share: float, lent: float, rows: int) -> bool:
        matches = Matches(Candidates(measure, {1: share * terms}, rows=rows), terms)
        return Floor(matches, rows).answers(1, lent)

    low, high = sorted((words, more))
    assert answers(high, lent, rows) >= answers(low, lent, rows)
    assert answers(low, lent, rows) >= answers(low, 0.0, rows)
    fewer, more_rows = sorted((rows % FEW + 1, fewer % FEW + 1))
    assert answers(low, lent, fewer) >= answers(low, lent, more_rows)


@requirement("EVAL-03", "TOOL-01")
@pytest.mark.parametrize("greeting", ["hello", "hi", "ok", "thanks", "good morning"])
def test_a_greeting_brings_no_tools(furnished: Hexad, greeting: str) -> None:
    names = (
        "look_up_price",
        "book_hotel",
        "send_mail",
        "hide_column",
        "third_party_check",
    )
    tools = [
        {"name": f"{name}_{number}", "description": "Does what it says"}
        for name in names
        for number in range(8)
    ]
    hx = furnished.with_tool_registry(tools)
    assert hx.retrieve(greeting, layers=[Layer.TOOL_REGISTRY]).all() == ()


@requirement("EVAL-03", "PROMPT-06")
def test_explain_shows_which_tools_were_below_the_floor(furnished: Hexad) -> None:
    tools = [
        {"name": f"tool_{number}", "description": f"Reserve a room in city {number}"}
        for number in range(40)
    ]
    question = "explain the superconductors of the last century and their critical temperature in a room full of people"
    explanation = furnished.with_tool_registry(tools).explain(
        question, layers=[Layer.TOOL_REGISTRY]
    )
    assert {each.verdict for each in explanation.candidates[Layer.TOOL_REGISTRY]} == {
        Fate.TOO_LITTLE.value
    }


@requirement("KEY-02")
def test_a_single_letter_is_no_keyword_and_still_tells_two_entries_apart() -> None:
    with opened(":memory:", semantic=False) as hx:
        hx.knowledge.save("first", "Swap the items b and c of the list")
        hx.knowledge.save("second", "Swap the items x and y of the list")
        found = hx.retrieve("swap the items b and c of the list")
        assert found.all()[0].key == "first"
        assert "b" not in found.keywords


@requirement("EVAL-03")
def test_in_a_large_memory_the_best_entry_must_be_better_than_chance(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a.db", semantic=False, max_knowledge=2000) as hx:
        for number in range(600):
            hx.knowledge.save(
                f"entry-{number}", f"{FACTS[number % len(FACTS)]}, note {number}"
            )
        assert not hx.retrieve(
            "write me a poem about a lonely lighthouse keeper, his parrot and the reception of a radio"
        )
        assert hx.retrieve("who gets a badge at the reception?")
