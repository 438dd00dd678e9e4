"""Names from code, files and the net, and their parts."""

import re
from collections.abc import Iterator

MOST_RUNS = 4
"""A name in which letters and digits alternate more often is a hash or a key: its fragments mean nothing."""

_SYMBOL = re.compile(r"[\x00-@\[-`{-\x7f]")
_PATH = re.compile(r"://|::|[/@]")
_NAME = re.compile(r"[._'&-]+")
_RUNS = re.compile(r"[0-9]+|[^0-9+#]+")
# An acronym's plural (URLs, userIDs) is one hump, and an acronym ends where the next
# word begins (HTTPServer).
_HUMPS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VERSION = re.compile(r"[vV](?=[0-9]+\.)")


def is_letters(name: str) -> bool:
    """Whether `name` holds nothing but letters and their marks, in any case."""
    return not _SYMBOL.search(name)


def is_plain(name: str) -> bool:
    """Whether `name` is an ordinary word: letters only, and no capital inside it."""
    return is_letters(name) and len(_humps(name)) == 1


def parts(name: str) -> Iterator[str]:
    """The parts of `name`, in reading order and from coarse to fine, in its own case,
    without `name` itself.

    `config/httpServer.yaml` gives config, httpServer.yaml, httpServer, http, Server,
    yaml. Parts may be too short to be words, and may repeat.
    """
    if version := _VERSION.match(name):
        yield name[version.end() :]
    for piece in _PATH.split(name):
        if piece != name:
            yield piece.strip("_")
        for segment in _NAME.split(piece):
            if segment != piece:
                yield segment
            yield from _inside(segment)


def _inside(segment: str) -> Iterator[str]:
    """The letter runs, digit runs and humps of a segment without punctuation."""
    runs = _RUNS.findall(segment)
    if len(runs) > MOST_RUNS:
        return
    for run in runs:
        if run != segment:
            yield run
        inner = _humps(run)
        if len(inner) > 1:
            yield from inner


def _humps(run: str) -> list[str]:
    """The words of a camelCase run of letters; beyond ASCII a run is one word."""
    return _HUMPS.findall(run) if run.isascii() else [run]
