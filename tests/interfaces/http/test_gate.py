"""Who is let in: whose token, on which name, from which page, how often."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from bdd import Clock
from served import Served, fails, served

from muniment.domain.access import ROLES
from muniment.domain.identity import identity
from muniment.interfaces.http.limits import Allowance, RateLimited
from muniment.interfaces.http.route import Route
from muniment.interfaces.http.routes import ROUTES

FACT = "The Quillmark feed sits on Drive North."
NOBODY = "01980000-0000-7000-8000-000000000000"


def save(client: httpx.Client, content: str = FACT) -> str:
    return str(client.post("/v1/memories", json={"content": content}).json()["id"])


class TestTokens:
    def test_no_address_answers_without_one(self, server: Served) -> None:
        nobody = server.bearing(None)
        for route in ROUTES:
            path = route.path.replace("{key:path}", "k").replace("{", "").replace("}", "")
            told = nobody.request(route.method, f"/v1{path}", json={})
            fails(told, 401, "token_required")
            assert told.headers["www-authenticate"] == "Bearer"
        for path in ("/metrics", "/v1/log/stream"):
            fails(nobody.get(path), 401, "token_required")
        fails(nobody.post("/mcp", json={}), 401, "token_required")

    @pytest.mark.parametrize(
        "shown",
        [
            *("Bearer x", "Bearer muniment_0_0", "bearer " + "z" * 90, "Bearer \xfc"),
            *("Bearer " + "".join(map(chr, range(0x80, 0x100))), "Bearer a\tb c,d"),
            *("Bearer muniment_" + "0" * 32 + "_" + "x" * 60_000, "Bearer muniment_\xff"),
        ],
        ids=lambda shown: repr(shown)[:24],
    )
    def test_what_is_no_token_is_refused(self, server: Served, shown: str) -> None:
        nobody = server.bearing(None)
        told = nobody.get("/v1/stats", headers={b"Authorization": shown.encode("latin-1")})
        fails(told, 401, "token_refused")
        save(server.client())  # a good one ends the count of failures

    @pytest.mark.parametrize("shown", ["", "Bearer", "Basic dXNlcjpwYXNz", "token"])
    def test_another_scheme_is_none(self, server: Served, shown: str) -> None:
        nobody = server.bearing(None)
        fails(nobody.get("/v1/stats", headers={"Authorization": shown}), 401, "token_required")

    def test_one_that_was_revoked_is_refused_from_then_on(self, server: Served) -> None:
        admin = server.store.as_identity(identity("default", "manual", "admin"))
        made = admin.tokens.issue(actor="bot:main")
        client = server.bearing(made.text)
        assert client.get("/v1/stats").status_code == 200
        admin.tokens.revoke(made.token.id)
        fails(client.get("/v1/stats"), 401, "token_refused")

    def test_what_is_done_is_done_by_its_bearer(self, server: Served) -> None:
        space = server.fresh_space()
        id_ = save(server.client("bot:main", space=space))
        told = server.client(space=space).get(f"/v1/memories/{id_}/history").json()
        assert [entry["actor"] for entry in told] == ["bot:main"]

    def test_ten_wrong_ones_in_a_minute_keep_an_address_out_for_a_minute(self) -> None:
        clock = Clock()
        with served(clock=clock) as running:
            right, wrong = running.client(), running.bearing("muniment_wrong")
            for _ in range(10):
                fails(wrong.get("/v1/stats"), 401, "token_refused")
            out = right.get("/v1/stats")
            fails(out, 429, "locked_out")
            assert out.headers["retry-after"] == "60"
            assert right.get("/healthz").status_code == 200
            clock.advance(seconds=60)
            assert right.get("/v1/stats").status_code == 200


class TestRoles:
    """What a role may not ask for is refused before anything about the input."""

    @pytest.mark.parametrize(
        "route",
        [route for route in ROUTES if "contributor" not in ROLES[route.operation]],
        ids=lambda route: f"{route.method} {route.path}",
    )
    def test_what_a_role_may_not_do_is_refused_whatever_is_sent(
        self, server: Served, route: Route
    ) -> None:
        space = server.fresh_space()
        agent = server.client("subagent:scout", space=space)
        path = f"/v1{re.sub('{.*?}', NOBODY, route.path)}?zz=1"
        json = {"Content-Type": "application/json"}
        for sent in (b"", b'{"zz": 1}', b'{"dry_run": 5}', b"{broken"):
            told = agent.request(route.method, path, content=sent, headers=json)
            fails(told, 403, "role_refused")
        denied = server.store.log(space=space, name="access.denied")
        assert [(one.actor, one.data["operation"]) for one in denied] == [
            ("subagent:scout", route.operation)
        ]


class TestSpaces:
    """What is in another space cannot be told from what is nowhere."""

    @pytest.fixture
    def one(self, server: Served) -> httpx.Client:
        return server.client()

    @pytest.fixture
    def other(self, server: Served) -> httpx.Client:
        return server.client()

    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("GET", "/v1/memories/{id}", None),
            ("GET", "/v1/memories/{id}/history", None),
            ("GET", "/v1/trace/{id}", None),
            ("POST", "/v1/memories/{id}/archive", {"reason": "x"}),
            ("POST", "/v1/memories/{id}/proof", {}),
            ("POST", "/v1/memories/{id}/erase", {"basis": "x", "dry_run": True}),
            ("POST", "/v1/blast-radius", {"memory": "{id}"}),
            ("POST", "/v1/rollbacks", {"memory": "{id}", "dry_run": True}),
            ("POST", "/v1/memories/get", {"ids": ["{id}"]}),
            ("POST", "/v1/feedback", {"kind": "praise", "text": "x", "memory_ids": ["{id}"]}),
        ],
    )
    def test_a_memory_of_another_space_is_nowhere(
        self, one: httpx.Client, other: httpx.Client, method: str, path: str, body: object
    ) -> None:
        def asked(id_: str) -> httpx.Response:
            content = None if body is None else repr(body).replace("'", '"').replace("True", "true")
            return other.request(
                method,
                path.replace("{id}", id_),
                content=content and content.replace("{id}", id_),
                headers={"Content-Type": "application/json"},
            )

        theirs, nowhere = save(one), NOBODY
        there, missing = asked(theirs), asked(nowhere)
        assert there.status_code == missing.status_code == 404, there.text
        assert there.text.replace(theirs, "ID").replace(theirs[-12:], "TAIL") == (
            missing.text.replace(nowhere, "ID").replace(nowhere[-12:], "TAIL")
        )

    def test_searches_logs_and_lists_are_of_ones_own(
        self, one: httpx.Client, other: httpx.Client
    ) -> None:
        save(one)
        one.post("/v1/working", json={"key": "a/b/c", "value": "Theirs."})
        one.post("/v1/sessions/s/turns", json={"role": "user", "content": "Quillmark?"})
        one.post("/v1/proposals", json={"content": "Rack 14 is full."})
        answers = [
            *(other.post(f"/v1{path}", json=body).json()["hits"] for path, body in _SEARCHES),
            other.get("/v1/sessions/s/turns").json(),
            other.get("/v1/proposals").json(),
            other.get("/v1/log?name=memory.saved").json()["entries"],
            other.get("/v1/stats").json()["categories"],
        ]
        assert not any(answers)
        fails(other.get("/v1/working/a/b/c"), 404, "entry_not_found", "key")

    def test_no_address_takes_the_name_of_a_space(self, other: httpx.Client) -> None:
        fails(other.get("/v1/log?space=*"), 422, "unknown_field", "space")
        asked = {"basis": "x", "space": "space-1", "dry_run": True}
        fails(other.post("/v1/erasures", json=asked), 422, "unknown_field", "space")


_SEARCHES: tuple[tuple[str, dict[str, str]], ...] = (
    ("/search", {"query": "quillmark"}),
    ("/search", {}),
    ("/working/search", {}),
    ("/turns/search", {"query": "quillmark"}),
)


class TestRecalls:
    def test_a_search_is_a_recall_of_its_session(self, server: Served) -> None:
        space = server.fresh_space()
        agent, owner = server.client("bot:main", space=space), server.client(space=space)
        id_ = save(owner)
        agent.post("/v1/search", json={"query": "quillmark"}, headers={"X-Session": "web-7"})
        agent.post("/v1/search", json={"query": "quillmark"})
        owner.get(f"/v1/trace/{id_}")  # records what was recalled so far
        head = owner.get("/v1/stats").json()["head"]
        known = owner.get("/v1/knew", params={"agent": "bot:main", "when": head}).json()["known"]
        assert [(one["memory"], one["session"]) for one in known] == [(id_, "web-7"), (id_, "http")]

    def test_a_session_has_a_name_that_can_be_printed(self, server: Served) -> None:
        told = server.client().post("/v1/search", json={}, headers={"X-Session": "x" * 201})
        fails(told, 422, "session_invalid", "session")


class TestAddresses:
    @pytest.mark.parametrize("path", ["/v1/stats", "/healthz", "/openapi.json", "/mcp", "/nowhere"])
    def test_another_name_is_not_answered_to(self, server: Served, path: str) -> None:
        told = server.client().get(path, headers={"Host": "evil.example"})
        assert "evil.example" in fails(told, 403, "host_refused")

    @pytest.mark.parametrize("path", ["/v1/stats", "/healthz", "/openapi.json", "/mcp", "/nowhere"])
    @pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1:1"])
    def test_a_page_of_another_origin_is_refused(
        self, server: Served, path: str, origin: str
    ) -> None:
        told = server.client().get(path, headers={"Origin": origin})
        fails(told, 403, "origin_refused")

    @pytest.mark.parametrize("host", ["localhost", "localhost:8420", "[::1]:99", "127.0.0.1"])
    def test_its_own_names_are_answered_to(self, server: Served, host: str) -> None:
        assert server.client().get("/v1/stats", headers={"Host": host}).status_code == 200

    def test_an_operator_lists_names_and_origins(self) -> None:
        named = {"hosts": ["memory.example"], "origins": ["https://console.example"]}
        with served(settings={"server": named}) as running:
            client = running.client()
            headers = {"Host": "memory.example", "Origin": "https://console.example"}
            assert client.get("/v1/stats", headers=headers).status_code == 200


@pytest.fixture(scope="module")
def strict() -> Iterator[Served]:
    few = {"limits": {"writes_per_minute": 3, "reads_per_minute": 5}}
    with served(settings=few) as running:
        yield running


class TestLimits:
    def test_so_many_writes_and_reads_a_minute(self, strict: Served) -> None:
        client = strict.client()
        for at in range(3):
            assert client.post("/v1/memories", json={"content": f"Rack {at}."}).status_code == 201
        late = client.post("/v1/memories", json={"content": "Rack 4."})
        fails(late, 429, "rate_limited")
        assert 1 <= int(late.headers["retry-after"]) <= 20
        for _ in range(5):
            assert client.get("/v1/stats").status_code == 200
        fails(client.get("/v1/stats"), 429, "rate_limited")

    def test_one_client_spends_nothing_of_another(self, strict: Served) -> None:
        for _ in range(6):
            strict.client().get("/v1/stats")
        one = strict.client("bot:main", space="shared")
        for _ in range(6):
            one.get("/v1/stats")
        assert strict.client("bot:other", space="shared").get("/v1/stats").status_code == 200

    def test_two_tokens_of_one_actor_have_an_allowance_each(self, strict: Served) -> None:
        one, other = (strict.client("bot:main", space="common") for _ in range(2))
        for _ in range(5):
            assert one.get("/v1/stats").status_code == 200
        fails(one.get("/v1/stats"), 429, "rate_limited")
        assert other.get("/v1/stats").status_code == 200

    def test_a_batch_is_one_write(self, strict: Served) -> None:
        client = strict.client()
        for at in range(3):
            items = [{"content": f"Rack {at}-{n} is full."} for n in range(9)]
            assert client.post("/v1/memories/batch", json={"items": items}).status_code == 200
        fails(client.post("/v1/memories/batch", json={"items": []}), 429, "rate_limited")

    def test_an_allowance_fills_evenly(self) -> None:
        now = 0.0
        allowance = Allowance("reads", 60, lambda: now)
        for _ in range(60):
            allowance.take("me")
        with pytest.raises(RateLimited) as caught:
            allowance.take("me")
        assert caught.value.retry_after == pytest.approx(1.0)
        now = 1.0
        allowance.take("me")
        with pytest.raises(RateLimited):
            allowance.take("me")

    def test_none_is_as_many_as_one_likes(self) -> None:
        allowance = Allowance("reads", 0, lambda: 0.0)
        for _ in range(1_000):
            allowance.take("me")


class TestManyAtOnce:
    def test_sixty_four_clients_are_answered(self, server: Served) -> None:
        space = server.fresh_space()
        save(server.client(space=space))
        clients = [server.client(f"bot:agent-{at}", space=space) for at in range(64)]
        with ThreadPoolExecutor(64) as threads:
            asked = [
                threads.submit(client.post, "/v1/search", json={"query": "quillmark"})
                for client in clients
            ]
        assert [len(one.result().json()["hits"]) for one in asked] == [1] * 64


class TestOpen:
    def test_everybody_on_this_machine_is_the_main_agent(self) -> None:
        with served(is_open=True) as running:
            client = running.bearing(None)
            id_ = save(client)
            told = client.get(f"/v1/memories/{id_}/history").json()
            assert told[0]["actor"] == "bot:main"
            fails(client.post(f"/v1/memories/{id_}/release"), 403, "role_refused")
            fails(client.post(f"/v1/memories/{id_}/pin"), 403, "trigger_required", "trigger")
            told = client.post(f"/v1/memories/{id_}/pin", json={"trigger": "keep that"}).json()
            assert told["pinned"] is True
            page = {"Origin": "https://evil.example"}
            fails(client.get("/v1/stats", headers=page), 403, "origin_refused")
