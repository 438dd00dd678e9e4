"""Code in another language with the texts put together that it builds, and what its names stand for.

The code is searched and rewritten, not understood. What comes of a text that cannot be put together is left as it
stands: whoever reads it has to take it for unknown.
"""

from __future__ import annotations

import re
from typing import Final

from hexad.skills.shell.code_building import LONGEST_TEXT, RULES
from hexad.skills.shell.code_parts import TS, Code, T, without_texts
from hexad.skills.shell.paths import place
from hexad.skills.shell.values import HOME

MOST_ROUNDS: Final = 12
FEW_ROUNDS: Final = 3  # for code that is long
LONG: Final = 8_192
_ASSIGNED: Final = re.compile(
    rf"(?:^|(?<=[;{{(\n:,\s]))(?:const |let |var |my |our |local |val |static |final |"
    rf"auto )?(?:[A-Za-z]\w*(?:\[\])?\*? )?"
    rf"([$@]?[A-Za-z_]\w*)(?: ?: ?\w+)? ?(:?=|<-|\+=|\.=|<<) ?{T}(?= ?(?:[;,\n)}}&|]|$|and\b|if\b|in\b|do\b))"
)
_ASSIGNED_BY_WORDS: Final = re.compile(rf"\((?:setq|defvar|define|def|let) \(?\(?([\w-]+) ()\(?{T}\)")
_IN_TURN: Final = re.compile(
    rf"\bfor(?:each)? ?\(?(?:const |let |my |var )?([$@]?[A-Za-z_]\w*) (?:in|"
    rf"of) [\[(]? ?({TS}) ?[\])]?(?= ?[:{{\n);\]]| do\b)"
)
_ANOTHER_NAME: Final = re.compile(
    r"(?:(?:^|(?<=[;{(\n,\s]))(?P<name>\$?[A-Za-z_]\w*) ?= ?(?P<what>[A-Za-z_][\w.:]*\.\w+)(?= ?(?:[;,\n)]|$))|"
    r"\bimport (?P<old>\w+) as (?P<new>\w+))"
)


def taken_apart(code: str, language: str) -> Code:
    """Code with the texts that it builds put together."""
    found = Code(language)
    found.skeleton = without_texts(found, re.sub("[\x0e\x0f]", "", code))
    for _ in range(MOST_ROUNDS if len(code) < LONG else FEW_ROUNDS):
        before = found.skeleton
        for sign, pattern, change in RULES:
            if sign in found.skeleton:
                found.skeleton = pattern.sub(lambda match, change=change: change(found, match), found.skeleton)  # type: ignore[misc]
        _exchange_names(found)
        if found.skeleton == before:
            break
    return found


def _exchange_names(found: Code) -> None:
    """Put what a name stands for where the name stands, if that is a text or another name."""
    values: dict[str, list[str]] = {}
    for match in _ASSIGNED.finditer(found.skeleton):
        kept = values.setdefault(match[1], [])
        adds = match[2] in {"+=", ".=", "<<"} and kept
        kept.append((kept[-1] if adds else "") + found.get(match[3]))
        if adds:
            del kept[:-1]
    for match in _ASSIGNED_BY_WORDS.finditer(found.skeleton):
        values.setdefault(match[1], []).append(found.get(match[3]))
    for match in _IN_TURN.finditer(found.skeleton):
        values.setdefault(match[1], []).extend(found.all(match[2]))
    stands: dict[str, str] = {}
    for name, texts in values.items():
        if name not in _WORDS and len(texts[-1]) <= LONGEST_TEXT:
            stands[name] = found.put(max(texts, key=_weight) if len(texts) > 1 else texts[0])
    for match in _ANOTHER_NAME.finditer(found.skeleton):
        if match["new"] or match["name"] not in values:
            stands[match["new"] or match["name"]] = match["old"] or match["what"]
    if stands:
        names = "|".join(sorted(map(re.escape, stands), key=len, reverse=True))
        used = re.compile(
            rf"(?<![\w.$@>])({names})(?![\w])(?! ?(?::?=(?!=)|<-|\+=|\.=|<<|: ?\w+ ?=)| (?:in|of)\b)(?! as\b)"
        )
        found.skeleton = used.sub(lambda match: stands[match[1]], found.skeleton)


_WORDS: Final = frozenset(
    {"import", "from", "for", "if", "in", "do", "def", "sub", "print", "as", "shell", "mode", "encoding"}
)


def _weight(text: str) -> int:
    """How much harm a text can do as a path: the worst that a name may stand for counts."""
    where = place(HOME + text[1:] if text.startswith("~") else text or ".")
    return 3 if where.is_vital else 2 if where.is_disk else 1 if where.is_outside else 0
