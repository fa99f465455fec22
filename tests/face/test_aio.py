"""The same face for asyncio."""

import asyncio

import pytest

from muniment import Invalid, Muniment, NotFound

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


def test_the_parts_of_a_handle_are_awaited_too(m: Muniment) -> None:
    async def use() -> None:
        session = m.acting_as("bot:main", namespace="session/abc").aio
        saved = await session.working.save("inbox", "Forty mails")
        assert await session.working.get("inbox") == saved
        assert (await session.working.search("mails")).hits[0].key == "session/abc/inbox"
        turn = await m.aio.conversation.append("abc", "user", "Hello")
        assert await m.aio.conversation.turns("abc") == [turn]
        assert (await session.context("abc", "Hello")).turns == (turn,)
        assert (await m.aio.keys.rotate()).keys > 0
        with pytest.raises(NotFound):
            await m.aio.working.get("session/abc/nothing")
        with pytest.raises(AttributeError):
            _ = m.aio.working.space

    asyncio.run(use())


def test_many_at_once_share_working_memory(m: Muniment) -> None:
    async def use() -> None:
        await asyncio.gather(
            *(m.aio.working.save(f"shared/n{n % 2}/k{n}", f"value {n}") for n in range(60)),
            *(m.aio.conversation.append("abc", "user", f"turn {n}") for n in range(20)),
        )

    asyncio.run(use())
    assert len(m.working.search()) == 60
    assert len(m.conversation.turns("abc")) == 20
