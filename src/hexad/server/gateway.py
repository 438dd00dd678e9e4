"""Requests to a model on their way to the provider: context goes in, outcomes of tools
are learned, the rest stays.

If memory fails, the request still goes out; the provider's answer comes back byte by
byte.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

import anyio
import httpx2
from starlette.background import BackgroundTask
from starlette.responses import JSONResponse, Response, StreamingResponse

from hexad import signals
from hexad.agents.agent import AgentMemory
from hexad.agents.conversation import Conversation, by_name, digest
from hexad.agents.threads import ThreadPool
from hexad.agents.transcripts import SHAPES, RequestShape
from hexad.agents.warnings import going_on
from hexad.errors import AccessRefused
from hexad.recent import Recent
from hexad.server.api.calls import body_of
from hexad.server.tokens import EVERYWHERE, Callers, Right, Token

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from starlette.requests import Request

    from hexad.facade import Hexad

PREFIX: Final = "/gateway"
_TOKEN, _USER, _SESSION, _MEMORY = _OWN = (
    "x-hexad-token",
    "x-hexad-user",
    "x-hexad-session",
    "x-hexad-memory",
)
_MEMORIES: Final = 2000  # of users that are kept ready
_LOG: Final = logging.getLogger("hexad.server")
_OF_A_CONNECTION: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-connection",
        "proxy-authenticate",
        "proxy-authorization",
    }
    | {"te", "trailer", "transfer-encoding", "upgrade"}
)
_NOT_SENT: Final = _OF_A_CONNECTION | {"host", "content-length", "cookie", *_OWN}
_MEMORY_SECONDS: Final = 3.0  # that a request waits for its context at most
_POOLS: Final = 8  # of connections: one looks at all that are idle, for each request
_LARGEST: Final = 128 * 1024 * 1024
_CAPTURING: Final = ThreadPool(1, "hexad-gateway-capture")


def _clients() -> tuple[httpx2.AsyncClient, ...]:
    """Connections to the provider: none of this machine's proxies, no redirect, no time
    limit but for connecting.
    """
    limits, wait = (
        httpx2.Limits(max_connections=None, max_keepalive_connections=100),
        httpx2.Timeout(None, connect=30),
    )
    tls = httpx2.create_ssl_context(trust_env=False)
    return tuple(
        httpx2.AsyncClient(timeout=wait, limits=limits, verify=tls, trust_env=False)
        for _ in range(_POOLS)
    )


@dataclass(frozen=True)
class Speakers:
    """Finds whose memory a request reads and which engine it writes; asks no store."""

    hx: Hexad
    _known: Recent[tuple[str, str, bool], AgentMemory] = field(
        default_factory=lambda: Recent(_MEMORIES), repr=False
    )

    def of(
        self, caller: Token, named: str, body: Mapping[str, Any]
    ) -> tuple[AgentMemory, Hexad]:
        """Those of the user whom a header names, else the body; `AccessRefused` where a
        header's is not the token's.
        """
        try:
            return self._speaker(caller, named or _user_in(body))
        except AccessRefused:
            if named:
                raise
            return self._speaker(
                caller, ""
            )  # the field may be an id for the provider alone

    def _root(self, caller: Token, user: str) -> str:
        """The namespace above the user's that the caller reaches: the server's own,
        else one of the token's.
        """
        if not user:
            if home := caller.home(self.hx.namespace):
                return home
            raise AccessRefused(
                403,
                "this token is for many namespaces; name the user: X-Hexad-User: NAME",
            )
        below = by_name(Conversation("", user, ""))
        own = [each.removesuffix(EVERYWHERE).rstrip("/") for each in caller.namespaces]
        for root in (self.hx.namespace, *filter(None, own)):
            if caller.reaches(f"{root}/{below}"):
                return root
        raise AccessRefused(
            403,
            f"this token is not for the user {user!r}; one for 'NAMESPACE/*' is for every user",
        )

    def _speaker(self, caller: Token, user: str) -> tuple[AgentMemory, Hexad]:
        """The user's memory, and the shared one above it where the token reaches that
        too.
        """
        root = self._root(caller, user)
        reached, shared = caller.reaches(root), self.hx.scoped(namespace=root)
        own = (
            shared.scoped(namespace=f"{root}/{by_name(Conversation('', user, ''))}")
            if user
            else shared
        )
        kept = (root, user, reached)
        memory = self._known.get(kept) or AgentMemory(
            shared if reached else own, user=user if reached else "", captures=False
        )
        self._known.put(kept, memory)
        return memory, own


@dataclass(frozen=True, slots=True)
class GatewayTurn:
    """A request that memory takes part in: the memory it reads, the engine it writes,
    and how its body is read.
    """

    memory: AgentMemory
    own: Hexad
    session: str
    shape: RequestShape
    body: dict[str, Any]

    async def with_context(self) -> bytes | None:
        """The body with its context, and with what is known of its tools; None if there
        is nothing to add.
        """
        memory, session = self.memory, self.session
        context = await memory.arecall(
            None, self.shape.latest(self.body), session=session
        )
        notes = await memory.anotes(None, self.shape.tools(self.body), session=session)
        texts: dict[Any, str] = {}
        for made, call in self.shape.ended(self.body).items():
            if call.error:
                texts[made] = await memory.aknown_of(None, call, session=session)
        written = self.shape.extended(self.body, context, texts, notes)
        return (
            None
            if written == self.body
            else json.dumps(written, allow_nan=False, separators=(",", ":")).encode()
        )

    async def learn(self, *, capturing: bool) -> None:
        """Learn from the calls that ended, and propose what the user said, if that is
        wanted.
        """
        for call in self.shape.ended(self.body).values():
            await self.memory.alearn(None, call, session=self.session)
        latest = self.shape.latest(self.body)
        if capturing and latest is not None and latest.last:
            said = [{"role": "user", "content": latest.text}]
            with going_on("what a user said is not proposed"):
                await _CAPTURING.run(
                    partial(self.own.capture, said, session=self.session)
                )


class Gateway:
    """Passes requests on to the provider."""

    def __init__(self, hx: Hexad, callers: Callers, upstream: str) -> None:
        self.hx, self.callers, self.upstream = hx, callers, upstream
        self.clients, self._speakers = _clients(), Speakers(hx)
        self._turns = cycle(self.clients)

    async def answer(self, request: Request) -> Response:
        """Pass one request on."""
        try:
            return await self._answer(request)
        except AccessRefused as error:
            return _refused(error.status, str(error))
        except httpx2.HTTPError as error:
            _LOG.warning("the provider did not answer: %s", type(error).__name__)
            return _refused(
                502, f"the provider did not answer ({type(error).__name__}); try again"
            )

    async def _answer(self, request: Request) -> Response:
        caller = self.callers.of(
            request.headers.get(_TOKEN, ""), "X-Hexad-Token: TOKEN"
        )
        caller.require(Right.READ)
        if not self.upstream:
            return _refused(
                503,
                "this server has no provider; start it with hexad serve --upstream URL",
            )
        path = request.url.path.removeprefix(PREFIX)
        request.scope["hexad.route"] = PREFIX
        shape = next(
            (
                each
                for end, each in SHAPES.items()
                if path == f"/v1{end.removeprefix('/v1')}"
            ),
            None,
        )
        if shape is None or request.method != "POST":
            return await self._forward(request, path, request.stream())
        raw, added = await body_of(request, _LARGEST), None
        turn = self._turn(request, caller, shape, raw)
        with signals.measured(
            "gateway", kind=path.rpartition("/")[2], context="no"
        ) as facts:
            if turn is not None:
                with (
                    going_on("a request goes on without memory"),
                    anyio.move_on_after(_MEMORY_SECONDS),
                ):
                    added = await turn.with_context()
                facts["context"] = "no" if added is None else "yes"
        response = await self._forward(request, path, added or raw)
        if (
            turn is not None and Right.WRITE in caller.rights
        ):  # nobody waits for it: the answer goes out first
            response.background = BackgroundTask(
                turn.learn, capturing=self.hx.settings.capture
            )
        return response

    def _turn(
        self, request: Request, caller: Token, shape: RequestShape, raw: bytes
    ) -> GatewayTurn | None:
        """The turn of a request; None if memory is off, or the body is not understood."""
        body = _parsed(raw)
        if body is None or request.headers.get(_MEMORY, "").strip().casefold() == "off":
            return None
        memory, own = self._speakers.of(caller, request.headers.get(_USER, ""), body)
        session = (
            request.headers.get(_SESSION)
            or _text(body.get("prompt_cache_key"))
            or _beginning(body)
        )
        return GatewayTurn(memory, own, session, shape, body)

    async def _forward(self, request: Request, path: str, content: Any) -> Response:
        query = request.url.query
        url = f"{self.upstream.removesuffix('/v1')}{path}{f'?{query}' if query else ''}"
        headers = _passed(request.headers.items(), _NOT_SENT)
        if not isinstance(content, bytes) and (
            length := request.headers.get("content-length")
        ):
            headers.append(("content-length", length))
        empty = (
            request.method in {"GET", "HEAD"}
            and "content-length" not in request.headers
        )
        sent = httpx2.Request(
            request.method, url, headers=headers, content=None if empty else content
        )
        with signals.measured("provider"):  # until its answer begins
            came = await next(self._turns).send(sent, stream=True)
        response = StreamingResponse(_bytes(came), came.status_code)
        response.raw_headers = [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in [
                *_passed(came.headers.multi_items(), _OF_A_CONNECTION),
                ("x-accel-buffering", "no"),
            ]
        ]
        return response


async def _bytes(came: httpx2.Response) -> Any:
    """The answer as it arrives; the connection is given back when it ends or when the
    client leaves.
    """
    try:
        async for part in came.aiter_raw():
            yield part
    finally:
        with anyio.CancelScope(shield=True):
            await came.aclose()


def _passed(
    headers: Iterable[tuple[str, str]], left_out: frozenset[str]
) -> list[tuple[str, str]]:
    return [(name, value) for name, value in headers if name.lower() not in left_out]


def _parsed(raw: bytes) -> dict[str, Any] | None:
    """The body as an object; None for what the provider shall judge."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _refused(status: int, sentence: str) -> Response:
    """An error of ours, in the shape that clients of providers understand."""
    return JSONResponse(
        {"type": "error", "error": {"type": "hexad", "message": sentence}}, status
    )


def _user_in(body: Mapping[str, Any]) -> str:
    metadata = body.get("metadata")
    in_metadata = metadata.get("user_id") if isinstance(metadata, dict) else None
    return next(
        filter(
            None,
            map(_text, (body.get("safety_identifier"), body.get("user"), in_metadata)),
        ),
        "",
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _beginning(body: Mapping[str, Any]) -> str:
    """A name for the conversation: how it begins, which stays the same while it grows."""
    said = body.get("messages") or body.get("input") or ""
    first = (
        said
        if isinstance(said, str)
        else [each for each in said if isinstance(each, dict)][:2]
    )
    whole = json.dumps(
        [body.get("system"), body.get("instructions"), first],
        sort_keys=True,
        default=str,
    )
    return f"gateway:{digest(whole)[:16]}"
