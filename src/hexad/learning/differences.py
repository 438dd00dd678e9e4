"""The difference between two texts as something to do: words of a command, the form of a value, a typing error.

A text that parses as a shell command is compared word by word: program, subcommand, options, operands, and commands
that ran before. Other words are named only if the error names them. A word that belongs to one run (a path, a secret,
an identifier) is never named.
"""

from __future__ import annotations

import re
import shlex
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.learning.arguments.shapes import is_strong, shape_of
from hexad.learning.errors.advice import is_dangerous
from hexad.learning.errors.masking import mask_run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexad.learning.errors.advice import Failure

_MOST: Final = 4  # edits of one text that are named
_LONGEST_WORD: Final = 40
_LONGEST_AFFIX: Final = 12
_KIN: Final = 0.4  # of the words of two texts: less, and one is no edit of the other
_NEAR: Final = 0.75  # of the letters of two words
_CHAIN: Final = frozenset({"&&", "||", ";", "|", "&"})
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_PROGRAM: Final = re.compile(r"(?:[~.]{0,2}/)?[A-Za-z_][\w./+-]*")
_REDIRECTION: Final = re.compile(r"\d?>&\d|&>>?\s?\S+|<<<?")
_OPTION: Final = re.compile(r"--?[A-Za-z?][\w.-]*(?:=.*)?", re.DOTALL)
_PLAIN: Final = re.compile(r"[a-z][a-z-]*")
_TOKEN: Final = re.compile(r"\"\w+\"|'\w+'|[\w$@#.-]+|[^\w\s]")
_CODE: Final = re.compile(
    r"(?i)\s*(?:select|insert|update|delete|create|alter|drop|with|import|from|def|class|return)\b"
)
_STANDARD: Final = re.compile(
    r"(?:application|text|image|multipart)/[a-z.+-]+|utf-?8|latin-?1|GET|POST|PUT|PATCH|DELETE"
)
_QUOTES: Final = {"'": "single", '"': "double"}


class Program(NamedTuple):
    """Knowledge of one program: whether its first operand is a subcommand; words that turn a check off."""

    subcommands: bool = False
    risky: frozenset[str] = frozenset()


def _table(rows: str) -> dict[str, Program]:
    """Rows of a program, `+` if it has subcommands, and risky words; single letters count in `-xyz` too."""
    cells = [row.split() for row in re.split(r" / |\n", rows.strip())]
    return {name: Program("+" in more, frozenset(more) - {"+"}) for name, *more in cells}


_PROGRAMS: Final = _table("""
    git + -f -D / docker + / podman + / kubectl + / npm + -f / pnpm + / yarn + / pip + / pip3 + / pipx + / uv +
    poetry + / conda + / cargo + / go + / terraform + / helm + / gh + / aws + / gcloud + / az + / apt + / apt-get +
    brew + / dotnet + / systemctl + / alembic + / bundle + / rm -f / rmi -f / ln -f / mv -f / cp -f / kill -9 / curl -k
    chmod 777 0777 666 a+rwx a+rw a+w o+w / su - / cd / sleep / echo
""")
_IDLE_PROGRAMS: Final = frozenset({"cd", "sleep", "echo"})  # they only change the place of work or the time


def edits(name: str, before: str, after: str, failure: Failure) -> Sequence[str]:
    """What to do to turn a text that failed into the one that worked; empty if nothing is to be said of it."""
    old, new = _commands(before), _commands(after)
    if old and new and (_is_shell(old, failure.text) or _is_shell(new, failure.text)):
        found = _command_edits(old, new, failure)
    elif _is_single(before) and _is_single(after):
        found = _value_edits(name, before, after, failure)
    else:
        found = _text_edits(name, before, after, failure)
    return list(dict.fromkeys(found))[:_MOST]


def takes_rights(path: str, before: str, after: str) -> bool:
    """Whether an argument now takes rights or turns a check off, by its name and value or by the words of its text."""
    name = path.rsplit("/", 1)[-1].replace("_", "-")
    given = f"{name}={after}" + ("" if after.casefold() in {"false", "no", "none", "0", ""} else f" --{name}")
    if after and is_dangerous(given) and not is_dangerous(before):
        return True
    return bool(_risks(_commands(after)) - _risks(_commands(before)))


def _risks(commands: Sequence[Command]) -> set[str]:
    found = set()
    for each in commands:
        names = [word for word in each.words[:2] if word in _PROGRAMS]
        options = {f"-{letter}" for word in each.words if re.fullmatch(r"-[A-Za-z]+", word) for letter in word[1:]}
        found |= {f"{name} {risk}" for name in names for risk in _PROGRAMS[name].risky & {*each.words, *options}}
    return found


class Command(NamedTuple):
    """One simple command: its words, without redirections; assignments before it apart."""

    words: tuple[str, ...]
    settings: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """Its first word, without the folder."""
        return _base(self.words[0])

    @property
    def known(self) -> Program:
        """Knowledge of its program."""
        return _PROGRAMS.get(self.program, Program())


def _commands(text: str) -> list[Command]:
    """The simple commands of a text that a shell can read; else none."""
    if "\n" in text.strip() or _CODE.match(text):
        return []
    lexer = shlex.shlex(_REDIRECTION.sub("", text), posix=True, punctuation_chars="&|;")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        return []
    ends = [place for place, word in enumerate([*words, ";"]) if word in _CHAIN]
    parts = [words[start:end] for start, end in zip([0, *(each + 1 for each in ends)], ends, strict=False)]
    found = [_command(part) for part in parts if not all(map(_ASSIGNMENT.fullmatch, part))]
    return found if all(_PROGRAM.fullmatch(each.words[0]) for each in found) else []


def _command(words: Sequence[str]) -> Command:
    skip = next(place for place, each in enumerate(words) if not _ASSIGNMENT.fullmatch(each))
    return Command(tuple(words[skip:]), tuple(words[:skip]))


def _is_shell(found: Sequence[Command], error: str) -> bool:
    """Whether it is more than a sentence: an option, a chain, a setting, a known program, one that the error names."""
    first = found[0]
    named = re.search(rf"(?:^|[\s/'\"`]){re.escape(first.program)}['\"`]?:", error) is not None
    return (
        len(found) > 1
        or bool(first.settings or named or first.program in _PROGRAMS)
        or first.words[0].startswith("./")
        or any(map(_OPTION.fullmatch, first.words))
    )


def _command_edits(old: Sequence[Command], new: Sequence[Command], failure: Failure) -> Iterator[str]:
    """The commands that ran before the failed one, then the edits of it."""
    failed = max(reversed(old), key=lambda each: sum(word in failure.text for word in each.words))
    place = max(range(len(new)), key=lambda at: (_likeness(failed, new[at]), at))
    worked = new[place]
    before = [each for each in new[:place] if each not in old and each.program not in _IDLE_PROGRAMS]
    if before:
        yield f"run {' and '.join(f'`{_shown(each, failure.text)}`' for each in before[:3])} first"
    if not _likeness(failed, worked):
        yield f"use `{_shown(worked, failure.text)}` instead of `{failed.program}`"
        return
    had = {each.partition("=")[0] for each in failed.settings}
    yield from (f"set `{name}`" for each in worked.settings if (name := each.partition("=")[0]) not in had)
    yield from _word_edits(failed, worked, failure)


def _likeness(one: Command, other: Command) -> float:
    """How alike two commands are; 0 if one is not an edit of the other."""
    ratio = SequenceMatcher(None, one.words, other.words, autojunk=False).ratio()
    if one.program == other.program:
        return 1 + ratio
    same_rest = one.words[1:] and set(one.words[1:]) <= set(other.words)
    return (
        ratio
        if same_rest or one.words[0].removeprefix("./") in other.words or _is_near(one.program, other.program)
        else 0
    )


def _word_edits(failed: Command, worked: Command, failure: Failure) -> Iterator[str]:
    old, new = [failed.words[0].removeprefix("./"), *failed.words[1:]], list(worked.words)
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, come = old[a:b], new[c:d]
        if kind == "equal":
            continue
        if a == 0 and come:
            whole = len(gone) < 2 and all(is_shown(each, failure.text) for each in come[1:])
            head = [_base(each) for each in (come if whole else come[:1])] + ([] if gone else old[:1])
            yield f"use `{' '.join(head)}` instead of `{_base(old[0])}`"
            gone, come = gone[1:], [] if whole else come[1:]
        for out, word in _paired(gone, come):
            if out and word:
                yield from _replaced(out, word, worked, failure)
            elif word:
                yield from _added(word, new, old, failure.text)
            elif out and (_OPTION.fullmatch(out) or names(failure.text, out)) and is_shown(out, failure.text):
                yield f"remove `{_option_name(out)}`"


def _paired(gone: Sequence[str], come: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Words that replaced each other: of the same kind, near ones first; others were removed or added."""
    left = list(gone)
    for word in come:
        alike = [each for each in left if bool(_OPTION.fullmatch(each)) is bool(_OPTION.fullmatch(word))]
        near = next((each for each in alike if _is_near(_option_name(each), _option_name(word))), None)
        match = near or next(iter(alike), "")
        if match:
            left.remove(match)
        yield match, word
    yield from ((each, "") for each in left)


def _replaced(out: str, word: str, worked: Command, failure: Failure) -> Iterator[str]:
    place = worked.words.index(word)
    if _OPTION.fullmatch(out):
        one, other = _option_name(out), _option_name(word)
        if one == other:
            yield from _value_edits(f"`{one}`", out.partition("=")[2], word.partition("=")[2], failure)
        else:
            yield f"use `{other}` instead of `{one}`"
    elif _is_subcommand(worked, place):
        yield f"use `{word}` instead of `{out}`"
    else:
        before = worked.words[place - 1]
        yield from _piece_edits(f"`{before}`" if _OPTION.fullmatch(before) else "", out, word, failure)


def _added(word: str, new: Sequence[str], old: Sequence[str], error: str) -> Iterator[str]:
    """An option with its value, if that is the same everywhere; an operand that the error names."""
    place = new.index(word)
    if _OPTION.fullmatch(word):
        value = new[place + 1] if place + 1 < len(new) and new[place + 1] not in old else word.partition("=")[2]
        header = re.match(r"[A-Z][A-Za-z-]+: [a-z]+/[a-z.+-]+$|[A-Z][A-Za-z-]+(?=: )", value)
        shown = header[0] if header else value if names(error, value) and is_shown(value, error) else ""
        yield f"add `{_option_name(word)}{f' {shown}' if shown else ''}`"
    elif (
        names(error, word)
        and is_shown(word, error)
        and not (_OPTION.fullmatch(new[place - 1]) and new[place - 1] not in old)
    ):
        yield f"add `{word}`"


def _shown(command: Command, error: str) -> str:
    """A command without the words that belong to one run."""
    installs = command.known.subcommands and bool({"install", "add", "i"} & set(command.words[1:3]))
    kept = [command.program]
    for place, word in enumerate(command.words[1:], start=1):
        if _OPTION.fullmatch(word):
            kept.append(_option_name(word))
        elif command.program == "export" and _ASSIGNMENT.fullmatch(word):
            kept.append(word.partition("=")[0])
        elif _is_subcommand(command, place) or (
            is_shown(word, error) and (installs or names(error, word) or command.program in {"chmod", "source"})
        ):
            kept.append(word)
    return " ".join(dict.fromkeys(kept))


def _is_subcommand(command: Command, place: int) -> bool:
    head = command.words[1 : place + 1]
    return command.known.subcommands and 0 < place <= 2 and all(map(_PLAIN.fullmatch, head))


def _text_edits(name: str, before: str, after: str, failure: Failure) -> Iterator[str]:
    """A text of several words: another form of the whole, or words of an edit of it."""
    old, new = list(_TOKEN.finditer(before)), list(_TOKEN.finditer(after))
    one, other = [each[0] for each in old], [each[0] for each in new]
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    whole = form_change(name, before, after) if failure.of_the_call and len(before) <= _LONGEST_WORD else ""
    if whole or matcher.ratio() <= _KIN:
        yield from filter(None, [whole])
        return
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "replace":
            found = [
                each for pair in zip(one[a:b], other[c:d], strict=False) for each in _piece_edits("", *pair, failure)
            ]
            segments = before[old[a].start() : old[b - 1].end()], after[new[c].start() : new[d - 1].end()]
            yield from found or _segment(*segments, failure)
        elif kind == "insert" and all(names(failure.text, each) for each in other[c:d] if each.isalnum()):
            word = after[new[c].start() : new[d - 1].end()]
            if any(map(str.isalnum, word)) and is_shown(word, failure.text):
                yield f"add `{word}`"


def _segment(out: str, come: str, failure: Failure) -> Iterator[str]:
    """A piece of code that replaced one whose name the error rejects."""
    rejected = failure.of_the_call and any(names(failure.text, each) for each in re.findall(r"[A-Za-z_]\w+", out))
    if rejected and is_shown(come, failure.text) and not re.search(r"[\d'\"]", come):
        yield f"write `{come}` instead of `{out}`"


def _value_edits(name: str, before: str, after: str, failure: Failure) -> Iterator[str]:
    """A single value: one that the error names, one of a standard, or another form of the same value."""
    named = names(failure.text, after) and not names(before, after) and is_shown(after, failure.text)
    if named or (failure.of_the_call and _STANDARD.fullmatch(after)):
        yield f'give {name} as "{after}"'
    elif failure.of_the_call or _letters(before) in _letters(after):
        yield from filter(None, [form_change(name, before, after)])


def _piece_edits(name: str, out: str, come: str, failure: Failure) -> Iterator[str]:
    """One word of a text that replaced another: a typing error, a word of the error, another form."""
    one, other = _narrowed(out, come)
    shown = is_shown(other, failure.text) and any(map(str.isalnum, other)) and not out.startswith(("/", "~"))
    rejected = failure.of_the_call and names(failure.text, one) and one.isidentifier() and other.isidentifier()
    if out[:1] in _QUOTES and come[:1] in _QUOTES and out[1:-1] == come[1:-1]:
        yield f"use {_QUOTES[come[0]]} quotes around `{come[1:-1]}`, not {_QUOTES[out[0]]} quotes"
    elif shown and (_is_near(one, other) or (names(failure.text, other) and not names(failure.text, out)) or rejected):
        yield f"use `{other}` instead of `{one}`"
    elif out in failure.text:
        yield from filter(None, [form_change(name or "the value", out, come)])


def form_change(name: str, before: str, after: str) -> str:
    """How the form of a value changed; empty if it is only another value.

    >>> form_change("x", "Medium", "medium"), form_change("x", "Berlin", "Europe/Berlin"), form_change("x", "ten", "10")
    ('write x in lower case', 'begin x with "Europe/"', 'give x as whole number as text, not as "ten"')
    """
    if before == after or not before or not after or before.startswith("/") or after.startswith("/"):
        return ""
    if before.casefold() == after.casefold():
        case = (
            "lower case" if after.islower() else "upper case" if after.isupper() else f"the case of {_pattern(after)}"
        )
        return f"write {name} in {case}"
    found = affix_change(name, before, after)
    one, other = shape_of(before), shape_of(after)
    if not found and one != other and is_strong(other):
        was = f'"{before}"' if before.isalpha() else one if is_strong(one) else "text"
        found = f"give {name} as {other}, not as {was}"
    if not found and _letters(before) == _letters(after) != "":
        found = f"write {name} like {_pattern(after)}, not like {_pattern(before)}"
    return found


def affix_change(name: str, before: str, after: str) -> str:
    """Characters that were added or left out at one end of a value, if they are part of its form."""
    ends = (
        (after.endswith(before), after[: -len(before)], f'begin {name} with "{{}}"'),
        (after.startswith(before), after[len(before) :], f'end {name} with "{{}}"'),
        (before.endswith(after), before[: -len(after)], f'leave out "{{}}" before {name}'),
        (before.startswith(after), before[len(after) :], f'leave out "{{}}" after {name}'),
    )
    return next((words.format(part) for fits, part, words in ends if fits and _is_affix(part)), "")


def _is_affix(text: str) -> bool:
    """Whether characters before or after a value are part of its form: few, with a sign, without digits."""
    return 0 < len(text) <= _LONGEST_AFFIX and not re.search(r"[\d@]", text) and not text.isalpha()


def is_shown(word: str, error: str) -> bool:
    """Whether a word may be named: not long, not a secret, no path and no identifier of one run."""
    if not word or "redacted" in word or len(word) > _LONGEST_WORD or "@" in word or sum(map(str.isdigit, word)) > 3:
        return False
    return mask_run(word) == word and (not word.startswith(("/", "~")) or word in error)


def names(error: str, word: str) -> bool:
    """Whether an error has this very word."""
    return bool(word) and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", error) is not None


def _is_near(one: str, other: str) -> bool:
    """Whether one word is a typing error of another, never in digits."""
    if one == other or len(one) < 2 or re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return False
    return sorted(one) == sorted(other) or SequenceMatcher(None, one, other, autojunk=False).ratio() >= _NEAR


def _narrowed(one: str, other: str) -> tuple[str, str]:
    """The one part in which two words differ, if it is one."""
    left, right = re.split(r"(\W+)", one), re.split(r"(\W+)", other)
    different = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    return different[0] if len(left) == len(right) and len(different) == 1 and all(different[0]) else (one, other)


def _pattern(text: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", text)))[:24]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _is_single(text: str) -> bool:
    return not re.search(r"[\s(]", text)


def _base(program: str) -> str:
    return program.rsplit("/", 1)[-1] if program.startswith(("/", "~")) else program


def _option_name(word: str) -> str:
    return word.partition("=")[0] if word.startswith("-") else word
