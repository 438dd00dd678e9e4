"""Seeded text in the proportions of English, for measuring how fast a store answers as
it grows.

What makes a word index slow or fast is how its words are distributed: a few that stand
in almost every entry, a long tail that stands in one. So words are drawn by rank with a
weight of ``1 / (rank + shift) ** exponent`` (Zipf, with Mandelbrot's shift). The first
ranks are English stop words, the next ones words of an office and of a computer room,
and behind them come made-up words that can be pronounced, shorter ones first as in a
language.

The same seed gives the same text on every machine, under one version of Python. Nothing
here means anything: recall measured on this text says nothing about people's text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VOCABULARY = 30_000
EXPONENT = 1.02
SHIFT = 1.6
BATCH = 500  # entries whose words are drawn together: one call to choices costs as much as some dozens of words

STOP_WORDS = tuple(
    """
    the of and to a in is for that it on with as be are this by from or at an not we was have which can will has but
    if they all when there been their more one so what no were who its would may into do than only other must our any
    these some out up about then them also after before i you he she his her my me your us how where why should could
    each both such very same just most over under again while until because between through during off down too own
    """.split()  # noqa: SIM905 - a list of words reads better as words
)
COMMON_WORDS = tuple(
    """
    time team report system file user service data server release meeting project change request customer issue test
    build order office plan week budget review version table page list error code policy access message contract
    invoice address manager number point part group account update process department support deploy database backup
    branch owner ticket schedule machine printer room travel expense approval holiday vendor price delivery payment
    deadline limit rule draft note folder archive network screen staging production cluster queue worker cache index
    query column record migration schema module package library function method class interface client token session
    password key log metric alert dashboard incident outage latency timeout retry failure fix patch bug feature flag
    config setting environment variable script job task pipeline runner image container volume node host port domain
    certificate gateway proxy balancer route region zone replica shard partition snapshot restore audit role
    permission tenant workspace license quota invoice-run newsletter candidate interview contractor warehouse shipment
    supplier catalogue refund receipt ledger quarter forecast target survey training handbook onboarding badge parking
    kitchen elevator floor desk laptop phone headset monitor keyboard visitor reception courier stamp signature form
    open close start stop send check write read move keep ask call wait run add remove create delete replace rename
    sign approve reject cancel confirm export import upload download print scan copy share assign merge rebase tag
    new old early late weekly monthly daily public private internal external local remote manual automatic default
    slow fast full empty large small first last next previous
    """.split()  # noqa: SIM905 - a list of words reads better as words
)

_ONSETS = "b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sm sn sp st str t th tr v w z"
_NUCLEI = "a e i o u ai ea ee io oa ou ei"
_CODAS = (
    "b ck d ft g l ld lm lt m mp n nd ng nk nt p r rd rk rm rn rt s sk ss st t th x"
)
_CATEGORIES = ("fact", "fact", "fact", "preference", "rule", "definition", "pattern")
_SUFFIXES = ("py", "yaml", "md", "sql", "csv", "toml", "json", "log")
_OPENINGS = (
    ("when", "may", "I"),
    ("what", "is", "the"),
    ("how", "do", "I"),
    ("where", "is", "the"),
    ("who", "can"),
    ("why", "is", "the"),
    ("which", "of", "the"),
    ("is", "there", "a"),
    ("can", "we"),
    ("tell", "me", "about"),
    ("what", "about"),
    (),
)
_LINKS = ("of", "the", "in", "for", "with", "and", "on", "after")
_STOPS = frozenset(STOP_WORDS)
_WORD = re.compile(r"[\w.-]*\w")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the corpus; the key is unique within a run of ``entries``."""

    key: str
    content: str
    category: str
    tags: tuple[str, ...]


def entries(count: int, seed: int) -> Iterator[Entry]:
    """Yield ``count`` entries of 12 to 40 words, 25 in the mean; fewer entries are a
    beginning of more.
    """
    random = Random(seed)
    words, weights = _language()
    for first in range(0, count, BATCH):
        lengths = [min(40, max(12, round(random.gauss(25, 6)))) for _ in range(BATCH)]
        drawn = random.choices(words, cum_weights=weights, k=sum(lengths))
        ends = list(accumulate(lengths))
        for offset in range(min(BATCH, count - first)):
            tokens = drawn[ends[offset] - lengths[offset] : ends[offset]]
            # Its own generator, so that the batch's last entries do not depend on how
            # many were asked for.
            yield _entry(first + offset, tokens, Random(random.getrandbits(64)))


def questions(count: int, seed: int, entries: Sequence[Entry]) -> Iterator[str]:
    """Yield ``count`` questions of three to eight words, each around one to four
    content words of one entry.
    """
    random = Random(seed)
    for _ in range(count):
        yield _question(random.choice(entries), random)


def _entry(number: int, tokens: list[str], random: Random) -> Entry:
    subjects = list(dict.fromkeys(token for token in tokens if token not in _STOPS))
    if random.random() < 0.25:
        tokens[random.randrange(len(tokens))] = _identifier(random)
    return Entry(
        key="_".join([*subjects[:2], str(number)]).replace("-", "_"),
        content=_sentences(tokens, random),
        category=random.choice(_CATEGORIES),
        tags=tuple(subjects[2 : 2 + random.randrange(4)]),
    )


def _sentences(tokens: list[str], random: Random) -> str:
    """The tokens as sentences of six to fourteen words; a rest of under four words
    stays with the last one.
    """
    written: list[str] = []
    while tokens:
        length = random.randrange(6, 15)
        if len(tokens) - length < 4:
            length = len(tokens)
        sentence, tokens = " ".join(tokens[:length]), tokens[length:]
        written.append(sentence[0].upper() + sentence[1:] + ".")
    return " ".join(written)


def _identifier(random: Random) -> str:
    words, _ = _language()
    first, second = (
        word.replace("-", "_")
        for word in random.choices(words[len(STOP_WORDS) : 3000], k=2)
    )
    form = random.randrange(4)
    if form == 0:
        return f"{first}_{second}"
    if form == 1:
        return f"{first}_{second}.{random.choice(_SUFFIXES)}"
    if form == 2:
        return (
            f"v{random.randrange(1, 9)}.{random.randrange(20)}.{random.randrange(10)}"
        )
    return f"{first.upper()}-{random.randrange(100, 9999)}"


def _question(entry: Entry, random: Random) -> str:
    """An opening, then content words with function words between some of them, in the
    order of the entry.
    """
    content = [
        word for word in _WORD.findall(entry.content.lower()) if word not in _STOPS
    ]
    wanted = min(
        len(content), random.choices((1, 2, 3, 4), weights=(15, 35, 32, 18))[0]
    )
    places = sorted(random.sample(range(len(content)), wanted))
    asked = list(random.choice(_OPENINGS))
    if len(asked) + wanted < 3:
        asked += "about", "the"
    for position, place in enumerate(places):
        if (
            position
            and len(asked) + len(places) - position < 8
            and random.random() < 0.5
        ):
            asked.append(random.choice(_LINKS))
        asked.append(content[place])
    text = " ".join(asked[:8])
    return text[0].upper() + text[1:] + "?"


@cache
def _language() -> tuple[tuple[str, ...], tuple[float, ...]]:
    """All words by rank, and the running sum of their weights."""
    real = tuple(dict.fromkeys(STOP_WORDS + COMMON_WORDS))
    words = real + _made_up(VOCABULARY - len(real), known=frozenset(real))
    return words, tuple(
        accumulate(1 / (rank + SHIFT) ** EXPONENT for rank in range(1, len(words) + 1))
    )


def _made_up(count: int, known: frozenset[str]) -> tuple[str, ...]:
    """Words of one to four syllables that are no real word of ours, the shorter ones
    mostly first.
    """
    random = Random(
        "hexad"
    )  # the language is the same for every seed; only what is said in it differs
    onsets, nuclei, codas = _ONSETS.split(), _NUCLEI.split(), _CODAS.split()
    made: dict[str, None] = {}
    while len(made) < count:
        syllables = 1 + min(3, round(3 * len(made) / count + random.random()))
        parts = [
            random.choice(onsets) + random.choice(nuclei) for _ in range(syllables)
        ]
        word = "".join(parts) + (random.choice(codas) if random.random() < 0.7 else "")
        if len(word) > 3 and word not in known:
            made[word] = None
    return tuple(made)
