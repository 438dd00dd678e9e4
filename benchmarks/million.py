"""A million entries: Hexad by words and by meaning, beside tantivy and FTS5: `python -m
benchmarks.million`.

`python -m benchmarks.million 100000 words` measures another size, and by words alone.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from rich.progress import Progress

from benchmarks.corpus import entries, questions
from benchmarks.figures import Figure, as_markdown, fill, in_turns, show
from benchmarks.filling import fill as fill_database
from benchmarks.semantic import compare, embed
from benchmarks.yardstick import Yardstick
from hexad import Hexad
from hexad.text import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.corpus import Entry

ROOT = Path(__file__).parent.parent
STEP = 100_000
QUESTIONS = 100
LIMIT = 5.0  # by words, against tantivy


class Tantivy:
    """The search engine with its defaults: an English stemmer, all words of a question
    as alternatives.
    """

    def __init__(self, folder: Path, stored: Sequence[Entry]) -> None:
        import tantivy

        schema: Any = tantivy.SchemaBuilder()
        schema.add_text_field("key", stored=True)
        schema.add_text_field("body", stored=True, tokenizer_name="en_stem")
        folder.mkdir()
        self._index: Any = tantivy.Index(schema.build(), path=str(folder))
        writer = self._index.writer(256_000_000)
        for entry in stored:
            body = f"{entry.key} {entry.content} {' '.join(entry.tags)}"
            writer.add_document(tantivy.Document(key=[entry.key], body=[body]))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher: Any = self._index.searcher()

    def ask(self, question: str) -> list[Any]:
        asked = " ".join(word.surface for word in words(question, asking=True)).replace(
            "-", " "
        )
        query, _ = self._index.parse_query_lenient(asked, ["body"])
        return [
            self._searcher.doc(address)
            for _, address in self._searcher.search(query, 5).hits
        ]


def main() -> int:
    size, by_words = int((*sys.argv[1:], 1_000_000)[0]), "words" in sys.argv[2:]
    with (
        TemporaryDirectory(prefix="hexad-million-") as name,
        Progress(transient=True) as progress,
    ):
        figures = list(measure(Path(name), size, progress, by_words=by_words))
    show(f"{size:,} entries", figures)
    if not by_words:
        fill(ROOT / "docs" / "retrieval.md", as_markdown(figures), "million")
    return 0


def measure(
    folder: Path, size: int, progress: Progress, *, by_words: bool = False
) -> Iterator[Figure]:
    stored = list(entries(size, seed=1))
    asked = list(questions(QUESTIONS, seed=2, entries=stored))
    path = folder / "million.db"
    task = progress.add_task("storing", total=size)
    for start in range(0, size, STEP):
        fill_database(path, stored[start : start + STEP], lambda _done, _all: None)
        progress.update(task, completed=start + STEP)
    fts5, tantivy = (
        Yardstick(folder / "fts.db", stored),
        Tantivy(folder / "tantivy", stored),
    )
    del stored
    with Hexad.open(path, enabled=True, semantic=False) as hx:
        ours = [partial(hx.retrieve, question) for question in asked]
        others = (
            (tantivy.ask, "tantivy", LIMIT),
            (fts5.ask_keywords, "FTS5 spared the stop words", None),
        )
        for other, name, limit in others:
            in_turns(ours[:10], [partial(other, question) for question in asked[:10]])
            pair = in_turns(ours, [partial(other, question) for question in asked])
            yield Figure(
                f"retrieve by words, {size:,} entries, against {name}",
                pair.ratio(0.5),
                limit,
                detail=pair.detail(0.5),
            )
    if not by_words:
        embed(path, size, progress)
        yield from compare(path, asked, size, None)


if __name__ == "__main__":
    sys.exit(main())
