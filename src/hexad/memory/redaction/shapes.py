"""The shapes of secrets: the table in `shapes.txt`, and the checks that it names."""

from __future__ import annotations

import re
from base64 import b64decode, b85decode
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

from hexad.memory.redaction import MANY_WORDS, UNSPACED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class SecretShape(NamedTuple):
    """A row of the table."""

    kind: str
    check: str
    hints: tuple[str, ...]
    pattern: str

    @property
    def is_key(self) -> bool:
        """Whether it is known by its prefix alone."""
        return self.check in {"key", "digit"}

    def is_secret(self, value: str) -> bool:
        """Whether what the pattern found passes the check."""
        return self.check == "key" or CHECKS[self.check](value)


@cache
def shapes() -> tuple[SecretShape, ...]:
    """All rows."""
    text = (
        Path(__file__)
        .with_name("shapes.txt")
        .read_text(encoding="utf-8")
        .replace("{unspaced}", UNSPACED)
    )
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        SecretShape(kind, check, tuple(hints.split("|")), pattern)
        for kind, check, hints, pattern in rows
    )


@cache
def compiled(shape: SecretShape) -> re.Pattern[str]:
    """A row's pattern, compiled when a text first holds one of its hints; nothing is
    glued to a key's front.
    """
    return (
        re.compile(rf"(?<![A-Za-z0-9]){shape.pattern}", re.ASCII)
        if shape.is_key
        else re.compile(shape.pattern)
    )


def is_harmless(value: str) -> bool:
    """Whether a value that stands where a secret stands is a thing of another kind."""
    return _harmless().search(value) is not None


@cache
def _harmless() -> re.Pattern[str]:
    return re.compile(
        "|".join(
            f"(?:{shape.pattern})" for shape in shapes() if shape.check == "harmless"
        )
    )


def _passes_check(value: str) -> bool:
    """Whether the digits are a card's: a known issuer, and the check digit fits (Luhn)."""
    digits = [int(digit) for digit in value if digit.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def _is_account(value: str) -> bool:
    """Whether the check digits of an IBAN fit."""
    plain = value.replace(" ", "")
    return (
        int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1
    )


def seed_phrases(text: str) -> Iterator[tuple[int, int]]:
    """Where the words that wallets use follow each other, in a row or in a list: as
    many as a wallet has.

    Twelve or more are enough in a text that speaks of such words.
    """
    if MANY_WORDS.search(text) is None:
        return
    named, run, gap = _SEED_NAMED.search(text), list[re.Match[str]](), ""
    for word in (*_WORD.finditer(text), None):
        between = (
            _DIGITS.sub("", text[run[-1].end() : word.start()]) if run and word else ""
        )
        is_known = word is not None and _is_wallets(word[0])
        if (
            word
            and is_known
            and run
            and _GAP.fullmatch(between)
            and (len(run) == 1 or between == gap)
        ):
            run.append(word)
            gap = between
            continue
        if len(run) in _SEED or (named and len(run) >= _SEED[0]):
            yield run[0].start(), run[-1].end()
        # A heading stands before a list in another way than the words of the list
        # before each other.
        run = (
            [*(run[-1:] if _GAP.fullmatch(between) else ()), word]
            if word and is_known
            else []
        )
        gap = between


@cache
def _wallet_words() -> bytes:
    return next(
        b85decode(shape.pattern) for shape in shapes() if shape.check == "words"
    )


def _is_wallets(word: str) -> bool:
    known = _wallet_words()
    place = crc32(word.encode()) % (8 * len(known))
    return bool(known[place // 8] >> place % 8 & 1) and word not in _NO_WALLETS


def looks_random(value: str) -> bool:
    """Whether a run in a value changes so often between digits, small and capital
    letters as no word does.

    >>> looks_random("gpt-4o-mini-2024-07-18"), looks_random("9hT2kq8ZrW04bXm1s")
    (False, True)
    """
    runs = _RUNS.split(_UUID.sub(lambda found: found[0].replace("-", ""), value))
    return any(
        len(run) >= 16 and any(map(str.isdigit, run)) and _changes(run) >= 0.25
        for run in runs
    )


def _changes(run: str) -> float:
    """Of each character: whether the next one is of another kind."""
    return len(_CHANGE.findall(run)) / len(run)


def is_shuffled(run: str) -> bool:
    """Whether digits, small and capital letters are mixed at random."""
    return _MIXED.match(run) is not None and _changes(run) >= 0.4


def is_mixed(value: str) -> bool:
    """Letters, digits and symbols, also at the end; or digits among small and capital
    letters that change often.
    """
    kinds = " " not in value and all(kind.search(value) for kind in KINDS)
    return len(value) >= 8 and (kinds or (len(value) >= 10 and is_shuffled(value)))


def is_scrambled(value: str) -> bool:
    """Whether capitals stand among consonants that no word has in a row.

    >>> is_scrambled("rotateApiKey"), is_scrambled("wGgpXrxVnmnx")
    (False, True)
    """
    return (
        len(value) >= 10
        and CONSONANTS.search(value) is not None
        and _changes(value) >= 0.25
    )


def has_shuffled_run(value: str) -> bool:
    """Whether one of its runs is long and mixed at random."""
    return any(len(run) >= 16 and is_shuffled(run) for run in _RUNS.split(value))


def _is_prefixed(value: str) -> bool:
    """Whether a long run is shuffled, or very long and of one case; ids of one case are
    hexadecimal, or shorter.
    """
    runs = [run for run in _RUNS.split(value) if len(run) >= 20]
    return any(
        is_shuffled(run) or (_ONE_CASE.match(run) and _changes(run) >= 0.25)
        for run in runs
    )


def _is_password(value: str) -> bool:
    mixed = (
        any(map(str.isalpha, value))
        and not value.isalpha()
        and value[0] not in "$<{[*-"
    )
    return mixed or is_scrambled(value)


def _is_login(value: str) -> bool:
    """Whether base64 holds a user and a password."""
    bare = value.rstrip("=")
    try:
        text = b64decode(bare + "=" * (-len(bare) % 4)).decode("ascii")
    except ValueError:
        return False
    return text.isprintable() and ":" in text[1:-1]


_VARIABLE: Final = re.compile(
    r"(?i:\$|\{|%[({]|\*{3}|x{3,}$|\.{3}|…|(?:\w{0,9}pass(?:word|wd|phrase)?|pwd|token|secret|redacted)$)"
)
_NO_FLAG: Final = re.compile(r"[/\\(\[]|^[$<{*%-]")  # a path, a pattern, a variable
_WORD: Final = re.compile(r"[A-Za-z]+")
_SEED: Final = (12, 15, 18, 21, 24)  # words
_SEED_NAMED: Final = re.compile(r"(?i)seed|mnemonic|recovery|wallet")
_NO_WALLETS: Final = {
    "the",
    "and",
    "for",
    "are",
    "was",
    "not",
    "with",
    "from",
    "but",
    "has",
    "our",
    "their",
    "which",
}
_GAP: Final = re.compile(r"[\s\"',.)-]{1,5}")
_DIGITS: Final = re.compile("[0-9]{1,2}")
_RUNS: Final = re.compile(r"[^A-Za-z0-9]+|%[0-9A-F]{2}")
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
KINDS: Final = (
    re.compile(r"[^\W\d_]"),
    re.compile(r"\d"),
    re.compile(r"[!@#$%^&*?~+]"),
)  # letters, digits, symbols
_HUMP: Final = re.compile("[a-z][A-Z]")
CONSONANTS: Final = re.compile("(?i:[b-df-hj-np-tv-xz]{4})")
_CHANGE: Final = re.compile(r"[0-9](?=[A-Za-z])|[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])")
_MIXED: Final = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])")
_ONE_CASE: Final = re.compile(r"[A-Z0-9]{32}|(?=[0-9a-f]*[g-z])[a-z0-9]{40}")
CHECKS: Final[Mapping[str, Callable[[str], bool]]] = {
    "digit": lambda value: any(map(str.isdigit, value)),
    "card": _passes_check,
    "account": _is_account,
    "random": lambda value: (
        (any(map(str.isdigit, value)) and any(map(str.isalpha, value)))
        or is_scrambled(value)
    ),
    "login": _is_login,
    "run": looks_random,
    "prefixed": _is_prefixed,
    "aws": lambda value: _MIXED.match(value) is not None,
    "password": _is_password,
    "flag": lambda value: _NO_FLAG.search(value) is None and is_mixed(value),
    "given": lambda value: _is_password(value) or _HUMP.search(value) is not None,
    "spoken": lambda value: value.isdigit() or _is_password(value),
    "fixed": lambda value: _VARIABLE.match(value) is None,
}
