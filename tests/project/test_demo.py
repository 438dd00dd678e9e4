"""`make demo` keeps working, and what the pages show is what a reader gets."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hexad import Layer
from tests.support import requirement

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo.py"
README = ROOT / "README.md"


def _run(*arguments: str, folder: Path, **environment: str) -> str:
    outside = {
        name: value
        for name, value in os.environ.items()
        if name not in {"COLUMNS", "LINES", "FORCE_COLOR"}
    }
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={
            **outside,
            "TMPDIR": str(folder),
            "PYTHONIOENCODING": "utf-8",
            **environment,
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("demo")
    message = _run(str(DEMO), folder=folder)
    assert not list(folder.iterdir())
    return message


@requirement("PROMPT-02", "PROMPT-03", "PROMPT-06")
def test_the_demo_shows_the_prompt_and_says_of_each_item_why_it_was_kept_or_dropped(
    demo: str,
) -> None:
    prompt, why = demo[demo.index("The prompt") :].split("\nWhy ", 1)
    left_out = [layer for layer in Layer if f"## {layer.heading}" not in prompt]
    assert len(left_out) == 1
    assert re.search(
        rf"{left_out[0].heading}\s+.*\s+dropped over the token budget", why
    )
    assert all(layer.heading in why for layer in Layer)
    assert re.search(r"\d ms from message to prompt", why)


@requirement("LEARN-06")
def test_the_demo_shows_what_worked_after_a_failure(demo: str) -> None:
    shown = " ".join(demo[demo.index("It does not make") :].split())
    assert "failed cannot read the day '31/01/2026'" in shown
    assert (
        'What worked next: book_room(day="2026-01-31") (`day` as YYYY-MM-DD, not as DD/MM/YYYY)'
        in shown
    )


@requirement("KNOW-03", "KEY-05", "CONF-04", "STORE-06")
def test_the_demo_shows_versions_a_redaction_korean_and_a_namespace_of_its_own(
    demo: str,
) -> None:
    assert re.search(r"deploy-window v2 .*\ndeploy-window v1 ", demo)
    assert "password=[redacted:password]" in demo
    assert re.search(
        r"배포 전에 승인이 필요한가요\?.*배포하기 전에", demo, flags=re.DOTALL
    )
    assert re.search(r"^acme\s+finds 0 items", demo, flags=re.MULTILINE)


@requirement("PROMPT-04")
def test_the_demo_is_plain_in_a_pipe_fits_80_columns_and_stays_short(demo: str) -> None:
    lines = demo.splitlines()
    assert "\x1b" not in demo
    assert len(lines) <= 100
    assert max(map(len, lines)) <= 80


@requirement("KEY-05")
def test_the_demo_needs_no_wide_terminal_and_no_stream_that_speaks_every_language(
    tmp_path: Path,
) -> None:
    assert "The prompt" in _run(
        str(DEMO), folder=tmp_path, PYTHONIOENCODING="ascii", COLUMNS="40"
    )


@requirement("CTX-01")
def test_the_readme_names_every_layer_with_its_heading_in_order() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| .+ \| (.+) \|$",
        README.read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    assert [row for row in rows if row[0] in set(Layer)] == [
        (layer.value, layer.heading) for layer in Layer
    ]
