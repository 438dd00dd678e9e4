"""What the user said in the conversations of this process: what an agent saves is
checked against it.

In memory only, bounded, and cleared when anything is forgotten. An edge that sees the
conversation fills it.
"""

from __future__ import annotations

from typing import Final

from hexad.memory.usage.prompts import forgettable
from hexad.recent import Recent

_SESSIONS: Final = 1024
_MESSAGES: Final = 64  # of a session, the latest
_LONGEST: Final = 8000  # characters of a message
_ANY: Final = "\x00any"  # the one conversation of a process that does not know its sessions by one name


class Heard:
    """The user's messages of each session, the oldest first."""

    def __init__(self) -> None:
        self._messages = forgettable(
            Recent[tuple[str, str], tuple[str, ...]](_SESSIONS)
        )

    def hear(
        self, namespace: str, session: str, message: str, *, by_all: bool = False
    ) -> None:
        """Remember a message, also for calls that name no session; ``by_all`` for those
        that name another one.
        """
        text = message[:_LONGEST]
        for name in {session, "", *([_ANY] if by_all else [])}:
            if text.strip():
                self._messages.update(
                    (namespace, name), lambda known: _with(known or (), text)
                )

    def said(self, namespace: str, session: str) -> tuple[str, ...]:
        """What the user said in a session."""
        return (
            self._messages.get((namespace, session))
            or self._messages.get((namespace, _ANY))
            or ()
        )


def _with(known: tuple[str, ...], text: str) -> tuple[str, ...]:
    """The messages with one more; the same again, as each model call of a turn brings
    it, is one.
    """
    return known if text in known[-1:] else (*known, text)[-_MESSAGES:]
