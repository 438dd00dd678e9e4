"""Which arguments are private: secrets by their names, personal numbers by their names
or digits.

A name is read as words (``apiKey`` like ``api_key``). Its last word decides whether it
names a secret: ``password`` and ``otp_code`` do, ``password_length`` and ``max_tokens``
do not. Everything inside a secret argument is secret too. Any word may name a personal
number (a card, an account); then the value decides.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

REDACTED: Final = "[redacted:secret]"
_DIGITS: Final = 4  # a word with so many may be a personal number
_LARGEST: Final = 1000  # a larger number may be personal too
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SECRET: Final = re.compile(
    "pass(?:words?|wd|wort|phrase|code)?|pwd|kennwort|pin(?:code)?|t?otp|secrets?|token|apikey|credentials?|authorization|"
    "bearer|cookie|cvv|cvc"
)
_KEYS: Final = re.compile(
    "access|account|api|auth|encryption|license|master|private|secret|shared|signing|storage"
)
_PERSONAL: Final = re.compile(
    "iban|cards?|cardnumber|accounts?|ssn|passport|phone|mobile"
)
_FILLER: Final = re.compile("code|value|number|no|num|text|string")


@lru_cache(maxsize=1024)  # a tool's arguments have the same names in every call
def names_secret(path: tuple[str, ...]) -> bool:
    """Whether an argument, or one that contains it, has the name of a secret.

    >>> [names_secret((name,)) for name in ("apiKey", "PIN", "otp_code", "max_tokens", "password_length", "key")]
    [True, True, True, False, False, False]
    """
    return any(map(_is_secret, path))


@lru_cache(maxsize=1024)
def names_person(path: tuple[str, ...]) -> bool:
    """Whether it is named like personal data: a card, an account."""
    return any(map(_is_personal, path))


def is_number_of_somebody(value: object) -> bool:
    """Whether a value may be a personal number, by its form alone.

    >>> [is_number_of_somebody(value) for value in ("DE89370400", "metric", "v2", 8841, 12, True)]
    [True, False, False, True, False, False]
    """
    if isinstance(value, str):
        return any(sum(map(str.isdigit, word)) >= _DIGITS for word in value.split())
    return isinstance(value, int | float) and abs(value) > _LARGEST


def _is_secret(name: str) -> bool:
    words = _words(name)
    while len(words) > 1 and _FILLER.fullmatch(words[-1]):
        words.pop()
    match words:
        case [*_, kind, "key"] if _KEYS.fullmatch(kind):
            return True
        case [*_, last]:
            return _SECRET.fullmatch(last) is not None
        case _:  # a name without letters
            return False


def _is_personal(name: str) -> bool:
    return any(map(_PERSONAL.fullmatch, _words(name)))


def _words(name: str) -> list[str]:
    return [each.lower() for each in _WORD.findall(name)]
