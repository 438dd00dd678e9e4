"""An assistant for a folder of notes, which remembers, learns from its tools, and is
taught skills.

With GOOGLE_API_KEY (or GEMINI_API_KEY) set it talks to a real model; without, it plays
its demo, offline::

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
from chat import chat

from hexad import Hexad
from tools import Workspace

KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")


def main() -> None:
    """Talk, or play the demo."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="replace"
        )  # a pipe may speak less than every language
    given = _arguments()
    has_a_key = any(os.environ.get(name) for name in KEYS)
    if given.demo or not has_a_key:
        if not given.demo:
            print(
                f"Neither {' nor '.join(KEYS)} is set: this plays a script, in a folder of its own."
            )
        with tempfile.TemporaryDirectory() as folder:
            story.run(Path(folder).resolve(), given.db)
        return
    folder = Path(given.folder).expanduser().resolve()
    beside = folder.with_name(f"{folder.name}.memory.db")  # no tool reaches it there
    workspace = Workspace(folder, given.db or beside)
    with Hexad.open(workspace.database, enabled=True) as hx:
        asyncio.run(chat(hx, workspace, given.model, web=given.web))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="adk_assistant", description=(__doc__ or "").split("\n\n", 1)[0]
    )
    parser.add_argument("--folder", default=".", help="the folder that it looks after")
    parser.add_argument(
        "--model", default="gemini-2.5-flash", help="any name that ADK knows"
    )
    parser.add_argument("--web", action="store_true", help="let it fetch pages")
    parser.add_argument(
        "--db", metavar="URL", help="keep the memory on a server: postgresql://…"
    )
    parser.add_argument(
        "--demo", action="store_true", help="play the offline demo, even with a key"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
