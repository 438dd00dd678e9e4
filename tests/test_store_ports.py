"""The store's ports stay small and coarse: few methods, and few statements for a question."""

from __future__ import annotations

import ast
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import hexad.store
from tests.support import opened, requirement

if TYPE_CHECKING:
    from hexad import Hexad

MOST_METHODS, MOST_STATEMENTS = 36, 16


def protocol_methods(folder: Path) -> list[str]:
    """Every function of a `typing.Protocol` class in a folder."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in folder.rglob("*.py")]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    ports = [node for node in classes if any(ast.unparse(base).startswith("Protocol") for base in node.bases)]
    return [f"{port.name}.{each.name}" for port in ports for each in port.body if isinstance(each, ast.FunctionDef)]


def statements_of(hx: Hexad, question: str) -> list[str]:
    """The SQL statements that a retrieval runs."""
    said: list[str] = []
    with hx.store.wrapped._connections.taken() as connection:  # type: ignore[attr-defined]
        connection.set_trace_callback(said.append)
        assert hx.retrieve(question).items
        connection.set_trace_callback(None)
    return said


@requirement("STORE-02")
def test_the_ports_have_few_methods() -> None:
    methods = protocol_methods(Path(hexad.store.__file__).parent)
    assert "Reading.evidence" in methods
    assert len(methods) <= MOST_METHODS


@requirement("CTX-02", "CTX-08")
def test_a_question_to_four_filled_layers_takes_few_statements(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db") as hx:
        for number in range(40):
            text = f"deploy release number{number} on staging"
            hx.knowledge.save(f"note-{number}", text, thread="t", position=number)
            hx.references.save(f"page-{number}", location="https://wiki/x", summary=text)
            hx.learnings.save(trigger="tool:deploy", error_pattern=f"deploy {'x' * number}", fix="wait for staging")
            hx.skills.create(f"s-{number}", kind="instruction", description=text, definition={"text": "x"})
            hx.skills.activate(f"s-{number}")
        hx.knowledge.pin("note-3")
        hx.knowledge.save("over", "deploy never", expires=datetime.now(UTC) - timedelta(days=1))
        hx.used(hx.retrieve("staging").all()[-1], "deploy the release")
        assert len(statements_of(hx, "when may I deploy the release on staging?")) <= MOST_STATEMENTS
