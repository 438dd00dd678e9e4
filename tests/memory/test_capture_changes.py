"""Sentences that change what an earlier one said: which of them replace it, stand
beside it, or ask a person.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support import opened, requirement

if TYPE_CHECKING:
    from hexad import Hexad

# The sentence that is known, the sentence that follows, and what becomes of it.
PAIRS = """
Always answer in English. | From now on answer in German instead. | replaces
My boss is Ruth. | My boss is Karl now, not Ruth. | replaces
I am vegetarian. | I am vegan now. | replaces
Always use npm. | From now on use pnpm instead of npm. | replaces
I live in Berlin. | I live in Hamburg now. | replaces
I work at Siemens. | I don't work at Siemens any more. | replaces
I am vegetarian. | I'm no longer vegetarian. | replaces
We use Postgres. | We now use MySQL instead of Postgres. | replaces
I prefer tabs. | I now prefer spaces instead of tabs. | replaces
Call me Bob. | Call me Robert from now on. | replaces
My favorite editor is Vim. | My favorite editor is now Emacs. | replaces
Never use emojis. | You can use emojis again from now on. | stays
I drink tea. | I now also drink coffee. | stays
I'm vegan and allergic to nuts. | I'm no longer vegan. | asks
I live in Berlin and I'm vegetarian. | I live in Rome now. | asks
We use Postgres and Redis. | We no longer use Redis. | stays
I'm allergic to nuts. | I'm no longer allergic to cats. | stays
I work at Google. | I now work from home on Fridays. | stays
I live in Berlin. | I now live with my girlfriend. | stays
We use Python. | We no longer use Python 2. | stays
Ich benutze Java. | Ich benutze JavaScript nicht mehr. | stays
Ich wohne in Berlin. | Ich wohne jetzt mit Anna zusammen. | stays
東京に住んでいます。 | 妹は今大阪に住んでいます。 | stays
저는 삼성에서 일해요. | 제 아내는 이제 LG에서 일해요. | stays
We use pnpm. | We now use Docker. | stays
I live in Berlin. | This week I'm in Paris. | stays
Always answer in English. | From now on use four spaces for indentation. | stays
My boss is Ruth. | My wife is Karla now. | stays
I am vegetarian. | I am a nurse now. | stays
My boss is Ruth. | My boss is Karl. | asks
I live in Berlin. | I live in Hamburg. | asks
Always reply in French. | Please reply in Spanish from now on, not French. | replaces
We use Jira. | We don't use Jira any more. | replaces
I prefer morning meetings. | I prefer afternoon meetings now. | replaces
Always use 2 spaces. | From now on use 4 spaces. | stays
My manager is Dana. | My manager is now Omar. | replaces
I work for Nokia. | I now work for Ericsson. | replaces
I live in Hamburg. | I no longer live in Berlin. | stays
I hate npm. | I now use Emacs. | stays
Never push to main. | From now on never push to release. | stays
I speak German. | I speak French now too. | stays
Always write commit messages in English. | From now on write commit messages in German. | stays
My wife is Julia. | My wife is Anna. | asks
I prefer tabs. | I prefer tea now. | stays
I prefer dark mode. | I prefer light mode now. | replaces
Always use tabs. | Use spaces from now on. | stays
I prefer dark mode. | I prefer coffee now. | stays
My wife prefers tea. | I prefer coffee now. | stays
Never push directly to GitHub. | We now push docs directly to GitLab. | stays
I never drink coffee after 6. | I drink tea now. | stays
We use tabs in Go code. | We now use spaces in Python code. | stays
I'm a vegan nurse from Porto. | I'm vegetarian now. | asks
I work at Google. | I'm working at Stripe now. | replaces
I prefer tea. | These days I prefer coffee. | stays
im vegan | I'm vegetarian now. | replaces
Our standup is at 9:30. | Our standup is at 10:15 now. | asks
Always run unittest. | From now on run pytest instead of unittest. | replaces
We deploy on Fridays. | We deploy on Thursdays now. | replaces
I like green tea. | I now like hiking. | stays
I am vegetarian. | I no longer eat fish because of the smell. | stays
I hate npm. | From now on always use pnpm instead of npm. | stays
We use Postgres. | We now use Docker with Redis. | stays
Call me Sam. | From now on call me Samantha. | replaces
I live in Oslo. | I live in Bergen. | asks
Antworte immer auf Englisch. | Antworte ab jetzt auf Deutsch. | asks
Meine Chefin ist Ruth. | Meine Chefin ist jetzt Karla, nicht mehr Ruth. | replaces
Ich bin Vegetarier. | Ich bin kein Vegetarier mehr. | replaces
Wir benutzen immer npm. | Ab sofort benutzen wir pnpm statt npm. | replaces
Ich wohne in Köln. | Ich wohne jetzt in Bonn. | replaces
Ich arbeite bei Bosch. | Ich arbeite nicht mehr bei Bosch, sondern bei Miele. | replaces
Nenn mich Alex. | Nenn mich ab jetzt Alexandra. | replaces
Ich trinke gern Tee. | Ich trinke jetzt auch gern Kaffee. | stays
Wir benutzen pnpm. | Wir benutzen jetzt Docker. | stays
Ich wohne in Köln. | Diese Woche bin ich in Paris. | stays
Antworte immer auf Englisch. | Schreib ab jetzt kurze Commit-Nachrichten. | stays
Ich wohne in Köln. | Ich wohne in Bonn. | asks
Ich benutze Vim. | Ich benutze Vim nicht mehr. | replaces
Ich bin Veganerin. | Ich bin nicht mehr vegan. | stays
Antworte immer auf Französisch. | Bitte antworte mir künftig auf Italienisch. | replaces
Ich arbeite bei Siemens. | Ich arbeite inzwischen bei Bosch. | replaces
Ich spreche Englisch. | Ich lerne jetzt Spanisch. | stays
Meine Schwester wohnt in Rom. | Mein Bruder wohnt jetzt in Rom. | stays
Réponds toujours en anglais. | Désormais, réponds en français. | replaces
Mon chef est Paul. | Mon chef est maintenant Marie, plus Paul. | replaces
Je suis végétarien. | Je ne suis plus végétarien. | replaces
J'habite à Lyon. | J'habite maintenant à Nantes. | replaces
Nous utilisons npm. | Nous utilisons maintenant pnpm au lieu de npm. | replaces
Appelle-moi Jean. | À partir de maintenant, appelle-moi Jeannot. | replaces
Je bois du thé. | Je bois maintenant aussi du café. | stays
Nous utilisons pnpm. | Nous utilisons maintenant Docker. | stays
J'habite à Lyon. | Cette semaine je suis à Paris. | stays
Nous utilisons Jenkins. | Nous n'utilisons plus Jenkins. | replaces
Je travaille chez Renault. | Je travaille désormais chez Peugeot. | replaces
Je suis végétarienne. | Je suis végane maintenant. | replaces
J'aime le jazz. | J'aime maintenant le rock aussi. | stays
Réponds toujours en anglais. | Désormais, utilise des listes à puces. | stays
Responde siempre en inglés. | A partir de ahora responde en español. | replaces
Mi jefa es Ana. | Mi jefe es ahora Luis, ya no Ana. | stays
Soy vegetariano. | Ya no soy vegetariano. | replaces
Vivo en Madrid. | Ahora vivo en Sevilla. | replaces
Usamos npm. | Ahora usamos pnpm en vez de npm. | replaces
Llámame Pepe. | De ahora en adelante llámame José. | replaces
Bebo té. | Ahora también bebo café. | stays
Usamos pnpm. | Ahora usamos Docker. | stays
Vivo en Madrid. | Esta semana estoy en París. | stays
Trabajo en Telefónica. | Ahora trabajo en Vodafone. | replaces
Uso Vim. | Ya no uso Vim. | replaces
Soy vegano. | Ahora soy vegetariano. | replaces
Me gusta el té. | Ahora me gusta también el café. | stays
Vivo en Madrid. | Ya no vivo en Sevilla. | stays
我是素食者。 | 我不再吃素了。 | stays
请始终用英文回答。 | 从现在起请用中文回答。 | replaces
我住在北京。 | 我现在住在上海。 | replaces
我的老板是王强。 | 我的老板现在是李娜,不是王强了。 | stays
我们用npm。 | 我们现在改用pnpm,不用npm了。 | stays
叫我小明。 | 以后叫我明哥。 | replaces
我喜欢喝茶。 | 我现在也喜欢喝咖啡。 | stays
我们用pnpm。 | 我们现在用Docker。 | stays
我住在北京。 | 这周我在巴黎。 | stays
我在腾讯工作。 | 我现在在阿里巴巴工作。 | replaces
我用Vim。 | 我不再用Vim了。 | stays
请一律用英语回复。 | 以后请用日语回复,不要用英语。 | replaces
我住在上海。 | 我不再住在北京了。 | stays
我喜欢爵士乐。 | 我现在喜欢爬山。 | stays
私はベジタリアンです。 | 私はもうベジタリアンではありません。 | stays
いつも英語で答えてください。 | これからは日本語で答えてください。 | replaces
私は東京に住んでいます。 | 今は大阪に住んでいます。 | replaces
私の上司は田中さんです。 | 私の上司は今は佐藤さんです。 | asks
私たちはnpmを使っています。 | 今はnpmの代わりにpnpmを使っています。 | stays
私は紅茶が好きです。 | 今はコーヒーも好きです。 | stays
私たちはpnpmを使っています。 | 私たちは今Dockerを使っています。 | stays
私は東京に住んでいます。 | 今週はパリにいます。 | stays
私はソニーで働いています。 | 今は任天堂で働いています。 | replaces
必ず英語で回答してください。 | 今後は日本語で回答してください。 | replaces
私はVimを使っています。 | もうVimは使っていません。 | stays
私は猫が好きです。 | 今は犬も好きです。 | stays
저는 채식주의자예요. | 저는 이제 채식주의자가 아니에요. | stays
항상 영어로 대답해 주세요. | 앞으로는 한국어로 대답해 주세요. | replaces
저는 서울에 살아요. | 저는 이제 부산에 살아요. | replaces
제 상사는 김민수예요. | 제 상사는 이제 이영희예요. | replaces
우리는 npm을 사용해요. | 우리는 이제 npm 대신 pnpm을 사용해요. | replaces
저는 차를 좋아해요. | 저는 이제 커피도 좋아해요. | stays
우리는 pnpm을 사용해요. | 우리는 이제 Docker를 사용해요. | stays
저는 서울에 살아요. | 이번 주에는 파리에 있어요. | stays
저는 네이버에서 일해요. | 저는 이제 카카오에서 일해요. | replaces
저는 Vim을 사용해요. | 저는 더 이상 Vim을 사용하지 않아요. | replaces
항상 영어로 답변해 주세요. | 이제부터는 한국어로 답변해 주세요. | replaces
저는 부산에 살아요. | 저는 더 이상 서울에 살지 않아요. | stays
저는 재즈를 좋아해요. | 저는 이제 록도 좋아해요. | stays
Always use tabs. | Always use spaces. | asks
I prefer tea. | I prefer coffee now. | stays
Ich bevorzuge Tee. | Ich bevorzuge jetzt Kaffee. | replaces
I am vegetarian. | I'm vegetarian. | stays
We use npm. | We use pnpm. | asks
Verwende immer Tabs. | Verwende immer Leerzeichen. | asks
Always use tabs. | Always use type hints. | asks
We use Jest for the shop. | We use Vitest for the blog. | stays
"""
CASES = [
    tuple(part.strip() for part in line.split("|"))
    for line in PAIRS.strip().splitlines()
]


def say(hx: Hexad, text: str) -> None:
    hx.capture([{"role": "user", "content": text}], typed=True)


def became(hx: Hexad, known: str) -> str:
    live = {entry.content for entry in hx.knowledge.list()}
    asked = any(proposal.against for proposal in hx.proposals.list())
    return "replaces" if known not in live else "asks" if asked else "stays"


@requirement("CAP-01", "SAVE-04")
@pytest.mark.parametrize(("known", "then", "verdict"), CASES)
def test_a_sentence_replaces_what_it_says_is_no_longer_true_and_nothing_else(
    known: str, then: str, verdict: str
) -> None:
    with opened(":memory:") as hx:
        hx.knowledge.save(known)
        say(hx, then)
        assert became(hx, known) == verdict
        if verdict == "replaces":
            (entry,) = hx.knowledge.list()
            assert entry.content.casefold() in then.casefold()  # without "please"
            assert [version.content for version in hx.knowledge.history(entry.key)] == [
                entry.content,
                known,
            ]


@requirement("CAP-01", "SAVE-04")
@pytest.mark.parametrize(
    ("then", "replaced"),
    [
        ("I no longer live in Rome.", "I live in Rome."),
        ("My boss is Karl now, not Ruth.", "My boss is Ruth."),
        ("We don't use npm any more.", "We use npm."),
        ("I prefer light mode now.", "I prefer dark mode."),
        (
            "From now on use 4 spaces.",
            "",
        ),  # a rule is told first; the older one stands beside it
        ("I live in Turin now.", ""),  # which of the two homes is over?
        ("We now use Docker.", ""),
        ("My brother lives in Oslo now.", ""),
    ],
)
def test_among_many_entries_the_one_that_is_meant_is_replaced(
    then: str, replaced: str
) -> None:
    with opened(":memory:") as hx:
        for known in KNOWN:
            hx.knowledge.save(known)
        say(hx, then)
        live = {entry.content for entry in hx.knowledge.list()}
        assert [known for known in KNOWN if known not in live] == [replaced] * bool(
            replaced
        )


KNOWN = (
    "I live in Rome.",
    "I live in Cork with my sister.",
    "My boss is Ruth.",
    "My manager is Dana.",
    "We use npm.",
    "I hate npm.",
    "We use Postgres.",
    "I prefer dark mode.",
    "I prefer tabs.",
    "Always use 2 spaces.",
    "Always use type hints.",
    "My sister lives in Oslo.",
)
