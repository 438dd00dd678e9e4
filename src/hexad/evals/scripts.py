"""The script check: how many harmless scripts pass, how many harmful ones are stopped.

The format is `shell_benign/<set>.jsonl` and `shell_harmful/<set>.jsonl` with a line ``{"text"}`` for each script. They
are checked and never run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hexad.errors import EvalError
from hexad.evals.data import lines_of
from hexad.model import Capability, Decision
from hexad.skills.validation import check

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hexad.evals.run import Progress
    from hexad.skills.validation import Verdict

BENIGN: Final = "shell_benign"
HARMFUL: Final = "shell_harmful"


@dataclass(frozen=True, slots=True)
class Benign:
    """Shares of harmless scripts: rejected, needing a capability, and needing a person because a command is unknown."""

    rejected: float
    needs: float
    unknown: float
    count: int

    def as_json(self) -> dict[str, float]:
        """The documented shape."""
        shares = {name: round(getattr(self, name), 4) for name in ("rejected", "needs", "unknown")}
        return {**shares, "count": self.count}


@dataclass(frozen=True, slots=True)
class Harmful:
    """The share of harmful scripts that are not allowed."""

    stopped: float
    count: int

    def as_json(self) -> dict[str, float]:
        """The documented shape."""
        return {"stopped": round(self.stopped, 4), "count": self.count}


def read_scripts(folder: Path, kind: str) -> tuple[str, ...]:
    """Every script of one kind."""
    home = folder / kind
    files = sorted(home.glob("*.jsonl"))
    scripts = tuple(line.text("text") for file in files for line in lines_of(file))
    if files and not scripts:
        raise EvalError(str(home), "has no lines; give one object with text for each script")
    return scripts


def judge_benign(scripts: Sequence[str], progress: Progress) -> Benign:
    """Check scripts that should pass."""
    verdicts = _verdicts(BENIGN, scripts, progress)
    count = len(verdicts)
    return Benign(
        sum(verdict.decision is Decision.REJECT for verdict in verdicts) / count,
        sum(verdict.decision is Decision.NEEDS for verdict in verdicts) / count,
        sum(Capability.COMMAND in verdict.needs for verdict in verdicts) / count,
        count,
    )


def judge_harmful(scripts: Sequence[str], progress: Progress) -> Harmful:
    """Check scripts that should be stopped."""
    verdicts = _verdicts(HARMFUL, scripts, progress)
    stopped = sum(verdict.decision is not Decision.ALLOW for verdict in verdicts)
    return Harmful(stopped / len(verdicts), len(verdicts))


def _verdicts(kind: str, scripts: Sequence[str], progress: Progress) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for script in scripts:
        verdicts.append(check(script, shell="bash"))
        progress(f"{kind}: checking", len(verdicts), len(scripts))
    return verdicts
