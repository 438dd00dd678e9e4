"""Reads a remedy from a call that failed, its error, and the call of the same tool that worked after it.

An argument that merely differed is no part of a remedy: its form must differ, or the error must name the new value or
the argument. A change that takes rights or turns a check off makes the whole difference none.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.learning.arguments.shapes import CONSTANT, error_in, read
from hexad.learning.differences.commands import takes_rights
from hexad.learning.differences.edits import edits
from hexad.learning.differences.forms import is_strong
from hexad.learning.errors.advice import About, Said, about, is_dangerous, said, wait_of
from hexad.learning.remedy import (
    Change,
    ChangedArguments,
    Prerequisite,
    Retry,
    Seen,
    Stated,
    change_sentence,
    name_of,
    quoted,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.learning.arguments.shapes import Argument
    from hexad.learning.remedy import Remedy, Shapes
    from hexad.store.learning import Call

_MOST_CHANGES: Final = 16
_SHORTEST_VALUE: Final = 2  # characters; shorter texts are part of many words
_EXPECTS: Final = re.compile(
    r"(?i)\bmust\b|\bone of\b|choose from|\bexpected?\b|\brequired?\b|\bshould\b|\bmissing\b|\bonly\b"
    r"|\bat (?:least|most)\b|\brange\b"
)
_OFF: Final = frozenset(
    {"false", "off", "no", "none", "disable", "disabled", "0", "never", "skip", "allow", "insecure"}
)
_CHECKS: Final = re.compile(
    r"(?i)verif|ssl|tls|cert|check|secure|lock|auth|sandbox|protect|safe|valid|strict|confirm|sign"
)
_OVERRIDES: Final = re.compile(
    r"(?i)force|insecure|unsafe|skip|ignore|bypass|override|sudo|as_?root|admin|cascade|no_?verify|privileged"
)
_WORDS: Final = re.compile(r"[^\W_]{2,}")


def mined(failed: Call, worked: Shapes, between: Sequence[Call], waited: float) -> Remedy | None:
    """The difference between a call that failed and a later one, with the arguments ``worked``, that succeeded.

    None if other values are all that differs, or if the call that worked took rights or turned a check off.
    """
    error = error_in(failed.arguments)
    arguments = read(failed.arguments)
    told, kind = said(error, _values(arguments)), about(error)
    changes, idle, dangerous = _changes(arguments, worked, error, kind)
    helper = next((call.tool for call in between if call.ok and call.tool != failed.tool), "")
    if changes:
        helps = _expects(told, error) or (kind is About.FORM and not _is_clear(changes, error))
        return ChangedArguments(changes, said=told.text if told.hint or helps else "")
    if helper:
        return Prerequisite(helper)
    stated_words = stated(error, arguments)
    if stated_words is None and idle and kind is About.FORM and told.text and not dangerous:
        stated_words = Stated(told.text)
    return stated_words or (None if idle else Retry(max(0, round(waited))))


def stated(error: str, arguments: Shapes) -> Stated | None:
    """What an error asks for by itself: a wait, a hint, or the form that it expects."""
    wait = wait_of(error)
    if wait.seconds:
        return Stated(wait.text, wait.seconds)
    told = said(error, _values(arguments))
    return Stated(told.text) if told.hint or _expects(told, error) else None


def _is_clear(changes: Sequence[Change], error: str) -> bool:
    """Whether changes speak for themselves: structured ones, in words that the error has too."""
    words = {word.casefold() for change in changes for word in _WORDS.findall(change_sentence(change))}
    return not any(change.how for change in changes) and not words.isdisjoint(_WORDS.findall(error.casefold()))


def _values(arguments: Shapes) -> list[str]:
    """The texts of a call, which a fix does not repeat."""
    return [each.text for each in arguments.values() if len(each.text) > _SHORTEST_VALUE]


def _expects(told: Said, error: str) -> bool:
    return about(error) is About.FORM and _EXPECTS.search(told.text) is not None


class _Difference(NamedTuple):
    """The changes that say something to do; whether there are others, and whether one takes rights (then none do)."""

    telling: tuple[Change, ...]
    idle: bool
    dangerous: bool


def _changes(before: Shapes, after: Shapes, error: str, kind: About) -> _Difference:
    paths = [path for path in sorted({*before, *after}) if before.get(path) != after.get(path)][:_MOST_CHANGES]
    found = {path: _change(path, before.get(path), after.get(path), error, kind) for path in paths}
    dangerous = any(_takes_rights(path, before.get(path), after.get(path)) for path in paths)
    telling = [path for path in paths if not dangerous and found[path].says and _is_cause(found[path], error, kind)]
    return _Difference(
        tuple(_to_the_point([found[each] for each in telling], before, error)), len(telling) < len(paths), dangerous
    )


def _change(path: str, old: Argument | None, new: Argument | None, error: str, kind: About) -> Change:
    change = Change(path=path, before=old.shape if old else "", after=new.shape if new else "")
    if old is not None and new is not None:
        change = replace(change, how=_how(path, old, new, error, kind))
    constant = new is not None and new.value is not None and new.shape in CONSTANT and not change.how
    return replace(change, value=new.value, seen=Seen.ONCE) if new is not None and constant else change


def _how(path: str, old: Argument, new: Argument, error: str, kind: About) -> str:
    """What to do with an argument, in words: with its text, or as the value that the error names."""
    name = quoted(name_of(path))
    if old.text and new.text:
        return "; ".join(edits(name, old.text, new.text, error, kind))
    value = None if isinstance(new.value, bool) else new.value
    shown = value is not None and re.search(rf"(?<![\w.]){re.escape(str(value))}(?![\w.])", error)
    return f"give {name} as {json.dumps(value, ensure_ascii=False)}" if shown and old.shape == new.shape else ""


def _is_cause(change: Change, error: str, kind: About) -> bool:
    """Whether a change can be why the call worked. If the error is not about the call, it has to name the argument."""
    if change.how or kind is About.FORM:
        return True
    if change.op != "replace":
        return _is_named(change.path, error)
    return is_strong(change.after) and (is_strong(change.before) or _is_named(change.path, error))


def _is_named(path: str, error: str) -> bool:
    last = name_of(path).rsplit(".", 1)[-1]
    return re.search(rf"(?<![\w-]){re.escape(last)}(?![\w-])", error, re.IGNORECASE) is not None


def _to_the_point(found: Sequence[Change], before: Shapes, error: str) -> list[Change]:
    """Without the replaced arguments that the error is not about, if it names others or their values."""

    def named(change: Change) -> bool:
        old = before.get(change.path)
        return _is_named(change.path, error) or (
            old is not None and len(old.text) > _SHORTEST_VALUE and old.text in error
        )

    alike = {(change.before, change.after) for change in found if named(change)}
    return [each for each in found if not alike or each.op != "replace" or (each.before, each.after) in alike]


def _takes_rights(path: str, old: Argument | None, new: Argument | None) -> bool:
    """Whether an argument now takes rights or turns a check off."""
    value = "" if new is None else str(new.value if new.value is not None else new.text)
    before = "" if old is None else str(old.value if old.value is not None else old.text)
    off = value.casefold() in _OFF and _CHECKS.search(path) is not None
    on = value.casefold() not in _OFF and new is not None and _OVERRIDES.search(path) is not None
    return off or on or (is_dangerous(value) and not is_dangerous(before)) or takes_rights(before, value)
