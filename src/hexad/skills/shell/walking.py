"""Walk the statements of a script in order, with what variables, functions and files
may hold at each place.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from itertools import chain, product
from typing import TYPE_CHECKING, Final

from hexad.skills.shell import commands, reading
from hexad.skills.shell.places import (
    BREAK,
    MADE,
    MARKERS,
    UNKNOWN,
    Place,
    is_secret,
    named,
    place,
    settled,
    shown,
)
from hexad.skills.shell.reading import (
    expanded,
    fields,
    here_document,
    is_parsable,
    parsed,
    scan,
    text_of,
)
from hexad.skills.shell.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tree_sitter import Node


MOST_STEPS: Final = 60_000  # for a script and all files of its skill
DEEPEST: Final = 60
MOST_COMMANDS: Final = 16  # that one command may come to
_ENDLESS: Final = re.compile(
    r"(?:while|until)\s+(?:true|:|(?:test|\[\[?)\s+1(?:\s+(?:-eq|==?)\s+1)?(?:\s+\]\]?)?|\(\(\s*1\s*\)\)|!\s*false|false)"
    r"\s*[;\n]|for\s*\(\(\s*;\s*;"
)
_PAUSES: Final = re.compile(
    r"(?:[;\n{&|]|\b(?:do|then))\s{0,50}(?:wait|read|break|exit|return|sleep\b[^&;\n)]*[;\n])"
)
_DECIDES: Final = re.compile(r"\b(?:if|case|while|for|return|exit)\b|&&|\|\||\[")
_RUNS_CODE: Final = re.compile(
    r"LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PS4|PYTHON(?:STARTUP|PATH|HOME)|PERL5\w+|"
    r"RUBYOPT|NODE_OPTIONS|GIT_\w*(?:SSH|PAGER|EXEC)\w*|(?:MAN)?PAGER|\w*EDITOR|VISUAL|LESSOPEN|VIMINIT|"
    r"JAVA_TOOL_OPTIONS|(?s:.*\[.*(?:\$\(|`).*)"
)
_MAY_REJECT: Final = re.compile(
    r"\b(?:rm|dd|mkfs|mv|chmod|chown|find|shred|sh|bash|kill|wipefs)\b|/dev/|\)\s*\{"
)
_SOCKET: Final = re.compile(r"/dev/(?:tcp|udp)/")
_REDIRECTS: Final = named("file_redirect heredoc_redirect herestring_redirect")


class TooComplex(Exception):
    """The script takes more steps than a check may: the walk ends here, in any state."""


class Shell:
    """The state of a walk: what the script has set so far, and what was found. Methods
    are named after node types.
    """

    def __init__(self, files: Mapping[str, str], steps: int = 0) -> None:
        self.found: dict[tuple[str, int], str] = {}
        self.variables: dict[str, tuple[str, ...]] = {}
        self.functions: dict[
            str, tuple[Node | str, bool]
        ] = {}  # aliases and traps too, as text
        self.files = dict(files)
        self.has_made_file = (
            False  # a file was written whose text is downloaded, decoded or unpacked
        )
        self.folders: tuple[str, ...] = (".",)
        self.arguments: list[str] | None = None
        self.stdin: str | None = None
        self._is_script = False  # not within a text that a command runs
        self._line = 1
        self.steps = steps
        self._depth = 0
        self.unsure_depth = (
            0  # > 0: a variable that is set here may hold its old value afterwards
        )
        self._calls: list[str] = []
        self._called: set[str] = set()

    def find(self, rule: str, what: list[str] | str) -> None:
        """Note a finding at the current line."""
        self.found.setdefault((rule, self._line), shown(what))

    def spend(self, steps: int = 1, text: str = "") -> None:
        """Count work: some steps, and a text that is read through. Too much of it ends
        the walk.
        """
        self.steps += steps + len(text) // 100
        if self.steps > MOST_STEPS:
            raise TooComplex

    def run_script(self, text: str) -> None:
        """Judge a whole script, then the functions, aliases and traps that it defines
        and never calls.
        """
        if not is_parsable(text):
            raise TooComplex
        self.spend(10 + len(text) // 20)
        script, self._is_script = parsed(text), True
        if (line := script.broken_line()) or "\x00" in text:
            self.found["unparsable", line or 1] = ""
        self.walk(script.root)
        for name in [name for name in self.functions if name not in self._called]:
            self.stdin = None
            self.call(name, None)

    def run_text(self, text: str, what: list[str] | str) -> str:
        """Judge a text that a command runs as a script."""
        if MADE in text:
            self.find("pipe-to-shell", what)
            return MADE
        self.spend(10 + len(text) // 20)  # parsing is slow
        is_readable = is_parsable(text) and bool(MARKERS.sub("", text).strip())
        script = parsed(text) if is_readable else None
        if UNKNOWN in text or (
            text.strip() and (script is None or script.broken_line())
        ):
            self.find("unknown-command", what)
        if script is None:
            return UNKNOWN
        before, self._is_script = self._is_script, False
        printed = self.walk(script.root, self.stdin)
        self._is_script = before
        return printed

    def rejections(self, text: str) -> set[str]:
        """The rules by which a text would be rejected if a shell ran it; for texts that
        may never be run.
        """
        self.spend(0, text)
        if not _MAY_REJECT.search(text):
            return set()
        other = Shell({}, self.steps)
        other.variables, other._depth = dict(self.variables), self._depth + 5
        try:
            other.run_text(text.replace(UNKNOWN, "").replace(MADE, ""), "")
        finally:
            self.steps = other.steps
        return {rule for rule, _ in other.found if RULES[rule].capability is None}

    def suspect(self, text: str, what: list[str] | str) -> None:
        """A text that some program may run: if a shell would be refused it, a person
        has to look.
        """
        if self.rejections(text):
            self.find("unknown-command", what)

    @contextmanager
    def unsure(self) -> Iterator[None]:
        """A part of the script that may not run, or that runs in a process of its own."""
        self.unsure_depth += 1
        yield
        self.unsure_depth -= 1

    def isolated(self, node: Node, stdin: str | None) -> str:
        """Walk the statements of a subshell or a substituted command: the folder is the
        old one afterwards.
        """
        folders = self.folders
        with self.unsure():
            output = self._sequence(node, stdin)
        self.folders = folders
        return output

    _subshell = isolated

    def walk(self, node: Node, stdin: str | None = None) -> str:
        """Judge a statement; returns what it prints, as far as that is known."""
        self.spend()
        if self._depth >= DEEPEST:
            raise TooComplex
        if self._is_script:
            self._line = node.start_point[0] + 1
        self._depth += 1
        self.stdin = stdin
        output: str = getattr(self, f"_{node.type}", self._sequence)(node, stdin)
        self._depth -= 1
        return output

    def assign(self, name: str, texts: tuple[str, ...]) -> None:
        """Set a variable; where it is not sure that this runs, the values from before
        stay possible.
        """
        folders = ":".join(texts).split(":") if name == "PATH" else ()
        if _RUNS_CODE.fullmatch(name) or {*map(place, folders)} & {
            Place.INSIDE,
            Place.UNKNOWN,
        }:
            self.find("unknown-command", f"{name}=…")
        for text in texts:
            self.suspect(text if " " in text else "", f"{name}={text}")
        if self.unsure_depth and name in self.variables:
            texts = (
                *texts,
                *(text for text in self.variables[name] if text not in texts),
            )
        self.variables[name] = (
            texts if len(texts) <= reading.MOST else (*texts[: reading.MOST], UNKNOWN)
        )
        self.spend(sum(map(len, texts)) // 500)

    def call(self, name: str, arguments: list[str] | None) -> str:
        """Walk the body of a function, with its arguments."""
        self._called.add(name)
        if (
            name in self._calls or name in commands.DESTROYS
        ):  # `command rm` does not run a function of this name
            commands.judge_named(self, name, [name, *(arguments or ())])
        if name in self._calls:
            return UNKNOWN
        before = self.arguments, self._is_script
        body, is_script = self.functions[name]
        self.arguments, self._is_script = arguments, is_script
        self._calls.append(name)
        printed = (
            self.run_text(body, name)
            if isinstance(body, str)
            else self.walk(body, self.stdin)
        )
        self.arguments, self._is_script = before
        self._calls.pop()
        return printed

    def read(self, path: str) -> str:
        """The content of a file that the script wrote or the skill brings; else
        unknown.
        """
        return (
            MADE
            if _SOCKET.match(path)
            else self.files.get(settled(path, self.folders[0]), UNKNOWN)
        )

    def write(self, path: str, content: str | None, what: list[str] | str) -> None:
        """Judge a path that is written to; ``content`` is remembered, None keeps what
        the file holds.
        """
        for folder in self.folders:
            whole, where = settled(path, folder), place(path, folder)
            if _SOCKET.match(whole):
                self.find("network", what)
            elif where is Place.DISK:
                self.find("device-write", what)
            elif where in {Place.OUTSIDE, Place.VITAL}:
                self.find("write-outside", what)
            self.has_made_file |= MADE in (content or "")
            if content is not None and not whole.startswith(("/dev/", UNKNOWN)):
                self.files[whole] = (self.files.get(whole, "") + content)[
                    : reading.LONGEST
                ]
                self.suspect(content, what)

    def _sequence(self, node: Node, stdin: str | None) -> str:
        """Statements one behind the other."""
        printed: list[str] = []
        for child in node.named_children:
            if child.type in reading.KINDS:
                expanded(self, child)
            elif child.type != "comment":
                printed.append(self.walk(child, stdin))
        return "".join(printed)[: reading.LONGEST]

    def _list(self, node: Node, stdin: str | None) -> str:
        """`a && b || c`: only the first of them is sure to run."""
        printed = self.walk(node.children[0], stdin)
        with self.unsure():
            return printed + self.walk(node.children[-1], stdin)

    def _pipeline(self, node: Node, stdin: str | None) -> str:
        stages = node.named_children
        piped = stdin
        for number, stage in enumerate(stages):
            if number and number == len(stages) - 1 and stdin is not None:
                piped = (
                    piped or ""
                ) + stdin  # a redirection behind a pipeline belongs to its last command
            with self.unsure():
                piped = self.walk(stage, piped)
        return piped or ""

    def _if_statement(self, node: Node, stdin: str | None) -> str:
        """`if`, `elif`, `else` and `case`: of their parts only a first condition is
        sure to run.
        """
        with self.unsure():
            return self._sequence(node, stdin)

    _elif_clause = _else_clause = _case_statement = _if_statement

    def _while_statement(self, node: Node, stdin: str | None) -> str:
        """A loop is walked once; a variable that grows in it is not known."""
        self.spend(text=(text := text_of(node)))
        if (
            _ENDLESS.match(text)
            and re.search(r"[^&>]&(?![&>\d])", text)
            and not _PAUSES.search(text)
        ):
            self.find("fork-bomb", text.partition("\n")[0])
        for name in set(re.findall(r"\b(\w+)(?:\+=|=\S{0,99}\$\{?\1\b)", text)):
            self.assign(name, (*self.variables.get(name, ()), UNKNOWN))
        with self.unsure():
            return self._sequence(node, stdin)

    _c_style_for_statement = _while_statement

    def _for_statement(self, node: Node, stdin: str | None) -> str:
        name, values = (
            node.child_by_field_name("variable"),
            node.children_by_field_name("value"),
        )
        split = [way for value in values for way in fields(self, value)]
        if name is not None:
            self.variables.pop(text_of(name), None)
            self.assign(
                text_of(name),
                tuple(dict.fromkeys(chain(*split))) if values else (UNKNOWN,),
            )
        return self._while_statement(node, stdin)

    def _function_definition(self, node: Node, _stdin: str | None) -> str:
        """Remember a function; one that starts itself in a pipe or in the background is
        a fork bomb.
        """
        name = next(
            (text_of(child) for child in node.named_children if child.type == "word"),
            "",
        )
        body = node.child_by_field_name("body")
        if name in self.functions:
            self.call(name, None)
        if body is None:
            return ""
        self.functions[name] = body, self._is_script
        again = rf"(?<![\w.-]){re.escape(name)}(?![\w.-])"
        self.spend(text=(text := text_of(body)))
        parts = [
            part[found.end() :]
            for part in re.split(r"[;\n]", text)
            if (found := re.search(again, part))
        ]
        is_started = re.search(r"[|&]", "".join(parts)) or re.search(
            rf"[|&(]\s*{again}", text
        )
        if is_started and not _DECIDES.search(text):
            self.find("fork-bomb", name)
        return ""

    def _variable_assignment(self, node: Node, _stdin: str | None) -> str:
        name, given = (
            node.child_by_field_name("name"),
            node.child_by_field_name("value"),
        )
        if name is None:
            return ""
        scan(self, name)
        variable, between = text_of(name).partition("[")[0], ""
        texts = (
            expanded(self, given, quoted=True)
            if given is not None and given.type != "array"
            else ("",)
        )
        if given is not None and given.type == "array":
            items = [expanded(self, child) for child in given.named_children]
            texts, between = (
                (BREAK.join(item[0] if len(item) == 1 else UNKNOWN for item in items),),
                BREAK,
            )
        if any(child.type == "+=" for child in node.children):
            texts = tuple(
                old + between + new
                for old in self.variables.get(variable, ("",))
                for new in texts
            )
        texts = (
            (UNKNOWN,)
            if name.type == "subscript"
            else tuple(text[: reading.LONGEST] for text in texts)
        )
        self.assign(variable, texts)
        return ""

    def _declaration_command(self, node: Node, stdin: str | None) -> str:
        is_unset = node.type == "unset_command"
        refers = any(
            re.match("-[a-zA-Z]*n", text_of(child)) for child in node.named_children
        )  # to another variable
        with self.unsure():  # `local` ends with its function
            for child in node.named_children:
                if child.type == "variable_assignment":
                    self._variable_assignment(child, stdin)
                    if refers:
                        self.assign(text_of(child).partition("=")[0], (UNKNOWN,))
                elif is_unset or child.type != "variable_name":
                    for name, sign, held in (
                        text.partition("=") for text in expanded(self, child)
                    ):
                        self.assign(
                            name, (held,)
                        ) if sign or is_unset or "[" in name else self.suspect(
                            name, name
                        )
        return UNKNOWN

    _unset_command = _declaration_command

    def _redirected_statement(self, node: Node, stdin: str | None) -> str:
        """A statement with its redirections; a here-document may carry more words and
        the rest of a pipeline.
        """
        body = node.child_by_field_name("body")
        redirects = [
            child for child in node.named_children if body is None or child != body
        ]
        words: list[Node] = []
        later: list[Node] = []
        for redirect in list(redirects):
            words += [
                each
                for each in redirect.children_by_field_name("destination")[1:]
                if each.type != "number"
            ]
            for child in (
                redirect.named_children if redirect.type == "heredoc_redirect" else ()
            ):
                if not child.type.startswith("heredoc_"):
                    kept = (
                        redirects
                        if child.type in _REDIRECTS
                        else words
                        if child.type in reading.KINDS
                        else later
                    )
                    kept.append(child)
        given = [text for each in redirects if (text := self._input(each)) is not None]
        stdin = "".join(given) if given else stdin
        if body is not None and body.type == "command":
            printed = self._command(body, stdin, words)
        else:
            printed = self.walk(body, stdin) if body is not None else ""
        taken = [self._output(each, printed) for each in redirects]
        printed = "" if any(taken) else printed
        for each in later:
            printed = self.walk(each, printed)
        return printed

    def _input(self, node: Node) -> str | None:
        """The text that a redirection feeds into a command; None if it is not for
        input.
        """
        if node.type == "heredoc_redirect":
            parts = {child.type: text_of(child) for child in node.named_children}
            body = parts.get("heredoc_body", "")
            return (
                body
                if parts.get("heredoc_start", "")[:1] in {"'", '"', "\\"}
                else here_document(self, body)
            )
        if node.type == "herestring_redirect":
            return "\n".join(expanded(self, node.named_children[-1], quoted=True))
        texts = self._targets(node, "<") or tuple(
            filter(_SOCKET.match, self._targets(node, ">"))
        )
        for text in texts:
            if _SOCKET.match(text):
                self.find("network", text_of(node))
            elif place(text, self.folders[0]) is Place.DISK:
                self.find("disk-copy", text_of(node))
            elif is_secret(text, self.folders[0]):
                self.find("credentials", text_of(node))
        return "\n".join(map(self.read, texts)) if texts else None

    def _output(self, node: Node, printed: str) -> bool:
        """Judge where a redirection writes to; whether it takes away what the command
        prints.
        """
        texts = self._targets(node, ">")
        for text in texts:
            self.write(text, printed, text_of(node))
        return bool(texts) and not text_of(node).startswith("2")

    def _targets(self, node: Node, sign: str) -> tuple[str, ...]:
        """The paths of a redirection that reads (`<`) or writes (`>`) a file; none for
        any other.
        """
        target = node.child_by_field_name("destination")
        if (
            target is None
            or target.type == "number"
            or not any(sign in each.type for each in node.children)
        ):
            return ()
        return expanded(self, target)

    def _file_redirect(self, node: Node, _stdin: str | None) -> str:
        self._output(node, "")
        return self._input(node) or ""

    _herestring_redirect = _heredoc_redirect = _file_redirect

    def _command(self, node: Node, stdin: str | None, more: Sequence[Node] = ()) -> str:
        lines: list[list[list[list[str]]]] = [[]]
        end, start, source = -1, node.start_byte, node.text or b""
        for child in [*node.named_children, *more]:
            if child.type == "variable_assignment":
                with self.unsure():
                    self._variable_assignment(child, stdin)
            elif child.type in _REDIRECTS:
                text = self._input(child)
                stdin = stdin if text is None else text
                self._output(child, UNKNOWN)
            elif child.type != "comment":
                if child.start_byte == end:  # the grammar takes some words apart
                    self.find("unknown-command", text_of(node))
                if end > 0 and re.search(
                    rb"(?<!\\)\n", source[end - start : child.start_byte - start]
                ):
                    lines.append(
                        []
                    )  # … and the line behind a pipeline of three for words of its last command
                self.stdin, end = stdin, child.end_byte
                lines[-1].append(fields(self, child))
        return "\n".join(
            self._judged(words, None if number else stdin)
            for number, words in enumerate(lines)
        )

    def _judged(self, words: list[list[list[str]]], stdin: str | None) -> str:
        """Judge a command in all ways in which its words can be read."""
        printed: list[str] = []
        for number, way in enumerate(product(*words)):
            if number >= MOST_COMMANDS:
                self.find("too-complex", "")
                break
            argv = [field for part in way for field in part]
            self.stdin = stdin
            printed.append(commands.judge(self, argv) if argv else "")
        return "\n".join(printed)


def judged(
    scripts: Mapping[str, str], files: Mapping[str, str]
) -> Iterator[tuple[str, int, str, str]]:
    """The findings of scripts: a rule, a line, the command that meets it, and the
    script's name. Never raises.
    """
    known = {settled(path): text for path, text in files.items()}
    steps = 0
    for name, script in scripts.items():
        shell = Shell(known, steps)
        try:
            shell.run_script(MARKERS.sub("\ufffd", script))
        except Exception:  # noqa: BLE001 - too much work, or a mistake of ours: the script is not judged
            shell.find("too-complex", "")
        steps = shell.steps
        yield from (
            (rule, line, what, name) for (rule, line), what in shell.found.items()
        )
