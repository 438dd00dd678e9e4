"""Sentences and forms of the pages, as a person reads and sends them: nothing is
promised that did not happen.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import httpx2
import pytest

from tests.server.server_support import caller, secret, serving, tokens_in
from tests.server.test_dashboard import Visitor
from tests.store import postgres
from tests.support import opened, requirement

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
def test_forgetting_says_that_bytes_are_left_while_another_program_reads(
    url: str, hx: Hexad
) -> None:
    with (
        Visitor(base_url=url) as one,
        closing(sqlite3.connect(hx.store.location, isolation_level=None)) as other,
    ):
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM hexad_knowledge").fetchone()
        held = one.form("knowledge", do="forget", knowledge="diary").text
        assert "not every byte is gone: another program still reads" in held
        assert "no bytes of it are left" not in held
        with caller(url) as api:
            assert api.post("/forget", json={"traces": True}).json()["erased"] is False
            other.execute("COMMIT")
            assert api.post("/forget", json={"traces": True}).json() == {
                "entries": 0,
                "erased": True,
                "detail": "",
            }
        hx.knowledge.save("diary", "again")
        assert (
            "no bytes of it are left"
            in one.form("knowledge", do="forget", knowledge="diary").text
        )


@requirement("DASH-01", "PG-06")
def test_forgetting_on_a_server_says_what_its_maintenance_still_has_to_do(
    tokens: Tokens,
) -> None:
    place = postgres.new_schema()
    try:
        with (
            opened(place, semantic=False) as hx,
            serving(hx, tokens) as url,
            Visitor(base_url=url) as one,
        ):
            hx.knowledge.save("diary", "a secret of mine")
            said = one.form("knowledge", do="forget", knowledge="diary").text
            assert "VACUUM FULL" in said
            assert "no bytes of it are left" not in said
    finally:
        postgres.drop_schema(place)


@requirement("DASH-01")
def test_a_dry_run_shows_the_steps_and_keeps_what_was_typed(
    url: str, hx: Hexad
) -> None:
    steps = [
        {"tool": "deploy", "args": {"to": "{{ place }}"}},
        {"tool": "announce", "args": {"words": "<b>done</b>"}},
    ]
    schema = {"type": "object", "properties": {"place": {"type": "string"}}}
    hx.skills.create(
        "release",
        kind="composite",
        description="R",
        definition={"steps": steps},
        parameters=schema,
    )
    hx.skills.create(
        "greet", kind="script", description="G", definition={"script": "echo hello"}
    )
    with Visitor(base_url=url) as one:
        ran = one.form(
            "skills?name=release",
            do="run",
            run="dry",
            name="release",
            parameters='{"place": "prod-9"}',
        ).text
        shown = ran.partition('id="result"')[2].partition("<details>")[0]
        assert re.findall(r"<b>(\w+)</b>", shown) == ["deploy", "announce"]
        assert "prod-9" in shown
        assert "&lt;b&gt;done&lt;/b&gt;" in shown
        assert "{&#34;place&#34;: &#34;prod-9&#34;}</textarea>" in ran
        wrong = one.form(
            "skills?name=release",
            do="run",
            run="dry",
            name="release",
            parameters='{"place": ',
        ).text
        assert "must be JSON such as" in wrong
        assert "{&#34;place&#34;: </textarea>" in wrong
        script = one.form(
            "skills?name=greet", do="run", run="dry", name="greet", parameters="{}"
        ).text
        assert (
            "echo hello" in script.partition('id="result"')[2].partition("<details>")[0]
        )


@requirement("DASH-01", "API-01")
def test_rules_that_do_not_fit_every_prompt_are_named_on_the_page_and_by_the_interface(
    url: str, hx: Hexad
) -> None:
    with caller(url) as api:
        assert api.post("/explain", json={"message": "deploy?"}).json()["unfit"] == ""
        for number in range(12):
            hx.knowledge.save(
                f"rule-{number}", f"Always check list number {number}", category="rule"
            )
        explained, status = (
            api.post("/explain", json={"message": "deploy?"}).json(),
            api.get("/status").json(),
        )
    fit = len(explained["prompt"]["standing"])
    assert 0 < fit < 12
    assert explained["unfit"].startswith(
        f"standing: {fit} of 12 rules and preferences fit 60 tokens"
    )
    assert status["unfit"] == explained["unfit"]
    assert (
        f"{fit} of 12 rules and preferences fit"
        in httpx2.get(f"{url}/playground?message=deploy").text
    )


@requirement("DASH-01")
def test_a_page_that_failed_or_is_not_there_has_the_navigation(url: str) -> None:
    for path, code in (
        ("no-such-page", 404),
        ("knowledge?key=unknown", 404),
        ("knowledge?cursor=x", 422),
    ):
        answer = httpx2.get(f"{url}/{path}")
        assert answer.status_code == code
        assert 'href="/playground"' in answer.text
        assert 'href="/settings"' in answer.text


@requirement("API-01", "DASH-01")
def test_once_a_token_was_made_the_description_needs_one_too(
    url: str, tokens: Tokens
) -> None:
    with caller(url) as nobody:
        assert nobody.get("/openapi.json").status_code == 200
        reader = secret(tokens, "read")
        assert nobody.get("/openapi.json").status_code == 401
    with caller(url, reader) as api:
        assert api.get("/openapi.json").json()["openapi"].startswith("3.1")


@requirement("DASH-01")
def test_signing_in_leads_to_the_address_that_was_asked_for(
    url: str, tokens: Tokens
) -> None:
    person = secret(tokens)
    with Visitor(base_url=url) as one:
        asked = one.get("/knowledge?key=diary", follow_redirects=True)
        found = re.search(r'name="next" value="([^"]*)"', asked.text)
        assert found
        entered = one.form("sign-in", token=person, next=found[1].replace("&amp;", "&"))
        assert str(entered.url) == f"{url}/knowledge?key=diary"
        assert (
            one.form("sign-in", token=person, next="//evil.example/knowledge").url.path
            == "/playground"
        )


@requirement("DASH-01")
def test_who_may_only_read_is_offered_no_button_that_would_be_refused(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    hx.skills.create(
        "greet", kind="template", description="Greet", definition={"template": "Hello"}
    )
    hx.references.save("Runbook", location="https://wiki.example/deploy")
    hx.proposals.propose("diet", "I am vegan")
    hx.learnings.save(
        trigger="tool:book",
        error_pattern="cannot read the day '1'",
        fix="write YYYY-MM-DD",
    )
    [learning] = hx.learnings.list()
    pages = [
        "knowledge",
        "knowledge?key=diary",
        "knowledge?layer=external_knowledge",
        "review",
        "skills?name=greet",
    ]
    pages += [f"learnings?id={learning.id}", "settings"]
    seen = {}
    for rights in (("read",), ("read", "write"), ("read", "write", "approve")):
        with Visitor(base_url=url) as one:
            one.form("sign-in", token=secret(tokens, *rights))
            texts = "".join(one.get(f"/{page}").text for page in pages)
            seen[rights[-1]] = {
                *re.findall(r'name="do" (?:type="hidden" )?value="(\w+)"', texts)
            }
    assert seen["read"] == set()
    assert seen["write"] == {
        "save",
        "delete",
        "put_reference",
        "delete_reference",
        "edit_skill",
        "run",
    }
    assert seen["approve"] >= {
        "pin",
        "forget",
        "accept_proposal",
        "activate_skill",
        "correct_learning",
        "make_token",
    }


@requirement("DASH-01")
def test_a_bulk_delete_comes_back_to_the_page_that_it_was_sent_from(
    url: str, hx: Hexad
) -> None:
    for number in range(3):
        hx.knowledge.save(f"note-{number}", "a note", category="definition")
    with Visitor(base_url=url) as one:
        page = one.get("/knowledge?category=definition&sort=key").text
        target = re.search(r'<form method="post" action="(/knowledge\?[^"]+)">', page)
        csrf = re.search(r'name="csrf" value="(\w+)"', page)
        assert target
        assert csrf
        sent = {"csrf": csrf[1], "do": "delete", "key": "note-0"}
        done = one.post(
            target[1].replace("&amp;", "&"), data=sent, follow_redirects=True
        )
        assert dict(done.url.params) == {"category": "definition", "sort": "key"}
        assert "1 entry deleted." in done.text
        assert "diary" not in done.text


@requirement("DASH-01")
def test_sorting_says_when_it_leaves_older_entries_out_and_is_off_while_searching(
    url: str, hx: Hexad
) -> None:
    assert "of the newest" not in httpx2.get(f"{url}/knowledge?sort=key").text
    lines = [
        f'{{"type": "knowledge", "key": "k{number:04}", "content": "fact {number}"}}'
        for number in range(2001)
    ]
    with caller(url) as api:
        assert (
            api.post(
                "/import", params={"name": "many.jsonl"}, content="\n".join(lines)
            ).json()["added"]
            == 2001
        )
    assert "of the newest 2,000" in httpx2.get(f"{url}/knowledge?sort=key").text
    searched = httpx2.get(f"{url}/knowledge?sort=key&query=fact").text
    assert re.search(r'<select name="sort" data-send disabled', searched)
    assert "of the newest" not in searched


@requirement("DASH-01")
def test_the_runs_of_a_skill_are_listed_with_how_they_ended(
    url: str, hx: Hexad
) -> None:
    hx.skills.create(
        "greet",
        kind="template",
        description="Greet",
        definition={"template": "Hello {{ name }}"},
    )
    hx.skills.create(
        "other", kind="template", description="Other", definition={"template": "Bye"}
    )
    hx.skills.activate("greet")
    hx.skills.activate("other")
    hx.skills.run("greet", {"name": "Ada"})
    hx.skills.run("other")
    shown = (
        httpx2.get(f"{url}/skills?name=greet")
        .text.partition('id="runs"')[2]
        .partition("</table>")[0]
    )
    assert shown.count("<tr>") == 2
    assert ">worked</span>" in shown


@requirement("DASH-01")
def test_a_script_draft_is_given_the_capability_that_its_check_asks_for(
    url: str, hx: Hexad
) -> None:
    script = "curl https://wiki.example/x"
    hx.skills.create(
        "fetch",
        kind="script",
        description="Fetch",
        definition={"script": script},
        origin="agent",
    )
    assert "does not say so" in httpx2.get(f"{url}/review").text
    typed = {
        "name": "fetch",
        "description": "Fetch",
        "when": "",
        "body": script,
        "needs": "network",
    }
    with Visitor(base_url=url) as one:
        saved = one.form("review", do="edit_skill", **typed)
    assert "does not say so" not in saved.text
    assert hx.skills.get("fetch").definition == {"script": script, "needs": ["network"]}


@requirement("DASH-01")
def test_references_are_linked_where_they_were_found(url: str, hx: Hexad) -> None:
    hx.references.save(
        "Run book",
        location="https://wiki.example/deploy",
        summary="How to roll back a deploy",
    )
    hx.prompt("", "roll back a deploy")
    link = 'href="/knowledge?layer=external_knowledge&amp;query=Run+book"'
    for page in ("timeline", "playground?message=roll+back+a+deploy"):
        assert link in httpx2.get(f"{url}/{page}").text, page


@requirement("DASH-01")
@pytest.mark.parametrize("behind_proxy", [False, True])
def test_cookies_are_for_tls_alone_behind_a_proxy(
    hx: Hexad, tokens: Tokens, behind_proxy: bool
) -> None:
    secret(tokens)
    with serving(hx, tokens, behind_proxy=behind_proxy) as url:
        assert (
            "; Secure" in httpx2.get(f"{url}/sign-in").headers["set-cookie"]
        ) is behind_proxy


@requirement("API-01")
@pytest.mark.parametrize(("behind_proxy", "refused"), [(False, True), (True, False)])
def test_the_forwarded_address_counts_only_where_a_proxy_is_trusted(
    tmp_path: Path, tokens: Tokens, behind_proxy: bool, refused: bool
) -> None:
    """Each client has a rate of its own; who may not name another address shares the
    connection's.
    """
    secret(tokens)
    with (
        opened(tmp_path / "few.db", semantic=False, server_rate=1) as hx,
        serving(hx, tokens, behind_proxy=behind_proxy) as url,
    ):
        sent = [
            {"X-Forwarded-For": f"203.0.113.9, 198.51.100.{number}"}
            for number in range(3)
        ]
        codes = {
            httpx2.get(f"{url}/sign-in", headers=forged).status_code for forged in sent
        }
    assert (429 in codes) is refused


@requirement("API-01", "DASH-01")
def test_counting_what_awaits_review_reads_no_proposal(url: str, hx: Hexad) -> None:
    hx.proposals.propose("diet", "I am vegan")
    with closing(sqlite3.connect(hx.store.location)) as other:
        other.execute("UPDATE hexad_proposal SET tags = 'no JSON'")
        other.commit()
    with caller(url) as api:
        assert api.get("/proposals").status_code == 503
        assert api.get("/status").json()["awaiting"]["proposals"] == 1
    assert 'title="1 await a decision"' in httpx2.get(f"{url}/knowledge").text
