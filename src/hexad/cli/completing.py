"""Completions for a shell: words of a fixed list, and the names that are stored."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import typer

if TYPE_CHECKING:
    from hexad.facade import Hexad

Completion: TypeAlias = Callable[[typer.Context, str], list[str]]
_PLAIN: Final = re.compile(r"[\w./@+-]+")  # safe in every shell without quotes; other names are not offered


def one_of(known: Iterable[str]) -> Callable[[str], list[str]]:
    """A completion over a fixed list of words."""
    return lambda incomplete: [str(word) for word in known if word.startswith(incomplete)]


def _stored(names: Callable[["Hexad"], Iterable[str]]) -> Completion:
    """A completion over names in the database that the line names so far."""

    def complete(context: typer.Context, incomplete: str) -> list[str]:
        from hexad.cli.opening import opened  # noqa: PLC0415 - loads the engine: 50 ms

        try:
            with opened(_given(context, "db"), _given(context, "namespace")) as hx:
                return [name for name in names(hx) if name.startswith(incomplete) and _PLAIN.fullmatch(name)]
        except Exception:  # noqa: BLE001 - the shell would take a message for a completion
            return []

    return complete


def _given(context: typer.Context, option: str) -> str | None:
    """The value of an option, given after the command or before it."""
    level: Any = context
    while level is not None:
        if level.params.get(option) is not None:
            return str(level.params[option])
        level = level.parent
    return None


keys: Final = _stored(lambda hx: (entry.key for entry in hx.knowledge.list()))
references: Final = _stored(lambda hx: (each.name for each in hx.references.list()))
learnings: Final = _stored(lambda hx: (each.id for each in hx.learnings.list()))
skills: Final = _stored(lambda hx: (each.name for each in hx.skills.list()))
