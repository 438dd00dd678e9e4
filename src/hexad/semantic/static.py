"""Static embeddings: a vector for each token, pooled. The weights and the tokenizer lie
inside the wheel of wordllama.

The package itself is not imported: it would look for its files elsewhere, and load much
that is not needed.
"""

from __future__ import annotations

import json
import re
import struct
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from tokenizers import Tokenizer

from hexad.extras import missing_extra
from hexad.semantic import is_english

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_TOKENS: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_TYPES: Final = {"F16": np.float16, "F32": np.float32}
_FIRST_WORD: Final = (
    259  # tokens before it are single bytes and marks; the others come by frequency
)
_COMMON: Final = (
    0.0025  # how often a token must be among all for its weight to be halved
)
_HALF_AFTER: Final = 64  # tokens after which a token counts half: what a text is about stands at its beginning
_LONGEST: Final = 1024  # tokens that are pooled
_HARMONIC: Final = (
    10.9  # the sum of 1/rank over the vocabulary: what makes shares of it
)
# Where one word of an identifier ends and the next begins.
_SEAM: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\-./]+")


class StaticEmbedder:
    """Texts → vectors: the weighted sum of their tokens' vectors, common and late
    tokens weighing less.
    """

    def __init__(self, tokenizer: Tokenizer, tokens: NDArray[np.floating]) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self._tokenizer = tokenizer
        self._tokens = tokens
        self._weights = _weights(len(tokens))
        self._places = (0.5 ** (np.arange(_LONGEST) / _HALF_AFTER)).astype(np.float32)

    @classmethod
    def load(cls) -> Self:
        """From the installed package."""
        spec = find_spec("wordllama")
        if spec is None or spec.origin is None:
            raise missing_extra("search by meaning", "semantic")
        home = Path(spec.origin).parent
        return cls(
            Tokenizer.from_file(str(home / _TOKENS)), read_tensor(home / _WEIGHTS)
        )

    def __call__(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """A row for each text; a text without tokens, or in a language that the weights
        do not know, is all zeros.
        """
        seamed = [_SEAM.sub(" ", text) if is_english(text) else "" for text in texts]
        pooled = np.zeros((len(seamed), self._tokens.shape[1]), np.float32)
        for place, encoding in enumerate(
            self._tokenizer.encode_batch(seamed, add_special_tokens=False)
        ):
            ids = encoding.ids[:_LONGEST]
            if ids:
                pooled[place] = (
                    self._places[: len(ids)] * self._weights[ids]
                ) @ self._tokens[ids].astype(np.float32)
        return pooled


def read_tensor(file: Path) -> NDArray[np.floating]:
    """The first tensor of a safetensors file, in its own precision: a length, a header
    in JSON, then the numbers.
    """
    raw = file.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    tensor = next(entry for name, entry in header.items() if name != "__metadata__")
    start, end = (8 + size + offset for offset in tensor["data_offsets"])
    return np.frombuffer(raw[start:end], _TYPES[tensor["dtype"]]).reshape(
        tensor["shape"]
    )


def _weights(tokens: int) -> NDArray[np.float32]:
    """How much each token counts: the vocabulary is ordered by frequency, and frequency
    falls as one over the rank.
    """
    rank = np.maximum(np.arange(tokens) - (_FIRST_WORD - 1), 1)
    share = 1 / (rank * _HARMONIC)
    weights: NDArray[np.float32] = (_COMMON / (_COMMON + share)).astype(np.float32)
    return weights
