"""The other kinds of evaluation: everyday memories, error grouping, tool failures, fixes, the script check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hexad.evals.failures import read_failures, replay
from hexad.evals.fixes import judge_fixes, read_cases
from hexad.evals.grouping import group, read_systems
from hexad.evals.life import live, read_lives
from hexad.evals.scripts import BENIGN, HARMFUL, judge_benign, judge_harmful, read_scripts
from hexad.settings import STATIC

if TYPE_CHECKING:
    from pathlib import Path

    from hexad.evals.failures import Replayed
    from hexad.evals.fixes import Fixes
    from hexad.evals.grouping import Grouped
    from hexad.evals.life import Lived
    from hexad.evals.run import Progress
    from hexad.evals.scripts import Benign, Harmful


@dataclass(frozen=True, slots=True)
class Learned:
    """The figures of each kind; None if the folder has no data for it."""

    grouping: Grouped | None = None
    failures: Replayed | None = None
    fixes: Fixes | None = None
    benign: Benign | None = None
    harmful: Harmful | None = None
    life: Lived | None = None

    def __bool__(self) -> bool:
        return self != Learned()

    def as_json(self) -> dict[str, Any]:
        """The documented shape: a kind that was not measured is absent."""
        figures_of = {
            "error_grouping": self.grouping,
            "tool_failures": self.failures,
            "fixes": self.fixes,
            BENIGN: self.benign,
            HARMFUL: self.harmful,
            "life": self.life,
        }
        return {name: figures.as_json() for name, figures in figures_of.items() if figures is not None}


def measure_learning(folder: Path, progress: Progress, *, embedder: str = STATIC) -> Learned:
    """Measure the kinds that the folder has data for."""
    lives, systems = read_lives(folder), read_systems(folder)
    failures, cases = read_failures(folder), read_cases(folder)
    benign, harmful = read_scripts(folder, BENIGN), read_scripts(folder, HARMFUL)
    return Learned(
        group(systems, progress) if systems else None,
        replay(failures, progress) if failures else None,
        judge_fixes(cases, progress) if cases else None,
        judge_benign(benign, progress) if benign else None,
        judge_harmful(harmful, progress) if harmful else None,
        live(lives, progress, embedder=embedder) if lives else None,
    )
