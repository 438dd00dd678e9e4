"""Chooses the best items over all layers that fit a token budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.context.template import line, write
from hexad.model import Layer, Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad.model import Item, TokenCounter

_AFTER_CYRILLIC: Final = "\u0530"


class Selection(NamedTuple):
    """Items that are kept, in their layers' order, those that are not, and the base
    with the kept ones after it.
    """

    kept: tuple[Item, ...]
    dropped: tuple[Item, ...]
    text: str


def select(
    items: Sequence[Item], *, base: str, budget: int | None, counter: TokenCounter
) -> Selection:
    """The items whose text fits: the runtime item first, then pinned ones, then by
    score.

    Where the user and somebody else both answer in a layer, the user's word comes
    first. An item that does not fit is left out, and smaller ones after it may still
    fit. The budget is for what is added to the base, counted whole, so that it holds
    for any counter.
    """
    lines = {
        id(item): line(item) for item in items
    }  # once: taking secrets out costs as much as finding the items
    text = write(base, items, lines)
    if budget is None or counter(text[len(base) :]) <= budget:
        return Selection(tuple(items), (), text)
    chosen: dict[int, Item] = {}
    text = base
    for item in sorted(items, key=_priorities(items)):
        longer = write(base, [*chosen.values(), item], lines)
        if counter(longer[len(base) :]) <= budget:
            chosen[id(item)], text = item, longer
    kept = tuple(item for item in items if id(item) in chosen)
    return Selection(
        kept, tuple(item for item in items if id(item) not in chosen), text
    )


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has: one for four ASCII characters, two of Latin,
    Greek or Cyrillic, or one other.

    >>> estimate_tokens("twelve chars")
    3
    """
    plain = len(text.encode("ascii", "ignore"))
    alphabetic = (
        0
        if plain == len(text)
        else sum("\x7f" < each < _AFTER_CYRILLIC for each in text)
    )
    return (plain + 3) // 4 + (alphabetic + 1) // 2 + len(text) - plain - alphabetic


def _priorities(
    items: Sequence[Item],
) -> Callable[[Item], tuple[bool, bool, float, bool]]:
    """The key to sort items by: a smaller one goes first.

    The user's best item of a layer counts at least as much as anybody else's; in User
    Knowledge all of the user's do.
    """
    best = dict[Layer, float]()
    for item in items:
        best[item.layer] = max(item.score, best.get(item.layer, item.score))
    own: dict[Layer, Item] = {}
    for item in items:
        if item.origin is Origin.USER and item.score > (
            own[item.layer].score if item.layer in own else -1.0
        ):
            own[item.layer] = item

    def priority(item: Item) -> tuple[bool, bool, float, bool]:
        is_users = item.origin is Origin.USER
        raised = own.get(item.layer) is item or (
            is_users and item.layer is Layer.USER_KNOWLEDGE
        )
        score = best[item.layer] if raised else item.score
        return (
            item.layer is not Layer.RUNTIME_CONTEXT,
            not item.pinned,
            -score,
            not is_users,
        )

    return priority
