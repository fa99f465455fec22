"""What a host that has set up OpenTelemetry is told, and what it is never told."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import loopback
import pytest
from asking import asking
from conversing import over_http, talk, told
from example_programs import printed
from loopback import Loopback
from mcp import ClientSession
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF
from opentelemetry.trace import SpanKind, StatusCode
from served import served

import muniment
from muniment import Invalid, Muniment, NotFound, Unavailable

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}
WORDS = ("Ada", "green", "oolong", "preference", "pantry", "muniment_")


class Exported:
    """The spans that the host was given."""

    def __init__(self) -> None:
        self._kept = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._kept))

    def clear(self) -> None:
        self._kept.clear()

    def all(self) -> list[ReadableSpan]:
        return list(self._kept.get_finished_spans())

    def of(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.all() if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        (span,) = self.of(name)
        return span

    def soon(self, name: str) -> ReadableSpan:
        """The one of that name, which another thread is about to end."""
        until = time.monotonic() + 10
        while not self.of(name) and time.monotonic() < until:
            time.sleep(0.01)
        return self.one(name)


PROVIDER = "_TRACER_PROVIDER"
"""Where the API keeps what a process can set once, and tests set often."""


EXPORTED = Exported()
"""One for all tests: a library's tracer stays with the first provider that it meets."""


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Exported:
    EXPORTED.clear()
    monkeypatch.setattr(trace, PROVIDER, EXPORTED.provider)
    return EXPORTED


@pytest.fixture
def handle(exported: Exported) -> Iterator[Muniment]:
    with muniment.open(":memory:", actor="bot:main") as opened:
        yield opened


def about(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def id_of(span: ReadableSpan) -> str:
    context = span.get_span_context()
    assert context is not None
    return f"{context.trace_id:032x}"


def is_child(span: ReadableSpan, parent: ReadableSpan) -> bool:
    context = parent.get_span_context()
    return (
        context is not None and span.parent is not None and span.parent.span_id == context.span_id
    )


# commands and queries


def test_a_command_is_a_span_that_leads_to_its_events(handle: Muniment, exported: Exported) -> None:
    saved = handle.save("Ada likes green tea", tags=["preference"])
    (entry,) = [one for one in handle.log() if one.stream == saved.id]
    span = exported.one("muniment.save")
    assert span.kind is SpanKind.INTERNAL
    assert span.status.status_code is StatusCode.UNSET
    assert about(span) == {
        "muniment.operation": "save",
        "muniment.space": "default",
        "muniment.actor": "bot:main",
        "muniment.role": "main",
        "muniment.outcome": "created",
        "muniment.commands": 1,
        "muniment.position.first": entry.position,
        "muniment.position.last": entry.position,
        "muniment.command_id": entry.command_id,
        "muniment.correlation_id": id_of(span),
    }


def test_an_event_leads_to_the_trace_of_the_host(handle: Muniment, exported: Exported) -> None:
    with exported.provider.get_tracer("host").start_as_current_span("turn") as turn:
        handle.save("Ada likes green tea")
    entry = list(handle.log())[-1]
    assert entry.correlation_id == f"{turn.get_span_context().trace_id:032x}"
    assert is_child(exported.one("muniment.save"), exported.one("turn"))


def test_several_keep_the_id_of_their_call_which_the_span_has(
    handle: Muniment, exported: Exported
) -> None:
    with exported.provider.get_tracer("host").start_as_current_span("turn"):
        handle.save_many([{"content": "Rack 1 is full"}, {"content": "The shop opens at nine"}])
        handle.save_many([{"content": "The van is blue"}, {"content": "Doors close at ten"}])
    entries = list(handle.log())
    first, second = exported.of("muniment.save")
    assert len({entry.correlation_id for entry in entries}) == 2
    for span, mine in ((first, entries[:2]), (second, entries[2:])):
        assert about(span)["muniment.correlation_id"] == mine[0].correlation_id
        assert about(span)["muniment.position.first"] == mine[0].position
        assert about(span)["muniment.position.last"] == mine[1].position
        assert about(span)["muniment.commands"] == 2
        assert "muniment.command_id" not in about(span)


def test_a_repetition_leads_to_what_the_first_run_appended(
    handle: Muniment, exported: Exported
) -> None:
    for _ in range(2):
        handle.save("Ada likes green tea", idempotency_key="k")
    first, again = exported.of("muniment.save")
    for name in ("muniment.position.first", "muniment.command_id", "muniment.correlation_id"):
        assert about(again)[name] == about(first)[name]
    assert id_of(again) != id_of(first)


def test_a_refusal_is_told_by_its_code_alone(handle: Muniment, exported: Exported) -> None:
    with pytest.raises(NotFound) as caught:
        handle.revise("0" * 32, "Ada likes oolong")
    span = exported.one("muniment.revise")
    assert about(span)["error.type"] == caught.value.code
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description is None
    assert not span.events


def test_what_a_refused_call_had_begun_is_no_part_of_the_log(
    handle: Muniment, exported: Exported
) -> None:
    handle.save("Ada likes green tea", idempotency_key="k")
    given = [{"content": "Doors close at ten"}, {"content": "another", "idempotency_key": "k"}]
    with pytest.raises(muniment.Conflict):
        handle.save_many(given)
    span = exported.of("muniment.save")[-1]
    assert about(span)["error.type"] == "idempotency_key_reused"
    assert "muniment.position.first" not in about(span)


def test_a_search_is_told_by_the_number_of_its_hits(handle: Muniment, exported: Exported) -> None:
    handle.save("Ada likes green tea")
    position = list(handle.log())[-1].position
    handle.search("tea")
    handle.as_of(position).search("tea")
    now, then = exported.of("muniment.search")
    assert about(now)["muniment.hits"] == about(then)["muniment.hits"] == 1


def test_what_lives_for_a_while_and_audits_are_told_too(
    handle: Muniment, exported: Exported
) -> None:
    handle.working.save("session/pantry/tea", "green")
    handle.working.search("green")
    handle.conversation.append("s", "user", "oolong")
    handle.audit.run()
    names = [span.name for span in exported.all()]
    assert names == [
        "muniment.working_save",
        "muniment.working_search",
        "muniment.conversation_append",
        "muniment.audit",
        "muniment.audit_run",
    ]


def test_threads_that_share_a_commit_each_keep_their_trace(
    tmp_path: Path, exported: Exported
) -> None:
    host = exported.provider.get_tracer("host")

    def work(number: int) -> tuple[str, str]:
        with host.start_as_current_span("turn") as span:
            saved = opened.save(f"Rack {number} holds {number * 7} boxes")
            return saved.id, f"{span.get_span_context().trace_id:032x}"

    with muniment.open(tmp_path) as opened:
        with ThreadPoolExecutor(8) as pool:
            done = dict(pool.map(work, range(40)))
        entries = [entry for entry in opened.log() if entry.stream in done]
    assert len(entries) == 40
    assert all(entry.correlation_id == done[entry.stream] for entry in entries)


def test_what_is_not_sampled_leaves_nothing_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, PROVIDER, TracerProvider(sampler=ALWAYS_OFF))
    with muniment.open(":memory:") as opened:
        opened.save("Ada likes green tea")
        assert list(opened.log())[-1].correlation_id is None


def test_without_a_host_that_set_it_up_nothing_is_imported() -> None:
    code = (
        "import sys, muniment\n"
        "with muniment.open(':memory:') as opened:\n"
        "    opened.save('Ada likes green tea'); opened.search('tea')\n"
        "    assert list(opened.log())[-1].correlation_id is None\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


# services outside


def test_a_call_of_a_service_is_a_span_without_what_was_sent(exported: Exported) -> None:
    with Loopback() as server, asking(server, api_key="muniment_secret") as embedder:
        embedder.embed(["Ada likes oolong"])
        (request,) = server.requests
    span = exported.one("POST /v1/embeddings")
    assert span.kind is SpanKind.CLIENT
    assert about(span) == {
        "http.request.method": "POST",
        "server.address": "127.0.0.1",
        "server.port": server.port,
        "url.template": "/v1/embeddings",
    }
    assert "traceparent" not in {name.lower() for name in request.headers}


def test_a_service_that_fails_is_told_by_the_code(exported: Exported) -> None:
    with (
        Loopback(loopback.replies({"Ada": "oolong"})) as server,
        asking(server) as embedder,
        pytest.raises(Unavailable) as caught,
    ):
        embedder.embed(["Ada likes oolong"])
    span = exported.one("POST /v1/embeddings")
    assert about(span)["error.type"] == caught.value.code
    assert span.status.status_code is StatusCode.ERROR


# over HTTP


def test_a_request_goes_on_with_the_trace_of_its_client(exported: Exported) -> None:
    with served() as running:
        client = running.client()
        made = client.post("/v1/memories", json={"content": "Ada likes green tea"}, headers=PARENT)
        assert made.status_code == 201
        server = exported.soon("POST /v1/memories")
        (entry,) = [
            one for one in client.get("/v1/log").json()["entries"] if one["name"] == "memory.saved"
        ]
    assert about(server) == {
        "http.request.method": "POST",
        "url.scheme": "http",
        "http.response.status_code": 201,
        "http.route": "/v1/memories",
    }
    assert server.kind is SpanKind.SERVER
    assert (id_of(server), f"{server.parent.span_id:016x}" if server.parent else "") == (
        TRACE,
        "00f067aa0ba902b7",
    )
    assert is_child(exported.one("muniment.save"), server)
    assert entry["correlation_id"] == TRACE


def test_a_refused_request_is_told_by_its_code_and_is_no_failure_of_the_server(
    exported: Exported,
) -> None:
    with served() as running:
        running.bearing(None).get("/v1/stats", headers=PARENT)
        running.client().get("/v1/nowhere/pantry")
        refused, nowhere = exported.soon("GET /v1/stats"), exported.soon("GET")
    assert about(refused)["error.type"] == "token_required"
    assert about(refused)["http.response.status_code"] == 401
    assert about(nowhere)["http.response.status_code"] == 404
    assert "http.route" not in about(nowhere)
    for span in (refused, nowhere):
        assert span.status.status_code is StatusCode.UNSET


def test_a_stream_that_looks_for_more_makes_no_spans(exported: Exported) -> None:
    with served() as running, running.client().stream("GET", "/v1/log/stream") as answer:
        assert answer.status_code == 200
        time.sleep(1)
        assert len(exported.of("muniment.log")) == 1


def test_a_call_of_a_tool_goes_on_with_the_trace_of_its_client(exported: Exported) -> None:
    async def say(session: ClientSession) -> None:
        with exported.provider.get_tracer("agent").start_as_current_span("turn"):
            await told(session, "save_memory", content="Ada likes green tea")
            answer = await session.call_tool("get_memory_history", {"id": "0" * 32})
            assert answer.is_error

    with served() as running:
        talk(over_http(running.base, running.token("bot:main")), say)
        entry = list(running.store.log(name="memory.saved"))[-1]
    call = exported.soon("tools/call save_memory")
    failed = next(
        span
        for span in exported.of("tools/call get_memory_history")
        if span.kind is SpanKind.SERVER
    )
    assert id_of(call) == id_of(exported.one("turn")) == entry.correlation_id
    assert is_child(exported.one("muniment.save"), call)
    assert about(failed)["error.type"] == "not_found"


# what is never told


def test_no_word_of_anybodys_is_exported(tmp_path: Path, exported: Exported) -> None:
    async def say(session: ClientSession) -> None:
        await session.call_tool("save_memory", {"content": "Ada likes oolong", "oolong": 1})
        await session.call_tool("search_memory", {"query": "green oolong"})
        await session.call_tool("oolong", {})

    with served(tmp_path) as running:
        client = running.client(space="default")
        saved = client.post(
            "/v1/memories",
            json={"content": "Ada likes green tea", "tags": ["preference"], "category": "pantry"},
            headers={**PARENT, "Idempotency-Key": "green"},
        ).json()
        for method, path, body in (
            ("POST", "/v1/search", {"query": "green", "tags": ["preference"]}),
            ("POST", "/v1/recall", {"query": "green", "session": "pantry"}),
            ("POST", "/v1/search", {"query": "(green", "mode": "regex"}),
            ("POST", "/v1/search", {"green": "oolong"}),
            ("GET", "/v1/memories/pantry?as_of=green", None),
            ("GET", "/v1/log?name=green&actor=Ada", None),
            ("GET", "/v1/knew?agent=bot:Ada&when=2026-01-01T00:00:00Z", None),
            ("POST", "/v1/working", {"key": "session/pantry/green", "value": "oolong"}),
            ("GET", "/v1/working/session/pantry/green", None),
            ("POST", "/v1/sessions/pantry/turns", {"role": "user", "content": "oolong"}),
            ("POST", "/v1/context", {"session": "pantry", "message": "oolong"}),
            ("POST", f"/v1/memories/{saved['id']}/archive", {"reason": "Ada drinks oolong"}),
            ("POST", "/v1/feedback", {"kind": "correction", "text": "oolong"}),
        ):
            client.request(method, path, json=body, headers={"X-Session": "pantry"})
        talk(over_http(running.base, running.token("bot:main")), say)
        with pytest.raises(Invalid):
            running.store.search("(green", mode="regex")
        with pytest.raises(muniment.MunimentError):
            running.store.as_of("green")
    # the client of the test is in this process too
    spans = [
        span
        for span in exported.all()
        if (scope_of(span), span.kind) != ("mcp-python-sdk", SpanKind.CLIENT)
    ]
    assert {scope_of(span) for span in spans} == {"muniment"}
    assert {"muniment.save", "muniment.context", "tools/call search_memory"} <= {
        span.name for span in spans
    }
    text = "\n".join(str(span.to_json()) for span in spans)
    assert [word for word in WORDS if word in text] == []


def scope_of(span: ReadableSpan) -> str:
    assert span.instrumentation_scope is not None
    return span.instrumentation_scope.name


def test_the_example_runs(tmp_path: Path) -> None:
    told = printed("traced.py", str(tmp_path))
    *lines, last = told
    spans = [json.loads(line) for line in lines]
    assert [span["name"] for span in spans] == [
        *("muniment.save", "muniment.search", "turn"),
        "muniment.log",
    ]
    trace_id = spans[0]["context"]["trace_id"]
    assert trace_id == spans[2]["context"]["trace_id"]
    position = spans[0]["attributes"]["muniment.position.first"]
    assert last == f"position {position} was written in the trace {trace_id.removeprefix('0x')}"
    assert [word for word in WORDS if word in "\n".join(told)] == []
