"""What each kind of statement does to what is known: sequences, pipes, loops, functions, assignments, redirections."""

from __future__ import annotations

import itertools
import re
from functools import partial
from typing import TYPE_CHECKING, Final

from hexad.skills.shell import redirects
from hexad.skills.shell.branching import branches
from hexad.skills.shell.commands import execute
from hexad.skills.shell.declaring import assign_element, hide, name_another, names_in, run_subscripts
from hexad.skills.shell.endless import fans_out
from hexad.skills.shell.environment import keep_case
from hexad.skills.shell.lasting import is_guarded, may_not_have_run
from hexad.skills.shell.loops import for_each, while_true
from hexad.skills.shell.plain import assignment_of, is_plain, output_of, says_only, words_of
from hexad.skills.shell.values import (
    ANYTHING,
    DOWNLOADED,
    NOTHING,
    SPLIT,
    UNKNOWN,
    Values,
    bounded,
    foreign,
    joined,
)
from hexad.skills.shell.words import array, evaluate, run_inside, text_of, variants

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from hexad.skills.shell.machine import Shell

_NEEDS_A_LOOK: Final = re.compile(
    rb"[`<>]|\$\(|\$\{[^}]*(?:=|@P)"
).search  # substitutions, redirections, hidden assignments
_ALL_PLAIN: Final = re.compile(rb"[\w./:=@%+, -]+").fullmatch  # words that are what they look like
_FIRST_WORD: Final = re.compile(rb"[\w.+:-]+(?=\s|$)").match
_NO_COMMANDS: Final = frozenset(
    b"""if then else elif fi for while until do done case esac select in function time coproc declare typeset export
    readonly local unset unsetenv let""".split()
)
"""First words with a grammar of their own."""
_SEPARATOR: Final = re.compile(rb"^IFS=[\w,:;|\\'\"$]*[ \t]+(?=read[ \t])").sub
"""How `read` parts a line changes nothing that is known, and ends with it."""
_FILTERS: Final = frozenset(b"grep cut sort uniq tr wc head tail tac rev jq nl column less more".split())
_CLAUSES: Final = frozenset({"elif_clause", "else_clause"})
_HIDING: Final = frozenset({"local", "declare", "typeset"})
_REDIRECTS: Final = frozenset({"file_redirect", "heredoc_redirect", "herestring_redirect"})
_BLOCKS: Final = frozenset({"subshell", "compound_statement"})
_NAMES_ANOTHER: Final = re.compile(rb"-\w*n").fullmatch


def block(shell: Shell, node: Node) -> Values:
    """Statements in their order; one before an `&` runs beside the others."""
    if b"&" in (node.text or b""):
        return _block_beside(shell, node.children)
    printed = [shell.run(child) for child in node.named_children if child.type not in _TOKENS]
    return joined(printed) if shell.capturing and printed else NOTHING


def _block_beside(shell: Shell, children: list[Node]) -> Values:
    printed: list[Values] = []
    last = len(children) - 1
    for place, child in enumerate(children):
        if child.type in _TOKENS:
            continue
        if place < last and children[place + 1].type == "&":
            printed.append(_beside(shell, child))
        else:
            printed.append(shell.run(child))
    return joined(printed) if shell.capturing and printed else NOTHING


def _beside(shell: Shell, node: Node) -> Values:
    """A statement that runs while the others do, in a shell of its own."""
    shell.background += 1
    shell.started += 1
    scope = shell.enter()
    printed = shell.run(node)
    shell.leave(scope)
    shell.background -= 1
    return printed


def unusual(shell: Shell, node: Node) -> Values:
    """A kind without a row in the table: a word in a place of its own, or what the grammar could not read."""
    if node.is_named and node.type not in _TOKENS:
        if node.named_child_count and (node.type == "ERROR" or _NEEDS_A_LOOK(node.text or b"")):
            block(shell, node)
        elif node.type in {"ERROR", "simple_expansion", "string", "concatenation"}:
            run_inside(shell, node)
    return NOTHING


def _command(shell: Shell, node: Node) -> Values:
    shell.node = node
    text = node.text or b""
    if b"\n" in text and _spans_lines(node, text):
        shell.misread = True
    if not _NEEDS_A_LOOK(text):
        if text.startswith(b"IFS=") and shell.stdin is None:
            text = _SEPARATOR(b"", text)
        name = _FIRST_WORD(text)
        printed = _plain(shell, name[0], text) if name else None
        if printed is not None:
            return printed
    return _looked_at(shell, node, node.children)


def _plain(shell: Shell, name: bytes, text: bytes) -> Values | None:
    """A command whose name stands there, and that substitutes nothing; None if its words have to be looked at."""
    if not shell.is_interesting(name):
        return DOWNLOADED if shell.capturing and shell.stdin is not None and foreign(shell.stdin) else ANYTHING
    if _ALL_PLAIN(text):
        return execute(shell, text.decode().split())
    words = words_of(shell, text)
    if words is None:
        return None
    outer = shell.stdin
    printed = _each_variant(shell, words)
    shell.stdin = outer
    return printed


def plain_text(shell: Shell, text: str) -> Values | None:
    """A text that is one plain command, without parsing it; None if it has to be parsed."""
    source = text.strip().encode("utf-8", "replace")
    name = _FIRST_WORD(source) if is_plain(source) else None
    if name is None or name[0] in _NO_COMMANDS:
        return None
    shell.steps += 1
    return _plain(shell, name[0], source)


def _spans_lines(node: Node, text: bytes) -> bool:
    """Whether the grammar took the next line's words for this command's, as it does behind some pipes."""
    start = node.start_byte
    if any((child.text or b"")[:1] == b"\n" for child in node.children):
        return True
    gaps = (text[one.end_byte - start : other.start_byte - start] for one, other in itertools.pairwise(node.children))
    return any(b"\n" in gap.replace(b"\\\n", b"") for gap in gaps)


def _looked_at(shell: Shell, node: Node, children: list[Node]) -> Values:
    words: list[Values] = []
    outer = shell.stdin
    targets: list[redirects.Target] = []
    before: dict[str, Values | None] = {}
    end = -1
    for child in children:
        kind = child.type
        if kind == "variable_assignment":
            name = text_of(child.children[0])
            before.setdefault(name, shell.variables.get(name))
            _assignment(shell, child)
        elif kind in _REDIRECTS:
            targets += redirects.followed(shell, child)
        elif kind in _BLOCKS:  # `time ( … )`
            shell.run(child)
        elif kind not in _SIGNS:
            values = evaluate(shell, child)
            if child.start_byte == end and words:  # the grammar parts words before a backtick
                words[-1] = joined([words[-1], values])
            else:
                words.append(values)
            end = child.end_byte
    shell.node = node
    if b"[" in (node.text or b""):
        run_subscripts(shell, words)
    printed = _each_variant(shell, words)
    redirects.written(shell, targets, printed)
    shell.stdin = shell.stdin if words == [("exec",)] else outer
    for name, old in before.items() if words else ():
        if old is None:
            shell.variables.pop(name, None)
        else:
            shell.variables[name] = old
    return NOTHING if targets else printed


def _each_variant(shell: Shell, words: list[Values]) -> Values:
    ways = variants(words)
    if len(ways) == 1:  # nearly always
        return bounded(execute(shell, ways[0])) or NOTHING if ways[0] else NOTHING
    printed: list[str] = []
    for argv in ways:
        if argv:
            printed += execute(shell, argv)
    return bounded(printed) if printed else NOTHING


def _redirected(shell: Shell, node: Node) -> Values:
    children = node.children
    body = children[0]
    if body.type in _REDIRECTS:
        return _with_redirects(shell, None, children)
    return _list(shell, body, children[1:]) if body.type == "list" else _with_redirects(shell, body, children[1:])


def _with_redirects(shell: Shell, body: Node | None, signs: list[Node]) -> Values:
    outer = shell.stdin
    targets, rest, words = [], [], []
    for child in signs:
        if child.type in _REDIRECTS:
            shell.node = child
            plain = redirects.plainly_followed(shell, child)
            if plain is not None:
                targets += plain
                continue
            targets += redirects.followed(shell, child)
            rest += redirects.behind(child)
            words += redirects.more_words(child)
        elif body is None and child.is_named:
            body = child
    to_file = bool(targets) and any(target.path is not None for target in targets)
    shell.capturing += to_file or bool(rest)
    printed = _with_words(shell, body, words) if body is not None else NOTHING
    shell.capturing -= to_file or bool(rest)
    if to_file:
        for_later = body is not None and body.text == b"exec"  # everything that follows goes there
        redirects.written(shell, targets, ANYTHING if for_later else printed)
        printed = NOTHING
    shell.stdin = shell.stdin if body is not None and body.text == b"exec" else outer  # that of all that follows
    return _continued(shell, rest, printed) if rest else printed


def _with_words(shell: Shell, body: Node, words: list[Node]) -> Values:
    if words and body.type == "command":
        shell.node = body
        return _looked_at(shell, body, body.children + words)
    return shell.run(body)


def _continued(shell: Shell, rest: list[Node], printed: Values) -> Values:
    """What the grammar puts behind the start of a here-document: the rest of its line."""
    for node in rest:
        printed = _stages(shell, node.named_children, printed) if node.type == "pipeline" else shell.run(node)
    return printed


def _pipeline(shell: Shell, node: Node) -> Values:
    outer, shell.self_calls = shell.self_calls, set()
    stages = node.named_children
    printed = _stages(shell, stages, None)
    if b"-P" in (node.text or b"") and fans_out(stages[0].text or b"", node.text or b""):
        shell.find("fork-bomb", "as many at once as there are words without an end")
    shell.self_calls = outer
    return printed


def _stages(shell: Shell, stages: list[Node], given: Values | None, *, read: bool = False) -> Values:
    """The commands of a pipe, each with what the one before it prints; ``read`` if somebody reads the last one."""
    shell.capturing += read
    printed = _each_stage(shell, stages, given)
    shell.capturing -= read
    return printed


def _each_stage(shell: Shell, stages: list[Node], given: Values | None) -> Values:
    outer_stdin = shell.stdin
    if given is not None:
        shell.stdin = given
    if not shell.piped:
        shell.hides = False
    shell.piped += 1
    printed: Values = NOTHING
    last = len(stages) - 1
    passive = not shell.capturing and all(_is_passive(shell, stage) for stage in stages[1:])
    for place, stage in enumerate(stages):
        read = place < last and not passive
        shell.capturing += read
        scope = shell.enter()
        printed = shell.run(stage)
        shell.leave(scope)
        shell.capturing -= read
        shell.stdin = printed
    shell.piped -= 1
    shell.stdin = outer_stdin
    return printed


def _is_passive(shell: Shell, node: Node) -> bool:
    """Whether it does not matter what a stage of a pipe is given."""
    text = node.text or b""
    name = _FIRST_WORD(text) if node.type == "command" and not _NEEDS_A_LOOK(text) else None
    return name is not None and (name[0] in _FILTERS or not shell.is_interesting(name[0]))


def _list(shell: Shell, node: Node, redirected: list[Node] | None = None) -> Values:
    """What `&&` and `||` join; the redirections behind them are those of the last command alone."""
    printed: list[Values] = []
    unsure = 0
    children = node.children
    last = children[-1] if redirected else None
    outer, before, folder = shell.guarded, shell.variables, shell.folder
    for place, child in enumerate(children):
        shell.guarded = outer or is_guarded(children[place + 1 : place + 3])
        if place == 1:
            before, folder = shell.variables.copy(), shell.folder
        if child.type == "||":
            unsure += 1
            shell.conditional += 1
            shell.unsure += 1
        elif last is not None and child == last:
            printed.append(_last_of_list(shell, child, redirected or []))
        elif child.type not in _TOKENS:
            printed.append(shell.run(child))
    shell.guarded = outer
    shell.conditional -= unsure
    shell.unsure -= unsure
    may_not_have_run(shell, before, folder)
    return joined(printed) if shell.capturing else NOTHING


def _last_of_list(shell: Shell, node: Node, redirected: list[Node]) -> Values:
    if node.type != "pipeline":
        return _with_redirects(shell, node, redirected)
    stages = node.named_children
    printed = _stages(shell, stages[:-1], None, read=True)
    outer, shell.stdin = shell.stdin, printed
    shell.piped += 1
    printed = _with_redirects(shell, stages[-1], redirected)
    shell.piped -= 1
    shell.stdin = outer
    return printed


def _subshell(shell: Shell, node: Node) -> Values:
    scope = shell.enter()
    printed = block(shell, node)
    shell.leave(scope)
    return printed


def _if(shell: Shell, node: Node) -> Values:
    children = node.children
    then = next((place for place, child in enumerate(children) if child.type == "then"), 0)
    clauses = [child for child in children if child.type in _CLAUSES]
    _block_beside(shell, children[:then])
    own = [child for child in children[then:] if child.type not in _CLAUSES]
    ways = [partial(_block_beside, shell, own), *(partial(block, shell, clause) for clause in clauses)]
    printed = branches(shell, ways, complete=bool(clauses) and clauses[-1].type == "else_clause")
    return bounded([*printed, UNKNOWN]) if shell.capturing else NOTHING


def _case(shell: Shell, node: Node) -> Values:
    items = [child for child in node.named_children if child.type == "case_item"]
    for child in node.named_children:
        if child.type != "case_item":
            evaluate(shell, child)
    ways = [partial(block, shell, item) for item in items]
    complete = any((item.text or b"").lstrip(b"( ").startswith((b"*)", b"* )")) for item in items)
    printed = branches(shell, ways, complete=complete)
    return bounded([*printed, UNKNOWN]) if shell.capturing else ANYTHING


def _function(shell: Shell, node: Node) -> Values:
    name, body = text_of(node.named_children[0]), node.named_children[1]
    if name in shell.functions and shell.functions[name].text != body.text:  # which of them is called is not known
        shell.call(name, shell.functions[name], None)
    if len(node.named_children) > 2:
        _with_redirects(shell, body, node.named_children[2:])  # which are those of every call
    shell.functions[name] = shell.uncalled[name] = body
    shell.quiet[name] = says_only(body.text or b"")
    return NOTHING


def _assignment(shell: Shell, node: Node) -> Values:
    source = node.text or b""
    plain = assignment_of(shell, source) or _assigned_output(shell, node, source)
    if plain is None:
        return _assignment_looked_at(shell, node)
    name, values = plain
    shell.assign(name, tuple([value.replace(SPLIT, " ") for value in values]))
    return NOTHING


def _assigned_output(shell: Shell, node: Node, source: bytes) -> tuple[str, Values] | None:
    """`name=$(command with plain words)`."""
    found = output_of(source)
    first = _FIRST_WORD(found[1]) if found and not _NEEDS_A_LOOK(found[1]) else None
    if found is None or first is None or first[0] in _NO_COMMANDS:
        return None
    shell.node = node
    shell.steps += 1
    outer = shell.begin_capture()
    printed = _plain(shell, first[0], found[1])
    shell.end_capture(outer)
    return None if printed is None else (found[0], tuple([value.rstrip("\n") for value in printed]))


def _assignment_looked_at(shell: Shell, node: Node) -> Values:
    children = node.children
    name, _, index = text_of(children[0]).partition("[")
    value = children[-1]
    if value.type in {"=", "+="}:
        values: Values = NOTHING
    elif value.type == "array":
        values = array(shell, value)
    else:
        values = tuple(each.replace(SPLIT, " ") for each in evaluate(shell, value, quoted=True))
    more = any(child.type == "+=" for child in children)
    if index:
        run_inside(shell, children[0])
        assign_element(shell, name, index.rstrip("]"), values)
    elif more and value.type == "array":
        shell.assign(name, joined([shell.variables.get(name, NOTHING), values], SPLIT))
    else:
        shell.assign(name, values, more=more)
    return NOTHING


def _declaration(shell: Shell, node: Node) -> Values:
    shell.node = node
    names = False
    kind = node.children[0].type
    if kind in _HIDING and shell.locals:
        hide(shell, node)
    for child in node.named_children:
        if child.type == "word":
            names = names or _NAMES_ANOTHER(child.text or b"") is not None
        elif child.type == "variable_assignment":
            if names:
                name_another(shell, child)
            else:
                _assignment(shell, child)
        elif child.type != "variable_name":
            for value in evaluate(shell, child):
                name, equals, text = value.partition("=")
                shell.run_subscript(name)
                if equals:
                    shell.assign(name, (text,))
    if kind == "readonly":
        shell.fixed.update(text_of(name) for name in names_in(node))
    keep_case(shell, text_of(node))
    return NOTHING


def _inside(shell: Shell, node: Node) -> Values:
    run_inside(shell, node)
    return NOTHING


def _unset(shell: Shell, node: Node) -> Values:
    run_inside(shell, node)
    for child in node.named_children:
        for name in evaluate(shell, child) if child.type not in {"variable_name", "word"} else (text_of(child),):
            shell.run_subscript(name)
            shell.assign(name, NOTHING)
    return NOTHING


_TOKENS: Final = frozenset(
    r"""; & ;; ;& ;;& ( ) { } $( ` <( >( && || | |& ! (( )) [[ ]] " then else elif fi do done if in esac case
    while until for select comment word raw_string number extglob_pattern heredoc_body heredoc_end
    heredoc_start regex variable_name string_content""".split()  # noqa: SIM905
) | {"\n"}
_SIGNS: Final = frozenset({"$", "comment", "(", ")", "\n", "==", "=~"})
STATEMENTS: Final[dict[str, Callable[[Shell, Node], Values]]] = {
    "program": block,
    "command": _command,
    "redirected_statement": _redirected,
    "pipeline": _pipeline,
    "list": _list,
    "subshell": _subshell,
    "compound_statement": block,
    "if_statement": _if,
    "elif_clause": block,
    "else_clause": block,
    "do_group": block,
    "case_statement": _case,
    "case_item": block,
    "for_statement": for_each,
    "c_style_for_statement": while_true,
    "while_statement": while_true,
    "function_definition": _function,
    "negated_command": block,
    "variable_assignment": _assignment,
    "variable_assignments": block,
    "declaration_command": _declaration,
    "unset_command": _unset,
    "test_command": _inside,
}
"""By the grammar's name of a statement."""
