"""`hook`: answers one event of a coding agent whose hooks are commands. It never stops
the agent.
"""

import json
import os
import sys
from contextlib import suppress
from typing import Any

from hexad.cli.commands import Commands
from hexad.cli.opening import opened_beside_own
from hexad.cli.options import AsJson, Database, Namespace
from hexad.cli.terminal import screen
from hexad.mcp.coding.hooks import Hooks

app = Commands()


@app.command(epilog="Example: hexad hook --db agent.db")
def hook(
    *,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,  # noqa: ARG001 - it does
) -> None:
    """Answer a hook of a coding agent: its event as JSON on standard input. It searches
    by words alone.
    """
    answer_hook(db, namespace)


def answer_hook(db: str | None = None, namespace: str | None = None) -> int:
    """Print the answer to the event on standard input. Always 0: another exit code
    would stop the agent.
    """
    answer: dict[str, Any] = {}
    try:
        event = json.loads(sys.stdin.read() or "{}")
        with suppress(OSError):  # the folder that the agent works in
            os.chdir(
                str(event.get("cwd") or [*(event.get("workspace_roots") or ()), "."][0])
            )
        with opened_beside_own(db, namespace, semantic=False, patient=False) as hx:
            answer = Hooks(hx).answer(event)
        if said := answer.get("systemMessage") or answer.get("user_message"):
            screen.warn(said)
    except Exception as error:  # noqa: BLE001 - the agent goes on without it
        screen.warn(f"a hook was not answered: {error}")
    screen.say(json.dumps(answer))
    return 0
