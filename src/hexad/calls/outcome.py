"""The outcome of a tool call: whether it worked, and the text of its error."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from hexad.calls.arguments import is_secret
from hexad.calls.commands import shell_text
from hexad.calls.error_text import (
    attribute,
    bad_code,
    failure_message,
    telling,
    text_of,
    unrepeated,
)
from hexad.calls.error_words import ends, words_of
from hexad.calls.masking import WILD
from hexad.calls.privacy import REDACTED
from hexad.calls.verbatim import verbatim
from hexad.memory.redaction import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad.calls.error_words import Words

    FailureRule: TypeAlias = Callable[[object], str | None]

_FAILED_STATUS: Final = frozenset({"error", "failed", "failure"})
_ERROR_KEPT: Final = (
    1000  # characters of an error in which the words of an example are looked for
)
_LONGEST_SAID: Final = 300
_LONGEST_BODY: Final = 1 << 16  # characters of a text that is read as JSON
_LONGEST_NAME: Final = 64
_SHORTEST_SECRET: Final = 4
_LARGE: Final = re.compile(
    r"(?<!than )(?<!most )(?<!least )\b\d{5,}\b"
)  # a number that is no limit
_TO_LAST_WORD: Final = re.compile(r"(?s)(.*\w)")
_CANCELLED: Final = frozenset({"CancelledError", "Cancelled"})


class Passing(dict[str, Any]):
    """A tool's answer that says nothing about the tool: a limit is reached, or the
    store is locked.

    Such a call is not recorded: it would become a learning that nobody needs, or wait
    for the same lock.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One call of a tool. Its error and summary hold no secrets, and are bounded."""

    tool: str
    session: str | None = None
    ok: bool = True
    error: str = ""
    telling: str = ""  # the line of the error that tells what went wrong
    words: Words = ()
    said: str = ""  # the agent's own sentence before the call
    given: object = field(default=None, repr=False)  # the arguments themselves
    problem: object = field(default=None, repr=False)  # the error itself
    result: object = field(default=None, repr=False)  # of a success

    @property
    def kept(self) -> dict[str, Any]:
        """The arguments as evidence keeps them."""
        return verbatim(self.tool, self.given)

    @property
    def trigger(self) -> str:
        """The trigger of learnings about this tool."""
        return trigger_of(self.tool)


def trigger_of(tool: str) -> str:
    """The trigger of learnings about a tool; a trigger is returned as it is.

    >>> trigger_of("deploy"), trigger_of("tool:deploy")
    ('tool:deploy', 'tool:deploy')
    """
    return tool if tool.startswith("tool:") else f"tool:{tool}"


def outcome_of(
    tool: str,
    arguments: object,
    result: object,
    error: object,
    *,
    session: str | None,
    failure: FailureRule | None,
    said: str = "",
) -> Outcome:
    """The outcome of a call. ``error`` is an exception or a text; without one,
    ``failure`` judges the result.
    """
    problem = error if error is not None else failure_of(result, failure)
    sentence = redact(" ".join(said.split())[:_LONGEST_SAID]).text if said else ""
    if problem is None:
        return Outcome(
            tool=tool, session=session, given=arguments, result=result, said=sentence
        )
    text = _without_secrets(text_of(problem), arguments)
    given = list(arguments.values()) if isinstance(arguments, Mapping) else []
    of_a_shell = shell_text(arguments) is not None
    told = telling(text, given, of_a_shell=of_a_shell) if "\n" in text else text
    return Outcome(
        tool=tool,
        session=session,
        given=arguments,
        ok=False,
        error=ends(_without_numbers(unrepeated(text, given), given), _ERROR_KEPT),
        telling=_without_numbers(unrepeated(told, given), given)[:_ERROR_KEPT],
        words=words_of(_without_names(told, given)),
        problem=problem,
        said=sentence,
    )


def _without_secrets(error: str, arguments: object) -> str:
    """An error without the values of arguments that are secret by their names."""
    for name, value in arguments.items() if isinstance(arguments, Mapping) else ():
        if (
            isinstance(value, str)
            and len(value) >= _SHORTEST_SECRET
            and value in error
            and is_secret(str(name), value)
        ):
            error = error.replace(value, REDACTED)
    return error


def _without_numbers(error: str, given: Sequence[object]) -> str:
    """An error without the large numbers that the call gave: accounts, identifiers."""
    if _LARGE.search(error) is None:
        return error
    held = (
        each.values() if type(each) is dict else each if type(each) is list else (each,)
        for each in given
    )
    numbers = {str(each) for part in held for each in part if type(each) is int}
    return _LARGE.sub(lambda found: "…" if found[0] in numbers else found[0], error)


def _without_names(error: str, given: Sequence[object]) -> str:
    """An error without the names that the call gave and that stand behind a colon or at
    its end: they are values.
    """
    names = [
        each
        for each in given
        if isinstance(each, str) and 1 < len(each) < _LONGEST_NAME
    ]
    words = [each for each in names if each.isalpha() and each in error]
    end = _TO_LAST_WORD.match(error) if words else None
    last = next(
        (
            each
            for each in words
            if end is not None and end[1].endswith((f" {each}", f"={each}"))
        ),
        None,
    )
    if last is not None:
        error = f"{error.rpartition(last)[0]}{WILD}"
    for each in names:
        if f": {each}" in error and (each[0].isupper() or not each.isascii()):
            error = re.sub(rf"(?<=: ){re.escape(each)}(?![\w-])", WILD, error)
    return error


def failure_of(result: object, rule: FailureRule | None) -> object:
    """The failure that a rule sees in a result, if any; a rule that raises sees none."""
    try:
        return (rule or reported_failure)(result)
    except Exception:  # noqa: BLE001 - neither rule nor result is ours, and the tool did return
        return None


def reported_failure(result: object) -> str | None:
    """The failure that a result reports in one of the usual ways, or None. This is the
    default rule.

    A mapping, or a text that is one in JSON, with a true ``error``, with ``status``
    "error", "failed" or "failure", with a true ``is_error`` or ``isError``, with ``ok``
    or ``success`` that is False, or with an exit code such as ``returncode`` other than
    0; an object with a true ``is_error`` or ``isError``, or with such a code.

    >>> reported_failure({"error": "no such channel"}), reported_failure('{"status": "ok", "error": null}')
    ('no such channel', None)
    """
    if (
        isinstance(result, str)
        and len(result) <= _LONGEST_BODY
        and result.lstrip().startswith("{")
    ):
        with suppress(ValueError, RecursionError):
            result = json.loads(result)
    if isinstance(result, Mapping):
        return _failure_in(result)
    if result is None or isinstance(result, str | bytes | int | float | list | tuple):
        return None
    code = bad_code(result)
    if (
        attribute(result, "is_error") is True
        or attribute(result, "isError") is True
        or code is not None
    ):
        held = {
            name: attribute(result, name)
            for name in ("error", "message", "content", "stderr", "output")
        }
        return failure_message(held, code)
    return None


def _failure_in(result: Mapping[Any, Any]) -> str | None:
    get, status, code = result.get, result.get("status"), bad_code(result)
    named = isinstance(status, str) and status.casefold() in _FAILED_STATUS
    flagged = (
        get("is_error") is True
        or get("isError") is True
        or get("ok") is False
        or get("success") is False
    )
    return (
        failure_message(result, code)
        if get("error") or named or flagged or code is not None
        else None
    )


def says_nothing(result: object, error: BaseException | None) -> bool:
    """Whether the end of a call says nothing about the tool: it was cancelled, or its
    answer is `Passing`.
    """
    if error is None:
        return isinstance(result, Passing)
    return not isinstance(error, Exception) or type(error).__name__ in _CANCELLED
