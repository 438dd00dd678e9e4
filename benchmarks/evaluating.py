"""`make eval`: retrieval on the shared data, as a table, and between the markers of docs/retrieval.md."""

from __future__ import annotations

import sys
from pathlib import Path

from rich.progress import Progress

from benchmarks.figures import fill
from hexad.cli.evaluating import show
from hexad.evals.data import read_sets
from hexad.evals.report import OURS, baseline_names, quality_of
from hexad.evals.run import SetResult, evaluate, overall

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "evals"
BASELINES = ("like", "fts5")


def main() -> int:
    if not DATA.is_dir():
        print("There is no evaluation data at ../shared/evals; give `hexad eval` a folder of your own.")
        return 0
    with Progress(transient=True) as bar:
        task = bar.add_task("", total=None)
        results = evaluate(
            read_sets(DATA),
            baselines=BASELINES,
            progress=lambda what, done, total: bar.update(task, description=what, completed=done, total=total),
        )
    show(results)
    fill(ROOT / "docs" / "retrieval.md", _table(results))
    fill(ROOT / "README.md", _sentence(results), "recall")
    return 0


def _sentence(results: tuple[SetResult, ...]) -> str:
    names = {OURS: "Hexad", "fts5": "FTS5's BM25", "like": "any-keyword `LIKE`"}
    told = [f"{overall(results, quality_of(name)).recall_at_5:.3f} by {words}" for name, words in names.items()]
    asked = sum(result.questions for result in results)
    return (
        f"On {len(results)} public sets with {asked:,} questions, the right item is among the first five in (recall@5, "
        f"mean of the layers' means): {', '.join(told)}."
    )


def _table(results: tuple[SetResult, ...]) -> str:
    names = [OURS, *baseline_names(results)]
    lines = [f"| recall@5 | {' | '.join(names)} | median ms |", "|---|" + "---|" * (len(names) + 1)]
    for result in results:
        values = (f"{quality_of(name)(result).recall_at_5:.3f}" for name in names)
        lines.append(f"| {result.data.path} | {' | '.join(values)} | {result.hexad.p50_ms:.2f} |")
    means = (f"**{overall(results, quality_of(name)).recall_at_5:.3f}**" for name in names)
    return "\n".join([*lines, f"| mean of the layers' means | {' | '.join(means)} | |"])


if __name__ == "__main__":
    sys.exit(main())
