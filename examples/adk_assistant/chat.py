"""A conversation at the terminal. What the assistant may not do by itself, such as
approving a skill, is done here.
"""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

from assistant import Assistant

from hexad import HexadError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad import Hexad
    from hexad.skills.review import Review
    from tools import Workspace

HELP = "Talk to it, or: /memory  /skills  /approve NAME  /quit"


async def chat(
    hx: Hexad,
    workspace: Workspace,
    model: Any,
    *,
    web: bool,
    ask: Callable[[str], str] = input,
) -> None:
    """Talk until the user has had enough; an empty line is no end, and neither is a
    model that fails.
    """
    assistant = await Assistant.begin(hx, workspace, model, web=web)
    print(HELP)
    while (text := await asyncio.to_thread(_asked, ask, "> ")) != "/quit":
        if text.startswith("/"):
            await asyncio.to_thread(_command, hx, ask, *text[1:].split())
        elif text:
            await _say(assistant, text)


async def _say(assistant: Assistant, text: str) -> None:
    try:
        async for part in assistant.say(text):
            if part.text:
                print(part.text)
            elif part.function_call:
                print(f"  … {part.function_call.name}")
    except Exception as error:  # noqa: BLE001 - a key may be wrong, a network away: the conversation goes on
        reason = " ".join(str(error).split())[:300]
        print(
            f"The model did not answer ({type(error).__name__}: {reason}). Say it again, or /quit."
        )


def _asked(ask: Callable[[str], str], prompt: str) -> str:
    try:
        return ask(prompt).strip()
    except EOFError:
        return "/quit"


def _command(hx: Hexad, ask: Callable[[str], str], name: str = "", *rest: str) -> None:
    """The steps of the user by hand."""
    try:
        if name == "memory":
            print(
                "\n".join(
                    f"{entry.key}: {entry.content}" for entry in hx.knowledge.list()
                )
                or "nothing yet"
            )
        elif name == "skills":
            hx.skills.discover()
            print(
                "\n".join(
                    f"{each.name} ({each.status}): {each.description}"
                    for each in hx.skills.list()
                )
                or "none"
            )
        elif name == "approve" and rest:
            _approve(hx, ask, rest[0])
        else:
            print(HELP)
    except HexadError as error:
        print(error)


def _approve(hx: Hexad, ask: Callable[[str], str], name: str) -> None:
    """Show all of a skill, and activate what was shown if the user says yes."""
    review = hx.skills.review(name)
    _show(review, _plan(hx, review))
    if review.obstacle:
        print(f"It cannot be approved: it {review.obstacle}")
    elif _asked(ask, "Approve it? [y/N] ").lower() in {"y", "yes"}:
        print(f"{hx.skills.activate(name, seen=review.fingerprint).name} is ready")
    else:
        print(f"{name} stays as it is")


def _show(review: Review, plan: str) -> None:
    skill = review.skill
    print(f"{skill.name} ({skill.kind}, {skill.status}): {skill.description}")
    print(json.dumps(skill.definition, indent=2, ensure_ascii=False))
    for finding in review.findings:
        print(
            f"line {finding.line}: {finding.decision} ({finding.rule}): {finding.says}"
        )
    if review.grants:
        print(f"Approving it gives its script: {', '.join(review.grants)}")
    print(f"Dry run:\n{plan}")


def _plan(hx: Hexad, review: Review) -> str:
    """Its steps, with the names of its parameters for their values."""
    named: Any = review.skill.parameters.get("properties", {})
    try:
        result = hx.skills.run(
            review.skill.name, {name: f"<{name}>" for name in named}, dry_run=True
        )
    except HexadError as error:
        return f"none: {error}"
    steps = [
        f"{step.tool} {json.dumps(dict(step.args), ensure_ascii=False, default=str)}"
        for step in result.steps
    ]
    return "\n".join(steps) or str(result.output or result.error)
