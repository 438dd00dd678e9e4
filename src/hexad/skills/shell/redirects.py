"""Redirections: where a command's input comes from and where its output goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.skills.shell.destructive import told
from hexad.skills.shell.held_files import followed as unlinked
from hexad.skills.shell.held_files import held, hold
from hexad.skills.shell.paths import leads_to_disk, place, stays
from hexad.skills.shell.plain import redirection_of
from hexad.skills.shell.values import ANYTHING, DOWNLOADED, SPLIT, Values
from hexad.skills.shell.words import evaluate, filled, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from hexad.skills.shell.machine import Shell

_READS: Final = frozenset({"<", "<&", "<>"})
_STATEMENTS_BEHIND: Final = frozenset(
    {"pipeline", "command", "list", "redirected_statement", "subshell", "compound_statement", "negated_command"}
)
_OF_HEREDOC: Final = _STATEMENTS_BEHIND | {
    "heredoc_start",
    "heredoc_body",
    "heredoc_end",
    "file_redirect",
    "herestring_redirect",
    "file_descriptor",
    "comment",
}
_DESCRIPTORS: Final = frozenset({b"", *(b"%d" % number for number in range(3, 10))})
_SOCKETS: Final = ("/dev/tcp/", "/dev/udp/")


class Target(NamedTuple):
    """A file that output goes to; ``path`` is None if it goes nowhere that is kept."""

    path: str | None
    appends: bool = False


def plainly_followed(shell: Shell, node: Node) -> list[Target] | None:
    """Likewise `followed`, for a redirection that can be read from its text alone; None for any other."""
    text = node.text or b""
    plain = redirection_of(shell, text) if node.type == "file_redirect" and text[:1] not in _DESCRIPTORS else None
    return None if plain is None else _aimed(shell, *plain)


def followed(shell: Shell, node: Node) -> list[Target]:
    """Look at a redirection: input becomes `shell.stdin`, files that are written come back."""
    kind = node.type
    outer = shell.stdin
    if kind == "heredoc_redirect":
        targets = _heredoc(shell, node)
    elif kind == "herestring_redirect":
        shell.stdin = tuple(f"{value}\n" for value in evaluate(shell, _told(node)[0], quoted=True))
        targets = []
    else:
        targets = _file(shell, node)
    first = node.children[0]
    if first.type == "file_descriptor" and text_of(first) not in {"0", "1", "2"}:
        hold(shell, f"/dev/fd/{text_of(first)}", ANYTHING if shell.stdin is None else shell.stdin)
        shell.stdin = outer
    return targets


def behind(node: Node) -> list[Node]:
    """The statements that stand on the line of a here-document's start, behind it."""
    if node.type != "heredoc_redirect":
        return []
    return [child for child in node.named_children if child.type in _STATEMENTS_BEHIND]


def more_words(node: Node) -> list[Node]:
    """The command's own words that stand behind a redirection, which the grammar counts to it."""
    if node.type == "heredoc_redirect":
        return [child for child in node.named_children if child.type not in _OF_HEREDOC]
    if node.type == "herestring_redirect":
        return _told(node)[1:]
    aim = _aim(node)
    words = [child for child in node.named_children if aim is not None and child.start_byte > aim.start_byte]
    after = node.next_sibling
    if words and after is not None and after.start_byte == words[-1].end_byte:
        words.pop()  # the number before the next redirection's sign
    return words


def _told(node: Node) -> list[Node]:
    """What stands behind the sign of a redirection."""
    return [child for child in node.named_children if child.type != "file_descriptor"]


def _aim(node: Node) -> Node | None:
    return next(iter(_told(node)), None)


def _heredoc(shell: Shell, node: Node) -> list[Target]:
    targets: list[Target] = []
    raw = False
    for child in node.named_children:
        if child.type == "heredoc_start":
            raw = any(sign in text_of(child) for sign in "'\"\\")
        elif child.type == "heredoc_body":
            shell.stdin = (text_of(child),) if raw else filled(shell, child)
        elif child.type in {"file_redirect", "herestring_redirect"}:
            targets += followed(shell, child)
    return targets


def _file(shell: Shell, node: Node) -> list[Target]:
    children = node.children
    sign = next((child.type for child in children if not child.is_named), ">")
    aim = _aim(node)
    return _aimed(shell, sign, evaluate(shell, aim)) if aim is not None else []


def _aimed(shell: Shell, sign: str, values: Values) -> list[Target]:
    if sign == ">&" and len(values) == 1 and values[0].isdigit():  # `>&2`, nearly always
        return []
    targets: list[Target] = []
    for value in values:
        path = value.replace(SPLIT, " ")
        if sign == "<&":
            if path.isdigit() and int(path) > 2:
                shell.stdin, shell.hides = held(shell, f"/dev/fd/{path}") or ANYTHING, True
        elif sign in _READS:
            _read(shell, path)
        if ">" in sign and not (sign.endswith("&") and (path.isdigit() or path == "-")):
            _check_write(shell, path)
            targets.append(Target(None if path.startswith("/dev/") else path, sign in {">>", "&>>"}))
    return targets


def _read(shell: Shell, path: str) -> None:
    if path.startswith(_SOCKETS):
        shell.find("network", path)
        shell.stdin = DOWNLOADED
    elif leads_to_disk(path, shell.folder):
        shell.find("disk-copy", told(["<", path]))
    elif path not in {"/dev/stdin", "/dev/fd/0"}:
        shell.stdin = held(shell, path)


def _check_write(shell: Shell, path: str) -> None:
    if path.startswith(_SOCKETS):
        shell.find("network", path)
        shell.stdin = DOWNLOADED
        return
    path = unlinked(shell, path) if shell.links else path
    for folder in shell.haunts:
        if leads_to_disk(path, folder):
            shell.find("device-write", told([">", path]))
    if stays(path, shell.folder):
        return
    target = place(path, shell.folder)
    if target.is_disk:
        shell.find("device-write", told([">", path]))
    elif target.is_outside:
        shell.find("write-outside", told([">", path]))


def written(shell: Shell, targets: list[Target], printed: Values) -> None:
    """Remember what a file holds now."""
    for target in targets:
        if target.path is not None:
            hold(shell, target.path, printed, appends=target.appends)
