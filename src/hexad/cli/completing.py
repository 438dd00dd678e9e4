"""Completions for a shell: words of a fixed list, and the names that are stored."""

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

import typer

from hexad.model import SkillStatus

if TYPE_CHECKING:
    from hexad.facade import Hexad

_PLAIN: Final = re.compile(r"[\w./@+-]+")  # safe in every shell without quotes; other names are not offered


def one_of(known: Iterable[str]) -> Callable[[str], list[str]]:
    """A completion over a fixed list of words."""
    return lambda incomplete: [str(word) for word in known if word.startswith(incomplete)]


def keys(context: typer.Context, incomplete: str) -> list[str]:
    """Knowledge keys."""
    return _stored(context, incomplete, lambda hx: (entry.key for entry in hx.knowledge.list()))


def references(context: typer.Context, incomplete: str) -> list[str]:
    """Names of references."""
    return _stored(context, incomplete, lambda hx: (each.name for each in hx.references.list()))


def learnings(context: typer.Context, incomplete: str) -> list[str]:
    """Ids of learnings."""
    return _stored(context, incomplete, lambda hx: (each.id for each in hx.learnings.list()))


def skills(context: typer.Context, incomplete: str) -> list[str]:
    """Names of skills."""
    return _skills(context, incomplete, set(SkillStatus))


def runnable(context: typer.Context, incomplete: str) -> list[str]:
    """Skills that can run: the active ones, with --dry-run all."""
    wanted = set(SkillStatus) if context.params.get("dry_run") else {SkillStatus.ACTIVE}
    return _skills(context, incomplete, wanted)


def unapproved(context: typer.Context, incomplete: str) -> list[str]:
    """Skills that are not active."""
    return _skills(context, incomplete, set(SkillStatus) - {SkillStatus.ACTIVE})


def undeprecated(context: typer.Context, incomplete: str) -> list[str]:
    """Skills that are not deprecated."""
    return _skills(context, incomplete, set(SkillStatus) - {SkillStatus.DEPRECATED})


def _skills(context: typer.Context, incomplete: str, wanted: set[SkillStatus]) -> list[str]:
    return _stored(context, incomplete, lambda hx: (each.name for each in hx.skills.list() if each.status in wanted))


def _stored(context: typer.Context, incomplete: str, names: Callable[["Hexad"], Iterable[str]]) -> list[str]:
    """Names in the database that the line names so far; none on an error, because the shell would offer its text."""
    from hexad.cli.opening import opened  # noqa: PLC0415 - loads the engine: 50 ms

    try:
        with opened(_given(context, "db"), _given(context, "namespace")) as hx:
            return [name for name in names(hx) if name.startswith(incomplete) and _PLAIN.fullmatch(name)]
    except Exception:  # noqa: BLE001 - the shell would take a message for a completion
        return []


def _given(context: typer.Context, option: str) -> str | None:
    """The value of an option, given after the command or before it."""
    level: Any = context
    while level is not None:
        if level.params.get(option) is not None:
            return str(level.params[option])
        level = level.parent
    return None
