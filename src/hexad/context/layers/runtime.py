"""The state of the agent's process: one item for any question, never persisted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, runtime_checkable

from hexad.context.layers import Judged
from hexad.errors import InvalidInput
from hexad.model import Item, Layer, Origin, Query, Reason, RuntimeState

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY: Final = "session-state"
CHANNELS: Final = ("telegram", "discord", "slack")
DIRECT: Final = "direct"
_ALWAYS: Final = Reason("runtime", "there whenever its layer is searched", 1.0)


@runtime_checkable
class RuntimeContextProvider(Protocol):
    """Knows the state of the process. It is called from a worker thread; a late answer
    is discarded.
    """

    def get_runtime_context(self, session: str | None = None) -> RuntimeState:
        """The state as the named session sees it, or as calls that name none do."""


class SessionRuntime:
    """A provider that holds one state; ``channel`` is fixed, or derived from a
    session's key.

    >>> runtime = SessionRuntime(active_tools=3)
    >>> runtime.set_session("slack:C42:U7")
    >>> runtime.get_runtime_context().channel
    'slack'
    """

    def __init__(
        self,
        *,
        active_tools: int = 0,
        encryption: bool = False,
        knowledge: bool = True,
        memory: bool = True,
        channel: str = "",
    ) -> None:
        self._channel = channel
        self._state = RuntimeState(
            active_tools=active_tools,
            encryption=encryption,
            knowledge=knowledge,
            memory=memory,
        )

    def set_session(self, session: str) -> None:
        """Set what calls that name no session see. One assignment: a reader sees the
        old state or the new one.
        """
        if not isinstance(session, str):
            raise InvalidInput("session", f"must be text, not {type(session).__name__}")
        self._state = self._in_session(session)

    def get_runtime_context(self, session: str | None = None) -> RuntimeState:
        """The state, as the named session sees it."""
        return self._state if session is None else self._in_session(session)

    def _in_session(self, session: str) -> RuntimeState:
        return self._state._replace(
            session=session, channel=self._channel or channel_of(session)
        )


class RuntimeSource(NamedTuple):
    """The Runtime Context layer."""

    provider: RuntimeContextProvider
    tools: int = 0  # how many are registered, for a provider that does not count them

    def examine(self, query: Query, limit: int, wide: int = 0) -> Sequence[Judged]:
        """The one item that shows the state."""
        state = self.provider.get_runtime_context(query.session)
        state = state if state.active_tools else state._replace(active_tools=self.tools)
        item = Item(
            layer=Layer.RUNTIME_CONTEXT,
            id=KEY,
            key=KEY,
            content=_described(state),
            category="session",
            origin=Origin.AGENT,
            score=_ALWAYS.value,
            reasons=(_ALWAYS,),
        )
        return [Judged(item)]


def channel_of(session: str) -> str:
    """The channel that a session's key names by its prefix.

    >>> channel_of("telegram:1"), channel_of("cli")
    ('telegram', 'direct')
    """
    prefix = session.split(":", 1)[0].casefold()
    return prefix if prefix in CHANNELS else DIRECT


def _described(state: RuntimeState) -> str:
    switches = {
        "encryption": state.encryption,
        "knowledge": state.knowledge,
        "memory": state.memory,
    }
    enabled = " ".join(name for name, on in switches.items() if on) or "none"
    session = f"session: {state.session}, " if state.session else ""
    return f"{session}channel: {state.channel}, active tools: {state.active_tools}, enabled: {enabled}"
