"""The offline demo: three conversations, each with a new agent over the same memory,
and what changed between them.

The model is scripted, and reacts to its prompt as a model would: it gives a day as
people do, unless the prompt knows better; it chats, unless the prompt says how the user
wants it; it takes single steps, unless there is a skill for them.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant import Assistant
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hexad import Hexad
from hexad.context.standing import TITLE
from hexad_testing.scripted_model import Call, ScriptedModel
from tools import Workspace

if TYPE_CHECKING:
    from google.adk.models.llm_request import LlmRequest

NOTES = {
    "2026-03-02": "- Met the plumber, he comes on Friday\n- Ordered 12 kg of clay",
    "2026-03-03": "- Fired the kiln to 1200 degrees\n- Two bowls cracked",
    "2026-03-04": "- New glaze: less iron\n- Called the plumber again",
    "2026-03-05": "- Sold three bowls at the market",
}
WISH = "When I ask you to export a page, answer with its path and nothing else. Please remember that."
APPROVE = "/approve"
console = Console(highlight=False, markup=False, emoji=False)


# --- a model that reacts to its prompt ------------------------------------------------------------------------------


def act(request: LlmRequest) -> Any:
    """The next step of a model."""
    prompt, message, results = _prompt(request), _message(request), _results(request)
    if message == WISH:
        saved = {
            "key": "exporting",
            "content": WISH.removesuffix(" Please remember that."),
            "category": "preference",
        }
        return "I will." if results else Call("save_knowledge", saved)
    day = re.search(r"(\d+) March", message)
    return _export(request, int(day[1]), prompt, results) if day else "Good."


def _export(
    request: LlmRequest, day: int, prompt: str, results: list[tuple[str, Any]]
) -> Any:
    skill = next(
        (name for name in request.tools_dict if name.startswith("skill_")), None
    )
    iso, spoken = f"2026-03-{day:02d}", f"{day:02d}/03/2026"
    if results and results[-1][0] in {"add_to_index", skill}:
        terse = "answer with its path and nothing else" in prompt
        return (
            f"site/{iso}.html"
            if terse
            else f"I have exported the page of {day} March. Anything else?"
        )
    if skill:
        return Call(skill, {"day": iso})
    if results and "error" not in results[-1][1]:
        return Call("add_to_index", {"page": results[-1][1]["result"]})
    knows_better = bool(results) or "`day` as YYYY-MM-DD" in prompt
    return Call("export_page", {"day": iso if knows_better else spoken})


def _said(request: LlmRequest) -> list[str]:
    parts = [
        part
        for content in request.contents
        if content.role == "user"
        for part in content.parts or ()
    ]
    return [part.text for part in parts if part.text]


def _message(request: LlmRequest) -> str:
    return _said(request)[-1]


def _prompt(request: LlmRequest) -> str:
    """Everything the model reads: the instruction, and the context in front of the
    user's message.
    """
    return "\n\n".join([str(request.config.system_instruction), *_said(request)])


def _results(request: LlmRequest) -> list[tuple[str, Any]]:
    """The answers of the tools since the user spoke."""
    found: list[tuple[str, Any]] = []
    for content in request.contents:
        if content.role == "user" and any(part.text for part in content.parts or ()):
            found = []
        answers = [
            part.function_response
            for part in content.parts or ()
            if part.function_response
        ]
        found += [(str(answer.name), answer.response) for answer in answers]
    return found


# --- three conversations --------------------------------------------------------------------------------------------


@dataclass
class Turn:
    """The result of one request for a page."""

    title: str
    calls: int = 0
    failed: int = 0
    answer: str = ""
    knew: str = ""


def run(folder: Path, database: str | None = None) -> None:
    """All of it."""
    workspace = Workspace(folder / "desk", database or folder / "memory.db")
    for day, text in NOTES.items():
        workspace.write_file(f"notes/{day}.md", text)
    turns = [
        *_conversation(workspace, 1, "Please export the page of 2 March.", WISH),
        *_conversation(workspace, 2, "Please export the page of 3 March."),
        *_conversation(
            workspace,
            3,
            "Please export the page of 4 March.",
            APPROVE,
            "Please export the page of 5 March.",
        ),
    ]
    _show_what_changed(workspace, turns)


def _conversation(workspace: Workspace, number: int, *messages: str) -> list[Turn]:
    """A new process could not know less: the engine and the agent are new, the database
    is the old one.
    """
    _heading(f"Conversation {number}")
    with Hexad.open(workspace.database, enabled=True) as hx:
        return asyncio.run(_talk(hx, workspace, number, messages))


async def _talk(
    hx: Hexad, workspace: Workspace, number: int, messages: tuple[str, ...]
) -> list[Turn]:
    model, turns = ScriptedModel.playing(act), []
    assistant = await Assistant.begin(hx, workspace, model, session=f"chat:{number}")
    for message in messages:
        if message == APPROVE:
            _approve(hx)
            continue
        console.print(Text.assemble(("you        ", "bold cyan"), message))
        turn = Turn(f"conversation {number}{' again' if turns else ''}")
        asked = len(model.requests)
        async for part in assistant.say(message):
            _show(part, turn)
        turn.knew = _sections(_prompt(model.requests[asked]))
        turns += [turn] if message != WISH else []
    return turns


def _sections(prompt: str) -> str:
    """The earlier learnings in the turn's first prompt."""
    known = {
        TITLE: "your wish",
        "Known Solutions": "what worked",
        "Available Skills": "the skill",
    }
    return (
        ", ".join(said for title, said in known.items() if f"## {title}" in prompt)
        or "nothing"
    )


def _show(part: Any, turn: Turn) -> None:
    if part.function_call:
        arguments = ", ".join(
            f"{name}={value!r}" for name, value in part.function_call.args.items()
        )
        console.print(
            Text.assemble(
                ("  calls    ", "dim"), f"{part.function_call.name}({arguments})"
            )
        )
        turn.calls += 1
    elif part.function_response:
        failed = "error" in part.function_response.response
        turn.failed += failed
        response = part.function_response.response
        answer = (
            response.get("error")
            or response.get("output")
            or response.get("result")
            or response.get("status")
        )
        console.print(
            Text.assemble(
                ("  fails    ", "red") if failed else ("  gets     ", "dim"),
                str(answer),
            )
        )
    elif part.text:
        console.print(Text.assemble(("assistant  ", "bold green"), part.text))
        turn.answer = part.text


def _approve(hx: Hexad) -> None:
    """A person's part: `hexad skills list`, `review` and `activate`."""
    (draft,) = hx.skills.discover()
    review = hx.skills.review(draft.name)
    console.print(
        Text.assemble(
            ("\nhexad      ", "bold magenta"),
            "You did this in three conversations. A skill?",
        )
    )
    console.print(Text(f"{draft.name}: {draft.description}", "magenta"))
    hx.skills.activate(draft.name, by="you", seen=review.fingerprint)
    console.print(
        Text.assemble(("you        ", "bold cyan"), f"approve {draft.name}\n")
    )


def _show_what_changed(workspace: Workspace, turns: list[Turn]) -> None:
    _heading("What changed")
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    for column in ("", "calls", "failed", "its prompt knew", "it answered"):
        table.add_column(column)
    for turn in turns:
        table.add_row(
            turn.title, str(turn.calls), str(turn.failed), turn.knew, turn.answer
        )
    console.print(table)
    console.print()
    with Hexad.open(workspace.database, enabled=True) as hx:
        for entry in hx.knowledge.list():
            console.print(Text.assemble(("remembered ", "bold"), entry.content))
        for learning in hx.learnings.list(noticed=True):
            for example in learning.known.shown:
                console.print(
                    Text.assemble(("learned    ", "bold"), example.text(learning.tool))
                )
        for skill in hx.skills.list():
            runs = "once" if skill.run_count == 1 else f"{skill.run_count} times"
            console.print(
                Text.assemble(
                    ("can do     ", "bold"),
                    f"{skill.name} ({skill.status}, run {runs})",
                )
            )
    place = "in one file" if isinstance(workspace.database, Path) else "on one server"
    console.print(
        f"\nNo model, no key, no network: what the agent learned is {place}.",
        style="bold green",
    )


def _heading(title: str) -> None:
    console.print()
    console.rule(Text(title, "bold magenta"), align="left", style="magenta")
