"""The table of what each framework hides from its model, in docs/how-to/frameworks.md,
as something to check.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hexad_testing.script import Call, Script

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).parents[2] / "docs/how-to/frameworks.md"
CASES = {  # a column of the table: a call, and a word that only its error has
    "a tool raises": (Call("book", {"day": "31/01/2026"}), "cannot read the day"),
    "arguments do not fit": (Call("book", {}), "day"),
    "the tool does not exist": (Call("made_up", {}), "made_up"),
}


def assert_table_holds(
    framework: str, column: str, run: Callable[[Script], object]
) -> None:
    """Play a case in a framework without Hexad, and compare it with its cell."""
    cell, (call, word) = _cells(framework)[column], CASES[column]
    script, ended = Script([call, "Sorry.", "Sorry."]), False
    try:
        run(script)
    except Exception:
        ended = True
    assert ended == (cell == "the run ends")
    if not ended:
        read = script.requests[-1].messages[-1][1].lower()
        assert len(script.requests) > 1
        assert (word in read) == (cell == "the model reads it"), read
        assert not cell.startswith('"') or cell.strip('"') in read


def _cells(framework: str) -> dict[str, str]:
    rows = [
        line.strip("|\n ").split(" | ")
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if " | " in line
    ]
    names = next(row for row in rows if row[1] == "a tool raises")
    return dict(
        zip(
            names,
            next(row for row in rows[rows.index(names) :] if row[0] == framework),
            strict=True,
        )
    )
