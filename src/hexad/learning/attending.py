"""A tool as a run calls it: what came of each call is kept, and written down with the run in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexad.learning.advice import warn
from hexad.learning.caller import workspace_of
from hexad.learning.evidence import write_down
from hexad.learning.outcome import Passing, failure_told, is_cancellation, outcome_of, reported_failure
from hexad.learning.watching import unwatched

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hexad.learning.outcome import FailureRule
    from hexad.memory.workspace import Change, Workspace


class Attending:
    """One tool. One that this store watches already keeps its name and its rule, and is not watched twice."""

    def __init__(self, workspace: Workspace, name: str, tool: Callable[..., Any], session: str | None) -> None:
        self.call, before = unwatched(tool, workspace)
        own = before is not None and before.workspace == workspace
        whose = workspace_of(workspace)
        self._workspace = whose or workspace
        self._tool = name if before is None else before.tool
        self._session = before.session if before is not None and own and session is None else session
        self._rule: FailureRule = (before.failure if before is not None else None) or reported_failure
        self._silent = whose is None or (before is not None and self.call is tool)  # somebody tells of it, or it does

    def failure(self, result: object) -> str | None:
        """What failure a result reports, if any."""
        return failure_told(self._rule, result)

    def lesson(
        self, args: Mapping[str, Any], result: object, error: Exception | None
    ) -> Callable[[Change], None] | None:
        """What to write down of a call, when a transaction is there; None if there is nothing."""
        if self._silent or isinstance(result, Passing) or (error is not None and is_cancellation(error)):
            return None
        try:
            outcome = outcome_of(
                self._tool, arguments=args, result=result, error=error, session=self._session, failure=self._rule
            )
            now = self._workspace.clock()
        except Exception as trouble:  # noqa: BLE001 - whatever goes wrong here, the run goes on
            warn(self._tool, trouble)
            return None

        return lambda change: write_down(change.unit, self._workspace, outcome, now)
