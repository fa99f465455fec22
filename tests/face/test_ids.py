"""How a memory is named: by its id, or by the tail of it."""

from collections.abc import Callable

import pytest

from muniment import Invalid, Muniment, NotFound

FACT = "The Quillmark feed sits on Drive North."
UNKNOWN = "00000000-0000-7000-8000-000000000000"


ALIKE = ("019500aa-0000-7000-8000-0012abcdef01", "019500aa-0000-7000-8000-0034abcdef01")
"""Two ids that end in the same 8 digits and more."""


def saved_as(monkeypatch: pytest.MonkeyPatch, m: Muniment, name: str, content: str) -> str:
    """Saves a memory under an id of the test's choice."""

    def new_id(_: object) -> str:
        return name

    monkeypatch.setattr("muniment.log.batch.Work.new_id", new_id)
    assert m.save(content).id == name
    return name


class TestTails:
    @pytest.mark.parametrize("length", [8, 9, 12])
    def test_the_last_digits_name_it_from_8_on(self, m: Muniment, length: int) -> None:
        saved = m.save(FACT)
        assert m.get(saved.id[-length:]).id == saved.id

    @pytest.mark.parametrize("change", [str.upper, str.title, "  {} ".format])
    def test_in_any_case_and_with_blanks_around(
        self, m: Muniment, change: Callable[[str], str]
    ) -> None:
        saved = m.save(FACT)
        assert m.get(change(saved.id)).id == saved.id
        assert m.get(change(saved.id[-12:])).id == saved.id

    def test_with_and_without_its_hyphens(self, m: Muniment) -> None:
        saved = m.save(FACT)
        assert m.get(saved.id.replace("-", "")).id == saved.id
        assert m.get(saved.id[-17:]).id == saved.id

    def test_every_call_that_takes_an_id_takes_a_tail(self, m: Muniment) -> None:
        saved = m.save(FACT)
        tail = saved.id[-12:].upper()
        assert m.revise(tail, "Rack 12 is full.").id == saved.id
        assert m.rescore(tail, 0.9).id == saved.id
        assert m.recategorize(tail, "infra").id == saved.id
        assert m.retag(tail, ["x"]).id == saved.id
        assert m.describe(tail, {"k": "v"}).id == saved.id
        assert m.pin(tail).id == saved.id
        assert m.unpin(tail).id == saved.id
        assert m.mark_used(tail).id == saved.id
        assert m.archive(tail, "stale").id == saved.id
        assert m.restore(tail).memory.id == saved.id
        assert len(m.history(tail)) == 11
        assert [memory.id for memory in m.get_many([tail, saved.id])] == [saved.id] * 2

    def test_an_ambiguous_tail_names_nothing_and_a_longer_one_does(
        self, m: Muniment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = saved_as(monkeypatch, m, ALIKE[0], "Rack 12 is full.")
        second = saved_as(monkeypatch, m, ALIKE[1], "The lobby is blue.")
        with pytest.raises(Invalid) as caught:
            m.get("abcdef01")
        assert (caught.value.code, caught.value.field) == ("id_ambiguous", "id")
        assert m.get("12abcdef01").id == first
        assert m.get(second[-12:]).id == second

    def test_another_space_s_memory_of_the_same_tail_is_no_ambiguity(
        self, m: Muniment, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for space, name in zip(("one", "two"), ALIKE, strict=True):
            saved_as(monkeypatch, m.acting_as("manual", space=space), name, FACT)
        for space, name in zip(("one", "two"), ALIKE, strict=True):
            assert m.acting_as("manual", space=space).get("abcdef01").id == name


class TestWhatNamesNothing:
    @pytest.mark.parametrize("id", [UNKNOWN, "12345678", "0123456789ab"])
    def test_an_unknown_one_is_not_found(self, m: Muniment, id: str) -> None:
        m.save(FACT)
        with pytest.raises(NotFound) as caught:
            m.get(id)
        assert (caught.value.code, caught.value.field) == ("not_found", "id")

    @pytest.mark.parametrize(
        "id",
        ["", "abcdef0", "not-an-id", "--------", "g" * 12, "x" * 65, "'; drop", "%", "1234567%"],
    )
    def test_what_cannot_be_an_id_is_refused(self, m: Muniment, id: str) -> None:
        m.save(FACT)
        with pytest.raises(Invalid) as caught:
            m.get(id)
        assert (caught.value.code, caught.value.field) == ("id_invalid", "id")

    def test_one_bad_id_among_many_is_told(self, m: Muniment) -> None:
        saved = m.save(FACT)
        with pytest.raises(NotFound, match=UNKNOWN):
            m.get_many([saved.id, UNKNOWN])

    def test_no_ids_are_no_memories(self, m: Muniment) -> None:
        assert m.get_many([]) == []

    def test_more_than_1000_ids_are_refused(self, m: Muniment) -> None:
        saved = m.save(FACT)
        assert len(m.get_many([saved.id] * 1_000)) == 1_000
        with pytest.raises(Invalid):
            m.get_many([saved.id] * 1_001)
