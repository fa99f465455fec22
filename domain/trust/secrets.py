"""Secrets in texts: found by named detectors, and taken out before anything is recorded.

A detector knows the published form of one kind of credential (their vendors document the prefixes,
so that scanners can find them), but for ``assignment``, which reads ``password = …``. What is taken
out is the secret alone, so that the rest of the text stays.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from typing import Final, Literal, TypeAlias

from .. import patterns

Handling: TypeAlias = Literal["redact", "reject", "allow"]
"""What is done about secrets: taken out, refused, or nothing."""

_NAMES: Final = (
    *("pass", "pwd", "secret", "token", "key", "pin", "credential"),
    *("kennwort", "contrase", "senha", "wachtwoord", "пароль", "密码", "パスワード"),
)  # fmt: skip
_NAMED: Final = patterns.re("|".join((*_NAMES, "://", "begin")).replace("pin", r"pin\b"))
_RUN: Final = patterns.re(r"(?<![\w/+=.~-])[\w/+=.~-]{15}")
"""Texts in whose small letters neither is found hold nothing that a detector knows."""

_LIKE_SMALL: Final = str.maketrans("\u0131\u0130\u017f\u1c82", "iis\u043e")
"""What a pattern that ignores case takes for a letter of a sign, and ``lower`` does not."""

_PLACEHOLDER: Final = patterns.re(r"[\[<({$%*]|(?i:your|example|change|xxx|none|null|true|false)")
_SPECIAL: Final = frozenset("!@#$%^&*+=/?~")
_PASSWORD: Final = patterns.re(r"(?i)pass|pwd|pin")


def _is_secret(key: str, value: str) -> bool:
    """Whether what is assigned looks like a secret rather than like a word about one."""
    if _PLACEHOLDER.match(value):
        return False
    letters = any(character.isalpha() for character in value)
    digits = any(character.isdigit() for character in value)
    if letters and (digits or not _SPECIAL.isdisjoint(value)):
        return True
    if digits and not letters:
        return _PASSWORD.search(key) is not None
    return len(value) >= 20 and _entropy(value) >= 3.5


def _entropy(text: str) -> float:
    """Shannon's, in bits a character."""
    shares = [count / len(text) for count in Counter(text).values()]
    return -sum(share * math.log2(share) for share in shares)


_Judge: TypeAlias = Callable[[str, str], bool]

_ANY: Final[_Judge] = lambda _key, _value: True  # noqa: E731

_DETECTORS: Final[tuple[tuple[str, tuple[str, ...], str, _Judge], ...]] = (
    (
        "private-key",
        ("-----begin ",),
        (
            r"(?P<secret>-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
            r"(?:(?!-----BEGIN )[\s\S])*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z))"
        ),
        _ANY,
    ),
    (
        "json-web-token",
        ("eyj",),
        r"\b(?P<secret>eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})",
        _ANY,
    ),
    (
        "aws-access-key-id",
        ("akia", "asia", "abia", "acca", "aida", "aroa", "agpa", "aipa", "anpa", "anva"),
        (
            r"\b(?P<secret>(?:AKIA|ASIA|ABIA|ACCA|AIDA|AROA|AGPA|AIPA|ANPA|ANVA)[A-Z2-7]{16}|"
            r"(?:AKIA|ASIA)[A-Z0-9]{16})\b"
        ),
        _ANY,
    ),
    (
        "aws-secret-key",
        ("aws",),
        r"(?i)aws[^\n]{0,30}?(?:secret|key)[^\n]{0,20}?[\s:=\"'](?P<secret>[a-z0-9/+]{40})(?![\w/+])",
        _ANY,
    ),
    ("google-api-key", ("aiza",), r"\b(?P<secret>AIza[\w-]{35})(?![\w-])", _ANY),
    (
        "google-oauth",
        ("ya29.", "gocspx-"),
        r"\b(?P<secret>ya29\.[\w-]{20,}|GOCSPX-[\w-]{28})",
        _ANY,
    ),
    (
        "azure-key",
        ("accountkey=", "sharedaccesskey="),
        r"(?i)(?:AccountKey|SharedAccessKey)=(?P<secret>[a-z0-9+/]{43,86}={0,2})",
        _ANY,
    ),
    ("azure-signature", ("sig=",), r"(?i)[?&]sig=(?P<secret>[a-z0-9%/+]{40,}=*)", _ANY),
    (
        "github-token",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        r"\b(?P<secret>gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})",
        _ANY,
    ),
    (
        "gitlab-token",
        ("glpat-", "glptt-", "gldt-", "glrt-", "glsoat-"),
        r"\b(?P<secret>gl(?:pat|ptt|dt|rt|soat)-[\w-]{20,})",
        _ANY,
    ),
    (
        "slack-token",
        ("xox", "xapp-"),
        r"\b(?P<secret>xox[abeoprs](?:\.xox[abp])?-[\w-]{10,}|xapp-[\w-]{10,})",
        _ANY,
    ),
    (
        "slack-webhook",
        ("hooks.slack.com/",),
        r"hooks\.slack\.com/(?:services|workflows)/(?P<secret>[\w/]{20,})",
        _ANY,
    ),
    ("anthropic-key", ("sk-ant-",), r"\b(?P<secret>sk-ant-[\w-]{20,})", _ANY),
    ("openai-key", ("sk-",), r"\b(?P<secret>sk-(?:proj-|svcacct-|admin-)?[\w-]{20,})", _ANY),
    (
        "stripe-key",
        ("sk_", "rk_", "whsec_"),
        r"\b(?P<secret>(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_\w{24,})",
        _ANY,
    ),
    ("sendgrid-key", ("sg.",), r"\b(?P<secret>SG\.[\w-]{16,}\.[\w-]{16,})", _ANY),
    ("twilio-key", ("sk",), r"\b(?P<secret>SK[0-9a-f]{32})\b", _ANY),
    ("npm-token", ("npm_",), r"\b(?P<secret>npm_[A-Za-z0-9]{36})\b", _ANY),
    ("pypi-token", ("pypi-age",), r"\b(?P<secret>pypi-AgE[\w-]{50,})", _ANY),
    ("huggingface-token", ("hf_",), r"\b(?P<secret>hf_[A-Za-z]{30,})\b", _ANY),
    ("telegram-token", (":aa",), r"\b(?P<secret>\d{8,10}:AA[\w-]{32,})", _ANY),
    ("muniment-token", ("muniment_",), r"\b(?P<secret>muniment_[0-9a-f]{32}_[\w-]{43})", _ANY),
    (
        "url-password",
        ("://",),
        r"\b[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/:@\"']{0,256}:(?P<secret>[^\s/@\"']{1,256})@",
        lambda _key, value: _PLACEHOLDER.match(value) is None,
    ),
    (
        "authorization-header",
        ("bearer", "basic"),
        r"(?i)\b(?:bearer|basic)\s+(?P<secret>[a-z0-9._~+/-]{20,}=*)",
        lambda _key, value: any(character.isdigit() for character in value),
    ),
    (
        "assignment",
        _NAMES,
        (
            r"(?i)(?P<key>(?:passwords?|passwd|pwd|passphrase|passwort|kennwort|contrase(?:ñ|n)a|senha"
            r"|mot de passe|wachtwoord|пароль|密码|パスワード|secrets?|tokens?|api[ _-]?keys?"
            r"|(?:access|secret|private|auth|account|encryption|signing)[ _-]?keys?|credentials?"
            r"|(?<![a-z])pin))[\"']?\s{0,3}(?::=|=>|=|[:：]|\bis\b|\bist\b|\bes\b|\best\b)"
            r"\s{0,3}[\"'`]?(?P<secret>[^\s\"'`,;，。]{6,256}?)(?=[\"'`,;，。]|[.!?]?(?:\s|\Z))"
        ),
        _is_secret,
    ),
)
"""Each with its name, the signs in small letters of which it needs one, and who judges a match."""

_COMPILED: Final = tuple(
    (name, signs, patterns.re(pattern), judge) for name, signs, pattern, judge in _DETECTORS
)

DETECTORS: Final = tuple(name for name, *_ in _DETECTORS)
"""Their names."""


def redacted(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without its secrets, and the detectors that found some; the text itself if none.

    What stands for a secret names its detector, and no detector takes it for a secret again.
    """
    small = _small(text)
    if _NAMED.search(small) is None and _RUN.search(text) is None:
        return text, ()
    found: list[str] = []
    for name, signs, pattern, judge in _COMPILED:
        if not any(map(small.__contains__, signs)):
            continue

        def replaced(match: re.Match[str], name: str = name, judge: _Judge = judge) -> str:
            secret = match["secret"]
            if not judge(match.groupdict().get("key") or "", secret):
                return match[0]
            found.append(name)
            start, end = match.start("secret") - match.start(), match.end("secret") - match.start()
            return f"{match[0][:start]}[redacted:{name}]{match[0][end:]}"

        cleaned = pattern.sub(replaced, text)
        if cleaned != text:
            text, small = cleaned, _small(cleaned)
    return text, tuple(dict.fromkeys(found))


def _small(text: str) -> str:
    """The text in small letters, as patterns read it that ignore case."""
    return text.lower() if text.isascii() else text.translate(_LIKE_SMALL).lower()
