"""`recall` (also `search`), `show`, `list`, `history`, `explain`: find entries, and see
why they are found.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from shlex import quote
from typing import Annotated, Final

import typer

from hexad.cli.commands import Commands, Common
from hexad.cli.options import InCategory, Key, Layers, argument, flag, option
from hexad.cli.terminal import screen
from hexad.context.explanation import Explanation, explained, name_of
from hexad.context.keywords import extract
from hexad.context.layers.presenting import present
from hexad.errors import InvalidInput
from hexad.facade import Hexad
from hexad.json_form import retrieval, to_json
from hexad.model import Category, Item, Knowledge, Layer, Origin, Reason, Retrieval

_FOUND: Final = ("score", screen.KEY, "category", screen.Wide("content"))
_LISTED: Final = (
    screen.KEY,
    "category",
    "v",
    screen.Wide("labels", 14),
    screen.Wide("content"),
)
_VERSIONS: Final = ("v", "when (UTC)", "category", "origin", screen.Wide("content"))
_JUDGED: Final = (
    "score",
    screen.KEY,
    screen.Wide("verdict", 15),
    screen.Wide("reasons"),
)

_AS_WRITTEN: Final = Reason("words", "holds the query as it is", 0.0)

Deleted = Annotated[bool, flag("--deleted", "Those that `undelete` can bring back.")]

app = Commands()


@app.command(epilog='Example: hexad recall "when may I deploy?" --layer user_knowledge')
def recall(
    query: Annotated[str, argument("QUERY", "A question, or words.")],
    *,
    layer: Layers = None,
    category: InCategory = None,
    limit: Annotated[
        int | None, option("N", "Maximum for each layer, or for the category.", min=1)
    ] = None,
    as_of: Annotated[
        str | None,
        option("DATE", "What was known then, such as 2026-11-03.", "--as-of"),
    ] = None,
    common: Common,
) -> None:
    """Find what matters for a question, best first: knowledge, learnings, skills and
    references.
    """
    if category and layer and set(layer) != {Layer.USER_KNOWLEDGE}:
        raise InvalidInput(
            "--category", "applies to user_knowledge only; leave out --layer"
        )
    if as_of:
        _recall_as_of(query, layer, limit, as_of, common)
        return
    with common.opened_beside_own() as hx:
        found = (
            _in_category(hx, query, category, limit)
            if category
            else hx.retrieve(query, layer, limit)
        )
        standing = 0 if category else len(hx.standing())
        if not found.items and not layer and (literal := _holding(hx, query, category)):
            found = replace(found, items={Layer.USER_KNOWLEDGE: literal})
    if common.as_json:
        screen.emit(retrieval(found))
    else:
        _show_found(found, category, standing)
    if found.failures:
        raise typer.Exit(1)


def _recall_as_of(
    query: str, layer: list[Layer] | None, limit: int | None, day: str, common: Common
) -> None:
    """Find what was known at the end of a day, or at a time."""
    try:
        when = datetime.fromisoformat(day)
    except ValueError:
        raise InvalidInput(
            "--as-of", f"must be a date or a time such as 2026-11-03, not {day!r}"
        ) from None
    if len(day) == len("2026-11-03"):
        when += timedelta(days=1, microseconds=-1)
    with common.opened_beside_own() as hx:
        found = hx.retrieve(
            query, layer, limit, as_of=when if when.tzinfo else when.replace(tzinfo=UTC)
        )
    if common.as_json:
        screen.emit(retrieval(found))
    else:
        _show_found(found, None, 0)


app.command(
    "search",
    epilog='Example: hexad search "when may I deploy?"',
    help="The same as recall.",
)(recall)


@app.command(epilog="Example: hexad show deploy-window")
def show(key: Key, common: Common) -> None:
    """Show one entry whole: its text, who said it, and when."""
    with common.opened() as hx:
        entry = hx.knowledge.get(key)
        told = (
            "in every prompt"
            if entry.key in {item.key for item in hx.standing()}
            else ""
        )
    facts = [(name, value) for name, value in _facts(entry, told) if value]
    common.listing({"entry": to_json(entry)}, screen.FACTS, facts)


@app.command("list", epilog="Example: hexad list --category rule")
def list_(
    *, category: InCategory = None, deleted: Deleted = False, common: Common
) -> None:
    """List the knowledge entries, oldest first. See also `skills list` and `learnings
    list`.
    """
    with common.opened() as hx:
        entries = [
            entry
            for entry in hx.knowledge.list(deleted=deleted)
            if category in {None, entry.category}
        ]
    now = datetime.now(UTC)
    rows = [(e.key, e.category, e.version, _labels(e, now), e.content) for e in entries]
    some = "deleted" if deleted else "stored"
    empty = (
        f"nothing is {some} here"
        if category is None
        else f"no {some} entry has the category {category}"
    )
    common.listing(
        {"entries": [to_json(entry) for entry in entries]}, _LISTED, rows, empty=empty
    )


@app.command(epilog="Example: hexad history deploy-window")
def history(key: Key, common: Common) -> None:
    """Show all versions of an entry, newest first."""
    with common.opened() as hx:
        versions = hx.knowledge.history(key)
    rows = [(v.version, v.created, v.category, v.origin, v.content) for v in versions]
    common.listing(
        {"key": key, "versions": [to_json(version) for version in versions]},
        _VERSIONS,
        rows,
    )


@app.command(
    epilog='Example: hexad explain "when may I deploy?" --base "You are terse." --budget 400'
)
def explain(
    message: Annotated[str, argument("MESSAGE", "A user's message to the agent.")],
    *,
    base: Annotated[str, option("TEXT", "The base prompt.")] = "",
    budget: Annotated[
        int | None, option("TOKENS", "Most tokens of found context.")
    ] = None,
    layer: Layers = None,
    common: Common,
) -> None:
    """Show why the prompt for a message is what it is: candidates, scores, reasons,
    what was kept or dropped.
    """
    with common.opened_beside_own() as hx:
        explanation = hx.explain(message, base=base, layers=layer, budget=budget)
    if common.as_json:
        screen.emit(explained(explanation))
    else:
        _show_explanation(explanation)


def _in_category(
    hx: Hexad, query: str, category: Category, limit: int | None
) -> Retrieval:
    items = hx.knowledge.search(
        query, category=category, limit=10 if limit is None else limit
    )
    return Retrieval(
        query=query,
        items={Layer.USER_KNOWLEDGE: items} if items else {},
        keywords=extract(query).keywords,
        namespace=hx.namespace,
    )


def _holding(hx: Hexad, query: str, category: Category | None) -> tuple[Item, ...]:
    """The entries that hold a short query as it is: nothing is found by a word such as
    "R" or "go".
    """
    words = re.compile(rf"(?i)(?<!\w){re.escape(query.strip())}(?![\w+#])")
    entries = [
        each
        for each in hx.knowledge.list()
        if category in {None, each.category} and query.strip()
    ]
    return tuple(
        present(each, 0.0, (_AS_WRITTEN,))
        for each in entries
        if words.search(each.content)
    )


def _show_found(found: Retrieval, category: Category | None, standing: int) -> None:
    for layer in [each for each in Layer if each in found.items]:
        rows = [
            (each.score, _named(each), each.category, each.content)
            for each in found.items[layer]
        ]
        screen.table(_FOUND, rows, title=layer.heading, first=layer.value)
    for failed in found.failures:
        screen.warn(f"{failed.layer} gave no answer: {failed.reason}")
    if not found.failures and all(
        why.signal == "pinned" for item in found.all() for why in item.reasons
    ):
        near = (
            f"`hexad explain {quote(found.query)}` shows what was near"
            if found.keywords
            else "try other words"
        )
        why = (
            f" beyond what every prompt has ({screen.counted(standing, 'entry', 'entries')})"
            if standing
            else ""
        )
        why = why if found.keywords else ": the query has no word to search for"
        only = f" --category {category}" if category else ""
        screen.remark(
            f"nothing found{why}; {near}, and `hexad list{only}` lists everything"
        )


def _named(item: Item) -> str:
    labels = ["pinned"] * item.pinned + ["your own memory"] * (item.distance > 0)
    return f"{item.key} ({', '.join(labels)})" if labels else item.key


def _facts(entry: Knowledge, told: str) -> Sequence[tuple[str, object]]:
    return [
        ("key", entry.key),
        ("content", entry.content),
        ("category", entry.category),
        ("said by", entry.said_by),
        ("user's words", entry.said),
        ("told", told),
        ("pinned", "yes" if entry.pinned else ""),
        ("tags", ", ".join(entry.tags)),
        ("about", entry.subject),
        ("source", entry.source),
        ("thread", entry.thread and f"{entry.thread}, place {entry.position}"),
        ("expires", entry.expires),
        ("version", f"{entry.version}, {screen.moment(entry.updated)}"),
        ("session", entry.session),
        (
            "found and used",
            screen.counted(entry.use_count, "time") if entry.use_count else "",
        ),
    ]


def _labels(entry: Knowledge, now: datetime) -> str:
    """Pinned, origin, expiry and tags, in words."""
    labels = ["pinned"] if entry.pinned else []
    if entry.origin is not Origin.USER:
        labels.append(f"from {entry.origin}")
    elif entry.said:
        labels.append("as you said it to an agent")
    if entry.expires:
        labels.append("expired" if entry.expires <= now else "expires")
    return ", ".join([*labels, *(f"#{tag}" for tag in entry.tags)])


def _show_explanation(explanation: Explanation) -> None:
    screen.say(f"message: {screen.one_line(explanation.message)}")
    screen.say(f"keywords: {', '.join(explanation.keywords) or 'none'}")
    for layer, judged in explanation.candidates.items():
        title = f"{layer.heading} ({_milliseconds(explanation.layer_seconds.get(layer, 0.0))})"
        rows = [
            (
                j.item.score,
                name_of(j.item),
                j.verdict,
                "; ".join(map(str, j.item.reasons)),
            )
            for j in judged
        ]
        screen.table(_JUDGED, rows, title=title, first=layer.value)
    if explanation.unfit:
        screen.say(explanation.unfit)
    for failed in explanation.failures:
        screen.say(f"failed: {failed.layer}: {failed.reason}")
    screen.say(f"{explanation.spent}; {_milliseconds(explanation.seconds)}")
    screen.heading("prompt")
    screen.say(explanation.prompt.text)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
