"""Whose conversation a call belongs to, and which namespace is theirs.

ADK knows an app, a user and a session; Hexad knows a namespace and a session. The rule between them can be replaced: it
is a function from a `Conversation` to a namespace's name below the engine's own, or to "" for the engine's own.
"""

from __future__ import annotations

import hashlib
import weakref
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeAlias, TypeVar, cast
from urllib.parse import quote

from hexad.errors import InvalidInput
from hexad.learning.call_scope import CallScope
from hexad.memory import admission

if TYPE_CHECKING:
    from hexad.facade import Hexad

T = TypeVar("T")
_LONGEST: Final = 120  # characters of an id that stand in a namespace or are a session; what is longer is hashed


@dataclass(frozen=True, slots=True)
class Conversation:
    """One session of one user with one app; what the user said last, and in which invocation, as far as ADK tells."""

    app: str
    user: str
    session: str
    message: str = ""
    invocation: str = ""

    @property
    def turn(self) -> tuple[str, ...]:
        """What tells this turn from all others."""
        return self.app, self.user, self.session, self.invocation or self.message


NamespaceRule: TypeAlias = Callable[[Conversation], str]


def per_user(conversation: Conversation) -> str:
    """The default: each user of each app has a memory of their own.

    >>> per_user(Conversation("desk", "dana@example.com", "s1"))
    'desk/dana%40example.com'
    """
    return f"{_part(conversation.app)}/{_part(conversation.user)}"


def per_app(conversation: Conversation) -> str:
    """All users of an app share one memory.

    >>> per_app(Conversation("desk", "dana", "s1"))
    'desk'
    """
    return _part(conversation.app)


def shared(conversation: Conversation) -> str:  # noqa: ARG001 - a rule like the others
    """Everybody shares the engine's own memory."""
    return ""


def scope_of(hx: Hexad, conversation: Conversation, rule: NamespaceRule) -> Hexad:
    """The engine as a conversation sees it."""
    below = rule(conversation)
    if not isinstance(below, str):
        raise InvalidInput("namespace", f"the rule must return text, not {type(below).__name__}")
    namespace = f"{hx.namespace}/{below}" if below else hx.namespace
    return hx.scoped(namespace=namespace, session=session_of(conversation, rule))


def caller_of(house: Hexad, own: Hexad) -> CallScope:
    """A conversation as the one that calls tools which the house's engine watches."""
    return CallScope(house.store, house.namespace, own.namespace, own.session)


def checked(rule: Any) -> NamespaceRule:
    """The rule, if it can be one."""
    if callable(rule):
        return cast("NamespaceRule", rule)
    told = "must be a function from a conversation to a name, such as per_user or lambda conversation: 'team'"
    raise InvalidInput("namespace", f"{told}, not {type(rule).__name__}")


def session_of(conversation: Conversation, rule: NamespaceRule) -> str:
    """ADK's session as one of ours: its id, and whose it is where a memory is not one user's own.

    ADK's ids are unique for one user of one app only. An id that cannot be a session is hashed, so that two never
    become the same.

    >>> ours = Conversation("desk", "dana", "slack:C42")
    >>> session_of(ours, per_user), session_of(ours, per_app)
    ('slack:C42', 'slack:C42@desk/dana')
    """
    if not conversation.session or rule is per_user:
        return _session(conversation.session)
    return _session(f"{conversation.session}@{_part(conversation.app)}/{_part(conversation.user)}")


def _session(id: str) -> str:
    try:
        return admission.label("session", id) if len(id) <= _LONGEST else _hashed(id)
    except InvalidInput:
        return _hashed(id)


def _part(id: str) -> str:
    """An id as a part of a namespace: no two ids give the same, and none can name another's."""
    name = quote(id, safe="", errors="surrogatepass") or "%"
    try:
        return admission.key("namespace", name) if len(name) <= _LONGEST else _hashed(id)
    except InvalidInput:  # it looks like a secret
        return _hashed(id)


def _hashed(id: str) -> str:
    """Behind a sign that no quoted id holds."""
    return f"#{hashlib.sha256(id.encode(errors='surrogatepass')).hexdigest()[:32]}"


class Notes(Generic[T]):
    """What is known of objects that are neither hashable nor ours to change, by identity, while they live."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], T]] = {}

    def put(self, thing: object, note: T) -> None:
        """Note something of an object."""
        place = id(thing)
        self._known[place] = (weakref.ref(thing, lambda _: self._known.pop(place, None) and None), note)

    def of(self, thing: object) -> T | None:
        """What was noted of that very object."""
        known = self._known.get(id(thing))
        return known[1] if known is not None and known[0]() is thing else None

    def __len__(self) -> int:
        return len(self._known)


@dataclass(frozen=True, slots=True)
class Known:
    """What a plugin or a tool told about a request on its way to the model."""

    conversation: Conversation
    rule: NamespaceRule


UNDER_WAY: Final[Notes[Known]] = Notes()  # requests whose conversation somebody told


@dataclass(frozen=True, slots=True)
class _Opening:
    """A live run that is about to connect: in which session, which lives as long as the run, and with which model."""

    session: weakref.ref[Any]
    model: object
    known: Known


_opening: Final[ContextVar[_Opening | None]] = ContextVar("hexad_opening", default=None)


def opening(session: object, model: object, known: Known) -> None:
    """Tell who is about to connect, as ADK shows plugins a live request only when the connection is open."""
    _opening.set(_Opening(weakref.ref(session), model, known))


def opened_by(model: object) -> Known | None:
    """Who connects to that model in this task, as long as the run lasts that told."""
    found = _opening.get()
    if found is None or found.model is not model or found.session() is None:
        return None
    return found.known


def opened_by_nobody() -> None:
    """The run is over."""
    _opening.set(None)
