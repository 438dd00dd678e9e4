"""Words to stems, in the language of their script and, for Latin, in the one the text
was found to be in.
"""

import re
import threading
from collections.abc import Callable

import Stemmer

from hexad.text.spelling import plain

# First and last character of the blocks that name a Snowball algorithm; what is in none
# of them is left unstemmed.
_BLOCKS = (
    ("\u0000", "\u024f", "english"),
    ("\u1e00", "\u1eff", "english"),
    ("\u0370", "\u03ff", "greek"),
    ("\u1f00", "\u1fff", "greek"),
    ("\u0400", "\u052f", "russian"),
    ("\u0600", "\u06ff", "arabic"),
    ("\u0750", "\u077f", "arabic"),
    ("\u0900", "\u097f", "hindi"),
)

# English words that the algorithm does not bring together, each found under the first
# of its group: relatives, irregular plurals and past tenses.
_SAME = """
    mother mum mom mummy mommy mums moms, father dad daddy dads, child kid kids children, grandmother grandma
    granny, grandfather grandpa granddad, husband hubby, wife wives, woman women, man men, foot feet, tooth teeth,
    knife knives, birthday bday, eat ate eaten, buy bought, bring brought, teach taught, catch caught, fight fought,
    drink drank, drive drove driven, fly flew flown, write wrote written, speak spoke spoken, break broke broken,
    choose chose chosen, wake woke, sleep slept, keep kept, meet met, pay paid, sell sold, send sent,
    spend spent, lend lent, build built, lose lost, win won, run ran, swim swam, sing sang sung, begin began begun,
    grow grew grown, know knew known, throw threw thrown, wear wore worn, steal stole stolen, ride rode ridden, give
    gave given, come came, become became, hold held, hear heard, feel felt, feed fed, lead led, hide hidden, fall
    fell fallen, forget forgot forgotten, make made, say said, find found, get got, take took taken, see saw seen,
    go went gone, leave left
"""
_FORMS = {
    form: first for first, *forms in map(str.split, _SAME.split(",")) for form in forms
}

_CONJUNCTION = re.compile("^[وف](?=ال|لل)")
_WITH_ARTICLE = ("ال", "لل", "بال", "كال")


class _Stemmers(threading.local):
    """A thread's own stemmers, made when first needed: a Snowball object keeps the word
    in work inside itself.
    """

    def __init__(self) -> None:
        self.made = dict[str, Callable[[str], str]]()

    def stem(self, algorithm: str, word: str) -> str:
        if algorithm not in self.made:
            # No cache inside (0): the callers' caches hold finished terms.
            self.made[algorithm] = Stemmer.Stemmer(algorithm, 0).stemWord
        return self.made[algorithm](word)


_STEMMERS = _Stemmers()


def stems(word: str, language: str | None) -> tuple[str, ...]:
    """The stem of a caseless `word` that has letters, then the one in `language` where
    it differs.

    The stem does not depend on `language`, so two texts share it even when only one of
    them was recognised. It is taken without accents (café is cafe), the other with
    them, since endings are recognised by their accents. An Arabic word may have two
    stems of its own.
    """
    bare = plain(word)
    algorithm = _algorithm(bare)
    if algorithm == "arabic":
        return _arabic_stems(bare)
    first = _stem(algorithm, bare)
    if language is None or algorithm != "english":
        return (first,)
    second = plain(_stem(language, word))
    return (first,) if second in {first, ""} else (first, second)


def _arabic_stems(word: str) -> tuple[str, ...]:
    """The stem as a noun, then as any word, where they differ.

    Snowball takes endings off a noun only when it sees the article: without it, data
    would not be found by the data.
    """
    bare = _CONJUNCTION.sub("", word)
    noun = bare if bare.startswith(_WITH_ARTICLE) else "ال" + bare
    return tuple(dict.fromkeys((_stem("arabic", noun), _stem("arabic", bare))))


def _algorithm(word: str) -> str | None:
    """By the first character beyond ASCII: a word of two scripts belongs to the rarer
    one.
    """
    if word.isascii():
        return "english"
    telling = next(character for character in word if character > "\x7f")
    return next(
        (name for first, last, name in _BLOCKS if first <= telling <= last), None
    )


def _stem(algorithm: str | None, word: str) -> str:
    if algorithm == "english":
        word = _FORMS.get(word, word)
    return (_STEMMERS.stem(algorithm, word) or word) if algorithm else word
