"""What goes wrong is one document with a status, wherever it went wrong."""

import socket
import sqlite3
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import Served, fails, served

from muniment import Muniment
from muniment.domain.errors import (
    Conflict,
    Invalid,
    MunimentError,
    NotFound,
    Refused,
    StorageFailed,
    Unavailable,
)
from muniment.interfaces.http.endpoints import in_headers
from muniment.interfaces.http.failures import status
from muniment.interfaces.http.route import Route
from muniment.interfaces.http.routes import ROUTES

NOBODY = "01980000-0000-7000-8000-000000000000"
SAME_TWICE = frozenset(
    [
        *("POST /folds", "POST /working", "POST /audit/consolidation/resume"),
        *("POST /tokens/{id}/revoke", "POST /rollbacks", "POST /purges", "POST /erasures"),
        "POST /memories/{id}/erase",
    ]
)
"""Writes that do no more when they are done again, key or not."""
FACT = "The Quillmark feed sits on Drive North."


@pytest.fixture
def owner(server: Served) -> httpx.Client:
    return server.client()


@pytest.fixture
def id_(owner: httpx.Client) -> str:
    return str(owner.post("/v1/memories", json={"content": FACT}).json()["id"])


class TestStatuses:
    @pytest.mark.parametrize(
        ("family", "expected"),
        [
            (Invalid, 422),
            (NotFound, 404),
            (Refused, 403),
            (Conflict, 409),
            (StorageFailed, 503),
            (Unavailable, 502),
        ],
    )
    def test_a_family_has_a_status(self, family: type[MunimentError], expected: int) -> None:
        assert status(family("No.")) == expected

    @pytest.mark.parametrize(
        ("error", "expected"),
        [
            (Refused("No.", code="token_required"), 401),
            (Refused("No.", code="token_refused"), 401),
            (NotFound("No.", code="purged"), 410),
            (Invalid("No.", code="content_too_large"), 413),
            (Refused("No.", code="locked_out"), 429),
            (StorageFailed("No.", code="full"), 507),
            (Refused("No.", code="not_live"), 409),
        ],
    )
    def test_some_codes_say_more_than_their_family(
        self, error: MunimentError, expected: int
    ) -> None:
        assert status(error) == expected


class TestFound:
    def test_a_memory_that_is_not_there(self, owner: httpx.Client) -> None:
        fails(owner.get(f"/v1/memories/{NOBODY}"), 404, "not_found", "id")

    def test_an_address_that_is_not_there(self, owner: httpx.Client) -> None:
        told = fails(owner.get("/v1/nowhere"), 404, "no_such_address")
        assert "/openapi.json" in told

    @pytest.mark.parametrize("method", ["DELETE", "PUT", "PATCH", "HEAD"])
    def test_a_method_that_is_not_there(self, owner: httpx.Client, method: str) -> None:
        answered = owner.request(method, "/v1/log")
        assert answered.status_code == 405
        assert answered.headers["allow"] == "GET"
        if method != "HEAD":
            fails(answered, 405, "method_not_allowed")

    def test_a_memory_that_was_erased_is_gone(self, owner: httpx.Client, id_: str) -> None:
        path, body = f"/v1/memories/{id_}/erase", {"basis": "gdpr-17"}
        confirm = owner.post(path, json={**body, "dry_run": True}).json()["confirm"]
        assert owner.post(path, json={**body, "confirm": confirm}).status_code == 200
        fails(owner.post(f"/v1/memories/{id_}/revise", json={"content": "x"}), 410, "purged", "id")


class TestTarget:
    """A proxy, and whoever is set to use one, asks for the whole URL (RFC 9112, 3.2.2)."""

    @pytest.mark.parametrize(
        ("target", "status"),
        [
            ("http://127.0.0.1/healthz", b"200"),
            ("HTTP://localhost:8420/healthz?a=%20b", b"200"),
            ("http://localhost/v1/memories/%66ff", b"401"),
            ("http://localhost", b"404"),
            ("http://evil.example/healthz", b"403"),
            ("http://someone@localhost/healthz", b"403"),
        ],
    )
    def test_may_be_a_whole_url_whose_host_counts(
        self, server: Served, target: str, status: bytes
    ) -> None:
        url = httpx.URL(server.base)
        assert url.port is not None
        with socket.create_connection((url.host, url.port), timeout=10) as connection:
            asked = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            connection.sendall(asked.encode())
            assert connection.recv(4_096).split()[1] == status


class TestInput:
    def test_a_field_that_does_not_exist(self, owner: httpx.Client) -> None:
        given = {"content": FACT, "colour": "red"}
        fails(owner.post("/v1/memories", json=given), 422, "unknown_field", "colour")
        fails(owner.get("/v1/log?colour=red"), 422, "unknown_field", "colour")
        fails(owner.post("/v1/search?query=x", json={}), 422, "unknown_field", "query")

    def test_a_field_that_is_missing(self, owner: httpx.Client, id_: str) -> None:
        fails(owner.post("/v1/memories", json={}), 422, "content_required", "content")
        fails(owner.post(f"/v1/memories/{id_}/archive"), 422, "reason_required", "reason")
        fails(owner.get("/v1/diff?one=1"), 422, "other_required", "other")

    @pytest.mark.parametrize(
        ("path", "body", "code"),
        [
            ("/v1/search", {"limit": True}, "limit_invalid"),
            ("/v1/search", {"limit": "5"}, "limit_invalid"),
            ("/v1/search", {"limit": 1.5}, "limit_invalid"),
            ("/v1/search", {"limit": 201}, "limit_invalid"),
            ("/v1/search", {"limit": 2**63}, "limit_invalid"),
            ("/v1/search", {"query": "x" * 4_097}, "query_too_long"),
            ("/v1/search", {"query": "(?=x)", "mode": "regex"}, "regex_unsupported"),
            ("/v1/memories", {"content": " \u200b"}, "content_empty"),
            ("/v1/memories", {"content": "a\0b"}, "control_character"),
            ("/v1/memories", {"content": FACT, "category": "../x"}, "category_invalid"),
            ("/v1/memories", {"content": FACT, "importance": 1.01}, "importance_invalid"),
            ("/v1/memories", {"content": FACT, "metadata": [1]}, "metadata_invalid"),
            ("/v1/working", {"key": "a/b/c", "value": "x", "ttl": -1}, "ttl_invalid"),
            ("/v1/working", {"key": "a/b/c", "value": "x", "ttl": "5m"}, "ttl_invalid"),
            ("/v1/working", {"key": "../x/y/z", "value": "x"}, "key_invalid"),
            ("/v1/merges", {"ids": [], "content": "x"}, "merge_needs_two"),
            ("/v1/blast-radius", {}, "selection_required"),
            ("/v1/memories/get", {"ids": 5}, "ids_invalid"),
            ("/v1/erasures", {"basis": "x", "dry_run": True}, "subject_required"),
            (
                "/v1/erasures",
                {"basis": "x", "subject": "Ada", "whole_space": True, "dry_run": True},
                "subject_required",
            ),
            ("/v1/purges", {"dry_run": "yes"}, "dry_run_invalid"),
            ("/v1/context", {"session": "s", "message": 5}, "message_invalid"),
            ("/v1/memories/batch", {"items": {}}, "items_invalid"),
            ("/v1/memories/batch", {"items": "text"}, "items_invalid"),
        ],
    )
    def test_a_value_that_breaks_a_rule(
        self, server: Served, owner: httpx.Client, path: str, body: Any, code: str
    ) -> None:
        before = server.store.stats().head
        told = owner.post(path, json=body)
        assert (told.status_code, told.json()["error"]["code"]) == (422, code)
        assert server.store.stats().head == before

    @pytest.mark.parametrize("limit", ["0", "-1", "x", "1.5", "true", "", "9" * 40, "1_000"])
    def test_a_number_in_an_address_is_one(self, owner: httpx.Client, limit: str) -> None:
        fails(owner.get("/v1/log", params={"limit": limit}), 422, "limit_invalid", "limit")

    @pytest.mark.parametrize(
        ("path", "code"),
        [
            (f"/v1/audit/at?when={2**63}", "when_invalid"),
            ("/v1/audit/at?when=-1", "when_invalid"),
            ("/v1/audit/trend?replayed=maybe", "replayed_invalid"),
            ("/v1/audit/trend?days=0", "days_invalid"),
            ("/v1/audit/trend?days=nan", "days_invalid"),
            ("/v1/diff?one=1&other=yesterday", "timestamp_invalid"),
            ("/v1/trace/1?depth=0", "depth_invalid"),
            ("/v1/proposals?state=odd", "state_invalid"),
        ],
    )
    def test_what_an_address_asks_obeys_the_rules(
        self, owner: httpx.Client, path: str, code: str
    ) -> None:
        told = owner.get(path)
        assert (told.status_code, told.json()["error"]["code"]) == (422, code)

    def test_a_field_of_an_address_comes_once(self, owner: httpx.Client) -> None:
        fails(owner.get("/v1/log?limit=1&limit=2"), 422, "limit_invalid", "limit")

    def test_a_page_of_the_log_has_at_most_five_hundred(self, server: Served) -> None:
        owner = server.client()
        items = [{"content": f"Rack {at} is full."} for at in range(501)]
        assert owner.post("/v1/memories/batch", json={"items": items}).status_code == 200
        page = owner.get("/v1/log?limit=10000&name=memory.saved").json()
        assert len(page["entries"]) == 500
        assert (
            len(owner.get(f"/v1/log?name=memory.saved&after={page['next']}").json()["entries"]) == 1
        )


class TestVersions:
    def test_an_edit_of_what_moved_is_refused(self, owner: httpx.Client, id_: str) -> None:
        tag = owner.get(f"/v1/memories/{id_}").headers["etag"]
        assert tag == '"1"'
        path, asked = f"/v1/memories/{id_}/rescore", {"importance": 0.9}
        done = owner.post(path, json=asked, headers={"If-Match": tag})
        assert done.headers["etag"] == '"2"'
        late = owner.post(path, json={"importance": 0.1}, headers={"If-Match": tag})
        fails(late, 409, "version_conflict", "If-Match")
        assert owner.post(path, json=asked, headers={"If-Match": "*"}).status_code == 200
        for tag in ("W/x", '"1', "1", '1""', '"x"', '"1", "2"', ""):
            odd = owner.post(path, json=asked, headers={"If-Match": tag})
            fails(odd, 422, "if_match_invalid", "If-Match")
        twice = [("If-Match", '"1"'), ("If-Match", '"2"')]
        odd = owner.post(path, json=asked, headers=twice)
        fails(odd, 422, "if_match_invalid", "If-Match")

    def test_a_retry_with_its_key_happens_once(self, owner: httpx.Client) -> None:
        key = {"Idempotency-Key": "retry-1"}
        first = owner.post("/v1/memories", json={"content": FACT}, headers=key)
        again = owner.post("/v1/memories", json={"content": FACT}, headers=key)
        assert first.json()["id"] == again.json()["id"]
        assert again.json()["memory"]["reinforcement_count"] == 1
        other = owner.post("/v1/memories", json={"content": "Else."}, headers=key)
        assert other.status_code == 409
        bad = owner.post("/v1/memories", json={"content": "X"}, headers={"Idempotency-Key": "a b"})
        fails(bad, 422, "idempotency_key_invalid", "Idempotency-Key")
        twice = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
        bad = owner.post("/v1/memories", json={"content": "X"}, headers=twice)
        fails(bad, 422, "idempotency_key_invalid", "Idempotency-Key")

    @pytest.mark.parametrize(
        "route",
        [route for route in ROUTES if route.writes],
        ids=lambda route: f"{route.method} {route.path}",
    )
    def test_a_write_takes_a_key_refuses_it_or_is_the_same_done_twice(self, route: Route) -> None:
        takes = "idempotency_key" in in_headers(route)
        assert (takes, route.adds, f"{route.method} {route.path}" in SAME_TWICE).count(True) == 1

    def test_what_cannot_tell_a_retry_takes_no_key(self, server: Served) -> None:
        space = server.fresh_space()
        owner, admin = server.client(space=space), server.client(role="admin", space=space)
        key = {"Idempotency-Key": "retry-1"}
        before = server.store.stats().head
        asked: tuple[tuple[httpx.Client, str, dict[str, Any]], ...] = (
            (owner, "/v1/audit/runs", {}),
            (owner, "/v1/audit/evaluations", {}),
            (admin, "/v1/tokens", {"actor": "bot:main"}),
        )
        for client, path, body in asked:
            told = client.post(path, json=body, headers=key)
            fails(told, 422, "idempotency_key_unsupported", "Idempotency-Key")
        assert server.store.stats().head == before

    @pytest.mark.parametrize(
        ("path", "body"),
        [
            ("turns", {"role": "user", "content": "Hello."}),
            ("tool-calls", {"tool": "ls", "arguments": {}, "ok": True}),
        ],
    )
    def test_what_was_said_and_done_is_kept_once_under_its_key(
        self, owner: httpx.Client, path: str, body: dict[str, Any]
    ) -> None:
        key, path = {"Idempotency-Key": "retry-1"}, f"/v1/sessions/s/{path}"
        first, again = (owner.post(path, json=body, headers=key).json() for _ in range(2))
        assert first == again
        assert owner.post(path, json=body).json()["number"] != first["number"]

    def test_a_batch_is_kept_once_under_its_key(self, owner: httpx.Client) -> None:
        key, items = {"Idempotency-Key": "batch-1"}, [{"content": FACT}, {"content": "Rack 12."}]
        told = [
            owner.post("/v1/memories/batch", json={"items": items}, headers=key).json()
            for _ in range(2)
        ]
        assert [one["position"] for one in told[0]] == [one["position"] for one in told[1]]
        other = owner.post("/v1/memories/batch", json={"items": items[:1]}, headers=key)
        fails(other, 409, "idempotency_key_reused", "Idempotency-Key")

    def test_a_read_may_be_of_the_past(self, owner: httpx.Client, id_: str) -> None:
        then = owner.get("/v1/log").json()["entries"][-1]["position"]
        owner.post(f"/v1/memories/{id_}/revise", json={"content": "It moved to Drive South."})
        path = f"/v1/memories/{id_}"
        assert owner.get(path, params={"as_of": then}).json()["content"] == FACT
        found = owner.post(f"/v1/search?as_of={then}", json={"query": "quillmark"}).json()
        assert found["hits"][0]["memory"]["content"] == FACT
        fails(owner.get(path, params={"as_of": "yesterday"}), 422, "timestamp_invalid", "as_of")
        fails(owner.get(f"{path}?as_of=1&as_of=2"), 422, "as_of_invalid", "as_of")
        refused = owner.post(f"/v1/memories?as_of={then}", json={"content": "x"})
        fails(refused, 422, "unknown_field", "as_of")


class TestTrouble:
    def test_a_bug_tells_nothing_of_itself(
        self, owner: httpx.Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(_: Muniment) -> None:
            raise RuntimeError("the master key is hunter2")

        monkeypatch.setattr(Muniment, "inbox", fail)
        told = fails(owner.get("/v1/inbox"), 500, "unexpected")
        assert "hunter2" not in told
        monkeypatch.undo()
        assert owner.get("/v1/inbox").status_code == 200

    def test_a_store_that_is_locked_asks_to_come_again(self, tmp_path: Path) -> None:
        settings = {"log": {"busy_timeout": 0.1}}
        with served(tmp_path / "store", settings=settings) as running:
            owner = running.client()
            other = sqlite3.connect(tmp_path / "store" / "log.db", isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            busy = owner.post("/v1/memories", json={"content": FACT})
            fails(busy, 503, "busy")
            assert int(busy.headers["retry-after"]) >= 1
            other.execute("ROLLBACK")
            other.close()
            assert owner.post("/v1/memories", json={"content": FACT}).status_code == 201


@pytest.mark.parametrize(
    "cascade", [["keep", "r"], ["cascade"], {"keep": "r", "more": ""}, {"cascade": ""}, 5, None]
)
def test_what_becomes_of_merges_is_a_word_or_what_is_kept_and_why(
    owner: httpx.Client, id_: str, cascade: object
) -> None:
    body = {"basis": "gdpr-17", "dry_run": True, "cascade": cascade}
    answer = owner.post(f"/v1/memories/{id_}/erase", json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["field"]) == (422, "cascade")


@pytest.mark.parametrize("arguments", ["text", ["a"], 5, None])
def test_what_a_tool_was_called_with_has_names(owner: httpx.Client, arguments: object) -> None:
    body = {"tool": "ls", "arguments": arguments, "ok": True}
    answer = owner.post("/v1/sessions/s/tool-calls", json=body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "arguments")


class TestCheckpointsThatAreNone:
    """The field is the one that the address takes, and nothing is said of files."""

    @pytest.mark.parametrize("given", ["zz", "a\nb\n", 5, ["x"]])
    @pytest.mark.parametrize(
        ("address", "field"), [("/v1/verify", "against"), ("/v1/memories/{id}/proof", "since")]
    )
    def test_the_field_is_named(
        self, owner: httpx.Client, id_: str, address: str, field: str, given: object
    ) -> None:
        answer = owner.post(address.replace("{id}", id_), json={field: given})
        error = answer.json()["error"]
        assert (answer.status_code, error["field"]) == (422, field)
        assert error["message"].startswith(f"{field}: ")
        assert "path" not in error["message"]
