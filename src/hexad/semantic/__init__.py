"""Search by meaning, behind the extra `semantic`: an embedder, its vectors in memory, and how near a question is.

This module loads nothing: an engine that is only opened pays neither for numpy nor for the weights.
"""

from __future__ import annotations

import inspect
import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Protocol

from hexad.context.deadline import within
from hexad.errors import EmbedderFailed, InvalidInput
from hexad.extras import missing_extra
from hexad.fork import survive_fork

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hexad.memory.similarity import Nearness, Space
    from hexad.model import Layer
    from hexad.semantic.search import Search
    from hexad.store import Reading, Store, VectorState

EXTRA: Final = "semantic"
PACKAGES: Final = ("numpy", "tokenizers", "wordllama")
STATIC: Final = "wordllama-l2.1"  # the package's weights, and how we pool them
WIDTH: Final = 256


class Embedder(Protocol):
    """Anything that turns texts into vectors, a row for each."""

    def __call__(self, texts: Sequence[str], /) -> Any:
        """A numpy array of one row for each text."""
        ...


def installed() -> bool:
    """Whether the extra is there. Nothing is loaded."""
    return all(find_spec(package) is not None for package in PACKAGES)


class LazySimilarity:
    """A `Similarity` whose embedder is made when the first text comes."""

    def __init__(self, name: str, make: Callable[[], Embedder], *, width: int | None = None) -> None:
        self._name = name
        self._make = make
        self._width = width
        self._search: Search | None = None
        self.after_fork()
        survive_fork(self)

    @property
    def name(self) -> str:
        """The name that its vectors are stored under, with their width: embedders of one name do not mix."""
        return f"{self._name}/{self._width or self._ready().width}"

    def after_fork(self) -> None:
        """A thread of the parent may have held the lock."""
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Sequence[bytes]:
        """A vector for each text, as it is stored."""
        return self._ready().embed(texts)

    def near(self, store: Store, view: Reading, layer: Layer, state: VectorState, question: str) -> Nearness | None:
        """How near a layer's rows are; where it has no vectors, nothing is loaded."""
        if not state.rows:
            if self._search is not None:
                self._search.drop(store, view.namespace, layer)
            return None
        return self._ready().near(store, view, layer, state, question)

    def space(self, texts: Sequence[str]) -> Space:
        """Texts that are not stored."""
        return self._ready().space(texts)

    def _ready(self) -> Search:
        with self._lock:
            if self._search is None:
                self._search = self._made()
        return self._search

    def _made(self) -> Search:
        from hexad.semantic.search import Search  # noqa: PLC0415 - loads numpy: 90 ms

        try:
            embedder = self._make()
        except Exception as error:
            raise EmbedderFailed(self._name, f"cannot be loaded: {error}") from error
        return Search(self._name, embedder)


def static_similarity() -> LazySimilarity:
    """Static embeddings that come inside a wheel: no download, no network."""
    return LazySimilarity(STATIC, _static, width=WIDTH)


def own_similarity(embedder: Embedder, name: str | None = None, *, seconds: float | None = None) -> LazySimilarity:
    """Wrap a user's embedder with its name and a time limit per call, after which words alone answer."""
    if not callable(embedder):
        raise InvalidInput("embedder", "must be a function from a list of texts to an array of one row for each")
    if find_spec("numpy") is None:
        raise missing_extra("an embedder", EXTRA)
    known = name or getattr(embedder, "name", None) or _function_name(embedder)
    if not isinstance(known, str) or not known.strip():
        raise InvalidInput("embedder_name", "must be text that no other embedder has")
    return LazySimilarity(known, lambda: lambda texts: within(seconds, lambda: embedder(texts), who="the embedder"))


def _function_name(embedder: Embedder) -> str:
    """A plain function's name; empty for a lambda, a method or an object, whose names do not identify a model."""
    named = f"{getattr(embedder, '__module__', '')}.{embedder.__qualname__}" if inspect.isfunction(embedder) else ""
    return "" if named.endswith("<lambda>") else named


def _static() -> Embedder:
    from hexad.semantic.static import StaticEmbedder  # noqa: PLC0415 - loads numpy: 90 ms, and the tokenizer: 7 ms

    return StaticEmbedder.load()
