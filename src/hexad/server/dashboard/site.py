"""The pages over HTTP: sign-in, forms that only our own pages can send, and a policy
that runs only our own script.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlencode

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse, Response

from hexad.errors import AccessRefused, HexadError
from hexad.memory.index.indexing import all_namespaces
from hexad.model import Capability, shown_trust
from hexad.recent import Recent
from hexad.server.api.calls import ApiCall, body_of, tag_of
from hexad.server.api.problems import described
from hexad.server.api.serving import READING, RUNNING, events
from hexad.server.api.verbs import counts, newer
from hexad.server.dashboard.actions import Done, Form, act
from hexad.server.dashboard.pages import PAGES
from hexad.server.dashboard.sessions import (
    COOKIE,
    LIFETIME,
    THEME,
    Notice,
    Session,
    Sessions,
)
from hexad.server.manual import PREFIX as MANUAL
from hexad.server.manual import SITE, Manual
from hexad.server.tokens import Callers, Right, Token
from hexad.skills.definition import BODIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from hexad.facade import Hexad

_HOME: Final = Path(__file__).parent
_STATIC: Final = {
    "hexad.css": "text/css",
    "hexad.js": "text/javascript",
    "hexad.svg": "image/svg+xml",
}
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
    held = b"".join((_HOME / "static" / name).read_bytes() for name in _STATIC)
    stamp = hashlib.sha256(held).hexdigest()[
        :12
    ]  # in their address: a browser loads them again when they change
    environment.globals.update(
        capabilities=list(Capability), pages=list(PAGES), bodies=BODIES, stamp=stamp
    )
    environment.filters["trust"] = shown_trust
    environment.globals["charts"] = environment.get_template("charts.html").module
    environment.filters["moment"] = lambda at: (
        "" if at is None else f"{at:%Y-%m-%d %H:%M}"
    )
    return environment


class Dashboard:
    """The pages: ``secure`` is for cookies over TLS only, ``evals`` holds stored
    questions.
    """

    def __init__(
        self,
        hx: Hexad,
        callers: Callers,
        *,
        secure: bool = False,
        evals: Path | None = None,
        manual: Path = SITE,
    ) -> None:
        self.hx, self.callers, self.secure, self.evals = hx, callers, secure, evals
        self._manual = Manual(manual)
        self.sessions = Sessions(callers)
        self._counts: Recent[str, tuple[Any, dict[str, Any]]] = Recent(_MOST_COUNTED)

    async def answer(self, request: Request) -> Response:
        """Answer one request."""
        if request.url.path.startswith("/static/"):
            name = request.url.path.removeprefix("/static/")
            known = name in _STATIC  # else anybody's names would fill the cache
            return _static(name) if known else Response("there is no such file\n", 404)
        session = self.sessions.of(
            request.cookies.get(COOKIE, ""), request.cookies.get(THEME, "")
        )
        try:
            return await self._answer(request, session)
        except Exception as error:  # noqa: BLE001 - every error is a page
            code, text = described(error)
            frame = dict.fromkeys(
                ("page", "status", "caller", "hx", "notice")
            )  # the navigation, which needs no store
            title = "Not found" if code == 404 else "This did not work"
            return self._shown(
                session, "message.html", {**frame, "title": title, "text": text}, code
            )

    async def _answer(self, request: Request, session: Session) -> Response:
        path = request.url.path.strip("/")
        if path in {"sign-in", "sign-out"}:
            return await (self._sign_in if path == "sign-in" else self._sign_out)(
                request, session
            )
        caller = self.sessions.caller(session)
        if caller is None:
            asked = f"/{path}?{request.url.query}".rstrip("?")
            return self._to(
                session, "/sign-in", {"next": asked} if path in PAGES else {}
            )
        if path in PAGES:
            return await self._asked(request, session, caller, path)
        if f"/{path}/".startswith(f"{MANUAL}/"):
            caller.require(Right.READ)
            request.scope["hexad.route"] = MANUAL
            return await self._manual.answer(request)
        if path == "log/events":
            caller.require(Right.READ)
            hx = caller.engine(self.hx, session.namespace)
            return events(hx, await READING.run(partial(newer, hx, None)))
        if path:
            raise AccessRefused(404, "there is no such page")
        return self._to(session, "/playground")

    async def _asked(
        self, request: Request, session: Session, caller: Token, page: str
    ) -> Response:
        """A page, or what its form asks for."""
        request.scope["hexad.route"] = f"/{page}"
        asked = dict(request.query_params)
        chosen = asked.get("namespace") or session.namespace
        if not chosen and not caller.home(
            self.hx.namespace
        ):  # the first that there is, to begin with
            chosen = await READING.run(
                lambda: next(filter(caller.reaches, all_namespaces(self.hx.store)), "")
            )
        hx = caller.engine(self.hx, chosen)
        if asked.get("namespace"):
            session = self.sessions.change(session, namespace=hx.namespace)
        call = ApiCall(hx, caller, self.callers.tokens, query=asked, evals=self.evals)
        if request.method == "POST":
            return await self._do(request, session, call, page)
        if request.method not in {"GET", "HEAD"}:
            return Response(status_code=405, headers={"Allow": "GET, POST"})
        return await READING.run(partial(self._page, session, call, page, {}))

    def _page(
        self, session: Session, call: ApiCall, page: str, more: Mapping[str, Any]
    ) -> Response:
        """A page, in a thread, with the notice of what was done before."""
        call.caller.require(Right.READ)
        values = {
            "template": page,
            **PAGES[page](call),
            **more,
            "notice": session.notice,
            "tag_of": tag_of,
        }
        if session.notice is not None:
            self.sessions.change(session, notice=None)
        frame = {
            "page": page,
            "status": self._counted(call),
            "caller": call.caller,
            "ask": call.query,
            "hx": call.hx,
        }
        return self._shown(session, f"{values['template']}.html", {**frame, **values})

    def _counted(self, call: ApiCall) -> dict[str, Any]:
        """The counts beside every page. All that changes them is in the log: while that
        has no more, they stay.
        """
        with call.hx.store.reading(call.hx.namespace) as view:
            end = view.chain_end()
        known = self._counts.get(call.hx.namespace)
        if known is None or known[0] != end:
            known = (end, counts(call.hx))
            self._counts.put(call.hx.namespace, known)
        return known[1]

    async def _do(
        self, request: Request, session: Session, call: ApiCall, page: str
    ) -> Response:
        """Do what a form asks, then show the page again: a reload does not send the
        form twice.
        """
        form = await _form(request, session)
        try:
            done = await RUNNING.run(partial(act, call, form))
        except HexadError as error:  # what was typed stays in the form
            record = {**form.given("layer"), **form.record}
            done = Done(Notice(described(error)[1], bad=True), record, {"typed": form})
        session = self.sessions.change(session, notice=done.notice)
        if done.shown is not None:
            again = replace(call, query={**call.query, **done.query})
            return await READING.run(
                partial(self._page, session, again, page, done.shown)
            )
        return self._to(
            session,
            f"/{page}",
            {} if page == "review" else {**call.query, **done.query},
        )

    async def _sign_in(self, request: Request, session: Session) -> Response:
        if request.method != "POST":
            target = request.query_params.get("next", "")
            return self._shown(
                session,
                "sign_in.html",
                {"next": target, "problem": "", "open": self.callers.open},
            )
        form = await _form(request, session)
        page, _, asked = form.one("next").strip("/").partition("?")
        target = f"/{page}?{asked}".rstrip("?") if page in PAGES else "/playground"
        try:
            entered = self.sessions.sign_in(session, form.one("token").strip())
        except AccessRefused:
            shown = {
                "next": target,
                "problem": "That token is not known, or was revoked.",
                "open": False,
            }
            return self._shown(session, "sign_in.html", shown, 401)
        return self._to(entered, target)

    async def _sign_out(self, request: Request, session: Session) -> Response:
        if request.method == "POST":
            await _form(request, session)
            self.sessions.end(session)
            session = self.sessions.begin()
        return self._to(session, "/sign-in")

    def _shown(
        self, session: Session, template: str, values: dict[str, Any], code: int = 200
    ) -> Response:
        html = (
            _templates()
            .get_template(template)
            .render(session=session, theme=session.theme, **values)
        )
        return self._with_cookie(HTMLResponse(html, code, dict(_HEADERS)), session)

    def _to(
        self, session: Session, path: str, query: Mapping[str, str] | None = None
    ) -> Response:
        url = f"{path}?{urlencode(query)}" if query else path
        return self._with_cookie(RedirectResponse(url, 303, dict(_HEADERS)), session)

    def _with_cookie(self, response: Response, session: Session) -> Response:
        response.set_cookie(
            COOKIE,
            session.id,
            max_age=LIFETIME,
            httponly=True,
            samesite="strict",
            secure=self.secure,
        )
        return response


async def _form(request: Request, session: Session) -> Form:
    """The fields of a form; another site's page cannot send one with our secret in it."""
    text = (await body_of(request, _LARGEST_FORM)).decode("utf-8", "replace")
    form = Form(parse_qs(text, keep_blank_values=True, max_num_fields=5000))
    if not hmac.compare_digest(
        session.csrf.encode(), form.one("csrf").encode(errors="replace")
    ):
        raise AccessRefused(
            403,
            "this form is too old, or not one of this server's pages; load the page again",
        )
    return form


@cache
def _static(name: str) -> Response:
    headers = {
        "Cache-Control": "public, max-age=3600",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    return Response(
        (_HOME / "static" / name).read_bytes(),
        headers=headers,
        media_type=_STATIC[name],
    )
