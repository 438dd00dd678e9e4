"""An assistant for a folder of notes, which remembers, learns from its tools, and is taught skills.

With GOOGLE_API_KEY (or GEMINI_API_KEY) set it talks to a real model; without, it plays its demo, offline::

    python examples/adk_assistant --folder ~/notes          talk to it
    python examples/adk_assistant --folder ~/notes --web    and let it fetch pages
    python examples/adk_assistant --demo                    see it learn over three conversations
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import sys
import tempfile
from pathlib import Path

import story
from assistant import Assistant
from tools import Workspace

from hexad import Hexad, HexadError

KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
HELP = "Talk to it, or: /memory  /skills  /approve NAME  /quit"


def main() -> None:
    """Talk, or play the demo."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a pipe may speak less than every language
    given = _arguments()
    if given.demo or not any(os.environ.get(name) for name in KEYS):
        with tempfile.TemporaryDirectory() as folder:
            story.run(Path(folder).resolve())
        return
    folder = Path(given.folder).expanduser().resolve()
    workspace = Workspace(folder, folder.with_name(f"{folder.name}.memory.db"))  # beside it: no tool reaches it there
    with Hexad.open(workspace.database, enabled=True) as hx:
        asyncio.run(_chat(hx, workspace, given.model, web=given.web))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="adk_assistant", description=(__doc__ or "").split("\n\n", 1)[0])
    parser.add_argument("--folder", default=".", help="the folder that it looks after")
    parser.add_argument("--model", default="gemini-2.5-flash", help="any name that ADK knows")
    parser.add_argument("--web", action="store_true", help="let it fetch pages")
    parser.add_argument("--demo", action="store_true", help="play the offline demo, whatever keys there are")
    return parser.parse_args()


async def _chat(hx: Hexad, workspace: Workspace, model: str, *, web: bool) -> None:
    assistant = await Assistant.begin(hx, workspace, model, web=web)
    print(HELP)
    while (text := await asyncio.to_thread(_asked)) not in {"/quit", ""}:
        if text.startswith("/"):
            print(_command(hx, *text[1:].split()))
            continue
        async for part in assistant.say(text):
            if part.text:
                print(part.text)
            elif part.function_call:
                print(f"  … {part.function_call.name}")


def _asked() -> str:
    try:
        return input("> ").strip()
    except EOFError:
        return "/quit"


def _command(hx: Hexad, name: str = "", *rest: str) -> str:
    """What the user does by hand."""
    try:
        if name == "memory":
            return "\n".join(f"{entry.key}: {entry.content}" for entry in hx.knowledge.list()) or "nothing yet"
        if name == "skills":
            hx.skills.discover()
            return "\n".join(f"{each.name} ({each.status}): {each.description}" for each in hx.skills.list()) or "none"
        if name == "approve" and rest:
            review = hx.skills.review(rest[0])
            return f"{hx.skills.activate(rest[0], seen=review.fingerprint).name} is ready"
    except HexadError as error:
        return str(error)
    return HELP


if __name__ == "__main__":
    main()
