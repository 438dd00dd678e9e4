"""A skill's life: a draft, approved as it is, demoted when it fails, kept in its
versions, and forgotten whole.
"""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from hexad import Hexad, Layer
from hexad.errors import (
    BackupError,
    DailyLimit,
    InvalidInput,
    RateLimited,
    SkillRefused,
)
from hexad.skills import validation
from hexad.skills.definition import fingerprint
from hexad.store import Entry
from tests.support import FixedClock, opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad.model import Json, Skill


def instruct(
    hx: Hexad, text: str = "Say hello", name: str = "greet", **fields: Any
) -> Skill:
    given = {
        "kind": "instruction",
        "description": "Greet a visitor",
        "definition": {"text": text},
        **fields,
    }
    return hx.skills.create(name, **given)


def script(hx: Hexad, text: str, name: str = "job", **definition: Any) -> Skill:
    return hx.skills.create(
        name,
        kind="script",
        description="Do a job",
        definition={"script": text, **definition},
    )


def failing(hx: Hexad, name: str = "fragile") -> None:
    steps: dict[str, Json] = {"steps": [{"tool": "act", "args": {"ok": "{{ ok }}"}}]}
    schema: dict[str, Json] = {
        "properties": {"ok": {"type": "boolean"}},
        "required": ["ok"],
    }
    hx.skills.create(
        name, kind="composite", description="Act", definition=steps, parameters=schema
    )
    hx.skills.activate(name)


def act(*, ok: bool) -> dict[str, Any]:
    return {"ok": ok, "message": "password=hunter2hunter2 was wrong"}


# --- approval -----------------------------------------------------------------------------------------------------


@requirement("SKILL-01", "SKILL-03")
def test_a_skill_is_a_draft_until_a_person_approves_exactly_what_it_is(
    hx: Hexad,
) -> None:
    draft = instruct(hx)
    assert (draft.status, draft.requires_approval, draft.approved, draft.version) == (
        "draft",
        True,
        "",
        1,
    )
    seen = hx.skills.review("greet")
    assert (seen.skill, seen.obstacle, seen.findings) == (draft, "", ())
    active = hx.skills.activate("greet", by="ada", seen=seen.fingerprint)
    assert (active.status, active.requires_approval, active.approved_by) == (
        "active",
        False,
        "ada",
    )
    assert active.approved == seen.fingerprint
    assert hx.skills.activate("greet", by="ada") == active
    assert [record.action for record in hx.audit.records()] == [
        "skill.save",
        "skill.active",
    ]


@requirement("SKILL-03")
@pytest.mark.parametrize(
    "change",
    [
        {"definition": {"text": "Say goodbye"}},
        {"description": "Insult a visitor"},
        {"when": "always"},
        {"parameters": {"properties": {"x": {}}}},
        {"kind": "template", "definition": {"template": "x"}},
    ],
)
def test_any_change_makes_it_a_draft_again(hx: Hexad, change: dict[str, Any]) -> None:
    instruct(hx)
    hx.skills.activate("greet", by="ada")
    changed = instruct(hx, **change)
    assert (changed.status, changed.version) == ("draft", 2)
    assert (changed.requires_approval, changed.approved, changed.approved_by) == (
        True,
        "",
        "",
    )
    with pytest.raises(SkillRefused):
        hx.skills.run("greet")


@requirement("SKILL-03")
def test_what_was_changed_after_the_review_is_not_approved(hx: Hexad) -> None:
    seen = hx.skills.review(instruct(hx).name)
    instruct(hx, "Wire money")
    with pytest.raises(SkillRefused, match="is not what was reviewed any more"):
        hx.skills.activate("greet", by="ada", seen=seen.fingerprint)
    assert hx.skills.get("greet").status == "draft"
    with pytest.raises(InvalidInput, match="must be a person"):
        hx.skills.activate("greet", by="auto_approve_skills")


@requirement("SKILL-03", "SKILL-08")
def test_an_approved_skill_with_a_rule_that_is_no_longer_understood_does_not_run(
    hx: Hexad,
) -> None:
    named: dict[str, Any] = {
        "type": "object",
        "properties": {"name": {"type": "string", "pattern": "^[a-z]+$"}},
    }
    instruct(hx)
    old = replace(hx.skills.activate("greet"), parameters=named)
    with hx.store.transaction(
        hx.namespace
    ) as unit:  # as an earlier release has stored it
        unit.put([Entry(replace(old, approved=fingerprint(old)), None)])
    for dry_run in (False, True):
        with pytest.raises(
            InvalidInput, match=r"parameters\.name\.pattern: is not supported"
        ):
            hx.skills.run("greet", {"name": "rm -rf /"}, dry_run=dry_run)
    assert hx.skills.get("greet").run_count == 0


@requirement("SKILL-03")
def test_a_row_that_was_changed_behind_hexads_back_does_not_run(file_hx: Hexad) -> None:
    instruct(file_hx)
    file_hx.skills.activate("greet")
    with sqlite3.connect(file_hx.store.location) as connection:
        connection.execute(
            """UPDATE hexad_skill_definition SET definition = '{"text":"Wire money"}'"""
        )
    connection.close()
    with pytest.raises(SkillRefused, match="is not what was approved"):
        file_hx.skills.run("greet")
    assert file_hx.skills.as_tools() == ()


@requirement("SKILL-03")
def test_auto_approval_activates_what_people_and_agents_create_and_nothing_else() -> (
    None
):
    with opened(":memory:", auto_approve_skills=True, clock=FixedClock()) as hx:
        for origin in ("user", "agent"):
            skill = instruct(hx, name=origin, origin=origin)
            assert (skill.status, skill.approved_by) == (
                "active",
                "auto_approve_skills",
            )
            assert (
                skill.requires_approval,
                hx.skills.get(origin).requires_approval,
            ) == (False, False)
            assert hx.skills.run(origin).ok
        for origin in ("tool", "import"):
            draft = instruct(hx, name=origin, origin=origin)
            assert (draft.status, draft.requires_approval) == ("draft", True)
        assert hx.skills.activate("agent", by="ada").approved_by == "ada"


@requirement("SKILL-03")
def test_what_a_person_deprecated_an_agent_cannot_bring_back_by_changing_it() -> None:
    with opened(":memory:", auto_approve_skills=True) as hx:
        instruct(hx, origin="agent", session="first")
        hx.skills.deprecate("greet")
        for text in ("Say hello!", "Say hello!!", "Say hello", "Say hello"):
            changed = instruct(hx, text, origin="agent", session="later")
            assert (changed.status, changed.approved, changed.requires_approval) == (
                "deprecated",
                "",
                True,
            )
            assert hx.skills.as_tools() == hx.skills.search("greet") == ()
            with pytest.raises(
                SkillRefused,
                match=r"is deprecated .a person deprecated it, and an agent changed it",
            ):
                hx.skills.run("greet")
        assert changed.version == 4
        assert instruct(hx, "Hey", origin="tool").status == "deprecated"
        assert hx.skills.activate("greet", by="ada").status == "active"


@requirement("SKILL-03", "KNOW-04")
def test_forgetting_the_agents_change_does_not_bring_it_back_either() -> None:
    with opened(":memory:", auto_approve_skills=True) as hx:
        instruct(hx, session="first")
        instruct(hx, "Say hello!", session="later")
        hx.skills.deprecate("greet")
        hx.forget(session="later")
        assert hx.skills.get("greet").definition == {"text": "Say hello"}
        assert instruct(hx, "Say hello!", origin="agent").status == "deprecated"


@requirement("SKILL-03")
@pytest.mark.parametrize(
    ("origin", "status"), [("user", "active"), ("import", "draft")]
)
def test_a_person_takes_up_again_what_a_person_deprecated(
    origin: str, status: str
) -> None:
    with opened(":memory:", auto_approve_skills=True) as hx:
        instruct(hx, origin="agent")
        hx.skills.deprecate("greet")
        assert instruct(hx, "Say hello!", origin=origin).status == status


@requirement("SKILL-03", "SKILL-05")
def test_auto_approval_never_activates_a_script_that_needs_something_or_is_rejected() -> (
    None
):
    with opened(":memory:", auto_approve_skills=True) as hx:
        assert script(hx, "echo hello").status == "active"
        for text, needs, reason in (
            ("rm -rf /", [], "is rejected: line 1"),
            ("curl https://example.com", [], "needs network"),
            (
                "curl https://example.com",
                ["network"],
                "a person must approve that it gets: network",
            ),
        ):
            skill = script(hx, text, needs=needs)
            assert skill.status == "draft"
            assert reason in skill.reason


@requirement("SKILL-05")
@pytest.mark.parametrize(
    ("harm", "more"),
    [
        (":(){ :|:& };:", {}),
        ("sh h.sh", {"files": {"h.sh": {"base64": "cm0gLXJmIH4K"}}}),
    ],
    ids=["the script", "a file of it"],
)
def test_a_script_is_validated_when_it_is_activated_and_again_before_it_runs(
    file_hx: Hexad, harm: str, more: dict[str, Any]
) -> None:
    script(file_hx, "echo hello; " + harm, **more)
    with pytest.raises(SkillRefused, match="is rejected: line 1"):
        file_hx.skills.activate("job", by="ada")
    script(file_hx, "echo hello")
    approved = file_hx.skills.activate("job")
    with sqlite3.connect(
        file_hx.store.location
    ) as connection:  # somebody who can forge the approval too
        definition = {"script": harm, **more}
        forged = _fingerprint(approved, definition)
        connection.execute("UPDATE hexad_skill SET approved = ?", (forged,))
        connection.execute(
            "UPDATE hexad_skill_definition SET definition = ?",
            (json.dumps(definition),),
        )
    connection.close()
    with pytest.raises(SkillRefused, match="is rejected"):
        file_hx.skills.run("job")
    assert file_hx.skills.get("job").run_count == 0


def _fingerprint(skill: Skill, definition: dict[str, Any]) -> str:
    from dataclasses import replace

    from hexad.skills.definition import fingerprint

    return fingerprint(replace(skill, definition=definition))


@requirement("SKILL-05")
def test_a_script_gets_only_what_it_declares_and_a_named_person_approves(
    hx: Hexad,
) -> None:
    script(hx, "curl https://example.com")
    with pytest.raises(
        SkillRefused,
        match='needs network, and its definition does not say so: give it "needs"',
    ):
        hx.skills.activate("job", by="ada")
    script(hx, "curl https://example.com", needs=["network"])
    assert hx.skills.review("job").grants == ("network",)
    with pytest.raises(
        InvalidInput, match="must name the person who approves that 'job' gets: network"
    ):
        hx.skills.activate("job")
    assert hx.skills.activate("job", by="ada").status == "active"


@requirement("SKILL-05")
def test_without_the_extra_a_script_stays_a_draft_and_says_what_to_install(
    hx: Hexad, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(hx, "echo a script that nobody checked before")
    monkeypatch.setattr(validation, "available", lambda: False)
    with pytest.raises(
        SkillRefused, match=r"stays a draft: .*pip install .*\[scripts\]"
    ):
        hx.skills.activate("job")
    assert hx.skills.get("job").status == "draft"


@requirement("SKILL-06", "SKILL-08")
def test_an_active_script_runs_in_the_sandbox_with_its_parameters_as_variables(
    file_hx: Hexad,
) -> None:
    schema: dict[str, Json] = {
        "properties": {"name": {"type": "string"}, "many": {"type": "array"}}
    }
    text = 'echo "$name $many"; cat "$0" >/dev/null; cat data/x.txt; test -r "$db" || echo hidden; exit $code'
    schema["properties"]["db"] = {"type": "string"}  # type: ignore[index,call-overload]
    schema["properties"]["code"] = {"type": "integer", "default": 0}  # type: ignore[index,call-overload]
    files = {"data/x.txt": {"text": "from a file\n"}}
    definition: dict[str, Json] = {
        "script": text.replace('cat "$0" >/dev/null; ', ""),
        "files": files,
    }
    file_hx.skills.create(
        "job", kind="script", description="d", definition=definition, parameters=schema
    )
    file_hx.skills.activate("job")
    given: dict[str, Any] = {
        "name": "$(id) ; a b",
        "many": [1, "x"],
        "db": file_hx.store.location,
    }
    result = file_hx.skills.run("job", given)
    assert result.output == '$(id) ; a b [1, "x"]\nfrom a file\nhidden\n'
    assert result.script is not None
    assert (result.ok, result.script.exit_code, result.files) == (
        True,
        0,
        ("data/x.txt",),
    )
    failed = file_hx.skills.run("job", {**given, "code": 3})
    assert (failed.ok, failed.error) == (False, "the script ended with exit code 3")
    with pytest.raises(InvalidInput, match="environment name: holds NUL"):
        file_hx.skills.run("job", {"name": "a\0b"})
    plan = file_hx.skills.run("job", given, dry_run=True)
    assert plan.steps[0].args["environment"]["many"] == '[1, "x"]'
    runs = [
        record.details
        for record in file_hx.audit.records()
        if record.action == "skill.run"
    ]
    assert [(run["outcome"], run["exit_code"]) for run in runs] == [
        ("ok", 0),
        ("failed", 3),
    ]


# --- how it fares -------------------------------------------------------------------------------------------------


@requirement("SKILL-01")
def test_a_skill_that_fails_three_of_its_last_five_runs_is_a_draft_again_with_the_reason(
    hx: Hexad,
) -> None:
    failing(hx)
    for ok in (False, True, False, True, True, True, False, False):
        hx.skills.run("fragile", {"ok": ok}, tools={"act": act})
        assert hx.skills.get("fragile").status == "active"
    hx.skills.run("fragile", {"ok": False}, tools={"act": act})
    demoted = hx.skills.get("fragile")
    assert (demoted.status, demoted.approved, demoted.requires_approval) == (
        "draft",
        "",
        True,
    )
    assert demoted.reason.startswith(
        "failed 3 of its last 5 runs; the last time: step 1 (act): password=[redacted"
    )
    assert "hunter2" not in str(demoted)
    with pytest.raises(SkillRefused, match=r"is a draft .failed 3 of its last 5 runs"):
        hx.skills.run("fragile", {"ok": True}, tools={"act": act})
    assert hx.skills.search("act") == ()
    assert hx.audit.records()[-1].action == "skill.demote"
    again = hx.skills.activate("fragile", by="ada")
    assert (again.status, again.reason, again.recent, again.run_count) == (
        "active",
        "",
        "",
        9,
    )


@requirement("SKILL-01")
def test_a_skill_that_worked_often_outlives_wrong_input_until_nothing_works_any_more(
    hx: Hexad,
) -> None:
    failing(hx)
    for ok in [True] * 8 + [False] * 5:
        hx.skills.run("fragile", {"ok": ok}, tools={"act": act})
        assert hx.skills.get("fragile").status == "active"
    hx.skills.run("fragile", {"ok": False}, tools={"act": act})
    assert hx.skills.get("fragile").reason.startswith("failed 5 of its last 5 runs")


@requirement("SKILL-01")
def test_how_an_earlier_version_fared_does_not_count_against_the_new_one(
    hx: Hexad,
) -> None:
    failing(hx)

    def change_and_fail(*, ok: bool) -> dict[str, Any]:
        failing(hx)
        hx.skills.create(
            "fragile",
            kind="instruction",
            description="Another",
            definition={"text": "x"},
            parameters={},
        )
        return act(ok=ok)

    hx.skills.run("fragile", {"ok": False}, tools={"act": change_and_fail})
    skill = hx.skills.get("fragile")
    assert (skill.version, skill.run_count, skill.recent) == (2, 0, "")


@requirement("SKILL-01")
def test_history_shows_what_a_skill_is_and_was(hx: Hexad) -> None:
    for text in ("one", "two", "two", "three"):
        instruct(hx, text, author="ada")
    hx.skills.activate("greet")
    versions = hx.skills.history("greet")
    assert [
        (each.version, each.definition["text"], each.author) for each in versions
    ] == [
        (3, "three", "ada"),
        (2, "two", "ada"),
        (1, "one", "ada"),
    ]


# --- limits -------------------------------------------------------------------------------------------------------


@requirement("LIMIT-05")
def test_agents_create_ten_skills_a_day_and_people_and_imports_do_not_count(
    hx: Hexad, clock: FixedClock
) -> None:
    for number in range(10):
        instruct(hx, name=f"a{number}", origin="agent", session="s")
    instruct(
        hx, name="a9", origin="agent", session="s"
    )  # the same again is no creation
    with pytest.raises(DailyLimit, match="max_skills_per_day=10") as error:
        instruct(hx, name="more", origin="agent", session="other")
    assert isinstance(error.value, RateLimited)
    assert (error.value.kind, error.value.limit, error.value.session) == (
        "skills",
        10,
        "other",
    )
    rejected = hx.audit.records()[-1]
    assert (rejected.action, rejected.session) == ("skills.reject", "other")
    assert (
        instruct(hx, "changed", name="a0", origin="agent").version == 2
    )  # its own, and so no creation either
    instruct(hx, name="a person's")
    with pytest.raises(DailyLimit):
        instruct(hx, "changed", name="a person's", origin="agent")
    for origin in ("user", "import", "tool"):
        assert instruct(hx, name=origin, origin=origin).status == "draft"
    instruct(hx.scoped(namespace="away"), name="more", origin="agent")
    clock.advance(days=1)
    assert instruct(hx, name="more", origin="agent").status == "draft"


@requirement("LIMIT-05", "LIMIT-03")
def test_a_creation_that_fails_or_is_refused_does_not_count() -> None:
    with opened(":memory:", max_skills_per_day=1) as hx:
        with pytest.raises(InvalidInput):
            instruct(hx, origin="agent", kind="template")
        assert instruct(hx, origin="agent").version == 1
        with pytest.raises(DailyLimit):
            instruct(hx, name="more", origin="agent")
        assert [skill.name for skill in hx.skills.list()] == ["greet"]


def _create_many(path: str, worker: int, outcomes: Any) -> None:
    made = 0
    with Hexad.open(path, enabled=True, semantic=False) as hx:
        for number in range(6):
            try:
                instruct(hx, name=f"w{worker}-{number}", origin="agent")
                made += 1
            except DailyLimit:
                pass
    outcomes.put(made)


def _run_and_approve(path: str, worker: int, outcomes: Any) -> None:
    done = {"ok": 0, "failed": 0, "refused": 0}
    with Hexad.open(path, enabled=True, semantic=False) as hx:
        for number in range(20):
            try:
                ok = hx.skills.run(
                    "fragile", {"ok": (number + worker) % 2 == 0}, tools={"act": act}
                ).ok
                done["ok" if ok else "failed"] += 1
            except SkillRefused:
                done["refused"] += 1
                hx.skills.activate("fragile", by=f"worker {worker}")
    outcomes.put(done)


def _in_processes(work: Any, path: Path, workers: int) -> list[Any]:
    context = multiprocessing.get_context("spawn")
    outcomes = context.Queue()
    started = [
        context.Process(target=work, args=(str(path), worker, outcomes))
        for worker in range(workers)
    ]
    for process in started:
        process.start()
    results = [outcomes.get(timeout=500) for _ in started]
    for process in started:
        process.join(timeout=500)
    return results


@requirement("LIMIT-05", "LIMIT-02")
def test_the_daily_limit_holds_over_processes(tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db") as hx:
        assert sum(_in_processes(_create_many, tmp_path / "agent.db", 2)) == 10
        assert len(hx.skills.list()) == 10


@requirement("SKILL-01", "SKILL-03")
def test_processes_that_run_approve_and_demote_at_once_lose_no_count(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "agent.db") as hx:
        failing(hx)
        shown = _in_processes(_run_and_approve, tmp_path / "agent.db", 2)
        skill = hx.skills.get("fragile")
        assert skill.run_count == sum(each["ok"] + each["failed"] for each in shown)
        assert skill.success_count == sum(each["ok"] for each in shown)
        actions = [record.action for record in hx.audit.records()]
        assert actions.count("skill.run") == skill.run_count
        assert actions.count("skill.demote") > 0
        assert hx.audit.verify().ok


# --- where it goes ------------------------------------------------------------------------------------------------


@requirement("SKILL-01", "STORE-04")
def test_a_backup_carries_approval_counts_and_versions_and_an_import_makes_drafts(
    hx: Hexad, tmp_path: Path
) -> None:
    instruct(hx, "one", when="somebody comes")
    instruct(hx, "two", when="somebody comes")
    hx.skills.activate("greet", by="ada")
    hx.skills.run("greet")
    hx.backup(tmp_path / "all.jsonl")
    with opened(tmp_path / "back.db") as back:
        back.restore(tmp_path / "all.jsonl")
        assert back.skills.get("greet") == hx.skills.get("greet")
        assert back.skills.history("greet") == hx.skills.history("greet")
        assert back.skills.run("greet").ok
    with opened(tmp_path / "mine.db", auto_approve_skills=True) as mine:
        mine.import_file(tmp_path / "all.jsonl")
        skill = mine.skills.get("greet")
        assert (skill.status, skill.approved, skill.approved_by, skill.origin) == (
            "draft",
            "",
            "",
            "import",
        )
        assert (skill.when, skill.run_count, len(mine.skills.history("greet"))) == (
            "somebody comes",
            0,
            1,
        )


@requirement("SKILL-02", "STORE-04")
def test_a_backup_with_a_strange_version_or_an_import_with_a_strange_definition_changes_nothing(
    hx: Hexad, tmp_path: Path
) -> None:
    instruct(hx, "one")
    instruct(hx, "two")
    hx.backup(tmp_path / "all.jsonl")
    whole = (tmp_path / "all.jsonl").read_text(encoding="utf-8")
    for old, new in (
        ('"version":1,"description"', '"version":2,"description"'),
        (
            '"type":"skill_version","name":"greet"',
            '"type":"skill_version","name":"other"',
        ),
    ):
        (tmp_path / "bad.jsonl").write_text(whole.replace(old, new), encoding="utf-8")
        with opened(":memory:") as back, pytest.raises(BackupError, match="version"):
            back.restore(tmp_path / "bad.jsonl")
    (tmp_path / "bad.jsonl").write_text(
        whole.replace('{"text":"two"}', '{"txt":"two"}'), encoding="utf-8"
    )
    with opened(":memory:") as mine:
        with pytest.raises(BackupError, match="needs 'text'"):
            mine.import_file(tmp_path / "bad.jsonl")
        assert mine.skills.list() == ()


@requirement("KNOW-04")
def test_deleting_and_forgetting_a_skill_take_its_versions_along(hx: Hexad) -> None:
    for way in (hx.skills.delete, hx.skills.forget):
        instruct(hx, "one")
        instruct(hx, "two")
        way("greet")
        with hx.store.reading("default") as view:
            assert view.versions(Layer.SKILL_PATTERNS, "greet") == []
        assert instruct(hx, "three").version == 1
        hx.skills.delete("greet")


@requirement("KNOW-04")
def test_forgetting_a_session_takes_what_it_said_of_a_skill_and_leaves_what_others_said(
    hx: Hexad,
) -> None:
    instruct(hx, "one", session="a")
    instruct(hx, "two", session="b")
    hx.skills.activate("greet")
    hx.forget(session="b")
    back = hx.skills.get("greet")
    assert (back.definition, back.version, back.status, back.approved) == (
        {"text": "one"},
        1,
        "draft",
        "",
    )
    assert len(hx.skills.history("greet")) == 1
    instruct(hx, "three", session="c")
    hx.forget(session="a")
    assert [each.definition["text"] for each in hx.skills.history("greet")] == ["three"]
    hx.forget(session="c")
    assert hx.skills.list() == ()
