"""The shapes of secrets, a row each: keys that are known by their prefix, and values that are known by what is around.

The group of a pattern is the secret; what stands before it is kept. Nothing may follow an unbounded run unless the run
cannot hold a second start of its own pattern: that keeps the search linear.
"""

from __future__ import annotations

import re
from base64 import b85decode
from typing import TYPE_CHECKING, Final, NamedTuple
from zlib import crc32

from hexad.memory.redaction import MANY_WORDS, UNSPACED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Key(NamedTuple):
    """A secret that is known by its prefix, searched for in a text that holds one of its signs."""

    kind: str
    signs: str  # literals, separated by |
    pattern: str
    needs_digit: bool = False  # the prefix also begins slugs and names of classes


KEYS: Final = (
    Key("aws-access-key", "AKIA|ASIA|ABIA|ACCA", r"((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})(?![A-Za-z0-9])"),
    Key(
        "github-token",
        "ghp_|gho_|ghu_|ghs_|ghr_|github_pat_",
        r"(gh[pousr]_[A-Za-z0-9_]{30,}|github_pat_[A-Za-z0-9_]{22,})",
        needs_digit=True,
    ),
    Key(
        "gitlab-token",
        "glpat-|gldt-|glrt-|glptt-|glcbt-|glft-|gloas-|glsoat-",
        r"(gl(?:pat|dt|rt|ptt|cbt|ft|oas|soat)-[\w-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{6,})?)",
    ),
    Key("slack-token", "xox|xapp-", r"(xox[abeoprs]-[A-Za-z0-9-]{15,}|xapp-[0-9]-[A-Za-z0-9-]{15,})"),
    Key(
        "slack-webhook",
        "hooks.slack.com/",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{16,})",
        needs_digit=True,
    ),
    Key("teams-webhook", "IncomingWebhook/", r"IncomingWebhook/([0-9a-f]{32}/[0-9a-f-]{36})"),
    Key("discord-webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/[0-9]{5,25}/([\w-]{16,})"),
    Key("discord-token", "M|N|O", r"([MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{27,})"),
    Key("google-api-key", "AIza", r"(AIza[\w-]{30,})"),
    Key("google-oauth-token", "ya29.|GOCSPX-|1//0", r"(ya29\.[\w-]{16,}|GOCSPX-[\w-]{16,}|1//0[\w-]{30,})"),
    Key("anthropic-key", "sk-ant-", r"(sk-ant-[\w-]{16,})"),
    Key("openai-key", "sk-", r"(sk-[\w-]{20,})", needs_digit=True),
    Key("stripe-key", "k_live_|k_test_|whsec_", r"([sr]k_(?:live|test)_[A-Za-z0-9]{12,}|whsec_[A-Za-z0-9+/=]{20,})"),
    Key("npm-token", "npm_", r"(npm_[A-Za-z0-9]{30,})", needs_digit=True),
    Key("pypi-token", "pypi-AgE", r"(pypi-AgE[\w-]{16,})"),
    Key("huggingface-token", "hf_|api_org_", r"((?:hf|api_org)_[A-Za-z0-9]{30,})", needs_digit=True),
    Key("groq-key", "gsk_", r"(gsk_[A-Za-z0-9]{40,})", needs_digit=True),
    Key("xai-key", "xai-", r"(xai-[A-Za-z0-9]{40,})", needs_digit=True),
    Key("perplexity-key", "pplx-", r"(pplx-[A-Za-z0-9]{32,})", needs_digit=True),
    Key("cerebras-key", "csk-", r"(csk-[a-z0-9]{32,})", needs_digit=True),
    Key("replicate-token", "r8_", r"(r8_[A-Za-z0-9]{30,})", needs_digit=True),
    Key("pinecone-key", "pcsk_", r"(pcsk_[A-Za-z0-9_]{30,})", needs_digit=True),
    Key("langsmith-key", "lsv2_", r"(lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{6,})"),
    Key("tavily-key", "tvly-", r"(tvly-(?:dev-|prod-)?[A-Za-z0-9]{20,})", needs_digit=True),
    Key("notion-token", "ntn_|secret_", r"(ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})", needs_digit=True),
    Key("databricks-token", "dapi", r"(dapi[0-9a-f]{32}(?:-[0-9])?)"),
    Key("linear-key", "lin_", r"(lin_(?:api|oauth)_[A-Za-z0-9]{32,})", needs_digit=True),
    Key("grafana-token", "glsa_|glc_", r"(glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/=]{32,})"),
    Key("planetscale-token", "pscale_", r"(pscale_(?:pw|tkn|oauth)_[\w.-]{30,})"),
    Key("doppler-token", "dp.", r"(dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{35,})"),
    Key("postman-key", "PMAK-", r"(PMAK-[0-9a-f]{24}-[0-9a-f]{34})"),
    Key("hubspot-token", "pat-", r"(pat-[a-z]{2}[0-9]-[0-9a-f-]{36})"),
    Key("dropbox-token", "sl.", r"(sl\.(?:u\.)?[\w-]{60,})"),
    Key("artifactory-key", "AKCp", r"(AKCp[A-Za-z0-9]{60,})"),
    Key("nuget-key", "oy2", r"(oy2[a-z0-9]{43})"),
    Key("airtable-token", "pat", r"(pat[A-Za-z0-9]{14}\.[0-9a-f]{40,})"),
    Key("fly-token", "fm1_|fm2_|fo1_", r"((?:fm[12]|fo1)_[\w+/=,-]{30,})"),
    Key("sentry-token", "sntrys_|sntryu_", r"(sntry[su]_[\w+/=-]{30,})"),
    Key("azure-secret", "Q~", r"([\w~.-]{3}[0-9]Q~[\w~.-]{31,})"),
    Key(
        "url-signature",
        "sig=|Signature=",
        r"(?<=[?&;])(?:sig|(?:X-[A-Za-z]{3,4}-)?Signature)=((?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){25,}=?)",
    ),
    Key("cloudflare-key", "v1.0-", r"(v1\.0-[0-9a-f]{24}-[0-9a-f]{100,})"),
    Key("twilio-key", "SK", r"(SK[0-9a-f]{32})(?![A-Za-z0-9])"),
    Key("mailgun-key", "-", r"(key-(?=[a-z]*[0-9])[0-9a-z]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})(?![A-Za-z0-9-])"),
    Key("sendgrid-key", "SG.", r"(SG\.[\w-]{16,}\.[\w-]{16,})"),
    Key("resend-key", "re_", r"(re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,})", needs_digit=True),
    Key("telegram-token", ":AA", r"(?:bot)?([0-9]{8,10}:AA[\w-]{32,})"),
    Key("digitalocean-token", "_v1_", r"(do[opr]_v1_[0-9a-f]{40,})"),
    Key("shopify-token", "shp", r"(shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,})"),
    Key("square-token", "sq0|EAAA", r"(sq0(?:atp|csp|idp)-[\w-]{20,}|EAAA[\w-]{50,})"),
    Key("figma-token", "fig", r"(fig[dor]_[\w-]{30,})", needs_digit=True),
    Key("new-relic-key", "NR", r"(NR(?:AK|II|JS|IQ)-[A-Za-z0-9]{20,})"),
    Key("supabase-key", "sbp_|sb_secret_", r"(sbp_[0-9a-f]{40}|sb_secret_[\w-]{25,})"),
    Key("netlify-token", "nfp_|nfc_|nfo_|nfu_", r"(nf[pcou]_[A-Za-z0-9]{30,})", needs_digit=True),
    Key("vercel-token", "vercel_", r"(vercel_blob_rw_[A-Za-z0-9_]{30,})"),
    Key("atlassian-token", "ATATT3|ATCTT3", r"(ATATT3[\w=-]{30,}|ATCTT3[\w=-]{30,})"),
    Key("asana-token", "/", r"([0-9]/[0-9]{10,20}:[0-9a-f]{32})"),
    Key("pulumi-token", "pul-", r"(pul-[0-9a-f]{40})"),
    Key("terraform-token", ".atlasv1.", r"([A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,})"),
    Key("render-key", "rnd_", r"(rnd_[A-Za-z0-9]{24,})", needs_digit=True),
    Key("rubygems-key", "rubygems_", r"(rubygems_[0-9a-f]{40,})"),
    Key("buildkite-token", "bk", r"(bk[a-z]{2}_[0-9a-f]{40})"),
    Key("circleci-token", "CCIPAT_", r"(CCIPAT_[A-Za-z0-9]{20,}_[0-9a-f]{40})"),
    Key("heroku-key", "HRKU-", r"(HRKU-[\w-]{30,})"),
    Key("voyage-key", "pa-", r"(pa-[\w-]{40,})", needs_digit=True),
    Key("vault-token", "hvs.|hvb.|hvr.", r"(hv[sbr]\.[\w-]{20,})"),
    Key("age-key", "AGE-SECRET-KEY-1", r"(AGE-SECRET-KEY-1[A-Z0-9]{30,})"),
    Key("wallet-key", "xprv|nsec1", r"(xprv[A-Za-z0-9]{90,}|nsec1[a-z0-9]{50,})"),
    # Also blocked after "-", which the run may hold: "-eyJ-eyJ-eyJ" would start a long search at each one.
    Key("jwt", "eyJ", r"(?<![\w-])(eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]+){0,3})"),
)


class Phrase(NamedTuple):
    """A secret that is known by the words around it; they are searched for in a text that holds ``hint``."""

    kind: str
    hint: str  # a regular expression over the text in lower case, quick to search for
    pattern: re.Pattern[str]
    is_secret: Callable[[str], bool]


def _passes_check(value: str) -> bool:
    """Whether the digits are a card's: a known issuer, and the check digit fits (Luhn)."""
    digits = [int(digit) for digit in value if digit.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1


def _is_account(value: str) -> bool:
    """Whether the check digits of an IBAN fit."""
    plain = value.replace(" ", "")
    return int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1


def seed_phrases(text: str) -> Iterator[tuple[int, int]]:
    """Where the words that wallets use follow each other, in a row or in a list: as many as a wallet has.

    Twelve or more are enough in a text that speaks of such words.
    """
    if MANY_WORDS.search(text) is None:
        return
    named, run, gap = _SEED_NAMED.search(text), list[re.Match[str]](), ""
    for word in (*_WORD.finditer(text), None):
        between = _DIGITS.sub("", text[run[-1].end() : word.start()]) if run and word else ""
        if word and run and _is_wallets(word[0]) and _GAP.fullmatch(between) and (len(run) == 1 or between == gap):
            run.append(word)
            gap = between
            continue
        if len(run) in _SEED or (named and len(run) >= _SEED[0]):
            yield run[0].start(), run[-1].end()
        run = [word] if word and _is_wallets(word[0]) else []


def _is_wallets(word: str) -> bool:
    place = crc32(word.encode()) % (8 * len(_WALLET_WORDS))
    return bool(_WALLET_WORDS[place // 8] >> place % 8 & 1)


def _is_random(value: str) -> bool:
    """Whether letters and digits are mixed, as in no word."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def looks_random(value: str) -> bool:
    """Whether a run in a value changes so often between digits, small and capital letters as no word does.

    >>> looks_random("gpt-4o-mini-2024-07-18"), looks_random("9hT2kq8ZrW04bXm1s")
    (False, True)
    """
    return any(len(run) >= 16 and any(map(str.isdigit, run)) and _changes(run) >= 0.25 for run in _RUNS.split(value))


def _changes(run: str) -> float:
    """Of each character: whether the next one is of another kind."""
    return len(_CHANGE.findall(run)) / len(run)


def is_shuffled(run: str) -> bool:
    """Whether digits, small and capital letters are mixed at random."""
    return _MIXED.match(run) is not None and _changes(run) >= 0.4


def _is_prefixed(value: str) -> bool:
    """Whether a long run is shuffled, or has digits and very many capitals; ids are of one case, or shorter."""
    runs = [run for run in _RUNS.split(value) if len(run) >= 20]
    return any(is_shuffled(run) or (_CAPITALS.match(run) and _changes(run) >= 0.25) for run in runs)


def _is_aws(value: str) -> bool:
    return _MIXED.match(value) is not None


def _is_password(value: str) -> bool:
    return any(map(str.isalpha, value)) and not value.isalpha() and value[0] not in "$<{[*-"


# A bit for each word that wallets use, at its CRC. One other word in five has its bit set too, twelve never.
_WALLET_WORDS: Final = b85decode(
    r"fI>ip-~a?D3Wxy&p<p0G2q1u30uYUe02BivzzKjcfgVUk0w94*2nhh_PyhrVkN^w-0RT(@P>=!^pdkeyU<d)Afg~{qBnJ?o0D=Gr0HO#0un"
    r">R%fB*+V3J7qJX7Cu{q5%UySOh5oMFR#vPyhiC5CIK91p-tcWdIRD5@66J00eviA)qjTRE2{CWQjrm2?!zpApjIW0040aGlB>}EtUcRP>Kw"
    r"RGD5}<7!m*gfW!)t1PA~K0wW`Y2=HKuNCcq_3=jZFNk9-7!vTOI1OWg7vIqcVKmgJV0+9p&pctTJ5CH%J0YM;Q0ARQP5MWjifvP|PPyqlC1"
    r"Q;mb00boj0}=v>0YDTGqkt3?1OkBw5(0#TFc$;@000m|GS~zc0N^M9K+ymcL;z7i000<Z0Duz+Adtc!07QrYXaG<^IV1o8KoCR(PyhgcASW"
    r"210|3@f2?7A{B!LkF8~_LrfJhJl6hg!ZLO>wI2tqVi22u(L1Q3xJ004*q00000FbfPIN`(*u2ssAA1;oG!Fp&uY6aWAKjQ|ftfFLjk3JU-L"
    r"I1ms(fg%6|2}lSK0I;AyWdH!kAjF3_IwTNLOnQ<K1qc`dNFW3PLIeN+5CWhA6$F7mU<5<~f`LiEP#^#x5il4AM*`4*02BoR1ONsFphiFtzy"
    r"T0yfFQ(}BnW3g003aStUv$(4*(V#1^|HIQNdsU01R;=2tcxk7(fJo6beWw06B~d00AI@8~|h}1OS3S067Z)Oo0$UfdUACM3?|j1Ax!~8iW%"
    r"72n2x&AfX5-5QG2$5de@3N&!hCLPkUd6bL4PP(YFl2{1tci3mt302t6l6Dpzu0#pzpfHFb=0Tc{S0FVFz00IC6AOOe~L_jhWO~3^R+d`OyU"
    r";%JJ0Ej38Pyj>-f&vmi5FntSU{nzlL0Ulw0E8G2Q$T`Hvp^79kOu$&2&5DMB_aqyfD8cu00IyS01!k!fC38%83rH;05X^o1OhN200=`sfdD"
    r"`WkP)d)AP^D=01X5s002-RVh~V~2mz`9fDA4f5MY3WC?KW)gaH8u0wf9`pb`oM004pz1|dKoMZhBf0DBSwFclF5KmzcXi4X_{Vm6EbLQ)V2"
    r"34kO}2!a5B1mOU{A`E~?Af_M!(16$o<bVKzfYNXPNDx2(5MV42002Trpc6obfIvWya$<@A09g1S5D^Guz%U_Z2q=UAm68M`zz|y&C<8(T0D"
    r"(CIAP@pbK)}ENFbV-fA<zJTKo|xLr9?!MfIt9=3c>>iz#z0x2mn+CP#~645F|)bDe=H&82~5(6%Z7fK#-`W&;SY$0!55~00bqdNC*r-"
)
_WORD: Final = re.compile(r"[A-Za-z]+")
_SEED: Final = (12, 15, 18, 21, 24)  # words
_SEED_NAMED: Final = re.compile(r"(?i)seed|mnemonic|recovery|wallet")
_GAP: Final = re.compile(r"[\s\"',.)-]{1,5}")
_DIGITS: Final = re.compile("[0-9]{1,2}")
_RUNS: Final = re.compile(r"[^A-Za-z0-9]+|%[0-9A-F]{2}")
_CHANGE: Final = re.compile(r"[0-9](?=[A-Za-z])|[a-z](?=[A-Z0-9])|[A-Z](?=[a-z0-9])")
_MIXED: Final = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])")
_CAPITALS: Final = re.compile(r"[A-Z0-9]{32}")
_CARD: Final = r"(?:4[0-9]{3}|5[1-5][0-9]{2}|2[2-7][0-9]{2}|6(?:011|4[4-9][0-9]|5[0-9]{2})|35[2-8][0-9])"
_WORDS: Final = r"[^\n|;]{0,120}?"  # of the same command
_KEYS: Final = "密钥|密鑰|令牌|apiキー|秘密鍵|トークン|api ?키|토큰"  # of languages without blanks
_IS: Final = r"(?:[는은]\s+|[是为為は]\s{0,4}|\s*[:：=]\s*)"
PHRASES: Final = (
    Phrase(
        "card-number",
        "[0-9]{4}[ -]?[0-9]{4,6}[ -]?[0-9]{4}",
        re.compile(
            rf"(?<![\w.+-])({_CARD}(?:[ -]?[0-9]{{4}}){{3}}|3[47][0-9]{{2}}[ -]?[0-9]{{6}}[ -]?[0-9]{{5}})(?![\w-])"
        ),
        _passes_check,
    ),
    Phrase(
        "password",
        UNSPACED,
        re.compile(rf"(?:{UNSPACED}){_IS}[「『“\"'`]?([!#-&(-;=?-_a-~]{{6,}})"),
        _is_password,
    ),
    Phrase("token", _KEYS, re.compile(rf"(?i:{_KEYS}){_IS}[「『“\"'`]?([\w.~+/=-]{{16,}})"), looks_random),
    Phrase("password", "sshpass", re.compile(r"""sshpass[ ]{1,4}-p[ ]?["']?([^\s"']{4,})"""), _is_password),
    Phrase(
        "password",
        "mysql|mariadb",
        re.compile(r"""(?:mysql|mariadb)[\w-]*[ ](?:[^\n|;]{0,120}?[ ])?-p(?![ ])["']?([^\s"'=-][^\s"']{3,})"""),
        _is_password,
    ),
    Phrase(
        "password",
        "docker|podman|redis-cli",
        re.compile(
            r"""(?:(?:docker|podman)[ ]login[ ][^\n|;]{0,120}?-p|redis-cli[ ](?:[^\n|;]{0,80}?[ ])?-a)"""
            r"""[ ]["']?([^\s"']{6,})"""
        ),
        _is_password,
    ),
    Phrase(
        "password",
        "sqlcmd|ldap|smbclient|htpasswd|openssl|az login|zip |7z |add_user|/user:",
        re.compile(
            rf"""(?:(?:sqlcmd[ ]{_WORDS}-P|ldap\w+[ ]{_WORDS}-w|openssl[ ]enc[ ]{_WORDS}-k|az[ ]login[ ]{_WORDS}-p"""
            rf"""|htpasswd[ ]-\w*b\w*[ ]\S+[ ]\S+|zip[ ]{_WORDS}-P|add_user[ ]\S+|/user:\S+)[ ]|7z[ ]{_WORDS}[ ]-p"""
            rf"""|smbclient[ ]{_WORDS}-U[ ]?\w+%)["']?([^\s"']{{4,}})"""
        ),
        _is_password,
    ),
    Phrase(
        "password",
        "sudo -s|-stdin",
        re.compile(r"""echo[ ]["']?([^\s"'|]{4,})["']?[ ]*\|[ ]*(?:sudo[ ]-S|[^\n|]{0,80}--password-stdin)"""),
        _is_password,
    ),
    Phrase(
        "password",
        "login|user",
        re.compile(r"(?:login|user)\s{1,9}\S{1,80}(?:\s{1,9}account\s\S{1,80})?\s{1,9}pass(?:word)?\s{1,9}(\S{6,})"),
        _is_random,
    ),
    Phrase("password", ":[0-9]{4}", re.compile(r":[0-9]{4,5}:[\w*-]{1,60}:[\w.-]{1,60}:([^\s:]{8,})"), _is_random),
    Phrase("password", "wifi:", re.compile(r"WIFI:[^\n]{0,80}?P:([^;\n]{6,})"), _is_password),
    Phrase(
        "basic-auth",
        '"auth"',
        re.compile(r'"auth"\s{0,4}:\s{0,4}"([A-Za-z0-9+/]{16,}={0,2})"'),
        _is_random,
    ),
    Phrase(
        "cookie",
        "cookie",
        re.compile(r"""(?i:cookie[ ]?[:=][ ]?["']?|;[ ])[\w.%-]{1,40}=([\w%.+/~-]{16,}={0,2})"""),
        _is_random,
    ),
    Phrase(
        "cookie",
        "sess|[. ]sid",
        re.compile(
            r"""(?i:sess(?:ion)?[_-]?(?:id)?|(?<=[. ])sid)["'`]?(?:[ ]?[=:][ ]?|[ ]is[ ])["']?"""
            r"([\w%.+/~-]{16,}={0,2})"
        ),
        looks_random,
    ),
    Phrase("token", "ssws", re.compile(r"(?i:ssws)[ ]([A-Za-z0-9_-]{30,})(?![\w.-])"), _is_random),
    Phrase(
        "aws-secret-key",
        "(?:akia|asia)[a-z0-9]{16}",
        re.compile(
            r"(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])[\s\S]{1,60}?"
            r"(?<![A-Za-z0-9/+])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
        _is_aws,
    ),
    Phrase(
        "url-key",
        r"[?&][\w-]{0,20}(?:key|token|secret|auth)=",
        re.compile(r"[?&][\w-]{0,20}(?i:key|token|secret|auth)=((?:[\w.~-]|%[0-9A-Fa-f]{2}){20,})"),
        looks_random,
    ),
    # Keys of services that no row names: a prefix, and a long random tail.
    Phrase(
        "api-key",
        "[a-z0-9][_-][a-z0-9_-]{30}",
        re.compile(r"(?<![\w/.-])((?:[A-Za-z][A-Za-z0-9]{1,11}[_-]){1,3}[A-Za-z0-9_-]{30,}+)"),
        _is_prefixed,
    ),
    Phrase(
        "api-key",
        "(?:live|secret|pat|token|key|sk)_[a-z0-9]{20}",
        re.compile(
            r"(?<![\w/.-])((?!pk_)(?:[A-Za-z0-9]{2,12}_){0,2}(?:live|secret|pat|token|key|sk)_[A-Za-z0-9]{20,}+)"
        ),
        looks_random,
    ),
)
ACCOUNTS: Final = (
    Phrase(
        "account-number",
        "[a-z]{2}[0-9]{2}[ ]?[a-z0-9]{4}[ ]?[0-9]{4}",
        re.compile(r"(?<![A-Za-z0-9])([A-Z]{2}[0-9]{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?)(?![A-Za-z0-9])"),
        _is_account,
    ),
)
"""Numbers that a user may want to keep: they are taken out of what tools are given and answer, not of what is saved."""
