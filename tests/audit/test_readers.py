"""Every event that was ever written, in every schema, against those that read the log themselves.

They share no decoder with the write side, so each must be told of a new form: the golden files,
which have every form, tell whether it was.
"""

from collections.abc import Mapping
from typing import Any, Final

import golden
import pytest
from pydantic_core import from_json

from muniment.audit.corpus import Corpus
from muniment.audit.fold import Fold
from muniment.audit.reader import Reader
from muniment.audit.wording import wording
from muniment.domain.audit import Completed, Digested
from muniment.domain.memory import events as e
from muniment.domain.recorded import word_fields
from muniment.log import codec
from muniment.log.rows import Row
from muniment.proofs.facts import FORMS as KNOWN
from muniment.proofs.facts import read

FILES = golden.files()
PROVEN: Final = ("memory.", "proposal.", "erasure.", "words.")
"""How the names begin of what the invariants are about."""

SAYS: Final = frozenset(["content", "addition", "additions", "category"])
"""The words that an audit compares."""

FORMS: list[tuple[str, int, type]] = [
    (event.NAME, event.SCHEMA, event)  # type: ignore[attr-defined]
    for event in codec.EVENTS
]


def row(file: Mapping[str, Any]) -> Row:
    payload = None if file["payload"] is None else bytes.fromhex(file["payload"])
    return Row._make((*file["envelope"], file["facts"].encode(), payload))


def opened(*rows: Row, key: str | None = None) -> Reader:
    """The audit's reader on some rows of one stream, all under one key."""
    found = [tuple(one) for one in rows]

    def select(query: str, _: object) -> list[tuple[Any, ...]]:
        return [] if query.startswith("SELECT stream") else found

    return Reader(select, lambda _: None if key is None else bytes.fromhex(key))


@pytest.mark.parametrize("name", [name for name in FILES if name.startswith(PROVEN)])
def test_the_proofs_know_every_form_of_what_they_are_about(name: str) -> None:
    stored, wrong = read(row(FILES[name]), None)
    assert wrong is None
    assert stored.facts is not None
    assert tuple(FILES[name]["envelope"][3:5]) in KNOWN


@pytest.mark.parametrize("name", FILES)
def test_no_form_counts_as_damaged_in_an_audit(name: str) -> None:
    fold = Fold("team.one")
    fold.take(row(FILES[name]))
    assert fold.malformed == {}


def _wordy() -> list[str]:
    """The golden files of memories that have words which an audit compares."""
    says = {
        (name, schema)
        for name, schema, event in FORMS
        if name.startswith("memory.") and SAYS & word_fields(event)
    }
    return [
        name
        for name, file in FILES.items()
        if tuple(file["envelope"][3:5]) in says and SAYS & from_json(file["words"]).keys()
    ]


@pytest.mark.parametrize("name", _wordy())
def test_what_a_memory_says_is_read_in_every_form(name: str) -> None:
    stored, file = row(FILES[name]), FILES[name]
    reader, said = opened(stored, key=file["key"]), from_json(file["words"])
    corpus = Corpus(reader, size=1, threshold=0.5)
    corpus.take(stored)
    assert corpus.category.get(stored.stream) == said.get("category")
    wants_text = bool({"content", "addition", "additions"} & said.keys())
    assert (len(corpus.index([stored.stream])) > 0) == wants_text
    found = wording(reader, stored.stream)
    assert (found is not None) == wants_text
    if found is not None:
        assert said.get("content", said.get("addition", "")) in found.text


@pytest.mark.parametrize("name", _wordy())
def test_words_that_nothing_opens_are_known_to_be_there(name: str) -> None:
    stored = row(FILES[name])
    corpus = Corpus(opened(stored), size=1, threshold=0.5)
    corpus.take(stored)
    assert list(corpus.sealed) == [stored.position]


def test_the_runs_of_audits_are_read_in_every_form() -> None:
    """The reader knows one class of each."""
    read_as = [event for name, _, event in FORMS if name in (Completed.NAME, Digested.NAME)]
    assert read_as == [Completed, Digested]


def test_every_memory_event_that_removes_or_begins_is_known_by_its_name() -> None:
    """Rows are picked by these names in SQL, so a new name of theirs must be told there."""
    beginnings = {name for name, _, event in FORMS if issubclass(event, e.Beginning)}
    assert beginnings == {"memory.saved", "memory.imported", "memory.merged"}
    removals = {name for name, _, _ in FORMS if name.startswith("memory.purge")}
    assert removals == {"memory.purge_requested", "memory.purged"}
