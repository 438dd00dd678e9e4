"""The analyser: what a text is stored under, and what a question asks for."""

import re
import string
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.text import Word, terms, words
from tests.support import requirement

# Every code point, lone surrogates and control characters included.
ANY_TEXT = st.text(st.characters(exclude_categories=()))
# Texts that look like the ones people and agents write, with joints and openings at
# random places.
PIECES = st.sampled_from(
    re.split(
        " ",
        "the don't user's create_user HTTPServerError OAuth2 .env --long-flag C++ C# a 5 v2.0 std::vector é cafe\u0301 "
        "и́ Server der und nicht 배포는 앱을 部署 桜は デプロイ เซิร์ฟเวอร์ الإعدادات "
        "Серверы हिन्दी ' ' n't '' . -- / :: _ @ & + # = "
        "\x00 \ud800 \u200b \u0301 \u0640 İ ß ﬃ \ufdfa ½ 🚀",
    )
)
LIKELY_TEXT = st.lists(PIECES | st.just(" ")).map("".join)
TEXTS = ANY_TEXT | LIKELY_TEXT
ASCII_WORDS = st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=12)).map(
    " ".join
)


def surfaces(text: str) -> list[str]:
    return [word.surface for word in words(text)]


def finds(question: str, stored: str) -> bool:
    return not set(terms(question, asking=True)).isdisjoint(terms(stored))


# -- stop words ---------------------------------------------------------------------------------------------------


@requirement("KEY-01")
def test_a_sentence_keeps_the_words_that_carry_its_topic() -> None:
    assert surfaces("What is the best way to deploy our service on a Friday?") == [
        "best", "way", "deploy", "service", "friday",
    ]  # fmt: skip


@requirement("KEY-01")
@pytest.mark.parametrize(
    "text",
    [
        "what is it",
        "I'm",
        "don't",
        "What's",
        "they’ve",
        "can't we?",
        "THE",
        "it'll",
        "",
    ],
)
def test_a_text_of_stop_words_has_no_words(text: str) -> None:
    assert words(text) == ()


@requirement("KEY-01")
def test_possessives_and_contractions_are_reduced_to_their_word() -> None:
    assert surfaces("the user's token, the team’s and the users' choice") == [
        "user",
        "token",
        "team",
        "users",
        "choice",
    ]
    assert terms("user's") == terms("users") == terms("User")


@requirement("KEY-01")
@pytest.mark.parametrize(
    "word", ["go", "get", "set", "let", "use", "down", "none", "except", "need"]
)
def test_common_words_that_are_subjects_here_are_kept(word: str) -> None:
    assert surfaces(word) == [word]


# -- short words --------------------------------------------------------------------------------------------------


@requirement("KEY-02")
def test_two_characters_are_a_word_and_one_is_none() -> None:
    assert surfaces("Go x CI DB k8 R2 C y 5 42 é я") == [
        "go",
        "ci",
        "db",
        "k8",
        "r2",
        "42",
    ]


# -- punctuation --------------------------------------------------------------------------------------------------


@requirement("KEY-03")
@pytest.mark.parametrize(
    "term",
    ["c++", "c#", "f#", ".env", ".gitignore", "--long-flag", "node.js", "snake_case", "dotted.path", "e0382", "1.2.3",
     "v2.0", "config/settings.yaml", "std::vector", "kebab-case", "ann@example.com", "https://example.com/a/b", "r&d",
     "i/o", ".github/workflows", "src/__init__.py"],
)  # fmt: skip
@pytest.mark.parametrize(
    "frame",
    ["{}", "({}),", "“{}”", "see `{}`!", "**{}**;", "'{}'?", "<{}>", "{}:", "{}."],
)
def test_punctuation_that_belongs_to_a_term_stays_and_that_around_it_goes(
    term: str, frame: str
) -> None:
    found = words(frame.format(term))[-1]
    assert (found.surface, found.terms[0]) == (term, term)


@requirement("KEY-03")
def test_a_decorator_a_variable_and_a_hash_sign_are_known_by_their_name() -> None:
    assert surfaces("@decorator $HOME #1234 ~/.bashrc -v -rf") == [
        "decorator",
        "home",
        "1234",
        ".bashrc",
        "rf",
    ]


@requirement("KEY-03")
def test_a_dot_that_ends_a_sentence_or_calls_a_method_begins_no_name() -> None:
    assert surfaces("Wait...then open().read it. Next--and last") == [
        "wait",
        "open",
        "read",
        "next",
        "last",
    ]


@requirement("KEY-03")
def test_a_path_has_one_spelling_whichever_way_its_slashes_lean() -> None:
    assert terms(r"src\hexad\text") == terms("src/hexad/text")


@requirement("KEY-03")
@pytest.mark.parametrize(
    ("question", "stored"),
    [("C++", "we write C/C++ here"), ("settings.yaml", "edit config/settings.yaml"), ("2.0", "since v2.0"),
     ("env", "never commit .env"), ("verbose", "pass --verbose"), ("example.com", "mail ann@example.com")],
)  # fmt: skip
def test_what_is_inside_a_term_stays_searchable(question: str, stored: str) -> None:
    assert finds(question, stored)


# -- identifiers --------------------------------------------------------------------------------------------------


@requirement("KEY-04")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("create_user", ("create_user", "creat", "user")),
        ("HTTPServerError", ("httpservererror", "http", "server", "error")),
        ("deployFriday2", ("deployfriday2", "deployfriday", "deploy", "friday")),
        ("config/httpServer.yaml",
         ("config/httpserver.yaml", "config", "httpserver.yaml", "httpserver", "http", "server", "yaml")),
        ("std::vector", ("std::vector", "std", "vector")),
        ("is_a_user", ("is_a_user", "user")),
        ("URLs", ("url",)),
        ("userIDs", ("userids", "userid", "user", "id")),
        ("k8s", ("k8s",)),
    ],
)  # fmt: skip
def test_an_identifier_yields_itself_and_then_its_parts(
    name: str, expected: tuple[str, ...]
) -> None:
    assert words(name) == (Word(name.casefold(), expected),)


@requirement("KEY-04")
@pytest.mark.parametrize(
    ("question", "stored"),
    [("create user", "create_user"), ("creating users", "createUser"), ("server error", "HTTPServerError"),
     ("createUser", "create_user"), ("oauth", "OAuth2"), ("opentelemetry", "OpenTelemetry"), ("ios", "iOS"),
     ("oreilly", "O'Reilly"), ("Reilly", "O'Reilly")],
)  # fmt: skip
def test_an_identifier_is_found_by_its_parts_and_in_another_spelling(
    question: str, stored: str
) -> None:
    assert finds(question, stored)
    assert finds(stored, question)


@requirement("KEY-04")
def test_a_name_of_many_parts_yields_a_bounded_number_of_terms() -> None:
    (word,) = words(
        "_".join(f"{letter}aLong{letter}B" for letter in string.ascii_lowercase[:12])
    )
    assert len(word.terms) == 16


@requirement("KEY-04")
def test_a_hash_is_one_term_and_not_its_fragments() -> None:
    assert terms("da39a3ee5e6b4b0d3255bfef95601890afd80709") == (
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    )


# -- languages ----------------------------------------------------------------------------------------------------


@requirement("KEY-05")
@pytest.mark.parametrize(
    ("question", "stored"),
    [
        ("배포를 언제 하나요?", "배포는 금요일에 합니다"),
        ("앱은 어디에 있나요?", "앱을 스토어에 올린다"),
        ("Redis에서 캐시는?", "캐시를 Redis로 옮겼다"),
        ("什么时候部署服务器？", "我们每周五部署支付服务"),
        ("狗", "我家有一只狗和两只猫"),
        ("いつデプロイしますか？", "金曜日にはデプロイを行わない"),
        ("桜は？", "庭の桜が咲いた"),
        (
            "Wann werden die Datenbanken gesichert?",
            "Die Datenbank wird jeden Freitag gesichert",
        ),
        ("Wo ist der Schluessel?", "Den Schlüssel haben wir im Tresor"),
        ("متى يتم نشر الإعدادات؟", "إعدادات الخادم محفوظة"),
        ("والبيانات", "بيانات المستخدم"),
        ("เซิร์ฟเวอร์อยู่ที่ไหน", "เราปรับใช้เซิร์ฟเวอร์ทุกวันศุกร์"),
        ("Когда мы перезапускаем серверы?", "Перезапуск сервера по пятницам"),
        ("Πού είναι ο διακομιστής;", "Οι διακομιστές είναι στην Αθήνα"),
        ("Où est l'application ?", "Les applications sont dans le dossier"),
        ("¿Cómo cambio la configuración?", "Las configuraciones están en el servidor"),
        ("Dove sono gli utenti?", "Un utente della nostra azienda"),
        ("Quais são os servidores?", "O servidor não está em produção"),
        ("Welke gebruikers zijn er?", "De gebruiker heeft een sleutel nodig"),
        ("सर्वर कहाँ है", "हमारा सर्वर मुंबई में है"),
        ("Wann soll ich dich anrufen?", "Ruf mich um acht an."),
        ("Wann müssen wir abreisen?", "Am Freitag reisen wir ab, mit dem Zug."),
        ("¿Qué usamos para instalar?", "Usamos pnpm"),
        ("Where did I buy the car?", "I bought the car in Ulm"),
        ("What are my kids allergic to?", "Both children are allergic to nuts"),
    ],
)
def test_a_question_finds_what_was_stored_in_its_language(
    question: str, stored: str
) -> None:
    assert finds(question, stored)


@requirement("KEY-05")
@pytest.mark.parametrize(
    ("question", "stored"),
    [
        ("배포를 언제 하나요?", "캐시는 어디에 있나요"),
        ("什么时候部署？", "我们什么都没有"),
        ("いつデプロイしますか？", "猫が寝ています"),
        (
            "Wann wird die Datenbank gesichert?",
            "Der Drucker ist nicht an und wird laut",
        ),
        ("Когда мы перезапускаем серверы?", "Мы не были там, когда это было"),
    ],
)
def test_a_question_is_not_answered_by_its_function_words(
    question: str, stored: str
) -> None:
    assert not finds(question, stored)


@requirement("KEY-05")
def test_a_run_without_spaces_is_one_word_whose_terms_are_its_pairs() -> None:
    assert words("重启服务", asking=True) == (
        Word("重启服务", ("重启", "启服", "服务")),
    )
    assert words("重启", asking=False) == (Word("重启", ("重启", "重", "启")),)


@requirement("KEY-05")
def test_a_text_of_two_scripts_is_cut_where_the_script_changes() -> None:
    assert surfaces("iPhone充电 2024年 API를") == [
        "iphone",
        "充电",
        "2024",
        "年",
        "api",
    ]


@requirement("KEY-05")
def test_a_korean_noun_that_only_looks_as_if_it_had_a_particle_keeps_its_last_syllable() -> (
    None
):
    assert terms("국가") == ("국가",)
    assert "의도" in terms("의도")


@requirement("KEY-05")
@pytest.mark.parametrize(
    "spellings",
    [("café", "cafe", "CAFÉ", "cafe\u0301"), ("Straße", "STRASSE"), ("ёлка", "елка"), ("ＡＰＩ", "API"),
     ("ﬁle", "file"), ("مُحَمَّد", "محمد", "محـمد"), ("ﾃﾞｰﾀ", "データ"), ("co\u00adoperate", "cooperate"),
     ("배포", "\u1107\u1162\u1111\u1169"), ("İstanbul", "istanbul"), ("rate‑limit", "rate-limit"), ("Αθήνα", "ΑΘΗΝΑ")],
)  # fmt: skip
def test_spellings_that_read_the_same_are_the_same(spellings: tuple[str, ...]) -> None:
    assert len({terms(spelling) for spelling in spellings}) == 1


@requirement("KEY-05")
@pytest.mark.parametrize(
    "text",
    [
        "MIT license",
        "OS update",
        "DER certificate",
        "ps aux",
        "del statement",
        "Los Angeles",
    ],
)
def test_an_abbreviation_is_not_taken_for_a_foreign_function_word(text: str) -> None:
    assert len(words(text)) == 2


@requirement("KEY-05")
def test_a_text_taken_for_another_language_still_shares_its_english_stems() -> None:
    assert set(terms("deployments")) <= set(terms("Wir haben deployments nicht gerne"))


# -- any string ---------------------------------------------------------------------------------------------------


@requirement("KEY-06")
@given(TEXTS, st.booleans())
def test_any_string_gives_terms_that_an_index_can_hold(text: str, asking: bool) -> None:
    for term in terms(text, asking=asking):
        assert 1 <= len(term) <= 64
        assert not term.startswith("=")
        assert not any(unicodedata.category(character)[0] in "CZ" for character in term)
        assert term.split() == [term]


@requirement("KEY-06")
@given(TEXTS)
def test_a_text_is_found_by_its_own_words(text: str) -> None:
    assert set(terms(text, asking=True)) <= set(terms(text))


@requirement("KEY-06")
@given(ASCII_WORDS)
def test_plain_words_have_the_same_terms_in_any_case(text: str) -> None:
    assert terms(text.upper()) == terms(text) == terms(text.title())


@requirement("KEY-06")
@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_the_same_text_gives_the_same_terms_in_every_thread(texts: list[str]) -> None:
    expected = [terms(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(terms, texts * 4)) == expected * 4


@requirement("KEY-06")
@pytest.mark.parametrize(
    "separator",
    ["\x00", "\ud800", "\x07", "\x1b", "\u200b", "\u2028", "\ue000", "🚀", "=", "|"],
)
def test_control_characters_and_symbols_separate_words(separator: str) -> None:
    assert surfaces(f"alpha{separator}beta") == ["alpha", "beta"]


@requirement("KEY-03")
@given(
    st.from_regex(r"[A-Za-z][a-z]{1,46}[.,;:!?]{0,2}", fullmatch=True), st.booleans()
)
def test_a_plain_word_yields_the_same_by_the_short_way_as_by_the_long_one(
    word: str, asking: bool
) -> None:
    bracketed = f"({word})"  # brackets are no part of a word, and take the long way
    assert words(word, asking=asking) == words(bracketed, asking=asking)


@requirement("KEY-06")
@pytest.mark.parametrize(
    "unit", ["a", "a.", "ab/", "aB", "\ud800", "\u0301\u0323", "部", "배", "Ab1-"]
)
def test_a_long_text_of_anything_is_read_in_bounded_words(unit: str) -> None:
    assert all(len(word.surface) <= 128 for word in words(unit * 200_000))
