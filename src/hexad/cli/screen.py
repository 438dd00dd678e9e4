"""What a user sees: sentences, tables, progress, or one JSON document; plain in a pipe, never a control character.

On a terminal a table fits its width. In a pipe each row is one line, its cells whole and parted by tabs, no heading.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

import typer

from hexad.cli.suggesting import completed
from hexad.errors import InvalidInput
from hexad.wire import WIRE

if TYPE_CHECKING:
    from rich.console import Console

_PIECE: Final = re.compile(r"\S*`[^`]*`\S*|hexad [^(]*(?= \()|\S+")  # a word, or a command
_KEPT_CONTROLS: Final = "\n\t"
_BIDI: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # they reorder what is around them
_FRAME, _GAP, _NARROWEST = 2, 3, 8  # columns of a terminal: around a table, between cells, the least for text
_STYLES: Final[Mapping[str, str]] = {
    "ok": "green",
    "kept": "green",
    "warning": "yellow",
    "problem": "bold red",
    "info": "dim",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column: ``cut`` shows one line of what fits, ``fold`` all of it on several lines, ``whole`` is short anyway."""

    name: str
    fit: Literal["whole", "cut", "fold"] = "whole"
    width: int | None = None  # at most


KEY: Final = Column("key", "fold", 20)


def emit(told: Mapping[str, Any]) -> None:
    """One JSON document, in ASCII: right in every encoding, and harmless to a terminal."""
    _write(json.dumps({"wire": WIRE, **told}, indent=2) + "\n")


def say(sentence: str) -> None:
    """A line, or several, of what was asked for; on a terminal sentences break between words."""
    _write(_fitted(clean(sentence), sys.stdout) + "\n")


def show(text: str) -> None:
    """A text as it is: a prompt, a script, what a program wrote."""
    _write(clean(text) + "\n")


def show_beside(text: str) -> None:
    """What a program wrote beside its answer, as it is."""
    if text:
        finish()  # in the order in which it came
        sys.stderr.write(clean(text.removesuffix("\n")) + "\n")


def remark(sentence: str) -> None:
    """Something beside the answer, where it does not disturb who reads it."""
    sys.stderr.write(_fitted(clean(completed(sentence)), sys.stderr) + "\n")


def warn(sentence: str) -> None:
    """Something that the user should know."""
    _shout("warning: ", "yellow", sentence)


def error(sentence: str) -> None:
    """What went wrong, in one line."""
    _shout("error: ", "bold red", sentence)


def clean(text: str) -> str:
    r"""Text that cannot steer a terminal: control characters are shown as escapes, except line ends and tabs.

    >>> clean("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(_escaped(character) if _steers(character) else character for character in text)


def one_line(text: str) -> str:
    """All of a text in one line."""
    return clean(" ".join(text.split()))


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "line"), counted(2, "line"), counted(0, "entry", "entries")
    ('1 line', '2 lines', '0 entries')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def table(columns: Sequence[Column], rows: Sequence[Sequence[object]], *, title: str = "", mark: str = "") -> None:
    """Rows for a person or, in a pipe, for a program, where ``mark`` is the first cell of each."""
    if sys.stdout.isatty():
        _draw(columns, rows, title)
        return
    for row in rows:
        cells = (mark, *row) if mark else row
        _write("\t".join(one_line(_plain(cell)) for cell in cells) + "\n")


def facts(columns: Sequence[Column], rows: Sequence[tuple[str, str]]) -> None:
    """Names and what they are. In a pipe a text of several lines follows its name, indented, so that none is hidden."""
    if sys.stdout.isatty():
        _draw(columns, rows, "")
        return
    for name, value in rows:
        text = clean(value)
        block = ":\n" + "".join(f"    {line}\n" for line in text.split("\n"))
        _write(clean(name) + (block if "\n" in text else f"\t{text}\n"))


def heading(title: str) -> None:
    """What stands above the next lines."""
    if sys.stdout.isatty():
        from rich.rule import Rule

        _console().print(Rule(title, align="left", style="dim"))
    else:
        say(f"\n{title}:")


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error while something long runs; none where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.progress import Progress

    with Progress(console=_console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)

        def show(done: int, total: int) -> None:
            if done == total or done % max(1, total // 200) == 0:
                bar.update(task, completed=done, total=total)

        yield show


@contextmanager
def steps() -> Iterator[Callable[[str, int, int], None]]:
    """A bar for work of several steps, each with a name of its own."""
    if not sys.stderr.isatty():
        yield lambda _what, _done, _total: None
        return
    from rich.progress import Progress

    with Progress(console=_console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def show(what: str, done: int, total: int) -> None:
            if done == total or done % max(1, total // 100) == 0:
                bar.update(task, description=what, completed=done, total=total)

        yield show


def agreed(command: str, question: str) -> bool:
    """Whether a person says yes to what cannot be undone; an error where nobody can be asked."""
    if not sys.stdin.isatty():
        raise InvalidInput(command, "erases for good and nobody can be asked here; add --yes")
    return confirmed(question)


def confirmed(question: str) -> bool:
    """Whether the user says yes. Asked on standard error; standard output is for the answer."""
    sys.stderr.write(f"{clean(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in {"y", "yes"}


def asked(question: str, *, at_end: str = "") -> str:
    """What the user answers, folded; ``at_end`` where the input ends."""
    sys.stderr.write(f"{clean(question)}: ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    return line.strip().casefold() if line else at_end


def help_if_alone(context: typer.Context) -> None:
    """A group that was called without a command says which it has."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)
        raise typer.Exit


def finish() -> None:
    """Hand over what is written. Who reads it may have read enough: then the rest goes nowhere, quietly."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _write_nowhere()


def _write(text: str) -> None:
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        _write_nowhere()


def _write_nowhere() -> None:
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, sys.stdout.fileno())
    os.close(nothing)


def _shout(word: str, style: str, sentence: str) -> None:
    sentence = completed(sentence)
    if sys.stderr.isatty():
        from rich.text import Text

        lines = Text(_fitted(word + one_line(sentence), sys.stderr))
        lines.stylize(style, 0, len(word))
        _console(stderr=True).print(lines, soft_wrap=True)
    else:
        sys.stderr.write(f"{word}{one_line(sentence)}\n")


def _fitted(text: str, stream: TextIO) -> str:
    """Text in lines of a terminal's width, broken between words; a command to paste stays in one piece."""
    if not stream.isatty():
        return text
    width = _console(stderr=stream is sys.stderr).width
    return "\n".join(line if len(line) * 2 <= width else _wrapped(line, width) for line in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    from rich.cells import cell_len

    if cell_len(line) <= width or "\t" in line:
        return line
    lines = [""]
    for word in _PIECE.findall(line):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if lines[-1] and cell_len(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def _console(*, stderr: bool = False) -> "Console":
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def _draw(columns: Sequence[Column], rows: Sequence[Sequence[object]], title: str) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console = _console()
    cells = [[Text(*_pretty(column, value)) for column, value in zip(columns, row, strict=True)] for row in rows]
    widths = _widths(columns, [[cell.plain for cell in row] for row in cells], console.width)
    grid = Table(
        box=box.SIMPLE_HEAD, title=Text(title, "bold") if title else None, title_justify="left", pad_edge=False
    )
    for column, width in zip(columns, widths, strict=True):
        fold = column.fit == "fold"
        grid.add_column(Text(column.name), width=width, no_wrap=not fold, overflow="fold" if fold else "ellipsis")
    for row in cells:
        grid.add_row(*row)
    console.print(grid)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """A width for each column: what its cells need, up to its own limit; the elastic one gets what is left."""
    from rich.cells import cell_len

    needs = [
        max(cell_len(line) for row in (names, *rows) for line in row[n].split("\n"))
        for names in [[column.name for column in columns]]
        for n in range(len(columns))
    ]
    widths = [min(need, column.width or need) for column, need in zip(columns, needs, strict=True)]
    elastic = max(n for n, column in enumerate(columns) if column.fit != "whole" and column.width is None)
    left = room - _FRAME - _GAP * (len(columns) - 1) - sum(widths) + widths[elastic]
    widths[elastic] = max(_NARROWEST, min(widths[elastic], left))
    return widths


def _pretty(column: Column, value: object) -> tuple[str, str]:
    """A cell on a terminal: its text and its style."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M"), "dim"
    text = clean(_plain(value)).expandtabs(4) if column.fit == "fold" else one_line(_plain(value))
    return text, _STYLES.get(text, "")


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _steers(character: str) -> bool:
    if character in _KEPT_CONTROLS:
        return False
    from unicodedata import category

    return category(character) in {"Cc", "Cs", "Zl", "Zp"} or character in _BIDI


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
