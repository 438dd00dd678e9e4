"""`hexad skills`: drafts are written, reviewed by a person at a terminal, run and
shown.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_cli import run  # noqa: F401 - the fixture
from tests.processes import Terminal
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.test_cli import Ran

GREET = (
    "skills",
    "new",
    "greet",
    "--kind",
    "template",
    "--description",
    "Greet",
    "--text",
    "Hello {{ name }}",
)
SCHEMA = '{"properties": {"name": {"type": "string"}, "n": {"type": "integer", "default": 1}}, "required": ["name"]}'
STEPS = (
    '[{"tool": "fetch", "args": {"city": "{{ city }}"}, "save_as": "w"}, '
    '{"tool": "send", "args": {"w": "{{ w }}"}}]'
)


@requirement("SKILL-01", "SKILL-03")
def test_a_skill_is_written_listed_activated_run_and_deleted(
    run: Callable[..., Ran],
) -> None:
    made = run(
        *GREET,
        "--parameters",
        SCHEMA,
        "--when",
        "somebody comes",
        "--tag",
        "hello",
        "--author",
        "ada",
    )
    assert (made.code, made.out) == (0, "greet: draft, version 1\n")
    assert run("skills", "list", "--status", "active").err == "no skill matches\n"
    assert run("skills", "list").out == "greet\ttemplate\tdraft\t0\t0\tGreet\n"
    assert (
        "see `hexad review greet`"
        in run("skills", "run", "greet", "--set", "name=Ada").err
    )
    assert (
        run("skills", "run", "greet", "--set", "name=Ada", "--dry-run").out
        == "Hello Ada\n"
    )
    assert (
        run("skills", "activate", "greet", "--by", "ada").out
        == "greet: active, version 1\n"
    )
    assert run("skills", "run", "greet", "--set", "name=17").out == "Hello 17\n"
    output = run(
        "skills", "run", "greet", "--params", '{"name": "Bob", "n": 2}', "--json"
    ).json["result"]
    assert (output["ok"], output["output"], output["kind"]) == (
        True,
        "Hello Bob",
        "template",
    )
    shown = run("skills", "show", "greet").out
    assert "when\tsomebody comes\n" in shown
    assert "approved\tby ada\n" in shown
    assert run("skills", "show", "greet", "--json").json["skill"]["success_count"] == 2
    runs = [
        each
        for each in run("audit", "log", "--json").json["records"]
        if each["action"] == "skill.run"
    ]
    assert {each["actor"] for each in runs} == {"user"}
    run(*GREET[:-1], "Goodbye {{ name }}")
    versions = run("skills", "history", "greet", "--json").json["versions"]
    assert [each["definition"]["template"] for each in versions] == [
        "Goodbye {{ name }}",
        "Hello {{ name }}",
    ]
    assert [
        line.split("\t")[0]
        for line in run("skills", "history", "greet").out.splitlines()
    ] == ["2", "1"]
    assert (
        run("skills", "deprecate", "greet", "--json").json["skill"]["status"]
        == "deprecated"
    )
    assert "add --yes" in run("skills", "delete", "greet").err
    assert run("skills", "delete", "greet", "--yes").out == "greet is deleted\n"
    assert run("skills", "list", "--json").json["skills"] == []


@requirement("SKILL-03")
def test_on_a_terminal_a_skill_is_not_deleted_before_somebody_says_so(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "hexad.db") as hx:
        hx.skills.create(
            "greet",
            kind="instruction",
            description="Greet",
            definition={"text": "Say hello"},
        )
    for answer, came, code in (
        ("n", "nothing was deleted", 1),
        ("y", "greet is deleted", 0),
    ):
        terminal = Terminal(tmp_path, "skills", "delete", "greet", "--db", "hexad.db")
        terminal.read_until("Delete greet and its 1 version for good? [y/N]")
        terminal.type(f"{answer}\n")
        assert came in terminal.read_until()
        assert terminal.end() == code


@requirement("SKILL-01", "SKILL-03")
def test_in_a_pipe_too_every_line_of_a_skill_is_a_line(run: Callable[..., Ran]) -> None:
    script = "echo  hi # hidden\nname\tharmless\nrm x"
    files = {
        "run.sh": {"text": "a # b\nc\n", "executable": True},
        "data": {"base64": "AP8="},
        "one": {"text": "1"},
    }
    definition = json.dumps({"script": script, "needs": ["write"], "files": files})
    made = (
        "skills",
        "new",
        "s",
        "--kind",
        "script",
        "--description",
        "Two\nlines",
        "--definition",
        definition,
    )
    assert run(*made).code == 0
    shown = run("skills", "show", "s").out
    assert "description:\n    Two\n    lines\nkind\tscript\n" in shown
    assert (
        "script:\n    echo  hi # hidden\n    name\tharmless\n    rm x\nneeds:\n"
        in shown
    )
    parts = "file run.sh (executable):\n    a # b\n    c\n    \nfile data (base64)\tAP8=\nfile one\t1\n"
    assert sorted(shown[shown.index("\nfile ") :].split("\nfile ")) == sorted(
        f"\n{parts}".split("\nfile ")
    )
    assert (
        'script = "echo  hi # hidden\\nname'.replace("  ", " ")
        in run("skills", "run", "s", "--dry-run").out
    )


@requirement("SKILL-04")
def test_the_command_line_shows_a_composite_skills_plan(
    run: Callable[..., Ran],
    tmp_path: Path,
) -> None:
    (tmp_path / "steps.json").write_text(STEPS, encoding="utf-8")
    run(
        *(
            "skills",
            "new",
            "w",
            "--kind",
            "composite",
            "--description",
            "d",
            "--file",
            "steps.json",
        ),
        *("--parameters", '{"properties": {"city": {"type": "string"}}}'),
    )
    plan = run("skills", "run", "w", "--set", "city=Bonn", "--dry-run")
    assert plan.out == "1\tfetch\tcity = Bonn\n2\tsend\tw = {{ w }}\n"
    run("skills", "activate", "w")
    refused = run("skills", "run", "w", "--set", "city=Bonn")
    assert (refused.code, "--dry-run shows its plan" in refused.err) == (2, True)


@requirement("SKILL-06")
def test_a_script_is_read_from_standard_input_and_runs(run: Callable[..., Ran]) -> None:
    made = run(
        *(
            "skills",
            "new",
            "job",
            "--kind",
            "script",
            "--description",
            "d",
            "--shell",
            "bash",
            "--file",
            "-",
        ),
        stdin=b"echo out; echo oops >&2; exit 3",
    )
    assert made.code == 0
    run("skills", "activate", "job")
    plan = run("skills", "run", "job", "--dry-run", "--json").json["result"]
    assert plan["steps"][0]["tool"] == "bash"
    ran = run("skills", "run", "job")
    assert (ran.code, ran.out) == (1, "out\n")
    assert ran.err == "error: the script ended with exit code 3: oops\n"


@requirement("SKILL-02", "SKILL-08")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*GREET[:-2],), "give exactly one of --text, --file or --definition"),
        ((*GREET, "--definition", "{}"), "give exactly one of"),
        ((*GREET[:-2], "--definition", "[]"), "--definition: must be a JSON object"),
        ((*GREET[:-2], "--definition", "{"), "is not JSON"),
        (
            (*GREET[:-2], "--definition", '{"text": "x"}'),
            "a template skill needs 'template'",
        ),
        ((*GREET[:-2], "--file", "nothing"), "No such file"),
        ((*GREET[:-1], "{{ x"), "definition.template"),
        ((*GREET, "--parameters", "@nothing"), "No such file"),
        ((*GREET, "--shell", "sh"), "shell: is not known"),
        (("skills", "run", "greet", "--set", "name"), "must be KEY=VALUE"),
        (
            ("skills", "run", "greet", "--set", "n=x", "--set", "name=a"),
            "parameters.n: must be a whole number",
        ),
        (
            ("skills", "run", "greet", "--params", "7"),
            "--params: must be a JSON object",
        ),
        (("skills", "run", "nothing"), "no skill 'nothing'"),
        (("review", "greet"), "needs a terminal"),
        (
            (
                "skills",
                "new",
                "s",
                "--kind",
                "composite",
                "--description",
                "d",
                "--text",
                "fetch",
            ),
            "is not JSON",
        ),
    ],
)
def test_a_mistake_is_one_sentence(
    run: Callable[..., Ran],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    run(*GREET, "--parameters", SCHEMA)
    run("skills", "activate", "greet")
    ran = run(*arguments)
    assert ran.code in {1, 2}
    assert message in ran.err
    assert ran.err.count("\n") == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with opened(tmp_path / "hexad.db") as hx:
        hx.skills.create(
            "first",
            kind="instruction",
            description="One",
            definition={"text": "Do one"},
        )
        hx.skills.create(
            "net",
            kind="script",
            description="Two",
            definition={"script": "curl https://x.test", "needs": ["network"]},
        )
        hx.skills.create(
            "bad",
            kind="script",
            description="Three",
            definition={"script": "echo hi\nrm -rf /"},
        )
        hx.skills.create(
            "last",
            kind="instruction",
            description="Four",
            definition={"text": "Do four"},
        )
    return tmp_path


@requirement("SKILL-03", "SKILL-05")
def test_a_person_at_a_terminal_reviews_drafts_one_by_one(folder: Path) -> None:
    terminal = Terminal(folder, "review", "--by", "ada")
    for answer in (
        "r",
        "a",
        "s",
        "accept",
        "a",
    ):  # the second may not run, so it is asked about again, and skipped
        terminal.read_until("q = quit: ")
        terminal.type(f"{answer}\n")
    shown = terminal.read_until()
    assert terminal.end() == 0
    assert "approving it gives its script: network" in shown
    assert re.search(r"line 2: reject", shown)
    assert "bad is rejected" in shown
    with opened(folder / "hexad.db") as hx:
        assert {
            each.name: (each.status.value, each.approved_by)
            for each in hx.skills.list()
        } == {
            "first": ("active", "ada"),
            "net": ("active", "ada"),
            "bad": ("draft", ""),
            "last": ("deprecated", ""),
        }


@requirement("SKILL-03", "SKILL-05")
def test_a_review_as_json_asks_nothing(run: Callable[..., Ran], folder: Path) -> None:
    output = run("review", "--json").json["queue"]
    by_name = {each["skill"]["name"]: each for each in output}
    assert list(by_name) == ["last", "bad", "net", "first"]
    assert by_name["net"]["grants"] == ["network"]
    assert by_name["bad"]["obstacle"].startswith("is rejected: line 2")
    assert by_name["bad"]["findings"][0]["line"] == 2
    assert all(json.dumps(each["fingerprint"]) for each in output)


@requirement("SKILL-06")
def test_what_a_script_says_beside_its_answer_is_shown(run: Callable[..., Ran]) -> None:
    script = 'for file in *.csv; do wc -l < "$file"; done; echo "done: $what"'
    schema = '{"type": "object", "properties": {"what": {"type": "string"}}}'
    new = (
        "skills",
        "new",
        "count",
        "--kind",
        "script",
        "--description",
        "Count",
        "--parameters",
        schema,
    )
    run(*new, "--text", script)
    run("skills", "activate", "count", "--by", "ada")
    ran = run("skills", "run", "count", "--set", "what=\x1b[31mall")
    assert ran.out == "done: \\x1b[31mall\n"
    assert "*.csv" in ran.err


@requirement("SKILL-06")
@pytest.mark.parametrize("command", ["new", "check"])
def test_help_says_what_a_script_sees(run: Callable[..., Ran], command: str) -> None:
    shown = " ".join(run("skills", command, "--help").out.replace("│", " ").split())
    assert "none of your other files" in shown


@requirement("SKILL-01", "SKILL-03")
def test_a_skill_is_edited_in_an_editor(
    run: Callable[..., Ran],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run(*GREET)
    swap = "import pathlib, sys; f = pathlib.Path(sys.argv[1]); f.write_text(f.read_text().replace('Hello', 'Hi'))"
    monkeypatch.setenv("VISUAL", f'{sys.executable} -c "{swap}"')
    assert run("skills", "edit", "greet").out == "greet: draft, version 2\n"
    assert "Hi {{ name }}" in run("skills", "show", "greet").out


@requirement("SKILL-02")
def test_a_script_that_cannot_work_is_said_so_when_it_is_written(
    run: Callable[..., Ran],
) -> None:
    new = ("skills", "new", "greet", "--kind", "script", "--description", "d", "--text")
    assert (
        "scripts run in sh or bash" in run(*new, "#!/usr/bin/env python3\nprint(1)").err
    )
    ran = run(*new, "who=you; for each in 1 2; do echo $each $who ${name} $HOME; done")
    assert ran.err.count("is no parameter") == 1
    assert (
        "$name is no parameter, so it will be empty; declare it: --parameters"
        in ran.err
    )


@requirement("SKILL-04")
def test_steps_are_shown_as_steps(run: Callable[..., Ran]) -> None:
    steps = '[{"tool": "search", "args": {"q": "x"}, "save_as": "found"}, {"tool": "a", "args": {"a": "{{ found }}"}}]'
    run(
        "skills",
        "new",
        "tell",
        "--kind",
        "composite",
        "--description",
        "d",
        "--text",
        steps,
    )
    shown = run("skills", "show", "tell").out
    assert 'steps:\n    1. search(q="x") → found\n    2. a(a="{{ found }}")\n' in shown


@requirement("SKILL-08")
def test_a_list_is_given_with_commas_where_a_skill_takes_one(
    run: Callable[..., Ran],
    tmp_path: Path,
) -> None:
    (tmp_path / "list.txt").write_text(
        "{% for item in items %}{{ item }};{% endfor %}{{ end }}"
    )
    run(
        "skills",
        "new",
        "l",
        "--kind",
        "template",
        "--description",
        "d",
        "--file",
        "list.txt",
    )
    run("skills", "activate", "l")
    for given in ("items=a, b", 'items=["a", "b"]'):
        assert (
            run("skills", "run", "l", "--set", given, "--set", "end=x,y").out
            == "a;b;x,y\n"
        )
