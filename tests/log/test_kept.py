"""The kept state of projections: used where everything fits, left out otherwise, never trusted."""

import random
import re
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import structlog
from kept_states import (
    CANARY,
    NAMES,
    TEXTS,
    engine_of,
    every_file,
    filled,
    kept_of,
    opened,
    reasons_when_opened,
    states,
    touched,
)
from projection_answers import differing

import muniment
from muniment import StorageFailed
from muniment.log import kept_files, sealed_parts
from muniment.log.keys import Keys
from muniment.log.sealed_parts import Layout, Stamp
from muniment.log.store import Store
from muniment.projections.catalog import Catalog
from muniment.projections.parts import Parts


@pytest.fixture
def replays(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """After which position the log was read, each time that it was."""
    asked: list[int] = []
    plain = Store.recorded

    def recorded(self: Store, **given: Any) -> Iterator[Any]:
        asked.append(given.get("after", 0))
        return plain(self, **given)

    monkeypatch.setattr(Store, "recorded", recorded)
    return asked


# used


def test_a_store_that_is_opened_again_reads_only_what_came_after(
    tmp_path: Path, replays: list[int]
) -> None:
    filled(tmp_path)
    assert states(tmp_path).keys() == set(NAMES)
    with opened(tmp_path, after=1_000) as m:
        head = m.stats().head
        m.save("The lighthouse stands", category="ci")
    replays.clear()
    with opened(tmp_path, after=1_000) as m:
        touched(m)
        assert set(replays) == {head}
        assert differing(m, TEXTS) == []
        assert m.rebuild().agrees


def test_what_was_kept_once_is_kept_again_when_enough_came_after(
    tmp_path: Path, replays: list[int]
) -> None:
    filled(tmp_path)
    with opened(tmp_path, after=3) as m:
        m.save("The lighthouse stands")
        m.save("The ferry sails at noon")
        before = every_file(tmp_path)
    assert every_file(tmp_path) == before
    with opened(tmp_path, after=3) as m:
        touched(m)
        m.save("The museum opens late")
        head = m.stats().head
    assert every_file(tmp_path).keys() == before.keys()
    replays.clear()
    with opened(tmp_path) as m:
        touched(m)
        assert set(replays) == {head}
        assert differing(m, TEXTS) == []


def test_each_space_has_states_of_its_own(tmp_path: Path) -> None:
    with opened(tmp_path) as m:
        other = m.acting_as("manual", space="other")
        m.save(TEXTS[0])
        other.save(TEXTS[1])
        other.search("zebra")
    assert len(every_file(tmp_path)) == 4
    assert not any("other" in name or "default" in name for name in every_file(tmp_path))
    with opened(tmp_path, read_only=True) as m:
        assert differing(m, TEXTS) == []
        assert differing(m.acting_as("manual", space="other"), TEXTS) == []
    assert reasons_when_opened(tmp_path) == []


def test_a_state_may_be_newer_than_what_is_loaded_already(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, after=1_000, read_only=True) as behind:
        models = engine_of(behind).models
        with models.lock:
            models.catch_up()
            models.catalog("default")
        position = models.position
        with opened(tmp_path) as ahead:
            ahead.save("The lighthouse stands", category="ci")
            head = ahead.stats().head
        with models.lock:
            models.similarity("default")
        assert models.position == head > position
        assert differing(behind, TEXTS) == []


def test_a_log_that_grows_beside_is_followed(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, read_only=True) as reader, opened(tmp_path) as writer:
        touched(reader)
        writer.save("The lighthouse stands", category="ci")
        assert [hit.memory.content for hit in reader.search("lighthouse").hits]
        assert differing(reader, TEXTS) == []


def test_a_large_state_lies_in_several_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, replays: list[int]
) -> None:
    monkeypatch.setattr(kept_files, "SEGMENT", 2_048)
    monkeypatch.setattr(sealed_parts, "CHUNK", 1_024)
    filled(tmp_path, tuple(f"The part number {n} runs {n * n} rounds" for n in range(60)) + TEXTS)
    files = every_file(tmp_path)
    assert len(files) > 2 * len(NAMES)
    assert all(len(content) <= 2_048 for content in files.values())
    replays.clear()
    with opened(tmp_path) as m:
        touched(m)
        assert 0 not in replays
        assert differing(m, TEXTS) == []
        m.save("The lighthouse stands")
    left = every_file(tmp_path)
    assert not left.keys() & {name for name in files if name.count(".") > 1}
    assert reasons_when_opened(tmp_path) == []
    next(path for name in left if (path := tmp_path / "cache" / name).name.count(".") > 1).unlink()
    assert len(reasons_when_opened(tmp_path)) == 1


def test_nothing_larger_than_a_chunk_is_lost_between_chunks() -> None:
    key, values = bytes(32), np.arange(3 << 20, dtype=np.int64)
    layout = Layout({"a": values, "b": b"\0\1", "c": ["é", "\ud800"], "d": np.zeros(0, np.int32)})
    stamp = Stamp(
        store="s", space="s", projection="p", version=1, maker="m", position=1, chain="",
        key=1, salt="", size=layout.size,
    )  # fmt: skip
    chunks = list(sealed_parts.sealed(layout, stamp, key))
    assert len(chunks) == 4
    parts = sealed_parts.opened(chunks, stamp, key)
    assert np.array_equal(np.asarray(parts["a"]), values)
    assert (parts["b"], parts["c"]) == (b"\0\1", ["é", "\ud800"])
    for wrong in ([*chunks[:-1]], [chunks[1], chunks[0], *chunks[2:]], [*chunks, chunks[-1]]):
        with pytest.raises(sealed_parts.Unreadable):
            sealed_parts.opened(wrong, stamp, key)


# not kept


def test_nothing_is_kept_before_enough_events_came(tmp_path: Path) -> None:
    filled(tmp_path, after=10_000)
    assert not (tmp_path / "cache").exists()


def test_nothing_is_kept_nor_used_where_that_is_switched_off(
    tmp_path: Path, replays: list[int]
) -> None:
    filled(tmp_path, keep_state=False)
    assert not (tmp_path / "cache").exists()
    filled(tmp_path)
    replays.clear()
    with opened(tmp_path, keep_state=False) as m:
        touched(m)
        assert set(replays) == {0}


def test_a_handle_that_only_reads_uses_a_state_and_writes_none(
    tmp_path: Path, replays: list[int]
) -> None:
    filled(tmp_path)
    before = every_file(tmp_path)
    with opened(tmp_path, after=1_000) as m:
        m.save("The lighthouse stands")
    replays.clear()
    with opened(tmp_path, read_only=True) as m:
        touched(m)
        assert 0 not in replays
    assert every_file(tmp_path) == before
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache.lock").unlink()
    with opened(tmp_path, read_only=True) as m:
        touched(m)
        assert engine_of(m).models.keep() == 0
        with pytest.raises(StorageFailed):
            engine_of(m).models.purge("default")
    assert not (tmp_path / "cache").exists()
    assert not (tmp_path / "cache.lock").exists()


def test_a_store_in_memory_keeps_nothing_and_purges_all_the_same() -> None:
    with muniment.open(":memory:", settings={"log": {"keep_state_after": 1}}) as m:
        m.save(TEXTS[0])
        touched(m)
        assert engine_of(m).models.keep() == 0
        engine_of(m).models.purge("default")
        assert differing(m, TEXTS) == []


def test_what_is_kept_is_for_its_owner_alone(tmp_path: Path) -> None:
    filled(tmp_path)
    made = [tmp_path / "cache", tmp_path / "cache.lock", *(tmp_path / "cache").glob("*")]
    for path in made:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_no_word_is_in_the_files_nor_in_their_names(tmp_path: Path) -> None:
    filled(tmp_path, (f"The {CANARY} nests", f"{CANARY} and zebra"))
    for name, content in every_file(tmp_path).items():
        assert re.fullmatch(r"[0-9a-f]{32}\.[a-z-]+", name)
        assert CANARY.encode() not in content
        assert b"default" not in content


# left out


def test_of_another_release_or_projection_version_nothing_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path)
    monkeypatch.setattr(Catalog, "VERSION", 2)
    assert reasons_when_opened(tmp_path) == ["its version is another"]
    monkeypatch.undo()
    monkeypatch.setattr("muniment.engine.__version__", "99")
    assert reasons_when_opened(tmp_path) == ["its maker is another"] * 3


def test_of_another_format_nothing_is_used(tmp_path: Path) -> None:
    filled(tmp_path)
    for path in states(tmp_path).values():
        path.write_bytes(path.read_bytes().replace(b'{"format":1,', b'{"format":2,'))
    assert reasons_when_opened(tmp_path) == ["its stamp is of another format"] * 3


def test_of_another_store_nothing_is_used(tmp_path: Path) -> None:
    filled(tmp_path / "one")
    filled(tmp_path / "other")
    shutil.rmtree(tmp_path / "one" / "cache")
    shutil.copytree(tmp_path / "other" / "cache", tmp_path / "one" / "cache")
    assert reasons_when_opened(tmp_path / "one") == ["its store is another"] * 3


def test_of_another_projection_or_space_nothing_is_used(tmp_path: Path) -> None:
    filled(tmp_path)
    found = states(tmp_path)
    shutil.copy(found["catalog"], found["similarity"])
    assert reasons_when_opened(tmp_path) == ["its projection is another"]
    moved = found["catalog"].with_name(f"{kept_files.hashed('other')}.catalog")
    shutil.copy(found["catalog"], moved)
    with structlog.testing.capture_logs() as logs, opened(tmp_path, read_only=True) as m:
        assert m.acting_as("manual", space="other").search().hits == ()
    assert [entry["reason"] for entry in logs] == ["its space is another"]


def test_without_its_key_nothing_is_used(tmp_path: Path) -> None:
    filled(tmp_path)
    keys = Keys(tmp_path / "keys")
    keys.destroy(kept_files.Folder(tmp_path / "cache").keys("default"))
    keys.close()
    assert reasons_when_opened(tmp_path) == ["its key is gone"] * 3


@pytest.mark.parametrize("grows", [False, True])
def test_beside_an_older_or_another_log_nothing_is_used(tmp_path: Path, grows: bool) -> None:
    """A backup that was put back, on which the store may have gone on otherwise."""
    then, now = tmp_path / "then", tmp_path / "now"
    filled(then, after=10_000)
    shutil.copytree(then, now)
    with opened(now) as m:
        m.save("The lighthouse stands", category="ci")
        m.search("lighthouse")
    with opened(then, after=10_000) as m:
        for number in range(3 if grows else 0):
            m.save(f"The ferry {number} sails")
    shutil.copytree(now / "cache", then / "cache")
    shutil.rmtree(then / "keys")
    shutil.copytree(now / "keys", then / "keys")
    reasons = reasons_when_opened(then)
    assert reasons == ["the log is not the one that it was made from"] * 3


def test_where_parts_do_not_fit_the_projection_is_made_from_the_log(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, after=1_000) as m:
        kept = kept_of(m, tmp_path)
        found = kept.load("default", "catalog", Catalog.VERSION)
        assert found is not None
        with kept.locked():
            parts: Parts = {**found.parts, "store": None}
            kept.write("default", "catalog", Catalog.VERSION, found.position, parts)
    assert reasons_when_opened(tmp_path) == ["its part store does not fit"]


def test_whatever_byte_is_damaged_the_answers_are_right(tmp_path: Path) -> None:
    filled(tmp_path)
    draw = random.Random(11)
    whole = {path: path.read_bytes() for path in states(tmp_path).values()}
    for number in range(90):
        path = draw.choice(list(whole))
        content, at = bytearray(whole[path]), draw.randrange(len(whole[path]))
        if number < 15:
            at = number * 12  # the stamp is short: hit it for sure
        if number % 3 == 0:
            del content[at:]
        elif number % 3 == 1:
            content[at] ^= 1 << draw.randrange(8)
        else:
            content[at : at + 8] = draw.randbytes(draw.choice([0, 8, 30]))
        path.write_bytes(content)
        assert len(reasons_when_opened(tmp_path)) == (bytes(content) != whole[path])
        path.write_bytes(whole[path])
    assert reasons_when_opened(tmp_path) == []


def test_a_file_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    filled(tmp_path)
    path = states(tmp_path)["catalog"]
    path.unlink()
    path.mkdir()
    assert len(reasons_when_opened(tmp_path)) == 1


def test_a_state_that_was_left_out_is_replaced_at_the_next_keep(tmp_path: Path) -> None:
    filled(tmp_path)
    for path in states(tmp_path).values():
        path.write_bytes(path.read_bytes()[:-1])
    with opened(tmp_path, after=1_000) as m:
        touched(m)
        assert engine_of(m).models.keep() == len(NAMES)
    assert reasons_when_opened(tmp_path) == []


def test_what_another_process_has_kept_meanwhile_is_not_kept_again(tmp_path: Path) -> None:
    filled(tmp_path, after=1_000)
    with opened(tmp_path, after=1_000) as one, opened(tmp_path, after=1_000) as other:
        touched(one)
        touched(other)
        assert engine_of(one).models.keep() == len(NAMES)
        before = every_file(tmp_path)
        assert engine_of(other).models.keep() == 0
        assert every_file(tmp_path) == before
