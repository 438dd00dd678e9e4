"""The clients of OpenAI and Anthropic: `with_memory` gives each request its context,
and learns from tool results.

::

    client = with_memory(OpenAI(), hx, user="dana", session="chat-7")     # AsyncOpenAI, Anthropic, AsyncAnthropic
    client.chat.completions.create(model=…, messages=…)                   # responses.create, messages.create, stream, …

Your loop calls the tools, so their outcomes are read from the results that the next
request holds. What is known of a failure stands behind its result there, and what is
known of a tool's arguments behind its description: in the request alone, never in the
objects of your loop.
"""

from __future__ import annotations

import copy
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hexad.agents.agent import AgentMemory, Named
from hexad.agents.context import BUDGET
from hexad.agents.transcripts import SHAPES
from hexad.agents.warnings import going_on
from hexad.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hexad.facade import Hexad

C = TypeVar("C")
_RESOURCES: Final = (("chat", "completions"), ("responses",), ("messages",))
_MEMORY: Final = "hexad_memory"  # an attribute of a client
_AS_IT_IS: Final = "a request goes to the model as it is"
_CACHED: Final = (
    "with_raw_response",
    "with_streaming_response",
    "beta",
)  # they hold the resources of the original


def with_memory(
    client: C, hx: Hexad, *, user: Named = "", session: Named = "", budget: int = BUDGET
) -> C:
    """A copy of the client, with context in each request; the client itself if the
    engine is off, and never changed.

    ``user`` and ``session`` are names, or functions of the request's body, such as
    ``lambda body: body["safety_identifier"]``.
    """
    if not any(hasattr(client, path[0]) for path in _RESOURCES):
        raise InvalidInput(
            "client", f"must be one of OpenAI or Anthropic, not {type(client).__name__}"
        )
    memory = AgentMemory(hx, user=user, session=session, budget=budget)
    return _copied(client, memory) if hx.enabled else client


def memory_tools(
    client: object, body: Mapping[str, Any] | None = None
) -> tuple[Callable[..., dict[str, Any]], ...]:
    """The agent tools and the active skills, as functions for the loop of a client with
    memory; none if it has none.

    If ``user`` or ``session`` is a function, ``body`` is the request that it reads.
    """
    memory = client.__dict__.get(_MEMORY)
    return () if memory is None else memory.tools(body)


def _copied(client: Any, memory: AgentMemory) -> Any:
    changed = _fresh(client)
    changed.__dict__[_MEMORY] = memory
    asynchronous = inspect.iscoroutinefunction(client.close)
    for path in _RESOURCES:
        holder = changed
        for name in path[:-1] if hasattr(client, path[0]) else ():
            holder.__dict__[name] = holder = _fresh(getattr(holder, name))
        if hasattr(client, path[0]):
            resource = holder.__dict__[path[-1]] = _fresh(getattr(holder, path[-1]))
            post = partial(_apost if asynchronous else _post, resource._post, memory)  # noqa: SLF001 - the one way out
            resource.__dict__["_post"] = post
    changed.copy = changed.with_options = lambda **options: _copied(
        client.with_options(**options), memory
    )
    return changed


def _fresh(resource: Any) -> Any:
    """A copy that makes its own cached parts."""
    changed = copy.copy(resource)
    for name in _CACHED:
        changed.__dict__.pop(name, None)
    return changed


def _post(
    post: Callable[..., Any],
    memory: AgentMemory,
    path: str,
    *,
    body: Any = None,
    **more: Any,
) -> Any:
    """The one way of every method to the provider: create, stream, parse, with the raw
    response or not.
    """
    if path not in SHAPES:
        return post(path, body=body, **more)
    shape, written = SHAPES[path], body
    with going_on(_AS_IT_IS):
        texts = {
            place: memory.beside(body, call)
            for place, call in shape.ended(body).items()
        }
        added = memory.recall(body, shape.latest(body))
        written = shape.extended(
            body, added, texts, memory.notes(body, shape.tools(body))
        )
    return post(path, body=written, **more)


async def _apost(
    post: Callable[..., Any],
    memory: AgentMemory,
    path: str,
    *,
    body: Any = None,
    **more: Any,
) -> Any:
    """Like `_post`, beside an event loop."""
    if path not in SHAPES:
        return await post(path, body=body, **more)
    shape, written = SHAPES[path], body
    with going_on(_AS_IT_IS):
        texts = {
            place: await memory.abeside(body, call)
            for place, call in shape.ended(body).items()
        }
        added = await memory.arecall(body, shape.latest(body))
        written = shape.extended(
            body, added, texts, await memory.anotes(body, shape.tools(body))
        )
    return await post(path, body=written, **more)
