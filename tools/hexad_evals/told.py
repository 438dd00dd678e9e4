"""Conversations in which the agent saves what the user says: is it in the prompts of
later sessions?

The format is `told/*.jsonl`. A line is a conversation, ``{"id", "turns": [{"user",
"saves": [{"key", "content", "category"}]}], "asks": [{"message", "needs": [texts],
"stale": [texts]}]}``: each ask comes in a session of its own, ``needs`` have to be in
its prompt and ``stale`` must not be. Or it is one save, ``{"said": [messages],
"content", "says"}``: whether these messages say that. Each conversation is asked twice,
with nothing reviewed and with every proposal accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.agent_tools import agent_tools
from hexad.facade import Hexad
from hexad.memory.ground import ground
from hexad.settings import STATIC
from hexad_evals.data import DataLine, readable
from hexad_evals.tables import Figures, FigureTable, mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from hexad_evals.run import Progress

FOLDER: Final = "told"
_TURNS: Final = 6  # of a session


class Ask(NamedTuple):
    """What a message in a new session got."""

    message: str
    needed: int
    missing: tuple[str, ...]
    stale: tuple[str, ...]
    noise: int  # entries that were found and hold nothing that is needed


class Save(NamedTuple):
    """One save, whether the user said it, and whether it counted as the user's word."""

    content: str
    says: bool
    counted: bool


def tell(folder: Path, progress: Progress, *, embedder: str = STATIC) -> Figures | None:
    """Let a scripted agent save what is said in each conversation, and ask for the
    prompts of later ones.
    """
    files = sorted(
        (folder if folder.name == FOLDER else folder / FOLDER).glob("*.jsonl")
    )
    lines = [line for file in files for line in readable(file, lambda line: line)]
    if not lines:
        return None
    saves = [_save(line) for line in lines if "said" in line.fields]
    conversations = [line for line in lines if "turns" in line.fields]
    alone: list[Ask] = []
    reviewed: list[Ask] = []
    for done, line in enumerate(conversations, start=1):
        with Hexad.open(
            ":memory:", enabled=True, semantic=True, embedder=embedder
        ) as hx:
            _converse(hx, line.fields["turns"])
            alone += _asked(hx, line.fields["asks"])
            for proposal in hx.proposals.list():
                hx.proposals.accept(proposal.id)
            reviewed += _asked(hx, line.fields["asks"])
        progress(f"{FOLDER}: conversations", done, len(conversations))
    document = {
        "nobody_reviews": _figures(alone),
        "all_reviewed": _figures(reviewed),
        "laundered": sum(save.counted for save in saves if not save.says),
        "attempts": sum(not save.says for save in saves),
        "grounded": mean([save.counted for save in saves if save.says]),
        "saves": sum(save.says for save in saves),
    }
    missed = [
        (
            ", ".join((*each.missing, *(f"stale: {text}" for text in each.stale))),
            each.message,
        )
        for each in alone
    ]
    tables = [
        FigureTable(
            ("told what it was told", "nobody reviews", "all reviewed"),
            _rows(alone, reviewed),
        )
    ]
    tables.append(FigureTable(("saves", "number", "of"), _saves_rows(document)))
    wrong = [row for row in missed if row[0]]
    tables += [FigureTable(("missing or stale", "message"), wrong)] if wrong else []
    return Figures(document, tables)


def _saves_rows(document: Mapping[str, Any]) -> list[tuple[str, ...]]:
    laundered = (
        "laundered: counted as the user's word",
        str(document["laundered"]),
        str(document["attempts"]),
    )
    return [
        laundered,
        (
            "grounded, share of faithful ones",
            str(document["grounded"]),
            str(document["saves"]),
        ),
    ]


def _rows(*groups: Sequence[Ask]) -> list[tuple[str, ...]]:
    columns = [_figures(group) for group in groups]
    return [
        (name.replace("_", " "), *(f"{column[name]:.3f}" for column in columns))
        for name in columns[0]
    ]


def _figures(asks: Sequence[Ask]) -> dict[str, float]:
    """The share of what is needed that is told, and entries a message that are not
    needed or no longer true.
    """
    needed = sum(ask.needed for ask in asks)
    return {
        "told": round(1 - sum(len(ask.missing) for ask in asks) / needed, 4)
        if needed
        else 1.0,
        "noise": mean([ask.noise for ask in asks]),
        "stale": mean([len(ask.stale) for ask in asks]),
        "asks": len(asks),
    }


def _converse(hx: Hexad, turns: Sequence[Mapping[str, Any]]) -> None:
    """Say each turn and let the agent save of it."""
    for number, turn in enumerate(turns):
        session = hx.scoped(session=f"{FOLDER}:{number // _TURNS}")
        session.prompt("", turn["user"])
        tools = {tool.__name__: tool for tool in agent_tools(session)}
        for save in turn["saves"]:
            tools["save_knowledge"](
                key=save["key"], content=save["content"], category=save["category"]
            )


def _asked(hx: Hexad, asks: Sequence[Mapping[str, Any]]) -> Iterator[Ask]:
    for number, ask in enumerate(asks):
        prompt = hx.scoped(session=f"later:{number}").prompt("", ask["message"])
        text = prompt.text.casefold()
        needs = [each.casefold() for each in ask["needs"]]
        noise = sum(
            not any(each in item.content.casefold() for each in needs)
            for item in prompt.kept
        )
        missing = tuple(each for each in needs if each not in text)
        stale = tuple(each for each in ask.get("stale", ()) if each.casefold() in text)
        yield Ask(ask["message"], len(needs), missing, stale, noise)


def _save(line: DataLine) -> Save:
    said, content = line.fields["said"], line.text("content")
    if not isinstance(said, list) or not all(isinstance(each, str) for each in said):
        raise line.error("said must be a list of messages")
    if not isinstance(line.fields.get("says"), bool):
        raise line.error("says must be true or false")
    return Save(content, line.fields["says"], ground(content, said).refused is None)
