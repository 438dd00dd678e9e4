"""Promises to the readers of the code: light folders, plain words, few public names,
nothing heavy at import.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import hexad
from benchmarks import weight
from hexad.context.policy import Policy
from tests.support import requirement

SOURCE = Path(hexad.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
MOST_PUBLIC_NAMES = 25
MOST_NODES = {"": 325_000, "learning": 20_000}
ROOT = Path(__file__).parents[2]
PAGES = [*FILES, *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
RETIRED = re.compile(r"\b(whoever|whatever|likewise|of late)\b", re.IGNORECASE)


@requirement("CTX-01")
@pytest.mark.parametrize(("folder", "most"), MOST_NODES.items())
def test_a_folder_keeps_its_mass(folder: str, most: int) -> None:
    """In nodes of the syntax tree: lines can be packed."""
    trees = [
        ast.parse(file.read_text(encoding="utf-8"))
        for file in (SOURCE / folder).rglob("*.py")
    ]
    assert 0 < sum(len(list(ast.walk(tree))) for tree in trees) <= most


@requirement("CTX-01")
@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_no_comprehension_stands_inside_another(file: Path) -> None:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, COMPREHENSIONS):
            inside = [
                each for each in ast.walk(node) if isinstance(each, COMPREHENSIONS)
            ]
            assert inside == [node], f"line {node.lineno}"


@requirement("CTX-01")
def test_hardly_a_line_is_over_a_hundred_columns() -> None:
    lines = [line for file in FILES for line in file.read_text().splitlines()]
    assert sum(len(line) > 100 for line in lines) <= 0.02 * len(lines)


@requirement("CTX-01")
def test_what_decides_stands_in_one_table_of_at_most_fifteen_numbers() -> None:
    assert len(fields(Policy)) <= 15


@requirement("CTX-01")
def test_code_and_pages_use_plain_words() -> None:
    found = {
        str(page): RETIRED.search(page.read_text(encoding="utf-8")) for page in PAGES
    }
    assert {page: match[0] for page, match in found.items() if match} == {}


@requirement("CTX-01")
@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_a_match_says_what_happens_to_everything_else(file: Path) -> None:
    """It ends in `assert_never`, or in a wildcard with the reason beside it."""
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Match):
            last = node.cases[-1]
            head = text.splitlines()[last.pattern.lineno - 1]
            assert isinstance(last.pattern, ast.MatchAs)
            assert last.pattern.pattern is None
            assert "assert_never(" in ast.unparse(last) or "  # " in head, head


@requirement("CTX-01")
def test_few_imports_hide_in_functions() -> None:
    assert len(weight.hidden_imports()) <= weight.MOST_HIDDEN_IMPORTS, (
        weight.hidden_imports()
    )


@requirement("STORE-01")
def test_the_ports_of_a_store_are_few() -> None:
    assert len(weight.port_methods()) <= weight.MOST_PORT_METHODS, weight.port_methods()


@requirement("CTX-01")
def test_a_retrieve_of_four_layers_takes_few_statements(tmp_path: Path) -> None:
    retrieve, _ = weight.statements(tmp_path / "agent.db")
    assert retrieve <= weight.MOST_STATEMENTS


@requirement("CTX-01")
def test_the_public_names_are_few_and_exist() -> None:
    assert len(hexad.__all__) <= MOST_PUBLIC_NAMES
    assert all(hasattr(hexad, name) for name in hexad.__all__)


@requirement("STORE-05")
def test_importing_hexad_loads_no_vendor_no_number_cruncher_and_no_command_line() -> (
    None
):
    heavy = [
        "numpy",
        "pydantic",
        "typer",
        "click",
        "rich",
        "yaml",
        "jinja2",
        "google",
        "mcp",
        "asyncio",
        "socket",
        "ssl",
    ]
    script = f"import sys, hexad; hexad.Hexad; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@requirement("CTX-01")
def test_no_two_classes_have_one_name() -> None:
    homes: dict[str, list[str]] = {}
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(file.name)
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
