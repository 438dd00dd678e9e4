"""Everyday memories: a few entries, any language, small talk, and an embedder that is
not there yet.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hexad import Hexad, Layer
from hexad.semantic import LazySimilarity, is_english
from hexad.settings import NO_EMBEDDER
from hexad.text.detection import detect
from hexad_evals.life import live, read_lives
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Sequence

LIFE = Path(__file__).parents[1] / "life"
FACTS = (
    "We use pnpm, not npm",
    "Deploy only on Tuesdays",
    "My daughter Lea is allergic to peanuts",
    "The retrospective is in May",
    "Our server answers ok on the path health",
    "The office is on the third floor",
)


def keys(hx: Hexad, question: str) -> list[str]:
    return [
        item.key for item in hx.retrieve(question, layers=[Layer.USER_KNOWLEDGE]).all()
    ]


def save(hx: Hexad, *facts: str) -> None:
    for number, fact in enumerate(facts):
        hx.knowledge.save(f"f{number}", fact)


@requirement("SMALL-04")
@pytest.mark.parametrize("semantic", [False, True], ids=["words", "meaning"])
@pytest.mark.parametrize(
    "message",
    [
        *(
            "hello",
            "ok",
            "thanks!",
            "good morning",
            "Good Morning",
            "what time is it?",
            "May I?",
        ),
        *(
            "that doesn't work",
            "good job!",
            "what is your name?",
            "Guten Morgen, wie geht es dir?",
        ),
        *(
            "merci beaucoup",
            "buenos días",
            "grazie mille",
            "谢谢",
            "你好",
            "おはようございます",
            "ありがとう",
        ),
        *("안녕하세요", "감사합니다"),
    ],
)
def test_a_greeting_or_small_talk_finds_nothing(message: str, semantic: bool) -> None:
    with opened(":memory:", semantic=semantic) as hx:
        save(
            hx,
            *FACTS,
            "I work nights",
            "My wife's name is Mia",
            "Der Morgen gehört dem Sport",
            "我们今天发布新版本",
            "我喜欢吃辣，越辣越好",
            "朝は会議があります",
            "오늘 회의가 있습니다",
        )
        assert keys(hx, message) == []


@requirement("SMALL-04")
def test_what_anybody_may_ask_needs_a_closer_entry_than_what_somebody_asks_of_their_own() -> (
    None
):
    (team,) = read_lives(LIFE / "a-parcel-team")
    with opened(":memory:", semantic=True, standing_budget=400) as hx:
        for key, (text, category) in team.facts.items():
            hx.knowledge.save(key, text, category=category)
        for foreign in (
            "what's the weather in Oslo",
            "what's 15% of 240",
            "What is the plot of Moby Dick?",
        ):
            assert hx.prompt("", foreign).kept == ()
        assert "jdk" in {
            item.key for item in hx.prompt("", "which java do I need").kept
        }


@requirement("SMALL-01")
def test_an_entry_that_only_repeats_words_of_a_better_one_is_not_found_beside_it() -> (
    None
):
    with opened(":memory:", semantic=False) as hx:
        save(
            hx,
            "Tests of the server run on anvil",
            "The server listens on port 7777",
            "Anvil has sixteen cores",
        )
        assert keys(hx, "Where do the server tests run?") == ["f0", "f1"]
        save(hx, *(f"Shed {number} is in the yard" for number in range(20)))
        save(
            hx,
            "Tests of the server run on anvil",
            "The server listens on port 7777",
            "Anvil has sixteen cores",
        )
        assert keys(hx, "Where do the server tests run?") == ["f0"]
        assert keys(hx, "Which port has the server, and how many cores?") == [
            "f1",
            "f2",
        ]


@requirement("SMALL-01")
def test_what_is_known_about_a_person_whom_the_message_names_stays_beside_a_better_match() -> (
    None
):
    with opened(":memory:", semantic=False) as hx:
        save(
            hx,
            "I hold the speech for Petra in the town hall",
            "My sister Petra is getting married in June",
        )
        for number in range(40):
            hx.knowledge.save(f"shed-{number}", f"Shed {number} is in the yard")
        assert keys(hx, "Help me with my speech for Petra in the hall") == ["f0", "f1"]


@requirement("SMALL-04", "KEY-02")
def test_an_everyday_word_that_is_written_like_a_name_inside_a_sentence_is_one() -> (
    None
):
    with opened(":memory:", semantic=False) as hx:
        save(hx, "The backend is Go 1.22, one module", *FACTS)
        assert keys(hx, "Which Go release are we on?") == ["f0"]
        assert keys(hx, "Where do we go now?") == []


@requirement("SMALL-01")
def test_among_few_entries_a_weaker_match_is_found_and_among_many_it_is_not(
    hx: Hexad,
) -> None:
    question = (
        "Please write a friendly letter to all parents about peanuts, sunscreen, tents, torches, lanterns, raincoats, "
        "blankets, sandals, guitars, marshmallows, bonfires, canoes, paddles, badminton, volleyball and hammocks"
    )
    save(hx, *FACTS)
    assert keys(hx, question) == ["f2"]
    for number in range(1200):
        hx.knowledge.save(f"other-{number}", f"Invoice {number} was paid")
    assert "f2" not in keys(hx, question)


@requirement("SMALL-01", "SMALL-03")
@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("Ausgeliefert wird nur dienstags", "Darf ich heute ausliefern?"),
        ("Die Winterreifen liegen im Keller", "Wo sind die Reifen?"),
        (
            "Der Ersatzschlüssel liegt bei Familie Obermaier",
            "Wer hat noch einen Schlüssel für uns?",
        ),
        ("Wir heizen mit Pellets", "Womit wird bei uns geheizt?"),
        ("私は卵アレルギーです", "卵焼きを食べてもいい？"),
        ("배포는 화요일에만 합니다", "배포해도 되는 날이 언제예요?"),
        ("リリースは火曜日だけにしています", "リリースしていいのは何曜日ですか？"),
        ("只能在星期二发布新版本", "星期几可以发布？"),
    ],
)
@pytest.mark.parametrize("semantic", [False, True], ids=["words", "meaning"])
def test_ordinary_forms_of_words_are_found_also_beside_vectors_of_others(
    fact: str, question: str, semantic: bool
) -> None:
    with opened(":memory:", semantic=semantic) as hx:
        hx.knowledge.save("expected", fact)
        save(hx, *FACTS)
        assert keys(hx, question)[:1] == ["expected"]


@requirement("SMALL-03")
@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "german",
            [
                "Ausgeliefert wird nur dienstags.",
                "Bitte duze mich.",
                "Der Hauptwasserhahn ist im Keller.",
            ],
        ),
        (
            "italian",
            [
                "Sono vegetariano.",
                "Dove abito?",
                "Mia moglie Giulia non tollera il lattosio.",
                "Il cane ha paura dei tuoni.",
            ],
        ),
        (
            "spanish",
            [
                "Los viernes no se despliega nada.",
                "Vivo en Madrid.",
                "¿Puedo probar las croquetas?",
                "Trátame de tú.",
            ],
        ),
        (
            "french",
            ["Je suis végétarienne.", "Ma fille est allergique aux fruits de mer."],
        ),
        (
            None,
            [
                "I am vegetarian.",
                "The café is closed on Mondays.",
                "def send(to: str) -> None",
                "git push --force",
            ],
        ),
    ],
)
def test_languages_are_distinguished(language: str | None, texts: list[str]) -> None:
    assert [detect(text) for text in texts] == [language] * len(texts)
    assert all(is_english(text) == (language is None) for text in texts)


@requirement("SMALL-01", "SMALL-03")
def test_a_text_that_the_embedder_cannot_read_has_no_vector_and_is_not_missed(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a.db", semantic=True) as hx:
        save(hx, "只能在星期二发布新版本", "Deploy only on Tuesdays")
        with hx.store.reading("default") as view:
            name = hx._engine.workspace.similarity.name  # type: ignore[union-attr]
            assert len(view.vector_numbers(Layer.USER_KNOWLEDGE, name)) == 1
        assert hx.without_vector() == 0
        assert hx.reindex() == 0


class Slow:
    """An embedder that is being loaded until a test lets it go on."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def made(self) -> Slow:
        self.go.wait(60)
        return self

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        return np.array(
            [[len(text), text.count("e"), 1.0] for text in texts], np.float32
        )


@requirement("SMALL-02")
def test_while_an_embedder_loads_words_answer_and_it_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    slow = Slow()
    similarity = LazySimilarity("slow", slow.made)
    with caplog.at_level(logging.WARNING, "hexad"):
        assert not similarity.ready()
        assert not similarity.ready()
    assert caplog.text.count("search by meaning is not ready") == 1
    slow.go.set()
    assert similarity.ready(60)
    assert similarity.name == "slow/3"


@requirement("SMALL-02", "EVAL-04")
def test_an_embedder_that_hangs_or_fails_costs_no_answer(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", semantic=False) as hx:
        save(hx, *FACTS)
    held = threading.Event()

    def hanging(texts: Sequence[str]) -> np.ndarray:
        held.wait(60)
        return np.ones((len(texts), 3), np.float32)

    with opened(
        tmp_path / "a.db",
        semantic=True,
        embedder=hanging,
        embedder_name="hanging",
        layer_deadline=4,
    ) as hx:
        found = hx.retrieve("when do we deploy?")
        assert [item.key for item in found.all()] == ["f1"]
        assert not found.failures
        assert not hx.ready(0.01)
        held.set()
        assert hx.ready(60) or hx.ready(
            60
        )  # the first may wait for a load that was given up


@requirement("SMALL-02")
def test_without_search_by_meaning_nothing_is_ready(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", semantic=False) as hx:
        assert not hx.ready(0)
    assert not Hexad.open(tmp_path / "off.db").ready(0)


@requirement("SMALL-01", "EVAL-01")
def test_the_everyday_memories_are_answered_as_well_as_they_were() -> None:
    lives = {life.name: life for life in read_lives(LIFE)}
    for kind in (
        {"nine-facts", "german"},
        {"chinese-long"},
        {"korean-long"},
        {"german-long"},
        {"japanese-long"},
    ):
        figures = live(
            [lives[name] for name in kind], lambda *_: None, embedder=NO_EMBEDDER
        ).json
        assert figures["given"] >= 0.85, kind
        assert figures["first"] >= 0.9, kind
        assert figures["noise"] <= 0.5, kind
        assert figures["silent"] >= 0.9, kind


@requirement("SMALL-01", "SMALL-04", "EVAL-01")
def test_forty_facts_of_a_life_are_answered_by_meaning_with_little_beside() -> None:
    (life,) = (life for life in read_lives(LIFE) if life.name == "a-life-of-forty")
    figures = live([life], lambda *_: None).json
    assert figures["given"] >= 0.92
    assert figures["noise"] <= 0.5
    assert (
        figures["silent"] >= 0.85
    )  # 13 of 15: an opera is near the choir that somebody sings in
