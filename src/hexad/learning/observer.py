"""The way in to learning: calls that were watched, observed or made by a skill's step,
and what was shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hexad.calls.error_text import warn
from hexad.calls.outcome import Passing, outcome_of
from hexad.learning.learnings import LearningCollection
from hexad.learning.offers import PATIENCE, remember_offers
from hexad.learning.recorder import Recorded, ask_once, record
from hexad.learning.tool_objects import shape_of, watched_object
from hexad.learning.watching import Watch, WatchedStepTool, watched
from hexad.memory import admission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexad.calls.outcome import FailureRule
    from hexad.memory.collection import Finder
    from hexad.memory.workspace import Workspace

_LONGEST = 3600  # seconds to wait for other writers
_OFFER_PATIENCE = 0.1  # seconds: an answer does not wait longer for the write lock


@dataclass(frozen=True, slots=True)
class Observer:
    """Learning in one workspace."""

    workspace: Workspace

    def observe(
        self,
        tool: str,
        args: object,
        result: object,
        error: object,
        *,
        session: str | None,
        failure: FailureRule | None,
        patience: float | None,
        strict: bool,
        said: str = "",
    ) -> Recorded:
        """Learn from one call; return the learning that its error belongs to, and what
        the call mended.
        """
        if isinstance(result, Passing):
            return Recorded()
        name, known = admission.key("tool", tool), self.workspace.session_of(session)
        waits = (
            PATIENCE
            if patience is None
            else admission.number("patience", patience, most=_LONGEST)
        )
        try:
            outcome = outcome_of(
                name, args, result, error, session=known, failure=failure, said=said
            )
            return record(self.workspace, outcome, patience=waits)
        except Exception as problem:
            if strict:
                raise
            warn(name, problem)  # the agent goes on
            return Recorded()

    def wants_words(self, done: Recorded, session: str | None) -> bool:
        """Whether the agent should be asked to put into words what a call mended: at
        most once a session.
        """
        return done.mended is not None and ask_once(self.workspace, session)

    def watch(
        self,
        tool: Any,
        *,
        advise: bool,
        name: str | None,
        session: str | None,
        failure: FailureRule | None,
    ) -> Any:
        """The tool, observed."""
        watch = Watch(
            workspace=self.workspace,
            tool="" if name is None else admission.key("name", name),
            session=None if session is None else self.workspace.session_of(session),
            failure=failure,
            advise=admission.flag("advise", advise),
        )
        shape = shape_of(tool)
        return (
            watched(tool, watch)
            if shape is None
            else watched_object(tool, watch, shape)
        )

    def collection(self, find: Finder) -> LearningCollection:
        """The workspace's learnings."""
        return LearningCollection(self.workspace, find)

    def step_tool(
        self, name: str, tool: Callable[..., Any], session: str | None
    ) -> WatchedStepTool:
        """A tool as a skill's step calls it: each call is recorded once, and judged by
        the tool's own rule.
        """
        return WatchedStepTool(self.workspace, name, tool, session)

    def shown(self, learnings: Iterable[str], session: str | None) -> None:
        """Store about which errors a session was shown something, so that any process
        can count what follows.
        """
        remember_offers(
            self.workspace, learnings, session=session, patience=_OFFER_PATIENCE
        )
