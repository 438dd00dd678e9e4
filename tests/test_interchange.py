"""Export as Markdown, and transcripts on the command line."""

# ruff: noqa: F811 - the fixture

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from hexad.errors import BackupError
from hexad.skills.folders import frontmatter
from tests.support import requirement
from tests.test_cli import Ran, run  # noqa: F401, TC001 - the fixture

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hexad import Hexad


def filled(hx: Hexad) -> None:
    hx.knowledge.save("units", "Always metric", category="rule", pinned=True, tags=("style", "yes", "1.5"))
    hx.knowledge.save(
        "Tricky: key / 2024-01-01", "\n---\nline: two\r\n\n", subject="dana", source="chat", relevance=0.5
    )
    hx.knowledge.save("units 2", "Théâtre 東京", category="definition", origin="agent", thread="t", position=4)
    hx.references.save(
        "Runbook", location="https://wiki.example.com", summary="Night", kind="wiki", metadata={"a": [1]}
    )
    hx.learnings.save(trigger="tool:deploy", error_pattern="quota", diagnosis="full", fix="wait", category="tool_error")
    hx.skills.create("greet", kind="instruction", description="Greets", definition={"text": "Say hello"})
    hx.skills.activate("greet", by="ada")


@requirement("STORE-04")
def test_an_export_is_a_page_for_each_record_also_of_one_subject(hx: Hexad, tmp_path: Path) -> None:
    filled(hx)
    assert hx.export(tmp_path / "out") == 6
    page = frontmatter.split((tmp_path / "out" / "knowledge" / "units.md").read_text(encoding="utf-8"))
    known = {"hexad": 1, "type": "knowledge", "key": "units", "category": "rule", "pinned": True}
    assert frontmatter.parse(page.yaml).items() >= known.items()
    assert page.body == "Always metric\n"
    assert hx.export(tmp_path / "dana", subject="dana") == 1
    with pytest.raises(BackupError, match="not empty"):
        hx.export(tmp_path / "out")


@requirement("CAP-01")
@pytest.mark.parametrize("name", ["chat.json", "chat.jsonl"])
def test_a_transcript_is_captured_on_the_command_line(run: Callable[..., Ran], tmp_path: Path, name: str) -> None:
    said = {"role": "user", "content": "Call me Al. This week I'm working from Rome."}
    (tmp_path / name).write_text(json.dumps([said, {"role": "assistant", "content": "I love jazz."}]))
    if name == "chat.jsonl":
        (tmp_path / name).write_text(json.dumps(said))
    shown = run("capture", name, "--session", "chat:9", "--json").json["proposed"]
    assert [each["sentence"] for each in shown] == ["Call me Al.", "This week I'm working from Rome."]
    assert shown[1]["expires"]
    assert "nothing to keep" in run("capture", name).err
    (tmp_path / name).write_text("[")
    assert "JSON" in run("capture", name).err
