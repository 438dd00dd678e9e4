"""`ContextAwareModel`: any ADK model, with its context; otherwise it behaves as the
model inside.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.registry import LLMRegistry
from google.adk.tools import ToolContext  # noqa: TC002 - ADK reads annotations
from google.genai import types

from hexad import Hexad, Layer, Retrieval, SessionRuntime
from hexad.adapters.adk import (
    ContextAwareModel,
    Conversation,
    HexadPlugin,
    adk_tools,
    shared,
)
from hexad.adapters.adk.context import SPEAKERS
from hexad.adapters.adk.request import latest_message
from hexad.agents.conversation import Speaker
from hexad.context.standing import TITLE
from hexad.errors import InvalidInput, UnknownChoice
from hexad_testing.scripted_model import Call, ScriptedModel
from tests.adk.adk_support import (
    agent,
    context,
    done,
    echo,
    instruction,
    message,
    request,
    responses,
    runner,
    said,
    sent,
    talk,
)
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator
    from pathlib import Path

RULE = "Deploy on Tuesdays and Thursdays only"


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "agent.db") as engine:
        engine.knowledge.save("deploy-window", RULE, category="rule")
        engine.knowledge.save(
            "seat", "Prefers an aisle seat on every flight", category="preference"
        )
        yield engine


def deploy(day: str) -> str:
    """Deploy the release on a day."""
    return f"deployed on {day}"


# what it is


class Registered(ScriptedModel):
    """A model that ADK finds by its name."""

    @classmethod
    def supported_models(cls) -> list[str]:
        return [r"registered-\d"]


@requirement("ADK-01")
def test_it_wraps_a_model_or_a_name_and_is_a_model(hx: Hexad) -> None:
    LLMRegistry.register(Registered)
    named, given_ = (
        ContextAwareModel.wrap(hx, "registered-1"),
        ContextAwareModel.wrap(hx, echo()),
    )
    assert isinstance(named, BaseLlm)
    assert isinstance(named.wrapped, Registered)
    assert (named.model, given_.model) == ("registered-1", "scripted")


@requirement("ADK-01")
def test_what_is_no_model_and_what_is_no_placement_are_said_to_be(hx: Hexad) -> None:
    with pytest.raises(InvalidInput, match="must be an ADK model or its name, not int"):
        ContextAwareModel.wrap(hx, 7)  # type: ignore[arg-type]
    with pytest.raises(UnknownChoice, match="'middle' is not one of system, user_turn"):
        ContextAwareModel.wrap(hx, echo(), placement="middle")
    with pytest.raises(InvalidInput, match="budget"):
        ContextAwareModel.wrap(hx, echo(), budget=-1)
    with pytest.raises(InvalidInput, match=r"make one with ContextAwareModel\.wrap"):
        ContextAwareModel(model="registered-1")


# what it asks


@dataclass
class Listening:
    """A retriever that notes what it is asked."""

    asked: list[tuple[str, Any, str | None]] = field(default_factory=list)

    def retrieve(
        self,
        query: str,
        layers: Iterable[Any] | None = None,
        max_per_layer: int | None = None,
        *,
        session: Any = None,
    ) -> Retrieval:
        self.asked.append((query, list(layers or ()), session))
        return Retrieval(query=query)


@requirement("ADK-02", "ADK-03", "CTX-11")
def test_a_retriever_of_ones_own_is_asked_for_all_six_layers_with_the_latest_message_and_the_session(
    hx: Hexad,
) -> None:
    ears = Listening()
    asked = request("first", "when may I deploy?")
    got = sent(hx.scoped(session="slack:C1").with_retriever(ears), asked)
    assert ears.asked == [("when may I deploy?", list(Layer), "slack:C1")]
    assert got is asked  # it found nothing, so nothing was added


@requirement("ADK-03")
def test_all_six_layers_stand_in_the_instruction_of_an_agents_request(
    hx: Hexad,
) -> None:
    hx.references.save(
        "Runbook", location="https://wiki.example.com/deploy", summary="How to deploy"
    )
    hx.learnings.correct(
        trigger="tool:deploy",
        error_pattern="quota exceeded",
        fix="ask ops before you deploy",
    )
    hx.skills.create(
        "ship",
        kind="instruction",
        description="Deploy a release",
        definition={"text": "Deploy it."},
    )
    hx.skills.activate("ship")
    inner = echo()
    talk(
        runner(
            agent(
                ContextAwareModel.wrap(hx.scoped(session="slack:C1"), inner), [deploy]
            )
        ),
        "May I deploy?",
    )
    text = instruction(inner.requests[0])
    places = [text.index(f"## {layer.heading}") for layer in Layer]
    assert places == sorted(places)
    assert "session: slack:C1, channel: slack, active tools: 1" in text
    assert "- [tool] deploy:" in text


@requirement("ADK-03")
def test_providers_that_the_engine_has_are_not_replaced(hx: Hexad) -> None:
    runtime = SessionRuntime(active_tools=42, encryption=True)
    known = hx.with_runtime_context(runtime).with_tool_registry(
        [{"name": "deploy_far", "description": "Deploy far"}]
    )
    inner = echo()
    talk(runner(agent(ContextAwareModel.wrap(known, inner), [deploy])), "May I deploy?")
    text = instruction(inner.requests[0])
    assert "active tools: 42, enabled: encryption" in text
    assert "deploy_far" in text
    assert "- [tool] deploy:" not in text


@requirement("ADK-02")
def test_while_tools_answer_the_question_is_still_the_users_message(hx: Hexad) -> None:
    inner = ScriptedModel.playing(
        [Call("deploy", {"day": "Friday, in an aisle seat"}), "Done."]
    )
    talk(runner(agent(ContextAwareModel.wrap(hx, inner), [deploy])), "May I deploy?")
    first, second = map(instruction, inner.requests)
    assert RULE in first
    assert RULE in second
    assert "aisle seat" not in second


@requirement("ADK-02")
@pytest.mark.parametrize(
    "parts",
    [
        [],
        [types.Part(inline_data=types.Blob(data=b"\x89PNG", mime_type="image/png"))],
        [types.Part(text="   ")],
        None,
    ],
    ids=["no parts", "an image", "blanks", "nothing"],
)
def test_a_message_without_words_asks_nothing(
    hx: Hexad, parts: list[types.Part] | None
) -> None:
    asked = request("when may I deploy?")
    asked.contents += [
        types.Content(role="model", parts=[types.Part(text="On Tuesday.")])
    ]
    asked.contents += [types.Content(role="user", parts=parts)]
    assert sent(hx, asked) is asked


@requirement("STAND-01", "ADK-02")
@pytest.mark.parametrize("placement", ["system", "user_turn"])
@pytest.mark.parametrize("text", ["", "???"])
def test_a_message_without_words_gets_standing_context_and_nothing_else(
    tmp_path: Path, text: str, placement: str
) -> None:
    with opened(tmp_path / "standing.db", standing_budget=400) as hx:
        hx.knowledge.save("deploy-window", RULE, category="rule")
        served = sent(hx, request(text), placement=placement)
        assert instruction(served).endswith(f"## {TITLE}\n- deploy-window: {RULE}")
        assert [content.parts[0].text for content in served.contents] == [text]


@requirement("ADK-02")
def test_of_a_multimodal_message_the_words_are_asked(hx: Hexad) -> None:
    picture = types.Part(inline_data=types.Blob(data=b"\x89PNG", mime_type="image/png"))
    asked = LlmRequest(
        contents=[
            types.Content(
                role="user", parts=[picture, types.Part(text="May I deploy this?")]
            )
        ]
    )
    assert RULE in instruction(sent(hx, asked))


def called(*tools: str) -> types.Content:
    calls = [
        types.Part(function_call=types.FunctionCall(name=tool, args={}))
        for tool in tools
    ]
    return types.Content(role="model", parts=calls)


def answered(*tools: str) -> types.Content:
    parts = [
        types.Part(
            function_response=types.FunctionResponse(name=tool, response={"a": 1})
        )
        for tool in tools
    ]
    return types.Content(role="user", parts=parts)


ADKS_OWN = [
    message(
        "For context: below is a transcript of what another agent did, quoted between markers."
    ),
    message(
        "The text between <<<BEGIN_SYSTEM_INSTRUCTION>>> and\n… is\nBe brief.\n<<<END_SYSTEM_INSTRUCTION>>>"
    ),
    message(
        "The following content is from your previous conversations with the user.\n"
        "<PAST_CONVERSATIONS>\nx\n</PAST_CONVERSATIONS>\n"
    ),
]


@requirement("ADK-02")
@pytest.mark.parametrize("made", ADKS_OWN, ids=["relay", "instruction", "preload"])
def test_what_adk_puts_into_the_users_role_is_not_the_users_message(
    made: types.Content,
) -> None:
    assert latest_message([message("q"), called("f"), answered("f"), made]) == (0, "q")
    assert latest_message([message("q"), made]) == (0, "q")
    assert latest_message([made, message("q")]) == (1, "q")
    assert latest_message([]) == (0, "")


@requirement("ADK-02")
@pytest.mark.parametrize(
    "text",
    [
        "the next question",
        "For context: I keep birds. When?",
        "What does <PAST_CONVERSATIONS> mean?",
        "For context:",
    ],
)
def test_a_users_text_is_the_users_also_behind_a_tools_answer_with_any_beginning(
    text: str,
) -> None:
    before = [message("q"), called("f"), answered("f")]
    assert latest_message([*before, message(text)]) == (3, text)


@requirement("ADK-02")
def test_after_a_tool_that_ends_the_turn_the_next_message_is_the_question(
    hx: Hexad,
) -> None:
    def show(tool_context: ToolContext) -> dict[str, str]:
        """Show a menu."""
        tool_context.actions.skip_summarization = True
        return {"shown": "menu"}

    inner = ScriptedModel.playing([Call("show"), "Yes."])
    talk(
        runner(agent(ContextAwareModel.wrap(hx, inner), [show])),
        "Show me a menu",
        "When may I deploy?",
    )
    assert RULE in instruction(inner.requests[-1])


@requirement("ADK-08", "ADK-02")
@pytest.mark.parametrize(
    ("contents", "place"),
    [
        ([message("q")], 0),
        ([message("q"), called("f"), answered("f")], 0),
        ([message("p"), called("f"), answered("f"), message("q")], 3),
        (
            [
                message("p"),
                called("f"),
                answered("f"),
                message("q"),
                called("g"),
                answered("g"),
            ],
            3,
        ),
        ([ADKS_OWN[1], called("f"), answered("f")], 0),
    ],
)
def test_context_in_a_user_turn_never_stands_between_a_call_and_its_answer(
    hx: Hexad, contents: list[types.Content], place: int
) -> None:
    asked = LlmRequest(contents=contents)
    SPEAKERS.put(
        asked, Speaker(Conversation("desk", "dana", "s1", "May I deploy? q"), shared)
    )
    got = sent(hx, asked, placement="user_turn")
    at = next(
        number
        for number, each in enumerate(got.contents)
        if "Context for the next" in str(each)
    )
    assert at == place
    assert [each for each in got.contents if each is not got.contents[at]] == contents


@requirement("ADK-08")
def test_where_no_place_in_the_contents_is_safe_context_stands_in_the_instruction(
    hx: Hexad,
) -> None:
    config = types.GenerateContentConfig(system_instruction="Be terse.")
    asked = LlmRequest(contents=[called("f"), answered("f")], config=config)
    SPEAKERS.put(
        asked, Speaker(Conversation("desk", "dana", "s1", "May I deploy?"), shared)
    )
    got = sent(hx, asked, placement="user_turn")
    assert got.contents == asked.contents
    assert instruction(got).startswith("Be terse.\n\n## User Knowledge")
    assert RULE in instruction(got)


# what it adds


@requirement("ADK-04", "ADK-08")
@pytest.mark.parametrize(
    ("system", "before"),
    [
        (None, ""),
        ("", ""),
        ("Be terse.", "Be terse.\n\n"),
    ],
)
def test_context_stands_at_the_end_of_a_plain_instruction(
    hx: Hexad, system: str | None, before: str
) -> None:
    got = instruction(sent(hx, request("when may I deploy?", system=system)))
    assert got.startswith(
        f"{before}## User Knowledge\n- [rule] deploy-window: {RULE}\n\n## Runtime Context\n"
    )


@requirement("ADK-04")
@pytest.mark.parametrize(
    "system",
    [
        types.Content(role="system", parts=[types.Part(text="Be terse.")]),
        types.Part(text="Be terse."),
        ["Be terse.", "Be kind."],
        [types.Part(text="Be terse."), types.Part(text="Be kind.")],
    ],
    ids=["content", "part", "texts", "parts"],
)
def test_an_instruction_of_any_other_shape_keeps_it_and_gets_one_more_part(
    hx: Hexad, system: Any
) -> None:
    got = sent(
        hx, request("when may I deploy?", system=system)
    ).config.system_instruction
    parts = got.parts if isinstance(got, types.Content) else got
    assert isinstance(parts, list)
    first, last = (
        part.text if isinstance(part, types.Part) else part
        for part in (parts[0], parts[-1])
    )
    assert first == "Be terse."
    assert isinstance(last, str)
    assert f"deploy-window: {RULE}\n" in last


@requirement("ADK-04")
@pytest.mark.parametrize("placement", ["system", "user_turn"])
def test_the_callers_request_stays_as_it_was_and_a_retry_does_not_stack_context(
    hx: Hexad, placement: str
) -> None:
    asked = request("when may I deploy?", system="Be terse.")
    asked.tools_dict["deploy"] = object()  # type: ignore[assignment]  # live tools are never copied
    before, config, contents = asked.model_dump(), asked.config, list(asked.contents)
    inner = ScriptedModel.playing([ConnectionError("gone"), "Yes.", "Yes."])
    model = ContextAwareModel.wrap(hx, inner, placement=placement)
    with pytest.raises(ConnectionError):
        done(responses(model, asked))
    for _ in range(2):
        done(responses(model, asked))
    first, *others = (each.model_dump() for each in inner.requests)
    assert all(each == first for each in others)
    assert str(first).count(RULE) == 1
    assert asked.model_dump() == before
    assert asked.config is config
    assert all(
        one is other for one, other in zip(asked.contents, contents, strict=True)
    )
    assert inner.requests[0].tools_dict is asked.tools_dict


class Changing(ScriptedModel):
    """A model that writes into the request, as some do."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncIterator[Any]:  # type: ignore[override]
        llm_request.contents.append(message("Continue."))
        llm_request.config.labels = {"changed": "yes"}
        llm_request.live_connect_config.system_instruction = (
            llm_request.config.system_instruction
        )
        async for each in super().generate_content_async(llm_request, stream):
            yield each


@requirement("ADK-04")
def test_what_a_model_writes_into_its_request_does_not_reach_the_callers(
    hx: Hexad,
) -> None:
    asked = request("when may I deploy?")
    before = asked.model_dump()
    done(responses(ContextAwareModel.wrap(hx, Changing.playing(["Yes."])), asked))
    assert asked.model_dump() == before


@requirement("ADK-04")
def test_a_model_wrapped_twice_gets_context_once(hx: Hexad) -> None:
    inner = echo()
    twice = ContextAwareModel.wrap(hx, ContextAwareModel.wrap(hx, inner))
    done(responses(twice, request("when may I deploy?")))
    assert instruction(inner.requests[0]).count(RULE) == 1


@requirement("PROMPT-03", "ADK-04")
def test_the_budget_holds_for_what_is_added(hx: Hexad) -> None:
    for number in range(18):
        hx.knowledge.save(f"deploy-{number}", f"Deploy note {number}: " + "word " * 60)
    added = {
        budget: len(
            instruction(sent(hx, request("deploy", system="Be terse."), budget=budget))
        )
        - len("Be terse.")
        for budget in (100, 300, 2000)
    }
    assert 0 < added[100] <= 400
    assert added[100] < added[300] <= 1200
    block = sent(hx, request("deploy"), budget=100, placement="user_turn").contents[0]
    assert block.parts
    assert 0 < len(block.parts[0].text or "") <= 400  # with its preface
    for placement in ("system", "user_turn"):
        asked = request("deploy")
        assert sent(hx, asked, budget=0, placement=placement) is asked


# the prompt cache


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


QUESTIONS = [
    f"{ask} {number}?"
    for number in range(10)
    for ask in ("when may I deploy release", "which seat on flight")
]


@requirement("ADK-08")
def test_in_front_of_the_user_turn_the_instruction_has_one_hash_over_20_turns(
    hx: Hexad,
) -> None:
    inner = echo()
    model = ContextAwareModel.wrap(hx, inner, placement="user_turn")
    talk(runner(agent(model, [deploy])), *QUESTIONS)
    assert len(inner.requests) == 20
    assert len({_digest(instruction(each)) for each in inner.requests}) == 1
    for asked, question in zip(inner.requests, QUESTIONS, strict=True):
        block, last = asked.contents[-2:]
        assert last.parts[0].text == question  # type: ignore[index]
        assert (RULE in block.parts[0].text) == ("deploy" in question)  # type: ignore[index, operator]
        assert (
            sum(
                "Context for the next message" in str(content)
                for content in asked.contents
            )
            == 1
        )


@requirement("ADK-08")
def test_at_the_end_of_the_instruction_everything_before_the_block_has_one_hash_over_20_turns(
    hx: Hexad,
) -> None:
    inner = echo()
    talk(runner(agent(ContextAwareModel.wrap(hx, inner), [deploy])), *QUESTIONS)
    texts = [instruction(each) for each in inner.requests]
    assert len({_digest(text[: text.index("\n## ")]) for text in texts}) == 1
    assert len(set(texts)) > 1


# whose context


@requirement("ADK-03")
def test_with_the_agents_tools_beside_it_the_model_knows_whose_conversation_it_serves(
    hx: Hexad,
) -> None:
    inner = ScriptedModel.playing(
        [
            Call(
                "save_knowledge",
                {"key": "deploy-place", "content": "Deploy from the train"},
            ),
            "Saved.",
            "Yes.",
            "Yes.",
        ]
    )
    root = agent(ContextAwareModel.wrap(hx, inner), adk_tools(hx))
    place = runner(root)

    async def both() -> None:
        await said(
            place,
            "Remember that we deploy from the train",
            "May I deploy?",
            session="slack:C9",
        )
        await said(place, "May I deploy?", user="eve")

    done(both())
    dana, eve = instruction(inner.requests[2]), instruction(inner.requests[3])
    assert "from the train" in dana
    assert "session: slack:C9, channel: slack" in dana
    assert RULE in dana
    assert RULE in eve
    assert "from the train" not in eve


@requirement("ADK-04", "ADK-09")
@pytest.mark.parametrize("placement", ["system", "user_turn"])
def test_wrapper_and_plugin_together_inject_and_count_once_where_the_wrapper_says(
    hx: Hexad, placement: str
) -> None:
    inner = echo()
    model = ContextAwareModel.wrap(hx, inner, placement=placement, budget=1000)
    talk(runner(agent(model, [deploy]), [HexadPlugin(hx)]), "when may I deploy?")
    (got,) = inner.requests
    assert str(got.model_dump()).count(RULE) == 1
    assert (RULE in instruction(got)) == (placement == "system")
    assert hx.knowledge.get("deploy-window").use_count == 1


@requirement("ADK-04")
@pytest.mark.parametrize("placement", ["system", "user_turn"])
@pytest.mark.parametrize(
    "copying", ["nothing", "request", "request and config", "deeply"]
)
def test_a_wrapper_inside_another_model_sees_that_the_plugin_was_there(
    hx: Hexad, copying: str, placement: str
) -> None:
    def copied(asked: LlmRequest) -> LlmRequest:
        if copying in {"nothing", "request"}:
            return asked.model_copy() if copying == "request" else asked
        config = asked.config.model_copy(
            update={"temperature": 0.0}, deep=copying == "deeply"
        )
        contents = (
            [each.model_copy(deep=True) for each in asked.contents]
            if copying == "deeply"
            else asked.contents
        )
        return asked.model_copy(update={"config": config, "contents": contents})

    class Around(ScriptedModel):
        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncIterator[Any]:  # type: ignore[override]
            async for each in wrapped.generate_content_async(
                copied(llm_request), stream
            ):
                yield each

    inner = echo()
    wrapped = ContextAwareModel.wrap(hx, inner)
    plugin = HexadPlugin(hx, placement=placement)
    talk(
        runner(agent(Around.playing([]), [deploy]), [plugin]),
        "when may I deploy?",
        "when may I deploy?",
    )
    for got in inner.requests:
        assert str(got.model_dump()).count(RULE) == 1
    assert hx.knowledge.get("deploy-window").use_count == 2


@requirement("ADK-04")
@pytest.mark.parametrize(
    "shape", [str, lambda text: [text], lambda text: [types.Part(text=text)], message]
)
def test_a_wrapper_around_a_model_that_copies_and_wraps_adds_context_once(
    hx: Hexad, shape: Any
) -> None:
    class Copying(ScriptedModel):
        async def generate_content_async(
            self, llm_request: LlmRequest, stream: bool = False
        ) -> AsyncIterator[Any]:  # type: ignore[override]
            async for each in within.generate_content_async(
                llm_request.model_copy(), stream
            ):
                yield each

    inner = echo()
    within = ContextAwareModel.wrap(hx, inner)
    config = types.GenerateContentConfig(system_instruction=shape("Be brief."))
    request = LlmRequest(contents=[message("when may I deploy?")], config=config)

    async def ask() -> None:
        async for _ in ContextAwareModel.wrap(
            hx, Copying.playing([])
        ).generate_content_async(request):
            pass

    done(ask())
    assert str(inner.requests[0].model_dump()).count(RULE) == 1


@requirement("ADK-03", "STORE-06")
def test_a_wrapper_of_another_namespace_beside_the_plugin_and_both_memories_are_read(
    hx: Hexad,
) -> None:
    team = hx.scoped(namespace="team")
    team.knowledge.save("deploy-team", "The team may deploy at night")
    inner = ScriptedModel.playing(
        [
            Call(
                "save_knowledge",
                {"key": "deploy-place", "content": "Deploy from the train"},
            ),
            "Saved.",
            "Yes.",
        ]
    )
    place = runner(
        agent(ContextAwareModel.wrap(team, inner), [deploy]), [HexadPlugin(hx)]
    )
    talk(
        place, "Remember that we deploy from the train", "When and where may I deploy?"
    )
    last = context(inner.requests[-1])
    assert [
        last.count(each) for each in (RULE, "from the train", "deploy at night")
    ] == [1, 1, 1]
