from __future__ import annotations

import io
import json
import sqlite3
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from hexad.cli import main
from hexad.cli.memory import remembering
from hexad.errors import InvalidInput
from hexad.memory.keys import key_from
from hexad.settings import Settings
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

BUILDERS = pytest.mark.parametrize(
    "arguments",
    [
        ["recall", "x"],
        ["list"],
        ["history", "x"],
        ["delete", "x"],
        ["forget", "x", "--yes"],
        ["pin", "x"],
        ["reference", "list"],
        ["reference", "remove", "x"],
        ["explain", "x"],
        ["backup", "out.jsonl"],
        ["audit", "verify"],
        ["audit", "log"],
    ],
    ids=" ".join,
)


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        shown = json.loads(self.out)
        assert shown["wire"] == 1
        return dict(shown)


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """The command in this process, in an empty folder, in a pipe, with nothing on
    standard input but what is given.
    """
    monkeypatch.chdir(tmp_path)

    def ran(*arguments: str, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
        )
        code = main(arguments)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return ran


def rows(ran: Ran) -> list[list[str]]:
    return [line.split("\t") for line in ran.out.splitlines()]


@requirement("KNOW-01")
def test_what_was_remembered_is_recalled(run: Callable[..., Ran]) -> None:
    assert (
        run(
            "remember", "deploy-window", "Deploy on Tuesdays only", "--category", "rule"
        ).code
        == 0
    )
    ran = run("recall", "when may I deploy?")
    assert ran.code == 0
    assert [row[0:1] + row[2:] for row in rows(ran)] == [
        ["user_knowledge", "deploy-window", "rule", "Deploy on Tuesdays only"]
    ]


@requirement("KNOW-03")
def test_remembering_says_version_updated_or_unchanged(run: Callable[..., Ran]) -> None:
    said = [
        run("remember", "editor", "vim").out,
        run("remember", "editor", "vim").out,
        run("remember", "editor", "vim", "--tag", "tools").out,
        run("remember", "editor", "emacs").out,
    ]
    assert said == [
        "editor: version 1\n",
        "editor: unchanged\n",
        "editor: updated\n",
        "editor: version 2\n",
    ]


@requirement("KNOW-06")
def test_every_field_of_an_entry_can_be_given(run: Callable[..., Ran]) -> None:
    entry = run(
        *(
            "remember",
            "k",
            "v",
            "--category",
            "definition",
            "--tag",
            "a",
            "--tag",
            "b",
            "--source",
            "chat",
        ),
        *(
            "--subject",
            "alice",
            "--thread",
            "t",
            "--position",
            "3",
            "--pin",
            "--session",
            "slack:1",
        ),
        *("--expires", "2099-01-31T12:00:00+00:00", "--json"),
    ).json["entry"]
    assert (entry["category"], entry["tags"], entry["source"]) == (
        "definition",
        ["a", "b"],
        "chat",
    )
    assert (entry["subject"], entry["thread"], entry["position"]) == ("alice", "t", 3)
    assert (entry["pinned"], entry["session"], entry["expires"]) == (
        True,
        "slack:1",
        "2099-01-31T12:00:00+00:00",
    )


@requirement("KNOW-01")
def test_content_can_come_from_standard_input(run: Callable[..., Ran]) -> None:
    assert run("remember", "k", "-", stdin="größer\nals eine Zeile".encode()).code == 0
    assert (
        run("list", "--json").json["entries"][0]["content"] == "größer\nals eine Zeile"
    )


@requirement("CONF-04")
def test_a_redacted_secret_is_reported_and_can_be_kept(run: Callable[..., Ran]) -> None:
    ran = run("remember", "aws", "the key is AKIAIOSFODNN7EXAMPLE")
    assert ran.out == "aws: version 1\n"
    assert (
        ran.err
        == "warning: redacted: aws-access-key; --keep-secrets stores them as they are\n"
    )
    assert "AKIA" not in run("list").out
    kept = run("remember", "aws", "the key is AKIAIOSFODNN7EXAMPLE", "--keep-secrets")
    assert kept.err == ""
    assert "AKIAIOSFODNN7EXAMPLE" in run("list").out


@requirement("CONF-01")
@BUILDERS
def test_a_missing_database_is_one_sentence_and_stays_missing(
    run: Callable[..., Ran], tmp_path: Path, arguments: list[str]
) -> None:
    ran = run(*arguments, "--db", "absent.db")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(
        'error: absent.db: there is no database; `hexad remember "TEXT" --db absent.db` creates it'
    )
    assert list(tmp_path.iterdir()) == []


@requirement("STORE-01")
@BUILDERS
def test_reading_adds_nothing_to_somebody_elses_database(
    run: Callable[..., Ran], tmp_path: Path, arguments: list[str]
) -> None:
    with sqlite3.connect(tmp_path / "theirs.db") as theirs:
        theirs.execute("CREATE TABLE bills (amount)")
    theirs.close()
    before = (tmp_path / "theirs.db").read_bytes()
    ran = run(*arguments, "--db", "theirs.db")
    assert ran.code == 1
    assert "has no tables of Hexad" in ran.err
    assert (tmp_path / "theirs.db").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["theirs.db"]


@requirement("CONF-03")
def test_the_database_comes_from_the_option_then_the_environment_then_the_folder(
    run: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("remember", "k", "v")
    monkeypatch.setenv("HEXAD_DB", "named.db")
    run("remember", "k", "v")
    run("remember", "k", "v", "--db", "given.db")
    assert sorted(path.name for path in tmp_path.glob("*.db")) == [
        "given.db",
        "hexad.db",
        "named.db",
    ]


@requirement("SAVE-01")
def test_a_text_alone_is_remembered_under_a_key_that_is_shown(
    run: Callable[..., Ran],
) -> None:
    assert (
        run("remember", "I like green tea").out
        == "like-green-tea: version 1, preference\n"
    )
    assert run("remember", "I like green tea").out == "like-green-tea: unchanged\n"
    assert (
        run("remember", "-", stdin="Zum Frühstück Tee".encode()).out
        == "zum-frühstück-tee: version 1\n"
    )
    ran = run("remember", "deploy-window")
    assert ran.code == 2
    assert "TEXT: is missing: `hexad remember deploy-window" in ran.err
    assert [row[2] for row in rows(run("search", "green tea"))] == ["like-green-tea"]


@requirement("SAVE-02")
def test_a_save_that_nearly_repeats_or_contradicts_an_entry_names_it(
    run: Callable[..., Ran],
) -> None:
    run("remember", "Deploy on Tuesdays only")
    ran = run("remember", "Deploy on Thursdays only")
    assert ran.out == "deploy-thursdays: version 1, rule\n"
    assert "similar: deploy-tuesdays: Deploy on Tuesdays only\n" in ran.err
    assert "`hexad delete deploy-tuesdays` hides it" in ran.err
    [similar] = run(
        "edit", "deploy-thursdays", "Deploy on Fridays only", "--json"
    ).json["similar"]
    assert similar == {"key": "deploy-tuesdays", "content": "Deploy on Tuesdays only"}
    assert run("remember", "I like green tea").err == ""


@requirement("CAP-01")
def test_remembering_reads_until_when_a_sentence_holds(run: Callable[..., Ran]) -> None:
    assert (
        "expires 2099-02-01" in run("remember", "I work from home until 2099-01-31").err
    )
    assert (
        json.loads(run("list", "--json").out)["entries"][0]["expires"]
        == "2099-02-01T00:00:00+00:00"
    )


@requirement("SAVE-01")
def test_remembering_recognises_rules(run: Callable[..., Ran]) -> None:
    assert (
        run("remember", "Never deploy on Fridays").out
        == "never-deploy-fridays: version 1, rule\n"
    )
    assert (
        run("remember", "units", "Always answer in metric units", "--json").json[
            "entry"
        ]["category"]
        == "rule"
    )
    assert (
        run("remember", "Always be kind", "--category", "fact", "--json").json["entry"][
            "category"
        ]
        == "fact"
    )
    assert (
        run("remember", "keep answers short").out
        == "keep-answers-short: version 1, rule\n"
    )
    assert (
        run("remember", "Halte dich kurz").out == "halte-dich-kurz: version 1, rule\n"
    )
    assert run("remember", "Berlin is where we met").out == "berlin-met: version 1\n"


@requirement("SAVE-02")
@pytest.mark.parametrize(
    ("before", "after", "more"),
    [
        (
            "I live in Galway",
            "I live in Cork now",
            "I live in Galway and work as a nurse",
        ),
        ("我住在上海", "我现在住在北京", "我住在上海,在一家很大的医院当护士"),
        (
            "I live in Galway",
            "No, I live in Cork now",
            "I live in Galway and work as a nurse",
        ),
    ],
)
def test_a_correction_is_the_next_version_or_names_what_it_corrects(
    run: Callable[..., Ran], before: str, after: str, more: str
) -> None:
    run("remember", before)
    ran = run("remember", after)
    assert ran.out == f"{key_from(after.removeprefix('No, '))}: version 2\n"
    assert f"this replaces: {before}" in ran.err
    run("remember", "base", more)
    ran = run("remember", after)
    assert f"similar: base: {more}" in ran.err
    assert "`hexad delete base` hides it" in ran.err


@requirement("KNOW-01")
def test_a_name_that_is_nearly_right_is_suggested(run: Callable[..., Ran]) -> None:
    run("remember", "I like green tea")
    run("reference", "add", "Runbook", "--location", "https://wiki.example.com")
    assert "; did you mean 'like-green-tea'?" in run("show", "i-like-green-tea").err
    assert "; did you mean 'Runbook'?" in run("reference", "remove", "runbok").err
    assert "; `hexad list` shows them" in run("show", "quantum").err
    assert "; did you mean 'like-green-tea'?" in run("pin", "like-gren-tea").err


@requirement("KNOW-01")
def test_an_entry_is_shown_whole_and_edited(
    run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("remember", "Tea", "I like\ngreen tea", "--tag", "drinks", "--subject", "ada")
    shown = run("show", "tea").out
    assert "content:\n    I like\n    green tea\n" in shown
    assert all(
        each in shown
        for each in ("key\tTea\n", "tags\tdrinks\n", "about\tada\n", "said by\tuser\n")
    )
    assert run("edit", "tea", "I like black tea").out == "Tea: version 2\n"
    assert run("edit", "tea", "--category", "preference").out.startswith(
        "Tea: version 3\n"
    )
    monkeypatch.setenv("EDITOR", f'{sys.executable} -c "{_SWAP}"')
    assert run("edit", "tea").out == "Tea: version 4\n"
    assert run("show", "tea", "--json").json["entry"]["content"] == "I like white tea"
    assert run("show", "coffee").code == 1


@requirement("KNOW-01")
def test_a_key_that_was_made_from_a_text_follows_its_edit_and_a_given_one_stays(
    run: Callable[..., Ran],
) -> None:
    run("remember", "Paulo owns the billing service")
    ran = run("edit", "paulo-owns-billing-service", "Sofia owns the billing service")
    assert ran.out == "sofia-owns-billing-service: version 2\n"
    assert (
        "this replaces: Paulo owns the billing service; `hexad history sofia-owns-billing-service`"
        in ran.err
    )
    assert "paulo" not in run("explain", "who owns the billing service?").out
    run("remember", "owner", "Paulo owns the search service")
    assert (
        run("edit", "owner", "Sofia owns the search service").out
        == "owner: version 2\n"
    )


_SWAP = (
    "import pathlib, sys; form = pathlib.Path(sys.argv[1]); "
    "form.write_text(form.read_text().replace('black', 'white'))"
)


@requirement("KNOW-01")
def test_the_list_shows_what_is_stored_and_what_sets_it_apart(
    run: Callable[..., Ran],
) -> None:
    run(
        "remember",
        "a",
        "first\tline\nsecond",
        "--category",
        "rule",
        "--pin",
        "--tag",
        "x",
    )
    run("remember", "b", "old", "--expires", "2001-01-01")
    run("remember", "c", "soon", "--expires", "12h")
    assert rows(run("list")) == [
        ["a", "rule", "1", "pinned, #x", "first line second"],
        ["b", "fact", "1", "expired", "old"],
        ["c", "fact", "1", "expires", "soon"],
    ]
    assert [row[0] for row in rows(run("list", "--category", "rule"))] == ["a"]


@requirement("KNOW-01")
def test_an_empty_answer_leaves_the_pipe_empty_and_says_so_beside_it(
    run: Callable[..., Ran],
) -> None:
    run("remember", "a", "b")
    see = ", and `hexad list` lists everything\n"
    beyond = "nothing found beyond what every prompt has (1 entry); `hexad explain zebra` shows what was near"
    assert run("recall", "zebra") == Ran(0, "", f"{beyond}{see}")
    wordless = (
        f"nothing found: the query has no word to search for; try other words{see}"
    )
    assert run("recall", "the of and").err == wordless
    assert (
        "`hexad list --category rule`"
        in run("recall", "zebra", "--category", "rule").err
    )
    run("remember", "allergy", "I am allergic to peanuts", "--pin")
    assert run("recall", "zebra").err.startswith(
        "nothing found beyond what every prompt has (2 entries); "
    )
    assert (
        run("list", "--category", "rule").err
        == "no stored entry has the category rule\n"
    )
    assert run("reference", "list").err == "no references are stored here\n"
    assert run("audit", "log", "--namespace", "nobody").err == "the log is empty\n"


@requirement("KNOW-01")
@pytest.mark.parametrize(
    ("query", "key"),
    [("R", "plots"), ("go", "server"), ("c", "driver"), ("C#", "game")],
)
def test_a_query_too_short_to_search_for_is_found_as_it_is_written(
    run: Callable[..., Ran], query: str, key: str
) -> None:
    stored = {
        "plots": "Plots are made in R",
        "server": "The server is in Go",
        "driver": "The driver is in C",
    }
    for name, content in {
        **stored,
        "game": "The game is in C#",
        "motto": "Forge ahead, car by car",
    }.items():
        run("remember", name, content)
    assert [row[2] for row in rows(run("recall", query))] == [key]
    assert [
        item["key"]
        for item in run("recall", query, "--json").json["items"]["user_knowledge"]
    ] == [key]


@requirement("KNOW-04")
def test_delete_hides_and_undelete_brings_back(run: Callable[..., Ran]) -> None:
    run("remember", "editor", "vim")
    assert run("delete", "editor").code == 0
    assert run("history", "editor").code == 1
    assert run("undelete", "editor", "--json").json == {
        "wire": 1,
        "key": "editor",
        "deleted": False,
    }
    assert run("history", "editor").code == 0
    assert "deleted" in run("delete", "editor", "--json").json


@requirement("KNOW-04")
def test_what_is_deleted_is_listed_and_named_where_it_is_missed(
    run: Callable[..., Ran],
) -> None:
    run("remember", "editor", "vim")
    run("remember", "shell", "fish")
    assert run("list", "--deleted").err == "nothing is deleted here\n"
    run("delete", "editor")
    assert [row[0] for row in rows(run("list", "--deleted"))] == ["editor"]
    assert [row[0] for row in rows(run("list"))] == ["shell"]
    assert (
        "it is deleted; `hexad undelete editor` brings it back"
        in run("show", "editor").err
    )
    assert "; did you mean 'editor'?" in run("undelete", "editr").err
    assert "no deleted knowledge 'shell'" in run("undelete", "shell").err


@requirement("KNOW-04", "KNOW-08")
@pytest.mark.parametrize(
    ("way", "left"),
    [
        (["a"], ["b", "c"]),
        (["--subject", "alice"], ["b", "c"]),
        (["--session", "s"], ["a", "c"]),
        (["--everything"], []),
    ],
    ids=["key", "subject", "session", "everything"],
)
def test_forget_erases_what_was_named(
    run: Callable[..., Ran], tmp_path: Path, way: list[str], left: list[str]
) -> None:
    run("remember", "a", "zanzibar", "--subject", "alice")
    run("remember", "b", "zanzibar", "--session", "s")
    run("remember", "c", "elsewhere")
    assert run("forget", *way, "--yes").code == 0
    assert [row[0] for row in rows(run("list"))] == left
    stays = left != [] and any(key in left for key in ("a", "b"))
    assert (b"zanzibar" in (tmp_path / "hexad.db").read_bytes()) is stays


@requirement("KNOW-04")
def test_forget_asks_before_it_erases_and_refuses_where_it_cannot_ask(
    run: Callable[..., Ran],
) -> None:
    run("remember", "a", "b")
    ran = run("forget", "a")
    assert ran == Ran(
        2,
        "",
        "error: forget: erases for good and there is no terminal to ask on; add --yes\n",
    )
    assert run("history", "a").code == 0


@requirement("KNOW-04")
@pytest.mark.parametrize(
    "way",
    [
        [],
        ["a", "--everything"],
        ["--subject", "x", "--session", "y"],
        ["a", "--traces"],
    ],
)
def test_forget_wants_exactly_one_thing(
    run: Callable[..., Ran], way: list[str]
) -> None:
    run("remember", "a", "b")
    ran = run("forget", *way, "--yes")
    assert (ran.code, ran.out) == (2, "")
    assert "exactly one" in ran.err


@requirement("KNOW-04")
def test_forget_says_when_a_reader_keeps_the_bytes_and_can_finish_later(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    run("remember", "a", "zanzibar")
    reader = sqlite3.connect(tmp_path / "hexad.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM hexad_knowledge").fetchone()
    ran = run("forget", "a", "--yes", "--json")
    assert ran.code == 1
    assert ran.json["erased"] is False
    assert "hexad forget --traces" in ran.err
    reader.execute("COMMIT")
    assert run("forget", "--traces", "--json").json == {
        "wire": 1,
        "entries": 0,
        "erased": True,
        "detail": "",
    }
    reader.close()


@requirement("KNOW-07")
def test_a_pinned_entry_is_in_every_recall_until_it_is_unpinned(
    run: Callable[..., Ran],
) -> None:
    run("remember", "units", "Always answer in metric units")
    run("pin", "units")
    assert "units (pinned)" in run("recall", "where is the station?").out
    assert run("pin", "units", "--off").out == "units is no longer pinned\n"
    assert run("recall", "where is the station?").out == ""
    assert run("pin", "units", "--json").json["entry"]["pinned"] is True


@requirement("KNOW-05")
def test_recall_filters_by_category_and_limit(run: Callable[..., Ran]) -> None:
    for number in range(4):
        run("remember", f"rule-{number}", f"deploy rule {number}", "--category", "rule")
    run("remember", "fact", "deploy fact")
    ran = run("recall", "deploy", "--category", "rule", "--limit", "2", "--json").json
    assert [item["category"] for item in ran["items"]["user_knowledge"]] == [
        "rule",
        "rule",
    ]
    assert ran["keywords"] == ["deploy"]
    assert len(rows(run("recall", "deploy", "--limit", "1"))) == 1
    assert run("recall", "zebra", "--category", "rule", "--json").json["items"] == {}


@requirement("CTX-01", "KNOW-02", "KNOW-05")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["recall", "x", "--layer", "nope"], "agent_learnings"),
        (["recall", "x", "--category", "nope"], "definition"),
        (["recall", "x", "--limit", "0"], "at least 1"),
        (["recall", "x", "--limit", "0", "--category", "rule"], "limit"),
        (
            ["recall", "x", "--category", "rule", "--layer", "skill_patterns"],
            "user_knowledge",
        ),
        (["remember", "k", "v", "--category", "nope"], "correction"),
        (["remember", "k", "v", "--expires", "soon"], "30d"),
        (["remember", "k", "v", "--position", "-1"], "position"),
        (["remember", "", "v"], "key"),
        (["remember", "k", " "], "content"),
        (["reference", "add", "n", "--location", "l", "--kind", "nope"], "wiki"),
        (["explain", "x", "--budget", "-1"], "budget"),
        (["audit", "verify", "--expect", "a" * 64, "--all"], "--all"),
        (["audit", "log", "--limit", "0"], "--limit"),
        (["list", "--db", ""], "--db"),
        (["list", "--db", ":memory:"], "--db"),
        (["list", "--namespace", ""], "namespace"),
        (["remember", "k"], "TEXT"),
        (["reference", "add", "n"], "location"),
        (["nonsense"], "nonsense"),
        (["list", "--nonsense"], "--nonsense"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_argument_is_one_sentence_that_names_it(
    run: Callable[..., Ran], arguments: list[str], named: str
) -> None:
    run("remember", "k", "v")
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert len(ran.err.splitlines()) == 1
    assert named in ran.err


@requirement("REF-01")
def test_references_are_added_listed_updated_and_removed(
    run: Callable[..., Ran],
) -> None:
    add = [
        "reference",
        "add",
        "Runbook",
        "--location",
        "https://wiki/runbook",
        "--kind",
        "wiki",
        "--tag",
        "ops",
    ]
    assert [run(*add).out, run(*add).out] == [
        "Runbook: saved\n",
        "Runbook: unchanged\n",
    ]
    assert run(*add, "--summary", "What to do at night").out == "Runbook: updated\n"
    assert rows(run("reference", "list")) == [
        ["Runbook", "wiki", "https://wiki/runbook", "What to do at night"]
    ]
    assert run("reference", "list", "--json").json["references"][0]["tags"] == ["ops"]
    assert run(*add, "--json").json["status"] == "unchanged"
    moved = run(
        "reference", "add", "Runbook", "--location", "https://wiki/other", "--json"
    ).json
    assert (moved["status"], moved["reference"]["summary"]) == (
        "updated",
        "What to do at night",
    )
    assert run("reference", "remove", "Runbook").out == "Runbook is removed\n"
    assert run("reference", "list", "--json").json["references"] == []


@requirement("PROMPT-06")
def test_explain_shows_keywords_candidates_verdicts_time_and_the_prompt(
    run: Callable[..., Ran],
) -> None:
    run("remember", "units", "Always answer in metric units", "--pin")
    run(
        "remember",
        "deploy-window",
        "Deploy on Tuesdays " + "and never on any other day " * 80,
    )
    ran = run(
        "explain", "when may I deploy?", "--base", "You are terse.", "--budget", "30"
    )
    assert "keywords: deploy\n" in ran.out
    assert "\tunits\tstanding, in every prompt\tstanding +1.000" in ran.out
    assert "\tdeploy-window\tover the token budget\twords +" in ran.out
    assert "; found: 0 of 30 tokens; " in ran.out
    assert ran.out.endswith(
        "prompt:\nYou are terse.\n\n## Standing Rules and Preferences\n- Always answer in metric units\n"
    )


@requirement("CTX-06", "PROMPT-06")
def test_a_broken_layer_is_reported_and_the_others_answer(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    run("remember", "k", "deploy on Tuesdays")
    run(
        "reference",
        "add",
        "Runbook",
        "--location",
        "https://wiki",
        "--summary",
        "how to deploy",
    )
    with sqlite3.connect(tmp_path / "hexad.db") as database:
        database.execute("ALTER TABLE hexad_reference RENAME TO gone")
    database.close()
    ran = run("recall", "deploy")
    assert ran.code == 1
    assert [row[0] for row in rows(ran)] == ["user_knowledge"]
    assert ran.err.startswith("warning: external_knowledge gave no answer: ")
    explained = run("explain", "deploy")
    assert explained.code == 0
    assert "failed: external_knowledge: " in explained.out


@requirement("STORE-04")
def test_backup_and_restore_carry_everything(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    run("remember", "k", "v1")
    run("remember", "k", "v2", "--namespace", "acme")
    assert run("backup", "all.jsonl").out == "all.jsonl: 6 lines written\n"
    assert (
        run("restore", "all.jsonl", "--db", "new.db").out
        == "all.jsonl: 6 lines restored\n"
    )
    assert run("backup", "again.jsonl", "--db", "new.db", "--json").json["lines"] == 6
    first, second = (
        (tmp_path / name).read_text().splitlines()[1:]
        for name in ("all.jsonl", "again.jsonl")
    )
    assert first == second


@requirement("STORE-04")
def test_a_file_that_cannot_be_read_creates_no_database(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    for command in ("restore", "import"):
        ran = run(command, "nowhere.jsonl")
        assert ran.code == 1
        assert ran.err == "error: nowhere.jsonl: No such file or directory\n"
    assert list(tmp_path.iterdir()) == []


@requirement("STORE-04")
def test_import_adds_as_import_and_keeps_what_is_here_unless_asked(
    run: Callable[..., Ran],
) -> None:
    run("remember", "k", "theirs", "--pin", "--db", "theirs.db")
    run("backup", "theirs.jsonl", "--db", "theirs.db")
    run("remember", "k", "ours")
    assert (
        run("import", "theirs.jsonl").out
        == "theirs.jsonl: 0 added, 0 replaced, 1 kept as they are here\n"
    )
    output = run("import", "theirs.jsonl", "--overwrite", "--json").json
    assert (
        output["added"],
        output["replaced"],
        output["kept"],
        output["left_out"],
    ) == (0, 1, 0, 2)
    entry = run("list", "--json").json["entries"][0]
    assert (entry["content"], entry["origin"], entry["pinned"]) == (
        "theirs",
        "import",
        False,
    )


@requirement("AUDIT-02")
def test_audit_verify_prints_a_head_and_finds_it_again(run: Callable[..., Ran]) -> None:
    run("remember", "k", "v")
    head = run("audit", "verify", "--json").json["head"]
    run("remember", "k", "w")
    ran = run("audit", "verify", "--expect", head)
    assert ran.code == 0
    assert ran.out.startswith("default: whole, 2 records\nhead ")


@requirement("AUDIT-02")
def test_audit_verify_finds_an_altered_record_and_a_cut_tail(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    run("remember", "k", "v")
    run("remember", "k", "w")
    head = run("audit", "verify", "--json").json["head"]
    _tamper(tmp_path / "hexad.db", "DELETE FROM hexad_audit WHERE sequence = 2")
    assert run("audit", "verify").code == 0
    cut = run("audit", "verify", "--expect", head)
    assert cut.code == 1
    assert "the tail was cut" in cut.out
    _tamper(tmp_path / "hexad.db", "UPDATE hexad_audit SET target = 'other'")
    altered = run("audit", "verify", "--json")
    assert altered.code == 1
    assert (altered.json["ok"], altered.json["broken_at"]) == (False, 1)


@requirement("AUDIT-01")
def test_the_audit_log_shows_the_latest_changes_without_content(
    run: Callable[..., Ran],
) -> None:
    run("remember", "k", "zanzibar", "--session", "slack:1")
    run("pin", "k")
    run("delete", "k")
    ran = run("audit", "log", "--limit", "2")
    assert [(row[0], row[2], row[3], row[4]) for row in rows(ran)] == [
        ("3", "user", "knowledge.delete", "k"),
        ("2", "user", "knowledge.pin", "k"),
    ]
    output = run("audit", "log", "--json")
    assert [record["session"] for record in output.json["records"]] == [
        "",
        "",
        "slack:1",
    ]
    assert "zanzibar" not in output.out


@requirement("PROMPT-04")
def test_stored_text_can_neither_steer_a_terminal_nor_be_taken_for_markup(
    run: Callable[..., Ran],
) -> None:
    run("remember", "k", "a\x1b[31mred\x9b2J\u202eback [bold]not bold[/bold] :smile:")
    shown = run("list").out
    assert "a\\x1b[31mred\\x9b2J\\u202eback [bold]not bold[/bold] :smile:" in shown
    for command in (
        ["list"],
        ["recall", "red"],
        ["history", "k"],
        ["explain", "red"],
        ["list", "--json"],
    ):
        assert not {"\x1b", "\x9b", "\u202e"} & set(run(*command).out)


@requirement("CONF-01")
def test_an_unexpected_error_is_one_line_and_debug_shows_where(
    run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    class Broken(io.TextIOWrapper):
        @property
        def buffer(self) -> Any:
            raise ZeroDivisionError("no such luck")

    monkeypatch.setattr(io, "TextIOWrapper", Broken)
    plain = run("remember", "k", "-")
    debug = run("--debug", "remember", "k", "-")
    assert (plain.code, debug.code) == (1, 1)
    assert plain.err == (
        "error: unexpected ZeroDivisionError: no such luck; `hexad --debug …` shows where it happened\n"
    )
    assert debug.err.startswith("Traceback")


@requirement("KNOW-06")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("45s", timedelta(seconds=45)),
        ("15m", timedelta(minutes=15)),
        ("12h", timedelta(hours=12)),
        ("30D", timedelta(days=30)),
        (" 2w ", timedelta(weeks=2)),
    ],
)
def test_an_expiry_can_be_a_duration(text: str, expected: timedelta) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert remembering.parse_expiry(text, now) == now + expected


@requirement("KNOW-06")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "30",
        "d",
        "-3d",
        "999999999w",
        "2026-13-01",
        "0001-01-01T00:00+14:00",
    ],
)
def test_an_expiry_that_means_nothing_is_an_error(text: str) -> None:
    with pytest.raises(InvalidInput, match="--expires"):
        remembering.parse_expiry(text, datetime(2026, 1, 1, tzinfo=UTC))


@requirement("KNOW-06")
def test_an_expiry_without_a_zone_is_local_time() -> None:
    meant = remembering.parse_expiry(
        "2030-01-31T12:00", datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert meant == datetime(2030, 1, 31, 12).astimezone()
    assert remembering.parse_expiry("never", datetime(2026, 1, 1, tzinfo=UTC)) is None


def _tamper(database: Path, statement: str) -> None:
    with sqlite3.connect(database) as connection:
        for name in ("hexad_audit_is_not_changed", "hexad_audit_is_not_cut"):
            connection.execute(f"DROP TRIGGER IF EXISTS {name}")
        connection.execute(statement)
    connection.close()


@requirement("LEARN-09")
def test_the_first_letters_of_an_id_are_enough(run: Callable[..., Ran]) -> None:
    whole = [
        run("learnings", "correct", "f", "--tool", f"t{n}", "--json").json["learning"][
            "id"
        ]
        for n in range(40)
    ]
    shared = next(
        each[0] for each in whole if sum(other[0] == each[0] for other in whole) > 1
    )
    ran = run("learnings", "show", shared)
    assert ran.code == 2
    assert f"{shared!r} begins" in ran.err
    assert (
        next(each for each in sorted(whole) if each[0] == shared) in ran.err
        or ", …" in ran.err
    )
    assert "give more letters" in ran.err
    assert (
        run("learnings", "show", whole[0][:8], "--json").json["learning"]["id"]
        == whole[0]
    )
    assert (
        run("learnings", "correct", "g", "--id", whole[0][:8], "--json").json[
            "learning"
        ]["id"]
        == whole[0]
    )
    assert run("learnings", "delete", whole[0][:8]).out == f"{whole[0]} is deleted\n"
    assert run("learnings", "show", whole[0][:8]).code == 1
    assert run("learnings", "show", "").code == 2


@requirement("CONF-01")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["audit", "list"], "No such command 'list'; there are verify, log; try"),
        (["reference", "add", "X"], "--location: must be given"),
        (
            [
                "skills",
                "new",
                "x",
                "--kind",
                "composite",
                "--description",
                "d",
                "--text",
                "a",
            ],
            'such as \'[{"tool":',
        ),
        (
            ["rember", "k", "v"],
            "error: No such command 'rember'. Did you mean 'remember'? Try 'hexad --help'",
        ),
        (
            ["mcp", "install"],
            "Missing option '--client' (claude-code, claude-desktop, codex, cursor, gemini-cli, opencode, vscode,",
        ),
        (["backup"], "Missing argument 'FILE' (JSON Lines"),
        (
            ["remember"],
            'TEXT: is missing; for example: `hexad remember "I like green tea"`',
        ),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else "",
)
def test_what_is_missing_or_misspelt_is_reported_with_what_it_could_be(
    run: Callable[..., Ran], arguments: list[str], says: str
) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert says in ran.err


@requirement("CTX-06")
def test_a_pin_that_is_one_too_many_is_explained_with_the_limit(
    run: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEXAD_STANDING_BUDGET", "0")
    for number in range(5):
        run("remember", f"pin-{number}", f"Rule {number}", "--pin")
    verdicts = {
        row[2]: row[3]
        for row in rows(run("explain", "zebra"))
        if row[0] == "user_knowledge"
    }
    assert verdicts == {
        "pin-0": "pinned, over max_pinned",
        "pin-1": "pinned, over max_pinned",
        "pin-2": "kept",
        "pin-3": "kept",
        "pin-4": "kept",
    }
    output = run("pin", "--help").out
    assert "max_pinned (3)" in " ".join(output.replace("│", " ").split())
    assert Settings().max_pinned == 3
