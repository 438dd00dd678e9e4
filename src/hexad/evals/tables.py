"""A table of figures as text, for the terminal and for the page."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Table(NamedTuple):
    """The names of the columns, and the rows."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def as_html(self) -> str:
        """The table under its first name. A share from 0 to 1 is also a bar."""
        title, *names = map(escape, self.head)
        head = "".join(f"<th>{name}</th>" for name in ("", *names))
        rows = ("".join(map(_cell, row)) for row in self.rows)
        return f"\n<h2>{title}</h2>\n<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def _cell(text: str) -> str:
    share = float(text) if re.fullmatch(r"[01]\.\d+", text) else 0.0
    bar = f' class="bar" style="--share: {share:.0%}"' if share else ""
    return f"<td{bar}>{escape(text)}</td>"
