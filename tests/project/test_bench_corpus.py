"""The text that the benchmarks run on has the proportions of English."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from statistics import mean

from benchmarks.corpus import STOP_WORDS, Entry, entries, questions
from tests.support import requirement


def words(texts: list[str]) -> list[str]:
    return [word.strip(".?").lower() for text in texts for word in text.split()]


@requirement("STORE-02")
def test_the_same_seed_gives_the_same_text_and_another_seed_another() -> None:
    first = list(entries(700, seed=3))
    assert first == list(entries(700, seed=3))
    assert first != list(entries(700, seed=4))
    assert list(questions(50, 5, first)) == list(questions(50, 5, first))
    assert list(questions(50, 5, first)) != list(questions(50, 6, first))


@requirement("STORE-02")
def test_a_smaller_corpus_is_the_beginning_of_a_larger_one() -> None:
    assert list(entries(130, seed=3)) == list(islice(entries(1200, seed=3), 130))
    assert list(entries(620, seed=3)) == list(islice(entries(1200, seed=3), 620))


@requirement("STORE-02")
def test_an_entry_has_about_twenty_five_words_in_sentences_and_a_key_of_its_own() -> (
    None
):
    corpus = list(entries(2000, seed=1))
    lengths = [len(entry.content.split()) for entry in corpus]
    assert 12 <= min(lengths) < 16
    assert 35 < max(lengths) <= 40
    assert 24 <= mean(lengths) <= 26
    assert len({entry.key for entry in corpus}) == 2000
    assert all(
        entry.content.endswith(".") and not entry.content[0].islower()
        for entry in corpus
    )
    assert all(
        isinstance(entry, Entry) and entry.category and len(entry.tags) <= 3
        for entry in corpus
    )


@requirement("STORE-02")
def test_words_are_as_unequal_as_in_english() -> None:
    spoken = words([entry.content for entry in entries(4000, seed=1)])
    counts = Counter(spoken)
    ranked = [count for _, count in counts.most_common()]
    stop_words = sum(counts[word] for word in STOP_WORDS) / len(spoken)
    assert counts.most_common(1)[0][0] == "the"
    assert 0.03 < ranked[0] / len(spoken) < 0.08
    assert 0.38 < stop_words < 0.47
    # Ten times the rank is about a tenth of the count, and about half of the words are
    # said once or twice.
    assert 6 < ranked[19] / ranked[199] < 15
    assert 6 < ranked[199] / ranked[1999] < 15
    assert sum(1 for count in ranked if count <= 2) > len(ranked) / 3


@requirement("STORE-02")
def test_a_question_has_three_to_eight_words_and_one_to_four_of_them_from_an_entry() -> (
    None
):
    corpus = list(entries(300, seed=1))
    known = set(words([entry.content for entry in corpus]))
    asked = list(questions(1000, 2, corpus))
    assert {len(question.split()) for question in asked} == set(range(3, 9))
    assert all(
        question.endswith("?") and not question[0].islower() for question in asked
    )
    for question in asked:
        content = [
            word
            for word in words([question])
            if word in known and word not in STOP_WORDS
        ]
        assert 1 <= len(content) <= 5  # "tell me about" may bring a word of its own
