"""What of the user's words a note rests on: whether it repeats a sentence of theirs,
and which one is behind it.

A note counts as the user's word only if it says what one sentence of the user's says:
the same words in the same order, apart from words that frame a sentence ("user", "I",
"is", in `framing.txt`). No rule on words can tell a paraphrase from a clause that was
dropped or added, so any other note stays a note, and the sentence that shares most with
it is told in its place. Questions, tasks, quotations, pastes and what others say state
nothing.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hexad.memory.conversations.judging import asks_the_system
from hexad.memory.conversations.wording import own_words, sentences
from hexad.memory.grounded import Grounded, Refused
from hexad.text import terms
from hexad.text.spelling import plain
from hexad.text.stems import stems

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_FRAMES: Final = Path(__file__).with_name("framing.txt")
_LONGEST: Final = 600  # characters of a note; a longer one is no plain statement
_BEGINNING: Final = (
    5  # letters that two forms of a word have in common: allergy, allergic
)
_MOST: Final = 2  # sentences behind a note
_WIDE: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN: Final = re.compile(rf"-?\d+(?:[.,:]\d+)*|[{_WIDE}]|[^\W\d_{_WIDE}]+|[€$£%]")
_NOT: Final = re.compile(r"\b(?:can['’]t|cannot)\b|n['’]t\b", re.IGNORECASE)
_ASIDE: Final = re.compile(
    r"(?i)^(?:(?:oh|ah|ok|okay|hi|hello|hey|also|and|but|so|well|please|btw|by the way|remember|remember that"
    r"|note that|from now on"
    r"|übrigens|ach|und|bitte|ab jetzt|ab sofort|désormais|au fait|d'ailleurs|por cierto|y|et)\b[,:!. ]*)+"
    r"|[,;]? ?\b(?:by the way|btw|please|remember(?: that| this| it)?|don['’]?t forget|übrigens|bitte|merk dir das"
    r"|au fait|s'il te plaît|por cierto|por favor)[.! ]*$"
)
_QUESTION: Final = re.compile(
    r"(?<=\w\W)\s*[^,;]{3,}[?？]\s*$"
)  # the last clause of a sentence
_ASKS: Final = re.compile(
    r"(?i)\W*(?:what|where|when|who|how|which|why|is|are|do|does|did|can|could|should|shall|would|will|was|wer|wo|wie"
    r"|wann|welche\w*|kann|kannst|soll\w*|darf|ist|sind|que|qui|quel\w*|comment|où|est-ce|puis|qué|cómo|cuándo|puedo)\b"
)
_WISHES: Final = re.compile(
    r"(?i)\b(?:always|never|from now on|remember|immer|nie|toujours|jamais|siempre|nunca)\b"
)
_TASK: Final = re.compile(
    r"(?i)\b(?:translate|proofread|rewrite|rephrase|summari[sz]e|fix (?:the|my)? ?grammar|poem|story|lyrics|essay"
    r"|what do you think of|übersetze?|korrigiere|fasse|traduis|corrige|résume|traduce|resume)\b"
    r"|翻译|翻訳|번역"
)


def ground(note: str, said: Sequence[str]) -> Grounded:
    """Whether one of the user's sentences, in messages with the oldest first, says
    this, and what is behind it.

    >>> said = ["I always want an aisle seat.", "Hotels up to 180 euros per night, please"]
    >>> ground("User always prefers an aisle seat", said).refused
    >>> found = ground("Hotels: 280 euros", said)
    >>> found.refused.name, found.sentence
    ('WORDS', 'Hotels up to 180 euros per night, please')
    """
    if asks_the_system(note):
        return Grounded(refused=Refused.SYSTEM)
    claim = _content(note)
    if len(note) > _LONGEST or not claim:
        return Grounded(refused=Refused.UNCLEAR)
    heard = list(_heard(said))
    if not heard:
        return Grounded(refused=Refused.UNHEARD)
    latest = [
        text for _, text, alone in reversed(heard) if alone and _content(text) == claim
    ]
    if latest:
        return Grounded(latest[0])
    return Grounded(_behind(note, heard), Refused.WORDS)


def _behind(note: str, heard: Sequence[tuple[int, str, bool]]) -> str:
    """The sentences that a note most likely rests on: those of the latest message that
    has any, one or two.
    """
    wanted = _beginnings(note)
    shared = [(number, text, _beginnings(text) & wanted) for number, text, _ in heard]
    latest = max((number for number, _, held in shared if held), default=-1)
    here = [(text, held) for number, text, held in shared if number == latest and held]
    if not here:
        return ""
    here.sort(key=lambda each: len(each[1]), reverse=True)
    chosen, known = list[str](), frozenset[str]()
    for text, held in here[:_MOST]:
        if held - known and len(" ".join([*chosen, text])) <= _LONGEST:
            chosen.append(text)
            known |= held
    return " ".join(text for _, text, _ in heard if text in chosen)


def _heard(said: Sequence[str]) -> Iterator[tuple[int, str, bool]]:
    """What the user states: the number of the message, the sentence, and whether it is
    all theirs beyond doubt.
    """
    for number, message in enumerate(said):
        words = own_words(message)
        if _TASK.search(words):
            continue
        typed = "\n" not in message.strip()  # below a line break there may be a paste
        for text in sentences(words):
            asks = text.rstrip("\"')*_ ").endswith(("?", "？"))
            stated = text
            if asks and not _WISHES.search(text):
                stated = (
                    "" if _ASKS.match(text) else _QUESTION.sub("", text).rstrip(" ,;")
                )
                stated = "" if stated.endswith(("?", "？")) else stated
            if stated:
                yield number, stated, typed and not asks


def _content(text: str) -> tuple[str, ...]:
    """The words of a text that do not only frame it, in their order and by their stems;
    numbers and signs as written.

    >>> _content("I'm not allergic to nuts, by the way") == _content("The user is not allergic to nuts")
    True
    """
    bare = _ASIDE.sub("", _ASIDE.sub("", _NOT.sub(" not", text)))
    found = (
        _standing_for(token, first=place == 0)
        for place, token in enumerate(_TOKEN.findall(bare))
    )
    return tuple(word for word in found if word)


def _standing_for(token: str, *, first: bool) -> str:
    """The word itself, by its stem if it is no name, or what stands for it; empty if it
    only frames.
    """
    word = plain(token.casefold())
    if (known := _frame().get(word)) is not None:
        return known
    is_name = token[:1].isupper() and not first
    return word if is_name else next(iter(stems(word, None)), word)


def _beginnings(text: str) -> frozenset[str]:
    """The beginnings of a text's terms, by which forms of a word are the same."""
    return frozenset(
        term[:_BEGINNING] for term in terms(text) if _frame().get(term) is None
    )


@cache
def _frame() -> Mapping[str, str]:
    """The words that frame what is said, each with the word that stands for it, if any
    does.
    """
    lines = [
        line.partition("=")
        for line in _FRAMES.read_text(encoding="utf-8").splitlines()
        if line[:1] != "#"
    ]
    return {word: head.strip() for head, _, words in lines for word in words.split()}
