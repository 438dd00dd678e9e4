"""Tables and bars on a terminal; loads rich."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Final

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from hexad.cli.terminal.screen import FACTS, Column, Wide, clean, one_line, plain

_STEPS: Final = 200  # times that a bar moves
_STYLES: Final[Mapping[str, str]] = {
    "ok": "green",
    "kept": "green",
    "warning": "yellow",
    "problem": "bold red",
    "info": "dim",
}


def table(
    columns: Sequence[Column], rows: Sequence[Sequence[object]], title: str
) -> None:
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
        grid.add_row(
            *(
                Text(*_cell(column, value))
                for column, value in zip(columns, row, strict=True)
            )
        )
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
    counts = TextColumn("{task.completed:,.0f} of {task.total:,.0f}")
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        counts,
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=_console(stderr=True), transient=True) as progress:
        task, shown = progress.add_task("", total=0, visible=False), [-1]

        def show(step: str, done: int, total: int) -> None:
            if done in {0, total} or not shown[0] <= done < shown[0] + total / _STEPS:
                progress.update(
                    task, description=step, completed=done, total=total, visible=True
                )
                shown[0] = done

        yield show


def _console(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, highlight=False, markup=False, emoji=False)


def _cell(column: Column, value: object) -> tuple[str, str]:
    """A cell's text and style."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M"), "dim"
    text = (
        clean(plain(value)).expandtabs(4)
        if isinstance(column, Wide)
        else one_line(plain(value))
    )
    return text, _STYLES.get(text, "")
