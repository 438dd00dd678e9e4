"""A request on its way to the model → the same with context, and with what is known of
its tools and their errors.

ADK keeps a tool's answer in the session, so what is known of a failure stands beside it
in the request alone.

A failure of any kind lets the request go on as it came, and one warning says why.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from hexad.adapters.adk.request import (
    ContextPlace,
    latest_message,
    safe_place,
    text_of,
    with_context,
    with_notes,
    with_texts,
)
from hexad.agents.agent import AgentMemory, EndedCall
from hexad.agents.context import PREFACE, Latest
from hexad.agents.notes import Notes
from hexad.agents.warnings import TURN_WARNINGS
from hexad.calls.error_text import SHOWN_BEFORE
from hexad.memory.troubles import trouble
from hexad.memory.usage.prompts import forgettable
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from google.adk.models.llm_request import LlmRequest

    from hexad.agents.conversation import Speaker
    from hexad.facade import Hexad

SPEAKERS: Final[Notes[Speaker]] = (
    Notes()
)  # of requests that a plugin or a tool has seen
_ADDED: Final = forgettable(
    Recent[tuple[tuple[str, str], str], None](256)
)  # blocks, by store and namespace
_TOLD: Final = forgettable(
    Recent[tuple[object, ...], str](1024)
)  # by conversation, tool and answer


class Recall:
    """Adds context to requests, for one adapter and all of its conversations."""

    def __init__(self, hx: Hexad, placement: str, budget: int) -> None:
        self.memory = AgentMemory(hx, budget=budget)
        self._placement = ContextPlace.parse(placement, "placement")

    async def learn(self, speaker: Speaker, call: EndedCall) -> None:
        """Record how a call ended; what is known of it stands beside its answer in
        requests from now on.
        """
        text = await self.memory.abeside(speaker, call)
        if text:
            place = self._answer(speaker, call.tool, call.result)
            _TOLD.put(place, text.removeprefix(SHOWN_BEFORE))

    async def augmented(self, request: LlmRequest) -> LlmRequest:
        """A copy of the request with context; the request itself if there is nothing to
        add.
        """
        if not self.memory.hx.enabled or self._has_served(request):
            return request
        speaker = SPEAKERS.of(request)
        try:
            return await self._served(request, speaker)
        except Exception as error:  # noqa: BLE001 - a failure of ours is not the agent's
            warn_unserved(speaker, error)
            return request

    async def _served(self, request: LlmRequest, speaker: Speaker | None) -> LlmRequest:
        contents = request.contents
        message, query = latest_message(
            contents, speaker.conversation.message if speaker else ""
        )
        run = speaker.conversation.invocation if speaker else ""
        tools = tuple(
            (name, _summary(tool)) for name, tool in request.tools_dict.items()
        )
        added = await self.memory.arecall(
            speaker, Latest(query, message, message == len(contents) - 1, run, tools)
        )
        notes = await self.memory.anotes(speaker, [name for name, _ in tools])
        request = self._told(request, speaker, notes)
        if not any(added):
            return request
        place = (
            safe_place(contents, message)
            if self._placement is ContextPlace.USER_TURN
            else None
        )
        for text in filter(None, (added.standing, added.found.removeprefix(PREFACE))):
            _ADDED.put((self.memory.place, text), None)
        return with_context(request, added, place)

    def _told(
        self, request: LlmRequest, speaker: Speaker | None, notes: Mapping[str, str]
    ) -> LlmRequest:
        """A copy of the request with what is known of its tools and of the failures
        that it holds.
        """
        changed: dict[str, Any] = {}
        if notes:
            changed["config"] = with_notes(request.config, notes)
        contents = request.contents
        if speaker is not None:
            contents = with_texts(request.contents, partial(self._text_beside, speaker))
        if any(
            one is not other
            for one, other in zip(request.contents, contents, strict=True)
        ):
            changed["contents"] = contents
        return request.model_copy(update=changed) if changed else request

    def _text_beside(self, speaker: Speaker, tool: str, answer: object) -> str:
        return _TOLD.get(self._answer(speaker, tool, answer)) or ""

    def _answer(
        self, speaker: Speaker, tool: str, answer: object
    ) -> tuple[object, ...]:
        """A tool's answer in a conversation: ADK takes the ids of calls out of
        requests.
        """
        held = answer if isinstance(answer, dict) else {"result": answer}
        said = json.dumps(held, sort_keys=True, default=str)
        return (
            self.memory.place,
            speaker.conversation.user,
            speaker.conversation.session,
            tool,
            said,
        )

    def _has_served(self, request: LlmRequest) -> bool:
        """Whether the request, or one that it was copied from, holds context of this
        memory already.
        """
        said = getattr(
            request.config.system_instruction,
            "parts",
            request.config.system_instruction,
        )
        texts = [
            str(getattr(each, "text", each))
            for each in (said if isinstance(said, list) else [said])
        ]
        texts += [
            text for text in map(text_of, request.contents) if text.startswith(PREFACE)
        ]
        return any(
            block in text
            for text in texts
            if "## " in text
            for of, block in _ADDED
            if of == self.memory.place
        )


def warn_unserved(speaker: Speaker | None, error: Exception) -> None:
    """Warn that a request stays as it is: once a turn, if that is known."""
    turn = speaker.conversation.turn if speaker is not None else ()
    if not turn:
        TURN_WARNINGS.begin(turn)
    what = "a request goes to the model as it is"
    TURN_WARNINGS.warn(turn, what, [trouble(what, error)])


def _summary(tool: object) -> str:
    """The first paragraph of a tool's description: the model gets the whole of it in
    any case.
    """
    return " ".join(
        str(getattr(tool, "description", "") or "").strip().split("\n\n", 1)[0].split()
    )
