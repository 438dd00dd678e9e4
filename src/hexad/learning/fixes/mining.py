"""Reads a fix from a call that failed, its error, and the call of the same tool that worked after it.

An argument that merely differed is no part of a fix: its form must differ, or the error must name the new value or
the argument. If one change takes rights or turns a check off, there is no fix.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from hexad.learning.arguments.fingerprints import commands_in
from hexad.learning.arguments.privacy import names_secret
from hexad.learning.arguments.shapes import Argument, error_in, is_strong, read
from hexad.learning.errors.advice import Cause, Failure, said, wait_of
from hexad.learning.fixes.commands import failed_program, is_command, operands, programs, takes_rights
from hexad.learning.fixes.differences import affix_change, is_edit, is_near, is_same, mentions, names, sign_change
from hexad.learning.fixes.edits import edits, is_addition, is_instead, names_one, value_of
from hexad.learning.fixes.fix import (
    Change,
    ChangedArguments,
    Retry,
    StatedWait,
    StatedWords,
    ToolFirst,
    name_of,
    quoted,
)
from hexad.learning.fixes.preparations import MISSING, helps, is_preparation, preparation
from hexad.learning.fixes.programs import TAKES_AWAY

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from hexad.learning.fixes.fix import Fix, Shapes
    from hexad.store.learning import Call

_MOST_CHANGES: Final = 16
_DATE: Final = re.compile("YYYY|HH:")  # shapes that say the form exactly
_EXAMPLE: Final = re.compile(r"\be\.g\.|\bsuch as\b|\bISO[ -]?\d|\bfor example\b")  # of what an error expects
_POSITION: Final = re.compile(r"\bline \d+,? col(?:umn)? \d+|yaml: line \d+|: \d+:\d+: ")  # in a file that is read
_FILE: Final = re.compile(r"/|\.[a-z]\w{1,4}$")
_REQUIRED: Final = re.compile(r"(?i)\b\w+ (?:is )?required\b|\bmissing \w")  # it says what
_NO_MATCH: Final = re.compile(r"(?i)\b(?:string|text|old_str\w*)\b[^.\n]{0,30}\bnot found")
_LONGEST_NAMED: Final = 60
_SHORTEST_NAME: Final = 5
_SHORTEST_VALUE: Final = 2  # characters; shorter texts are part of many words
_LOOKING: Final = re.compile(  # tools by name
    "(?i)read|get|list|search|grep|glob|find|view|look|show|todo|think|web|screenshot|snapshot"
)
_SHELL: Final = re.compile(r"(?i)exec(?:ute)?|(?:\w+_)?(?:bash|shell|sh|terminal|command|cmd|powershell)(?:_\w+)?")
_LOOKING_UP: Final = re.compile("(?i)list|search|find|look|get|query")
_ACTION: Final = re.compile(r"(?:/|_)(?:action|method|operation|op|endpoint)$")  # arguments that name a step
_BODIES: Final = frozenset({"/data", "/json", "/params", "/files", "/content"})  # as clients of HTTP call them
_WORDS: Final = re.compile('[`"]([^`"]+)[`"]')  # that a sentence names


def mined(failed: Call, worked: Shapes, between: Sequence[Call], waited: float) -> Fix | None:
    """The difference between a call that failed and a later one, with the arguments ``worked``, that succeeded.

    None if other values are all that differs, or if the call that worked took rights or turned a check off. If the
    tool worked in between, with something else, only an edited command counts.
    """
    before = read(failed.arguments)
    failure = _failure(error_in(failed.arguments), before)
    worked = _of_next_attempt(failed, worked, between)
    if failure.cause is Cause.RESULT and _is_wrapped(before, worked) and MISSING.search(failure.text):
        failure = failure._replace(cause=Cause.OTHER)
    before, worked = _as_objects(before, worked), _as_objects(worked, before)
    commands = {path for path, held in before.items() if is_command(path, held.text, failure.text)}
    if _looks(steps_in(worked)) and not _looks(steps_in(before)) and "ethod" not in failure.text:
        return None
    others = {call.tool for call in between if call.ok and not _looks(commands_in(call.arguments))}
    first = _preparation(failed, before, worked, between, failure)
    if not first and (failure.cause is Cause.RESULT or (failed.tool in others and not commands)):
        return None
    changed = [path for path in sorted({*before, *worked}) if before.get(path) != worked.get(path)]
    written = {path for path in changed if _plain(before.get(path)) or _plain(worked.get(path))}
    prose = {path for path in written - commands if commands & {*changed} or not _is_named(path, failure.text)}
    paths = [path for path in changed if not commands or path not in prose][:_MOST_CHANGES]
    dangerous = any(takes_rights(path, _plain(before.get(path)), _plain(worked.get(path))) for path in paths)
    changes = first or ([] if dangerous else _changes(paths, before, worked, failure))
    if not first and any(not _LOOKING.match(tool) for tool in others - {failed.tool}):  # a file may have been edited
        changes = [each for each in changes if not is_addition(each.how) or names_one(failure.text, each.how)]
    if changes:
        return ChangedArguments(tuple(changes), "" if first else _said_of(changes, failure, before))
    if len(others) == 1 and not commands and _is_needed(other := others.pop(), failure, changed=bool(paths)):
        return ToolFirst(other)  # of several tools nobody knows which one helped
    if not paths:
        passing = failure.cause is Cause.PASSING and not wait_of(failure.text).seconds
        return Retry(max(0, round(waited), _slept(between))) if passing else None
    texts = {path: (_plain(before.get(path)), _plain(worked.get(path))) for path in paths}
    edited = all(is_edit(*each) for path, each in texts.items() if path in commands or _FILE.search(each[0]))
    about = {name_of(path).rpartition(".")[2] for path in paths if _is_named(path, failure.text)} or paths
    asked = stated(failure.text, before, of_form=edited and not dangerous and len(about) == 1)
    return None if any(_is_first(before[path], worked.get(path), failure.text) for path in commands) else asked


def _looks(steps: Mapping[str, str]) -> bool:
    """Whether a request only reads."""
    return steps.get("/method", "").upper() in {"GET", "HEAD"}


def _slept(between: Sequence[Call]) -> int:
    """The seconds for which commands in between did nothing but wait."""
    texts = (text for call in between if call.ok for text in commands_in(call.arguments).values())
    found = filter(None, (re.fullmatch(r"sleep (\d{1,4})([sm]?)", text) for text in texts))
    return sum(int(each[1]) * (60 if each[2] == "m" else 1) for each in found)


def _is_needed(tool: str, failure: Failure, *, changed: bool) -> bool:
    """Whether a tool that worked in between can be why: the error names it, it does something, or looks up a value."""
    if failure.cause in {Cause.PASSING, Cause.RESULT} or TAKES_AWAY.search(tool) or _SHELL.fullmatch(tool):
        return False  # a shell may have done anything
    if any(part.casefold() in failure.text.casefold() for part in re.split(r"[\W_]", tool) if len(part) > 3):
        return True
    looks_up = _LOOKING_UP.match(tool) is not None and failure.cause is Cause.ABSENT
    return looks_up if changed else _LOOKING.match(tool) is None


def _of_next_attempt(failed: Call, worked: Shapes, between: Sequence[Call]) -> Shapes:
    """The arguments that worked, without what changed after another error of the tool: that is a fix for the other."""
    others = (
        call for call in reversed(between) if call.tool == failed.tool and call.learning not in {"", failed.learning}
    )
    before, tried = read(failed.arguments), read(next((call.arguments for call in others), ""))
    both = {path: (before if tried.get(path) == before.get(path) else worked).get(path) for path in {*before, *worked}}
    changed = {path: each for path, each in both.items() if each is not None}
    return worked if not tried or changed == before else changed


def _as_objects(arguments: Shapes, other: Shapes) -> dict[str, Argument]:
    """Arguments of which those that are no object in the other call, or no body there, are seen as a whole."""
    others = [path for path, each in other.items() if path not in arguments and each.shape != "object"]
    others += [body for body in sorted(_BODIES) if not any(f"{path}/".startswith(f"{body}/") for path in other)]
    whole = [path for path in others if any(each.startswith(f"{path}/") for each in arguments)]
    kept = {path: each for path, each in arguments.items() if not any(path.startswith(f"{one}/") for one in whole)}
    return {**kept, **dict.fromkeys(whole, Argument("object"))}


def _is_wrapped(before: Shapes, worked: Shapes) -> bool:
    """Whether a command was run by another program: `python -m pytest` instead of `pytest`."""
    return any(
        each.text and worked[path].text.endswith(f" {each.text}") for path, each in before.items() if path in worked
    )


def _is_first(old: Argument, new: Argument | None, error: str) -> bool:
    """Whether a command runs another program than the failed one, or prepares for it."""
    text = "" if new is None else new.text
    return not set(programs(old.text)) & set(programs(text)) or is_preparation(text, old.text, error)


def _preparation(
    failed: Call, before: Shapes, worked: Shapes, between: Sequence[Call], failure: Failure
) -> list[Change]:
    """The commands that ran before a failed command worked unchanged or had another error, if they can be the reason.

    Other tools that did more than look may be the reason too; then the error has to name a word of the command.
    """
    tool, known = failed.tool, failed.learning
    until = takewhile(lambda call: call.tool != tool or call.learning in {"", known}, reversed(between))
    done = [commands_in(call.arguments) for call in until if call.ok]
    others = {call.tool for call in between if call.ok and call.tool != tool}
    for path, old in before.items() if any(done) else ():
        ran = [each[path] for each in done if path in each]
        if ran and path in worked and is_same(worked[path].text, old.text):
            looked = all(map(_LOOKING.match, others))
            command = is_command(path, old.text, failure.text)
            how = preparation(ran, old.text, failure, sure=looked) if command else ""
            if not command and looked and worked == before and helps(ran, failure.cause) and len({*ran}) == 1:
                how = f'call it with {quoted(name_of(path))} "{ran[0]}" first'
            return [_described(path, old, old, how, failure)] if how else []
    return []


def steps_in(arguments: Shapes) -> dict[str, str]:
    """The arguments of a call that say what it does: shell commands, and the name of an action."""
    return {
        path: each.text
        for path, each in arguments.items()
        if each.text
        and (
            is_command(path, each.text, "")
            or (_ACTION.search(path) and re.fullmatch(r"[\w.]{2,40}", each.text))
            or re.fullmatch("(?i)rollback;?", each.text)
        )
    }


def is_retry(failed: Call, now: Shapes, at: datetime) -> bool:
    """Whether a call does what a failed one did: a shell the same program, after the time that the error states."""
    error = error_in(failed.arguments)
    same = all(
        path in now and set(programs(each.text)) & set(programs(now[path].text))
        for path, each in read(failed.arguments).items()
        if is_command(path, each.text, error)
    )
    return same and (at - failed.at).total_seconds() >= wait_of(error).seconds


def stated(error: str, arguments: Shapes, *, of_form: bool = False) -> Fix | None:
    """The demand of the error itself: a wait, something to do, or the form that it expects."""
    wait = wait_of(error)
    if wait.seconds:
        return StatedWait.of(wait)
    words = said(error, _values(arguments, error))
    expects = (words.expects or (of_form and words.malformed)) and _failure(error, arguments).of_the_call
    return StatedWords(words.text) if words.text and (words.hint or expects) else None


def _failure(error: str, arguments: Shapes) -> Failure:
    """An error with what it is about: a position is in a file that a command reads, and not in the command."""
    failure = Failure.of(error)
    commands = any(is_command(path, each.text, error) for path, each in arguments.items())
    return failure._replace(cause=Cause.RESULT) if commands and _POSITION.search(error) else failure


def _values(arguments: Shapes, error: str) -> list[str]:
    """The texts and operands of a call, which a fix does not repeat."""
    words = (word for path, each in arguments.items() for word in (each.text, *operands(path, each.text, error)))
    return [each for each in words if len(each) > _SHORTEST_VALUE]


def _plain(argument: Argument | None) -> str:
    return "" if argument is None or argument.value is None else str(argument.value)


def _said_of(changes: Sequence[Change], failure: Failure, before: Shapes) -> str:
    """The error's own words about changes of form; where words of a text changed, those say it."""
    words = said(failure.text, _values(before, failure.text))
    clear = all(_DATE.search(change.after) or " instead of " in change.how for change in changes)
    if clear or _EXAMPLE.search(words.text):
        return words.text if failure.of_the_call and _EXAMPLE.search(words.text) else ""
    hint = words.hint and not any(change.how for change in changes)
    return words.text if hint or (failure.of_the_call and (words.expects or words.malformed)) else ""


def _changes(paths: Sequence[str], before: Shapes, worked: Shapes, failure: Failure) -> list[Change]:
    """The changes that can be why the call worked: of several arguments those that the error names, if it names some.

    Of an argument whose parts moved, or that got another name, both ends count.
    """
    found = [_change(each, before.get(each), worked.get(each), failure) for each in paths]
    advised = said(failure.text, _values(before, failure.text)).hint
    whole = {path: next(each for each in paths if f"{path}/".startswith(f"{each}/")) for path in paths}  # sorted
    lists = {path for path in paths if worked.get(path, Argument("")).shape == "list of object"}  # new ones, as a whole
    found = [each for each in found if each.path in lists or whole[each.path] not in lists]
    paths_now = {f"{each.path}/" for each in found if each.op == "add"}
    found = [
        each for each in found if each.op != "remove" or not any(one.startswith(f"{each.path}/") for one in paths_now)
    ]
    error, own = failure.text, {path: _plain(before.get(path)) for path in {*before, *worked}}
    repeated = {path for path, text in own.items() if 0 < len(text) < _LONGEST_NAMED and names(error, text)}
    known = {path for path in own if path in paths or not own[path]}  # a private one may have changed too
    named = {whole.get(path, path) for path in known if path in repeated or _is_named(path, error)}
    moved = {whole[each.path]: each.op for each in found if each.op != "replace"}
    renamed = sorted(moved.values()) == ["add", "remove"]
    gone, come = ([path for path, op in moved.items() if op == kind] for kind in ("remove", "add"))
    bodies = renamed and failure.of_the_call and {*gone, *come} <= _BODIES
    again = renamed and (gone[0] in named or (come[0] in named and is_near(gone[0], come[0])))
    both = {*moved} if bodies or again else set()
    causes = [each for each in found if each.says and (_is_cause(each, failure) or whole[each.path] in both)]
    causes = [each for each in causes if not advised or not _is_another_way(each, failure)]
    sole = renamed or (len({*whole.values()}) == 1 and not _REQUIRED.search(error))
    admits = {each.path for each in causes if failure.cause is Cause.REFUSED and names_secret((name_of(each.path),))}
    wanted = [
        each for each in causes if sole or each.op == "replace" or {whole[each.path], each.path} & (named | admits)
    ]
    about = named | both
    steps = [each for each in wanted if each.how.startswith("run ") or (each.how and _ACTION.search(each.path))]
    return [each for each in wanted if not about or whole[each.path] in about or each in steps]


def _change(path: str, old: Argument | None, new: Argument | None, failure: Failure) -> Change:
    how = _how(path, old, new, failure) if old is not None and new is not None else ""
    if old is not None and (old.shape, new) == ("number", Argument("whole number")):  # a large one: in another unit
        new = old
    return _described(path, old, new, how, failure)


def _described(path: str, old: Argument | None, new: Argument | None, how: str, failure: Failure) -> Change:
    """A change in words, with those of them that the error has: it is no fix for errors without them."""
    words = [each for each in _WORDS.findall(how) if each != name_of(path)]
    if how.startswith("run "):
        words = [word for each in words for word in each.split()[1:] if names(failure.text, word)]
    named = tuple(dict.fromkeys(each for each in words if each in failure.text))
    of = failed_program(old.text, failure.text) if old and how and is_command(path, old.text, failure.text) else ""
    one, other = old.shape if old else "", new.shape if new else ""
    value = value_of(how, old.text, new.text) if of and old and new else ""
    return Change(path=path, before=one, after=other, how=how, named=named, of=of, value=value)


def _how(path: str, old: Argument, new: Argument, failure: Failure) -> str:
    """The fix of a text, or of a time that was too short, in words."""
    name = quoted(name_of(path))
    one, other = old.value, new.value
    if isinstance(one, int | float) and one and other == one * 100 and failure.of_the_call:
        return f"give {name} times 100, as a whole number"
    if failure.cause is Cause.PASSING and isinstance(one, int | float) and isinstance(other, int | float):
        return f"raise {name}" if one < other and _is_named(path, failure.text) else ""
    if old.text and _ACTION.search(path) and is_instead(new.text, failure.text):
        return f'give {name} as "{new.text}"'
    if old.text and new.text and old.shape != new.shape and is_strong(new.shape):
        sign = sign_change(name, old.text, new.text) if failure.of_the_call else ""
        return affix_change(name, old.text, new.text) or sign  # else the shapes say it
    elsewhere = _NO_MATCH.search(failure.text)  # of a text in a file: another text is another place
    if not old.text or not new.text or elsewhere or is_preparation(new.text, old.text, failure.text):
        return ""
    return "; ".join(edits(name, old.text, new.text, failure))


def _is_cause(change: Change, failure: Failure) -> bool:
    """Whether a change can be why the call worked. If the error is not about the call, it has to name the argument."""
    if change.how or failure.of_the_call:
        return True
    if change.op != "replace":
        words = (each.rstrip("s") for each in name_of(change.path).split("_") if len(each) > _SHORTEST_NAME)
        about = "/headers/" in change.path.lower() or any(each in failure.text.casefold() for each in words)
        if failure.cause is Cause.OTHER and about:  # `follow_redirects` and "redirect"
            return True
        credentials = failure.cause is Cause.REFUSED and change.op == "add" and names_secret((name_of(change.path),))
        return credentials or _is_named(change.path, failure.text)
    kinds = {Cause.OTHER: "list|object|whole number$|number$", Cause.ABSENT: "list"}
    other_type = re.match(kinds.get(failure.cause, r"\Z"), change.after)
    formal = other_type or is_strong(change.before) or _is_named(change.path, failure.text)
    return is_strong(change.after) and bool(formal)


def _is_another_way(change: Change, failure: Failure) -> bool:
    """Whether a changed command has no word of an error that says itself what to do."""
    words = (word for phrase in _WORDS.findall(change.how) for word in phrase.split()[change.how.startswith("run ") :])
    return change.how.startswith(("run ", "add ")) and not any(mentions(failure.text, each) for each in words)


def _is_named(path: str, error: str) -> bool:
    name = name_of(path).rsplit(".", 1)[-1]
    start = "" if len(name) > _SHORTEST_NAME else r"(?<![^\W_])"  # a longer one may end a name such as `ReadTimeout`
    error = error.replace(" codec ", " encoding ").replace("timed out", "timeout").replace("time zone", "timezone tz")
    return re.search(rf"{start}{re.escape(name)}(?![\w-])", error, re.IGNORECASE) is not None
