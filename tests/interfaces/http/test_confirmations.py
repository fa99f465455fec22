"""What destroys wants the digest of a dry run that is fresh and still true."""

from collections.abc import Iterator

import httpx
import pytest
from bdd import Clock
from served import Served, fails, served

FACT = "The Quillmark feed sits on Drive North."


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def server(clock: Clock) -> Iterator[Served]:
    with served(clock=clock) as running:
        yield running


@pytest.fixture
def owner(server: Served) -> httpx.Client:
    return server.client()


@pytest.fixture
def path(owner: httpx.Client) -> str:
    made = owner.post("/v1/memories", json={"content": FACT}).json()
    return f"/v1/memories/{made['id']}"


def shown(owner: httpx.Client, path: str, **body: object) -> str:
    told = owner.post(path, json={"basis": "gdpr-17", **body, "dry_run": True})
    assert told.status_code == 200, told.text
    return str(told.json()["confirm"])


def test_without_a_digest_nothing_is_destroyed(owner: httpx.Client, path: str) -> None:
    asked = owner.post(f"{path}/erase", json={"basis": "gdpr-17"})
    assert "dry_run" in fails(asked, 422, "confirm_required", "confirm")
    assert owner.get(path).json()["content"] == FACT


def test_a_dry_run_changes_nothing(server: Served, owner: httpx.Client, path: str) -> None:
    before = server.store.stats().head
    shown(owner, f"{path}/erase")
    assert server.store.stats().head == before


@pytest.mark.parametrize("digest", ["", "x", "12", "-1-abc", 5, ["a"], "²-abc", "9" * 99])
def test_what_is_no_digest_is_refused(owner: httpx.Client, path: str, digest: object) -> None:
    asked = owner.post(f"{path}/erase", json={"basis": "gdpr-17", "confirm": digest})
    assert asked.status_code in (409, 422), asked.text
    assert asked.json()["error"]["code"] in ("confirm_invalid", "confirm_expired")
    assert owner.get(path).json()["content"] == FACT


def test_ten_minutes_are_the_limit(owner: httpx.Client, path: str, clock: Clock) -> None:
    confirm = shown(owner, f"{path}/erase")
    clock.advance(minutes=10, seconds=1)
    asked = {"basis": "gdpr-17", "confirm": confirm}
    fails(owner.post(f"{path}/erase", json=asked), 409, "confirm_expired", "confirm")
    confirm = shown(owner, f"{path}/erase")
    clock.advance(minutes=10)
    done = owner.post(f"{path}/erase", json={"basis": "gdpr-17", "confirm": confirm})
    assert done.status_code == 200


def test_a_dry_run_of_the_future_is_not_called_old(
    owner: httpx.Client, path: str, clock: Clock
) -> None:
    clock.advance(minutes=5)
    confirm = shown(owner, f"{path}/erase")
    clock.advance(minutes=-5)
    asked = {"basis": "gdpr-17", "confirm": confirm}
    told = fails(owner.post(f"{path}/erase", json=asked), 409, "confirm_expired", "confirm")
    assert "yet to come" in told


def test_a_digest_is_of_what_was_asked(owner: httpx.Client, path: str) -> None:
    confirm = shown(owner, f"{path}/erase")
    asked = {"basis": "another", "confirm": confirm}
    fails(owner.post(f"{path}/erase", json=asked), 409, "confirm_differs", "confirm")


def test_a_digest_is_of_the_space_it_was_asked_in(server: Served) -> None:
    one, other = server.client(), server.client()
    confirm = one.post("/v1/purges", json={"dry_run": True}).json()["confirm"]
    fails(other.post("/v1/purges", json={"confirm": confirm}), 409, "confirm_differs", "confirm")
    assert one.post("/v1/purges", json={"confirm": confirm}).status_code == 200


def test_a_digest_is_of_what_would_become_of_it(owner: httpx.Client, path: str) -> None:
    confirm = shown(owner, "/v1/erasures", whole_space=True)
    owner.post("/v1/memories", json={"content": "Rack 14 in Bremen is full."})
    asked = {"basis": "gdpr-17", "whole_space": True, "confirm": confirm}
    fails(owner.post("/v1/erasures", json=asked), 409, "confirm_differs", "confirm")
    assert owner.get(path).json()["content"] == FACT


def test_the_role_is_checked_before_anything_is_shown(server: Served, path: str) -> None:
    agent = server.client("bot:main")
    asked = {"basis": "gdpr-17", "dry_run": True}
    assert fails(agent.post(f"{path}/erase", json=asked), 403, "role_refused")
