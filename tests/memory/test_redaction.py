"""Secrets are taken out of a text, and plain English is left alone.

No example is a real key. Each is put together when the tests run, so that no scanner
finds one in the repository.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexad.memory.redaction import redact
from hexad.memory.redaction.secrets import spans_of
from tests.memory.secret_cases import harmless_of, secrets_of
from tests.support import opened, requirement

if TYPE_CHECKING:
    from pathlib import Path

    from hexad import Hexad

MIXED = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6"
HEX = "0123456789abcdef" * 4
LINE = "MII" + MIXED + "fake"
HUNTER = "hunter" + "22"


def pem(name: str, body: str, *, end: bool = True) -> str:
    dashes = "-" * 5
    tail = f"\n{dashes}END {name}{dashes}" if end else ""
    return f"{dashes}BEGIN {name}{dashes}\n{body}{tail}"


SHAPES = [
    ("aws-access-key", "AKI" + "A" + "FAKE0FAKE0FAKE0F"),
    ("aws-access-key", "ASI" + "A" + "FAKE0FAKE0FAKE0F"),
    *(("github-token", f"gh{letter}" + "_" + MIXED[:36]) for letter in "pousr"),
    ("github-token", "github" + "_pat_" + MIXED[:22] + "_" + MIXED),
    ("gitlab-token", "glpat" + "-" + MIXED[:20]),
    *(
        ("slack-token", f"xox{letter}" + "-1234567890-" + MIXED[:24])
        for letter in "abprs"
    ),
    ("google-api-key", "AIz" + "a" + MIXED[:35]),
    ("google-oauth-token", "ya29" + "." + MIXED),
    ("openai-key", "sk" + "-" + MIXED[:48]),
    ("openai-key", "sk" + "-proj-" + MIXED[:48]),
    ("anthropic-key", "sk" + "-ant-api03-" + MIXED),
    ("stripe-key", "sk" + "_live_" + MIXED[:24]),
    ("stripe-key", "rk" + "_live_" + MIXED[:24]),
    ("stripe-key", "sk" + "_test_" + MIXED[:24]),
    ("npm-token", "npm" + "_" + MIXED[:36]),
    ("pypi-token", "pypi" + "-AgEI" + MIXED),
    ("huggingface-token", "hf" + "_" + MIXED[:34]),
    ("sendgrid-key", "SG" + "." + MIXED[:22] + "." + MIXED[:43]),
    ("twilio-key", "SK" + HEX[:32]),
    ("telegram-token", "123456789" + ":AA" + MIXED[:33]),
    ("discord-token", "M" + MIXED[:23] + "." + MIXED[:6] + "." + MIXED[:38]),
    ("digitalocean-token", "dop" + "_v1_" + HEX),
    ("shopify-token", "shpat" + "_" + HEX[:32]),
    ("vault-token", "hvs" + "." + MIXED[:30]),
    ("jwt", "eyJ" + MIXED[:20] + ".eyJ" + MIXED[:30] + "." + MIXED[:43]),
    ("private-key", pem("PRIVATE KEY", LINE)),
    ("private-key", pem("RSA PRIVATE KEY", f"{LINE}\n{LINE}\nAbc=")),
    ("private-key", pem("OPENSSH PRIVATE KEY", f"{LINE}\\n{LINE}")),
    ("private-key", pem("RSA PRIVATE KEY", f"{LINE}\n{LINE}", end=False)),
]

# Each with the place of the secret as {}.
PLACES = [
    ("password", "password = {}"),
    ("password", "password={}"),
    ("password", "password: {}"),
    ("password", "Passwd:{}"),
    ("password", "my password is {}"),
    ("password", "My password is now {}."),
    ("password", "The password for the staging database is {}, ask Ana."),
    ("password", "password (staging): {}"),
    ("password", "they set the password to {} and it is fine now"),
    ("password", "**Password:** {}"),
    ("password", "the password is `{}`"),
    ("password", "DB_PASSWORD='{}'"),
    ("password", "export DB_PASS={}"),
    ("password", 'dbPassword: "{}"'),
    ("password", '{{"user": "bob", "password": "{}"}}'),
    ("password", r"{{\"password\": \"{}\"}}"),
    ("password", 'config["password"] = "{}"'),
    ("password", 'password: str = "{}"'),
    ("password", "<password>{}</password>"),
    ("password", "Server=db;Password={};Database=app"),
    ("password", "mysql --password {} app"),
    ("password", "CREATE USER bob WITH PASSWORD '{}'"),
    ("password", "curl -u bob:{} https://host/path"),
    ("password", "pwd={}"),
    ("token", "--token={}"),
    ("token", "deploy --token {}"),
    ("token", "https://host/path?token={}&page=2"),
    ("token", "refresh_token: '{}'"),
    ("secret", "client_secret = {}"),
    ("secret", 'clientSecret: "{}"'),
    ("api-key", '"api_key": "{}"'),
    ("api-key", "APIKEY={}"),
    ("api-key", "X-Api-Key: '{}'"),
    ("access-key", "access_key={}"),
    ("private-key", "private_key = '{}'"),
    ("url-password", "https://bob:{}@host.example/path"),
    ("url-password", "postgresql+asyncpg://bob:{}@db:5432/app?ssl=on"),
    ("url-password", "redis://:{}@cache:6379/0"),
    ("bearer-token", "Authorization: Bearer {}"),
    ("bearer-token", "-H 'authorization: bearer {}'"),
    ("basic-auth", '"Authorization": "Basic {}"'),
]

PLAIN = [
    "the password policy is strict",
    "reset your password: see the wiki",
    "token: see docs",
    "auth: password",
    "auth=SessionBased",
    "the module auth: authentication, authorisation",
    '{"auth": "Kerberos", "auth": "AccessToken"}',
    "the secret is to deploy on Tuesdays",
    "api_key: required",
    "password is required",
    '"password": "required"',
    "token budget is 2000",
    "token: 128000",
    "max_tokens=100000",
    "Use request 550e8400-e29b-41d4-a716-446655440000 to trace it",
    "fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8",
    f"the archive's sha256 is {HEX}",
    "the logo is iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "/usr/local/lib/python3.11/site-packages/hexad/memory/redaction.py",
    'secret = os.environ["X"]',
    "password=${DB_PASSWORD}",
    "API_KEY=${API_KEY:?missing}",
    f"cache key: node-Linux-x64-npm-{HEX}",
    f"PublicKey = {MIXED[:43]}=",
    "access key: Alt+Shift+K",
    "password: {{ vault_db_password_1 }}",
    "token: ${{ secrets.DEPLOY_TOKEN_2 }}",
    "--password $PASSWORD1",
    "token: <your-token>",
    "token: YOUR_TOKEN_123",
    "password: ********",
    "api_key=None",
    "token: Optional[str] = None",
    "def login(user: str, password: str) -> Token:",
    "login(user, password=user_password)",
    "token = response.json()['access_token']",
    "api_key = settings.OPENAI_API_KEY_2",
    "password = getpass.getpass()",
    "PWD=/home/bob/work2",
    "private key: ~/.ssh/id_ed25519",
    "private_key: server2.pem",
    "the token is base64-encoded",
    "the password is sha256-hashed",
    "the secret is Python3",
    "the token is 24-hour valid",
    "password: 2024-01-15",
    "token: https://docs.host/v2/tokens",
    "use --token to sign in",
    "set the token to expire after 24h",
    '"password": "The password of the user"',
    "Authorization: Bearer <token>",
    "Authorization: Basic authentication",
    "Bearer authentication is the default",
    "http://localhost:8080/users/@bob",
    "https://bob:${PASSWORD}@host/path",
    "git@github.com:hexad/hexad.git",
    "sk-folding-cube-wrapper-element",
    "-----BEGIN PRIVATE KEY----- is how such a file starts",
    "",
]


@requirement("CONF-04")
@pytest.mark.parametrize(("kind", "secret"), SHAPES)
def test_a_key_with_a_published_shape_is_redacted_wherever_it_stands(
    kind: str, secret: str
) -> None:
    for before, after in (
        ("", ""),
        ("use ", " for the build"),
        ('{"value":"', '"}'),
        ("(", ")"),
        ("see:\n", "\n"),
    ):
        redacted = redact(before + secret + after)
        assert redacted.text == f"{before}[redacted:{kind}]{after}"
        assert redacted.kinds == (kind,)


@requirement("CONF-04")
@pytest.mark.parametrize(("kind", "place"), PLACES)
@pytest.mark.parametrize(
    "secret", [HUNTER, "Tr0ub4dor" + "_xyz-3", "pl7vQ" + "zW3kX9mB2nR"]
)
def test_a_value_that_a_naming_word_points_to_is_redacted_and_the_rest_stays(
    kind: str, place: str, secret: str
) -> None:
    redacted = redact(place.format(secret))
    assert redacted.text == place.format(f"[redacted:{kind}]")
    assert redacted.kinds == (kind,)


@requirement("CONF-04")
@pytest.mark.parametrize("text", PLAIN)
def test_plain_english_code_and_placeholders_come_back_as_the_same_object(
    text: str,
) -> None:
    redacted = redact(text)
    assert redacted.text is text
    assert redacted.kinds == ()


@requirement("CONF-04")
@pytest.mark.parametrize(
    "text",
    ["password = swordfish", '"password": "swordfish"', "passwd='correct-horse'"],
)
def test_a_plain_word_is_a_password_only_where_nobody_writes_prose(text: str) -> None:
    assert redact(text).kinds == ("password",)
    assert redact("the password is swordfish").kinds == ()
    assert redact("token = swordfish").kinds == ()


@requirement("CONF-04")
@pytest.mark.parametrize(
    ("kind", "before", "secret"),
    [
        (
            "key",
            "key: ",
            "prod-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        ),
        ("password", "password: ", "alt+Tr0ub4dor&33x"),
        ("token", "token: ", "ctrl+9f86d081884c7d65Qz9"),
    ],
)
def test_the_look_of_a_caches_key_or_a_keyboard_shortcut_saves_no_secret(
    kind: str, before: str, secret: str
) -> None:
    assert redact(before + secret).text == f"{before}[redacted:{kind}]"


@requirement("CONF-04")
def test_an_aws_secret_key_is_known_by_its_name_although_its_slashes_look_like_a_path() -> (
    None
):
    secret = "wFak/FakeFAKE/fakeFAKEfake/" + "FAKEfakeFAKE+"
    assert len(secret) == 40
    for name in ("AWS_SECRET_ACCESS_KEY", "aws_secret_access_key", "SecretAccessKey"):
        assert (
            redact(f"{name} = {secret}").text == f"{name} = [redacted:aws-secret-key]"
        )


@requirement("CONF-04")
def test_a_webhook_keeps_its_host_and_loses_its_path() -> None:
    path = "T00000000" + "/B00000000/" + MIXED[:24]
    redacted = redact(f"post to https://hooks.slack.com/services/{path} please")
    assert (
        redacted.text
        == "post to https://hooks.slack.com/services/[redacted:slack-webhook] please"
    )


@requirement("CONF-04")
def test_an_at_sign_in_a_url_password_does_not_save_its_tail() -> None:
    assert (
        redact("amqp://bob:p@rt@host/x").text
        == "amqp://bob:[redacted:url-password]@host/x"
    )


@requirement("CONF-04")
def test_a_key_that_is_also_assigned_is_named_by_its_shape_and_reported_once() -> None:
    redacted = redact(
        "token = ghp_" + MIXED[:36] + "\npassword = " + HUNTER + "\npwd: " + HUNTER
    )
    assert (
        redacted.text
        == "token = [redacted:github-token]\npassword = [redacted:password]\npwd: [redacted:password]"
    )
    assert redacted.kinds == ("github-token", "password")


FRAGMENTS = st.sampled_from(
    [
        *(secret for _, secret in SHAPES),
        *(place.split("{}", maxsplit=1)[0] for _, place in PLACES),
        *PLAIN,
        *(
            "[redacted:password]",
            "[redacted:",
            "]",
            "=",
            ": ",
            " is ",
            " to ",
            '"',
            "'",
            "`",
            "\\",
            "@",
            "/",
            "://",
            "\n",
        ),
        *(
            " ",
            "--token ",
            HUNTER,
            MIXED,
            "a",
            "é",
            "swordfish",
            "-----",
            "curl -u a:",
            ";x=",
            ",",
            "&b=",
        ),
    ]
)


@requirement("CONF-04")
@given(st.lists(FRAGMENTS | st.text(max_size=6), max_size=12).map("".join))
def test_redacting_what_was_redacted_changes_and_reports_nothing(text: str) -> None:
    once = redact(text)
    twice = redact(once.text)
    assert twice.text is once.text
    assert twice.kinds == ()


@requirement("CONF-04")
@given(st.lists(FRAGMENTS | st.text(max_size=6), max_size=12).map("".join))
def test_every_kind_reported_stands_in_the_text_and_nothing_reported_means_nothing_changed(
    text: str,
) -> None:
    redacted = redact(text)
    assert list(redacted.kinds) == sorted(set(redacted.kinds))
    assert set(redacted.kinds) <= set(
        re.findall(r"\[redacted:([a-z-]+)\]", redacted.text)
    )
    assert bool(redacted.kinds) == (redacted.text is not text)


@requirement("CONF-04")
@given(st.sampled_from(SHAPES), st.text(max_size=30), st.text(max_size=30))
def test_no_surrounding_text_lets_a_shaped_key_through(
    shape: tuple[str, str], before: str, after: str
) -> None:
    _, secret = shape
    assert secret not in redact(f"{before} {secret} {after}").text


@requirement("CONF-04")
@pytest.mark.parametrize(
    "unit",
    [
        *(
            "password=",
            "password for ",
            'password="',
            "password='\\",
            "token: a[",
            "api_key:api_key=",
            "secret is to ",
        ),
        *(
            "-eyJ",
            "eyJ-",
            "SG.",
            "SG-",
            "sk-",
            "://a:",
            "://a:b@",
            "@",
            "-----BEGIN PRIVATE KEY-----",
            "bearer ",
        ),
        *(
            "shpat" + "_" + HEX[:32],
            "SG" + "." + MIXED[:22] + "." + MIXED[:43],
            "authorization: bearer ",
            "curl -u a:",
            "[redacted:",
            "-",
            "a",
            "\\",
            " ",
            "é",
            f"password={HUNTER}",
        ),
    ],
)
def test_half_a_megabyte_of_half_a_secret_is_got_through(unit: str) -> None:
    # No clock is asserted: with a quadratic pattern these run for many minutes, and
    # that is noticed.
    text = unit * (500_000 // len(unit))
    redact(text)


@requirement("CONF-04")
def test_most_secrets_of_an_unseen_set_are_redacted_and_no_harmless_text_is_changed() -> (
    None
):
    found = [
        secret not in redact(text).text for text, secret in secrets_of("unseen.txt")
    ]
    assert len(found) >= 140
    assert sum(found) / len(found) >= 0.95
    assert [
        text for text in harmless_of("harmless.txt") if redact(text).text != text
    ] == []


def channels(hx: Hexad, text: str, folder: Path) -> None:
    """Bring a text in by every way that there is."""
    hx.knowledge.save("entry", text)
    hx.learnings.save(trigger="tool:x", error_pattern=text, fix=text)
    hx.references.save(
        "page", location="https://example.com", summary=text, metadata={"note": text}
    )
    hx.skills.create(
        "skill", kind="instruction", description=text, definition={"text": text}
    )
    (folder / "theirs.jsonl").write_text(
        json.dumps({"type": "knowledge", "key": "theirs", "content": text})
    )
    hx.import_file(folder / "theirs.jsonl")
    hx.observe(
        tool="argument",
        args={"x": text, "y": {"z": [text]}},
        result={"ok": text},
        session="s",
    )
    hx.observe(tool="error", args={"x": text}, error=ValueError(text), session="s")
    hx.observe(tool="result", args={}, result={"error": text}, session="s")


@requirement("CONF-04")
def test_the_quick_look_passes_over_nothing_that_a_detector_finds() -> None:
    said = [
        "args=('root', 'Xk29fjQ1pR8!')",
        "define('MY_SALT', 'a1b2c3d4!')",
        "令牌: ab12cd34ef56gh78",
        "토큰: ab12cd34ef56gh78",
        "db:5432:shop:ann:ab12345!",
        "The gate code for the garden is 4711",
        "the alarm code of the office: 8812",
        "7z x -pHunter2024! a.7z",
    ]
    texts = (
        [text for text, _ in secrets_of("unseen.txt")]
        + harmless_of("harmless.txt")
        + said
    )
    found = [text for text in texts if spans_of(text, accounts=True)]
    assert set(said) <= set(found)
    assert [text for text in found if not redact(text, accounts=True).kinds] == []


@requirement("CONF-04")
def test_no_channel_lets_a_secret_through(tmp_path: Path) -> None:
    known = [
        (text, secret)
        for text, secret in secrets_of("unseen.txt")
        if secret not in redact(text).text
    ]
    long = [
        each for each in known if len(each[1]) >= 8
    ]  # a PIN can stand in a hash or a time by chance
    for place, (text, secret) in enumerate(long[::30]):
        with opened(tmp_path / f"{place}.db") as hx:
            channels(hx, text, tmp_path)
            hx.backup(tmp_path / "all.jsonl")
        assert secret not in (tmp_path / "all.jsonl").read_text(encoding="utf-8")


@requirement("CONF-04")
@pytest.mark.parametrize(
    ("before", "secret", "after"),
    [
        ("密码是 ", "Xiong-mao77!", ""),
        ("パスワードは ", "Sakura-4417!", " です"),
        ("mailgun ", "key-p7hdhjrskjueo07rvlia2gplrdjgvjoy", ""),
        ("pay to ", "NL43ABNA4135289236", " today"),
        ('{"auths":{"ghcr.io":{"auth":"', "Ym9iOmh1bnRlcjI=", '"}}}'),
        ("auth: ", "Y2k6R3JhbmF0", ""),
        ("_auth=", "Ym9iOmh1bnRlcjI=", "\nalways-auth=true"),
        ("The PIN is ", "4821", "."),
        ("Your verification code is ", "739204", ". It expires soon."),
        ("requirepass ", "Mapl3_Syrup", ""),
        ("POSTGRES_PASSWORD=", "Ket7le.Blue", ""),
        ("mysql -h db '-p", "Tarn!Beck4", "' -e 'select 1'"),
        ("sshpass -p '", "let me in 42", "' ssh root@host"),
        ("subprocess.run(['mysql', '-uroot', '-p", "S3same0pen", "', 'shop'])"),
        ("define( 'DB_PASSWORD', '", "wp_Tulpe_92", "' );"),
        ("Voici le mot de passe wifi : ", "Camembert-12", ""),
        ("mail max@web.de pw ", "Binge4life", ""),
        (
            "The initial admin password:\n\n",
            "6a0177895b85191b" + "3f7305a0ef3151c5",
            "\n",
        ),
        (
            "using secret key ",
            "QjM/aiizRXgZM4+xUXbz4lVt" + "yQFkLTVJp8Rd42rv",
            " for the bucket",
        ),
        ("PIN entered: ", "7391", " -> rejected"),
        ("otp=", "482913", " was sent"),
        ("Die PIN für die Karte ist ", "4827", "."),
        ("Ihr Bestätigungscode lautet: ", "448120", ""),
        ("Votre code de vérification est ", "903311", ""),
        ("인증번호는 ", "381920", " 입니다"),
        (
            "Recovery phrase\n1. ",
            "obvious 2. rack 3. cabin 4. foam 5. tent 6. tail 7. echo 8. rule 9. sunny 10. doctor 11. april 12. gauge",
            "",
        ),
    ],
)
def test_blanks_dots_quotes_and_short_numbers_do_not_save_a_secret(
    before: str, secret: str, after: str
) -> None:
    found = redact(before + secret + after, accounts=True)
    assert found.text == f"{before}[redacted:{found.kinds[0]}]{after}"


@requirement("CONF-04")
def test_an_account_number_is_taken_out_of_tool_calls_and_stays_in_what_a_user_saves(
    hx: Hexad,
) -> None:
    iban = "DE89 3704 0044 0532 0130 00"
    assert (
        hx.knowledge.save("iban", f"Our IBAN is {iban}").content
        == f"Our IBAN is {iban}"
    )
    hx.observe(tool="pay", args={"note": f"to {iban}"}, error=f"cannot pay {iban}")
    (learning,) = hx.learnings.list(noticed=True)
    assert "DE89" not in f"{learning} {hx.audit.records()}"
    assert redact("DE89 3704 0044 0532 0130 01", accounts=True).kinds == ()
