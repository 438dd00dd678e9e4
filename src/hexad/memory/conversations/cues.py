"""Plain statements that no table is sure about: "Approvals now go to Petra". They are proposed, or the agent decides.

The cues stand in `cues.txt`. They say that a sentence may be worth keeping, never that it is: nothing that only a cue
marks is saved without a person.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

from hexad.model import Category

_FILE: Final = Path(__file__).with_name("cues.txt")
_SIGNS: Final = {
    "{name}": r"[\w' /-]{2,40}?[ ]?",
    "{value}": r"(?-i:\S*[A-Z0-9]\S*|\S+\.\w\S*)",
}
_LONGEST: Final = 200  # characters of a sentence
_SHORTEST: Final = 8
_UNCLEAR: Final = re.compile(  # what is about the task at hand
    r"(?i)\b(?:following|below|above|this|these|here|answer|errors?|output|result|question|text|essay|sentence"
    r"|function|class|example|hier|dies\w*|folgende\w*|ci-dessous|suivant\w*|siguiente\w*|est[ae]s?|ces?|cette)\b"
    r"|[{}=<>|\\]|以下|上面|这个|次の|以下の|この|다음|이것"
)


def cue(sentence: str) -> Category | None:
    """Whether a sentence may be a rule or a fact that lasts.

    >>> cue("Approvals now go to Petra"), cue("The NAS is atlas.lan"), cue("The result is 42")
    (<Category.RULE: 'rule'>, <Category.FACT: 'fact'>, None)
    """
    text = sentence.strip()
    if not _SHORTEST <= len(text) <= _LONGEST or text.endswith(("?", "？", ":")) or _UNCLEAR.search(text):
        return None
    return next((category for category, pattern in _cues() if pattern.match(text)), None)


@cache
def _cues() -> tuple[tuple[Category, re.Pattern[str]], ...]:
    """Every pattern with its group, in the order of the file."""
    found = list[tuple[Category, re.Pattern[str]]]()
    category = Category.FACT
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            category = Category(line[1:].partition(" ")[0])
        elif line and not line.startswith("#"):
            for sign, meaning in _SIGNS.items():
                line = line.replace(sign, meaning)  # noqa: PLW2901 - the same pattern, written out
            found.append((category, re.compile(line, re.IGNORECASE)))
    return tuple(found)
