"""Access tokens: shown once, kept as a digest, short of life, ended at will."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock
from hypothesis import given
from hypothesis import strategies as st

import muniment
from muniment import Invalid, Muniment, NotFound, Refused
from muniment.domain import access_token
from muniment.domain.identity import Identity
from muniment.lockout import Lockout

DAY = timedelta(days=1)


@pytest.fixture
def admin(clock: Clock) -> Any:
    """A store, its handle that of an administrator."""
    with muniment.open(":memory:", role="admin", clock=clock) as handle:
        yield handle


class TestIssuing:
    def test_its_bearer_is_who_it_was_issued_to(self, admin: Muniment) -> None:
        made = admin.tokens.issue(actor="subagent:scout")
        assert admin.tokens.authenticate(made.text) == Identity(
            "default", "subagent:scout", "contributor"
        )

    def test_the_role_may_be_given_where_the_actor_may_have_it(self, admin: Muniment) -> None:
        made = admin.tokens.issue(actor="manual", role="auditor")
        assert admin.tokens.authenticate(made.text).role == "auditor"
        with pytest.raises(Invalid) as caught:
            admin.tokens.issue(actor="subagent:scout", role="owner")
        assert caught.value.code == "role_invalid"

    def test_it_is_of_one_space_and_known_to_every_handle(self, admin: Muniment) -> None:
        made = admin.tokens.issue(actor="bot:main", space="team.one")
        assert admin.acting_as("bot:x").tokens.authenticate(made.text).space == "team.one"
        assert admin.tokens.list() == []
        assert admin.tokens.list("team.one") == [made.token]

    def test_no_two_are_alike_and_each_has_256_bits(self, admin: Muniment) -> None:
        texts = [admin.tokens.issue(actor="bot:main").text for _ in range(20)]
        secrets = [text.rpartition("_")[2] if text.count("_") == 2 else text for text in texts]
        assert len(set(secrets)) == 20
        shown = re.compile(r"muniment_[0-9a-f]{32}_[A-Za-z0-9_-]{43}")
        assert all(shown.fullmatch(text) for text in texts)

    @pytest.mark.parametrize("life", [timedelta(0), -DAY, 90 * DAY + timedelta(microseconds=1)])
    def test_it_lives_for_up_to_ninety_days(self, admin: Muniment, life: timedelta) -> None:
        with pytest.raises(Invalid) as caught:
            admin.tokens.issue(actor="bot:main", expires_in=life)
        assert caught.value.code == "expires_in_invalid"
        assert admin.tokens.list() == []

    def test_it_lives_for_thirty_days_unless_told(self, admin: Muniment, clock: Clock) -> None:
        made = admin.tokens.issue(actor="bot:main")
        clock.advance(days=30, seconds=-1)
        assert admin.tokens.authenticate(made.text).actor == "bot:main"
        clock.advance(seconds=1)
        with pytest.raises(Refused):
            admin.tokens.authenticate(made.text)

    def test_its_secret_is_nowhere_on_the_disk(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path / "s", role="admin") as m:
            made = m.tokens.issue(actor="bot:main")
            (entry,) = m.log(name="token.issued")
            assert entry.data["digest"] == made.token.digest
            secret = made.text.split("_", 2)[2]
            assert secret not in repr(made)
            with pytest.raises(Refused):
                m.tokens.authenticate(made.text[:-1])
        files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
        assert len(files) > 3
        assert not any(secret.encode() in content for content in files)


class TestEnding:
    def test_who_shows_a_revoked_one_is_kept_out(self, admin: Muniment) -> None:
        made, other = (admin.tokens.issue(actor="bot:main") for _ in range(2))
        ended = admin.tokens.revoke(made.token.id[-12:])
        assert ended.revoked_at is not None
        with pytest.raises(Refused) as caught:
            admin.tokens.authenticate(made.text)
        assert caught.value.code == "token_refused"
        assert admin.tokens.authenticate(other.text).actor == "bot:main"

    @pytest.mark.parametrize("change", [str.upper, "  {} ".format])
    def test_it_is_named_as_its_own_text_shows_it(
        self, admin: Muniment, change: Callable[[str], str]
    ) -> None:
        made = admin.tokens.issue(actor="bot:main")
        shown = made.text.split("_")[1]
        assert admin.tokens.revoke(change(shown)).revoked_at is not None
        assert admin.tokens.revoke(change(shown[-17:])).id == made.token.id

    @pytest.mark.parametrize("name", ["x", "abcdef0", "not-an-id", ""])
    def test_what_cannot_be_an_id_is_refused(self, admin: Muniment, name: str) -> None:
        admin.tokens.issue(actor="bot:main")
        with pytest.raises(Invalid) as caught:
            admin.tokens.revoke(name)
        assert (caught.value.code, caught.value.field) == ("id_invalid", "id")

    def test_revoking_again_adds_nothing(self, admin: Muniment) -> None:
        made = admin.tokens.issue(actor="bot:main")
        assert admin.tokens.revoke(made.token.id) == admin.tokens.revoke(made.token.id)
        assert [entry.name for entry in admin.log()] == ["token.issued", "token.revoked"]

    def test_those_of_other_spaces_are_not_found(self, admin: Muniment) -> None:
        made = admin.tokens.issue(actor="bot:main", space="other")
        with pytest.raises(NotFound):
            admin.tokens.revoke(made.token.id)
        assert admin.tokens.authenticate(made.text).space == "other"

    def test_a_memory_is_no_token_and_a_token_no_memory(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path / "s") as m:
            id_ = m.save("The feed sits on Drive North.").id
        with muniment.open(tmp_path / "s", role="admin") as m:
            with pytest.raises(NotFound):
                m.tokens.revoke(id_)
            token = m.tokens.issue(actor="bot:main").token
        with muniment.open(tmp_path / "s") as m, pytest.raises(NotFound):
            m.get(token.id)


class TestAuthenticating:
    @given(text=st.one_of(st.text(max_size=90), st.from_regex(r"muniment_[0-9a-z]{32}_\w*")))
    def test_what_is_no_token_lets_nobody_in(self, text: str) -> None:
        known = access_token.read(text)
        if known is not None:
            with pytest.raises(Refused):
                access_token.admitted(None, known[1], Clock()())

    def test_a_right_secret_under_another_id_lets_nobody_in(self, admin: Muniment) -> None:
        one, two = (admin.tokens.issue(actor="bot:main") for _ in range(2))
        mixed = access_token.written(one.token.id, two.text.split("_", 2)[2])
        with pytest.raises(Refused):
            admin.tokens.authenticate(mixed)

    @pytest.mark.parametrize(
        "wrong",
        [
            *("", "muniment_", "muniment_" + "0" * 32 + "_", "Bearer x"),
            *("muniment_" + "z" * 32 + "_x", "muniment_" + "0" * 32 + "_" + "x" * 1_000_000),
            *("muniment_" + "0" * 32 + "_\udcfc", "muniment_\0", "müniment_" + "0" * 32 + "_x"),
            *(None, 7, b"muniment_", ["muniment_"], object()),
        ],
        ids=lambda wrong: repr(wrong)[:24],
    )
    def test_it_is_refused_in_the_same_words_whatever_is_wrong(
        self, admin: Muniment, wrong: Any
    ) -> None:
        made = admin.tokens.issue(actor="bot:main")
        said: set[str] = set()
        for shown in (wrong, made.text + "x"):
            with pytest.raises(Refused) as caught:
                admin.tokens.authenticate(shown)
            said.add(f"{caught.value.code} {caught.value.message}")
        assert len(said) == 1

    def test_only_who_has_the_secret_of_one_that_ended_is_known_not_to_guess(
        self, admin: Muniment
    ) -> None:
        made = admin.tokens.issue(actor="bot:main")
        admin.tokens.revoke(made.token.id)
        with pytest.raises(access_token.TokenEnded) as ended:
            admin.tokens.authenticate(made.text)
        with pytest.raises(Refused) as wrong:
            admin.tokens.authenticate(made.text + "x")
        assert type(wrong.value) is Refused
        assert (ended.value.code, ended.value.message) == (wrong.value.code, wrong.value.message)


class TestLockout:
    def test_ten_failures_in_a_minute_keep_a_client_out_for_a_minute(self, clock: Clock) -> None:
        lockout = Lockout(clock)
        for _ in range(10):
            lockout.require_open("10.0.0.7")
            lockout.failed("10.0.0.7")
        with pytest.raises(Refused) as caught:
            lockout.require_open("10.0.0.7")
        assert caught.value.code == "locked_out"
        lockout.require_open("10.0.0.8")
        clock.advance(seconds=59)
        with pytest.raises(Refused):
            lockout.require_open("10.0.0.7")
        clock.advance(seconds=1)
        lockout.require_open("10.0.0.7")

    def test_ten_over_more_than_a_minute_do_not(self, clock: Clock) -> None:
        lockout = Lockout(clock)
        for _ in range(30):
            lockout.failed("10.0.0.7")
            clock.advance(seconds=7)
            lockout.require_open("10.0.0.7")

    def test_who_got_in_begins_anew(self, clock: Clock) -> None:
        lockout = Lockout(clock)
        for failures in (9, 9):
            for _ in range(failures):
                lockout.failed("10.0.0.7")
            lockout.passed("10.0.0.7")
        lockout.require_open("10.0.0.7")

    def test_no_more_clients_are_kept_in_mind_than_failed_lately(self, clock: Clock) -> None:
        lockout = Lockout(clock)
        for number in range(10_000):
            lockout.failed(f"client {number}")
        clock.advance(seconds=61)
        lockout.failed("one more")
        assert list(lockout._failed) == ["one more"]  # pyright: ignore[reportPrivateUsage]


def test_spaces_are_those_that_something_was_recorded_in(clock: Clock) -> None:
    with muniment.open(":memory:", clock=clock) as m:
        assert m.spaces() == []
        for space in ("other", "default", "other"):
            m.acting_as("manual", space).save(f"The feed of {space} sits on Drive North.")
        m.acting_as("manual", "nowhere").search()
        assert m.spaces() == ["default", "other"]
