"""The options that every command has, as one parameter of its function."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar

import typer

from hexad.cli.opening import announce, opened, opened_beside_own, place, server
from hexad.cli.options import AsJson, Database, Namespace
from hexad.cli.terminal import screen
from hexad.facade import Hexad

F = TypeVar("F", bound=Callable[..., None])


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """The options that every command has: which memory to use, and whether to print
    JSON.
    """

    db: Database = None
    namespace: Namespace = None
    as_json: AsJson = False

    @property
    def path(self) -> Path:
        """The path of the database; the first time, the command says which it is."""
        announce(self.db)
        return place(self.db)

    @property
    def is_server(self) -> bool:
        """Whether the database is on a server, not in a file."""
        return server(self.db) is not None

    def opened(self, *, create: bool = False) -> AbstractContextManager[Hexad]:
        """Open the engine; see `opening.opened`."""
        announce(self.db, storing=create)
        return opened(self.db, self.namespace, create=create)

    def opened_beside_own(self) -> AbstractContextManager[Hexad]:
        """Open the engine as agents read it; see `opening.opened_beside_own`."""
        announce(self.db)
        return opened_beside_own(self.db, self.namespace, create=False)

    def answer(self, document: Mapping[str, Any], sentence: str) -> None:
        """Print the document with ``--json``, otherwise the sentence."""
        if self.as_json:
            screen.emit(document)
        else:
            screen.say(sentence)

    def listing(
        self,
        document: Mapping[str, Any],
        columns: Sequence[screen.Column],
        rows: Sequence[Sequence[object]],
        *,
        empty: str = "",
    ) -> None:
        """Print the document with ``--json``, otherwise the rows, or the remark
        ``empty`` if there are none.
        """
        if self.as_json:
            screen.emit(document)
        elif rows or not empty:
            screen.table(columns, rows)
        else:
            screen.remark(empty)


class Commands(typer.Typer):
    """Commands that take the parameter ``common``: users see the three options it
    holds.
    """

    def command(self, name: str | None = None, **options: Any) -> Callable[[F], F]:
        """Add a command, as typer does."""
        add = super().command(name, **options)

        def added(function: F) -> F:
            add(
                _with_options(function)
                if "common" in signature(function).parameters
                else function
            )
            return function

        return added


def group(help: str, *, epilog: str) -> Commands:
    """A group of commands, which prints its help when it is called without one."""
    app = Commands(help=help, epilog=epilog)
    app.callback(help=help, epilog=epilog, invoke_without_command=True)(
        screen.help_if_alone
    )
    return app


def _with_options(function: Callable[..., None]) -> Callable[..., None]:
    """The function with the fields of `Common` as parameters instead of ``common``."""
    whole, options = signature(function), signature(Common).parameters
    own = [
        parameter for name, parameter in whole.parameters.items() if name != "common"
    ]

    @wraps(function)
    def run(**given: Any) -> None:
        function(common=Common(**{name: given.pop(name) for name in options}), **given)

    run.__signature__ = whole.replace(parameters=[*own, *options.values()])  # type: ignore[attr-defined]
    return run
