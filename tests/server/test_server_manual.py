"""The manual under `/docs`: a folder of static pages, for those who may read."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

import httpx2
import pytest

from tests.server.server_support import secret, serving, tokens_in
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad import Hexad

SCRIPT = "document.title = 1"


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "agent.db", semantic=False) as engine:
        yield engine


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    (folder / "how-to").mkdir(parents=True)
    (folder / "index.html").write_text(f"<script>{SCRIPT}</script>The manual")
    (folder / "how-to" / "index.html").write_text("How to")
    (folder / "look.css").write_text("p {}")
    (folder / "404.html").write_text("the page of the builder, with wrong links")
    (tmp_path / "secret.html").write_text("outside of the site")
    return folder


@requirement("DASH-01")
def test_the_manual_is_served_with_a_policy_that_runs_only_its_own_scripts(
    hx: Hexad, tmp_path: Path, site: Path
) -> None:
    with serving(hx, tokens_in(tmp_path), manual=site) as url:
        first = httpx2.get(f"{url}/docs", follow_redirects=True)
        assert first.url.path == "/docs/"
        assert first.text.endswith("The manual")
        digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
        policy = first.headers["content-security-policy"]
        assert f"script-src 'self' 'sha256-{digest}';" in policy
        assert "unsafe" not in policy
        assert httpx2.get(f"{url}/docs/how-to/").text == "How to"
        look = httpx2.get(f"{url}/docs/look.css")
        assert look.headers["content-type"].startswith("text/css")
        again = {"If-None-Match": look.headers["etag"]}
        assert httpx2.get(f"{url}/docs/look.css", headers=again).status_code == 304


@requirement("DASH-01")
@pytest.mark.parametrize("path", ["nothing.html", "%2e%2e/secret.html", "a%00b"])
def test_what_the_manual_does_not_have_is_not_found(
    hx: Hexad, tmp_path: Path, site: Path, path: str
) -> None:
    with serving(hx, tokens_in(tmp_path), manual=site) as url:
        answer = httpx2.get(f"{url}/docs/{path}")
        assert answer.status_code == 404
        assert "there is no such page" in answer.text
        assert httpx2.post(f"{url}/docs/index.html").status_code == 405


@requirement("DASH-01")
def test_an_installation_without_a_manual_says_how_to_build_it(
    hx: Hexad, tmp_path: Path
) -> None:
    with serving(hx, tokens_in(tmp_path), manual=tmp_path / "none") as url:
        answer = httpx2.get(f"{url}/docs")
        assert answer.status_code == 404
        assert "make site" in answer.text


@requirement("DASH-01")
def test_the_manual_needs_a_token_that_may_read_once_one_was_made(
    hx: Hexad, tmp_path: Path, site: Path
) -> None:
    tokens = tokens_in(tmp_path)
    with serving(hx, tokens, manual=site) as url:
        secret(tokens, "write")
        answer = httpx2.get(f"{url}/docs/look.css")
        assert answer.status_code == 303
        assert answer.headers["location"] == "/sign-in"
