"""What to type next, so that it can be pasted: for the same database and namespace, quoted as a shell wants it."""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from shlex import quote
from typing import Final

_OPTIONS: Final = {"db": "--db", "namespace": "--namespace"}
_MENTIONED: Final = re.compile(r"`hexad ([^`…]+)`")
_WITHOUT: Final = (
    "--help",
    "completion",
    "eval",
    "mcp uninstall",
    "restore",
)  # these know no database, or name another
_WITHOUT_NAMESPACE: Final = ("init",)

_said: ContextVar[Mapping[str, str]] = ContextVar("said", default={})  # noqa: B039 - it is never written to


def note(parameters: Mapping[str, object]) -> None:
    """Keep what the line says of the database and the namespace; what variables and files say holds next time too."""
    if "db" in parameters:
        _said.set({option: str(parameters[name]) for name, option in _OPTIONS.items() if parameters.get(name)})


def clear() -> None:
    """A new line, which has said nothing yet."""
    _said.set({})


def command(words: str) -> str:
    """A command for the same memory.

    >>> note({"db": "my agent.db", "namespace": None})
    >>> command("skills review hello")
    "hexad skills review hello --db 'my agent.db'"
    >>> clear()
    >>> command("list")
    'hexad list'
    """
    return " ".join(["hexad", *([words] if words else []), *_options(words)])


def completed(sentence: str) -> str:
    """A sentence whose commands, in backticks, are for the same memory."""
    if not _said.get():
        return sentence
    return _MENTIONED.sub(lambda found: f"`{command(found[1])}`", sentence)


def _options(words: str) -> list[str]:
    if words.startswith(_WITHOUT):
        return []
    told = {name: value for name, value in _said.get().items() if f"{name} " not in words}
    if words.startswith(_WITHOUT_NAMESPACE):
        told.pop("--namespace", None)
    return [word for name, value in told.items() for word in (name, quote(value))]
