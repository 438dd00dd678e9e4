"""Which arguments hold what is nobody's business: told by their names, whatever the type of the value, and by digits.

A name is read as words (``apiKey`` and ``api_key`` alike). It names a secret by its last word, so ``password`` and
``otp_code`` do and ``password_length`` and ``max_tokens`` do not. What is inside of an argument that is named so is one
too. A person's number (a card, an account) is named by any of its words; there the value decides.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

REDACTED: Final = "[redacted:secret]"
_DIGITS: Final = 4  # as many in one word may be somebody's number
_LARGEST: Final = 1000  # a number above it as well
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SECRET: Final = re.compile(
    "pass(?:words?|wd|wort|phrase|code)?|pwd|kennwort|pin(?:code)?|t?otp|secrets?|token|apikey|credentials?|authorization|"
    "bearer|cookie|cvv|cvc"
)
_KEYS: Final = re.compile("access|account|api|auth|encryption|license|master|private|secret|shared|signing|storage")
_PERSONAL: Final = re.compile("iban|cards?|cardnumber|accounts?|ssn|passport|phone|mobile")
_FILLER: Final = re.compile("code|value|number|no|num|text|string")


def names_secret(path: Sequence[str]) -> bool:
    """Whether an argument, or one that it is inside of, is called as secrets are.

    >>> [names_secret([name]) for name in ("apiKey", "PIN", "otp_code", "max_tokens", "password_length", "key")]
    [True, True, True, False, False, False]
    """
    return any(map(_is_secret, path))


def names_person(path: Sequence[str]) -> bool:
    """Whether it is called as what identifies a person is: a card, an account."""
    return any(map(_is_personal, path))


def is_number_of_somebody(value: object) -> bool:
    """Whether a value may be a number that belongs to somebody, whatever it is called.

    >>> [is_number_of_somebody(value) for value in ("DE89370400", "metric", "v2", 8841, 12, True)]
    [True, False, False, True, False, False]
    """
    if isinstance(value, str):
        return any(sum(map(str.isdigit, word)) >= _DIGITS for word in value.split())
    return isinstance(value, int | float) and abs(value) > _LARGEST


@lru_cache(maxsize=1024)  # a tool's arguments have the same names in every call
def _is_secret(name: str) -> bool:
    words = _words(name)
    while len(words) > 1 and _FILLER.fullmatch(words[-1]):
        words.pop()
    match words:
        case [*_, kind, "key"] if _KEYS.fullmatch(kind):
            return True
        case [*_, last]:
            return _SECRET.fullmatch(last) is not None
    return False


@lru_cache(maxsize=1024)
def _is_personal(name: str) -> bool:
    return any(map(_PERSONAL.fullmatch, _words(name)))


def _words(name: str) -> list[str]:
    return [each.lower() for each in _WORD.findall(name)]
