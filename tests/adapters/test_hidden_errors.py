"""The table of what a framework hides from its model says what the frameworks do;
Claude's row is tested elsewhere.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from hexad_testing.adapter_suite import book
from tests.adapters.hidden_errors import CASES, assert_table_holds
from tests.support import requirement

if TYPE_CHECKING:
    from hexad_testing.script import Script


def adk(script: Script) -> None:
    from google.adk.tools.function_tool import FunctionTool

    from hexad_testing.scripted_model import ScriptedModel
    from tests.adapters.test_adapter_adk import _request
    from tests.adk.adk_support import agent, runner, talk

    model = ScriptedModel.playing(lambda asked: script.play(_request(asked)))
    talk(runner(agent(model, [FunctionTool(book)])), "Book a room")


def agent_framework(script: Script) -> None:
    from agent_framework import Agent

    from tests.adapters.test_adapter_agent_framework import scripted

    asyncio.run(Agent(client=scripted(script), tools=[book]).run("Book a room"))  # type: ignore[arg-type]


def langchain(script: Script) -> None:
    from langchain.agents import create_agent

    from tests.adapters.test_adapter_langchain import scripted

    create_agent(scripted(script), [book]).invoke(
        {"messages": [("user", "Book a room")]}
    )


def openai_agents(script: Script) -> None:
    from agents import Agent, Runner, function_tool

    from tests.adapters.test_adapter_openai_agents import scripted

    asyncio.run(
        Runner.run(
            Agent(name="desk", model=scripted(script), tools=[function_tool(book)]),
            "Book a room",
        )
    )


def pydantic_ai(script: Script) -> None:
    from pydantic_ai import Agent

    from tests.adapters.test_adapter_pydantic_ai import scripted

    asyncio.run(Agent(scripted(script), tools=[book]).run("Book a room"))


RUNS = {
    "Google ADK": adk,
    "LangChain": langchain,
    "Microsoft Agent Framework": agent_framework,
    "OpenAI Agents SDK": openai_agents,
    "pydantic-ai": pydantic_ai,
}


@requirement("EDGE-01")
@pytest.mark.parametrize("framework", RUNS)
@pytest.mark.parametrize("column", CASES)
def test_the_table_says_what_the_model_of_a_framework_reads(
    framework: str, column: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)
    assert_table_holds(framework, column, RUNS[framework])
