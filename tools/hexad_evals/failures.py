"""Tool failures, replayed as sessions: is a fix found, and retrieved when the failure
comes again?

The format is `tool_failures/<set>.jsonl` with a line for each failure: ``{"tool",
"args", "error"}`` and, if the same tool then worked with other arguments,
``"fixed_same_tool": {"args"}``. Arguments are an object, or its JSON as text.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.facade import Hexad
from hexad.model import Layer
from hexad_evals.data import DataLine, readable
from hexad_evals.tables import Figures, FigureTable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hexad_evals.run import Progress

FOLDER: Final = "tool_failures"
_FIRST: Final = 3


class Failed(NamedTuple):
    """A failed call, and the arguments with which the same tool worked afterwards, if
    it did.
    """

    tool: str
    args: Mapping[str, Any]
    error: str
    fixed: Mapping[str, Any] | None


def replay_failures(folder: Path, progress: Progress) -> Figures | None:
    """Let a new engine observe each failure and its fix in its own session; then ask
    about each.

    Counts failures, failures fixed by other arguments, those with something to show,
    and those that are retrieved.
    """
    failures = [
        each
        for file in sorted((folder / FOLDER).glob("*.jsonl"))
        for each in readable(file, _failed)
    ]
    if not failures:
        return None
    with Hexad.open(":memory:", enabled=True) as hx:
        fixed: list[tuple[Failed, str]] = []
        for number, failed in enumerate(failures, start=1):
            session = f"replay:{number}"
            learning = hx.observe(
                tool=failed.tool, args=failed.args, error=failed.error, session=session
            )
            if failed.fixed is not None:
                hx.observe(
                    tool=failed.tool, args=failed.fixed, result="done", session=session
                )
            if failed.fixed not in (None, failed.args):
                fixed.append((failed, "" if learning is None else learning.id))
            progress(f"{FOLDER}: replaying", number, len(failures))
        known = [
            each
            for each in fixed
            if hx.learnings.known_fix(each[0].tool, each[0].error)
        ]
        again = sum(_retrieved(hx, failed, about) for failed, about in known)
    counts = {  # each with what it is a share of
        "failures": (len(failures), 0),
        "with_fix": (len(fixed), 0),
        "remedy_found": (len(known), len(fixed)),
        "retrieved_in_3": (again, len(known)),
    }
    rows = [
        (f"{FOLDER}: {name}", str(n), f"{n / of:.3f}" if of else "")
        for name, (n, of) in counts.items()
    ]
    table = FigureTable(("tool failures", "number", "share"), rows)
    return Figures({name: number for name, (number, _) in counts.items()}, [table])


def _retrieved(hx: Hexad, failed: Failed, about: str) -> bool:
    asked = f"{failed.tool}: {failed.error}"
    found = hx.retrieve(asked, layers=[Layer.AGENT_LEARNINGS], max_per_layer=_FIRST)
    return about in {item.id for item in found.all()}


def _failed(line: DataLine) -> Failed:
    fixed = line.fields.get("fixed_same_tool")
    if fixed is not None and not (isinstance(fixed, dict) and "args" in fixed):
        raise line.error("fixed_same_tool must be null or an object with args")
    worked = None if fixed is None else _arguments(line, fixed["args"])
    return Failed(
        line.text("tool"),
        _arguments(line, line.fields.get("args")),
        line.text("error"),
        worked,
    )


def _arguments(line: DataLine, value: object) -> Mapping[str, Any]:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:  # a log may have cut it off
            return {"arguments": value}
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise line.error("args must be an object, or its JSON as text")
    return value
