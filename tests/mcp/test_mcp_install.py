"""`hexad mcp install|uninstall`: one entry in a client's configuration, and not a byte
more.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.cli import main
from hexad.errors import ClientConfigError
from hexad.mcp.install import changes, clients, jsonc
from hexad.mcp.install.entries import Entries, TomlEntries
from tests.mcp.mcp_support import ask, client, play
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Callable

CLIENTS = ("claude-code", "cursor")
each_client = pytest.mark.parametrize("name", CLIENTS)
OTHERS = """{
    "numStartups": 7,
    "mcpServers": {
        "github": {"command": "npx", "env": {"TOKEN": "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}}
    },
    "projects":   { "/home/ada": { "allowedTools": [ ] } }
}
"""
ZED = """// Zed settings
// For information on how to configure Zed, see its documentation
{
  "ui_font_size": 16, // "quoted", and // twice
  "context_servers": {
    /* mine, "hexad": {} */
    "github": {
      "url": "https://example.com//mcp",
    }, // with a trailing comma
  },
  "theme": {
    "mode": "system",
    // dark at night
  },
}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nobody's home, and the folder that commands run in."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in ("XDG_DATA_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return tmp_path


def file_of(home: Path, name: str, scope: str = "user") -> Path:
    return {
        ("claude-code", "user"): home / ".claude.json",
        ("claude-code", "project"): home / "work/.mcp.json",
        ("cursor", "user"): home / ".cursor/mcp.json",
        ("cursor", "project"): home / "work/.cursor/mcp.json",
    }[name, scope]


def copies(home: Path) -> list[str]:
    """The copies of files from before they were changed, oldest first."""
    folder = home / ".local/share/hexad/backups"
    found = sorted(folder.iterdir()) if folder.exists() else []
    assert all(stat.S_IMODE(each.stat().st_mode) == 0o600 for each in found)
    return [each.read_bytes().decode() for each in found]


def run(command: str, name: str, *more: str) -> int:
    return main(["mcp", command, "--client", name, *more])


@requirement("META-01")
@each_client
def test_a_client_without_a_configuration_gets_one_that_starts_this_server(
    home: Path, name: str
) -> None:
    assert run("install", name, "--yes", "--db", "agent.db", "--namespace", "team") == 0
    file = file_of(home, name)
    [entry] = json.loads(file.read_text())["mcpServers"].values()
    assert entry["args"][-5:] == [
        "mcp",
        "--db",
        str(home / "work/agent.db"),
        "--namespace",
        "team",
    ]
    assert Path(entry["command"]).is_absolute()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert copies(home) == []


@requirement("META-01")
@each_client
def test_what_is_installed_for_a_project_has_nothing_of_this_machine_in_it(
    home: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEXAD_DB", str(home / "mine.db"))
    file = file_of(home, name, "project")
    file.parent.mkdir(exist_ok=True)
    file.write_text("{}\n")
    assert (
        run("install", name, "--yes", "--scope", "project", "--namespace", "team") == 0
    )
    [entry] = json.loads(file.read_text())["mcpServers"].values()
    assert entry["command"] == "hexad"
    assert entry["args"] == ["mcp", "--namespace", "team"]
    assert str(home) not in file.read_text()
    assert [each for each in (home / "work").rglob("*") if each.is_file()] == [file]
    assert copies(home) == ["{}\n"]


@requirement("META-01")
def test_what_a_project_shares_cannot_name_a_database(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run("install", "cursor", "--yes", "--scope", "project", "--db", "agent.db") == 2
    )
    assert "is not for --scope project" in capsys.readouterr().err
    assert not file_of(home, "cursor", "project").exists()


@requirement("META-01")
@pytest.mark.parametrize(
    ("name", "scope", "place", "group"),
    [
        ("gemini-cli", "user", ".gemini/settings.json", "mcpServers"),
        ("gemini-cli", "project", "work/.gemini/settings.json", "mcpServers"),
        ("vscode", "project", "work/.vscode/mcp.json", "servers"),
        ("windsurf", "user", ".codeium/windsurf/mcp_config.json", "mcpServers"),
        ("zed", "user", ".config/zed/settings.json", "context_servers"),
    ],
)
def test_other_clients_are_configured_in_their_own_way(
    home: Path, name: str, scope: str, place: str, group: str
) -> None:
    assert run("install", name, "--yes", "--scope", scope) == 0
    entry = json.loads((home / place).read_text())[group]["hexad"]
    assert entry["args"][-2:] == (
        ["--db", str(home / "work/hexad.db")] if scope == "user" else ["mcp"]
    )
    assert entry.get("type") == ("stdio" if name == "vscode" else None)
    assert run("uninstall", name, "--yes", "--scope", scope) == 0
    left = {
        str(each.relative_to(home))
        for each in home.rglob("*")
        if ".local" not in each.parts
    }
    assert left == {"work"}  # as it was before, to the last folder


@requirement("META-01")
@pytest.mark.parametrize(
    ("platform", "place"),
    [
        ("darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
    ],
)
def test_claude_desktop_has_its_file_where_the_system_wants_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, platform: str, place: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert (
        clients.file_of(clients.Client.CLAUDE_DESKTOP, clients.Scope.USER, home=home)
        == home / place
    )


@requirement("META-01")
@pytest.mark.parametrize(
    ("name", "scope", "says"),
    [
        ("vscode", "user", "use --scope project"),
        ("windsurf", "project", "use --scope user"),
        ("claude-desktop", "project", "use --scope user"),
    ],
)
def test_a_scope_that_a_client_lacks_is_one_sentence(
    home: Path, name: str, scope: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("install", name, "--yes", "--scope", scope) == 2
    assert says in capsys.readouterr().err
    assert run("install", name, "--yes", "--scope", scope, "--path", "mine.json") == 0
    assert "hexad" in (home / "work/mine.json").read_text()


@requirement("META-01")
def test_what_an_entry_has_besides_stays(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = {
        "command": "hexad",
        "args": ["mcp"],
        "env": {"HEXAD_MCP_TOKEN": "hunter2-ü"},
        "disabled": True,
    }
    file = file_of(home, "cursor")
    file.parent.mkdir()
    file.write_text(json.dumps({"mcpServers": {"hexad": mine}}))
    assert run("install", "cursor", "--yes") == 0
    now = json.loads(file.read_text())["mcpServers"]["hexad"]
    assert {key: now[key] for key in ("env", "disabled")} == {
        key: mine[key] for key in ("env", "disabled")
    }
    assert now["args"][-2:] == ["--db", str(home / "work/hexad.db")]
    shown = capsys.readouterr()
    assert "hunter2" not in shown.out


@requirement("META-01")
@pytest.mark.parametrize("address", ["url", "serverUrl", "httpUrl"])
def test_an_entry_of_another_kind_is_left_alone(
    home: Path, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_of(home, "claude-code")
    before = json.dumps(
        {
            "mcpServers": {
                "hexad": {
                    "type": "http",
                    address: "https://h:t0psecret@example.com/mcp",
                }
            }
        }
    )
    file.write_text(before)
    assert run("install", "claude-code", "--yes") == 1
    printed = capsys.readouterr().err
    assert "another --name" in printed
    assert "t0psecret" not in printed
    assert file.read_text() == before
    assert run("uninstall", "claude-code", "--yes") == 0
    assert "t0psecret" not in capsys.readouterr().out


@requirement("META-01")
@pytest.mark.parametrize(
    "content",
    [
        '{\n  "mcpServers": {\n  }\n}\n',
        '{\n  "mcpServers": {\n\n\n  }\n}',
        '{"mcpServers": {   }}',
        '{\r\n\t"mcpServers": {\r\n\t},\r\n\t"a": 1\r\n}\r\n',
        '{\n  "theme": "dark"\n}\n',
        ZED,
        "{ // mine\n}",
        '{"a": [1, 2,], /* why */ "mcpServers": {"b": {},},}',
        '{\r\n\t"mcpServers": {\r\n\t\t"b": {} // last\r\n\t}\r\n}\r\n',
        '\ufeff{"theme": "dark"}',
        '{"mcpServers": {}}',
        "{ }",
        "  \n",
        "",
    ],
)
def test_taking_it_out_gives_the_file_back_as_it_was(home: Path, content: str) -> None:
    file = file_of(home, "cursor")
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content.encode())
    assert run("install", "cursor", "--yes") == 0
    assert run("uninstall", "cursor", "--yes") == 0
    assert file.read_bytes() == content.encode()


@requirement("META-01")
def test_comments_and_trailing_commas_stay_where_they_were(home: Path) -> None:
    file = home / ".config/zed/settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(ZED)
    assert run("install", "zed", "--yes") == 0
    [before, after] = ZED.split("// with a trailing comma")
    installed = file.read_text()
    assert installed.startswith(
        f'{before}// with a trailing comma\n    "hexad": {{\n      "command": '
    )
    assert installed.endswith(f"\n    }},{after}")
    file.write_text(
        installed.replace("16", "17")
    )  # the copy from before is of no use now
    assert run("uninstall", "zed", "--yes") == 0
    assert file.read_text() == ZED.replace("16", "17")


SPACES = st.sampled_from(
    ["", " ", "\n  ", "\n", ' // a, {b} "c\n', " /* [1, */ ", "\n  // d\n  "]
)
KEYS = st.sampled_from(
    ["mcpServers", "hooks", "github", "SessionStart", "a", 'say "//"']
)
VALUES = st.sampled_from(["1", '"x"', "null", '"// no, {comment} /*"'])


@st.composite
def commented(draw: st.DrawFn, depth: int = 0) -> str:
    """An object with comments and trailing commas in odd places; servers and hooks are
    objects.
    """
    parts = []
    for key in draw(st.lists(KEYS, max_size=3, unique=True)):
        grouped = key in {"mcpServers", "hooks"} and depth == 0
        if key == "SessionStart":
            value = f"[{draw(SPACES)}{draw(st.sampled_from(['', '{},', '{ }', '1, 2']))}{draw(SPACES)}]"
        else:
            value = (
                draw(commented(depth + 1))
                if grouped or (depth < 2 and draw(st.booleans()))
                else draw(VALUES)
            )
        parts.append(f"{draw(SPACES)}{json.dumps(key)}: {value}{draw(SPACES)}")
    trailing = "," if parts and draw(st.booleans()) else ""
    return "{" + ",".join(parts) + trailing + draw(SPACES) + "}"


def without_empty(document: dict[str, object]) -> dict[str, object]:
    """A document without its empty hooks and servers: nobody knows whether they were
    empty before.
    """
    lists = {
        key: each
        for key, each in dict(document.get("hooks") or {}).items()
        if each != []
    }
    groups = {"hooks": lists, "mcpServers": document.get("mcpServers")}
    return {
        **{key: each for key, each in document.items() if key not in groups},
        **{k: v for k, v in groups.items() if v},
    }


@requirement("META-01")
@given(commented(), st.booleans(), st.booleans())
def test_any_file_with_comments_is_edited_around_them(
    text: str, server: bool, hooks: bool
) -> None:
    hook = {"hooks": [{"type": "command", "command": "hexad hook"}]}
    entries = Entries(
        server={"command": "hexad", "args": ["mcp"]} if server else None,
        hooks={"SessionStart": [hook], "Stop": [hook]} if hooks else {},
    )
    before = jsonc.loads(text)
    installed = entries.put_into(text)
    found = entries.found(installed)
    assert (found.server, found.hooks) == (entries.server, entries.hooks)
    kept = iter(installed)
    assert all(letter in kept for letter in text)  # nothing of it went
    removed = found.taken_from(installed)
    assert without_empty(jsonc.loads(removed)) == without_empty(before)
    assert (removed.count("//"), removed.count("/*")) == (
        text.count("//"),
        text.count("/*"),
    )


@requirement("META-01")
@pytest.mark.parametrize("entry", ["5", "true", '"my url"'])
def test_an_entry_in_toml_that_is_no_table_is_not_replaced(entry: str) -> None:
    with pytest.raises(jsonc.Unfit):
        TomlEntries("mcp_servers", server={"command": "hexad"}).put_into(
            f"[mcp_servers]\nhexad = {entry}\n"
        )


@requirement("META-01")
@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": {"hexad": {"command": "a"}, "hexad": {"command": "b"}}}',
        '{"hooks": {"Stop": [{"command": "hexad hook"}], "Stop": [{"command": "hexad hook"}]}}',
    ],
)
def test_what_is_written_twice_is_not_taken_out_by_half(text: str) -> None:
    found = Entries().found(text)
    with pytest.raises(jsonc.Unfit, match="cannot be changed safely"):
        found.taken_from(text)


@requirement("META-01")
def test_taking_it_out_keeps_what_was_changed_meanwhile(home: Path) -> None:
    file = file_of(home, "cursor")
    file.parent.mkdir()
    file.write_text('{"a": 1}')
    assert run("install", "cursor", "--yes") == 0
    file.write_text(file.read_text().replace('"a": 1', '"a": 2'))
    assert run("uninstall", "cursor", "--yes") == 0
    assert json.loads(file.read_text()) == {"a": 2}


@requirement("META-01")
def test_what_is_installed_starts_from_any_folder(home: Path) -> None:
    from mcp import StdioServerParameters

    assert run("install", "claude-code", "--yes", "--db", "agent.db") == 0
    entry = json.loads(file_of(home, "claude-code").read_text())["mcpServers"]["hexad"]
    assert entry.pop("type") == "stdio"
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "hexad.py").write_text("raise SystemExit('a module of the same name')")

    async def scenario() -> None:
        server = StdioServerParameters(
            **entry, cwd=elsewhere, env={"HEXAD_SEMANTIC": "false"}
        )
        async with client(server) as one:
            await ask(one, "save_knowledge", key="a", content="first")

    play(scenario())
    assert (home / "work/agent.db").exists()


@requirement("META-01")
@each_client
def test_the_rest_of_a_configuration_stays_and_uninstalling_gives_every_byte_back(
    home: Path, name: str
) -> None:
    file = file_of(home, name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(OTHERS)
    file.chmod(0o640)
    assert run("install", name, "--yes") == 0
    installed = file.read_text()
    entry = json.loads(installed)["mcpServers"]["hexad"]
    ours = json.dumps(entry, indent=4).replace("\n", "\n        ")
    github = next(line for line in OTHERS.splitlines() if "github" in line)
    assert installed == OTHERS.replace(github, f'{github},\n        "hexad": {ours}')
    assert entry["args"][0] == "mcp" or entry["args"][:3] == ["-P", "-m", "hexad"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert copies(home) == [OTHERS]
    assert run("uninstall", name, "--yes") == 0
    assert file.read_text() == OTHERS
    assert copies(home) == [OTHERS, installed]
    assert sorted(file.parent.glob(f"{file.name}*")) == [file]


@requirement("META-01")
@each_client
def test_the_change_is_shown_without_the_secrets_beside_it(
    home: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_of(home, name)
    file.parent.mkdir(exist_ok=True)
    file.write_text(OTHERS)
    assert run("install", name, "--dry-run") == 0
    shown = capsys.readouterr()
    assert "@@ mcpServers.hexad @@" in shown.out
    assert '+  "command": ' in shown.out
    assert not [
        word
        for word in ("github", "npx", "TOKEN", "ghp_", "projects")
        if word in shown.out
    ]
    assert "nothing was written" in shown.err
    assert file.read_text() == OTHERS
    assert sorted(file.parent.glob(f"{file.name}*")) == [file]


@requirement("META-01")
@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b'{\n  "a": 1,\n  "b": }\n', "line 3: is not JSON"),
        (b'{"a":', 'or paste there yourself: { "mcpServers": { "hexad": { "command": '),
        (b'{"a": 1', "line 1: is not JSON"),
        (b"[1, 2]", 'has no JSON object "mcpServers"'),
        (b'{\n"mcpServers": []}', 'has no JSON object "mcpServers"'),
        (b'{\n  // mine\n  "a": /* 1 */,\n}', "line 4: is not JSON"),
        (
            b'{"mcpServers": {"hexad": "my url"}}',
            'has something else where "hexad" should be',
        ),
        (b'{"mcpServers": {"hexad": 5}}', 'has something else where "hexad" should be'),
        (
            b'{"mcpServers": {"hexad": true}}',
            'has something else where "hexad" should be',
        ),
        (b'{"a": "\xff\xfe"}', "is not UTF-8"),
        (b"[" * 100_000, "left as it is"),
    ],
)
def test_a_broken_configuration_is_left_alone_with_the_reason(
    home: Path, content: bytes, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_of(home, "cursor")
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    assert run("install", "cursor", "--yes") == 1
    printed = capsys.readouterr().err
    assert says in printed
    assert str(file) in printed
    assert printed.count("\n") == 1
    assert file.read_bytes() == content
    assert sorted(file.parent.glob(f"{file.name}*")) == [file]


@requirement("META-01")
def test_installing_twice_changes_nothing_and_another_database_replaces_the_entry(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = file_of(home, "cursor")
    assert run("install", "cursor", "--yes") == 0
    first = file.read_text()
    assert run("install", "cursor", "--yes") == 0
    assert "up to date already" in capsys.readouterr().err
    assert file.read_text() == first
    assert run("install", "cursor", "--yes", "--db", "other.db") == 0
    assert file.read_text() == first.replace("hexad.db", "other.db")
    assert run("install", "cursor", "--yes", "--name", "second") == 0
    assert list(json.loads(file.read_text())["mcpServers"]) == ["hexad", "second"]


@requirement("META-01")
def test_uninstalling_what_is_not_there_changes_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("uninstall", "cursor", "--yes") == 0
    assert (
        f"nothing to remove: {file_of(home, 'cursor')} does not exist"
        in capsys.readouterr().err
    )
    assert not file_of(home, "cursor").exists()
    file_of(home, "claude-code").write_text(OTHERS)
    assert run("uninstall", "claude-code", "--yes", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["written"], said["diff"]) == (False, "")
    assert run("uninstall", "claude-code", "--yes") == 0
    assert "nothing to remove: " in (printed := capsys.readouterr().err)
    assert "has no server 'hexad'" in printed
    assert file_of(home, "claude-code").read_text() == OTHERS


@requirement("META-01")
def test_a_link_stays_a_link_and_its_file_is_changed(home: Path) -> None:
    real = home / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_text(OTHERS)
    file_of(home, "claude-code").symlink_to(real)
    assert run("install", "claude-code", "--yes") == 0
    assert file_of(home, "claude-code").is_symlink()
    assert "hexad" in json.loads(real.read_text())["mcpServers"]
    assert copies(home) == [OTHERS]
    assert list(real.parent.iterdir()) == [real]


def _read_only(file: Path) -> None:
    file.write_text(OTHERS)
    file.chmod(0o444)


def _folder(file: Path) -> None:
    file.mkdir()


@requirement("META-01")
@pytest.mark.parametrize(
    ("make", "says"), [(_read_only, "is read-only"), (_folder, "cannot be read")]
)
def test_what_cannot_be_written_is_one_sentence(
    home: Path,
    make: Callable[[Path], None],
    says: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = file_of(home, "claude-code")
    make(file)
    assert run("install", "claude-code", "--yes") == 1
    assert says in capsys.readouterr().err
    assert sorted(file.parent.glob(".claude.json*")) == [file]


@requirement("META-01")
def test_a_file_that_changes_meanwhile_is_not_overwritten(home: Path) -> None:
    file = home / "c.json"
    file.write_text("{}")
    change = changes.installed(file, Entries(server={"command": "hexad"}))
    file.write_text(OTHERS)
    with pytest.raises(ClientConfigError, match="has changed since"):
        changes.write(change)
    assert file.read_text() == OTHERS


@requirement("META-01")
def test_a_disk_that_is_full_leaves_the_file_as_it_was(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = home / "c.json"
    file.write_text(OTHERS)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ClientConfigError, match="No space left"):
        changes.write(changes.installed(file, Entries(server={"command": "hexad"})))
    assert file.read_text() == OTHERS
    assert [
        each.name for each in home.iterdir() if each.name.startswith(".c.json")
    ] == []


@requirement("META-01")
def test_nobody_is_asked_in_a_pipe(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("install", "cursor") == 2
    assert "--yes" in capsys.readouterr().err
    assert not file_of(home, "cursor").exists()


@requirement("META-01")
@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("n\n", False)])
def test_on_a_terminal_a_person_is_asked(
    home: Path, answer: str, written: bool
) -> None:
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    os.write(ours, answer.encode())
    done = subprocess.run(
        [sys.executable, "-m", "hexad", "mcp", "install", "--client", "cursor"],
        stdin=theirs,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0
    assert "[y/N]" in done.stderr
    assert file_of(home, "cursor").exists() is written


@requirement("META-01")
@pytest.mark.parametrize(
    "more", [["--client", "emacs"], ["--client", "cursor", "--scope", "world"]]
)
def test_an_unknown_client_or_scope_names_those_that_are_known(
    home: Path, more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "install", "--yes", *more]) == 2
    assert "is not one of" in capsys.readouterr().err


@requirement("META-01")
def test_claude_code_finds_the_server_where_it_was_moved_to(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "moved"))
    assert run("install", "claude-code", "--yes") == 0
    assert run("install", "cursor", "--yes") == 0
    assert run("install", "claude-code", "--yes", "--scope", "project") == 0
    assert (
        "hexad" in json.loads((home / "moved/.claude.json").read_text())["mcpServers"]
    )
    assert not file_of(home, "claude-code").exists()
    assert file_of(home, "cursor").exists()
    assert file_of(home, "claude-code", "project").exists()


@requirement("META-01", "CONF-01")
def test_the_namespace_of_this_shell_goes_with_a_user_but_not_into_a_project(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEXAD_NAMESPACE", "ada")
    for scope, ends in (("user", ["--namespace", "ada"]), ("project", ["mcp"])):
        assert run("install", "claude-code", "--yes", "--scope", scope) == 0
        entry = json.loads(file_of(home, "claude-code", scope).read_text())[
            "mcpServers"
        ]["hexad"]
        assert entry["args"][-len(ends) :] == ends
    assert run("install", "claude-code", "--yes", "--namespace", "team") == 0
    entry = json.loads(file_of(home, "claude-code").read_text())["mcpServers"]["hexad"]
    assert entry["args"][-2:] == ["--namespace", "team"]
