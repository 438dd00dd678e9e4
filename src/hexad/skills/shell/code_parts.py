"""A piece of code in another language, parted into its texts and what stands between them.

Comments are left out. What is code within a text, such as `f"{x}"`, becomes code: a sum of texts and that.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from hexad.skills.shell.values import HOME, decoded

T: Final = "\x0e(\\d+)\x0f"
"""A text in a piece of code: its number stands in its place."""
TS: Final = "\x0e\\d+\x0f(?: ?, ?\x0e\\d+\x0f)*"
_LISPS: Final = frozenset({"emacs", "guile", "sbcl", "clisp", "ecl", "clojure", "clj", "bb", "racket"})
_C_LIKE: Final = frozenset(
    {
        "node",
        "nodejs",
        "bun",
        "deno",
        "java",
        "jshell",
        "go",
        "rustc",
        "gcc",
        "groovy",
        "scala",
        "php",
        "kotlin",
        "swift",
    }
)
_HASHED: Final = frozenset({"lua", "luajit", "ghc", "ghci", "runghc", "osascript", "erl"})
_ONE_LINE: Final = r"\"(?:[^\"\\\n]|\\(?:.|\Z))*+(?:\"|(?=\n)|\Z)|'(?:[^'\\\n]|\\(?:.|\Z))*+(?:'|(?=\n)|\Z)"
_MANY_LINES: Final = r"\"(?:[^\"\\]|\\(?:.|\Z))*+(?:\"|\Z)|'(?:[^'\\]|\\(?:.|\Z))*+(?:'|\Z)"
_DOUBLE: Final = r"\"(?:[^\"\\]|\\(?:.|\Z))*+(?:\"|\Z)"
"""A text that is never closed ends with the line or the code: looking for its end again and again takes too long."""
_PERL_QUOTES: Final = r"\bq[qwrx]?(?: ?\{[^{}]*\}| ?\([^()]*\)| ?\[[^\[\]]*\]|/[^/]*/|\|[^|]*\||![^!]*!)"
_BARE_PATH: Final = r"(?<![\w/.~$\"'\])])(?:[/~](?![/*])|\.{1,2}(?![\w.]))[\w./*-]*"
_BUILT_IN: Final = {
    "python": re.compile(r"\{([^{}\"']{1,200}|[^{}]{0,80}[\"'][^{}]{0,80})\}"),
    "node": re.compile(r"\$\{([^{}]{1,200})\}"),
    "ruby": re.compile(r"#\{([^{}]{1,200})\}"),
    "elixir": re.compile(r"#\{([^{}]{1,200})\}"),
    "perl": re.compile(r"([$@]\{?\w+\}?(?:\{\w+\})?)"),
    "php": re.compile(r"\{?(\$\w+)\}?"),
    "pwsh": re.compile(r"(\$(?:env:)?\w+)"),
    "julia": re.compile(r"\$(\w+)"),
    "tclsh": re.compile(r"(\$(?:::env\(HOME\)|\w+))"),
}
"""How code stands within a text, by language."""
_INTERPOLATED: Final = re.compile(r"^\$\{(\w+)\}$")


@dataclass(slots=True)
class Code:
    """A piece of code with its texts taken out: each is a number in ``skeleton`` and an entry of ``texts``."""

    language: str
    skeleton: str = ""
    texts: list[str] = field(default_factory=list)

    def put(self, text: str) -> str:
        """What stands in the skeleton for a text."""
        self.texts.append(text)
        return f"\x0e{len(self.texts) - 1}\x0f"

    def get(self, number: str) -> str:
        """The text with a number."""
        return self.texts[int(number)]

    def all(self, part: str) -> list[str]:
        """The texts that stand in a part of the skeleton."""
        return [self.get(number) for number in _TEXTS(part)]

    def written(self) -> str:
        """The code with its texts in quotes again."""
        return _TEXT.sub(lambda found: _quoted(self.get(found[1])), self.skeleton)


_TEXT: Final = re.compile(T)
_TEXTS: Final = _TEXT.findall


def _quoted(text: str) -> str:
    plain = re.sub(r"\s+", " ", text) if len(text) > 200 else text
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"').replace(HOME, "~") + '"'


@lru_cache(maxsize=64)
def _token(language: str) -> re.Pattern[str]:
    """What has to be taken out of the code of a language: comments and texts."""
    comment = (
        r"//[^\n]*|/\*(?:.*?\*/|.*)"
        if language in _C_LIKE
        else "--[^\n]*"
        if language in _HASHED
        else r"(?<![\w$&])#(?!\{)[^\n]*"
    )
    quotes = _ONE_LINE
    if language in _LISPS:
        comment, quotes = r";[^\n]*", _DOUBLE
    elif language in {"rustc", "ghc", "ghci", "runghc"}:
        quotes = _DOUBLE
    elif language in {"perl", "ruby", "php", "julia", "elixir", "tclsh", "pwsh", "octave", "expect"}:
        quotes = _MANY_LINES
    extra = {
        "node": r"|`(?:[^`\\]|\\(?:.|\Z))*+(?:`|\Z)",
        "go": "|`[^`]*`",
        "lua": r"|\[\[(?:.*?\]\]|.*)",
        "perl": f"|{_PERL_QUOTES}",
    }
    bare = f"|{_BARE_PATH}" if language in {"pwsh", "tclsh"} else ""
    triple = r"[rbfu]{0,2}(?:\"\"\".*?\"\"\"|'''.*?''')|" if language == "python" else ""
    return re.compile(
        rf"(?P<text>{triple}(?:\b[rbfuRBFU]{{1,2}})?(?:{quotes}){extra.get(language, '')}{bare})|"
        rf"(?P<comment>{comment})",
        re.DOTALL,
    )


def without_texts(found: Code, code: str) -> str:
    """Code with a number for each of its texts, and without comments and needless blanks."""
    skeleton = _token(found.language).sub(lambda match: "" if match["text"] is None else _taken(found, match[0]), code)
    if found.language == "perl":
        skeleton = re.sub(r"<([~/][^<>\n]{0,200})>", lambda match: f"glob({found.put(match[1])})", skeleton)
    skeleton = re.sub(r"(?<=\S)[ \t]+", " ", skeleton)
    return re.sub(r"\s*\n( {0,40})[ \t]*", r"\n\1", skeleton)


def _taken(found: Code, token: str) -> str:
    """A text's place in the skeleton; code within it is code."""
    prefix, quote, text = _parts(token)
    if prefix == "qw":
        return ", ".join(found.put(word) for word in text.split())
    if prefix == "qx":
        return f"system({found.put(text)})"
    inner = _BUILT_IN.get(found.language)
    is_raw = "r" in prefix.lower() or (quote == "'" and found.language != "python") or quote == "[["
    if (
        inner is None
        or is_raw
        or (found.language == "python" and "f" not in prefix.lower())
        or (found.language == "node" and quote != "`")
    ):
        return found.put(text if is_raw and "\\" not in text else decoded(text))
    pieces = inner.split(text)
    if len(pieces) == 1 or len(pieces) > 40:
        return found.put(decoded(text))
    joined = [
        "(" + without_texts(found, _INTERPOLATED.sub(r"$\1", piece)) + ")" if number % 2 else found.put(decoded(piece))
        for number, piece in enumerate(pieces)
    ]
    return "(" + (" . " if found.language in {"perl", "php"} else " + ").join(joined) + ")"


def _parts(token: str) -> tuple[str, str, str]:
    """The letters before a text, its quote, and what it holds."""
    bare = re.match(r"[rbfuRBFU]{0,2}(?=[\"'])|q[qwrx]? ?(?=[({\[/|!])|", token)
    prefix = bare[0] if bare else ""
    rest = token[len(prefix) :]
    for quote in ('"""', "'''", "[["):
        if rest.startswith(quote):
            return prefix.strip(), quote, rest[len(quote) : -len(quote)]
    if rest[:1] in {'"', "'", "`"} or prefix.startswith("q"):
        is_closed = len(rest) > 1 and (rest[-1] == rest[0] or prefix.startswith("q"))
        return prefix.strip(), rest[:1], rest[1:-1] if is_closed else rest[1:]
    return "", "", token
