"""Sentences and forms of the pages, as a person reads and sends them: nothing is promised that did not happen."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import httpx2
import pytest

from tests import postgres
from tests.server_support import caller, serving, tokens_in
from tests.support import opened, requirement
from tests.test_dashboard import Visitor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad import Hexad
    from hexad.server.tokens import Tokens


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return tokens_in(tmp_path)


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "agent.db", semantic=False, standing_budget=60) as engine:
        engine.knowledge.save("diary", "Deploy note: a secret of mine")
        yield engine


@pytest.fixture
def url(hx: Hexad, tokens: Tokens) -> Iterator[str]:
    with serving(hx, tokens) as base:
        yield base


@requirement("DASH-01", "KNOW-04")
def test_forgetting_says_that_bytes_are_left_while_another_program_reads(url: str, hx: Hexad) -> None:
    with Visitor(base_url=url) as one, closing(sqlite3.connect(hx.store.location, isolation_level=None)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM hexad_knowledge").fetchone()
        held = one.form("knowledge", do="forget", knowledge="diary").text
        assert "not every byte is gone: another program still reads" in held
        assert "no bytes of it are left" not in held
        with caller(url) as api:
            assert api.post("/forget", json={"traces": True}).json()["erased"] is False
            other.execute("COMMIT")
            assert api.post("/forget", json={"traces": True}).json() == {"entries": 0, "erased": True, "detail": ""}
        hx.knowledge.save("diary", "again")
        assert "no bytes of it are left" in one.form("knowledge", do="forget", knowledge="diary").text


@requirement("DASH-01", "PG-06")
def test_forgetting_on_a_server_says_what_its_maintenance_still_has_to_do(tokens: Tokens) -> None:
    place = postgres.new_schema()
    try:
        with opened(place, semantic=False) as hx, serving(hx, tokens) as url, Visitor(base_url=url) as one:
            hx.knowledge.save("diary", "a secret of mine")
            said = one.form("knowledge", do="forget", knowledge="diary").text
            assert "VACUUM FULL" in said
            assert "no bytes of it are left" not in said
    finally:
        postgres.drop_schema(place)


@requirement("DASH-01")
def test_a_dry_run_shows_the_steps_and_keeps_what_was_typed(url: str, hx: Hexad) -> None:
    steps = [{"tool": "deploy", "args": {"to": "{{ place }}"}}, {"tool": "announce", "args": {"words": "<b>done</b>"}}]
    schema = {"type": "object", "properties": {"place": {"type": "string"}}}
    hx.skills.create("release", kind="composite", description="R", definition={"steps": steps}, parameters=schema)
    hx.skills.create("greet", kind="script", description="G", definition={"script": "echo hello"})
    with Visitor(base_url=url) as one:
        ran = one.form(
            "skills?name=release", do="run", run="dry", name="release", parameters='{"place": "prod-9"}'
        ).text
        shown = ran.partition('id="result"')[2].partition("<details>")[0]
        assert re.findall(r"<b>(\w+)</b>", shown) == ["deploy", "announce"]
        assert "prod-9" in shown
        assert "&lt;b&gt;done&lt;/b&gt;" in shown
        assert "{&#34;place&#34;: &#34;prod-9&#34;}</textarea>" in ran
        wrong = one.form("skills?name=release", do="run", run="dry", name="release", parameters='{"place": ').text
        assert "must be JSON such as" in wrong
        assert "{&#34;place&#34;: </textarea>" in wrong
        script = one.form("skills?name=greet", do="run", run="dry", name="greet", parameters="{}").text
        assert "echo hello" in script.partition('id="result"')[2].partition("<details>")[0]


@requirement("DASH-01", "API-01")
def test_rules_that_do_not_fit_every_prompt_are_named_on_the_page_and_by_the_interface(url: str, hx: Hexad) -> None:
    with caller(url) as api:
        assert api.post("/explain", json={"message": "deploy?"}).json()["unfit"] == ""
        for number in range(12):
            hx.knowledge.save(f"rule-{number}", f"Always check list number {number}", category="rule")
        explained, status = api.post("/explain", json={"message": "deploy?"}).json(), api.get("/status").json()
    fit = len(explained["prompt"]["standing"])
    assert 0 < fit < 12
    assert explained["unfit"].startswith(f"standing: {fit} of 12 rules and preferences fit 60 tokens")
    assert status["unfit"] == explained["unfit"]
    assert f"{fit} of 12 rules and preferences fit" in httpx2.get(f"{url}/playground?message=deploy").text
