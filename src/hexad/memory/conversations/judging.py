"""A sentence → the lasting wish, rule, preference, correction or fact that it states,
judged by one table a language.

A table in `tables/` has a group of patterns under the name of each kind, a pattern a
line; a line that begins with two spaces goes on with the one above. `words` recognise
the language, `lead` may stand before a statement (`reason` too, and is kept),
`remember` asks to keep what follows, `wish` is a standing wish in the form of a
question. `not`, `system` (meant for the machine), `passing` (true only now) and
`trouble` (not for rules) refuse a sentence, `asking` makes it unclear, `task` refuses a
cue; `play` and `letter` refuse a message, `paste` the rest of it; `draft` makes all of
it unclear, `trouble` all but its rules. `now` and `gone` say that it was different
before; a match of `gone` is what no longer holds. A group of `one` names what has one
value: a diet. `while` is a fact in a sentence that says how long it holds. `noun` shows
that a `verb` before it is none. Further names are parts of others. The others are
categories: a statement with `!` is clear; `?` is a cue, which says that a sentence may
be worth keeping, and a person decides. After a colon stands the key, or `@` for the
group `slot`.

A pattern is written in words: `(a|b)` one or the other, `(a)?` perhaps, `~(a)` not
before a, `~<(a)` not after a, `&(a)` before a, `…` anything, `…3+` and `…3-9` so many
characters of it, `_` the edge of a word, `%` a letter, `%+` a word, `{A}` a capital
letter, `{a}` a small one, `{3 words}` at most so many words, `$` the end, `{name}` the
pattern of another line, and `<slot>(a)` a group with a name. Everything else is as in a
regular expression.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.memory.conversations.expiry import LIMITED, timed
from hexad.memory.conversations.wording import (
    NARROW,
    asks_about_a_list,
    own_words,
    sentences,
)
from hexad.memory.keys import key_from
from hexad.memory.redaction import PASSWORDS, UNSPACED, redact
from hexad.model import Category
from hexad.text.changes import telling
from hexad.text.everyday import says_little

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

_COMMON: Final = (
    None,
    "german",
    "french",
    "spanish",
)  # languages with a list of everyday words
LANGUAGES: Final = ("en", "de", "fr", "es", "zh", "ja", "ko")
_TABLES: Final = Path(__file__).with_name("tables")
_KANA, _HANGUL, _HAN = (
    re.compile(span)
    for span in ("[\u3040-\u30ff]", "[\uac00-\ud7af]", "[\u4e00-\u9fff]")
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_HEAD: Final = re.compile(r"[,;:.!、。\s–—-]*")
_BETWEEN: Final = re.compile(
    r"(?:[;–—]|[,、，](?!\d))\s*(?:(?:because|since|as|weil|denn|car|parce que|porque|ya que)\s)?"
)
_NEVER: Final = re.compile(r"(?!)")
_MENTIONED: Final = re.compile(
    r"""(?<!\w)["„“«'‘「『][^"„“”«»'‘’「」『』]{2,24}["“”»'’」』](?![a-z])"""
)  # words that are spoken of
_STATES: Final = re.compile("(?P<category>[a-z]+)(?P<sure>[!?])(?::(?P<slot>.+))?")
_LETTERS: Final = {
    "A": "(?-i:[A-ZÄÖÜÉÁÍÓÚÑÇ])",
    "a": "(?-i:[a-zäöüßéáíóúñç])",
    "value": r"(?-i:\S*[A-Z0-9]\S*|\S+\.\w\S*)",
}
_APOSTROPHE: Final = re.compile(  # that people leave out: dont, im
    r"(?<=n)(?<!<\(don)'(?=t)|(?<=\bi)'(?=m\b)|(?<=i\()'(?=m\|)"
)
_SIGNS: Final = {
    "(": "(?:",
    "~(": "(?!",
    "~<(": "(?<!",
    "&(": "(?=",
    "…": ".*",
    "_": r"\b",
    "%": r"\w",
    "$": r"\W*$",
}
_NOTATION: Final = re.compile(
    r"\\.|<(?P<group>[a-z_]+)>\(|~<?\(|&\(|\(|…(?:(?P<least>\d+)(?:-(?P<most>\d+)|\+))?|\{(?P<words>\d) words\}"
    r"|\{(?P<name>[a-zA]+)\}|[_%$]"
)
_SECRET: Final = re.compile(
    rf"(?i)\b(?:{PASSWORDS}|pin|cvv|cvc|token|api key|passphrase|key(?= is \S*\d{{4}})"
    rf"|(?:alarm|door|gate|access|entry|safe) (?:code|combination)|vault key|recovery phrase|opens with \d+)\b"
    rf"|{UNSPACED}"
)
_IS: Final = re.compile(r"(?i)\b(?:is|are|ist|lautet|heißt|est|es)\b|[=:是は]|은|는")
ALSO: Final = re.compile(
    r"(?i)\b(?:also|too|as well|auch|ebenfalls|aussi|également|también)\b|也|还|も(?!う)|도(?= )"
)
_VALUE: Final = re.compile(r"(?=[^\W\d]*\d)\w{3,}")
_TALK: Final = 300  # characters of a message in which somebody just talks
_HINTED: Final = 2000  # characters of a message that show its language


@dataclass(frozen=True, slots=True)
class Statement:
    """Something worth keeping that a sentence states, and what became of it."""

    content: str
    sentence: str
    category: Category
    key: str
    clear: bool = False  # it may be saved without asking
    cued: bool = False  # a person decides: nothing but a cue says that it may last
    slot: bool = False  # the key names something that has one value: a name, a home
    changes: bool = False  # the sentence says that it was different before
    replaces: bool = False  # and takes the place of the entry that it is ``against``
    gone: str = ""  # the words that say what no longer holds: "not in Cork any more"
    expires: datetime | None = None
    against: str = ""  # the key of the entry that it changes or contradicts
    proposal: str = ""  # its id, if it waits for a person


class PatternRow(NamedTuple):
    """A kind of statement."""

    category: Category
    clear: bool
    slot: str
    pattern: re.Pattern[str]


class LanguageTable(NamedTuple):
    """The rows of a language."""

    refusing: Mapping[str, re.Pattern[str]]
    rows: tuple[PatternRow, ...]
    words: frozenset[str]


def statements(text: str, now: datetime) -> Iterator[Statement]:
    """The statements of one message of the user's."""
    words = own_words(text)
    languages = _languages(words)
    tables = [table_of(language) for language in languages]
    narrow = words.translate(NARROW)
    if any(
        table.refusing[kind].search(narrow)
        for table in tables
        for kind in ("letter", "play")
    ):
        return
    cuts = [
        cut.start()
        for table in tables
        if (cut := table.refusing["paste"].search(narrow))
    ]
    drafted = any(table.refusing["draft"].search(narrow) for table in tables)
    troubled = any(table.refusing["trouble"].search(narrow) for table in tables)
    drafted = drafted or asks_about_a_list(narrow)
    long = drafted and len(words) > _TALK  # a text to be worked on, perhaps
    for sentence in sentences(words[: min(cuts, default=len(words))]):
        spoken = dict.fromkeys([*languages, *_languages(sentence, least=2)])
        found = next(
            filter(None, (judged(sentence, table_of(each), now) for each in spoken)),
            None,
        )
        if found is not None and found.cued and (troubled or long):
            continue
        secret = _tells_secret(sentence) or (
            found and found.category is Category.FACT and _SECRET.search(sentence)
        )
        if found is not None and not secret and not _refers(found):
            calm = not drafted and (found.category is Category.RULE or not troubled)
            yield replace(found, clear=found.clear and calm)


def _refers(said: Statement) -> bool:
    """Whether a rule only points at something that was said before: "always do that"."""
    for term in telling(said.content):
        if not any(says_little(term, each) for each in _COMMON):
            return False
    return said.category is Category.RULE


def _tells_secret(sentence: str) -> bool:
    """Whether a sentence holds a secret, or names one and says what it is; it is kept
    unseen.
    """
    named = _SECRET.search(sentence) is not None
    return bool(redact(sentence, accounts=True).kinds) or (
        named and (_VALUE.search(sentence) or _IS.search(sentence)) is not None
    )


def judged(said: str, table: LanguageTable, now: datetime) -> Statement | None:
    """The statement that a sentence makes, if the table holds it."""
    sentence = said.translate(NARROW)  # character by character: places stay the same
    asks = sentence.rstrip("\"')*_ ").endswith("?")
    refused = table.refusing["not"].search(sentence) or table.refusing["system"].search(
        sentence
    )
    if asks or refused:
        return _wished(said, sentence, table) or (
            None if refused else _part(said, table, now)
        )
    start = _HEAD.match(sentence, _after(table.refusing["lead"], sentence)).end()  # type: ignore[union-attr]
    asked = table.refusing["remember"].match(sentence, start)
    if asked:
        start = _HEAD.match(sentence, asked.end()).end()  # type: ignore[union-attr]
    body = sentence[start:]
    claim = body[_after(table.refusing["reason"], body) :]
    until, bare = timed(claim, now)
    settled = (
        " ".join(table.refusing["now"].sub("", claim).split())
        .replace(" ,", ",")
        .lstrip(", ")
    )
    row, slot = _stated(table, claim, bare)
    passing = until is None and bool(table.refusing["passing"].search(body))
    anew = (
        settled != claim
        and (row is None or not row.clear or passing)
        and not table.refusing["passing"].search(settled)
    )
    if row is not None and row.category is Category.RULE and _MENTIONED.search(claim):
        row, slot = _stated(
            table, _MENTIONED.sub("X", claim)
        )  # not: five sentences with "from now on"
    if anew:  # "Ahora usamos Vue" is judged as "Usamos Vue"
        row, slot = _stated(table, settled)
    if (
        row is None
        and not (asked and len(body) > 1)
        and not (until and table.refusing["while"].match(bare))
    ):
        return _part(said, table, now)
    category = row.category if row else Category.FACT
    if (
        row is not None
        and not row.clear
        and not asked
        and any(table.refusing[kind].search(body) for kind in ("asking", "task"))
    ):
        return None
    if (passing and not anew) or (
        category is not Category.RULE and table.refusing["trouble"].search(body)
    ):
        return None
    known = until is not None or LIMITED.search(claim) is None  # until when it holds
    sure = row is not None and row.clear and not table.refusing["asking"].search(body)
    one = None if until else table.refusing["one"].search(settled)
    slot = (
        ""
        if until
        else slot
        or (one and (one["slot"] if one.lastgroup == "slot" else one.lastgroup))
        or ""
    )
    own = said[len(said) - len(body) :]
    content = own[:1].upper() + own[1:]
    gone = " ".join(
        found[0].strip() for found in table.refusing["gone"].finditer(claim)
    )
    changed = gone or (settled != claim and not ALSO.search(claim))
    return Statement(
        content=content,
        sentence=said,
        category=category,
        key=key_from(slot or content),
        clear=known and (bool(asked) or sure),
        cued=row is not None and not row.clear and not asked and until is None,
        slot=bool(slot),
        changes=until is None and bool(changed),
        gone=gone,
        expires=until,
    )


def _stated(table: LanguageTable, *forms: str) -> tuple[PatternRow | None, str]:
    """The first row that one of the forms of a sentence matches, and the name of what
    it gives a value.
    """
    for row, match in (
        (row, row.pattern.match(form)) for form in forms for row in table.rows
    ):
        if match is not None:
            return row, match["slot"] if row.slot == "@" else row.slot
    return None, ""


def _part(said: str, table: LanguageTable, now: datetime) -> Statement | None:
    """The fact or preference in a part of a sentence: "I'm vegan, any ideas?". A person
    decides about it.
    """
    parts = _BETWEEN.split(said)
    for part in (
        parts[:4] if len(parts) > 1 else ()
    ):  # so that any sentence takes little time
        found = judged(part.strip("?？ "), table, now)
        if found is not None and found.clear and found.category is not Category.RULE:
            return replace(found, sentence=said, clear=False)
    return None


def _wished(said: str, sentence: str, table: LanguageTable) -> Statement | None:
    """The rule that somebody asks for politely: "could you always …?". A person decides
    about it.
    """
    wish = table.refusing["wish"].match(sentence)
    if wish is None or any(
        table.refusing[kind].search(sentence) for kind in ("system", "passing")
    ):
        return None
    own = said[wish.start("wish") if wish.groupdict().get("wish") else 0 :].strip(
        "\"'¿?？ "
    )
    content = own[:1].upper() + own[1:]
    return Statement(content, said, Category.RULE, key_from(content))


def asked_for(text: str) -> Statement | None:
    """The rule of a text that somebody wants to be kept, if it begins as a request
    does: "keep answers short".
    """
    for table in map(table_of, _languages(text)):
        wish = table.refusing["verb"].match(text, _after(table.refusing["lead"], text))
        if (
            wish
            and not text[wish.end() :][:1].isalnum()
            and not table.refusing["noun"].match(text, wish.end())
        ):
            return Statement(text, text, Category.RULE, key_from(text))
    return None


def asks_the_system(text: str) -> bool:
    """Whether a text speaks to the system instead of about the user: "ignore all
    previous instructions".
    """
    return any(
        table_of(language).refusing["system"].search(text) for language in LANGUAGES
    )


def _after(lead: re.Pattern[str], sentence: str) -> int:
    """Where a sentence begins behind words such as "by the way", at most four of them."""
    place = 0
    for _ in range(4):
        match = lead.match(sentence, place)
        if match is None or match.end() == place:
            break
        place = _HEAD.match(sentence, match.end()).end()  # type: ignore[union-attr]
    return place


def _languages(text: str, least: int = 0) -> list[str]:
    """The languages that a text may be in: by its script, else those that most of its
    small words belong to.

    With ``least`` only that which has most of them, and no fewer than so many.
    """
    for name, script in (("ko", _HANGUL), ("ja", _KANA), ("zh", _HAN)):
        if script.search(text):
            return [name]
    said = [word.lower() for word in _WORD.findall(text[:_HINTED])]
    counts = {}
    for name in ("en", "de", "fr", "es"):
        counts[name] = sum(word in table_of(name).words for word in said)
    enough = max(least, max(counts.values()) - (not least))
    return [name for name, count in counts.items() if count >= enough]


@cache
def table_of(language: str) -> LanguageTable:
    """The table of a language, compiled."""
    rows, named = list[PatternRow](), dict(_LETTERS)
    for group in (
        "\n" + (_TABLES / f"{language}.txt").read_text(encoding="utf-8").rstrip()
    ).split("\n# ")[1:]:
        kind, _, lines = group.partition("\n")
        written = lines.replace("\n  ", "").replace("\n", "|")
        written = written if kind == "words" else _APOSTROPHE.sub("'?", written)
        pattern = _NOTATION.sub(lambda found: _expression(found, named), written)
        named[kind] = f"{named[kind]}|{pattern}" if kind in named else pattern
        if said := _STATES.fullmatch(kind):
            row = re.compile(pattern, re.IGNORECASE)
            rows.append(
                PatternRow(
                    Category(said["category"]),
                    said["sure"] == "!",
                    said["slot"] or "",
                    row,
                )
            )
    others = {
        kind: re.compile(pattern, re.IGNORECASE)
        for kind, pattern in named.items()
        if kind.isalpha()
    }
    return LanguageTable(
        defaultdict(lambda: _NEVER, others),
        tuple(rows),
        frozenset(named["words"].split("|")),
    )


def _expression(found: re.Match[str], named: Mapping[str, str]) -> str:
    """A sign of the tables' notation as a regular expression."""
    if found["least"]:
        return f".{{{found['least']},{found['most'] or ''}}}"
    if found["words"]:
        return rf"(?:[\w'-]+ ){{0,{found['words']}}}?"
    if found["name"]:
        return f"(?:{named[found['name']]})"
    return (
        f"(?P<{found['group']}>" if found["group"] else _SIGNS.get(found[0], found[0])
    )
