"""`hexad review` as a person meets it: on a real terminal, with a real editor."""

from __future__ import annotations

import io
import json
import sqlite3
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from hexad.cli import main
from hexad.model import SkillStatus
from tests.cli.test_cli import Ran, run  # noqa: F401, TC001 - the fixture
from tests.processes import Terminal
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hexad import Hexad, Learning

ASKED = "q = quit"
LESSON = "give days as YYYY-MM-DD"


def fail_and_mend(hx: Hexad, session: str) -> None:
    """A call that fails and is put right, so that there is an example."""
    bad, good = {"day": "31/01/2026"}, {"day": "2026-01-31"}
    hx.observe(tool="book", args=bad, error="book cannot read the day", session=session)
    hx.observe(tool="book", args=good, result="booked", session=session)


def say(hx: Hexad) -> Learning:
    """What an agent says about that error."""
    error = "book cannot read the day"
    return hx.learnings.save(trigger="tool:book", error_pattern=error, fix=LESSON)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with opened(tmp_path / "hexad.db") as hx:
        fail_and_mend(hx, "chat:1")
        say(hx)
        greet = {"template": "Hello {{ name }}"}
        hx.skills.create(
            "greet", kind="template", description="Greet", definition=greet
        )
    return tmp_path


def skill(folder: Path, name: str = "greet") -> tuple[SkillStatus, int, str]:
    with opened(folder / "hexad.db") as hx:
        found = hx.skills.get(name)
        return found.status, found.version, str(found.definition.get("template"))


def learnings(folder: Path) -> list[Learning]:
    with opened(folder / "hexad.db") as hx:
        return list(hx.learnings.list())


def answer(terminal: Terminal, *answers: str) -> str:
    """The output after all questions were answered."""
    for each in answers:
        terminal.read_until(ASKED)
        terminal.type(each + "\n")
    shown = terminal.read_until()
    assert terminal.end() == 0
    assert "Traceback" not in shown
    return shown


def editor(folder: Path, program: str) -> str:
    """An editor that changes the file as a program says: `text` before, `text` after."""
    script = folder / "editor.py"
    script.write_text(
        "import sys, pathlib\nfile = pathlib.Path(sys.argv[1])\ntext = file.read_text()\n"
        f"{program}\nfile.write_text(text)\n"
    )
    return f'"{sys.executable}" "{script}"'


@requirement("SKILL-03", "LEARN-08")
def test_what_is_accepted_is_active_and_trusted(folder: Path) -> None:
    shown = answer(Terminal(folder, "review", "--by", "ada"), "a", "accept")
    assert "1 of 2: a = accept" in shown
    assert "Hello {{ name }}" in shown
    assert "greet: active, version 1" in shown
    assert "What worked next" in " ".join(shown.split())
    assert LESSON in shown
    assert "trusted 0.83" in shown
    assert skill(folder)[0] is SkillStatus.ACTIVE
    (learning,) = learnings(folder)
    assert learning.trusted
    assert learning.origin == "user"
    assert "nothing awaits review" in answer(Terminal(folder, "review"))


@requirement("SKILL-03", "LEARN-09")
def test_what_is_rejected_is_gone_from_the_queue_for_good(folder: Path) -> None:
    shown = answer(Terminal(folder, "review"), "r", "r")
    assert "greet: deprecated" in shown
    assert "this lesson is not shown again" in shown
    assert skill(folder)[0] is SkillStatus.DEPRECATED
    with opened(folder / "hexad.db") as hx:
        for number in range(2, 6):
            fail_and_mend(hx, f"chat:{number}")
        fix = hx.learnings.known_fix("book", "book cannot read the day")
        assert fix is not None
        assert "What worked next" in fix
        assert hx.learnings.doubtful() == ()


@requirement("LEARN-08", "LEARN-09")
def test_a_lesson_that_is_trusted_already_is_rejected_by_its_id_and_then_the_examples(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with opened(folder / "hexad.db") as hx:
        known = hx.learnings.correct(learning=learnings(folder)[0].id, fix=LESSON)
    command = ["learnings", "reject", known.id[:4], "--db", str(folder / "hexad.db")]
    assert main(command) == 0
    assert main(command) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{known.id}: Failed before (1 session")
    assert second == f"{known.id}: nothing is left to show"
    with opened(folder / "hexad.db") as hx:
        assert hx.learnings.known_fix("book", "book cannot read the day") is None


@requirement("LEARN-08", "LEARN-09")
def test_another_example_than_the_rejected_one_is_shown_and_a_person_may_still_correct_it(
    hx: Hexad,
) -> None:
    fail_and_mend(hx, "chat:1")
    (noticed,) = hx.learnings.list(noticed=True)
    hx.learnings.reject(noticed.id)
    assert hx.learnings.known_fix("book", "book cannot read the day") is None
    bad = {"day": "31/01/2026"}
    for session in ("chat:2", "chat:3"):
        hx.observe(
            tool="book", args=bad, error="book cannot read the day", session=session
        )
        hx.observe(tool="login", args={}, result="ok", session=session)
        hx.observe(tool="book", args=bad, result="booked", session=session)
    fix = hx.learnings.known_fix("book", "book cannot read the day")
    assert fix is not None
    assert "login" in fix
    assert hx.learnings.correct(learning=noticed.id, fix="ask the desk").trusted


@requirement("SKILL-03", "LEARN-08")
def test_an_edited_skill_is_shown_again_and_an_edited_fix_is_the_users_word(
    folder: Path,
) -> None:
    command = editor(
        folder,
        'text = text.replace("Hello", "Good morning").replace("YYYY-MM-DD", "ISO 8601")',
    )
    shown = answer(Terminal(folder, "review", EDITOR=command), "e", "a", "e")
    assert "Good morning {{ name }}" in shown
    assert skill(folder) == (SkillStatus.ACTIVE, 2, "Good morning {{ name }}")
    (learning,) = learnings(folder)
    assert "ISO 8601" in learning.fix
    assert learning.trusted


@requirement("SKILL-02")
def test_an_edit_that_does_not_fit_is_explained_and_can_be_mended(folder: Path) -> None:
    """The first editing breaks the template, the second the form, the third mends both."""
    program = (
        'steps = pathlib.Path("steps"); done = len(steps.read_text()) if steps.exists() else 0\n'
        'steps.write_text("x" * (done + 1))\n'
        'text = [text.replace("}}", "}"), text + "nonsense", text.replace("} ", "}} ").replace("nonsense", "")][done]\n'
        'text = text.replace("name }\\"", "name }}\\"") if done == 2 else text'
    )
    shown = answer(
        Terminal(folder, "review", EDITOR=editor(folder, program)), "e", "e", "e", "q"
    )
    assert "error: definition" in shown
    assert "error: form: cannot be read" in shown
    assert skill(folder) == (SkillStatus.DRAFT, 1, "Hello {{ name }}")


@requirement("CONF-01")
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("", "no editor is set; set EDITOR"),
        ("no-such-editor-here", "'no-such-editor-here' cannot be started"),
        (f"{sys.executable} -c exit(3)", "ended with code 3, so nothing was changed"),
        (
            "rm",
            "'rm' left nothing to read (No such file or directory), so nothing was changed",
        ),
    ],
)
def test_without_an_editor_that_works_it_says_so_and_asks_again(
    folder: Path, command: str, said: str
) -> None:
    shown = answer(Terminal(folder, "review", EDITOR=command, VISUAL=""), "e", "q")
    assert said in shown.replace("\n", " ")
    assert "left for later" in shown
    assert skill(folder)[0] is SkillStatus.DRAFT


@requirement("CONF-01")
def test_skip_quit_nonsense_and_the_end_of_input_change_nothing(folder: Path) -> None:
    shown = answer(
        Terminal(folder, "review"),
        "what?",
        "s",
        "",
    )
    assert "type one of these letters" in shown
    assert "2 of 2" in shown
    assert "2 entries left for later" in shown
    assert "2 entries left for later" in answer(Terminal(folder, "review"), "q")
    assert "2 entries left for later" in answer(Terminal(folder, "review"), "s", "q")
    terminal = Terminal(folder, "review")
    terminal.read_until(ASKED)
    terminal.type("\x04")
    assert "2 entries left for later" in terminal.read_until()
    assert terminal.end() == 0
    assert skill(folder)[0] is SkillStatus.DRAFT
    assert not learnings(folder)[0].trusted


class Typed(io.StringIO):
    """The input of a person, all at once."""

    def isatty(self) -> bool:
        return True


@requirement("SKILL-02")
def test_a_skill_that_does_not_fit_its_kind_can_be_rejected_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(folder / "hexad.db")) as connection, connection:
        connection.execute(
            "UPDATE hexad_skill_definition SET definition = '{\"txt\": 1}'"
        )
    monkeypatch.chdir(folder)
    assert main(["review", "--json"]) == 0
    assert "template" in json.loads(capsys.readouterr().out)["queue"][0]["obstacle"]
    monkeypatch.setattr(sys, "stdin", Typed("a\ne\nr\nq\n"))
    assert main(["review"]) == 0
    printed = capsys.readouterr()
    assert printed.err.count("error: ") == 3
    assert "greet: deprecated" in printed.out


@requirement("LEARN-09")
def test_without_a_terminal_it_refuses_politely_and_json_lists_the_queue(
    run: Callable[..., Ran],
    folder: Path,
) -> None:
    ran = run("review")
    assert (ran.code, ran.out) == (2, "")
    assert (
        ran.err
        == "error: review: needs a terminal to ask on; --json lists the queue, NAME --accept accepts\n"
    )
    draft, doubt = run("review", "--json").json["queue"]
    assert (draft["what"], draft["skill"]["name"], draft["obstacle"]) == (
        "skill",
        "greet",
        "",
    )
    assert (doubt["what"], doubt["learning"]["trigger"]) == ("learning", "tool:book")
    assert json.dumps(doubt["learning"]["fix"])


def try_in_vain(hx: Hexad) -> None:
    """A second session meets the error, is shown the example, and fails with it."""
    bad, good = {"day": "31/01/2026"}, {"day": "2026-01-31"}
    error = "book cannot read the day"
    hx.observe(tool="book", args=bad, error=error, session="chat:2")
    assert hx.learnings.known_fix("book", error, args=bad, session="chat:2")
    hx.observe(tool="book", args=good, error=error, session="chat:2")


@requirement("LEARN-07", "LEARN-09")
def test_doubtful_is_a_lesson_that_nobody_proved_and_what_failed_when_it_was_tried(
    hx: Hexad,
) -> None:
    hx.learnings.save(trigger="tool:a", error_pattern="agents say so", fix="perhaps")
    hx.learnings.save(trigger="tool:b", error_pattern="nothing helps")
    hx.learnings.correct(trigger="tool:c", error_pattern="users know", fix="surely")
    fail_and_mend(hx, "chat:1")
    assert [each.trigger for each in hx.learnings.doubtful()] == ["tool:a"]
    try_in_vain(hx)
    assert [each.trigger for each in hx.learnings.doubtful()] == ["tool:book", "tool:a"]
    first, second = hx.learnings.doubtful()
    hx.learnings.correct(learning=first.id, fix="ask the desk")
    hx.learnings.delete(second.id)
    assert hx.learnings.doubtful() == ()


@requirement("LEARN-09")
def test_examples_that_failed_can_be_rejected_or_put_into_words_and_not_accepted(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "hexad.db") as hx:
        fail_and_mend(hx, "chat:1")
        try_in_vain(hx)
    command = editor(tmp_path, """text = text.replace('""', '"ask the desk"')""")
    shown = answer(Terminal(tmp_path, "review", EDITOR=command), "a", "e")
    assert "it has examples only" in shown
    assert "trusted 0.83" in shown
    assert learnings(tmp_path)[0].fix == "ask the desk"


@requirement("LEARN-09", "EVID-03")
def test_a_failure_that_one_session_met_is_listed_where_it_is_asked_for(
    run: Callable[..., Ran],
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "hexad.db") as hx:
        fail_and_mend(hx, "chat:1")
    ran = run("learnings", "list")
    assert ran.out == ""
    assert ran.err == "no learnings yet; 1 failure noticed once: --noticed lists them\n"
    listed = run("learnings", "list", "--noticed").out
    assert "book cannot read the day → Failed before (1 session" in listed
    assert 'What worked next: book(day="2026-01-31")' in listed
    assert "noticed 1" in run("status").out


@requirement("LEARN-06", "LEARN-09", "EVID-01")
def test_all_that_is_known_of_an_error_is_shown_on_a_screen(tmp_path: Path) -> None:
    bad, good = {"day": "31/01/2026"}, {"day": "2026-01-31"}
    error = "book cannot read the day"
    said = "The desk reads ISO days."
    with opened(tmp_path / "hexad.db") as hx:
        for session in ("chat:1", "chat:2"):
            hx.observe(tool="book", args=bad, error=error, session=session)
            hx.observe(tool="login", args={"user": "ann"}, result="ok", session=session)
            hx.observe(tool="book", args=good, result="ok", session=session, said=said)
        known = say(hx)
        hx.learnings.reject(known.id)
        hx.learnings.correct(learning=known.id, fix="ask the desk")
    shown = Terminal(tmp_path, "learnings", "show", known.id[:4]).read_until()
    text = " ".join(shown.split())
    for each in (
        "lesson ask the desk",
        "trust 0.83",
        "shown nothing went on 2, met it again 0",
        "met in 2 sessions",
        "Failed before (2 sessions, last ",
        "What worked next: book(day=",
        'in between: login(user="ann")',
        f"the agent said: {said}",
        f"other lessons {LESSON} (from agent, rejected)",
    ):
        assert each in text
