"""The log as it grows: from where a reader was, on to what comes, until somebody ends it."""

import json
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from served import Served, fails, served

from muniment.domain.identity import identity


@contextmanager
def listening(client: httpx.Client, **headers: str) -> Generator[Iterator[dict[str, Any]]]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with client.stream("GET", "/v1/log/stream", headers=named) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield _events(answer)


def _events(answer: httpx.Response) -> Iterator[dict[str, Any]]:
    event: dict[str, str] = {}
    for line in answer.iter_lines():
        if line and not line.startswith(":"):
            name, _, value = line.partition(": ")
            event[name] = value
        elif event:
            yield {**event, "data": json.loads(event["data"])}
            event = {}


def save(client: httpx.Client, content: str) -> int:
    made = client.post("/v1/memories", json={"content": content}).json()
    return int(made["position"])


def test_it_tells_what_is_there_and_then_what_comes(server: Served) -> None:
    owner = server.client()
    first = save(owner, "Rack 1 is full.")
    with listening(owner) as events:
        told = next(event for event in events if event["event"] == "memory.saved")
        assert (told["id"], told["data"]["position"]) == (str(first), first)
        assert told["data"]["data"]["content"] == "Rack 1 is full."
        second = save(owner, "The depot is in Bremen.")
        assert next(events)["id"] == str(second)


def test_it_goes_on_where_a_reader_was(server: Served) -> None:
    owner = server.client()
    first, second = save(owner, "Rack 1 is full."), save(owner, "The depot is in Bremen.")
    with listening(owner, Last_Event_ID=str(first)) as events:
        assert next(events)["id"] == str(second)


def test_it_tells_of_its_own_space_alone(server: Served) -> None:
    owner, other = server.client(), server.client()
    save(other, "Nobody else should know.")
    mine = save(owner, "Rack 1 is full.")
    with listening(owner) as events:
        told = [next(events) for _ in range(2)]
    assert [event["event"] for event in told] == ["token.issued", "memory.saved"]
    assert told[1]["id"] == str(mine)


@pytest.mark.parametrize("position", ["x", "-1", "1.5", "9" * 19, "²", "٣"])
def test_a_position_is_a_number(server: Served, position: str) -> None:
    client = server.client()
    asked = client.get("/v1/log/stream", params={"after": position})
    fails(asked, 422, "after_invalid", "after")
    asked = client.get("/v1/log/stream", headers=[(b"Last-Event-ID", position.encode())])
    fails(asked, 422, "after_invalid", "Last-Event-ID")


def test_a_query_has_one_reading(server: Served) -> None:
    client = server.client()
    fails(client.get("/v1/log/stream?after=5&after=9"), 422, "after_invalid", "after")
    fails(client.get("/v1/log/stream?befor=5"), 422, "unknown_field", "befor")


def test_who_may_not_read_the_log_is_told_by_a_status(server: Served) -> None:
    scout = server.client("subagent:scout")
    fails(scout.get("/v1/log/stream"), 403, "role_refused")
    fails(scout.get("/v1/log/stream?after=x"), 403, "role_refused")
    fails(server.bearing(None).get("/v1/log/stream"), 401, "token_required")


def test_a_token_that_is_revoked_ends_its_stream(server: Served) -> None:
    space = server.fresh_space()
    admin = server.store.as_identity(identity(space, "manual", "admin"))
    made = admin.tokens.issue(actor="manual")
    with listening(server.bearing(made.text)) as events:
        assert next(events)["event"] == "token.issued"
        admin.tokens.revoke(made.token.id)
        admin.as_identity(identity(space, "manual")).save("Nobody should be told of this.")
        for event in events:
            assert event["event"] != "memory.saved"


def test_streams_end_when_the_server_does() -> None:
    began = threading.Event()
    ended = threading.Event()
    with served() as running:
        owner = running.client()

        def read() -> None:
            with listening(owner) as events:
                for _ in events:
                    began.set()
            ended.set()

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        assert began.wait(10)
        asked = time.monotonic()
        running.server.handle_exit(15, None)
        assert ended.wait(5)
        assert time.monotonic() - asked < 2
