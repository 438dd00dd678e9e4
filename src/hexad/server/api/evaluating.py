"""Questions with known answers: of the request or the operator's folder, asked of this memory or of a set's items."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import AccessRefused, EvalError, InvalidInput, NotFound
from hexad.evals.data import CORPUS, QUERIES, live_sets, read_set
from hexad.evals.report import as_json
from hexad.evals.run import Plan, evaluate
from hexad.settings import NO_EMBEDDER

if TYPE_CHECKING:
    from hexad.server.api.calls import Call

MOST: Final = 500  # questions of a set that are asked, drawn at random


def stored_sets(folder: Path | None) -> dict[str, Path]:
    """The files of questions and the folders of sets in the operator's folder, by name."""
    if folder is None:
        return {}
    sets = (file.parent for way in (f"*/{QUERIES}", f"*/*/{QUERIES}") for file in folder.glob(way))
    return {place.relative_to(folder).as_posix(): place for place in sorted((*folder.glob("*.jsonl"), *sets))}


def measure(call: Call) -> dict[str, Any]:
    """Ask questions with known answers: of this memory, or of a stored set that has items of its own."""
    asked, name, stored = call.body, call.body.get("set", ""), stored_sets(call.evals)
    if name and name not in stored:
        raise NotFound("set", name, call.hx.namespace, next_step="`hexad serve --evals DIR` offers those of a folder")
    with tempfile.TemporaryDirectory(prefix="hexad-") as folder:
        place = stored.get(name) or Path(folder, QUERIES)
        if not name:
            place.write_text(asked.get("lines", ""), encoding="utf-8")
        own = (place / CORPUS).is_file()
        try:
            sets = (read_set(place),) if own else live_sets(place)
        except EvalError as error:
            raise InvalidInput("set" if name else "lines", error.reason) from None
        lines = (place if place.is_file() else place / QUERIES).read_text(encoding="utf-8-sig").split("\n")
    groups = {question.group for each in sets for question in each.questions}
    if not own and not all(map(call.caller.reaches, groups)):
        raise AccessRefused(403, "a question's group is a namespace, and this token is not for all of these")
    embedder = call.hx.settings.embedder if call.hx.settings.semantic else NO_EMBEDDER
    seed, live = asked.get("seed", 0), None if own else call.hx
    plan = Plan(queries=asked.get("queries", MOST), embedder=embedder, seed=seed, live=live)
    results = list(evaluate(sets, plan, progress=lambda *_: None))
    left_out = sum(map(bool, map(str.strip, lines))) - sum(len(each.questions) for each in sets)
    return {**as_json(results, asked.get("misses", 0)), "left_out": left_out}
