"""What became of memories between two moments."""

from datetime import timedelta

import pytest
from bdd import Clock

from muniment import Change, Invalid, Muniment, Refused

DAY = timedelta(days=1)


def the(m: Muniment, one: int, other: int, id_: str) -> Change:
    (change,) = [change for change in m.diff(one, other).changes if change.id == id_]
    return change


def test_each_field_that_differs_is_told_old_and_new(m: Muniment) -> None:
    id_ = m.save("The relay runs on Friday", category="ci", tags=["a"]).id
    m.revise(id_, "The relay runs on Monday")
    m.recategorize(id_, "servers")
    m.retag(id_, ["b"])
    m.rescore(id_, 0.9)
    m.describe(id_, {"k": "v"})
    m.pin(id_)
    m.hold(id_, "a suit")
    m.mark_used(id_)
    change = the(m, 1, m.stats().head, id_)
    assert change.kinds == ("changed",)
    assert {one.field: (one.old, one.new) for one in change.fields} == {
        "content": ("The relay runs on Friday", "The relay runs on Monday"),
        "category": ("ci", "servers"),
        "tags": (("a",), ("b",)),
        "base_importance": (0.5, 0.9),
        "metadata": ({}, {"k": "v"}),
        "pinned": (False, True),
        "held": (False, True),
        "access_count": (1, 2),
    }
    assert [event.version for event in change.events] == list(range(2, 10))
    assert change.events[0].actor == "manual"
    assert change.memory == m.as_of(m.stats().head).get(id_)


def test_what_began_between_was_created(m: Muniment) -> None:
    m.save("The pump stands still")
    id_ = m.save("The relay runs on Friday").id
    m.rescore(id_, 0.9)
    (change,) = m.diff(1, 3).changes
    assert (change.id, change.kinds, change.fields) == (id_, ("created",), ())
    assert change.memory.base_importance == 0.9


def test_retirements_and_returns_are_kinds_of_their_own(m: Muniment, clock: Clock) -> None:
    one, other, doubted = (
        m.save(text).id
        for text in ("The relay runs on Friday", "Server zebra stands", "Pigs fly at night")
    )
    start = m.stats().head
    m.archive(one, "over")
    m.supersede(other, doubted)
    m.quarantine(doubted, "odd")
    gone = m.stats().head
    assert [the(m, start, gone, id_).kinds for id_ in (one, other, doubted)] == [
        ("archived",),
        ("superseded",),
        ("quarantined",),
    ]
    m.restore(other)
    m.release(doubted)
    back = m.stats().head
    assert [the(m, gone, back, id_).kinds for id_ in (other, doubted)] == [
        ("restored",),
        ("released",),
    ]
    assert the(m, start, back, other).kinds == ("touched",)
    clock.now += 91 * DAY
    m.purge()
    assert the(m, back, m.stats().head, one).kinds == ("purged",)
    assert the(m, start, m.stats().head, one).kinds == ("purged",)


def test_a_merge_is_told_of_its_result_and_its_sources(m: Muniment) -> None:
    one = m.save("The relay runs on Friday").id
    other = m.save("Server zebra stands in Lisbon").id
    merged = m.merge([one, other], "The relay runs on Friday. Server zebra stands in Lisbon.").id
    difference = m.diff(2, m.stats().head)
    assert {change.id: change.kinds for change in difference.changes} == {
        merged: ("created", "merged"),
        one: ("merged", "archived"),
        other: ("merged", "archived"),
    }
    assert {change.id for change in difference.of("archived")} == {one, other}
    assert the(m, 2, m.stats().head, one).fields[-1].new == merged


def test_moments_may_come_in_any_order(m: Muniment) -> None:
    id_ = m.save("The relay runs on Friday").id
    m.revise(id_, "The relay runs on Monday")
    assert m.diff(2, 1) == m.diff(1, 2)
    assert m.diff(1, 2).since.position == 1
    assert m.diff(2, 2).changes == ()
    assert m.diff("1999-01-01T00:00:00Z", 2).of("created")[0].id == id_


def test_many_changes_come_page_by_page(m: Muniment) -> None:
    m.save_many(
        [{"content": f"Relay number {number} has the name {number * 77}"} for number in range(7)]
    )
    m.rescore(m.search(limit=1).hits[0].memory.id, 0.9)
    head = m.stats().head
    whole = m.diff("1999-01-01T00:00:00Z", head)
    assert (len(whole.changes), whole.cursor) == (7, None)
    pages: list[Change] = []
    cursor: int | None = None
    while True:
        page = m.diff("1999-01-01T00:00:00Z", head, limit=3, cursor=cursor)
        assert len(page.changes) <= 3
        pages += page.changes
        cursor = page.cursor
        if cursor is None:
            break
    assert pages == list(whole.changes)


def test_a_diff_is_of_the_callers_space(m: Muniment) -> None:
    m.save("The relay runs on Friday")
    m.acting_as("manual", "other").save("Server zebra stands in Lisbon")
    assert len(m.diff("1999-01-01T00:00:00Z", 2).changes) == 1


@pytest.mark.parametrize("limit", [0, 10_001, "3"])
def test_a_limit_out_of_bounds_is_refused(m: Muniment, limit: int) -> None:
    m.save("The relay runs on Friday")
    with pytest.raises(Invalid) as refused:
        m.diff(1, 1, limit=limit)
    assert refused.value.code == "limit_invalid"


@pytest.mark.parametrize("actor", ["bot:main", "subagent:one", "system:dream"])
def test_agents_may_not_ask_for_a_diff(m: Muniment, actor: str) -> None:
    m.save("The relay runs on Friday")
    with pytest.raises(Refused) as refused:
        m.acting_as(actor).diff(1, 1)
    assert refused.value.code == "role_refused"
