"""The kept state of projections: used where everything fits, left out otherwise, never trusted."""

import errno
import os
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
from making import pending
from processes import run, started
from projection_answers import differing, store_of

import muniment
from muniment import Muniment, StorageFailed
from muniment.domain.memory import events as e
from muniment.engine import Engine
from muniment.log import kept_files, sealed_parts
from muniment.log.kept import KeptStates
from muniment.log.keys import Keys
from muniment.log.read_models import ReadModels
from muniment.log.sealed_parts import Layout, Stamp
from muniment.log.store import Store
from muniment.projections.catalog import Catalog
from muniment.projections.parts import Parts
from muniment.projections.search_index import SearchIndex
from muniment.projections.similarity import Similarity

TEXTS = ("The build runs on Friday", "The server zebra is in Lisbon", "Alpha-7 is the old server")
NAMES = ("catalog", "search-index", "similarity")
CANARY = "quetzalcoatlus"


def opened(directory: Path, *, after: int = 1, read_only: bool = False, **log: Any) -> Muniment:
    settings = {"log": {"keep_state_after": after, **log}}
    return muniment.open(directory, settings=settings, read_only=read_only)


def engine_of(m: Muniment) -> Engine:
    return m._engine  # pyright: ignore[reportPrivateUsage]


def filled(directory: Path, texts: tuple[str, ...] = TEXTS, **log: Any) -> None:
    """A store with a kept state of each projection."""
    with opened(directory, **log) as m:
        for text in texts:
            m.save(text, category="ci/linux", tags=["ops"])
        m.archive(m.search("zebra").hits[0].memory.id, "old")
        m.search("server")


def states(directory: Path) -> dict[str, Path]:
    """The first file of each kept state, by the name of the projection."""
    found = sorted((directory / "cache").glob("*"))
    return {path.name.split(".")[1]: path for path in found if path.name.count(".") == 1}


def every_file(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((directory / "cache").glob("*"))}


def kept_of(m: Muniment, directory: Path, release: str = muniment.__version__) -> KeptStates:
    return KeptStates(store_of(m), directory, release=release)


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


def touched(m: Muniment) -> None:
    """Every projection of the space is loaded."""
    models = engine_of(m).models
    with models.lock:
        models.catch_up()
        models.catalog(m.space)
        models.search_index(m.space)
        models.similarity(m.space)


def reasons_when_opened(directory: Path) -> list[str]:
    """Why states were left out; what is answered then is what the log says."""
    with structlog.testing.capture_logs() as logs, opened(directory, read_only=True) as m:
        touched(m)
        assert differing(m, TEXTS) == []
    assert {entry["event"] for entry in logs} <= {"kept_state_left_out"}
    return [entry["reason"] for entry in logs]


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


# processes


def test_one_process_keeps_while_another_opens(tmp_path: Path) -> None:
    filled(tmp_path)
    small = """
    import logging, structlog
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    from muniment.log import kept_files, sealed_parts
    kept_files.SEGMENT = 2048
    sealed_parts.CHUNK = 1024
    """
    keeper = (
        small
        + """
    with muniment.open(target, settings={"log": {"keep_state_after": 1}}) as m:
        for number in range(40):
            m.save(f"The ferry number {number} sails at {number * number}")
            m.search("ferry")
            say(m._engine.models.keep())
    """
    )
    reader = (
        small
        + """
    from muniment.log.read_models import ReadModels
    from projection_answers import of_similarity
    for number in range(25):
        with muniment.open(target, read_only=True) as m:
            used = m._engine.models
            used.catch_up()
            kinds = ("catalog", "search_index", "similarity")
            for kind in kinds:
                getattr(used, kind)("default")
            anew = ReadModels(m._engine.store, m.settings.ranking)
            anew.position = used.position
            *one, like = [getattr(used, kind)("default") for kind in kinds]
            *other, alike = [getattr(anew, kind)("default") for kind in kinds]
            asked = ["The ferry number 3 sails at 9"]
            say(
                [model.digest() for model in one] == [model.digest() for model in other]
                and of_similarity(like, asked) == of_similarity(alike, asked)
            )
    """
    )
    support = str(Path(__file__).parent.parent / "support")
    reader = f"sys.path.insert(0, {support!r})\n" + _flat(reader)
    with started(_flat(keeper), tmp_path) as process:
        assert run(reader, tmp_path) == [True] * 25
        assert all(count == len(NAMES) for count in process.rest())
    assert reasons_when_opened(tmp_path) == []


def _flat(code: str) -> str:
    return "\n".join(line.removeprefix("    ") for line in code.splitlines())


def test_what_a_killed_process_left_is_cleaned_at_the_next_keep(tmp_path: Path) -> None:
    filled(tmp_path)
    before = every_file(tmp_path)
    run_killed = """
    from muniment.log import kept_files
    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)
    kept_files.os.fsync = die
    m = muniment.open(target, settings={"log": {"keep_state_after": 1}}, read_only=False)
    kept_files.os.fsync = os.fsync
    m._engine.models.catch_up()
    for kind in ("catalog", "search_index", "similarity"):
        getattr(m._engine.models, kind)("default")
    kept = m._engine.models._kept
    found = kept.load("default", "catalog", 1)
    kept_files.os.fsync = die
    with kept.locked():
        kept.write("default", "catalog", 1, found.position, found.parts)
    """
    with started(run_killed, tmp_path) as process:
        process.rest()
    left = every_file(tmp_path)
    assert (
        [name for name in left if name not in before]
        == [name for name in left if name.endswith(".coming")]
        != []
    )
    orphan = f"{kept_files.hashed('default')}.catalog.{'0' * 32}.1"
    (tmp_path / "cache" / orphan).write_bytes(b"x")
    (tmp_path / "cache" / "somebody-else's").write_bytes(b"x")
    assert reasons_when_opened(tmp_path) == []
    filled(tmp_path, ("The lighthouse zebra stands",))
    assert every_file(tmp_path).keys() == before.keys() | {"somebody-else's"}


def test_a_close_waits_for_nobody_who_keeps(tmp_path: Path) -> None:
    with opened(tmp_path) as m:
        m.save(TEXTS[0])
        with kept_of(m, tmp_path).locked():
            assert engine_of(m).models.keep() == 0
        assert engine_of(m).models.keep() == 1


def test_a_disk_that_is_full_costs_the_state_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    m = opened(tmp_path)
    m.save(TEXTS[0])

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(kept_files.Folder, "prepare", full)
    with structlog.testing.capture_logs() as logs:
        m.close()
    assert [(entry["event"], entry["code"]) for entry in logs] == [("state_not_kept", "full")]
    monkeypatch.undo()
    with opened(tmp_path) as again:
        assert [hit.memory.content for hit in again.search().hits] == [TEXTS[0]]
    again.close()


# purges


def doomed(directory: Path) -> tuple[Muniment, str]:
    """A store whose states hold a canary, open, and the id of the memory that brought it."""
    filled(directory, (f"The {CANARY} nests in zebra {CANARY}-9", "The build runs on Friday"))
    m = opened(directory, after=1_000)
    touched(m)
    return m, m.search(CANARY, include_archived=True).hits[0].memory.id


def ask_for_purge(m: Muniment, id_: str) -> None:
    request = e.PurgeRequested(
        basis="erasure", importance=0.5, reinforcement_count=1, policy="request"
    )
    with store_of(m).datastore.unit_of_work():
        store_of(m).append([pending(request, id_, len(m.history(id_)) + 1)])


def words_kept(m: Muniment, directory: Path) -> bytes:
    """Every byte of every state, decrypted."""
    found = b""
    for kind in (Catalog, SearchIndex, Similarity):
        kept = kept_of(m, directory).load("default", kind.NAME, kind.VERSION)
        assert kept is not None
        layout = Layout(kept.parts)
        found += b"".join(bytes(chunk) for chunk in layout.chunks())
    return found


def test_a_purge_leaves_no_word_and_no_key_of_what_was_kept(tmp_path: Path) -> None:
    m, id_ = doomed(tmp_path)
    assert CANARY[:8].encode() in words_kept(m, tmp_path)
    shutil.copytree(tmp_path / "cache", tmp_path / "backup")
    old = kept_files.Folder(tmp_path / "cache").keys("default")
    assert len(old) == 1
    ask_for_purge(m, id_)
    before = [engine_of(m).models.search_index("default"), engine_of(m).models.catalog("default")]
    engine_of(m).models.purge("default")
    after = [engine_of(m).models.search_index("default"), engine_of(m).models.catalog("default")]
    assert not any(one is other for one, other in zip(before, after, strict=True))
    assert CANARY[:8].encode() not in words_kept(m, tmp_path)
    new = kept_files.Folder(tmp_path / "cache").keys("default")
    assert len(new) == 1
    assert not new & old
    assert differing(m, TEXTS) == []
    m.close()
    assert reasons_when_opened(tmp_path) == []
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "backup").rename(tmp_path / "cache")
    assert reasons_when_opened(tmp_path) == ["its key is gone"] * 3


def test_a_state_that_is_kept_after_a_purge_was_asked_for_has_no_word_of_it(
    tmp_path: Path,
) -> None:
    m, id_ = doomed(tmp_path)
    ask_for_purge(m, id_)
    touched(m)
    assert engine_of(m).models.keep() == len(NAMES)
    assert CANARY[:8].encode() not in words_kept(m, tmp_path)
    m.close()


def test_a_state_from_before_a_purge_was_asked_for_is_not_put_in_place(tmp_path: Path) -> None:
    m, id_ = doomed(tmp_path)
    kept = kept_of(m, tmp_path)
    found = kept.load("default", "catalog", Catalog.VERSION)
    assert found is not None
    ask_for_purge(m, id_)
    before = every_file(tmp_path)
    with kept.locked():
        assert not kept.write("default", "catalog", Catalog.VERSION, found.position, found.parts)
    assert every_file(tmp_path) == before
    m.close()


def test_a_purge_deletes_what_was_kept_while_keeping_was_on(tmp_path: Path) -> None:
    m, id_ = doomed(tmp_path)
    m.close()
    with opened(tmp_path, keep_state=False) as off:
        ask_for_purge(off, id_)
        engine_of(off).models.purge("default")
        assert differing(off, TEXTS) == []
    assert every_file(tmp_path) == {}


def test_a_purge_rewrites_what_is_on_the_disk_and_was_not_loaded(tmp_path: Path) -> None:
    m, id_ = doomed(tmp_path)
    m.close()
    with opened(tmp_path, after=1_000) as again:
        ask_for_purge(again, id_)
        engine_of(again).models.purge("default")
        assert states(tmp_path).keys() == set(NAMES)
        assert CANARY[:8].encode() not in words_kept(again, tmp_path)
        assert differing(again, TEXTS) == []
        assert again.rebuild().agrees
    assert reasons_when_opened(tmp_path) == []


def test_whoever_holds_the_lock_may_purge_in_it(tmp_path: Path) -> None:
    m, id_ = doomed(tmp_path)
    ask_for_purge(m, id_)
    kept = kept_of(m, tmp_path)
    models = ReadModels(store_of(m), m.settings.ranking, kept)
    with kept.locked():
        models.purge("default")
    assert CANARY[:8].encode() not in words_kept(m, tmp_path)
    m.close()


def test_a_stamp_that_names_a_memorys_key_costs_no_memory(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, after=1_000) as m:
        row = next(store_of(m).rows.rows())
        path = states(tmp_path)["catalog"]
        content = path.read_bytes()
        stamp, length = re.search(rb"\{.*?\}", content), 12
        assert stamp is not None
        written = re.sub(rb'"key":\d+', b'"key":%d' % (row.key_id or 0), stamp[0])
        path.write_bytes(
            content[:8] + len(written).to_bytes(4, "little") + written + content[stamp.end() :]
        )
        assert length == stamp.start()
        engine_of(m).models.purge("default")
        assert m.get(str(row.originator_id)).content == TEXTS[0]
        assert row.key_id not in kept_files.Folder(tmp_path / "cache").keys("default")


def test_a_state_that_differs_from_the_log_is_forgotten_by_a_rebuild(tmp_path: Path) -> None:
    filled(tmp_path)
    with opened(tmp_path, after=1_000) as m:
        touched(m)
        catalog = engine_of(m).models.catalog("default")
        catalog.ids.append("nobody")
        assert m.rebuild().differing == ("Catalog",)
        assert every_file(tmp_path) == {}
        assert differing(m, TEXTS) == []


def test_the_secret_of_hashes_is_kept_with_them() -> None:
    one = Similarity(str, secret=b"1" * 16)  # type: ignore[arg-type]  # no text is asked for
    assert Similarity.load(one.dump(), str).secret == one.secret  # type: ignore[arg-type]


def test_what_a_process_said_in_bulk_is_kept_when_it_ends(tmp_path: Path) -> None:
    run(
        """
        with muniment.open(target, settings={"log": {"keep_state_after": 50}}) as m:
            m.save_many([{"content": f"The ferry {n} sails"} for n in range(60)])
        """,
        tmp_path,
    )
    assert states(tmp_path).keys() == {"similarity"}
    assert reasons_when_opened(tmp_path) == []
