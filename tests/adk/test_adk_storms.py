"""A store that fails, fifty conversations at once, runs that are cancelled: the agent
answers, and nothing leaks.
"""

from __future__ import annotations

import asyncio
import gc
import re
import sqlite3
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from hexad.adapters.adk import (
    ContextAwareModel,
    HexadMemoryService,
    HexadPlugin,
    adk_tools,
)
from hexad.adapters.adk.context import SPEAKERS
from hexad.errors import StoreBusy, StoreDamaged, StoreFull
from hexad_testing.faulty_store import FaultyStore, over
from hexad_testing.scripted_model import Call, ScriptedModel
from tests.adk.adk_support import (
    APP,
    agent,
    done,
    echo,
    instruction,
    parts_of,
    runner,
    said,
    talk,
    warnings,
)
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from google.adk.models.llm_request import LlmRequest

    from hexad import Hexad

RULE = "Deploy on Tuesdays and Thursdays only"
FAILURES = [
    StoreBusy("agent.db", "locked by another process"),
    StoreFull("agent.db", "no space left on the disk"),
    StoreDamaged("agent.db", "the file is corrupt"),
    RuntimeError("something nobody thought of"),
    RecursionError("too deep"),
    MemoryError("too much"),
]


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "agent.db") as engine:
        engine.knowledge.save("deploy-window", RULE, category="rule")
        yield engine


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Hexad]:
    """An engine that waits for nothing."""
    with opened(tmp_path / "hasty.db", layer_deadline=0.1) as engine:
        engine.knowledge.save("deploy-window", RULE, category="rule")
        yield engine


def book(day: str) -> str:
    """Book a room for a day."""
    return f"a room on {day}"


def _raise(error: Exception) -> None:
    raise error


# a store that fails


@requirement("ADK-06")
@pytest.mark.parametrize("error", FAILURES, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("way", ["wrapper", "plugin"])
def test_the_agent_answers_with_its_own_request_and_one_warning_says_why(
    hx: Hexad, error: Exception, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    broken = over(hx, FaultyStore(hx.store, lambda: _raise(error)))
    inner, bare = echo(), echo()
    model = ContextAwareModel.wrap(broken, inner) if way == "wrapper" else inner
    plugins = [HexadPlugin(broken, tools=False)] if way == "plugin" else []
    events = talk(runner(agent(model), plugins), "when may I deploy?")
    talk(runner(agent(bare)), "when may I deploy?")
    assert parts_of(events[-1]) == ["Yes."]
    without = instruction(inner.requests[0]).partition("\n\n## Runtime Context")[0]
    assert without == instruction(bare.requests[0])
    (warning,) = warnings(caplog)
    assert str(error) in warning


@requirement("ADK-06", "ADK-09")
@pytest.mark.parametrize("error", FAILURES[:3], ids=lambda error: type(error).__name__)
def test_a_call_that_cannot_be_written_down_is_one_warning_and_the_result_stays(
    hx: Hexad, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    broken = over(hx, FaultyStore(hx.store, lambda: _raise(error)))
    inner = ScriptedModel.playing([Call("book", {"day": "Monday"}), "Booked."])
    events = talk(runner(agent(inner, [book]), [HexadPlugin(broken)]), "Book a room")
    assert ("answer", "book", {"result": "a room on Monday"}) in [
        each for event in events for each in parts_of(event)
    ]
    (warning,) = warnings(caplog)  # for two requests and a call
    assert str(error) in warning


@requirement("ADK-06", "ADK-09")
def test_a_locked_store_is_waited_for_once_in_a_turn_and_warned_of_once(
    hx: Hexad, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    patiences: list[float | None] = []

    class Counting(FaultyStore):
        @contextmanager
        def transaction(
            self, namespace: str, *, patience: float | None = None
        ) -> Iterator[Any]:
            patiences.append(patience)
            with self.inner.transaction(
                namespace, patience=min(patience or 0.0, 0.01)
            ) as unit:
                yield unit

    days = [Call("book", {"day": day}) for day in ("Monday", "Tuesday", "Sunday")]
    inner = ScriptedModel.playing([days[0], days, "Booked.", days[0], "Booked."])
    place = runner(
        agent(inner, [book]), [HexadPlugin(over(hx, Counting(hx.store)), tools=False)]
    )
    with closing(sqlite3.connect(tmp_path / "agent.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        talk(place, "Book a room", "Book a room")
        other.execute("ROLLBACK")
    assert [patience for patience in patiences if patience and patience > 1] == [
        5.0,
        5.0,
    ]  # once in each turn
    assert len(patiences) >= 5  # each call was tried
    assert len(warnings(caplog)) == 2
    assert all(
        "a call of book may be missing" in each and "StoreBusy" in each
        for each in warnings(caplog)
    )


@requirement("ADK-06", "META-01")
def test_a_tool_of_ours_adds_no_warning_for_what_was_reported(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    broken = over(hx, FaultyStore(hx.store, lambda: _raise(FAILURES[2])))
    save = [Call("save_knowledge", {"key": key, "content": "b"}) for key in ("a", "b")]
    talk(
        runner(agent(ScriptedModel.playing([save, "So."])), [HexadPlugin(broken)]),
        "Remember b",
    )
    assert len(warnings(caplog)) == 1


@requirement("ADK-06", "META-01")
def test_a_tool_of_ours_over_a_broken_store_answers_with_the_reason(hx: Hexad) -> None:
    broken = over(hx, FaultyStore(hx.store, lambda: _raise(FAILURES[1])))
    inner = ScriptedModel.playing(
        [Call("save_knowledge", {"key": "a", "content": "b"}), "So."]
    )
    events = talk(runner(agent(inner, adk_tools(broken))), "Remember b")
    (answer,) = [
        each[2] for event in events for each in parts_of(event) if each[0] == "answer"
    ]
    assert answer == {"status": "error", "error": "agent.db: no space left on the disk"}


@requirement("ADK-06")
def test_a_memory_service_over_a_broken_store_finds_nothing_and_says_why(
    hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    broken = over(hx, FaultyStore(hx.store, lambda: _raise(FAILURES[2])))
    found = done(
        HexadMemoryService(broken).search_memory(
            app_name=APP, user_id="dana", query="deploy"
        )
    )
    assert not found.memories
    (warning,) = warnings(caplog)
    assert "the file is corrupt" in warning


@requirement("ADK-06")
def test_a_store_that_hangs_is_waited_for_once_and_not_asked_again_until_it_answers(
    hasty: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    released = threading.Event()
    store = FaultyStore(hasty.store, lambda: released.wait(500) and None)
    inner = echo()
    model = ContextAwareModel.wrap(over(hasty, store), inner)
    events = talk(
        runner(agent(model)), "when may I deploy?", "and when may I deploy again?"
    )
    assert [parts_of(each) for each in events] == [["Yes."], ["Yes."]]
    assert store.touched == 1
    assert all("no answer within 0.2 s" in each for each in warnings(caplog))
    assert len(warnings(caplog)) == 2  # one for each message
    released.set()

    async def until_it_answers() -> str:
        place = runner(agent(model))
        for _ in range(1000):
            await said(place, "when may I deploy?")
            if RULE in instruction(inner.requests[-1]):
                break
        return instruction(inner.requests[-1])

    assert RULE in done(until_it_answers())


# many at once


def _codeword(user: int) -> str:
    return f"codeword{user:02d}x"


def _acting(request: LlmRequest) -> Any:
    """Each conversation books once with a mistake, mends it, and then talks."""
    asked = [
        part.text
        for content in request.contents
        if content.role == "user"
        for part in content.parts or []
        if part.text
    ]
    answers = [
        part
        for content in request.contents
        for part in content.parts or []
        if part.function_response
    ]
    if len(asked) == 3 and len(answers) < 2:
        return Call("reserve", {"day": "31/01/2026" if not answers else "2026-01-31"})
    return "Yes."


def reserve(day: str) -> dict[str, str]:
    """Reserve a room for a day."""
    return (
        {"status": "error", "error": f"cannot read the day {day!r}"}
        if "/" in day
        else {"status": "ok"}
    )


@requirement("ADK-03", "ADK-09", "STORE-06")
@pytest.mark.parametrize(
    ("sessions", "turns"),
    [(6, 4), pytest.param(50, 20, marks=pytest.mark.soak)],
    ids=["few", "many"],
)
def test_conversations_at_once_leak_nothing(
    hx: Hexad, sessions: int, turns: int
) -> None:
    users = sessions // 2
    for user in range(users):
        own = hx.scoped(namespace=f"default/{APP}/user{user}")
        own.knowledge.save("codeword", f"The deploy codeword is {_codeword(user)}")
    inner = ScriptedModel.playing(_acting)
    place = runner(
        agent(ContextAwareModel.wrap(hx, inner), [reserve]), [HexadPlugin(hx)]
    )

    async def conversation(number: int) -> None:
        messages = [
            f"turn {turn} of chat:{number:02d}: what is the deploy codeword?"
            for turn in range(turns)
        ]
        await said(
            place, *messages, user=f"user{number % users}", session=f"chat:{number:02d}"
        )

    async def all_of_them() -> None:
        await asyncio.gather(*(conversation(number) for number in range(sessions)))

    done(all_of_them())
    assert len(inner.requests) == sessions * (turns + 2)
    for request in inner.requests:
        text = instruction(request)
        texts = " ".join(
            part.text
            for content in request.contents
            for part in content.parts or []
            if part.text
        )
        (number,) = {int(found) for found in re.findall(r"chat:(\d\d)", texts)}
        assert set(re.findall(r"codeword\d\dx", text)) == {_codeword(number % users)}
        assert set(re.findall(r"session: (\S+),", text)) == {f"chat:{number:02d}"}
    for user in range(users):
        own = hx.scoped(namespace=f"default/{APP}/user{user}")
        mine = {f"chat:{user:02d}", f"chat:{user + users:02d}"}
        calls = [
            record for record in own.audit.records() if record.action == "tool.call"
        ]
        assert sorted(record.session for record in calls) == sorted([*mine, *mine])
        (learning,) = own.learnings.list()
        assert learning.seen == 2
        assert (
            learning.unaided + learning.worked == 2
        )  # each conversation found it, or read and followed it
        assert own.audit.verify().ok


@requirement("ADK-04")
def test_nothing_is_kept_of_requests_that_are_over(hx: Hexad) -> None:
    inner = ScriptedModel.playing(lambda _: "Yes.")
    place = runner(agent(ContextAwareModel.wrap(hx, inner)), [HexadPlugin(hx)])
    gc.collect()
    before = len(SPEAKERS)
    talk(place, *["when may I deploy?"] * 5)
    inner.requests.clear()
    gc.collect()
    assert len(SPEAKERS) == before


# cancelled


@requirement("ADK-06", "STORE-02")
def test_a_run_that_is_cancelled_anywhere_leaves_nothing_half_written(
    hx: Hexad, tmp_path: Path
) -> None:
    def remembering(request: LlmRequest) -> Any:
        last = request.contents[-1].parts or []
        if any(part.function_response for part in last):
            return "Noted."
        return Call(
            "save_knowledge",
            {"key": f"note {last[0].text}", "content": f"deploy note {last[0].text}"},
        )

    place = runner(agent(ScriptedModel.playing(remembering), [book]), [HexadPlugin(hx)])

    async def cancelled_after(steps: int) -> bool:
        task = asyncio.create_task(said(place, f"{steps}", session=f"chat:{steps}"))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        (came,) = await asyncio.gather(task, return_exceptions=True)
        return isinstance(came, asyncio.CancelledError)

    async def many() -> list[bool]:
        return [await cancelled_after(steps) for steps in (*range(0, 120, 3), 100_000)]

    outcomes = done(many())
    assert outcomes[0]
    assert not outcomes[-1]
    own = hx.scoped(namespace=f"default/{APP}/dana")
    saves = [
        record.target
        for record in own.audit.records()
        if record.action == "knowledge.save"
    ]
    assert sorted(saves) == sorted(entry.key for entry in own.knowledge.list())
    assert all(len(own.knowledge.history(key)) == 1 for key in saves)
    assert own.audit.verify().ok
    hx.close()
    with sqlite3.connect(tmp_path / "agent.db") as plain:
        assert plain.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    plain.close()
