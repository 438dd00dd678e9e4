"""Proposals: what an agent may change by itself, what waits for a person, and how that
person decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hexad import Hexad, Layer
from hexad.agent_tools import agent_tools
from hexad.errors import InvalidInput, NotFound, RateLimited
from hexad.model import Origin, ProposedChange
from tests.cli.test_cli import Ran, run  # noqa: F401, TC001 - the fixture
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def tools(hx: Hexad) -> dict[str, Callable[..., dict[str, Any]]]:
    return {tool.__name__: tool for tool in agent_tools(hx)}


@pytest.fixture
def diet(hx: Hexad) -> Hexad:
    """A memory with one word of the user's."""
    hx.knowledge.save("diet", "I am vegetarian", category="preference")
    return hx


@requirement("SAVE-03", "SAVE-04")
@pytest.mark.parametrize("tool", ["save_knowledge", "update_knowledge"])
def test_an_agents_change_to_the_users_words_waits_for_a_person(
    diet: Hexad, tool: str
) -> None:
    mine = tools(diet.scoped(session="chat:1"))
    answer = mine[tool]("Diet", "I am vegan", said="No, I am vegan now")
    assert (answer["status"], answer["key"]) == ("proposed", "diet")
    assert answer["accept"].startswith(f"hexad review {answer['proposal']}")
    assert diet.knowledge.get("diet").content == "I am vegetarian"
    (proposal,) = diet.proposals.list()
    assert (proposal.content, proposal.sentence, proposal.against) == (
        "I am vegan",
        "No, I am vegan now",
        "diet",
    )
    assert (proposal.origin, proposal.session, proposal.category) == (
        "agent",
        "chat:1",
        "preference",
    )
    entry = diet.proposals.accept(proposal.id)
    assert (entry.content, entry.origin, entry.version, entry.category) == (
        "I am vegan",
        "user",
        2,
        "preference",
    )
    assert not diet.proposals.list()
    actions = [
        (record.action, record.actor)
        for record in diet.audit.records()
        if "proposal" in record.action
    ]
    assert actions == [("proposal.save", "agent"), ("proposal.accept", "user")]
    assert diet.audit.verify().ok


@requirement("SAVE-03")
def test_an_agent_changes_and_deletes_what_it_saved_itself(hx: Hexad) -> None:
    mine = tools(hx)
    mine["save_knowledge"]("editor", "The user opens vim")
    assert mine["update_knowledge"]("editor", "The user opens emacs")["version"] == 2
    assert mine["delete_knowledge"]("EDITOR")["status"] == "ok"
    assert not hx.knowledge.list()
    assert [
        record.actor
        for record in hx.audit.records()
        if record.action == "knowledge.delete"
    ] == ["agent"]
    assert (
        "no knowledge 'editor'" in mine["update_knowledge"]("editor", "nano")["error"]
    )
    assert hx.knowledge.undelete("editor").content == "The user opens emacs"


@requirement("SAVE-03")
@pytest.mark.parametrize("origin", ["user", "import", "tool"])
def test_deleting_what_is_not_its_own_and_pinning_anything_are_proposals(
    hx: Hexad, origin: str
) -> None:
    hx.knowledge.save("units", "Answer in metric units", origin=origin)
    mine = tools(hx)
    asked = [
        mine["delete_knowledge"]("units"),
        mine["pin_knowledge"]("units"),
        mine["pin_knowledge"]("units", False),
    ]
    assert [answer["status"] for answer in asked] == ["proposed"] * 3
    assert not hx.knowledge.get("units").pinned
    deleting, pinning, unpinning = hx.proposals.list()
    assert hx.proposals.accept(pinning.id).pinned
    assert mine["save_knowledge"]("units", "Answer in yards")["status"] == "proposed"
    assert not hx.proposals.accept(unpinning.id).pinned
    hx.proposals.accept(deleting.id)
    assert not hx.knowledge.list()
    assert not hx.proposals.list()  # what was proposed about it went with it


@requirement("SAVE-03")
def test_what_a_person_pinned_is_no_longer_the_agents_to_change(hx: Hexad) -> None:
    mine = tools(hx)
    mine["save_knowledge"]("units", "Answer in metric units")
    hx.knowledge.pin("units")
    assert mine["save_knowledge"]("units", "Answer in yards")["status"] == "proposed"
    assert mine["delete_knowledge"]("units")["status"] == "proposed"
    assert hx.knowledge.get("units").content == "Answer in metric units"


@requirement("SAVE-03", "SAVE-04")
def test_an_agents_rule_is_offered_to_the_user_who_makes_it_their_own(
    hx: Hexad,
) -> None:
    mine = tools(hx)
    answer = mine["save_knowledge"]("deploy", "Deploy on Tuesdays", category="rule")
    assert (answer["status"], hx.knowledge.get("deploy").origin) == ("ok", Origin.AGENT)
    (proposal,) = hx.proposals.list()
    assert (
        answer["accept"] == f"hexad review {proposal.id}"
        or f"hexad review {proposal.id} --db" in answer["accept"]
    )
    hx.proposals.reject(proposal.id)
    mine["save_knowledge"]("deploy", "Deploy on Tuesdays", category="rule")
    assert not hx.proposals.list()  # the same again asks nobody twice
    mine["save_knowledge"]("deploy", "Deploy on Mondays", category="rule")
    entry = hx.proposals.accept(hx.proposals.list()[0].id)
    assert (entry.origin, entry.version, entry.content) == (
        Origin.USER,
        2,
        "Deploy on Mondays",
    )
    assert "accept" in mine["save_knowledge"]("plain", "A plain fact")


@requirement("SAVE-02", "META-01")
@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("Deploy on Tuesdays only", "Deploy on Thursdays only"),
        ("I like green tea", "I do not like green tea"),
        (
            "The API limit is 100 requests per minute",
            "API rate limit: 500 requests a minute",
        ),
        ("Ich wohne in Berlin", "Ich wohne jetzt in Bonn"),
        ("我每天喝绿茶", "我每天不喝绿茶"),
    ],
)
def test_a_save_is_carried_out_and_names_what_is_similar(
    hx: Hexad, known: str, said: str
) -> None:
    hx.knowledge.save("known", known)
    hx.knowledge.save("other", "My sister's birthday is in October")
    answer = tools(hx)["save_knowledge"]("new", said)
    assert answer["status"] == "ok"
    assert answer["similar"] == [{"key": "known", "content": known}]
    assert "similar" not in tools(hx)["save_knowledge"](
        "far", "The printer is on the third floor"
    )


@requirement("META-01")
def test_an_agent_lists_what_is_known_the_latest_first(hx: Hexad, clock: Any) -> None:
    hx.knowledge.save("diet", "I am vegetarian", category="preference", pinned=True)
    clock.advance(days=1)
    hx.knowledge.save("city", "I live in Bonn")
    listed = tools(hx)["list_knowledge"]()
    assert (listed["count"], [entry["key"] for entry in listed["entries"]]) == (
        2,
        ["city", "diet"],
    )
    assert tools(hx)["list_knowledge"](category="preference", limit=1) == {
        "status": "ok",
        "count": 1,
        "entries": [
            {
                "key": "diet",
                "content": "I am vegetarian",
                "category": "preference",
                "origin": "user",
                "pinned": True,
            }
        ],
    }


@requirement("SAVE-04")
def test_a_proposal_has_no_weight_in_retrieval_and_no_place_in_a_prompt(
    diet: Hexad,
) -> None:
    diet.proposals.propose("zeppelin", "Zeppelins fly on Sundays", against="diet")
    assert not diet.retrieve("zeppelins on sundays", layers=Layer)
    assert "vegan" not in str(diet.prompt("", "what am I?"))


@requirement("SAVE-04", "LIMIT-01")
def test_a_session_proposes_so_many_and_the_same_again_is_one(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db", session="chat:1", max_proposals=2) as hx:
        first = hx.proposals.propose("a", "one")
        assert hx.proposals.propose("a", "one") == first
        assert (
            hx.proposals.propose("a", "two").id != first.id
        )  # it takes the place of the first
        with pytest.raises(NotFound):
            hx.proposals.accept(
                first.id
            )  # somebody saw "one", and accepts no other words by its id
        with pytest.raises(RateLimited, match="max_proposals=2"):
            hx.proposals.propose("b", "three")
        assert [each.content for each in hx.proposals.list()] == ["two"]
        assert (
            hx.scoped(session="chat:2").proposals.propose("b", "three").id != first.id
        )


@requirement("SAVE-04")
def test_a_proposal_is_edited_before_it_is_accepted_and_decided_once(
    diet: Hexad,
) -> None:
    proposal = diet.proposals.propose(
        content="Pnpm is what we use", category="rule", tags=("web",), subject="us"
    )
    assert proposal.key == "pnpm-use"
    diet.proposals.edit(proposal.id, content="We use pnpm", key="packages")
    entry = diet.proposals.accept(proposal.id)
    assert (entry.key, entry.content, entry.tags, entry.subject) == (
        "packages",
        "We use pnpm",
        ("web",),
        "us",
    )
    for call in (
        diet.proposals.accept,
        diet.proposals.reject,
        diet.proposals.get,
        diet.proposals.edit,
    ):
        with pytest.raises(NotFound, match=f"no proposal '{proposal.id}'"):
            call(proposal.id)
    with pytest.raises(NotFound):
        diet.proposals.propose("nothing", change=ProposedChange.PIN)
    with pytest.raises(InvalidInput, match="content: must not be empty"):
        diet.proposals.propose("nothing")


@requirement("SAVE-04", "KNOW-04")
@pytest.mark.parametrize(
    "forget",
    [
        lambda hx: hx.knowledge.forget("diet"),
        lambda hx: hx.knowledge.forget(session="chat:1"),
        lambda hx: hx.forget(session="chat:1"),
        lambda hx: hx.forget(subject="me"),
        lambda hx: hx.forget(everything=True),
    ],
    ids=["key", "session of knowledge", "session", "subject", "everything"],
)
def test_a_proposal_is_forgotten_with_what_it_came_from(
    tmp_path: Path, forget: Callable[[Hexad], Any]
) -> None:
    file = tmp_path / "agent.db"
    with opened(file) as hx:
        hx.knowledge.save("diet", "I am vegetarian", subject="me", session="chat:1")
        own = hx.scoped(session="chat:1")
        own.proposals.propose(
            "diet",
            "xylophagous",
            subject="me",
            sentence="I said so before: xylophagous",
        )
        assert (
            b"xylophagous"
            in file.read_bytes() + (tmp_path / "agent.db-wal").read_bytes()
        )
        assert forget(hx).erased
        assert not hx.proposals.list()
        assert (
            b"xylophagous"
            not in file.read_bytes() + (tmp_path / "agent.db-wal").read_bytes()
        )


@requirement("SAVE-04", "STORE-04", "CONF-04")
def test_proposals_are_backed_up_and_restored_and_hold_no_secret(
    diet: Hexad, tmp_path: Path
) -> None:
    diet.proposals.propose(
        "login", "password=Tr0ub4dor-and-3", sentence="it is password=Tr0ub4dor-and-3"
    )
    assert "Tr0ub4dor" not in str(diet.proposals.list())
    diet.backup(tmp_path / "all.jsonl")
    with opened(tmp_path / "new.db") as new:
        new.restore(tmp_path / "all.jsonl")
        assert new.proposals.list() == diet.proposals.list()


# on the command line


@requirement("SAVE-04", "SAVE-03")
def test_a_person_accepts_and_rejects_with_the_command_that_the_agent_names(
    run: Callable[..., Ran],  # noqa: F811
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "hexad.db") as hx:
        hx.knowledge.save("diet", "I am vegetarian")
        mine = tools(hx)
        update = mine["update_knowledge"](
            "diet", "I am vegan", said="No, I am vegan now"
        )
        delete = mine["delete_knowledge"]("diet")
    queue = run("review", "--json").json["queue"]
    assert [(each["what"], each["proposal"]["change"]) for each in queue] == [
        ("proposal", "save"),
        ("proposal", "delete"),
    ]
    assert "awaits review" not in run("status").err
    assert run("status", "--json").json["review"]["proposals"] == [
        update["proposal"],
        delete["proposal"],
    ]
    words = update["accept"].split()[1:]
    assert "needs a terminal" in run(*words).err
    ran = run(*words, "--accept")
    assert ran.out.endswith("diet: saved as yours\n")
    assert "the user said\tNo, I am vegan now\n" in ran.out
    assert run("review", delete["proposal"], "--reject").out.endswith(
        f"{delete['proposal']}: rejected\n"
    )
    assert run("review", delete["proposal"], "--accept").code == 2
    assert run("review", "--accept").code == 2
    assert run("show", "diet", "--json").json["entry"]["content"] == "I am vegan"
