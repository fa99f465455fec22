"""Purges under fire: killed, out of space, watched by others; and no byte of the words left."""

import base64
import shutil
import sqlite3
from pathlib import Path

import pytest
from bdd import Clock
from canary import key_of, leaks, spellings
from processes import run, started
from projection_answers import differing, store_of

import muniment
from muniment import Muniment, NotFound

CANARY = "Zyxomma petiolatum flies over Ærøskøbing at dusk"
ADDED = f"{CANARY} and Quetzalcoatlus since 1987"
WORDS = ("Zyxomma", "petiolatum", "Ærøskøbing", "Quetzalcoatlus", "Vexillology", "Xanthippe")

_PRELUDE = """
import datetime, logging, structlog
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
START = datetime.datetime(2026, 3, 3, 12, tzinfo=datetime.timezone.utc)
now = [START]


def opened():
    return muniment.open(target, clock=lambda: now[0], settings={"log": {"keep_state_after": 1}})


def prepared(number=3):
    with opened() as m:
        ids = [m.save(f"Room {one} is dry and Xanthippe knows it.").id for one in range(number)]
        kept = m.save("Socrates drinks tea in Athens.").id
        m.search("Xanthippe")
        for id_ in ids:
            m.archive(id_, "because of Xanthippe")
    now[0] += datetime.timedelta(days=91)
    return ids, kept
"""


def opened(directory: Path, clock: Clock) -> Muniment:
    return muniment.open(directory, clock=clock, settings={"log": {"keep_state_after": 1}})


def forms_of_words() -> list[bytes]:
    return [form for word in WORDS for form in spellings(word) if len(form) > 5]


def removals(m: Muniment, id_: str) -> list[str]:
    names = [entry.name for entry in m.history(id_)]
    return [name for name in names if name.startswith("memory.purge")]


ONCE = ["memory.purge_requested", "memory.purged"]


class TestCanary:
    def test_no_byte_of_the_words_or_of_the_key_is_left_anywhere(self, tmp_path: Path) -> None:
        clock, directory = Clock(), tmp_path / "data"
        with opened(directory, clock) as m:
            id_ = m.save(CANARY, tags=["Vexillology"], metadata={"by": "Xanthippe"}).id
            m.save("Anna works in Lisbon")
            assert m.save(CANARY).outcome == "reinforced"
            assert m.save(ADDED).outcome == "extended"
            m.search("Zyxomma")
        with opened(directory, clock) as m:
            assert [hit.memory.id for hit in m.search("petiolatum").hits] == [id_]
            m.archive(id_, "Xanthippe said so")
            raw, wrapped = key_of(m, id_)
            keys = [raw, wrapped, raw.hex().encode(), base64.b64encode(raw)]
            assert leaks(directory, [wrapped]) == ["keys.db"]
            old = tmp_path / "old"
            old.mkdir()
            for path in directory.glob("log.db*"):
                shutil.copy(path, old)
            clock.advance(days=91)
            m.save("Bert works in Porto")
            before = m.verify()
            assert m.purge().purged == [id_]
            assert leaks(directory, forms_of_words() + keys) == []
            assert m.verify().intact
            assert m.verify().events == before.events + 2
            assert differing(m, ["Zyxomma", "works"]) == []
        assert leaks(directory, forms_of_words() + keys) == []
        with opened(directory, clock) as m:
            assert m.get(id_).content is None
            assert m.search("Zyxomma", include_archived=True).hits == ()
            assert len(m.search("works").hits) == 2
            assert m.verify().intact
            assert m.rebuild().agrees
        assert leaks(directory, forms_of_words() + keys) == []
        assert leaks(old, forms_of_words() + keys) == []

    def test_an_old_copy_of_the_log_gives_up_nothing_with_the_keys_of_today(
        self, tmp_path: Path
    ) -> None:
        clock, directory = Clock(), tmp_path / "data"
        with opened(directory, clock) as m:
            id_ = m.save(CANARY).id
            m.archive(id_, "stale")
            old = tmp_path / "old"
            m.backup(old)
            clock.advance(days=91)
            m.purge()
        shutil.copytree(directory / "keys", old / "keys")
        with muniment.open(old, clock=clock, read_only=True) as m:
            memory = m.get(id_)
            assert (memory.state, memory.fault) == ("archived", "key_missing")
            assert "Zyxomma" not in repr(list(m.log())) + repr(memory)


STEPS = {
    "the request's commit": """
        Keys.destroy = die
    """,
    "the key's destruction": """
        destroy = Keys.destroy
        Keys.destroy = lambda *given: die(destroy(*given))
    """,
    "half of the caches": """
        KeptStates.forget = die
    """,
    "the caches": """
        purge = ReadModels.purge
        ReadModels.purge = lambda *given: die(purge(*given))
    """,
    "the decision to record it": """
        CompletePurge.decide = die
    """,
    "the record's commit": """
        apply = ReadModels.apply

        def apply_and_die(self, events):
            events = list(events)
            if any(one.name == "memory.purged" for one in events):
                die()
            apply(self, events)

        ReadModels.apply = apply_and_die
    """,
}


class TestKilled:
    @pytest.mark.parametrize("step", STEPS)
    def test_whoever_opens_next_finishes_it_once(self, tmp_path: Path, step: str) -> None:
        directory, clock = tmp_path / "data", Clock()
        patch = "\n".join(line.strip("\n")[4:] for line in STEPS[step].splitlines())
        (ids, kept, status) = run(
            _PRELUDE
            + """
from muniment.commands.purge import CompletePurge
from muniment.log.kept import KeptStates
from muniment.log.keys import Keys
from muniment.log.read_models import ReadModels


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


ids, kept = prepared()
say(ids)
say(kept)
child = os.fork()
if child == 0:
    m = opened()
"""
            + patch
            + """
    m.purge()
    os._exit(7)
say(os.waitpid(child, 0)[1])
""",
            directory,
        )
        assert status == 9
        clock.advance(days=91)
        for _ in range(2):
            with opened(directory, clock) as m:
                for id_ in ids:
                    assert removals(m, id_) == ONCE
                    assert m.get(id_).state == "purged"
                    with pytest.raises(NotFound, match="purged"):
                        m.restore(id_)
                assert m.get(kept).content == "Socrates drinks tea in Athens."
                store = store_of(m)
                wrapped = store.keys.vault().wrapped
                assert not {store.rows.key_of(id_) for id_ in ids} & wrapped.keys()
                assert store.rows.key_of(kept) in wrapped
                assert m.search("Xanthippe", include_archived=True).hits == ()
                assert m.verify().intact
                assert differing(m, ["Xanthippe", "Socrates"]) == []
                assert m.purge().due == []
        assert leaks(directory, list(spellings("Xanthippe"))) == []

    def test_a_reader_sees_it_as_purged_though_nobody_has_finished_it(self, tmp_path: Path) -> None:
        directory = tmp_path / "data"
        (ids,) = run(
            _PRELUDE
            + """
from muniment.log.keys import Keys
ids, kept = prepared()
say(ids)
child = os.fork()
if child == 0:
    Keys.destroy = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    opened().purge()
os.waitpid(child, 0)
""",
            directory,
        )
        with muniment.open(directory, read_only=True) as m:
            for id_ in ids:
                assert (m.get(id_).state, m.get(id_).content) == ("purged", None)
                assert "Xanthippe" not in repr(m.history(id_))
            assert m.search("Xanthippe", include_archived=True).hits == ()
            assert "Xanthippe" not in repr(list(m.log()))


class TestOthers:
    def test_who_had_it_in_memory_sees_it_purged_on_the_next_call(self, tmp_path: Path) -> None:
        directory, clock = tmp_path / "data", Clock()
        with opened(directory, clock) as m:
            id_ = m.save(CANARY).id
            m.archive(id_, "stale")
            with (
                opened(directory, clock) as other,
                started(
                    """
                    m = muniment.open(target)
                    id_ = arguments[0]
                    for line in sys.stdin:
                        found = m.search("Zyxomma", include_archived=True).hits
                        told = repr(m.history(id_)) + repr(list(m.log()))
                        store = m._engine.store
                        say([m.get(id_).state, len(found), "Zyxomma" in told,
                             store.rows.key_of(id_) in store.keys._raw])
                    m.close()
                    """,
                    directory,
                    id_,
                ) as process,
            ):
                process.tell()
                assert process.hear() == ["archived", 1, True, True]
                assert other.get(id_).content == CANARY
                assert len(other.search("Zyxomma", include_archived=True).hits) == 1
                clock.advance(days=91)
                assert m.purge().purged == [id_]
                assert other.get(id_).content is None
                assert other.search("Zyxomma", include_archived=True).hits == ()
                assert "Zyxomma" not in repr(other.history(id_)) + repr(list(other.log()))
                assert store_of(other).keys.get(store_of(other).rows.key_of(id_) or 0) is None
                process.tell()
                assert process.hear() == ["purged", 0, False, False]
            assert differing(m, ["Zyxomma"]) == []

    def test_between_the_request_and_the_end_no_open_handle_tells_a_word(
        self, tmp_path: Path
    ) -> None:
        directory = tmp_path / "data"
        with started(
            _PRELUDE
            + """
from muniment.log.keys import Keys
destroy = Keys.destroy


def wait(*given):
    Keys.destroy = destroy
    say("asked for")
    sys.stdin.readline()
    destroy(*given)


ids, kept = prepared()
say(ids)
Keys.destroy = wait
m = opened()
sys.stdin.readline()
say(list(m.purge().purged))
m.close()
""",
            directory,
        ) as process:
            ids = process.hear()
            with muniment.open(directory) as m:
                assert "Xanthippe" in repr(m.history(ids[0]))
                process.tell()
                assert process.hear() == "asked for"
                for id_ in ids:
                    assert m.get(id_).state == "purged"
                    assert "Xanthippe" not in repr(m.history(id_))
                assert "Xanthippe" not in repr(list(m.log()))
                assert m.search("Xanthippe", include_archived=True).hits == ()
                process.tell()
                assert process.hear() == ids
                assert [removals(m, id_) for id_ in ids] == [ONCE] * 3

    def test_two_that_purge_at_once_record_each_end_once(self, tmp_path: Path) -> None:
        directory, clock = tmp_path / "data", Clock()
        purging = (
            _PRELUDE
            + """
now[0] += datetime.timedelta(days=91)
m = opened()
say("ready")
sys.stdin.readline()
say(list(m.purge().purged))
m.close()
"""
        )
        with opened(directory, clock) as m:
            ids = [m.save(f"Room {number} is dry.").id for number in range(40)]
            for id_ in ids:
                m.archive(id_, "stale")
        with started(purging, directory) as first, started(purging, directory) as second:
            both = (first, second)
            assert [process.hear() for process in both] == ["ready"] * 2
            for process in both:
                process.tell()
            purged = [id_ for process in both for id_ in process.hear()]
        assert sorted(purged) == sorted(ids)
        with opened(directory, clock) as m:
            assert [removals(m, id_) for id_ in ids] == [ONCE] * len(ids)
            assert m.verify().intact


FULL_AT = ["RequestPurge.decide", "Keys.destroy", "ReadModels.purge", "CompletePurge.decide"]


@pytest.mark.parametrize("step", FULL_AT)
def test_without_space_a_purge_fails_typed_reads_go_on_and_it_resumes(
    tmp_path: Path, step: str
) -> None:
    directory = tmp_path / "data"
    said = run(
        _PRELUDE
        + """
import resource
from muniment.commands.purge import CompletePurge, RequestPurge
from muniment.log.keys import Keys
from muniment.log.read_models import ReadModels
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
ids, kept = prepared()
m = opened()
m.search("Socrates")
kind, method = arguments[0].split(".")
original = getattr(globals()[kind], method)


def fill(*given):
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    return original(*given)


setattr(globals()[kind], method, fill)
try:
    m.purge()
    say("done")
except muniment.StorageFailed as error:
    say(error.code)
setattr(globals()[kind], method, original)
before = "archived" if kind == "RequestPurge" else "purged"
say([m.get(id_).state == before for id_ in ids])
say([hit.memory.id for hit in m.search("Socrates").hits] == [kept])
with opened() as other:  # though it cannot finish what was begun
    say(other.get(kept).content)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
would = m.purge(dry_run=True).due
done = m.purge().purged
say([sorted(would) == sorted(ids), sorted(done) == sorted(ids)])
say([[e.name for e in m.history(id_)][2:] for id_ in ids])
say(m.verify().intact)
m.close()
""",
        directory,
        step,
    )
    code, states, reads, content, resumed, names, intact = said
    assert code in ("full", "io_error", "keys_failed", "outcome_unknown")
    assert states == [True] * 3
    assert reads is True
    assert content == "Socrates drinks tea in Athens."
    assert resumed == [True, True]
    assert names == [ONCE] * 3
    assert intact is True
    assert leaks(directory, list(spellings("Xanthippe"))) == []
    raw = sqlite3.connect(directory / "log.db")
    recorded = raw.execute("SELECT count(*) FROM events WHERE name = 'memory.purged'").fetchone()
    raw.close()
    assert recorded == (3,)
