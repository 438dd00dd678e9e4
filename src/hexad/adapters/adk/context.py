"""A request on its way to the model → the same with context in place.

A failure of any kind lets the request go on as it came, and one warning says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hexad.adapters.adk.request import Placement, context_places, latest_message, safe_place, with_context
from hexad.context.selection import estimate_tokens
from hexad.edges.agent import soon, wishes
from hexad.edges.context import PREFACE, Lookup, Question
from hexad.edges.conversation import Conversation, Speaker, shared
from hexad.edges.notes import Notes
from hexad.edges.warnings import TURN_WARNINGS, attempt, described
from hexad.memory import admission
from hexad.memory.use.prompts import forgettable
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from google.adk.models.llm_request import LlmRequest

    from hexad.facade import Hexad

_REMEMBERED: Final = 256  # blocks
_WITHOUT: Final = "a request goes to the model without all of its context"
_PATIENCE: Final = 2.0  # layers' deadlines that a whole answer may take

_NOBODY: Final = Speaker(Conversation("", "", ""), shared)  # whom a model that stands alone knows
SPEAKERS: Final[Notes[Speaker]] = Notes()  # of requests that a plugin or a tool has seen
_ADDED: Final = forgettable(Recent[tuple[tuple[str, str], str], None](_REMEMBERED))  # blocks, by store and namespace


@dataclass(frozen=True)
class Recall:
    """Adds context to requests, for one adapter and all of its conversations."""

    lookup: Lookup
    placement: Placement

    @classmethod
    def of(cls, hx: Hexad, placement: str, budget: int) -> Recall:
        """With checked settings."""
        where, room = Placement.parse(placement, "placement"), admission.whole("budget", budget, low=0)
        if where is Placement.USER_TURN:
            room = max(room - estimate_tokens(PREFACE), 0)
        return cls(Lookup(hx, room), where)

    @property
    def hx(self) -> Hexad:
        """The engine."""
        return self.lookup.hx

    async def augmented(self, request: LlmRequest, *, reasons: Iterable[str] = ()) -> LlmRequest:
        """A copy of the request with context; the request itself if there is nothing to add.

        ``reasons`` are earlier failures, for the same warning.
        """
        if not self.hx.enabled or self._has_served(request):
            return request
        speaker, why, served = SPEAKERS.of(request), list(reasons), request
        query = speaker.conversation.message if speaker else ""
        try:
            place, query = latest_message(request.contents, query)
            if speaker is None and place == len(request.contents) - 1:
                TURN_WARNINGS.begin(_turn(None, query))  # the same words may be another user's
            served = await self._served(request, speaker, (place, query), why)
            if place == len(request.contents) - 1:  # the turn begins
                await soon(self.hx, wishes(self.hx, speaker or _NOBODY, query))
        except Exception as error:  # noqa: BLE001 - a failure of ours is not the agent's
            why.append(described(error))
        self.warn(why, speaker, query)
        return served

    async def _served(
        self, request: LlmRequest, speaker: Speaker | None, found: tuple[int, str], reasons: list[str]
    ) -> LlmRequest:
        message, query = found
        place = safe_place(request.contents, message) if self.placement is Placement.USER_TURN else None
        seconds = self.hx.settings.layer_deadline * _PATIENCE
        tools = tuple((name, _summary(tool)) for name, tool in request.tools_dict.items())
        turn = speaker.conversation.invocation if speaker is not None else f"at {message}"
        opening = speaker is None and message == len(request.contents) - 1
        question = Question(query, speaker, tools, seconds, turn, opening)
        prompt = await attempt(self.hx, lambda: self.lookup.prompt(question), seconds=seconds, reasons=reasons)
        if prompt is None or not prompt.text:
            return request
        for text in filter(None, (prompt.block, prompt.sections)):
            _ADDED.put((self._memory, text), None)
        return with_context(request, prompt.block, prompt.sections, place)

    def _has_served(self, request: LlmRequest) -> bool:
        """Whether the request, or one that it was copied from, holds context of this memory already."""
        memory, places = self._memory, list(context_places(request))
        return any(block in text for of, block in _ADDED if of == memory for text in places)

    @property
    def _memory(self) -> tuple[str, str]:
        store = self.hx.store
        return store.location if store.durable else f"{store.location} {id(store)}", self.hx.namespace

    def warn(self, reasons: Sequence[str], speaker: Speaker | None, query: str) -> None:
        """Warn once a turn and reason, however often the model is called in it."""
        if reasons:
            TURN_WARNINGS.warn(_turn(speaker, query), _WITHOUT, *reasons)


def _turn(speaker: Speaker | None, query: str) -> tuple[str, ...]:
    return speaker.conversation.turn if speaker is not None else ("", query)


def _summary(tool: object) -> str:
    """The first paragraph of a tool's description: the model gets the whole of it in any case."""
    return " ".join(str(getattr(tool, "description", "") or "").strip().split("\n\n", 1)[0].split())
