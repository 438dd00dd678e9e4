"""Import and export: files of other programs, recognised by what they hold, and a
memory that goes home as Markdown.
"""

# ruff: noqa: F811 - the fixture

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from hexad.errors import BackupError, InvalidInput
from tests.cli.test_cli import Ran, run  # noqa: F401, TC001 - the fixture
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hexad import Hexad

SAID = [
    "I live in Cork.",
    "Thanks!",
    "Never suggest fish.",
    "I love jazz.",
    "I would rather take the train.",
]


def claude(texts: list[str], number: int = 1) -> dict[str, Any]:
    """A conversation as Claude exports it."""
    messages = [
        {
            "uuid": f"m{place}",
            "sender": "human",
            "text": text,
            "content": [{"type": "text", "text": text}],
        }
        for place, text in enumerate(texts)
    ]
    answer = {
        "uuid": "a",
        "sender": "assistant",
        "text": "I live in a cloud.",
        "content": [],
    }
    head = {
        "uuid": f"c{number}",
        "name": "Chat",
        "created_at": "2026-01-02T10:00:00Z",
        "account": {"uuid": "u"},
    }
    return {**head, "chat_messages": [*messages, answer]}


def chatgpt(texts: list[str]) -> dict[str, Any]:
    """A conversation as ChatGPT exports it: a tree of messages, with one branch that
    was edited away.
    """

    def node(id: str, parent: str | None, role: str, text: str) -> dict[str, Any]:
        message = {
            "id": id,
            "author": {"role": role},
            "content": {"content_type": "text", "parts": [text]},
        }
        return {"id": id, "parent": parent, "children": [], "message": message}

    nodes = {
        "root": {"id": "root", "parent": None, "children": ["n0"], "message": None}
    }
    for place, text in enumerate(texts):
        nodes[f"n{place}"] = node(
            f"n{place}", f"n{place - 1}" if place else "root", "user", text
        )
    nodes["other"] = node("other", "root", "user", "My name is Edited Away.")
    nodes["answer"] = node(
        "answer", f"n{len(texts) - 1}", "assistant", "My name is Assistant."
    )
    return {
        "title": "Chat",
        "create_time": 1767348000.0,
        "mapping": nodes,
        "current_node": "answer",
    }


MEM0 = {
    "results": [
        {
            "id": "1",
            "memory": "Likes hiking",
            "user_id": "dana",
            "categories": ["sport"],
        },
        {"memory": ""},
    ]
}
RULES = (
    "# House\n\n- Never commit to main\n- Use tabs,\n  not spaces\n\n## "
    "Tests\nRun them first:\n\n```\nmake test\n```\n"
)
NOTE = "---\ntitle: Coffee\ntype: note\ntags: [drink]\npermalink: notes/coffee\n---\n\n# Coffee\n- [method] V60 #slow\n"
FILES: dict[
    str, tuple[str, str, set[str], int]
] = {  # name, content, what is saved, proposals
    "claude": ("conversations.json", json.dumps([claude(SAID)]), set(), 4),
    "chatgpt": ("conversations.json", json.dumps([chatgpt(SAID)]), set(), 4),
    "claude memory": (
        "memories.json",
        json.dumps(
            [
                {
                    "conversations_memory": "**Work**\n\n- Builds boats",
                    "project_memories": {"p": "Uses oak."},
                }
            ]
        ),
        {"Builds boats", "Uses oak."},
        0,
    ),
    "memory lines": (
        "memories.txt",
        "[2025-01-02] - Has a dog named Rex.\n- I prefer tea.\nAlways answer in Irish.\n",
        {"Has a dog named Rex.", "I prefer tea."},
        1,
    ),
    "mem0": ("export.json", json.dumps(MEM0), {"Likes hiking"}, 0),
    "mem0 list": ("export.json", json.dumps(MEM0["results"]), {"Likes hiking"}, 0),
    "mem0 headed": (
        "m.md",
        "# Memories\n\n- Likes hiking\n- Lives by the sea\n",
        {"Likes hiking", "Lives by the sea"},
        0,
    ),
    "mem0 Markdown": (
        "memories.md",
        "* Likes hiking\n* Lives by the sea\n",
        {"Likes hiking", "Lives by the sea"},
        0,
    ),
    "rules": ("CLAUDE.md", RULES, set(), 3),
    "note": ("coffee.md", NOTE, {"# Coffee\n- [method] V60 #slow"}, 0),
    "transcript": (
        "session.jsonl",
        "\n".join(
            json.dumps({"type": "user", "message": {"role": "user", "content": text}})
            for text in SAID
        ),
        set(),
        4,
    ),
    "Hexad": (
        "theirs.jsonl",
        (
            '{"type": "knowledge", "key": "a", "content": "A fact", "origin": "user"}\n'
            '{"type": "knowledge", "key": "r", "content": "Obey", "category": "rule"}'
        ),
        {"A fact"},
        1,
    ),
}


@requirement("IO-01")
@pytest.mark.parametrize("kind", FILES)
def test_a_file_is_recognised_and_imported_once_however_often(
    hx: Hexad, tmp_path: Path, kind: str
) -> None:
    name, content, saved, proposed = FILES[kind]
    (tmp_path / name).write_text(content, encoding="utf-8")
    looked = hx.import_file(tmp_path / name, preview=True)
    assert (hx.knowledge.list(), hx.proposals.list(), hx.audit.records()) == (
        (),
        (),
        (),
    )
    done = hx.import_file(tmp_path / name)
    assert done == looked
    assert {entry.content for entry in hx.knowledge.list()} == saved
    assert {(entry.origin, entry.pinned) for entry in hx.knowledge.list()} <= {
        ("import", False)
    }
    assert (len(hx.proposals.list()), done.proposed) == (proposed, proposed)
    before = (hx.knowledge.list(), hx.proposals.list())
    again = hx.import_file(tmp_path / name)
    assert (again.added, again.replaced, again.proposed) == (0, 0, 0)
    assert (hx.knowledge.list(), hx.proposals.list()) == before
    assert hx.audit.verify().ok
    mine = hx.scoped(namespace="mine")
    mine.import_file(tmp_path / name, mine=True)
    assert not mine.proposals.list()
    assert len(mine.knowledge.list()) == len(saved) + proposed
    assert {entry.origin for entry in mine.knowledge.list()} == {"user"}


@requirement("IO-01")
def test_what_was_said_in_an_export_keeps_its_sentence_and_what_has_expired_is_left_out(
    tmp_path: Path,
) -> None:
    texts = [
        "Until Friday I'm working from Rome.",
        "My key is sk-proj-abcDEF1234567890abcDEF1234567890.",
    ]
    (tmp_path / "c.json").write_text(
        json.dumps([claude([*texts, "By the way, never call me buddy."])])
    )
    with opened(tmp_path / "a.db") as hx:
        done = hx.import_file(tmp_path / "c.json")
        assert (done.added, done.proposed, done.reasons) == (0, 1, {"expired": 1})
        (proposal,) = hx.proposals.list()
        assert (proposal.sentence, proposal.origin) == (
            "By the way, never call me buddy.",
            "import",
        )


@requirement("IO-01", "CAP-01")
def test_what_a_person_rejected_is_not_proposed_again(
    hx: Hexad, tmp_path: Path
) -> None:
    (tmp_path / "c.json").write_text(
        json.dumps([claude([*SAID, "I have a dog named Rex."])])
    )
    hx.import_file(tmp_path / "c.json")
    *others, last = hx.proposals.list()
    for proposal in others:
        hx.proposals.reject(proposal.id)
    hx.proposals.accept(last.id)
    again = hx.import_file(tmp_path / "c.json")
    assert (again.added, again.proposed, again.reasons) == (
        0,
        0,
        {"rejected here": len(others)},
    )
    assert not hx.proposals.list()
    (tmp_path / "c.json").write_text(
        json.dumps([claude([*SAID, "Never suggest herrings."])])
    )
    assert hx.import_file(tmp_path / "c.json").proposed == 1


@requirement("IO-01")
def test_rules_of_a_file_keep_their_heading_and_code(hx: Hexad, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text(RULES)
    hx.import_file(tmp_path / "AGENTS.md")
    found = {proposal.content: proposal.tags for proposal in hx.proposals.list()}
    assert found == {
        "Never commit to main": ("House",),
        "Use tabs,\nnot spaces": ("House",),
        "Run them first:\n```\nmake test\n```": ("Tests",),
    }


@requirement("IO-01")
def test_a_note_about_memory_stays_whole(hx: Hexad, tmp_path: Path) -> None:
    (tmp_path / "palace.md").write_text(
        "# Memory palace\n\nIt places items in rooms.\n\n- Start at the door\n"
    )
    (tmp_path / "tea.md").write_text("# Tea\n\nGreen, at eight.\n")
    assert hx.import_file(tmp_path).added == 2
    assert hx.knowledge.get("palace").content.startswith("# Memory palace")


@requirement("IO-01")
def test_a_folder_is_imported_file_by_file_and_what_cannot_be_read_is_named(
    hx: Hexad, tmp_path: Path
) -> None:
    for name, (file, content, *_) in FILES.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(content, encoding="utf-8")
    (tmp_path / "package.json").write_text('{"name": "a program"}')
    (tmp_path / "README.md").write_text("# A program\n\n- Never import this")
    (tmp_path / "bad.md").write_text("---\na: [\n---\n")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "secret.md").write_text("- Never import this")
    done = hx.import_file(tmp_path)
    assert done.added == len(
        {text for _, _, saved, _ in FILES.values() for text in saved}
    )
    assert any(reason.startswith("bad.md: ") for reason in done.reasons)
    assert hx.import_file(tmp_path).added == 0
    with pytest.raises(InvalidInput, match="must be one of hexad, claude"):
        hx.import_file(tmp_path, format="word")
    (tmp_path / "empty").mkdir()
    with pytest.raises(BackupError, match="holds 0 files"):
        hx.import_file(tmp_path / "empty")


@requirement("IO-01", "SAFE-01")
@pytest.mark.parametrize(
    "text",
    [
        "[",
        "[{",
        '[{"memory": ',
        "[" * 100_000,
        '[{"mapping": 5}, {"mapping": {"a": 1}}]',
    ],
)
def test_a_broken_array_is_an_error_or_empty(
    hx: Hexad, tmp_path: Path, text: str
) -> None:
    (tmp_path / "conversations.json").write_text(text)
    if text.endswith("]"):
        assert (
            hx.import_file(tmp_path / "conversations.json", format="chatgpt").added == 0
        )
    else:
        with pytest.raises(BackupError, match="JSON"):
            hx.import_file(tmp_path / "conversations.json", format="chatgpt")


@requirement("IO-01", "SAFE-01")
def test_a_large_export_is_read_in_the_memory_of_one_conversation(
    tmp_path: Path,
) -> None:
    with (tmp_path / "large.json").open("w") as file:
        file.write("[")
        for number in range(60):
            file.write(
                json.dumps(
                    claude([*["What about the weather " * 40] * 50, *SAID], number)
                )
                + ","
            )
        file.write(json.dumps(claude(["I live in Galway."])) + "]")
    assert (tmp_path / "large.json").stat().st_size > 2_700_000
    seen: list[tuple[int, int]] = []
    with opened(tmp_path / "a.db") as hx:
        hx.import_file(tmp_path / "large.json", preview=True)  # everything is loaded
        tracemalloc.start()
        done = hx.import_file(
            tmp_path / "large.json", progress=lambda *step: seen.append(step)
        )
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 1_500_000
    assert (done.added, done.proposed) == (0, 4)  # of two homes the later one
    assert seen[-1][0] == seen[-1][1]
    assert seen == sorted(seen)


@pytest.mark.soak
@requirement("IO-01", "SAFE-01")
def test_two_hundred_thousand_messages_are_imported_in_bounded_memory_twice_with_the_same_result(
    tmp_path: Path,
) -> None:
    with (tmp_path / "large.json").open("w") as file:
        for number in range(4_000):
            wish = [
                f"My sister Ana{number} lives in Cork.",
                f"Always call room {number} the annex.",
            ]
            file.write(
                "[,"[number > 0]
                + json.dumps(
                    claude([*["How is the weather in Cork?"] * 47, *wish], number)
                )
            )
        file.write("]")
    seen: list[tuple[int, int]] = []
    with opened(tmp_path / "a.db") as hx:
        tracemalloc.start()
        first = hx.import_file(
            tmp_path / "large.json", progress=lambda *step: seen.append(step)
        )
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        before = (hx.knowledge.list(), hx.proposals.list())
        again = hx.import_file(tmp_path / "large.json")
        assert (hx.knowledge.list(), hx.proposals.list()) == before
        assert hx.audit.verify().ok
    assert peak < 20_000_000
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    assert (first.added, first.proposed, first.left_out) == (0, 500, 7_500)
    assert (again.added, again.proposed, again.kept, again.left_out) == (
        0,
        0,
        500,
        7_500,
    )


def filled(hx: Hexad) -> None:
    hx.knowledge.save(
        "units",
        "Always metric",
        category="rule",
        pinned=True,
        tags=("style", "yes", "1.5"),
    )
    hx.knowledge.save(
        "Tricky: key / 2024-01-01",
        "\n---\nline: two\r\n\n",
        subject="dana",
        source="chat",
        relevance=0.5,
    )
    hx.knowledge.save(
        "units 2",
        "Théâtre 東京",
        category="definition",
        origin="agent",
        thread="t",
        position=4,
    )
    hx.references.save(
        "Runbook",
        location="https://wiki.example.com",
        summary="Night",
        kind="wiki",
        metadata={"a": [1]},
    )
    hx.learnings.save(
        trigger="tool:deploy",
        error_pattern="quota",
        diagnosis="full",
        fix="wait",
        category="tool_error",
    )
    hx.skills.create(
        "greet",
        kind="instruction",
        description="Greets",
        definition={"text": "Say hello"},
    )
    hx.skills.activate("greet", by="ada")


def kept(hx: Hexad, *, trusted: bool) -> list[Any]:
    """Every record's fields that an export promises."""
    fields: dict[str, Callable[[Any], Any]] = {
        "knowledge": lambda each: (
            (
                each.key,
                each.content,
                each.category,
                each.tags,
                each.subject,
                each.source,
            )
            + (each.thread, each.position, each.relevance, each.expires)
            + ((each.origin, each.pinned) if trusted else ())
        ),
        "references": lambda each: (
            each.name,
            each.location,
            each.summary,
            each.kind,
            each.metadata,
        ),
        "learnings": lambda each: (
            each.trigger,
            each.error_pattern,
            each.diagnosis,
            each.fix,
            each.category,
        ),
        "skills": lambda each: (
            (each.name, each.description, each.definition)
            + ((each.status,) if trusted else ())
        ),
    }
    return [
        sorted(map(read, getattr(hx, name).list()), key=str)
        for name, read in fields.items()
    ]


@requirement("IO-02")
def test_an_export_read_back_is_the_same_memory(hx: Hexad, tmp_path: Path) -> None:
    filled(hx)
    assert hx.export(tmp_path / "out") == 6
    mine, theirs, third = (
        hx.scoped(namespace=name) for name in ("mine", "theirs", "third")
    )
    mine.import_file(tmp_path / "out", mine=True)
    assert kept(mine, trusted=True) == kept(hx, trusted=True)
    done = theirs.import_file(tmp_path / "out")
    assert (done.added, done.proposed, theirs.proposals.list()[0].content) == (
        5,
        1,
        "Always metric",
    )
    theirs.proposals.accept(theirs.proposals.list()[0].id)
    assert [entry.origin.value for entry in theirs.knowledge.list()].count(
        "import"
    ) == 2
    theirs.export(tmp_path / "again")
    third.import_file(tmp_path / "again", mine=True)
    assert kept(third, trusted=True) == kept(theirs, trusted=True)
    with pytest.raises(BackupError, match="not empty"):
        hx.export(tmp_path / "out")


@requirement("IO-02", "LEARN-06")
def test_a_learning_comes_back_with_its_evidence_to_its_owner_alone(
    hx: Hexad, tmp_path: Path
) -> None:
    bad, good = {"day": "31/01/2026"}, {"day": "2026-01-31"}
    error = "ValueError: cannot read the day '31/01/2026'"
    for session in ("one", "two"):
        hx.observe(tool="book", args=bad, error=error, session=session)
        hx.observe(tool="book", args=good, result="ok", session=session)
    hx.observe(tool="mail", args={"to": "ann"}, error="no such address", session="one")
    hx.learnings.correct(
        trigger="tool:pay", error_pattern="card declined", fix="ask for another card"
    )
    hx.export(tmp_path / "out")
    mine, theirs = (hx.scoped(namespace=name) for name in ("mine", "theirs"))
    for _ in range(2):
        mine.import_file(tmp_path / "out", mine=True, overwrite=True)

    known = {each.trigger: each for each in hx.learnings.list(noticed=True)}
    own = {each.trigger: each for each in mine.learnings.list(noticed=True)}
    names = (
        "fix",
        "trust",
        "unaided",
        "stuck",
        "sessions",
        "seen",
        "origin",
        "evidence",
    )
    for trigger, each in known.items():
        kept = own[trigger]
        assert [getattr(kept, name) for name in names] == [
            getattr(each, name) for name in names
        ]
    assert set(own) == set(known)
    assert mine.learnings.fix_for("pay", "card declined") == "ask for another card"
    assert mine.learnings.known_fix("book", error) == hx.learnings.known_fix(
        "book", error
    )
    assert mine.learnings.notes(["book"]) == hx.learnings.notes(["book"]) != {}
    mine.export(tmp_path / "again")
    first, second = (
        sorted((tmp_path / name).rglob("*.md")) for name in ("out", "again")
    )
    assert [page.read_bytes() for page in first] == [
        page.read_bytes() for page in second
    ]

    done = theirs.import_file(tmp_path / "out")
    assert done.reasons == {"failures that nobody put into words": 2}
    (told,) = theirs.learnings.list(noticed=True)
    assert (told.fix, told.trust < known["tool:pay"].trust) == (
        "ask for another card",
        True,
    )
    assert theirs.learnings.fix_for("pay", "card declined") is None


@requirement("IO-02", "LEARN-08")
def test_a_page_of_the_version_before_brings_what_somebody_said(
    hx: Hexad, tmp_path: Path
) -> None:
    said = "kind: correction, says: ask ops, worked: 3, failed: 1, support: 0"
    inferred = (
        "kind: arguments, says: give `day` as text, worked: 9, failed: 0, support: 2"
    )
    head = "hexad: 1\ntype: learning\ntrigger: tool:pay\nerror_pattern: card declined"
    page = tmp_path / "tool.md"
    fixes = f"fix: ask ops\norigin: user\nsupport: 2\nfixes: {{a: {{{said}}}, b: {{{inferred}}}}}"
    page.write_text(f"---\n{head}\n{fixes}\n---\n\n")
    assert hx.import_file(page, mine=True).added == 1
    (known,) = hx.learnings.list()
    assert (known.fix, known.worked, known.failed) == ("ask ops", 3, 1)
    assert [each.text for each in known.known.lessons] == ["ask ops"]


@requirement("IO-02")
def test_an_entry_that_was_saved_as_it_is_comes_back_so_to_its_owner_alone(
    hx: Hexad, tmp_path: Path
) -> None:
    hx.knowledge.save(
        "example",
        "An example token is ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        redact=False,
    )
    hx.export(tmp_path / "out")
    mine, theirs = (hx.scoped(namespace=name) for name in ("mine", "theirs"))
    mine.import_file(tmp_path / "out", mine=True)
    theirs.import_file(tmp_path / "out")
    assert mine.knowledge.get("example").content == hx.knowledge.get("example").content
    assert "[redacted:github-token]" in theirs.knowledge.get("example").content


@requirement("IO-02")
@pytest.mark.parametrize(
    "evidence", ["{examples: [{}]}", "{examples: 3}", "{lessons: [x]}"]
)
def test_a_page_whose_evidence_was_edited_into_something_else_is_named(
    hx: Hexad, tmp_path: Path, evidence: str
) -> None:
    page = tmp_path / "tool.md"
    head = "hexad: 1\ntype: learning\ntrigger: tool:pay"
    page.write_text(f"---\n{head}\nevidence: {evidence}\n---\ncard declined\n")
    done = hx.import_file(page, mine=True)
    assert (done.added, list(done.reasons)) == (
        0,
        ["evidence: must be as `hexad export` writes it"],
    )
    assert not hx.learnings.list(noticed=True)


@requirement("IO-02")
def test_an_export_of_an_entry_without_its_secret_read_back_is_written_the_same(
    hx: Hexad, tmp_path: Path
) -> None:
    hx.knowledge.save("ci", "The CI token is ghp_abcdefghijklmnopqrstuvwxyz0123456789")
    hx.export(tmp_path / "out")
    mine = hx.scoped(namespace="mine")
    mine.import_file(tmp_path / "out", mine=True)
    mine.export(tmp_path / "again")
    pages = [
        (tmp_path / name / "knowledge" / "ci.md").read_text()
        for name in ("out", "again")
    ]
    assert pages[0] == pages[1]
    assert "[redacted:github-token]" in pages[0]


@requirement("IO-02")
def test_an_export_of_one_subject_holds_what_is_known_about_it(
    hx: Hexad, tmp_path: Path
) -> None:
    filled(hx)
    assert hx.export(tmp_path / "dana", subject="dana") == 1
    (page,) = (tmp_path / "dana").rglob("*.md")
    assert "subject: dana" in page.read_text(encoding="utf-8")


@requirement("IO-01", "IO-02", "CAP-01")
def test_the_command_line_previews_imports_exports_and_captures(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "c.json").write_text(json.dumps([claude(SAID)]))
    seen = run("import", str(tmp_path / "c.json"), "--preview")
    assert "it would be 0 added, 0 replaced, 4 proposed" in seen.out
    assert "Never suggest fish." in seen.out
    assert (
        json.loads(run("import", str(tmp_path / "c.json"), "--json").out)["proposed"]
        == 4
    )
    assert (
        json.loads(run("import", str(tmp_path / "c.json"), "--mine", "--json").out)[
            "added"
        ]
        == 4
    )
    assert (
        json.loads(run("export", str(tmp_path / "out"), "--json").out)["records"] == 4
    )
    (tmp_path / "chat.jsonl").write_text(
        json.dumps({"role": "user", "content": "Call me Al."})
    )
    assert (
        "Call me Al."
        in run("capture", str(tmp_path / "chat.jsonl"), "--session", "chat:9").out
    )
    assert "nothing to keep" in run("capture", str(tmp_path / "chat.jsonl")).err
    (tmp_path / "chat.json").write_text(
        json.dumps(["x", claude(["This week I'm working from Rome."])])
    )
    assert json.loads(run("capture", str(tmp_path / "chat.json"), "--json").out)[
        "proposed"
    ][0]["expires"]
    queue = json.loads(run("review", "--json").out)["queue"]
    assert {each["proposal"]["sentence"] for each in queue} >= {
        "Call me Al.",
        "Never suggest fish.",
    }


PAGE = """# Billing
Falcon is the billing backend; it is written in Go.

```
make all
```

- Keep functions under 40 lines
- Error handling
  - Wrap every error
- All timestamps are UTC in RFC 3339.
  - except the legacy CSV export, which is local time
  - and logs.
- See @docs/style.md
- Read @README for an overview and @package.json for commands.

See @docs/style.md for style.

- The staging token is ghp_abcdefghijklmnopqrstuvwxyz0123456789

| a | b |
|---|---|
"""


@requirement("IO-01")
def test_a_page_of_rules_offers_orders_as_rules_prose_as_facts_and_names_the_rest(
    hx: Hexad, tmp_path: Path
) -> None:
    page = tmp_path / "CLAUDE.md"
    page.write_text(PAGE)
    done = hx.import_file(page, mine=True)
    found = {
        entry.content: (entry.category, entry.tags) for entry in hx.knowledge.list()
    }
    token = "The staging token is [redacted:github-token]"
    assert found.pop("Falcon is the billing backend; it is written in Go.") == (
        "fact",
        ("Billing",),
    )
    assert found.pop("Wrap every error") == ("rule", ("Billing", "Error handling"))
    joined = "All timestamps are UTC in RFC 3339: except the legacy CSV export, which is local time; and logs"
    assert set(found) == {"Keep functions under 40 lines", token, joined}
    assert done.reasons["points to another file; import that file"] == 3
    assert set(done.reasons) == {
        "a table",
        "code without a text before it",
        "points to another file; import that file",
    }
    assert done.redacted == {"github-token": 1}
    assert token in {text for _, _, text in done.shown}
    assert hx.import_file(page, mine=True).added == 0


@requirement("IO-01")
def test_a_long_list_below_an_item_stays_entries_of_their_own(
    hx: Hexad, tmp_path: Path
) -> None:
    page = tmp_path / "CLAUDE.md"
    page.write_text(
        "# A\n- Follow these conventions in all tests:\n"
        + "".join(f"  - Use case {n}\n" for n in range(13))
    )
    hx.import_file(page, mine=True)
    found = {entry.content: entry.tags for entry in hx.knowledge.list()}
    assert len(found) == 14
    assert found["Use case 3"] == ("A", "Follow these conventions in all tests")


@requirement("IO-01")
def test_a_rule_that_names_a_file_or_a_package_is_kept(
    hx: Hexad, tmp_path: Path
) -> None:
    page = tmp_path / "CLAUDE.md"
    rules = {
        "Use @acme/core for logging.",
        "See @docs/style.md for style. Never use tabs.",
    }
    page.write_text("# A\n" + "".join(f"- {rule}\n" for rule in rules))
    hx.import_file(page, mine=True)
    assert {entry.content for entry in hx.knowledge.list()} == rules


@requirement("IO-01")
def test_a_changed_line_of_a_file_replaces_what_it_brought(
    hx: Hexad, tmp_path: Path
) -> None:
    page = tmp_path / "CLAUDE.md"
    page.write_text("# A\n- Keep functions under 40 lines\n- Never deploy on Fridays\n")
    hx.import_file(page, mine=True)
    page.write_text("# A\n- Keep functions under 60 lines\n")
    done = hx.import_file(page, mine=True)
    assert (done.added, done.replaced, done.gone) == (0, 1, ("never-deploy-fridays",))
    assert (
        hx.knowledge.get("keep-functions-60-lines").content
        == "Keep functions under 60 lines"
    )
    page.write_text("# A\n- Keep functions under 80 lines\n")
    assert hx.import_file(page, mine=True).proposed == 1  # it may have been edited here
    hx.knowledge.save("keep-functions-60-lines", "Keep functions tiny")
    page.write_text("# A\n- Keep functions under 60 lines\n")
    assert hx.import_file(page, mine=True).kept == 1


@requirement("CAP-01")
def test_a_transcript_in_plain_text_is_read_and_review_says_that_a_file_proposed_it(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "chat.txt").write_text(
        "User: Hi!\nNever suggest fish.\n\nAssistant: Never again, I live in a cloud.\n"
    )
    [found] = run(
        "capture", "-", "--json", stdin=(tmp_path / "chat.txt").read_bytes()
    ).json["proposed"]
    assert found["content"] == "Never suggest fish."
    assert (
        run("capture", str(tmp_path / "chat.txt"), "--json").json["proposed"] == []
    )  # it waits already
    [waiting] = run("review", "--json").json["queue"]
    assert waiting["proposal"]["origin"] == "import"
    lines = b'{"role": "user", "content": "Call me Al."}\n{"role": "user", "content": "I live in Galway."}\n'
    assert len(run("capture", "-", "--json", stdin=lines).json["proposed"]) == 2
    assert run("import", str(tmp_path / "chat.txt"), "--json").json["added"] == 0


@requirement("IO-01")
def test_a_preview_creates_no_database(run: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text(PAGE)
    seen = run(
        "import",
        str(tmp_path / "CLAUDE.md"),
        "--preview",
        "--db",
        str(tmp_path / "new.db"),
    )
    assert "ghp_" not in seen.out
    assert "redacted" in seen.err
    assert not (tmp_path / "new.db").exists()


def notes(folder: Path, **pages: str) -> Path:
    """A folder of notes: `work_plan="…"` is the page `work/plan.md`."""
    for name, text in pages.items():
        page = (folder / name.replace("_", "/")).with_suffix(".md")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text, encoding="utf-8")
    return folder


@requirement("IO-01")
def test_pages_of_one_name_in_two_folders_are_two_entries(
    hx: Hexad, tmp_path: Path
) -> None:
    vault = notes(
        tmp_path / "vault",
        work_plan="Ship the tea kettle",
        home_plan="Paint the kitchen",
        home_empty="",
    )
    for added in (2, 0):
        assert hx.import_file(vault).added == added
        found = {entry.source: entry.content for entry in hx.knowledge.list()}
        assert found == {
            "work/plan.md": "Ship the tea kettle",
            "home/plan.md": "Paint the kitchen",
        }


@requirement("IO-02")
def test_an_export_holds_what_waits_for_a_person_and_it_waits_again_where_it_is_read(
    tmp_path: Path,
) -> None:
    with opened(":memory:") as hx:
        hx.knowledge.save("tea", "Green tea at eight", subject="dana")
        hx.capture("I live in Cork.")
        assert hx.export(tmp_path / "out") == 1
        assert hx.export(tmp_path / "dana", subject="Dana") == 1
    for mine in (True, False):
        with opened(":memory:") as hx:
            hx.import_file(tmp_path / "out", mine=mine)
            assert [entry.key for entry in hx.knowledge.list()] == ["tea"]
            (waiting,) = hx.proposals.list()
            assert (waiting.key, waiting.content, waiting.sentence) == (
                "home",
                "I live in Cork.",
                "I live in Cork.",
            )


@requirement("IO-01")
def test_a_folder_names_the_files_that_it_passes_over_and_mem0_keeps_whose_memory_it_is(
    hx: Hexad, tmp_path: Path
) -> None:
    vault = notes(
        tmp_path / "vault", plan="Ship the tea kettle", README="About this folder"
    )
    (vault / "x.json").write_text('{"a": 1}', encoding="utf-8")
    done = hx.import_file(vault)
    assert (done.left_out, dict(done.reasons)) == (
        2,
        {"files that are not recognised, such as README.md, x.json": 2},
    )
    (tmp_path / "mem0.json").write_text(
        '[{"memory": "Has a dog", "user_id": "dana"}]', encoding="utf-8"
    )
    hx.import_file(tmp_path / "mem0.json")
    assert [
        entry.content for entry in hx.knowledge.list() if entry.subject == "dana"
    ] == ["Has a dog"]


@requirement("IO-01")
def test_a_file_with_nothing_to_keep_and_an_export_of_nobody_are_said(
    run: Callable[..., Ran], tmp_path: Path
) -> None:
    (tmp_path / "mem0.json").write_text('[{"memory": "Has a dog"}]', encoding="utf-8")
    assert (
        "holds nothing that can be kept as claude"
        in run("import", str(tmp_path / "mem0.json"), "--as", "claude").err
    )
    assert (
        "is the subject or namespace right?"
        in run("export", str(tmp_path / "out"), "--subject", "nobody").out
    )
    (tmp_path / "chat.txt").write_text("I live in Cork.\n", encoding="utf-8")
    run("capture", str(tmp_path / "chat.txt"))
    assert run("review", "home", "--accept").code == 0
    assert "I live in Cork." in run("list").out


@requirement("IO-01")
def test_however_many_pages_have_one_name_none_is_lost(
    hx: Hexad, tmp_path: Path
) -> None:
    pages = {
        f"{number}_index": f"Chapter {number} is about tea" for number in range(120)
    }
    vault = notes(tmp_path / "vault", **pages)
    for added in (120, 0):
        assert hx.import_file(vault).added == added
        assert {entry.content for entry in hx.knowledge.list()} == set(pages.values())
    done = hx.import_file(
        notes(tmp_path / "vault", **{"99_index": "All is quiet in August"})
    )
    assert (done.added, done.replaced, done.gone) == (0, 1, ())


@requirement("IO-01")
def test_a_page_that_was_written_anew_is_the_next_version_of_its_entry(
    hx: Hexad, tmp_path: Path
) -> None:
    hx.import_file(
        notes(tmp_path / "vault", plan="Ship the tea kettle", tea="Green, at eight")
    )
    done = hx.import_file(notes(tmp_path / "vault", plan="All is quiet in August"))
    assert (done.added, done.replaced, done.kept, done.gone) == (0, 1, 1, ())
    assert [version.content for version in hx.knowledge.history("plan")] == [
        "All is quiet in August",
        "Ship the tea kettle",
    ]


@requirement("IO-01")
@pytest.mark.parametrize("name", ["pasted.txt", "mem0.json"])
def test_a_memory_that_was_reworded_is_no_second_one(
    hx: Hexad, tmp_path: Path, name: str
) -> None:
    for text in ("Has a dog named Rex, a terrier", "Has a dog named Rexy, a terrier"):
        held = (
            json.dumps([{"id": "1", "memory": text}])
            if name == "mem0.json"
            else f"{text}\nLives in Cork\n"
        )
        (tmp_path / name).write_text(held, encoding="utf-8")
        hx.import_file(tmp_path / name)
        assert [
            entry.content for entry in hx.knowledge.list() if "dog" in entry.content
        ] == [text]


@requirement("IO-01")
def test_a_bold_line_alone_is_a_heading(hx: Hexad, tmp_path: Path) -> None:
    page = "**Work context**\n\nDana builds kettles.\n\n**Never deploy on Fridays**\n"
    (tmp_path / "memories.json").write_text(
        json.dumps([{"conversations_memory": page}]), encoding="utf-8"
    )
    hx.import_file(tmp_path / "memories.json", mine=True)
    found = {entry.content: entry.tags for entry in hx.knowledge.list()}
    assert found == {
        "Dana builds kettles.": ("Work context",),
        "**Never deploy on Fridays**": ("Work context",),
    }


@requirement("IO-01")
@pytest.mark.parametrize("newest_first", [False, True])
def test_of_two_homes_in_an_export_the_later_one_is_proposed_once(
    hx: Hexad, tmp_path: Path, *, newest_first: bool
) -> None:
    older = {**claude(["I live in Cork."]), "created_at": "2025-01-02T10:00:00Z"}
    newer = {**claude(["I live in Rome now."], 2), "created_at": "2026-01-02T10:00:00Z"}
    file = tmp_path / "conversations.json"
    file.write_text(
        json.dumps([newer, older] if newest_first else [older, newer]), encoding="utf-8"
    )
    assert [hx.import_file(file).proposed for _ in range(2)] == [1, 0]
    assert [each.content for each in hx.proposals.list()] == ["I live in Rome now."]


@requirement("IO-01")
def test_a_task_is_no_rule_and_a_preference_in_the_third_person_is_one(
    hx: Hexad, tmp_path: Path
) -> None:
    (tmp_path / "CLAUDE.md").write_text(
        "- [x] remove jQuery\n- [ ] migrate to Postgres 16\n- Always use pnpm\n"
    )
    done = hx.import_file(tmp_path / "CLAUDE.md", mine=True)
    assert ([entry.content for entry in hx.knowledge.list()], done.reasons) == (
        ["Always use pnpm"],
        {"a task": 2},
    )
    (tmp_path / "mem0.json").write_text(
        json.dumps([{"memory": "Prefers aisle seats", "user_id": "ana"}])
    )
    hx.import_file(tmp_path / "mem0.json", mine=True)
    assert hx.knowledge.list()[-1].category == "preference"


@requirement("IO-01")
@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_line_right_behind_code_is_an_entry_of_its_own(
    tmp_path: Path, fence: str
) -> None:
    page = f"# Rules\n\n{fence}\nmake test\n{fence}\nNever push to main on Fridays.\n"
    (tmp_path / "CLAUDE.md").write_text(page, encoding="utf-8")
    with opened(":memory:") as hx:
        done = hx.import_file(tmp_path / "CLAUDE.md", mine=True)
    assert [text for _, _, text in done.shown] == ["Never push to main on Fridays."]


@requirement("IO-01")
def test_a_page_of_many_pieces_keeps_the_heading_of_each_line(tmp_path: Path) -> None:
    page = "# Kitchen\n\n" + "".join(
        f"- The cupboard {number} holds towels and cups\n\n" for number in range(900)
    )
    (tmp_path / "notes.txt").write_text(page, encoding="utf-8")
    reported: list[int] = []
    with opened(":memory:") as hx:
        done = hx.import_file(
            tmp_path / "notes.txt",
            format="memories",
            mine=True,
            progress=lambda n, _: reported.append(n),
        )
        assert done.added == 900
        assert {entry.tags for entry in hx.knowledge.list()} == {("Kitchen",)}
    assert reported == sorted(reported)
    assert len({*reported}) > 1
