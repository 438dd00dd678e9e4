"""Figures as JSON of a documented shape, and as an HTML page."""

from __future__ import annotations

import re
from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Any, Final

from hexad.evals.run import by_layer, overall
from hexad.evals.tables import (
    OURS,
    baseline_names,
    learning_tables,
    quality_of,
    recall_lost,
    retrieval_tables,
    unanswered,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.evals.learning import Learned
    from hexad.evals.run import Measured, SetResult, Taught
    from hexad.evals.tables import Table

_ours: Final = quality_of(OURS)
_SHARE: Final = re.compile(r"[01]\.\d{3,4}")


def as_json(results: Sequence[SetResult]) -> dict[str, Any]:
    """The documented shape: overall, each layer, each set with its baselines."""
    document: dict[str, Any] = {
        **asdict(overall(results, _ours)),
        "layers": {layer.value: asdict(quality) for layer, quality in by_layer(results, _ours).items()},
        "sets": {result.data.path: _set_json(result) for result in results},
        "baselines": {name: asdict(overall(results, quality_of(name))) for name in baseline_names(results)},
    }
    if any(result.foreign for result in results):
        document["foreign"] = {"unanswered": unanswered(results), "recall_lost": recall_lost(results)}
    return document


def as_page(results: Sequence[SetResult], learned: Learned) -> str:
    """A self-contained page: every table, with a bar behind each share."""
    tables = (*retrieval_tables(results), *learning_tables(learned))
    return _PAGE.format(body="".join(map(_html, tables)))


def _html(table: Table) -> str:
    title, *names = map(escape, table.head)
    head = "".join(f"<th>{name}</th>" for name in ("", *names))
    rows = ("".join(map(_cell, row)) for row in table.rows)
    return f"\n<h2>{title}</h2>\n<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _cell(text: str) -> str:
    """A cell; a share fills as much of it."""
    share = _SHARE.fullmatch(text)
    bar = f' style="background: linear-gradient(90deg, #bfdbfe {float(text):.1%}, #0000 0)"' if share else ""
    return f"<td{bar}>{escape(text)}</td>"


def _set_json(result: SetResult) -> dict[str, Any]:
    document: dict[str, Any] = {
        **_measured(result.hexad),
        "queries": result.questions,
        "baselines": {name: _measured(measured) for name, measured in result.baselines.items()},
    }
    if result.feedback:
        document["feedback"] = {str(each.uses): _taught(each) for each in result.feedback}
    if result.foreign:
        document["foreign"] = {
            "queries": result.foreign.questions,
            "unanswered": round(result.foreign.share, 4),
            "recall_lost": round(result.foreign.recall_lost, 4),
        }
    return document


def _taught(learned: Taught) -> dict[str, Any]:
    return {
        "queries": learned.questions,
        "before": _measured(learned.before) if learned.questions else None,
        "after": _measured(learned.after) if learned.questions else None,
    }


def _measured(measured: Measured) -> dict[str, float]:
    return {**asdict(measured.quality), "p50_ms": round(measured.p50_ms, 4), "p95_ms": round(measured.p95_ms, 4)}


_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Hexad: evaluation</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 760px; margin: 2rem auto; padding: 0 1rem; color: #0f172a }}
table {{ border-collapse: collapse; font-size: 14px }} td, th {{ padding: .2rem .6rem; text-align: right }}
td:first-child {{ text-align: left }} tr:nth-child(even) {{ background: #f1f5f9 }}
</style>
<h1>Hexad</h1>
{body}</html>
"""
