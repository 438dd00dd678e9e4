"""Documents are executed: the examples in docstrings, in the README and under docs/."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hexad
from hexad import Hexad
from tests.support import requirement

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parent.parent
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(hexad.__path__, "hexad.")
    if module.name not in {"hexad.__main__", "hexad.testing.store_suite"}
)
TUTORIAL = ROOT / "docs" / "tutorial.md"  # a story, which test_manual.py plays from top to bottom
PAGES = sorted([ROOT / "README.md", *(page for page in (ROOT / "docs").glob("*.md") if page != TUTORIAL)])


@requirement("CTX-07")
@pytest.mark.parametrize("name", ["hexad", *MODULES])
def test_the_examples_of_a_module_say_what_happens(name: str) -> None:
    module: ModuleType = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"Hexad": Hexad}, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@requirement("CONF-01")
def test_the_examples_of_modules_leave_no_files_behind(tmp_path: Path) -> None:
    assert not list(ROOT.glob("never-created.db*"))


def _python_blocks(page: Path) -> list[tuple[str, str]]:
    """Each example with the output that the page shows right after it, if it does."""
    return re.findall(
        r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```)?",
        page.read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )


@requirement("PROMPT-02")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_python_examples_of_a_page_run_as_they_stand(page: Path, tmp_path: Path) -> None:
    for block, output in _python_blocks(page):
        done = subprocess.run(
            [sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
        assert not output or _settled(done.stdout) == _settled(output)


def _console_blocks(page: Path) -> list[tuple[str, str]]:
    """Each command of a console block with the output that the page shows."""
    found = []
    for block in re.findall(
        r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    ):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@requirement("KNOW-01")
@pytest.mark.parametrize("page", [page for page in PAGES if _console_blocks(page)], ids=lambda page: page.name)
def test_the_commands_of_a_page_print_what_it_shows(page: Path, tmp_path: Path) -> None:
    for command, output in _console_blocks(page):
        if not command.startswith("hexad "):
            continue
        done = subprocess.run(  # noqa: S602 - the page's own commands, as a reader would type them
            command.replace("hexad ", f"{sys.executable} -m hexad ", 1),
            shell=True,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert _settled(done.stdout) == _settled(output), command


def _settled(text: str) -> str:
    """Without what differs from run to run: times and hashes."""
    text = re.sub(r"\d+\.\d+ ms", "N ms", text)
    text = re.sub(r"\b[0-9a-f]{64}\b", "HASH", text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
