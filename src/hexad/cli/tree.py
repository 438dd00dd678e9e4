"""The tree of commands. A command's file is imported when the command runs, and imports
what it needs at its top.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from hexad.cli.terminal import suggesting
from hexad.errors import InvalidInput

COMMANDS: Final[
    Mapping[str, tuple[str, str]]
] = {  # name: its file in this folder, and its line in `hexad --help`
    "status": (
        "memory.status",
        "Show what is stored, what was learned recently and what awaits review",
    ),
    "remember": ("memory.remembering", "Save a rule, preference, definition or fact"),
    "edit": ("memory.remembering", "Change an entry's text or category"),
    "pin": ("memory.remembering", "Put an entry first in every prompt"),
    "delete": ("memory.remembering", "Hide an entry with all its versions"),
    "undelete": ("memory.remembering", "Bring back a deleted entry"),
    "forget": ("memory.remembering", "Erase for good and leave no bytes"),
    "recall": ("memory.recalling", "Find what matters for a question"),
    "search": ("memory.recalling", "The same as recall"),
    "show": ("memory.recalling", "Show one entry whole"),
    "list": ("memory.recalling", "List the knowledge entries"),
    "history": ("memory.recalling", "Show all versions of an entry"),
    "explain": ("memory.recalling", "Show why the prompt for a message is what it is"),
    "review": (
        "reviewing",
        "Accept, edit or reject proposals, draft skills and doubtful learnings",
    ),
    "backup": ("memory.moving", "Write every namespace into a file"),
    "restore": ("memory.moving", "Restore a backup into a new or empty database"),
    "migrate": (
        "memory.moving",
        "Copy a database to another file or server, and verify the copy",
    ),
    "reindex": ("memory.moving", "Compute the missing embeddings"),
    "import": ("memory.moving", "Import files of Hexad or another program"),
    "export": (
        "memory.moving",
        "Write every entry, reference, learning and skill as a page of Markdown",
    ),
    "capture": (
        "memory.moving",
        "Propose lasting facts and wishes from a conversation",
    ),
    "init": ("setup.configuring", "Make this folder a project with its own memory"),
    "trust": ("setup.configuring", "Use a project's hexad.db and hexad.toml"),
    "config": (
        "setup.configuring",
        "Show the settings and where each value comes from",
    ),
    "doctor": ("setup.doctor", "Check this machine and the database"),
    "eval": ("setup.evaluating", "Measure recall, ranking and speed"),
    "reference": (
        "memory.references",
        "Keep references to documents, APIs, wikis, repositories and tools",
    ),
    "audit": ("memory.auditing", "Verify and read the log of every change"),
    "habits": ("memory.habits", "Show or reset the words that led to an item before"),
    "learnings": ("memory.learnings", "Show and correct what is known about errors"),
    "skills": ("skills.commands", "Write, approve and run procedures"),
    "hook": ("setup.hooking", "Answer a hook of a coding agent"),
    "serve": (
        "setup.hosting",
        "Serve pages, an HTTP interface, a gateway to models, and MCP",
    ),
    "tokens": ("setup.tokens", "Make, list and revoke tokens for `hexad serve`"),
    "mcp": ("setup.serving", "Serve the memory to an agent over MCP"),
}


class LazyGroup(TyperGroup):
    """The root command: help and completion read the table above; a command is imported
    when it is called.
    """

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, (_, line) in COMMANDS.items():
            self.add_command(TyperCommand(name, short_help=line))
        _prepare(self)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Put the real command in its place before typer looks it up."""
        if args[0] in COMMANDS:
            self.load(args[0])
        return super().resolve_command(ctx, args)

    def load(self, name: str) -> None:
        """Import a command."""
        app = import_module(f"hexad.cli.{COMMANDS[name][0]}").app
        group = get_group(app)
        command = group.commands.get(
            name, group
        )  # a file holds some commands, or one group of this name
        for each in _all(command):
            _prepare(each)
        self.add_command(command, name)


def whole(app: typer.Typer) -> Any:
    """The tree with every command imported."""
    root = cast("LazyGroup", get_group(app))
    for name in COMMANDS:
        root.load(name)
    return root


def _prepare(command: Any) -> None:
    """Adjust what typer does: no Python type beside a flag or argument, no line ends of
    the source in a paragraph.
    """
    command.help = "\n\n".join(
        " ".join(part.split()) for part in (command.help or "").split("\n\n")
    )
    command.invoke = partial(_invoke, command.invoke)
    for param in (*command.params, command.get_help_option(typer.Context(command))):
        if getattr(param, "is_flag", False):
            param.metavar = ""
        elif param.param_type_name == "argument":
            param.display_type_rich = lambda ctx: None  # noqa: ARG005 - show nothing beside an argument


def _invoke(invoke: Callable[[typer.Context], Any], context: typer.Context) -> Any:
    """Run a command; the commands that it suggests are for the same database."""
    suggesting.note(context.params)
    return invoke(context)


def pass_down(context: typer.Context, given: Mapping[str, object]) -> None:
    """Use options given before a command as defaults for it and for the commands below
    it.
    """
    root: Any = context.command
    name = str(context.invoked_subcommand)
    command = root.commands[name]
    known = {param.name for param in command.params}
    for option in given:
        if option not in known and not hasattr(command, "commands"):
            flag = next(each.opts[0] for each in root.params if each.name == option)
            raise InvalidInput(flag, f"is no option of 'hexad {name}'; leave it out")
    context.default_map = {**given, name: _defaults(command, given)}


def _defaults(command: Any, given: Mapping[str, object]) -> dict[str, Any]:
    inner = getattr(command, "commands", {})
    return {**given, **{name: _defaults(each, given) for name, each in inner.items()}}


def _all(command: Any) -> Iterator[Any]:
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from _all(inner)
