"""A folder of evaluation data → sets. The format is
`<layer>/<set>/{corpus,queries}.jsonl`.

``corpus.jsonl`` has a line for each item: ``{"id", "text", "group"?, "meta"?}``.
``queries.jsonl`` has a line for each question: ``{"id", "text", "relevant": [ids],
"group"?}``. A question with a group sees only that group's items. ``meta`` may have a
speaker, a session and a date. Folders of other kinds of evaluation are skipped.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from hexad.errors import EvalError, UnknownLayer
from hexad.model import DEFAULT_NAMESPACE, Layer

if TYPE_CHECKING:
    from pathlib import Path

T = TypeVar("T")
_log: Final = logging.getLogger("hexad")
_SHOWN: Final = 5  # bad lines of a file that are reported one by one
CAPTURE: Final = "capture"
CORPUS, QUERIES = "corpus.jsonl", "queries.jsonl"
KINDS = frozenset(
    {
        "error_grouping",
        "tool_failures",
        "shell_benign",
        "shell_harmful",
        "sessions",
        "told",
        "newest",
        CAPTURE,
    }
)
"""Folders with other kinds of evaluation data."""


@dataclass(frozen=True, slots=True)
class EvalItem:
    """An item to find."""

    id: str
    text: str
    group: str = DEFAULT_NAMESPACE
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """A question and the ids that answer it."""

    id: str
    text: str
    relevant: frozenset[str]
    group: str = DEFAULT_NAMESPACE


@dataclass(frozen=True, slots=True)
class EvalSet:
    """One set of one layer."""

    layer: Layer
    name: str
    corpus: tuple[EvalItem, ...]
    questions: tuple[EvalQuestion, ...]

    @property
    def path(self) -> str:
        """Its name in reports."""
        return f"{self.layer.value}/{self.name}"

    def groups(self) -> dict[str, tuple[EvalItem, ...]]:
        """The items of each group, in the order of the file."""
        found: dict[str, list[EvalItem]] = {}
        for document in self.corpus:
            found.setdefault(document.group, []).append(document)
        return {group: tuple(documents) for group, documents in found.items()}


def read_sets(folder: Path, *, required: bool = True) -> tuple[EvalSet, ...]:
    """Every set of a folder, sorted; raises if one is required and the folder has no
    set.
    """
    if not folder.is_dir():
        raise EvalError(
            str(folder),
            "is not a folder; give the path of a folder of <layer>/<set>/corpus.jsonl",
        )
    homes = sorted(
        entry
        for entry in folder.iterdir()
        if entry.is_dir() and entry.name not in KINDS
    )
    layers = [home for home in homes if _holds_sets(home) and _layer(home)]
    found = tuple(
        read_set(home)
        for place in layers
        for home in sorted(place.iterdir())
        if home.is_dir()
    )
    if required and not found:
        expected = "<layer>/<set>/corpus.jsonl and queries.jsonl, life.jsonl, sessions/*.jsonl, or capture/*.jsonl"
        raise EvalError(str(folder), f"has no sets; expected {expected}")
    return found


def _layer(home: Path) -> Layer:
    if home.name == Layer.RUNTIME_CONTEXT:
        raise EvalError(
            str(home), "cannot be measured: the runtime context is always one item"
        )
    try:
        return Layer.parse(home.name)
    except UnknownLayer as error:
        raise EvalError(
            str(home), f"is not a layer: {error}; rename or move the folder"
        ) from error


def _holds_sets(home: Path) -> bool:
    """Whether a folder has a layer's name, or files of a set inside."""
    return (
        home.name in set(Layer)
        or any(home.glob("*/corpus.jsonl"))
        or any(home.glob("*/queries.jsonl"))
    )


def live_sets(place: Path) -> tuple[EvalSet, ...]:
    """Questions for a memory that exists: a file, or `queries.jsonl` in a folder or in
    its <layer>/<set> folders.

    A line of a file may name its ``layer``; without one it is user_knowledge.
    """
    file = place if place.is_file() else place / QUERIES
    files = [file] if file.is_file() else sorted(place.glob(f"*/*/{QUERIES}"))
    asked: dict[Layer, list[EvalQuestion]] = {}
    for each in files:
        usual = Layer.USER_KNOWLEDGE if each == file else _layer(each.parent.parent)
        for layer, question in readable(each, partial(_asked_of, usual)):
            asked.setdefault(layer, []).append(question)
    if not asked:
        raise EvalError(
            str(place),
            'has no questions; write lines of {"text", "relevant": [keys]} into queries.jsonl',
        )
    return tuple(
        EvalSet(layer, "this memory", (), tuple(questions))
        for layer, questions in asked.items()
    )


def _asked_of(usual: Layer, line: DataLine) -> tuple[Layer, EvalQuestion]:
    """A question, and the layer that is asked."""
    try:
        return Layer.parse(line.fields.get("layer", usual)), _question(line)
    except UnknownLayer as error:
        raise line.error(str(error)) from None


def read_set(home: Path) -> EvalSet:
    """The set of one folder `<layer>/<set>`, with its items."""
    corpus, questions = (
        tuple(readable(home / CORPUS, _document)),
        tuple(readable(home / QUERIES, _question)),
    )
    if not corpus or not questions:
        raise EvalError(str(home), "has no items or no questions")
    return EvalSet(_layer(home.parent), home.name, corpus, questions)


def _document(line: DataLine) -> EvalItem:
    meta = line.fields.get("meta", {})
    if not isinstance(meta, Mapping):
        raise line.error("meta must be an object")
    return EvalItem(line.text("id"), line.text("text"), _group(line), meta)


def _question(line: DataLine) -> EvalQuestion:
    relevant = line.fields.get("relevant")
    if (
        not isinstance(relevant, list)
        or not relevant
        or not all(isinstance(each, str) for each in relevant)
    ):
        raise line.error("relevant must be a list of at least one id")
    return EvalQuestion(
        str(line.fields.get("id") or line.number),
        line.text("text"),
        frozenset(relevant),
        _group(line),
    )


def _group(line: DataLine) -> str:
    return str(line.fields.get("group") or DEFAULT_NAMESPACE)


class DataLine(NamedTuple):
    """A line of a JSON Lines file, and its place."""

    file: Path
    number: int
    fields: Mapping[str, Any]

    def text(self, name: str) -> str:
        """A field that must be text and not empty."""
        value = self.fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"{name} must be text")
        return value

    def error(self, reason: str) -> EvalError:
        """An error that names the place."""
        return EvalError(str(self.file), reason, self.number)


def readable(file: Path, make: Callable[[DataLine], T]) -> Iterator[T]:
    """The content of each line of a JSON Lines file. A bad line is reported and left
    out.
    """
    bad = 0
    for number, text in _numbered(file):
        try:
            yield make(_parsed(DataLine(file, number, {}), text))
        except EvalError as error:
            bad += 1
            if bad <= _SHOWN:
                _log.warning("left out: %s", error)
    if bad > _SHOWN:
        _log.warning("left out: %d more lines of %s", bad - _SHOWN, file)


def _numbered(file: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file that are not empty, with their numbers."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise EvalError(str(file), f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise EvalError(str(file), "is not UTF-8 text") from error
    yield from (
        (number, line)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    )


def _parsed(line: DataLine, text: str) -> DataLine:
    try:
        fields = json.loads(text)
    except ValueError:
        raise line.error("is not JSON") from None
    if not isinstance(fields, dict):
        raise line.error("must be an object")
    return line._replace(fields=fields)
