"""The messages in an ADK request, and a copy of a request with context. Nothing here
changes its arguments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from google.genai import types

from hexad.agents.context import PREFACE
from hexad.agents.transcripts import described
from hexad.choices import Choice
from hexad.context.template import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from google.adk.models.llm_request import LlmRequest

    from hexad.agents.agent import Context

_SHAPES: Final = (  # how texts begin and end that ADK itself puts into the user's role
    ("For context: below is a transcript of what another agent did", ""),
    ("The text between <<<BEGIN_SYSTEM_INSTRUCTION>>>", "<<<END_SYSTEM_INSTRUCTION>>>"),
    (
        "The following content is from your previous conversations with the user.",
        "</PAST_CONVERSATIONS>",
    ),
)


class ContextPlace(Choice):
    """The place of the context."""

    SYSTEM = "system"
    USER_TURN = "user_turn"


def text_of(content: types.Content | None) -> str:
    """The words of a message, without thoughts, calls, files and images."""
    parts = (content.parts or ()) if content is not None else ()
    return "\n".join(
        part.text for part in parts if part.text and not part.thought
    ).strip()


def latest_message(
    contents: Sequence[types.Content], said: str = ""
) -> tuple[int, str]:
    """The place and the words of the user's latest message; the end and no words if
    there is no such message.

    ``said`` is the message if ADK's context names it; the place is the end if the
    request does not hold it. Otherwise it is the last content in the user's role that a
    user can have sent: ADK puts other things there too.
    """
    users = [
        place for place in reversed(range(len(contents))) if _is_users(contents[place])
    ]
    if said:
        return next(
            (place for place in users if text_of(contents[place]) == said),
            len(contents),
        ), said
    return (users[0], text_of(contents[users[0]])) if users else (len(contents), "")


def safe_place(contents: Sequence[types.Content], message: int) -> int | None:
    """The place for context: in front of the message, or of the nearest earlier turn of
    the user's role.

    Never between a tool's call and its answer, which providers refuse. None if there is
    no such place.
    """
    for place in reversed(range(min(message + 1, len(contents)))):
        behind_a_call = place > 0 and _holds(contents[place - 1], "function_call")
        if (
            contents[place].role == "user"
            and not behind_a_call
            and not _holds(contents[place], "function_response")
        ):
            return place
    return None


def _holds(content: types.Content, what: str) -> bool:
    return any(getattr(part, what) for part in content.parts or ())


def _is_users(content: types.Content) -> bool:
    """Whether a user can have sent it: in their role, neither a tool's answer alone nor
    one of ADK's own texts.
    """
    if content.role != "user" or (
        _holds(content, "function_response") and not text_of(content)
    ):
        return False
    first = next((part.text or "" for part in content.parts or ()), "").strip()
    return not any(
        first.startswith(begins) and first.endswith(ends) for begins, ends in _SHAPES
    )


def with_context(request: LlmRequest, added: Context, place: int | None) -> LlmRequest:
    """A copy of the request with context in it; live tools and all else are the same
    objects.

    Standing context is the end of the system instruction. What was found stands in
    front of the content at ``place``, or, if that is None, after it. Models are known
    to change contents and configs, so those are copied too.
    """
    contents, config = list(request.contents), request.config.model_copy()
    if place is not None and added.found:
        contents.insert(
            place, types.Content(role="user", parts=[types.Part(text=added.found)])
        )
    instruction = joined(
        added.standing, added.found.removeprefix(PREFACE) if place is None else ""
    )
    if instruction:
        config.system_instruction = _longer(config.system_instruction, instruction)
    live = request.live_connect_config.model_copy()
    return request.model_copy(
        update={"contents": contents, "config": config, "live_connect_config": live}
    )


def with_notes(
    config: types.GenerateContentConfig, notes: Mapping[str, str]
) -> types.GenerateContentConfig:
    """A copy of a request's config with notes behind the descriptions of the tools that
    they are about.
    """
    tools: list[Any] = []
    for tool in config.tools or ():
        if isinstance(tool, types.Tool) and tool.function_declarations:
            noted = [
                _noted(each, notes.get(each.name or "", ""))
                for each in tool.function_declarations
            ]
            tools.append(tool.model_copy(update={"function_declarations": noted}))
        else:
            tools.append(tool)
    return config.model_copy(update={"tools": tools})


def _noted(declared: types.FunctionDeclaration, note: str) -> types.FunctionDeclaration:
    if not note:
        return declared
    return declared.model_copy(
        update={"description": described(declared.description, note)}
    )


def with_texts(
    contents: Sequence[types.Content], text_for: Callable[[str, Any], str]
) -> list[types.Content]:
    """The contents, with texts beside the tools' answers that they are about, on copies
    of those.
    """
    longer: list[types.Content] = []
    for content in contents:
        before = content.parts or []
        after = [_told(part, text_for) for part in before]
        changed = any(
            one is not other for one, other in zip(before, after, strict=True)
        )
        longer.append(
            content.model_copy(update={"parts": after}) if changed else content
        )
    return longer


def _told(part: types.Part, text_for: Callable[[str, Any], str]) -> types.Part:
    answer = part.function_response
    text = text_for(answer.name or "", answer.response) if answer is not None else ""
    if answer is None or not text:
        return part
    longer = answer.model_copy(
        update={"response": {**(answer.response or {}), "from_memory": text}}
    )
    return part.model_copy(update={"function_response": longer})


def _longer(instruction: Any, sections: str) -> Any:
    """A system instruction of any shape, and the sections after it."""
    if not instruction:
        return sections
    if isinstance(instruction, str):
        return f"{instruction}\n\n{sections}"
    if isinstance(instruction, types.Content):
        return instruction.model_copy(
            update={"parts": [*(instruction.parts or ()), types.Part(text=sections)]}
        )
    several = instruction if isinstance(instruction, list) else [instruction]
    plain = all(isinstance(each, str) for each in several)
    return [*several, sections if plain else types.Part(text=sections)]
