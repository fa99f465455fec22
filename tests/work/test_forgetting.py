"""Erasure reaches ``work.db``: a space, and what names somebody."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from processes import started
from work_of import engine_of, rows_of, work_of

import muniment
from muniment import Invalid, Muniment, StorageFailed
from muniment.work.forgetting import Forgetting, Forgotten
from muniment.work.sealing import Seals


def forgetting(m: Muniment) -> Forgetting:
    return work_of(m).forgetting


def fill(m: Muniment) -> None:
    m.working.save("session/abc/note", "Ada Lovelace called", ttl=9_999)
    m.working.save("session/abc/weather", "Rain", ttl=9_999)
    m.conversation.append("abc", "user", "Call ADA lovelace back")
    m.conversation.append("abc", "assistant", "Done")
    m.report_tool_call("abc", "phone.dial", {"who": "ada lovelace"}, True)
    m.report_tool_call("abc", "phone.dial", {"who": "Charles"}, True)


def sealed(directory: Path, space: str = "default") -> list[bytes]:
    """Everything that is sealed of a space, as it stands in the file."""
    with closing(sqlite3.connect(directory / "work.db")) as raw:
        return [
            blob
            for table, column in (("entries", "value"), ("entries", "heading"), ("turns", "said"))
            for (blob,) in raw.execute(f"SELECT {column} FROM {table} WHERE space = ?", (space,))
        ]


SCAN = """
import pathlib, sys
files = sorted(path for path in pathlib.Path(sys.argv[1]).rglob("*") if path.is_file())
everything = b"".join(path.read_bytes() for path in files)
print(*(int(bytes.fromhex(canary) in everything) for canary in sys.argv[2:]))
"""


def traces(directory: Path, canaries: list[bytes]) -> int:
    """How many byte strings stand anywhere; another process looks, as this has files open."""
    scan = [sys.executable, "-S", "-c", SCAN, str(directory), *(one.hex() for one in canaries)]
    done = subprocess.run(scan, capture_output=True, check=True, text=True)
    return sum(map(int, done.stdout.split()))


class TestASpace:
    def test_nothing_of_it_is_left_and_others_are_not_touched(self, m: Muniment) -> None:
        fill(m)
        other = m.acting_as("manual", space="other")
        fill(other)
        assert forgetting(m).forget_space("default") == Forgotten(entries=2, turns=2, reports=2)
        assert m.working.search().hits == ()
        assert m.conversation.search().hits == ()
        assert m.conversation.search("Ada").hits == ()
        assert m.context("abc", "Ada").turns == ()
        assert len(other.working.search()) == len(other.conversation.search()) == 2
        fill(m)  # and it can be used again
        assert len(m.working.search("ada")) == 1

    def test_no_byte_of_it_is_left_and_its_key_is_destroyed(self, tmp_path: Path) -> None:
        with muniment.open(tmp_path) as m:
            fill(m)
        canaries = sealed(tmp_path)
        assert len(canaries) == 6
        with muniment.open(tmp_path) as m:
            ((key_id,),) = rows_of(m, "SELECT key_id FROM spaces")
            assert engine_of(m).store.keys.get(key_id) is not None
            assert traces(tmp_path, canaries) == 6
            forgetting(m).forget_space("default")
            assert engine_of(m).store.keys.get(key_id) is None
            assert traces(tmp_path, canaries) == 0  # in the write-ahead log neither
            assert rows_of(m, "SELECT * FROM doomed") == []

    def test_a_space_that_has_nothing_is_no_obstacle(self, m: Muniment) -> None:
        assert forgetting(m).forget_space("nowhere") == Forgotten(0, 0, 0)

    def test_what_dies_in_between_is_finished_by_who_opens_it_next(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with muniment.open(tmp_path) as m:
            fill(m)
        canaries = sealed(tmp_path)
        with muniment.open(tmp_path) as m:
            ((key_id,),) = rows_of(m, "SELECT key_id FROM spaces")

            def dies(seals: Seals, key_ids: list[int]) -> None:
                raise StorageFailed("the vault is out of reach", code="keys_failed")

            with monkeypatch.context() as patch:
                patch.setattr(Seals, "destroy", dies)
                with pytest.raises(StorageFailed):
                    forgetting(m).forget_space("default")
                assert m.working.search().hits == ()  # from then on every answer is without it
            assert engine_of(m).store.keys.get(key_id) is not None
        with muniment.open(tmp_path) as m:
            m.working.search()
            assert engine_of(m).store.keys.get(key_id) is None
            assert traces(tmp_path, canaries) == 0

    def test_what_searches_hold_in_memory_is_made_anew_without_it(self, m: Muniment) -> None:
        fill(m)
        words = work_of(m).turn_words
        assert len(m.conversation.search("lovelace")) == 1
        assert "lovelac" in words.vocabulary("default")
        forgetting(m).forget_subject("default", ["Lovelace"])
        assert len(m.conversation.search("lovelace")) == 0
        assert "lovelac" not in words.vocabulary("default")
        assert "done" in words.vocabulary("default")

    def test_another_process_forgets_it_too(self, tmp_path: Path) -> None:
        code = """
        with muniment.open(target) as m:
            say(len(m.conversation.search("lovelace")))
            sys.stdin.readline()
            say([len(m.conversation.search("lovelace")), len(m.working.search())])
            m.working.save("session/abc/new", "v")
            say(m.working.get("session/abc/new").value)
        """
        with muniment.open(tmp_path) as m:
            fill(m)
            with started(code, tmp_path) as other:
                assert other.hear() == 1
                forgetting(m).forget_space("default")
                other.tell()
                assert other.hear() == [0, 0]
                assert other.hear() == "v"
            assert m.working.get("session/abc/new").value == "v"


WITH_A_NAME: list[Callable[[Muniment], object]] = [
    lambda m: m.working.save("session/ada/x", "v"),
    lambda m: m.working.save("a/b/c", "v", tags=["Ada"]),
    lambda m: m.working.save("a/b/c", "v", category="people/ADA"),
    lambda m: m.conversation.append("ada", "user", "hello"),
    lambda m: m.report_tool_call("s", "t", {}, False, "Ada is out"),
    lambda m: m.report_tool_call("s", "ada.call", {}, True),
]


class TestASubject:
    def test_what_names_somebody_is_gone_and_the_rest_is_not(self, m: Muniment) -> None:
        fill(m)
        m.context("abc", "hello")
        assert forgetting(m).forget_subject("default", ["Ada Lovelace"]) == Forgotten(1, 1, 1)
        assert [hit.key for hit in m.working.search()] == ["session/abc/weather"]
        assert [turn.content for turn in m.conversation.turns("abc")] == ["Done"]
        assert not m.working.search("Ada").hits
        assert not m.conversation.search("Ada").hits
        assert len(m.working.search("rain")) == 1
        assert len(m.conversation.search("done")) == 1

    @pytest.mark.parametrize("store", WITH_A_NAME)
    def test_a_name_is_found_wherever_it_stands(
        self, m: Muniment, store: Callable[[Muniment], object]
    ) -> None:
        store(m)
        counts = forgetting(m).forget_subject("default", ["ada"])
        assert counts.entries + counts.turns + counts.reports == 1

    def test_who_speaks_is_no_name(self, m: Muniment) -> None:
        m.conversation.append("a", "user", "hello")
        assert forgetting(m).forget_subject("default", ["user"]) == Forgotten(0, 0, 0)

    def test_what_mentions_a_memory_of_somebody_goes_too(self, m: Muniment) -> None:
        saved = m.save("Ada is out")
        m.working.save("a/b/c", f"see {saved.id[-12:].upper()}")
        m.context("s", "who is out?")
        forgetting(m).forget_subject("default", [], [saved.id])
        assert m.working.search().hits == ()
        assert len(m.context("s", "who is out, and since when, and why?").recalled) == 1

    def test_no_byte_of_it_is_left_and_what_stays_is_under_another_key(
        self, tmp_path: Path
    ) -> None:
        with muniment.open(tmp_path) as m:
            fill(m)
        before = sealed(tmp_path)
        with muniment.open(tmp_path) as m:
            forgetting(m).forget_subject("default", ["Ada"])
            assert traces(tmp_path, before) == 0
            m.working.save("session/abc/weather", "Sun")  # found under its name by the new key
            assert len(m.working.search()) == 1
            m.conversation.append("abc", "user", "Still there?")
            assert [turn.content for turn in m.conversation.turns("abc")] == [
                "Done",
                "Still there?",
            ]
            assert len(m.working.search(namespace="session/abc")) == 1

    @pytest.mark.parametrize("names", [[], [""], ["Ada", "  "]])
    def test_nobody_is_no_subject(self, m: Muniment, names: list[str]) -> None:
        fill(m)
        with pytest.raises(Invalid) as caught:
            forgetting(m).forget_subject("default", names)
        assert (caught.value.code, caught.value.field) == ("subject_invalid", "subject")
        assert len(m.working.search()) == 2


def test_the_copy_of_a_file_is_of_no_use_once_the_space_is_forgotten(tmp_path: Path) -> None:
    with muniment.open(tmp_path / "store") as m:
        fill(m)
    copy = (tmp_path / "store" / "work.db").read_bytes()
    with muniment.open(tmp_path / "store") as m:
        forgetting(m).forget_space("default")
    (tmp_path / "store" / "work.db").write_bytes(copy)
    with muniment.open(tmp_path / "store") as m, pytest.raises(StorageFailed) as caught:
        m.working.search()
    assert caught.value.code == "key_missing"
