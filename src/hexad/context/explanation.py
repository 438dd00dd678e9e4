"""Why a prompt is what it is: what was searched for, what each layer offered, what was
kept, dropped or failed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hexad import json_form
from hexad.context.layers import Fate, Judged
from hexad.context.standing import standing_block
from hexad.model import Layer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.context.standing import Room
    from hexad.model import Failure, Item, Json, Prompt, Retrieval


def name_of(item: Item) -> str:
    """An item's key; of a learning also its id, since many are about one tool."""
    return f"{item.key} {item.id}" if item.layer is Layer.AGENT_LEARNINGS else item.key


class Explanation(NamedTuple):
    """The whole way from a message to its prompt."""

    message: str
    keywords: tuple[str, ...]
    candidates: dict[Layer, tuple[Judged, ...]]
    failures: tuple[Failure, ...]
    prompt: Prompt
    layer_seconds: dict[Layer, float]
    seconds: float
    standing_tokens: int = 0
    found_tokens: int = 0  # of the sections of what was found
    standing_budget: int = 0
    unfit: str = ""  # a sentence about the rules for which every prompt has no room

    @property
    def spent(self) -> str:
        """The tokens of what stands and of what was found, each with its own budget."""
        found = "" if self.prompt.budget is None else f" of {self.prompt.budget}"
        standing = f"{self.standing_tokens} of {self.standing_budget}"
        return f"standing: {standing} tokens; found: {self.found_tokens}{found} tokens"

    def __str__(self) -> str:
        lines = [
            f"message: {self.message}",
            f"keywords: {', '.join(self.keywords) or 'none'}",
        ]
        for layer, judged in self.candidates.items():
            lines.append(
                f"{layer} ({self.layer_seconds.get(layer, 0.0) * 1000:.2f} ms)"
            )
            lines += [_line(each) for each in judged]
        lines += [
            f"{failure.layer} failed: {failure.reason}" for failure in self.failures
        ]
        lines += [self.unfit] if self.unfit else []
        lines.append(f"{self.spent}; {self.seconds * 1000:.2f} ms in all")
        return "\n".join(lines)


def judge(
    found: Retrieval,
    candidates: Mapping[Layer, Sequence[Judged]],
    prompt: Prompt,
    *,
    room: Room,
    seconds: float,
) -> Explanation:
    """An explanation: the verdict of the layers on each candidate, and which of the
    kept ones the budget dropped.
    """
    dropped = {(item.layer, item.id) for item in prompt.dropped}
    standing = [Judged(item, Fate.STANDING) for item in found.standing]
    standing += [Judged(item, Fate.NOTED) for item in found.noted]
    judged = dict[Layer, tuple[Judged, ...]]()
    for layer in Layer:
        before = standing if layer is Layer.USER_KNOWLEDGE else []
        every = [*before, *candidates.get(layer, ())]
        for place, each in enumerate(every):
            if each.kept and (layer, each.item.id) in dropped:
                every[place] = each._replace(fate=Fate.OVER_BUDGET)
        if every:
            judged[layer] = tuple(every)
    return Explanation(
        message=found.query,
        keywords=found.keywords,
        candidates=judged,
        failures=found.failures,
        prompt=prompt,
        layer_seconds=dict(found.seconds),
        seconds=seconds,
        standing_tokens=room.counter(standing_block(found.standing))
        if found.standing
        else 0,
        found_tokens=room.counter(prompt.sections) if prompt.kept else 0,
        standing_budget=room.tokens,
        unfit=found.unfit,
    )


def _candidate(judged: Judged) -> dict[str, Json]:
    return {
        **json_form.item(judged.item),
        "kept": judged.kept,
        "verdict": judged.verdict,
    }


def explained(explanation: Explanation) -> dict[str, Json]:
    """An explanation as JSON."""
    return {
        "message": explanation.message,
        "keywords": list(explanation.keywords),
        "candidates": {
            layer.value: [*map(_candidate, judged)]
            for layer, judged in explanation.candidates.items()
        },
        "failures": [each._asdict() for each in explanation.failures],
        "seconds": explanation.seconds,
        "standing_tokens": explanation.standing_tokens,
        "found_tokens": explanation.found_tokens,
        "standing_budget": explanation.standing_budget,
        "unfit": explanation.unfit,
        "layer_seconds": {
            layer.value: seconds for layer, seconds in explanation.layer_seconds.items()
        },
        "prompt": json_form.prompt(explanation.prompt),
    }


def _line(judged: Judged) -> str:
    item = judged.item
    return f"  {item.score:.3f} {name_of(item)} [{judged.verdict}]: {'; '.join(map(str, item.reasons))}"
