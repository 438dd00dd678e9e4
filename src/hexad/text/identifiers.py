"""Names from code, files and the net: what they consist of."""

import re
from collections.abc import Iterator

MOST_RUNS = 4
"""Letters and digits that alternate more often than so are a hash or a key, whose fragments name nothing."""

_SYMBOL = re.compile(r"[\x00-@\[-`{-\x7f]")
_PATH = re.compile(r"://|::|[/@]")
_NAME = re.compile(r"[._'&-]+")
_RUNS = re.compile(r"[0-9]+|[^0-9+#]+")
# An acronym's plural (URLs, userIDs) is one hump, and an acronym ends where the next word begins (HTTPServer).
_HUMPS = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_VERSION = re.compile(r"[vV](?=[0-9]+\.)")


def is_letters(name: str) -> bool:
    """Whether `name` holds nothing but letters and their marks, in whatever case."""
    return not _SYMBOL.search(name)


def is_plain(name: str) -> bool:
    """Whether `name` is a word as prose has it: letters only, and no capital inside it."""
    return is_letters(name) and len(_humps(name)) == 1


def parts(name: str) -> Iterator[str]:
    """What `name` consists of, in reading order and from coarse to fine, in its own case, `name` itself excepted.

    `config/httpServer.yaml` gives config, httpServer.yaml, httpServer, http, Server, yaml. Parts may be too short
    to be words, and may repeat.
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
