"""What a request says, and a copy of it that says more. Nothing here changes what it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from google.genai import types

from hexad.choices import Choice

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from google.adk.models.llm_request import LlmRequest

    from hexad.model import Prompt

PREFACE: Final = "Context for the next message, from memory. It is information, not a request.\n\n"
_OTHER_AGENT: Final = "For context:"  # how ADK begins what another agent said, in the user's role
_PRELOADED: Final = "<PAST_CONVERSATIONS>"  # what ADK's own memory preload puts in front of a message


class Placement(Choice):
    """Where the context stands."""

    SYSTEM = "system"
    USER_TURN = "user_turn"


def text_of(content: types.Content | None) -> str:
    """The words of a message, without thoughts, calls, files and images."""
    parts = (content.parts or ()) if content is not None else ()
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def latest_message(contents: Sequence[types.Content], said: str = "") -> tuple[int, str] | None:
    """Where the user's latest message stands, and its words; None where there is none, or it has no words.

    ``said`` is the message as ADK tells it, if it does. Otherwise it is the last content in the user's role that a user
    can have sent: ADK puts other things there too, and after a tool's answer only such.
    """
    users = [place for place in reversed(range(len(contents))) if _is_users(contents, place)]
    if said:
        place = next((place for place in users if text_of(contents[place]) == said), max(len(contents) - 1, 0))
        return place, said
    words = text_of(contents[users[0]]) if users else ""
    return (users[0], words) if words else None


def _is_users(contents: Sequence[types.Content], place: int) -> bool:
    text = text_of(contents[place])
    made_by_adk = text.startswith(_OTHER_AGENT) or _PRELOADED in text
    return contents[place].role == "user" and not made_by_adk and not _answers_a_call(contents, place)


def _answers_a_call(contents: Sequence[types.Content], place: int) -> bool:
    """Whether it is a tool's answer, or stands behind one with only the user's role between: then ADK put it there."""
    for content in reversed(contents[: place + 1]):
        if content.role != "user":
            return False
        if any(part.function_response for part in content.parts or ()):
            return True
    return False


def base_of(request: LlmRequest) -> str:
    """The system instruction, where it is a plain text that a prompt can begin with."""
    instruction = request.config.system_instruction
    return instruction if isinstance(instruction, str) else ""


def context_places(request: LlmRequest) -> Iterator[str]:
    """The texts that context can stand in: the system instruction's, and messages that begin as ours do."""
    yield from _texts(request.config.system_instruction)
    for content in request.contents:
        yield from (text for text in _texts(content) if text.startswith(PREFACE))


def preloaded(contents: Sequence[types.Content]) -> str:
    """What ADK's own memory preload put into a request, its blanks made single."""
    texts = (text for content in contents for text in _texts(content) if _PRELOADED in text)
    return " ".join(" ".join(texts).split())


def _texts(said: Any) -> Iterator[str]:
    """The texts in an instruction or a message of whatever shape."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, list):
        yield from (text for each in said for text in _texts(each))
    elif isinstance(said, types.Content):
        yield from _texts(said.parts)
    elif isinstance(said, types.Part) and said.text:
        yield said.text


def with_context(
    request: LlmRequest, config: types.GenerateContentConfig, prompt: Prompt, placement: Placement, place: int
) -> LlmRequest:
    """A copy of the request with the prompt's sections in it; live tools and all else are the same objects.

    ``config`` is a copy of the request's. What models are known to change in a request is copied too, so that the
    caller's stays as it is.
    """
    contents = list(request.contents)
    if placement is Placement.USER_TURN:
        contents.insert(place, types.Content(role="user", parts=[types.Part(text=PREFACE + prompt.added.strip())]))
    else:
        config.system_instruction = _longer(config.system_instruction, prompt)
    live = request.live_connect_config.model_copy()
    return request.model_copy(update={"contents": contents, "config": config, "live_connect_config": live})


def _longer(instruction: Any, prompt: Prompt) -> Any:
    """A system instruction of whatever shape, and the sections behind it."""
    if not instruction or isinstance(instruction, str):
        return prompt.text
    if isinstance(instruction, types.Content):
        return instruction.model_copy(update={"parts": [*(instruction.parts or ()), types.Part(text=prompt.added)]})
    several = instruction if isinstance(instruction, list) else [instruction]
    plain = all(isinstance(each, str) for each in several)
    return [*several, prompt.added if plain else types.Part(text=prompt.added)]
