"""A message → the sentences that its writer says: no code, quotations, pastes, tags or
long texts.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_READ: Final = 20_000  # characters of a message
_LONG: Final = (
    2_000  # of a message that was hardly typed: only its first paragraph is read
)
_PARAGRAPH: Final = 900  # of a paragraph that was hardly typed
_SENTENCES: Final = 60  # of a message that are judged
_SHORTEST, _LONGEST = 7, 300  # characters of a sentence
_GONE: Final = (
    "\ufffc"  # stands for a quotation: a sentence that needs it is not the writer's own
)

NARROW: Final = str.maketrans(
    "\uff01\uff0c\uff1a\uff1b\uff1f", "!,:;?"
)  # full-width marks, as the tables write them

_FENCE: Final = re.compile(
    r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.DOTALL | re.MULTILINE
)
_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,300})?(/?)>")
_QUOTED: Final = re.compile(
    r'„[^„“”"]*[“”"]|"[^"]*"|“[^“”]*”|«[^«»]*»|「[^「」]*」|『[^『』]*』|《[^《》]*》'
)
_SHORT_QUOTE: Final = 24
_NOT_PROSE: Final = re.compile(
    r"^(?: {4}|\t|\s*(?:[>|$#%]|>>>|@@|\+\+\+|---|at \S+\(|File \"|Traceback|\d{4}-\d\d-\d\d[T ]\d\d:"
    r"|(?:def|class|import|const|function|public|private|SELECT|INSERT|UPDATE|export|return|elif)\b.*[({;:=*]"
    r"|(?:let|var) \w+ ?=|[\w.]+\([^)]*\);?$))"
    r"|(?:^\W*|^npm |\d[:/-]\d\d\b.{0,80}\b)(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL|ERR!)(?!\w)"
    r"|[{};]\s*$|=>|</?\w|\w+ ?[!=+-]?= ?\S|https?://\S+\s*$"
)
_FIELD: Final = re.compile(r"\s*[\w.\"'-]+ ?[:=] ?\S")
_OWN: Final = (  # announces words about the writer
    r"\b(?:about|matters? to) (?:me|us)\b|\b(?:from now on|ab jetzt|désormais|a partir de ahora)\b"
    r"|\b(?:über|sur|sobre) (?:mich|uns|moi|nous|mí|nosotros)\b|\b(?:my|our|meine|unsere|mes|nos|mis|nuestras) "
    r"(?:rules|preferences|habits|regeln|vorlieben|gewohnheiten|règles|préférences|habitudes|reglas|preferencias)\b"
    r"|\b(?:remember|in mind|merk\w* dir|daran|souviens-toi|retiens|n'oublie pas|recuerda|en cuenta)(?: this)?\W*$"
    r"|关于我|我的(?:规则|偏好|习惯)|记住|记得"
    r"|[私僕](?:について|の(?:ルール|好み))|覚えて|[저나]에 대해|[제내] (?:규칙|취향)|기억해"
)
_FOREIGN: Final = re.compile(  # the lines below a colon, or all after a gap, if it is no list; all from a heading on
    rf"^(?!.*(?:{_OWN}))(.*[:\uff1a]\n)(?!\s*(?:[-*•–]|\d{{1,2}}[.)])\s)(?:\n[\s\S]*|.+(?:\n.+)*)|^#{{1,6}} [\s\S]*",
    re.IGNORECASE | re.MULTILINE,
)
_MAIL: Final = re.compile(  # two lines of its head, and all after them
    r"(?im)(?:^(?:from|to|subject|cc|date|sent|von|an|betreff|de|à|objet|para|asunto|发件人|收件人|主题|差出人|宛先|件名"
    r"|보낸 ?사람|받는 ?사람|제목)[:\uff1a].*\n){2}[\s\S]*"
)
_WHICH: Final = re.compile(  # of a list
    r"(?i)\b(?:which (?:ones?|of|is|are|do|would|should)|lesquel\w*|cuál(?:es)?)\b|哪些|どれ|어느"
)
_BULLET: Final = re.compile(r"(?:^|(?<=\n))\s*(?:・|(?:[-*•–]|\d{1,2}[.)])\s+)")
_END: Final = re.compile(
    r"(?<=[.!?…])[\"')\]]*\s+|(?<=[。\uff01\uff1f])[」』]?\s*|(?<=[\u3040-\u9fff][!?])\s*|(?<=;)\s+"
)
_SHORTENED: Final = re.compile(
    r"(?:\b(?:e\.g|i\.e|dr|mr|mrs|ms|vs|etc|approx|no|st|z\.b|bzw|ca|nr|d\.h|p\.ej|sr|sra|mme|ex"
    r"|(?:bis|am|vom|zum|ab|dem) \d{1,2})|^\d{1,2})\.$",
    re.IGNORECASE,
)
_LETTER: Final = re.compile(r"[^\W\d_]")


def sentences(words: str) -> Iterator[str]:
    """The sentences of a message's own words, at most so many, in bounded time for any
    text.
    """
    lines = (
        _BULLET.sub("", line).replace("**", "")
        for line in words.split("\n")
        if not _NOT_PROSE.search(line)
    )
    plain = (
        " ".join(piece.split()).strip(" *_`")
        for line in lines
        for piece in _pieces(line)
    )
    yield from islice(filter(_states, plain), _SENTENCES)


def _states(sentence: str) -> bool:
    """Whether a sentence may state something: it is prose of a fitting length, and has
    an end.
    """
    ends = not sentence.translate(NARROW).rstrip("\"')*_ ").endswith((":", "...", "…"))
    letters = 2 * len(_LETTER.findall(sentence)) > len(sentence)
    wide = sum(
        character > "\u2e7f" for character in sentence
    )  # one of a script without spaces counts as two
    return (
        ends
        and letters
        and _GONE not in sentence
        and _SHORTEST <= len(sentence) + wide <= _LONGEST
    )


def own_words(text: str) -> str:
    """A message without code, tags and what they hold, long quotations and long
    paragraphs.
    """
    text = "\n".join(
        line.rstrip() for line in text[:_READ].replace("’", "'").split("\n")
    )
    text = _without_tags(_FENCE.sub("\n", _MAIL.sub("", text)))
    text = _QUOTED.sub(
        lambda match: (
            match[0]
            if len(match[0]) <= _SHORT_QUOTE and "。" not in match[0]
            else _GONE
        ),
        text,
    )
    paragraphs = [each for each in re.split(r"\n[ \t]*\n", text) if each.strip()]
    if len(text) > _LONG:
        paragraphs = paragraphs[:1]
    typed = "\n\n".join(
        _before_paste(each) for each in paragraphs if len(each) <= _PARAGRAPH
    )
    return re.sub(r"\n+", "\n", _FOREIGN.sub(r"\1", typed))


def _before_paste(paragraph: str) -> str:
    """The lines before a paste, if two lines or more are no prose: code, fields of a
    configuration, a log.
    """
    lines = paragraph.split("\n")
    pasted = [
        place
        for place, line in enumerate(lines)
        if _NOT_PROSE.search(line) or _FIELD.match(line)
    ]
    return "\n".join(lines[: pasted[0]] if len(pasted) > 1 else lines)


def asks_about_a_list(words: str) -> bool:
    """Whether a message asks something about a list that it holds: probably somebody's
    document.
    """
    lines = words.split("\n")
    items = [line for line in lines if _BULLET.match(line)]
    return len(items) > 1 and any(
        "?" in line or _WHICH.search(line) for line in lines if line not in items
    )


def _without_tags(text: str) -> str:
    """The text outside of <tag>…</tag>; a tag at the start of a line that is not closed
    takes the rest with it.
    """
    tags = list(_TAG.finditer(text))
    closing = {
        match[2]: match for match in tags if match[1]
    }  # the last one of each name
    kept, start = list[str](), 0
    for match in tags:
        if match.start() < start or match[1] or match[3]:
            continue
        end = closing.get(match[2])
        if end is not None and end.start() > match.start():
            kept.append(text[start : match.start()])
            start = end.end()
        elif match.start() == 0 or text[match.start() - 1] == "\n":
            kept.append(text[start : match.start()])
            start = len(text)
    return "\n".join([*kept, text[start:]])


def _pieces(line: str) -> Iterator[str]:
    waiting = ""
    for piece in _END.split(line):
        waiting = f"{waiting} {piece}" if waiting else piece
        if not (waiting.endswith(".") and _SHORTENED.search(waiting)):
            yield waiting
            waiting = ""
    if waiting:
        yield waiting
