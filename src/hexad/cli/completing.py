"""`completion`: the script that lets a shell complete commands, options, and the names that are stored."""

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hexad.cli import screen
from hexad.cli.opening import opened
from hexad.model import SkillStatus

if TYPE_CHECKING:
    from hexad.facade import Hexad

_VARIABLE: Final = "_HEXAD_COMPLETE"
_ZSH_READY: Final = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }"  # if ~/.zshrc has not
_PLAIN: Final = re.compile(r"[\w./@+-]+")  # what no shell reads as anything but a word; other names are not offered


class Shell(StrEnum):
    """The shells that can be served."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command(epilog="Example: hexad completion bash")(completion)


def completion(
    shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Print a script that completes commands, options, knowledge keys and skill names in your shell.

    To have it in every shell, put this into ~/.bashrc or ~/.zshrc: eval "$(hexad completion bash)", or zsh. For fish:
    hexad completion fish > ~/.config/fish/completions/hexad.fish
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]  # it is documented

    script = get_completion_script(prog_name="hexad", complete_var=_VARIABLE, shell=shell.value)
    if shell is Shell.ZSH:
        script = script.replace("\ncompdef ", f"\n{_ZSH_READY}\n\ncompdef ")
    if as_json:
        screen.emit({"shell": shell.value, "script": script})
    else:
        screen.show(script)


def prepare() -> None:
    """Let the command answer a shell that asks what could come next."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()


def one_of(known: Iterable[str]) -> Callable[[str], list[str]]:
    """What offers those of the known words that begin so."""
    return lambda incomplete: [str(word) for word in known if word.startswith(incomplete)]


def keys(context: typer.Context, incomplete: str) -> list[str]:
    """The knowledge keys that begin so."""
    return _stored(context, incomplete, lambda hx: (entry.key for entry in hx.knowledge.list()))


def references(context: typer.Context, incomplete: str) -> list[str]:
    """The references that begin so."""
    return _stored(context, incomplete, lambda hx: (each.name for each in hx.references.list()))


def learnings(context: typer.Context, incomplete: str) -> list[str]:
    """The ids of learnings that begin so."""
    return _stored(context, incomplete, lambda hx: (each.id for each in hx.learnings.list()))


def skills(context: typer.Context, incomplete: str) -> list[str]:
    """The skills that begin so."""
    return _skills(context, incomplete, set(SkillStatus))


def runnable(context: typer.Context, incomplete: str) -> list[str]:
    """The skills that begin so and would run: of a draft only the plan can be shown."""
    wanted = set(SkillStatus) if context.params.get("dry_run") else {SkillStatus.ACTIVE}
    return _skills(context, incomplete, wanted)


def unapproved(context: typer.Context, incomplete: str) -> list[str]:
    """The skills that begin so and do not run yet, or no longer."""
    return _skills(context, incomplete, set(SkillStatus) - {SkillStatus.ACTIVE})


def undeprecated(context: typer.Context, incomplete: str) -> list[str]:
    """The skills that begin so and are not put aside."""
    return _skills(context, incomplete, set(SkillStatus) - {SkillStatus.DEPRECATED})


def _skills(context: typer.Context, incomplete: str, wanted: set[SkillStatus]) -> list[str]:
    return _stored(context, incomplete, lambda hx: (each.name for each in hx.skills.list() if each.status in wanted))


def _stored(context: typer.Context, incomplete: str, names: Callable[["Hexad"], Iterable[str]]) -> list[str]:
    """Names of the database that the line so far speaks of. Whatever goes wrong: nothing, since a shell is asking."""
    try:
        with opened(_said(context, "db"), _said(context, "namespace")) as hx:
            return [name for name in names(hx) if name.startswith(incomplete) and _PLAIN.fullmatch(name)]
    except Exception:  # noqa: BLE001 - a message here would be taken for a completion
        return []


def _said(context: typer.Context, option: str) -> str | None:
    """What the line says of an option: behind the command, or before it."""
    around: Any = context
    while around is not None:
        if around.params.get(option) is not None:
            return str(around.params[option])
        around = around.parent
    return None
