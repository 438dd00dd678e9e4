"""Reads a remedy from a call that failed, its error, and the call of the same tool that worked after it.

An argument that merely differed is no part of a remedy: its form must differ, or the error must name the new value or
the argument. If one change takes rights or turns a check off, there is no remedy.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hexad.learning.arguments.shapes import CONSTANT, error_in, is_strong, read
from hexad.learning.differences import affix_change, edits, names, takes_rights
from hexad.learning.errors.advice import Failure, said, wait_of
from hexad.learning.remedy import Change, ChangedArguments, Prerequisite, Retry, Seen, Stated, name_of, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexad.learning.arguments.shapes import Argument
    from hexad.learning.remedy import Remedy, Shapes
    from hexad.store.learning import Call

_MOST_CHANGES: Final = 16
_FORM: Final = re.compile(r"(?i)valid|format|incorrect|convert|between|allowed|mismatch|limit")
_DATE: Final = re.compile("YYYY|HH:")  # shapes that say the form exactly
_SHORTEST_VALUE: Final = 2  # characters; shorter texts are part of many words


def mined(failed: Call, worked: Shapes, between: Sequence[Call], waited: float) -> Remedy | None:
    """The difference between a call that failed and a later one, with the arguments ``worked``, that succeeded.

    None if other values are all that differs, or if the call that worked took rights or turned a check off.
    """
    failure, before = Failure.of(error_in(failed.arguments)), read(failed.arguments)
    paths = [path for path in sorted({*before, *worked}) if before.get(path) != worked.get(path)][:_MOST_CHANGES]
    dangerous = any(takes_rights(path, _plain(before.get(path)), _plain(worked.get(path))) for path in paths)
    found = [] if dangerous else [_change(each, before.get(each), worked.get(each), failure) for each in paths]
    changes = _to_the_point([each for each in found if each.says and _is_cause(each, failure)], before, failure)
    words = said(failure.text, _values(before))
    if changes:
        clear = all(_DATE.search(change.after) for change in changes)
        telling = words.expects or _FORM.search(words.text) or any(change.how for change in changes)
        helps = words.hint or (failure.of_the_call and telling and not clear)
        return ChangedArguments(tuple(changes), said=words.text if helps else "")
    helper = next((call.tool for call in between if call.ok and call.tool != failed.tool), "")
    if helper:
        return Prerequisite(helper)
    asked = stated(failure.text, before)
    if not paths and (asked is None or (failure.of_the_call and not asked.seconds)):
        return Retry(max(0, round(waited)))
    if asked is not None:
        return asked
    of_form = _FORM.search(words.text) or any(" " in before[path].text for path in paths if path in before)
    return Stated(words.text) if of_form and failure.of_the_call and words.text and not dangerous else None


def stated(error: str, arguments: Shapes) -> Stated | None:
    """The demand of the error itself: a wait, something to do, or the form that it expects."""
    wait = wait_of(error)
    if wait.seconds:
        return Stated(wait.text, wait.seconds)
    words = said(error, _values(arguments))
    return Stated(words.text) if words.hint or (words.expects and Failure.of(error).of_the_call) else None


def _values(arguments: Shapes) -> list[str]:
    """The texts of a call, which a fix does not repeat."""
    return [each.text for each in arguments.values() if len(each.text) > _SHORTEST_VALUE]


def _plain(argument: Argument | None) -> str:
    return "" if argument is None else argument.text or str(argument.value)


def _change(path: str, old: Argument | None, new: Argument | None, failure: Failure) -> Change:
    change = Change(path=path, before=old.shape if old else "", after=new.shape if new else "")
    if old is not None and new is not None:
        change = replace(change, how=_how(path, old, new, failure))
    constant = new is not None and new.value is not None and new.shape in CONSTANT and not change.how
    return replace(change, value=new.value, seen=Seen.ONCE) if new is not None and constant else change


def _how(path: str, old: Argument, new: Argument, failure: Failure) -> str:
    """An instruction for an argument, in words: with its text, or as the value that the error names."""
    name = quoted(name_of(path))
    if old.text and new.text and old.shape != new.shape and is_strong(new.shape):
        return affix_change(name, old.text, new.text)  # else the shapes say it
    if old.text and new.text:
        return "; ".join(edits(name, old.text, new.text, failure))
    shown = new.value is not None and not isinstance(new.value, bool) and names(failure.text, str(new.value))
    return f"give {name} as {json.dumps(new.value, ensure_ascii=False)}" if shown and old.shape == new.shape else ""


def _is_cause(change: Change, failure: Failure) -> bool:
    """Whether a change can be why the call worked. If the error is not about the call, it has to name the argument."""
    if change.how or failure.of_the_call:
        return True
    if change.op != "replace":
        return _is_named(change.path, failure.text)
    return is_strong(change.after) and (is_strong(change.before) or _is_named(change.path, failure.text))


def _is_named(path: str, error: str) -> bool:
    return (
        re.search(rf"(?<![\w-]){re.escape(name_of(path).rsplit('.', 1)[-1])}(?![\w-])", error, re.IGNORECASE)
        is not None
    )


def _to_the_point(found: Sequence[Change], before: Shapes, failure: Failure) -> list[Change]:
    """Without the replaced arguments that the error is not about, if it names others or their values."""

    def named(change: Change) -> bool:
        old = before.get(change.path)
        return _is_named(change.path, failure.text) or (
            old is not None and len(old.text) > _SHORTEST_VALUE and old.text in failure.text
        )

    alike = {(change.before, change.after) for change in found if named(change)}
    return [each for each in found if not alike or each.op != "replace" or (each.before, each.after) in alike]
