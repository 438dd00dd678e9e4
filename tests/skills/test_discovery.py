"""Repeated work of an agent is offered as a draft: its steps, its constants, its
parameters.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hexad.cli import main
from hexad.model import Origin, SkillKind, SkillStatus
from hexad.skills.discovery.sequences import repeated
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hexad import Hexad


class Desk:
    """The agent's tools; what they give depends on what they are given."""

    def __init__(self, hx: Hexad, session: str) -> None:
        self._hx, self._session = hx, session

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return self._hx.watch(
            getattr(self, f"_{name}"), name=name, session=self._session
        )

    @staticmethod
    def _find_customer(email: str) -> dict[str, Any]:
        return {
            "customer": {"id": f"c-{len(email)}-{email[:2]}", "email": email},
            "found": True,
        }

    @staticmethod
    def _create_ticket(
        customer: str, title: str, queue: str = "support", priority: int = 3
    ) -> dict[str, Any]:
        return {"ticket": {"number": sum(map(ord, title)), "customer": customer}}

    @staticmethod
    def _notify(
        channel: str, text: str, ticket: int, options: dict[str, Any] | None = None
    ) -> str:
        return "sent"

    @staticmethod
    def _weather(city: str) -> str:
        return f"sunny in {city}"

    @staticmethod
    def _login(user: str, password: str) -> dict[str, str]:
        return {"access_token": f"t{user}{password}"}

    @staticmethod
    def _fetch(token: str, page: int) -> str:
        if page < 0:
            raise ValueError(f"no page {page}")
        return "page"

    @staticmethod
    def _save(obj: object, name: str) -> None:
        return None


CASES = (
    ("anna@example.org", "Broken lamp"),
    ("bo@example.org", "Late parcel"),
    ("cy@example.org", "Wrong invoice"),
)


def help_customer(hx: Hexad, session: str, email: str, title: str) -> None:
    desk = Desk(hx, session)
    found = desk.find_customer(email)
    made = desk.create_ticket(
        customer=found["customer"]["id"], title=title, queue="urgent"
    )
    desk.notify(
        "#help", title, made["ticket"]["number"], options={"silent": True, "by": email}
    )


def three_sessions(hx: Hexad) -> None:
    for number, (email, title) in enumerate(CASES):
        help_customer(hx, f"session-{number}", email, title)


@requirement("SKILL-10")
def test_what_was_done_in_three_sessions_becomes_a_draft_with_what_differed_as_parameters(
    hx: Hexad,
) -> None:
    three_sessions(hx)
    [skill] = hx.skills.discover()
    assert skill.definition == {
        "steps": [
            {
                "tool": "find_customer",
                "args": {"email": "{{ email }}"},
                "save_as": "find_customer_result",
            },
            {
                "tool": "create_ticket",
                "args": {
                    "customer": "{{ find_customer_result.customer.id }}",
                    "title": "{{ title }}",
                    "queue": "urgent",
                },
                "save_as": "create_ticket_result",
            },
            {
                "tool": "notify",
                "args": {
                    "channel": "{{ channel }}",
                    "text": "{{ title }}",
                    "ticket": "{{ create_ticket_result.ticket.number }}",
                    "options": {"silent": True, "by": "{{ email }}"},
                },
            },
        ]
    }
    assert skill.parameters == {
        "type": "object",
        "properties": {
            "email": {"type": "string", "description": "email of find_customer"},
            "title": {"type": "string", "description": "title of create_ticket"},
            "channel": {"type": "string", "description": "channel of notify"},
        },
        "required": ["email", "title", "channel"],
    }
    assert (skill.kind, skill.status, skill.origin, skill.author) == (
        SkillKind.COMPOSITE,
        SkillStatus.DRAFT,
        Origin.TOOL,
        "hexad",
    )
    assert skill.name == "find-customer-create-ticket-notify"
    assert (
        "in 3 sessions: find_customer, then create_ticket, then notify"
        in skill.description
    )
    shown = [
        record for record in hx.audit.records() if record.action == "skill.discover"
    ]
    assert [(each.target, each.details["sessions"]) for each in shown] == [
        (skill.name, 3)
    ]


@requirement("SKILL-10")
def test_two_sessions_are_not_enough_however_often_it_was_done_in_them(
    hx: Hexad,
) -> None:
    for _ in range(3):
        for number in (0, 1):
            help_customer(hx, f"session-{number}", *CASES[number])
    assert hx.skills.discover() == ()
    help_customer(hx, "session-2", *CASES[2])
    assert len(hx.skills.discover()) == 1


@requirement("SKILL-10")
def test_no_value_that_differed_is_kept_in_the_skill(hx: Hexad) -> None:
    three_sessions(hx)
    [skill] = hx.skills.discover()
    written = json.dumps(
        [skill.definition, skill.parameters, skill.description, skill.name]
    )
    for case in CASES:
        for value in case:
            assert value not in written


@requirement("SKILL-10")
def test_an_offer_is_made_once_also_after_it_was_deleted(hx: Hexad) -> None:
    three_sessions(hx)
    [skill] = hx.skills.discover()
    assert hx.skills.discover() == ()
    hx.skills.delete(skill.name)
    help_customer(hx, "session-9", "dee@example.org", "No answer")
    assert hx.skills.discover() == ()
    assert hx.skills.list() == ()


@requirement("SKILL-10")
def test_what_a_skill_does_already_is_not_offered(hx: Hexad) -> None:
    steps = [
        {"tool": tool, "args": {}}
        for tool in ("find_customer", "create_ticket", "notify")
    ]
    hx.skills.create(
        "help", kind="composite", description="Help", definition={"steps": steps}
    )
    three_sessions(hx)
    assert hx.skills.discover() == ()


@requirement("SKILL-10")
def test_a_failed_call_that_was_put_right_is_left_out(hx: Hexad) -> None:
    for number, user in enumerate(("ann", "bob", "cem")):
        desk = Desk(hx, f"session-{number}")
        token = desk.login(user, f"pw-{user}-{number}")["access_token"]
        with pytest.raises(ValueError, match="no page"):
            desk.fetch(token, -1)
        desk.fetch(token, number + 4)
        desk.weather("Bonn")
    [skill] = hx.skills.discover()
    steps = skill.definition["steps"]
    assert [each["tool"] for each in steps] == ["login", "fetch", "weather"]  # type: ignore[index, union-attr]
    assert steps[1]["args"] == {
        "token": "{{ login_result.access_token }}",
        "page": "{{ page }}",
    }  # type: ignore[index]
    assert steps[2]["args"] == {"city": "Bonn"}  # type: ignore[index]


@requirement("SKILL-10")
def test_a_secret_is_a_parameter_even_where_it_was_always_the_same(hx: Hexad) -> None:
    for number, page in enumerate((3, 5, 8)):
        desk = Desk(hx, f"session-{number}")
        desk.login("service", "hunter2hunter2")
        desk.fetch("abcd1234abcd1234abcd", page)
    [skill] = hx.skills.discover()
    assert [step["args"] for step in skill.definition["steps"]] == [  # type: ignore[union-attr, index, call-overload]
        {"user": "service", "password": "{{ password }}"},
        {"token": "{{ token }}", "page": "{{ page }}"},
    ]
    assert "hunter2" not in json.dumps(skill.definition)


@requirement("SKILL-10")
def test_calls_without_a_session_and_objects_that_are_no_data_are_not_offered(
    hx: Hexad,
) -> None:
    for _ in range(3):
        Desk(hx, "").find_customer("a@example.org")
        Desk(hx, "").weather("Bonn")
    for number in range(3):
        desk = Desk(hx, f"session-{number}")
        desk.weather("Bonn")
        desk.save(object(), f"name-{number}")
        hx.observe(tool="beep", args={"argument 1": number}, session=f"other-{number}")
        hx.observe(tool="blink", args={"argument 1": number}, session=f"other-{number}")
    assert hx.skills.discover() == ()


@requirement("SKILL-10")
def test_what_is_kept_for_discovery_holds_no_values(hx: Hexad) -> None:
    three_sessions(hx)
    Desk(hx, "session-0").login("ann", "hunter2hunter2")
    with hx.store.reading("default") as view:
        kept = [call.arguments for call in view.calls()]
    assert len(kept) == 10
    marks = [
        mark
        for each in kept
        for part in json.loads(each).values()
        for mark in part.values()
    ]
    assert all(re.fullmatch("[sbinzaox]([0-9a-f]{2}){1,2}", mark) for mark in marks)
    secret = json.loads(next(each for each in kept if "password" in each))
    assert (
        len(secret["a"]["/password"]) == len(secret["r"]["/access_token"]) == 3
    )  # its kind and 8 bits


@requirement("SKILL-10")
def test_an_argument_that_only_some_runs_gave_is_left_out_and_kinds_become_types(
    hx: Hexad,
) -> None:
    values: list[tuple[Any, Any]] = [(1, ["a"]), (2.5, ["b", "c"]), (3, ["d"])]
    for number, (amount, names) in enumerate(values):
        extra = {"note": "x"} if number == 1 else {}
        hx.observe(
            tool="pay",
            args={"amount": amount, "to": names, **extra},
            session=f"s{number}",
        )
        hx.observe(
            tool="file",
            args={"amount": f"{number} EUR", "long": "y" * 300},
            session=f"s{number}",
        )
    [skill] = hx.skills.discover()
    assert [step["args"] for step in skill.definition["steps"]] == [  # type: ignore[union-attr, index, call-overload]
        {"amount": "{{ amount }}", "to": "{{ to }}"},
        {"amount": "{{ file_amount }}", "long": "{{ long }}"},
    ]
    kinds = {
        name: shown.get("type")
        for name, shown in skill.parameters["properties"].items()
    }  # type: ignore[union-attr]
    assert kinds == {
        "amount": "number",
        "to": "array",
        "file_amount": "string",
        "long": "string",
    }


@requirement("SKILL-10")
def test_only_what_was_done_in_the_session_too_is_offered_if_one_is_named(
    hx: Hexad,
) -> None:
    three_sessions(hx)
    assert hx.skills.discover(session="another") == ()
    assert len(hx.skills.discover(session="session-1")) == 1


@requirement("SKILL-10")
def test_the_longest_sequence_is_offered_not_its_parts(hx: Hexad) -> None:
    tools = [f"step_{letter}" for letter in "abcdefgh"]
    for number in range(4):
        for tool in tools:
            hx.observe(tool=tool, args={"n": number}, session=f"s{number}")
    [skill] = hx.skills.discover()
    assert len(skill.definition["steps"]) == 8  # type: ignore[arg-type]
    assert {json.dumps(step["args"]) for step in skill.definition["steps"]} == {
        '{"n": "{{ n }}"}'
    }  # type: ignore[union-attr, index, call-overload]


@requirement("SKILL-10")
def test_a_tool_called_again_and_again_is_no_procedure(hx: Hexad) -> None:
    for number in range(5):
        for place in range(6):
            hx.observe(tool="read", args={"place": place}, session=f"s{number}")
    assert hx.skills.discover() == ()


@requirement("SKILL-10")
def test_hexads_own_tools_and_skills_are_no_steps(hx: Hexad) -> None:
    for number in range(3):
        hx.observe(
            tool="save_knowledge", args={"key": f"k{number}"}, session=f"s{number}"
        )
        hx.observe(tool="skill_release", args={"version": number}, session=f"s{number}")
    assert hx.skills.discover() == ()


@requirement("SKILL-10")
def test_closing_an_engine_offers_what_its_tools_and_those_of_others_did(
    tmp_path: Path,
) -> None:
    for number, case in enumerate(CASES):
        with opened(tmp_path / "agent.db", session=f"session-{number}") as hx:
            help_customer(hx, f"session-{number}", *case)
    with opened(tmp_path / "agent.db") as hx:
        assert [skill.status for skill in hx.skills.list()] == [SkillStatus.DRAFT]


@requirement("SKILL-10")
def test_nothing_is_offered_by_itself_where_that_is_turned_off_or_nothing_was_watched(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db", discover_skills=False) as hx:
        three_sessions(hx)
    with opened(tmp_path / "agent.db") as hx:
        assert hx.skills.list() == ()
    with opened(tmp_path / "agent.db") as hx:
        assert hx.skills.list() == ()
        assert len(hx.skills.discover()) == 1


@requirement("SKILL-10")
def test_each_namespace_has_its_own(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db") as hx:
        for number, name in enumerate(("one", "two", "one")):
            help_customer(
                hx.scoped(namespace=name), f"session-{number}", *CASES[number]
            )
        help_customer(hx.scoped(namespace="one"), "session-3", *CASES[1])
    with opened(tmp_path / "agent.db") as hx:
        assert [
            len(hx.scoped(namespace=name).skills.list())
            for name in ("one", "two", "default")
        ] == [1, 0, 0]


@requirement("SKILL-10")
def test_what_a_session_did_is_gone_from_discovery_once_it_is_forgotten(
    hx: Hexad,
) -> None:
    three_sessions(hx)
    hx.forget(session="session-1")
    assert hx.skills.discover() == ()


def nurse(hx: Hexad, session: str, **given: Any) -> None:
    """A task of somebody whose patient happens to be the same each time."""
    hx.observe(
        tool="lookup",
        args={"patient": "Jane Roe", "dob": "1970-01-01", **given},
        session=session,
    )
    note = {
        "rec": session,
        "text": "HIV positive",
        "to": "dr@example.org",
        "ward": "b2",
        "beds": 2,
        "quiet": True,
    }
    hx.observe(
        tool="note",
        args={**note, "file": 48213, "phone": "0301", "door": ""},
        session=session,
    )


@requirement("SKILL-10")
def test_of_what_was_always_the_same_only_words_flags_and_small_numbers_are_kept(
    hx: Hexad,
) -> None:
    for number in range(3):
        nurse(hx, f"s{number}", since=None)
    [skill] = hx.skills.discover()
    assert [step["args"] for step in skill.definition["steps"]] == [  # type: ignore[union-attr, index, call-overload]
        {"patient": "{{ patient }}", "dob": "{{ dob }}", "since": None},
        {
            "rec": "{{ rec }}",
            "text": "{{ text }}",
            "to": "{{ to }}",
            "ward": "b2",
            "beds": 2,
            "quiet": True,
            "file": "{{ file }}",
            "phone": "{{ phone }}",
            "door": "",
        },
    ]
    written = json.dumps([skill.definition, skill.parameters, skill.description])
    assert not [
        each
        for each in ("Jane", "Roe", "1970", "HIV", "dr@", "48213", "0301")
        if each in written
    ]
    assert skill.parameters["required"] == [
        "patient",
        "dob",
        "rec",
        "text",
        "to",
        "file",
        "phone",
    ]


@requirement("SKILL-10")
def test_a_draft_goes_with_the_sessions_it_was_found_in_and_leaves_no_bytes(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db", discover_skills=False) as hx:
        for number in range(4):
            nurse(hx, f"s{number}")
        [skill] = hx.skills.discover()
        hx.forget(session="s0")
        hx.forget(session="another")
        assert hx.skills.list() == (skill,)
        forgotten = hx.forget(session="s3")
        assert hx.skills.list() == ()
        assert (forgotten.entries, forgotten.erased) == (1, True)
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"Does in one step" not in kept
    assert b"{{ patient }}" not in kept


@requirement("SKILL-10")
def test_what_went_with_its_sessions_is_offered_again_when_others_did_it(
    hx: Hexad,
) -> None:
    for number in range(3):
        nurse(hx, f"s{number}")
    hx.skills.discover()
    for number in range(3):
        hx.forget(session=f"s{number}")
    assert hx.skills.discover() == hx.skills.list() == ()
    for number in range(5, 8):
        nurse(hx, f"s{number}")
    assert [skill.name for skill in hx.skills.discover()] == ["lookup-note"]


@requirement("SKILL-10")
def test_what_a_person_activated_or_wrote_anew_stays_and_loses_only_what_was_discovered(
    hx: Hexad,
) -> None:
    for number in range(3):
        nurse(hx, f"s{number}")
        help_customer(hx, f"s{number}", *CASES[number])
    found = {skill.name: skill for skill in hx.skills.discover()}
    [name] = found
    active = hx.skills.activate(name, by="Grace")
    hx.forget(session="s0")
    assert hx.skills.get(name) == active
    hx.skills.create(
        name,
        kind="instruction",
        description="Mine",
        definition={"text": "Do it by hand"},
    )
    hx.forget(session="s1")
    assert [version.description for version in hx.skills.history(name)] == ["Mine"]


@requirement("SKILL-10")
def test_the_command_line_offers_and_then_has_nothing_new(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = str(tmp_path / "agent.db")
    with opened(database, discover_skills=False) as hx:
        three_sessions(hx)
    assert main(["skills", "discover", "--session", "another", "--db", database]) == 0
    assert "no new sequence" in capsys.readouterr().err
    assert main(["skills", "discover", "--db", database]) == 0
    printed = capsys.readouterr().out.split("\t")
    assert printed[:3] == [
        "find-customer-create-ticket-notify",
        "3",
        "email, title, channel",
    ]
    assert main(["skills", "discover", "--db", database, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["skills"] == []


@requirement("SKILL-10")
def test_sessions_in_several_processes_are_seen_together(tmp_path: Path) -> None:
    program = (
        "import sys; from tests.skills.test_discovery import CASES, help_customer; from tests.support import opened\n"
        "number = int(sys.argv[2])\n"
        "with opened(sys.argv[1], semantic=False) as hx: help_customer(hx, f'session-{number}', *CASES[number])"
    )
    for number in range(3):
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / "agent.db"), str(number)],
            check=True,
        )
    with opened(tmp_path / "agent.db") as hx:
        assert [skill.name for skill in hx.skills.list()] == [
            "find-customer-create-ticket-notify"
        ]


# --- among noise ----------------------------------------------------------------------------------------------------

PLANTED = (
    ("fetch", "parse"),
    ("login", "search", "book"),
    ("clone", "test", "tag", "push"),
    ("open", "read", "translate", "review", "send"),
)


def simulated(seed: int, sessions: int) -> dict[str, list[str]]:
    """Sessions of a dozen tools, some used often and some rarely, in half of which one
    procedure is planted.
    """
    rng = random.Random(seed)  # noqa: S311 - the same logs each time
    noise, weights = [f"tool-{n}" for n in range(12)], [1 / (n + 1) for n in range(12)]
    found = {}
    for number in range(sessions):
        calls = rng.choices(noise, weights, k=rng.randint(3, 20))
        if rng.random() < 0.5:
            place = rng.randint(0, len(calls))
            calls[place:place] = rng.choice(PLANTED)
        found[f"session-{number}"] = calls
    return found


def figures(sessions: int) -> tuple[float, float]:
    """Precision and recall over twenty logs, of the first five that would be offered."""
    right = offered = there = 0
    for seed in range(20):
        log = simulated(seed, sessions)
        found = {each.tools for each in repeated(log, lambda _: False)[:5]}
        planted = {
            each
            for each in PLANTED
            if sum(" ".join(each) in " ".join(calls) for calls in log.values()) >= 3
        }
        right, offered, there = (
            right + len(found & planted),
            offered + len(found),
            there + len(planted),
        )
    return right / offered, right / there


@requirement("SKILL-10")
@pytest.mark.parametrize(
    ("sessions", "precision", "recall"),
    [(30, 0.9, 0.9), (100, 0.95, 0.95), (300, 0.95, 0.95)],
)
def test_planted_procedures_are_found_among_noise_and_little_else(
    sessions: int, precision: float, recall: float
) -> None:
    measured = figures(sessions)
    print(f"{sessions} sessions: precision {measured[0]:.2f}, recall {measured[1]:.2f}")
    assert measured[0] >= precision
    assert measured[1] >= recall


@requirement("SKILL-10")
def test_noise_alone_is_hardly_ever_offered() -> None:
    offers = 0
    for seed in range(20):
        log = {
            name: [tool for tool in calls if tool.startswith("tool-")]
            for name, calls in simulated(seed, 60).items()
        }
        offers += len(repeated(log, lambda _: False))
    assert offers <= 10  # one in two logs
