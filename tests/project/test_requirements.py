"""Every requirement that is built has a test, and every test says which requirement it
checks.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.requirements import PLANNED, REQUIREMENTS
from tests.support import requirement

ROOT = Path(__file__).parents[2]
SUITES = [
    file
    for part in ("store_*", "adapter_*")
    for file in (ROOT / "tools/hexad_testing").glob(f"{part}.py")
]
FILES = sorted([*(ROOT / "tests").rglob("test_*.py"), *SUITES])
SHARED = ROOT.parent / "shared" / "REQUIREMENTS.md"


def _named(decorators: list[ast.expr]) -> set[str]:
    """The IDs that a function's decorators, or a module's `pytestmark`, name."""
    return {
        argument.value
        for decorator in decorators
        if isinstance(decorator, ast.Call)
        and ast.unparse(decorator.func).split(".")[-1] == "requirement"
        for argument in decorator.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def _module_marks(tree: ast.Module) -> set[str]:
    marks = [
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and "pytestmark" in ast.unparse(node)
    ]
    return _named(
        [
            *marks,
            *(
                element
                for mark in marks
                if isinstance(mark, ast.List)
                for element in mark.elts
            ),
        ]
    )


def _tests(file: Path) -> dict[str, set[str]]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    everywhere = _module_marks(tree)
    return {
        f"{file.name}::{node.name}": _named(node.decorator_list) | everywhere
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    }


TESTS = {name: ids for file in FILES for name, ids in _tests(file).items()}


@requirement("CTX-01")
def test_every_test_names_a_requirement_that_exists() -> None:
    nameless = [name for name, ids in TESTS.items() if not ids]
    unknown = {
        name: ids - set(REQUIREMENTS)
        for name, ids in TESTS.items()
        if ids - set(REQUIREMENTS)
    }
    assert not nameless
    assert not unknown


@requirement("CTX-01")
@pytest.mark.parametrize("id", sorted(set(REQUIREMENTS) - PLANNED))
def test_a_requirement_that_is_built_has_a_test(id: str) -> None:
    assert any(id in ids for ids in TESTS.values())


@requirement("CTX-01")
@pytest.mark.parametrize("id", sorted(PLANNED))
def test_a_requirement_that_is_planned_has_no_test_yet(id: str) -> None:
    assert not any(id in ids for ids in TESTS.values()), (
        "it has tests: mark it as built"
    )


@requirement("CTX-01")
@pytest.mark.skipif(
    not SHARED.exists(), reason="the requirements' own page is not beside this checkout"
)
def test_the_manifest_holds_every_sentence_of_the_requirements_page() -> None:
    page = dict(
        re.findall(
            r"^- ([A-Z]+-\d+) (.*)$",
            SHARED.read_text(encoding="utf-8"),
            flags=re.MULTILINE,
        )
    )
    assert page == REQUIREMENTS
