"""Everything that the command line does with data is a call of the interface, option by
option.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final

import pytest

from hexad.server.api.routes import EVERY_CALL, ROUTES
from tests.cli.test_cli_whole import ALL
from tests.server.server_support import caller, secret, serving, tokens_in
from tests.server.test_server_api import SKILL, packed
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hexad import Hexad
    from hexad.server.tokens import Tokens

BY_NAME: Final = {route.name: route for route in ROUTES}
BODY: Final = "body"  # the file that is sent
HOW: Final = {
    "--json",
    "--yes",
    "--db",
    "FILE",
    "FOLDER",
}  # printing, asking, and places on the caller's machine
NO_ROUTE: Final = {  # why a command has none
    (
        "migrate",
    ): "a caller must not name databases to a server; GET /export?all=true and POST /restore do it",
    **dict.fromkeys(
        [("init",), ("trust",), ("config", "show")],
        "folders and settings of the caller's machine",
    ),
    **dict.fromkeys(
        [("mcp", "install"), ("mcp", "uninstall"), ("hook",), ("serve",)],
        "programs on this machine",
    ),
}
ROUTE_OF: Final[dict[tuple[str, ...], list[str]]] = {
    ("status",): ["status"],
    ("remember",): ["add_knowledge", "put_knowledge"],
    ("edit",): ["put_knowledge"],
    ("pin",): ["pin", "unpin"],
    ("delete",): ["delete_knowledge"],
    ("undelete",): ["undelete_knowledge"],
    ("forget",): ["forget"],
    ("recall",): ["retrieve", "list_knowledge"],
    ("search",): ["retrieve", "list_knowledge"],
    ("show",): ["get_knowledge"],
    ("list",): ["list_knowledge"],
    ("history",): ["knowledge_history"],
    ("explain",): ["explain"],
    ("review",): [
        *("queue", "accept_proposal", "reject_proposal", "edit_proposal"),
        *("activate_skill", "correct_learning", "reject_learning"),
    ],
    ("backup",): ["export"],
    ("restore",): ["restore"],
    ("reindex",): ["reindex"],
    ("import",): ["import_file"],
    ("export",): ["export_pages"],
    ("capture",): ["capture"],
    ("doctor",): ["doctor", "repair"],
    ("eval",): ["measure"],
    ("reference", "add"): ["put_reference"],
    ("reference", "list"): ["list_references"],
    ("reference", "remove"): ["delete_reference"],
    ("audit", "verify"): ["verify", "verify_all"],
    ("audit", "log"): ["audit_log"],
    ("habits", "list"): ["list_habits"],
    ("habits", "reset"): ["reset_habits"],
    ("learnings", "list"): ["list_learnings"],
    ("learnings", "show"): ["get_learning"],
    ("learnings", "correct"): ["correct_learning"],
    ("learnings", "reject"): ["reject_learning"],
    ("learnings", "stats"): ["learning_statistics"],
    ("learnings", "clean"): ["clean_learnings"],
    ("learnings", "delete"): ["delete_learning"],
    ("skills", "review"): ["review_skill", "activate_skill", "deprecate_skill"],
    ("skills", "new"): ["put_skill"],
    ("skills", "list"): ["list_skills"],
    ("skills", "show"): ["get_skill"],
    ("skills", "edit"): ["put_skill"],
    ("skills", "run"): ["run_skill"],
    ("skills", "activate"): ["activate_skill"],
    ("skills", "deprecate"): ["deprecate_skill"],
    ("skills", "delete"): ["delete_skill"],
    ("skills", "history"): ["skill_history"],
    ("skills", "check"): ["check_script"],
    ("skills", "import"): ["import_skills"],
    ("skills", "export"): ["export_skill"],
    ("skills", "discover"): ["discover_skills"],
    ("tokens", "make"): ["make_token"],
    ("tokens", "list"): ["list_tokens"],
    ("tokens", "revoke"): ["revoke_token"],
}
FIELD_OF: Final = {  # options whose field has another name
    "--tag": "tags",
    "--pin": "pinned",
    "--layer": "layers",
    "--as": "format",
    "--item": "id",
    "--tool": "trigger",
    "--error": "error_pattern",
    "--seen-within": "seen_within_days",
    "--unseen-for": "unseen_for_days",
    "--params": "parameters",
    "--set": "parameters",
    "--right": "rights",
    "--for": "namespaces",
    "--text": "definition",
    "--file": "definition",
    "--shell": "definition",
    "--needs": "definition",
    ("forget", "KEY"): "knowledge",
    ("habits", "list", "--layer"): "layer",
    ("habits", "reset", "--layer"): "layer",
    ("learnings", "correct", "--id"): "learning",
    ("skills", "check", "FILE"): "script",
    ("eval", "FOLDER"): "set",
    ("recall", "--limit"): "max_per_layer",
    ("search", "--limit"): "max_per_layer",
}
IN_THE_ROUTE: Final = {  # options that choose the route
    ("pin", "--off"),
    ("doctor", "--repair"),
    ("audit", "verify", "--all"),
    *(
        (*each, way)
        for each in (("review",), ("skills", "review"))
        for way in ("NAME", "--accept", "--reject")
    ),
}
NO_FIELD: Final = {  # options of a command that has a route: why they have none
    **dict.fromkeys(
        [
            ("eval", option)
            for option in ("--baseline", "--embedder", "--no-semantic", "--foreign")
        ],
        "compare embedders and other programs on files; a server measures as it serves",
    ),
    ("eval", "--out"): "writes a page; the page Evaluation is one",
    (
        "eval",
        "--show",
    ): "prints texts of replayed sessions, which a server does not replay",
    ("skills", "export", "--force"): "replaces a folder on the caller's machine",
}


def fields_of(name: str) -> set[str]:
    route = BY_NAME[name]
    in_path = {part[1:-1] for part in route.path.split("/") if part.startswith("{")}
    return in_path | {
        *EVERY_CALL,
        *route.query,
        *(route.body or {}).get("properties", ()),
    }


def options() -> Iterator[tuple[tuple[str, ...], str]]:
    for path, command in ALL.items():
        for each in [] if hasattr(command, "commands") else command.params:
            yield (
                path,
                each.opts[0] if each.param_type_name == "option" else each.name.upper(),
            )


@requirement("API-01")
def test_every_command_has_a_route_or_a_reason() -> None:
    commands = {
        path for path, command in ALL.items() if not hasattr(command, "commands")
    }
    assert commands == ROUTE_OF.keys() | NO_ROUTE.keys()
    assert {name for names in ROUTE_OF.values() for name in names} <= BY_NAME.keys()


@requirement("API-01")
def test_every_option_of_a_command_is_a_field_of_its_route() -> None:
    known = {(*path, option) for path, option in options()}
    assert known >= {*IN_THE_ROUTE, *NO_FIELD}, "no rule for an option that is gone"
    missing = []
    for path, option in options():
        place = (*path, option)
        if path in NO_ROUTE or place in IN_THE_ROUTE or place in NO_FIELD:
            continue
        field = (
            FIELD_OF.get(place)
            or FIELD_OF.get(option)
            or option.removeprefix("--").replace("-", "_").lower()
        )
        if option in HOW and place not in FIELD_OF:
            continue
        if not any(field in fields_of(name) for name in ROUTE_OF[path]):
            missing.append((" ".join(place), field))
    assert missing == []


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


@requirement("API-01", "IO-01")
def test_every_namespace_travels_to_another_server_with_a_token_for_all(
    url: str, hx: Hexad, tokens: Tokens, tmp_path: Path
) -> None:
    hx.knowledge.save("editor", "vim")
    hx.scoped(namespace="acme").knowledge.save("theirs", "too")
    with (
        caller(url, secret(tokens)) as one,
        caller(url, secret(tokens, namespaces=("*",))) as every,
    ):
        assert one.get("/export?all=true").status_code == 403
        assert every.get("/export?namespace=*").status_code == 403
        assert (
            every.put(
                "/knowledge/x?namespace=acme%2F*", json={"content": "x"}
            ).status_code
            == 403
        )
        backup = every.get("/export?all=true").content
    with (
        opened(tmp_path / "new.db", semantic=False) as new,
        serving(new, tokens_in(tmp_path / "elsewhere")) as other,
    ):
        with caller(other) as api:
            assert api.post("/restore", content=backup).json()["lines"] > 3
        assert new.knowledge.get("editor").content == "vim"
        assert new.scoped(namespace="acme").knowledge.get("theirs").content == "too"


@requirement("API-01")
def test_listings_are_narrowed_as_on_the_command_line(url: str, hx: Hexad) -> None:
    hx.skills.create(
        "greet", kind="template", description="Greet", definition={"template": "Hello"}
    )
    hx.skills.create(
        "rest", kind="instruction", description="Rest", definition={"text": "Sit down."}
    )
    hx.learnings.save(trigger="tool:book", diagnosis="it breaks", fix="write the day")
    with caller(url) as api:

        def found(path: str, **query: Any) -> list[dict[str, Any]]:
            return list(api.get(path, params=query).json()["items"])

        assert [each["name"] for each in found("/skills", kind="template")] == ["greet"]
        assert len(found("/learnings", seen_within_days=1)) == 1
        assert found("/learnings", unseen_for_days=1) == []
        for key in ("window", "train"):
            api.put(
                f"/knowledge/{key}", json={"content": f"the {key} leaves on Tuesday"}
            )
            used = {
                "layer": "user_knowledge",
                "id": key,
                "message": f"when does the {key} leave on Tuesday?",
            }
            assert api.post("/used", json=used).json()["items"]
        assert {each["id"] for each in found("/habits", layer="user_knowledge")} == {
            "window",
            "train",
        }
        assert {
            each["id"] for each in found("/habits", layer="user_knowledge", id="train")
        } == {"train"}
        assert found("/habits", layer="tool_registry") == []


@requirement("API-01")
def test_every_log_that_a_caller_may_read_is_verified(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    for name in ("acme", "acme/dana", "other"):
        hx.scoped(namespace=name).knowledge.save("editor", "vim")
    with caller(url, secret(tokens, namespaces=("acme", "acme/*"))) as api:
        answer = api.get("/audit/verify/all").json()
        checks = api.get("/doctor").json()["checks"]
    assert [each["namespace"] for each in answer["chains"]] == ["acme", "acme/dana"]
    assert answer["ok"] is True
    assert sum(each["name"] == "audit log" for each in checks) == 2


@requirement("API-01", "SKILL-05")
def test_a_script_is_checked_without_being_stored_or_run(url: str, hx: Hexad) -> None:
    with caller(url) as api:
        assert (
            api.post("/skills/check", json={"script": "echo hello"}).json()["decision"]
            == "allow"
        )
        bad = api.post("/skills/check", json={"script": "rm -rf /"}).json()
    assert (bad["decision"], bad["findings"][0]["line"]) == ("reject", 1)
    assert hx.skills.list() == ()


@requirement("API-01")
def test_what_is_ones_own_and_what_holds_secrets_needs_a_persons_right(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    rule = {
        "type": "knowledge",
        "key": "units",
        "content": "Answer in metric units",
        "category": "rule",
    }
    line, token = json.dumps({**rule, "origin": "user"}), "ghp_" + "a1B2" * 9
    files = packed(
        **{"release/SKILL.md": SKILL.replace("Tag it", f"Tag it with {token}")}
    )
    with (
        caller(url, secret(tokens, "read", "write")) as agent,
        caller(url, secret(tokens)) as person,
    ):
        sent = {"name": "mine.jsonl", "mine": True}
        assert agent.post("/import", params=sent, content=line).status_code == 403
        assert person.post("/import", params=sent, content=line).json()["added"] == 1
        kept = {"keep_secrets": True}
        assert (
            agent.post("/skills/import", params=kept, content=files).status_code == 403
        )
        assert (
            person.post("/skills/import", params=kept, content=files).json()["folders"][
                0
            ]["result"]
            == "new"
        )
    assert hx.knowledge.get("units").origin == "user"
    assert token in hx.skills.get("release").definition["text"]


@requirement("API-01", "SAFE-05")
def test_damage_is_repaired_by_a_person_with_a_token_for_every_namespace(
    url: str, hx: Hexad, tokens: Tokens
) -> None:
    hx.knowledge.save("editor", "vim is my editor")
    with closing(sqlite3.connect(hx.store.location)) as other:
        other.execute("UPDATE hexad_knowledge SET content = 'emacs is my editor'")
        other.commit()
    people = secret(tokens), secret(tokens, namespaces=("*",))
    with caller(url, people[0]) as one, caller(url, people[1]) as every:
        assert one.get("/doctor").json()["ok"] is False
        assert one.post("/doctor").status_code == 403
        assert every.post("/doctor").json()["ok"] is True
        assert one.get("/doctor").json()["ok"] is True


@requirement("API-01", "EVAL-01")
def test_a_stored_set_is_asked_with_its_own_items_and_lines_of_this_memory(
    hx: Hexad, tokens: Tokens, tmp_path: Path
) -> None:
    home = tmp_path / "evals" / "user_knowledge" / "team"
    home.mkdir(parents=True)
    (home / "corpus.jsonl").write_text(
        '{"id": "lunch", "text": "Lunch is at noon"}\n{"id": "tea", "text": "Tea at four"}\n'
    )
    (home / "queries.jsonl").write_text(
        '{"text": "when is lunch?", "relevant": ["lunch"]}\nnonsense\n'
    )
    hx.knowledge.save("door", "The door code is on the wall")
    hx.scoped(namespace="acme").knowledge.save("hidden", "Their door code")
    asked = (
        '{"text": "where is the door code?", "relevant": ["door"]}\n{"text": "what '
        'is missing?", "relevant": ["gone"]}'
    )
    with (
        serving(hx, tokens, evals=tmp_path / "evals") as url,
        caller(url, secret(tokens, "read")) as api,
    ):
        found = api.post("/evaluate", json={"set": "user_knowledge/team"}).json()
        assert (
            found["sets"]["user_knowledge/team"]["recall_at_5"],
            found["left_out"],
        ) == (1.0, 1)
        live = api.post("/evaluate", json={"lines": asked, "misses": 5}).json()
        assert live["recall_at_5"] == 0.5
        assert [
            each["missing"] for each in live["misses"]["user_knowledge/this memory"]
        ] == [["gone"]]
        theirs = '{"text": "door code?", "relevant": ["x"], "group": "acme"}'
        assert api.post("/evaluate", json={"lines": theirs}).status_code == 403
        assert api.post("/evaluate", json={"set": "../evals"}).status_code == 404
        assert (
            "has no questions"
            in api.post("/evaluate", json={"lines": "nonsense"}).json()["detail"]
        )
    assert [entry.key for entry in hx.knowledge.list()] == ["door"]
