"""`hexad` alone greets; `init` and `config show` set it up, and shells complete its
commands.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.cli import main
from hexad.cli.setup.configuring import file_text
from hexad.cli.terminal import editing
from hexad.errors import InvalidInput
from hexad.settings import KNOWN, Settings, survey
from tests.cli.test_cli import Ran, run  # noqa: F401, TC001 - the fixture
from tests.stocked import stock_memory
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., Ran]


@requirement("CONF-01")
def test_alone_in_an_empty_folder_it_greets_and_creates_nothing(
    run: Run,
    tmp_path: Path,
) -> None:
    ran = run()
    assert ran.code == 0
    assert "there is no database yet (hexad.db)" in ran.out
    assert 'next: hexad remember "I like green tea"' in ran.out
    output = run("--json").json
    assert (output["database"], output["exists"]) == ("hexad.db", False)
    assert list(tmp_path.iterdir()) == []


@requirement("CONF-01", "LEARN-09")
def test_alone_it_shows_what_is_stored_what_was_learned_and_what_awaits_review(
    run: Run,
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "hexad.db") as hx:
        stock_memory(hx)
    shown = run().out
    assert "user_knowledge\t4\tpinned 1\n" in shown
    assert "agent_learnings\t2\ttrusted 1, doubtful 1, noticed 1\n" in shown
    assert "skill_patterns\t2\tactive 1, drafts 1\n" in shown
    assert "external_knowledge\t1\t" in shown
    assert "learned\tdeploy\t0.83\tquota exceeded → ask ops for more quota\n" in shown
    assert "review\tskill\tgreet\t" in shown
    assert "review\tlearning\tbook\tgive days as YYYY-MM-DD (trust 0.40)\n" in shown
    assert shown.endswith("next: hexad review (2 things to review)\n")
    assert run("status").out == shown


@requirement("CONF-01")
def test_status_as_json_names_what_awaits_review(run: Run, tmp_path: Path) -> None:
    with opened(tmp_path / "agent.db") as hx:
        stock_memory(hx)
        (doubtful,) = hx.learnings.doubtful()
    output = run("--db", "agent.db", "--json").json
    assert output["review"] == {
        "proposals": [],
        "skills": ["greet"],
        "learnings": [doubtful.id],
    }
    assert output["layers"]["user_knowledge"] == {"stored": 4, "pinned": 1}
    assert [each["trigger"] for each in output["learned"]] == [
        "tool:deploy",
        "tool:book",
    ]
    assert run("status", "--db", "agent.db", "--namespace", "team", "--json").json[
        "layers"
    ]["skill_patterns"] == {
        "stored": 0,
        "active": 0,
        "drafts": 0,
    }


@requirement("STAND-01")
def test_rules_that_do_not_fit_every_prompt_are_counted(
    run: Run,
    tmp_path: Path,
) -> None:
    assert "standing:" not in run().out
    with opened(tmp_path / "hexad.db", standing_budget=400) as hx:
        for number in range(60):
            hx.knowledge.save(
                f"r{number}",
                f"Never deploy service number {number} on Fridays or holidays",
                category="rule",
            )
        stand = len(hx.standing())
    for said in (run().out, run("explain", "hello").out):
        assert f"standing: {stand} of 60 rules and preferences fit 400 tokens" in said
        assert f"r{59 - stand}" in said


@requirement("CONF-01")
def test_the_advice_fits_what_there_is(run: Run) -> None:
    run("reference", "add", "Runbook", "--location", "https://wiki.example.com")
    assert "next: hexad remember" in run().out
    run("remember", "k", "v")
    assert "hx.watch(tool)" in run().out
    run("learnings", "correct", "wait", "--tool", "deploy")
    assert 'next: hexad explain "a message"' in run().out


@requirement("CONF-01")
def test_what_every_command_takes_may_stand_before_it(run: Run, tmp_path: Path) -> None:
    assert (
        run("--db", "other.db", "--namespace", "team", "remember", "k", "v").code == 0
    )
    assert (
        run("--db", "other.db", "--json", "list", "--namespace", "team").json[
            "entries"
        ][0]["key"]
        == "k"
    )
    assert (
        run(
            "--db",
            "other.db",
            "reference",
            "add",
            "Runbook",
            "--location",
            "https://wiki",
        ).code
        == 0
    )
    assert run(
        "--db", "nowhere.db", "--json", "reference", "list", "--db", "other.db"
    ).json["references"]
    assert run("--json", "list", "--db", "other.db").json["entries"] == []
    assert sorted(each.name for each in tmp_path.iterdir() if each.suffix == ".db") == [
        "other.db"
    ]


@requirement("CONF-01")
def test_an_option_before_a_command_that_has_none_such_is_refused(run: Run) -> None:
    ran = run("--namespace", "x", "trust", ".")
    assert (ran.code, ran.out) == (2, "")
    assert "--namespace: is no option of 'hexad trust'; leave it out" in ran.err


@requirement("CONF-03")
def test_init_writes_every_setting_with_its_default_and_its_meaning(
    run: Run,
    tmp_path: Path,
) -> None:
    assert run("init").out.startswith("hexad.toml: written")
    text = (tmp_path / "hexad.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == {}
    said = [
        line.removeprefix("# ")
        for line in text.splitlines()
        if " = " in line and line.startswith("# ")
    ]
    (tmp_path / "hexad.toml").write_text("\n".join(said))
    assert survey({"semantic": True}, beside=tmp_path).settings == Settings()
    assert [line.split(" = ")[0] for line in said] == [each.name for each in KNOWN]
    assert all(each.purpose in text for each in KNOWN)
    assert "(1 to 1_000)" in text  # as TOML reads it too
    assert "(0 to 1_000_000)" in text
    assert not (tmp_path / "hexad.db").exists()


@requirement("CONF-03")
def test_init_never_overwrites_unless_asked_to(run: Run, tmp_path: Path) -> None:
    (tmp_path / "hexad.toml").write_text("max_pinned = 1\n")
    ran = run("init")
    assert (ran.code, ran.out) == (2, "")
    assert "hexad.toml exists already; --force" in ran.err
    assert (tmp_path / "hexad.toml").read_text() == "max_pinned = 1\n"
    assert run("init", "--force", "--json").json == {
        "wire": 1,
        "file": "hexad.toml",
        "written": True,
    }
    assert (tmp_path / "hexad.toml").read_text(encoding="utf-8") == file_text()
    assert run("init", "--db", "no/such/agent.db").code == 2


class Terminal(io.StringIO):
    """What somebody types."""

    def isatty(self) -> bool:
        return True


@requirement("CONF-03", "CAP-01")
@pytest.mark.parametrize(
    ("words", "typed", "asked", "kept"),
    [
        (["init"], "y\n", True, True),
        (["init"], "\n", True, False),
        (["init", "--capture"], "", False, True),
        (["init", "--yes"], "", False, False),
        (["init", "--agent", "codex"], "y\ny\ny\n", True, True),
    ],
)
def test_init_asks_whether_agents_may_propose_what_you_say(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    typed: str,
    *,
    asked: bool,
    kept: bool,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert main(words) == 0
    assert (
        "propose lasting facts from your messages" in capsys.readouterr().err
    ) is asked
    assert survey({}, beside=tmp_path).settings.capture is kept


@requirement("CONF-03")
def test_config_show_says_where_each_value_is_from(
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "hexad.toml").write_text("max_pinned = 1\nmax_text = 5\n")
    monkeypatch.setenv("HEXAD_MAX_TEXT", "7")
    output = run("config", "show", "--namespace", "team", "--json").json
    found = {each["name"]: (each["value"], each["from"]) for each in output["settings"]}
    assert found["max_pinned"] == (1, "file")
    assert found["max_text"] == (7, "environment")
    assert found["namespace"] == ("team", "option")
    assert found["floor"] == (True, "default")
    assert output["file"] == "hexad.toml"
    shown = run("config", "show").out
    assert "max_pinned\t1\thexad.toml\t" in shown
    assert "max_text\t7\tHEXAD_MAX_TEXT\t" in shown
    assert "floor\ttrue\tdefault\t" in shown


@requirement("CONF-04")
def test_of_a_secret_only_that_it_is_set_is_shown(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HEXAD_MCP_TOKEN", "hunter2-hunter2-hunter2")
    assert 'mcp_token\t"(set)"\tHEXAD_MCP_TOKEN' in (ran := run("config", "show")).out
    assert "hunter2" not in ran.out + run("config", "show", "--json").out


CASES = [  # words, what is begun, what is offered, what is not
    (
        "",
        "re",
        {"remember", "recall", "review", "reference"},
        {"list", "deploy-window"},
    ),
    ("skills", "sh", {"show"}, {"list"}),
    ("recall x", "--l", {"--layer", "--limit"}, {"--json"}),
]
_PREPARED = {
    "bash": "",
    "zsh": "autoload -Uz compinit; compinit -u; _arguments() { print -r -- $@ }; ",
    "fish": "",
}
_ASKED = {
    "bash": 'COMP_WORDS=(hexad {words} "{begun}"); COMP_CWORD={place}; _hexad_completion hexad; '
    'printf "%s\\n" "${{COMPREPLY[@]}}"',
    "zsh": "words=(hexad {words} '{begun}'); CURRENT=$#words; _hexad_completion",
    "fish": 'complete --do-complete "hexad {words} {begun}"',
}


@requirement("CONF-01")
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_real_shell_completes_commands_and_options(
    tmp_path: Path, shell: str
) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed here")
    _on_path(tmp_path)
    asked = [
        _ASKED[shell].format(words=words, begun=begun, place=len(words.split()) + 1)
        for words, begun, _, _ in CASES
    ]
    script = (
        f"_HEXAD_COMPLETE=source_{shell} hexad > script; {_PREPARED[shell]}source script; "
        + '; echo "==="; '.join(asked)
    )
    environment = os.environ | {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
    }
    ran = subprocess.run(
        [program, "-c", script],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert "Traceback" not in ran.stderr
    for (_, _, wanted, not_wanted), output in zip(
        CASES, ran.stdout.split("===\n"), strict=True
    ):
        assert all(name in output for name in wanted)
        assert not not_wanted & set(output.split())


def _on_path(folder: Path) -> None:
    """The command under its name, as an installation puts it there."""
    script = folder / "hexad"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hexad "$@"\n')
    script.chmod(0o755)


_texts = st.text(st.characters(exclude_categories=["Cs"]))


@requirement("CONF-01")
@given(
    st.dictionaries(st.sampled_from(["fix", "when", "script"]), _texts, min_size=1),
    st.lists(_texts, max_size=2),
)
def test_a_form_that_is_not_touched_comes_back_as_it_was(
    fields: dict[str, str], head: list[str]
) -> None:
    assert editing.read(editing.form(head, fields), list(fields)) == fields


@requirement("CONF-01")
@pytest.mark.parametrize(
    ("form", "named"),
    [
        ("fix = ", "form"),
        ("fix = 3", "fix"),
        ('fx = "a"', "fx"),
        ("", "fix"),
        ('fix = "a"\nfix = "b"', "form"),
    ],
)
def test_a_form_that_is_broken_names_what_is_wrong(form: str, named: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        editing.read(form, ["fix"])
    assert raised.value.field == named
