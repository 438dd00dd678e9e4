"""The part of the store contract that is about learning: templates, calls and offers. `store_suite` imports it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import pytest

from hexad.model import Layer, Origin
from hexad.store import Scope
from hexad.store.learning import VALUES, Call, Offer
from hexad.testing.nouns import MOMENT, audit_record, document, learning

if TYPE_CHECKING:
    from hexad.store import Reading, Store

requirement = pytest.mark.requirement
LEARNINGS: Final = Scope("home", Layer.AGENT_LEARNINGS)


def call(number: int = 1, **fields: Any) -> Call:
    given = {"session": "s", "tool": "deploy", "ok": False, "learning": "learning-1", "arguments": "{}", "at": MOMENT}
    return Call(number=number, **{**given, **fields})


def offer(about: str = "learning-1", **fields: Any) -> Offer:
    given = {"session": "s", "trigger": "tool:deploy", "state": "offered", "at": MOMENT}
    return Offer(learning=about, **{**given, **fields})


@requirement("LEARN-04")
def test_templates_are_found_by_trigger_length_and_text(store: Store) -> None:
    with store.transaction() as unit:
        for name, template, length in (("a", "x y", 2), ("b", "x z", 2), ("c", "x y z", 3)):
            record = learning(name, template=template, length=length, trust=0.5)
            unit.put(LEARNINGS, record, document("word"))
        unit.put(LEARNINGS, learning("d", "tool:other", template="x y", length=2), None)
    with store.reading() as view:
        assert [*map(tuple, view.templates("home", "tool:deploy", 2, 9))] == [("x z", "b"), ("x y", "a")]
        assert [*map(tuple, view.templates("home", "tool:deploy", None, 2))] == [("x y z", "c"), ("x z", "b")]
        rows = view.page(LEARNINGS)
        assert {each.trust for each in view.sketch(LEARNINGS, [row.number for row in rows])} == {0.5}


@requirement("LEARN-04")
def test_an_error_is_seen_again_by_its_template(store: Store) -> None:
    later = MOMENT + timedelta(hours=1)
    with store.transaction() as unit:
        unit.put(LEARNINGS, learning("a", template="x y", length=2), document("word"))
        assert unit.see_template("home", "tool:deploy", "x y", 2, later) == "a"
        assert unit.see_template("home", "tool:deploy", "x z", 2, later) is None
        assert unit.see_template("away", "tool:deploy", "x y", 2, later) is None
        row = unit.get(LEARNINGS, "a")
    assert row is not None
    assert row.record == learning("a", template="x y", length=2, seen=1, updated=later)


@requirement("LEARN-04")
def test_seeing_an_error_again_counts_and_sets_the_time(store: Store) -> None:
    later = MOMENT + timedelta(hours=1)
    with store.transaction() as unit:
        unit.put(LEARNINGS, learning(seen=2, remedies={"r": {"says": "wait"}}), document("word"))
        unit.see("home", "learning-1", later)
        unit.see("home", "nobody", later)
        unit.see("away", "learning-1", later)
    with store.reading() as view:
        row = view.get(LEARNINGS, "learning-1")
    assert row is not None
    assert row.record == learning(seen=3, updated=later, remedies={"r": {"says": "wait"}})


@requirement("LEARN-06", "STORE-06")
def test_the_calls_of_a_session_come_newest_first_and_are_its_own(store: Store) -> None:
    mine = [call(1), call(2, tool="login", ok=True, learning=""), call(4, arguments='{"a":["text",null,"0f"]}')]
    with store.transaction() as unit:
        for each in (*mine, call(3, session="other")):
            unit.add_call("home", each)
        unit.add_call("away", call(9))
        assert list(unit.calls("home", "s", 9)) == mine[::-1]
    with store.reading() as view:
        assert list(view.calls("home", "s", 2)) == [mine[2], mine[1]]
        assert list(view.calls("away", "s", 9)) == [call(9)]


@requirement("SKILL-10")
def test_the_calls_of_all_sessions_come_session_by_session_in_their_order(store: Store) -> None:
    with store.transaction() as unit:
        for number, session in ((4, "b"), (1, "a"), (2, "b"), (3, "a")):
            unit.add_call("home", call(number, session=session, ok=True, arguments='{"a":{}}'))
        unit.add_call("away", call(9))
        found = [(each.session, each.number) for each in unit.all_calls("home")]
    assert found == [("a", 1), ("a", 3), ("b", 2), ("b", 4)]
    with store.reading() as view:
        assert [each.number for each in view.all_calls("away")] == [9]
        assert list(view.all_calls("nowhere")) == []


@requirement("LEARN-06", "LEARN-07")
def test_a_success_means_something_after_a_failure_of_the_tool_or_where_something_is_offered(store: Store) -> None:
    def awaited(unit: Reading) -> list[bool]:
        places = [("home", "s", "deploy"), ("home", "s", "login"), ("home", "other", "deploy"), ("away", "s", "deploy")]
        return [unit.awaits_success(*place) for place in places]

    with store.transaction() as unit:
        assert awaited(unit) == [False] * 4
        unit.add_call("home", call(1))
        unit.add_call("home", call(2, tool="login", ok=True))
        assert awaited(unit) == [True, False, False, False]
        unit.add_call("home", call(3, ok=True))
        unit.put_offer("home", offer(session="other", state="worked"))
        assert awaited(unit) == [False] * 4
        unit.put_offer("home", offer())
        assert awaited(unit) == [True, True, False, False]


@requirement("LEARN-04")
def test_a_template_is_found_by_its_skeleton_and_among_those_with_a_wildcard(store: Store) -> None:
    with store.transaction() as unit:
        for kind in VALUES:
            template = f"no <{kind}> here"
            unit.put(LEARNINGS, learning(kind, "t", template=template, length=3), None)
        unit.put(LEARNINGS, learning("wild", "t", template="no <*> at <num> here", length=5), None)
        alike = unit.like_skeleton("home", "t", "no <*> here", 3)
        assert [found for _, found in alike] == list(reversed(VALUES))
        assert unit.like_skeleton("home", "t", "no <*> at <*> here", 5) == [("no <*> at <num> here", "wild")]
        assert not unit.like_skeleton("home", "t", "no <*> here", 4)
        assert not unit.like_skeleton("away", "t", "no <*> here", 3)
        assert unit.open_templates("home", "t", 5, 9) == [("no <*> at <num> here", "wild")]
        assert not unit.open_templates("home", "t", 5, 0)
        assert not unit.open_templates("home", "t", 3, 9)
        assert not unit.open_templates("home", "other", 5, 9)


@requirement("LEARN-09")
def test_the_least_known_learning_of_a_trigger_is_the_oldest_that_was_observed_once(store: Store) -> None:
    bare: dict[str, Any] = {"fix": "", "diagnosis": "", "origin": Origin.TOOL, "seen": 1}
    with store.transaction() as unit:
        for name, fields in (
            ("told", {"origin": Origin.USER}),
            ("mended", {"fix": "mend it"}),
            ("known", {"diagnosis": "a cause"}),
            ("often", {"seen": 2}),
            ("first", {}),
            ("second", {}),
        ):
            unit.put(LEARNINGS, learning(name, "t", **{**bare, **fields}), None)
        assert unit.least_known("home", "t", 6) == "first"
        assert unit.least_known("home", "t", 7) is None
        assert unit.least_known("home", "other", 0) is None
        assert unit.least_known("away", "t", 0) is None


@requirement("LEARN-06")
def test_old_calls_go_and_the_latest_stay(store: Store) -> None:
    with store.transaction() as unit:
        for number in range(1, 7):
            unit.add_call("home", call(number))
        unit.add_call("home", call(7, session="other"))
        unit.keep_calls("home", "s", 3)
    with store.transaction() as unit:
        assert [each.number for each in unit.calls("home", "s", 9)] == [6, 5, 4]
        unit.keep_calls("home", "s", 5)
        unit.drop_calls("home", 6)
    with store.reading() as view:
        assert [each.number for each in view.calls("home", "s", 9)] == [6]
        assert [each.number for each in view.calls("home", "other", 9)] == [7]


@requirement("LEARN-07")
def test_an_offer_is_one_for_each_session_and_learning(store: Store) -> None:
    with store.transaction() as unit:
        unit.put_offer("home", offer("b"))
        unit.put_offer("home", offer("a"))
        unit.put_offer("home", offer("a", state="worked"))
        unit.put_offer("home", offer("a", session="other", at=MOMENT - timedelta(days=9)))
        unit.put_offer("away", offer("c"))
    with store.transaction() as unit:
        assert list(unit.offers("home", "s")) == [offer("a", state="worked"), offer("b")]
        unit.drop_offers("home", MOMENT - timedelta(days=1))
        assert not unit.offers("home", "other")
        assert list(unit.offers("away", "s")) == [offer("c")]


@requirement("LEARN-04")
def test_what_is_said_of_a_learning_becomes_anothers_or_nobodys(store: Store) -> None:
    with store.transaction() as unit:
        unit.add_call("home", call(1, learning="old"))
        unit.put_offer("home", offer("old"))
        unit.put_offer("home", offer("old", session="both"))
        unit.put_offer("home", offer("new", session="both", state="failed"))
        unit.relink("home", "old", "new")
        assert [each.learning for each in unit.calls("home", "s", 9)] == ["new"]
        assert list(unit.offers("home", "s")) == [offer("new")]
        assert list(unit.offers("home", "both")) == [offer("new", session="both", state="failed")]
        unit.relink("home", "new", None)
        assert [each.learning for each in unit.calls("home", "s", 9)] == [""]
        assert not unit.offers("home", "s")


@requirement("KNOW-08", "STORE-06")
def test_forgetting_takes_calls_and_offers_of_a_session_or_of_all(store: Store) -> None:
    with store.transaction() as unit:
        for session in ("s", "t"):
            unit.add_call("home", call(len(session), session=session))
            unit.put_offer("home", offer(session=session))
        unit.add_call("away", call(1))
        unit.forget_calls("home", "s")
        assert not unit.calls("home", "s", 9)
        assert not unit.offers("home", "s")
        assert unit.offers("home", "t")
        unit.forget_calls("home", None)
        assert not unit.calls("home", "t", 9)
        assert unit.calls("away", "s", 9)
        unit.scrub()
        assert unit.calls("away", "s", 9)


@requirement("STORE-02")
def test_calls_and_offers_of_a_transaction_that_fails_are_taken_back(store: Store) -> None:
    with store.transaction() as unit:
        unit.add_call("home", call(1))
        unit.put_offer("home", offer())
        unit.put(LEARNINGS, learning(), None)

    def change() -> None:
        with store.transaction() as unit:
            unit.add_call("home", call(2))
            unit.put_offer("home", offer(state="worked"))
            unit.see("home", "learning-1", MOMENT)
            unit.relink("home", "learning-1", "x")
            unit.keep_calls("home", "s", 0)
            unit.drop_offers("home", MOMENT + timedelta(days=1))
            unit.forget_calls("home", None)
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        change()
    with store.reading() as view:
        assert list(view.calls("home", "s", 9)) == [call(1)]
        assert list(view.offers("home", "s")) == [offer()]
        row = view.get(LEARNINGS, "learning-1")
    assert row is not None
    assert row.record == learning()


@requirement("AUDIT-02")
def test_the_end_of_a_chain_is_what_the_next_record_needs(store: Store) -> None:
    with store.transaction() as unit:
        assert unit.chain_end("home") is None
        unit.append_audit("home", audit_record(1))
        unit.append_audit("home", audit_record(2))
        assert unit.chain_end("home") == (2, "hash 2")
        assert unit.chain_end("away") is None
