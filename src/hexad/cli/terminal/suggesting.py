"""Suggested commands with the options of the current database and namespace, quoted,
ready to paste.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from shlex import quote
from typing import Final

_OPTIONS: Final = {"db": "--db", "namespace": "--namespace"}
_MENTIONED: Final = re.compile(r"`hexad ([^`…]+)`")
_WITHOUT: Final = (
    "--help",
    "eval",
    "mcp uninstall",
    "restore",
)  # these take no database, or another one
_WITHOUT_NAMESPACE: Final = ("init",)

_PASSWORD: Final = re.compile(r"(?<=//)([^:@/?]*):.*(?=@)|(?<=[?&])password=[^&]*&?")

_given: ContextVar[Mapping[str, str]] = ContextVar("given", default={})  # noqa: B039 - it is never written to


def note(parameters: Mapping[str, object]) -> None:
    """Remember the database and namespace given as options. Variables and files apply
    to the next command anyway.
    """
    if "db" in parameters:
        _given.set(
            {
                option: masked(str(parameters[name]))
                for name, option in _OPTIONS.items()
                if parameters.get(name)
            }
        )


def masked(place: str) -> str:
    """A file, or a URL without its password.

    >>> masked("postgresql://anna:s3@cret@db.example.com/memory?password=s3cret&schema=a")
    'postgresql://anna@db.example.com/memory?schema=a'
    """
    return (
        _PASSWORD.sub(lambda found: found[1] or "", place).rstrip("?&")
        if "://" in place
        else place
    )


def clear() -> None:
    """Forget the options of an earlier command."""
    _given.set({})


def command(words: str) -> str:
    """A command for the same database and namespace.

    >>> note({"db": "my agent.db", "namespace": None})
    >>> command("review hello")
    "hexad review hello --db 'my agent.db'"
    >>> clear()
    >>> command("list")
    'hexad list'
    """
    return " ".join(["hexad", *([words] if words else []), *_options(words)])


def completed(sentence: str) -> str:
    """Add those options to the commands in backticks in a sentence."""
    if not _given.get():
        return sentence
    return _MENTIONED.sub(lambda found: f"`{command(found[1])}`", sentence)


def _options(words: str) -> list[str]:
    if words.startswith(_WITHOUT):
        return []
    options = {
        name: value for name, value in _given.get().items() if f"{name} " not in words
    }
    if words.startswith(_WITHOUT_NAMESPACE):
        options.pop("--namespace", None)
    return [word for name, value in options.items() for word in (name, quote(value))]
