"""What a folder holds for measuring learning: how well errors are grouped, and whether fixes are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hexad.evals.failures import read_failures, replay
from hexad.evals.grouping import group, read_systems

if TYPE_CHECKING:
    from pathlib import Path

    from hexad.evals.failures import Replayed
    from hexad.evals.grouping import Grouped
    from hexad.evals.run import Progress


@dataclass(frozen=True, slots=True)
class Learned:
    """What was measured; None where the folder holds nothing of a kind."""

    grouping: Grouped | None = None
    failures: Replayed | None = None

    def __bool__(self) -> bool:
        return self.grouping is not None or self.failures is not None

    def as_json(self) -> dict[str, Any]:
        """The documented shape: a kind that was not measured is absent."""
        told = {"error_grouping": self.grouping, "tool_failures": self.failures}
        return {name: figures.as_json() for name, figures in told.items() if figures is not None}


def measure_learning(folder: Path, progress: Progress) -> Learned:
    """Measure what the folder holds of both kinds."""
    systems, failures = read_systems(folder), read_failures(folder)
    return Learned(
        group(systems, progress) if systems else None,
        replay(failures, progress) if failures else None,
    )
