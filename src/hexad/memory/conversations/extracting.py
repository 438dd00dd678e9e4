"""The second tier: candidates that a function, such as a language model, finds in a
conversation, and their check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hexad.errors import HexadError, InvalidInput
from hexad.memory import admission
from hexad.memory.conversations.judging import Statement, asks_the_system
from hexad.memory.conversations.messages import Turn, field_of
from hexad.memory.conversations.wording import own_words
from hexad.memory.keys import key_from
from hexad.memory.redaction import redact
from hexad.model import Category
from hexad.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Extractor: TypeAlias = Callable[[str], Iterable[Any]]

_MOST: Final = 100  # candidates of a conversation that are looked at
_LONGEST: Final = 500  # characters of a candidate
_TRANSCRIPT: Final = 200_000  # characters that an extractor gets
_SHORTEST: Final = 8  # characters of a sentence that proves what was said
_SAID: Final = 0.6  # the share of a candidate's words that the user must have said


def extracted(extractor: Extractor, said: Sequence[Turn]) -> Iterator[Statement]:
    """The candidates of an extractor that the user said, without secrets and
    instructions to the system.

    A candidate is a text, or an object with ``content`` and perhaps ``category``,
    ``key`` and ``sentence``.
    """
    if not callable(extractor):
        raise InvalidInput(
            "extractor",
            "must be a function from the text of a conversation to candidates",
        )
    transcript = "\n".join(
        f"{'user' if turn.by_user else 'assistant'}: {turn.text}" for turn in said
    )
    words = " ".join(
        " ".join(own_words(turn.text) for turn in said if turn.by_user)[
            :_TRANSCRIPT
        ].split()
    )
    own = set(terms(words))
    for candidate in islice(extractor(transcript[:_TRANSCRIPT]) or (), _MOST):
        found = _checked(candidate, own, words)
        if found is not None:
            yield (
                found if found.sentence in words else replace(found, sentence="")
            )  # only what the user said


def _checked(candidate: Any, words: set[str], text: str) -> Statement | None:
    """A candidate that the user said: most of its words, or the sentence that it comes
    from.
    """
    content = (
        candidate if isinstance(candidate, str) else field_of(candidate, "content")
    )
    if not isinstance(content, str) or not content.strip() or len(content) > _LONGEST:
        return None
    own, sentence = set(terms(content)), _text(candidate, "sentence") or content
    quoted = len(sentence) >= _SHORTEST and " ".join(sentence.split()) in text
    if not own or not (quoted or len(own & words) >= _SAID * len(own)):
        return None
    if redact(f"{content}\n{sentence}", accounts=True).kinds or asks_the_system(
        content
    ):
        return None
    try:
        category = Category.parse(
            _text(candidate, "category") or Category.FACT.value, "category"
        )
        key = admission.key("key", _text(candidate, "key") or key_from(content))
    except HexadError:
        return None
    return Statement(
        content.strip(), " ".join(sentence[:_LONGEST].split()), category, key
    )


def _text(candidate: Any, name: str) -> str:
    found = (
        field_of(candidate, name)
        if isinstance(candidate, Mapping) or not isinstance(candidate, str)
        else None
    )
    return found if isinstance(found, str) else ""
