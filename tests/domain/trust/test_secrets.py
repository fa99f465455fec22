"""Secrets are found by what they are, and taken out so that nothing else changes."""

import random
import re
import string
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from corpus import texts
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from muniment.domain.trust import secrets
from muniment.domain.trust.secrets import DETECTORS, redacted

BENIGN = texts(Path(__file__).parent / "benign.txt")
_RANDOM = random.Random(7)


def some(count: int, alphabet: str = string.ascii_letters + string.digits) -> str:
    """Characters that nobody's secret is made of: a test holds no real one."""
    return "".join(_RANDOM.choices(alphabet, k=count - 2)) + "x7"


UPPER = string.ascii_uppercase + "234567"
HEX = string.digits + "abcdef"
EDGE = "-----{} RSA PRIVATE KEY-----"
KEY = f"{EDGE.format('BEGIN')}\n{some(64)}\n{some(40)}\n{EDGE.format('END')}"

SECRETS: dict[str, tuple[str, str]] = {
    "private-key": ("The key is\n{}\nand nothing else.", KEY),
    "json-web-token": ("session {} of today", f"eyJ{some(20)}.eyJ{some(30)}.{some(40)}"),
    "aws-access-key-id": ("Use {} for S3", "AKIA" + "".join(_RANDOM.choices(UPPER, k=16))),
    "aws-secret-key": ("aws_secret_access_key = {}", some(40)),
    "google-api-key": ("maps key {}.", "AIza" + some(35)),
    "google-oauth": ("bearer of {} may", "ya29." + some(40)),
    "azure-key": ("AccountName=x;AccountKey={};EndpointSuffix=y", some(86) + "=="),
    "azure-signature": ("https://x.blob.example/y?sv=1&sig={}", some(44)),
    "github-token": ("push with {}", "ghp_" + some(36)),
    "gitlab-token": ("push with {}", "glpat-" + some(20)),
    "slack-token": ("bot {}", "xoxb-" + some(24)),
    "slack-webhook": (
        "post to https://hooks.slack.com/services/{}",
        f"T{some(8)}/B{some(8)}/{some(24)}",
    ),
    "anthropic-key": ("model {}", "sk-ant-" + some(40)),
    "openai-key": ("model {}", "sk-proj-" + some(40)),
    "stripe-key": ("pay with {}", "sk_live_" + some(24)),
    "sendgrid-key": ("mail with {}", f"SG.{some(22)}.{some(43)}"),
    "twilio-key": ("call with {} now", "SK" + "".join(_RANDOM.choices(HEX, k=32))),
    "npm-token": ("publish with {}", "npm_" + some(36)),
    "pypi-token": ("publish with {}", "pypi-AgE" + some(60)),
    "huggingface-token": ("weights with {} only", "hf_" + "aBcDeFgHiJ" * 4),
    "telegram-token": ("the bot is {}", "123456789:AA" + some(33)),
    "muniment-token": ("connect with {}", f"muniment_{'0a' * 16}_{some(43)}"),
    "url-password": ("postgresql://ada:{}@db.example.org:5432/x", "hunter2"),
    "authorization-header": ("curl -H 'Authorization: Bearer {}'", some(32)),
    "assignment": ("password = {}", "hunter2"),
}


def test_every_detector_has_a_secret_to_find() -> None:
    assert list(SECRETS) == list(DETECTORS)


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_taken_out_and_its_kind_said(name: str) -> None:
    text, secret = SECRETS[name]
    clean, found = redacted(text.format(secret))
    assert found == (name,)
    assert clean == text.format(f"[redacted:{name}]")


@pytest.mark.parametrize("detector", secrets._DETECTORS, ids=lambda detector: detector[0])  # pyright: ignore[reportPrivateUsage]
@settings(
    max_examples=15, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)
@given(data=st.data())
def test_nothing_that_a_detector_knows_is_passed_over(detector: Any, data: st.DataObject) -> None:
    """The quick look at a text that spares most of them the detectors lets no secret through."""
    pattern: re.Pattern[str] = re.compile(detector[2])
    judge: Callable[[str, str], bool] = detector[3]
    text = data.draw(st.from_regex(pattern))
    match = pattern.search(text)
    assume(match is not None and judge(match.groupdict().get("key") or "", match["secret"]))
    assert redacted(text)[1]


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=hunter2",
        '{"api_key": "a1b2c3d4e5"}',
        "Passwort: Sommer2026!",
        "The password is tr0ub4dor&3.",
        "pwd: 123456",
        "client-secret => 9f8e7d6c5b",
        "TOKEN=abcdefghijklmnopqrstuvwxyz",
        "la contraseña es gat0negro",
        "密码：abc12345",
    ],
)
def test_what_is_assigned_to_a_password_is_taken_out(text: str) -> None:
    assert redacted(text)[1] == ("assignment",)


@pytest.mark.parametrize(
    "text",
    [
        "password: required",
        "password = ${DB_PASSWORD}",
        "api_key=<your key>",
        "token: your-token-here",
        "max_tokens=4096",
        "The secret is patience.",
        "The token is renewed each hour.",
        "primary key: customer_id",
        "sk-learn and ghp are packages",
        "https://example.org:8443/path?x=1",
        "mailto:ada@example.org",
        "The bearer of this letter is Ada Lovelace.",
        "550e8400-e29b-41d4-a716-446655440000",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        *BENIGN,
    ],
)
def test_what_only_speaks_of_secrets_stays(text: str) -> None:
    assert redacted(text) == (text, ())


@given(
    st.lists(st.sampled_from([*SECRETS]), min_size=1, max_size=4),
    st.lists(st.sampled_from(BENIGN), min_size=4, max_size=4),
)
@settings(max_examples=80)
def test_none_is_left_among_other_text_and_nothing_is_taken_out_twice(
    names: list[str], around: list[str]
) -> None:
    said = [SECRETS[name][0].format(SECRETS[name][1]) for name in names]
    clean, found = redacted(
        "\n".join(part for pair in zip(around, said, strict=False) for part in pair)
    )
    assert set(found) >= {*names} - {"assignment"}
    assert not any(SECRETS[name][1] in clean for name in names)
    assert redacted(clean) == (clean, ())


@given(st.text(max_size=400))
@settings(max_examples=100)
def test_said_again_it_does_nothing(text: str) -> None:
    clean, _ = redacted(text)
    assert redacted(clean) == (clean, ())


@pytest.mark.parametrize(
    "part",
    ["password=", "eyJ", "aws key ", "-----BEGIN PRIVATE KEY-----", "a://", "sig=", "pin is "],
)
def test_the_longest_text_takes_no_time_to_speak_of(part: str) -> None:
    text = (part * 65_536)[:65_536]
    began = time.perf_counter()
    redacted(text)
    assert time.perf_counter() - began < 3


@pytest.mark.parametrize(
    "spelt", ["pa\u017f\u017fword", "P\u0131N", "AP\u0130 \u212aey", "пар\u1c82ль"]
)
def test_a_letter_that_only_looks_small_or_large_hides_no_name(spelt: str) -> None:
    assert redacted(f"{spelt} = hunter2!Xy")[1] == ("assignment",)
