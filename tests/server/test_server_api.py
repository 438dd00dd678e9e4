"""The interface over HTTP: everything that the command line does with data, and who may
do what.
"""

from __future__ import annotations

import gc
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import httpx2
import pytest

from hexad.agents.address import Address
from hexad.cli.setup.hosting import tokens_of
from hexad.errors import ConfigError, InvalidInput
from hexad.mcp.http import Access
from hexad.memory.usage.timeline import fingerprint
from hexad.model import Knowledge, Learning, Skill
from hexad.schemas import fields_of
from hexad.server.api.openapi import description
from hexad.server.api.routes import ROUTES
from hexad.server.app import Hosting, app_of
from hexad.shape import shapes
from tests.mcp.mcp_support import ask, client, in_process, play
from tests.server.server_support import (
    EVERYTHING,
    caller,
    secret,
    serving,
    stock,
    tokens_in,
)
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad import Hexad
    from hexad.server.tokens import Tokens


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return tokens_in(tmp_path)


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(tmp_path / "agent.db", semantic=False) as engine:
        yield engine


@pytest.fixture
def url(hx: Hexad, tokens: Tokens) -> Iterator[str]:
    with serving(hx, tokens) as base:
        yield base


@requirement("API-01")
def test_a_made_key_follows_its_text_only_where_the_caller_says_so(url: str) -> None:
    with caller(url) as api:
        made = api.post(
            "/knowledge", json={"content": "I live in Cork", "rename": True}
        ).json()["key"]
        moved = api.put(
            f"/knowledge/{made}", json={"content": "I live in Bray", "rename": True}
        )
        assert moved.json()["key"] == "live-bray"
        assert (
            api.put(
                "/knowledge/live-bray", json={"content": "I live in Galway"}
            ).json()["key"]
            == "live-bray"
        )


@requirement("API-01")
def test_an_entry_is_saved_read_changed_found_hidden_and_brought_back(url: str) -> None:
    with caller(url) as api:
        made = api.put(
            "/knowledge/ops%2Fdeploy",
            json={"content": "Deploy on Tuesdays", "category": "rule"},
        )
        assert (made.status_code, made.json()["key"], made.json()["origin"]) == (
            201,
            "ops/deploy",
            "user",
        )
        changed = api.put(
            "/knowledge/ops%2Fdeploy",
            json={"content": "Deploy on Thursdays", "tags": ["ops"]},
        )
        assert (changed.status_code, changed.json()["version"]) == (200, 2)
        assert [
            each["content"]
            for each in api.get("/knowledge/ops%2Fdeploy/history").json()["items"]
        ] == [
            "Deploy on Thursdays",
            "Deploy on Tuesdays",
        ]
        assert (
            api.get("/knowledge", params={"query": "deploy"}).json()["items"][0]["key"]
            == "ops/deploy"
        )
        assert (
            api.get("/knowledge", params={"tag": "ops"}).json()["items"][0]["key"]
            == "ops/deploy"
        )
        assert api.put("/knowledge/ops%2Fdeploy/pin").json()["pinned"]
        assert api.delete("/knowledge/ops%2Fdeploy").status_code == 204
        assert api.get("/knowledge/ops%2Fdeploy").status_code == 404
        assert api.post("/knowledge/ops%2Fdeploy/undelete").json()["pinned"]
        gone = api.post("/forget", json={"knowledge": "ops/deploy"}).json()
        assert gone["entries"] == 1


@requirement("API-01")
def test_a_lost_update_is_refused(url: str) -> None:
    with caller(url) as api:
        first = api.put(
            "/knowledge/editor", json={"content": "vim"}, headers={"If-None-Match": "*"}
        )
        tag = first.headers["etag"]
        assert (
            api.put(
                "/knowledge/editor",
                json={"content": "emacs"},
                headers={"If-Match": tag},
            ).status_code
            == 200
        )
        late = api.put(
            "/knowledge/editor", json={"content": "ed"}, headers={"If-Match": tag}
        )
        assert late.status_code == 412
        assert late.headers["content-type"] == "application/problem+json"
        assert "read it again" in late.json()["detail"]
        assert (
            api.put(
                "/knowledge/editor",
                json={"content": "ed"},
                headers={"If-None-Match": "*"},
            ).status_code
            == 412
        )
        assert (
            api.delete("/knowledge/editor", headers={"If-Match": tag}).status_code
            == 412
        )
        now = api.get("/knowledge/editor")
        assert now.json()["content"] == "emacs"
        assert (
            api.get(
                "/knowledge/editor", headers={"If-None-Match": now.headers["etag"]}
            ).status_code
            == 304
        )


@requirement("API-01")
@requirement("LIMIT-01")
def test_a_save_under_a_condition_counts_against_the_limit_of_its_session(
    url: str, hx: Hexad
) -> None:
    limit, new = hx.settings.max_knowledge, {"If-None-Match": "*"}
    with caller(url) as one:
        for number in range(limit):
            sent = one.put(
                f"/knowledge/n{number}?session=s",
                json={"content": f"note {number}"},
                headers=new,
            )
            assert sent.status_code == 201
        assert (
            one.put(
                "/knowledge/more?session=s", json={"content": "one more"}, headers=new
            ).status_code
            == 429
        )
        assert (
            one.put(
                "/knowledge/more?session=s", json={"content": "one more"}
            ).status_code
            == 429
        )
        assert one.get("/knowledge/more").status_code == 404
    assert [record.action for record in hx.audit.latest(2)] == [
        "knowledge.reject",
        "knowledge.reject",
    ]


@requirement("API-01")
def test_pages_of_a_listing_follow_each_other_newest_first(url: str, hx: Hexad) -> None:
    for number in range(7):
        hx.knowledge.save(f"key-{number}", f"text {number}")
    hx.knowledge.delete("key-5")
    with caller(url) as api:
        found, cursor = [], ""
        while cursor is not None:
            page = api.get(
                "/knowledge",
                params={"limit": 3, **({"cursor": cursor} if cursor else {})},
            ).json()
            found += [each["key"] for each in page["items"]]
            cursor = page["next"]
        assert found == [f"key-{number}" for number in (6, 4, 3, 2, 1, 0)]
        assert api.get("/knowledge", params={"cursor": "!"}).status_code == 422


@requirement("API-01")
def test_learnings_skills_references_and_proposals_have_the_verbs_of_the_command_line(
    url: str,
) -> None:
    with caller(url) as api:
        assert (
            api.put(
                "/references/Runbook", json={"location": "https://wiki.example/x"}
            ).status_code
            == 201
        )
        failed = api.post(
            "/observe",
            json={"tool": "deploy", "args": {"to": "prod"}, "error": "quota exceeded"},
        ).json()
        learned = failed["learning"]["id"]
        fixed = api.post(
            "/learnings/correct", json={"learning": learned, "fix": "ask ops"}
        ).json()
        assert fixed["trust"] > 0.7
        asked = api.post(
            "/learnings/fix", json={"tool": "deploy", "error": "quota exceeded"}
        ).json()
        assert asked["fix"] == "ask ops"
        wanted = {"query": "deploy quota", "trust_below": 0.5}
        assert api.get("/learnings", params=wanted).json()["items"] == []
        assert (
            api.get("/learnings", params={**wanted, "trust_below": 1}).json()["items"][
                0
            ]["id"]
            == learned
        )
        draft = {
            "kind": "template",
            "description": "Greet",
            "definition": {"template": "Hello {{ name }}"},
        }
        assert api.put("/skills/greet", json=draft).json()["status"] == "draft"
        assert [each["what"] for each in api.get("/review").json()["queue"]] == [
            "skill"
        ]
        seen = api.get("/skills/greet/review").json()["fingerprint"]
        assert (
            api.post("/skills/greet/activate", json={"seen": seen}).json()["status"]
            == "active"
        )
        assert (
            api.post("/skills/greet/run", json={"parameters": {"name": "Ada"}}).json()[
                "output"
            ]
            == "Hello Ada"
        )
        api.put("/knowledge/diet", json={"content": "I am vegetarian"})
        asked = api.post(
            "/proposals",
            json={"key": "diet", "content": "I am vegan", "sentence": "vegan now"},
        ).json()
        assert (
            api.patch(
                f"/proposals/{asked['id']}", json={"content": "I am vegan!"}
            ).status_code
            == 200
        )
        assert (
            api.post(f"/proposals/{asked['id']}/accept").json()["content"]
            == "I am vegan!"
        )
        assert api.get("/status").json()["stored"]["skill_patterns"] == 1
        assert api.get("/audit/verify").json()["ok"]


@requirement("API-01")
def test_what_is_found_for_a_message_is_the_same_json_as_on_the_command_line(
    url: str, hx: Hexad
) -> None:
    hx.knowledge.save("deploy-window", "Deploy on Tuesdays only", category="rule")
    with caller(url) as api:
        found = api.post("/retrieve", json={"message": "when may I deploy?"}).json()
        assert [each["key"] for each in found["items"]["user_knowledge"]] == [
            "deploy-window"
        ]
        assert (
            "deploy-window"
            in api.post(
                "/prompt", json={"message": "when may I deploy?", "base": "Hi."}
            ).json()["text"]
        )
        explained = api.post(
            "/explain", json={"message": "when may I deploy?", "budget": 1}
        ).json()
        assert explained["candidates"]["user_knowledge"][0]["verdict"]
        used = {
            "layer": "user_knowledge",
            "id": "deploy-window",
            "message": "when may I deploy?",
        }
        assert api.post("/used", json=used).json()["items"]


@requirement("API-01")
def test_a_namespace_is_exported_and_imported_elsewhere(url: str, hx: Hexad) -> None:
    hx.knowledge.save("deploy-window", "Deploys take place on Tuesdays")
    hx.knowledge.save("units", "Always answer in metric units", category="rule")
    hx.scoped(namespace="other").knowledge.save("hidden", "not exported")
    with caller(url) as api:
        lines = api.get("/export").content
        assert b"deploy-window" in lines
        assert b"hidden" not in lines
        came = api.post("/import", params={"namespace": "copy"}, content=lines)
        assert came.status_code == 200, came.text
        entry = api.get("/knowledge/deploy-window", params={"namespace": "copy"}).json()
        assert (entry["content"], entry["origin"]) == (
            "Deploys take place on Tuesdays",
            "import",
        )
        assert (
            api.get("/knowledge/units", params={"namespace": "copy"}).status_code == 404
        )  # a rule waits for a person
        assert set(api.get("/namespaces").json()["items"]) == {
            "copy",
            "default",
            "other",
        }


SKILL = """---
name: release
description: How we release
---
Tag it, then run scripts/publish.sh
"""


def packed(**files: str) -> bytes:
    """A ZIP file."""
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as file:
        for name, text in files.items():
            each = zipfile.ZipInfo(name)
            each.external_attr = (0o755 if name.endswith(".sh") else 0o644) << 16
            file.writestr(each, text)
    return found.getvalue()


@requirement("API-01")
def test_a_folder_of_skills_is_sent_as_a_zip_file_and_comes_back_as_it_was(
    url: str, hx: Hexad
) -> None:
    files = {
        "release/SKILL.md": SKILL,
        "release/scripts/publish.sh": "echo",
        "bad/SKILL.md": "nothing",
    }
    with caller(url) as api:
        came = api.post("/skills/import", content=packed(**files)).json()["folders"]
        assert [(each["folder"], each["result"]) for each in came] == [
            ("bad", "refused"),
            ("release", "new"),
        ]
        assert api.get("/skills/release").json()["status"] == "draft"
        with zipfile.ZipFile(
            io.BytesIO(api.get("/skills/release/folder").content)
        ) as back:
            assert back.read("release/SKILL.md").decode() == SKILL
            assert (
                back.getinfo("release/scripts/publish.sh").external_attr >> 16 & 0o111
            )
        outside = packed(**{"../../outside/SKILL.md": SKILL})
        assert (
            api.post("/skills/import", content=outside).json()["folders"][0]["folder"]
            == "outside"
        )
        assert (
            api.post("/skills/import", content=b"PK\x03\x04 broken").status_code == 422
        )
        assert api.post("/skills/import", content=b"no zip").status_code == 422


@requirement("API-01")
def test_files_of_other_programs_and_conversations_come_in_and_pages_go_out(
    url: str,
) -> None:
    with caller(url) as api:
        chat = {"messages": [{"role": "user", "content": "I prefer metric units."}]}
        assert (
            api.post("/capture", json=chat).json()["proposed"][0]["sentence"]
            == "I prefer metric units."
        )
        notes = packed(
            **{
                "notes/deploy.md": "---\ntype: knowledge\nkey: deploy\n---\nDeploys are on Tuesdays\n"
            }
        )
        assert (
            api.post("/import", params={"preview": True}, content=notes).json()["added"]
            == 1
        )
        assert api.get("/knowledge/deploy").status_code == 404
        assert api.post("/import", content=notes).json()["added"] == 1
        rules = api.post(
            "/import",
            params={"name": "CLAUDE.md"},
            content="# Rules\n- Never deploy on Fridays\n",
        )
        assert rules.json()["proposed"] == 1
        with zipfile.ZipFile(io.BytesIO(api.get("/export/pages").content)) as pages:
            assert any(
                b"Deploys are on Tuesdays" in pages.read(name)
                for name in pages.namelist()
            )


@requirement("API-01")
def test_a_backup_is_restored_into_an_empty_database_by_who_may_use_all_of_it(
    url: str, hx: Hexad, tokens: Tokens, tmp_path: Path
) -> None:
    with opened(tmp_path / "old.db", semantic=False) as old:
        old.knowledge.save("editor", "vim")
        old.scoped(namespace="acme").knowledge.save("theirs", "too")
        old.backup(tmp_path / "old.jsonl")
    backup = (tmp_path / "old.jsonl").read_bytes()
    with (
        caller(url, secret(tokens)) as api,
        caller(url, secret(tokens, namespaces=("*",))) as everywhere,
    ):
        assert api.post("/restore", content=backup).status_code == 403
        assert everywhere.post("/restore", content=backup).json()["lines"] > 3
        assert api.get("/knowledge/editor").json()["origin"] == "user"
        assert hx.scoped(namespace="acme").knowledge.get("theirs").content == "too"
        assert everywhere.post("/restore", content=backup).status_code == 422
        assert api.get("/doctor").json()["ok"]
        assert (
            api.post("/reindex").status_code == 409
        )  # this server searches by words alone


@requirement("API-01")
def test_rights_decide_who_may_read_write_and_approve(url: str, tokens: Tokens) -> None:
    reader, writer, person = (
        secret(tokens, "read"),
        secret(tokens, "read", "write"),
        secret(tokens),
    )
    with (
        caller(url) as nobody,
        caller(url, reader) as one,
        caller(url, writer) as agent,
        caller(url, person) as api,
    ):
        assert nobody.get("/knowledge").status_code == 401
        assert (
            api.put("/knowledge/diet", json={"content": "I am vegetarian"}).status_code
            == 201
        )
        assert one.get("/knowledge/diet").status_code == 200
        assert (
            one.put("/knowledge/diet", json={"content": "I eat meat"}).status_code
            == 403
        )
        assert (
            agent.put("/knowledge/diet", json={"content": "I eat meat"}).status_code
            == 409
        )
        assert agent.delete("/knowledge/diet").status_code == 409
        assert (
            agent.put("/knowledge/own", json={"content": "seen at work"}).json()[
                "origin"
            ]
            == "agent"
        )
        assert (
            agent.put(
                "/knowledge/mine", json={"content": "x", "pinned": True}
            ).status_code
            == 403
        )
        assert agent.put("/knowledge/own/pin").status_code == 403
        assert agent.post("/forget", json={"everything": True}).status_code == 403
        assert agent.get("/tokens").status_code == 403
        assert api.delete("/knowledge/diet").status_code == 204
        assert [
            each.get("/knowledge?deleted=true").status_code
            for each in (one, agent, api)
        ] == [403, 403, 200]
        assert one.get("/knowledge?deleted=false").status_code == 200
        assert api.get("/tokens").json()["items"][0]["rights"] == ["read"]


@requirement("API-01")
def test_a_token_reaches_its_own_namespaces_alone(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    hx.scoped(namespace="acme/dana").knowledge.save("secret-plan", "theirs")
    theirs, others = (
        secret(tokens, namespaces=("acme/*",)),
        secret(tokens, namespaces=("globex",)),
    )
    with caller(url, others) as api, caller(url, theirs) as own:
        for path in (
            "/knowledge/secret-plan",
            "/knowledge",
            "/export",
            "/audit",
            "/review",
            "/status",
        ):
            assert api.get(path, params={"namespace": "acme/dana"}).status_code == 403
        assert api.get("/namespaces").json()["items"] == []
        assert (
            own.get(
                "/knowledge/secret-plan", params={"namespace": "acme/dana"}
            ).status_code
            == 200
        )
        assert own.get("/knowledge").status_code == 403  # which of its namespaces?
        wider = {"namespaces": ["*"], "rights": ["read"]}
        assert api.post("/tokens", json=wider).status_code == 403
        assert api.get("/tokens").json()["items"][0]["namespaces"] == ["globex"]


@requirement("API-01")
def test_a_revoked_token_is_refused_at_once_and_its_secret_is_stored_nowhere(
    url: str, tokens: Tokens
) -> None:
    person = secret(tokens)
    with caller(url, person) as api:
        made = api.post(
            "/tokens",
            json={"name": "ci", "namespaces": ["default"], "rights": ["read"]},
        ).json()
        with caller(url, made["secret"]) as other:
            assert other.get("/status").status_code == 200
            assert api.delete(f"/tokens/{made['id']}").status_code == 204
            assert other.get("/status").status_code == 401
    kept = tokens.file.read_text()
    assert made["secret"] not in kept
    assert person not in kept
    assert tokens.file.stat().st_mode & 0o077 == 0


@requirement("API-01")
def test_tokens_stand_beside_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tokens_of(str(tmp_path / "agent.db")).file.parent == tmp_path
    monkeypatch.setenv("HEXAD_CONFIG", str(tmp_path / "etc" / "hexad.toml"))
    assert tokens_of(str(tmp_path / "agent.db")).file.parent == tmp_path / "etc"


@requirement("API-01")
@pytest.mark.parametrize(
    ("ask_for", "status"),
    [
        ({"url": "/knowledge/x", "method": "PUT", "content": b"{"}, 415),
        ({"url": "/knowledge/x", "method": "PUT", "json": {"content": 3}}, 422),
        (
            {
                "url": "/knowledge/x",
                "method": "PUT",
                "json": {"content": "a", "colour": "b"},
            },
            422,
        ),
        ({"url": "/knowledge/x", "method": "PUT", "json": [1]}, 422),
        ({"url": "/knowledge/x", "method": "PATCH"}, 405),
        ({"url": "/no-such-thing", "method": "GET"}, 404),
        ({"url": "/knowledge/%ff", "method": "GET"}, 400),
        ({"url": "/knowledge?limit=many", "method": "GET"}, 422),
        (
            {
                "url": "/knowledge/x",
                "method": "PUT",
                "json": {"content": "a" * 5_000_000},
            },
            413,
        ),
    ],
)
def test_what_cannot_be_answered_is_a_problem_document(
    url: str, ask_for: dict[str, Any], status: int
) -> None:
    with caller(url) as api:
        answer = api.request(**ask_for)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert (answer.json()["title"] == "Not found") is (status == 404)


@requirement("API-01")
def test_pages_of_other_origins_and_other_names_are_refused(url: str) -> None:
    for headers in (
        {"Origin": "https://evil.example"},
        {"Host": "evil.example"},
        {"Origin": "null"},
    ):
        with caller(url, **headers) as api:
            assert api.post("/knowledge", json={"content": "planted"}).status_code in {
                403,
                421,
            }


@requirement("API-01")
def test_the_log_is_followed_as_events(url: str, hx: Hexad) -> None:
    hx.knowledge.save("editor", "vim")
    with (
        caller(url) as api,
        api.stream("GET", "/audit/events", params={"after": 0}) as stream,
    ):
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = (line for line in stream.iter_lines() if line.startswith("data: "))
        assert json.loads(next(lines)[6:])["action"] == "knowledge.save"
        hx.knowledge.save("editor", "emacs")
        assert json.loads(next(lines)[6:])["sequence"] == 2


@requirement("API-01")
def test_mcp_works_in_the_namespace_of_its_token_and_never_approves(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    token = secret(tokens, namespaces=("acme",))
    hx.knowledge.save("house", "not theirs")

    async def scenario() -> list[str]:
        from mcp.client.streamable_http import streamable_http_client

        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as sender,
            client(streamable_http_client(f"{url}/mcp", http_client=sender)) as one,
        ):
            saved = await ask(one, "save_knowledge", content="The build takes an hour")
            assert saved["status"] == "ok"
            return [str(each.uri) for each in (await one.list_resources()).resources]

    assert not any("house" in uri for uri in play(scenario()))
    assert [entry.origin for entry in hx.scoped(namespace="acme").knowledge.list()] == [
        "agent"
    ]
    assert [entry.key for entry in hx.knowledge.list()] == ["house"]
    assert httpx2.post(f"{url}/mcp", json={}).status_code == 401


@requirement("API-01")
def test_health_needs_no_token_and_metrics_hold_no_content(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    token = secret(tokens)
    with caller(url, token) as api:
        api.put("/knowledge/unmistakable-key", json={"content": "unmistakable content"})
        api.post("/retrieve", json={"message": "unmistakable"})
    assert httpx2.get(f"{url}/healthz").json() == {"status": "ok"}
    assert httpx2.get(f"{url}/metrics").status_code == 401
    figures = httpx2.get(
        f"{url}/metrics", headers={"Authorization": f"Bearer {token}"}
    ).text
    assert 'hexad_changes_total{action="knowledge.save"} 1' in figures
    assert 'layer="user_knowledge"' in figures
    assert "unmistakable" not in figures


@requirement("API-01")
def test_without_a_token_only_this_machine_is_served(hx: Hexad, tokens: Tokens) -> None:
    everywhere = Hosting(access=Access(address=Address("0.0.0.0", 0)))  # noqa: S104 - what is refused
    with pytest.raises(ConfigError, match="hexad tokens make"):
        app_of(hx, tokens, everywhere)
    secret(tokens, "read")
    app_of(hx, tokens, everywhere)


@requirement("API-01")
def test_mcp_tools_and_the_interface_take_fields_from_the_same_schemas(
    hx: Hexad,
) -> None:
    """An argument with the name of a field has that field's type, choices and bounds."""

    async def scenario() -> dict[str, Any]:
        async with in_process(hx) as one:
            return {
                tool.name: tool.input_schema["properties"]
                for tool in (await one.list_tools()).tools
            }

    tools = play(scenario())
    saving = {
        "save_knowledge": Knowledge,
        "save_learning": Learning,
        "create_skill": Skill,
    }
    for tool, noun in saving.items():
        known = sorted(tools[tool].keys() & shapes(noun).keys())
        assert len(known) >= 3, tool
        for name, field in fields_of(noun, " ".join(known)).items():
            argument = tools[tool][name]
            written = next(
                each
                for each in argument.get("anyOf", [argument])
                if each.get("type") != "null"
            )
            assert written["type"] == field["type"], (tool, name)
            assert set(written.get("enum", ())) <= set(field.get("enum", ())), (
                tool,
                name,
            )
            for bound in field.keys() & {"maxLength", "maxItems"}:
                assert argument[bound] == field[bound], (tool, name)


@requirement("API-01")
def test_every_answer_and_what_it_refers_to_has_properties_that_a_client_can_know() -> (
    None
):
    whole, known = description(), description()["components"]["schemas"]
    assert (
        set(re.findall(r"#/components/schemas/(\w+)", json.dumps(whole)))
        <= known.keys()
    )
    answers = [
        answer["content"]["application/json"]["schema"]
        for ways in whole["paths"].values()
        for way in ways.values()
        for status, answer in way["responses"].items()
        if status in {"200", "201"} and "application/json" in answer.get("content", {})
    ]
    assert len(answers) > 50
    assert all(
        known.get(each.get("$ref", "").rpartition("/")[2], each)["properties"]
        for each in answers
    )


@requirement("API-01")
def test_every_route_is_described_with_its_right_and_a_name_of_its_own() -> None:
    whole = description()
    described = [each for path in whole["paths"].values() for each in path.values()]
    assert len(described) == len(ROUTES)
    assert len({each["operationId"] for each in described}) == len(described)
    assert all(
        each["summary"] and "Needs the right" in each["description"]
        for each in described
    )
    assert whole["openapi"].startswith("3.1")
    assert {route.right for route in ROUTES} == set(EVERYTHING)


@requirement("API-01")
def test_the_command_serves_logs_without_content_and_stops_on_a_signal(
    tmp_path: Path,
) -> None:
    command = [
        sys.executable,
        "-m",
        "hexad",
        "serve",
        "--http",
        "127.0.0.1:0",
        "--db",
        str(tmp_path / "a.db"),
    ]
    with subprocess.Popen(
        [*command, "--log-requests"], stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        line = next(each for each in server.stderr if "serving at" in each)
        base = line.split("serving at ")[1].split("/;")[0]
        with caller(base) as api:
            assert (
                api.put("/knowledge/hush", json={"content": "quiet words"}).status_code
                == 201
            )
            wrong = {
                "lines": '{"text": "when?", "relevant": ["x"]}\nno JSON'
            }  # a warning of the log
            assert api.post("/evaluate", json=wrong).json()["left_out"] == 1
        server.send_signal(signal.SIGTERM)
        logged = server.stderr.read()
        assert server.wait(60) == 0
    assert json.loads(logged.splitlines()[0])["route"] == "/api/v1/knowledge/{key}"
    assert all(isinstance(json.loads(each), dict) for each in logged.splitlines()), (
        logged
    )
    assert "hush" not in logged
    assert "quiet" not in logged
    with opened(tmp_path / "a.db") as hx:
        assert hx.knowledge.get("hush").content == "quiet words"


def hammered(url: str, token: str, *options: str) -> None:
    """The official description against the server: valid and invalid requests, and what
    the answers must look like.
    """
    found = Path(sys.executable).with_name("schemathesis")
    # the engine's own rules go beyond a schema (no secret as a key, no control
    # characters): a refusal is no failure `/skills/check` is also a skill of that name:
    # what `Allow` lists there is true, and more than that path describes
    excluded = "positive_data_acceptance,allow_header_conformance"
    checks = [
        "--exclude-checks",
        excluded,
        "--exclude-path-regex",
        "events|export|import|restore",
    ]
    checks += [
        "--exclude-operation-id",
        "revoke_token",
    ]  # it would revoke the caller's own
    command = [
        str(found),
        "run",
        f"{url}/api/v1/openapi.json",
        "--url",
        f"{url}/api/v1",
        *checks,
        *options,
    ]
    sent = [
        "-H",
        f"Authorization: Bearer {token}",
        "--request-timeout",
        "60",
        "--no-color",
    ]
    done = subprocess.run(
        [*command, *sent],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(sys.executable).parent,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    assert "Authentication failed" not in done.stdout, done.stdout[-2000:]


@requirement("API-01")
def test_the_server_keeps_to_its_description(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    stock(hx)
    hammered(
        url,
        secret(tokens, namespaces=("*",)),
        "--phases",
        "fuzzing",
        "--max-examples",
        "3",
        "--seed",
        "1",
    )


TYPESCRIPT = Path(__file__).parents[2] / "examples" / "typescript"


@pytest.mark.skipif(
    not (TYPESCRIPT / "node_modules").exists(),
    reason="no packages: npm install in examples/typescript",
)
@requirement("API-01")
def test_a_typescript_client_is_generated_and_type_checked(url: str) -> None:
    for step in ("generate", "check"):
        command = ["npm", "run", "--silent", step]
        done = subprocess.run(
            command,
            cwd=TYPESCRIPT,
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"HEXAD_URL": url},
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.soak
@requirement("API-01")
def test_the_server_keeps_to_its_description_for_thousands_of_requests(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    stock(hx)
    hammered(
        url,
        secret(tokens, namespaces=("*",)),
        "--phases",
        "coverage,fuzzing",
        "--max-examples",
        "50",
    )


@pytest.mark.soak
@requirement("API-01")
def test_two_thousand_requests_by_thirty_two_clients_leave_memory_flat(
    url: str, hx: Hexad
) -> None:
    """The second thousand takes no more room than the first left."""
    for number in range(200):
        hx.knowledge.save(f"key-{number}", f"text {number} about deploys")

    async def client(number: int) -> None:
        async with httpx2.AsyncClient(base_url=f"{url}/api/v1", timeout=300) as api:
            for turn in range(32):
                saved = await api.put(
                    f"/knowledge/k-{number}-{turn % 4}",
                    json={"content": f"text {turn}"},
                )
                asked = await api.post("/retrieve", json={"message": "when deploys?"})
                assert (saved.status_code in {200, 201}, asked.status_code) == (
                    True,
                    200,
                )

    async def storm() -> None:
        async with anyio.create_task_group() as group:
            for number in range(32):
                group.start_soon(client, number)

    anyio.run(storm)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    anyio.run(storm)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= before * 1.1


@requirement("API-01")
def test_every_learning_and_skill_is_reached_page_by_page(url: str, hx: Hexad) -> None:
    for number in range(5):
        hx.learnings.save(
            trigger=f"tool:t{number}", diagnosis="it breaks", fix=f"use {number}"
        )
        hx.skills.create(
            f"s{number}",
            kind="instruction",
            description="how",
            definition={"text": "do it"},
        )
    with caller(url) as api:
        for path in ("/learnings", "/skills"):
            seen, cursor = list[str](), ""
            while cursor is not None:
                answer = api.get(path, params={"limit": 2, "cursor": cursor}).json()
                seen += [each.get("name") or each["id"] for each in answer["items"]]
                cursor = answer["next"]
            assert len(seen) == len(set(seen)) == 5


@requirement("API-01")
def test_a_name_that_two_tokens_have_revokes_neither(tokens: Tokens) -> None:
    ids = {tokens.make("bot", ["default"], ["read"])[0].id for _ in range(2)}
    with pytest.raises(InvalidInput) as caught:
        tokens.revoke("bot")
    assert all(each in str(caught.value) for each in ids)
    assert len(tokens.list()) == 2


@requirement("IO-01")
def test_a_file_without_a_name_is_recognised_and_a_form_is_refused(url: str) -> None:
    with caller(url) as api:
        assert (
            api.post("/import", content=b"Has a dog named Rex.\n").json()["added"] == 1
        )
        form = api.post("/import", files={"file": ("m.txt", b"Has a cat.")})
        assert form.status_code == 422
        assert "send the file itself" in form.json()["detail"]


@requirement("API-01")
@pytest.mark.parametrize(
    "how", [{"behind_proxy": True}, {"hosts": frozenset({"memory.example.com"})}]
)
def test_what_others_can_reach_through_a_proxy_needs_a_token(
    hx: Hexad, tokens: Tokens, how: dict[str, Any]
) -> None:
    access = Access(
        address=Address.parse("127.0.0.1:0"), hosts=how.pop("hosts", frozenset())
    )
    with pytest.raises(ConfigError, match="hexad tokens make"):
        app_of(hx, tokens, Hosting(access=access, **how))


@requirement("API-01")
def test_a_search_with_a_filter_finds_what_passes_it_below_better_matches(
    url: str, hx: Hexad
) -> None:
    for number in range(8):
        hx.knowledge.save(f"server-{number}", f"servers servers {number}")
    hx.knowledge.save(
        "rack", "A rack holds many of our servers in the cellar", category="definition"
    )
    with caller(url) as api:
        asked = {"query": "servers", "category": "definition", "limit": 3}
        assert [
            each["key"] for each in api.get("/knowledge", params=asked).json()["items"]
        ] == ["rack"]
        pages = [
            api.get(
                "/knowledge", params={"query": "servers", "limit": 5, "cursor": each}
            ).json()
            for each in "05"
        ]
    assert [len(each["items"]) for each in pages] == [5, 4]
    assert [each["next"] for each in pages] == ["5", None]


@requirement("API-01")
def test_a_session_is_named_in_the_body_or_in_the_address(url: str, hx: Hexad) -> None:
    with caller(url) as api:
        for address, named in (("?session=chat:0", {}), ("", {"session": "chat:1"})):
            assert (
                api.post(
                    f"/prompt{address}", json={"message": "hello", **named}
                ).status_code
                == 200
            )
            assert (
                api.post(
                    f"/observe{address}", json={"tool": "book", "result": "ok", **named}
                ).status_code
                == 200
            )
        prompts = api.get("/timeline").json()["items"]
    assert [each.session for each in hx.audit.latest(2)] == ["chat:1", "chat:0"]
    assert [each["session"] for each in prompts] == [
        fingerprint("chat:1"),
        fingerprint("chat:0"),
    ]
