"""What a stranger broke, each as a test."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from terminal import Terminal

import muniment
from muniment import Muniment, StorageFailed
from muniment.domain import subjects
from muniment.domain.identity import Role, identity

TEXT = "The Quillmark feed sits on Drive North"


@pytest.mark.parametrize(
    ("text", "name", "is_there"),
    [
        ("客户王小明喜欢喝茶", "王小明", True),
        ("田中さんはお茶が好き", "田中", True),
        ("김철수는 차를 좋아한다", "김철수", True),
        ("สวัสดีสมชายครับ", "สมชาย", True),
        ("Müllers Haus", "Müller", True),
        ("Ann's tea", "Ann", True),
        ("O’Brien likes tea", "O'Brien", True),
        ("the planning", "Ann", False),
        ("annual", "Ann", False),
        ("Anna", "Ann", False),
    ],
)
def test_a_name_is_found_in_any_script_and_in_the_genitive(
    text: str, name: str, is_there: bool
) -> None:
    assert subjects.is_named_in(text, name) == is_there


@pytest.mark.parametrize("code", ["vollmond-petra", "request-petra", "petra_vollmond"])
def test_no_word_of_a_name_may_stand_in_a_code(code: str) -> None:
    assert subjects.is_spelt_in(code, "Petra Vollmond")
    assert not subjects.is_spelt_in("gdpr-17", "Petra Vollmond")


def test_a_person_is_erased_where_no_blanks_stand_around_the_name(m: Muniment) -> None:
    said = "客户王小明喜欢喝茶"
    m.save(TEXT, metadata={"subject": "王小明"})
    m.acting_as("subagent:q").propose(f"{said} today")
    m.feedback("praise", said)
    m.working.save("session/a/b", said)
    m.conversation.append("s", "user", said)
    besides = m.erase_subject("王小明", basis="gdpr-17").besides
    reached = besides.proposals, besides.feedback, besides.entries, besides.turns
    assert reached == (1, 1, 1, 1)
    assert m.conversation.turns("s") == []


def test_an_administrator_holds_a_memory_and_reads_no_word_of_it(m: Muniment) -> None:
    id_ = m.save(TEXT, category="infra", tags=["a"], metadata={"k": "v"}).id
    admin = m.as_identity(identity("default", "manual", "admin"))
    for memory in (admin.hold(id_, "a suit"), admin.release_hold(id_)):
        assert (memory.id, memory.content or "") == (id_, "")
        assert (memory.category, memory.tags, dict(memory.metadata)) == (None, (), {})


@pytest.mark.parametrize("role", ["auditor", "admin"])
def test_who_reads_no_words_sees_no_references_and_sessions(m: Muniment, role: Role) -> None:
    source = {"type": "web", "ref": "https://private.example/frumpkin", "session": "sess-gorlim"}
    id_ = m.save(TEXT, source=source).id
    m.recall("Quillmark", session="sess-barnowl", agent="bot:x")
    reader = m.as_identity(identity("default", "manual", role))
    told = repr([reader.trace(id_), reader.blast_radius(actor="manual")])
    for secret in ("frumpkin", "gorlim", "barnowl", "Quillmark"):
        assert secret not in told
        assert secret in repr([m.trace(id_), m.blast_radius(actor="manual"), m.get(id_)])


def test_what_an_undone_rollback_archived_is_named_by_the_next_and_by_an_erasure(
    m: Muniment,
) -> None:
    tainted = m.acting_as("bot:bad").save("Pump 11 stands in hall 11").id
    clean = m.save("Pump 22 stands in hall 22").id
    m.merge([tainted, clean], "Pump 11 stands in hall 11. Pump 22 stands in hall 22")
    done = m.rollback(actor="bot:bad", reason="wrong", dry_run=False)
    m.rollback(undo=done.id, reason="right", dry_run=False)
    again = m.rollback(actor="bot:bad")
    assert [step.action for step in again.steps if step.id == clean] == ["review"]
    certificate = m.erase(tainted, basis="gdpr-17", cascade="rewrite")
    assert (certificate.restored, certificate.left) == ((), (clean,))


def test_a_recall_without_a_session_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal(tmp_path / "store", capsys, monkeypatch)
    terminal("save", TEXT)
    run = terminal("recall", "feed", "--json")
    assert (run.status, run.error["code"]) == (2, "usage")


def test_a_vault_that_was_cut_off_says_so_to_who_only_reads(tmp_path: Path) -> None:
    with muniment.open(tmp_path) as m:
        m.save(TEXT)
    program = (
        "import os, sqlite3, sys\n"
        "vault = sqlite3.connect(sys.argv[1])\n"
        "vault.execute('PRAGMA cache_size = 1')\n"
        "vault.execute('CREATE TABLE cut (off BLOB)')\n"
        "for _ in range(2_000):\n"
        "    vault.execute('INSERT INTO cut VALUES (?)', (os.urandom(500),))\n"
        "os.kill(os.getpid(), 9)\n"
    )
    keys = tmp_path / "keys" / "keys.db"
    subprocess.run([sys.executable, "-c", program, str(keys)], check=False)
    assert keys.with_name("keys.db-journal").stat().st_size > 0
    with pytest.raises(StorageFailed) as caught, muniment.open(tmp_path, read_only=True) as m:
        m.search("feed")
    assert caught.value.code == "vault_interrupted"
    with muniment.open(tmp_path) as m:
        assert m.search("feed").hits
    with sqlite3.connect(keys) as vault:
        assert vault.execute("SELECT count(*) FROM cut").fetchone() == (0,)
    vault.close()
