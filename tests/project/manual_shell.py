"""The `sh` blocks of the pages, done as far as they can be without a network, a key or
somebody else's program.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.processes import Terminal

ROOT = Path(__file__).parents[2]
_COMMENT = re.compile(r"(^|\s)#.*$")
NOT_RUN = {  # each with its reason; what can be said of it without running it is checked all the same
    "make test": "it runs this very test",
    "make coverage": "the same",
    "make soak": "it runs for many minutes",
    "make format": "it changes the checkout",
    "make docs": "it writes into the checkout; test_manual.py compares what it would write",
    "make bench": "it measures for many minutes",
    "pip install .": "it needs a network",
    "pip install '.[mcp,server]'": "the same",
    "pip install '.[all]'": "the same",
    "claude mcp add --transport http hexad http://127.0.0.1:8765/mcp": "it is another program, which is not here",
    ".venv/bin/python examples/adk_assistant --folder ~/notes": "with a key it talks to a real model",
    ".venv/bin/python examples/adk_assistant --folder ~/notes --web --model gemini-2.5-pro": "the same",
}


@dataclass(frozen=True)
class Line:
    """A command of a block, and what was exported before it."""

    source: str
    exports: tuple[str, ...] = ()

    def done_in(self, folder: Path) -> None:
        """Do it, as far as it can be done."""
        if self.source in NOT_RUN:
            self._considered()
        elif self.source.startswith("make "):
            _make(self.source)
        elif self.source.startswith("hexad mcp install"):
            self._agreed_to(folder)
        elif self.source.startswith("hexad serve") or (
            self.source.startswith("hexad mcp ") and "--http" in self.source
        ):
            self._served(folder)
        else:
            self._run(folder)

    def _considered(self) -> None:
        """A target that exists, a program of ours that knows the options."""
        program, *words = self.source.split()
        if program == "make":
            subprocess.run(
                ["make", "-n", *words],  # noqa: S607 - the reader's make
                cwd=ROOT,
                check=True,
                capture_output=True,
            )
        elif program == ".venv/bin/python":
            shown = _help(words[0])
            assert all(word in shown for word in words if word.startswith("--"))

    def _agreed_to(self, folder: Path) -> None:
        terminal = Terminal(
            folder, program=["/bin/sh", "-c", self.source], **_surroundings(folder)
        )
        terminal.read_until("[y/N]")
        terminal.type("y\n")
        assert "added to" in terminal.read_until()
        assert terminal.end() == 0

    def _served(self, folder: Path) -> None:
        """Started, until it says where it listens, and stopped; at a port that is free."""
        command = re.sub(r":\d+(?=\s|$)", ":0", self.source.replace(" --open", ""))
        command += " --http 127.0.0.1:0" if command.startswith("hexad serve") else ""
        server = subprocess.Popen(
            ["/bin/sh", "-c", "\n".join([*self.exports, f"exec {command}"])],
            cwd=folder,
            env=os.environ | _surroundings(folder),
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        with server:
            assert server.stderr is not None
            assert any(
                re.match("serving (MCP )?at http://", line) for line in server.stderr
            ), self.source
            server.send_signal(signal.SIGINT)
        assert server.returncode == 0

    def _run(self, folder: Path) -> None:
        script = "\n".join([*self.exports, self.source])
        done = subprocess.run(
            ["/bin/sh", "-euc", script],
            cwd=folder,
            env=os.environ | _surroundings(folder),
            check=False,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, f"{self.source}\n{done.stderr}"


@cache
def _make(command: str) -> None:
    """With the interpreter that runs the tests, so that nothing is set up; once,
    whichever pages say it.
    """
    with TemporaryDirectory() as folder:
        stamps = {name: Path(folder) / name for name in ("READY", "DEMO", "CORE")}
        for stamp in stamps.values():
            stamp.touch()
        here = [
            *(f"{name}={stamp}" for name, stamp in stamps.items()),
            f"BIN={Path(sys.executable).parent}",
        ]
        done = subprocess.run(
            [*command.split(), *here], cwd=ROOT, check=False, capture_output=True
        )
    assert done.returncode == 0, done.stderr


@cache
def _help(program: str) -> str:
    return subprocess.run(
        [sys.executable, program, "--help"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    ).stdout


def lines(block: str) -> list[Line]:
    """The commands of a block, without their comments."""
    stripped = [_COMMENT.sub("", line).strip() for line in block.splitlines()]
    commands = [line for line in stripped if line]
    return [
        Line(
            line,
            tuple(
                before for before in commands[:place] if before.startswith("export ")
            ),
        )
        for place, line in enumerate(commands)
    ]


def _surroundings(folder: Path) -> dict[str, str]:
    return {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "HOME": str(folder),
        "XDG_DATA_HOME": "",
    }
