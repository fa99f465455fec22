"""Exports: one file, whole or not there, and what it brings in elsewhere."""

import json
import shutil
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from bdd import START, Clock

import muniment
from muniment import Exported, Invalid, Muniment, MunimentError, Refused, StorageFailed

FACT = "The Quillmark feed sits on Drive North."


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def rewritten(path: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Changes an export as somebody would who makes its trailer fit again."""
    entries = lines(path)
    change(entries)
    *body, trailer = entries
    written = b"".join(json.dumps(one).encode() + b"\n" for one in body)
    trailer["sha256"] = sha256(written).hexdigest()
    path.write_bytes(written + json.dumps(trailer).encode() + b"\n")


def refusal(call: Callable[[], Any]) -> str:
    with pytest.raises(MunimentError) as caught:
        call()
    return caught.value.code


class TestTheFile:
    def test_a_header_a_line_a_memory_and_a_trailer(self, m: Muniment, tmp_path: Path) -> None:
        first = m.save(FACT, category="infra/feeds", tags=["feed"], metadata={"k": "v"}).id
        second = m.save("Anna works in Lisbon").id
        m.archive(second, "moved")
        told: list[int] = []
        done = m.export(tmp_path / "export.jsonl", progress=told.append)
        assert done == Exported(tmp_path / "export.jsonl", "native", 2, 0, 3)
        assert told == [1, 2]
        header, one, other, trailer = lines(tmp_path / "export.jsonl")
        assert (header["format"], header["version"]) == ("muniment-export", 1)
        assert (header["space"], header["head"], header["memories"]) == ("default", 3, 2)
        assert header["chain"] == m.verify().chain
        assert header["exported_at"] == "2026-03-03T12:00:00.000000Z"
        assert one["id"] == first
        assert one["statements"] == [{"text": FACT, "said_at": "2026-03-03T12:00:00.000000Z"}]
        assert one["provenance"] == {"first_position": 1, "position": 1, "version": 1}
        assert other["provenance"] == {"first_position": 2, "position": 3, "version": 2}
        assert (other["condition"], other["archive_reason"]) == ("archived", "moved")
        assert trailer["conditions"] == {"live": 1, "archived": 1}

    def test_it_is_for_its_owner_alone_and_replaces_an_earlier_one(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        path = tmp_path / "deep" / "export.jsonl"
        m.export(path)
        path.chmod(0o644)
        m.save(FACT)
        assert m.export(str(path)).memories == 1
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert [one.name for one in path.parent.iterdir()] == ["export.jsonl"]

    def test_what_fails_leaves_the_earlier_one(self, m: Muniment, tmp_path: Path) -> None:
        m.save(FACT)
        path = tmp_path / "export.jsonl"
        m.export(path)
        before = path.read_bytes()

        def fail(_: int) -> None:
            raise RuntimeError("stopped")

        with pytest.raises(RuntimeError):
            m.export(path, progress=fail)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    def test_a_space_of_its_own(self, m: Muniment, tmp_path: Path) -> None:
        m.save(FACT)
        other = m.acting_as("manual", "other")
        other.save("Anna works in Lisbon")
        assert other.export(tmp_path / "export").memories == 1
        assert "Quillmark" not in (tmp_path / "export").read_text()

    def test_many_are_written_in_the_order_in_which_they_began(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        ids = [
            saved.id
            for saved in m.save_many(
                [{"content": f"Server {n} is in rack {n * 7}"} for n in range(1_203)]
            )
        ]
        assert m.export(tmp_path / "export").memories == 1_203
        assert [line["id"] for line in lines(tmp_path / "export")[1:-1]] == ids

    @pytest.mark.parametrize("path", ["", "a\0b", 7, "."])
    def test_what_is_no_file_is_refused(self, m: Muniment, path: Any) -> None:
        assert refusal(lambda: m.export(path)) == "path_invalid"

    def test_another_format_is_refused(self, m: Muniment, tmp_path: Path) -> None:
        assert refusal(lambda: m.export(tmp_path / "x", format="mem0")) == "format_unknown"
        assert not (tmp_path / "x").exists()

    def test_a_place_that_cannot_be_written_is_told(self, m: Muniment, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(StorageFailed):
            m.export(tmp_path / "file" / "export")

    @pytest.mark.parametrize("actor", ["bot:main", "subagent:x", "system:dream"])
    def test_only_the_owner_exports(self, m: Muniment, tmp_path: Path, actor: str) -> None:
        with pytest.raises(Refused):
            m.acting_as(actor).export(tmp_path / "export")

    def test_words_that_cannot_be_read_are_counted_and_left_out_of_an_import(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        with muniment.open(tmp_path / "store") as store:
            id_ = store.save(FACT).id
        shutil.rmtree(tmp_path / "store" / "keys")
        with muniment.open(tmp_path / "store", read_only=True) as store:
            assert store.export(tmp_path / "export").unreadable == 1
            assert store.export(tmp_path / "export.md", format="markdown").unreadable == 1
        report = m.import_from("native", tmp_path / "export")
        assert (report.imported, len(report.skipped)) == (0, 1)
        assert id_ in report.skipped[0].reason
        assert "key_missing" in report.skipped[0].reason
        assert m.stats().head == 0


class TestBroughtIn:
    def test_ids_are_kept_so_that_references_stay_true(self, m: Muniment, tmp_path: Path) -> None:
        old = m.save("The office is in Porto", category="office").id
        new = m.save("The office is in Lisbon", category="office").id
        m.supersede(old, by=new)
        m.export(tmp_path / "export")
        with muniment.open(":memory:") as other:
            other.import_from("native", tmp_path / "export")
            assert other.get(old).state == "superseded"
            assert other.restore(old).memory.state == "live"
            (told, _) = other.history(old)
            assert (told.name, told.data["format"]) == ("memory.imported", "native")
            assert told.data["superseded_by"] == new

    def test_one_that_lives_on_is_left_as_it_is(self, m: Muniment, tmp_path: Path) -> None:
        id_ = m.save(FACT).id
        m.export(tmp_path / "export")
        m.revise(id_, "The Quillmark feed is gone.")
        report = m.import_from("native", tmp_path / "export")
        assert (report.imported, report.already_here, report.skipped) == (0, 1, [])
        assert m.get(id_).content == "The Quillmark feed is gone."

    def test_an_id_that_another_space_has_is_left_out_and_the_others_come_in(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        m.save(FACT)
        with muniment.open(":memory:") as other:
            m.export(tmp_path / "export")
            other.acting_as("manual", "first").import_from("native", tmp_path / "export")
            m.save("Anna works in Lisbon")
            m.export(tmp_path / "export")
            report = other.acting_as("manual", "second").import_from("native", tmp_path / "export")
            assert (report.imported, report.already_here) == (1, 0)
            assert [one.reason for one in report.skipped] == [
                "its id is taken in another space of this store: left out"
            ]

    def test_purged_ones_come_in_as_tombstones(
        self, m: Muniment, clock: Clock, tmp_path: Path
    ) -> None:
        id_ = m.save(FACT).id
        m.archive(id_, "old")
        clock.advance(days=200)
        m.purge()
        m.export(tmp_path / "export")
        assert "Quillmark" not in (tmp_path / "export").read_text()
        with muniment.open(":memory:", clock=clock) as other:
            assert other.import_from("native", tmp_path / "export").imported == 1
            memory = other.get(id_)
            assert (memory.state, memory.content) == ("purged", None)
            assert memory.created_at == START
            assert other.search(include_archived=True).hits == ()

    def test_what_a_source_said_is_not_counted_again(self, m: Muniment, tmp_path: Path) -> None:
        source = {"type": "web", "ref": "https://example.org/"}
        id_ = m.save(FACT, source=source).id
        m.export(tmp_path / "export")
        with muniment.open(":memory:") as other:
            other.import_from("native", tmp_path / "export")
            again = other.save(FACT, source=source)
            assert (again.id, again.outcome, again.counted) == (id_, "reinforced", False)


class TestDamaged:
    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        with muniment.open(":memory:") as m:
            for number in range(5):
                m.save(f"Server {number} is in rack {number * 7}")
            m.export(tmp_path / "export")
        return tmp_path / "export"

    def test_cut_anywhere_it_brings_in_nothing(self, m: Muniment, path: Path) -> None:
        whole = path.read_bytes()
        for length in range(0, len(whole) - 1, 61):
            path.write_bytes(whole[:length])
            code = refusal(lambda: m.import_from("native", path))
            assert code in ("export_damaged", "path_invalid")
        assert m.stats().head == 0

    def test_a_line_that_was_altered_or_taken_out_is_noticed(self, m: Muniment, path: Path) -> None:
        whole = path.read_bytes()
        some = whole.splitlines(keepends=True)
        for altered in (
            whole.replace(b"rack 7", b"rack 8"),
            b"".join(some[:2] + some[3:]),
            whole + some[1],
        ):
            path.write_bytes(altered)
            assert refusal(lambda: m.import_from("native", path)) == "export_damaged"

    def test_one_with_another_number_of_memories_than_it_says(
        self, m: Muniment, path: Path
    ) -> None:
        rewritten(path, lambda entries: entries.__delitem__(2))
        assert refusal(lambda: m.import_from("native", path)) == "export_damaged"

    def test_a_newer_format_is_left_to_a_newer_release(self, m: Muniment, path: Path) -> None:
        rewritten(path, lambda entries: entries[0].update(version=2))
        assert refusal(lambda: m.import_from("native", path)) == "export_newer"

    @pytest.mark.parametrize("content", [b"", b"[]", b'{"format": "x"}\n', b"\xff\n", b"no\n"])
    def test_what_is_no_export_is_refused(self, m: Muniment, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        code = refusal(lambda: m.import_from("native", path))
        assert code in ("export_damaged", "path_invalid")

    def test_a_file_that_is_not_there_is_refused(self, m: Muniment, tmp_path: Path) -> None:
        for path in (tmp_path / "none", tmp_path, "a\0b"):
            with pytest.raises(Invalid):
                m.import_from("native", path)

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"id": "x"}, "id:"),
            ({"statements": []}, "it has no text"),
            ({"statements": [{"text": ""}]}, "said_at"),
            ({"statements": 7}, "TypeError"),
            ({"base": 7}, "importance"),
            ({"condition": "gone"}, "condition"),
            ({"condition": "archived"}, "archived_at"),
            ({"created_at": "yesterday"}, "created_at"),
            ({"last_seen_at": "1999-01-01T00:00:00Z"}, "last_seen_at"),
            ({"merged_from": ["x"]}, "merged_from"),
            ({"heard": [["nobody", None]]}, "heard"),
            ({"metadata": {"subjectTime": "soon"}}, "subjectTime"),
            ({"trust": 9}, "trust"),
        ],
    )
    def test_a_memory_that_breaks_a_rule_is_left_out_with_the_reason(
        self, m: Muniment, path: Path, fields: dict[str, Any], reason: str
    ) -> None:
        rewritten(path, lambda entries: entries[3].update(fields))
        report = m.import_from("native", path)
        assert report.imported == 4
        (skipped,) = report.skipped
        assert skipped.where == "line 4"
        assert reason in skipped.reason


def test_markdown_is_live_memories_by_category(m: Muniment, tmp_path: Path) -> None:
    m.save(FACT, category="infra/feeds", tags=["feed", "a, b"])
    m.save("Anna works in Lisbon\n\nand in Porto", tags=["people"])
    m.archive(m.save("Rack 12 is full", category="infra").id, "no more")
    assert m.export(tmp_path / "out.md", format="markdown").memories == 2
    assert (tmp_path / "out.md").read_text() == (
        "---\nspace: default\nexported_at: 2026-03-03T12:00:00.000000Z\n---\n"
        "\n- Anna works in Lisbon\n\n  and in Porto\n  <!-- tags: people -->\n"
        "\n# infra/feeds\n"
        f'\n- {FACT}\n  <!-- tags: ["feed", "a, b"] -->\n'
    )
