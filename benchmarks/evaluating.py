"""`make eval`: measure retrieval on the shared data; print tables and write them into docs/retrieval.md."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from rich.progress import Progress

from benchmarks.figures import fill
from hexad.cli.setup.evaluating import show
from hexad.evals.baselines import BASELINES
from hexad.evals.data import EvalSet, read_sets
from hexad.evals.report import OURS, baseline_names, quality_of, recall_lost, retrieval_tables, unanswered
from hexad.evals.run import Plan, SetResult, Taught, evaluate, overall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

ROOT = Path(__file__).parent.parent
DATA = ROOT.parent / "shared" / "evals"
USES = (3, 10, 30)
TAUGHT = "tool_registry/metatool"  # the one set with so many questions for each item


def main() -> int:
    if not DATA.is_dir():
        print("There is no evaluation data at ../shared/evals; run `hexad eval` on your own folder.")
        return 0
    sets = read_sets(DATA)
    whole = _run(sets, Plan(baselines=BASELINES, foreign=True))
    words = _run(sets, Plan(embedder="none", foreign=True))
    (learned,) = _run([each for each in sets if each.path == TAUGHT], Plan(feedback=USES))
    for results in (words, whole):
        show(retrieval_tables(results))
    page = ROOT / "docs" / "retrieval.md"
    fill(page, _table(whole, words))
    fill(page, _foreign(whole, words), "foreign")
    fill(page, _feedback(learned.feedback), "feedback")
    return 0


def _run(sets: tuple[EvalSet, ...] | list[EvalSet], plan: Plan) -> tuple[SetResult, ...]:
    with _progress() as step:
        return tuple(evaluate(sets, plan, progress=step))


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    with Progress(transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)


def _recall(results: tuple[SetResult, ...], name: str) -> float:
    return overall(results, quality_of(name)).recall_at_5


def _table(whole: tuple[SetResult, ...], words: tuple[SetResult, ...]) -> str:
    names = baseline_names(whole)
    lines = [
        f"| recall@5 | Hexad | words alone | {' | '.join(names)} | median ms |",
        "|---|" + "---|" * (len(names) + 3),
    ]
    for ours, alone in zip(whole, words, strict=True):
        values = [ours.hexad.quality, alone.hexad.quality, *(quality_of(name)(ours) for name in names)]
        row = " | ".join(f"{value.recall_at_5:.3f}" for value in values)
        lines.append(f"| {ours.data.path} | {row} | {ours.hexad.p50_ms:.2f} |")
    means = [_recall(whole, OURS), _recall(words, OURS), *(_recall(whole, name) for name in names)]
    return "\n".join([*lines, f"| mean of the layers' means | {' | '.join(f'**{mean:.3f}**' for mean in means)} | |"])


def _foreign(whole: tuple[SetResult, ...], words: tuple[SetResult, ...]) -> str:
    lines = [
        "| set | answered with nothing | recall@5 lost | by words alone | recall@5 lost |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {ours.data.path} | {ours.foreign.share:.2f} | {ours.foreign.recall_lost:.3f} "
        f"| {alone.foreign.share:.2f} | {alone.foreign.recall_lost:.3f} |"
        for ours, alone in zip(whole, words, strict=True)
        if ours.foreign and alone.foreign
    ]
    means = (unanswered(whole), recall_lost(whole), unanswered(words), recall_lost(words))
    return "\n".join([*lines, f"| mean | {' | '.join(f'**{mean:.3f}**' for mean in means)} |"])


def _feedback(learned: Sequence[Taught]) -> str:
    lines = ["| set | uses of each item | questions left | before | after | gain |", "|---|---|---|---|---|---|"]
    rows = [
        f"| {TAUGHT} | {each.uses} | {each.questions:,} | {each.before.quality.recall_at_5:.3f} "
        f"| {each.after.quality.recall_at_5:.3f} | {each.gain:+.3f} |"
        for each in learned
    ]
    return "\n".join([*lines, *rows])


if __name__ == "__main__":
    sys.exit(main())
