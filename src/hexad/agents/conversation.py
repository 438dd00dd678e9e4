"""Who speaks, and which namespace and session are theirs.

Frameworks know an app, a user and a session; Hexad knows a namespace and a session. The
rule between them can be replaced: a function from a `Conversation` to the name of a
namespace below the engine's own, or to "" for the engine's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast
from urllib.parse import quote

from hexad.calls.scope import CallScope
from hexad.errors import InvalidInput
from hexad.memory import admission

if TYPE_CHECKING:
    from hexad.facade import Hexad

_LONGEST: Final = 120  # characters of an id; a longer one is hashed


@dataclass(frozen=True, slots=True)
class Conversation:
    """One session of one user with one app, the user's latest message, and the id of
    the turn that it began.
    """

    app: str
    user: str
    session: str
    message: str = ""
    invocation: str = ""

    @property
    def turn(self) -> tuple[str, ...]:
        """The key of this turn."""
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


def by_name(conversation: Conversation) -> str:
    """Each named user has a memory of their own; without a name it is the engine's.

    >>> by_name(Conversation("", "dana@example.com", "s1")), by_name(Conversation("", "", "s1"))
    ('dana%40example.com', '')
    """
    return _part(conversation.user) if conversation.user else ""


def shared(conversation: Conversation) -> str:  # noqa: ARG001 - a rule like the others
    """Everybody shares the engine's own memory."""
    return ""


@dataclass(frozen=True, slots=True)
class Speaker:
    """A conversation and the rule for its namespace."""

    conversation: Conversation
    rule: NamespaceRule

    def scope(self, hx: Hexad) -> Hexad:
        """The engine as this conversation sees it, in the engine's own session if it
        has none. A rule may raise.
        """
        below = self.rule(self.conversation)
        if not isinstance(below, str):
            raise InvalidInput(
                "namespace", f"the rule must return text, not {type(below).__name__}"
            )
        namespace = f"{hx.namespace}/{below}" if below else hx.namespace
        return hx.scoped(
            namespace=namespace,
            session=session_of(self.conversation, self.rule) or None,
        )


def call_scope(hx: Hexad, own: Hexad) -> CallScope:
    """Records the calls of tools that the shared engine watches in a conversation's own
    memory.
    """
    return CallScope(hx.store, hx.namespace, own.namespace, own.session)


def checked(rule: Any) -> NamespaceRule:
    """The rule, if it is a function."""
    if callable(rule):
        return cast("NamespaceRule", rule)
    need = "must be a function from a conversation to a name, such as per_user or lambda conversation: 'team'"
    raise InvalidInput("namespace", f"{need}, not {type(rule).__name__}")


def session_of(conversation: Conversation, rule: NamespaceRule) -> str:
    """The framework's session as one of ours. Where users share a memory it also names
    the user.

    A framework's ids are unique for one user of one app only. An id that cannot be a
    session is hashed, so that two never become the same.

    >>> ours = Conversation("desk", "dana", "slack:C42")
    >>> session_of(ours, per_user), session_of(ours, per_app)
    ('slack:C42', 'slack:C42@desk/dana')
    """
    if not conversation.session or rule in {per_user, by_name}:
        return _session(conversation.session)
    return _session(
        f"{conversation.session}@{_part(conversation.app)}/{_part(conversation.user)}"
    )


def _session(id: str) -> str:
    try:
        return admission.label("session", id) if len(id) <= _LONGEST else _hashed(id)
    except InvalidInput:
        return _hashed(id)


def _part(id: str) -> str:
    """An id as a part of a namespace: no two ids give the same, and none can name
    another's.
    """
    name = quote(id, safe="", errors="surrogatepass") or "%"
    try:
        return (
            admission.key("namespace", name) if len(name) <= _LONGEST else _hashed(id)
        )
    except InvalidInput:  # it looks like a secret
        return _hashed(id)


def _hashed(id: str) -> str:
    """A digest after a sign that no quoted id holds."""
    return f"#{digest(id)}"


def digest(id: str) -> str:
    """A hash of an id that cannot be stored or shown as it is."""
    return hashlib.sha256(id.encode(errors="surrogatepass")).hexdigest()[:32]
