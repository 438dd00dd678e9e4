"""How similar texts are in meaning: the port of embedders, which saving and asking
share, and what is embedded.

No implementation is named here: `hexad.semantic` has one, behind an extra. Without one,
everything is found by words.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from hexad.errors import EmbedderFailed
from hexad.memory.troubles import tell
from hexad.store import Embedded, Reading, Store, VectorState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from hexad.model import Fields, Layer

T = TypeVar("T")

MOST_STEPS: Final = (
    10.0  # standard deviations that count: hardly any text stands out more
)
STEPS_IF_SAME: Final = 4.0  # the least that the same text counts
MOST_EMBEDDED: Final = 8192  # characters of a text that are embedded


class Nearness(Protocol):
    """How near the texts of one place are to a question, as cosines."""

    def standing(self, numbers: Sequence[int]) -> Sequence[float]:
        """How far each text stands out, from 0 to `MOST_STEPS`; 0 for what has no
        vector.

        Standard deviations above the mean of all texts and of some sentences about
        nothing in particular; or, where that is more, its closeness times
        `STEPS_IF_SAME`: a topic that all texts share stands out nowhere.
        """

    def closeness(self, number: int) -> float | None:
        """How close a text is: 0 as any unrelated text would be, 1 the same; None for
        what has no vector.
        """

    def nearest(self, limit: int, *, all_of_them: bool = False) -> Sequence[int]:
        """The numbers of the texts that stand out, or of ``all_of_them``: at most
        ``limit``, nearest first.
        """


class Space(Protocol):
    """Texts that are held in memory, numbered as they were given."""

    def near(self, question: str) -> Nearness:
        """How near they are to a question."""


class Similarity(Protocol):
    """An embedder, and search among the vectors it made. Every error of the embedder is
    `EmbedderFailed`.
    """

    @property
    def name(self) -> str:
        """The name that its vectors are stored under; vectors of another name are never
        compared with its own.
        """

    def ready(self, timeout: float | None = None) -> bool:
        """Whether it is loaded; if not, it begins to load, and is waited for:
        ``timeout`` seconds, or its patience.

        The log says once that it is not ready, and why.
        """

    def reads(self, text: str) -> bool:
        """Whether the embedder can read a text: one that it cannot read has no vector."""

    def embed(self, texts: Sequence[str]) -> Sequence[bytes | None]:
        """A vector for each text, as it is stored; None for a text that the embedder
        cannot read.
        """

    def near(
        self,
        store: Store,
        view: Reading,
        layer: Layer,
        state: VectorState,
        question: str,
    ) -> Nearness | None:
        """How near a layer's rows are to a question; None without vectors, or if the
        embedder cannot read it.
        """

    def space(self, texts: Sequence[str]) -> Space:
        """Texts that are not stored, to be asked again and again."""


def embedded_text(fields: Fields) -> str:
    """The embedded text of a record: its body, after the words of its name that are
    new, without its subject's name.

    >>> from hexad.model import Fields
    >>> embedded_text(Fields("deploy-window", "Ann: deploy on Tuesdays", subject="Ann"))
    'window : deploy on Tuesdays'
    """
    body = fields.body[:MOST_EMBEDDED]
    said = body.casefold()
    name = [
        part
        for part in _LETTERS.findall(fields.name)
        if len(part) > 2 and part.casefold() not in said
    ]
    return without_words(" ".join((*name, body)), fields.subject.split())


def without_words(text: str, words: Collection[str]) -> str:
    """A text without some words, in upper or lower case."""
    if not words:
        return text
    pattern = "|".join(re.escape(word) for word in words)
    return " ".join(
        re.sub(rf"\b(?:{pattern})\b", "", text, flags=re.IGNORECASE).split()
    )


def embed_all(similarity: Similarity, texts: Sequence[str]) -> list[Embedded | None]:
    """A vector for each text, or None. A failing embedder never prevents a save."""
    try:
        vectors = similarity.embed(texts) if texts else ()
        return [
            None if vector is None else Embedded(similarity.name, vector)
            for vector in vectors
        ]
    except EmbedderFailed as error:
        tell("saved without a vector, `hexad reindex` adds it", error)
        return [None] * len(texts)


def or_by_words_alone(
    ask: Callable[[], T | None], *, failures: list[Exception] | None = None
) -> T | None:
    """The answer of an embedder, or None where it fails: then rows are found by their
    words, and the log says why.

    It is added to ``failures``. A failure of the store is not caught: it fails the
    layer.
    """
    try:
        return ask()
    except EmbedderFailed as error:
        tell("asked by words alone, the embedder failed", error)
        if failures is not None:
            failures.append(error)
        return None


_LETTERS: Final = re.compile(r"[^\W\d_]+")
