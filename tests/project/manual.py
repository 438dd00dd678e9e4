"""A page of the manual as what a reader does: its blocks in order, in one folder, each
with the output it shows.
"""

from __future__ import annotations

import io
import json
import linecache
import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from hexad.cli import main
from tests.processes import Terminal
from tests.project.manual_shell import lines
from tests.support import own_loop

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUN = {"python", "py", "console", "terminal", "sh", "json"}
SHOWN = {
    "text"
}  # what the block before it prints; of a page under docs/reference, what the code says
FENCE = re.compile(r"^```(\S*)\n", flags=re.MULTILINE)
_SCRIPTED = """
from hexad_testing.script import Script
from tests.support import booking
from tests.adapters.test_adapter_{} import scripted
"""
_RECIPE = """
import pytest

pytest.importorskip("{0}", reason="it is no part of the environment of the tests")
from tests.adapters.recipes import {0} as {1}
"""
INSTEAD = {  # of a `py` block, which needs a real model: what stands before it in the tests, and another for the model
    "adk.md": (
        "from hexad_testing.scripted_model import ScriptedModel\n",
        'model="gemini-2.5-flash"',
        'model=ScriptedModel.playing(["Booked.", "Booked."])',
    ),
    "agent-framework.md": (
        _SCRIPTED.format("agent_framework")
        + "OpenAIChatClient = lambda: scripted(Script(booking))\n",
        "from agent_framework.openai import OpenAIChatClient\n",
        "",
    ),
    "claude-agent.md": (
        "from tests.adapters.test_adapter_claude_agent import on_loopback\nfrom tests.support import booking\n",
        'user="dana"',
        'user="dana", **on_loopback(booking)',
    ),
    "agno.md": (
        _RECIPE.format("agno", "OpenAIChat"),
        "from agno.models.openai import OpenAIChat\n",
        "",
    ),
    "llama-index.md": (
        _RECIPE.format("llama_index", "Anthropic"),
        "from llama_index.llms.anthropic import Anthropic\n",
        "",
    ),
    "smolagents.md": (
        _RECIPE.format("smolagents", "OpenAIModel"),
        "import OpenAIModel, ",
        "import ",
    ),
    "clients.md": (
        _SCRIPTED.format("clients"),
        "OpenAI()",
        "scripted(Script(booking))",
    ),
    "langchain.md": (
        _SCRIPTED.format("langchain"),
        '"openai:gpt-5.1"',
        "scripted(Script(booking))",
    ),
    "openai-agents.md": (
        _SCRIPTED.format("openai_agents"),
        '"gpt-5.1"',
        "scripted(Script(booking))",
    ),
    "pydantic-ai.md": (
        _SCRIPTED.format("pydantic_ai"),
        '"openai:gpt-5.1"',
        "scripted(Script(booking))",
    ),
}
_BLOCK = re.compile(
    r"^```(\w+)\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", flags=re.MULTILINE | re.DOTALL
)
_ANSWER = re.compile(r"(q = quit: )(\w*)$", flags=re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """Something to do: ``kind`` is python, console (in a pipe), terminal (with the
    answers that are typed) or sh.
    """

    kind: str
    source: str
    output: str

    def done_in(self, folder: Path) -> str:
        """The real output."""
        if self.kind == "json":
            json.loads(self.source)
            return ""
        if self.kind == "sh":
            for line in lines(self.source):
                line.done_in(folder)
            return ""
        if self.kind == "terminal":
            return self._on_a_terminal(folder)
        if self.kind == "python":
            return self._in_this_interpreter(folder)
        if (
            self.kind == "console"
            and self.source.startswith("hexad")
            and not set("|<>$&;") & set(self.source)
        ):
            return self._in_this_process(folder)
        done = subprocess.run(
            ["/bin/sh", "-c", self.source],
            cwd=folder,
            env=os.environ | _path(folder),
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"{self.source}\n{done.stderr}"
        return done.stdout

    def _in_this_interpreter(self, folder: Path) -> str:
        """Run it as the file of a reader would run, without waiting for an interpreter
        to start.
        """
        shown, module = io.StringIO(), ModuleType("__main__")
        linecache.cache["<page>"] = (
            len(self.source),
            None,
            self.source.splitlines(keepends=True),
            "<page>",
        )
        with (
            pytest.MonkeyPatch.context() as patch,
            chdir(folder),
            redirect_stdout(shown),
            own_loop(),
        ):
            patch.setenv("PATH", _path(folder)["PATH"])
            exec(compile(self.source, "<page>", "exec"), module.__dict__)  # noqa: S102 - the page's own example
        return shown.getvalue()

    def _in_this_process(self, folder: Path) -> str:
        """The same, without waiting for an interpreter to start."""
        shown = io.StringIO()
        with chdir(folder), redirect_stdout(shown):
            assert main(shlex.split(self.source)[1:]) == 0, self.source
        return shown.getvalue()

    def _on_a_terminal(self, folder: Path) -> str:
        terminal = Terminal(folder, *self.source.split()[1:])
        for _, answer in _ANSWER.findall(self.output):
            terminal.read_until("q = quit: ")
            terminal.type(answer + "\n")
        shown = terminal.read_until()
        assert terminal.end() == 0
        return shown


def _path(folder: Path) -> dict[str, str]:
    return {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}


def steps(page: Path) -> Iterator[Step]:
    for kind, body, output in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "py":
            before, model, scripted = INSTEAD[page.name]
            yield Step("python", before + body.replace(model, scripted), output)
        elif kind in {"python", "sh", "json"}:
            yield Step(kind, body, output)
        elif kind in {"console", "terminal"}:
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, shown = part.partition("\n")
                yield Step(kind, command, shown)


def settled(text: str, kind: str = "terminal") -> str:
    """Without what differs from run to run; on a terminal, blank lines are layout."""
    for pattern, name in (
        (r"\d+\.\d+ ms", "N ms"),
        (r"\b[0-9a-f]{64}\b", "HASH"),
        (r"\b[0-9a-f]{10}\b", "ID"),
        (r"\d{4}-\d\d-\d\d(?:T[0-9:+]+| \d\d:\d\d UTC)", "TIME"),
        (r"\blast \d{1,2} [A-Z][a-z]{2}\b", "last DAY"),
        (r"hexad \d+\.\d+\.\d+", "hexad VERSION"),
    ):
        text = re.sub(pattern, name, text)
    lines = [line.rstrip() for line in text.strip().splitlines()]
    return "\n".join(line for line in lines if line or kind != "terminal")


def install(folder: Path) -> None:
    """`hexad` and `python` under these names."""
    home = folder / "bin"
    home.mkdir()
    for name, module in (("hexad", "-m hexad"), ("python", "")):
        script = home / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
        script.chmod(0o755)
