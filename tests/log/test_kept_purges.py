"""Kept states among processes that keep, are killed and purge: whole or none; no purged word."""

import errno
import os
import re
import shutil
from pathlib import Path

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
from making import pending
from processes import run, started
from projection_answers import differing, store_of

from muniment import Muniment
from muniment.domain.memory import events as e
from muniment.log import kept_files
from muniment.log.read_models import ReadModels
from muniment.log.sealed_parts import Layout
from muniment.projections.catalog import Catalog
from muniment.projections.search_index import SearchIndex
from muniment.projections.similarity import Similarity

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
        assert m.get(row.stream).content == TEXTS[0]
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
