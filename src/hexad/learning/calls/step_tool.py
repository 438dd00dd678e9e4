"""A tool as a skill's run calls it: the outcomes of its calls are recorded with the run, in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexad.learning.calls.advice import warn
from hexad.learning.calls.call_scope import recording_workspace
from hexad.learning.calls.watching import unwatched
from hexad.learning.outcome import failure_text, outcome_of, reported_failure, says_nothing
from hexad.learning.recorder import record_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hexad.learning.outcome import FailureRule
    from hexad.memory.workspace import Change, Workspace


class StepTool:
    """One tool. If this store watches it already, it keeps its name and its rule, and each call is recorded once."""

    def __init__(self, workspace: Workspace, name: str, tool: Callable[..., Any], session: str | None) -> None:
        self.call, watch = unwatched(tool, workspace)
        same_workspace = watch is not None and watch.workspace == workspace
        records_in = recording_workspace(workspace)
        self._workspace = records_in or workspace
        self._tool = name if watch is None else watch.tool
        self._session = watch.session if watch is not None and same_workspace and session is None else session
        self._rule: FailureRule = (watch.failure if watch is not None else None) or reported_failure
        self._recorded_elsewhere = records_in is None or (watch is not None and self.call is tool)

    def failure(self, result: object) -> str | None:
        """The failure that a result reports, if any."""
        return failure_text(self._rule, result)

    def lesson(
        self, args: Mapping[str, Any], result: object, error: Exception | None
    ) -> Callable[[Change], None] | None:
        """A function that records a call in the run's transaction; None if there is nothing to record."""
        if self._recorded_elsewhere or says_nothing(result, error):
            return None
        try:
            outcome = outcome_of(self._tool, args, result, error, session=self._session, failure=self._rule)
            now = self._workspace.clock()
        except Exception as problem:  # noqa: BLE001 - the run goes on, whatever fails here
            warn(self._tool, problem)
            return None

        return lambda change: record_in(change.unit, self._workspace, outcome, now)
