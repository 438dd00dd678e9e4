"""Commands that make a failed one work: an agent runs them by themselves, then tries again.

A command prepares another if its verb says so (`install`, `build`, `start`, `login`), or if the error names one of its
words; never if it only looks, destroys something or takes rights.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.learning.errors.advice import Cause, Failure, is_dangerous
from hexad.learning.fixes.commands import base, commands, failed_command, is_operand
from hexad.learning.fixes.differences import is_near
from hexad.learning.fixes.edits import shown, takes_away
from hexad.learning.fixes.programs import ADMITS, DESTROYS, FETCHES, IDLE, PREPARES, SHOWS, STARTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hexad.learning.fixes.commands import Command

_FOR: Final = {Cause.PASSING: STARTS, Cause.REFUSED: ADMITS, Cause.RESULT: FETCHES}  # verbs that help against it
MISSING: Final = re.compile(
    r"(?i)not (?:found|installed)|missing|cannot find|no (?:required )?module|unresolved import"
)


def preparation(ran: Sequence[str], text: str, failure: Failure, *, sure: bool) -> str:
    """The commands to run before one that failed, of those that ran until it worked; empty if that is not clear.

    Without ``sure``, and of several, only those that the error names count.
    """
    failed = failed_command(commands(text), failure.text)
    found: dict[str, bool] = {}
    every = [each for one in ran for each in commands(one)]
    for each in () if any(map(takes_away, every)) else every:
        words_shown = shown(each, failure.text, failed[0])
        words = [word for word in words_shown.split()[1:] if word not in failed[1:] and is_operand(word)]
        named = any(re.search(rf"(?i)(?<![\w-]){re.escape(word)}", failure.text) for word in words if len(word) > 2)
        prepares = _prepares(each, words, failure)
        enough = named and " " in words_shown and failure.cause is not Cause.RESULT
        if (prepares or enough) and not _is_idle(each):
            found[words_shown] = named
    certain = [each for each, named in found.items() if named]
    chosen = certain or (list(found) if sure and len(found) == 1 else [])
    return f"run {' and '.join(f'`{each}`' for each in chosen)} first" if 0 < len(chosen) < 3 else ""


def _prepares(command: Command, words: Sequence[str], failure: Failure) -> bool:
    """Whether the verb of a command can help against such an error."""
    name, cause = base(command[0]), failure.cause
    if cause is Cause.RESULT and not MISSING.search(failure.text):
        return False
    rights = r"\+x|\b[4-7]00\b" if re.search("(?i)permission", failure.text) else r"\+x"
    made = re.match("create|init", name) or (name == "chmod" and re.search(rights, " ".join(command)))
    return bool(made) or helps((name, *words), cause)


def helps(words: Iterable[str], cause: Cause) -> bool:
    """Whether one of the words is a verb that helps against such an error."""
    verbs = _FOR.get(cause, PREPARES | {"upgrade", "rollback"})
    return any(part.casefold() in verbs for word in words for part in re.split("[._-]", word))


def _is_idle(command: Command) -> bool:
    """Whether a command looks, destroys or takes rights."""
    name, looks = base(command[0]), not SHOWS.isdisjoint(command[:2]) and command[0] != "go"
    idle = looks or name in IDLE or is_dangerous(" ".join(command))
    return idle or (name != "chmod" and name in DESTROYS)


def is_preparation(text: str, before: str, error: str) -> bool:
    """Whether a command with another verb comes before the failed one, and does not replace it."""
    found, failed = commands(text), commands(before)
    return len(found) == 1 and bool(failed) and _comes_first(found[0], failed_command(failed, error), error)


def _comes_first(now: Command, failed: Command, error: str) -> bool:
    before = (re.search(rf"(?i)\b{re.escape(word)}\b[^.\n]{{0,40}}\b(?:before|first)\b", error) for word in now[1:3])
    own = (*failed[1:3], "", "")
    verbs = [
        (word, each) for word, asked, each in zip(now[1:3], before, own, strict=False) if asked or word in PREPARES
    ]
    fresh = [word for word, each in verbs if not is_near(each, word)]
    replaced = (re.search(rf"(?i)(?:use|instead)\b[^.\n]{{0,40}}\b{word}\b", error) for word in fresh)
    other = base(now[0]) == base(failed[0]) and bool({*fresh} - {*failed})
    return other and (not any(replaced) or re.search(r"\b(?:before|first)\b", error) is not None)
