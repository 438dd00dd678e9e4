"""Layers and retrieval."""

from __future__ import annotations

import logging
import random
import threading
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad import ContextRetriever, Hexad, Item, Layer, Retrieval, SessionRuntime, Tool
from hexad.errors import InvalidInput, UnknownLayer
from hexad.model import DEFAULT_LAYERS
from hexad.store.sqlite import SqliteStore
from hexad.store.volatile import VolatileStore
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FOUR = set(DEFAULT_LAYERS)


def fill(hx: Hexad) -> None:
    """One item in each persisted layer that answers a question about deploying."""
    hx.knowledge.save(
        "deploy-window", "Deploy on Tuesdays and Thursdays only", category="rule"
    )
    hx.references.save(
        "Runbook",
        location="https://wiki/runbook",
        summary="How to deploy at night",
        kind="wiki",
    )
    hx.learnings.save(
        trigger="tool:deploy",
        error_pattern="quota exceeded",
        diagnosis="too many",
        fix="wait an hour",
    )
    hx.skills.create(
        "release",
        kind="instruction",
        description="Deploy a release",
        definition={"text": "…"},
    )
    hx.skills.activate("release")


class Broken:
    """A tool registry whose every answer is an error."""

    def list_tools(self) -> Sequence[Tool]:
        raise RuntimeError("the registry is down")

    def search_tools(self, query: str, limit: int) -> Sequence[Tool]:
        raise RuntimeError("the registry is down, password=hunter22x")


@requirement("CTX-01")
def test_there_are_six_layers_and_anything_else_is_an_error_that_names_them(
    hx: Hexad,
) -> None:
    assert len(Layer) == 6
    with pytest.raises(UnknownLayer) as caught:
        hx.retrieve("deploy", layers=["user_knowledge", "seventh"])
    assert all(layer.value in str(caught.value) for layer in Layer)


@requirement("CTX-02")
def test_without_layers_the_four_persisted_ones_are_searched_and_only_these(
    hx: Hexad,
) -> None:
    fill(hx)
    rich = hx.with_tool_registry([Tool(name="deploy")]).with_runtime_context(
        SessionRuntime()
    )
    found = rich.retrieve("when may I deploy?")
    assert set(found.items) == set(found.seconds) == FOUR


@requirement("CTX-03")
def test_with_layers_exactly_those_are_searched(hx: Hexad) -> None:
    fill(hx)
    found = hx.retrieve(
        "when may I deploy?", layers=[Layer.EXTERNAL_KNOWLEDGE, "skill_patterns"]
    )
    assert set(found.seconds) == {Layer.EXTERNAL_KNOWLEDGE, Layer.SKILL_PATTERNS}


@requirement("CTX-04")
def test_a_layer_returns_at_most_five_items_or_as_many_as_the_engine_or_the_call_says(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a.db", max_per_layer=7) as hx, opened(":memory:") as plain:
        for engine in (hx, plain):
            for number in range(20):
                engine.knowledge.save(f"note-{number}", f"deploy note {number}")
        assert len(plain.retrieve("deploy").items[Layer.USER_KNOWLEDGE]) == 5
        assert len(hx.retrieve("deploy").items[Layer.USER_KNOWLEDGE]) == 7
        assert (
            len(hx.retrieve("deploy", max_per_layer=2).items[Layer.USER_KNOWLEDGE]) == 2
        )
        assert (
            len(hx.retrieve("deploy", max_per_layer=19).items[Layer.USER_KNOWLEDGE])
            == 19
        )


@requirement("CTX-04")
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "3"])
def test_a_limit_below_one_is_an_error(hx: Hexad, value: Any) -> None:
    with pytest.raises(InvalidInput, match="max_per_layer"):
        hx.retrieve("deploy", max_per_layer=value)
    with pytest.raises(InvalidInput, match="max_per_layer"):
        ContextRetriever(VolatileStore(), value)


@requirement("CTX-05")
@pytest.mark.parametrize("query", ["", "   ", "the of and", "?!…", "\0", "a b c"])
def test_a_query_without_keywords_returns_nothing_and_asks_no_layer(
    hx: Hexad, query: str
) -> None:
    hx.knowledge.save("units", "always metric", pinned=True)
    rich = hx.with_tool_registry(Broken()).with_runtime_context(SessionRuntime())
    found = rich.retrieve(query, layers=list(Layer))
    assert not found
    assert (found.items, found.failures, found.keywords, found.seconds) == (
        {},
        (),
        (),
        {},
    )


@requirement("CTX-06")
def test_a_broken_layer_costs_its_lines_not_the_answer(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    fill(hx)
    with caplog.at_level(logging.WARNING, logger="hexad"):
        found = hx.with_tool_registry(Broken()).retrieve("deploy", layers=list(Layer))
    assert set(found.items) == FOUR
    assert [failure.layer for failure in found.failures] == [Layer.TOOL_REGISTRY]
    assert "the registry is down" in found.failures[0].reason
    assert "tool_registry" in caplog.text


@requirement("CTX-06", "CONF-04")
def test_a_failure_is_reported_without_the_secrets_in_its_message(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    found = hx.with_tool_registry(Broken()).retrieve(
        "deploy", layers=[Layer.TOOL_REGISTRY]
    )
    assert "hunter22x" not in found.failures[0].reason + caplog.text


@requirement("CTX-06")
def test_a_store_that_fails_costs_its_layers_not_the_others(tmp_path: Path) -> None:
    hx = opened(tmp_path / "agent.db").with_tool_registry(
        [Tool(name="deploy", description="Ships")]
    )
    hx.store.close()
    found = hx.retrieve("deploy", layers=list(Layer))
    assert set(found.items) == {Layer.TOOL_REGISTRY}
    assert {failure.layer for failure in found.failures} == FOUR


@requirement("CTX-07")
def test_items_come_best_first_and_say_why(hx: Hexad) -> None:
    hx.knowledge.save(
        "weak",
        "Deploy notes for the old cluster, the older cluster and the oldest cluster of all",
    )
    hx.knowledge.save(
        "deploy-window",
        "The deploy window is Tuesday",
        source="chat",
        category="rule",
        origin="agent",
    )
    best, other = hx.retrieve("what is the deploy window?").items[Layer.USER_KNOWLEDGE]
    assert (best.key, best.category, best.source, best.origin) == (
        "deploy-window",
        "rule",
        "chat",
        "agent",
    )
    assert (best.layer, best.content) == (
        Layer.USER_KNOWLEDGE,
        "The deploy window is Tuesday",
    )
    assert best.score > other.score > 0
    assert any(
        reason.detail.startswith("window in ")
        for reason in best.reasons
        if reason.signal == "words"
    )


@requirement("CTX-07")
def test_the_reasons_for_a_score_add_up_to_it(hx: Hexad) -> None:
    fill(hx)
    hx.knowledge.save(
        "deploy_freeze",
        "No deploy of create_user while the release train runs",
        tags=("deploy", "ops"),
    )
    rich = hx.with_tool_registry([Tool(name="deploy_app", description="Deploy an app")])
    found = rich.retrieve(
        "deploy create_user with the release train", layers=list(Layer)
    )
    assert found.items
    for item in found.all():
        assert item.reasons
        assert sum(reason.value for reason in item.reasons) == pytest.approx(item.score)


@requirement("CTX-07")
def test_a_prior_orders_what_matches_alike_and_never_buries_a_clear_match(
    hx: Hexad, clock: FixedClock
) -> None:
    hx.knowledge.save(
        "clear",
        "The deploy window for payments is Tuesday morning",
        relevance=0.0,
        origin="import",
    )
    clock.advance(days=1000)
    hx.knowledge.save("vague", "Deploy", relevance=1.0)
    for _ in range(50):
        hx.shown(hx.assemble("", hx.retrieve("deploy now", max_per_layer=1)))
    found = hx.retrieve("deploy window payments").items[Layer.USER_KNOWLEDGE]
    assert [item.key for item in found] == ["clear", "vague"]


@requirement("CTX-08")
def test_the_same_rows_give_the_same_answer_on_every_backend_and_beside_any_other_namespaces(
    tmp_path: Path,
) -> None:
    answers = []
    for place in (":memory:", tmp_path / "a.db", tmp_path / "crowded.db"):
        with opened(place, clock=FixedClock(), max_knowledge=10_000) as hx:
            if "crowded" in str(place):
                other = hx.scoped(namespace="other")
                for number in range(50):
                    other.knowledge.save(
                        f"noise-{number}", f"deploy window staging release {number}"
                    )
            fill(hx)
            for number in range(60):
                hx.knowledge.save(
                    f"entry-{number % 50}",
                    f"deploy step {number % 7} of release {number % 3} on staging",
                )
            answers.append(
                [
                    [
                        (item.key, item.score, item.reasons)
                        for item in hx.retrieve(query, max_per_layer=9).all()
                    ]
                    for query in (
                        "deploy step 3 on staging",
                        "release 2",
                        "when may I deploy?",
                        "nothing of this kind",
                    )
                ]
            )
    assert answers[0] == answers[1] == answers[2]


@requirement("CTX-08")
def test_rows_that_cannot_be_among_the_best_are_not_read_and_would_have_changed_nothing(
    tmp_path: Path,
) -> None:
    """An entry in a thread of its own makes a store read all rows, for neighbours could
    add to any of them.
    """
    dice = random.Random(4)  # noqa: S311 - no secret
    words = [f"word{number}" for number in range(80)]
    texts = [
        dice.choices(words, [1 / rank for rank in range(1, 81)], k=dice.randint(3, 25))
        for _ in range(320)
    ]
    asked = [" ".join(dice.sample(words, dice.randint(1, 4))) for _ in range(60)]
    with opened(
        tmp_path / "a.db", clock=FixedClock(), max_knowledge=10_000, max_per_layer=8
    ) as hx:
        for origins in (
            ["agent"],
            ["user"],
            ["agent", "user"],
            ["user"] * 9 + ["agent"],
        ):
            few, every = (
                hx.scoped(namespace=f"{len(origins)} {origins[0]} {how}")
                for how in ("few", "every")
            )
            for number, text in enumerate(texts):
                given = {
                    "relevance": number % 4 / 4,
                    "origin": origins[number % len(origins)],
                }
                few.knowledge.save(f"e{number}", " ".join(text), **given)
                every.knowledge.save(
                    f"e{number}",
                    " ".join(text),
                    thread="" if number else "alone",
                    **given,
                )
            for query in asked:
                found, expected = few.retrieve(query).all(), every.retrieve(query).all()
                assert [(item.key, item.score) for item in found] == [
                    (item.key, item.score) for item in expected
                ]


@requirement("CTX-09")
def test_items_of_a_shown_prompt_count_as_used_and_those_only_assembled_do_not(
    hx: Hexad, clock: FixedClock
) -> None:
    fill(hx)
    clock.advance(hours=1)
    prompt = hx.assemble("", hx.retrieve("when may I deploy?"))
    assert hx.knowledge.get("deploy-window").use_count == 0
    hx.shown(prompt)
    assert str(hx.prompt("", "when may I deploy?")) == str(prompt)
    used = hx.knowledge.get("deploy-window")
    assert (used.use_count, used.last_used) == (2, clock())
    assert hx.skills.get("release").use_count == 2
    assert hx.references.get("Runbook").last_used == clock()


@requirement("CTX-09")
def test_uses_are_written_with_the_next_change_and_at_close_without_an_audit_record(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "a.db") as hx:
        fill(hx)
        records = len(hx.audit.records())
        hx.prompt("", "when may I deploy?")
        hx.prompt("", "when may I deploy?")
        assert len(hx.audit.records()) == records
    with opened(tmp_path / "a.db") as hx:
        assert hx.knowledge.get("deploy-window").use_count == 2
        hx.prompt("", "when may I deploy?")
        hx.knowledge.save("other", "something else")
        with opened(tmp_path / "a.db") as second:
            assert second.knowledge.get("deploy-window").use_count == 3


@requirement("CTX-09")
def test_a_process_that_only_reads_writes_its_uses_when_many_wait(
    tmp_path: Path,
) -> None:
    with (
        opened(tmp_path / "a.db", max_knowledge=1000) as hx,
        opened(tmp_path / "a.db") as second,
    ):
        for number in range(520):
            hx.knowledge.save(f"note-{number}", f"deploy note {number}")
        hx.shown(hx.assemble("", hx.retrieve("deploy note", max_per_layer=520)))
        assert second.knowledge.get("note-0").use_count == 1


@requirement("CTX-10")
def test_a_providers_late_answer_is_discarded_and_becomes_its_layers_failure(
    tmp_path: Path,
) -> None:
    answer_now = threading.Event()

    class Slow:
        def list_tools(self) -> Sequence[Tool]:
            return ()

        def search_tools(self, query: str, limit: int) -> Sequence[Tool]:
            answer_now.wait()
            return [Tool(name="too_late")]

    with opened(tmp_path / "a.db", layer_deadline=4) as hx:
        fill(hx)
        found = hx.with_tool_registry(Slow()).retrieve("deploy", layers=list(Layer))
        answer_now.set()
    assert Layer.TOOL_REGISTRY not in found.items
    assert "4 s" in found.failures[0].reason
    assert set(found.items) == FOUR


@requirement("CTX-11")
def test_another_retriever_can_stand_in_for_hexads_own(hx: Hexad) -> None:
    class Elsewhere:
        def retrieve(
            self,
            query: str,
            layers: Any = None,
            max_per_layer: int | None = None,
            *,
            session: str | None = None,
        ) -> Retrieval:
            item = Item(
                layer=Layer.EXTERNAL_KNOWLEDGE,
                id="x",
                key="x",
                content="from afar",
                category="api",
            )
            return Retrieval(
                query=query, items={Layer.EXTERNAL_KNOWLEDGE: (item,)}, session=session
            )

    remote = hx.with_retriever(Elsewhere())
    assert "from afar" in str(remote.assemble("base", remote.retrieve("anything")))
    assert remote.scoped(session="slack:1").retrieve("x").session == "slack:1"
    assert "from afar" in str(
        Hexad.open(":memory:", enabled=True, retriever=Elsewhere()).explain("x").prompt
    )
    with pytest.raises(InvalidInput, match="takes no providers"):
        remote.with_tool_registry([])


@requirement("CTX-11", "TOOL-05")
def test_the_retriever_can_be_used_by_itself_over_a_store(tmp_path: Path) -> None:
    with opened(tmp_path / "a.db") as hx:
        fill(hx)
    store = SqliteStore(tmp_path / "a.db")
    retriever = ContextRetriever(store, 3)
    found = retriever.retrieve("when may I deploy?", layers=[Layer.USER_KNOWLEDGE])
    assert "Tuesdays" in str(retriever.assemble_prompt("base", found))
    store.close()


@requirement("KEY-06", "CTX-08")
@given(st.text(alphabet=st.characters(), max_size=60))
@settings(max_examples=200)
def test_any_query_string_gives_an_answer(query: str) -> None:
    with opened(":memory:") as hx:
        hx.knowledge.save("deploy-window", "Deploy on Tuesdays and Thursdays only")
        assert hx.retrieve(query, layers=list(Layer)).failures == ()
        assert hx.knowledge.search(query) is not None


@requirement("KEY-06")
@pytest.mark.parametrize("query", [None, 7, b"deploy", ["deploy"]])
def test_a_query_that_is_no_string_is_an_error_of_hexads_own(
    hx: Hexad, query: Any
) -> None:
    with pytest.raises(InvalidInput, match="query"):
        hx.retrieve(query)


@requirement("KEY-01", "KEY-02", "KEY-03")
def test_what_was_searched_for_is_shown_as_a_person_would_recognise_it(
    hx: Hexad,
) -> None:
    found = hx.retrieve("What is the best way to deploy (in Go) to k8 via CI?")
    assert found.keywords == ("best", "way", "deploy", "go", "k8", "ci")


@requirement("KEY-05")
@pytest.mark.parametrize(
    ("stored", "question"),
    [
        ("배포는 화요일과 목요일에만 합니다", "배포를 언제 할 수 있나요?"),
        ("部署只在星期二和星期四进行", "什么时候可以部署？"),
        ("デプロイは火曜日と木曜日だけです", "いつデプロイできますか？"),
        ("Die Rechnungen liegen im Ordner Buchhaltung", "Wo ist die Rechnung?"),
        ("يتم النشر يوم الثلاثاء فقط", "متى يتم النشر؟"),
        ("我养了一只猫", "猫"),
        ("การปรับใช้ทำได้เฉพาะวันอังคาร", "ปรับใช้ได้เมื่อไหร่"),
    ],
)
def test_every_language_finds_what_was_stored_in_it(
    hx: Hexad, stored: str, question: str
) -> None:
    hx.knowledge.save("noise", "Nothing to do with it at all")
    hx.knowledge.save("entry", stored)
    assert "entry" in {item.key for item in hx.retrieve(question).all()}
