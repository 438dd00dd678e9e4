"""The programs that start MCP servers: the files they read, and the entry that starts this one."""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePath
from typing import Any, Final

from hexad.choices import Choice
from hexad.errors import InvalidInput
from hexad.settings import claude_code_folder


class Client(Choice):
    """A program that starts MCP servers."""

    CLAUDE_CODE = "claude-code"
    CLAUDE_DESKTOP = "claude-desktop"
    CURSOR = "cursor"
    GEMINI_CLI = "gemini-cli"
    VSCODE = "vscode"
    WINDSURF = "windsurf"


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
    (Client.CURSOR, Scope.USER): ".cursor/mcp.json",
    (Client.CURSOR, Scope.PROJECT): ".cursor/mcp.json",
    (Client.GEMINI_CLI, Scope.USER): ".gemini/settings.json",
    (Client.GEMINI_CLI, Scope.PROJECT): ".gemini/settings.json",
    (Client.VSCODE, Scope.PROJECT): ".vscode/mcp.json",
    (Client.WINDSURF, Scope.USER): ".codeium/windsurf/mcp_config.json",
}
_GROUPS: Final = {Client.VSCODE: "servers"}
_TYPED: Final = frozenset({Client.CLAUDE_CODE, Client.VSCODE})  # their entries name the transport
_PROJECT: Final = {Client.CURSOR: "${workspaceFolder}/", Client.VSCODE: "${workspaceFolder}/"}  # others start it there
BY_NAME: Final = "hexad"  # the command, for machines that have it on the path


def file_of(client: Client, scope: Scope, *, home: Path | None = None, project: Path | None = None) -> Path:
    """The file that a client reads its servers from."""
    known = _FILES.get((client, scope)) or (_DESKTOP.get(sys.platform) if _is_desktop(client, scope) else None)
    if known is None:
        raise InvalidInput(f"--client {client}", _no_file(client, scope))
    if scope is Scope.PROJECT:
        return (project or Path.cwd()) / known
    own = claude_code_folder() if client is Client.CLAUDE_CODE else Path.home()
    return (home or own) / known


def group_of(client: Client) -> str:
    """The client's name for the object that holds its servers."""
    return _GROUPS.get(client, "mcpServers")


def entry_of(client: Client, database: Path, namespace: str | None) -> dict[str, Any]:
    """The entry that starts this very Hexad, from any folder."""
    command, *first = _command()
    return _entry(client, [command, *first, "mcp", "--db", str(database.absolute())], namespace)


def shared_entry_of(client: Client, database: str, namespace: str | None, *, project: Path) -> dict[str, Any]:
    """The entry for everybody's client in a project: nothing of this machine is in it."""
    inside = _PROJECT.get(client, "") + _within(database, project)
    return _entry(client, [BY_NAME, "mcp", "--db", inside], namespace)


def _entry(client: Client, words: list[str], namespace: str | None) -> dict[str, Any]:
    kind = {"type": "stdio"} if client in _TYPED else {}
    named = ["--namespace", namespace] if namespace else []
    return {**kind, "command": words[0], "args": [*words[1:], *named]}


def _command() -> list[str]:
    """This very Hexad: its script if it has one, else the module, without the working folder on its path."""
    script = Path(sys.executable).with_name("hexad.exe" if os.name == "nt" else "hexad")
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "hexad"]


def _within(database: str, project: Path) -> str:
    """A path relative to the project."""
    home = project.resolve()
    whole = (home / database).resolve()
    if not whole.is_relative_to(home):
        raise InvalidInput(
            "--db", f"{database} is outside of this project, where others have no such file; name one inside"
        )
    return PurePath(whole.relative_to(home)).as_posix()


def _is_desktop(client: Client, scope: Scope) -> bool:
    return client is Client.CLAUDE_DESKTOP and scope is Scope.USER


def _no_file(client: Client, scope: Scope) -> str:
    if _is_desktop(client, scope):
        return "keeps its configuration on macOS and Windows; name the file with --path"
    other = next(each for each in Scope if each is not scope)
    return f"has no known file for a {scope}; use --scope {other}, or name the file with --path"
