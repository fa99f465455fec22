"""The proof of the invariants, as callers meet it."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from bdd import Clock
from commotion import commotion

import muniment
from muniment import Muniment, Refused

FACT = "The Quillmark feed sits on Drive North."


def test_a_new_store_holds(m: Muniment) -> None:
    proof = m.prove_invariants()
    assert (proof.positions, proof.violations, proof.holds) == (0, (), True)


def test_it_is_of_all_spaces(m: Muniment) -> None:
    m.save(FACT)
    m.acting_as("manual", "other").save(FACT)
    assert m.prove_invariants().positions == 2


def test_it_says_how_far_it_came(m: Muniment) -> None:
    m.save_many(
        [{"content": f"Rack {number} is full", "store": "episodic"} for number in range(6_000)]
    )
    said: list[int] = []
    assert m.prove_invariants(progress=said.append).positions == 6_000
    assert said == [5_000]


@pytest.mark.parametrize("role", ["owner", "main", "auditor", "admin"])
def test_who_may_read_the_log_may_have_it_proven(tmp_path: Path, role: Any) -> None:
    with muniment.open(tmp_path) as m:
        m.save(FACT)
    with muniment.open(tmp_path, role=role, read_only=True) as m:
        assert m.prove_invariants().positions == 1


@pytest.mark.parametrize("actor", ["subagent:scout", "system:dream"])
def test_others_may_not(m: Muniment, actor: str) -> None:
    with pytest.raises(Refused) as refused:
        m.acting_as(actor).prove_invariants()
    assert refused.value.code == "role_refused"


def _without_keys(directory: Path) -> None:
    with sqlite3.connect(directory / "keys" / "keys.db") as keys:
        for (table,) in keys.execute("SELECT name FROM sqlite_schema WHERE type = 'table'"):
            keys.execute(f"DELETE FROM {table}")
    keys.close()


@pytest.mark.parametrize("has_keys", [False, True])
def test_it_needs_no_key_and_no_writing(tmp_path: Path, has_keys: bool) -> None:
    made = commotion(7, tmp_path)
    with made.m:
        made.happen(80)
        made.m.knew("manual", made.clock())  # records the recalls that wait for the close
        proof = made.m.prove_invariants()
    assert proof.holds
    if not has_keys:
        _without_keys(tmp_path)
    before = (tmp_path / "log.db").read_bytes()
    with muniment.open(tmp_path, read_only=True) as m:
        assert m.prove_invariants() == proof
    assert (tmp_path / "log.db").read_bytes() == before


def test_a_purged_memory_is_proven_like_any_other(m: Muniment, clock: Clock) -> None:
    id_ = m.save(FACT).id
    m.archive(id_, "stale")
    clock.advance(days=91)
    assert m.purge().purged == [id_]
    proof = m.prove_invariants()
    assert (proof.positions, proof.holds) == (4, True)
