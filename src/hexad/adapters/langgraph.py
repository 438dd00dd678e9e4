"""LangGraph: `HexadStore` is a `BaseStore` over Hexad's database: ``create_agent(model,
tools, store=HexadStore(hx))``.

A value comes back exactly as it was put, so secrets in it are not redacted. It
therefore lives in namespaces of its own, below ``@store``, which no prompt is made
from. Values are JSON. Search is Hexad's own; ``index`` has no effect.
"""

from __future__ import annotations

import json
import operator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from hexad.extras import require_extra

require_extra("langgraph", "the LangGraph adapter", "langgraph.store")

from langgraph.store import base as lg  # noqa: E402 - a missing package is reported first

from hexad.agents.threads import pool_of  # noqa: E402
from hexad.errors import InvalidInput, NotFound  # noqa: E402
from hexad.memory.index.indexing import all_namespaces  # noqa: E402
from hexad.model import Knowledge, Origin  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hexad.facade import Hexad

_ROOT: Final = "@store"
_MOST: Final = 1000  # candidates of a search with a filter
_COMPARISONS: Final = {
    "$eq": "eq",
    "$ne": "ne",
    "$gt": "gt",
    "$gte": "ge",
    "$lt": "lt",
    "$lte": "le",
}


class HexadStore(lg.BaseStore):
    """Items by namespace and key. It raises what Hexad raises: a store that loses a
    value says so.
    """

    supports_ttl = True

    def __init__(self, hx: Hexad, *, ttl: lg.TTLConfig | None = None) -> None:
        self._hx = hx.scoped(session="")
        self.ttl_config = ttl

    def batch(self, ops: Iterable[lg.Op]) -> list[lg.Result]:
        """The results of operations, one after the other."""
        return [self._done(op) for op in ops]

    async def abatch(self, ops: Iterable[lg.Op]) -> list[lg.Result]:
        """Like `batch`, beside an event loop."""
        return await pool_of(self._hx).run(partial(self.batch, list(ops)))

    def _done(self, op: lg.Op) -> lg.Result:
        match op:
            case lg.GetOp():
                return self._get(op)
            case lg.SearchOp():
                return self._search(op)
            case lg.ListNamespacesOp():
                return self._namespaces(op)
            case lg.PutOp():
                self._put(op)
                return None
            case _:  # of a newer LangGraph
                raise InvalidInput(
                    "op",
                    f"is a {type(op).__name__}, which this version of Hexad does not know",
                )

    def _get(self, op: lg.GetOp) -> lg.Item | None:
        with suppress(NotFound):
            entry = self._in(op.namespace).knowledge.get(_encoded(op.key))
            return (
                lg.Item(**self._read(entry, op.namespace, refresh=op.refresh_ttl))
                if _lives(entry)
                else None
            )
        return None

    def _put(self, op: lg.PutOp) -> None:
        if op.value is not None:
            return self._keep(
                op.namespace,
                _encoded(op.key),
                json.dumps(op.value, ensure_ascii=False),
                op.ttl,
            )
        with suppress(NotFound):
            self._in(op.namespace).knowledge.delete(_encoded(op.key))
        return None

    def _keep(
        self, path: tuple[str, ...], key: str, content: str, ttl: float | None
    ) -> None:
        expires = None if ttl is None else datetime.now(UTC) + timedelta(minutes=ttl)
        tags = () if ttl is None else (f"ttl:{ttl}",)
        self._in(path).knowledge.save(
            key, content, origin=Origin.AGENT, tags=tags, expires=expires, redact=False
        )

    def _search(self, op: lg.SearchOp) -> list[lg.SearchItem]:
        paths = [
            path
            for path in self._paths()
            if path[: len(op.namespace_prefix)] == op.namespace_prefix
        ]
        found = [
            each
            for path in paths
            for each in self._found(path, op)
            if _fits(each.value, op.filter or {})
        ]
        return sorted(found, key=lambda item: -(item.score or 0.0))[
            op.offset : op.offset + op.limit
        ]

    def _found(self, path: tuple[str, ...], op: lg.SearchOp) -> list[lg.SearchItem]:
        known, entries = (
            self._in(path).knowledge,
            list[tuple[Knowledge, float | None]](),
        )
        if op.query:
            items = known.search(
                op.query, limit=_MOST if op.filter else op.offset + op.limit
            )
            entries = [(known.get(item.key), item.score) for item in items]
        else:
            entries = [(entry, None) for entry in known.list() if _lives(entry)]
        return [
            lg.SearchItem(**self._read(each, path, refresh=op.refresh_ttl), score=score)
            for each, score in entries
        ]

    def _read(
        self, entry: Knowledge, path: tuple[str, ...], *, refresh: bool
    ) -> dict[str, Any]:
        """The fields of an item; its time to live begins again if it is refreshed."""
        ttl = next(
            (
                float(tag.removeprefix("ttl:"))
                for tag in entry.tags
                if tag.startswith("ttl:")
            ),
            None,
        )
        if refresh and ttl is not None:
            self._keep(path, entry.key, entry.content, ttl)
        times = {"created_at": entry.created, "updated_at": entry.updated}
        return {
            "namespace": path,
            "key": unquote(entry.key),
            "value": json.loads(entry.content),
            **times,
        }

    def _namespaces(self, op: lg.ListNamespacesOp) -> list[tuple[str, ...]]:
        paths = [
            path
            for path in self._paths()
            if any(map(_lives, self._in(path).knowledge.list()))
        ]
        fitting = paths
        for condition in op.match_conditions or ():
            fitting = [path for path in fitting if _matches(path, condition)]
        return sorted({path[: op.max_depth] for path in fitting})[
            op.offset : op.offset + op.limit
        ]

    def _in(self, path: tuple[str, ...]) -> Hexad:
        return self._hx.scoped(
            namespace="/".join([self._hx.namespace, _ROOT, *map(_encoded, path)])
        )

    def _paths(self) -> list[tuple[str, ...]]:
        root = f"{self._hx.namespace}/{_ROOT}/"
        names = [
            name.removeprefix(root)
            for name in all_namespaces(self._hx.store)
            if name.startswith(root)
        ]
        return [tuple(map(unquote, name.split("/"))) for name in names]


def _lives(entry: Knowledge) -> bool:
    return entry.expires is None or entry.expires > datetime.now(UTC)


def _encoded(name: str) -> str:
    """A name that differs from others even where case is ignored.

    >>> _encoded("Dana's key"), unquote(_encoded("Dana's key"))
    ('%44ana%27s%20key', "Dana's key")
    """
    return "".join(
        f"%{ord(each):02X}"
        if each.isascii() and each.isupper()
        else quote(each, safe="")
        for each in name
    )


def _fits(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Whether a value has these fields: equal, compared by an operator, or fitting in
    turn.
    """
    if not any(name.startswith("$") for name in wanted):
        fields = value if isinstance(value, dict) else {}
        pairs = [(fields.get(name), each) for name, each in wanted.items()]
        return all(
            _fits(own, each) if isinstance(each, dict) else own == each
            for own, each in pairs
        )
    with suppress(TypeError):  # values of different kinds have no order
        return all(
            getattr(operator, _COMPARISONS[name])(value, each)
            for name, each in wanted.items()
        )
    return False


def _matches(path: tuple[str, ...], condition: lg.MatchCondition) -> bool:
    wanted = condition.path
    part = (
        path[: len(wanted)]
        if condition.match_type == "prefix"
        else path[-len(wanted) :]
    )
    return len(path) >= len(wanted) and all(
        each in {"*", own} for own, each in zip(part, wanted, strict=True)
    )
