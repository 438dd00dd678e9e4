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
_PRELOADED: Final = "<PAST_CONVERSATIONS>"  # what ADK's own memory preload puts in front of a message
_OTHER_AGENT: Final = "For context:"  # how older versions of ADK begin what another agent did, in a part of its own
_SHAPES: Final = (  # how texts begin and end that ADK itself puts into the user's role
    ("For context: below is a transcript of what another agent did", ""),
    ("The text between <<<BEGIN_SYSTEM_INSTRUCTION>>>", "<<<END_SYSTEM_INSTRUCTION>>>"),
    ("The following content is from your previous conversations with the user.", "</PAST_CONVERSATIONS>"),
)


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

    ``said`` is the message as ADK tells it, if it does; where it does not stand in the request, the place is the end.
    Otherwise it is the last content in the user's role that a user can have sent: ADK puts other things there too.
    """
    users = [place for place in reversed(range(len(contents))) if _is_users(contents[place])]
    if said:
        return next((place for place in users if text_of(contents[place]) == said), len(contents)), said
    words = text_of(contents[users[0]]) if users else ""
    return (users[0], words) if words else None


def safe_place(contents: Sequence[types.Content], message: int) -> int | None:
    """Where context can stand: in front of the message, or of the nearest earlier turn of the user's role.

    Never between a tool's call and its answer, which providers refuse. None where there is no such place.
    """
    for place in reversed(range(min(message + 1, len(contents)))):
        behind_a_call = place > 0 and _holds(contents[place - 1], "function_call")
        if contents[place].role == "user" and not behind_a_call and not _holds(contents[place], "function_response"):
            return place
    return None


def _holds(content: types.Content, what: str) -> bool:
    return any(getattr(part, what) for part in content.parts or ())


def _is_users(content: types.Content) -> bool:
    """Whether a user can have sent it: in their role, neither a tool's answer alone nor in a shape of ADK's own."""
    if content.role != "user" or (_holds(content, "function_response") and not text_of(content)):
        return False
    return not _is_adks([part.text or "" for part in content.parts or ()])


def _is_adks(texts: Sequence[str]) -> bool:
    """Whether ADK made it: what another agent did, an instruction of the moment, or memory that was loaded before."""
    first, *more = [text.strip() for text in texts] or [""]
    relayed = first == _OTHER_AGENT and bool(more) and all(text.startswith("[") for text in more if text)
    return relayed or any(first.startswith(begins) and first.endswith(ends) for begins, ends in _SHAPES)


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
    request: LlmRequest, config: types.GenerateContentConfig, prompt: Prompt, place: int | None
) -> LlmRequest:
    """A copy of the request with the prompt's sections in it; live tools and all else are the same objects.

    They stand in front of the content at ``place``, or, where that is None, at the end of the system instruction.
    ``config`` is a copy of the request's. What models are known to change in a request is copied too, so that the
    caller's stays as it is.
    """
    contents = list(request.contents)
    if place is not None:
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
