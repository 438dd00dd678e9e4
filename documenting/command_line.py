"""The help of every command, as it is shown on a screen of 80 columns."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from hexad.cli import app, main
from hexad.cli.tree import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEAD = """\
# The command line

This page is what `--help` says, of every command; `make docs` writes it. Commands work on the
database that `--db` or `HEXAD_DB` names; else on the project's `hexad.db`, of this folder or the nearest above, if you
made it with `hexad init` or trusted it with `hexad trust`; else on your own, in your data folder. `--json` prints one
JSON document. Exit codes: 0 done, 1 failed, 2 a mistake in the command or the configuration, 130 interrupted. Errors
are one sentence on standard error.

In a pipe a table is a line for each row, its cells parted by tabs, and nothing is coloured. `NO_COLOR` turns colour off
on a terminal too. `hexad review` asks a person, so it wants a terminal. The examples are
run by the tests.
"""
_COLUMNS = "80"


def command_line() -> str:
    """The page."""
    parts = [_HEAD]
    for path in _paths(whole(app)):
        words = " ".join(("hexad", *path))
        parts.append(f"## {words}\n\n```text\n{_help(path)}\n```\n")
    return "\n".join(parts)


def _paths(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from _paths(inner, (*path, name))


def _help(path: tuple[str, ...]) -> str:
    printed, before = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = _COLUMNS
    try:
        with redirect_stdout(printed):
            main([*path, "--help"])
    finally:
        os.environ.pop("COLUMNS") if before is None else os.environ.update(
            COLUMNS=before
        )
    lines = [line.rstrip() for line in printed.getvalue().strip("\n").splitlines()]
    return "\n".join(lines).strip("\n")
