"""Our entries in the text of a client's configuration: put in, found again, and taken
out. Everything else stays.
"""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from hexad.mcp import HOOK_TOOL
from hexad.mcp.install import jsonc
from hexad.mcp.install.jsonc import Unfit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME: Final = "hexad"


@dataclass(frozen=True)
class Entries:
    """A server in the object ``group`` under ``name``, and a list of hooks for each
    event, in a JSON file.
    """

    group: str = "mcpServers"
    name: str = NAME
    server: Mapping[str, Any] | None = None
    hooks: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    head: Mapping[str, Any] = field(
        default_factory=dict
    )  # keys that a file with hooks must have besides

    def shown(self, sign: str) -> str:
        """The entries for a person; removed ones by their name alone, since they may
        hold somebody's secrets.
        """
        server = (
            json.dumps(self.server, indent=2, ensure_ascii=False).splitlines()
            if self.server is not None
            else []
        )
        blocks = {f"{self.group}.{self.name}": server} if server else {}
        for event, hooks in self.hooks.items():
            shown = [json.dumps(each, ensure_ascii=False) for each in hooks]
            blocks[f"hooks.{event}"] = shown
        lines = {
            where: given if sign == "+" else [json.dumps(self.name)]
            for where, given in blocks.items()
        }
        return "\n".join(
            f"@@ {where} @@\n{sign}" + f"\n{sign}".join(given)
            for where, given in lines.items()
        )

    def found(self, text: str) -> Entries:
        """Those of ours that are in a text."""
        document = self._loaded(text)
        lists = {
            event: given
            for event, given in document.get("hooks", {}).items()
            if isinstance(given, list)
        }
        hooks = {}
        for event, given in lists.items():
            if ours := [each for each in given if self._is_ours(each)]:
                hooks[event] = ours
        return replace(
            self, server=document.get(self.group, {}).get(self.name), hooks=hooks
        )

    def put_into(self, text: str) -> str:
        """The text with the entries: they replace older ones of ours; other keys of the
        server's entry stay.
        """
        there = self.found(text)
        kept = there.server if isinstance(there.server, dict) else {}
        for key, value in (self.server or {}).items():
            if key not in kept or kept[key] != value:
                text = jsonc.put(text, (self.group, self.name, key), value)
        if self.hooks and self.hooks != there.hooks:
            text = replace(there, server=None).taken_from(text)
            for key in self.head.keys() - self._loaded(text).keys():
                text = jsonc.put(text, (key,), self.head[key])
            for event, hook in (
                (event, each) for event, hooks in self.hooks.items() for each in hooks
            ):
                text = jsonc.put(text, ("hooks", event, jsonc.NEW), hook)
        return self._verified(
            text,
            {**kept, **self.server} if self.server else there.server,
            self.hooks or there.hooks,
        )

    def taken_from(self, text: str) -> str:
        """The text without the entries; a list of hooks that is then empty goes too,
        and so does an empty object.
        """
        if self.server is not None:
            text = jsonc.removed(text, (self.group, self.name))
        for event in self.hooks:
            given = self._loaded(text)["hooks"][event]
            for index in reversed(
                [at for at, each in enumerate(given) if self._is_ours(each)]
            ):
                text = jsonc.removed(text, ("hooks", event, index))
        return self._verified(
            text, self.found(text).server if self.server is None else None, {}
        )

    def _is_ours(self, hook: Any) -> bool:
        return isinstance(hook, dict) and any(
            _calls_us(each, self.name) for each in (hook, *hook.get("hooks", ()))
        )

    def _loaded(self, text: str) -> dict[str, Any]:
        document = jsonc.loads(text)
        for each in (self.group, "hooks"):
            if not isinstance(document, dict) or not isinstance(
                document.get(each, {}), dict
            ):
                raise Unfit(f'has no JSON object "{each}"')
        return dict(document)

    def _verified(self, text: str, entry: object, hooks: object) -> str:
        if (now := self.found(text)).server != entry or now.hooks != hooks:
            raise Unfit(
                "has this server or its hooks in a form that cannot be changed safely"
            )
        return text


class TomlEntries(Entries):
    """A server in a TOML file, as a table of its own, which stands at the end."""

    def put_into(self, text: str) -> str:
        """The text with the entry; other keys of an entry of that name stay."""
        there = self.found(text)
        new = {
            **(there.server if isinstance(there.server, dict) else {}),
            **(self.server or {}),
        }
        if new == there.server:
            return text
        others = text if there.server is None else there.taken_from(text)
        gap = "" if not others.strip() else "\n" if others.endswith("\n") else "\n\n"
        table = "".join(f"{key} = {_toml(value)}\n" for key, value in new.items())
        return self._verified(
            f"{others}{gap}[{self.group}.{self.name}]\n{table}", new, {}
        )

    def taken_from(self, text: str) -> str:
        """The text without the entry and the tables below it."""
        head = rf"^\[{re.escape(self.group)}\.\"?{re.escape(self.name)}\"?(?:\.[^\]\n]*)?\]"
        left = re.sub(
            rf"{head}[^\n]*\n?(?:(?!\[)[^\n]*\n?)*", "", text, flags=re.MULTILINE
        )
        return self._verified(
            left.rstrip("\n") + "\n" if left.strip() else "", None, {}
        )

    def _loaded(self, text: str) -> dict[str, Any]:
        try:
            return {
                key: value
                for key, value in tomllib.loads(text.lstrip("\ufeff")).items()
                if key == self.group
            }
        except tomllib.TOMLDecodeError as error:
            raise Unfit(f"is not TOML: {error}") from None


def _calls_us(hook: Any, name: str) -> bool:
    """Whether a hook calls the server's tool for hooks, or starts `hexad hook`."""
    if not isinstance(hook, dict):
        return False
    words = re.split(r"[\s'\"]+", str(hook.get("command", "")))
    starts = any(
        word == "hook" and re.search(r"hexad(?:\.exe)?$", before)
        for before, word in pairwise(words)
    )
    return starts or (hook.get("server"), hook.get("tool")) == (name, HOOK_TOOL)


def _toml(value: Any) -> str:
    """A value as TOML writes it: all but tables are as in JSON."""
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return (
        "{"
        + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items())
        + "}"
    )
