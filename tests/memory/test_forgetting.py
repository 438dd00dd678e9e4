"""Forgetting reaches every place that holds what was said: files, and maps in memory."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import pytest

from hexad.agent_tools import agent_tools
from hexad.agents.context import Latest, Lookup
from hexad.agents.conversation import Conversation, Speaker
from hexad.recent import Recent
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hexad import Hexad

WORD = "qwibzor"
SAID = f"I am {WORD}"
SESSION = "chat:1"


def _said_everywhere(hx: Hexad) -> Lookup:
    """Let an agent hear a sentence, keep it, propose it, be shown it and use it, in one
    session.
    """
    own = hx.scoped(session=SESSION)
    own.knowledge.save("diet", "I am vegetarian", subject="me")
    own.knowledge.save("diet", SAID, subject="me")
    tools = {tool.__name__: tool for tool in agent_tools(own)}
    assert (
        tools["update_knowledge"]("diet", f"Still {WORD}", said=SAID)["status"]
        == "proposed"
    )
    own.proposals.propose("DIET 2", SAID, subject="me", against="diet")
    own.prompt("", f"What do {WORD} people eat?")
    item = own.knowledge.search(WORD)[0]
    own.used(item, f"{WORD} food")
    lookup = Lookup(hx, 500)
    turn = Conversation("app", "ada", SESSION, invocation="turn-1")
    block = lookup.prompt(
        Speaker(turn, lambda _: ""), Latest(f"{WORD}?", 0, last=True, tools=()), 5.0
    )
    assert WORD in str(block)
    assert len(lookup._blocks) == 1
    return lookup


def _in_files(folder: Path) -> set[str]:
    return {
        file.name for file in folder.iterdir() if WORD.encode() in file.read_bytes()
    }


def _in_memory() -> list[Any]:
    maps = [each for each in gc.get_objects() if isinstance(each, Recent)]
    return [each for each in maps if WORD in repr(each._entries)]


@requirement("KNOW-04", "KNOW-08", "SAVE-04")
@pytest.mark.parametrize(
    "forget",
    [
        lambda hx: hx.knowledge.forget("diet"),
        lambda hx: hx.forget(session=SESSION),
        lambda hx: hx.forget(subject="me"),
        lambda hx: hx.forget(everything=True),
    ],
    ids=["key", "session", "subject", "everything"],
)
def test_what_is_forgotten_is_in_no_row_proposal_record_of_a_prompt_or_frozen_block(
    tmp_path: Path, forget: Callable[[Hexad], Any]
) -> None:
    with opened(tmp_path / "agent.db") as hx:
        lookup = _said_everywhere(hx)
        assert _in_files(tmp_path)
        assert _in_memory()
        assert forget(hx).erased
        assert not _in_files(tmp_path)
        assert not _in_memory()
        assert not hx.proposals.list()
        assert WORD not in repr(hx.audit.records())
        assert len(lookup._blocks) == 0


@requirement("KNOW-04", "SAVE-04", "CAP-01")
@pytest.mark.parametrize("accepted", [True, False])
@pytest.mark.parametrize(
    "forget",
    [
        lambda hx: hx.knowledge.forget("home"),
        lambda hx: hx.forget(session=SESSION),
        lambda hx: hx.forget(subject="me"),
        lambda hx: hx.forget(everything=True),
    ],
    ids=["key", "session", "subject", "everything"],
)
def test_what_was_captured_is_forgotten_with_its_proposal_and_its_sentence(
    tmp_path: Path, forget: Callable[[Hexad], Any], *, accepted: bool
) -> None:
    with opened(tmp_path / "agent.db") as hx:
        hx.knowledge.save("home", "I live in Cork", subject="me", session=SESSION)
        (waiting,) = hx.capture(
            [f"By the way, I live in {WORD}."], session=SESSION
        ).proposed
        assert waiting.against == "home"
        if accepted:
            hx.proposals.accept(waiting.proposal)
        assert _in_files(tmp_path)
        assert forget(hx).erased
        assert not _in_files(tmp_path)
        assert not hx.proposals.list()
        assert WORD not in repr(hx.audit.records())


@requirement("KNOW-04", "LEARN-01")
def test_only_the_log_of_a_watched_call_keeps_an_argument_that_repeats_it(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db", session=SESSION) as hx:
        hx.knowledge.save("diet", f"I eat {WORD}")
        hx.observe(tool="order", args={"dish": WORD}, error=f"no {WORD} today")
        hx.observe(
            tool="save_knowledge",
            args={"key": "diet", "content": WORD},
            result={"status": "ok"},
        )
        hx.forget(everything=True)
        kept = [each for each in hx.audit.records() if WORD in repr(each)]
        assert [(each.action, each.target) for each in kept] == [("tool.call", "order")]
        assert hx.audit.verify().ok
