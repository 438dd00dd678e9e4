"""A folder as somebody has it who has worked with Hexad for a while: something for
every command to show.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from hexad.server.tokens import FILE_NAME, Tokens
from tests.support import opened

if TYPE_CHECKING:
    from pathlib import Path

    from hexad import Hexad

NAMED_IN_HELP = (
    "3f9a1c2b7d"  # the id that the examples show; a real one takes its place
)


def stock(folder: Path) -> None:
    """Databases, a backup, a script, a skill folder and questions with known answers."""
    for name in ("hexad.db", "agent.db"):
        with opened(folder / name) as hx:
            stock_memory(hx)
            if name == "hexad.db":
                hx.backup(folder / "agent.jsonl")
    (folder / "colleague.jsonl").write_bytes((folder / "agent.jsonl").read_bytes())
    Tokens(folder / FILE_NAME).make("laptop", ["default"], ["read"])
    (folder / "chat.json").write_text('[{"role": "user", "content": "Call me Al."}]')
    (folder / "deploy.sh").write_text("echo deploying\n")
    _skill_folder(folder)
    _questions(folder)


def stock_memory(hx: Hexad) -> None:
    hx.knowledge.save(
        "deploy-window",
        "Deploy on Tuesdays " + "and on no other day " * 9,
        category="rule",
        tags=("ops",),
    )
    hx.knowledge.save("units", "Always answer in metric units", pinned=True)
    hx.knowledge.save(
        "a key so long that nobody would type it twice " * 4, "배포는 화요일에만 " * 20
    )
    hx.knowledge.save("ada", "Ada likes tea", subject="alice")
    hx.references.save(
        "Runbook",
        location="https://wiki.example.com/" + "deploy/" * 20,
        summary="How to deploy " * 9,
    )
    _stock_learnings(hx)
    for name in ("greet", "release"):
        hx.skills.create(
            name,
            kind="template",
            description=f"Write what to say on {name} " * 5,
            definition={"template": "Hello {{ name }}"},
            parameters={"properties": {"name": {"type": "string"}}},
        )
    hx.skills.activate("release", by="ada")
    (item,) = hx.retrieve("metric units", layers=["user_knowledge"]).all()[:1]
    hx.used(item, "how far is the moon")


def _stock_learnings(hx: Hexad) -> None:
    """An error that two sessions met and an agent put into words, one met once, and a
    correction.
    """
    error = (
        "cannot read the day '31/01/2026' " + "since it is not written as days are " * 4
    )

    def book(day: str) -> str:
        if "/" in day:
            raise ValueError(error)
        return day

    for session in ("chat:1", "chat:2"):
        watched = hx.scoped(session=session).watch(book)
        for day in ("31/01/2026", "2026-01-31"):
            with suppress(ValueError):
                watched(day)
    said = {"error_pattern": f"ValueError: {error}", "fix": "give days as YYYY-MM-DD"}
    hx.learnings.save(trigger="tool:book", **said)
    hx.observe(
        tool="mail", args={"to": "ada"}, error="the server is away", session="chat:1"
    )
    hx.learnings.correct(
        trigger="tool:deploy",
        error_pattern="quota exceeded",
        fix="ask ops for more quota",
    )


def _skill_folder(folder: Path) -> None:
    home = folder / "skills" / "summarise"
    home.mkdir(parents=True)
    (home / "SKILL.md").write_text(
        "---\nname: summarise\ndescription: Summarise a page\n---\nRead it, then say it.\n"
    )


def _questions(folder: Path) -> None:
    home = folder / "my-data" / "tool_registry" / "a-set"
    home.mkdir(parents=True)
    (home / "corpus.jsonl").write_text('{"id": "ship", "text": "Ship a release"}')
    (home / "queries.jsonl").write_text(
        '{"id": "q", "text": "ship it", "relevant": ["ship"]}'
    )
