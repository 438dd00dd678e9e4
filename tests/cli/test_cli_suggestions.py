"""The suggestion of a command can be pasted into the shell: it is for the same memory,
and quoted.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_cli import Ran, run  # noqa: F401, TC001 - the fixture
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Ran]

HERE = ("--db", "my agent.db", "--namespace", "the team")
PASTED = "--db 'my agent.db' --namespace 'the team'"


@pytest.fixture
def stocked(tmp_path: Path) -> Path:
    with opened(tmp_path / "my agent.db", namespace="the team") as hx:
        hx.knowledge.save("a key", "Deploy on Tuesdays")
        hx.skills.create(
            "greet us",
            kind="template",
            description="Greet",
            definition={"template": "Hello {{ name }}"},
            parameters={
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            },
        )
    return tmp_path


def _commands(text: str) -> list[str]:
    return re.findall(r"`(hexad [^`]+)`", text)


@requirement("CONF-01")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["delete", "a key"], f"hexad undelete 'a key' {PASTED}"),
        (["skills", "run", "greet us"], f"hexad review 'greet us' {PASTED}"),
        (["learnings", "list"], f"hexad learnings correct {PASTED}"),
        (
            [
                "skills",
                "new",
                "x y",
                "--kind",
                "instruction",
                "--description",
                "d",
                "--text",
                "t",
            ],
            f"hexad review 'x y' {PASTED}",
        ),
    ],
)
def test_a_suggestion_is_for_the_memory_that_was_named(
    run: Run, stocked: Path, arguments: list[str], says: str
) -> None:
    for line in ([*arguments, *HERE], [*HERE, *arguments]):
        ran = run(*line)
        assert f"`{says}`" in ran.out + ran.err
        run("undelete", "a key", *HERE)


@requirement("CONF-01")
def test_what_comes_next_is_for_the_memory_that_was_named(
    run: Run, stocked: Path
) -> None:
    assert f"next: hexad review {PASTED} (" in run(*HERE).out
    assert f"next: hexad review {PASTED} (" in run("status", *HERE).out
    assert (
        run("--db", "no such.db")
        .out.splitlines()[1]
        .startswith("next: hexad remember \"I like green tea\" --db 'no such.db' (")
    )
    assert (
        "`hexad remember \"TEXT\" --db 'no such.db'` creates it"
        in run("list", "--db", "no such.db").err
    )
    assert (
        run("status").out.splitlines()[1]
        == 'next: hexad remember "I like green tea" (a rule, a preference, a fact)'
    )


@requirement("CONF-01")
def test_a_suggestion_that_is_pasted_works(stocked: Path) -> None:
    def shell(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [
                "/bin/sh",
                "-c",
                line.replace("hexad", f"{shlex.quote(sys.executable)} -m hexad", 1),
            ],
            cwd=stocked,
            env=os.environ,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    done = shell(f"hexad delete 'a key' {PASTED}")
    back = shell(_commands(done.stdout)[0])
    assert back.stdout == "a key is back\n"
