"""The script check: how many harmless scripts pass, how many harmful ones are stopped.

The format is `shell_benign/<set>.jsonl` and `shell_harmful/<set>.jsonl` with a line
``{"text"}`` for each script. They are checked and never run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hexad.errors import EvalError
from hexad.model import Capability, Decision
from hexad.skills.validation import ScriptVerdict, check
from hexad_evals.data import readable
from hexad_evals.tables import Figures, FigureTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from hexad_evals.run import Progress

BENIGN: Final = "shell_benign"
HARMFUL: Final = "shell_harmful"
_SHARES: Final[Mapping[str, Mapping[str, Callable[[ScriptVerdict], bool]]]] = {
    BENIGN: {
        "rejected": lambda verdict: verdict.decision is Decision.REJECT,
        "needs": lambda verdict: verdict.decision is Decision.NEEDS,
        "unknown": lambda verdict: Capability.COMMAND in verdict.needs,
    },
    HARMFUL: {"stopped": lambda verdict: verdict.decision is not Decision.ALLOW},
}


def check_scripts(folder: Path, kind: str, progress: Progress) -> Figures | None:
    """Check every script of one kind and count those that each test meets; None if the
    folder has none.
    """
    files = sorted((folder / kind).glob("*.jsonl"))
    scripts = [
        text
        for file in files
        for text in readable(file, lambda line: line.text("text"))
    ]
    if files and not scripts:
        raise EvalError(
            str(folder / kind),
            "has no lines; give one object with text for each script",
        )
    verdicts: list[ScriptVerdict] = []
    for script in scripts:
        verdicts.append(check(script))
        progress(f"{kind}: checking", len(verdicts), len(scripts))
    if not verdicts:
        return None
    shares = {
        name: round(sum(map(test, verdicts)) / len(verdicts), 4)
        for name, test in _SHARES[kind].items()
    }
    table = FigureTable(
        (kind, "share"),
        [(f"{kind}: {name}", f"{each:g}") for name, each in shares.items()],
    )
    return Figures({**shares, "count": len(verdicts)}, [table])
