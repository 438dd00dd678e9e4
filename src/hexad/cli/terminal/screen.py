"""Everything a command prints: sentences, tables, progress, or one JSON document.
Control characters are escaped.

On a terminal a table fits the width (`drawing.py`). In a pipe each row is one line of
whole cells separated by tabs.
"""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from types import ModuleType
from typing import Any, Final, TypeAlias
from unicodedata import category

import typer

from hexad.cli.terminal.suggesting import completed
from hexad.errors import InvalidInput
from hexad.json_form import WIRE

_BIDI: Final = frozenset(
    "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)  # they reorder what is around them


@dataclass(frozen=True, slots=True)
class Wide:
    """A column for long text, which is broken into several lines; ``width`` is the
    maximum of a line.
    """

    name: str
    width: int | None = None


_said: Final[set[str]] = set()
Column: TypeAlias = str | Wide  # a name alone is a column for short text
KEY: Final = Wide("key", 32)
FACTS: Final = ("", Wide(""))


def emit(document: Mapping[str, Any]) -> None:
    """Print one JSON document, in ASCII, which every encoding and terminal can show."""
    _write(json.dumps({"wire": WIRE, **document}, indent=2) + "\n")


def say(sentence: str) -> None:
    """Print the answer: a sentence, a prompt, a script, a program's output."""
    _write(clean(sentence) + "\n")


def show_beside(text: str) -> None:
    """Print a program's standard error as it is."""
    if text:
        finish()  # keep the order of the two streams
        sys.stderr.write(clean(text.removesuffix("\n")) + "\n")


def remark(sentence: str) -> None:
    """Print a note on standard error, so that it does not mix with the answer."""
    sys.stderr.write(clean(completed(sentence)) + "\n")


def once(say: Callable[[str], None], sentence: str) -> None:
    """Say something once in a command."""
    if sentence not in _said:
        _said.add(sentence)
        say(sentence)


def begin() -> None:
    """Forget what an earlier command said; text that a stream's encoding lacks is
    escaped.
    """
    _said.clear()
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "errors", None) == "strict":
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def warn(sentence: str) -> None:
    """Print a warning on standard error."""
    _alert("warning: ", "yellow", sentence)


def error(sentence: str) -> None:
    """Print an error on standard error, in one line."""
    _alert("error: ", "bold red", sentence)


def clean(text: str) -> str:
    r"""Escape control characters, except line ends and tabs, so that stored text cannot
    steer a terminal.

    >>> clean("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(map(_escaped, text))


def one_line(text: str) -> str:
    """Join the lines of a text into one."""
    return clean(" ".join(text.split()))


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "line"), counted(2, "line"), counted(0, "entry", "entries")
    ('1 line', '2 lines', '0 entries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[object]],
    *,
    title: str = "",
    first: str = "",
) -> None:
    """Print rows: a table on a terminal, tab-separated lines in a pipe, where ``first``
    is an extra first cell.

    Of `FACTS`, names and values, a value of several lines follows its name in a pipe,
    indented.
    """
    if sys.stdout.isatty():
        _drawing().table(columns, rows, title)
        return
    for row in rows:
        if columns is FACTS and "\n" in (text := clean(plain(row[1]))):
            _write(
                f"{row[0]}:\n" + "".join(f"    {line}\n" for line in text.split("\n"))
            )
            continue
        cells = (first, *row) if first else row
        _write("\t".join(one_line(plain(cell)) for cell in cells) + "\n")


def heading(title: str) -> None:
    """Print a heading above the next lines."""
    if sys.stdout.isatty():
        _drawing().heading(title)
    else:
        say(f"\n{title}:")


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on standard error if that is a terminal."""
    with steps() as step:
        yield lambda done, total: step(title, done, total)


@contextmanager
def steps() -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar for work of several named steps."""
    if sys.stderr.isatty():
        with _drawing().bar() as step:
            yield step
    else:
        yield lambda _step, _done, _total: None


def exit_unless_agreed(command: str, question: str, *, otherwise: str) -> None:
    """Ask before something that cannot be undone; raise if there is no terminal to ask
    on.
    """
    if not sys.stdin.isatty():
        raise InvalidInput(
            command, "erases for good and there is no terminal to ask on; add --yes"
        )
    if not confirmed(question):
        remark(otherwise)
        raise typer.Exit(1)


def confirmed(question: str) -> bool:
    """Ask a yes-or-no question on standard error."""
    return asked(f"{question} [y/N]") in {"y", "yes"}


def asked(question: str, *, at_end: str = "") -> str:
    """Ask a question; return the answer in lower case, or ``at_end`` if the input
    ended.
    """
    sys.stderr.write(f"{clean(question)} ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    return line.strip().casefold() if line else at_end


def help_if_alone(context: typer.Context) -> None:
    """Print the help of a group that was called without a command."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)
        raise typer.Exit


def finish() -> None:
    """Flush standard output; if its reader has gone, discard the rest quietly."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _discard()


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        _discard()


def _discard() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)


def _alert(word: str, style: str, sentence: str) -> None:
    line = word + one_line(completed(sentence))
    if sys.stderr.isatty():
        _drawing().alert(line, len(word), style)
    else:
        sys.stderr.write(f"{line}\n")


def _drawing() -> ModuleType:
    from hexad.cli.terminal import drawing  # noqa: PLC0415 - loads rich: 40 ms

    return drawing


def moment(when: datetime) -> str:
    """A time in UTC as a person reads it."""
    return f"{when:%Y-%m-%d %H:%M} UTC"


def plain(value: object) -> str:
    """A cell as text."""
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _escaped(character: str) -> str:
    """The character, escaped if a terminal would obey it."""
    steers = category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in _BIDI
    return (
        character.encode("unicode_escape").decode("ascii")
        if steers and character not in "\n\t"
        else character
    )
