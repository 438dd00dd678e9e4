"""The instruction that turns a text that failed into the one that worked; shell commands word by word.

Program, subcommand, options, operands, and commands that ran before. An option that is all that was added is the
reason, unless it only shows more or takes something away; of several changes the error has to name one.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from hexad.learning.errors.advice import Cause, Failure, is_dangerous
from hexad.learning.fixes.commands import (
    OPTION,
    SETTING,
    WHERE,
    base,
    commands,
    failed_command,
    is_command,
    is_operand,
    is_subcommand,
    option_name,
    shown_option,
    verb,
)
from hexad.learning.fixes.differences import (
    DEFINED,
    OF_A_RUN,
    is_general,
    is_kin,
    is_near,
    is_same,
    is_typo,
    isshown,
    letters,
    mentions,
    names,
    text_edits,
    word_edits,
)
from hexad.learning.fixes.programs import (
    DESTROYS,
    ERASES,
    IDLE,
    INSTALLS,
    LOOKS,
    PREPARES,
    SHOWS,
    TAKES_AWAY,
    TAKES_BACK,
    WITH_SUBCOMMANDS,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from hexad.learning.fixes.commands import Command

_SHORT_PART: Final = 4  # letters of a part of a value that an error may have by chance
_MOST: Final = 4  # edits of one text that are named
_HEADER: Final = re.compile(r"[A-Z][A-Za-z-]+(?:: [a-z]+/[a-z.+-]+$|(?=: ))")
_CREDENTIAL: Final = re.compile("^-[iuUpWHa]|^--.*(?:cert|-ca|key|token|pass|secret|auth|identity|login)")
_OUTPUT: Final = re.compile(
    "-[vqsxz]+|-vv+|--(?:verbose|debug|quiet|silent|trace|coverage|watch|web|bail|ci|color|colour|json|human-readable|pretty|tb|pdb|tail|follow)"
)
_MARKER: Final = re.compile(r"[\w-]+\.(?:json|toml|mod|ya?ml|xml|gradle)\b")  # a file that belongs to a project
_EXISTS: Final = re.compile(r"(?i)already (?:exists|in use)|still in use")
_GUARD: Final = re.compile(
    r"(?i)--?(?:W|D|audit|dry|check|frozen|immutable|lock|strict|verify|safe|no-|exit|fail|limit|max)"
)
_CONFIRMS: Final = re.compile(r"-y|--(?:assume-)?yes|-?-auto-approve|--no-(?:input|confirm|interaction)")
_ASKS: Final = re.compile(r"(?is)^(?!.*(?:overwrite|delete|destroy|remove it)).*\by(?:es)?/no?\b")  # for an answer
_SHELL: Final = re.compile(r"^(?:/bin/)?[a-z]*sh: (?=.*not found)")  # it says that a program is missing
_ADVISES: Final = r"(?i)(?:(?:us(?:e|ing)|try|run(?:ning)?|instead|call|with|via)\b[^.\n]{{0,40}}?\s|[`'\"]){}(?![\w-])"
_QUOTES: Final = {"'": "single quotes", '"': "double quotes", "`": "backticks"}
_QUOTED: Final = re.compile(r"(['\"`])(.+?)\1")
_PLACE: Final = re.compile("add `(-n|--(?:namespace|region|zone|project|context|cluster|workspace))`")
_ASKED: Final = re.compile(r"""(?:add|set|use) `([^`]+)`(?! around)|(?:give|write) \S+ as "([^"…]+)""")
_FIRST: Final = re.compile(r"(?<=`)[^`]+(?=`(?: and `| first))")  # the commands of "run … first"


def edits(name: str, before: str, after: str, failure: Failure) -> Sequence[str]:
    """The instruction that turns a text that failed into the one that worked; empty if nothing is to be said of it."""
    old, new = commands(before), commands(after)
    found: Iterable[str]
    if before != after and is_same(before, after):
        found = () if re.search("(?i)(?:single|double)[ -]quote", failure.text) else _quote_edits(name, before, after)
    elif old and new and any(is_command(name, each, failure.text) for each in (before, after)):
        found = _command_edits(old, new, failure)
    elif re.search(r"[\s(]", before + after):
        reserved = _quote_edits(name, before, after) if "syntax" in failure.text else ()
        named = [each for each in reserved if names_one(failure.text, each)]
        found = [*text_edits(name, before, after, failure), *named]
    else:
        found = word_edits(name, before, after, failure)
    return [each for each in dict.fromkeys(found) if not is_dangerous(each) and "REPLACE" not in each][:_MOST]


def is_done(how: str, text: str, ran: Callable[[str], bool]) -> bool:
    """Whether a text has the words that edits name, as far as they name some; ``ran`` knows the commands before it."""
    for each in how.split("; "):
        asked, gone = _ASKED.match(each), re.match("remove `([^`]+)`", each)
        before = [one for one in _FIRST.findall(each) if not ran(one)] if each.startswith("run ") else ()
        wanted = (asked[1] or asked[2]).split() if asked else " ".join(before).split()
        if not all(word in text for word in wanted) or (gone and names(text, gone[1])):
            return False
    return True


def _quote_edits(name: str, before: str, after: str) -> Iterator[str]:
    """Quotes that were added or changed."""
    known = {piece for _, piece in _QUOTED.findall(before)}
    for sign, piece in _QUOTED.findall(after):
        around = f" around `{piece}`" if isshown(piece, "") else ""
        if f"{sign}{piece}{sign}" not in before:
            yield (
                f"use {_QUOTES[sign]}{around}"
                if piece in known
                else f"put {_QUOTES[sign]}{around or f' around a value of {name}'}"
            )


def _command_edits(old: Sequence[Command], new: Sequence[Command], failure: Failure) -> Iterator[str]:
    """The commands that ran before the failed one, then the edits of it."""
    failed = failed_command(old, failure.text)
    place = max(range(len(new)), key=lambda at: (_likeness(failed, new[at]), at))
    now = new[place]
    if failed[0].startswith("./") and "ermission denied" in failure.text and failed[0][2:] in (now[1:2] or [""])[0]:
        yield f"use `{base(now[0])} …` instead of `./…`"
        return
    if not _likeness(failed, now):
        name = base(now[0])
        advised = re.search(_ADVISES.format(re.escape(name)), _SHELL.sub("", failure.text))
        if advised and name != base(failed[0]) and name not in DESTROYS and PREPARES.isdisjoint(now[1:3]):
            yield f"use `{shown(now, failure.text)}` instead of `{base(failed[0])}`"
        return
    marked = failure.cause in {Cause.CALL, Cause.OTHER} and _MARKER.search(failure.text)
    lost = failure.cause is Cause.ABSENT or marked
    there = place == 1 and new[0][0] == "cd" and list(now) == list(failed)
    moved = lost and there and "command not found" not in failure.text
    if moved and len(new[0]) == 2:
        marker = _MARKER.search(failure.text)
        folder = new[0][1] if re.fullmatch(r"\w+", new[0][1]) else "…"
        yield f"run `cd {folder}` first, to be in the folder {f'with `{marker[0]}`' if marker else f'of `{now[0]}`'}"
    if any(takes_away(each) or (each not in old and not ERASES.isdisjoint(each[:4])) for each in new[:place]):
        return
    ran = {base(each[0]) for each in old if not verb(each)}
    fresh = [each for each in new[:place] if each not in old and base(each[0]) not in ran]
    first = [shown(each, failure.text, failed[0]) for each in fresh]
    same = {base(failed[0]), *failed}
    idle = IDLE | {"source", "eval"}  # of the latter two only alone: they say nothing then
    first = [
        each for each in first if not (each in idle or each.split()[0] in IDLE | SHOWS or same.issuperset(each.split()))
    ]
    if failure.cause is Cause.ABSENT:  # `git stash` brings no file
        useful = [PREPARES & {*words} or words[0] not in WITH_SUBCOMMANDS for words in map(str.split, first)]
        first = [each for each, use in zip(first, useful, strict=True) if use or names_one(failure.text, f"`{each}`")]
    if first:
        yield f"run {' and '.join(f'`{each}`' for each in first[:3])} first"
    changed = [*_changed_words(failed, now, failure)]
    named = [each for each in changed if names_one(failure.text, each)]
    exchanged = [word for word in failed[1:] if is_operand(word) and not any(is_kin(word, each) for each in now)]
    yield from (each for each in changed if each in named or not (named or exchanged) or not each.startswith("add "))


def value_of(how: str, before: str, after: str) -> str:
    """The value of an added option that says where something is, if it is a plain word and was not there before."""
    option = _PLACE.fullmatch(how)
    found = option and re.search(rf"(?<!\S){option[1]}[ =]([a-z][a-z0-9-]{{1,30}})(?!\S)", after)
    value = found[1] if found else ""
    plain = isshown(value, "") and not re.search("admin|root|trusted|^all$|^none$", value)
    return value if plain and value not in before.split() else ""


def is_addition(edit: str) -> bool:
    """Whether something came to a command, which may be no part of the reason."""
    return edit.startswith(("add `", "run `cd ", "set `"))


def names_one(error: str, edit: str) -> bool:
    """Whether an error has one of the words that an edit names."""
    named = re.findall("`([^`]+)`", edit.partition(" for `")[0])
    return any(mentions(error, word) for phrase in named for word in phrase.split())


def _likeness(one: Command, other: Command) -> float:
    """How alike two commands are; 0 if one is not an edit of the other."""
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    if base(one[0]) == base(other[0]):
        old, new = verb(one), verb(other)
        things = [word for word in one[1:] if word != old]
        same_things = bool(things) and all(any(is_kin(word, each) for each in other) for word in things)
        return 1 + ratio if old == new or same_things or is_near(old, new) else 0
    short, long = sorted((base(one[0]), name := base(other[0])), key=len)
    kin = long.startswith(short) or (short == "sh" and long.endswith(short)) or names(" ".join(one), name)
    things, same = ([word for word in each[1:] if is_operand(word)] for each in (one, other))
    same_rest = (len(things) > 1 and things == same[-len(things) :]) or (
        kin and one[1:] and (set(one[1:]) <= set(other) or (one[1:2] == other[1:2] and long[len(short) :].isdigit()))
    )
    run_by = list(other[-len(one) :]) == [one[0].removeprefix("./"), *one[1:]] and PREPARES.isdisjoint(other[1:3])
    instead = (name not in LOOKS and (same_rest or run_by)) or one[0].split("-") == list(other[:2])
    typed = is_near(*(re.sub(r"(?<=[a-z])[\d.]+$", "", each[0]) for each in (one, other)))  # `pyton`, `python3`
    return ratio if name not in DESTROYS and (instead or typed) else 0


def _changed_words(old: Command, new: Command, failure: Failure) -> Iterator[str]:
    """Word by word."""
    one, other = verb(old), verb(new)
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = list(old[a:b]), list(new[c:d])
        if kind == "equal":
            continue
        if a == 0 and come:  # another program, or the program through another
            safe = not any(map(_CREDENTIAL.search, come))
            whole = safe and len(gone) < 2 and all(isshown(each, failure.text) for each in come[1:])
            head = [base(each) for each in (come if whole else come[:1])] + ([] if gone else [old[0]])
            yield from [f"use `{' '.join(head)}` instead of `{base(old[0])}`"] * (head != [base(old[0])])
            gone, come = gone[1:], [] if whole else come[1:]
        for word in sorted(come, key=lambda word: not any(is_near(each, word) for each in gone)):
            alike = [each for each in gone if (is_operand(each), each == one) == (is_operand(word), word == other)]
            out = next((each for each in alike if is_near(each, word)), next(iter(alike), ""))
            gone = [each for each in gone if each != out]
            yield from _replaced(out, word, new, failure) if out else _added(word, new, old, failure)
        gone = [each for each in gone if failure.of_the_call or not is_operand(each)]
        unsure = failure.cause is Cause.OTHER or _EXISTS.search(failure.text)  # `-b` for a branch that exists
        sole = unsure and len(old) == len(new) + 1 and set(new) <= set(old)
        yield from (
            f"remove `{shown_option(out, old[0])}`"
            for out in gone
            if mentions(failure.text, out) or (sole and not is_operand(out) and not _GUARD.match(out))
        )


def takes_away(command: Command) -> bool:
    """Whether a command deletes something, or takes changes back."""
    return any(map(TAKES_AWAY.search, command[:4])) or TAKES_BACK.search(" ".join(command)) is not None


def is_instead(verb: str, error: str) -> bool:
    """Whether a subcommand changes what another one found there already: `set-url` instead of `add`."""
    return (
        bool(_EXISTS.search(error))
        and TAKES_AWAY.search(verb) is None
        and re.fullmatch("get|list|describe|show|status|view|info|rm|overwrite|replace", verb) is None
    )


def _replaced(out: str, word: str, new: Command, failure: Failure) -> Iterator[str]:
    place, error = new.index(word), failure.text
    if is_typo(out, word) and names(error, out):
        yield f"use `{word}` instead of `{out}`"
    elif not is_operand(out) and option_name(out) == option_name(word):
        if "=" not in out and "expected one argument" in error:
            yield f"write `{out}=…`, with `=`"
            return
        values = out.partition("=")[2], word.partition("=")[2]
        known = names(error, word)
        yield from (
            [f"use `{word}` instead of `{out}`"] if known else word_edits(f"`{option_name(out)}`", *values, failure)
        )
    elif not is_operand(out) or is_subcommand(new, place):
        named = mentions(error, word) or (not is_operand(out) and mentions(error, out))
        changes = is_subcommand(new, place) and is_instead(word, error)
        together = re.fullmatch("-[A-Za-z]{2,4}", out) and len(set(out) ^ set(word)) < 3 and word[1:2] != "-"
        sole = together and failure.cause not in {Cause.PASSING, Cause.RESULT}
        if named or changes or sole or ((together or is_near(out, word)) and DEFINED.search(error)):
            whole = word if letters(out) == letters(word) else option_name(word)
            other = changes or (is_operand(out) and not is_near(out, word))
            program = " ".join((base(new[0]), *new[1:place], "")) if other and is_operand(out) else ""
            yield f"use `{program}{whole}` instead of `{program}{option_name(out)}`"
    elif " " in out:
        yield from text_edits("", out, word, failure)
    elif _is_missing(out, word, new, error):
        yield f"use `{word}` instead of `{out}`"
    elif letters(out) == letters(word) and failure.of_the_call and out not in error and is_general(word, error):
        yield f"write `{out}` as `{word}`"
    elif begun := _beginning(out, word, error):
        yield begun
    else:
        option = "" if is_operand(new[place - 1]) else f"`{new[place - 1]}`"
        yield from list(word_edits(option, out, word, failure)) or word_edits("", out, word, failure)


def _beginning(out: str, word: str, error: str) -> str:
    """The beginning that a word got: the scheme of an address, or the type of a thing (`deployment/…`)."""
    if "://" in word and "://" not in out and word.rpartition("/")[2] == out.rpartition("/")[2]:
        return f'write the address as "{word.partition("://")[0]}://…"'
    typed = re.fullmatch(f"([a-z]+/){re.escape(out)}", word) if names(error, out) else None
    return f"write the name as `{typed[1]}…`" if typed and re.search(r"\b(?:type|kind)\b", error) else ""


def _is_missing(out: str, word: str, new: Command, error: str) -> bool:
    """Whether a program was not found, or a package that has a longer name."""
    longer = INSTALLS & set(new[1:3]) and {out, *out.split("[")} & set(re.split("[-_]", word)) and names(error, out)
    missing = re.search(rf"\b{re.escape(out)}['\"]?: (?:executable file|command) not found", error)
    return missing is not None or (bool(longer) and is_general(word, error))


def _added(word: str, new: Command, old: Command, failure: Failure) -> Iterator[str]:
    """A setting; an option, with its value if that is the same everywhere; an operand that the error names."""
    place, error = new.index(word), failure.text
    if SETTING.fullmatch(word):
        given = new[place - 1] in {"-e", "--env", "--build-arg"}
        if given or re.search("BACKTRACE|LOG|DEBUG|VERBOSE|TRACE", option_name(word)):
            return
        yield f"set `{word if names(error, word) else option_name(word)}` for `{base(new[0])}`"
    elif not is_operand(word):
        rest = new[place + 1 : place + 2]
        after = next((each for each in rest if each != "--" and not any(is_kin(one, each) for one in old)), "")
        value = after or word.partition("=")[2]
        header = _HEADER.match(value)
        sole = [each for each in new if each not in {word, after}] == [*old]  # nothing else has changed
        reason = _is_the_reason(word, "" if header else value, failure, sole=sole) or _says_where(word, after, failure)
        parts = (part for part in re.split("[/:=.]", value) if len(part) > _SHORT_PART)
        signed_in = header is not None and header[0] == "Authorization" and "uthenticat" in error
        likely = reason or signed_in or mentions(error, word) or any(names(error, part) for part in parts)
        unasked = (_CONFIRMS.fullmatch(word) and not _ASKS.search(error)) or (
            takes_away(new) and not mentions(error, word)
        )
        if not likely or unasked or option_name(word) in map(option_name, old) or word.lstrip("-") in old:
            return
        shown = header[0] if header else value if names(error, value) and isshown(value, error) else ""
        more = new[place + 2 : place + 3]  # a branch, of one run
        shown = f"{shown} …" if shown and more and is_operand(more[0]) and more[0] not in old else shown
        secret = OPTION.sub(lambda found: f" with a {found[2]}" if found[2] else "", word)
        name = shown_option(word, new[0])
        yield f"add `{name} {shown}`" if shown else f"add `{name}`{secret}"
    elif not word:
        yield f"add an empty `''` after `{new[place - 1]}` of `{base(new[0])}`"
    elif word == "." and re.search("(?i)requires|missing|argument", error):
        yield "add `.`"
    elif word == "--" and "argument" in error:
        following = new[place + 1 : place + 2]
        yield "add `--` before the argument" if any(map(is_operand, following)) else f"add `-- {' '.join(following)}`"
    elif is_operand(new[place - 1]) and word.isalpha():
        missing = place == 1 and re.search(r"(?i)<(?:sub)?command>", error)
        if missing or (names(error, word) and error.count(word) == 1):
            yield f"add `{word}`"


def _says_where(option: str, value: str, failure: Failure) -> bool:
    """Whether an added option says where to look for what was not found, or to which host to connect."""
    host = re.search("(?i)connect", failure.text) and re.match("-h|--host", option)
    where = WHERE.fullmatch(option_name(option)) and (value or "=" in option)
    return bool(where and (host or failure.cause is Cause.ABSENT))


def _is_the_reason(option: str, value: str, failure: Failure, *, sole: bool) -> bool:
    """Whether an added option that the error does not name can be why the command worked.

    One with a value of its own may select something else, unless it is the ``sole`` change. Only credentials help
    against a refusal; against what passes by itself, what the error is about.
    """
    if failure.cause is Cause.PASSING:
        error = failure.text.casefold().replace("timed out", "timeout")
        return sole and any(part in error for part in re.split(r"\W+", option_name(option).casefold()) if len(part) > 3)
    if failure.cause is Cause.REFUSED:
        return _CREDENTIAL.search(option) is not None
    if _OUTPUT.fullmatch(option_name(option)) and not value:  # somebody wants to see more, or less
        return False
    return sole or failure.of_the_call or (failure.cause is not Cause.RESULT and not value)


def shown(command: Command, error: str, beside: str = "") -> str:
    """A command without the words that belong to one run; ``beside`` is the program of the command after it."""
    general = command[0] in {"source", "eval"} or INSTALLS & set(command[1:3])
    kept, whole = [base(command[0])], True
    for place, word in enumerate(command[1:], start=1):
        if not is_operand(word) or SETTING.fullmatch(word):
            kept.append(option_name(word))
        elif (
            is_subcommand(command, place)
            or command[place - 1] == "-m"
            or (place < 3 and word in PREPARES)
            or (place == 1 and re.fullmatch(r"[\w-]+\.(?:py|sh|js|ts|rb)", word) and set(command) & PREPARES)
            or (place == 1 and command[0] in {beside, "chmod", "make"} and re.fullmatch(r"\w+|[+=\w]+", word))
            or (whole and isshown(word, error) and (general or names(error, word)) and not OF_A_RUN.match(word))
        ):
            kept.append(word)
        else:
            whole = False  # a part of what follows would be another thing
            if kept[1:] and not is_operand(command[place - 1]):
                kept.pop()  # an option without its value says nothing
    return " ".join(dict.fromkeys(kept))
