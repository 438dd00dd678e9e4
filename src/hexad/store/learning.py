"""The part of the ports that learning needs: the calls of a session, what was offered in it, and counting cheaply.

Calls and offers are working memory. They are bounded, old ones go, and a backup leaves them out. What was learned from
them is in the learnings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a tool in a session."""

    number: int  # the call's audit record
    session: str
    tool: str
    ok: bool
    learning: str = ""  # what its error belongs to
    arguments: str = ""  # as JSON: the shapes of a failure's arguments; the marks of what a success was given and gave
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A learning whose fix was shown in a session, and what came of it: offered, worked, failed, or found there."""

    session: str
    learning: str
    trigger: str
    state: str
    at: datetime


OFFERED: Final = "offered"  # the state of an offer that nothing came of yet


VALUES: Final = ("url", "email", "uuid", "time", "ip", "host", "path", "value", "num", "id")  # what `<…>` may stand for
_VALUE: Final = re.compile(f"<(?:{'|'.join(VALUES)})>")


def skeleton(template: str) -> str:
    """A template without the kinds of its values: errors that differ in them alone are one.

    >>> skeleton("no row <num> in <value>")
    'no row <*> in <*>'
    """
    return _VALUE.sub("<*>", template)


class LearningReading(Protocol):
    """What learning reads."""

    def templates(self, namespace: str, trigger: str, length: int | None, limit: int) -> Sequence[tuple[str, str]]:
        """Template and id of the learnings with that trigger and so many words (None: any), newest first."""
        ...

    def open_templates(self, namespace: str, trigger: str, length: int, limit: int) -> Sequence[tuple[str, str]]:
        """The same of those that have a wildcard (``<*>``)."""
        ...

    def like_skeleton(self, namespace: str, trigger: str, skeleton: str, length: int) -> Sequence[tuple[str, str]]:
        """The same of those whose `skeleton` is that one: all of them."""
        ...

    def least_known(self, namespace: str, trigger: str, beyond: int) -> str | None:
        """Where a trigger has so many learnings or more, the id of the oldest of which nothing is known.

        It was observed once, and has neither fix nor diagnosis.
        """
        ...

    def calls(self, namespace: str, session: str, limit: int) -> Sequence[Call]:
        """The latest calls of a session, newest first."""
        ...

    def all_calls(self, namespace: str) -> Sequence[Call]:
        """The calls of every session, by session and then in their order."""
        ...

    def awaits_success(self, namespace: str, session: str, tool: str) -> bool:
        """Whether a success of the tool would mean something in the session.

        It would if something is offered there, or if the tool's latest call failed.
        """
        ...

    def offers(self, namespace: str, session: str) -> Sequence[Offer]:
        """What was offered in a session, in the order of learnings' ids."""
        ...


class LearningWriting(LearningReading, Protocol):
    """What learning changes."""

    def see(self, namespace: str, id: str, at: datetime) -> None:
        """Count one more occurrence of a learning's error."""
        ...

    def see_template(self, namespace: str, trigger: str, template: str, length: int, at: datetime) -> str | None:
        """The same for the learning with exactly that template; its id, if there is one."""
        ...

    def add_call(self, namespace: str, call: Call) -> None:
        """Add a call."""
        ...

    def keep_calls(self, namespace: str, session: str, latest: int) -> None:
        """Remove all calls of the session but the latest."""
        ...

    def drop_calls(self, namespace: str, before: int) -> None:
        """Remove all calls that are numbered lower; linear in the namespace's calls."""
        ...

    def put_offer(self, namespace: str, offer: Offer) -> None:
        """Set what is known of a learning in a session."""
        ...

    def drop_offers(self, namespace: str, before: datetime) -> None:
        """Remove the offers of the namespace that are older."""
        ...

    def relink(self, namespace: str, old: str, new: str | None) -> None:
        """Calls and offers of a learning become another's, or nobody's."""
        ...

    def forget_calls(self, namespace: str, session: str | None) -> None:
        """Remove calls and offers of a session, or of all."""
        ...
