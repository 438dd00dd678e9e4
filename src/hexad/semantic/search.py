"""Vectors in memory: a copy of what the store has, brought up to date before each question, and one product with it."""

from __future__ import annotations

import threading
from functools import lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np

from hexad.errors import EmbedderFailed
from hexad.fork import survive_fork
from hexad.memory.similarity import MOST_STEPS, STEPS_IF_SAME
from hexad.memory.use.prompts import forgettable
from hexad.semantic.background import BACKGROUND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hexad.model import Layer
    from hexad.semantic import Embedder
    from hexad.store import Reading, Store, Vector, VectorState

_PAGE: Final = 4096  # vectors that are read at a time
_REMEMBERED: Final = 64  # questions whose vectors are kept: each is asked of several layers
_STANDS_OUT: Final = 1.0  # standard deviations above the mean
_CLOSE: Final = 0.25  # of the way from unrelated to the same
_DIGITS: Final = 5  # of a cosine that no order of summation disturbs
_MOST_HELD: Final = 1_000_000  # vectors of all layers together
_LOADING: Final = 0.5  # seconds that one question spends on reading vectors; the next one goes on


class Matrix:
    """Vectors by number, in one growing block."""

    def __init__(self) -> None:
        self.stamp = 0
        self._block: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        self._numbers: NDArray[np.int64] = np.zeros(0, np.int64)
        self.places: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.places)

    @property
    def block(self) -> NDArray[np.float32]:
        """A row for each vector."""
        return self._block[: len(self)]

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Whose row it is."""
        return self._numbers[: len(self)]

    def add(self, vectors: Sequence[Vector], expected: int = 0) -> None:
        """Add or replace vectors; ``expected`` is their number in all, to allocate once."""
        rows = np.frombuffer(b"".join(each.vector for each in vectors), np.float16).reshape(len(vectors), -1)
        self._make_room(max(len(vectors), expected - len(self)), rows.shape[1])
        places = [self.places.setdefault(each.number, len(self.places)) for each in vectors]
        self._block[places] = rows
        self._numbers[places] = [each.number for each in vectors]
        self.stamp = vectors[-1].stamp

    def keep(self, numbers: set[int]) -> None:
        """Drop all vectors but these."""
        stay = [place for number, place in self.places.items() if number in numbers]
        self._block, self._numbers = self._block[stay], self._numbers[stay]
        self.places = {int(number): place for place, number in enumerate(self._numbers)}

    def _make_room(self, more: int, width: int) -> None:
        needed = len(self) + more
        if needed <= len(self._block):
            return
        size = max(needed, len(self._block) + len(self._block) // 4)
        block, numbers = np.zeros((size, width), np.float32), np.zeros(size, np.int64)
        block[: len(self)], numbers[: len(self)] = self.block if len(self) else 0.0, self.numbers
        self._block, self._numbers = block, numbers


class Near:
    """The similarity of one question to each row of a block."""

    def __init__(
        self,
        nearness: NDArray[np.float32],
        numbers: NDArray[np.int64],
        places: dict[int, int],
        background: NDArray[np.float32],
        weight: float,
    ) -> None:
        self._weight = weight
        self._nearness = nearness
        self._numbers = numbers
        self._places = places
        self.unrelated = float(background.mean())
        self._way = max(1 - self.unrelated, 1e-6)
        count = len(nearness) + len(background)
        self.mean = float(nearness.sum(dtype=np.float64) + background.sum(dtype=np.float64)) / count
        squares = float(nearness @ nearness) + float(background @ background)
        self.spread = max(squares / count - self.mean**2, 1e-12) ** 0.5

    def standing(self, numbers: Sequence[int]) -> Sequence[float]:
        """Standard deviations above the mean, or the value of closeness."""
        places = [self._place(number) for number in numbers]
        near = self._nearness[places].astype(np.float64)
        steps = np.maximum((near - self.mean) / self.spread, STEPS_IF_SAME * (near - self.unrelated) / self._way)
        counted = (self._weight * steps.clip(0.0, MOST_STEPS)).round(_DIGITS - 1)
        counted[np.array(places) < 0] = 0.0
        standing: list[float] = counted.tolist()
        return standing

    def closeness(self, number: int) -> float | None:
        """The way from unrelated to the same; None without a vector, and for the zeros of older versions."""
        place = self._place(number)
        if place < 0 or not self._nearness[place]:
            return None
        return float((self._nearness[place] - self.unrelated) / self._way)

    def _place(self, number: int) -> int:
        place = self._places.get(number, -1)
        return place if place < len(self._nearness) else -1  # it may have come since

    def nearest(self, limit: int, *, all_of_them: bool = False) -> Sequence[int]:
        """The nearest of the rows that stand out or are close, or of all rows. Among equals the newest come first."""
        close = self.unrelated + _CLOSE * (1 - self.unrelated)
        least = -np.inf if all_of_them else min(self.mean + _STANDS_OUT * self.spread, close)
        out = np.flatnonzero(self._nearness > least)
        near = self._nearness[out]
        if len(out) > limit:
            last_in = np.partition(near, -limit)[-limit] - 10.0**-_DIGITS
            out, near = out[near >= last_in], near[near >= last_in]
        near, numbers = near.round(_DIGITS), self._numbers[out]
        return [int(number) for number in numbers[np.lexsort((-numbers, -near))[:limit]]]


class TextSpace:
    """Vectors of texts that are not stored, numbered by their place in the argument."""

    def __init__(self, search: Search, texts: Sequence[str]) -> None:
        self._search = search
        self._block = search.unit_vectors(texts)
        self._numbers = np.arange(len(texts), dtype=np.int64)
        self._places = {place: place for place in range(len(texts))}

    def near(self, question: str) -> Near:
        """How near they are to a question."""
        asked, background = self._search.question(question)
        return Near(self._block @ asked, self._numbers, self._places, background, self._search.weight)


class Search:
    """An embedder, and a matrix for each layer of each namespace it was asked about."""

    def __init__(self, name: str, embedder: Embedder, weight: float = 1.0) -> None:
        self._name = name
        self._embedder = embedder
        self.weight = weight  # of its word against words, the static embeddings being 1
        self.width: int | None = None
        self._background = self.unit_vectors(BACKGROUND)
        self.width = self._background.shape[1]
        self.question = lru_cache(_REMEMBERED)(self._question)
        self._matrices: WeakKeyDictionary[Store, dict[tuple[str, Layer], Matrix]] = WeakKeyDictionary()
        self.after_fork()
        survive_fork(self)
        forgettable(self)

    def clear(self) -> None:
        """Forget the questions that were asked."""
        self.question.cache_clear()

    def after_fork(self) -> None:
        """A thread of the parent may have been in the middle of a change."""
        self._lock = threading.Lock()
        self._matrices = WeakKeyDictionary()

    def embed(self, texts: Sequence[str]) -> Sequence[bytes | None]:
        """Unit vectors in half precision; None for zeros, which say nothing."""
        return [row.tobytes() if row.any() else None for row in self.unit_vectors(texts).astype(np.float16)]

    def near(self, store: Store, view: Reading, layer: Layer, state: VectorState, question: str) -> Near:
        """One product with all vectors of the layer."""
        asked, background = self.question(question)
        with self._lock:
            matrix = self._matrix(store, (view.namespace, layer))
            _bring_up_to_date(matrix, view, layer, state, f"{self._name}/{self.width}")
            block, numbers, places = matrix.block, matrix.numbers, matrix.places
        return Near(block @ asked, numbers, places, background, self.weight)

    def _matrix(self, store: Store, place: tuple[str, Layer]) -> Matrix:
        """A layer's vectors; if all layers hold too many, those that were not asked for longest are dropped."""
        held = self._matrices.setdefault(store, {})
        matrix = held[place] = held.pop(place, Matrix())  # the latest is the last
        while len(held) > 1 and sum(map(len, held.values())) > _MOST_HELD:
            del held[next(iter(held))]
        return matrix

    def drop(self, store: Store, namespace: str, layer: Layer) -> None:
        """Keep nothing of a layer that has no vectors any more."""
        with self._lock:
            self._matrices.get(store, {}).pop((namespace, layer), None)

    def space(self, texts: Sequence[str]) -> TextSpace:
        """Texts that are not stored."""
        return TextSpace(self, texts)

    def unit_vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The embedder's vectors, checked and normalised; zero vectors stay zero."""
        rows = self._asked([text.encode(errors="ignore").decode() for text in texts])  # no lone surrogates
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: NDArray[np.float32] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
        return unit

    def _asked(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            rows = np.asarray(self._embedder(texts), dtype=np.float32)
        except Exception as error:
            raise EmbedderFailed(self._name, f"raised {type(error).__name__}: {error}") from error
        if rows.ndim != 2 or len(rows) != len(texts):
            raise EmbedderFailed(self._name, f"must give {len(texts)} rows, not an array of shape {rows.shape}")
        if not np.isfinite(rows).all():
            raise EmbedderFailed(self._name, "gave numbers that are not finite")
        if self.width not in {None, rows.shape[1]}:
            raise EmbedderFailed(self._name, f"gave rows of {rows.shape[1]} numbers, and of {self.width} before")
        return rows

    def _question(self, text: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        asked = self.unit_vectors([text])[0]
        return asked, self._background @ asked


def _bring_up_to_date(matrix: Matrix, view: Reading, layer: Layer, state: VectorState, embedder: str) -> None:
    """Read the vectors that were added or changed since the last question, and drop those that were removed.

    A view of an older state finds more in the matrix than it has, and leaves it so.
    """
    end = monotonic() + _LOADING
    while matrix.stamp < state.stamp:
        if monotonic() > end:
            raise EmbedderFailed(embedder, f"has {state.rows:,} vectors to read first; {len(matrix):,} are here")
        page = view.vectors(layer, embedder, after=matrix.stamp, limit=_PAGE)
        if not page:
            matrix.stamp = state.stamp  # the latest ones were removed
            break
        matrix.add(page, expected=state.rows)
    if len(matrix) != state.rows and matrix.stamp <= state.stamp:
        matrix.keep(view.vector_numbers(layer, embedder))
