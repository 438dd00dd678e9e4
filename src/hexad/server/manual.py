"""The manual as a static site: `make site` builds it beside this file, and a wheel
carries it.
"""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from hexad.server.api.problems import BadRequest
from hexad.server.api.serving import READING

if TYPE_CHECKING:
    from starlette.requests import Request

SITE: Final = Path(__file__).with_name("site")
PREFIX: Final = "/docs"
NOT_BUILT: Final = (
    "This installation carries no manual. In a checkout, `make site` builds it; a wheel "
    "that is built after that has it."
)
_INLINE_SCRIPT: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_POLICY: Final = (
    "default-src 'none'; script-src 'self'{scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


class Manual:
    """Serves the files of a folder; nothing on a page may come from elsewhere."""

    def __init__(self, folder: Path) -> None:
        self._index = folder / "index.html"
        self._files = StaticFiles(directory=folder, html=True, check_dir=False)

    async def answer(self, request: Request) -> Response:
        """One file of the site; else an error that says why not."""
        if not self._index.is_file():
            raise BadRequest(404, NOT_BUILT)
        path = request.url.path.removeprefix(PREFIX).lstrip("/")
        try:
            found = await self._files.get_response(path, request.scope)
        except HTTPException as error:
            raise BadRequest(error.status_code, "there is no such page") from None
        if found.status_code == 404:
            raise BadRequest(404, "there is no such page")
        if isinstance(found, RedirectResponse):  # a proxy may know another address
            return RedirectResponse(f"{request.url.path}/")
        if isinstance(found, FileResponse) and found.media_type == "text/html":
            policy = await READING.run(lambda: _policy_of(Path(found.path)))
            found.headers["Content-Security-Policy"] = policy
        found.headers["Cache-Control"] = "private, no-cache"
        found.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        return found


def _policy_of(page: Path) -> str:
    """A policy that runs the scripts inside this page and no other ones."""
    digests = (
        base64.b64encode(hashlib.sha256(script).digest()).decode()
        for script in _INLINE_SCRIPT.findall(page.read_bytes())
    )
    return _POLICY.format(scripts="".join(f" 'sha256-{each}'" for each in digests))
