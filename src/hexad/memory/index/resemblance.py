"""Which entries say nearly the same as a text, or contradict it: they share words or
meaning.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeVar

from hexad.memory.index.similarity import Similarity, or_by_words_alone
from hexad.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexad.model import Item, Knowledge

T = TypeVar("T", bound="Item | Knowledge")
_SHARED: Final = (
    0.5  # the least share of common words: "Deploy on Tuesdays", "Deploy on Thursdays"
)
_CLOSE: Final = (
    0.6  # the least closeness in meaning: "I am vegetarian", "No, I am vegan now"
)
_WORD: Final = re.compile(r"[^\W_]+")


def resembling(
    text: str, found: Sequence[T], similarity: Similarity | None
) -> Iterator[T]:
    """Those of the items that resemble a text, in their order."""
    near = None
    if (
        similarity is not None
        and similarity.reads(text)
        and similarity.ready()
        and found
    ):
        near = or_by_words_alone(
            lambda: similarity.space([item.content for item in found]).near(text)
        )
    for place, item in enumerate(found):
        if alike(text, item.content) or (
            near is not None and (near.closeness(place) or 0.0) >= _CLOSE
        ):
            yield item


def alike(one: str, other: str) -> bool:
    """Whether two texts share half of their words, and of the words that carry a topic.

    >>> alike("Answer me in German", "Answer in English please"), alike("I am a vegetarian", "I am a developer")
    (True, False)
    """
    topics, others = set(terms(one)), set(terms(other))
    shared = len(topics & others)
    if not shared or shared < _SHARED * min(len(topics), len(others)):
        return False
    words = (set(_WORD.findall(each.casefold())) for each in (one, other))
    return max(_dice(topics, others), _dice(*words)) >= _SHARED


def _dice(one: set[str], other: set[str]) -> float:
    return 2 * len(one & other) / ((len(one) + len(other)) or 1)
