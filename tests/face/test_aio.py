"""The same face for asyncio."""

import asyncio

import pytest

from muniment import Invalid, Muniment

FACT = "The Quillmark feed sits on Drive North."


def test_every_call_is_awaited_and_answers_alike(m: Muniment) -> None:
    async def use() -> None:
        saved = await m.aio.save(FACT, category="infra")
        assert await m.aio.get(saved.id) == m.get(saved.id)
        assert await m.aio.search("feed") == m.search("feed")
        await m.aio.rescore(saved.id, 0.9)
        assert [entry.name for entry in await m.aio.history(saved.id)] == [
            "memory.saved",
            "memory.rescored",
        ]
        assert (await m.aio.archive(saved.id, "stale")).state == "archived"
        assert (await m.aio.restore(saved.id)).memory.state == "live"
        assert (await m.aio.verify()).intact

    asyncio.run(use())


def test_many_savers_at_once_lose_nothing(m: Muniment) -> None:
    async def use() -> None:
        await asyncio.gather(*(m.aio.save(f"Shelf {n} is empty.") for n in range(40)))

    asyncio.run(use())
    assert m.stats().memories["live"] == 40


def test_the_log_is_iterated(m: Muniment) -> None:
    async def use() -> list[int]:
        return [entry.position async for entry in m.aio.log(name="memory.saved")]

    m.save_many([{"content": f"Shelf {n} is empty."} for n in range(3)])
    assert asyncio.run(use()) == [1, 2, 3]


def test_errors_are_raised_where_it_is_awaited(m: Muniment) -> None:
    async def use() -> None:
        with pytest.raises(Invalid):
            await m.aio.save("")
        with pytest.raises(Invalid):
            async for _ in m.aio.log(after=-1):
                pass

    asyncio.run(use())


def test_what_is_no_call_is_read_from_the_handle(m: Muniment) -> None:
    with pytest.raises(AttributeError):
        _ = m.aio.space
    with pytest.raises(AttributeError):
        _ = m.aio.nothing
