"""The files that can be imported, recognised by what they hold → offers: records that
somebody may want to keep.
"""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.errors import BackupError, HexadError, InvalidInput
from hexad.json_form import TYPES
from hexad.memory.backup.lines import HEADER, BackupLines, backup_lines
from hexad.memory.conversations.judging import statements
from hexad.memory.conversations.messages import turns
from hexad.model import RECORDS, Category
from hexad.skills.folders import frontmatter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TextIO

FORMATS: Final = (
    "hexad",
    "claude",
    "chatgpt",
    "mem0",
    "memories",
    "rules",
    "notes",
    "transcript",
)
BODY: Final = {
    "knowledge": "content",
    "reference": "summary",
    "learning": "diagnosis",
    "skill": "description",
}
_HEAD: Final = 1 << 16  # characters that show what a file is
_CHUNK, _LONGEST = (
    1 << 16,
    1 << 27,
)  # characters of an array that are read at once, and of one element
_BETWEEN: Final = re.compile(r"[\s,]*")
_MARKS: Final = {
    "mapping": "chatgpt",
    "chat_messages": "claude",
    "conversations_memory": "memories",
    "memory": "mem0",
}
_MARK: Final = re.compile(
    r'"(mapping|chat_messages|conversations_memory|memory|role|message)"\s*:'
)
_MEMORIES: Final = re.compile(
    r"#+ memor(?:y|ies)[ \t]*$|", re.IGNORECASE | re.MULTILINE
)
_READ: Final = frozenset({".md", ".mdc", ".markdown", ".txt", ".json", ".jsonl"})
_RULES: Final = frozenset({"CLAUDE.md", "AGENTS.md", "GEMINI.md", "CLAUDE.local.md"})
_ABOUT_CODE: Final = frozenset(
    {"README", "LICENSE", "CHANGELOG", "CONTRIBUTING", "SKILL"}
)
_MOST_FILES: Final = 20_000
_LARGEST_PAGE: Final = (
    4 << 20
)  # bytes of a file that is read whole, characters of a line
_FENCES: Final = ("```", "~~~")
_PIECE: Final = 16_384  # characters of a page that are read together, if a heading or an empty line ends them
_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_SPEAKER: Final = re.compile(
    r"^[ \t]*\**(user|human|me|assistant|ai|claude|chatgpt)\**:\**[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_BOLD: Final = re.compile(
    r"\s*\*\*(?:[^\s*]+ ?){1,6}\*\*:?\s*"
)  # a heading, as some assistants write it
_DATED: Final = re.compile(
    r"^\[?\d{4}-\d\d-\d\d(?:[T ][\d:]+)?\]?\s*[-–:]\s*|^\[unknown\]\s*[-–:]\s*",
    re.IGNORECASE,
)
_SHORTEST: Final = 3  # characters of a line that says something
_TOPIC: Final = 5  # words of a list item that names the items below it, at the most
_MOST_BELOW, _LONGEST_LIST = (
    12,
    600,
)  # items that are joined to the one above them, and characters of the whole
_ORDERS: Final = re.compile(
    r"\b(?:must|should|shall|never|always|don't|do not|avoid|only|required?|prefer|muss|müssen|soll|immer|niemals?)\b"
    r"|^(?:please )?(?:use|run|keep|write|add|make|put|follow|check|ask|answer|reply|respond|test|commit|name|format|"
    r"start|call|document|handle|update|read|include|ensure|verify|return|let|treat|stick|be)\b",
    re.IGNORECASE,
)
_DESCRIBES: Final = re.compile(
    r"[\w`*'/. -]{1,60}? (?:(?:is|are|was|were) (?:an?|the|our|where|written|called|hosted|stored)|lives? in|contains?"
    r"|has|provides?|stands for|means|runs on)\b",
    re.IGNORECASE,
)
_UNFIT: Final = {
    re.compile(r"\|"): "a table",
    re.compile("```|~~~"): "code without a text before it",
    re.compile(r"<!--"): "a comment",
    re.compile(r"\[[ xX]\] "): "a task",
    re.compile(
        r"(?:\w+[ :]+){0,4}@[\w~./-]*(?:[\w/]|(?:README|\.\w+),? (?:for|about|and|when|before) (?:[^.]|\.\w){3,99})\W*$"
    ): "points to another file; import that file",
}


class Offer(NamedTuple):
    """A record in the form of `wire`. Without a key one is made; what is not clear is
    proposed, never saved.
    """

    fields: dict[str, Any]
    line: int = 0  # of Hexad's own files
    sentence: str = ""
    clear: bool = True
    unfit: str = ""  # why it is left out


@dataclass(slots=True)
class Source:
    """One file and its format; ``progress`` gets the number of bytes that were read."""

    path: Path
    name: str  # in the folder that is imported
    format: str
    now: datetime
    progress: Callable[[int], None] = field(default=lambda _: None)

    def offers(self) -> Iterator[Offer]:
        """Everything that the file offers, read as it goes."""
        if self.format == "hexad":
            yield from self._lines()
        elif self.format in {"claude", "chatgpt", "transcript"}:
            yield from self._conversations()
        elif self.format == "mem0":
            for each in self.elements():
                found = _fact(
                    str(each.get("memory") or ""), tags=each.get("categories")
                )
                yield found._replace(
                    fields={
                        **found.fields,
                        "subject": str(each.get("user_id") or "")[:80],
                    }
                )
        elif self.path.suffix == ".json":
            pages = [text for each in self.elements() for text in _texts(each)]
            yield from (offer for page in pages for offer in _blocks(page))
        elif self.format == "notes":
            yield from _note(_page(self.path), self.path)
        else:
            for piece in self._pieces():
                page = (
                    piece.replace("\n", "\n\n") if self.format == "memories" else piece
                )  # each line is one
                yield from _blocks(page, rules=self.format == "rules")

    def _pieces(self) -> Iterator[str]:
        """The text of a file in pieces that fit into memory, each below the heading
        that it stands under.
        """
        piece, size, heading, fenced = list[str](), 0, "", False
        try:
            with (
                self.path.open("rb") as raw,
                io.TextIOWrapper(raw, encoding="utf-8-sig") as file,
            ):
                for line in iter(lambda: file.readline(_LARGEST_PAGE), ""):
                    fenced ^= line.lstrip().startswith(_FENCES)
                    headed = line.startswith("#") and not fenced
                    if size > _PIECE and not fenced and (headed or not line.strip()):
                        yield "".join(piece)
                        self.progress(raw.tell())
                        piece, size = [heading], 0
                    heading = line if headed else heading
                    piece.append(line)
                    size += len(line)
        except OSError as error:
            raise BackupError(
                str(self.path), f"cannot be read: {error.strerror}"
            ) from error
        except UnicodeDecodeError as error:
            raise BackupError(
                str(self.path), "is not UTF-8 text; if it is a zip file, unzip it first"
            ) from error
        yield "".join(piece)

    def _lines(self) -> Iterator[Offer]:
        with backup_lines(self.path, whole=False) as lines:
            _check(lines)
            read = 0
            for line in lines:
                read += line.size
                self.progress(read)
                yield Offer(line.fields, line.number)

    def elements(self) -> Iterator[dict[str, Any]]:
        """The objects of an array, or of lines; of a transcript in plain text its
        messages.
        """
        plain = self.format == "transcript" and self.path.suffix not in {
            ".json",
            ".jsonl",
        }
        if plain and (page := _page(self.path)).lstrip()[:1] not in {"[", "{"}:
            yield from _spoken(page) or [
                {"role": "user", "content": page}
            ]  # a text without speakers is the user's
            return
        try:
            with (
                self.path.open("rb") as raw,
                io.TextIOWrapper(raw, encoding="utf-8-sig") as file,
            ):
                lines = map(
                    json.loads,
                    filter(str.strip, iter(lambda: file.readline(_LONGEST), "")),
                )
                by_line = self.path.suffix == ".jsonl" or (
                    plain and _is_object(page.lstrip().split("\n", 1)[0])
                )
                for each in lines if by_line else _array(file, str(self.path)):
                    self.progress(raw.tell())
                    if isinstance(each, dict):
                        yield each
        except OSError as error:
            raise BackupError(
                str(self.path), f"cannot be read: {error.strerror}"
            ) from error
        except ValueError as error:
            raise BackupError(
                str(self.path), f"is not JSON in UTF-8: {error}"
            ) from error

    def _conversations(self) -> Iterator[Offer]:
        for each in self.elements():
            messages = _messages(each)
            when = (
                _moment(
                    each.get("created_at")
                    or each.get("create_time")
                    or each.get("timestamp")
                )
                or self.now
            )
            for turn in turns(messages):
                for said in statements(turn.text, when) if turn.by_user else ():
                    named = {"key": said.key} if said.slot else {}
                    until = (
                        {"expires": said.expires.isoformat()} if said.expires else {}
                    )
                    until["created"] = when.astimezone(
                        UTC
                    ).isoformat()  # "until Friday" is meant from then
                    known = {
                        "type": "knowledge",
                        "content": said.content,
                        "category": said.category.value,
                    }
                    yield Offer(
                        {**known, **named, **until}, 0, said.sentence, clear=False
                    )


def _is_hidden(folders: tuple[str, ...]) -> bool:
    return any(name.startswith(".") for name in folders)


def sources(path: Path, given: str | None, now: datetime) -> list[Source]:
    """The files to read: the one that is named, or those of a folder; one that is not
    recognised has no format.
    """
    if given is not None and given not in FORMATS:
        raise InvalidInput(
            "--as", f"must be one of {', '.join(FORMATS)}, not {given!r}"
        )
    if not path.is_dir():
        return [
            Source(
                path,
                path.name,
                given or (_recognised(path) if path.is_file() else FORMATS[0]),
                now,
            )
        ]
    parts = ((each, each.relative_to(path).parts) for each in sorted(path.rglob("*")))
    inside = [each for each, names in parts if not _is_hidden(names[:-1])]
    files = [
        each
        for each in inside
        if each.suffix in _READ and each.is_file() and not each.is_symlink()
    ]
    found = [
        Source(
            each,
            each.relative_to(path).as_posix(),
            given or _recognised(each, among=True),
            now,
        )
        for each in files[: _MOST_FILES + 1]
    ]
    if not any(each.format for each in found) or len(files) > _MOST_FILES:
        raise BackupError(
            str(path),
            f"holds {len(files):,} files to import; give a folder of 1 to {_MOST_FILES:,}",
        )
    return found


def messages_in(path: Path) -> list[Any]:
    """The messages of a conversation's file: an array, or a line for each."""
    source = Source(path, path.name, "transcript", datetime.now(UTC))
    found = list(source.elements())
    return [message for each in found for message in _messages(each)]


def _recognised(path: Path, *, among: bool = False) -> str:
    """The format of a file; among the files of a folder none, if it holds nothing to
    import.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            head = file.read(_HEAD).lstrip("\ufeff \r\n\t")
    except OSError as error:
        raise BackupError(str(path), f"cannot be read: {error.strerror}") from error
    first = head.split("\n", 1)[0]
    if re.match(r'\{\s*["}]|\[\s*[\[{\]]', head) or path.suffix in {".json", ".jsonl"}:
        mark = _MARK.search(head)
        ours = re.search(rf'"type"\s*:\s*"(?:{"|".join((HEADER, *TYPES))})"', first)
        return (
            "hexad"
            if ours or (mark is None and not among)
            else _MARKS.get(mark[1], "transcript")
            if mark
            else ""
        )
    if head.startswith("---"):
        return "notes"
    if len({message["role"] for message in _spoken(head)}) > 1:
        return "transcript"
    headed = re.search(r"^#{1,6} ", head, re.MULTILINE) is not None
    below = head[_MEMORIES.match(head).end() :]  # type: ignore[union-attr] # matches nothing, too
    listed = all(_BULLET.match(line) for line in below.splitlines() if line.strip())
    if path.name in _RULES or (headed and not among and not listed):
        return "rules"
    if path.suffix == ".txt" or listed:
        return "memories"
    return ("" if path.stem in _ABOUT_CODE else "notes") if among else "memories"


def _is_object(line: str) -> bool:
    """Whether a line is an object by itself, as those of JSON Lines are."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _array(file: TextIO, name: str) -> Iterator[Any]:
    """The elements of the first array of a file, one at a time: it takes the memory of
    the largest.
    """
    text = file.read(_CHUNK)
    place = text.find("[") + 1
    if not place:
        raise BackupError(
            name,
            "holds no JSON array; see `hexad import --help` for the formats that --as names",
        )
    while True:
        place = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]
        if text.startswith("]", place):
            return
        try:
            element, end = json.JSONDecoder().raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            end = len(text)
        if end < len(text):  # a number at the end may go on
            yield element
            place = end
            continue
        more = file.read(
            max(_CHUNK, len(text) - place)
        )  # twice as much each time, so that all takes linear time
        if not more or len(text) - place > _LONGEST:
            raise BackupError(
                name,
                "holds an array that is cut short, too deep or too long, or is not JSON",
            )
        text, place = text[place:] + more, 0


def _check(lines: BackupLines) -> None:
    """Raise unless a file holds records, and those of one namespace."""
    held = {(line.namespace, TYPES[line.fields["type"]] in RECORDS) for line in lines}
    if not any(is_record for _, is_record in held):
        raise BackupError(lines.name, "holds nothing to import: no line is a record")
    found = sorted({namespace for namespace, _ in held} - {""})
    if len(found) > 1:
        many = f"{len(found)} namespaces ({', '.join(found[:5])})"
        raise BackupError(
            lines.name,
            f"holds {many}: restore it into a new database instead, or keep the lines of one",
        )


def _page(path: Path) -> str:
    try:
        with path.open("rb") as file:
            page = file.read(_LARGEST_PAGE + 1).decode("utf-8-sig")
    except OSError as error:
        raise BackupError(str(path), f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BackupError(
            str(path), "is not UTF-8 text; if it is a zip file, unzip it first"
        ) from error
    if len(page) > _LARGEST_PAGE:
        raise BackupError(
            str(path), f"is larger than {_LARGEST_PAGE:,} bytes; split it"
        )
    return page


def _note(page: str, path: Path) -> Iterator[Offer]:
    """A page with front matter: one record of Hexad's, or one note."""
    try:
        body = frontmatter.split(page).body if page.startswith("---") else page
        fields = (
            frontmatter.parse(frontmatter.split(page).yaml)
            if page.startswith("---")
            else {}
        )
    except HexadError as error:
        raise BackupError(str(path), str(error)) from error
    body = body.removesuffix("\n")
    kind = fields.get("type")
    if (
        isinstance(kind, str)
        and TYPES.get(kind) in RECORDS
        and fields.pop("hexad", None)
    ):
        waits, sentence = (
            bool(fields.pop("proposed", False)),
            str(fields.pop("sentence", "")),
        )
        yield Offer({**fields, BODY[kind]: body}, 1, sentence, clear=not waits)
        return
    name = next(
        (
            str(fields[name])
            for name in ("permalink", "title", "name")
            if fields.get(name)
        ),
        path.stem,
    )
    text = body.strip() or str(fields.get("description") or "")
    if text:
        yield _fact(text, str(kind), key=name, tags=fields.get("tags"))


def _blocks(page: str, *, rules: bool = False) -> Iterator[Offer]:
    """The paragraphs and list items of a page, tagged with their heading and the items
    that they are part of.
    """
    blocks, above = (
        list(_joined(list(_split(page))) if rules else _split(page)),
        list[_Block](),
    )
    for block, following in zip(blocks, [*blocks[1:], _Block("", "")], strict=False):
        above = [each for each in above if each.indent < block.indent]
        if reason := next(
            (reason for pattern, reason in _UNFIT.items() if pattern.match(block.text)),
            "",
        ):
            yield Offer({"type": "knowledge"}, unfit=reason)
        elif not (rules and block.names(following)):
            tags = [block.heading, *(each.text.rstrip(":") for each in above)]
            yield _fact(block.text, block.category if rules else "", tags=tags)
        if -1 < block.indent < following.indent:
            above.append(block)


class _Block(NamedTuple):
    """A paragraph, a list item, a table or code, under a heading."""

    text: str
    heading: str
    indent: int = -1  # of a list item

    @property
    def category(self) -> str:
        """Orders are rules, and so are list items that describe nothing; other prose is
        a fact.
        """
        described = self.indent < 0 or _DESCRIBES.match(self.text)
        return (
            Category.FACT.value
            if described and not _ORDERS.search(self.text)
            else Category.RULE.value
        )

    def names(self, following: _Block) -> bool:
        """Whether a list item is no more than the topic of the items below it."""
        short = len(self.text.split()) <= _TOPIC
        return (
            -1 < self.indent < following.indent
            and short
            and not _ORDERS.search(self.text)
        )


def _joined(blocks: list[_Block]) -> Iterator[_Block]:
    """The blocks, where a list item that says something takes in the few below it,
    which say little alone.
    """
    place = 0
    while place < len(blocks):
        block, place = blocks[place], place + 1
        near = blocks[place : place + _MOST_BELOW + 1]
        count = next(
            (n for n, each in enumerate(near) if not -1 < block.indent < each.indent),
            len(near),
        )
        text = f"{block.text.rstrip('.:')}: {'; '.join(each.text.rstrip('.;') for each in near[:count])}"
        fits = (
            0 < count <= _MOST_BELOW
            and len(text) <= _LONGEST_LIST
            and not re.search("```|@", text)
        )
        if fits and not block.names(near[0]):
            block, place = block._replace(text=text), place + count
        yield block


def _split(page: str) -> Iterator[_Block]:
    """The blocks of a page; code stays with the text before it."""
    heading, block, indent, fenced = "", list[str](), -1, False
    for line in (*page.splitlines(), "", "# "):
        if fenced or line.lstrip().startswith(_FENCES):
            fenced ^= line.lstrip().startswith(_FENCES)
            block.append(line)
            continue
        item, row = _BULLET.match(line), line.lstrip().startswith("|")
        bold = not item and _BOLD.fullmatch(line) and not _ORDERS.search(line)
        headed = line.startswith("#") or bold
        after_code = bool(block) and block[-1].lstrip().startswith(_FENCES)
        starts = (
            not line.strip()
            or headed
            or item
            or after_code
            or (block and row != block[0].startswith("|"))
        )
        if starts and block and (line.strip() or not block[-1].endswith(":")):
            text = _DATED.sub("", "\n".join(block).strip())
            if len(text) > _SHORTEST:
                yield _Block(text, heading, indent)
            block = []
        if headed:
            heading = line.strip("#*: \t")
        elif line.strip():
            if not block:
                indent = len(line) - len(line.lstrip()) if item else -1
            block.append(_BULLET.sub("", line) if item else line.strip())


def _fact(
    text: str, category: str = "", *, key: str = "", tags: object = None
) -> Offer:
    """A text as an entry; its category is the one given, the one that its words show,
    or a fact.
    """
    own = re.sub(
        r"^(?:(?:the )?user )?(prefer|like|love|hate|dislike|enjoy)s\b",
        r"I \1",
        text,
        flags=re.IGNORECASE,
    )
    shown = (
        None
        if category in set(Category)
        else next(statements(own, datetime.now(UTC)), None)
    )
    known = (
        category
        if category in set(Category)
        else shown.category.value
        if shown
        else Category.FACT.value
    )
    words = (
        [" ".join(str(tag).split())[:80] for tag in tags if str(tag).strip()]
        if isinstance(tags, list)
        else []
    )
    named = {"key": " ".join(key.split())[:200]} if key else {}
    return Offer(
        {
            "type": "knowledge",
            "content": text,
            "category": str(known),
            "tags": words[:20],
            **named,
        }
    )


def _texts(memory: dict[str, Any]) -> Iterator[str]:
    """The pages of Claude's memory: what it keeps of all conversations, and of each
    project.
    """
    projects = memory.get("project_memories")
    pages = [
        memory.get("conversations_memory"),
        *(projects.values() if isinstance(projects, dict) else ()),
    ]
    yield from (page for page in pages if isinstance(page, str))


def _messages(element: dict[str, Any]) -> list[Any]:
    """The messages of a conversation, or the one message that an element is."""
    return element.get("chat_messages") or (
        _path(element) if "mapping" in element else [element]
    )


def _spoken(page: str) -> list[dict[str, Any]]:
    """The messages of a transcript in plain text, each after its speaker: "User: …"."""
    _, *parts = _SPEAKER.split(page)
    said = zip(parts[::2], parts[1::2], strict=True)
    return [
        {
            "role": "user" if who.lower() in {"user", "human", "me"} else "assistant",
            "content": text,
        }
        for who, text in said
    ]


def _path(conversation: dict[str, Any]) -> list[Any]:
    """The messages of ChatGPT's tree that were shown last, from the first to the last."""
    mapping, node, found = (
        conversation["mapping"],
        conversation.get("current_node"),
        list[Any](),
    )
    if not isinstance(mapping, dict):
        return []
    if not isinstance(node, str) or node not in mapping:
        return [
            each.get("message")
            for each in mapping.values()
            if isinstance(each, dict) and each.get("message")
        ]
    while (
        isinstance(node, str)
        and isinstance(mapping.get(node), dict)
        and len(found) <= len(mapping)
    ):
        found.append(mapping[node].get("message"))
        node = mapping[node].get("parent")
    return [message for message in reversed(found) if message]


def _moment(value: object) -> datetime | None:
    """A time as exports write it: in ISO 8601, or in seconds."""
    try:
        if isinstance(value, int | float):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
    return found.replace(tzinfo=found.tzinfo or UTC) if found else None
