"""User Knowledge: rules, preferences, definitions and facts, versioned, so that an
overwrite loses nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

from hexad.errors import InvalidInput, NotFound, NotOwn
from hexad.memory import admission
from hexad.memory.collection import RecordCollection
from hexad.memory.forgetting import (
    GIVEN,
    VERSIONED,
    forget_key,
    forget_session,
    forget_subject,
    withdraw,
)
from hexad.memory.index.resemblance import resembling
from hexad.memory.keys import key_from, numbered
from hexad.model import KEEP, Category, Keep, Knowledge, Layer, Origin, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from hexad.memory.workspace import Change
    from hexad.model import Forgotten, Item, Json


class KnowledgeCollection(RecordCollection[Knowledge]):
    """The entries of the user, agents, tools and imports, by key."""

    layer: ClassVar[Layer] = Layer.USER_KNOWLEDGE

    def save(
        self,
        key: str | None = None,
        content: str | None = None,
        *,
        category: str | Keep = KEEP,
        tags: Iterable[str] | Keep = KEEP,
        source: str | Keep = KEEP,
        session: str | None = None,
        origin: str = Origin.USER,
        subject: str | Keep = KEEP,
        thread: str | Keep = KEEP,
        position: int | Keep | None = KEEP,
        pinned: bool | Keep = KEEP,
        expires: datetime | Keep | None = KEEP,
        relevance: float | Keep = KEEP,
        redact: bool = True,
        own_only: bool = False,
        said: str = "",
    ) -> Knowledge:
        """Keep ``content`` under ``key`` and return the entry as it now stands.

        Without a key, or with one text alone, the key is made from the text. Keys that
        differ in case alone are one. Other content or another category under a known
        key appends a version; other fields change in place, and those not given stay as
        they are; the same again changes nothing. Other content that is not the user's
        ends a pin, unless one is given with it. Secrets are replaced, and the entry's
        ``redactions`` say which kinds, unless ``redact=False``. With ``own_only`` an
        entry changes only if an agent saved it and nobody pinned it; any other is
        `NotOwn`. ``said`` is the user's own sentence, if this puts it into other words.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> hx.knowledge.save("deploy-window", "Deploy on Tuesdays only", category="rule").version
        1
        >>> hx.knowledge.save("I like green tea").key
        'like-green-tea'
        """
        if content is None:
            key, content = None, key
        given = {
            "category": category,
            "tags": tags,
            "source": source,
            "subject": subject,
            "thread": thread,
            "position": position,
            "pinned": pinned,
            "expires": expires,
            "relevance": relevance,
        }
        admitted = self._admit(key, content, given, said=said, redact=redact)
        return self._store(
            admitted, Origin.parse(origin, "origin"), session, own_only=own_only
        )

    def correct(self, key: str, content: str, **fields: Any) -> Knowledge:
        """Save the next version of an entry; a key that was made from its old text is
        made from the new one.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> hx.knowledge.correct(hx.knowledge.save("I live in Cork").key, "I live in Galway").key
        'live-galway'
        """
        old, entry = self.lookup(key), self.save(key, content, **fields)
        made = key_from(entry.content)
        if old is None or old.key != key_from(old.content) or old.key == made:
            return entry
        with self._workspace.change(actor=Origin.USER) as change:
            return (
                entry if change.get(self.layer, made) else _renamed(change, entry, made)
            )

    def list(self, *, deleted: bool = False) -> tuple[Knowledge, ...]:
        """Every entry, in the order of first saving; with ``deleted`` those that
        `delete` hid instead.
        """
        return tuple(self._records(hidden=deleted))

    def history(self, key: str) -> tuple[Version, ...]:
        """All versions under a key, newest first.

        >>> hx = Hexad.open(":memory:", enabled=True)
        >>> _ = hx.knowledge.save("editor", "vim"), hx.knowledge.save("editor", "emacs")
        >>> [version.content for version in hx.knowledge.history("editor")]
        ['emacs', 'vim']
        """
        entry = self.get(key)
        with self._workspace.reading() as view:
            versions = cast("Sequence[Version]", view.versions(self.layer, entry.key))
        return tuple(
            version for version in versions if version.version >= entry.first_version
        )

    def search(
        self, query: str, *, category: str | None = None, limit: int = 10
    ) -> tuple[Item, ...]:
        """The entries that match best, best first; pinned ones are not added."""
        wanted = (
            None if category is None else Category.parse(category, "category").value
        )
        return self._search(query, limit=limit, category=wanted)

    def similar(self, entry: Knowledge, *, limit: int = 3) -> tuple[Item, ...]:
        """Other entries that say nearly the same as this one, or contradict it.

        >>> hx = Hexad.open(":memory:", enabled=True, semantic=False)
        >>> _ = hx.knowledge.save("old", "Deploy on Tuesdays only")
        >>> [item.key for item in hx.knowledge.similar(hx.knowledge.save("Deploy on Thursdays only"))]
        ['old']
        """
        most = admission.whole("limit", limit, low=1)
        admission.instance("entry", entry, Knowledge, "an entry")
        found = [item for item in self.search(entry.content) if item.id != entry.key]
        return tuple(resembling(entry.content, found, self._workspace.similarity))[
            :most
        ]

    def pin(self, key: str, *, pinned: bool = True) -> Knowledge:
        """Put an entry into every retrieval of its layer and every prompt, or no
        longer.

        This is a person's word: what an agent, a tool or an import saved counts as the
        user's while it is pinned.
        """
        wanted = admission.flag("pinned", pinned)
        with self._workspace.change(actor=Origin.USER) as change:
            old = self._present(change, key)
            versions = cast(
                "Sequence[Version]", change.unit.versions(self.layer, old.key)
            )
            origin = Origin.USER if wanted or not versions else versions[0].origin
            if (old.pinned, old.origin) == (wanted, origin):
                return old
            new = replace(
                old, pinned=wanted, origin=origin, updated=self._workspace.clock()
            )
            new = replace(new, given_by=_given_by(old, new, change.session))
            change.put(new)
            change.audit("knowledge.pin" if wanted else "knowledge.unpin", new.key)
        return new

    def delete(self, id: str, *, origin: str = Origin.USER) -> None:
        """Hide an entry with all its versions; `undelete` brings it back, `forget`
        erases it.

        With another ``origin`` than the user only what an agent saved can be deleted;
        any other entry is `NotOwn`.
        """
        who = Origin.parse(origin, "origin")
        with self._workspace.change(actor=who) as change:
            entry = self._present(change, id)
            if who is not Origin.USER and not _is_an_agents(entry):
                raise NotOwn(entry.key)
            withdraw(change, lambda proposal: proposal.key == entry.key)
            change.put(replace(entry, deleted=self._workspace.clock()))
            change.audit("knowledge.delete", entry.key, {"version": entry.version})

    def undelete(self, key: str) -> Knowledge:
        """Bring back what `delete` hid, unless something was saved under its key since."""
        with self._workspace.change(actor=Origin.USER) as change:
            entry = cast(
                "Knowledge | None", change.get(self.layer, admission.key("key", key))
            )
            if entry is None or entry.deleted is None:
                raise NotFound(
                    f"deleted {self.layer.noun}", key, self._workspace.namespace
                )
            back = replace(entry, deleted=None)
            change.put(back)
            change.audit("knowledge.undelete", key, {"version": back.version})
        return back

    def forget(
        self,
        id: str | None = None,
        *,
        subject: str | None = None,
        session: str | None = None,
    ) -> Forgotten:
        """Erase an entry, all about a subject, or all that was said in a session; leave
        no bytes.

        Hidden entries and versions go too. It takes time linear in the database. What
        the audit log keeps is who forgot which key, never content.
        """
        ways = ((forget_key, id), (forget_subject, subject), (forget_session, session))
        named = [(way, value) for way, value in ways if value]
        if len(named) != 1:
            raise InvalidInput(
                "forget", "give exactly one of a key, subject= or session="
            )
        way, value = named[0]
        with self._workspace.change(actor=Origin.USER) as change:
            count = way(change, value)
            change.unit.scrub()
        return self._workspace.erase_traces(count)

    def _is_hidden(self, record: Knowledge) -> bool:
        return record.deleted is not None

    def _admit(
        self,
        key: str | None,
        content: str | None,
        given: dict[str, Any],
        *,
        said: str,
        redact: bool,
    ) -> dict[str, Any]:
        """The fields that were given, checked; an empty key is made from the content."""
        intake = admission.Intake(limit=self._workspace.max_text, redact=redact)
        name = "" if key is None else admission.key("key", key)
        words = intake.named(
            name, intake.text("content", content, required=True), prose=True
        )
        checked = {
            field: _CHECKS[field](field, value)
            for field, value in given.items()
            if value is not KEEP
        }
        if "source" in checked:
            checked["source"] = intake.text("source", checked["source"])
        return {
            "key": name,
            "content": words,
            "said": intake.text("said", said),
            **checked,
            **intake.notes,
        }

    def _store(
        self, given: dict[str, Any], who: Origin, session: str | None, *, own_only: bool
    ) -> Knowledge:
        with self._workspace.change(actor=who, session=session) as change:
            key = given["key"] or self._free_key(change, given["content"])
            old = cast("Knowledge | None", change.get(self.layer, key))
            new = self._merged(
                old, {**given, "key": old.key if old else key}, who, change.session
            )
            if new == old:
                return old
            if (
                own_only
                and old is not None
                and old.deleted is None
                and not _is_an_agents(old)
            ):
                raise NotOwn(old.key)
            change.take_slot("knowledge")
            change.put(new)
            appended = old is None or new.version != old.version
            if appended:
                change.unit.add_versions([version_of(new)])
            said: dict[str, Json] = {
                "version": new.version,
                "category": new.category.value,
            }
            size, kinds = len(new.content.encode()), list(new.redactions)
            action = "knowledge.save" if appended else "knowledge.update"
            change.audit(action, new.key, {**said, "bytes": size, "redacted": kinds})
        return new

    def _free_key(self, change: Change, content: str) -> str:
        """The key that is made from a text, with a number if another text has it."""
        held = (
            (key, cast("Knowledge | None", change.get(self.layer, key)))
            for key in numbered(key_from(content))
        )
        said = _ended(content)
        return next(
            key
            for key, entry in held
            if entry is None or entry.deleted or _ended(entry.content) == said
        )

    def _merged(
        self, old: Knowledge | None, given: dict[str, Any], origin: Origin, session: str
    ) -> Knowledge:
        now = self._workspace.clock()
        if old is None or old.deleted is not None:
            version = old.version + 1 if old else 1
            given |= {
                "version": version,
                "first_version": version,
                "created": now,
                "updated": now,
            }
            entry = Knowledge(origin=origin, session=session, **given)
            return replace(entry, given_by=_given_by(None, entry, session))
        if (
            old.expires is not None and old.expires <= now
        ):  # saving under an expired key clears its expiry
            given.setdefault("expires", None)
        if (
            given["content"] == old.content
        ):  # the secrets that were taken out are still not in it
            given["redactions"] = tuple(sorted({*old.redactions, *given["redactions"]}))
        elif (
            origin is not Origin.USER
        ):  # a pin belongs to its content: new content that is not the user's removes it
            given.setdefault("pinned", False)
        if given["content"] == old.content:
            given["said"] = old.said
        new = replace(old, **given)
        if (new.content, new.category) != (old.content, old.category):
            new = replace(new, version=old.version + 1, origin=origin, session=session)
        elif origin is Origin.USER:
            new = replace(
                new, origin=origin
            )  # who says it again stands by it; nobody else's word is weakened so
        return (
            new
            if new == old
            else replace(new, updated=now, given_by=_given_by(old, new, session))
        )


def _renamed(change: Change, entry: Knowledge, key: str) -> Knowledge:
    """The entry under another key, with its versions; proposals about the old one are
    withdrawn.
    """
    versions = cast("Sequence[Version]", change.unit.versions(entry.layer, entry.key))
    withdraw(change, lambda proposal: entry.key in {proposal.key, proposal.against})
    change.unit.remove_versions(entry.layer, entry.key)
    change.remove(entry.layer, entry.key)
    change.put(new := replace(entry, key=key))
    change.unit.add_versions(
        [replace(version, key=key) for version in reversed(versions)]
    )
    change.audit("knowledge.rename", key, {"from": entry.key})
    return new


def _ended(text: str) -> str:
    """A text without the sign that may end it, in any case and spacing."""
    return " ".join(text.casefold().split()).rstrip(" .!")


def _is_an_agents(entry: Knowledge) -> bool:
    """Whether an agent may change it: it saved the entry, and no person pinned it."""
    return entry.origin is Origin.AGENT and not entry.pinned


def _given_by(old: Knowledge | None, new: Knowledge, session: str) -> dict[str, str]:
    """Which session gave each field that is not its default: `forget` by session has to
    know.
    """
    before = {} if old is None else old.given_by
    changed = [
        name
        for name in GIVEN
        if old is None or getattr(old, name) != getattr(new, name)
    ]
    known = {**before, **dict.fromkeys(changed, session)}
    return {
        name: who
        for name, who in known.items()
        if who and getattr(new, name) != GIVEN[name]
    }


_CHECKS: dict[str, Callable[[str, Any], object]] = {
    "category": lambda field, value: Category.parse(value, field),
    "tags": admission.tags,
    "source": admission.text,
    "subject": admission.label,
    "thread": admission.label,
    "position": lambda field, value: (
        None if value is None else admission.whole(field, value, low=0)
    ),
    "pinned": admission.flag,
    "expires": admission.moment,
    "relevance": admission.number,
}


def version_of(entry: Knowledge) -> Version:
    """The version that an entry is."""
    return Version(
        **{name: getattr(entry, name) for name in VERSIONED}, created=entry.updated
    )
