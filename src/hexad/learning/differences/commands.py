"""Shell commands, compared word by word: program, subcommand, options, operands, and the commands that ran before.

A word that belongs to one run is not named: a path, a secret, an operand that the error does not mention.
"""

from __future__ import annotations

import re
import shlex
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.learning.differences.forms import is_near, is_shown, pair_edits
from hexad.learning.errors.advice import is_dangerous

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexad.learning.errors.advice import About

_CHAIN: Final = frozenset({"&&", "||", ";", "|", "&"})
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=.*", re.DOTALL)
_PROGRAM: Final = re.compile(r"(?:\.{0,2}/)?[A-Za-z_][\w./+-]*")
_REDIRECTION: Final = re.compile(r"\d?>&\d|&>>?\s?\S+|<<<?")
_MODE: Final = re.compile(r"[ugoa]*[+=-][rwxs]+|[0-7]{3,4}")  # of chmod
_OPTION: Final = re.compile(r"--?[A-Za-z?][\w.-]*(?:=.*)?", re.DOTALL)
_PLAIN: Final = re.compile(r"[a-z][a-z-]*")
_CODE: Final = re.compile(
    r"(?i)\s*(?:select|insert|update|delete|create|alter|drop|with|explain|import|from|def|class|return)\b"
)
# Knowledge of single programs: those whose first operand is a subcommand, and those that only change the place of work.
_WITH_SUBCOMMAND: Final = frozenset(
    re.split(
        r"\s+",
        "alembic apt apt-get aws az brew bundle cargo conda docker dotnet dvc flutter gcloud gh git go helm hg kubectl"
        " mvn npm nuget pip pip3 pipx pnpm podman poetry ruff rustup svn systemctl terraform uv yarn",
    )
)
_PLACE_ONLY: Final = frozenset({"cd", "pushd", "popd", "sleep", "echo", "true", "ls", "pwd", "clear", "sudo", "set"})


class Command(NamedTuple):
    """One simple command: its words, without redirections; assignments before it apart."""

    words: tuple[str, ...]
    settings: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        """Its first word."""
        return self.words[0] if self.words else ""


def takes_rights(before: str, after: str) -> bool:
    """Whether a command has words that take rights or turn a check off, and that the one before had not."""
    old, new = both(before, after)
    return bool(old and new) and is_dangerous(_difference(old, new))


def both(before: str, after: str) -> tuple[tuple[Command, ...], tuple[Command, ...]]:
    """Two texts as commands; one without options, such as `pytest`, is a command if the other is one that calls it."""
    old, new = commands(before), commands(after)
    if new and not old and _wrapped(before, [word for each in new for word in each.words]):
        old = (Command((before,)),)
    return old, new


def commands(text: str) -> tuple[Command, ...]:
    """The simple commands of a text that parses as a shell command; else none.

    >>> [each.words for each in commands("cd a && git push -u origin")]
    [('cd', 'a'), ('git', 'push', '-u', 'origin')]
    >>> commands("Please call me tomorrow.")
    ()
    """
    if "\n" in text.strip() or _CODE.match(text):
        return ()
    lexer = shlex.shlex(_REDIRECTION.sub("", text), posix=True, punctuation_chars="&|;")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        return ()
    found: list[Command] = []
    start = 0
    for place, word in enumerate([*words, ";"]):
        if word in _CHAIN:
            part = words[start:place]
            start = place + 1
            skip = next((at for at, each in enumerate(part) if not _ASSIGNMENT.fullmatch(each)), len(part))
            found.append(Command(tuple(part[skip:]), tuple(part[:skip])))
    real = tuple(each for each in found if each.words)
    return real if real and all(map(_is_command, real)) and _is_shell(text, real) else ()


def _is_command(command: Command) -> bool:
    return _PROGRAM.fullmatch(command.program) is not None and not command.program.endswith((".", ","))


def _is_shell(text: str, found: Sequence[Command]) -> bool:
    """Whether it is more than a sentence: an option, a chain, a path, a program with subcommands, few plain words."""
    words = [word for each in found for word in each.words]
    signs = len(found) > 1 or any(_OPTION.fullmatch(word) or "/" in word for word in words) or found[0].settings
    if len(words) == 1:
        return text.startswith("./")
    few = 1 < len(words) <= 4 and all(re.fullmatch(r"[\w./*:@{}\[\]'-]+", word) for word in words)
    return (
        bool(signs)
        or found[0].program in _WITH_SUBCOMMAND
        or (few and found[0].program.islower() and text[-1:] not in "!?")
    )


def command_edits(old: Sequence[Command], new: Sequence[Command], error: str, about: About) -> Iterator[str]:
    """The edits of the failed command, then the commands that ran before it."""
    failed = _failed(old, error)
    place = max(range(len(new)), key=lambda at: (_likeness(failed, new[at]), at))
    same = new[place] if _likeness(failed, new[place]) > 0 else None
    before = [each for each in new[:place] if each not in old and each.program not in _PLACE_ONLY]
    first = [_shown(each, error) for each in before]
    if first:
        yield f"run {' and '.join(f'`{each}`' for each in first[:3])} first"
    if same is None:
        if failed.program != new[place].program:
            yield f"use `{_shown(new[place], error)}` instead of `{_base(failed.program)}`"
        return
    for each in set(same.settings) - set(failed.settings):
        name = each.split("=", 1)[0]
        if name not in {one.split("=", 1)[0] for one in failed.settings}:
            yield f"set `{name}`"
    wrapped = _wrapped(failed.program, same.words)
    if wrapped:
        yield f"use `{wrapped}` instead of `{_base(failed.program)}`"
    rest = Command(same.words[len(wrapped.split()) - 1 :]) if wrapped else same
    yield from _option_edits(Command((rest.program, *failed.words[1:])) if wrapped else failed, rest, error, about)


def _wrapped(program: str, words: Sequence[str]) -> str:
    """How a program is called through another: `python -m pytest`, `npx tsc`, `bash run.sh`."""
    name = program.removeprefix("./")
    places = [place for place, word in enumerate(words[:4]) if word in {program, name}]
    return " ".join(words[: places[0] + 1]) if places and places[0] > 0 else ""


def _difference(old: Sequence[Command], new: Sequence[Command]) -> str:
    """The words that are new, as one text: with the program where they are options of it."""
    known = {word for each in old for word in (*each.words, *each.settings)}
    programs = {each.program for each in old}
    lines = []
    for each in new:
        added = [word for word in (*each.settings, *each.words) if word not in known]
        forced = [
            word for word in added if re.fullmatch(r"-[A-Za-z]*f[A-Za-z]*|-k|-9", word) and _forces(each.program, word)
        ]
        lines.append(" ".join((each.program if each.program in programs else "", *added, *("--force" for _ in forced))))
        if each.program in {"docker", "podman"} and {"rm", "rmi"} & set(each.words) and {"-f", "-rf"} & set(added):
            lines.append("--force")
        if each.program == "git" and "-D" in added:
            lines.append("--force")
        if each.program in {"rm", "chmod", "kill", "sudo", "su"} and each not in old:
            lines.append(" ".join(each.words))
    return " ".join(lines)


def _forces(program: str, option: str) -> bool:
    """Whether a short option turns a check off in this program (`-f` is a file in many others)."""
    if option == "-k":
        return program in {"curl", "wget", "http"}
    return program in {"rm", "ln", "cp", "mv", "git", "kill", "mkfs", "umount"} and option != "-9"


def _failed(old: Sequence[Command], error: str) -> Command:
    """The command of a chain that the error is about: the one whose words it names, else the last."""
    return max(reversed(old), key=lambda each: sum(word in error for word in each.words)) if len(old) > 1 else old[0]


def _likeness(one: Command, other: Command) -> float:
    if _base(one.program) == _base(other.program):
        return 1 + SequenceMatcher(None, one.words, other.words, autojunk=False).ratio()
    if _wrapped(one.program, other.words):
        return 0.9
    if one.words[1:] and set(one.words[1:]) & set(other.words[1:]):
        rest = SequenceMatcher(None, one.words[1:], other.words[1:], autojunk=False).ratio()
        return rest if rest > 0.5 or is_near(one.program, other.program) else 0
    return 0.5 if is_near(one.program, other.program) else 0


def _option_edits(failed: Command, worked: Command, error: str, about: About) -> Iterator[str]:
    old, new = list(failed.words), list(worked.words)
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        gone, come = old[a:b], new[c:d]
        if a == c == 0 and len(come) > len(gone) and all(is_shown(each, error) for each in come):
            yield f"use `{' '.join(come)}` instead of `{' '.join(gone)}`"
            continue
        for at, (out, in_) in enumerate(_paired(gone, come)):
            if out and in_:
                if a + at == 0 or _is_subcommand(worked, c + at):
                    yield from _program_edit(out, in_, error, program=a + at == 0)
                else:
                    yield from _replaced(_value_name(old, a + at, out), out, in_, error, about)
            elif in_:
                yield from (f"{each} to `{_base(worked.program)}`" for each in _added(in_, new, old, error))
            elif out and (_OPTION.fullmatch(out) or out in error) and out not in new and is_shown(out, error):
                yield f"remove `{_option_name(out)}`"


def _paired(gone: Sequence[str], come: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Words that replaced each other: of the same kind; others were removed or added."""
    left = list(gone)
    for word in come:
        kind = bool(_OPTION.fullmatch(word))
        other = [each for each in left if bool(_OPTION.fullmatch(each)) is kind]
        near = next((each for each in other if is_near(_option_name(each), _option_name(word))), None)
        match = near or (other[0] if other and (not kind or len(gone) == len(come)) else "")
        if match:
            left.remove(match)
        yield match, word
    for each in left:
        yield each, ""


def _program_edit(out: str, come: str, error: str, *, program: bool) -> Iterator[str]:
    if is_shown(_base(come), error) or program:
        yield f"use `{_base(come)}` instead of `{_base(out)}`"


def _value_name(words: Sequence[str], place: int, word: str) -> str:
    """The name of a value in a command: the option before it, else the word itself."""
    if _OPTION.fullmatch(word) and "=" in word:
        return f"`{_option_name(word)}`"
    return f"`{words[place - 1]}`" if place and _OPTION.fullmatch(words[place - 1]) else "the value"


def _replaced(name: str, out: str, come: str, error: str, about: About) -> Iterator[str]:
    if _OPTION.fullmatch(out) and _OPTION.fullmatch(come):
        one, other = _option_name(out), _option_name(come)
        if one != other:
            yield f"use `{other}` instead of `{one}`"
            return
        out, come = out.partition("=")[2], come.partition("=")[2]
    yield from pair_edits(name, out, come, error, about)


def _added(word: str, new: Sequence[str], old: Sequence[str], error: str) -> Iterator[str]:
    if _OPTION.fullmatch(word):
        name = _option_name(word)
        place = new.index(word)
        value = new[place + 1] if place + 1 < len(new) and new[place + 1] not in old else word.partition("=")[2]
        shown = value if value and value in error and is_shown(value, error) else ""
        header = re.match(r"[A-Z][A-Za-z-]+: [a-z]+/[a-z.+-]+$|[A-Z][A-Za-z-]+(?=: )", value)
        says = header[0] if header else shown
        yield f"add `{name}{f' {says}' if says else ''}`" + (
            " with a value" if value and not says and not _OPTION.match(value) else ""
        )
    elif word in error and is_shown(word, error) and not _is_value_of_new_option(word, new, old):
        yield f"add `{word}`"


def _is_value_of_new_option(word: str, new: Sequence[str], old: Sequence[str]) -> bool:
    before = new[new.index(word) - 1]
    return _OPTION.fullmatch(before) is not None and before not in old


def _is_subcommand(command: Command, place: int) -> bool:
    head = command.words[1 : place + 1]
    return place > 0 and command.program in _WITH_SUBCOMMAND and len(head) <= 2 and all(map(_PLAIN.fullmatch, head))


def _is_general(command: Command, word: str, error: str) -> bool:
    """Whether an operand is the same in every run: a mode, a package, a script to source, a word of the error."""
    if command.program == "chmod" and _MODE.fullmatch(word):
        return True
    known = word in error or _installs(command) or command.program in {"source", "."}
    return known and is_shown(word, error)


def _installs(command: Command) -> bool:
    """Whether its operands are packages, which have the same names everywhere."""
    return command.program in _WITH_SUBCOMMAND and bool({"install", "add", "i"} & set(command.words[1:3]))


def _shown(command: Command, error: str) -> str:
    """A command without the words that belong to one run: program, subcommand, options, and operands of the error."""
    kept = [_base(command.program)]
    for place, word in enumerate(command.words[1:], start=1):
        if _OPTION.fullmatch(word):
            kept.append(_option_name(word))
        elif command.program == "export" and _ASSIGNMENT.fullmatch(word):
            kept.append(word.partition("=")[0])
        elif _is_subcommand(command, place) or _is_general(command, word, error):
            kept.append(word)
    return " ".join(dict.fromkeys(kept))


def _base(program: str) -> str:
    return program.rsplit("/", 1)[-1] if program.startswith(("/", "~")) else program


def _option_name(word: str) -> str:
    return word.partition("=")[0] if word.startswith("-") else word
