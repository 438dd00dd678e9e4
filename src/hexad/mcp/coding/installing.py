"""The server and the hooks in a coding agent's configuration: planned together, and
taken out together.

Claude Code calls a tool of the connected server at each event. The others start `hexad
hook`.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.errors import InvalidInput
from hexad.mcp import HOOK_TOOL
from hexad.mcp.install import changes, clients
from hexad.mcp.install.clients import Client, Scope
from hexad.mcp.install.entries import NAME, Entries
from hexad.settings import named_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hexad.mcp.install.changes import FileChange

_SECONDS: Final = 10  # that a client waits for a hook
_FILES: Final = {  # with hooks: a folder below the project's or the user's, and the variable that names another
    Client.CLAUDE_CODE: (".claude", "settings.json", "CLAUDE_CONFIG_DIR"),
    Client.CODEX: (".codex", "hooks.json", "CODEX_HOME"),
    Client.CURSOR: (".cursor", "hooks.json", ""),
    Client.GEMINI_CLI: (".gemini", "settings.json", ""),
}
_CALL: Final = ("tool_name", "tool_input", "tool_use_id")
_CLAUDE: Final = {  # event: the fields that the tool gets. At the start of a session no server is connected yet
    "SessionStart": ("source",),
    "UserPromptSubmit": ("prompt", "source", "transcript_path"),
    "Stop": ("transcript_path",),
    "PreToolUse": _CALL,
    "PostToolUse": _CALL,
    "PostToolUseFailure": (*_CALL, "error", "is_interrupt"),
}
_EVENTS: Final = {
    Client.CODEX: ("SessionStart", "UserPromptSubmit", "PostToolUse"),
    Client.CURSOR: (
        "sessionStart",
        "beforeSubmitPrompt",
        "postToolUse",
        "postToolUseFailure",
    ),
    Client.GEMINI_CLI: ("SessionStart", "BeforeAgent", "AfterTool"),
}
WITH_HOOKS: Final = (Client.CLAUDE_CODE, *_EVENTS)


@dataclass(frozen=True, slots=True)
class Installation:
    """A server and hooks in a client; without a database, in the memory of the folder
    that the client works in.
    """

    client: Client
    scope: Scope = Scope.USER
    name: str = NAME
    path: Path | None = None  # of the servers, if it is not the usual file

    def install(
        self, database: str | None, namespace: str | None, *, hooks: bool = False
    ) -> list[FileChange]:
        """The changes that put them in."""
        if hooks and self.client not in WITH_HOOKS:
            known = ", ".join(WITH_HOOKS)
            raise InvalidInput(
                "--hooks",
                f"{self.client} has none; leave it out (those that have: {known})",
            )
        if database is not None and self.scope is Scope.PROJECT:
            raise InvalidInput(
                "--db",
                "is not for --scope project: the agent uses the hexad.db that a person trusts",
            )
        memory, program = (
            clients.arguments(database, namespace),
            clients.program(self.scope),
        )
        answering = (
            ["--no-reports" if self.client is Client.CURSOR else "--hooks"]
            if hooks
            else []
        )
        server = clients.server_of(
            self.client, self.name, [*program, "mcp", *answering, *memory]
        )
        if not hooks:
            return [changes.installed(self._file(), server)]
        if self.client is Client.CLAUDE_CODE:
            made = {
                event: [_calling(self.name, event, fields)]
                for event, fields in _CLAUDE.items()
            }
        else:
            command = shlex.join([*program, "hook", *memory])
            made = {
                event: [_starting(self.client, command)]
                for event in _EVENTS[self.client]
            }
        added = Entries(name=self.name, hooks=made, head=_head(self.client))
        if self._file() == self._hooks_file():
            both = Entries(server.group, self.name, server.server, added.hooks)
            return [changes.installed(self._file(), both)]
        return [
            changes.installed(self._file(), server),
            changes.installed(self._hooks_file(), added),
        ]

    def uninstall(self) -> list[FileChange]:
        """The changes that take them out."""
        there = [
            changes.uninstalled(self._file(), clients.server_of(self.client, self.name))
        ]
        if (
            self.path is None
            and self.client in WITH_HOOKS
            and self._hooks_file() != self._file()
        ):
            there.append(
                changes.uninstalled(
                    self._hooks_file(), Entries(name=self.name, head=_head(self.client))
                )
            )
        return there

    def _file(self) -> Path:
        return self.path or clients.file_of(self.client, self.scope)

    def _hooks_file(self) -> Path:
        folder, name, variable = _FILES[self.client]
        return (
            Path.cwd() / folder
            if self.scope is Scope.PROJECT
            else named_folder(variable, folder)
        ) / name


def _head(client: Client) -> Mapping[str, Any]:
    return {"version": 1} if client is Client.CURSOR else {}


def _calling(server: str, event: str, fields: Sequence[str]) -> dict[str, Any]:
    """A hook of Claude Code that calls the server's tool."""
    given = {
        field: f"${{{field}}}" for field in ("hook_event_name", "session_id", *fields)
    }
    hook = {
        "type": "mcp_tool",
        "server": server,
        "tool": HOOK_TOOL,
        "input": given,
        "timeout": _SECONDS,
    }
    return {
        **({"matcher": "compact"} if event == "SessionStart" else {}),
        "hooks": [hook],
    }


def _starting(client: Client, command: str) -> dict[str, Any]:
    """A hook that starts `hexad hook`."""
    if client is Client.CURSOR:
        return {"command": command, "timeout": _SECONDS}
    if client is Client.CODEX:
        return {"hooks": [{"type": "command", "command": command, "timeout": _SECONDS}]}
    return {
        "hooks": [
            {
                "type": "command",
                "name": NAME,
                "command": command,
                "timeout": _SECONDS * 1000,
            }
        ]
    }
