"""The weight of the source: lines by folder, imports inside functions, methods of the
store ports, SQL statements.
"""

from __future__ import annotations

import ast
import sqlite3
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import hexad
from benchmarks.figures import Figure
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(hexad.__file__).parent
MOST_LINES, MOST_HIDDEN_IMPORTS, MOST_PORT_METHODS, MOST_STATEMENTS = 46_500, 60, 38, 16
_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def measure(folder: Path) -> Iterator[Figure]:
    """Every figure about the source, then the statements of a retrieve and a save."""
    by_folder = lines_by_folder()
    yield Figure(
        "lines of src: Python, tables, scripts", sum(by_folder.values()), MOST_LINES, ""
    )
    for name, lines in sorted(by_folder.items(), key=lambda each: -each[1]):
        yield Figure(f"lines of {name}", lines, None, "")
    yield Figure(
        "imports inside functions", len(hidden_imports()), MOST_HIDDEN_IMPORTS, ""
    )
    yield Figure(
        "methods of the store ports", len(port_methods()), MOST_PORT_METHODS, ""
    )
    retrieve, save = statements(folder / "statements.db")
    yield Figure(
        "statements of a retrieve of four layers",
        retrieve,
        MOST_STATEMENTS,
        "",
        "BEGIN and COMMIT included",
    )
    yield Figure("statements of a save", save, None, "", "BEGIN and COMMIT included")


def lines_by_folder() -> dict[str, int]:
    """Lines of Python, and of tables and scripts beside it, by the first folder in the
    package.

    SQL, pages and styles are left out.
    """
    found: dict[str, int] = {}
    for file in sorted(SOURCE.rglob("*")):
        if file.suffix in {".py", ".txt", ".js"}:
            inside = file.relative_to(SOURCE).parts
            name = f"{inside[0]}/" if len(inside) > 1 else "files of the package itself"
            found[name] = found.get(name, 0) + file.read_bytes().count(b"\n")
    return found


def hidden_imports() -> list[str]:
    """Every import statement inside a function, as file and line."""
    return [
        f"{file.relative_to(SOURCE)}:{line}"
        for file in sorted(SOURCE.rglob("*.py"))
        for line in sorted(
            {
                node.lineno
                for function in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                if isinstance(function, _FUNCTIONS)
                for node in ast.walk(function)
                if isinstance(node, ast.Import | ast.ImportFrom)
            }
        )
    ]


def port_methods() -> list[str]:
    """Every function of a `typing.Protocol` class under store/, as class and method."""
    return [
        f"{node.name}.{method.name}"
        for file in sorted((SOURCE / "store").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any("Protocol" in ast.unparse(base) for base in node.bases)
        for method in node.body
        if isinstance(method, _FUNCTIONS)
    ]


def statements(path: Path) -> tuple[int, int]:
    """How many statements a retrieve of four layers and a save take on SQLite."""
    with (
        _traced() as seen,
        Hexad.open(path, enabled=True, semantic=False, max_knowledge=100) as hx,
    ):
        _fill(hx)
        hx.retrieve("When may I deploy?")
        seen.clear()
        found = hx.retrieve("When may I deploy the release on staging?")
        retrieve = len(seen)
        assert len(found.items) == 4, "items of each stored layer"
        seen.clear()
        hx.knowledge.save(
            "deploy-freeze", "No deploy in the last week of December", category="rule"
        )
        return retrieve, len(seen)


def _fill(hx: Hexad) -> None:
    """Forty rows in each stored layer, with threads, a pin, an expired entry and a
    habit.
    """
    for number in range(40):
        text = f"deploy release number{number} on staging"
        hx.knowledge.save(f"note-{number}", text, thread="t", position=number)
        hx.references.save(
            f"page-{number}", location="https://wiki.example.com/x", summary=text
        )
        hx.learnings.save(
            trigger="tool:deploy",
            error_pattern=f"deploy {'x' * number}",
            fix="wait for staging",
        )
        hx.skills.create(
            f"s-{number}",
            kind="instruction",
            description=text,
            definition={"text": "x"},
        )
        hx.skills.activate(f"s-{number}")
    hx.knowledge.pin("note-3")
    hx.knowledge.save(
        "over", "deploy never", expires=datetime.now(UTC) - timedelta(days=1)
    )
    hx.used(hx.retrieve("staging").all()[-1], "deploy the release")


@contextmanager
def _traced() -> Iterator[list[str]]:
    seen: list[str] = []
    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.set_trace_callback(
            lambda statement: statement.startswith("--") or seen.append(statement)
        )
        return connection

    with patch("sqlite3.connect", traced):
        yield seen
