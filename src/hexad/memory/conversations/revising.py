"""Which entry of the user's a statement changes or contradicts: one about the same matter, with another value."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hexad.memory.conversations.judging import ALSO, Statement, bare, matter, statements
from hexad.memory.index.resemblance import resembling
from hexad.memory.keys import key_from
from hexad.model import Category, Item, Knowledge, Layer, Origin
from hexad.text import terms
from hexad.text.stopwords import STOPWORDS

if TYPE_CHECKING:
    from hexad.memory.knowledge import KnowledgeCollection
    from hexad.memory.workspace import Workspace

_NEWEST: Final = 1 << 62  # above the number of any row
_LATEST: Final = 500  # entries that are compared with a statement about a name, a home
_WORD: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_\u3040-\u30ff\u4e00-\u9fff]+")
_PREFERS: Final = re.compile(r"(?i)\b(?:prefer|bevorzug|préf[èé]r|prefier)|偏好|更喜欢|好みま|선호")

_FORBIDS: Final = re.compile(
    r"(?i)\b(?:never|not|don'?t|no|nie|niemals|nicht|kein\w*|jamais|pas|nunca)\b|不|别|ない|지 ?마|금지"
)
_JOINS: Final = re.compile(
    r"(?i)[,;，、；和]|\b(?:and|but|und|aber|sowie|et|mais|y|pero)\b|[とや](?!り)|(?<=\w)(?:와|과|하고) |고 "
)
_BESIDE: Final = re.compile(  # how somebody lives or works, and not where
    r"(?i)\b(?:from home|remote(?:ly)?|part[- ]time|full[- ]time|alone|together|with|on the list|im homeoffice"
    r"|von zu hause|teilzeit|vollzeit|allein|zusammen|mit|à la maison|en télétravail|seule?|avec|desde casa|sol[oa]"
    r"|con)\b"
)
_OTHERS: Final = re.compile(  # a sentence about somebody else
    r"我的?(?:老婆|妻子|太太|老公|丈夫|妈|爸|母亲|父亲|儿子|女儿|哥|姐|弟|妹|朋友|同事|男朋友|女朋友)"
    r"|(?!私|僕|俺|わたし|自分|うち|今|現在|これから|ずっと|最近|上司)[^、。]{1,8}?[はがも](?!う)"
    r"(?=.*(?:住|働|勤|ビーガン|ベジ|食べ))"
    r"|(?!저|나는|나도|난|이제|지금|현재|요즘)(?:(?:제|내|우리|저희) )?\S{1,6}(?:은|는|이|가|께서) "
    r"(?=.*(?:살|일해|일합|다녀|다닙|비건|채식))"
)

_ALTERNATIVES: Final = [  # words of which one rules out the others, where the rest of two sentences is about the same
    frozenset(group.split())
    for group in (
        "tabs tabulations tabulatoren tabuladores spaces leerzeichen espaces espacios 制表符 空格 タブ スペース 탭",
        "npm pnpm yarn bun",
        "tea coffee tee kaffee thé té café お茶 コーヒー 紅茶 茶 咖啡 차 커피",
        "metric imperial metrisch métrique métricas celsius fahrenheit",
        "camelcase snake_case kebab-case pascalcase",
        "postgres postgresql mysql mariadb sqlite",
        "github gitlab bitbucket",
        "windows macos mac linux ubuntu",
        "jest vitest mocha",
        "pytest unittest",
        "react vue angular svelte",
        "vim neovim emacs vscode",
        "poetry pipenv uv conda",
    )
]


def compared(
    said: Statement, knowledge: KnowledgeCollection, workspace: Workspace
) -> tuple[Statement, Knowledge | None]:
    """A statement, and the user's entry that it changes or contradicts.

    It still ``replaces`` that entry if the sentence says so and no other can be meant.
    """
    if said.expires:  # what holds for a time replaces nothing
        return replace(said, replaces=False), None
    if _OTHERS.match(said.content) or (said.slot and _BESIDE.search(said.content)):  # not the user's own value
        said = replace(said, slot=False, replaces=False, key=key_from(said.content))
    said, entry = _compared(said, knowledge, workspace)
    if entry is not None and said.replaces and _says_more(entry.content, said):
        said = replace(said, replaces=False)
    return said, entry


def _compared(
    said: Statement, knowledge: KnowledgeCollection, workspace: Workspace
) -> tuple[Statement, Knowledge | None]:
    if said.slot:
        held = _holders(said, knowledge, workspace)
        named = [each for each in held if matter(said.gone) & matter(each.content)]
        if named or not matter(said.gone) or not matter(said.content) <= matter(said.gone):
            return (said if len(named or held) == 1 else replace(said, replaces=False)), next(iter(named or held), None)
        said = replace(said, slot=False, key=key_from(said.content))  # only "no longer in Rome": the entry has Cork
    found = [each for each in knowledge.search(said.content) if each.origin is Origin.USER and not each.distance]
    sure, likely = _meant(said, found) if said.replaces else ([], [])
    alternatives = [each for each in found if _is_alternative(said, each)]
    whole = [each for each in alternatives if _is_alternative(said, each, whole=True)]
    if said.replaces and not sure and len(whole) == 1:  # "I prefer tea", then "I prefer coffee now"
        sure = whole
    if len(sure) != 1:
        added = said.replaces and said.category is Category.RULE  # from now on there is one rule more
        near = () if added else resembling(said.content, found, None)
        similar = [each for each in near if matter(each.content) & matter(said.content)]
        sure = [*sure, *likely, *similar, *alternatives]
        said = replace(said, replaces=False)
    return said, knowledge.get(sure[0].id) if sure else None


def _holders(said: Statement, knowledge: KnowledgeCollection, workspace: Workspace) -> list[Knowledge]:
    """The user's entries that state a value of what a statement is about: a name, a home."""
    kept = knowledge.lookup(said.key)
    if kept is not None and kept.origin is Origin.USER:
        return [kept]
    with workspace.reading() as view:
        newest = view.page(Layer.USER_KNOWLEDGE, before=_NEWEST, limit=_LATEST)
    own = [row.record for row in newest if isinstance(row.record, Knowledge) and row.record.deleted is None]
    stated = ((entry, each) for entry in own for each in statements(entry.content, entry.updated))
    held = (entry for entry, each in stated if each.slot and each.key == said.key and entry.origin is Origin.USER)
    return list({entry.key: entry for entry in held}.values())


def _says_more(content: str, said: Statement) -> bool:
    """Whether an entry says something else too, which would be lost, or names another thing than what is gone."""
    start = said.content.split(maxsplit=1)[0]  # it has a capital letter in any case
    names = [name for name in re.findall(r"(?<!\w)(?:[A-Z]\w+|\w*\d\w*)(?!\w)", said.gone) if name != start]
    rest = {*re.findall(r"(?<!\w)[a-zäöüßéèáíóúñç]{3,}(?!\w)", bare(content))} - STOPWORDS
    more = len(rest - {*re.findall(r"\w+", f"{said.content} {said.gone}".casefold())}) > 1
    return (
        more
        or bool(_JOINS.search(content))
        or any(re.search(rf"(?<!\w){name}(?!\w)", content) is None for name in names)
    )


def _meant(said: Statement, found: list[Item]) -> tuple[list[Item], list[Item]]:
    """The entries that a statement says are no longer true, and those that it may mean."""
    gone, about = matter(said.gone), matter(said.content)
    named = [each for each in found if gone and gone <= matter(each.content)]
    likely = [each for each in named if _same_verb(said, each)]
    if not named and not gone:
        likely = named = [each for each in found if all(_difference(said, each))]
    fitting = [each for each in likely if 2 * len(matter(each.content) - about) <= len(matter(each.content))]
    sure = [each for each in fitting if gone or _is_exclusive(said, each)]  # those that say little else
    return sure, [*likely, *named, *(each for each in found if matter(each.content) == about)]


def _rests(said: Statement, entry: Item) -> tuple[set[str], set[str]] | None:
    """The rests of a statement and an entry that name two things of which one can hold: "use tabs" and "use spaces"."""
    mine, theirs = (re.findall(r"[\w-]+", text) for text in (said.content, entry.content))
    for group in _ALTERNATIVES if not ALSO.search(said.content) else ():
        one, other = ({word.casefold() for word in words} & group for words in (mine, theirs))
        if one and other and not one & other:
            left, right = (" ".join(word for word in words if word.casefold() not in group) for words in (mine, theirs))
            return matter(left), matter(right)
    return None


def _is_alternative(said: Statement, entry: Item, *, whole: bool = False) -> bool:
    """Whether they contradict each other: they share a matter, or with ``whole`` all of it, and neither forbids."""
    rests = _rests(said, entry)
    if rests is None or (whole and any(map(_FORBIDS.search, (said.content, entry.content)))):
        return False
    return rests[0] == rests[1] or (not whole and not rests[0].isdisjoint(rests[1]))


def _same_verb(said: Statement, entry: Item) -> bool:
    """Whether both share a word beside what is gone, or one has none: not "pnpm instead of npm" and "I hate npm"."""
    mine, theirs = (set(terms(text)) for text in (said.content, entry.content))
    shared = (mine & theirs) - matter(said.gone)
    return bool(shared) or mine <= matter(said.content) or theirs <= matter(entry.content)


def _difference(said: Statement, entry: Item) -> tuple[list[str], list[str]]:
    """The words in which a statement and an entry of the same subject differ, if all of them carry a topic."""
    mine, theirs = (_WORD.findall(bare(text).casefold()) for text in (said.content, entry.content))
    new, old = [word for word in mine if word not in theirs], [word for word in theirs if word not in mine]
    starts = {tuple(_WORD.findall(bare(text, "now").casefold())[:2]) for text in (said.content, entry.content)}
    same = said.category is Category.RULE or len(starts) == 1
    comparable = same and matter(said.content) & matter(entry.content) and STOPWORDS.isdisjoint((*new, *old))
    return (new, old) if comparable else ([], [])


def _is_exclusive(said: Statement, entry: Item) -> bool:
    """Whether only one of two values can hold: of two numbers, or of what one prefers; one can use or like many."""
    numbers = all(re.search(r"\d", word) for words in _difference(said, entry) for word in words)
    return bool(said.gone or numbers or _PREFERS.search(said.content))
