"""The walk over a script's syntax tree: statements in the order in which they would run, and what is known there."""

from __future__ import annotations

import re
from itertools import islice
from time import thread_time
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.skills.shell import redirects, statements, words
from hexad.skills.shell.carried import OTHERWISE_RUN, RUN_BY_OTHERS
from hexad.skills.shell.commands import INTERESTING, INTERESTING_STARTS, execute
from hexad.skills.shell.parsing import is_parsable, parsed, readings
from hexad.skills.shell.statements import STATEMENTS, unusual
from hexad.skills.shell.suspicion import is_suspicious
from hexad.skills.shell.tools import look_at_files
from hexad.skills.shell.values import (
    ANYTHING,
    DOWNLOADED,
    FOREIGN,
    HOME,
    MARKS,
    MOST_TEXT,
    NOTHING,
    SELF,
    SPLIT,
    UNKNOWN,
    WORK,
    TooComplex,
    Values,
    bounded,
    joined,
    known,
)
from hexad.skills.shell.wrappers import run_file

if TYPE_CHECKING:
    from tree_sitter import Node

    from hexad.skills.shell.parsing import Script

MOST_STEPS: Final = 5_000  # statements that are looked at, in loops and called functions again
DEEPEST: Final = 80  # statements within statements, texts that are run within texts
LONGEST_CHECK: Final = 3.0  # seconds of the processor: an ordinary script takes thousandths
MOST_PIECES: Final = 200
MOST_CALLS: Final = 16  # functions that call functions
_PRINTERS: Final = frozenset(
    {b"echo", b"grep", b"cut", b"uniq", b"tr", b"rev", b"pwd", b"which", b"dirname", b"basename", b"ls"}
)
_SUBSCRIPT: Final = re.compile(r"\w\[[^\]$`]*(\$\(.+\)|`.+`)[^\])]*\]", re.DOTALL).search
_LOADED_BY_OTHERS: Final = frozenset({"LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"})  # code, into every command
_PLACES: Final = tuple("123456789")
_ARGUMENTS: Final = ("@", "*", *_PLACES)
_NO_ARGUMENTS: Final = dict.fromkeys(_PLACES, NOTHING)
MOST_NESTED: Final = 12  # texts that are run within texts

if TYPE_CHECKING:
    Scope: TypeAlias = tuple[dict[str, Values], dict[str, Node], dict[str, Values], str]


class Shell:
    """What a shell would know at one place of a script. It runs nothing: it looks at what would run."""

    __slots__ = (
        "again",
        "aliases",
        "background",
        "calls",
        "capturing",
        "conditional",
        "depth",
        "fetched",
        "files",
        "fixed",
        "folder",
        "found",
        "functions",
        "guarded",
        "haunts",
        "hides",
        "indexed",
        "line",
        "links",
        "locals",
        "loops",
        "misread",
        "names",
        "nested",
        "node",
        "piped",
        "programs",
        "quiet",
        "reads",
        "script",
        "searched",
        "self_calls",
        "stack",
        "started",
        "stdin",
        "steps",
        "suspicious",
        "texts",
        "tools",
        "traps",
        "uncalled",
        "unseen",
        "unsure",
        "until",
        "variables",
        "wrote",
    )

    def __init__(self) -> None:
        self.variables: dict[str, Values] = {"__foreign": DOWNLOADED}
        self.names: dict[str, str] = {}  # of variables that stand for others
        self.fixed: set[str] = set()  # variables that cannot be set again
        self.locals: list[dict[str, Values | None]] = []  # of the functions being run: what their variables hide
        self.traps: list[str] = []  # what is run at the end
        self.functions: dict[str, Node] = {}
        self.uncalled: dict[str, Node] = {}
        self.quiet: dict[str, frozenset[str]] = {}  # of functions that only say something: the commands they call
        self.aliases: dict[str, Values] = {}
        self.files: dict[str, Values] = {}  # what the script was given or wrote, by place
        self.wrote: set[str] = set()  # which of them the script wrote
        self.tools: dict[str, tuple[list[str], int]] = {}  # programs that read files by themselves: words and line
        self.searched: set[tuple[str, str]] = set()  # by which programs which texts were run or read
        self.fetched: set[str] = set()  # names of what was brought from elsewhere
        self.links: dict[str, str] = {}  # where the links lead that the script made, by place
        self.programs: dict[str, str] = {}  # what the programs are that the script copied, by place
        self.unseen: set[str] = set()  # folders with files whose content nobody can know; "" is anywhere
        self.found: dict[tuple[str, int], str] = {}  # rule and line → what it is about
        self.folder = WORK
        self.haunts: tuple[str, ...] = ()  # vital folders that it may still be in
        self.stack: list[str] = []  # of folders, for `pushd` and `popd`
        self.started = 0  # commands beside the script
        self.guarded = False  # what fails ends the script, or what follows it
        self.stdin: Values | None = None  # None: what the script itself was given
        self.capturing = 0  # somebody reads what is printed
        self.unsure = 0  # what is set may not be set
        self.conditional = self.loops = self.background = self.piped = 0
        self.self_calls: set[int] = set()  # places of calls of a function by itself in this pipeline
        self.calls: list[tuple[str, int, int, int]] = []  # functions being run, and the three counters at their start
        self.misread = False  # the grammar joined lines
        self.reads: set[str] = set()
        self.again: set[str] = set()
        self.hides = False  # what a pipe carries was known, and is so no more
        self.suspicious = False  # every command has to be looked at
        self.steps = self.depth = self.nested = 0
        self.texts = 0  # characters that were run as scripts of their own
        self.until = thread_time() + LONGEST_CHECK
        self.line: int | None = None  # of the command that a text was given to
        self.node: Node | None = None
        self.script: Script | None = None
        self.indexed = ""  # the index that is being run

    def run_whole(self, script: Script) -> None:
        """The script, and then what it defines and never calls: somebody else may."""
        self.script = script
        self.suspicious = is_suspicious((script.root.text or b"").decode("utf-8", "replace"))
        self.run_all(script.root)
        if script.is_broken or self.misread:
            self.run_pieces(script)
        for text in self.traps[:MOST_CALLS]:
            self.run_text(text, here=True)
        if self.tools and self.wrote:
            self._look_at_what_tools_read()
        for _ in range(len(self.functions) + len(self.uncalled)):
            if not self.uncalled:
                break
            name, body = self.uncalled.popitem()
            self.call(name, body, None)

    def _look_at_what_tools_read(self) -> None:
        """Also what was written after a program that reads it: the next run finds it there."""
        for name, (argv, line) in list(self.tools.items()):  # what is run may start others
            self.line = line
            look_at_files(self, name, argv)
        self.line = None

    def run_pieces(self, script: Script) -> None:
        """What can be read of a text that cannot be read as a whole: the grammar is stricter than shells are."""
        source = (script.root.text or b"").decode("utf-8", "replace")
        outer = self.line
        for piece in islice(re.finditer(r"(?:^|&&|\|\||[;\n])((?:(?!&&|\|\|)[^;\n])+)", source), MOST_PIECES):
            part = parsed(piece[1])
            if not part.is_broken:
                self.line = outer if outer is not None else 1 + source.count("\n", 0, piece.start(1))
                self.run_all(part.root)
        self.line = outer

    def run_text(self, text: str, *, here: bool = False) -> Values:
        """A text that would be run as a script of its own; its findings are of the line that does so.

        Unless it runs ``here``, as with `eval`, it is a shell of its own, and what it sets ends with it.
        """
        if not text.strip():
            return NOTHING
        self.nested += 1
        self.texts += len(text)
        if self.nested > MOST_NESTED or self.steps > MOST_STEPS or self.texts > MOST_TEXT:
            raise TooComplex
        if not is_parsable(text):
            raise TooComplex
        outer = self.line, self.node
        self.line = self.line_now()
        scope = None if here else self.enter()
        written = _written(text)
        printed = statements.plain_text(self, written)
        if printed is None:
            printed = bounded(text for script in readings(written) for text in self._run_parsed(script))
        if scope is not None:
            self.leave(scope)
        self.line, self.node = outer
        self.nested -= 1
        return printed

    def enter(self) -> Scope:
        """Go into a shell inside of this one, which knows what this one knows; what `leave` needs afterwards."""
        outer = self.variables, self.functions, self.aliases, self.folder
        self.variables, self.functions, self.aliases = outer[0].copy(), outer[1].copy(), outer[2].copy()
        return outer

    def leave(self, outer: Scope) -> None:
        """Back in the outer shell: what the inner one set ends with it."""
        self.variables, self.functions, self.aliases, self.folder = outer

    def _run_parsed(self, script: Script) -> Values:
        if script.is_broken:
            self.find("unparsable", "")
        printed = self.run_all(script.root)
        if script.is_broken or self.misread:
            self.run_pieces(script)
        return printed

    def run_with(self, text: str, arguments: list[str] | None) -> Values:
        """A text with arguments of its own, as `sh -c` gets them."""
        outer = self._arguments()
        self.set_arguments(None if arguments is None else arguments[1:])
        outer["0"] = self.variables.get("0", (SELF,))
        self.variables["0"] = tuple(arguments[:1]) if arguments else (SELF,)
        printed = self.run_text(text)
        self._restore(outer)
        return printed

    def call(self, name: str, body: Node, arguments: list[str] | None) -> Values:
        """A function's body with these arguments; None if nothing is known of them."""
        if len(self.calls) >= MOST_CALLS:
            self.find("too-complex", "")
            return ANYTHING
        self.uncalled.pop(name, None)
        outer, node = self._arguments(), self.node
        self.set_arguments(arguments)
        self.calls.append((name, self.background, self.piped, self.conditional))
        self.locals.append({})
        printed = self.run(body)
        self.calls.pop()
        self._restore(outer | self.locals.pop())
        self.node = node
        return printed

    def _restore(self, held: dict[str, Values | None]) -> None:
        for name, values in held.items():
            if values is None:
                self.variables.pop(name, None)
            else:
                self.variables[name] = values

    def _arguments(self) -> dict[str, Values | None]:
        return {name: self.variables.get(name, ANYTHING) for name in _ARGUMENTS}

    def set_arguments(self, arguments: list[str] | None) -> None:
        """Let `$@` and `$1` hold these words; None if nothing is known of them."""
        if arguments is None:
            self.variables.update(dict.fromkeys(_ARGUMENTS, ANYTHING))
            return
        self.variables.update(_NO_ARGUMENTS)
        self.variables.update(zip(_PLACES, [(argument,) for argument in arguments[:9]], strict=False))
        self.variables["@"] = self.variables["*"] = (SPLIT.join(arguments),)

    def run_words(self, argv: list[str], *, by_name: bool = True) -> Values:
        """A command that another one runs, by its words; with ``by_name`` it may be a function or an alias."""
        self.steps += 1
        self.depth += 1
        if self.steps > MOST_STEPS or self.depth > DEEPEST or (self.steps & 31 == 0 and self.is_late()):
            raise TooComplex
        printed = execute(self, argv, by_name=by_name) if argv else NOTHING
        self.depth -= 1
        return printed

    def run(self, node: Node) -> Values:
        """One statement; what it prints, if somebody captures that."""
        self.steps += 1
        self.depth += 1
        if self.steps > MOST_STEPS or self.depth > DEEPEST or (self.steps & 31 == 0 and self.is_late()):
            raise TooComplex
        printed = STATEMENTS.get(node.type, unusual)(self, node)
        self.depth -= 1
        return printed

    def is_late(self) -> bool:
        """Whether the check has taken more time of the processor than any script may."""
        return thread_time() > self.until

    def run_all(self, node: Node) -> Values:
        """The statements of a block, one after the other."""
        return statements.block(self, node)

    def captured(self, node: Node, stdin: Values | None = None) -> Values:
        """What the statements of a substitution print; what they change stays with them."""
        outer = self.begin_capture()
        if stdin is not None:
            self.stdin = stdin
        printed = self.run_all(node)
        self.end_capture(outer)
        return printed

    def begin_capture(self) -> tuple[Scope, Values | None]:
        """From here on somebody reads what is printed; what `end_capture` needs afterwards."""
        self.capturing += 1
        self.conditional += 1
        return self.enter(), self.stdin

    def end_capture(self, outer: tuple[Scope, Values | None]) -> None:
        """Nobody reads any more; what was set and the input are what they were."""
        self.leave(outer[0])
        self.stdin = outer[1]
        self.conditional -= 1
        self.capturing -= 1

    def read_from(self, node: Node) -> Values:
        """What the file of a redirection holds."""
        outer = self.stdin
        redirects.followed(self, node)
        held, self.stdin = self.stdin, outer
        return ANYTHING if held is None else held

    def evaluate(self, node: Node, *, quoted: bool = False) -> Values:
        """What a word comes to."""
        return words.evaluate(self, node, quoted=quoted)

    def run_inside(self, node: Node) -> None:
        """What a word substitutes."""
        words.run_inside(self, node)

    def assign(self, name: str, values: Values, *, more: bool = False, surely: bool = False) -> None:
        """Let a variable hold something; what may not happen is one more possibility, unless it ``surely`` does."""
        if self.names:
            name = self.names.get(name, name)
        if name in self.fixed:
            return
        old = self.variables.get(name)
        if more and old is not None:
            self.reads.add(name)
            values = joined([old, values])
        if self.unsure:
            outside = () if surely else ANYTHING
            values = bounded(values if values == old else (*(outside if old is None else old), *values))
        if self.loops and name in self.reads and values != old:
            self.again.add(name)
        self.variables[name] = values
        if name in RUN_BY_OTHERS:
            self.run_later(name, values)
        elif name in _LOADED_BY_OTHERS and any(values):
            self.find("unknown-command", f"{name}={values[0]}")
        for value in values:
            if "[" in value:
                self.run_subscript(value)

    def run_subscript(self, text: str) -> None:
        """A text that names an element of an array: wherever a number or a name is expected, its index is run."""
        found = _SUBSCRIPT(text)
        if found and found[1] != self.indexed:
            outer, self.indexed = self.indexed, found[1]
            self.run_text(f'echo "{found[1]}"')
            self.indexed = outer

    def run_later(self, name: str, values: Values) -> None:
        """What a variable holds that other programs run: a command, a prompt with substitutions, a file."""
        for value in values:
            if not known(value):
                continue
            if name in {"BASH_ENV", "ENV"}:
                run_file(self, [f"{name}={value}"], value)
            elif name in OTHERWISE_RUN:
                OTHERWISE_RUN[name](self, value)
            else:
                self.run_text(f'echo "{value}"' if name.startswith("PS") else value)

    def is_interesting(self, name: bytes) -> bool:
        """Whether a command of this name has to be looked at, and what it prints, if somebody captures that."""
        if self.functions or self.aliases:
            text = name.decode("utf-8", "replace")
            if text in self.functions:
                return self.capturing > 0 or name in INTERESTING or not self._stays_quiet(text)
            if text in self.aliases:
                return True
        if self.suspicious or ("PATH" in self.variables and (self.files or self.programs)):
            return True
        if name in INTERESTING:
            return self.capturing > 0 or name not in _PRINTERS
        return name.startswith(INTERESTING_STARTS)

    def _stays_quiet(self, name: str) -> bool:
        """Whether a function only says something, whatever its arguments: then it need not be called."""
        called = self.quiet.get(name)
        if not called or not called.isdisjoint(self.functions) or not called.isdisjoint(self.aliases):
            return False
        self.uncalled.pop(name, None)
        return True

    def find(self, rule: str, what: str) -> None:
        """Note a finding; the first of a rule on a line is enough."""
        self.found.setdefault((rule, self.line_now()), what)

    def line_now(self) -> int:
        """The line of the command that is looked at."""
        if self.line is not None:
            return self.line
        if self.node is None or self.script is None:
            return 1
        return self.script.line_of(self.node)


def _written(text: str) -> str:
    """A text with marks as a script that has variables in their place."""
    if not MARKS.search(text):
        return text
    return MARKS.sub(lambda mark: _MARKED[mark[0]], text)


_MARKED: Final = {
    UNKNOWN: "${__unknown}",
    FOREIGN: "${__foreign}",
    HOME: "${HOME}",
    WORK: "${PWD}",
    SELF: "${0}",
    SPLIT: " ",
}
