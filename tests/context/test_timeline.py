"""What prompts held and when: keys and scores, bounded, and forgotten with their
entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.memory.usage.timeline import shown_prompts
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad import Hexad


def shown(hx: Hexad) -> list[list[str]]:
    hx.scoped().close()  # writes what waits
    return [
        [each.id for each in prompt.items]
        for prompt in shown_prompts(hx.store, hx.namespace)
    ]


@requirement("DASH-01")
def test_the_latest_prompts_are_kept_by_key_and_score_without_their_texts(
    tmp_path: Path,
) -> None:
    clock = FixedClock()
    with opened(tmp_path / "agent.db", semantic=False, clock=clock) as hx:
        hx.knowledge.save("deploy-window", "Deploy on Tuesdays only")
        hx.prompt("", "when may I deploy?", session="chat")
        clock.advance(seconds=1)
        hx.prompt("", "what about zebras?")
        assert shown(hx) == [[], ["deploy-window"]]
        notes = (tmp_path / "agent.db").read_bytes()
        assert b"zebras" not in notes
        for _ in range(300):
            clock.advance(seconds=1)
            hx.prompt("", "when may I deploy?")
        assert 240 <= len(shown(hx)) <= 256


@requirement("DASH-01")
def test_a_forgotten_entry_and_a_forgotten_session_leave_the_record(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db", semantic=False) as hx:
        for key in ("deploy-window", "deploy-person"):
            hx.knowledge.save(key, f"Deploy as {key}")
        hx.prompt("", "how to deploy?", session="one")
        hx.prompt("", "how to deploy?", session="two")
        hx.knowledge.forget("deploy-window")
        assert shown(hx) == [["deploy-person"], ["deploy-person"]]
        hx.forget(session="one")
        assert len(shown(hx)) == 1
        hx.forget(everything=True)
        assert shown(hx) == []


@requirement("DASH-01")
def test_the_setting_turns_the_record_off(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db", semantic=False, timeline=False) as hx:
        hx.knowledge.save("deploy-window", "Deploy on Tuesdays only")
        hx.prompt("", "when may I deploy?")
        assert shown(hx) == []
