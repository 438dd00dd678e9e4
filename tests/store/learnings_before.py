"""Learnings as the version before stored them: with sentences that rules had inferred,
and with what somebody said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hexad.model import Origin

if TYPE_CHECKING:
    import pytest

    from hexad import Hexad

INFERRED: Final = "give `day` as YYYY-MM-DD, not as DD/MM/YYYY"
_CHANGES: Final = [
    {"op": "replace", "path": "/day", "from": "DD/MM/YYYY", "to": "YYYY-MM-DD"}
]
_MINED: Final = {
    "kind": "arguments",
    "changes": _CHANGES,
    "says": INFERRED,
    "words": "day",
}
_FOUND: Final = {"worked": 9, "failed": 0, "support": 2, "sessions": ["a", "b"]}
_CORRECTED: Final = {
    "kind": "correction",
    "says": "ask ops",
    "worked": 3,
    "failed": 1,
    "support": 0,
}
_TOLD: Final = {
    "kind": "told",
    "says": "dates in ISO form",
    "worked": 1,
    "failed": 0,
    "support": 0,
}
_STATED: Final = {
    "kind": "stated",
    "text": "20 s",
    "seconds": 20.0,
    "says": "wait 20 s and try again",
}


def _learning(
    name: str, tool: str, pattern: str, fix: str, origin: str, fixes: Any
) -> dict[str, Any]:
    """The fields of a learning that differ from one to the next, in the order of its
    columns.
    """
    return {
        "id": name,
        "trigger": f"tool:{tool}",
        "error_pattern": pattern,
        "fix": fix,
        "origin": origin,
        "fixes": fixes,
    }


LEARNINGS_BEFORE: Final = [
    _learning(
        "corrected", "pay", "card declined", "ask ops", "user", {"1f": _CORRECTED}
    ),
    _learning(
        "mined", "book", "no such day", INFERRED, "tool", {"2f": {**_MINED, **_FOUND}}
    ),
    _learning(
        "said",
        "mail",
        "no such day",
        "dates in ISO form",
        "agent",
        {"3f": _MINED, "4f": _TOLD},
    ),
    _learning(
        "stated",
        "list",
        "too many requests",
        "wait 20 s and try again",
        "tool",
        {"5f": _STATED},
    ),
]


def assert_carried_over(hx: Hexad, caplog: pytest.LogCaptureFixture) -> None:
    """What somebody said is there with its counts, what rules inferred is gone, and one
    warning says so.
    """
    known = {each.id: each for each in hx.learnings.list(noticed=True)}
    fixes = {name: each.fix for name, each in known.items()}
    assert fixes == {
        "corrected": "ask ops",
        "mined": "",
        "said": "dates in ISO form",
        "stated": "",
    }
    corrected = known["corrected"]
    assert (corrected.origin, corrected.worked, corrected.failed) == (Origin.USER, 3, 1)
    assert (known["said"].origin, known["said"].worked) == (Origin.AGENT, 1)
    assert (known["mined"].trust, known["mined"].unaided, known["mined"].sessions) == (
        0.0,
        2,
        2,
    )
    assert hx.learnings.fix_for("pay", "card declined") == "ask ops"
    assert hx.learnings.known_fix("book", "no such day") is None
    assert "YYYY" not in str(hx.prompt("", "book a day"))

    text = "2 fixes in 'default' that rules had inferred from calls went; what failed and what worked next is kept"
    assert [record.message for record in caplog.records] == [f"{text} instead"]
