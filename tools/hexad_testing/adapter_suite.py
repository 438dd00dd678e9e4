"""The contract of every framework adapter, as tests.

A test file gives a fixture ``agents`` (an `Agents`) and says ``from
hexad_testing.adapter_suite import *``. The agents are real ones of the framework; only
the model is scripted.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from dataclasses import dataclass, field
from datetime import date  # noqa: TC003 - frameworks read the annotations of tools
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

from hexad.agents.context import PREFACE
from hexad.context.selection import estimate_tokens
from hexad.context.standing import TITLE
from hexad.errors import StoreBusy, StoreError
from hexad.facade import Hexad
from hexad_testing.faulty_store import FaultyStore, over
from hexad_testing.script import Call, Request, Script

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

BASE: Final = "Be terse."
USER: Final = "dana"
WAYS: Final = ("sync", "async", "stream", "sync stream")
FORM: Final = "`day` as YYYY-MM-DD, not as DD/MM/YYYY"
BOOKING: Final = "Book a room for the 31st"


class Driven(Protocol):
    """One agent of the framework, with the system prompt `BASE`."""

    def say(self, text: str, *, user: str, session: str, stream: bool) -> str:
        """The answer to a message, without an event loop."""

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        """The answer to a message."""

    async def approve(self, *, user: str, session: str) -> str:
        """The answer after a person approved the call that waits."""

    def stored(self, session: str) -> str:
        """The history that the framework keeps of a session, in words."""


@dataclass(frozen=True)
class Agents:
    """How agents of a framework are made: from an engine (None: without the adapter), a
    script and tools.

    The tool `pay` needs a person's approval. ``missing`` names what the framework does
    not have, with the reason: "sync", "stream", "sync stream", "approval", "cancel",
    "history", "user function", and "notes", which is a place for text behind the
    descriptions of tools. ``wraps`` says whether calls of tools happen inside the
    adapter, and ``repeats`` whether the framework repeats a request that failed.
    ``told_of`` is the tool whose failure the adapter can tell about: `book` raises,
    `check` returns an error.
    """

    make: Callable[..., Driven]
    namespace: Callable[[str], str] = lambda user: f"default/{user}"
    missing: Mapping[str, str] = field(default_factory=dict)
    wraps: bool = True
    repeats: bool = False
    told_of: str = "check"

    def need(self, what: str) -> None:
        """Skip a test of something that the framework does not have."""
        for each in {
            what,
            *what.split(),
        } & self.missing.keys():  # "sync stream" needs both
            pytest.skip(self.missing[each])

    def own(self, hx: Hexad, user: str = USER) -> Hexad:
        """The engine as a user sees it."""
        return hx.scoped(namespace=self.namespace(user))


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    """An engine where nothing stands, so that a few entries show what is found."""
    with Hexad.open(
        tmp_path / "agent.db", enabled=True, layer_deadline=600.0, standing_budget=0
    ) as engine:
        yield engine


def book(day: str) -> str:
    """Book a room for a day."""
    if "/" in day:
        raise ValueError(f"cannot read the day {day!r}")
    return f"a room on {day}"


def check(day: str) -> dict[str, str]:
    """Check a day."""
    return (
        {"error": f"cannot read the day {day!r}"} if "/" in day else {"status": "free"}
    )


def pay(day: str) -> str:
    """Pay for a day."""
    return f"paid for {day}"


def answered(
    agent: Driven,
    text: str = BOOKING,
    *,
    user: str = USER,
    session: str = "s1",
    way: str = "async",
) -> str:
    """The agent's answer in one of the four ways."""
    if "sync" in way.split():
        return agent.say(text, user=user, session=session, stream="stream" in way)
    return asyncio.run(
        agent.asay(text, user=user, session=session, stream=way == "stream")
    )


def booked(*days: str, tool: str = "book") -> Script:
    """A model that tries these days, one after the other, and then says so."""
    return Script([*(Call(tool, {"day": day}) for day in days), "Booked."])


def calls(hx: Hexad) -> list[tuple[str, bool]]:
    """The record of calls: the tool, without a prefix of the framework's, and whether
    it worked.
    """
    records = [each for each in hx.audit.records() if each.action == "tool.call"]
    return [
        (each.target.rpartition("__")[2], bool(each.details["ok"])) for each in records
    ]


def blocks(request: Request) -> list[int]:
    """The places of found context among the messages."""
    return [
        place
        for place, (_, text) in enumerate(request.messages)
        if PREFACE.strip() in text
    ]


def place_of(request: Request, text: str) -> int:
    """The place of the latest message of the user's that holds these words."""
    return max(
        place
        for place, (role, said) in enumerate(request.messages)
        if role == "user" and text in said
    )


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Everything that was logged as a warning or worse."""
    gc.collect()  # asyncio reports a future that nobody asked when that goes
    return [
        each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING
    ]


pytestmark = pytest.mark.requirement("EDGE-01", "EDGE-02")

# context


@pytest.mark.parametrize("way", WAYS)
def test_every_model_call_of_a_turn_sees_one_block_in_front_of_the_users_message(
    agents: Agents, hx: Hexad, way: str
) -> None:
    agents.need(way)
    agents.own(hx).knowledge.save("room", "Book a quiet room")
    rule = Call(
        "save_knowledge", {"key": "hall", "content": "Book a room in the small hall"}
    )
    script = Script([rule, Call("book", {"day": "2026-01-31"}), "Booked."])
    assert answered(agents.make(hx, script, [book]), way=way).strip() == "Booked."
    first, *later = script.requests
    assert len(later) == 2
    for request in script.requests:
        (place,) = blocks(request)
        assert 0 <= place_of(request, BOOKING) - place <= 1
        assert request.messages[place] == first.messages[blocks(first)[0]]
        assert "quiet room" in request.messages[place][1]
        assert request.system == first.system
        assert BASE in request.system


@pytest.mark.parametrize("way", WAYS)
def test_the_next_turn_has_a_block_of_its_own_and_the_history_has_none(
    agents: Agents, hx: Hexad, way: str
) -> None:
    agents.need(way)
    agents.own(hx).knowledge.save("room", "Book a quiet room")
    agents.own(hx).knowledge.save("lunch", "The canteen has soup")
    script = Script(["Booked.", "Soup."])
    agent = agents.make(hx, script)
    answered(agent, way=way)
    answered(agent, "What does the canteen have?", way=way)
    first, second = script.requests
    *earlier, place = blocks(second)
    assert "soup" in second.messages[place][1]
    assert place_of(second, "canteen") > place_of(second, BOOKING)
    assert first.system == second.system
    agents.need("history")
    stored = agent.stored("s1")
    assert not earlier
    assert "quiet room" not in str(second.messages)
    assert BOOKING in stored
    assert PREFACE.strip() not in stored


def test_standing_context_is_the_end_of_the_system_prompt_and_changes_only_with_its_entries(
    agents: Agents, tmp_path: Path
) -> None:
    with Hexad.open(tmp_path / "standing.db", enabled=True, layer_deadline=600.0) as hx:
        own = agents.own(hx)
        own.knowledge.save("units", "Answer in metric units", category="preference")
        script = Script(["One.", Call("book", {"day": "2026-01-31"}), "Two.", "Three."])
        agent = agents.make(hx, script, [book])
        answered(agent, "How far is it?")
        answered(agent, BOOKING)
        own.knowledge.save("tone", "Answer politely", category="preference")
        answered(agent, "Thanks")
    before = {request.system for request in script.requests[:-1]}
    assert len(before) == 1
    (system,) = before
    assert system.startswith(BASE)
    assert TITLE in system
    assert system.endswith("Answer in metric units")
    assert "Answer politely" in script.requests[-1].system
    assert script.requests[-1].system.startswith(system.partition(TITLE)[0])


def test_a_block_that_does_not_fit_is_left_out(agents: Agents, hx: Hexad) -> None:
    own = agents.own(hx)
    for number in range(8):
        own.knowledge.save(
            f"room-{number}",
            f"Book a room on floor {number} " + "with a view of the park " * 5,
        )
    requests = []
    for budget in (0, 1, 150):
        script = Script(["Booked."])
        assert answered(agents.make(hx, script, budget=budget)).strip() == "Booked."
        requests += script.requests
    assert not blocks(requests[0])
    assert not blocks(requests[1])
    (place,) = blocks(requests[2])
    block = requests[2].messages[place][1].partition(BOOKING)[0]
    assert 0 < estimate_tokens(block) <= 150


def test_users_at_once_each_get_their_own_memory(agents: Agents, hx: Hexad) -> None:
    users = [f"user{number}" for number in range(6)]
    for user in users:
        agents.own(hx, user).knowledge.save("room", f"Book a room for {user}")

    def reply(request: Request) -> Any:
        mine = next(user for user in users if f"I am {user}" in str(request.said))
        assert [
            user for user in users if f"a room for {user}" in str(request.messages)
        ] == [mine]
        return (
            "Booked."
            if "tool" in {role for role, _ in request.messages}
            else Call("book", {"day": f"31/{mine}"})
        )

    agent = agents.make(hx, Script(reply), [book])

    async def everybody() -> list[str]:
        return await asyncio.gather(
            *(
                agent.asay(
                    f"I am {user}, book a room", user=user, session=user, stream=False
                )
                for user in users
            )
        )

    assert {each.strip() for each in asyncio.run(everybody())} == {"Booked."}
    assert [calls(agents.own(hx, user)) for user in users] == [[("book", False)]] * 6
    assert not calls(hx)


def test_our_tools_save_into_the_memory_of_the_one_who_speaks(
    agents: Agents, hx: Hexad
) -> None:
    script = Script(
        [
            Call("save_knowledge", {"key": "room", "content": "Prefers a quiet room"}),
            "Noted.",
            "Yes.",
        ]
    )
    agent = agents.make(hx, script)
    answered(agent, "I like quiet rooms, remember that")
    kept = agents.own(hx).knowledge.get("room")
    assert (kept.origin, kept.said) == ("user", "I like quiet rooms, remember that")
    assert calls(agents.own(hx)) == [("save_knowledge", True)]
    answered(agent, "Which room?", session="s2")
    assert (
        "quiet room" in f"{script.requests[-1].system} {script.requests[-1].messages}"
    )
    assert "search_knowledge" in script.requests[0].tools


@pytest.mark.requirement("CAP-01")
@pytest.mark.parametrize("wanted", [True, False])
def test_what_a_user_says_that_lasts_is_proposed_once_where_the_setting_wants_it(
    agents: Agents, tmp_path: Path, *, wanted: bool
) -> None:
    wish = "Always book a quiet room for me."
    with Hexad.open(
        tmp_path / "wishes.db", enabled=True, layer_deadline=600.0, capture=wanted
    ) as hx:
        agent = agents.make(
            hx, Script([Call("book", {"day": "2026-01-31"}), wish, "Yes."]), [book]
        )
        answered(agent, wish)
        answered(agent, "Thanks")
        assert [each.content for each in agents.own(hx).proposals.list()] == (
            [wish] if wanted else []
        )
        assert not (*hx.proposals.list(), *agents.own(hx).knowledge.list())


def test_an_active_skill_is_a_tool_of_the_agent_and_its_run_is_no_call_of_another_tool(
    agents: Agents, hx: Hexad
) -> None:
    hx.skills.create(
        "greet",
        kind="instruction",
        description="Greet a guest",
        definition={"text": "Say hello twice"},
    )
    hx.skills.activate("greet")
    script = Script([Call("skill_greet", {}), "Hello hello."])
    assert answered(agents.make(hx, script)).strip() == "Hello hello."
    assert "skill_greet" in script.requests[0].tools
    assert "Say hello twice" in str(script.requests[-1].messages)
    assert not [each for each in calls(agents.own(hx)) if each[0] == "skill_greet"]


# learning


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("tool", ["book", "check"])
@pytest.mark.requirement("EVID-01")
def test_an_error_is_learned_and_the_next_session_knows_what_worked_next(
    agents: Agents, hx: Hexad, way: str, tool: str
) -> None:
    agents.need(way)
    script = booked("31/01/2026", "2026-01-31", tool=tool)
    answered(agents.make(hx, script, [book, check]), way=way)
    own = agents.own(hx)
    assert calls(own) == [(tool, False), (tool, True)]
    again = Script(["Yes."])
    answered(
        agents.make(hx, again, [book, check]),
        f"{BOOKING} and {tool} the day",
        session="s2",
        way=way,
    )
    shown = next(
        text for _, text in again.requests[0].messages if "Failed before" in text
    )
    assert FORM in shown
    assert "What worked next" in shown


@pytest.mark.requirement("EVID-04")
def test_what_is_known_of_a_tools_arguments_stands_behind_its_description_whatever_the_user_says(
    agents: Agents, hx: Hexad
) -> None:
    agents.need("notes")
    first, second = (
        booked("31/01/2026", "2026-01-31"),
        Script(["Hello.", "Hello again."]),
    )
    answered(agents.make(hx, first, [book, check]), session="s1")
    agent = agents.make(hx, second, [book, check])
    answered(agent, "Good morning", session="s2")
    answered(agent, "How are you?", session="s2")
    before = first.requests[0].description("book")
    known = [request.description("book") for request in second.requests]
    assert known == [f"{before}\n\nKnown from earlier calls: give {FORM}."] * 2
    assert FORM not in second.requests[0].description("check")


@pytest.mark.requirement("EVID-04")
def test_what_is_known_of_a_failure_stands_beside_it(agents: Agents, hx: Hexad) -> None:
    tool = agents.told_of
    answered(
        agents.make(hx, booked("31/01/2026", "2026-01-31", tool=tool), [book, check]),
        session="s1",
    )
    again = booked("01/02/2026", "2026-02-01", tool=tool)
    answered(agents.make(hx, again, [book, check]), "Please arrange it", session="s2")
    results = [text for role, text in again.requests[1].messages if role == "tool"]
    assert "What worked next" in results[-1]
    assert FORM in results[-1]
    own = agents.own(hx).learnings.list(noticed=True)
    assert [each.seen for each in own] == [2]


def test_arguments_that_do_not_fit_are_an_error_of_the_call(
    agents: Agents, hx: Hexad
) -> None:
    script = Script(
        [
            Call("book", {"date": "2026-01-31"}),
            Call("book", {"day": "2026-01-31"}),
            "Booked.",
        ]
    )
    assert answered(agents.make(hx, script, [book])).strip() == "Booked."
    assert calls(agents.own(hx)) == [("book", False), ("book", True)]


def test_a_tool_that_does_not_exist_teaches_nothing(agents: Agents, hx: Hexad) -> None:
    script = Script([Call("made_up", {}), "Sorry."])
    assert answered(agents.make(hx, script, [book])).strip() == "Sorry."
    assert not calls(agents.own(hx))


def test_parallel_calls_count_once_each(agents: Agents, hx: Hexad) -> None:
    both = [Call("book", {"day": "31/01/2026"}), Call("check", {"day": "2026-01-31"})]
    assert (
        answered(agents.make(hx, Script([both, "Done."]), [book, check])).strip()
        == "Done."
    )
    assert sorted(calls(agents.own(hx))) == [("book", False), ("check", True)]


@pytest.mark.parametrize("watched_by", ["engine", "user"])
def test_a_watched_tool_counts_once(agents: Agents, hx: Hexad, watched_by: str) -> None:
    """In the memory of the user, or, if the call does not happen inside the adapter, in
    the one that watches.
    """
    own = agents.own(hx)
    watched = (hx if watched_by == "engine" else own).watch(book)
    answered(
        agents.make(hx, booked("31/01/2026", "31/01/2026", "2026-01-31"), [watched])
    )
    homes = (own, hx) if agents.wraps or watched_by == "user" else (hx, own)
    assert [calls(each) for each in homes] == [
        [("book", False), ("book", False), ("book", True)],
        [],
    ]


def test_a_watched_tool_that_the_program_called_itself_still_counts_for_the_agent(
    agents: Agents, hx: Hexad
) -> None:
    own = agents.own(hx)
    watched = own.watch(book)
    watched("2026-01-31")
    answered(agents.make(hx, booked("2026-01-31"), [watched]))
    assert calls(own) == [("book", True), ("book", True)]


def test_a_watched_function_with_defaults_and_dates_counts_once(
    agents: Agents, hx: Hexad
) -> None:
    def reserve(day: date, room: str = "small") -> str:
        """Reserve a room for a day."""
        return f"the {room} room on {day}"

    script = Script(
        [
            Call("reserve", {"day": "2026-01-31"}),
            Call("reserve", {"day": "2026-02-01"}),
            "Booked.",
        ]
    )
    own = agents.own(hx)
    answered(agents.make(hx, script, [own.watch(reserve)]))
    assert (calls(own), calls(hx)) == ([("reserve", True), ("reserve", True)], [])


def test_a_cancelled_call_is_no_outcome(agents: Agents, hx: Hexad) -> None:
    agents.need("cancel")
    began = threading.Event()

    async def waiting(day: str) -> str:
        """Wait for ever."""
        began.set()
        await asyncio.Event().wait()
        return day

    agent = agents.make(hx, booked("2026-01-31", tool="waiting"), [waiting])

    async def cancelled() -> None:
        run = asyncio.create_task(
            agent.asay(BOOKING, user=USER, session="s1", stream=False)
        )
        while not began.is_set() and not run.done():
            await asyncio.sleep(0.01)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(cancelled())
    assert not calls(agents.own(hx))


def test_a_call_that_waits_for_approval_is_no_outcome_and_an_approved_one_counts_once(
    agents: Agents, hx: Hexad
) -> None:
    agents.need("approval")
    agent = agents.make(hx, booked("2026-01-31", tool="pay"), [pay])

    async def both() -> str:
        await agent.asay(BOOKING, user=USER, session="s1", stream=False)
        assert not calls(agents.own(hx))
        return await agent.approve(user=USER, session="s1")

    assert asyncio.run(both()).strip() == "Booked."
    assert calls(agents.own(hx)) == [("pay", True)]


def test_a_model_call_that_failed_leaves_nothing_behind_and_the_next_has_one_block(
    agents: Agents, hx: Hexad
) -> None:
    agents.own(hx).knowledge.save("room", "Book a quiet room")
    script = Script([ConnectionError("overloaded"), "Booked."])
    agent = agents.make(hx, script)
    if not agents.repeats:
        with pytest.raises(Exception, match="overloaded"):
            answered(agent)
    assert answered(agent).strip() == "Booked."
    failed, repeated = script.requests
    assert [repeated.messages[place] for place in blocks(repeated)] == [
        failed.messages[blocks(failed)[0]]
    ]
    assert "quiet room" in repeated.messages[blocks(repeated)[0]][1]
    assert repeated == failed or not agents.repeats


# failures of ours


LOCKED: Final = StoreBusy("agent.db", "is locked")
FULL: Final = StoreError("agent.db", "disk is full")
GONE: Final = RuntimeError("the store is gone")


@pytest.mark.parametrize(
    ("way", "error"),
    [
        ("sync", LOCKED),
        ("async", LOCKED),
        ("async", FULL),
        ("async", GONE),
        ("stream", GONE),
    ],
    ids=["sync-locked", "async-locked", "async-full", "async-gone", "stream-gone"],
)
def test_a_store_that_fails_costs_the_context_and_one_warning(
    agents: Agents,
    hx: Hexad,
    way: str,
    error: Exception,
    caplog: pytest.LogCaptureFixture,
) -> None:
    agents.need(way)

    def fails() -> None:
        raise error

    script, bare = booked("2026-01-31"), booked("2026-01-31")
    broken = over(hx, FaultyStore(hx.store, fails))
    assert (
        answered(
            agents.make(broken, script, [book], tools_of_ours=False), way=way
        ).strip()
        == "Booked."
    )
    answered(agents.make(None, bare, [book]), way=way)
    assert script.requests == bare.requests
    (warning,) = warned(caplog)
    assert str(error) in warning


def test_a_store_that_hangs_is_waited_for_once(
    agents: Agents, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    released = threading.Event()
    with Hexad.open(tmp_path / "hasty.db", enabled=True, layer_deadline=0.1) as hasty:
        hung = over(
            hasty, FaultyStore(hasty.store, lambda: released.wait(500) and None)
        )
        script, bare = booked("2026-01-31"), booked("2026-01-31")
        assert (
            answered(agents.make(hung, script, [book], tools_of_ours=False)).strip()
            == "Booked."
        )
        assert not released.is_set()
        released.set()
    answered(agents.make(None, bare, [book]))
    assert script.requests == bare.requests
    assert len(warned(caplog)) == 1


@pytest.mark.parametrize("way", WAYS)
def test_an_engine_that_is_off_changes_nothing(
    agents: Agents, tmp_path: Path, way: str
) -> None:
    agents.need(way)
    off = Hexad.open(tmp_path / "off.db")
    with_it, bare = (booked("31/01/2026", "2026-01-31") for _ in range(2))
    assert answered(agents.make(off, with_it, [book]), way=way) == answered(
        agents.make(None, bare, [book]), way=way
    )
    assert with_it.requests == bare.requests
    assert not list(tmp_path.glob("off.db*"))


def test_a_user_that_cannot_be_determined_costs_the_context_and_a_warning(
    agents: Agents, hx: Hexad, caplog: pytest.LogCaptureFixture
) -> None:
    agents.need("user function")
    script, bare = booked("2026-01-31"), booked("2026-01-31")
    agent = agents.make(hx, script, [book], tools_of_ours=False)
    assert answered(agent, user="").strip() == "Booked."
    answered(agents.make(None, bare, [book]))
    assert script.requests == bare.requests
    assert len(warned(caplog)) == 1
    assert not calls(hx)
