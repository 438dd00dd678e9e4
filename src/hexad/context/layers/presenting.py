"""How each kind of record appears as an item."""

from __future__ import annotations

import json
import re
from typing import Final, assert_never

from hexad.model import (
    Item,
    Knowledge,
    Learning,
    Origin,
    Reason,
    Record,
    Reference,
    Skill,
    shown_trust,
)

_MOST_WORDS: Final = 24  # of a pattern: they show which error it is
_LONGEST: Final = 240
_PLACEHOLDER, _WORD = re.compile(r"<\w+>"), re.compile(r"\w+")
_FORGES: Final = re.compile(r"[;\"]|\b(?:fix|cause|trust)\b", re.IGNORECASE)


def present(record: Record, score: float, reasons: tuple[Reason, ...]) -> Item:
    """A record as an item."""
    key, content, category = _shown(record)
    return Item(
        layer=record.layer,
        id=record.id,
        key=key,
        content=content,
        category=category,
        source=record.source if isinstance(record, Knowledge) else "",
        origin=record.origin,
        score=score,
        reasons=reasons,
        pinned=isinstance(record, Knowledge) and record.pinned,
        verbatim=record.verbatim,
        said=record.said if isinstance(record, Knowledge) else "",
    )


def _shown(record: Record) -> tuple[str, str, str]:
    """The key, content and category that show a record in a prompt."""
    match record:
        case Knowledge():
            return record.key, record.content, record.category
        case Learning():
            return record.trigger, _solution(record), record.category
        case Skill():
            text = (
                f"{record.description} (use it when: {record.when})"
                if record.when
                else record.description
            )
            return record.name, text, record.kind
        case Reference():
            text = (
                f"{record.summary} ({record.location})"
                if record.summary
                else record.location
            )
            return record.name, text, record.kind
        case _:
            assert_never(record)


def _solution(learning: Learning) -> str:
    """The line about an error: somebody's lesson with the pattern, else an example.

    A pattern is a tool's words. It is cut, and quoted where the line stands as the
    user's own and where it could pretend to be one of the other parts. One that the
    lesson quotes is left out.
    """
    if not learning.in_words:
        shown = sorted(learning.known.shown, key=lambda each: not each.general)
        return (
            shown[0].text(learning.tool, sessions=learning.sessions)
            if shown
            else learning.error_pattern
        )
    pattern = _beginning(learning.error_pattern)
    bare = learning.origin is not Origin.USER and _FORGES.search(pattern) is None
    quoted = pattern if bare else json.dumps(pattern, ensure_ascii=False)
    parts = (
        ("" if _quotes(learning.fix, pattern) else pattern, quoted),
        (learning.diagnosis, f"cause: {learning.diagnosis}"),
        (learning.fix, f"fix: {learning.fix} (trust {shown_trust(learning.trust)})"),
    )
    return "; ".join(text for given, text in parts if given)


def _quotes(fix: str, pattern: str) -> bool:
    """Whether a fix holds nearly all words of a pattern."""
    words, said = _WORD.findall(_PLACEHOLDER.sub("", pattern)), set(_WORD.findall(fix))
    return sum(word in said for word in words) > 0.8 * len(words)


def _beginning(pattern: str) -> str:
    words = pattern.split()
    if len(words) <= _MOST_WORDS and len(pattern) <= _LONGEST:
        return pattern
    return f"{' '.join(words[:_MOST_WORDS])[:_LONGEST]} ..."
