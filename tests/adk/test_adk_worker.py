"""Threads of the ADK adapter: one database that hangs holds up no other, and no process
that wants to exit.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hexad.adapters.adk import ContextAwareModel, HexadPlugin
from hexad_testing.faulty_store import FaultyStore, over
from tests.adk.adk_support import agent, context, done, echo, runner, said
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad import Hexad

RULE = "Deploy on Tuesdays and Thursdays only"
MANY = 12  # conversations: more than a database has threads


@pytest.fixture
def released() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.fixture
def hung(tmp_path: Path, released: threading.Event) -> Iterator[Hexad]:
    """An engine whose store answers nothing until it is released."""
    with opened(tmp_path / "hung.db", layer_deadline=0.1) as engine:
        yield over(
            engine, FaultyStore(engine.store, lambda: released.wait(500) and None)
        )
        released.set()


@pytest.fixture
def healthy(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "healthy.db") as engine:
        engine.knowledge.save("deploy-window", RULE, category="rule")
        yield engine


@requirement("ADK-06")
@pytest.mark.parametrize("way", ["wrapper", "plugin"])
def test_a_database_that_hangs_holds_up_no_agent_of_another(
    hung: Hexad, healthy: Hexad, released: threading.Event, way: str
) -> None:
    inner = echo()
    stuck = runner(agent(ContextAwareModel.wrap(hung, echo())))
    sound = (
        runner(agent(ContextAwareModel.wrap(healthy, inner)))
        if way == "wrapper"
        else runner(agent(inner), [HexadPlugin(healthy)])
    )

    async def both() -> None:
        await asyncio.gather(
            *(
                said(stuck, "deploy?", session=f"chat:{number}")
                for number in range(MANY)
            )
        )
        assert not released.is_set()
        await said(sound, "when may I deploy?")

    done(asyncio.wait_for(both(), 500))
    assert not released.is_set()
    assert RULE in context(inner.requests[0])


_LEAVING = """
import asyncio, threading
from hexad_testing.faulty_store import FaultyStore, over
from tests.adk.adk_support import agent, echo, runner, talk
from hexad import Hexad
from hexad.adapters.adk import ContextAwareModel

hx = Hexad.open("hung.db", enabled=True, layer_deadline=0.1)
hung = over(hx, FaultyStore(hx.store, lambda: threading.Event().wait(600) and None))
talk(runner(agent(ContextAwareModel.wrap(hung, echo()))), "when may I deploy?")
print("leaving")
"""


@requirement("ADK-06")
def test_a_process_exits_though_a_database_hangs(tmp_path: Path) -> None:
    left = subprocess.run(
        [sys.executable, "-c", _LEAVING],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert (left.returncode, left.stdout.strip()) == (0, "leaving"), left.stderr


@requirement("ADK-06")
def test_a_database_has_few_threads_and_they_are_enough() -> None:
    before = threading.active_count()
    with opened(":memory:") as engine:
        engine.knowledge.save("deploy-window", RULE, category="rule")
        inner = echo()
        place = runner(agent(ContextAwareModel.wrap(engine, inner)))

        async def many() -> None:
            await asyncio.gather(
                *(
                    said(place, "when may I deploy?", session=f"chat:{each}")
                    for each in range(50)
                )
            )

        done(many())
        assert all(RULE in context(each) for each in inner.requests)
        assert threading.active_count() - before <= 4
