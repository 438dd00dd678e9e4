"""Tables, bars and wrapped lines on a terminal; loads rich."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.progress import Progress
from rich.rule import Rule
from rich.table import Table
from rich.text import Text
from typer import rich_utils

from hexad.cli.terminal.screen import FACTS, Column, Wide, clean, one_line, plain

_PIECE: Final = re.compile(r"\S*`[^`]*`\S*|hexad [^(]*(?= \()|\S+")  # a word, or a command
_STYLES: Final[Mapping[str, str]] = {
    "ok": "green",
    "kept": "green",
    "warning": "yellow",
    "problem": "bold red",
    "info": "dim",
}


def table(columns: Sequence[Column], rows: Sequence[Sequence[object]], title: str) -> None:
    """Draw a table that fits the terminal's width."""
    grid = Table(
        box=box.SIMPLE_HEAD,
        title=Text(title, "bold") if title else None,
        title_justify="left",
        pad_edge=False,
        show_header=columns is not FACTS,
    )
    for column in columns:
        if isinstance(column, Wide):
            grid.add_column(column.name, max_width=column.width, overflow="fold")
        else:
            grid.add_column(column, no_wrap=True, overflow="ellipsis")
    for row in rows:
        grid.add_row(*(Text(*_cell(column, value)) for column, value in zip(columns, row, strict=True)))
    _console().print(grid)


def heading(title: str) -> None:
    """Draw a rule with a title."""
    _console().print(Rule(title, align="left", style="dim"))


def alert(text: str, styled: int, style: str) -> None:
    """Print a message on standard error, its first characters in a style."""
    lines = Text(text)
    lines.stylize(style, 0, styled)
    _console(stderr=True).print(lines, soft_wrap=True)


@contextmanager
def bar() -> Iterator[Callable[[str, int, int], None]]:
    """A progress bar on standard error, which disappears at the end."""
    with Progress(console=_console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)

        def show(step: str, done: int, total: int) -> None:
            if done == total or done % max(1, total // 200) == 0:
                progress.update(task, description=step, completed=done, total=total)

        yield show


def fitted(text: str, *, stderr: bool) -> str:
    """Break long lines between words; a command to paste stays in one piece."""
    width = _console(stderr=stderr).width
    return "\n".join(line if len(line) * 2 <= width else _wrapped(line, width) for line in text.split("\n"))


def uncolour_help() -> None:
    """Keep typer from colouring help in a pipe, unless the user asks for colour."""
    if not sys.stdout.isatty() and Console(force_terminal=rich_utils.FORCE_TERMINAL).is_terminal:
        from hexad.settings import colour_is_wanted  # noqa: PLC0415 - loads the retriever: 60 ms

        rich_utils.FORCE_TERMINAL = colour_is_wanted()


def _wrapped(line: str, width: int) -> str:
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


def _console(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def _cell(column: Column, value: object) -> tuple[str, str]:
    """A cell's text and style."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M"), "dim"
    text = clean(plain(value)).expandtabs(4) if isinstance(column, Wide) else one_line(plain(value))
    return text, _STYLES.get(text, "")
