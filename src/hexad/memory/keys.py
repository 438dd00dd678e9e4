"""The key of a text, where the caller gives none."""

from __future__ import annotations

import re
from itertools import chain, count
from typing import TYPE_CHECKING, Final

from hexad.errors import InvalidInput
from hexad.memory import admission
from hexad.memory.redaction import redact
from hexad.text.stopwords import STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_WORDS: Final = 5
_LONGEST: Final = 48  # characters of a key that is made
_UNNAMED: Final = "note"  # for a text without words, or with nothing but a secret
_READ: Final = 2000  # characters of the text: its beginning names it
_REDACTED: Final = re.compile(r"\[redacted:[^\]]*\]")
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CONTRACTED: Final = re.compile(
    r"^(?:[cdjlmnst]|qu)['’]|['’](?:s|re|ve|ll|d|m)$"
)  # l'été, I'm, it's: été, I, it
_LONG_NUMBER: Final = re.compile(
    r"\w*\d{6}\w*"
)  # of an account, a phone: a key stays in the log when its text is forgotten
_NEGATIONS: Final = {
    "no",
    "not",
    "nor",
    "without",
    "cannot",
    "dont",
    "doesnt",
    "didnt",
    "isnt",
    "cant",
    "wont",
}
_SKIPPED: Final = STOPWORDS - _NEGATIONS  # "I do not like tea" must not become like-tea


def numbered(name: str, between: str = "-") -> Iterator[str]:
    """A name, and what to call it if others have that: editor, editor-2, editor-3,
    without end.
    """
    return chain([name], (f"{name}{between}{number}" for number in count(2)))


def key_from(text: str) -> str:
    """A readable key for a text, always the same one for the same text. Secrets and
    long numbers are left out.

    >>> key_from("I'm fond of green tea"), key_from("I don't like green tea!"), key_from("我喜欢绿茶")
    ('fond-green-tea', 'dont-like-green-tea', '我喜欢绿茶')
    """
    shown = _LONG_NUMBER.sub(" ", _REDACTED.sub(" ", redact(text[:_READ]).text)).lower()
    words = [
        re.sub("['’]", "", _CONTRACTED.sub("", word)) for word in _WORD.findall(shown)
    ]
    chosen = [word for word in dict.fromkeys(words) if word not in _SKIPPED] or words
    made = "-".join(chosen[:_MOST_WORDS])
    if len(made) > _LONGEST:
        made = (
            made[:_LONGEST].rsplit("-", 1)[0]
            if "-" in made[:_LONGEST]
            else made[:_LONGEST]
        )
    try:
        return admission.key("key", made)
    except InvalidInput:
        return _UNNAMED
