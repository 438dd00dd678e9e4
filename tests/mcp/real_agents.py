"""The real Claude Code and Codex against a scripted provider: `python -m
tests.mcp.real_agents claude-code FOLDER`.

It prints the bodies of all requests as JSON. It runs in a network of its own, where
that is possible, in which there is nothing but loopback; so it is a process of its own.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from hexad_testing.script import Call, in_order
from tests.provider import provider

NAMING, OTHER = (
    "Does python3 find falcon?",
    "Is falcon there?",
)  # the program that fails, or not
WISH = "Commit messages are in English"
FAILING = "python3 -c 'import falcon'"
WORKING = f"PYTHONPATH=lib {FAILING}"
_HEXAD = [sys.executable, "-m", "hexad"]
_UP = (
    0x8914,
    struct.pack("16sh", b"lo", 0x1 | 0x40),
)  # the request and the flags that turn loopback on
_CODEX = """
model = "m"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{address}/v1"
wire_api = "responses"
"""


def program_of(client: str) -> Path | None:
    """The program, if it is installed: Claude Code's in a Python package, Codex's
    beside this environment.
    """
    if client == "codex":
        path = Path(sys.prefix) / "codex/node_modules/.bin/codex"
        return path if path.exists() and shutil.which("node") else None
    package = find_spec("claude_agent_sdk")
    path = (
        Path(str(package.origin)).parent / "_bundled/claude"
        if package
        else Path("missing")
    )
    return path if path.exists() else None


def played(client: str, folder: Path) -> Any:
    """All requests of three sessions, and of the third one resumed, and the files
    before and after all.
    """
    words = [sys.executable, "-m", "tests.mcp.real_agents", client, str(folder)]
    apart = ["unshare", "--map-root-user", "--net"]
    alone = (
        shutil.which("unshare")
        and subprocess.run(
            [*apart, "true"], check=False, capture_output=True
        ).returncode
        == 0
    )
    done = subprocess.run(
        [*(apart if alone else []), *words],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _play(client: str, home: Path) -> dict[str, Any]:
    tool, word = (
        ("Bash", "command") if client == "claude-code" else ("exec_command", "cmd")
    )
    fails, works = Call(tool, {word: FAILING}), Call(tool, {word: WORKING})
    mended = [fails, works, "Done."]
    greeted = ["Hi."] if client == "claude-code" else []  # before its compaction
    replies = in_order([*mended, *greeted, *mended, fails, "Sorry.", "Welcome back."])
    asked: list[dict[str, Any]] = []

    def answer(body: dict[str, Any], _key: str) -> list[str | Call]:
        if not body.get("tools") or "<summary>" in json.dumps(
            body["messages"][-1:] if "messages" in body else ""
        ):
            return [
                "<summary>They ran the tests.</summary>"
            ]  # of the program itself: no turn
        asked.append(body)
        return [replies(body)]  # type: ignore[list-item]

    with provider(answer) as address:
        env, before = _prepared(client, home, address)
        _run(
            [*_HEXAD, "mcp", "install", "--client", client, "--hooks", "--yes"],
            env,
            home,
        )
        _run([*_HEXAD, "remember", WISH, "--category", "preference"], env, home)
        sessions = [len(asked)]
        for message in (NAMING, NAMING, OTHER, NAMING):
            number = len(sessions)
            words = _words(client, message, goes_on=number == 4)
            said = "" if client == "codex" else _said(message, compact=number == 2)
            _run(words, env, home, said)
            sessions.append(len(asked))
        _run([*_HEXAD, "mcp", "uninstall", "--client", client, "--yes"], env, home)
    files = {
        name: (home / name).read_text() if (home / name).exists() else None
        for name in before
    }
    requests = [asked[begin:end] for begin, end in pairwise(sessions)]
    return {"sessions": requests, "before": before, "after": files}


def _prepared(
    client: str, home: Path, address: str
) -> tuple[dict[str, str], dict[str, str | None]]:
    """The environment of a new home, and the files that an installation changes, as
    they are before.
    """
    (home / "work/lib").mkdir(parents=True)
    (home / "work/lib/falcon.py").touch()
    env = {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HEXAD_SEMANTIC": "false",
           "HTTPS_PROXY": "http://127.0.0.1:9", "NO_PROXY": "127.0.0.1"}  # fmt: skip
    if client == "codex":
        (home / ".codex").mkdir()
        (home / ".codex/config.toml").write_text(_CODEX.format(address=address))
        return env, {
            ".codex/config.toml": _CODEX.format(address=address),
            ".codex/hooks.json": None,
        }
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_text('{"permissions": {"allow": ["Bash"]}}')
    quiet = (
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "DISABLE_AUTOUPDATER",
        "DISABLE_TELEMETRY",
    )
    env |= {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "k",
        **dict.fromkeys(quiet, "1"),
    }
    return env, {".claude/settings.json": '{"permissions": {"allow": ["Bash"]}}'}


def _words(client: str, message: str, *, goes_on: bool) -> list[str]:
    """The words that start the program: a new session, or the latest one again."""
    program = str(program_of(client))
    if client == "codex":
        session = ["exec", "resume", "--last"] if goes_on else ["exec"]
        return [
            program,
            *session,
            "--skip-git-repo-check",
            "--dangerously-bypass-hook-trust",
            message,
        ]
    streams = [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
    ]
    return [program, *streams, *(["--continue"] if goes_on else [])]


def _said(message: str, *, compact: bool) -> str:
    """Messages of one session of Claude Code, as lines of JSON; it answers them one
    after the other.
    """
    texts = [message, *(["/compact", message] if compact else [])]
    return "".join(
        json.dumps({"type": "user", "message": {"role": "user", "content": each}})
        + "\n"
        for each in texts
    )


def _run(words: list[str], env: dict[str, str], home: Path, given: str = "") -> None:
    work = home / "work"
    work.mkdir(exist_ok=True)
    done = subprocess.run(
        words,
        env=env,
        cwd=work,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}")


if __name__ == "__main__":
    with (
        suppress(OSError),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket,
    ):
        fcntl.ioctl(
            any_socket, *_UP
        )  # in a new network loopback is off; elsewhere it is on already
    json.dump(_play(sys.argv[1], Path(sys.argv[2])), sys.stdout)
