import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from muniment.adapters.vector_cache import Kept, VectorCache
from muniment.domain.embedding import Vectors
from muniment.domain.errors import StorageFailed

KEY = bytes(range(32))
OTHER_KEY = bytes(32)
SECRET = "the launch code is mellon"


def vector(*values: float) -> Vectors:
    return np.array(values, np.float32)


def put(cache: VectorCache, memory_id: str, text: str, version: int = 1, model: str = "m") -> None:
    cache.put_many(model, [(Kept(memory_id, version, vector(len(text), version)), text)])


def held(cache: VectorCache, model: str = "m") -> list[tuple[str, int]]:
    return [(kept.memory_id, kept.text_version) for kept in cache.kept(model)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "vectors.db"


class TestAVector:
    def test_comes_back_as_it_was_by_model_and_text(self, path: Path) -> None:
        cache = VectorCache(path, KEY)
        one, two = vector(0.6, 0.8), vector(-1, 1e-30)
        cache.put_many("m", [(Kept("a", 1, one), "first"), (Kept("b", 2, two), "second")])
        cache.close()
        cache = VectorCache(path, KEY)
        found = cache.get_many("m", ["second", "third", "first", "second"])
        assert [None if each is None else each.tolist() for each in found] == [
            two.tolist(),
            None,
            one.tolist(),
            two.tolist(),
        ]
        assert cache.get_many("other", ["first"]) == [None]
        assert [(k.memory_id, k.text_version, k.vector.tolist()) for k in cache.kept("m")] == [
            ("a", 1, one.tolist()),
            ("b", 2, two.tolist()),
        ]
        cache.close()

    def test_of_a_newer_text_takes_the_place_of_the_older(self, path: Path) -> None:
        cache = VectorCache(path, KEY)
        put(cache, "a", "old", 1)
        put(cache, "a", "new", 2)
        assert held(cache) == [("a", 2)]
        assert cache.get_many("m", ["old"]) == [None]
        cache.close()

    def test_of_a_text_that_two_memories_say_is_kept_for_each(self, path: Path) -> None:
        cache = VectorCache(path, KEY)
        put(cache, "a", "same")
        put(cache, "b", "same")
        cache.forget(["a"])
        assert held(cache) == [("b", 1)]
        assert cache.get_many("m", ["same"])[0] is not None
        cache.forget(["b"])
        assert cache.get_many("m", ["same"]) == [None]
        cache.close()

    def test_is_kept_for_each_model(self, path: Path) -> None:
        cache = VectorCache(path, KEY)
        put(cache, "a", "x", model="m")
        put(cache, "a", "x", model="n")
        put(cache, "b", "y", model="n")
        assert cache.models() == {"m": 1, "n": 2}
        cache.close()

    def test_is_one_of_many(self) -> None:
        cache = VectorCache(None, KEY)
        entries = [(Kept(f"{n:05}", 1 + n % 2, vector(n, 1)), f"text {n}") for n in range(1_234)]
        cache.put_many("m", entries)
        assert held(cache) == [(kept.memory_id, kept.text_version) for kept, _ in entries]
        found = cache.get_many("m", [text for _, text in entries])
        assert [each is not None and each[0] for each in found] == list(range(1_234))
        cache.forget(kept.memory_id for kept, _ in entries)
        assert held(cache) == []
        cache.close()


class TestForgetting:
    def test_leaves_nothing_of_the_vector_in_the_file(self, path: Path) -> None:
        cache = VectorCache(path, KEY)
        put(cache, "a", SECRET, 1)
        put(cache, "a", SECRET, 1, model="n")
        put(cache, "b", "x")
        with sqlite3.connect(path) as connection:
            sealed = connection.execute("SELECT sealed FROM vectors WHERE memory_id = 'a'")
            bytes_before = [row[0] for row in sealed]
        connection.close()
        assert all(each in path.read_bytes() for each in bytes_before)
        cache.forget(["a", "unknown"])
        assert held(cache) == [("b", 1)]
        cache.close()
        assert not any(each in path.read_bytes() for each in bytes_before)
        assert [each.name for each in path.parent.iterdir() if each.stat().st_size] == [
            "vectors.db"
        ]


class TestTheFile:
    def test_shows_no_text_vector_or_fingerprint(self, path: Path) -> None:
        one, two = VectorCache(path, KEY), VectorCache(path.with_name("other.db"), OTHER_KEY)
        kept = Kept("a", 1, vector(*([0.125] * 64)))
        names: list[bytes] = []
        for cache, file in ((one, path), (two, path.with_name("other.db"))):
            cache.put_many("m", [(kept, SECRET)])
            cache.close()
            content = file.read_bytes()
            assert b"mellon" not in content
            assert kept.vector.tobytes()[:8] not in content
            with sqlite3.connect(file) as connection:
                names += [row[0] for row in connection.execute("SELECT name FROM vectors")]
            connection.close()
        assert len(set(names)) == 2

    def test_is_readable_by_its_owner_alone(self, path: Path) -> None:
        VectorCache(path, KEY).close()
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.parent.stat().st_mode & 0o777 == 0o700

    def test_under_another_key_is_emptied(self, path: Path) -> None:
        cache = VectorCache(path, KEY)
        put(cache, "a", "x")
        cache.close()
        cache = VectorCache(path, OTHER_KEY)
        assert cache.models() == {}
        put(cache, "b", "y")
        assert held(cache) == [("b", 1)]
        cache.close()

    def test_of_another_version_is_emptied(self, path: Path) -> None:
        path.parent.mkdir()
        with sqlite3.connect(path) as connection:
            connection.execute('CREATE TABLE "vec""tors" (x)')
            connection.execute("CREATE TABLE vectors (model)")
            connection.execute("PRAGMA user_version = 99")
        connection.close()
        cache = VectorCache(path, KEY)
        put(cache, "a", "x")
        assert cache.models() == {"m": 1}
        cache.close()

    @pytest.mark.parametrize("content", [b"not a database at all, whatever it is" * 100, b"x"])
    def test_that_is_no_database_is_made_anew(self, path: Path, content: bytes) -> None:
        path.parent.mkdir()
        path.write_bytes(content)
        with structlog.testing.capture_logs() as logs:
            cache = VectorCache(path, KEY)
        assert {entry["event"] for entry in logs} <= {"vector_cache_unreadable"}
        put(cache, "a", "x")
        assert held(cache) == [("a", 1)]
        cache.close()

    def test_that_cannot_be_made_fails_in_words(self, tmp_path: Path) -> None:
        (tmp_path / "cache").write_text("a file")
        with pytest.raises(StorageFailed) as caught:
            VectorCache(tmp_path / "cache" / "vectors.db", KEY)
        assert caught.value.code == "vector_cache_failed"

    def test_that_is_locked_for_too_long_fails_in_words(self, path: Path) -> None:
        cache = VectorCache(path, KEY, busy_timeout=0.05)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StorageFailed) as caught:
            cache.forget(["a"])
        assert caught.value.code == "vector_cache_failed"
        other.execute("ROLLBACK")
        other.close()
        cache.forget(["a"])
        cache.close()

    def test_that_another_key_took_over_is_written_by_nobody_else(self, path: Path) -> None:
        cache = VectorCache(path, KEY)
        VectorCache(path, OTHER_KEY).close()
        with pytest.raises(StorageFailed):
            put(cache, "a", "x")
        with pytest.raises(StorageFailed):
            cache.get_many("m", ["x"])
        cache.close()


class TestARow:
    @pytest.mark.parametrize(
        "damage",
        [
            "UPDATE vectors SET sealed = zeroblob(64)",
            "UPDATE vectors SET sealed = x''",
            "UPDATE vectors SET memory_id = 'b'",
            "UPDATE vectors SET text_version = 2",
        ],
    )
    def test_that_was_tampered_with_is_as_good_as_none(self, path: Path, damage: str) -> None:
        cache = VectorCache(path, KEY)
        put(cache, "a", "x")
        with sqlite3.connect(path) as connection:
            connection.execute(damage)
        connection.close()
        assert cache.get_many("m", ["x"]) == [None]
        assert held(cache) == []
        put(cache, "a", "x", 3)
        assert ("a", 3) in held(cache)
        cache.close()


def test_a_key_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        VectorCache(None, b"short")


@given(st.text(), st.text(), st.text(), st.text())
def test_no_two_pairs_of_model_and_text_share_a_name(
    model: str, text: str, other_model: str, other_text: str
) -> None:
    cache = VectorCache(None, KEY)
    cache.put_many(model, [(Kept("a", 1, vector(1)), text)])
    found = cache.get_many(other_model, [other_text])[0]
    assert (found is not None) == ((model, text) == (other_model, other_text))
    cache.close()


WRITER = """
import sys
from pathlib import Path
import numpy as np
from muniment.adapters.vector_cache import Kept, VectorCache
cache = VectorCache(Path(sys.argv[1]), bytes(range(32)))
for number in range(20):
    id = f"{sys.argv[2]}{number:03}"
    cache.put_many("m", [(Kept(id, 1, np.array([number], np.float32)), id)])
    if number % 4 == 0:
        cache.forget([id])
cache.close()
"""


def test_two_processes_and_two_threads_write_at_once_and_lose_nothing(path: Path) -> None:
    arguments = [sys.executable, "-c", WRITER, os.fspath(path)]
    processes = [subprocess.Popen([*arguments, name]) for name in "ab"]
    cache = VectorCache(path, KEY)

    def write(name: str) -> None:
        for number in range(20):
            put(cache, f"{name}{number:03}", f"{name}{number:03}")

    threads = [threading.Thread(target=write, args=(name,)) for name in "cd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [process.wait(30) for process in processes] == [0, 0]
    ids = [memory_id for memory_id, _ in held(cache)]
    assert ids == [
        f"{name}{number:03}"
        for name in "abcd"
        for number in range(20)
        if name in "cd" or number % 4 != 0
    ]
    cache.close()
