"""Did the user say it? What an agent saves counts as the user's word if the user's own messages hold it.

A note is split into clauses. Each of them has to stand in one sentence of the user's, or in two of one message: its
numbers, names and specific words all, as many negations, and of the words in which people and models vary ("cost",
"happen") about half. Words that only frame a note ("user", "prefers", "always") are free. Questions, suppositions,
reports, texts to be worked on, quotations and pastes state nothing; what tools, pages and the assistant say is never
given to `ground`. The lists of words are in `grounding.txt`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.memory.conversations.judging import asks_the_system
from hexad.memory.conversations.wording import own_words, sentences
from hexad.memory.grounded import Grounded, Refused
from hexad.text.detection import detect
from hexad.text.spelling import plain
from hexad.text.stems import stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_LISTS: Final = Path(__file__).with_name("grounding.txt")
_LONGEST: Final = 600  # characters of a note; a longer one is no plain statement
_MOST_CLAUSES: Final = 12  # of a note
_LEAST_SAID: Final = 0.6  # of a clause's words, loose ones too
_LEAST_TELLING: Final = 1.0  # what a sentence shares with a note that is said to rest on it: one telling word
_MORE_PAIRS: Final = 2  # of a note's, by which another sentence adds something
_PAIRS: Final = 0.85  # of a clause's pairs of characters, where words have no spaces: particles differ
_ALIKE: Final = 5  # letters that two words have in common at the beginning: allergy, allergic
_SHARE: Final = 0.6  # of the longer word that these letters are
_GENITIVE: Final = "s"  # what a name may end with besides: Anna, Annas
_LANGUAGES: Final = {"german": "de", "french": "fr", "spanish": "es"}
_WRITERS: Final = {"de": "nutzer", "fr": "utilisat", "es": "usuari"}  # of which notes speak
_SCRIPTS: Final = {
    "ko": re.compile("[\uac00-\ud7af]"),
    "ja": re.compile("[\u3040-\u30ff]"),
    "zh": re.compile("[\u4e00-\u9fff]"),
}
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff]+")
_TOKEN: Final = re.compile(rf"\d+(?:[.,:]\d+)*|{_UNSPACED.pattern}|[^\W\d_\u3040-\u30ff\u4e00-\u9fff]+|[€$£%]")
_BREAK: Final = re.compile(
    r"[;,()–—、，；。]|(?<!\d)[.!?](?!\S)|\b(?:and|but|und|aber|sowie|et|mais|y|pero)\b|以及|但是|그리고|하지만",
    re.IGNORECASE,
)
_CONTRACTED: Final = re.compile(r"\bcan['’]t\b|n['’]t\b", re.IGNORECASE)
_QUOTED: Final = re.compile(r"(?<!\w)['‘](?=[^'’]*\s[^'’]*\s)[^\n]{8,}?['’](?!\w)|(?m:^|(?<=: ))> .*")
_TAG: Final = re.compile(r"[,;]?\s*\b(?:ok|okay|right|please|yes|oder|ja|non|verdad)\?\s*$", re.IGNORECASE)
_LAST_QUESTION: Final = re.compile(r"(?<=\w\W)\s*[^,;]{3,}[?？]\s*$")
_ASKS: Final = re.compile(
    r"(?i)\W*(?:what|where|when|who|how|which|why|is|are|do|does|did|can|could|should|shall|would|will|was|wer|wo|wie"
    r"|wann|welche\w*|kann|soll\w*|darf|ist|sind|que|qui|quel\w*|comment|où|est-ce|puis|qué|cómo|cuándo|puedo)\b"
)
_THOUSANDS: Final = re.compile(r"[.,](?=\d{3}(?:\D|$))")
_CLOCK: Final = re.compile(r"\b(\d{1,2})(?::(\d\d))?\s?([ap])\.?m\b", re.IGNORECASE)
_PAST: Final = re.compile(r"\b(half past|quarter past|quarter to) (\d{1,2})\b", re.IGNORECASE)
_HOUR: Final = frozenset(
    ["at", "before", "after", "until", "till", "by", "from", "around", "um", "vor", "nach", "bis", "ab", "gegen"]
)
_YEAR: Final = re.compile(r"20[2-3]\d")
_NUMERALS: Final = re.compile("[一二两三四五六七八九十百千万]{2,}|[一二两三四五六七八九](?=[点時时月日号])")
_IDEOGRAPHS: Final = "\u3fff"
_UNITS: Final = {"十": 10, "百": 100, "千": 1000, "万": 10_000}


class _Word(NamedTuple):
    """A word that says something."""

    text: str
    forms: frozenset[str]  # its stems; of a number the ways to write it
    number: bool = False
    name: bool = False  # compared to the letter, but for an ending
    loose: bool = False  # models put it in other words


@dataclass(frozen=True, slots=True)
class _Clause:
    """A part of a sentence: its words, its pairs of characters where words have no spaces, and whether it negates."""

    words: tuple[_Word, ...]
    pairs: frozenset[str]
    negated: bool

    def says(self, word: _Word) -> bool:
        """Whether it has a word, in any form of it."""
        return any(_same(word, each) for each in self.words)

    @property
    def values(self) -> list[_Word]:
        """Its numbers and names."""
        return [word for word in self.words if word.number or word.name]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence in clauses, the message that it stands in, and the groups of the lists that it has words of."""

    text: str
    clauses: tuple[_Clause, ...]
    groups: frozenset[str]
    message: int = 0
    begins: str = ""  # with a word that is neither loose nor free
    about_another: bool = False  # it names somebody else before the writer
    is_about_writer: bool = False  # it begins with "the user"

    def said(self, claim: _Clause) -> tuple[list[_Word], set[str]]:
        """The words and pairs of a note's clause that it has."""
        words = [word for word in claim.words if any(clause.says(word) for clause in self.clauses)]
        return words, {pair for pair in claim.pairs if any(pair in clause.pairs for clause in self.clauses)}


def ground(note: str, said: Sequence[str]) -> Grounded:
    """Whether the user's messages, the oldest first, say what a note says, and the sentences behind it.

    >>> said = ["I always want an aisle seat.", "We don't pay for breakfast; hotels up to 180 euros per night"]
    >>> ground("User prefers aisle seats", said).sentence
    'I always want an aisle seat.'
    >>> ground("Hotels: max 180 EUR per night", said).refused, ground("User pays for breakfast", said).refused.name
    (None, 'NEGATION')
    """
    if asks_the_system(note):
        return Grounded(refused=Refused.SYSTEM)
    found = _grounded(note, said)
    return found if found.refused is None else found._replace(sentence=behind(note, said))


def _grounded(note: str, said: Sequence[str]) -> Grounded:
    """Whether the messages say all of a note."""
    language = _language_of(note) or _language_of(" ".join(said)[:_LONGEST])
    told = _sentence(note[:_LONGEST], language)
    claims = [clause for clause in told.clauses if clause.words or clause.pairs]
    if not 0 < len(claims) <= _MOST_CLAUSES or len(note) > _LONGEST:
        return Grounded(refused=Refused.UNCLEAR)
    heard = [each for number, message in enumerate(said) for each in _stated(message, number, language)][::-1]
    if not heard:
        return Grounded(refused=Refused.UNHEARD)
    found: dict[str, None] = {}
    for claim in claims:
        used = _saying(claim, heard)
        why = _objection(claim, told, used)
        if why is not None:
            return why
        found |= dict.fromkeys(each.text for each in used)
    return Grounded(" ".join(found))


def behind(note: str, said: Sequence[str]) -> str:
    """The user's sentences that a note most likely rests on, as they stand; empty if none shares a telling word.

    >>> behind("User is retiring in 2031", ["hi", "I'm out in 2031, that's when I hang it up"])
    "I'm out in 2031, that's when I hang it up"
    """
    language = _language_of(note) or _language_of(" ".join(said)[:_LONGEST])
    told = _sentence(note[:_LONGEST], language)
    claim = _Clause(
        tuple(word for clause in told.clauses for word in clause.words),
        frozenset(pair for clause in told.clauses for pair in clause.pairs),
        negated=False,
    )
    heard = [each for number, message in enumerate(said) for each in _stated(message, number, language, asides=True)]

    def telling(sentence: _Sentence) -> tuple[float, int]:
        words, pairs = sentence.said(claim)
        return sum(0.3 if word.loose else 1.0 for word in words) + len(pairs) / 2, sentence.message

    best = max(heard, key=telling, default=None)
    if best is None or telling(best)[0] < _LEAST_TELLING:
        return ""
    words, pairs = best.said(claim)

    def adds(sentence: _Sentence) -> bool:
        more, others = sentence.said(claim)
        return any(word not in words and not word.loose for word in more) or len(others - pairs) > _MORE_PAIRS

    more = [each for each in heard if each.message == best.message and each is not best and adds(each)]
    chosen = sorted([best, *more[:1]], key=heard.index)
    return " ".join(each.text for each in chosen)[:_LONGEST]


def _saying(claim: _Clause, heard: Sequence[_Sentence]) -> list[_Sentence]:
    """The sentence that says most of a clause, the latest of several, and one of its message that says the rest."""

    def weight(sentence: _Sentence) -> tuple[float, bool]:
        words, pairs = sentence.said(claim)
        same = any(clause.negated == claim.negated for clause in sentence.clauses)
        return sum(0.4 if word.loose else 1.0 for word in words) + len(pairs), same

    best = max(heard, key=weight)
    words, pairs = best.said(claim)
    if all(word in words or word.loose for word in claim.words) and len(pairs) >= _PAIRS * len(claim.pairs):
        return [best]
    beside = [each for each in heard if each.message == best.message and each is not best]
    left = [word for word in claim.words if word not in words and not word.loose]
    more = [each for each in beside if any(word in left for word in each.said(claim)[0])]
    return [best, *more[:1]]


def _objection(claim: _Clause, told: _Sentence, used: Sequence[_Sentence]) -> Grounded | None:
    """What is wrong with the sentences that say most of a clause; None if they say it."""
    clauses = [clause for each in used for clause in each.clauses if _shares(claim, clause)]
    wrong = _unsaid(claim, used) or _turned(claim, clauses) or _swapped(claim, clauses)
    return wrong or _reordered(claim, used[0]) or _of_others(claim, told, used)


def _shares(claim: _Clause, clause: _Clause) -> int:
    """How many words and pairs a clause has of a note's."""
    return sum(map(clause.says, claim.words)) + len(clause.pairs & claim.pairs)


def _unsaid(claim: _Clause, used: Sequence[_Sentence]) -> Grounded | None:
    """A number, a name or a specific word that was not said, or too many others; a year may be filled in."""
    said = [word for each in used for word in each.said(claim)[0]]
    years = any(_is_year(word) for each in used for clause in each.clauses for word in clause.words)
    missing = [word for word in claim.words if word not in said and (years or not _is_year(word))]
    for word in sorted(missing, key=lambda each: (not each.number, not each.name)):
        if not word.loose:
            kind = Refused.NUMBER if word.number else Refused.NAME if word.name else Refused.WORDS
            return Grounded(refused=kind, word=word.text)
    pairs = set[str]().union(*(each.said(claim)[1] for each in used))
    if any(all(sign > _IDEOGRAPHS for sign in pair) for pair in claim.pairs - pairs):  # it may be a name
        return Grounded(refused=Refused.WORDS, word=", ".join(sorted(claim.pairs - pairs)))
    few = len(set(said)) < _LEAST_SAID * len(claim.words) or not (said or claim.pairs)
    if few or len(pairs) < _PAIRS * len(claim.pairs):
        return Grounded(refused=Refused.WORDS, word=", ".join(word.text for word in missing))
    return None


def _turned(claim: _Clause, clauses: Sequence[_Clause]) -> Grounded | None:
    """The user said the opposite in the clause that has most of it."""
    main = max(clauses, key=lambda clause: (_shares(claim, clause), clause.negated == claim.negated))
    return Grounded(refused=Refused.NEGATION) if main.negated != claim.negated else None


def _reordered(claim: _Clause, first: _Sentence) -> Grounded | None:
    """Words in another order may say the opposite: "I prefer tea to coffee", and "coffee to tea"."""
    said = [word for clause in first.clauses for word in clause.words]
    after = 0
    for word in claim.words:
        places = [place for place, each in enumerate(said) if _same(word, each)]
        if places and places[-1] < after and not word.loose:
            return Grounded(refused=Refused.ORDER, word=word.text)
        after = max(after, next((place for place in places if place >= after), after))
    return None


def _swapped(claim: _Clause, clauses: Sequence[_Clause]) -> Grounded | None:
    """A number or name that the user said of something else: "hotels up to 180, dinners up to 40"."""
    specific = [word for word in claim.words if not (word.loose or word.number or word.name)]
    said = [word for word in claim.values if any(clause.says(word) for clause in clauses)]
    for clause in clauses:
        elsewhere = [word for word in said if not clause.says(word)]
        unused = [word for word in clause.values if not any(_same(word, each) for each in claim.words)]
        if elsewhere and unused and any(map(clause.says, specific)):
            return Grounded(refused=Refused.NUMBER if elsewhere[0].number else Refused.NAME, word=elsewhere[0].text)
    return None


def _of_others(claim: _Clause, told: _Sentence, used: Sequence[_Sentence]) -> Grounded | None:
    """The user said it of somebody else, of one time only, or its values in another sentence."""
    first, *others = used
    if others and (all(each.begins for each in used) or any(word not in first.said(claim)[0] for word in claim.values)):
        return Grounded(refused=Refused.APART)
    somebody = first.about_another or (told.is_about_writer and "self" not in first.groups)
    if somebody and "other" not in told.groups and not _mentions(told, first.begins):
        return Grounded(refused=Refused.SOMEBODY)
    general = "general" in told.groups and not any({"general", "always"} & each.groups for each in used)
    if general or ("once" not in told.groups and any("once" in each.groups for each in used)):
        return Grounded(refused=Refused.ONCE)
    return None


def _mentions(told: _Sentence, text: str) -> bool:
    return any(text == word.text for clause in told.clauses for word in clause.words)


def _is_year(word: _Word) -> bool:
    return word.number and _YEAR.fullmatch(word.text) is not None


def _same(one: _Word, other: _Word) -> bool:
    """Whether two words are the same in any of their forms."""
    if one.number or other.number:
        return bool(one.forms & other.forms)
    if one.name:
        return one.text.removesuffix(_GENITIVE) == other.text.removesuffix(_GENITIVE)
    return bool(one.forms & other.forms) or any(_near(a, b) for a in one.forms for b in other.forms)


def _near(one: str, other: str) -> bool:
    """Whether two stems have the same beginning, or one is a part of the other: Erdnuss, Erdnussallergie.

    >>> _near("allergi", "allerg"), _near("internal", "international"), _near("nuss", "nussbaum")
    (True, False, False)
    """
    short, long = sorted((one, other), key=len)
    least = 2 if _SCRIPTS["ko"].match(short) else _ALIKE
    if len(short) >= least and (long.startswith(short) or long.endswith(short)):
        return len(short) >= _SHARE * len(long) or not long.isascii() or len(long) > 2 * _ALIKE
    common = next((place for place, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    return common >= max(least, _SHARE * len(long))


def _stated(message: str, number: int, language: str | None, *, asides: bool = False) -> Iterator[_Sentence]:
    """The sentences in which a message of the user's states something; with ``asides`` those before a question too.

    "I'm vegan and don't fly, so how long is the train?" has an aside.
    """
    words = _QUOTED.sub("\ufffc", own_words(message))
    if "task" in _groups(words, _lists_of(_language_of(message) or language)):
        return
    for text in sentences(words):
        statement = _TAG.sub("", text)
        if asides and _ASKS.match(statement) is None:
            statement = _LAST_QUESTION.sub("", statement)
        asks = statement.rstrip("\"')*_ ").endswith(("?", "？"))
        found = _sentence(statement, _language_of(statement) or language, number)
        if "unsure" not in found.groups and (not asks or "keep" in found.groups):
            yield found


def _sentence(text: str, language: str | None, number: int = 0) -> _Sentence:
    """A text in clauses, each with its words that say something."""
    lists = _lists_of(language)
    plain_text = _in_digits(_CONTRACTED.sub(" not", text), lists)
    clauses = tuple(_clause(part, lists) for part in _BREAK.split(plain_text))
    groups = _groups(plain_text, lists)
    opening = next((word for clause in clauses[:1] for word in clause.words[:1]), None)
    first = _TOKEN.search(plain_text)
    begins = ""
    if (
        opening
        and first
        and plain(first[0].casefold()) == opening.text
        and first[0][:1].isupper()
        and not opening.loose
    ):
        begins = opening.text
    opens = [plain(each.casefold()) for each in _TOKEN.findall(plain_text)[:2]]
    is_about_writer = not lists.groups.get("writer", frozenset()).isdisjoint(opens)
    return _Sentence(text, clauses, groups, number, begins, _is_about_another(plain_text, lists), is_about_writer)


def _is_about_another(text: str, lists: _Lists) -> bool:
    """Whether a text names somebody else before it names its writer."""
    kinds = {"other": lists.groups.get("other", frozenset()), "self": lists.groups.get("self", frozenset())}
    for token in _TOKEN.findall(text):
        word = plain(token.casefold())
        if word in kinds["self"]:
            return False
        if word in kinds["other"] or any(each > "\u3000" and each in token for each in kinds["other"]):
            return True
    return False


def _clause(part: str, lists: _Lists) -> _Clause:
    words: list[_Word] = []
    pairs: set[str] = set()
    before, negations = "", 0
    for place, found in enumerate(_TOKEN.finditer(part)):
        token, text = found[0], plain(found[0].casefold())
        if _UNSPACED.match(token):
            pairs |= _pairs(token, lists)
            negations += any(sign in token for sign in lists.groups["not"])
        elif text in lists.groups["not"]:
            negations += 1
        elif word := _word(token, text, before, lists, first=place == 0):
            words.append(word)
        before = text
    return _Clause(tuple(words), frozenset(pairs), negations % 2 == 1)


def _word(token: str, text: str, before: str, lists: _Lists, *, first: bool) -> _Word | None:
    """A token as a word that says something; None if it only frames what is said."""
    if text[:1].isdecimal():
        return _Word(text, _written(text, of_the_clock=before in _HOUR), number=True)
    if text in lists.groups["free"] or (len(text) <= 2 and before[:1].isdecimal()):
        return None
    forms = frozenset(lists.same.get(each, each) for each in (text, *stems(text, lists.language)))
    loose = not forms.isdisjoint(lists.loose)
    upper = token[:1].isupper() and (not first or (token.isupper() and len(token) > 1))
    name = lists.language != "german" and upper and not loose and text not in lists.same
    return _Word(text, forms, name=name, loose=loose)


def _written(text: str, *, of_the_clock: bool) -> frozenset[str]:
    """The ways to write a number: without a sign for thousands; an hour with and without minutes.

    >>> sorted(_written("1,800", of_the_clock=False)), sorted(_written("09:00", of_the_clock=False))
    (['1800'], ['9', '9:00'])
    """
    hour, colon, minutes = text.partition(":")
    if not colon:
        number = _THOUSANDS.sub("", text).replace(",", ".").removesuffix(".")
        found = {number, number.lstrip("0") or "0"} if number.isdecimal() else {number}
        return frozenset(
            found | ({f"{number}:00", f"{int(number) + 12}:00"} if of_the_clock and number.isdecimal() else set())
        )
    plain_hour = hour.lstrip("0") or "0"
    return frozenset({f"{plain_hour}:{minutes}", *([plain_hour] if minutes == "00" else [])})


def _in_digits(text: str, lists: _Lists) -> str:
    """A text with numbers and times of the day in digits: "half past four" is 4:30, or 16:30."""
    text = re.sub(r"[^\W\d_]+", lambda found: lists.numbers.get(plain(found[0].casefold()), found[0]), text)
    text = re.sub(r"\b(\d+) (?:and )?(100|1000)\b", lambda found: str(int(found[1]) * int(found[2])), text)
    text = re.sub(r"\b(\d+00) (?:and )?(\d{1,2})\b", lambda found: str(int(found[1]) + int(found[2])), text)
    text = re.sub(r"\b([2-9]0)[ -]([1-9])\b", lambda found: str(int(found[1]) + int(found[2])), text)
    text = _PAST.sub(_clock_of, text)
    text = _CLOCK.sub(lambda found: f"{int(found[1]) % 12 + 12 * (found[3] in 'pP')}:{found[2] or '00'}", text)
    return _NUMERALS.sub(lambda found: f" {_numeral(found[0])} ", text)


def _clock_of(found: re.Match[str]) -> str:
    hour = int(found[2])
    minutes = {"half past": 30, "quarter past": 15, "quarter to": -15}[found[1].casefold()]
    hour, minute = divmod(hour * 60 + minutes, 60)
    return f"{hour}:{minute:02} {hour + 12}:{minute:02}"


def _numeral(text: str) -> int:
    """A number in Chinese characters.

    >>> _numeral("五百"), _numeral("四千"), _numeral("十二")
    (500, 4000, 12)
    """
    total = digit = 0
    for sign in text:
        if sign in _UNITS:
            total += max(digit, 1) * _UNITS[sign]
            digit = 0
        else:
            digit = "一二三四五六七八九".find(sign.replace("两", "二")) + 1
    return total + digit


def _pairs(run: str, lists: _Lists) -> set[str]:
    """The pairs of neighbours in a run of characters, without the words that only frame what is said."""
    for word in sorted(lists.groups["free"] | lists.groups["not"], key=len, reverse=True):
        if _UNSPACED.match(word):
            run = run.replace(word, " ")
    return {part[at : at + 2] for part in run.split() for at in range(max(1, len(part) - 1))}


def _groups(text: str, lists: _Lists) -> frozenset[str]:
    """The groups of the lists that a text has words of."""
    words = [plain(token.casefold()) for token in _TOKEN.findall(text)]
    flat = f" {' '.join(words)} "
    return frozenset(
        name
        for name, known in lists.groups.items()
        if name != "free" and any(f" {word} " in flat or (word > "\u3000" and word in text) for word in known)
    )


@dataclass(frozen=True, slots=True)
class _Lists:
    """The lists of words that hold for a text."""

    groups: Mapping[str, frozenset[str]]
    loose: frozenset[str]  # by their stems
    same: Mapping[str, str]  # a word → the first of its group
    numbers: Mapping[str, str]
    language: str | None  # whose stems are taken


def _language_of(text: str) -> str | None:
    """The language of a text, by its script or its words; None for English."""
    script = next((name for name, signs in _SCRIPTS.items() if signs.search(text)), None)
    writer = next((spoken for spoken, name in _WRITERS.items() if name in text.casefold()), None)
    return script or writer or _LANGUAGES.get(detect(text) or "")


@cache
def _lists_of(language: str | None) -> _Lists:
    """The lists of a language, beside the English ones."""
    groups: dict[str, set[str]] = {name: set() for name in ("free", "not", "loose")}
    same, numbers = dict[str, str](), dict[str, str]()
    for line in _LISTS.read_text(encoding="utf-8").splitlines():
        head, _, rest = line.partition(": ")
        name, _, spoken = head.partition(" ")
        if line.startswith("#") or not rest or spoken not in {"en", language}:
            continue
        words = rest.split()
        if name == "same":
            same |= dict.fromkeys(words, words[0])
        elif name == "number":
            numbers |= dict(word.split("=") for word in words)
        else:
            groups.setdefault(name, set()).update(word.replace("_", " ") for word in words)
    known = {short: name for name, short in _LANGUAGES.items()}.get(language or "")
    loose = frozenset(stem for word in groups.pop("loose") for stem in (word, *stems(word, known)))
    return _Lists({name: frozenset(words) for name, words in groups.items()}, loose, same, numbers, known)
