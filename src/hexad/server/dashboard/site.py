"""The pages over HTTP: sign-in, forms that only our own pages can send, and a policy that runs only our own script."""

from __future__ import annotations

import hashlib
import logging
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from hexad.errors import AccessRefused, HexadError
from hexad.memory.redaction import redact
from hexad.model import Layer
from hexad.recent import Recent
from hexad.server.api.calls import Call, tag_of
from hexad.server.api.problems import status_of
from hexad.server.api.serving import READING, RUNNING, events
from hexad.server.api.verbs import newer, status
from hexad.server.callers import body_of
from hexad.server.dashboard.actions import Done, Form, act
from hexad.server.dashboard.pages import PAGES
from hexad.server.dashboard.sessions import COOKIE, LIFETIME, THEME, Notice, Session, Sessions
from hexad.server.tokens import Right

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from hexad.facade import Hexad
    from hexad.server.callers import Caller, Callers

_HOME: Final = Path(__file__).parent
_STATIC: Final = {"hexad.css": "text/css", "hexad.js": "text/javascript", "hexad.svg": "image/svg+xml"}
_MOST_COUNTED: Final = 500  # namespaces whose counts are kept
_LARGEST_FORM: Final = 8 * 1024 * 1024
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HOME / "templates"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(layers=list(Layer), pages=list(PAGES), stamp=_stamp())
    environment.globals["charts"] = environment.get_template("charts.html").module
    environment.filters["moment"] = lambda at: "" if at is None else f"{at:%Y-%m-%d %H:%M}"
    return environment


def _stamp() -> str:
    """Part of the address of style and script, so that a browser loads them again when they change."""
    return hashlib.sha256(b"".join((_HOME / "static" / name).read_bytes() for name in _STATIC)).hexdigest()[:12]


class Dashboard:
    """The pages as an ASGI application: ``secure`` is for cookies over TLS only, ``evals`` holds stored questions."""

    def __init__(self, hx: Hexad, callers: Callers, *, secure: bool = False, evals: Path | None = None) -> None:
        self.hx, self.callers, self.secure, self.evals = hx, callers, secure, evals
        self.sessions = Sessions(callers)
        self._counts: Recent[str, tuple[Any, dict[str, Any]]] = Recent(_MOST_COUNTED)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        session = self.sessions.of(request.cookies.get(COOKIE, ""), request.cookies.get(THEME, ""))
        try:
            response = await self._answer(request, session)
        except Exception as error:  # noqa: BLE001 - every error is a page
            response = self._failed(session, error)
        await response(scope, receive, send)

    async def _answer(self, request: Request, session: Session) -> Response:
        path = request.url.path.strip("/")
        if path.startswith("static/"):
            return _static(path.removeprefix("static/"))
        if path in {"sign-in", "sign-out"}:
            return await (self._sign_in if path == "sign-in" else self._sign_out)(request, session)
        caller = self.sessions.caller(session)
        if caller is None:
            return self._to(session, "/sign-in", {"next": f"/{path}"} if path in PAGES else {})
        if path in PAGES:
            return await self._asked(request, session, caller, path)
        if path == "log/events":
            caller.require(Right.READ)
            hx = self._engine(caller, session)
            return events(hx, await READING.run(partial(newer, hx, None)), 1.0)
        shown = {"title": "Not found", "text": "There is no such page."}
        return self._shown(session, "message.html", shown, 404) if path else self._to(session, "/playground")

    async def _asked(self, request: Request, session: Session, caller: Caller, path: str) -> Response:
        """A page, or what its form asks for."""
        request.scope["hexad.route"] = f"/{path}"
        if request.method == "POST":
            return await self._do(request, session, caller, path)
        if request.method not in {"GET", "HEAD"}:
            return Response(status_code=405, headers={"Allow": "GET, POST"})
        return await READING.run(partial(self._page, request, session, caller, path))

    def _page(self, request: Request, session: Session, caller: Caller, name: str, **more: Any) -> Response:
        """A page, in a thread."""
        caller.require(Right.READ)
        if wanted := request.query_params.get("namespace"):
            caller.engine(self.hx, wanted)
            session = self.sessions.change(session, namespace=wanted)
        call = self._call(request, session, caller)
        notice = more.pop("notice", session.notice)
        if session.notice is not None:
            session = self.sessions.change(session, notice=None)
        values = {**PAGES[name](call), **more}
        frame = {"page": name, "status": self._counted(call), "caller": caller, "ask": call.query, "hx": call.hx}
        template = values.pop("template", name)
        return self._shown(session, f"{template}.html", {**frame, **values, "notice": notice, "tag_of": tag_of})

    def _counted(self, call: Call) -> dict[str, Any]:
        """The counts beside every page. All that changes them is in the log: while that has no more, they stay."""
        with call.hx.store.reading(call.hx.namespace) as view:
            end = view.chain_end()
        known = self._counts.get(call.hx.namespace)
        if known is None or known[0] != end:
            known = (end, status(call))
            self._counts.put(call.hx.namespace, known)
        return known[1]

    def _call(self, request: Request, session: Session, caller: Caller) -> Call:
        asked, tokens = dict(request.query_params), self.callers.tokens
        return Call(self._engine(caller, session), caller, tokens, query=asked, evals=self.evals)

    def _engine(self, caller: Caller, session: Session) -> Hexad:
        return caller.engine(self.hx, session.namespace or None)

    async def _do(self, request: Request, session: Session, caller: Caller, page: str) -> Response:
        """Do what a form asks, then show the page again: a reload does not send the form twice."""
        form = await _form(request)
        self.sessions.check(session, form.one("csrf"))
        call = self._call(request, session, caller)
        try:
            done = await RUNNING.run(partial(act, call, form))
        except HexadError as error:
            done = Done(Notice(redact(str(error)).text, bad=True), form.record)
        if done.shown is not None:
            scope = {**request.scope, "query_string": urlencode({**call.query, **done.query}).encode()}
            again = partial(self._page, Request(scope), session, caller, page, notice=done.notice, **done.shown)
            return await READING.run(again)
        return self._to(
            self.sessions.change(session, notice=done.notice), f"/{page}", {} if page == "review" else dict(done.query)
        )

    async def _sign_in(self, request: Request, session: Session) -> Response:
        if request.method != "POST":
            target = request.query_params.get("next", "")
            return self._shown(session, "sign_in.html", {"next": target, "problem": "", "open": self.callers.open})
        form = await _form(request)
        self.sessions.check(session, form.one("csrf"))
        target = form.one("next") if form.one("next").strip("/") in PAGES else "/playground"
        try:
            entered = self.sessions.sign_in(session, form.one("token").strip())
        except AccessRefused:
            shown = {"next": target, "problem": "That token is not known, or was revoked.", "open": False}
            return self._shown(session, "sign_in.html", shown, 401)
        return self._to(entered, f"/{target.strip('/')}")

    async def _sign_out(self, request: Request, session: Session) -> Response:
        if request.method == "POST":
            self.sessions.check(session, (await _form(request)).one("csrf"))
            self.sessions.end(session)
            session = self.sessions.begin()
        return self._to(session, "/sign-in")

    def _failed(self, session: Session, error: Exception) -> Response:
        text = redact(str(error)).text
        if not isinstance(error, HexadError):
            logging.getLogger("hexad").error("a page failed: %s", redact(repr(error)).text)
            text = "The server failed at this page; its log says why."
        shown = {"title": "This did not work", "text": text}
        return self._shown(session, "message.html", shown, status_of(error))

    def _shown(self, session: Session, template: str, values: dict[str, Any], code: int = 200) -> Response:
        html = _templates().get_template(template).render(session=session, theme=session.theme, **values)
        return self._with_cookie(HTMLResponse(html, code, dict(_HEADERS)), session)

    def _to(self, session: Session, path: str, query: dict[str, str] | None = None) -> Response:
        url = f"{path}?{urlencode(query)}" if query else path
        return self._with_cookie(RedirectResponse(url, 303, dict(_HEADERS)), session)

    def _with_cookie(self, response: Response, session: Session) -> Response:
        response.set_cookie(COOKIE, session.id, max_age=LIFETIME, httponly=True, samesite="strict", secure=self.secure)
        return response


async def _form(request: Request) -> Form:
    """The fields of a form; a foreign page cannot send one with our secret in it."""
    text = (await body_of(request, _LARGEST_FORM)).decode("utf-8", "replace")
    return Form(parse_qs(text, keep_blank_values=True, max_num_fields=5000))


@cache
def _static(name: str) -> Response:
    if name not in _STATIC:
        return Response("there is no such file\n", 404)
    headers = {"Cache-Control": "public, max-age=3600", "Cross-Origin-Resource-Policy": "same-origin"}
    return Response((_HOME / "static" / name).read_bytes(), headers=headers, media_type=_STATIC[name])
