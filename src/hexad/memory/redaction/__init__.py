"""Takes secrets out of a text before the text is stored, logged or shown to a model.

Two questions are asked of a text.

*Does something in it have a secret's own shape?* A published prefix (``ghp_``,
``AKIA``), a JSON web token, a PEM block, a password inside a URL, an authorization
header, a card with its check digit. The shape alone is enough; `shapes` lists them.

*Does something in it stand where a secret stands?* A naming word (password, token, api
key ...), a link, a value. The link is an assignment (``=``), a colon, or prose ("is",
"to", a command-line flag, a quoted word next to it). Then the value decides, and this
is the rule:

1. Under six characters: no secret. Where the link is loose (a few words, a blank, "key" alone), only a long run that
   mixes letters and digits is one.
2. A placeholder (``<token>``, ``changeme``, ``***``), variable (``$X``, ``${X}``, ``{{x}}``), reference or
   expression (``os.environ[...]``, ``settings.token``, ``db_password``), path, file name, address, date, version,
   quantity ("24-hour"), colour or technical term ("base64-encoded"): no secret; `shapes` lists these too. Nor is a
   key or token that by its name is public: of a page, a site, an idempotent request.
3. Two kinds of characters out of letters, digits and symbols: a secret. After a colon or in prose, a word with a
   number at its end ("Python3") is one for a password alone.
4. Digits alone: a secret for a password alone; a PIN has four to eight.
5. Letters alone: they read like a word. A secret for a password alone, and only where nobody writes prose: after
   ``=`` or in quotes ("password = swordfish" but not "password is required"), and not if the word is one that
   describes a password. Twenty letters and more in one run that nobody could pronounce are no word: a secret after a
   colon, ``=`` or in quotes.
6. Two to six words in quotes: a secret if one of them is by rule 3.
7. Without a link, in the words after the naming word or before it ("... is my token"): a run that mixes all kinds of
   characters, or small and capital letters and digits, as no word does.

The boundary: this catches what people paste by accident. It does not find a secret that
somebody hides, one of letters only in a sentence, or one that nothing names and that
has no shape of its own.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from hexad.recent import Recent


class Redacted(NamedTuple):
    """A text without its secrets, and the sorted names of the kinds that were taken
    out.
    """

    text: str
    kinds: tuple[str, ...]


def redact(text: str, *, accounts: bool = False) -> Redacted:
    """Put ``[redacted:KIND]`` in place of every secret; a text without secrets comes
    back as the same object.

    With ``accounts`` account numbers (IBANs) are secrets too: in calls of tools, not in
    what a user saves. What comes back is a fixed point: redacting it again changes and
    reports nothing.
    """
    if not _may_hold_a_secret(text):
        return Redacted(text, ())
    from hexad.memory.redaction.secrets import replace, spans_of  # noqa: PLC0415 - compiles its patterns: 10 ms, which most texts do not need

    kinds: set[str] = set()
    # A replacement can put what is left of a text next to a new boundary, so the result
    # is looked at again. Each round takes away characters that are not in a
    # placeholder, so the rounds end.
    while spans := spans_of(text, accounts=accounts):
        kinds.update(span.kind for span in spans)
        text = replace(text, spans)
    return Redacted(text, tuple(sorted(kinds)))


def described(error: BaseException) -> str:
    """An error in words, without secrets; its name alone if it has no words."""
    try:
        return redact(f"{type(error).__name__}: {error}".removesuffix(": ")).text
    except Exception:  # noqa: BLE001 - `str` of somebody else's error may fail
        return type(error).__name__


# --- the cheap check ------------------------------------------------------------------------------------------------
# Every shape is found by a word, by a long number, or by a run of at least twenty characters without a blank. Looking
# for one literal after another is ten times faster than a regular expression with all of them. Which digits a text has
# does not matter, so the texts of a tool's calls, which differ in numbers, are looked at once.

PASSWORDS = (  # what a password is called in languages that write blanks between words
    "password|passwd|passphrase|passcode|passwort|passord|kennwort|zugangscode|contraseña|contrasena|contrasenya|senha"
    "|mot de passe|code d'accès|palavra-passe|wachtwoord|hasło|пароль|парола|лозинка|parola|parool|şifre|lösenord"
    "|adgangskode|salasana|heslo|geslo|lozinka|zaporka|slaptažodis|lykilorð|jelszó|κωδικός|mật khẩu|kata sandi"
    "|kata laluan|nenosiri|wagwoord|كلمة المرور|كلمة السر|رمز عبور|סיסמה|पासवर्ड|পাসওয়ার্ড"
)
UNSPACED = "비밀번호|비번|암호|패스워드|密码|密碼|口令|パスワード|暗証番号|รหัสผ่าน"  # and in languages that write none
_HINTS = (
    f"{PASSWORDS}|{UNSPACED}|"
    "pass|pw|psk|clave|mdp|secret|token|key|auth|_pat|bearer|curl|://|appid=|ldap|smbclient|openssl|mongo|mysql"
    "|mariadb|docker|podman|redis-cli|zip |0z |cookie|sess|.sid| sid|ssws|securestring|wifi|wlan|net use|add_user"
    "|/user:|pin |pin:|pin=|puk |puk:|cred|login|zugang|identifiants|admin:|root:| -p| -w|sudo -s|sqlcmd|sqlplus"
    "|thin:|ipmitool|snmp|lftp|otp|0fa|recovery|backup c|identified by|/p:|code is|code:|code :|code="
    "|code ist|code lautet|code est|code d|code f|code o|code z|code entered|código de |验证码|驗證碼|인증번호"
    "|認証コード|確認コード|密钥|密鑰|令牌|キー|秘密鍵|トークン|키|토큰|root'|root\"|admin'|admin\"|define(|:0000:|:00000:"
).split("|")
_SHORTEST = [hint for hint in _HINTS if sum(map(hint.__contains__, _HINTS)) == 1]
_ASCII = [hint for hint in _SHORTEST if hint.isascii()]
_NUMBER = re.compile(
    r"[0-9]{4}[ -]?[0-9]{4,6}[ -]?[0-9]{4}|[A-Z]{2}[0-9]{2} ?[A-Z0-9]{4}"
)  # of a card or an account
MANY_WORDS = re.compile(
    r"(?<![A-Za-z])(?:[a-z]{3,8}[\s\"',.\d)-]{1,6}){11}"
)  # as in the words of a wallet
LONG_WORD = re.compile(r"\S{20,}")
_LONG = 20
_ZEROS = str.maketrans("123456789", "000000000")
_SHORT = 1000  # characters of a text that is remembered
_seen = Recent[int, bool](
    4096
)  # whether a text may hold one, by the hash of the text with zeros for digits


def _may_hold_a_secret(text: str) -> bool:
    """False only if no detector can find anything."""
    zeroed = text.translate(_ZEROS)
    if len(text) > _SHORT:
        return _holds_a_hint(zeroed)
    known = _seen.get(hash(zeroed))
    if known is None:
        known = _holds_a_hint(zeroed)
        _seen.put(hash(zeroed), known)
    return known


def _holds_a_hint(text: str) -> bool:
    lowered = text.lower()
    for hint in (
        _ASCII if lowered.isascii() else _SHORTEST
    ):  # `any` takes twice as long; every prompt passes here
        if hint in lowered:
            return True
    if len(text) >= _LONG and LONG_WORD.search(text) is not None:
        return True
    return _NUMBER.search(text) is not None or MANY_WORDS.search(text) is not None
