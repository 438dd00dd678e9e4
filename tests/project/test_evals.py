"""Measuring retrieval on anyone's data."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.evaluating import measure_feedback
from hexad.cli import main
from hexad.cli.setup import evaluating
from hexad.errors import EvalError, HexadError, UnknownChoice
from hexad_evals.baselines import BASELINES, chosen
from hexad_evals.data import read_sets
from hexad_evals.metrics import ndcg, recall, reciprocal_rank
from hexad_evals.run import Plan, evaluate
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator


TOLD = Path(__file__).parents[1] / "life" / "told"


def write(
    folder: Path, layer: str, name: str, corpus: list[Any], queries: list[Any]
) -> None:
    home = folder / layer / name
    home.mkdir(parents=True)
    for file, lines in (("corpus", corpus), ("queries", queries)):
        text = "\n".join(
            line if isinstance(line, str) else json.dumps(line) for line in lines
        )
        (home / f"{file}.jsonl").write_text(text, encoding="utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A small set in each layer that can be measured; in each, one question out of two
    is easy.
    """
    items = [
        {"id": "deploy", "text": "How to deploy to production"},
        {"id": "lunch", "text": "Where to eat at noon"},
    ]
    asked = [
        {"id": "q1", "text": "deploy to production?", "relevant": ["deploy"]},
        {"id": "q2", "text": "unheard-of words entirely", "relevant": ["lunch"]},
    ]
    for layer in (
        "tool_registry",
        "skill_patterns",
        "external_knowledge",
        "agent_learnings",
    ):
        write(tmp_path / "data", layer, "small", items, asked)
    talk = [
        {
            "id": f"{group}/{n}",
            "text": text,
            "group": group,
            "meta": {"speaker": who, "session": 1},
        }
        for group in ("one", "two")
        for n, (who, text) in enumerate(
            [("Ann", "Which city do you like?"), ("Bob", "Lisbon"), ("Ann", "Nice")]
        )
    ]
    asks = [
        {
            "id": "a",
            "text": "which city does Bob like?",
            "relevant": ["one/1"],
            "group": "one",
        },
        {
            "id": "b",
            "text": "which city does Bob like?",
            "relevant": ["one/1"],
            "group": "two",
        },
    ]
    write(tmp_path / "data", "user_knowledge", "talk", talk, asks)
    (tmp_path / "data" / "error_grouping").mkdir()
    return tmp_path / "data"


def quiet(what: str, done: int, total: int) -> None:
    assert 0 <= done <= total, what


@requirement("EVAL-01")
def test_each_set_is_measured_in_its_layer_and_each_group_in_a_namespace_of_its_own(
    data: Path,
) -> None:
    results = {
        result.data.path: result for result in evaluate(read_sets(data), progress=quiet)
    }
    assert set(results) == {
        "agent_learnings/small",
        "external_knowledge/small",
        "skill_patterns/small",
        "tool_registry/small",
        "user_knowledge/talk",
    }
    assert {
        path: result.hexad.quality.recall_at_5 for path, result in results.items()
    } == dict.fromkeys(results, 0.5)
    assert all(
        result.questions == 2 and result.hexad.p95_ms >= result.hexad.p50_ms > 0
        for result in results.values()
    )


@requirement("EVAL-01")
def test_baselines_answer_the_same_questions_in_the_same_run(data: Path) -> None:
    for result in evaluate(read_sets(data), Plan(baselines=BASELINES), progress=quiet):
        assert set(result.baselines) == {"like", "fts5", "static"}
        assert result.questions == 2
        if result.data.name == "small":
            assert result.baselines["fts5"].quality.recall_at_5 == 0.5
    with pytest.raises(UnknownChoice, match="like, fts5"):
        chosen(["crystal ball"])


@requirement("EVAL-01")
def test_the_command_prints_one_document_of_the_documented_shape(
    data: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    assert (
        main(["eval", str(data), "--json", "--baseline", "fts5", "--out", str(page)])
        == 0
    )
    printed = json.loads(capsys.readouterr().out)
    assert printed["recall_at_5"] == pytest.approx(0.5)
    assert printed["layers"]["tool_registry"]["recall_at_5"] == 0.5
    one = printed["sets"]["user_knowledge/talk"]
    assert {
        "recall_at_5",
        "recall_at_10",
        "mrr",
        "ndcg_at_10",
        "p50_ms",
        "p95_ms",
        "queries",
        "baselines",
    } == set(one)
    assert set(one["baselines"]["fts5"]) == {
        "recall_at_5",
        "recall_at_10",
        "mrr",
        "ndcg_at_10",
        "p50_ms",
        "p95_ms",
    }
    html = page.read_text(encoding="utf-8")
    assert html.count("<table") == 1
    assert html.count('class="bar" style="--share: 50%"') >= 5
    assert "http" not in html


@requirement("EVAL-01")
def test_the_command_shows_sets_layers_and_the_mean_as_a_table(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", str(data), "--queries", "2"]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert ["skill_patterns/small", "hexad", "0.500"] in [row[:3] for row in rows]
    assert rows[-1][:2] == ["mean of the layers", "hexad"]


@requirement("EVAL-01")
@pytest.mark.parametrize(
    ("file", "line", "says"),
    [
        ("corpus", "nonsense", "corpus.jsonl, line 2: is not JSON"),
        ("corpus", [1], "corpus.jsonl, line 2: must be an object"),
        ("corpus", {"id": "x"}, "corpus.jsonl, line 2: text must be text"),
        ("corpus", {"id": "", "text": "x"}, "corpus.jsonl, line 2: id must be text"),
        ("corpus", {"id": "x", "text": "x", "meta": 7}, "corpus.jsonl, line 2: meta"),
        ("queries", {"id": "x", "text": "x"}, "queries.jsonl, line 2: relevant"),
        (
            "queries",
            {"id": "x", "text": "x", "relevant": []},
            "queries.jsonl, line 2: relevant",
        ),
    ],
)
def test_a_malformed_line_is_reported_with_its_place_and_left_out(
    file: str,
    line: Any,
    says: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    lines: dict[str, list[Any]] = {
        "corpus": [{"id": "a", "text": "b"}],
        "queries": [{"id": "q", "text": "b", "relevant": ["a"]}],
    }
    lines[file].append(line)
    write(tmp_path, "tool_registry", "set", lines["corpus"], lines["queries"])
    assert main(["eval", str(tmp_path), "--json"]) == 0
    assert says in caplog.text
    assert (
        json.loads(capsys.readouterr().out)["sets"]["tool_registry/set"]["queries"] == 1
    )


@requirement("EVAL-01")
def test_an_item_over_the_limit_is_reported_and_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    items = [
        {"id": "long", "text": "x" * 300_000},
        {"id": "a", "text": "deploy on Tuesdays"},
    ]
    write(
        tmp_path,
        "user_knowledge",
        "set",
        items,
        [{"text": "when to deploy?", "relevant": ["a"]}],
    )
    assert main(["eval", str(tmp_path), "--json"]) == 0
    assert (
        "left out: user_knowledge/set/corpus.jsonl: 'long' cannot be stored"
        in caplog.text
    )
    assert json.loads(capsys.readouterr().out)["recall_at_5"] == 1


@requirement("EVAL-01")
def test_questions_are_drawn_from_the_whole_set_and_the_same_seed_draws_the_same(
    data: Path,
) -> None:
    sets = read_sets(data)
    asked = [
        Plan(queries=1, seed=seed).drawn(sets[0].questions)[0].id for seed in range(8)
    ]
    assert set(asked) == {"q1", "q2"}
    assert asked == [
        Plan(queries=1, seed=seed).drawn(sets[0].questions)[0].id for seed in range(8)
    ]


@requirement("EVAL-01")
def test_misses_are_listed_on_the_screen_in_json_and_in_the_page(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert main(["eval", str(data), "--misses", "3", "--out", str(page)]) == 0
    missed = "skill_patterns/small\tunheard-of words entirely\tlunch\t"
    assert missed in capsys.readouterr().out
    assert "unheard-of words entirely" in page.read_text(encoding="utf-8")
    assert "10 questions in 5 sets" in page.read_text(encoding="utf-8")
    assert main(["eval", str(data), "--misses", "3", "--json"]) == 0
    (miss,) = json.loads(capsys.readouterr().out)["misses"]["skill_patterns/small"]
    assert miss == {
        "question": "unheard-of words entirely",
        "missing": ["lunch"],
        "found": [],
    }


@requirement("EVAL-01")
def test_a_memory_is_asked_ones_own_questions_and_stays_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with opened(tmp_path / "live.db") as hx:
        hx.knowledge.save("window", "Deploy on Tuesdays only", category="rule")
        hx.references.save(
            "Runbook",
            location="https://wiki.example.com",
            summary="How to roll back a release",
        )
    before = (tmp_path / "live.db").read_bytes()
    questions = tmp_path / "mine.jsonl"
    lines = [
        {"text": "when may I deploy?", "relevant": ["window"]},
        {
            "text": "roll back the release",
            "relevant": ["Runbook"],
            "layer": "external_knowledge",
        },
        {"text": "roll back", "relevant": ["Runbook"], "layer": "no_such_layer"},
    ]
    questions.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert (
        main(["eval", str(questions), "--db", str(tmp_path / "live.db"), "--json"]) == 0
    )
    assert "line 3" in caplog.text
    assert {
        path: each["recall_at_5"]
        for path, each in json.loads(capsys.readouterr().out)["sets"].items()
    } == {
        "user_knowledge/this memory": 1,
        "external_knowledge/this memory": 1,
    }
    assert (tmp_path / "live.db").read_bytes() == before
    assert (
        main(["eval", str(questions), "--db", str(tmp_path / "live.db"), "--foreign"])
        == 2
    )


@requirement("EVAL-01")
def test_an_interrupted_evaluation_shows_the_sets_that_it_finished(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = evaluating.evaluate

    def interrupted(*given: Any, **named: Any) -> Iterator[Any]:
        yield next(iter(whole(*given, **named)))
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluating, "evaluate", interrupted)
    assert main(["eval", str(data), "--json"]) == 0
    printed = capsys.readouterr()
    assert "interrupted" in printed.err
    assert set(json.loads(printed.out)["sets"]) == {"agent_learnings/small"}


@requirement("EVAL-01")
def test_a_missing_file_an_unknown_layer_and_an_empty_folder_are_clear_errors(
    tmp_path: Path,
) -> None:
    with pytest.raises(EvalError, match="has no sets"):
        read_sets(tmp_path)
    with pytest.raises(EvalError, match="is not a folder"):
        read_sets(tmp_path / "nowhere")
    (tmp_path / "one" / "tool_registry" / "set").mkdir(parents=True)
    with pytest.raises(EvalError, match=r"corpus\.jsonl: cannot be read"):
        read_sets(tmp_path / "one")
    write(tmp_path / "two", "seventh_layer", "set", [{"id": "a", "text": "b"}], [])
    with pytest.raises(HexadError, match="seventh_layer"):
        read_sets(tmp_path / "two")


ids = st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=10)


@requirement("EVAL-01")
@given(ids, ids.filter(bool), st.integers(1, 10))
def test_every_metric_is_from_0_to_1_and_best_for_a_perfect_answer(
    found: list[str], relevant: list[str], k: int
) -> None:
    for value in (
        recall(found, relevant, k),
        reciprocal_rank(found, relevant),
        ndcg(found, relevant, k),
    ):
        assert 0 <= value <= 1 + 1e-9
    assert math.isclose(ndcg(relevant, relevant, k), 1)
    assert reciprocal_rank(relevant, relevant) == recall(relevant, relevant, 10) == 1


@pytest.fixture
def taught(tmp_path: Path) -> Path:
    items = [
        {"id": "book_hotel", "text": "Reserve a room"},
        {"id": "send_mail", "text": "Write to somebody"},
    ]
    asks = [
        "somewhere to sleep tonight",
        "sleep in Lisbon",
        "a bed to sleep in",
        "sleep over",
        "no sleep at home",
    ]
    queries = [
        {"id": f"q{n}", "text": text, "relevant": ["book_hotel"]}
        for n, text in enumerate(asks)
    ]
    write(tmp_path / "taught", "tool_registry", "small", items, queries)
    return tmp_path / "taught"


@requirement("EVAL-02")
def test_uses_that_are_replayed_help_to_find_the_item_for_the_other_questions(
    taught: Path,
) -> None:
    (data,) = read_sets(taught)
    two, four = measure_feedback(data, (2, 4), Plan(embedder="none"))
    assert (two.questions, four.questions) == (3, 1)
    assert two.before.quality.recall_at_5 == 0
    assert two.after.quality.recall_at_5 == four.after.quality.recall_at_5 == 1
    assert two.gain == 1


@requirement("EVAL-01", "EVAL-03")
def test_foreign_questions_are_counted_that_are_answered_with_nothing(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    assert (
        main(
            [
                "eval",
                str(data),
                "--json",
                "--foreign",
                "--no-semantic",
                "--out",
                str(page),
            ]
        )
        == 0
    )
    printed = json.loads(capsys.readouterr().out)
    one = printed["sets"]["user_knowledge/talk"]["foreign"]
    assert one == {"queries": 8, "unanswered": 1.0, "recall_lost": 0.0}
    assert set(printed["foreign"]) == {"unanswered", "recall_lost"}
    assert "answered with nothing" in page.read_text(encoding="utf-8")
    assert main(["eval", str(data), "--foreign", "--no-semantic"]) == 0
    assert "user_knowledge/talk\t8\t1.000\t0.0000" in capsys.readouterr().out


@requirement("EVAL-01", "EVAL-04")
def test_the_extra_is_used_unless_turned_off_and_stands_beside_itself_as_a_baseline(
    tmp_path: Path,
) -> None:
    items = [
        {"id": "car", "text": "The automobile is parked behind the house"},
        {"id": "meal", "text": "We eat supper at seven in the evening"},
    ]
    write(
        tmp_path / "d",
        "external_knowledge",
        "s",
        items,
        [{"id": "q", "text": "vehicle garage", "relevant": ["car"]}],
    )
    sets = read_sets(tmp_path / "d")
    (with_it,) = evaluate(sets, Plan(baselines=BASELINES), progress=quiet)
    (without,) = evaluate(sets, Plan(embedder="none"), progress=quiet)
    assert (
        with_it.hexad.quality.recall_at_5
        == with_it.baselines["static"].quality.recall_at_5
        == 1
    )
    assert (
        without.hexad.quality.recall_at_5
        == with_it.baselines["fts5"].quality.recall_at_5
        == 0
    )


@requirement("TOLD-01")
def test_conversations_are_measured_by_what_later_prompts_tell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "told").mkdir()
    saves = [
        {"key": "seat", "content": "User wants an aisle seat", "category": "preference"}
    ]
    asks = [
        {"message": "Book my train", "needs": ["aisle"], "stale": ["window"]},
        {"message": "Order a meal", "needs": ["peanut"]},
    ]
    lines = [
        {
            "id": "one",
            "turns": [{"user": "I want an aisle seat", "saves": saves}],
            "asks": asks,
        },
        {
            "said": ["I want an aisle seat"],
            "content": "User wants an aisle seat",
            "says": True,
        },
        {
            "said": ["I want an aisle seat"],
            "content": "User wants two aisle seats",
            "says": False,
        },
    ]
    (tmp_path / "told" / "a.jsonl").write_text(
        "\n".join(map(json.dumps, lines)), encoding="utf-8"
    )
    assert main(["eval", str(tmp_path), "--json", "--embedder", "none"]) == 0
    told = json.loads(capsys.readouterr().out)["told"]
    assert told["nobody_reviews"] == {
        "told": 0.5,
        "noise": 0.0,
        "stale": 0.0,
        "asks": 2,
    }
    assert (told["laundered"], told["attempts"], told["grounded"], told["saves"]) == (
        0,
        1,
        1.0,
        1,
    )
    assert main(["eval", str(tmp_path), "--embedder", "none"]) == 0
    assert "peanut" in capsys.readouterr().out


@requirement("TOLD-03")
def test_contradicted_facts_are_measured_by_the_first_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "newest").mkdir()
    lines = [
        {"kind": "fact", "key": "a", "text": "The capital of Ruritania is Strelsau."},
        {"kind": "fact", "key": "b", "text": "The capital of Ruritania is Zenda."},
        {
            "kind": "question",
            "text": "What is the capital of Ruritania?",
            "answers": ["Zenda"],
        },
        {
            "kind": "question",
            "text": "What is the capital of Ruritania?",
            "answers": ["Strelsau"],
        },
    ]
    (tmp_path / "newest" / "a.jsonl").write_text(
        "\n".join(map(json.dumps, lines)), encoding="utf-8"
    )
    assert main(["eval", str(tmp_path), "--json", "--embedder", "none"]) == 0
    assert json.loads(capsys.readouterr().out)["newest"] == {
        "newest_first": 0.5,
        "sets": {"a": 0.5},
    }


@requirement("TOLD-01")
def test_the_conversations_of_the_project_do_not_get_worse(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["eval", str(TOLD), "--json", "--embedder", "none"]) == 0
    told = json.loads(capsys.readouterr().out)["told"]
    assert told["laundered"] == 0
    assert told["nobody_reviews"]["told"] >= 0.85
    assert told["all_reviewed"]["told"] >= 0.95
    assert told["nobody_reviews"]["noise"] + told["nobody_reviews"]["stale"] <= 0.35
