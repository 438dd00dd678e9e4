"""The way in to learning: calls that were watched, observed or made by a skill's step, fixes shown, and learnings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hexad.learning.arguments.shapes import is_constant
from hexad.learning.calls.tool_objects import shape_of, watched_object
from hexad.learning.calls.watching import StepTool, Watch, watched
from hexad.learning.errors.text import warn
from hexad.learning.learnings import LearningCollection
from hexad.learning.offers import PATIENCE, remember_offers
from hexad.learning.outcome import Passing, outcome_of
from hexad.learning.recorder import record
from hexad.memory import admission

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexad.learning.outcome import FailureRule
    from hexad.memory.collection import Finder
    from hexad.memory.workspace import Workspace
    from hexad.model import Learning

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
    ) -> Learning | None:
        """Learn from one call; return the learning that its error belongs to."""
        if isinstance(result, Passing):
            return None
        name, known = admission.key("tool", tool), self.workspace.session_of(session)
        waits = PATIENCE if patience is None else admission.number("patience", patience, most=_LONGEST)
        try:
            outcome = outcome_of(name, args, result, error, session=known, failure=failure)
            return record(self.workspace, outcome, patience=waits)
        except Exception as problem:
            if strict:
                raise
            warn(name, problem)  # the agent goes on
            return None

    def watch(
        self, tool: Any, *, advise: bool, name: str | None, session: str | None, failure: FailureRule | None
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
        return watched(tool, watch) if shape is None else watched_object(tool, watch, shape)

    def collection(self, find: Finder) -> LearningCollection:
        """The workspace's learnings."""
        return LearningCollection(self.workspace, find)

    def step_tool(self, name: str, tool: Callable[..., Any], session: str | None) -> StepTool:
        """A tool as a skill's step calls it: each call is recorded once, and judged by the tool's own rule."""
        return StepTool(self.workspace, name, tool, session)

    def is_constant(self, path: tuple[str, ...], value: object) -> bool:
        """Whether a value may be a constant of a discovered skill."""
        return is_constant(path, value)

    def shown(self, learnings: Iterable[str], session: str | None) -> None:
        """Store which fixes a session saw, so that any process can credit them with what follows."""
        remember_offers(self.workspace, learnings, session=session, patience=_OFFER_PATIENCE)
