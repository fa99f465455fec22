"""Checkpoints: when they are made, how they lie on the disk, which key signs, what stops them."""

import json
import shutil
import stat
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import independent
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from structlog.testing import capture_logs

import muniment
from muniment import Checkpoint, Muniment, StorageFailed
from muniment.log import signing
from muniment.log.merkle import Frontier
from muniment.log.notes import PublicKey, sign
from muniment.log.recorder import Recorder

START = datetime(2026, 3, 3, 12, 0, 0, tzinfo=UTC)


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def wait(self, **much: float) -> None:
        self.now += timedelta(**much)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "log"


def opened(directory: Path, clock: Clock, **log: Any) -> Muniment:
    return muniment.open(directory, clock=clock, settings={"log": log})


def fill(m: Muniment, count: int, start: int = 0) -> None:
    m.save_many(
        [{"content": f"Machine {n * 37} stands in hall {n}"} for n in range(start, start + count)]
    )


def sizes(directory: Path) -> list[int]:
    return sorted(int(path.stem) for path in (directory / "checkpoints").glob("*.checkpoint"))


def file(directory: Path, size: int) -> Path:
    return directory / "checkpoints" / f"{size:012}.checkpoint"


def public_key(directory: Path) -> PublicKey:
    return PublicKey.of((directory / "checkpoints" / "signing.pub").read_text().strip())


# what it says


def test_a_checkpoint_says_what_the_log_is_and_lies_in_a_file_named_by_its_size(
    directory: Path, clock: Clock
) -> None:
    with opened(directory, clock) as m:
        fill(m, 5)
        made = m.checkpoint()
        answer = m.verify()
    raw = independent.raw(directory)
    leaves = [row.leaf for row in independent.stored(raw)]
    raw.close()
    assert (made.size, made.root) == (5, independent.merkle_root(leaves).hex())
    assert (made.root, made.chain) == (answer.root, answer.chain)
    assert made.time == "2026-03-03T12:00:00.000000Z"
    assert file(directory, 5).read_text() == made.text
    assert made.note.is_signed_by(public_key(directory))
    assert answer.checkpoints == 1


def test_a_checkpoint_of_nothing_is_one_too(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        assert m.checkpoint().size == 0
        fill(m, 1)
        assert m.verify().checkpoints == 1
        assert m.verify().intact


def test_where_nothing_came_since_it_is_the_same_one(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        fill(m, 3)
        first = m.checkpoint()
        clock.wait(days=1)
        assert m.checkpoint() == first


def test_its_time_never_lies_before_the_newest_event(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        fill(m, 1)
        clock.wait(hours=-3)
        assert m.checkpoint().time == "2026-03-03T12:00:00.000000Z"


def test_everything_of_it_is_its_owners_alone(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        m.checkpoint()
    inside = [*(directory / "checkpoints").iterdir(), directory / "keys" / "signing.key"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in inside} == {0o600}
    assert stat.S_IMODE((directory / "checkpoints").stat().st_mode) == 0o700
    assert len((directory / "keys" / "signing.key").read_bytes()) == 32
    assert not [path for path in inside if path.name.startswith(".")]


def test_a_store_in_memory_has_checkpoints_as_long_as_it_lasts() -> None:
    with muniment.open(":memory:") as m:
        fill(m, 3)
        first = m.checkpoint()
        fill(m, 3, 3)
        assert m.checkpoint().size == 6
        assert m.verify(against=first).intact
        m.keys.rotate_signing()
        assert m.checkpoint().size == 7
        assert m.verify(against=m.checkpoint()).intact


def test_a_store_open_for_reading_makes_none(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        fill(m, 1)
    with muniment.open(directory, read_only=True) as m, pytest.raises(StorageFailed) as error:
        m.checkpoint()
    assert error.value.code == "read_only"
    assert not (directory / "checkpoints").exists()


# when


def test_one_is_made_after_so_many_events(directory: Path, clock: Clock) -> None:
    with opened(directory, clock, checkpoint_events=10) as m:
        fill(m, 9)
        assert not (directory / "checkpoints").exists()
        fill(m, 1, 9)
        fill(m, 9, 10)
        fill(m, 5, 19)
        fill(m, 9, 24)
    assert sizes(directory) == [10, 24]


def test_one_is_made_after_an_hour_with_something_new(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        fill(m, 1)
        clock.wait(minutes=59)
        fill(m, 1, 1)
        clock.wait(minutes=1)
        m.search("machine")
        assert not (directory / "checkpoints").exists()
        fill(m, 1, 2)
        clock.wait(minutes=59)
        fill(m, 1, 3)
        assert sizes(directory) == [3]
        clock.wait(minutes=1)
    assert sizes(directory) == [3, 4]
    with opened(directory, clock) as m:
        fill(m, 1, 4)
    assert sizes(directory) == [3, 4]


def test_one_is_made_when_a_handle_that_appended_much_is_closed(
    directory: Path, clock: Clock
) -> None:
    with opened(directory, clock, checkpoint_events=5_000) as m:
        fill(m, 999)
    assert not (directory / "checkpoints").exists()
    with opened(directory, clock, checkpoint_events=5_000) as m:
        m.search("machine")
    assert not (directory / "checkpoints").exists()
    with opened(directory, clock, checkpoint_events=5_000) as m:
        fill(m, 1, 999)
    assert sizes(directory) == [1_000]


def test_none_is_made_by_itself_where_both_are_off(directory: Path, clock: Clock) -> None:
    with opened(directory, clock, checkpoint_events=0, checkpoint_minutes=0) as m:
        fill(m, 1_200)
        clock.wait(days=9)
        fill(m, 1, 1_200)
    assert not (directory / "checkpoints").exists()


def test_handles_on_one_store_make_one_where_one_is_due(directory: Path, clock: Clock) -> None:
    with (
        opened(directory, clock, checkpoint_events=10) as first,
        opened(directory, clock, checkpoint_events=10) as second,
    ):
        fill(first, 6)
        fill(second, 5, 6)
        fill(first, 6, 11)
        fill(second, 5, 17)
    assert sizes(directory) == [11, 22]


# what it costs


def test_only_the_leaves_that_came_since_are_read(
    directory: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    leaves = Recorder.leaves

    def watched(self: Recorder, *, after: int, until: int) -> Any:
        asked.append((after, until))
        return leaves(self, after=after, until=until)

    monkeypatch.setattr(Recorder, "leaves", watched)
    with opened(directory, clock) as m:
        fill(m, 6)
        m.checkpoint()
        fill(m, 3, 6)
    with opened(directory, clock) as m:
        made = m.checkpoint()
        assert asked == [(0, 6), (6, 9)]
        assert made.root == m.verify().root


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"size": 6}',
        b'{"size": 6, "roots": [1, 2]}',
        b'{"size": 4, "roots": []}',
    ],
)
def test_a_frontier_that_is_no_use_is_made_anew(
    directory: Path, clock: Clock, content: bytes
) -> None:
    with opened(directory, clock) as m:
        fill(m, 6)
        m.checkpoint()
        (directory / "checkpoints" / "frontier").write_bytes(content)
        fill(m, 3, 6)
        assert m.checkpoint().root == m.verify().root
        assert m.verify().intact


def test_a_forged_frontier_is_not_signed(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        fill(m, 6)
        m.checkpoint()
        forged = Frontier()
        forged.extend([b"x" * 32] * 6)
        kept = {"size": 6, "roots": [root.hex() for root in forged.roots]}
        (directory / "checkpoints" / "frontier").write_text(json.dumps(kept))
        fill(m, 3, 6)
        assert m.checkpoint().root == m.verify().root


# what fails


def test_a_failure_never_fails_a_write(
    directory: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(directory, clock, checkpoint_events=2) as m:
        fill(m, 2)
        (directory / "keys" / "signing.key").write_bytes(b"short")
        with capture_logs() as logs:
            fill(m, 3, 2)
            fill(m, 1, 5)
        failed = [entry for entry in logs if entry["event"] == "log_checkpoint_not_made"]
        assert [entry["code"] for entry in failed] == ["signing_key_damaged"]
        with pytest.raises(StorageFailed, match="5 bytes") as error:
            m.checkpoint()
        assert error.value.code == "signing_key_damaged"
        assert m.verify().intact


def test_a_lost_signing_key_is_not_replaced_in_silence(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        fill(m, 2)
        m.checkpoint()
        (directory / "keys" / "signing.key").unlink()
        fill(m, 1, 2)
        with pytest.raises(StorageFailed) as error:
            m.checkpoint()
        assert error.value.code == "signing_key_missing"
        assert m.verify().intact
        (directory / "checkpoints").rename(directory / "put away")
        assert m.checkpoint().size == 3


def test_an_older_signing_key_signs_nothing_after_a_rotation(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        m.checkpoint()
        old = (directory / "keys" / "signing.key").read_bytes()
        m.keys.rotate_signing()
        (directory / "keys" / "signing.key").write_bytes(old)
        with pytest.raises(StorageFailed) as error:
            m.checkpoint()
        assert error.value.code == "signing_key_wrong"


def test_junk_among_the_checkpoints_stops_nothing(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        fill(m, 2)
        m.checkpoint()
        for name in ("notes.txt", "3.checkpoint", "000000000009.checkpoint.old"):
            (directory / "checkpoints" / name).write_text("junk")
        assert m.verify().intact
        file(directory, 9).write_text("junk")
        fill(m, 2, 2)
        assert m.checkpoint().size == 4
        assert [finding.kind for finding in m.verify().findings] == ["checkpoint_malformed"]


# the operator's command


def command(*code: str) -> Sequence[str]:
    return [sys.executable, "-c", "; ".join(("import sys, pathlib", *code))]


def test_each_checkpoint_is_handed_to_the_operators_command(
    directory: Path, clock: Clock, tmp_path: Path
) -> None:
    copy = tmp_path / "a copy; elsewhere"
    write = command("pathlib.Path(sys.argv[1]).write_bytes(sys.stdin.buffer.read())")
    with opened(directory, clock, checkpoint_command=[*write, str(copy)]) as m:
        fill(m, 2)
        made = m.checkpoint()
    assert copy.read_text(encoding="utf-8") == made.text
    with muniment.open(directory, read_only=True) as m:
        assert m.verify(against=copy).not_ruled_out == ()


@pytest.mark.parametrize(
    "failing", [command("sys.exit(3)"), ["/nowhere/to/be/found"], ["a\0b"]], ids=["3", "no", "nul"]
)
def test_a_command_that_fails_is_logged_and_fails_nothing(
    directory: Path, clock: Clock, failing: Sequence[str]
) -> None:
    with capture_logs() as logs:
        with opened(directory, clock, checkpoint_command=failing, checkpoint_events=1) as m:
            fill(m, 1)
        assert sizes(directory) == [1]
    assert [entry["event"] for entry in logs] == ["checkpoint_command_failed"]


def test_a_command_may_come_from_the_environment(
    directory: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUNIMENT_LOG__CHECKPOINT_COMMAND", '["true", "-x"]')
    with muniment.open(directory) as m:
        assert m.settings.cadence.command == ("true", "-x")


def test_a_directory_brings_no_program_that_is_run(directory: Path, clock: Clock) -> None:
    directory.mkdir()
    (directory / "settings.toml").write_text('[log]\ncheckpoint_command = ["touch", "x"]\n')
    with pytest.raises(muniment.Invalid, match="MUNIMENT_LOG__CHECKPOINT_COMMAND") as error:
        opened(directory, clock)
    assert error.value.field == "settings.log.checkpoint_command"


# keys


def test_verify_follows_rotations_with_and_without_keys(directory: Path, clock: Clock) -> None:
    kept: list[Checkpoint] = []
    with opened(directory, clock) as m:
        for number in range(4):
            fill(m, 2, number * 2)
            kept.append(m.checkpoint())
            said = m.keys.rotate_signing()
            assert said.public_key == str(public_key(directory))
        assert m.log(space="*")
        names = [entry.name for entry in m.log(space="*")]
        assert names.count("signing_key.rotated") == 4
        assert len({made.note.signatures[0][1] for made in kept}) == 4
        assert m.verify().intact
    shutil.rmtree(directory / "keys")
    with muniment.open(directory, read_only=True) as m:
        assert all(m.verify(against=made).intact for made in kept)
        assert m.verify().checkpoints == 4


def test_a_key_signs_no_checkpoint_of_a_size_that_is_not_in_its_time(
    directory: Path, clock: Clock
) -> None:
    with opened(directory, clock) as m:
        fill(m, 2)
        m.checkpoint()
        old = (directory / "keys" / "signing.key").read_bytes()
        m.keys.rotate_signing()
        fill(m, 2, 2)
        made = m.checkpoint()
        text = made.note.text
        forged = sign(text, made.origin, Ed25519PrivateKey.from_private_bytes(old))
        assert m.verify(against=made).intact
        found = m.verify(against=forged).findings
        assert [(one.kind, one.position) for one in found] == [("checkpoint_signature", 5)]


@pytest.mark.parametrize("when", ["before the event", "after the event"])
def test_a_rotation_that_was_killed_leaves_one_key_and_the_log_says_which(
    directory: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with opened(directory, clock) as m:
        fill(m, 2)
        m.checkpoint()
        before = public_key(directory)
        target = "statement" if when == "before the event" else "settle"
        calls = iter([False, True])
        whole = getattr(signing.Signing, target)

        def once(self: signing.Signing, *given: Any) -> Any:
            if target == "statement" or next(calls):
                killed()
            return whole(self, *given)

        monkeypatch.setattr(signing.Signing, target, once)
        with pytest.raises(Killed):
            m.keys.rotate_signing()
        monkeypatch.undo()
        assert (directory / "keys" / "signing.key.next").exists()
        assert m.verify().intact
    with opened(directory, clock) as m:
        fill(m, 1, 2)
        m.checkpoint()
        assert m.verify().intact
        assert not (directory / "keys" / "signing.key.next").exists()
        assert (public_key(directory) == before) == (when == "before the event")


def test_a_rotation_that_the_old_key_did_not_say_is_found(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        fill(m, 1)
        m.checkpoint()
        m.keys.rotate_signing()
        m.checkpoint()
    raw = independent.raw(directory)
    (facts,) = raw.execute("SELECT facts FROM events WHERE position = 2").fetchone()
    raw.close()
    said = json.loads(facts)
    said["new"], said["old"] = said["old"], said["new"]
    altered = json.dumps(said).encode()
    independent.tamper(directory, ("UPDATE events SET facts = ? WHERE position = 2", (altered,)))
    with muniment.open(directory, read_only=True) as m:
        found = {finding.kind: finding.position for finding in m.verify().findings}
    assert found["signing_key"] == 2
    assert found["leaf"] == 2


# against


def test_a_checkpoint_may_be_given_as_it_is_as_text_or_as_a_path(
    directory: Path, clock: Clock, tmp_path: Path
) -> None:
    with opened(directory, clock) as m:
        fill(m, 2)
        made = m.checkpoint()
        path = tmp_path / "kept"
        path.write_text(made.text, encoding="utf-8")
        for given in (made, made.text, path, str(path)):
            assert m.verify(against=given).checkpoints == 1
        fill(m, 1, 2)
        assert "after position 2" in m.verify(against=made).not_ruled_out[0]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("nothing here", "checkpoint_unreadable"),
        ("", "checkpoint_unreadable"),
        ("a\0b", "checkpoint_unreadable"),
        (7, "checkpoint_unreadable"),
        ("not\na checkpoint\n", "checkpoint_malformed"),
    ],
)
def test_what_is_no_checkpoint_is_refused(given: Any, code: str) -> None:
    with muniment.open(":memory:") as m:
        id_ = m.save("The dock is red.").id
        asks: dict[str, Callable[[], object]] = {
            "against": lambda: m.verify(against=given),
            "since": lambda: m.prove(id_, since=given),
        }
        for field, ask in asks.items():
            with pytest.raises(muniment.Invalid, match=rf"^{field}: ") as error:
                ask()
            assert (error.value.code, error.value.field) == (code, field)


def test_without_a_public_key_nothing_is_said_of_signatures(directory: Path, clock: Clock) -> None:
    with opened(directory, clock) as m:
        fill(m, 2)
        made = m.checkpoint()
    shutil.rmtree(directory / "keys")
    (directory / "checkpoints" / "signing.pub").unlink()
    with muniment.open(directory, read_only=True) as m:
        answer = m.verify(against=made)
    assert answer.intact
    assert "no signature could be verified" in answer.not_ruled_out[-1]
