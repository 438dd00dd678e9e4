"""The difference between two texts as something to do: words of a command, the form of a value, a typing error.

A text that parses as a shell command is compared word by word: program, subcommand, options, operands, and commands
that ran before. A word that replaced another is named if the error names one of the two, or if one is a typing error in
something that a program or a language defines; never if it belongs to one run (a path, a secret, an identifier).
"""

from __future__ import annotations

import re
import shlex
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.learning.arguments.shapes import in_words, is_strong, shape_of
from hexad.learning.errors.advice import Cause, is_dangerous
from hexad.learning.errors.masking import mask_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad.learning.errors.advice import Failure

    Command: TypeAlias = Sequence[str]  # the words of a simple command: program, operands and options, settings

_MOST: Final = 4  # edits of one text that are named
_MOST_OF_CODE: Final = 2  # edits of a query or program: more, and it is another one
_LONGEST_WORD, _LONGEST_AFFIX = 40, 12
_KIN: Final = 0.4  # of the words of two texts: less, and one is no edit of the other
_NEAR, _SHORT = 0.75, 4  # of the letters of two words; in two short ones more have to be the same
_SETTING: Final = re.compile(r"([A-Z_][A-Z0-9_]*)=.*", re.DOTALL)
_PROGRAM: Final = re.compile(r"(?:[~.]{0,2}/)?\.?[A-Za-z_][\w./+-]*")
_REDIRECTION: Final = re.compile(r"\d?>&\d|&>>?\s?\S+|<<<?")
_OPTION: Final = re.compile(r"(--?[A-Za-z?][\w.:-]*)(?:=.*|\[redacted:([\w-]+)\])?", re.DOTALL)
_HEADER: Final = re.compile(r"[A-Z][A-Za-z-]+(?:: [a-z]+/[a-z.+-]+$|(?=: ))")
_TOKEN: Final = re.compile(r"[\w$@#.-]+|[^\w\s]")
_CODE: Final = re.compile(r"(?i)\s*(?:select|insert|update|delete|create|alter|drop|with|import|from|def|class)\b")
_STANDARD: Final = re.compile(
    r"(?:application|text|image|multipart)/[a-z.+-]+|utf-?8|latin-?1|GET|POST|PUT|PATCH|DELETE"
)
_DEFINED: Final = re.compile(  # errors about a word that a program, a schema or a language defines
    r"(?i)command|option|flag|switch|argument|predicate|target|script|operation|keyword|syntax|column|table|relation"
    r"|function|attribute|module|protocol|format|\btypes?\b|field|propert|variable|phase|\btask|not defined"
    r"|recogni[sz]ed|filter"
)
_NO_PROGRAM: Final = re.compile(r"(?i)command not found|not recogni[sz]ed|no such program|: not found$")
_NO_VALUE: Final = re.compile(
    r"(?i)\b(?:requires?|expect\w*|needs?|missing|invalid)\b[^\n]{0,30}(?:value|argument|parameter|number)"
    r"|\b(?:value|argument)\b[^\n]{0,20}(?:required|expected|missing)"
)
_CONFIRMS: Final = re.compile(r"-y|--(?:assume-)?yes|-?-auto-approve|--no-(?:input|confirm|interaction)")
_ASKS: Final = re.compile(
    r"(?i)\by/n\b|\babort|confirm|interactive|prompt|\byes\b|\btty\b"
)  # errors of an open question
_ASKS_FOR: Final = re.compile(r"(?i)\bspecify\b")  # an error that says itself what is missing
_QUOTES: Final = {"'": "single quotes", '"': "double quotes", "`": "backticks"}
_QUOTED: Final = re.compile(r"(['\"`])(.+?)\1")
_PROGRAMS: Final = {  # knowledge of programs: `+` if the first operand is a subcommand; words that turn a check off
    name: frozenset(known)
    for name, *known in map(
        str.split,
        """git + -f -D/docker +/podman +/kubectl +/npm + -f/pnpm +/yarn +/pip +/pip3 +/commit -n/uv +/poetry +/conda +
        cargo +/go +/terraform +/helm +/gh +/aws +/gcloud +/az +/apt +/apt-get +/brew +/dotnet +/systemctl +/alembic +
        bundle +/rm -f/rmi -f/ln -f/mv -f/cp -f/kill -9/curl -k/chmod 777 0777 666 a+rwx a+rw a+w o+w/su su/cd/sleep
        echo""".replace("\n", "/").split("/"),
    )
}
_IDLE_PROGRAMS: Final = frozenset({"cd", "sleep", "echo", "sed", "cat"})  # the place of work, time, an edit of a file
_PUBLIC: Final = re.compile(
    r"[A-Z_]*(?:PATH|DIR|ROOT|ENV|MODE)=(?:\.{1,2}|(?:\./)?[a-z]{2,12})"
)  # settings to show whole
_ASKED: Final = re.compile(r"""(?:add|set|use) `([^`]+)`(?! around)|(?:give|write) \S+ as "([^"…]+)""")
_FIRST: Final = re.compile(r"(?<=`)[^`]+(?=`(?: and `| first))")  # the commands of "run … first"


def edits(name: str, before: str, after: str, failure: Failure) -> Sequence[str]:
    """The instruction that turns a text that failed into the one that worked; empty if nothing is to be said of it."""
    old, new = _commands(before), _commands(after)
    if before != after and _bare(before) == _bare(after):
        found = _quote_edits(before, after)
    elif old and new and (_is_shell(name, old, failure.text) or _is_shell(name, new, failure.text)):
        found = _command_edits(old, new, failure)
    elif re.search(r"[\s(]", before + after):
        found = _text_edits(name, before, after, failure)
    else:
        found = _value_edits(name, before, after, failure)
    return [each for each in dict.fromkeys(found) if not is_dangerous(each)][:_MOST]


def operands(path: str, text: str, error: str) -> Sequence[str]:
    """The operands of a shell command: they belong to one run; none if a text is no command."""
    return [
        word
        for each in (_commands(text) if is_command(path, text, error) else ())
        for place, word in enumerate(each)
        if place and _is_operand(word) and not _SETTING.fullmatch(word) and not _is_subcommand(each, place)
    ]


def is_command(path: str, text: str, error: str) -> bool:
    """Whether the text of an argument is a shell command."""
    commands = _commands(text)
    return bool(commands) and _is_shell(path, commands, error)


def programs(text: str) -> Sequence[str]:
    """The program and subcommand of each command in a text.

    >>> programs("cd src && git push origin main; .venv/bin/python3.12 -m build")
    ['cd', 'git push', 'python']
    """
    return [_program(each) for each in _commands(text)]


def failed_program(text: str, error: str) -> str:
    """The program and subcommand of the command that an error is about."""
    return _program(_failed(_commands(text), error))


def is_done(how: str, text: str, ran: Callable[[str], bool]) -> bool:
    """Whether a text has the words that edits name, as far as they name some; ``ran`` knows the commands before it."""
    for each in how.split("; "):
        asked, gone = _ASKED.match(each), re.match("remove `([^`]+)`", each)
        before = [one for one in _FIRST.findall(each) if not ran(one)] if each.startswith("run ") else ()
        wanted = (asked[1] or asked[2]).split() if asked else " ".join(before).split()
        if not all(word in text for word in wanted) or (gone and names(text, gone[1])):
            return False
    return True


def is_edit(before: str, after: str) -> bool:
    """Whether each word of a command that changed is an edit of the word that it replaced, and none is another one."""
    old, new = before.split(), after.split()
    pairs = [
        (" ".join(old[a:b]), " ".join(new[c:d]))
        for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if kind == "replace"
    ]
    return all(SequenceMatcher(None, *each, autojunk=False).ratio() >= _KIN for each in pairs)


def takes_rights(path: str, before: str, after: str) -> bool:
    """Whether an argument now takes rights or turns a check off, by its name and value or by the words of its text."""
    name = path.rsplit("/", 1)[-1].replace("_", "-")
    given = f"{name}={after}" + ("" if after.casefold() in {"false", "no", "none", "0", ""} else f" --{name}")
    if after and is_dangerous(given) and not is_dangerous(before):
        return True
    return bool(_risks(_commands(after)) - _risks(_commands(before)))


def _risks(commands: Sequence[Command]) -> set[str]:
    found = set()
    for words in commands:
        letters = {f"-{letter}" for word in words if re.fullmatch(r"-[A-Za-z]+", word) for letter in word[1:]}
        found |= {risk for name in words[:3] for risk in _PROGRAMS.get(name, frozenset()) & {*words, *letters}}
    return found


def _commands(text: str) -> list[Command]:
    """The simple commands of a text that a shell can read, without redirections; else none."""
    if "\n" in text.strip() or _CODE.match(text):
        return []
    lexer = shlex.shlex(_REDIRECTION.sub("", text), posix=True, punctuation_chars="&|;")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        return []
    found: list[list[str]] = [[]]
    for word in words:
        if re.fullmatch("[&|;]+", word):
            found.append([])
        else:
            found[-1].append(word)
    ordered: list[Command] = [
        sorted(each, key=lambda word: _SETTING.fullmatch(word) is not None) for each in found if each
    ]
    return ordered if all(_PROGRAM.fullmatch(each[0]) for each in ordered) else []


def _is_shell(name: str, found: Sequence[Command], error: str) -> bool:
    """Whether it is more than a sentence: an option, a chain, a setting, a known program, one that the error names."""
    first = found[0]
    named = (
        name.strip("/`") in {"command", "cmd"}
        or re.search(rf"(?:^|[\s/'\"`]){re.escape(_base(first[0]))}['\"`]?:", error) is not None
    )
    signs = any(_OPTION.fullmatch(word) or _SETTING.fullmatch(word) for word in first)
    return len(found) > 1 or named or signs or first[0] in _PROGRAMS or first[0].startswith("./")


def _quote_edits(before: str, after: str) -> Iterator[str]:
    """Quotes and backslashes that were added, changed or left out."""
    if before.replace("\\", "") == after.replace("\\", ""):
        yield from (f"put a backslash before `{sign}`" for sign in re.findall(r"\\(.)", after))
        return
    known = {piece for _, piece in _QUOTED.findall(before)}
    for sign, piece in _QUOTED.findall(after):
        around = f" around `{piece}`" if is_shown(piece, "") else ""
        if f"{sign}{piece}{sign}" not in before:
            yield f"use {_QUOTES[sign]}{around}" if piece in known else f"put {_QUOTES[sign]}{around or ' around it'}"
    if known and not _QUOTED.search(after):
        yield "leave out the quotes"


def _command_edits(old: Sequence[Command], new: Sequence[Command], failure: Failure) -> Iterator[str]:
    """The commands that ran before the failed one, then the edits of it."""
    failed = _failed(old, failure.text)
    place = max(range(len(new)), key=lambda at: (_likeness(failed, new[at]), at))
    if not _likeness(failed, new[place]):
        missing = _NO_PROGRAM.search(failure.text) or names(failure.text, _base(new[place][0]))
        if missing and _base(new[place][0]) != _base(failed[0]):
            yield f"use `{_shown(new[place], failure.text)}` instead of `{_base(failed[0])}`"
        return
    first = [each for each in new[:place] if each not in old and each[0] not in _IDLE_PROGRAMS]
    if first:
        yield f"run {' and '.join(f'`{_shown(each, failure.text, failed[0])}`' for each in first[:3])} first"
    here = failed[0] if failed[0] == new[place][0] else failed[0].removeprefix("./")
    found = list(_word_edits([here, *failed[1:]], new[place], failure))
    yield from [each for each in found if is_said(each, failure.text)] or found


def _failed(commands: Sequence[Command], error: str) -> Command:
    return max(reversed(commands), key=lambda each: sum(word in error for word in each))


def is_said(edit: str, error: str) -> bool:
    """Whether an edit replaces a word that the error names: then there is no more to say."""
    gone = re.fullmatch(r"use `[^`]+` instead of `([^`]{3,})`", edit)
    return gone is not None and gone[1] in error


def _likeness(one: Command, other: Command) -> float:
    """How alike two commands are; 0 if one is not an edit of the other."""
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    same_rest = one[1:] and set(one[1:]) <= set(other)
    if _base(one[0]) == _base(other[0]):
        verb, another = _verb(one), _verb(other)
        same_things = len(one) > 2 and set(one) - {verb} <= set(other)
        return 1 + ratio if verb == another or same_things or _is_near(verb, another) else 0
    return ratio if same_rest or one[0].removeprefix("./") in other or _is_near(one[0], other[0]) else 0


def _verb(command: Command) -> str:
    """The subcommand, if the program has subcommands."""
    words = (word for word in command[1:] if re.fullmatch(r"[a-z][a-z-]*", word))
    return next(words, "") if "+" in _PROGRAMS.get(_base(command[0]), "") else ""


def _word_edits(old: Command, new: Command, failure: Failure) -> Iterator[str]:
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone = [each for each in old[a:b] if not _is_moved(each, new)]
        come = [each for each in new[c:d] if not _is_moved(each, old)]
        if kind == "equal":
            continue
        if a == 0 and come:  # another program, or the program through another
            whole = len(gone) < 2 and all(is_shown(each, failure.text) for each in come[1:])
            head = [_base(each) for each in (come if whole else come[:1])] + ([] if gone else [old[0]])
            yield from [f"use `{' '.join(head)}` instead of `{_base(old[0])}`"] * (head != [_base(old[0])])
            gone, come = gone[1:], [] if whole else come[1:]
        given, now = sum(map(_is_operand, gone)), sum(map(_is_operand, come))
        is_other = given > now or (given and failure.cause is Cause.ABSENT)  # about something else: options say nothing
        for word in sorted(come, key=lambda word: not any(_is_near(each, word) for each in gone)):
            alike = [each for each in gone if _is_operand(each) is _is_operand(word)]
            out = next((each for each in alike if _is_near(each, word)), next(iter(alike), ""))
            gone = [each for each in gone if each != out]
            if out or not is_other:
                yield from _replaced(out, word, old, new, failure) if out else _added(word, new, old, failure)
        gone = [each for each in gone if failure.of_the_call or not _is_operand(each)]
        yield from (f"remove `{_name(out)}`" for out in gone if _mentions(failure.text, out))


def _is_moved(word: str, other: Command) -> bool:
    """Whether an option stands in the other command too, perhaps with its value behind another sign."""
    return _OPTION.fullmatch(word) is not None and word != _name(word) and _name(word) in other


def _replaced(out: str, word: str, old: Command, new: Command, failure: Failure) -> Iterator[str]:
    place = new.index(word)
    option = _OPTION.fullmatch(out) is not None
    if option and _name(out) == _name(word) and names(failure.text, word):
        yield f"use `{word}` instead of `{out}`"
    elif option and _name(out) == _name(word):
        yield from _value_edits(f"`{_name(out)}`", out.partition("=")[2], word.partition("=")[2], failure)
    elif _is_typo(out, word) and (names(failure.text, out) or names(failure.text, word)):
        yield f"use `{word}` instead of `{out}`"
    elif option or _is_subcommand(new, place):
        same_rest = [each for each in old if each != out] == [each for each in new if each != word]
        verb = place + 1 < len(new) and same_rest and not names(failure.text, out)  # about the same things
        typo = _is_near(out, word) and (option or place == 1 or _DEFINED.search(failure.text))
        named = option and (_mentions(failure.text, word) or _mentions(failure.text, out))
        if typo or named or (verb and not option):
            yield f"use `{_name(word)}` instead of `{_name(out)}`"
    elif " " in out:
        yield from _text_edits("", out, word, failure)
    else:
        value = _value_edits(f"`{new[place - 1]}`", out, word, failure) if _OPTION.fullmatch(new[place - 1]) else ()
        yield from list(value) or _piece_edits(out, word, failure)


def _added(word: str, new: Command, old: Command, failure: Failure) -> Iterator[str]:
    """A setting; an option, with its value if that is the same everywhere; an operand that the error names."""
    place, error = new.index(word), failure.text
    if _SETTING.fullmatch(word):
        yield f"set `{word}`" if _PUBLIC.fullmatch(word) else f"set `{_name(word)}` for `{_base(new[0])}`"
    elif _OPTION.fullmatch(word):
        silent = _CONFIRMS.fullmatch(word) and (failure.cause is Cause.ABSENT or not _ASKS.search(error))
        if silent or (failure.cause is Cause.PASSING and not _mentions(error, word)):
            return
        value = new[place + 1] if place + 1 < len(new) and new[place + 1] not in old else word.partition("=")[2]
        header = _HEADER.match(value)
        shown = header[0] if header else value if names(error, value) and is_shown(value, error) else ""
        secret = _OPTION.sub(lambda found: f" with a {found[2]}" if found[2] else "", word)
        yield f"add `{_name(word)} {shown}`" if shown else f"add `{_name(word)}`{secret}"
    elif _OPTION.fullmatch(new[place - 1]):
        yield from [f"give `{new[place - 1]}` a value"] * bool(new[place - 1] in old and _NO_VALUE.search(error))
    elif names(error, word) and is_shown(word, error) and word.isalpha() and not _ASKS_FOR.search(error):
        yield f"add `{word}`"


def _shown(command: Command, error: str, beside: str = "") -> str:
    """A command without the words that belong to one run; ``beside`` is the program of the command after it."""
    general = command[0] in {"chmod", "source", "eval"} or {"install", "add", "i"} & set(command[1:3])
    kept = [_base(command[0])]
    for place, word in enumerate(command[1:], start=1):
        if _OPTION.fullmatch(word) or _SETTING.fullmatch(word):
            kept.append(_name(word))
        elif (
            _is_subcommand(command, place)
            or (place == 1 and command[0] == beside and word.isalpha())
            or (is_shown(word, error) and (general or names(error, word)))
        ):
            kept.append(word)
    return " ".join(dict.fromkeys(kept))


def _is_operand(word: str) -> bool:
    return _OPTION.fullmatch(word) is None


def _is_subcommand(command: Command, place: int) -> bool:
    plain = all(re.fullmatch(r"[a-z][a-z-]*", word) for word in command[1 : place + 1])
    return "+" in _PROGRAMS.get(_base(command[0]), "") and 0 < place <= 2 and plain


def _text_edits(name: str, before: str, after: str, failure: Failure) -> Iterator[str]:
    """A text of several words: another form of the whole, or a few words of an edit of it."""
    one, other = _TOKEN.findall(before), _TOKEN.findall(after)
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    whole = form_change(name, before, after) if failure.of_the_call and len(before) <= _LONGEST_WORD else ""
    changed = [each for each in matcher.get_opcodes() if each[0] != "equal"]
    if whole or matcher.ratio() <= _KIN or len(changed) > _MOST_OF_CODE:
        yield from filter(None, [whole])
        return
    for kind, a, b, c, d in changed:
        if kind == "replace":
            for pair in zip(one[a:b], other[c:d], strict=False):
                yield from _piece_edits(*pair, failure)
        elif kind == "insert":
            words = [each for each in other[c:d] if each[0].isalpha()]
            if words and all(names(failure.text.casefold(), each.casefold()) for each in words):
                yield f"add `{' '.join(words)}`"


def _value_edits(name: str, before: str, after: str, failure: Failure) -> Iterator[str]:
    """A single value: one that the error names, one of a standard, or another form of the same value."""
    named = names(failure.text, after) and not names(before, after) and is_shown(after, failure.text)
    typo = _is_typo(before, after) and names(failure.text, before) and _DEFINED.search(failure.text)
    if named or typo or (failure.of_the_call and _STANDARD.fullmatch(after) and _letters(before) != _letters(after)):
        yield f'give {name} as "{after}"'
    elif failure.of_the_call or _letters(before) in _letters(after):
        yield from filter(None, [form_change(name, before, after)])


def _piece_edits(out: str, come: str, failure: Failure) -> Iterator[str]:
    """One word of a text that replaced another: a typing error, a word of the error, another form."""
    one, other = _narrowed(out, come)
    plain = re.fullmatch(r"(?:--)?\w[\w:-]*", one) and re.fullmatch(
        r"(?:--)?[A-Za-z_][\w:-]*|[A-Za-z_]\w*\.[A-Za-z_]\w*", other
    )
    rejected = failure.of_the_call and one == out and one.isidentifier() and one in failure.text
    defined = (rejected or _is_near(one, other)) and _DEFINED.search(failure.text)
    named = names(failure.text, other) and not names(failure.text, out)
    if plain and is_shown(other, failure.text) and (named or defined):
        yield f"use `{other}` instead of `{one}`"
    elif out in failure.text and failure.of_the_call:
        yield from filter(None, [form_change("the value", out, come)])


def form_change(name: str, before: str, after: str) -> str:
    """How the form of a value changed; empty if it is only another value.

    >>> form_change("x", "Medium", "medium"), form_change("x", "Berlin", "Europe/Berlin"), form_change("x", "ten", "10")
    ('write x in lower case', 'write x as "Europe/…"', 'give x as digits, not as text')
    """
    if before == after or not before or not after or before.startswith("/") or after.startswith("/"):
        return ""
    if before.casefold() == after.casefold() and (after.islower() or after.isupper()):
        return f"write {name} in {'lower' if after.islower() else 'upper'} case"
    one, other = in_words(shape_of(before)), in_words(shape_of(after))
    if one != other and is_strong(other) and not affix_change(name, before, after):
        return f"give {name} as {other}, not as {one}"
    return affix_change(name, before, after)


def affix_change(name: str, before: str, after: str) -> str:
    """Characters that were added or left out at the ends of a value, if they are part of its form."""
    for one, other, words in ((before, after, 'as "{}…{}"'), (after, before, 'without "{}{}"')):
        head, found, tail = other.partition(one)
        if found and len(head + tail) <= _LONGEST_AFFIX and re.fullmatch(r"(?!\w*$)[^\d@]+", head + tail):
            general = re.fullmatch(r"(?:[A-Z][a-z]+/|\w+://|[^\w]*)", head) and not re.search(r"\w", tail)
            return f"write {name} {words.format(head, tail)}" if general else ""
    return ""


def is_shown(word: str, error: str) -> bool:
    """Whether a word may be named: not long, not a secret, no path and no identifier of one run."""
    if not word or "redacted" in word or len(word) > _LONGEST_WORD or "@" in word or sum(map(str.isdigit, word)) > 3:
        return False
    return mask_run(word) == word and (not word.startswith(("/", "~")) or word in error)


def names(error: str, word: str) -> bool:
    """Whether an error has this very word."""
    around = r"[\w.:/-]" if word[:1].isdigit() else r"[\w-]"  # a number may be a part of an address or a version
    return bool(word) and re.search(rf"(?<!{around}){re.escape(word)}(?!{around}\w|[\w-])", error) is not None


def _mentions(error: str, word: str) -> bool:
    """Whether an error has a word that may be shown, an option with or without its dashes."""
    return is_shown(_name(word), error) and any(names(error, each) for each in (_name(word), _name(word).lstrip("-")))


def _is_near(one: str, other: str) -> bool:
    """Whether one word is a typing error of another, never in digits."""
    one, other = _name(one), _name(other)
    if one == other or len(one) < 2 or re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return False
    if abs(len(one) - len(other)) > max(2, len(one) // 3):
        return False
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    enough = ratio > _NEAR or (ratio == _NEAR and (len(one) != len(other) or len(one) > _SHORT))
    return enough or sorted(one) == sorted(other)


def _is_typo(one: str, other: str) -> bool:
    """Whether two plain words differ in a letter or two: a name that somebody mistyped, and not another one."""
    plain = all(re.fullmatch(r"[A-Za-z][A-Za-z_-]{2,}", each) for each in (one, other))
    return plain and abs(len(one) - len(other)) < 2 and _is_near(one, other)


def _narrowed(one: str, other: str) -> tuple[str, str]:
    """The one part in which two words differ, if it is one."""
    left, right = (re.split(r"(://|[/.=(),\"']+)", each) for each in (one, other))
    different = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    return different[0] if len(left) == len(right) and len(different) == 1 and all(different[0]) else (one, other)


def _bare(text: str) -> str:
    return re.sub(r"[\"'`\\]", "", text)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _base(program: str) -> str:
    return program.rsplit("/", 1)[-1] if program.startswith(("/", "~")) else program


def _program(command: Command) -> str:
    """The program, without its folder and version, and its subcommand."""
    name = re.sub(r"(?<=[a-z])[\d.]+$", "", command[0].rsplit("/", 1)[-1])
    return f"{name} {_verb(command)}".strip()


def _name(word: str) -> str:
    """An option or a setting without its value; any other word as it is."""
    found = _OPTION.fullmatch(word) or _SETTING.fullmatch(word)
    return found[1] if found else word
