"""What was ever stored is read as what it was: golden files, compared and never rewritten."""

from collections import Counter
from typing import Any

import golden
import independent
import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from muniment.log import chain, codec

FILES = golden.files()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


@pytest.fixture(params=FILES)
def file(request: pytest.FixtureRequest) -> dict[str, Any]:
    return FILES[request.param]


def test_the_stored_bytes_are_read_as_the_event_that_they_were(file: dict[str, Any]) -> None:
    name, schema = file["envelope"][3:5]
    event = codec.decode(name, schema, file["facts"].encode(), _bytes(file["words"]))
    assert type(event).__name__ == file["event"]["class"]
    fields = golden.plain(event)
    assert {name: fields[name] for name in file["event"]["fields"]} == file["event"]["fields"]


def test_the_event_is_written_as_the_bytes_that_were_stored(file: dict[str, Any]) -> None:
    name, schema = file["envelope"][3:5]
    event = codec.decode(name, schema, file["facts"].encode(), _bytes(file["words"]))
    assert codec.stored_name(event) == (name, schema)
    assert codec.encode(event) == (file["facts"].encode(), _bytes(file["words"]))


def test_the_payload_opens_to_the_words_in_its_place_and_in_no_other(
    file: dict[str, Any],
) -> None:
    assert (file["payload"] is None) == (file["words"] is None) == (file["key"] is None)
    if file["payload"] is not None:
        sealed, cipher = bytes.fromhex(file["payload"]), AESGCM(bytes.fromhex(file["key"]))
        place = golden.bound(file["envelope"])
        assert cipher.decrypt(sealed[:12], sealed[12:], place) == file["words"].encode()
        with pytest.raises(Exception, match=r"^$"):
            cipher.decrypt(sealed[:12], sealed[12:], place + b"x")


def test_the_leaf_is_the_one_that_was_stored(file: dict[str, Any]) -> None:
    payload = None if file["payload"] is None else bytes.fromhex(file["payload"])
    leaf = chain.leaf(file["envelope"], file["facts"].encode(), payload)
    assert leaf.hex() == file["leaf"]
    assert leaf == independent.leaf(file["envelope"], file["facts"].encode(), payload)


def test_the_memory_after_it_is_the_one_that_it_was(file: dict[str, Any]) -> None:
    name, schema = file["envelope"][3:5]
    event = codec.decode(name, schema, file["facts"].encode(), _bytes(file["words"]))
    memory, expected = golden.memory_after(file, event), file["memory"]
    if expected is None:
        assert memory is None
    else:
        assert memory is not None
        assert {name: memory[name] for name in expected} == expected


def test_every_event_has_two_golden_files() -> None:
    kept = Counter(tuple(file["envelope"][3:5]) for file in FILES.values())
    few = [
        event
        for event in codec.EVENTS
        if kept[event.NAME, event.SCHEMA] < 2  # type: ignore[attr-defined]
    ]
    assert few == []


def test_no_golden_file_was_changed_added_unlisted_or_taken_away() -> None:
    found = {
        name: independent.digest((golden.DIRECTORY / name).read_bytes()).hex() for name in FILES
    }
    assert found == golden.manifest()


def test_adding_golden_files_changes_none_that_is_there(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path_factory.mktemp("golden")
    for path in golden.DIRECTORY.iterdir():
        (elsewhere / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(golden, "DIRECTORY", elsewhere)
    gone = elsewhere / "memory.used.1.1.json"
    gone.unlink()
    before = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    assert golden.add() == [gone.name]
    after = {path.name: path.read_bytes() for path in elsewhere.iterdir()}
    assert {name: after[name] for name in before if name != golden.MANIFEST} == {
        name: before[name] for name in before if name != golden.MANIFEST
    }
