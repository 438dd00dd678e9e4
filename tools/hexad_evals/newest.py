"""Facts that later ones contradict: is the newest about a thing found first?

The format is `newest/*.jsonl`: a line for each fact, in the order in which they were
said, ``{"kind": "fact", "key", "text"}``, then the questions, ``{"kind": "question",
"text", "answers": [texts]}``. A question is right if the first entry that is found
holds one of its answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hexad.facade import Hexad
from hexad.model import Layer
from hexad.settings import STATIC
from hexad_evals.data import readable
from hexad_evals.tables import Figures, FigureTable, mean

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hexad_evals.run import Progress

FOLDER: Final = "newest"


def find_newest(
    folder: Path, progress: Progress, *, embedder: str = STATIC
) -> Figures | None:
    """Ask each file's questions of a memory that was told its facts."""
    files = sorted(
        (folder if folder.name == FOLDER else folder / FOLDER).glob("*.jsonl")
    )
    shares = {file.stem: _share(file, progress, embedder) for file in files}
    if not shares:
        return None
    table = FigureTable(
        ("newest answer first", "share"),
        [(name, f"{share:.3f}") for name, share in shares.items()],
    )
    return Figures(
        {"newest_first": mean(list(shares.values())), "sets": shares}, [table]
    )


def _share(file: Path, progress: Progress, embedder: str) -> float:
    lines = list(readable(file, lambda line: line.fields))
    facts = [line for line in lines if line.get("kind") == "fact"]
    questions = [line for line in lines if line.get("kind") == "question"]
    with Hexad.open(
        ":memory:", enabled=True, embedder=embedder, max_knowledge=len(facts) + 1
    ) as hx:
        for done, fact in enumerate(facts, start=1):
            hx.knowledge.save(str(fact["key"]), str(fact["text"]))
            progress(f"{FOLDER}/{file.stem}: storing", done, len(facts))
        return mean([_is_right(hx, question) for question in questions])


def _is_right(hx: Hexad, question: Mapping[str, Any]) -> bool:
    found = hx.retrieve(str(question["text"]), layers=[Layer.USER_KNOWLEDGE]).all()
    return bool(found) and any(
        str(answer).casefold() in found[0].content.casefold()
        for answer in question["answers"]
    )
