"""Erasures under fire: killed, watched by others, set back by an old vault; and no byte left."""

import base64
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from bdd import Clock
from canary import key_of, leaks, spellings
from loopback import Loopback
from processes import run
from projection_answers import differing, store_of

import muniment
from muniment import ErasureCertificate, Muniment, StorageFailed
from muniment.log.keys import Keys

CANARY = "Zyxomma petiolatum flies over Ærøskøbing at dusk"
SUBJECT = "Xanthippe Quetzalcoatlus"
WORDS = ("Zyxomma", "petiolatum", "Ærøskøbing", "Vexillology", "Xanthippe", "Quetzalcoatlus")
REST = "The Quillmark feed sits on Drive North."


def opened(directory: Path, clock: Clock, **how: object) -> Muniment:
    given: dict[str, object] = {"settings": {"log": {"keep_state_after": 1}}}
    return muniment.open(directory, clock=clock, **(given | how))  # type: ignore[arg-type]


def forms() -> list[bytes]:
    return [form for word in WORDS for form in spellings(word) if len(form) > 5]


def prepared(m: Muniment) -> tuple[str, str]:
    """A canary about the subject, which was refused one merge and merged by another."""
    id_ = m.save(
        f"{CANARY}.", tags=["Vexillology"], metadata={"subject": SUBJECT, "by": "Xanthippe"}
    ).id
    rest = m.save(REST).id
    with pytest.raises(muniment.MergeRejected):
        m.merge([id_, rest], "Nothing of it.")
    m.search("Zyxomma")
    return id_, rest


Erasing = Callable[[Muniment, str], ErasureCertificate]
ERASINGS: dict[str, Erasing] = {
    "a memory": lambda m, id_: m.erase(id_, basis="gdpr-17"),
    "a subject": lambda m, _: m.erase_subject(
        SUBJECT, basis={"code": "gdpr-17", "text": f"a letter of {SUBJECT}"}
    ),
    "a space": lambda m, _: m.erase_space("default", basis="contract ended"),
}


class TestCanary:
    @pytest.mark.parametrize("what", ERASINGS)
    @pytest.mark.parametrize("merged", [False, True])
    def test_no_byte_of_the_words_or_of_the_keys_is_left_anywhere(
        self, tmp_path: Path, what: str, *, merged: bool
    ) -> None:
        clock, directory = Clock(), tmp_path / "data"
        with opened(directory, clock) as m:
            id_, rest = prepared(m)
            gone = [id_]
            if merged:
                gone.append(m.merge([id_, rest], f"{CANARY}. {REST}").id)
                m.search("petiolatum")
        with opened(directory, clock) as m, opened(directory, clock) as other:
            assert other.search("petiolatum", include_archived=True).hits
            keys = [
                form
                for one in gone
                for raw, wrapped in [key_of(m, one)]
                for form in (raw, wrapped, raw.hex().encode(), base64.b64encode(raw))
            ]
            assert leaks(directory, keys) == ["keys.db"] * len(gone)
            before = m.verify()
            certificate = ERASINGS[what](m, id_)
            assert set(gone) <= set(certificate.erased)
            assert leaks(directory, forms() + keys) == []
            assert m.verify().intact
            assert m.verify().events > before.events
            assert m.prove_invariants().violations == ()
            m.checkpoint()
            assert differing(m, ["Zyxomma", "feed"]) == []
            # who had it in memory
            assert other.get(id_).content is None
            assert other.search("petiolatum", include_archived=True).hits == ()
            told = repr([other.history(one) for one in (*gone, rest)])
            told += repr([entry for entry in other.log() if entry.name != "erasure.requested"])
            assert not any(word in told for word in WORDS)
            assert store_of(other).keys.get(store_of(other).rows.key_of(id_) or 0) is None
        assert leaks(directory, forms() + keys) == []
        with opened(directory, clock) as m:
            assert m.get(id_).state == "purged"
            assert m.search("Zyxomma", include_archived=True).hits == ()
            assert m.verify().intact
            assert m.rebuild().agrees
            (known,) = m.erasures()
            assert (known.id, known.erased) == (certificate.id, certificate.erased)
            assert known.completed_at == certificate.completed_at is not None
        assert leaks(directory, forms() + keys) == []


_KILLED = """
import datetime, logging, structlog
from muniment.commands.erase import CompleteErasure, RequestErasure
from muniment.log.kept import KeptStates
from muniment.log.keys import Keys
from muniment.log.read_models import ReadModels

structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def opened(directory):
    return muniment.open(directory, settings={"log": {"keep_state_after": 1}})


def prepared(directory):
    with opened(directory) as m:
        first = m.save("Room 12 is dry and Xanthippe knows it.", metadata={"subject": "Xanthippe"})
        kept = m.save("Socrates drinks tea in Athens.")
        merged = m.merge(
            [first.id, kept.id],
            "Room 12 is dry and Xanthippe knows it. Socrates drinks tea in Athens.",
        )
        m.search("Xanthippe")
    return [first.id, merged.id], kept.id


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


for name, step in json.loads(arguments[0]).items():
    gone, kept = prepared(target / name)
    child = os.fork()
    if child == 0:
        m = opened(target / name)
        exec(step)
        m.erase_subject("xanthippe", basis="gdpr-17", cascade="rewrite")
        os._exit(7)
    say([gone, kept, os.waitpid(child, 0)[1]])
"""

STEPS = {
    "the request's commit": "Keys.destroy = die",
    "the key's destruction": """
destroy = Keys.destroy
Keys.destroy = lambda *given: die(destroy(*given))
""",
    "half of the caches": "KeptStates.forget = die",
    "the caches": """
purge = ReadModels.purge
ReadModels.purge = lambda *given: die(purge(*given))
""",
    "the decision to record it": "CompleteErasure.decide = die",
    "the record's commit": """
apply = ReadModels.apply

def apply_and_die(self, events):
    events = list(events)
    if any(one.name == "erasure.completed" for one in events):
        die()
    apply(self, events)

ReadModels.apply = apply_and_die
""",
}


class Left(NamedTuple):
    """What a process left that was killed while it erased: ids, and where."""

    directory: Path
    gone: list[str]
    kept: str


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Left]:
    """What was left at each step, opened by nobody since."""
    directory = tmp_path_factory.mktemp("killed")
    said = run(_KILLED, directory, json.dumps(STEPS))
    assert [status for _, _, status in said] == [9] * len(STEPS)
    return {
        step: Left(directory / step, gone, kept)
        for step, (gone, kept, _) in zip(STEPS, said, strict=True)
    }


@pytest.fixture
def copied(left: dict[str, Left], tmp_path: Path) -> Callable[[str], Left]:
    """A copy of what was left at a step, for one test to open."""

    def copy(step: str) -> Left:
        found = left[step]
        shutil.copytree(found.directory, tmp_path / "left")
        return found._replace(directory=tmp_path / "left")

    return copy


class TestKilled:
    @pytest.mark.parametrize("step", STEPS)
    def test_whoever_opens_next_finishes_it_once(
        self, copied: Callable[[str], Left], step: str
    ) -> None:
        directory, gone, kept = copied(step)
        for _ in range(2):
            with opened(directory, Clock()) as m:
                names = [entry.name for entry in m.log() if entry.name.startswith("erasure.")]
                assert names == ["erasure.requested", "erasure.completed"]
                for id_ in gone:
                    told = [entry.name for entry in m.history(id_)]
                    assert told[-2:] == ["memory.purge_requested", "memory.purged"]
                    assert told.count("memory.purged") == 1
                    assert m.get(id_).state == "purged"
                (certificate,) = m.erasures()
                assert set(certificate.erased) == set(gone)
                assert certificate.restored == (kept,)
                assert certificate.completed_at is not None
                assert m.get(kept).state == "live"
                wrapped = store_of(m).keys.vault().wrapped
                assert not {store_of(m).rows.key_of(id_) for id_ in gone} & wrapped.keys()
                assert m.search("Xanthippe", include_archived=True).hits == ()
                assert m.verify().intact
                assert m.prove_invariants().violations == ()
                assert differing(m, ["Xanthippe", "Socrates"]) == []
        assert leaks(directory, list(spellings("Xanthippe"))) == []

    def test_a_reader_sees_it_erased_and_the_certificate_open(
        self, copied: Callable[[str], Left]
    ) -> None:
        directory, gone, _ = copied("the request's commit")
        with muniment.open(directory, read_only=True) as m:
            assert [m.get(id_).content for id_ in gone] == [None, None]
            told = repr([entry.data for entry in m.log() if entry.name != "erasure.requested"])
            assert "Xanthippe" not in told + repr([m.history(id_) for id_ in gone])
            assert m.search("Xanthippe", include_archived=True).hits == ()
            (certificate,) = m.erasures()
            assert certificate.completed_at is None

    def test_the_next_erasure_of_a_process_that_lives_on_finishes_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: object) -> None:
            raise StorageFailed("The disk is full.", code="full")

        with opened(tmp_path / "data", Clock()) as m:
            id_ = m.save(CANARY).id
            with monkeypatch.context() as broken:
                broken.setattr(Keys, "destroy", fail)
                with pytest.raises(StorageFailed):
                    m.erase(id_, basis="gdpr-17")
            assert m.get(id_).content is None
            again = m.erase(id_, basis="gdpr-17")
            assert (again.id, again.erased, again.already) == (None, (), (id_,))
            (certificate,) = m.erasures()
            assert certificate.completed_at is not None
            assert store_of(m).rows.key_of(id_) not in store_of(m).keys.vault().wrapped


class TestOldVault:
    """Somebody puts an old copy of the keys, or of all but the log, back in place."""

    @pytest.mark.parametrize("how", ["keys", "keys and caches", "read only"])
    def test_what_was_erased_stays_gone(self, tmp_path: Path, how: str) -> None:
        directory, old, clock = tmp_path / "data", tmp_path / "old", Clock()
        with opened(directory, clock) as m:
            id_, rest = prepared(m)
        with opened(directory, clock) as m:
            m.search("Zyxomma")
            old.mkdir()
        shutil.copytree(directory / "keys", old / "keys")
        shutil.copytree(directory / "cache", old / "cache")
        with opened(directory, clock) as m:
            raw, _ = key_of(m, id_)
            key_id = store_of(m).rows.key_of(id_)
            m.erase(id_, basis="gdpr-17")
        for name in ("keys", "cache")[: 1 if how == "keys" else 2]:
            shutil.rmtree(directory / name)
            shutil.copytree(old / name, directory / name)
        with opened(directory, clock, read_only=how == "read only") as m:
            assert m.get(id_).content is None
            told = repr(m.history(id_)) + repr(list(m.log()))
            assert not any(word in told for word in WORDS)
            assert m.search("Zyxomma", include_archived=True).hits == ()
            assert m.get(rest).content == REST
            if how != "read only":
                assert key_id not in store_of(m).keys.vault().wrapped
                assert store_of(m).keys.get(key_id or 0) is None
                assert differing(m, ["Zyxomma", "feed"]) == []
        if how != "read only":
            assert leaks(directory, [raw, *forms()]) == []

    def test_a_key_backup_from_before_brings_nothing_back(self, tmp_path: Path) -> None:
        directory, clock = tmp_path / "data", Clock()
        with opened(directory, clock) as m:
            id_, rest = prepared(m)
            m.keys.backup(tmp_path / "keys.backup", passphrase="a long passphrase")
            key_id = store_of(m).rows.key_of(id_)
            m.erase(id_, basis="gdpr-17")
        shutil.rmtree(directory / "keys")
        done = muniment.restore_keys(tmp_path / "keys.backup", directory, "a long passphrase")
        assert done.purged == 1
        with opened(directory, clock) as m:
            assert m.get(id_).content is None
            assert m.get(rest).content == REST
            assert key_id not in store_of(m).keys.vault().wrapped


class TestKeyBackups:
    def test_one_without_its_master_key_ends_when_the_certificate_says(
        self, tmp_path: Path
    ) -> None:
        directory, clock = tmp_path / "data", Clock()
        with opened(directory, clock) as m:
            id_, _ = prepared(m)
            m.keys.backup(tmp_path / "keys.backup")
            certificate = m.erase(id_, basis="gdpr-17")
        master = directory / "keys" / "master.key"
        before = master.read_bytes()
        until = certificate.key_backups_until
        assert until is not None
        assert (until - certificate.requested_at).days == 30
        clock.now = until.replace(microsecond=0)
        clock.advance(seconds=-1)
        with opened(directory, clock) as m:
            m.save("Anna works in Lisbon")
        assert master.read_bytes() == before
        clock.advance(seconds=2)
        with opened(directory, clock) as m:
            assert m.search("Lisbon").hits
            assert store_of(m).keys.destroyed().backups_until is None
        assert master.read_bytes() != before
        with pytest.raises(muniment.Refused) as caught:
            muniment.restore_keys(tmp_path / "keys.backup", directory, master=master)
        assert caught.value.code == "master_key_wrong"

    def test_a_later_erasure_ends_with_the_same_master_key(self, tmp_path: Path) -> None:
        clock = Clock()
        with opened(tmp_path / "data", clock) as m:
            first, second = (m.save(f"Rack {name} is full.").id for name in ("seven", "nine"))
            one = m.erase(first, basis="gdpr-17")
            clock.advance(days=20)
            other = m.erase(second, basis="gdpr-17")
            assert one.key_backups_until == other.key_backups_until
            clock.advance(days=11)
            third = m.erase(m.save("Rack ten is full.").id, basis="gdpr-17")
            assert third.key_backups_until is not None
            assert (third.key_backups_until - third.requested_at).days == 30

    def test_without_a_retention_the_master_key_is_left_alone(self, tmp_path: Path) -> None:
        clock, settings = Clock(), {"log": {"key_backup_retention_days": 0}}
        master = tmp_path / "data" / "keys" / "master.key"
        with opened(tmp_path / "data", clock, settings=settings) as m:
            certificate = m.erase(m.save(CANARY).id, basis="gdpr-17")
            assert certificate.key_backups_until is None
        before = master.read_bytes()
        clock.advance(days=4_000)
        opened(tmp_path / "data", clock, settings=settings).close()
        assert master.read_bytes() == before


def test_vectors_are_erased_though_this_process_has_no_model(tmp_path: Path) -> None:
    directory, clock = tmp_path / "data", Clock()

    def kept() -> set[str]:
        with closing(sqlite3.connect(directory / "cache" / "vectors.db")) as raw:
            return {id_ for (id_,) in raw.execute("SELECT memory_id FROM vectors")}

    with Loopback() as service:
        settings = {"embedding": {"endpoint": service.url(), "model": "toy"}}
        with opened(directory, clock, settings=settings) as m:
            id_, rest = m.save(CANARY).id, m.save(REST).id
            assert m.embeddings is not None
            assert m.embeddings.drain(10.0)
    assert kept() == {id_, rest}
    with opened(directory, clock) as m:
        m.erase(id_, basis="gdpr-17")
    assert kept() == {rest}


def test_an_erasure_does_not_wait_for_a_master_key_that_cannot_be_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Keys) -> int:
        raise StorageFailed("It is not the vault's.", code="master_key_wrong")

    clock = Clock()
    with opened(tmp_path / "data", clock) as m:
        m.erase(m.save(CANARY).id, basis="gdpr-17")
        id_ = m.save(CANARY).id
        clock.advance(days=31)
        with monkeypatch.context() as broken:
            broken.setattr(Keys, "rotate", fail)
            assert m.erase(id_, basis="gdpr-17").erased == (id_,)
            opened(tmp_path / "data", clock).close()
        before = store_of(m).keys.destroyed().backups_until
    opened(tmp_path / "data", clock).close()
    with opened(tmp_path / "data", clock, read_only=True) as m:
        assert before is not None
        assert store_of(m).keys.destroyed().backups_until is None
