"""The other kinds of evaluation: memories, conversations, error grouping, tool failures, fixes, the script check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.evals.conversations import converse
from hexad.evals.data import CAPTURE
from hexad.evals.failures import replay_failures
from hexad.evals.fixes import judge_fixes, read_cases
from hexad.evals.grouping import group_errors
from hexad.evals.life import live, read_lives
from hexad.evals.scripts import BENIGN, HARMFUL, check_scripts
from hexad.settings import STATIC

if TYPE_CHECKING:
    from pathlib import Path

    from hexad.evals.run import Progress
    from hexad.evals.tables import Figures


def measure_kinds(folder: Path, progress: Progress, *, embedder: str = STATIC) -> dict[str, Figures]:
    """The figures of the kinds that the folder has data for, by their names."""
    lives, cases = read_lives(folder), read_cases(folder)
    found: dict[str, Figures | None] = {
        "life": live(lives, progress, embedder=embedder) if lives else None,
        CAPTURE: converse(folder, progress),
        "error_grouping": group_errors(folder, progress),
        "tool_failures": replay_failures(folder, progress),
        "fixes": judge_fixes(cases, progress) if cases else None,
        BENIGN: check_scripts(folder, BENIGN, progress),
        HARMFUL: check_scripts(folder, HARMFUL, progress),
    }
    return {name: figures for name, figures in found.items() if figures is not None}
