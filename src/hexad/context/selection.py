"""What fits: the best items over all layers within a token budget, and what was left out and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hexad.context.template import write
from hexad.model import Layer, Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.model import Item, TokenCounter

OVER_BUDGET: Final = "over the token budget"


@dataclass(frozen=True, slots=True)
class Selection:
    """Items that are kept, in their layers' order, and those that are not."""

    kept: tuple[Item, ...]
    dropped: tuple[Item, ...]


def select(items: Sequence[Item], *, base: str, budget: int | None, counter: TokenCounter) -> Selection:
    """The items whose text fits: the runtime item first, then pinned ones, then by score.

    Where the user and somebody else both answer in a layer, the user's word comes first. An item that does not fit is
    left out, and smaller ones after it may still fit. The budget is for what is added to the base, counted whole, so
    that it holds for any counter.
    """
    if budget is None or _cost(base, items, counter) <= budget:
        return Selection(tuple(items), ())
    kept: list[Item] = []
    strongest = _strongest_of_others(items)
    for item in sorted(items, key=lambda item: _priority(item, strongest.get(item.layer, 0.0))):
        if _cost(base, [*kept, item], counter) <= budget:
            kept.append(item)
    chosen = {id(item) for item in kept}
    return Selection(
        tuple(item for item in items if id(item) in chosen), tuple(item for item in items if id(item) not in chosen)
    )


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: four ASCII characters make one, any other character makes one.

    >>> estimate_tokens("twelve chars")
    3
    """
    plain = len(text.encode("ascii", "ignore"))
    return (plain + 3) // 4 + len(text) - plain


def _cost(base: str, items: Sequence[Item], counter: TokenCounter) -> int:
    return counter(write(base, items)[len(base) :]) if items else 0


def _strongest_of_others(items: Sequence[Item]) -> dict[Layer, float]:
    """The best score in each layer of what the user did not say."""
    best: dict[Layer, float] = {}
    for item in items:
        if item.origin is not Origin.USER:
            best[item.layer] = max(item.score, best.get(item.layer, 0.0))
    return best


def _priority(item: Item, others: float) -> tuple[bool, bool, float, bool]:
    """Smaller goes first. A user's item that answers half as well as another's counts as much as that one."""
    own = item.origin is Origin.USER
    score = max(item.score, others) if own and item.score >= others / 2 else item.score
    return item.layer is not Layer.RUNTIME_CONTEXT, not item.pinned, -score, not own
