"""The time that the context-aware model adds to a turn of a real ADK agent, in calls of
`hx.retrieve`.
"""

from __future__ import annotations

import asyncio
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.corpus import entries, questions
from benchmarks.figures import Figure, seconds
from benchmarks.filling import filled
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

SIZE, TURNS, WARM = 10_000, 200, 20
LIMIT = 3.0


def measure(folder: Path) -> Iterator[Figure]:
    """A turn with the wrapped model, a turn with the bare one and a retrieval, one
    after the other, many times.
    """
    stored = list(entries(SIZE, seed=1))
    asked = list(questions(WARM + TURNS, seed=3, entries=stored))
    with Hexad.open(
        filled(folder, SIZE), enabled=True, semantic=False, session="bench"
    ) as hx:
        for way, limit in (("system", LIMIT), ("user_turn", LIMIT), ("plugin", None)):
            yield _compared(hx, asked, way, limit)


def _compared(hx: Hexad, asked: Sequence[str], way: str, limit: float | None) -> Figure:
    from hexad.adapters.adk import ContextAwareModel, HexadPlugin
    from hexad_testing.scripted_model import ScriptedModel

    bare = ScriptedModel.playing(lambda _request: "Yes.")
    inner = ScriptedModel.playing(lambda _request: "Yes.")
    with asyncio.Runner() as loop:
        if way == "plugin":
            with_it = _Agent(loop, inner, [HexadPlugin(hx)])
        else:
            with_it = _Agent(loop, ContextAwareModel.wrap(hx, inner, placement=way))
        without = _Agent(loop, bare)
        times = [
            (
                seconds(with_it.turn(text)),
                seconds(without.turn(text)),
                seconds(lambda text=text: hx.retrieve(text)),
            )
            for text in asked
        ][WARM:]
    with_context = [
        request
        for request in inner.requests
        if "## User Knowledge" in str(request.model_dump())
    ]
    assert len(with_context) > len(asked) / 2, "the wrapped model got no context"
    wrapped, plain, retrieval = (median(column) for column in zip(*times, strict=True))
    more, bare_turn, one = (wrapped - plain) * 1000, plain * 1000, retrieval * 1000
    name = f"context on a turn of an ADK agent ({way}), {SIZE:,} entries, in retrievals, median"
    detail = (
        f"{more:.2f} ms more than {bare_turn:.2f} ms; a retrieval takes {one:.2f} ms"
    )
    return Figure(name, more / one, limit, detail=detail)


class _Agent:
    """A real agent with a real runner; each turn is a session of its own."""

    def __init__(
        self, loop: asyncio.Runner, model: Any, plugins: Sequence[Any] = ()
    ) -> None:
        from google.adk.agents import LlmAgent
        from google.adk.apps import App
        from google.adk.runners import InMemoryRunner

        root = LlmAgent(
            name="bench", model=model, instruction="Be terse.", tools=[_tool]
        )
        self._runner = InMemoryRunner(
            app=App(name="bench", root_agent=root, plugins=list(plugins))
        )
        self._loop = loop

    def turn(self, text: str) -> Callable[[], None]:
        """One turn, ready to be timed."""
        service = self._runner.session_service
        session = self._loop.run(
            service.create_session(app_name="bench", user_id="bench")
        )
        return lambda: self._loop.run(self._said(text, session.id))

    async def _said(self, text: str, session: str) -> None:
        from google.genai import types

        said = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in self._runner.run_async(
            user_id="bench", session_id=session, new_message=said
        ):
            pass


def _tool(day: str) -> str:
    """Book a room for a day."""
    return day


if __name__ == "__main__":
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from benchmarks.figures import show

    with TemporaryDirectory(prefix="hexad-bench-") as place:
        show("ADK", list(measure(Path(place))))
