"""The assistant's tools: files of one folder, daily notes, shell scripts in a sandbox,
and the web if it is let.
"""

from __future__ import annotations

import html
import re
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_TEXT = 100_000  # characters of a file, an output or a page that a model is given
MOST_FILES = 100  # of which a script gets copies


@dataclass(frozen=True)
class Workspace:
    """A folder: `notes/2026-03-02.md` is a day, `site/` is what was made of it. The
    memory is kept elsewhere.
    """

    folder: Path
    database: Path | str  # a file, or the URL of a server

    def tools(self, *, web: bool) -> list[Callable[..., Any]]:
        """Everything that may be done here."""
        own = [
            self.list_files,
            self.read_file,
            self.write_file,
            self.export_page,
            self.add_to_index,
            self.run_shell,
        ]
        return [*own, fetch] if web else own

    def list_files(self, folder: str = ".") -> list[str]:
        """List the files below a folder.

        Args:
            folder: A folder's path, such as "notes".
        """
        found = self._inside(folder).rglob("*")
        return sorted(
            str(path.relative_to(self.folder)) for path in found if path.is_file()
        )

    def read_file(self, path: str) -> str:
        """Read a text file.

        Args:
            path: The file's path, such as "notes/2026-03-02.md".
        """
        return self._inside(path).read_text(encoding="utf-8")[:MOST_TEXT]

    def write_file(self, path: str, text: str) -> str:
        """Write a text file; what was there is replaced.

        Args:
            path: The file's path.
            text: All of its text.
        """
        file = self._inside(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return f"wrote {len(text)} characters"

    def export_page(self, day: str) -> str:
        """Make a web page of one day's notes.

        Args:
            day: The day of the notes.
        """
        if re.fullmatch(r"\d{4}-\d\d-\d\d", day) is None:
            raise ValueError(f"cannot read the day {day!r}")
        notes = self.read_file(f"notes/{date.fromisoformat(day)}.md")
        points = "".join(
            f"<li>{html.escape(line.lstrip('- '))}</li>"
            for line in notes.splitlines()
            if line.strip()
        )
        self.write_file(f"site/{day}.html", f"<h1>{day}</h1><ul>{points}</ul>")
        return f"site/{day}.html"

    def add_to_index(self, page: str) -> str:
        """Put a page on the front page.

        Args:
            page: The page's path, as export_page gave it.
        """
        front = self._inside("site/index.html")
        links = (
            set(front.read_text(encoding="utf-8").splitlines())
            if front.exists()
            else set()
        )
        links.add(f'<a href="{self._inside(page).name}">{self._inside(page).stem}</a>')
        self.write_file("site/index.html", "\n".join(sorted(links)))
        return f"{len(links)} page{'s' if len(links) > 1 else ''} on the front page"

    def run_shell(self, script: str) -> dict[str, Any]:
        """Run a shell script over a copy of the folder, in a sandbox. Only what it
        prints comes back.

        Args:
            script: What to run, such as "grep -l plumber notes/*".
        """
        from hexad.skills.sandbox import find_sandbox  # noqa: PLC0415 - it may have to say what to install

        hidden = [self.database] if isinstance(self.database, Path) else []
        came = find_sandbox().run(
            script, environment={}, files=self._copies(), hidden=hidden
        )
        outcome = {
            "stdout": came.stdout[:MOST_TEXT],
            "stderr": came.stderr[:MOST_TEXT],
            "returncode": came.exit_code,
        }
        return outcome | ({"error": "it took too long"} if came.timed_out else {})

    def _copies(self) -> dict[str, bytes]:
        """The folder's files, as many as a script may be given."""
        copies: dict[str, bytes] = {}
        for name in self.list_files()[:MOST_FILES]:
            with suppress(
                OSError
            ):  # a link out of the folder, or a file that has just gone
                file = self._inside(name)
                if file.stat().st_size <= MOST_TEXT:
                    copies[name] = file.read_bytes()
        return copies

    def _inside(self, path: str) -> Path:
        """A path of the folder, and of nothing outside of it: not the assistant's own
        memory either.
        """
        found = (self.folder / path).resolve()
        if not found.is_relative_to(self.folder.resolve()):
            raise PermissionError(f"{path!r} is outside of the folder")
        return found


def fetch(url: str) -> dict[str, Any]:
    """Get a page or a document from the web.

    Args:
        url: Its address, with http:// or https://.
    """
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ValueError(f"{url!r} is not an address of the web")
    with urllib.request.urlopen(url, timeout=20) as answer:  # noqa: S310 - the scheme is checked
        text = answer.read(MOST_TEXT).decode(
            answer.headers.get_content_charset() or "utf-8", errors="replace"
        )
        return {"http": answer.status, "text": text}
