"""Everyday memories: is the fact that matters in the prompt of a message, and how much
else?

The format is `life.jsonl`, in the folder or in a folder of it: a line for each fact, in
the order they were said, ``{"kind": "fact", "key", "text", "category"?}``, then for
each message ``{"kind": "question", "text", "expect"}``. ``expect`` lists the keys of
the facts that matter; it is empty where nothing should be found. Each file is a memory
of its own, and all facts are the user's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.facade import Hexad
from hexad.model import Category
from hexad.settings import STATIC
from hexad_evals.data import DataLine, readable
from hexad_evals.tables import Figures, FigureTable, figures_by_set, mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from hexad_evals.run import Progress

FILE: Final = "life.jsonl"


class Message(NamedTuple):
    """A message, and the keys of the facts that matter for it."""

    text: str
    expect: frozenset[str]


class Life(NamedTuple):
    """One memory, each fact's text and category by its key, and the messages to it."""

    name: str
    facts: Mapping[str, tuple[str, str]]
    messages: Sequence[Message]


class LifeOutcome(NamedTuple):
    """The outcome of one message; ``first`` and ``missing`` are about the expected
    facts.
    """

    message: Message
    first: bool
    missing: tuple[str, ...]
    noise: tuple[str, ...]
    found: int


def figures(every: Sequence[LifeOutcome]) -> dict[str, float]:
    """Shares of the messages with an answer, of those without, and unexpected entries
    for each message.
    """
    answered = [each for each in every if each.message.expect]
    silent = [not each.found for each in every if not each.message.expect]
    return {
        "given": mean([not each.missing for each in answered]),
        "first": mean([each.first for each in answered]),
        "noise": mean([len(each.noise) for each in every]),
        "silent": mean(silent),
        "questions": len(answered),
        "without_answer": len(silent),
    }


def read_lives(folder: Path) -> tuple[Life, ...]:
    """Every memory of a folder, sorted."""
    return tuple(
        _life(file) for file in sorted((*folder.glob(FILE), *folder.glob(f"*/{FILE}")))
    )


def live(
    lives: Sequence[Life], progress: Progress, *, embedder: str = STATIC
) -> Figures:
    """Save each memory's facts in a new store, then ask for the prompt of each message."""
    memories = {
        life.name: tuple(_lived(life, progress, embedder=embedder)) for life in lives
    }
    document, tables = figures_by_set(
        "life", memories, figures, "given", "first", "noise", "silent"
    )
    wrong = [
        (name, each)
        for name, memory in memories.items()
        for each in memory
        if each.missing or each.noise
    ]
    misses = [
        {
            "set": name,
            "message": each.message.text,
            "missing": [*each.missing],
            "noise": [*each.noise],
        }
        for name, each in wrong
    ]
    missed = [
        (name, each.message.text, ", ".join(each.missing))
        for name, each in wrong
        if each.missing
    ]
    not_given = (
        [FigureTable(("not given", "message", "facts"), missed)] if missed else []
    )
    return Figures({**document, "misses": misses}, [*tables, *not_given])


def _lived(life: Life, progress: Progress, *, embedder: str) -> Iterator[LifeOutcome]:
    with Hexad.open(":memory:", enabled=True, semantic=True, embedder=embedder) as hx:
        for key, (text, category) in life.facts.items():
            hx.knowledge.save(key, text, category=category)
        for done, message in enumerate(life.messages, start=1):
            prompt = hx.prompt("", message.text)
            standing, found = (
                {item.key for item in prompt.standing},
                [item.key for item in prompt.kept],
            )
            first = bool(message.expect & {*standing, *found[:1]})
            said = {
                key: " ".join(life.facts[key][0].split())
                for key in sorted(message.expect)
            }
            missing = tuple(
                key for key, text in said.items() if text not in prompt.text
            )
            noise = tuple(key for key in found if key not in message.expect)
            yield LifeOutcome(message, first, missing, noise, len(found))
            progress(f"life: {life.name}", done, len(life.messages))


def _life(file: Path) -> Life:
    facts: dict[str, tuple[str, str]] = {}

    def read(line: DataLine) -> Message | None:
        kind, text = line.fields.get("kind"), line.text("text")
        if kind == "fact":
            category = str(line.fields.get("category") or Category.FACT)
            if category not in set(Category):
                raise line.error(f"category must be one of {', '.join(Category)}")
            facts[line.text("key")] = text, category
            return None
        expect = line.fields.get("expect")
        if (
            kind != "question"
            or not isinstance(expect, list)
            or not all(key in facts for key in expect)
        ):
            raise line.error(
                "kind must be fact, or question with expect, a list of keys of facts above it"
            )
        return Message(text, frozenset(expect))

    messages = [message for message in readable(file, read) if message is not None]
    return Life(file.parent.name, facts, messages)
