"""The ranking of threads and subjects, and that each signal keeps to its weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad import Layer
from hexad.context import ranking
from hexad.context.candidates import Measure
from hexad.context.keywords import extract
from hexad.context.ranking import Ranking
from hexad.store import Sketch
from hexad.text.document import Document
from tests.support import requirement

if TYPE_CHECKING:
    from hexad import Hexad


def talk(hx: Hexad, thread: str, *said: tuple[str, str]) -> None:
    for position, (speaker, text) in enumerate(said):
        hx.knowledge.save(
            f"{thread}-{position}",
            text,
            subject=speaker,
            thread=thread,
            position=position,
        )


def keys(hx: Hexad, question: str) -> list[str]:
    return [
        item.key for item in hx.retrieve(question, layers=[Layer.USER_KNOWLEDGE]).all()
    ]


@requirement("CTX-07")
def test_an_answer_is_found_by_the_words_of_the_question_before_it(hx: Hexad) -> None:
    talk(
        hx,
        "monday",
        ("Ann", "Nice weather today"),
        ("Ann", "Which restaurant did you choose for the anniversary?"),
        ("Bob", "The little one by the harbour"),
        ("Ann", "Lovely, see you there"),
    )
    assert keys(hx, "anniversary restaurant")[:2] == ["monday-1", "monday-2"]
    (_, answer, *_) = hx.retrieve("anniversary restaurant").items[Layer.USER_KNOWLEDGE]
    assert "neighbours" in {reason.signal for reason in answer.reasons}
    assert sum(reason.value for reason in answer.reasons) == pytest.approx(answer.score)


@requirement("CTX-07")
def test_a_long_turn_speaks_for_itself(hx: Hexad) -> None:
    long = (
        "The weather of the coast is mild and the ferries run every day of the year "
        * 16
    )
    talk(
        hx,
        "monday",
        ("Ann", "Which city shall we visit?"),
        ("Bob", "Lisbon."),
        ("Ann", "Good."),
    )
    talk(
        hx,
        "tuesday",
        ("Ann", "Which city shall we visit?"),
        ("Bob", long),
        ("Ann", "Good."),
    )
    found = {
        item.key: item
        for item in hx.retrieve("which city to visit", max_per_layer=9).all()
    }
    assert "monday-1" in found
    assert "tuesday-1" not in found


@requirement("CTX-07")
def test_neighbours_lend_within_their_thread_only(hx: Hexad) -> None:
    talk(hx, "monday", ("Ann", "The anniversary restaurant is booked"))
    hx.knowledge.save("elsewhere", "Nothing of the kind", thread="tuesday", position=1)
    hx.knowledge.save("threadless", "Nothing of the kind either")
    assert keys(hx, "anniversary restaurant") == ["monday-0"]


@requirement("CTX-07", "KNOW-06")
def test_a_subject_that_the_question_names_is_preferred_and_its_name_counts_little(
    hx: Hexad,
) -> None:
    talk(
        hx,
        "chat",
        ("Caroline", "Caroline: hello Melanie"),
        ("Melanie", "I painted a sunrise at the lake"),
        ("Caroline", "Melanie, I painted a horse at the lake"),
        ("Melanie", "Something else"),
    )
    first = hx.retrieve("what did Melanie paint at the lake?").items[
        Layer.USER_KNOWLEDGE
    ][0]
    assert first.key == "chat-1"
    assert {reason.signal for reason in first.reasons} >= {"subject", "words"}
    assert all(
        reason.value < 0.1 for reason in first.reasons if "melanie" in reason.detail
    )


@requirement("CTX-07")
def test_a_question_of_nothing_but_a_name_finds_what_is_about_it(hx: Hexad) -> None:
    hx.knowledge.save("horse", "Likes horses", subject="Caroline")
    hx.knowledge.save("sunrise", "Paints", subject="Melanie")
    assert keys(hx, "Caroline?") == ["horse"]


@requirement("CTX-07", "STORE-06")
def test_a_name_is_a_subject_only_where_something_is_about_it(hx: Hexad) -> None:
    hx.scoped(namespace="other").knowledge.save("x", "Likes horses", subject="Caroline")
    hx.knowledge.save("a", "Caroline likes horses")
    hx.knowledge.save("b", "Horses are large")
    assert keys(hx, "Caroline horses")[0] == "a"


terms = st.lists(
    st.sampled_from(["deploy", "window", "tuesday", "cluster", "budget"]),
    min_size=1,
    max_size=6,
)


@requirement("CTX-07", "CTX-08")
@given(
    terms,
    terms,
    st.floats(0, 1),
    st.integers(0, 10**9),
    st.floats(0, 1),
    st.integers(0, 10**16),
    st.sampled_from(["user", "agent", "tool", "import"]),
)
def test_everything_but_words_adds_at_most_its_weight(
    asked: list[str],
    body: list[str],
    words: float,
    uses: int,
    relevance: float,
    age: int,
    origin: str,
) -> None:
    query = extract(" ".join(asked))
    measure = Measure(dict.fromkeys(query.terms, 1.0), 5.0, float(len(query.terms)))
    packed = Document(("name",), tuple(body)).pack()
    sketch = Sketch(1, "id", packed, origin, 10**16 - age, uses, relevance)
    value = Ranking(query, measure, 10**16).score(words, sketch)
    assert words <= value <= words + ranking.SLACK if words else value == 0
