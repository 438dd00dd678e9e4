"""Our entries in a client's configuration: a server, and hooks by event. Put in, found again, and taken out.

`JsonEntries` and `TomlEntries` edit a text; everything else in it stays.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from hexad.mcp import HOOK_TOOL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME: Final = "hexad"
_INDENT: Final = re.compile(r"\{\s*\n([ \t]+)\"")


class Unfit(ValueError):
    """A text that cannot be edited; it says why, and ``line`` where, if that is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


@dataclass(frozen=True)
class Entries:
    """A server's entry in the object ``group`` under ``name``, and a list of hooks for each event."""

    group: str = "mcpServers"
    name: str = NAME
    server: Mapping[str, Any] | None = None
    hooks: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)

    def shown(self, sign: str) -> str:
        """The entries for a person: as this program writes them, and nothing of what stands beside them."""
        blocks: list[tuple[str, Any]] = [(f"{self.group}.{self.name}", self.server)] if self.server is not None else []
        blocks += [(f"hooks.{event}", list(each)) for event, each in self.hooks.items()]
        return "\n".join(
            line
            for where, value in blocks
            for line in (f"@@ {where} @@", *(f"{sign}{line}" for line in self._lines(value, sign)))
        )

    def _lines(self, value: Any, sign: str) -> list[str]:
        """A removed entry is shown by its name alone: it may hold somebody's secrets."""
        if sign == "-":
            return [json.dumps(self.name)]
        if isinstance(value, list):
            return [json.dumps(each, ensure_ascii=False) for each in value]
        return json.dumps(value, indent=2, ensure_ascii=False).splitlines()


@dataclass(frozen=True)
class JsonEntries(Entries):
    """Entries of a JSON file; ``head`` are keys that the file must have besides."""

    head: Mapping[str, Any] = field(default_factory=dict)

    def found(self, text: str) -> JsonEntries:
        """Those of ours that are in a text."""
        document = _loaded(text, self.group)
        server = document.get(self.group, {}).get(self.name)
        mine = {event: [each for each in given if self._is_ours(each)] for event, given in _hooks(document).items()}
        return replace(self, server=server, hooks={event: given for event, given in mine.items() if given})

    def put_into(self, text: str) -> str:
        """The text with the entries: they replace older ones of ours, other keys of the server's entry stay."""
        before = self.found(text)
        document = _loaded(before.taken_from(text) if before.hooks else text, self.group)
        if self.server is not None:
            there = before.server if isinstance(before.server, dict) else {}
            servers = {**document.get(self.group, {}), self.name: {**there, **self.server}}
            document = {**document, self.group: servers}
        if self.hooks:
            known = document.get("hooks", {})
            added = {event: [*known.get(event, ()), *each] for event, each in self.hooks.items()}
            document = {**self.head, **document, "hooks": {**known, **added}}
        return text if document == _loaded(text, self.group) else _written(document, text)

    def taken_from(self, text: str) -> str:
        """The text without the entries; a list of hooks that is then empty goes too, and so does their object."""
        document = _loaded(text, self.group)
        if self.server is not None:
            document[self.group].pop(self.name)
        for event in self.hooks:
            document["hooks"][event] = [each for each in document["hooks"][event] if not self._is_ours(each)]
        if self.hooks:
            document["hooks"] = {
                event: each for event, each in document["hooks"].items() if each or event not in self.hooks
            }
            if not document["hooks"]:
                del document["hooks"]
        return _written(document, text)

    def _is_ours(self, hook: Any) -> bool:
        return isinstance(hook, dict) and any(_calls_us(each, self.name) for each in (hook, *hook.get("hooks", ())))


@dataclass(frozen=True)
class TomlEntries(Entries):
    """A server's entry in a TOML file, as a table of its own."""

    def found(self, text: str) -> TomlEntries:
        """The entry, if it is in a text."""
        return replace(self, server=_toml(text).get(self.group, {}).get(self.name))

    def put_into(self, text: str) -> str:
        """The text with the entry at its place, or at the end."""
        document, there = _toml(text), self.found(text).server or {}
        new = {**there, **(self.server or {})}
        if new == there:
            return text
        table = "".join(f"{key} = {_value(value)}\n" for key, value in new.items() if not isinstance(value, dict))
        block = f"[{self.group}.{self.name}]\n{table}"
        old = self._table().search(text)
        gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
        after = text + gap + block if old is None else text[: old.start()] + block + text[old.end() :]
        return _verified(after, {**document, self.group: {**document.get(self.group, {}), self.name: new}})

    def taken_from(self, text: str) -> str:
        """The text without the entry."""
        document = _toml(text)
        document[self.group].pop(self.name)
        after = self._table(r"(?:\.[^\]\n]*)?").sub("", text)
        if not document[self.group]:
            del document[self.group]
        return _verified(after.rstrip("\n") + "\n" if after.strip() else "", document)

    def _table(self, below: str = "") -> re.Pattern[str]:
        head = rf"\[{re.escape(self.group)}\.(?:{re.escape(self.name)}|\"{re.escape(self.name)}\"){below}\]"
        return re.compile(rf"^{head}[^\n]*\n?(?:(?!\[)[^\n]*\n?)*", re.MULTILINE)


def _calls_us(hook: Any, name: str) -> bool:
    """Whether a hook calls the server's tool for hooks, or starts `hexad hook`."""
    if not isinstance(hook, dict):
        return False
    words = str(hook.get("command", "")).replace('"', " ").replace("'", " ").split()
    starts = any(word == "hook" and re.search(r"hexad(?:\.exe)?$", before) for before, word in pairwise(words))
    return starts or (hook.get("server"), hook.get("tool")) == (name, HOOK_TOOL)


def _hooks(document: dict[str, Any]) -> dict[str, Any]:
    hooks = document.get("hooks", {})
    return {event: each for event, each in hooks.items() if isinstance(each, list)} if isinstance(hooks, dict) else {}


def _loaded(text: str, group: str) -> dict[str, Any]:
    """The JSON object of a text."""
    try:
        document = json.loads(text.strip() or "{}")
    except json.JSONDecodeError as error:
        raise Unfit(f"is not JSON: {error.msg}", error.lineno) from None
    except (ValueError, RecursionError) as error:  # a number too long or an object too deep for Python
        raise Unfit(f"cannot be read: {error}") from None
    for each in (group, "hooks"):
        if not isinstance(document, dict) or not isinstance(document.get(each, {}), dict):
            raise Unfit(f'has no JSON object "{each}"')
    return dict(document)


def _written(document: dict[str, Any], like: str) -> str:
    """A JSON text with the indent and the line ends of another."""
    found = _INDENT.search(like)
    text = json.dumps(document, indent=found[1] if found else 2, ensure_ascii=False) + "\n"
    return text.replace("\n", "\r\n") if "\r\n" in like else text


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unfit(f"is not TOML: {error}") from None


def _verified(text: str, expected: dict[str, Any]) -> str:
    """The text, if it means what it should."""
    if _toml(text) != expected:
        raise Unfit("has this server in a form that cannot be changed safely")
    return text


def _value(value: Any) -> str:
    """A value as TOML writes it: its strings, lists, numbers and booleans are those of JSON."""
    return json.dumps(value, ensure_ascii=False)
