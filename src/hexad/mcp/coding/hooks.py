"""The hooks of coding agents, answered: context for each prompt, a lesson from each
tool call.

Claude Code, Codex, Gemini CLI and Cursor send an event as JSON, with nearly the same
fields. The answer is JSON too: what the model should read, or nothing. An event that
fails, or that nobody knows, gets an empty answer.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad.agents.agent import AgentMemory, EndedCall
from hexad.agents.context import Latest
from hexad.agents.warnings import excused
from hexad.mcp.coding.calls import call_in, latest_rows, planned_call
from hexad.memory.conversations.messages import turns
from hexad.memory.conversations.wording import own_words, sentences
from hexad.memory.troubles import Trouble
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexad.facade import Hexad

_STARTED: Final = frozenset({"SessionStart", "sessionStart"})
_PROMPTED: Final = frozenset({"UserPromptSubmit", "BeforeAgent"})
_STARTING: Final = (
    "PreToolUse"  # of Claude Code: the model reads the answer with the result
)
_ENDED: Final = frozenset(
    {
        "PostToolUse",
        "PostToolUseFailure",
        "AfterTool",
        "postToolUse",
        "postToolUseFailure",
    }
)
_SAID: Final = "beforeSubmitPrompt"  # of Cursor, which adds nothing to a prompt
_STOPPED: Final = "Stop"  # the end of a turn of Claude Code
_BY_HAND: Final = frozenset(
    {"typed", "queued"}
)  # how prompts came that a person typed, in Claude Code's transcripts
_TAIL: Final = 4 * 1024 * 1024  # bytes of a transcript that are read
_SESSIONS: Final = 256  # that are remembered


class Hooks:
    """Answers the hooks of coding agents over one engine.

    A ``resident`` process sees all events of a session but its beginning, for which its
    client does not wait. So the first prompt of a session gets the standing context,
    and so does a prompt after that context has changed. In a replay nobody reads the
    answers, so nothing ``counts`` as shown.
    """

    def __init__(
        self, hx: Hexad, *, resident: bool = False, counts: bool = True
    ) -> None:
        self._memory = AgentMemory(hx, captures=False)
        self._counts = counts
        self._given: Recent[str, str] | None = Recent(_SESSIONS) if resident else None
        self._warned: Recent[str, bool] = Recent(_SESSIONS)

    def answer(self, event: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to an event, in the shape that its client reads. Blocks."""
        name = str(event.get("hook_event_name", ""))
        session = str(event.get("session_id") or event.get("conversation_id") or "")
        text, troubles = "", list[Trouble]()
        with excused(troubles):
            if name in _STARTED:
                text = self._news(session, self._memory.standing(), again=True)
            elif name in _PROMPTED:
                latest = Latest(str(event.get("prompt", "")), 0, last=True)
                self._hear(latest.text, session)
                context = self._memory.recall(None, latest, session=session)
                text = "\n\n".join(
                    filter(None, (self._news(session, context.standing), context.found))
                )
                self._confirm(event, session)
                self._keep(event, session)
            elif name == _SAID:
                self._hear(str(event.get("prompt", "")), session)
                self._keep(event, session)
            elif name == _STOPPED:
                self._confirm(event, session)
            elif name == _STARTING:
                text = self._starting(event, session)
            elif name in _ENDED and (call := call_in(event)) is not None:
                text = self._ended(call, session)
        lasting = [each for each in troubles if not each.passing]
        return {
            **(_shaped(name, text) if text else {}),
            **self._trouble(name, session, lasting),
        }

    def _trouble(
        self, name: str, session: str, troubles: list[Trouble]
    ) -> dict[str, Any]:
        """A message for the person about a store that fails: once a session; from a
        command at each prompt.
        """
        if not troubles or (self._given is None and name in _ENDED):
            return {}
        if self._given is not None and self._warned.update(session, lambda _: True)[0]:
            return {}
        said = f"hexad: {troubles[0]}"
        return {"user_message" if name[:1].islower() else "systemMessage": said}

    def _hear(self, text: str, session: str) -> None:
        """Note what the user said; the client calls the tools of this process without
        its session's name.
        """
        own = self._memory.own(None, session)
        if own is not None:
            own.heard(text, by_all=self._given is not None)

    def _keep(self, event: Mapping[str, Any], session: str) -> None:
        """Keep the wishes in a prompt, where that is wanted: as proposals, unless the
        event says who wrote it.
        """
        source = event.get("source") or ""
        own = self._memory.own(None, session)
        if (
            own is not None and own.settings.capture and source in {"", "user", "sdk"}
        ):  # others are the client's own
            own.capture(
                [str(event.get("prompt", ""))],
                session=own.session,
                typed=source == "user",
            )

    def _confirm(self, event: Mapping[str, Any], session: str) -> None:
        """Save the wishes of a session that wait, if a person typed them: only Claude
        Code's transcript says that.
        """
        own = self._memory.own(None, session)
        if own is None or not own.settings.capture:
            return
        waiting = [
            each.sentence
            for each in own.proposals.list()
            if each.sentence and each.session == own.session
        ]
        if waiting:
            typed = _typed(str(event.get("transcript_path", "")))
            own.capture(
                [each for each in waiting if each in typed],
                session=own.session,
                typed=True,
            )

    def _news(self, session: str, standing: str, *, again: bool = False) -> str:
        """The standing context, unless this session has it."""
        if self._given is None:
            return standing if again else ""
        before, _ = self._given.update(session, lambda _: standing)
        return standing if again or before != standing else ""

    def _starting(self, event: Mapping[str, Any], session: str) -> str:
        """What is known of a call that failed before in this very form."""
        tool, args = planned_call(event)
        call = str(event.get("tool_use_id") or "")
        return self._memory.warn_before(
            None, tool, args, id=call, session=session, counts=self._counts
        )

    def _ended(self, call: EndedCall, session: str) -> str:
        """Learn from a call. If it mended much, a question for a lesson; if it failed,
        what is known.
        """
        asks = self._memory.learn(None, call, session=session)
        if not call.error:
            return asks
        return self._memory.known_of(None, call, session=session, counts=self._counts)


def _typed(transcript: str) -> set[str]:
    """The sentences that a person typed, by a transcript of Claude Code: its latest
    part.
    """
    with suppress(OSError):
        rows = latest_rows(Path(transcript), _TAIL, '"promptSource"')
        typed = [
            row
            for row in rows
            if row.get("promptSource") in _BY_HAND
            and row.get("origin") == {"kind": "human"}
        ]
        return {
            said
            for each in turns(typed)
            if each.by_user
            for said in sentences(own_words(each.text))
        }
    return set()


def _shaped(name: str, text: str) -> dict[str, Any]:
    """Text for the model, as the client of an event reads it; Cursor's events begin
    with a small letter.
    """
    if name[:1].islower():
        return {"additional_context": text}
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
