"""`AgentMemory`: context, learning and tools for the agents of any framework.

An adapter translates: which message is the latest, how a call ended, what a tool of the
framework is. Here is the rest: whose memory it is, the block of the turn, each outcome
once, and failures that stop nobody.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from hexad.agent_tools import NAMES, agent_tools, error_answer
from hexad.agents.context import BUDGET, PREFACE, Latest, Lookup
from hexad.agents.conversation import Conversation, Speaker, by_name, call_scope
from hexad.agents.threads import pool_of
from hexad.agents.warnings import TURN_WARNINGS, excused, going_on
from hexad.calls.advice import beside_error
from hexad.calls.error_text import SHOWN_BEFORE
from hexad.calls.outcome import reported_failure
from hexad.calls.scope import expect_reports, recorded_under, was_watched
from hexad.context.selection import estimate_tokens
from hexad.errors import HexadError, InvalidInput
from hexad.memory import admission
from hexad.memory.troubles import Trouble
from hexad.recent import Recent

if TYPE_CHECKING:
    from hexad.facade import Hexad
    from hexad.model import Prompt

T = TypeVar("T")
Named: TypeAlias = (
    str | Callable[[Any], str | None]
)  # a name, or a function from the framework's own context to it
Answering: TypeAlias = Callable[..., dict[str, Any]]
_PATIENCE: Final = 10.0  # seconds that an agent waits at most for a call to be recorded
_LAYER_DEADLINES: Final = 2.0  # that a whole block may take
_REMEMBERED: Final = 4096  # turns, and calls that were recorded
_WITHOUT: Final = "a request goes to the model without all of its context"
_UNKNOWN: Final = "an agent goes on without its memory: whose it is, is not known"
ASKS: Final = (
    "This took several tries, or came up before. If it will matter again, save what helped in one sentence with "
    "save_learning."
)
_LIKE_AN_ERROR: Final = re.compile(
    r"\s*(?:Traceback \(most recent|[\w.]*(?:Error|Exception)\b\s*[:(]|An error occurred)"
)


def named(name: Named, context: Any, *, needed: bool = False) -> str:
    """The name, or the one that a function finds in the framework's own context; None
    is no name.
    """
    given = name(context) if callable(name) else name
    if given is None and needed:
        raise InvalidInput(
            "user",
            'the function returned None; return "" for the memory that all users share',
        )
    return "" if given is None else str(given)


class Context(NamedTuple):
    """Text to add to a request: standing context at the end of the system prompt, found
    context before the message.
    """

    standing: str = ""
    found: str = ""

    def after(self, system: str | None) -> str:
        """The system prompt with the standing context at its end."""
        return "\n\n".join(filter(None, (system, self.standing)))


@dataclass(frozen=True, slots=True)
class EndedCall:
    """A tool call that has ended. ``id`` is for calls that are seen elsewhere too:
    reported again, or by a watch.
    """

    tool: str
    args: object = None
    result: object = None
    error: object = None
    id: str = ""
    said: str = ""  # the agent's own sentence about it


# Of a result or an exception; None is no outcome.
Outcome: TypeAlias = Callable[[Any, Exception | None], EndedCall | None]


@dataclass(frozen=True, slots=True)
class TurnJob:
    """Blocking work for a turn, and the warning if it fails."""

    turn: tuple[str, ...]
    failing: str
    seconds: float
    work: Callable[[], Any]


class AgentMemory:
    """The memory of an agent, for all of its users.

    ``user`` says whose memory it is, and ``session`` which conversation, by a name or
    by a function of the framework's own context, or else each ``context`` is a
    `Speaker`. Without a user it is the engine's own memory. Every method may be called
    with an engine that is off.
    """

    def __init__(
        self,
        hx: Hexad,
        *,
        user: Named = "",
        session: Named = "",
        budget: int = BUDGET,
        captures: bool = True,
    ) -> None:
        room = admission.whole("budget", budget, low=0)
        expect_reports()
        self.hx = hx
        self._captures = captures
        self._user, self._session = user, session
        self._skills = frozenset[str]()
        self._nobody = ("nobody", f"{id(self)}")  # the turn of a user who is not known
        self._lookup = Lookup(hx, max(room - estimate_tokens(PREFACE), 0))
        self._turns: Recent[tuple[str, str], Conversation] = Recent(_REMEMBERED)
        self._warned: Recent[str, str] = Recent(_REMEMBERED)  # tools, by a call's id
        store = hx.store
        self.place = (
            store.location if store.durable else f"{store.location} {id(store)}",
            hx.namespace,
        )

    def recall(
        self, context: Any, latest: Latest | None, *, session: str = ""
    ) -> Context:
        """The context of a turn: the same at each of its model calls, and empty if it
        cannot be had.
        """
        found = _context(_now(self.hx, self._recalling(context, latest, session)))
        _now(self.hx, self._capturing(context, latest, session))
        return found

    async def arecall(
        self, context: Any, latest: Latest | None, *, session: str = ""
    ) -> Context:
        """Like `recall`, beside an event loop."""
        found = _context(await soon(self.hx, self._recalling(context, latest, session)))
        await soon(self.hx, self._capturing(context, latest, session))
        return found

    def standing(self) -> str:
        """Standing context alone, for a system prompt that is made before the first
        message.
        """
        job, prompt = self._recalling(None, Latest("", 0, last=True), ""), None
        with excused([]):  # the first message warns of it
            prompt = (
                pool_of(self.hx).wait(job.work, seconds=job.seconds)
                if job is not None
                else None
            )
        return _context(prompt).standing

    def learn(self, context: Any, call: EndedCall | None, *, session: str = "") -> str:
        """Record how a call ended, unless it is one of our own tools, or was recorded
        already; None is no outcome.

        The answer is a sentence for the model, where the call mended what had cost much
        and `ask_for_lessons` is on.
        """
        return _now(self.hx, self._learning(context, call, session)) or ""

    async def alearn(
        self, context: Any, call: EndedCall | None, *, session: str = ""
    ) -> str:
        """Like `learn`, beside an event loop."""
        return await soon(self.hx, self._learning(context, call, session)) or ""

    def warn_before(
        self,
        context: Any,
        tool: str,
        args: object,
        *,
        id: str = "",
        session: str = "",
        counts: bool = True,
    ) -> str:
        """A warning before a call that failed before in this very form; empty for
        nearly all calls.

        If the call fails all the same, what is known is not said again: its ``id`` is
        remembered.
        """
        return (
            _now(
                self.hx,
                self._warning(
                    context, EndedCall(tool, args, id=id), session, counts=counts
                ),
            )
            or ""
        )

    async def awarn_before(
        self, context: Any, tool: str, args: object, *, id: str = "", session: str = ""
    ) -> str:
        """Like `warn_before`, beside an event loop."""
        return (
            await soon(
                self.hx,
                self._warning(
                    context, EndedCall(tool, args, id=id), session, counts=True
                ),
            )
            or ""
        )

    def known_of(
        self, context: Any, call: EndedCall, *, session: str = "", counts: bool = True
    ) -> str:
        """The text that is known about a failed call, for the model that reads its
        error; empty if nothing is.
        """
        return _now(self.hx, self._telling(context, call, session, counts=counts)) or ""

    async def aknown_of(
        self, context: Any, call: EndedCall, *, session: str = ""
    ) -> str:
        """Like `known_of`, beside an event loop."""
        return (
            await soon(self.hx, self._telling(context, call, session, counts=True))
            or ""
        )

    def beside(self, context: Any, call: EndedCall | None, *, session: str = "") -> str:
        """Record how a call ended. The answer belongs beside its result, for the model:
        what is known about its failure, or the question for a lesson; mostly it is
        empty.
        """
        asks, failed = self.learn(context, call, session=session), as_failure(call)
        return (
            asks if failed is None else self.known_of(context, failed, session=session)
        )

    async def abeside(
        self, context: Any, call: EndedCall | None, *, session: str = ""
    ) -> str:
        """Like `beside`, beside an event loop."""
        asks, failed = (
            await self.alearn(context, call, session=session),
            as_failure(call),
        )
        return (
            asks
            if failed is None
            else await self.aknown_of(context, failed, session=session)
        )

    def notes(
        self, context: Any, tools: Iterable[str], *, session: str = ""
    ) -> Mapping[str, str]:
        """Notes on the arguments of tools: each belongs behind a description, and
        rarely changes.
        """
        return _now(self.hx, self._noting(context, tools, session)) or {}

    async def anotes(
        self, context: Any, tools: Iterable[str], *, session: str = ""
    ) -> Mapping[str, str]:
        """Like `notes`, beside an event loop."""
        return await soon(self.hx, self._noting(context, tools, session)) or {}

    @contextmanager
    def serving(self, context: Any, *, session: str = "") -> Iterator[None]:
        """Inside, our tools work in the memory of this user; calls of tools that
        `watch` knows too count once.
        """
        own = self.own(context, session) if self.hx.enabled else None
        if own is None:
            yield
            return
        token = _served.set(own)
        try:
            with recorded_under(
                replace(call_scope(self.hx, own), recorded_elsewhere=True)
            ):
                yield
        finally:
            _served.reset(token)

    async def recorded(
        self,
        context: Any,
        call: Callable[[], Awaitable[T]],
        ended: Outcome,
        *,
        session: str = "",
        beside: Callable[[T, str], T] | None = None,
    ) -> T:
        """The result of a tool's call, made for this user and learned from; so is its
        exception.

        ``beside`` puts text for the model beside a result: what `beside` answers.
        """
        try:
            with self.serving(context, session=session):
                result = await call()
        except Exception as error:
            await self.alearn(context, ended(None, error), session=session)
            raise
        if beside is None:
            await self.alearn(context, ended(result, None), session=session)
            return result
        text = await self.abeside(context, ended(result, None), session=session)
        return beside(result, text) if text else result

    def tools(self, context: Any = None) -> tuple[Answering, ...]:
        """The agent tools, and the engine's skills that are active now, as
        ``skill_<name>``. None if it is off.

        Each works in the memory of the one it is called for, see `serving`, or else of
        this ``context``. Skills with steps need the tools of
        ``hx.with_tool_registry([…])``.
        """
        if not self.hx.enabled:
            return ()
        skills = dict[str, Callable[..., Any]]()
        retriever = self.hx.own_retriever
        equipped = retriever is not None and retriever.tools is not None
        with going_on("skills are not offered", self._nobody):
            every = self.hx.skills.as_tools()
            skills = {
                each.__name__: each
                for each in every
                if equipped or not getattr(each, "needs", None)
            }
        self._skills = frozenset(skills)
        own = [
            self._tool(tool, partial(agent_tool_answer, self.hx), context)
            for tool in agent_tools(self.hx)
        ]
        return (
            *own,
            *(
                self._tool(skill, partial(_run, skill), context)
                for skill in skills.values()
            ),
        )

    def _tool(
        self, tool: Callable[..., Any], work: Answering, context: Any
    ) -> Answering:
        @wraps(tool)
        def call(*given: Any, **named: Any) -> dict[str, Any]:
            own = _served.get() or self.own(context, "")
            if own is None:
                return error_answer("whose memory this is could not be determined")
            with recorded_under(call_scope(self.hx, own)):
                return work(own, tool.__name__, *given, **named)

        return call

    def own(self, context: Any, session: str) -> Hexad | None:
        """The engine as the one who speaks sees it; None, and a warning, if a function
        of the user's fails.
        """
        whose, own = self._speaker(context, session), None
        with going_on(_UNKNOWN, self._nobody):
            own = whose.scope(self.hx) if whose is not None else None
        return own  # noqa: RET504 - after an error it is None

    def _speaker(self, context: Any, session: str) -> Speaker | None:
        """Who speaks, in the turn that was looked up last for them; None, and a
        warning, if that is not known.
        """
        if isinstance(context, Speaker):
            return context
        speaker = None
        with going_on(_UNKNOWN, self._nobody):
            user, name = (
                named(self._user, context, needed=True),
                named(self._session, context) or session,
            )
            speaker = Speaker(
                self._turns.get((user, name)) or Conversation("", user, name), by_name
            )
        return speaker  # noqa: RET504 - after an error it is None

    def _recalling(
        self, context: Any, latest: Latest | None, session: str
    ) -> TurnJob | None:
        if not self.hx.enabled or latest is None:
            return None
        if latest.last:
            TURN_WARNINGS.begin(self._nobody)
        whose = self._speaker(context, session)
        if whose is None:
            return None
        if whose is not context:  # the turn that the message begins
            now = replace(
                whose.conversation, message=latest.text, invocation=f"at {latest.place}"
            )
            whose = replace(whose, conversation=now)
            self._turns.put((now.user, now.session), now)
            if latest.last:
                TURN_WARNINGS.begin(now.turn)
        turn, seconds = (
            whose.conversation,
            self.hx.settings.layer_deadline * _LAYER_DEADLINES,
        )
        return TurnJob(
            turn.turn,
            _WITHOUT,
            seconds,
            partial(self._lookup.prompt, whose, latest, seconds),
        )

    def _capturing(
        self, context: Any, latest: Latest | None, session: str
    ) -> TurnJob | None:
        """Captures lasting statements if `capture` is on."""
        wanted = self._captures and self.hx.enabled and self.hx.settings.capture
        whose = (
            self._speaker(context, session)
            if wanted and latest is not None and latest.last
            else None
        )
        if whose is None or latest is None:
            return None

        def work() -> None:
            whose.scope(self.hx).capture(
                [latest.text], typed=self.hx.settings.capture_typed
            )

        return TurnJob(
            whose.conversation.turn,
            "what the user said may not be kept",
            _PATIENCE,
            work,
        )

    def _learning(
        self, context: Any, call: EndedCall | None, session: str
    ) -> TurnJob | None:
        """Records a call. A locked store is waited for once a turn."""
        if (
            call is None
            or not self.hx.enabled
            or call.tool in NAMES
            or call.tool in self._skills
        ):
            return None
        whose = self._speaker(context, session)
        if whose is None or not self._is_first(whose.conversation, call):
            return None
        turn = whose.conversation.turn
        patience = 0.0 if TURN_WARNINGS.met_lock(turn) else None

        def work() -> str:
            own, args = whose.scope(self.hx), parsed(call.args)
            given = (
                args if isinstance(args, Mapping) or args is None else {"input": args}
            )
            homes = {own.namespace, self.hx.namespace}
            if call.id and any(
                was_watched(self.hx.store, each, call.tool, given or {})
                for each in homes
            ):
                return ""
            ended = {
                "tool": call.tool,
                "args": given,
                "result": call.result,
                "error": call.error,
                "said": call.said,
            }
            done = own.observed(ended, patience=patience)
            wanted = self.hx.settings.ask_for_lessons and done.mended is not None
            return ASKS if wanted and own.lesson_wanted(done) else ""

        return TurnJob(
            turn,
            f"a call of {call.tool} may be missing from the record",
            _PATIENCE,
            work,
        )

    def _telling(
        self, context: Any, call: EndedCall, session: str, *, counts: bool
    ) -> TurnJob | None:
        """Finds what is known about a failure. A locked store is waited for once a
        turn.
        """
        wanted = (
            self.hx.enabled and call.tool not in NAMES and not self._warned.get(call.id)
        )
        whose = self._speaker(context, session) if wanted else None
        if whose is None:
            return None
        turn = whose.conversation.turn
        counts = counts and not TURN_WARNINGS.met_lock(turn)

        def work() -> str:
            if SHOWN_BEFORE in str(call.error):  # a watch on the tool said it
                return ""
            own, args = whose.scope(self.hx), parsed(call.args)
            given = (
                args if isinstance(args, Mapping) or args is None else {"input": args}
            )
            found = own.learnings.known_fix(
                call.tool, call.error, args=given, unasked=True, counts=counts
            )
            return "" if found is None else beside_error(found.note)

        return TurnJob(
            turn, "an error is shown without what is known of it", _PATIENCE, work
        )

    def _warning(
        self, context: Any, call: EndedCall, session: str, *, counts: bool
    ) -> TurnJob | None:
        """Finds what to know before a call."""
        whose = (
            self._speaker(context, session)
            if self.hx.enabled and call.tool not in NAMES
            else None
        )
        if whose is None:
            return None

        def work() -> str:
            found = whose.scope(self.hx).learnings.before(
                call.tool, call.args, counts=counts
            )
            if found is None:
                return ""
            if call.id:
                self._warned.put(call.id, call.tool)
            return beside_error(found.note)

        seconds = self.hx.settings.layer_deadline
        return TurnJob(
            whose.conversation.turn,
            "a call is made without what is known of it",
            seconds,
            work,
        )

    def _noting(
        self, context: Any, tools: Iterable[str], session: str
    ) -> TurnJob | None:
        """Finds what is known of the arguments of tools, of all in one go."""
        others = (
            [each for each in tools if each not in NAMES] if self.hx.enabled else []
        )
        whose = self._speaker(context, session) if others else None
        if whose is None:
            return None

        def work() -> Mapping[str, str]:
            return whose.scope(self.hx).learnings.notes(others)

        seconds = self.hx.settings.layer_deadline
        return TurnJob(
            whose.conversation.turn,
            "tools are described without what is known of them",
            seconds,
            work,
        )

    def _is_first(self, whose: Conversation, call: EndedCall) -> bool:
        before, _ = _recorded.update(
            (*self.place, whose.user, whose.session, call.id), lambda _: True
        )
        return not call.id or before is None


_recorded: Final = Recent[tuple[str, ...], bool](
    _REMEMBERED
)  # calls: two adapters may report the same
_served: Final[ContextVar[Hexad | None]] = ContextVar("hexad_served", default=None)


def agent_tool_answer(
    hx: Hexad, own: Hexad, name: str, /, *given: Any, **named: Any
) -> dict[str, Any]:
    """The answer of an agent tool in the memory of the one it is called for, which may
    read the engine's too.
    """
    shared = hx if own.namespace != hx.namespace else None
    mine = {each.__name__: each for each in agent_tools(own, shared=shared)}
    return mine[name](*given, **named)


def _run(
    skill: Callable[..., Any], _own: Hexad, _name: str, *given: Any, **named: Any
) -> dict[str, Any]:
    try:
        return {"status": "ok", "output": skill(*given, **named)}
    except (HexadError, TypeError) as error:  # also: arguments that do not fit
        return error_answer(str(error))


def _now(hx: Hexad, job: TurnJob | None) -> Any:
    """The result of a job in a thread; None, and a warning, if it fails."""
    troubles, done = list[Trouble](), None
    with excused(troubles):
        done = (
            pool_of(hx).wait(job.work, seconds=job.seconds) if job is not None else None
        )
    return _ended(job, done, troubles)


async def soon(hx: Hexad, job: TurnJob | None) -> Any:
    """Like `_now`, beside an event loop."""
    troubles, done = list[Trouble](), None
    with excused(troubles):
        done = (
            await pool_of(hx).run(job.work, seconds=job.seconds)
            if job is not None
            else None
        )
    return _ended(job, done, troubles)


def _ended(job: TurnJob | None, done: Any, troubles: list[Trouble]) -> Any:
    if job is not None and troubles:
        TURN_WARNINGS.warn(job.turn, job.failing, troubles)
    return done


def _context(prompt: Prompt | None) -> Context:
    if prompt is None:
        return Context()
    return Context(prompt.block, PREFACE + prompt.sections if prompt.sections else "")


def parsed(text: object) -> object:
    """The value of a JSON text; anything else as it is."""
    try:
        return json.loads(text) if isinstance(text, str) else text
    except ValueError:
        return text


def as_failure(call: EndedCall | None) -> EndedCall | None:
    """The call with its error, if it failed; also if its result reports that."""
    error = None if call is None else call.error or reported_failure(call.result)
    return None if call is None or error is None else replace(call, error=error)


def failure_in_text(text: str) -> str | None:
    """Like `reported_failure`, for results without any other mark: a text that begins
    as an exception is printed fails.

    >>> failure_in_text("ValueError: no such room"), failure_in_text("Errors are rare")
    ('ValueError: no such room', None)
    """
    return reported_failure(text) or (text if _LIKE_AN_ERROR.match(text) else None)
