"""Every address does what it says, for those who may ask for it."""

from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest
from served import Served

from muniment.interfaces.http.routes import ROUTES

FACT = "The Quillmark feed sits on Drive North."
OTHER = "Ada keeps the spare keys of the depot in Bremen."


class World:
    """A space with two memories, one archived, one proposal and one audit."""

    def __init__(self, server: Served) -> None:
        self.space = server.fresh_space()
        self.owner = server.client(space=self.space)
        self.admin = server.client(role="admin", space=self.space)
        self.agent = server.client("subagent:scout", space=self.space)
        self.id = self.save(FACT)
        self.other = self.save(OTHER)

    def save(self, content: str) -> str:
        made = self.owner.post("/v1/memories", json={"content": content})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])

    def get(self, path: str, **query: Any) -> Any:
        return self.done(self.owner.get(f"/v1{path}", params=query))

    def post(self, path: str, /, **body: Any) -> Any:
        return self.done(self.owner.post(f"/v1{path}", json=body))

    def confirmed(self, path: str, /, **body: Any) -> Any:
        shown = self.post(path, **body, dry_run=True)
        return self.post(path, **body, confirm=shown["confirm"])

    @staticmethod
    def done(response: httpx.Response) -> Any:
        assert response.status_code == 200, response.text
        return response.json()


@pytest.fixture
def world(server: Served) -> World:
    return World(server)


def _save(w: World) -> None:
    again = w.owner.post("/v1/memories", json={"content": FACT})
    assert (again.status_code, again.json()["outcome"]) == (200, "reinforced")


def _edit(verb: str, expected: Mapping[str, Any], **body: Any) -> Callable[[World], None]:
    def check(w: World) -> None:
        told = w.post(f"/memories/{w.id}/{verb}", **body)
        assert {name: told[name] for name in expected} == expected

    return check


def _restore(w: World) -> None:
    w.post(f"/memories/{w.id}/archive", reason="old")
    w.post(f"/memories/{w.id}/restore")
    assert w.get(f"/memories/{w.id}")["state"] == "live"


def _supersede(w: World) -> None:
    told = w.post(f"/memories/{w.id}/supersede", by=w.other)
    assert (told["state"], told["superseded_by"]) == ("superseded", w.other)


def _release(w: World) -> None:
    w.post(f"/memories/{w.id}/quarantine", reason="doubtful")
    assert w.post(f"/memories/{w.id}/release")["state"] == "live"


def _merge(w: World) -> None:
    told = w.post("/merges", ids=[w.id, w.other], content=f"{FACT} {OTHER}")
    assert sorted(told["memory"]["merged_from"]) == sorted([w.id, w.other])


def _rollback(w: World) -> None:
    shown = w.post("/rollbacks", memory=w.id, reason="poisoned", dry_run=True)
    assert (shown["dry_run"], shown["id"]) == (True, None)
    done = w.confirmed("/rollbacks", memory=w.id, reason="poisoned")
    assert w.get(f"/memories/{w.id}")["state"] == "quarantined"
    w.confirmed("/rollbacks", undo=done["id"], reason="it was right")
    assert w.get(f"/memories/{w.id}")["state"] == "live"


def _erase(w: World) -> None:
    done = w.confirmed(f"/memories/{w.id}/erase", basis="gdpr-17")
    assert done["erased"] == [w.id]
    assert w.owner.get(f"/v1/memories/{w.id}").json()["content"] is None


def _erase_subject(w: World) -> None:
    w.post(f"/memories/{w.id}/describe", metadata={"subject": "Ada"})
    basis = {"code": "gdpr-17", "text": "She asked for it."}
    done = w.confirmed("/erasures", subject="ada", basis=basis, cascade={"keep": "a report"})
    assert (done["erased"], done["basis"], done["cascade"]) == ([w.id], "gdpr-17", "keep")


def _erasures(w: World) -> None:
    done = w.confirmed("/erasures", whole_space=True, basis="contract-ended")
    assert sorted(done["erased"]) == sorted([w.id, w.other])
    assert [one["id"] for one in w.get("/erasures")] == [done["id"]]


def _purge(w: World) -> None:
    assert w.confirmed("/purges")["purged"] == []


def _diff(w: World) -> None:
    before = w.get("/stats")["head"]
    w.post(f"/memories/{w.id}/rescore", importance=0.9)
    told = w.get("/diff", one=before, other=before + 1)
    assert [change["id"] for change in told["changes"]] == [w.id]


def _log(w: World) -> None:
    page = w.get("/log", limit=1, name="memory.saved")
    assert [entry["stream"] for entry in page["entries"]] == [w.id]
    page = w.get("/log", limit=1, name="memory.saved", after=page["next"])
    assert [entry["stream"] for entry in page["entries"]] == [w.other]
    assert w.get("/log", name="memory.saved", after=page["next"])["next"] is None


def _search(w: World) -> None:
    found = w.post("/search", query="quillmark feed", tags=[], limit=1)
    assert [hit["memory"]["id"] for hit in found["hits"]] == [w.id]


def _knew(w: World) -> None:
    w.post("/recall", query="quillmark", session="s-9", agent="bot:scribe")
    w.get(f"/trace/{w.id}")  # records what was recalled so far
    known = w.get("/knew", agent="bot:scribe", when=w.get("/stats")["head"])["known"]
    assert [one["memory"] for one in known] == [w.id]


def _working(w: World) -> None:
    w.post("/working", key="session/a/inbox", value="3 unread", ttl=60.5, tags=["mail"])
    assert w.get("/working/session/a/inbox")["value"] == "3 unread"
    assert [h["key"] for h in w.post("/working/search", query="unread")["hits"]] == [
        "session/a/inbox"
    ]


def _turns(w: World) -> None:
    w.post("/sessions/web-7/turns", role="user", content="Where is the depot?")
    assert [t["content"] for t in w.get("/sessions/web-7/turns")] == ["Where is the depot?"]
    found = w.post("/turns/search", query="depot", session="web-7")
    assert len(found["hits"]) == 1


def _decide(w: World) -> None:
    proposed = {"content": "Rack 14 is full.", "confidence": "high"}
    made = World.done(w.agent.post("/v1/proposals", json=proposed))
    assert [one["id"] for one in w.get("/proposals", state="pending")] == [made["id"]]
    told = w.post(f"/proposals/{made['number']}/decide", verdict="reject", reason="It is not.")
    assert told["state"] == "rejected"


def _evaluated(w: World) -> None:
    refused = w.owner.post("/v1/audit/evaluations", json={})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "model_not_configured")
    assert w.get("/audit/evaluations/latest") is None


def _reported(w: World) -> None:
    report = w.get("/report", since="2020-01-01T00:00:00Z", until="2099-01-01T00:00:00Z")
    assert len(report["answers"]) == 12


def _audit(w: World) -> None:
    none = w.owner.get("/v1/audit/latest")
    assert (none.status_code, none.json()["error"]["code"]) == (404, "no_audit")
    ran = w.post("/audit/runs")
    assert (ran["live"], ran["status"]) == (2, "healthy")
    assert w.get("/audit/latest") == ran
    assert w.get("/audit/report")["row"] == ran
    assert [row["snapshotId"] for row in w.get("/audit/trend", days=1)] == [ran["snapshotId"]]
    assert w.get("/audit/trend", days=1.5, replayed="true") == []
    assert w.get("/audit/at", when=ran["position"])["live"] == 2
    assert w.get("/audit/findings/log-intact")["severity"] == "alert"
    assert w.get("/audit/consolidation")["paused"] is False
    w.post("/audit/consolidation/resume", reason="Looked into.")
    assert w.get("/inbox") == []


def _tokens(w: World) -> None:
    made = World.done(w.admin.post("/v1/tokens", json={"actor": "subagent:scout", "days": 1}))
    token = made["token"]
    assert made["text"].startswith("muniment_")
    listed = World.done(w.admin.get("/v1/tokens"))
    assert token["id"] in [one["id"] for one in listed]
    assert made["text"] not in str(listed)
    ended = World.done(w.admin.post(f"/v1/tokens/{token['id']}/revoke"))
    assert ended["revoked_at"] is not None


def _verify(w: World) -> None:
    signed = w.get("/checkpoints/latest")
    assert w.get("/verify")["intact"] is True
    assert w.post("/verify", against=signed["text"])["intact"] is True
    bundle = w.post(f"/memories/{w.id}/proof", since=signed["text"])
    assert bundle["stream"] == w.id
    assert w.get("/invariants")["violations"] == []


CHECKS: Mapping[str, Callable[[World], None]] = {
    "POST /memories": _save,
    "POST /memories/batch": lambda w: _same(
        [r["outcome"] for r in w.post("/memories/batch", items=[{"content": "Rack 1 is full."}])],
        ["created"],
    ),
    "POST /memories/get": lambda w: _same(
        [m["id"] for m in w.post("/memories/get", ids=[w.other, w.id])], [w.other, w.id]
    ),
    "GET /memories/{id}": lambda w: _same(w.get(f"/memories/{w.id[-12:]}")["content"], FACT),
    "GET /memories/{id}/history": lambda w: _same(
        [e["name"] for e in w.get(f"/memories/{w.id}/history")], ["memory.saved"]
    ),
    "POST /memories/{id}/revise": _edit("revise", {"content": "New."}, content="New."),
    "POST /memories/{id}/rescore": _edit("rescore", {"base_importance": 0.9}, importance=0.9),
    "POST /memories/{id}/recategorize": _edit("recategorize", {"category": "a/b"}, category="a/b"),
    "POST /memories/{id}/retag": _edit("retag", {"tags": ["x"]}, tags=["x"]),
    "POST /memories/{id}/describe": _edit(
        "describe", {"metadata": {"k": "v"}}, metadata={"k": "v"}
    ),
    "POST /memories/{id}/pin": _edit("pin", {"pinned": True}),
    "POST /memories/{id}/unpin": _edit("unpin", {"pinned": False}),
    "POST /memories/{id}/mark-used": _edit("mark-used", {"access_count": 2}),
    "POST /memories/{id}/archive": _edit("archive", {"state": "archived"}, reason="old"),
    "POST /memories/{id}/restore": _restore,
    "POST /memories/{id}/supersede": _supersede,
    "POST /memories/{id}/quarantine": _edit("quarantine", {"state": "quarantined"}, reason="odd"),
    "POST /memories/{id}/release": _release,
    "POST /memories/{id}/hold": _edit("hold", {"held": True}, reason="a suit"),
    "POST /memories/{id}/release-hold": _edit("release-hold", {"held": False}),
    "POST /search": _search,
    "POST /recall": _knew,
    "POST /merges": _merge,
    "POST /folds": lambda w: _same(w.post("/folds"), []),
    "POST /purges": _purge,
    "POST /memories/{id}/erase": _erase,
    "POST /erasures": _erase_subject,
    "GET /erasures": _erasures,
    "GET /log": _log,
    "GET /stats": lambda w: _same(w.get("/stats")["memories"]["live"], 2),
    "GET /diff": _diff,
    "GET /knew": _knew,
    "GET /trace/{id}": lambda w: _same(w.get(f"/trace/{w.id}", depth=2)["roots"], [w.id]),
    "POST /blast-radius": lambda w: _same(w.post("/blast-radius", memory=w.id)["origins"], [w.id]),
    "POST /rollbacks": _rollback,
    "GET /verify": _verify,
    "POST /verify": _verify,
    "GET /invariants": _verify,
    "GET /checkpoints/latest": _verify,
    "POST /memories/{id}/proof": _verify,
    "POST /audit/evaluations": _evaluated,
    "GET /audit/evaluations/latest": _evaluated,
    "GET /report": _reported,
    "POST /audit/runs": _audit,
    "GET /audit/latest": _audit,
    "GET /audit/report": _audit,
    "GET /audit/trend": _audit,
    "GET /audit/at": _audit,
    "GET /audit/findings/{name}": _audit,
    "GET /audit/consolidation": _audit,
    "POST /audit/consolidation/resume": _audit,
    "GET /inbox": _audit,
    "POST /context": lambda w: _same(
        FACT in w.post("/context", session="web-7", message="Where is the feed?")["text"], True
    ),
    "POST /working": _working,
    "POST /working/search": _working,
    "GET /working/{key:path}": _working,
    "GET /sessions/{session}/turns": _turns,
    "POST /sessions/{session}/turns": _turns,
    "POST /turns/search": _turns,
    "POST /sessions/{session}/tool-calls": lambda w: _same(
        w.post("/sessions/s/tool-calls", tool="ls", arguments={"a": [1]}, ok=True)["tool"], "ls"
    ),
    "POST /feedback": lambda w: _same(
        w.post("/feedback", kind="praise", text="Well done.")["kind"], "praise"
    ),
    "POST /proposals": _decide,
    "GET /proposals": _decide,
    "POST /proposals/{proposal_id}/decide": _decide,
    "POST /tokens": _tokens,
    "GET /tokens": _tokens,
    "POST /tokens/{id}/revoke": _tokens,
}
"""What each address is asked for, and what has to come of it."""


def _same(found: object, expected: object) -> None:
    assert found == expected


def test_every_address_is_asked_for_something() -> None:
    assert set(CHECKS) == {f"{route.method} {route.path}" for route in ROUTES}


_ONCE = {check: address for address, check in CHECKS.items()}


@pytest.mark.parametrize("check", _ONCE, ids=_ONCE.values())
def test_an_address_does_what_it_says(world: World, check: Callable[[World], None]) -> None:
    check(world)
