"""Any history of calls, prompts and corrections teaches the same on every store."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad import Hexad
    from hexad.model import Learning

ERRORS: Final = (
    "no row 17 in 'x'",
    "user {} is locked out of the system",
    "bad day 3",
    "member {} may not read the file",
)
WORDS: Final = ("ann", "bob", "cid", "dan", "eve", "fay", "gil")
DAYS: Final = ("01/02/2026", "2026-02-01", None, ["2026-02-01"])


class Step(NamedTuple):
    """One thing that happens."""

    what: str
    session: str
    tool: str
    error: str
    day: object
    minutes: int


steps = st.builds(
    Step,
    what=st.sampled_from(
        ["fail", "fail", "work", "work", "prompt", "fix", "correct", "save", "clean"]
    ),
    session=st.sampled_from(["", "a", "b"]),
    tool=st.sampled_from(["t", "u"]),
    error=st.builds(str.format, st.sampled_from(ERRORS), st.sampled_from(WORDS)),
    day=st.sampled_from(DAYS),
    minutes=st.sampled_from([-5, 0, 1, 61]),
)


def lived(
    hx: Hexad, clock: FixedClock, history: list[Step]
) -> tuple[list[str], list[Learning]]:
    message = [str(live(hx, clock, step)) for step in history]
    assert hx.audit.verify().ok
    return message, [
        replace(each, id="", use_count=0, last_used=None)
        for each in hx.learnings.list(noticed=True)
    ]


def live(hx: Hexad, clock: FixedClock, step: Step) -> object:
    clock.advance(minutes=step.minutes)
    trigger, session, given = f"tool:{step.tool}", step.session, {"day": step.day}
    if step.what == "fail":
        learning = hx.observe(
            tool=step.tool, args=given, error=step.error, session=session
        )
        return learning and learning.error_pattern
    if step.what == "clean":
        done = hx.learnings.clean(dry_run=False)
        return len(done.removed)
    others: dict[str, Callable[[], object]] = {
        "work": lambda: hx.observe(
            tool=step.tool, args=given, result="ok", session=session
        ),
        "prompt": lambda: hx.prompt("", f"{step.tool} {step.error}", session=session),
        "fix": lambda: hx.learnings.fix_for(step.tool, step.error, session=session),
        "correct": lambda: (
            hx.learnings.correct(
                trigger=trigger, error_pattern=step.error, fix="do it"
            ).fix
        ),
        "save": lambda: (
            hx.learnings.save(trigger=trigger, error_pattern=step.error, fix="mine").fix
        ),
    }
    return others[step.what]()


@requirement("LEARN-04", "CTX-08")
@settings(max_examples=25)
@given(st.lists(steps, max_size=40))
def test_a_history_teaches_the_same_on_every_store_and_never_two_learnings_of_one_error(
    history: list[Step],
) -> None:
    results = []
    with TemporaryDirectory() as folder:
        for place in (":memory:", Path(folder) / "agent.db"):
            clock = FixedClock()
            with opened(place, clock=clock) as hx:
                results.append(lived(hx, clock, history))
    assert results[0] == results[1]
    about = [(each.trigger, each.template) for each in results[0][1]]
    assert len(about) == len(set(about))
    for each in results[0][1]:
        assert 0 <= each.trust < 1
        assert bool(each.fix) <= bool(each.known.lessons)
        assert each.says == (each.trust > 0)
