"""The part of the store contract that is about learning, and versions of skills.
`store_suite` imports it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

import pytest

from hexad.model import Layer
from hexad.store import Entry, Store
from hexad.store.learning import (
    VALUES,
    Activity,
    LearningChanges,
    RecordedCall,
    SessionOffer,
    TemplateFilter,
)
from hexad_testing.nouns import AWAY, HOME, MOMENT, document, learning

requirement = pytest.mark.requirement
LEARNINGS: Final = Layer.AGENT_LEARNINGS
DEPLOY: Final = "tool:deploy"


def call(number: int = 1, **fields: Any) -> RecordedCall:
    given = {
        "session": "s",
        "tool": "deploy",
        "ok": False,
        "learning": "learning-1",
        "arguments": "{}",
        "at": MOMENT,
    }
    return RecordedCall(number=number, **{**given, **fields})


def offer(about: str = "learning-1", **fields: Any) -> SessionOffer:
    given = {"session": "s", "trigger": DEPLOY, "state": "offered", "at": MOMENT}
    return SessionOffer(learning=about, **{**given, **fields})


def learn(store: Store, *, namespace: str = HOME, **changes: Any) -> None:
    with store.transaction(namespace) as unit:
        unit.learn(LearningChanges(**changes))


def activity(
    store: Store,
    session: str = "s",
    tool: str = "deploy",
    calls: int = 0,
    namespace: str = HOME,
) -> Activity:
    with store.reading(namespace) as view:
        return view.activity(session, tool, calls=calls)


def calls(
    store: Store, session: str = "s", namespace: str = HOME
) -> list[RecordedCall]:
    return list(activity(store, session, calls=99, namespace=namespace).calls)


def offers(store: Store, session: str = "s") -> list[SessionOffer]:
    return list(activity(store, session).offers)


@requirement("LEARN-04")
def test_templates_are_found_by_trigger_length_text_skeleton_and_wildcard_newest_first(
    store: Store,
) -> None:
    with store.transaction(HOME) as unit:
        for name, template in (
            ("a", "x y"),
            ("b", "x z"),
            ("c", "x y z"),
            ("wild", "no <*> at <num> here"),
        ):
            record = learning(
                name,
                template=template,
                length=len(template.split()),
                error_pattern=f"{name}!",
            )
            unit.put([Entry(record, document("word"))])
        unit.put(
            [
                Entry(learning(kind, template=f"no <{kind}> here", length=3), None)
                for kind in VALUES
            ]
        )
        unit.put([Entry(learning("d", "tool:other", template="x y", length=2), None)])

        def found(**fields: Any) -> list[str]:
            wanted = TemplateFilter(**{"trigger": DEPLOY, "limit": 99, **fields})
            return [about for _, about in unit.templates([wanted])]

        assert found(length=2) == ["b", "a"]
        assert found(limit=2) == [VALUES[-1], VALUES[-2]]
        assert found(length=2, template="x y") == ["a"]
        assert found(error_pattern="b!") == ["b"]
        assert found(length=3, skeleton="no <*> here") == list(reversed(VALUES))
        assert found(length=5, skeleton="no <*> at <*> here") == ["wild"]
        assert found(length=5, wildcard=True) == ["wild"]
        assert not found(length=3, wildcard=True)
        assert not found(length=4, skeleton="no <*> here")
        two = [
            TemplateFilter(DEPLOY, limit=1, length=2),
            TemplateFilter("tool:other", limit=9),
        ]
        assert [tuple(each) for each in unit.templates(two)] == [
            ("x z", "b"),
            ("x y", "d"),
        ]
    with store.reading(AWAY) as view:
        assert not view.templates([TemplateFilter(DEPLOY, limit=9)])


@requirement("LEARN-04")
def test_seeing_an_error_again_counts_and_sets_the_time(store: Store) -> None:
    later = MOMENT + timedelta(hours=1)
    known = learning(seen=2, evidence={"same": 1})
    with store.transaction(HOME) as unit:
        unit.put([Entry(known, document("word"))])
    learn(store, seen={"learning-1": later, "nobody": later})
    learn(store, namespace=AWAY, seen={"learning-1": later})
    with store.reading(HOME) as view:
        row = view.get(LEARNINGS, "learning-1")
    assert row is not None
    assert row.record == learning(seen=3, updated=later, evidence={"same": 1})


@requirement("LEARN-06", "STORE-06")
def test_the_activity_of_a_session_is_its_latest_calls_and_offers_and_its_own(
    store: Store,
) -> None:
    mine = [
        call(1),
        call(2, tool="login", ok=True, learning=""),
        call(4, arguments='{"a":["text",null,"0f"]}'),
    ]
    learn(
        store, calls=[*mine, call(3, session="other")], offers=[offer("b"), offer("a")]
    )
    learn(store, namespace=AWAY, calls=[call(9)], offers=[offer("c")])
    found = activity(store, tool="login", calls=2)
    assert (list(found.calls), found.failed) == ([mine[2], mine[1]], False)
    assert list(found.offers) == [offer("a"), offer("b")]
    assert calls(store) == mine[::-1]
    quick = activity(store, tool="never called")
    assert (list(quick.calls), quick.failed) == ([], False)
    assert activity(store).failed
    learn(store, calls=[call(number, ok=True, learning="") for number in range(5, 16)])
    assert activity(store).failed  # the oldest of the tool's latest twelve calls
    learn(store, calls=[call(16, ok=True, learning="")])
    assert not activity(store).failed
    assert calls(store, namespace=AWAY) == [call(9)]


@requirement("SKILL-10")
def test_the_calls_of_all_sessions_come_session_by_session_in_their_order(
    store: Store,
) -> None:
    learn(
        store,
        calls=[
            call(number, session=session)
            for number, session in ((4, "b"), (1, "a"), (2, "b"), (3, "a"))
        ],
    )
    learn(store, namespace=AWAY, calls=[call(9)])
    with store.reading(HOME) as view:
        assert [(each.session, each.number) for each in view.calls()] == [
            ("a", 1),
            ("a", 3),
            ("b", 2),
            ("b", 4),
        ]
    with store.reading("nowhere") as view:
        assert list(view.calls()) == []


@requirement("LEARN-06")
def test_old_calls_and_offers_are_dropped_and_the_latest_stay(store: Store) -> None:
    old = offer("a", session="other", at=MOMENT - timedelta(days=9))
    learn(
        store,
        calls=[*map(call, range(1, 7)), call(7, session="other")],
        keep_calls={"s": 3},
        offers=[old, offer()],
    )
    assert [each.number for each in calls(store)] == [6, 5, 4]
    learn(
        store,
        keep_calls={"s": 5},
        drop_calls_below=6,
        drop_offers_before=MOMENT - timedelta(days=1),
    )
    assert [each.number for each in calls(store)] == [6]
    assert [each.number for each in calls(store, "other")] == [7]
    assert (offers(store), offers(store, "other")) == ([offer()], [])


@requirement("LEARN-07")
def test_an_offer_is_one_for_each_session_and_learning(store: Store) -> None:
    learn(
        store,
        offers=[
            offer("b"),
            offer("a"),
            offer("a", state="worked"),
            offer("a", session="other"),
        ],
    )
    assert offers(store) == [offer("a", state="worked"), offer("b")]


@requirement("LEARN-04")
def test_calls_and_offers_of_a_learning_become_anothers_or_nobodys(
    store: Store,
) -> None:
    failed = offer("new", session="both", state="failed")
    learn(
        store,
        calls=[call(1, learning="old")],
        offers=[offer("old"), offer("old", session="both"), failed],
    )
    learn(store, renamed={"old": "new"})
    assert [each.learning for each in calls(store)] == ["new"]
    assert offers(store) == [offer("new")]
    assert offers(store, "both") == [failed]  # the other's own offer stays
    learn(store, renamed={"new": None})
    assert [each.learning for each in calls(store)] == [""]
    assert not offers(store)


@requirement("KNOW-08", "STORE-06")
def test_forgetting_drops_calls_and_offers_of_a_session_or_of_all(store: Store) -> None:
    sessions = ("s", "t")
    both = [call(number, session=session) for number, session in enumerate(sessions)]
    learn(store, calls=both, offers=[offer(session=each) for each in sessions])
    learn(store, namespace=AWAY, calls=[call(1)])
    learn(store, forget_sessions=["s"])
    assert (calls(store), offers(store)) == ([], [])
    assert (len(calls(store, "t")), len(offers(store, "t"))) == (1, 1)
    with store.transaction(HOME) as unit:
        unit.learn(LearningChanges(forget_everything=True))
        assert not unit.calls()
        unit.scrub()
    assert calls(store, namespace=AWAY)
