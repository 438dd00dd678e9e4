"""The script check: how many harmless scripts pass, how many harmful ones are stopped.

The format is `shell_benign/<set>.jsonl` and `shell_harmful/<set>.jsonl` with a line ``{"text"}`` for each script. They
are checked and never run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hexad.errors import EvalError
from hexad.evals.data import readable
from hexad.evals.tables import Table
from hexad.model import Capability, Decision
from hexad.skills.validation import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from hexad.evals.run import Progress
    from hexad.skills.validation import Verdict

BENIGN: Final = "shell_benign"
HARMFUL: Final = "shell_harmful"
_SHARES: Final[Mapping[str, Mapping[str, Callable[[Verdict], bool]]]] = {
    BENIGN: {
        "rejected": lambda verdict: verdict.decision is Decision.REJECT,
        "needs": lambda verdict: verdict.decision is Decision.NEEDS,
        "unknown": lambda verdict: Capability.COMMAND in verdict.needs,
    },
    HARMFUL: {"stopped": lambda verdict: verdict.decision is not Decision.ALLOW},
}


@dataclass(frozen=True, slots=True)
class Checked:
    """The shares of one kind of scripts: rejected, needing a person, needing one for an unknown command; or stopped."""

    kind: str
    shares: Mapping[str, float]
    count: int

    def as_json(self) -> dict[str, float]:
        """The documented shape."""
        return {**self.shares, "count": self.count}

    def tables(self) -> Iterator[Table]:
        """A row for each share."""
        yield Table((self.kind, "share"), [(f"{self.kind}: {name}", f"{each:g}") for name, each in self.shares.items()])


def check_scripts(folder: Path, kind: str, progress: Progress) -> Checked | None:
    """Check every script of one kind; None if the folder has none."""
    files = sorted((folder / kind).glob("*.jsonl"))
    scripts = [text for file in files for text in readable(file, lambda line: line.text("text"))]
    if files and not scripts:
        raise EvalError(str(folder / kind), "has no lines; give one object with text for each script")
    verdicts: list[Verdict] = []
    for script in scripts:
        verdicts.append(check(script, shell="bash"))
        progress(f"{kind}: checking", len(verdicts), len(scripts))
    count = len(verdicts)
    shares = {name: sum(map(test, verdicts)) / (count or 1) for name, test in _SHARES[kind].items()}
    return Checked(kind, {name: round(share, 4) for name, share in shares.items()}, count) if count else None
