"""The gate: walk the statements of a script, and judge each command by its literal
words. What is computed, decoded, downloaded or otherwise not known is a finding.
"""

from __future__ import annotations

import re
from itertools import pairwise
from posixpath import basename, join, normpath
from typing import TYPE_CHECKING, Final

from hexad.skills.shell import tables
from hexad.skills.shell.reading import (
    LONGEST,
    WORDS,
    default_value,
    expanded,
    fields,
    parsed,
    text_of,
    unescaped,
)
from hexad.skills.shell.rules import RULES
from hexad.skills.shell.tables import BREAK, HOME, MADE, MARKERS, SELF, UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node

MOST_STEPS: Final = 100_000  # for a script and all files of its skill
DEEPEST: Final = 60
LONGEST_COMMAND: Final = 4_000  # characters: the patterns take quadratic time
_IN_BIN: Final = re.compile(r"(?:/usr|/usr/local|/opt/homebrew)?/s?bin/(?=[^/]+$)")
_QUOTED: Final = re.compile(r"""('{3}|"{3}|['"`])((?:\\.|(?!\1).)*?)\1""", re.DOTALL)


class TooComplex(Exception):
    """The script takes more steps than a check may."""


class Gate:
    """The state of a walk: what the script has set anywhere, and what was found."""

    def __init__(self, files: Mapping[str, str], steps: int = 0) -> None:
        self.found: dict[tuple[str, int], str] = {}
        self.values: dict[str, list[str]] = {}
        self.bases: dict[tuple[str, str, int], str | None] = {}  # of each `name+=text`
        self.files = dict(files)
        self.made: set[str] = set()  # names of files whose text was made elsewhere
        self.folders = ["."]  # in which the script may be
        self.stdin: str | None = None
        self.steps = steps
        self.depth = self.nested = 0
        self.line = 1

    def find(self, rule: str, what: Sequence[str]) -> None:
        """Note a finding at the current line, with its command in 80 characters."""
        text = what if isinstance(what, str) else " ".join(what)
        text = text.replace(HOME, "~").replace(SELF, "$0").replace(BREAK, " ").strip()
        text = MARKERS.sub("…", text)
        shown = text if len(text) <= 80 else f"{text[:79]}…"
        self.found.setdefault((rule, self.line), shown)

    def match(self, rows: tables.Rows, text: str, what: Sequence[str]) -> list[str]:
        """Note what the rows of a table say about a text; returns their rules."""
        rules = [rule for rule, pattern in rows if pattern.match(text)]
        if "-" in rules:
            return []
        for rule in RULES.keys() & rules:
            self.find(rule, what)
        return rules

    def spend(self, steps: int) -> None:
        """Count work. Too much of it ends the walk."""
        self.steps += steps
        if self.steps > MOST_STEPS:
            raise TooComplex

    def run_script(self, text: str) -> None:
        """Judge a script. The first walk learns what its variables hold anywhere, the
        second one judges.
        """
        self.spend(10 + len(text) // 20)
        root, broken_line = parsed(text)
        for _ in range(2):
            self.found.clear()
            self.folders = ["."]
            self.walk(root)
        if broken_line:
            self.found["unparsable", broken_line] = ""

    def run_text(self, text: str, what: Sequence[str]) -> str:
        """Judge a text that a command runs as a script."""
        self.spend(10 + len(text) // 20)  # parsing is slow
        if MADE in text or (UNKNOWN in text and "/dev/tcp" in self.made):
            self.find("pipe-to-shell", what)
            return MADE
        root, broken_line = parsed(text)
        if broken_line or UNKNOWN in text:
            self.find("unknown-command", what)
        if not MARKERS.sub("", text).strip():
            return UNKNOWN
        self.nested += 1
        printed = self.walk(root, self.stdin)
        self.nested -= 1
        return printed

    def carries(self, text: str, what: Sequence[str], rule: str = "") -> None:
        """A text that some program may run: what a shell would be refused is found, or
        ``rule`` in its place.
        """
        self.spend(len(text) // 100)
        if not tables.MAY_REJECT.search(text):
            return
        before, folders, self.found = self.found, self.folders, {}
        try:
            self.run_text(re.sub(f"[{UNKNOWN}{MADE}]", "", text), "")
        finally:
            found, self.found, self.folders = self.found, before, folders
        for each, _ in found:
            if RULES[each].capability is None:
                self.find(rule or each, what)

    def value(self, name: str) -> str:
        """All that the script assigns to a variable, anywhere."""
        if name == "PWD":
            return self.folders[0]
        held = self.values.get(name, [])
        if len(held) > 1:
            held = [UNKNOWN, *held]
        return BREAK.join(held or [default_value(name)])

    def assign(self, name: str, text: str) -> None:
        """A variable may hold this text too."""
        held = self.values.setdefault(name, [])
        if text not in held and UNKNOWN not in held:
            held.append(text[:LONGEST] if len(held) < 8 else UNKNOWN)
        self.spend(len(text) // 500)
        self.match(tables.ROWS["assign"], f"{name}={text}", f"{name}=…")

    def walk(self, node: Node, stdin: str | None = None) -> str:
        """Judge a statement; returns what it prints, as far as that is known."""
        kind = node.type
        folders = self.folders
        text = text_of(node) if kind in tables.ROWS else ""
        self.spend(1 + len(text) // 20)
        if self.depth > DEEPEST:
            raise TooComplex
        if not self.nested:
            self.line = node.start_point[0] + 1
        self.match(tables.ROWS.get(kind, []), text, text.partition("\n")[0])
        self.depth += 1
        self.stdin = stdin
        if kind in {"command", "redirected_statement"}:
            printed = self.command(node, stdin)
        elif kind == "variable_assignment":
            printed = self.assignment(node)
        else:
            printed = self.statements(node, stdin)
        self.depth -= 1
        if kind == "subshell" or kind.endswith("_substitution"):
            self.folders = folders
        return printed[:LONGEST]

    def statements(self, node: Node, stdin: str | None) -> str:
        """Statements one behind the other; in a pipeline each reads what the one before
        it prints.
        """
        printed = ""
        texts = []
        for child in node.named_children:
            if child.type in WORDS:
                texts.append(expanded(self, child))
            elif node.type == "pipeline":
                printed = stdin = self.walk(child, stdin)
            elif child.type != "comment":
                printed += self.walk(child, stdin)
        if node.type == "for_statement" and texts:
            self.assign(texts[0], BREAK.join(texts[1:]) or UNKNOWN)
        if node.type == "declaration_command":
            refers = re.match(r"\w+\s(?:.*\s)?-\w*n", text_of(node))  # to a variable
            for name, sign, text in (each.partition("=") for each in texts):
                if sign:
                    self.assign(name, text)
            for name in re.findall(r"(\w+)=", text_of(node)) if refers else ():
                self.assign(name, UNKNOWN)
        return printed

    def assignment(self, node: Node) -> str:
        """`name=text`, `name+=text` and `name=(words)`."""
        name, sign, *given = node.children
        variable, _, index = expanded(self, name).partition("[")
        text = expanded(self, given[0], quoted=True) if given else ""
        if sign.type == "+=":
            between = BREAK if given and given[0].type == "array" else ""
            text = self.longer(variable, between, text, node.start_byte)
        self.assign(variable, UNKNOWN if index else text)
        return ""

    def longer(self, variable: str, between: str, text: str, place: int) -> str:
        """What `name+=text` makes of the text before it, the same in both walks."""
        held = self.values.setdefault(variable, [])
        known = variable, text, place
        if known not in self.bases:
            self.bases[known] = held[-1] if held else None
        base = self.bases[known]
        if base is None:
            return text
        if base in held:
            held.remove(base)
        return f"{base}{between}{text}"

    def command(self, node: Node, stdin: str | None) -> str:  # noqa: C901, PLR0912 - kinds of nodes
        """A command or a statement with its redirections; a here-document may carry
        more words and the rest of a pipeline.
        """
        argv: list[str] = []
        later: list[Node] = []
        body: Node | None = None
        writes = False
        end = -1
        waiting = list(node.named_children)
        while waiting:
            child = waiting.pop(0)
            targets = child.children_by_field_name("destination")
            if child.type == "command":
                waiting = child.named_children + waiting
            elif child.type == "variable_assignment":
                self.assignment(child)
            elif child.type == "heredoc_redirect":
                waiting += child.named_children
            elif child.type == "heredoc_body":
                is_literal = re.search(r"<<-?\s*['\"\\]", text_of(child.parent or node))
                stdin = text_of(child) if is_literal else expanded(self, child)
            elif child.type == "herestring_redirect":
                stdin = expanded(self, child.named_children[-1], quoted=True)
            elif child.type == "file_redirect":
                waiting = targets[1:] + waiting
                if targets and targets[0].type != "number":
                    sign = "<" if "<" in text_of(child) else ">"
                    path = expanded(self, targets[0])
                    self.judge([sign, path])
                    writes = writes or sign == ">"
                    if re.match(r"/dev/(?:tcp|udp)/", path):
                        self.made.add("/dev/tcp")
                    stdin = self.read(path) if sign == "<" else stdin
            elif child.type in WORDS:
                if child.start_byte == end:
                    self.find("unknown-command", text_of(node))  # taken apart
                end = child.end_byte
                self.stdin = stdin
                argv += fields(self, child)
            elif child.type == "pipeline" and child != node.child_by_field_name("body"):
                later.append(child)
            elif child.is_named and not child.type.startswith("heredoc_"):
                body = child

        self.stdin = stdin
        printed = self.judge(argv) if argv else ""
        if body is not None:
            printed += self.walk(body, stdin)
        if writes:
            self.carries(printed, text_of(node), "unknown-command")
        for each in later:
            printed = self.walk(each, printed)
        return printed

    def settled(self, path: str, folder: str = "") -> str:
        """A path without `.` and `..`, from the folder that the script is in."""
        folder = "" if path[:1] in {UNKNOWN, MADE} else folder or self.folders[0]
        whole = join(folder, path)
        if whole[:1] in {UNKNOWN, MADE}:
            return whole
        whole = re.sub(r"^//+", "/", normpath(whole))
        return f"./{whole}" if whole[:1] in {UNKNOWN, MADE} else whole

    def read(self, path: str) -> str:
        """The text of a file of the skill; that of any other is unknown."""
        made = MADE if basename(path) in self.made else UNKNOWN
        return self.files.get(self.settled(path)) or made

    def judge(self, argv: list[str]) -> str:
        """Judge one command by its words; returns what it prints, as far as that is
        known.
        """
        name = _IN_BIN.sub("", argv[0])
        argv = [name, *argv[1:]]
        line = " ".join(argv)
        self.spend(5 + len(argv) + len(line) ** 2 // 10_000)
        if len(line) > LONGEST_COMMAND:
            raise TooComplex
        if name == SELF or re.search(rf"[{UNKNOWN}{MADE}\s*?]|\[.", name):
            return self.run_text(name.replace(SELF, UNKNOWN), argv)

        needs = tables.NEEDS.get(tables.ALIASES.get(name, name), [])
        rules = self.match(needs, f" {line[len(name) + 1 :] or '-none'}", argv)
        rules += self.match(tables.ROWS["input"], f"{line} {self.stdin or ''}", argv)
        if name not in tables.PRINTS_WORDS - {"rg", "man"}:
            rules += self.match(tables.ROWS["words"], line, argv)
        for folder in self.folders:
            text = name
            for word in argv[1:]:
                prefix, path = re.findall(r"(?s)\A(-?-?[\w-]+=|@|)(.*)", word)[0]
                path = path if path[:1] == "-" else self.settled(path, folder)
                text += f" {prefix} " if prefix else " "
                text += re.sub(r"\s", BREAK, path)
            self.match(tables.ROWS["paths"], text, argv)

        if "/" in name:
            return self.run_file(name, argv)
        if name in tables.SHELLS:
            return self.judge_shell(argv)
        if name not in tables.PRINTS_WORDS | {"eval", "alias", "trap"}:
            self.judge_carried(argv)
        if name in tables.WRAPPERS:
            return self.judge_wrapper(argv)
        return self.judge_builtin(argv) or self.judge_output(argv, rules)

    def judge_builtin(self, argv: list[str]) -> str:  # noqa: C901 - commands
        """What the shell itself does; nothing for a program."""
        name, *words = argv
        text = " ".join(words)
        words = [word for word in words if word[:1] != "-" or word == "-"]
        match name:
            case "echo":
                return unescaped(re.sub(r"\A(?:-[neE]+ )*", "", text)) + "\n"
            case "printf":
                words = argv[1:]
                variable = "".join(words[1:2]) if words[:1] == ["-v"] else ""
                words = words[2:] if variable else words
                form, *given = words[words[:1] == ["--"] :] or [""]
                form, *parts = re.split(r"%[sbdi]", form)
                given += [""] * len(parts)
                for word, part in zip(given, parts, strict=False):
                    form += word + part
                printed = unescaped(" ".join([form, *given[len(parts) :]]))
                if variable:
                    self.assign(variable, printed)
                return "" if variable else printed + "\n"
            case "eval":
                return self.run_text(text, argv) + "\n"
            case "." | "source":
                return self.run_file("".join(words[:1]), argv)
            case "trap":
                self.run_text("".join(words[:1]), argv)
            case "alias":
                self.run_text(f'{text.partition("=")[2]} "$@"', argv)
            case "read" | "mapfile" | "readarray" | "getopts":
                for variable in words:
                    self.assign(variable, (self.stdin or UNKNOWN).strip())
            case "cd" | "pushd" | "popd" | "chdir":
                target = (words or [HOME])[0] if name != "popd" else UNKNOWN
                target = UNKNOWN if target == "-" else target
                far = [each for each in self.folders if re.match(r"/(?!tmp/)", each)]
                self.folders = [self.settled(target), *far[:8]]
            case _:  # a program
                pass
        return ""

    def judge_output(self, argv: list[str], rules: list[str]) -> str:
        """What a program prints; one that reads what was made elsewhere may run it."""
        name = argv[0]
        line = " ".join(argv)
        stdin = UNKNOWN if self.stdin is None else self.stdin
        is_made = MADE in stdin or not {"made", "network"}.isdisjoint(rules)
        if (MADE in line + stdin or self.made) and name not in tables.HARMLESS:
            self.find("unknown-command", argv)
        if "holds" in rules:
            self.made |= {basename(word) for word in argv[1:]}
        if tables.LANGUAGES.fullmatch(name):
            code = "\n".join([*argv[1:], stdin, *map(self.read, argv[1:])])
            if MADE in code:
                self.find("pipe-to-shell", argv)
            if tables.CODE_RUNS.search(_QUOTED.sub(" ", code)):
                for _, text in _QUOTED.findall(code)[:200]:
                    self.carries(text, argv)
        if name in tables.PASSES_ON and not is_made:
            paths = [word for word in argv[1:] if not re.match(r"-|\d+$", word)]
            return "".join(map(self.read, paths)) or stdin
        if name == "find":
            return f"{argv[1] if argv[1:2] else '.'}/{UNKNOWN}"
        return tables.PRINTS.get(line) or (MADE if is_made else UNKNOWN)

    def judge_carried(self, argv: list[str]) -> None:
        """The words of a program may hold a command, or one may begin with them."""
        name = argv[0]
        for number, (before, word) in enumerate(pairwise(argv), 1):
            rest = argv[number:]
            if word in tables.DESTROYS:
                self.judge(rest[word[0] == "-" :] or rest)
                break
            if word in tables.SHELLS and re.match(r"-\w*c$", " ".join(rest[1:2])):
                self.judge(rest)
            elif " " in word and before not in tables.MESSAGES:
                rule = "" if name in tables.RUNNERS else "unknown-command"
                self.carries(word.lstrip("!:"), argv, rule)
        if self.stdin and not self.nested and name not in tables.PASSES_ON:
            self.carries(self.stdin.lstrip("!:"), argv, "unknown-command")

    def judge_wrapper(self, argv: list[str]) -> str:
        """`sudo`, `env`, `xargs` …: a command that runs the words behind its own."""
        name, *words = argv
        letters, skips = tables.WRAPPERS[name]
        while words and re.match(r"-.|\w+=", words[0]):
            option, _, text = words.pop(0).partition("=")
            if option[0] != "-":
                self.assign(option, text)
            elif option[1] != "-" and option[-1] in letters:
                del words[:1]
        words = words[skips:]
        if name == "xargs":
            text = (self.stdin or UNKNOWN).strip()
            sign = re.search(r" -[iI] ?(\S+)", " ".join(argv))
            more = [text] if "-c" in words else text.split()
            sign_text = sign[1] if sign else "\0"
            words = [word.replace(sign_text, text) for word in words]
            words += [] if sign else more
        if words:
            return self.judge(words)
        is_read = self.stdin and name not in {"exec", "env", "time"}
        return self.run_text(self.stdin or "", argv) if is_read else UNKNOWN

    def judge_shell(self, argv: list[str]) -> str:
        """`sh -c TEXT`, `sh FILE`, or a shell that reads its input."""
        words = argv[1:]
        while words and re.match(r"[-+].", words[0]):
            option = words.pop(0)
            if option in {"-n", "--version", "--help"}:
                return UNKNOWN
            if re.fullmatch(r"-\w*c", option):
                return self.run_text("".join(words[:1]) or UNKNOWN, argv)
            if re.fullmatch(r"[-+]\w*[oO]|--(?:rc|init-)file", option):
                del words[:1]
            if option == "-s":
                words = ["-"]
        folders = self.folders  # a shell of its own: its `cd` ends with it
        self.run_file("".join(words[:1]) or "-", argv)
        self.folders = folders
        return UNKNOWN

    def run_file(self, path: str, argv: list[str]) -> str:
        """Judge a file that is run. One that is not the skill's cannot be known."""
        if path in {"-", "/dev/stdin", "/dev/fd/0"}:
            return self.run_text(self.stdin or UNKNOWN, argv)
        text, key = self.read(path), self.settled(path)
        held = self.files.pop(key, "")  # a file that runs itself
        if re.match(r"#!(?!.*sh\b)", text):
            self.find("unknown-command", argv)
        else:
            self.run_text(text, argv)
        self.files[key] = held
        return UNKNOWN


def judged(
    scripts: Mapping[str, str], files: Mapping[str, str]
) -> Iterator[tuple[str, int, str, str]]:
    """The findings of scripts: a rule, a line, the command that meets it, and the
    script's name. Never raises.
    """
    known = {normpath(path): text for path, text in files.items()}
    steps = 0
    for name, script in scripts.items():
        gate = Gate(known, steps)
        try:
            gate.run_script(MARKERS.sub("\ufffd", script))
        except Exception:  # noqa: BLE001 - too much work, or a mistake of ours: the script is not judged
            gate.find("too-complex", "")
        steps = gate.steps
        for (rule, line), what in gate.found.items():
            yield rule, line, what, name
