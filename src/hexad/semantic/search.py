"""Vectors in memory: a copy of what the store has, brought up to date before each
question, and compared with it.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property, lru_cache
from time import monotonic
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np

from hexad.errors import EmbedderFailed
from hexad.fork import survive_fork
from hexad.memory.index.similarity import MOST_STEPS, STEPS_IF_SAME
from hexad.memory.usage.prompts import forgettable
from hexad.semantic.background import BACKGROUND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hexad.model import Layer
    from hexad.semantic import Embedder, Weight
    from hexad.store import Reading, Store, Vector, VectorState

_PAGE: Final = 4096  # vectors that are read at a time
_REMEMBERED: Final = (
    64  # questions whose vectors are kept: each is asked of several layers
)
_STANDS_OUT: Final = 1.0  # standard deviations above the mean
_CLOSE: Final = 0.25  # of the way from unrelated to the same
_DIGITS: Final = 5  # of a cosine that no order of summation disturbs
_MOST_HELD: Final = 1_000_000  # vectors of all layers together
_ONE: Final = 32767  # 1.0 in 16 bits: half the memory of single precision, and as exact as what is stored
_CHUNK: Final = 1024  # vectors that are multiplied at a time
_finite: Final = np.errstate(
    invalid="ignore"
)  # BLAS reads past short rows and may warn of numbers that are not ours
_EXACT: Final = 16_384  # vectors up to which all are compared; of more, the likely ones
_LIKELY: Final = 64  # times as many are compared as are wanted
_SAMPLE: Final = 2048  # vectors that tell the mean and the spread of many
_SCATTER: Final = np.uint64(
    11400714819323198485
)  # 2**64 over the golden ratio: scatters neighbouring numbers
_WEIGHT_BITS: Final = 3  # of a question's component in the first look
_LOADING: Final = (
    0.5  # seconds that one question spends on reading vectors; the next one goes on
)


@dataclass(frozen=True)
class Rows:
    """Vectors as whole numbers, the signs of their components in bits (a line for each
    64), and whose they are.
    """

    block: NDArray[np.int16]
    signs: NDArray[np.uint64]
    numbers: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.numbers)

    def places(self, numbers: Sequence[int] | NDArray[np.int64]) -> NDArray[np.intp]:
        """Where the vectors of some numbers are; -1 for those that have none."""
        wanted, order = np.asarray(numbers, np.int64), self._order
        found = np.searchsorted(self.numbers, wanted, sorter=order).clip(
            max=len(self) - 1
        )
        places = found if order is None else order[found]
        return np.where(self.numbers[places] == wanted, places, -1)

    @_finite
    def cosines(
        self, asked: NDArray[np.float32], places: NDArray[np.intp] | None = None
    ) -> NDArray[np.float32]:
        """Their products with a question, a chunk at a time: it stays in the
        processor's cache.
        """
        near = np.empty(len(self) if places is None else len(places), np.float32)
        for start in range(0, len(near), _CHUNK):
            chunk = slice(start, start + _CHUNK)
            block = (
                self.block[chunk]
                if places is None
                else self.block.take(places[chunk], axis=0)
            )
            near[chunk] = block.astype(np.float32) @ asked
        near /= _ONE
        return near

    def likely(self, asked: NDArray[np.float32], most: int) -> NDArray[np.intp]:
        """The places of about ``most`` vectors whose signs differ least from the
        question's, large components first.
        """
        sizes = np.abs(asked)
        weights = np.rint(
            sizes * ((2**_WEIGHT_BITS - 1) / max(sizes.max(), 1e-6))
        ).astype(np.uint8)
        signs, planes = (
            _packed(asked > 0),
            [_packed(weights >> bit & 1) for bit in range(_WEIGHT_BITS)],
        )
        far = np.empty(len(self), np.uint16)
        for start in range(0, len(far), _EXACT):
            differ = self.signs[:, start : start + _EXACT] ^ signs
            parts = [
                np.bitwise_count(differ & plane).sum(axis=0, dtype=np.uint16)
                for plane in planes
            ]
            far[start : start + _EXACT] = sum(
                part << bit for bit, part in enumerate(parts)
            )
        return np.flatnonzero(far <= np.searchsorted(np.cumsum(np.bincount(far)), most))

    @cached_property
    def sample(self) -> Rows:
        """About `_SAMPLE` vectors, drawn by number: every process draws the same ones."""
        drawn = (self.numbers.astype(np.uint64) * _SCATTER) >> np.uint64(32)
        return self.at(drawn < 2**32 * _SAMPLE // len(self))

    def at(self, places: slice | NDArray[np.bool_]) -> Rows:
        """Some of them."""
        return Rows(self.block[places], self.signs[:, places], self.numbers[places])

    def put(self, places: slice | NDArray[np.intp], rows: Rows) -> None:
        """Write others in the place of some."""
        self.block[places], self.signs[:, places], self.numbers[places] = (
            rows.block,
            rows.signs,
            rows.numbers,
        )

    @cached_property
    def _order(self) -> NDArray[np.intp] | None:
        """Their places by number; None if they are in this order, as those that nobody
        changed are.
        """
        return (
            None
            if (np.diff(self.numbers) > 0).all()
            else np.argsort(self.numbers, kind="stable")
        )


def rows_of(vectors: NDArray[np.floating], numbers: NDArray[np.int64]) -> Rows:
    """Unit vectors as rows."""
    block = np.rint(vectors.astype(np.float32) * _ONE).astype(np.int16)
    return Rows(block, _packed(block > 0), numbers)


def _packed(truths: NDArray[np.generic]) -> NDArray[np.uint64]:
    """Truths as bits: for each row of them a column of 64-bit words."""
    bits = np.packbits(np.atleast_2d(truths), axis=1)
    words = np.zeros((len(bits), (bits.shape[1] + 7) // 8), np.uint64)
    words.view(np.uint8)[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(words.T)


class Matrix:
    """Vectors by number, in blocks that grow."""

    def __init__(self, width: int) -> None:
        self.stamp = 0
        self.rows = self._room = rows_of(
            np.zeros((0, width), np.float32), np.zeros(0, np.int64)
        )

    def add(self, vectors: Sequence[Vector], expected: int = 0) -> None:
        """Add or replace vectors; ``expected`` is their number in all, to allocate
        once.
        """
        raw = np.frombuffer(
            b"".join(each.vector for each in vectors), np.float16
        ).reshape(len(vectors), -1)
        new = rows_of(raw, np.array([each.number for each in vectors], np.int64))
        held = len(self.rows)
        places = self.rows.places(new.numbers) if held else np.full(len(new), -1)
        fresh = places < 0
        count = held + int(fresh.sum())
        places[fresh] = np.arange(held, count)
        old, needed = self._room, max(count, expected)
        if needed > len(old):  # a quarter more than there is
            size = max(needed, len(old) + len(old) // 4)
            block = np.zeros((size, old.block.shape[1]), np.int16)
            self._room = Rows(
                block,
                np.zeros((len(old.signs), size), np.uint64),
                np.zeros(size, np.int64),
            )
            self._room.put(slice(held), self.rows)
        self._room.put(places, new)
        self.rows, self.stamp = self._room.at(slice(count)), vectors[-1].stamp

    def keep(self, numbers: set[int]) -> None:
        """Drop all vectors but these."""
        self.rows = self._room = self.rows.at(np.isin(self.rows.numbers, list(numbers)))


class Near:
    """The similarity of one question to some rows: to all of them where they are few,
    else to the likely ones.
    """

    @_finite
    def __init__(
        self,
        rows: Rows,
        asked: NDArray[np.float32],
        background: NDArray[np.float32],
        weight: Weight,
    ) -> None:
        self._rows, self._asked, self._weight = rows, asked, weight
        self._all = rows.cosines(asked) if len(rows) <= _EXACT else None
        self._known: dict[int, float] = {}
        self.unrelated = float(background.mean())
        self._way = max(1 - self.unrelated, 1e-6)
        seen = rows.sample.cosines(asked) if self._all is None else self._all
        stands_for, count = len(rows) / max(1, len(seen)), len(rows) + len(background)
        total = float(seen.sum(dtype=np.float64)) * stands_for + float(
            background.sum(dtype=np.float64)
        )
        squares = float(seen @ seen) * stands_for + float(background @ background)
        self.mean = total / count
        self.spread = max(squares / count - self.mean**2, 1e-12) ** 0.5

    def standing(self, numbers: Sequence[int]) -> Sequence[float]:
        """Standard deviations above the mean, or the value of closeness."""
        places = self._rows.places(numbers)
        near = self._cosines(places).astype(np.float64)
        near[places < 0] = 0.0
        self._known.update(zip(numbers, near.tolist(), strict=True))
        steps = np.maximum(
            (near - self.mean) / self.spread,
            STEPS_IF_SAME * (near - self.unrelated) / self._way,
        )
        counted = (self._weight.each * steps.clip(0.0, MOST_STEPS)).round(_DIGITS - 1)
        counted[places < 0] = 0.0
        if self._weight.nearest:
            counted[np.array(numbers) == self._first] += self._weight.nearest
        standing: list[float] = counted.tolist()
        return standing

    @cached_property
    def _first(self) -> int | None:
        return next(iter(self.nearest(_LIKELY)), None)

    def closeness(self, number: int) -> float | None:
        """Similarity, from 0 (unrelated) to 1 (identical); None without a vector, and
        for zeros of older versions.
        """
        if number not in self._known:
            self.standing((number,))
        near = self._known[number]
        return (near - self.unrelated) / self._way if near else None

    def nearest(self, limit: int, *, all_of_them: bool = False) -> Sequence[int]:
        """The nearest of the rows that stand out or are close, or of all rows. Among
        equals the newest come first.
        """
        everything = self._all is not None or _LIKELY * limit >= len(self._rows)
        places = None if everything else self._rows.likely(self._asked, _LIKELY * limit)
        near = self._cosines(places)
        close = self.unrelated + _CLOSE * (1 - self.unrelated)
        out = near > (
            -np.inf
            if all_of_them
            else min(self.mean + _STANDS_OUT * self.spread, close)
        )
        near, numbers = (
            near[out],
            self._rows.numbers[out if places is None else places[out]],
        )
        if len(near) > limit:
            out = near >= np.partition(near, -limit)[-limit] - 10.0**-_DIGITS
            near, numbers = near[out], numbers[out]
        return [
            int(number)
            for number in numbers[np.lexsort((-numbers, -near.round(_DIGITS)))[:limit]]
        ]

    def _cosines(self, places: NDArray[np.intp] | None) -> NDArray[np.float32]:
        if self._all is None:
            return self._rows.cosines(self._asked, places)
        return self._all if places is None else self._all[places]


class TextSpace:
    """Vectors of texts that are not stored, numbered by their place in the argument."""

    def __init__(self, search: VectorSearch, texts: Sequence[str]) -> None:
        self._search = search
        self._rows = rows_of(
            search.unit_vectors(texts), np.arange(len(texts), dtype=np.int64)
        )

    def near(self, question: str) -> Near:
        """How near they are to a question. Of such texts only tools are ranked by it."""
        weight = self._search.weight
        return Near(
            self._rows,
            *self._search.question(question),
            weight._replace(each=weight.each * weight.tools),
        )


class VectorSearch:
    """An embedder, and a matrix for each layer of each namespace it was asked about."""

    def __init__(self, name: str, embedder: Embedder, weight: Weight) -> None:
        self._name = name
        self._embedder = embedder
        self.weight = weight
        self.width: int | None = None
        self._background = self.unit_vectors(BACKGROUND)
        self.width = self._background.shape[1]
        self.question = lru_cache(_REMEMBERED)(self._question)
        self._matrices: WeakKeyDictionary[Store, dict[tuple[str, Layer], Matrix]] = (
            WeakKeyDictionary()
        )
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
        return [
            row.tobytes() if row.any() else None
            for row in self.unit_vectors(texts).astype(np.float16)
        ]

    def near(
        self,
        store: Store,
        view: Reading,
        layer: Layer,
        state: VectorState,
        question: str,
    ) -> Near:
        """How near the vectors of a layer are."""
        asked, background = self.question(question)
        with self._lock:
            matrix = self._matrix(store, (view.namespace, layer))
            _bring_up_to_date(matrix, view, layer, state, f"{self._name}/{self.width}")
            rows = matrix.rows
        return Near(rows, asked, background, self.weight)

    def _matrix(self, store: Store, place: tuple[str, Layer]) -> Matrix:
        """A layer's vectors; if all layers hold too many, those that were not asked for
        longest are dropped.
        """
        held = self._matrices.setdefault(store, {})
        matrix = held.pop(place) if place in held else Matrix(self._background.shape[1])
        held[place] = matrix  # the latest is the last
        while (
            len(held) > 1 and sum(len(each.rows) for each in held.values()) > _MOST_HELD
        ):
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
        rows = self._asked(
            [text.encode(errors="ignore").decode() for text in texts]
        )  # no lone surrogates
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: NDArray[np.float32] = np.divide(
            rows, lengths, out=np.zeros_like(rows), where=lengths > 0
        )
        return unit

    def _asked(self, texts: list[str]) -> NDArray[np.float32]:
        try:
            rows = np.asarray(self._embedder(texts), dtype=np.float32)
        except Exception as error:
            raise EmbedderFailed(
                self._name, f"raised {type(error).__name__}: {error}"
            ) from error
        if rows.ndim != 2 or len(rows) != len(texts):
            raise EmbedderFailed(
                self._name,
                f"must give {len(texts)} rows, not an array of shape {rows.shape}",
            )
        if not np.isfinite(rows).all():
            raise EmbedderFailed(self._name, "gave numbers that are not finite")
        if self.width not in {None, rows.shape[1]}:
            raise EmbedderFailed(
                self._name,
                f"gave rows of {rows.shape[1]} numbers, and of {self.width} before",
            )
        return rows

    @_finite
    def _question(self, text: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        asked = self.unit_vectors([text])[0]
        return asked, self._background @ asked


def _bring_up_to_date(
    matrix: Matrix, view: Reading, layer: Layer, state: VectorState, embedder: str
) -> None:
    """Read the vectors that were added or changed since the last question, and drop
    those that were removed.

    A view of an older state finds more in the matrix than it has, and leaves it so.
    """
    end = monotonic() + _LOADING
    while matrix.stamp < state.stamp:
        if monotonic() > end:
            raise EmbedderFailed(
                embedder,
                f"has {state.rows:,} vectors to read first; {len(matrix.rows):,} are here",
            )
        page = view.vectors(layer, embedder, after=matrix.stamp, limit=_PAGE)
        if not page:
            matrix.stamp = state.stamp  # the latest ones were removed
            break
        matrix.add(page, expected=state.rows)
    if len(matrix.rows) != state.rows and matrix.stamp <= state.stamp:
        matrix.keep(view.vector_numbers(layer, embedder))
