"""The difference between two texts as something to do: words of a command, the form of a value, a typing error.

Shell commands are compared word by word: program, subcommand, options, operands, and commands that ran before. A word
that replaced another is named if the error names one of the two, or if one is a typing error in something that a
program or a language defines; never if it belongs to one run (a path, a secret, an identifier).
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from hexad.learning.arguments.shapes import in_words, is_strong, shape_of
from hexad.learning.commands import (
    OPTION,
    SETTING,
    base,
    commands,
    failed_command,
    is_command,
    is_operand,
    is_subcommand,
    option_name,
    verb,
)
from hexad.learning.errors.advice import Cause, Failure, is_dangerous
from hexad.learning.errors.masking import mask_run
from hexad.learning.programs import DESTROYS, IDLE, INSTALLS, LOOKS, PREPARES, TAKES_AWAY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad.learning.commands import Command

_MOST: Final = 4  # edits of one text that are named
_MOST_OF_CODE: Final = 2  # edits of a query or program: more, and it is another one
_LONGEST_WORD, _LONGEST_AFFIX = 40, 12
_KIN: Final = 0.4  # of the words of two texts: less, and one is no edit of the other
_NEAR, _KIND, _SHORT = 0.75, 0.7, 4  # of the letters of two words; in two short ones more have to be the same
_HEADER: Final = re.compile(r"[A-Z][A-Za-z-]+(?:: [a-z]+/[a-z.+-]+$|(?=: ))")
_TOKEN: Final = re.compile(r"[\w$@#.-]+|[^\w\s]")
_PLAIN: Final = re.compile(r"(?:--)?[A-Za-z_][\w:-]*|[A-Za-z_]\w*\.[A-Za-z_]\w*|\d+(?:\.\d+)+")
_STANDARD: Final = re.compile(
    r"(?:application|text|image|multipart)/[a-z.+-]+|utf-?8|latin-?1|GET|POST|PUT|PATCH|DELETE"
)
_DEFINED: Final = re.compile(  # errors about a word that a program, a schema or a language defines
    r"(?i)command|option|flag|switch|argument|predicate|target|script|operation|keyword|syntax|column|table|relation"
    r"|function|attribute|module|protocol|format|\btypes?\b|field|propert|variable|phase|\btask|not defined"
    r"|recogni[sz]ed|filter|KeyError|encoder|codec"
)
_CREDENTIAL: Final = re.compile("^-[iuUpWHa]|^--.*(?:cert|-ca|key|token|pass|secret|auth|identity|login)")
_OUTPUT: Final = re.compile(
    "-[vqsxz]+|-vv+|--(?:verbose|debug|quiet|silent|trace|color|colour|json|human-readable|pretty|tb|pdb|tail|follow)"
)
_WHERE: Final = re.compile(  # options that say where something is
    "-[nCRwh]|--(?:namespace|region|profile|project|repo|manifest-path|prefix|workspace|host|context|chdir|cwd)"
)
_MARKER: Final = re.compile(r"[\w-]+\.(?:json|toml|mod|ya?ml|xml|gradle)\b")  # a file that belongs to a project
_ONE_OF: Final = re.compile(r"(?i)\bone of\b|choose from|(?:allowed|valid|possible|supported) \w+:|['\"\w] or ['\"]")
_EXISTS: Final = re.compile(r"(?i)already (?:exists|in use)|still in use")
_UNDEFINED: Final = (  # what a language or a library does not have
    r"(?i)no such function: {0}\b|function {0}\(.*\) does not exist|unexpected keyword argument '{0}'"
    r"|no attribute '{0}'"
)
_GUARD: Final = re.compile(
    r"(?i)--?(?:W|D|audit|dry|check|frozen|immutable|lock|strict|verify|safe|no-|exit|fail|limit|max)"
)
_CONFIRMS: Final = re.compile(r"-y|--(?:assume-)?yes|-?-auto-approve|--no-(?:input|confirm|interaction)")
_ASKS: Final = re.compile(r"(?is)^(?!.*(?:overwrite|delete|destroy|remove it)).*\by(?:es)?/no?\b")  # for an answer
_HARMLESS: Final = re.compile(
    r"(?i)if (?:not )?exists|on conflict(?: \( \w+ \))? do nothing|or ignore"
)  # clauses that change no data
_SHELL: Final = re.compile(r"^(?:/bin/)?[a-z]*sh: (?=.*not found)")  # it says that a program is missing
_ADVISES: Final = r"(?i)(?:(?:us(?:e|ing)|try|run(?:ning)?|instead|call|with|via)\b[^.\n]{{0,40}}?\s|[`'\"]){}(?![\w-])"
_OF_A_RUN: Final = re.compile(r"(?!\.?\w*venv/bin/activate$)(?:.*/\w|.*\w\.(?!txt$)[A-Za-z])")  # paths and files
_QUOTES: Final = {"'": "single quotes", '"': "double quotes", "`": "backticks"}
_MARKS: Final = re.compile(r"[\"'`\\]")
_QUOTED: Final = re.compile(r"(['\"`])(.+?)\1")
_ASKED: Final = re.compile(r"""(?:add|set|use) `([^`]+)`(?! around)|(?:give|write) \S+ as "([^"…]+)""")
_FIRST: Final = re.compile(r"(?<=`)[^`]+(?=`(?: and `| first))")  # the commands of "run … first"


def edits(name: str, before: str, after: str, failure: Failure) -> Sequence[str]:
    """The instruction that turns a text that failed into the one that worked; empty if nothing is to be said of it."""
    old, new = commands(before), commands(after)
    if before != after and is_same(before, after):
        found = _quote_edits(name, before, after)
    elif old and new and any(is_command(name, each, failure.text) for each in (before, after)):
        found = _command_edits(old, new, failure)
    elif re.search(r"[\s(]", before + after):
        found = _text_edits(name, before, after, failure)
    else:
        found = _word_edits(name, before, after, failure)
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


def _says(shown: str) -> bool:
    """Whether a command says something, as far as it is shown."""
    return shown.split(maxsplit=1)[0] not in IDLE and shown not in {"source", "eval"}


def is_same(one: str, other: str) -> bool:
    """Whether two texts are the same but for quotes."""
    return _MARKS.sub("", one) == _MARKS.sub("", other)


def is_edit(before: str, after: str) -> bool:
    """Whether each word that changed is an edit of the word that it replaced, and none is another one."""
    old, new = before.split(), after.split()
    pairs = [
        (" ".join(old[a:b]), " ".join(new[c:d]))
        for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if kind == "replace"
    ]
    return all(SequenceMatcher(None, *each, autojunk=False).ratio() >= _KIN for each in pairs)


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
        if advised and name != base(failed[0]) and name not in DESTROYS:
            yield f"use `{shown(now, failure.text)}` instead of `{base(failed[0])}`"
        return
    marked = failure.cause in {Cause.CALL, Cause.OTHER} and _MARKER.search(failure.text)
    lost = failure.cause is Cause.ABSENT or marked
    moved = (
        lost
        and "command not found" not in failure.text
        and place == 1
        and new[0][0] == "cd"
        and list(now) == list(failed)
    )
    if moved and len(new[0]) == 2:
        marker = _MARKER.search(failure.text)
        folder = new[0][1] if re.fullmatch(r"\w+", new[0][1]) else "…"
        yield f"run `cd {folder}` first, to be in the folder {f'with `{marker[0]}`' if marker else f'of `{now[0]}`'}"
    if any(takes_away(each) for each in new[:place]):
        return
    first = [shown(each, failure.text, failed[0]) for each in new[:place] if each not in old]
    same = {base(failed[0]), *failed}
    first = [each for each in first if _says(each) and not same.issuperset(each.split())]
    if first:
        yield f"run {' and '.join(f'`{each}`' for each in first[:3])} first"
    changed = [*_changed_words(failed, now, failure)]
    named = [each for each in changed if names_one(failure.text, each)]
    exchanged = [word for word in failed[1:] if is_operand(word) and not any(_is_kin(word, each) for each in now)]
    yield from (each for each in changed if each in named or not (named or exchanged) or not each.startswith("add "))


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
        same_things = bool(things) and all(any(_is_kin(word, each) for each in other) for word in things)
        return 1 + ratio if old == new or same_things or is_near(old, new) else 0
    short, long = sorted((base(one[0]), name := base(other[0])), key=len)
    kin = long.startswith(short) or (short == "sh" and long.endswith(short)) or names(" ".join(one), name)
    things, same = ([word for word in each[1:] if is_operand(word)] for each in (one, other))
    same_rest = (len(things) > 1 and things == same[-len(things) :]) or (
        kin and one[1:] and (set(one[1:]) <= set(other) or (one[1:2] == other[1:2] and long[len(short) :].isdigit()))
    )
    run_by = list(other[-len(one) :]) == [one[0].removeprefix("./"), *one[1:]] and PREPARES.isdisjoint(other[1:3])
    instead = name not in LOOKS and (same_rest or run_by)
    return ratio if name not in DESTROYS and (instead or is_near(one[0], other[0])) else 0


def _changed_words(old: Command, new: Command, failure: Failure) -> Iterator[str]:
    """Word by word. Behind a subcommand that is another one for no stated reason nothing is comparable."""
    one, other = verb(old), verb(new)
    known = is_near(one, other) or mentions(failure.text, other) or is_instead(other, failure.text)
    if one != other and base(old[0]) == base(new[0]) and not known:
        return
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = list(old[a:b]), list(new[c:d])
        if kind == "equal":
            continue
        if a == 0 and come:  # another program, or the program through another
            whole = len(gone) < 2 and all(isshown(each, failure.text) for each in come[1:])
            head = [base(each) for each in (come if whole else come[:1])] + ([] if gone else [old[0]])
            yield from [f"use `{' '.join(head)}` instead of `{base(old[0])}`"] * (head != [base(old[0])])
            gone, come = gone[1:], [] if whole else come[1:]
        for word in sorted(come, key=lambda word: not any(is_near(each, word) for each in gone)):
            alike = [each for each in gone if is_operand(each) is is_operand(word)]
            out = next((each for each in alike if is_near(each, word)), next(iter(alike), ""))
            gone = [each for each in gone if each != out]
            yield from _replaced(out, word, new, failure) if out else _added(word, new, old, failure)
        gone = [each for each in gone if failure.of_the_call or not is_operand(each)]
        sole = failure.cause is Cause.OTHER and len(old) == len(new) + 1 and set(new) <= set(old)
        yield from (
            f"remove `{option_name(out)}`"
            for out in gone
            if mentions(failure.text, out) or (sole and not is_operand(out) and not _GUARD.match(out))
        )


def takes_away(command: Command) -> bool:
    """Whether a command deletes something, or takes changes back."""
    told = " ".join(command)
    return (
        any(map(TAKES_AWAY.search, command[:4]))
        or re.search(r"down .*-v|git checkout (?:--|\.)|git restore \.", told) is not None
    )


def is_instead(verb: str, error: str) -> bool:
    """Whether a subcommand changes what another one found there already: `set-url` instead of `add`."""
    return (
        bool(_EXISTS.search(error))
        and TAKES_AWAY.search(verb) is None
        and re.fullmatch("get|list|describe|show|status|view|info|rm|overwrite|replace", verb) is None
    )


def _replaced(out: str, word: str, new: Command, failure: Failure) -> Iterator[str]:
    place, error = new.index(word), failure.text
    if _is_typo(out, word) and names(error, out):
        yield f"use `{word}` instead of `{out}`"
    elif not is_operand(out) and option_name(out) == option_name(word):
        if "=" not in out and "expected one argument" in error:
            yield f"write `{out}=…`, with `=`"
            return
        values = out.partition("=")[2], word.partition("=")[2]
        known = names(error, word)
        yield from (
            [f"use `{word}` instead of `{out}`"] if known else _word_edits(f"`{option_name(out)}`", *values, failure)
        )
    elif not is_operand(out) or is_subcommand(new, place):
        named = mentions(error, word) or (not is_operand(out) and mentions(error, out))
        changes = is_subcommand(new, place) and is_instead(word, error)
        together = re.fullmatch("-[A-Za-z]{2,4}", out) and len(set(out) ^ set(word)) < 3 and word[1:2] != "-"
        sole = together and failure.cause not in {Cause.PASSING, Cause.RESULT}
        if named or changes or sole or ((together or is_near(out, word)) and _DEFINED.search(error)):
            whole = word if letters(out) == letters(word) else option_name(word)
            other = changes or (is_operand(out) and not is_near(out, word))
            program = " ".join((base(new[0]), *new[1:place], "")) if other and is_operand(out) else ""
            yield f"use `{program}{whole}` instead of `{program}{option_name(out)}`"
    elif " " in out:
        yield from _text_edits("", out, word, failure)
    elif _is_missing(out, word, new, error):
        yield f"use `{word}` instead of `{out}`"
    elif letters(out) == letters(word) and failure.of_the_call and out not in error and _is_general(word, error):
        yield f"write `{out}` as `{word}`"
    elif "://" in word and "://" not in out and word.rpartition("/")[2] == out.rpartition("/")[2]:
        yield f'write the address as "{word.partition("://")[0]}://…"'
    else:
        option = "" if is_operand(new[place - 1]) else f"`{new[place - 1]}`"
        yield from list(_word_edits(option, out, word, failure)) or _word_edits("", out, word, failure)


def _is_missing(out: str, word: str, new: Command, error: str) -> bool:
    """Whether a program was not found, or a package that has a longer name."""
    longer = INSTALLS & set(new[1:3]) and {out, *out.split("[")} & set(re.split("[-_]", word)) and names(error, out)
    missing = re.search(rf"\b{re.escape(out)}['\"]?: (?:executable file|command) not found", error)
    return missing is not None or (bool(longer) and _is_general(word, error))


def _added(word: str, new: Command, old: Command, failure: Failure) -> Iterator[str]:
    """A setting; an option, with its value if that is the same everywhere; an operand that the error names."""
    place, error = new.index(word), failure.text
    if SETTING.fullmatch(word):
        if re.search("BACKTRACE|LOG|DEBUG|VERBOSE|TRACE", option_name(word)):
            return
        yield f"set `{word if names(error, word) else option_name(word)}` for `{base(new[0])}`"
    elif not is_operand(word):
        rest = new[place + 1 : place + 2]
        after = next((each for each in rest if each != "--" and not any(_is_kin(one, each) for one in old)), "")
        value = after or word.partition("=")[2]
        header = _HEADER.match(value)
        sole = [each for each in new if each not in {word, after}] == [*old]  # nothing else has changed
        reason = _is_the_reason(word, "" if header else value, failure, sole=sole) or _says_where(word, after, failure)
        parts = (part for part in re.split("[/:=.]", value) if len(part) > _SHORT)
        signed_in = header is not None and header[0] == "Authorization" and "uthenticat" in error
        likely = reason or signed_in or mentions(error, word) or any(names(error, part) for part in parts)
        unasked = (_CONFIRMS.fullmatch(word) and not _ASKS.search(error)) or (
            takes_away(new) and not mentions(error, word)
        )
        if not likely or unasked or option_name(word) in map(option_name, old):
            return
        shown = header[0] if header else value if names(error, value) and isshown(value, error) else ""
        more = new[place + 2 : place + 3]  # a branch, of one run
        shown = f"{shown} …" if shown and more and is_operand(more[0]) and more[0] not in old else shown
        secret = OPTION.sub(lambda found: f" with a {found[2]}" if found[2] else "", word)
        yield f"add `{option_name(word)} {shown}`" if shown else f"add `{option_name(word)}`{secret}"
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
    where = _WHERE.fullmatch(option_name(option)) and (value or "=" in option)
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
            or (whole and isshown(word, error) and (general or names(error, word)) and not _OF_A_RUN.match(word))
        ):
            kept.append(word)
        else:
            whole = False  # a part of what follows would be another thing
            if kept[1:] and not is_operand(command[place - 1]):
                kept.pop()  # an option without its value says nothing
    return " ".join(dict.fromkeys(kept))


def _text_edits(name: str, before: str, after: str, failure: Failure) -> Iterator[str]:
    """A text of several words: another form of the whole, or a few words of an edit of it."""
    one, other = (_TOKEN.findall(_MARKS.sub("", each)) for each in (before, after))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    whole = form_change(name, before, after) if failure.of_the_call and len(before) <= _LONGEST_WORD else ""
    changed = [each for each in matcher.get_opcodes() if each[0] != "equal"]
    if whole or matcher.ratio() <= _KIN or len(changed) > _MOST_OF_CODE:
        yield from filter(None, [whole])
        return
    for kind, a, b, c, d in changed:
        if kind == "replace":
            for out, come in zip(one[a:b], other[c:d], strict=False):
                missing = len(changed) == 1 and re.search(_UNDEFINED.format(re.escape(out)), failure.text)
                yield from [f"use `{come}` instead of `{out}`"] if missing else _word_edits("", out, come, failure)
        elif kind == "insert":
            words = [each for each in other[c:d] if each[0].isalpha() and len(each) > 1]
            clause = failure.cause is Cause.ABSENT and _HARMLESS.fullmatch(" ".join(other[c:d]))
            words = [each for each in words if f"'{each}" not in after]  # no literals
            error = failure.text.casefold().replace(" codec ", " encoding ")
            if words[:1] in (["import"], ["from"]) and names(error, words[-1].casefold()):
                yield f"add `{' '.join(other[c:d])}`"
            elif words and (clause or all(names(error, each.casefold()) for each in words)):
                yield f"add `{' '.join(words)}`"


def _word_edits(name: str, out: str, come: str, failure: Failure) -> Iterator[str]:
    """A word or value that replaced another: one that the error names, a typing error, or another form of it."""
    error = failure.text
    if name and out.casefold() == come.casefold():  # the error may name one of several such values
        yield from filter(None, [form_change(name, out, come)])
        return
    one, other = (out, come) if name or names(error, come) else _narrowed(out, come)
    listed = re.fullmatch(r"(\d+)(?:\.\d+)+", other) and one.partition(".")[0] == other.partition(".")[0]  # a version
    sole = name or not names(error, out) or listed
    one_of_many = name and _ONE_OF.search(error) and not is_near(one, other)
    named = sole and not one_of_many and names(error, other) and not names(out, other)
    typo = any(_is_typo(*pair) and names(error, pair[0]) for pair in {(one, other), _narrowed(out, come)})
    slip = not name and is_near(one, other) and _DEFINED.search(error) and len(one) - len(other) < 3
    standard = name and failure.of_the_call and _STANDARD.fullmatch(come) and letters(out) != letters(come)
    if standard or ((named or typo or slip) and isshown(other, error) and (name or _PLAIN.fullmatch(other))):
        yield f'give {name} as "{other}"' if name else f"use `{other}` instead of `{one}`"
    elif (failure.of_the_call and (name or out in error)) or (name and letters(out) in letters(come)):
        yield from filter(None, [form_change(name or "the value", out, come)])


def form_change(name: str, before: str, after: str) -> str:
    """How the form of a value changed; empty if it is only another value.

    >>> form_change("x", "Medium", "medium"), form_change("x", "Berlin", "Europe/Berlin"), form_change("x", "ten", "10")
    ('write x in lower case', 'write x as "Europe/…"', 'give x as digits, not as text')
    """
    if not before.startswith("/") and after.startswith("/") and after.endswith(f"/{before.lstrip('~./')}"):
        return f"give {name} as an absolute path"
    if before == after or not before or not after or before.startswith("/") or after.startswith("/"):
        return ""
    if before.casefold() == after.casefold() and (after.islower() or after.isupper()):
        return f"write {name} in {'lower' if after.islower() else 'upper'} case"
    one, other = in_words(shape_of(before)), in_words(shape_of(after))
    if _is_code(before, after):
        case = "lower" if after.islower() else "upper"
        return f"give {name} as a code of {len(after)} letters in {case} case, not as {one}"
    if one != other and is_strong(other) and not affix_change(name, before, after):
        return f"give {name} as {other}, not as {one}"
    return affix_change(name, before, after)


def _is_code(before: str, after: str) -> bool:
    """Whether a word was replaced by the code of a country, a language, a currency or an airport."""
    inside = "".join(letter for letter in before.casefold() if letter in after.casefold())
    short = re.fullmatch("[A-Z]{2,3}", after) is not None and inside.startswith(after.casefold()[0])
    return len(before) > 3 and before.isalpha() and (short or re.fullmatch("[a-z]{2}", after) is not None)


def affix_change(name: str, before: str, after: str) -> str:
    """Characters that were added or left out at the ends of a value, if they are part of its form."""
    for one, other, words in ((before, after, 'as "{}…{}"'), (after, before, 'without "{}{}"')):
        head, found, tail = other.partition(one)
        if found and len(head + tail) <= _LONGEST_AFFIX and re.fullmatch(r"(?!\w*$)[^\d@]+", head + tail):
            general = re.fullmatch(r"(?:[A-Z][a-z]+/|\w+://|[^\w]*)", head) and not re.search(r"\w", tail)
            return f"write {name} {words.format(head, tail)}" if general else ""
    return ""


def sign_change(name: str, before: str, after: str) -> str:
    """A sign that was left out everywhere: 1,250 and 1250."""
    gone = {*before} - {*after}
    inner = len(gone) == 1 and not (sign := gone.pop()).isalnum() and before.replace(sign, "") == after
    return f"write {name} without {'spaces' if sign == ' ' else f'`{sign}`'}" if inner else ""


def isshown(word: str, error: str) -> bool:
    """Whether a word may be named: not long, not a secret, no path and no identifier of one run."""
    if not word or "redacted" in word or len(word) > _LONGEST_WORD or "@" in word or sum(map(str.isdigit, word)) > 3:
        return False
    return mask_run(word) == word and (not word.startswith(("/", "~")) or word in error)


def _is_general(word: str, error: str) -> bool:
    return isshown(word, error) and not _OF_A_RUN.match(word)


def names(error: str, word: str) -> bool:
    """Whether an error has this very word."""
    around = r"[\w.:/-]" if word[:1].isdigit() else r"[\w-]"  # a number may be a part of an address or a version
    return bool(word) and re.search(rf"(?<!{around}){re.escape(word)}(?!{around}\w|[\w-])", error) is not None


def mentions(error: str, word: str) -> bool:
    """Whether an error has a word that may be shown, an option with or without its dashes."""
    name = option_name(word)
    return isshown(name, error) and any(names(error, each) for each in (name, name.lstrip("-")))


def is_near(one: str, other: str) -> bool:
    """Whether one word is a typing error of another, never in digits."""
    one, other = option_name(one), option_name(other)
    if one == other or len(one) < 2 or re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return False
    if abs(len(one) - len(other)) > max(2, len(one) // 3):
        return False
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    enough = ratio > _NEAR or (ratio == _NEAR and (len(one) != len(other) or len(one) > _SHORT))
    return enough or sorted(one) == sorted(other)


def _is_kin(one: str, other: str) -> bool:
    """Whether two words are the same thing, perhaps of another run: `reports/2025` and `reports/2026`."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _KIND


def _is_typo(one: str, other: str) -> bool:
    """Whether two words differ in a letter or two of one part: a name that somebody mistyped, and not another one."""
    if abs(len(one) - len(other)) > 1 or not all(re.fullmatch(r"[A-Za-z][\w.@-]{2,}", each) for each in (one, other)):
        return False
    left, right = (re.findall("[a-z]+", each.lower()) for each in (one, other))
    parts = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    if len(left) != len(right):
        parts = [(one, other)] if re.fullmatch(r"\D*", one + other) else []
    return len(parts) == 1 and min(map(len, parts[0])) > 2 and is_near(one, other) and is_near(*parts[0])


def _narrowed(one: str, other: str) -> tuple[str, str]:
    """The one part in which two words differ, if it is one."""
    left, right = (re.split(r"(://|(?:[/=(),\"':]|(?<!\d)\.|\.(?!\d))+)", each) for each in (one, other))
    different = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    return different[0] if len(left) == len(right) and len(different) == 1 and all(different[0]) else (one, other)


def letters(text: str) -> str:
    """A text without signs and case."""
    return "".join(filter(str.isalnum, text)).casefold()
