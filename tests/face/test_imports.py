"""Imports: what another system kept comes in with its past, and what cannot is told."""

import json
import os
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from bdd import START, Clock

import muniment
from muniment import ImportReport, Invalid, Muniment
from muniment.domain.identity import identity
from muniment.log.writer import keyed_command_id

FACT = "The Quillmark feed sits on Drive North."
T1, T2, T3 = (datetime(2025, month, 5, 8, 30, tzinfo=UTC) for month in (1, 4, 9))


def entry(**fields: Any) -> dict[str, Any]:
    """A memory as RockBot writes it, with everything."""
    return {
        "Id": "a1b2c3d4e5f6",
        "Content": FACT,
        "Category": "infra/feeds",
        "Tags": ["feed"],
        "CreatedAt": "2025-01-05T08:30:00+00:00",
        "UpdatedAt": "2025-04-05T08:30:00+00:00",
        "Metadata": {"origin": "notes"},
        "ImportanceScore": 0.7,
        "LastSeenAt": "2025-09-05T08:30:00+00:00",
        "ReinforcementCount": 4,
        **fields,
    }


def camel(written: dict[str, Any]) -> dict[str, Any]:
    return {name[0].lower() + name[1:]: value for name, value in written.items()}


def without(written: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in written.items() if name not in names}


def put(root: Path, name: str, written: object) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(written, bytes):
        path.write_bytes(written)
    else:
        path.write_text(json.dumps(written, ensure_ascii=False), encoding="utf-8")
    return path


def told(report: ImportReport) -> dict[str, str]:
    return {skipped.where: skipped.reason for skipped in report.skipped}


def only(m: Muniment) -> muniment.Memory:
    (hit,) = m.search(include_archived=True).hits
    return hit.memory


class TestRockbot:
    @pytest.mark.parametrize("spelt", [dict, camel])
    def test_a_memory_comes_in_with_its_past(self, m: Muniment, tmp_path: Path, spelt: Any) -> None:
        put(tmp_path, "infra/feeds/a1b2c3d4e5f6.json", spelt(entry()))
        report = m.import_from("rockbot", tmp_path)
        assert report == ImportReport("rockbot", imported=1)
        memory = only(m)
        assert (memory.content, memory.category, memory.tags) == (FACT, "infra/feeds", ("feed",))
        assert (memory.created_at, memory.last_seen_at, memory.updated_at) == (T1, T3, T2)
        assert (memory.reinforcement_count, memory.metadata) == (4, {"origin": "notes"})
        (told_,) = m.history(memory.id)
        assert (told_.name, told_.data["format"]) == ("memory.imported", "rockbot")
        assert told_.data["external_id"] == "a1b2c3d4e5f6"
        assert [hit.memory.id for hit in m.search("quillmark").hits] == [memory.id]

    def test_importance_is_kept_and_not_faded_twice(
        self, m: Muniment, clock: Clock, tmp_path: Path
    ) -> None:
        """That system writes faded values back: what it holds is what it is worth now."""
        put(tmp_path, "a.json", entry(ImportanceScore=0.6))
        m.import_from("rockbot", tmp_path)
        memory = only(m)
        assert (START - memory.last_seen_at).days > 75
        assert (memory.importance, memory.base_importance) == (0.6, 0.6)
        clock.advance(days=45)
        assert m.get(memory.id).importance == pytest.approx(0.3)

    def test_older_files_without_the_later_fields_are_read_as_it_reads_them(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        legacy = without(
            entry(), "LastSeenAt", "ReinforcementCount", "UpdatedAt", "ImportanceScore", "Metadata"
        )
        put(tmp_path, "a.json", legacy)
        assert m.import_from("rockbot", tmp_path).imported == 1
        memory = only(m)
        assert (memory.created_at, memory.last_seen_at, memory.updated_at) == (T1, T1, T1)
        assert (memory.reinforcement_count, memory.importance) == (1, 0.5)

    def test_nulls_are_as_good_as_nothing(self, m: Muniment, tmp_path: Path) -> None:
        put(tmp_path, "a.json", entry(UpdatedAt=None, Metadata=None, Tags=None, Category=None))
        assert m.import_from("rockbot", tmp_path).imported == 1
        assert (only(m).tags, only(m).metadata, only(m).category) == ((), {}, None)

    @pytest.mark.parametrize(
        ("name", "written", "category"),
        [
            ("a.json", without(entry(), "Category"), None),
            ("infra/feeds/a.json", without(entry(), "Category"), "infra/feeds"),
            ("somewhere/a.json", entry(), "infra/feeds"),
            ("Projekt Größe/a.json", without(entry(), "Category"), "Projekt Größe"),
        ],
    )
    def test_without_a_category_of_its_own_the_folder_is_it(
        self, m: Muniment, tmp_path: Path, name: str, written: dict[str, Any], category: str | None
    ) -> None:
        put(tmp_path, name, written)
        m.import_from("rockbot", tmp_path)
        assert only(m).category == category

    @pytest.mark.usefixtures("far_from_utc")
    def test_times_without_a_zone_are_utc_and_the_report_says_so(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        """Field case 17: a save refuses them, an import reads and tells."""
        naive = entry(
            CreatedAt="2025-01-05T08:30:00",
            LastSeenAt="2025-09-05T08:30:00.1234567",
            Metadata={"subjectTime": "2019-06-14T12:00:00", "subjectTimeEnd": "2019"},
        )
        put(tmp_path, "a.json", naive)
        report = m.import_from("rockbot", tmp_path)
        memory = only(m)
        assert memory.created_at == T1
        assert memory.last_seen_at == T3.replace(microsecond=123_456)
        assert memory.metadata["subjectTime"] == "2019-06-14T12:00:00.000000Z"
        assert len(report.notes) == 3
        assert all("UTC" in note and note.startswith("a.json") for note in report.notes)

    @pytest.mark.parametrize(
        "created",
        ["2025-01-05T09:30:00+01:00", "2025-01-05T08:30:00Z", "2025-01-05T08:30:00.0000000+00:00"],
    )
    def test_times_in_other_zones_are_the_same_instants(
        self, m: Muniment, tmp_path: Path, created: str
    ) -> None:
        put(tmp_path, "a.json", entry(CreatedAt=created))
        assert m.import_from("rockbot", tmp_path).notes == []
        assert only(m).created_at == T1

    @pytest.mark.parametrize(
        "archived",
        [
            {"ArchivedAt": "2025-10-01T00:00:00Z", "ArchivedReason": "merged away"},
            {"Metadata": {"archivedAt": "2025-10-01T00:00:00Z", "archivedReason": "merged away"}},
        ],
    )
    def test_archived_ones_stay_archived(
        self, m: Muniment, tmp_path: Path, archived: dict[str, Any]
    ) -> None:
        put(tmp_path, "a.json", entry(**archived))
        m.import_from("rockbot", tmp_path)
        assert m.search("quillmark").hits == ()
        assert m.search().taxonomy == {}
        memory = only(m)
        assert (memory.state, memory.archive_reason) == ("archived", "merged away")
        assert memory.archived_at == datetime(2025, 10, 1, tzinfo=UTC)
        assert memory.importance == 0.7
        assert not {"archivedAt", "archivedReason"} & set(memory.metadata)
        assert m.restore(memory.id).memory.state == "live"
        assert len(m.search("quillmark").hits) == 1

    def test_again_it_brings_nothing_twice(self, m: Muniment, tmp_path: Path) -> None:
        for n in range(5):
            put(tmp_path, f"c/{n}.json", entry(Id=f"id-{n}", Content=f"Shelf {n} is empty."))
        assert m.import_from("rockbot", tmp_path) == ImportReport("rockbot", imported=5)
        head = m.stats().head
        assert m.import_from("rockbot", tmp_path) == ImportReport("rockbot", already_here=5)
        put(tmp_path, "c/9.json", entry(Id="id-9", Content="Shelf 9 is empty."))
        again = m.import_from("rockbot", tmp_path)
        assert (again.imported, again.already_here) == (1, 5)
        assert m.stats().head == head + 1

    def test_a_file_that_changed_since_is_told_and_the_others_come_in(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        put(tmp_path, "1.json", entry(Id="id-1"))
        m.import_from("rockbot", tmp_path)
        put(tmp_path, "1.json", entry(Id="id-1", Content="Rack 12 is full."))
        put(tmp_path, "2.json", entry(Id="id-2", Content="The lobby is blue."))
        report = m.import_from("rockbot", tmp_path)
        assert (report.imported, report.already_here) == (1, 0)
        assert "changed since" in told(report)["1.json"]
        assert {hit.memory.content for hit in m.search().hits} == {FACT, "The lobby is blue."}

    def test_what_changed_here_since_is_left_alone(self, m: Muniment, tmp_path: Path) -> None:
        put(tmp_path, "1.json", entry())
        m.import_from("rockbot", tmp_path)
        m.revise(only(m).id, "Rack 12 is full.")
        assert m.import_from("rockbot", tmp_path).already_here == 1
        assert only(m).content == "Rack 12 is full."

    def test_imports_are_not_observations_so_alike_ones_stay_apart(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        put(tmp_path, "1.json", entry(Id="id-1"))
        put(tmp_path, "2.json", entry(Id="id-2"))
        assert m.import_from("rockbot", tmp_path).imported == 2
        assert m.save(FACT, category="infra").outcome == "reinforced"

    @pytest.mark.parametrize(
        ("written", "reason"),
        [
            (b"", "Expecting value"),
            (b"{\"Content\": \"x\"", "delimiter"),
            (b"\xff\xfe{}", "codec"),
            (b"[]", "no JSON object"),
            (b"null", "no JSON object"),
            (b"[" * 100_000, "recursion"),
            (b'{"CreatedAt": ' + b"9" * 5_000 + b"}", "digits"),
            (entry(Content=""), "content"),
            (entry(Content=None), "content"),
            (entry(Content="x" * 70_000), "content"),
            (entry(Content="a\x00b"), "U+0000"),
            (entry(Category="../x"), "category"),
            (entry(Tags="feed"), "tags"),
            (entry(Tags=["x" * 65]), "tag"),
            (entry(Metadata=["x"]), "Metadata"),
            (entry(Metadata={"subjectTime": "soon"}), "subjectTime"),
            (entry(ImportanceScore=1.5), "importance"),
            (entry(ImportanceScore=float("nan")), "importance"),
            (entry(ImportanceScore="high"), "high"),
            (entry(ImportanceScore=10**400), "large"),
            (entry(ReinforcementCount=0), "reinforcement_count"),
            (entry(ReinforcementCount="4"), "reinforcement_count"),
            (entry(CreatedAt="yesterday"), "createdat"),
            (entry(CreatedAt="0001-01-01T00:00:00+01:00"), "years"),
            (without(entry(), "CreatedAt"), "CreatedAt"),
            (entry(LastSeenAt="2024-01-05T08:30:00Z"), "before created_at"),
            (b" " * ((1 << 20) + 1), "bytes"),
        ],
    )  # fmt: skip
    def test_what_cannot_be_read_is_told_and_the_rest_comes_in(
        self, m: Muniment, tmp_path: Path, written: object, reason: str
    ) -> None:
        put(tmp_path, "bad/bad.json", written)
        put(tmp_path, "good.json", entry(Id="good"))
        report = m.import_from("rockbot", tmp_path)
        assert report.imported == 1
        assert list(told(report)) == [str(Path("bad/bad.json"))]
        assert reason in told(report)["bad/bad.json"]
        assert only(m).content == FACT
        assert m.verify().intact

    def test_a_lone_surrogate_in_a_name_is_told(self, m: Muniment, tmp_path: Path) -> None:
        put(
            tmp_path,
            "1.json",
            b'{"Id": "\\ud800", "Content": "x", "CreatedAt": "2025-01-05T08:30:00Z"}',
        )
        report = m.import_from("rockbot", tmp_path)
        assert (report.imported, "surrogate" in told(report)["1.json"]) == (0, True)

    def test_links_are_told_and_never_followed(self, m: Muniment, tmp_path: Path) -> None:
        outside = put(tmp_path, "outside/secret.json", entry(Content="A secret."))
        root = tmp_path / "root"
        put(root, "good.json", entry())
        (root / "link.json").symlink_to(outside)
        (root / "folder").symlink_to(outside.parent, target_is_directory=True)
        (root / "loop").symlink_to(root, target_is_directory=True)
        (root / "dangling.json").symlink_to(root / "nowhere")
        report = m.import_from("rockbot", root)
        assert report.imported == 1
        assert sorted(told(report)) == ["dangling.json", "folder", "link.json", "loop"]
        assert only(m).content == FACT

    def test_other_files_and_hidden_ones_are_none_of_its_business(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        put(tmp_path, "notes.txt", b"x")
        put(tmp_path, ".hidden/a.json", entry())
        put(tmp_path, ".a.json", entry())
        (tmp_path / "folder.json").mkdir()
        assert m.import_from("rockbot", tmp_path) == ImportReport("rockbot")

    def test_a_name_that_is_no_unicode_is_told_readably(self, m: Muniment, tmp_path: Path) -> None:
        folder = os.fsencode(tmp_path) + b"/b\xe4d"
        os.mkdir(folder)  # noqa: PTH102 (the name is bytes)
        put(Path(os.fsdecode(folder)), "a.json", without(entry(), "Category", "Id"))
        report = m.import_from("rockbot", tmp_path)
        assert (report.imported, list(told(report))) == (0, ["b\\xe4d/a.json"])

    def test_a_byte_order_mark_is_no_harm(self, m: Muniment, tmp_path: Path) -> None:
        put(tmp_path, "a.json", b"\xef\xbb\xbf" + json.dumps(entry()).encode())
        assert m.import_from("rockbot", tmp_path).imported == 1

    def test_an_empty_directory_is_an_empty_report(self, m: Muniment, tmp_path: Path) -> None:
        assert m.import_from("rockbot", tmp_path) == ImportReport("rockbot")

    def test_a_larger_store_comes_in_by_parts_and_says_how_far_it_is(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        for n in range(620):
            put(tmp_path, f"{n}.json", entry(Id=f"id-{n}", Content=f"Shelf {n} is empty."))
        steps: list[int] = []
        assert m.import_from("rockbot", tmp_path, progress=steps.append).imported == 620
        assert steps == [500, 620]


ENTITIES = [
    {
        "type": "entity",
        "name": "Priya_Raman",
        "entityType": "person",
        "observations": ["Priya Raman prefers terse updates", "works at Quillmark", "是工程师"],
    },
    {"type": "entity", "name": "Quillmark", "entityType": "Größe/Firma!", "observations": ["x"]},
]
RELATION = {
    "type": "relation",
    "from": "Priya_Raman",
    "to": "Quillmark",
    "relationType": "works at",
}


def lines(*records: object, end: str = "\n") -> bytes:
    return (
        "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()
        + end.encode()
    )


class TestMcpMemory:
    def bring(self, m: Muniment, tmp_path: Path, written: bytes) -> ImportReport:
        return m.import_from("mcp-memory", put(tmp_path, "memory.json", written))

    def test_observations_and_relations_become_memories(self, m: Muniment, tmp_path: Path) -> None:
        report = self.bring(m, tmp_path, lines(*ENTITIES, RELATION))
        assert report == ImportReport("mcp-memory", imported=5)
        found = {(h.memory.content, h.memory.category, h.memory.tags) for h in m.search().hits}
        assert found == {
            ("Priya Raman prefers terse updates", "graph/person", ("Priya_Raman",)),
            ("Priya Raman: works at Quillmark", "graph/person", ("Priya_Raman",)),
            ("Priya Raman: 是工程师", "graph/person", ("Priya_Raman",)),
            ("Quillmark: x", "graph/Größe Firma", ("Quillmark",)),
            (
                "Priya_Raman works at Quillmark",
                "graph/relation",
                ("Priya_Raman", "Quillmark"),
            ),
        }
        assert len(m.search("工程师").hits) == 1

    def test_records_that_ran_together_are_read_apart(self, m: Muniment, tmp_path: Path) -> None:
        """Field case 13: an append after a missing line end."""
        glued = lines(ENTITIES[0], end="") + lines(RELATION, end=" ") + lines(ENTITIES[1])
        assert self.bring(m, tmp_path, glued) == ImportReport("mcp-memory", imported=5)

    @pytest.mark.parametrize("cut", [1, 5, 60])
    def test_a_torn_last_line_is_told_and_the_others_come_in(
        self, m: Muniment, tmp_path: Path, cut: int
    ) -> None:
        torn = lines(*ENTITIES, RELATION, end="")[:-cut]
        report = self.bring(m, tmp_path, torn)
        assert report.imported == 4
        assert list(told(report)) == ["line 3"]

    @pytest.mark.parametrize(
        "record",
        [
            b"5",
            b'"text"',
            b"[]",
            b"null",
            b"{}",
            b'{"type": "note", "name": "x"}',
            b'{"type": "entity", "name": 5, "observations": ["x"]}',
            b'{"type": "entity", "name": "x"}',
            b'{"type": "entity", "name": "x", "observations": [5]}',
            b'{"type": "entity", "name": "x", "observations": [""]}',
            b'{"type": "entity", "name": "x", "observations": []}',
            b'{"type": "entity", "name": "\\ud800", "observations": ["x"]}',
            b'{"type": "entity", "name": "x\\ny", "observations": ["z"]}',
            b'{"type": "relation", "from": "a", "to": "b"}',
            b'{"type": "relation", "from": "a", "to": 5, "relationType": "c"}',
            b'{"type": "entity", "name": "x", "observations": ["\xff"]}',
            b"[" * 100_000,
            b"no json",
        ],
    )
    def test_what_is_unknown_or_malformed_is_told_and_the_rest_comes_in(
        self, m: Muniment, tmp_path: Path, record: bytes
    ) -> None:
        report = self.bring(m, tmp_path, record + b"\n" + lines(RELATION))
        assert report.imported == 1
        assert list(told(report)) == ["line 1"]
        assert m.verify().intact

    def test_blank_lines_line_ends_of_all_kinds_and_a_mark_are_no_harm(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        written = (
            b"\xef\xbb\xbf\n\r\n  \n" + lines(ENTITIES[1], end="\r\n") + lines(RELATION, end="")
        )
        assert self.bring(m, tmp_path, written) == ImportReport("mcp-memory", imported=2)

    def test_an_unknown_type_of_entity_is_filed_under_graph(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        odd = [
            {**ENTITIES[1], "name": f"n{n}", "entityType": kind}
            for n, kind in enumerate(("..", "!", "", None))
        ]
        assert self.bring(m, tmp_path, lines(*odd)).imported == 4
        assert set(m.search().taxonomy) == {"graph", "graph/entity"}

    def test_again_it_brings_nothing_twice_and_new_observations_come_in(
        self, m: Muniment, tmp_path: Path
    ) -> None:
        self.bring(m, tmp_path, lines(*ENTITIES, RELATION))
        grown = {**ENTITIES[0], "observations": [*ENTITIES[0]["observations"], "is in Oslo"]}
        report = self.bring(m, tmp_path, lines(grown, ENTITIES[1], RELATION))
        assert (report.imported, report.already_here, report.skipped) == (1, 5, [])

    def test_the_same_observation_twice_is_one_memory(self, m: Muniment, tmp_path: Path) -> None:
        twice = {**ENTITIES[1], "observations": ["x", "x"]}
        report = self.bring(m, tmp_path, lines(twice))
        assert (report.imported, report.already_here) == (1, 1)

    def test_a_directory_is_no_file(self, m: Muniment, tmp_path: Path) -> None:
        with pytest.raises(Invalid) as caught:
            m.import_from("mcp-memory", tmp_path)
        assert (caught.value.code, caught.value.field) == ("path_invalid", "path")


def test_the_key_of_an_import_is_of_its_format(m: Muniment, tmp_path: Path) -> None:
    put(tmp_path, "a.json", entry(Id="Priya_Raman works at Quillmark"))
    m.import_from("rockbot", tmp_path)
    m.import_from("mcp-memory", put(tmp_path / "other", "memory.jsonl", lines(RELATION)))
    assert m.stats().memories["live"] == 2


def test_an_unknown_format_names_the_known_ones(m: Muniment, tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="markdown, mcp-memory, mem0, native, rockbot") as caught:
        m.import_from("floppy", tmp_path)
    assert (caught.value.code, caught.value.field) == ("format_unknown", "format")


def test_a_foreign_id_that_holds_words_leaves_no_hash_that_could_be_guessed(
    m: Muniment, tmp_path: Path
) -> None:
    path = tmp_path / "memory.jsonl"
    entity = {"type": "entity", "name": "Bo", "entityType": "p", "observations": ["likes tea"]}
    path.write_text(json.dumps(entity) + "\n")
    m.import_from("mcp-memory", path)
    (entry,) = m.log()
    guessed = sha256(b"Bo\nlikes tea").hexdigest()
    acting = identity(m.space, m.actor)
    assert entry.command_id != keyed_command_id(acting, f"import:mcp-memory:{guessed}")
