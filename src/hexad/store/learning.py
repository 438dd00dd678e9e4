"""The nouns that learning's part of the ports is about: the calls and offers of
sessions, and templates of errors.

Calls and offers are working memory. They are bounded, old ones are dropped, and a
backup leaves them out. What was learned from them is in the learnings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call of a tool in a session."""

    number: int  # the call's audit record
    session: str
    tool: str
    ok: bool
    learning: str = ""  # the learning that its error belongs to
    arguments: str = ""  # JSON: a failure's arguments and error, or fingerprints of a success's values
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOffer:
    """The state of a session and a learning: it met the error, was shown something, and
    what came of it.
    """

    session: str
    learning: str
    trigger: str
    state: str
    at: datetime


OFFERED: Final = "offered"  # something was shown, and the error was not met yet
MET: Final = "met"  # the error, and nothing was shown
SHOWN: Final = "shown"  # the error was met, and something was shown
WORKED: Final = "worked"  # it was tried, and the session went on
FAILED: Final = "failed"  # it was tried, and the error came again
UNAIDED: Final = "unaided"  # the session went on without having been shown anything
STUCK: Final = "stuck"  # nothing was shown, and the error came again
MENDED: Final = "mended"  # the session went on some other way
ASKED: Final = "asked"  # the agent was asked to put something into words


class Activity(NamedTuple):
    """The offers and calls of a session."""

    offers: Sequence[SessionOffer] = ()  # in the order of learnings' ids
    failed: bool = False  # whether one of the tool's latest twelve calls did
    calls: Sequence[RecordedCall] = ()  # of any tool, newest first


class TemplateFilter(NamedTuple):
    """A filter over the learnings of a trigger; fields that are None are ignored."""

    trigger: str
    limit: int
    length: int | None = None  # words of the template
    template: str | None = None
    skeleton: str | None = None  # see `skeleton`
    error_pattern: str | None = None
    wildcard: bool = False  # only those whose template has one (``<*>``)

    def passes(self, template: str, length: int, error_pattern: str) -> bool:
        """Whether a learning of its trigger passes."""
        return (
            self.length in {None, length}
            and self.template in {None, template}
            and self.error_pattern in {None, error_pattern}
            and (self.skeleton is None or self.skeleton == skeleton(template))
            and (WILDCARD in template or not self.wildcard)
        )


_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


class LearningChanges(NamedTuple):
    """Changes to what learning keeps besides the learnings' records; made in the order
    of the fields.
    """

    seen: Mapping[str, datetime] = (
        _NONE  # learnings whose error occurred once more, and when
    )
    calls: Collection[RecordedCall] = ()  # to be added
    offers: Collection[
        SessionOffer
    ] = ()  # to be set: one for each session and learning
    renamed: Mapping[str, str | None] = (
        _NONE  # calls and offers of a learning become another's
    )
    keep_calls: Mapping[str, int] = _NONE  # by session: only so many of the latest stay
    drop_calls_below: int | None = None  # calls with lower numbers are dropped
    drop_offers_before: datetime | None = None
    forget_sessions: Collection[str] = ()  # whose calls and offers are dropped
    forget_everything: bool = False


VALUES: Final = (
    "url",
    "email",
    "uuid",
    "time",
    "ip",
    "host",
    "path",
    "value",
    "num",
    "id",
)  # kinds of placeholders
WILDCARD: Final = "<*>"
_VALUE: Final = re.compile(f"<(?:{'|'.join(VALUES)})>")


def skeleton(template: str) -> str:
    """A template without the kinds of its values: errors that differ in them alone are
    one.

    >>> skeleton("no row <num> in <value>")
    'no row <*> in <*>'
    """
    return _VALUE.sub(WILDCARD, template)
