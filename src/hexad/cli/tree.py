"""The commands as one tree: what holds for all of them."""

import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import typer
from typer.main import get_command

from hexad.cli import suggesting
from hexad.errors import InvalidInput


def tree(app: typer.Typer) -> Any:
    """The commands, ready to run; their help shows no Python type beside a flag, or beside an argument's own name."""
    root = get_command(app)
    for command in _all(root):
        command.invoke = partial(_noting_the_memory, command.invoke)
        command.format_help = partial(_without_colour_in_a_pipe, command.format_help)
        for param in (*command.params, command.get_help_option(typer.Context(command))):
            if getattr(param, "is_flag", False):
                param.metavar = ""
            elif param.param_type_name == "argument":
                param.display_type_rich = _nothing
    return root


def _without_colour_in_a_pipe(format_help: Callable[..., None], *arguments: Any) -> None:
    """Write the help; typer takes some variables, of machines that build for example, for a wish to have colours."""
    if not sys.stdout.isatty():
        from rich.console import Console
        from typer import rich_utils

        if Console(force_terminal=rich_utils.FORCE_TERMINAL).is_terminal:
            from hexad.settings import colour_is_wanted

            rich_utils.FORCE_TERMINAL = colour_is_wanted()
    format_help(*arguments)


def _noting_the_memory(invoke: Callable[[typer.Context], Any], context: typer.Context) -> Any:
    """Run a command; what it suggests is for the memory that it was told."""
    suggesting.note(context.params)
    return invoke(context)


def _nothing(ctx: object) -> None:
    """What stands beside an argument."""


def pass_down(context: typer.Context, given: Mapping[str, object]) -> None:
    """Let options that were given before a command hold for it, and for those below it, unless they say otherwise."""
    tree: Any = context.command
    command = tree.commands[context.invoked_subcommand]
    known = {param.name for param in command.params}
    for name in given:
        if name not in known and not hasattr(command, "commands"):
            option = next(each.opts[0] for each in tree.params if each.name == name)
            raise InvalidInput(option, f"is no option of 'hexad {context.invoked_subcommand}'; leave it out")
    context.default_map = _everywhere(tree, given)


def _everywhere(command: Any, given: Mapping[str, object]) -> dict[str, Any]:
    inner = getattr(command, "commands", {})
    return {**given, **{name: _everywhere(each, given) for name, each in inner.items()}}


def _all(command: Any) -> Iterator[Any]:
    yield command
    for inner in getattr(command, "commands", {}).values():
        yield from _all(inner)
