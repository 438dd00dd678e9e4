"""Why a prompt is what it is: what was searched for, what each layer offered, what was kept, dropped or failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hexad import wire
from hexad.context.selection import OVER_BUDGET
from hexad.model import Layer

if TYPE_CHECKING:
    from collections.abc import Collection

    from hexad.model import Failure, Item, Json, Prompt, Retrieval

KEPT: Final = "kept"
BEYOND: Final = "beyond the layer's limit of {limit}"
TOO_LITTLE: Final = "below the floor: too little to go by"
TOO_MANY_PINS: Final = "pinned, over max_pinned"


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate and what became of it."""

    item: Item
    verdict: str

    @property
    def kept(self) -> bool:
        """Whether it is in the prompt."""
        return self.verdict == KEPT


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The whole way from a message to its prompt."""

    message: str
    keywords: tuple[str, ...]
    candidates: dict[Layer, tuple[Judged, ...]]
    failures: tuple[Failure, ...]
    prompt: Prompt
    layer_seconds: dict[Layer, float]
    seconds: float

    def __str__(self) -> str:
        lines = [f"message: {self.message}", f"keywords: {', '.join(self.keywords) or 'none'}"]
        for layer, judged in self.candidates.items():
            lines.append(f"{layer} ({self.layer_seconds.get(layer, 0.0) * 1000:.2f} ms)")
            lines += [_told(each) for each in judged]
        lines += [f"{failure.layer} failed: {failure.reason}" for failure in self.failures]
        lines.append(f"{self.prompt.tokens} tokens added, {self.seconds * 1000:.2f} ms in all")
        return "\n".join(lines)


def judge(
    wide: Retrieval, prompt: Prompt, limit: int, *, above: Collection[tuple[Layer, str]], seconds: float
) -> Explanation:
    """Tell of each candidate whether the prompt has it, and why not; ``above`` are those that are above the floor."""
    kept = {(item.layer, item.id) for item in prompt.kept}
    dropped = {(item.layer, item.id) for item in prompt.dropped}

    def verdict(item: Item) -> str:
        place = (item.layer, item.id)
        if place in kept:
            return KEPT
        if place not in above:
            return TOO_MANY_PINS if item.pinned else TOO_LITTLE
        return OVER_BUDGET if place in dropped else BEYOND.format(limit=limit)

    return Explanation(
        message=wide.query,
        keywords=wide.keywords,
        candidates={
            layer: tuple(Judged(item, verdict(item)) for item in wide.items[layer])
            for layer in Layer
            if layer in wide.items
        },
        failures=wide.failures,
        prompt=prompt,
        layer_seconds=dict(wide.seconds),
        seconds=seconds,
    )


def explained(told: Explanation) -> dict[str, Json]:
    """An explanation as JSON."""
    return {
        "message": told.message,
        "keywords": list(told.keywords),
        "candidates": {layer.value: [_judged(each) for each in judged] for layer, judged in told.candidates.items()},
        "failures": [wire.failure(each) for each in told.failures],
        "seconds": told.seconds,
        "layer_seconds": {layer.value: seconds for layer, seconds in told.layer_seconds.items()},
        "prompt": wire.prompt(told.prompt),
    }


def _judged(judged: Judged) -> dict[str, Json]:
    return {**wire.item(judged.item), "kept": judged.kept, "verdict": judged.verdict}


def _told(judged: Judged) -> str:
    item = judged.item
    return f"  {item.score:.3f} {item.key} [{judged.verdict}]: {'; '.join(map(str, item.reasons))}"
