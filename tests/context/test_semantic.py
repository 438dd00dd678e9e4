"""Search by meaning: vectors with the rows, one embedder at a time, and words without
it.
"""

from __future__ import annotations

import functools
import logging
import subprocess
import sys
import threading
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
import pytest

from hexad import Hexad, Layer
from hexad.cli import main
from hexad.errors import ConfigError, EmbedderFailed, InvalidInput, MissingExtra
from hexad.memory.index.similarity import embedded_text, without_words
from hexad.model import Fields
from hexad.semantic import LazySimilarity, Weight, own_similarity, static_similarity
from hexad.semantic.static import StaticEmbedder
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

WORDS = ("deploy", "release", "lunch", "food", "printer")


def counting(texts: Sequence[str]) -> np.ndarray:
    """An embedder that anyone can follow: releasing and deploying are one thing, lunch
    and food another.
    """
    same = {"release": "deploy", "food": "lunch", "shipping": "deploy"}
    rows = [
        [
            sum(same.get(word, word) == known for word in text.lower().split())
            for known in WORDS
        ]
        for text in texts
    ]
    return np.array(rows, dtype=float) + 0.01


def broken(texts: Sequence[str]) -> np.ndarray:
    raise RuntimeError(f"no connection for {len(texts)} texts")


@pytest.fixture(params=["memory", "sqlite"])
def near(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock
) -> Iterator[Hexad]:
    """An engine with the extra, on each store."""
    place = ":memory:" if request.param == "memory" else tmp_path / "near.db"
    with opened(place, clock=clock, semantic=True, max_knowledge=1000) as engine:
        yield engine


def keys(hx: Hexad, question: str, layer: Layer = Layer.USER_KNOWLEDGE) -> list[str]:
    return [item.key for item in hx.retrieve(question, layers=[layer]).all()]


def furnish(hx: Hexad) -> None:
    hx.knowledge.save("car", "The automobile is parked behind the house")
    hx.knowledge.save("meal", "We eat supper at seven in the evening")
    hx.knowledge.save("server", "The database cluster runs in Frankfurt")
    hx.knowledge.save("holiday", "The office is closed in the last week of December")


@requirement("EVAL-04")
def test_an_entry_is_found_by_its_meaning_where_no_word_is_shared(near: Hexad) -> None:
    furnish(near)
    assert keys(near, "vehicle garage")[:1] == ["car"]
    (first, *_) = near.retrieve("vehicle garage").all()
    assert {reason.signal for reason in first.reasons} >= {"meaning"}
    assert sum(reason.value for reason in first.reasons) == pytest.approx(first.score)


@requirement("EVAL-04")
def test_without_the_extra_everything_is_found_by_words(hx: Hexad) -> None:
    furnish(hx)
    assert keys(hx, "where is the automobile?") == ["car"]
    assert keys(hx, "vehicle garage") == []
    assert hx.without_vector() is None
    with pytest.raises(ConfigError, match="semantic"):
        hx.reindex()


@requirement("EVAL-04")
def test_what_is_not_installed_is_named_with_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hexad.semantic.find_spec", lambda _name: None)
    with opened(":memory:", semantic=True) as hx:
        hx.knowledge.save("window", "release on Tuesdays")
        assert keys(hx, "when may I release?") == ["window"]
        with pytest.raises(MissingExtra, match=r"\[semantic\]"):
            hx.reindex()
    with pytest.raises(MissingExtra, match=r"\[semantic\]"):
        opened(":memory:", semantic=True, embedder=counting)


@requirement("EVAL-04", "TOOL-04")
def test_tools_are_found_by_meaning_too(near: Hexad) -> None:
    tools = [
        {"name": "send_mail", "description": "Write an e-mail to somebody"},
        {
            "name": "convert_currency",
            "description": "Turn an amount of money into another currency",
        },
        {"name": "weather", "description": "Gives temperature and rain for a city"},
    ]
    hx = near.with_tool_registry(tools)
    assert keys(hx, "exchange dollars for euros", Layer.TOOL_REGISTRY)[:1] == [
        "convert_currency"
    ]


@requirement("EVAL-04")
def test_a_change_a_deletion_and_a_new_entry_are_seen_by_the_next_question(
    near: Hexad,
) -> None:
    furnish(near)
    assert keys(near, "vehicle garage")[:1] == ["car"]
    near.knowledge.delete("car")
    near.knowledge.save("note", "An automobile in the yard")
    assert keys(near, "vehicle garage")[:1] == ["note"]
    near.knowledge.save("note", "Bread is baked on Saturdays")
    assert keys(near, "vehicle garage") == []
    near.knowledge.save("van", "Trucks and an automobile are parked here")
    assert keys(near, "vehicle garage")[:1] == ["van"]
    near.knowledge.delete("van")
    assert keys(near, "vehicle garage") == []
    near.knowledge.undelete("van")
    assert keys(near, "vehicle garage")[:1] == ["van"]


@requirement("EVAL-04", "STORE-06")
def test_meaning_stays_within_its_namespace(near: Hexad) -> None:
    furnish(near.scoped(namespace="theirs"))
    near.knowledge.save("server", "The database cluster runs in Frankfurt")
    assert keys(near, "vehicle garage") == []


@requirement("EVAL-04", "KNOW-04")
def test_forgetting_erases_the_vector_too(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with opened(path, semantic=True) as hx:
        hx.knowledge.save("secret", "The automobile is parked behind the house")
        vector = static_similarity().embed(
            [embedded_text(hx.knowledge.get("secret").fields())]
        )[0]
        hx.knowledge.save("other", "something else")
        assert vector in b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert hx.knowledge.forget("secret").erased
        assert vector not in b"".join(file.read_bytes() for file in tmp_path.iterdir())


@requirement("EVAL-04")
def test_reindex_embeds_what_is_missing_and_nothing_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with opened(path, semantic=False) as hx:
        furnish(hx)
        hx.scoped(namespace="other").references.save(
            "r", location="l", summary="automobile repairs"
        )
    shown: list[tuple[int, int]] = []
    with opened(path, semantic=True) as hx:
        assert hx.without_vector() == 5
        assert keys(hx, "the automobile") == ["car"]
        assert keys(hx, "vehicle garage") == []
        assert hx.reindex(progress=lambda done, total: shown.append((done, total))) == 5
        assert keys(hx, "vehicle garage")[:1] == ["car"]
        assert hx.reindex() == hx.without_vector() == 0
    assert shown[-1] == (5, 5)


@requirement("EVAL-04")
def test_searching_and_saving_go_on_while_an_embedder_is_switched(
    tmp_path: Path,
) -> None:
    path, found, shown = tmp_path / "a.db", list[list[str]](), list[tuple[int, int]]()
    with opened(path, semantic=True, embedder=counting, embedder_name="first") as hx:
        hx.knowledge.save("window", "release on Tuesdays")
        hx.knowledge.save("canteen", "food at noon")
        with opened(
            path, semantic=True, embedder=counting, embedder_name="second"
        ) as switched:

            def meanwhile(done: int, total: int) -> None:
                shown.append((done, total))
                found.append(keys(hx, "shipping"))
                switched.knowledge.save("printer", f"printer {done}")

            switched.reindex(progress=meanwhile)
            assert keys(switched, "shipping") == ["window"]
    assert shown[-1] == (2, 2)
    assert found == [["window"]] * len(found)


@requirement("EVAL-04")
def test_the_command_reindexes_and_the_doctor_says_when_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "a.db")
    with opened(path, semantic=False) as hx:
        furnish(hx)
    monkeypatch.setenv("HEXAD_SEMANTIC", "true")
    assert main(["doctor", "--db", path]) == 0
    assert "found by words only; run: `hexad reindex" in capsys.readouterr().out
    assert main(["reindex", "--db", path]) == 0
    assert capsys.readouterr().out == "4 rows embedded\n"
    assert main(["reindex", "--db", path]) == 0
    assert "already" in capsys.readouterr().out
    monkeypatch.setenv("HEXAD_SEMANTIC", "false")
    assert main(["reindex", "--db", path]) == 2
    assert "'semantic': is false" in capsys.readouterr().err


@requirement("EVAL-04")
def test_anybodys_embedder_takes_the_place_of_the_static_one(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", semantic=True, embedder=counting) as hx:
        hx.knowledge.save("window", "release on Tuesdays")
        hx.knowledge.save("canteen", "food at noon")
        assert keys(hx, "shipping") == ["window"]


@requirement("EVAL-04")
def test_embedders_are_never_mixed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with opened(path, semantic=True, embedder=counting, embedder_name="first") as hx:
        hx.knowledge.save("window", "release on Tuesdays")
        assert keys(hx, "shipping") == ["window"]
    with opened(path, semantic=True, embedder=counting, embedder_name="second") as hx:
        assert keys(hx, "shipping") == []
        hx.knowledge.save("canteen", "food at noon")
        assert hx.without_vector() == 1
        assert hx.reindex() == 1
        assert keys(hx, "shipping") == ["window"]
    with opened(path, semantic=True) as hx:
        assert hx.without_vector() == 2
    with opened(path, semantic=True, embedder=counting, embedder_name="first") as hx:
        assert keys(hx, "shipping") == ["window"]
        assert hx.without_vector() == 1


@requirement("EVAL-04")
@pytest.mark.parametrize(
    "bad",
    [
        broken,
        lambda texts: np.zeros((len(texts) + 1, 3)),
        lambda texts: np.full((len(texts), 3), np.nan),
        lambda _texts: ["no", "vectors"],
    ],
)
def test_an_embedder_that_fails_loses_no_entry_and_no_answer(
    tmp_path: Path, bad: object, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        opened(
            tmp_path / "a.db", semantic=True, embedder=bad, embedder_name="bad"
        ) as hx,
        caplog.at_level(logging.WARNING, "hexad"),
    ):
        assert hx.knowledge.save("window", "release on Tuesdays").version == 1
        assert "saved without a vector" in caplog.text
        assert keys(hx, "when may I release?") == ["window"]
        with pytest.raises(EmbedderFailed, match="bad"):
            hx.reindex()


@requirement("EVAL-04")
def test_what_is_no_embedder_is_an_error_that_says_so() -> None:
    with pytest.raises(
        ConfigError, match="must be one of static, encoder, none, not 'wordllama'"
    ):
        opened(":memory:", semantic=True, embedder="wordllama")
    with pytest.raises(InvalidInput, match="embedder"):
        opened(":memory:", semantic=True, embedder=7)
    with pytest.raises(InvalidInput, match="embedder_name"):
        opened(":memory:", semantic=True, embedder=counting, embedder_name=" ")
    with pytest.raises(InvalidInput, match="embedder_name"):
        opened(":memory:", semantic=True, embedder=lambda texts: counting(texts))  # noqa: PLW0108


@requirement("EVAL-04", "STORE-04")
def test_a_restored_backup_is_found_by_meaning(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", semantic=True) as hx:
        furnish(hx)
        hx.backup(tmp_path / "b.jsonl")
    with opened(tmp_path / "new.db", semantic=True) as back:
        back.restore(tmp_path / "b.jsonl")
        assert keys(back, "vehicle garage")[:1] == ["car"]


@requirement("EVAL-04", "KNOW-05")
def test_a_search_by_meaning_keeps_to_its_category(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db", semantic=True, embedder=counting) as hx:
        for number in range(80):
            hx.knowledge.save(f"f{number}", "release release", category="fact")
            hx.knowledge.save(f"o{number}", "printer", category="fact")
            hx.knowledge.save(f"p{number}", "printer printer", category="fact")
        hx.knowledge.save("rule", "release the printer", category="rule")
        assert [
            item.key for item in hx.knowledge.search("shipping", category="rule")
        ] == ["rule"]


@requirement("EVAL-04", "CTX-08")
def test_both_stores_give_the_same_items_with_the_same_scores(
    tmp_path: Path, clock: FixedClock
) -> None:
    shown = []
    for place in (":memory:", tmp_path / "a.db"):
        with opened(place, clock=clock, semantic=True, max_knowledge=100) as hx:
            furnish(hx)
            hx.scoped(namespace="other").knowledge.save("x", "vehicles and garages")
            hx.knowledge.save("twin-1", "a lorry in the yard")
            hx.knowledge.save("twin-2", "a lorry in the yard")
            shown.append(
                [(item.key, item.score) for item in hx.retrieve("vehicle garage").all()]
            )
    assert shown[0] == shown[1]


@requirement("EVAL-04", "STORE-02")
def test_a_child_of_fork_asks_by_meaning_with_vectors_of_its_own(
    tmp_path: Path,
) -> None:
    script = """
import os, sys
from hexad import Hexad
hx = Hexad.open(sys.argv[1], enabled=True)
hx.knowledge.save("car", "The automobile is parked behind the house")
assert [item.key for item in hx.retrieve("vehicle garage").all()] == ["car"]
child = os.fork()
if child == 0:
    found = [item.key for item in hx.retrieve("vehicle garage").all()]
    os._exit(0 if found == ["car"] else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
hx.knowledge.save("van", "A lorry stands in the garage")
assert [item.key for item in hx.retrieve("vehicle garage").all()] == ["van", "car"]
"""
    environment = {"HEXAD_SEMANTIC": "true", "PATH": "", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", script, str(tmp_path / "a.db")]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr


@requirement("EVAL-04", "STORE-05")
def test_opening_an_engine_loads_neither_numpy_nor_weights(tmp_path: Path) -> None:
    script = """
import sys
from hexad import Hexad
hx = Hexad.open(sys.argv[1], enabled=True)
hx.retrieve("anything at all")
print([name for name in ("numpy", "tokenizers", "wordllama") if name in sys.modules])
"""
    command = [sys.executable, "-c", script, str(tmp_path / "a.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@requirement("EVAL-04")
def test_static_embeddings_put_like_near_like_and_split_identifiers() -> None:
    embed = StaticEmbedder.load()
    one, other, far, name = embed(
        [
            "buy a car",
            "purchase an automobile",
            "the violin concert",
            "purchaseAutomobile",
        ]
    )

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    assert cosine(one, other) > cosine(one, far) + 0.3
    assert cosine(other, name) > 0.7
    assert not embed([""]).any()


@requirement("EVAL-04")
def test_what_is_embedded_is_the_body_with_what_is_new_in_the_name_and_without_the_subject() -> (
    None
):
    assert (
        embedded_text(Fields("deploy-window", "Deploy on Tuesdays"))
        == "window Deploy on Tuesdays"
    )
    assert (
        embedded_text(Fields("x17", "Ann: I like tea, said ann", subject="Ann"))
        == ": I like tea, said"
    )
    assert without_words("where does Bob live, bob?", ["bob"]) == "where does live, ?"


@requirement("EVAL-04")
def test_the_nearest_of_very_many_texts_are_those_that_comparing_all_of_them_finds() -> (
    None
):
    random = np.random.default_rng(7)
    vectors = {
        str(number): vector
        for number, vector in enumerate(random.standard_normal((20_000, 70)))
    }

    def drawn(texts: Sequence[str]) -> np.ndarray:
        return np.array([vectors.get(text, np.ones(70)) for text in texts])

    space = own_similarity(drawn, "drawn", patience=10.0).space(list(vectors))
    rows = np.array([vector / np.linalg.norm(vector) for vector in vectors.values()])
    for number in range(10):
        near, cosines = space.near(str(number)), rows @ rows[number]
        assert near.nearest(64)[:5] == np.argsort(-cosines)[:5].tolist()
        steps = (np.sort(cosines)[-2:-5:-1] - cosines.mean()) / cosines.std()
        assert near.standing(near.nearest(64)[1:4]) == pytest.approx(
            steps.tolist(), rel=0.1
        )


@requirement("EVAL-04")
def test_the_nearest_text_of_an_embedder_that_is_trusted_more_counts_more() -> None:
    texts = ["deploy deploy lunch", "lunch food", "printer"]
    plain, trusted = (
        LazySimilarity("counting", lambda: counting, patience=10.0, weight=weight)
        .space(texts)
        .near("release")
        for weight in (Weight(), Weight(1.0, 2.0))
    )
    first, *others = plain.standing(range(3))
    assert trusted.standing(range(3)) == pytest.approx([first + 2, *others])
    assert trusted.closeness(0) == plain.closeness(0)


@requirement("EVAL-04")
def test_an_embedder_is_made_once_and_only_when_asked() -> None:
    made = []

    class Named:
        name = "mine"

        def __call__(self, texts: Sequence[str]) -> np.ndarray:
            made.append(len(texts))
            return counting(texts)

    similarity = own_similarity(Named())
    assert not made
    assert len(similarity.embed(["deploy", "lunch"])) == 2
    assert made[-1] == 2
    assert similarity.name == "mine/5"


@requirement("EVAL-03", "EVAL-04", "KEY-05")
@pytest.mark.parametrize(
    ("facts", "unrelated", "question"),
    [
        (
            (
                "배포는 화요일에만 합니다",
                "회의실은 삼층에 있습니다",
                "점심은 열두시입니다",
            ),
            "고래는 얼마나 오래 사나요?",
            "배포는 언제 하나요?",
        ),
        (
            ("部署只在星期二进行", "会议室在三楼", "午餐时间是十二点"),
            "鲸鱼能活多久？",
            "什么时候部署？",
        ),
        (
            ("النشر يوم الثلاثاء فقط", "قاعة الاجتماعات في الطابق الثالث"),
            "كم يعيش الحوت الأزرق؟",
            "متى النشر؟",
        ),
        (
            ("Der Versand ist nur am Dienstag", "Die Kantine ist im dritten Stock"),
            "Wie alt wird ein Wal?",
            "Wann ist der Versand?",
        ),
    ],
    ids=["korean", "chinese", "arabic", "german"],
)
def test_other_languages_are_left_to_their_words(
    near: Hexad, facts: tuple[str, ...], unrelated: str, question: str
) -> None:
    for number, fact in enumerate(facts):
        near.knowledge.save(f"f{number}", fact)
    assert keys(near, unrelated) == []
    assert keys(near, question) == ["f0"]


@requirement("EVAL-04")
def test_a_topic_that_most_entries_share_is_found_however_many_there_are(
    near: Hexad,
) -> None:
    for number in range(20):
        near.knowledge.save(
            f"dinner-{number}", f"we had soup for dinner on evening {number}"
        )
    for number in range(80):
        near.knowledge.save(
            f"bill-{number}", f"the automobile was repaired, bill {number}"
        )
    found = keys(near, "car")
    assert len(found) == 5
    assert all(key.startswith("bill") for key in found)


@requirement("EVAL-04", "KNOW-06")
def test_expired_entries_take_no_place_among_the_nearest(
    near: Hexad, clock: FixedClock
) -> None:
    near.knowledge.save("alive", "an automobile stands in the yard")
    for number in range(90):
        near.knowledge.save(
            f"dead-{number}",
            "cars, automobiles and vehicles",
            expires=clock() + timedelta(days=1),
        )
        near.knowledge.save(f"other-{number}", f"the recipe for bread number {number}")
    clock.advance(days=2)
    assert keys(near, "car")[:1] == ["alive"]


@requirement("EVAL-04", "CTX-10")
def test_a_slow_embedder_costs_its_own_signal_and_not_the_words(tmp_path: Path) -> None:
    hold, slow = threading.Event(), [False]

    def sluggish(texts: Sequence[str]) -> np.ndarray:
        if slow[0]:
            hold.wait()
        return counting(texts)

    with opened(
        tmp_path / "a.db", semantic=True, embedder=sluggish, layer_deadline=4
    ) as hx:
        hx.knowledge.save("window", "release on Tuesdays")
        slow[0] = True
        found = hx.retrieve("when may I release?")
        hold.set()
        assert [item.key for item in found.all()] == ["window"]
        assert not found.failures


@requirement("EVAL-04")
def test_a_method_or_a_partial_needs_a_name_of_its_own() -> None:
    class Model:
        def encode(self, texts: Sequence[str]) -> np.ndarray:
            return counting(texts)

    for nameless in (Model().encode, functools.partial(counting)):
        with pytest.raises(InvalidInput, match="embedder_name"):
            own_similarity(nameless)
        assert own_similarity(nameless, "mine").name == "mine/5"
