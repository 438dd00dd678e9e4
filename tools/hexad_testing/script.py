"""Scripted conversations for any framework: replies of a model, and the requests that
it got.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias


@dataclass(frozen=True, slots=True)
class Call:
    """The model calls a tool."""

    tool: str
    args: dict[str, Any] = field(default_factory=dict)


Reply: TypeAlias = str | Call | Sequence[str | Call] | Exception


class Request(NamedTuple):
    """A request to a model, in words: the system prompt, role and text of each message,
    and the tools.

    ``descriptions`` are those of the tools, in their order.
    """

    system: str
    messages: tuple[tuple[str, str], ...]
    tools: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()

    @property
    def said(self) -> list[str]:
        """The texts in the user's role."""
        return [text for role, text in self.messages if role == "user"]

    def description(self, tool: str) -> str:
        """The description of a tool."""
        return self.descriptions[self.tools.index(tool)]


class Script:
    """Replies, played once in order, or a function from a request to a reply. It keeps
    every request.

    >>> script = Script(["Hello."])
    >>> script.play(Request("", (("user", "Hi"),)))
    ['Hello.']
    """

    def __init__(self, replies: Iterable[Reply] | Callable[[Request], Reply]) -> None:
        self.requests: list[Request] = []
        self._next = replies if callable(replies) else in_order(replies)

    def play(self, request: Request) -> list[str | Call]:
        """The texts and calls of the next reply; an exception is raised."""
        self.requests.append(request)
        reply = self._next(request)
        if isinstance(reply, Exception):
            raise reply
        return [reply] if isinstance(reply, str | Call) else list(reply)


def in_order(script: Iterable[Reply]) -> Callable[[Any], Reply]:
    """A function that plays a script once, from any thread."""
    replies, lock = iter(script), threading.Lock()

    def play(_request: object) -> Reply:
        with lock:
            try:
                return next(replies)
            except StopIteration:
                raise AssertionError(
                    "the script is over, and the model was asked again"
                ) from None

    return play
