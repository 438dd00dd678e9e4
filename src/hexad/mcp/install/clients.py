"""The programs that start MCP servers: the files they read, and the entry that starts
this one.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.choices import Choice
from hexad.errors import InvalidInput
from hexad.mcp.install.entries import Entries, TomlEntries
from hexad.settings import named_folder

if TYPE_CHECKING:
    from collections.abc import Sequence


class Client(Choice):
    """A program that starts MCP servers."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CODEX = "codex"
    CURSOR = "cursor"
    GEMINI_CLI = "gemini-cli"
    OPENCODE = "opencode"
    VSCODE = "vscode"
    WINDSURF = "windsurf"
    ZED = "zed"


class Scope(Choice):
    """For whom: a user in every project, or everybody in one project."""

    USER = "user"
    PROJECT = "project"


_DESKTOP: Final = {
    "darwin": "Library/Application Support/Claude/claude_desktop_config.json",
    "win32": "AppData/Roaming/Claude/claude_desktop_config.json",
}
_FILES: Final = {
    (Client.CLAUDE_CODE, Scope.USER): ".claude.json",
    (Client.CLAUDE_CODE, Scope.PROJECT): ".mcp.json",
    (Client.CODEX, Scope.USER): "config.toml",
    (Client.CURSOR, Scope.USER): ".cursor/mcp.json",
    (Client.CURSOR, Scope.PROJECT): ".cursor/mcp.json",
    (Client.GEMINI_CLI, Scope.USER): ".gemini/settings.json",
    (Client.GEMINI_CLI, Scope.PROJECT): ".gemini/settings.json",
    (Client.OPENCODE, Scope.USER): ".config/opencode/opencode.json",
    (Client.OPENCODE, Scope.PROJECT): "opencode.json",
    (Client.VSCODE, Scope.PROJECT): ".vscode/mcp.json",
    (Client.WINDSURF, Scope.USER): ".codeium/windsurf/mcp_config.json",
    (Client.ZED, Scope.USER): ".config/zed/settings.json",
    (Client.ZED, Scope.PROJECT): ".zed/settings.json",
}
_GROUPS: Final = {
    Client.CODEX: "mcp_servers",
    Client.OPENCODE: "mcp",
    Client.VSCODE: "servers",
    Client.ZED: "context_servers",
}
_TYPED: Final = frozenset(
    {Client.CLAUDE_CODE, Client.VSCODE}
)  # their entries name the transport
BY_NAME: Final = "hexad"  # the command, for machines that have it on the path


def file_of(client: Client, scope: Scope, *, home: Path | None = None) -> Path:
    """The file that a client reads its servers from."""
    desktop = client is Client.CLAUDE_DESKTOP and scope is Scope.USER
    known = _DESKTOP.get(sys.platform) if desktop else _FILES.get((client, scope))
    if known is None:
        other = next(each for each in Scope if each is not scope)
        here = (
            "on this system; "
            if desktop
            else f"for a {scope}; use --scope {other}, or "
        )
        raise InvalidInput(
            f"--client {client}", f"has no known file {here}name the file with --path"
        )
    return (Path.cwd() if scope is Scope.PROJECT else home or _home_of(client)) / known


def server_of(client: Client, name: str, words: Sequence[str] | None = None) -> Entries:
    """The client's entry for a server that these words start; without words, to find
    any.
    """
    kind = TomlEntries if client is Client.CODEX else Entries
    group = _GROUPS.get(client, "mcpServers")
    return kind(
        group=group, name=name, server=None if words is None else _entry(client, words)
    )


def arguments(database: str | None, namespace: str | None) -> list[str]:
    """The options that name a memory; without a database it depends on the folder."""
    place = [] if database is None else ["--db", str(Path(database).absolute())]
    return [*place, *(["--namespace", namespace] if namespace else [])]


def program(scope: Scope) -> list[str]:
    """The words that start Hexad: this very one, from any folder; for a project the one
    that each person has.
    """
    if scope is Scope.PROJECT:
        return [BY_NAME]
    script = Path(sys.executable).with_name("hexad.exe" if os.name == "nt" else "hexad")
    module = [
        sys.executable,
        "-P",
        "-m",
        "hexad",
    ]  # without the working folder on its path
    return [str(script)] if script.is_file() else module


def _home_of(client: Client) -> Path:
    """The folder that a client's files are in."""
    if client is Client.CLAUDE_CODE:
        return named_folder("CLAUDE_CONFIG_DIR", "")
    return (
        named_folder("CODEX_HOME", ".codex") if client is Client.CODEX else Path.home()
    )


def _entry(client: Client, words: Sequence[str]) -> dict[str, Any]:
    if client is Client.OPENCODE:
        return {"type": "local", "command": [*words], "enabled": True}
    kind = {"type": "stdio"} if client in _TYPED else {}
    return {**kind, "command": words[0], "args": [*words[1:]]}
