"""The surfaces that operations are asked for on, for tests that hold on each of them alike.

A surface takes an operation by its name in the table of roles and asks for it on a memory, in a
role; each has a table of its own.
"""

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Protocol, cast

import httpx
from conversing import over_http, talk
from mcp import ClientSession
from served import Served, served
from terminal import Terminal

import muniment
from muniment import Muniment, MunimentError
from muniment.domain.access import Operation
from muniment.domain.identity import Identity, Role, identity

NOBODY = "01980000-0000-7000-8000-000000000000"


def operations() -> set[str]:
    """The name of every operation that there is."""

    def below(kind: type[Operation]) -> Iterator[type[Operation]]:
        for one in kind.__subclasses__():
            yield one
            yield from below(one)

    return {
        kind.VERB
        for kind in below(Operation)
        if "VERB" in kind.__dict__ and kind.__module__.startswith("muniment.")
    }


class Surface(Protocol):
    """Where callers come in. ``LACKS`` are the operations that it does not have."""

    LACKS: ClassVar[frozenset[str]]

    def __call__(self, operation: str, role: Role, of: str) -> str:
        """Asks for an operation on a memory; the code of the error, or ``done``."""
        ...


class InPython:
    """The handle."""

    LACKS: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, data: Path) -> None:
        self._data = data

    def __call__(self, operation: str, role: Role, of: str) -> str:
        with muniment.open(self._data, role=role) as m:
            try:
                CALLS[operation](m, of, self._data.parent)
            except MunimentError as error:
                return error.code
        return "done"


class OnTheCommandLine:
    """The verbs."""

    LACKS: ClassVar[frozenset[str]] = frozenset(
        [
            "get_many",
            "as_of",  # an option of other verbs, each with its own row
            "report_tool_call",  # for programs
        ]
    )

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def __call__(self, operation: str, role: Role, of: str) -> str:
        place = str(self._terminal.data.parent / f"made by {role}")
        line = [part.format(of=of, nobody=NOBODY, place=place) for part in VERBS[operation]]
        run = self._terminal("--role", role, "--json", *line)
        return "done" if run.status in (0, 1) else str(json.loads(run.err)["error"]["code"])


class OverHttp:
    """The addresses."""

    LACKS: ClassVar[frozenset[str]] = frozenset(
        [
            *("import", "export", "backup", "rebuild"),  # of the machine that the store is on
            *("keys backup", "keys rotate", "keys rotate-signing"),
            *("every_space", "space list"),  # a token reaches its own space
            "as_of",  # a part of other addresses, each with its own row
        ]
    )

    def __init__(self, running: Served) -> None:
        self._running = running

    def __call__(self, operation: str, role: Role, of: str) -> str:
        address, body = REQUESTS[operation]
        method, _, path = address.partition(" ")
        filled = json.loads(json.dumps(body).replace("{of}", of))
        with httpx.Client(base_url=self._running.base, timeout=30) as client:
            answer = client.request(
                method,
                f"/v1{path.replace('{of}', of)}",
                headers={"Authorization": f"Bearer {role}"},
                **({"params": filled} if method == "GET" else {"json": filled}),
            )
        if answer.is_success:
            return "done"
        return str(answer.json()["error"]["code"])


class AsTools:
    """The tools."""

    LACKS: ClassVar[frozenset[str]]

    def __init__(self, running: Served) -> None:
        self._running = running

    def __call__(self, operation: str, role: Role, of: str) -> str:
        tool, given = TOOL_CALLS[operation]
        arguments = {name: of if value == "{of}" else value for name, value in given.items()}

        async def say(session: ClientSession) -> str:
            listed = {one.name for one in (await session.list_tools()).tools}
            answer = await session.call_tool(tool, arguments)
            (part,) = answer.content
            assert part.type == "text"
            code = part.text[1:].partition("]")[0] if answer.is_error else "done"
            assert (tool in listed) == (code != "role_refused")
            return code

        return talk(over_http(self._running.base, role), say)


def _as_role(token: str) -> Identity:
    """Whose a token is that names nothing but a role."""
    return identity("default", "manual", cast("Role", token))


_Call = Callable[[Muniment, str, Path], Any]

CALLS: Mapping[str, _Call] = {
    "save": lambda m, of, at: m.save("Rack 12 is full."),
    "revise": lambda m, of, at: m.revise(of, "Rack 12 is full."),
    "rescore": lambda m, of, at: m.rescore(of, 0.9),
    "recategorize": lambda m, of, at: m.recategorize(of, "infra"),
    "retag": lambda m, of, at: m.retag(of, ["x"]),
    "describe": lambda m, of, at: m.describe(of, {"k": "v"}),
    "pin": lambda m, of, at: m.pin(of, trigger="Keep that for good"),
    "unpin": lambda m, of, at: m.unpin(of, trigger="That may go"),
    "mark_used": lambda m, of, at: m.mark_used(of),
    "archive": lambda m, of, at: m.archive(of, "stale"),
    "restore": lambda m, of, at: m.restore(of),
    "supersede": lambda m, of, at: m.supersede(of, NOBODY),
    "merge": lambda m, of, at: m.merge([of, NOBODY], "Both."),
    "fold": lambda m, of, at: m.fold(),
    "quarantine": lambda m, of, at: m.quarantine(of, "doubtful"),
    "release": lambda m, of, at: m.release(of),
    "hold": lambda m, of, at: m.hold(of, "a suit"),
    "release_hold": lambda m, of, at: m.release_hold(of),
    "purge": lambda m, of, at: m.purge(dry_run=True),
    "import": lambda m, of, at: m.import_from("rockbot", at / "nothing here"),
    "search": lambda m, of, at: m.search("feed"),
    "show": lambda m, of, at: m.get(of),
    "get_many": lambda m, of, at: m.get_many([of]),
    "history": lambda m, of, at: m.history(of),
    "log": lambda m, of, at: list(m.log(limit=1)),
    "every_space": lambda m, of, at: list(m.log(space="*", limit=1)),
    "stats": lambda m, of, at: m.stats(),
    "propose": lambda m, of, at: m.propose("Rack 14 is full."),
    "proposals": lambda m, of, at: m.proposals(),
    "decide": lambda m, of, at: m.decide(NOBODY, "reject", reason="no"),
    "verify": lambda m, of, at: m.verify(),
    "checkpoint": lambda m, of, at: m.checkpoint(),
    "prove": lambda m, of, at: m.prove(of),
    "prove_invariants": lambda m, of, at: m.prove_invariants(),
    "export": lambda m, of, at: m.export(at / f"export {m.actor}"),
    "backup": lambda m, of, at: m.backup(at / "made by python" / "backup"),
    "rebuild": lambda m, of, at: m.rebuild(),
    "keys backup": lambda m, of, at: m.keys.backup(at / f"keys {m.actor}"),
    "keys rotate": lambda m, of, at: m.keys.rotate(),
    "keys rotate-signing": lambda m, of, at: m.keys.rotate_signing(),
    "token issue": lambda m, of, at: m.tokens.issue(actor="bot:main"),
    "token list": lambda m, of, at: m.tokens.list(),
    "token revoke": lambda m, of, at: m.tokens.revoke(NOBODY),
    "space list": lambda m, of, at: m.spaces(),
    "as_of": lambda m, of, at: m.as_of(1),
    "diff": lambda m, of, at: m.diff(1, 2),
    "recall": lambda m, of, at: m.recall("feed", session="s1"),
    "recall for another": lambda m, of, at: m.recall("feed", session="s1", agent="bot:b"),
    "knew": lambda m, of, at: m.knew("bot:main", 1),
    "trace": lambda m, of, at: m.trace(of),
    "blast_radius": lambda m, of, at: m.blast_radius(memory=of),
    "rollback": lambda m, of, at: m.rollback(memory=of),
    "erase": lambda m, of, at: m.erase(of, basis="gdpr-17", dry_run=True),
    "erasures": lambda m, of, at: m.erasures(),
    "report": lambda m, of, at: m.report("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"),
    "audit": lambda m, of, at: m.audit.trend(),
    "audit run": lambda m, of, at: m.audit.run(),
    "audit evaluate": lambda m, of, at: m.audit.evaluate(),
    "resume_consolidation": lambda m, of, at: m.audit.resume_consolidation("Looked into."),
    "working save": lambda m, of, at: m.working.save("session/s1/k", "v"),
    "working get": lambda m, of, at: m.working.get("session/s1/k"),
    "working search": lambda m, of, at: m.working.search(),
    "conversation append": lambda m, of, at: m.conversation.append("s1", "user", "Hello."),
    "conversation turns": lambda m, of, at: m.conversation.turns("s1"),
    "conversation search": lambda m, of, at: m.conversation.search("hello"),
    "context": lambda m, of, at: m.context("s1", "feed"),
    "feedback": lambda m, of, at: m.feedback("praise", "Well done."),
    "report_tool_call": lambda m, of, at: m.report_tool_call("s1", "ls", {}, True),
}
"""Each operation asked for in Python, of a memory, with a directory to write to."""

VERBS: Mapping[str, tuple[str, ...]] = {
    "save": ("save", "Rack 12 is full."),
    "revise": ("revise", "{of}", "Rack 12 is full."),
    "rescore": ("rescore", "{of}", "0.9"),
    "recategorize": ("recategorize", "{of}", "infra"),
    "retag": ("retag", "{of}", "x"),
    "describe": ("describe", "{of}", "k=v"),
    "pin": ("pin", "{of}", "--trigger", "Keep that for good"),
    "unpin": ("unpin", "{of}", "--trigger", "That may go"),
    "mark_used": ("mark-used", "{of}"),
    "archive": ("archive", "{of}", "stale"),
    "restore": ("restore", "{of}"),
    "supersede": ("supersede", "{of}", "{nobody}"),
    "merge": ("merge", "{of}", "{nobody}", "Both."),
    "fold": ("fold",),
    "quarantine": ("quarantine", "{of}", "doubtful"),
    "release": ("release", "{of}"),
    "hold": ("hold", "{of}", "a suit"),
    "release_hold": ("release-hold", "{of}"),
    "purge": ("purge",),
    "import": ("import", "rockbot", "{place}/nothing here"),
    "search": ("search", "feed"),
    "show": ("show", "{of}"),
    "history": ("history", "{of}"),
    "log": ("log", "--limit", "1"),
    "every_space": ("log", "--limit", "1", "--space", "*"),
    "stats": ("stats",),
    "propose": ("propose", "Rack 14 is full."),
    "proposals": ("proposals",),
    "decide": ("decide", "{nobody}", "reject", "--reason", "no"),
    "verify": ("verify",),
    "checkpoint": ("checkpoint",),
    "prove": ("prove", "{of}"),
    "prove_invariants": ("prove-invariants",),
    "export": ("export", "{place}/export"),
    "backup": ("backup", "{place}/backup"),
    "rebuild": ("rebuild",),
    "keys backup": ("keys", "backup", "{place}/keys", "--without-master"),
    "keys rotate": ("keys", "rotate"),
    "keys rotate-signing": ("keys", "rotate-signing"),
    "token issue": ("token", "issue", "bot:main"),
    "token list": ("token", "list"),
    "token revoke": ("token", "revoke", "{nobody}"),
    "space list": ("space", "list"),
    "diff": ("diff", "1", "2"),
    "recall": ("recall", "feed", "--session", "s1"),
    "recall for another": ("recall", "feed", "--session", "s1", "--agent", "bot:b"),
    "knew": ("knew", "bot:main", "--at", "1"),
    "trace": ("trace", "{of}"),
    "blast_radius": ("blast-radius", "--memory", "{of}"),
    "rollback": ("rollback", "--memory", "{of}"),
    "erase": ("erase", "{of}", "--basis", "gdpr-17"),
    "erasures": ("erasures",),
    "report": ("report", "--from", "2020-01-01T00:00:00Z", "--to", "2099-01-01T00:00:00Z"),
    "audit": ("audit", "trend"),
    "audit run": ("audit", "run"),
    "audit evaluate": ("audit", "evaluate"),
    "resume_consolidation": ("audit", "resume", "Looked into."),
    "working save": ("working", "save", "session/s1/k", "v"),
    "working get": ("working", "get", "session/s1/k"),
    "working search": ("working", "search"),
    "conversation append": ("conversation", "append", "s1", "user", "Hello."),
    "conversation turns": ("conversation", "turns", "s1"),
    "conversation search": ("conversation", "search", "hello"),
    "context": ("context", "s1", "feed"),
    "feedback": ("feedback", "praise", "Well done."),
}
"""Each operation asked for on the command line."""


_DRY = {"dry_run": True}

REQUESTS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "save": ("POST /memories", {"content": "Rack 12 is full."}),
    "revise": ("POST /memories/{of}/revise", {"content": "Rack 12 is full."}),
    "rescore": ("POST /memories/{of}/rescore", {"importance": 0.9}),
    "recategorize": ("POST /memories/{of}/recategorize", {"category": "infra"}),
    "retag": ("POST /memories/{of}/retag", {"tags": ["x"]}),
    "describe": ("POST /memories/{of}/describe", {"metadata": {"k": "v"}}),
    "pin": ("POST /memories/{of}/pin", {"trigger": "Keep that for good"}),
    "unpin": ("POST /memories/{of}/unpin", {"trigger": "That may go"}),
    "mark_used": ("POST /memories/{of}/mark-used", {}),
    "archive": ("POST /memories/{of}/archive", {"reason": "stale"}),
    "restore": ("POST /memories/{of}/restore", {}),
    "supersede": ("POST /memories/{of}/supersede", {"by": NOBODY}),
    "merge": ("POST /merges", {"ids": ["{of}", NOBODY], "content": "Both."}),
    "fold": ("POST /folds", {}),
    "quarantine": ("POST /memories/{of}/quarantine", {"reason": "doubtful"}),
    "release": ("POST /memories/{of}/release", {}),
    "hold": ("POST /memories/{of}/hold", {"reason": "a suit"}),
    "release_hold": ("POST /memories/{of}/release-hold", {}),
    "purge": ("POST /purges", _DRY),
    "erase": ("POST /memories/{of}/erase", {"basis": "gdpr-17", **_DRY}),
    "erasures": ("GET /erasures", {}),
    "search": ("POST /search", {"query": "feed"}),
    "recall": ("POST /recall", {"query": "feed", "session": "s1"}),
    "recall for another": ("POST /recall", {"query": "feed", "session": "s1", "agent": "bot:b"}),
    "show": ("GET /memories/{of}", {}),
    "get_many": ("POST /memories/get", {"ids": ["{of}"]}),
    "history": ("GET /memories/{of}/history", {}),
    "log": ("GET /log", {"limit": 1}),
    "diff": ("GET /diff", {"one": 1, "other": 2}),
    "stats": ("GET /stats", {}),
    "knew": ("GET /knew", {"agent": "bot:main", "when": 1}),
    "trace": ("GET /trace/{of}", {}),
    "blast_radius": ("POST /blast-radius", {"memory": "{of}"}),
    "rollback": ("POST /rollbacks", {"memory": "{of}", **_DRY}),
    "propose": ("POST /proposals", {"content": "Rack 14 is full."}),
    "proposals": ("GET /proposals", {}),
    "decide": (f"POST /proposals/{NOBODY}/decide", {"verdict": "reject", "reason": "no"}),
    "verify": ("GET /verify", {}),
    "checkpoint": ("GET /checkpoints/latest", {}),
    "prove": ("POST /memories/{of}/proof", {}),
    "prove_invariants": ("GET /invariants", {}),
    "audit": ("GET /audit/trend", {}),
    "report": (
        "GET /report",
        {"since": "2020-01-01T00:00:00Z", "until": "2099-01-01T00:00:00Z"},
    ),
    "audit run": ("POST /audit/runs", {}),
    "audit evaluate": ("POST /audit/evaluations", {}),
    "resume_consolidation": ("POST /audit/consolidation/resume", {"reason": "Looked into."}),
    "working save": ("POST /working", {"key": "session/s1/k", "value": "v"}),
    "working get": ("GET /working/session/s1/k", {}),
    "working search": ("POST /working/search", {}),
    "conversation append": ("POST /sessions/s1/turns", {"role": "user", "content": "Hello."}),
    "conversation turns": ("GET /sessions/s1/turns", {}),
    "conversation search": ("POST /turns/search", {"query": "hello"}),
    "context": ("POST /context", {"session": "s1", "message": "feed"}),
    "feedback": ("POST /feedback", {"kind": "praise", "text": "Well done."}),
    "report_tool_call": (
        "POST /sessions/s1/tool-calls",
        {"tool": "ls", "arguments": {}, "ok": True},
    ),
    "token issue": ("POST /tokens", {"actor": "bot:main"}),
    "token list": ("GET /tokens", {}),
    "token revoke": (f"POST /tokens/{NOBODY}/revoke", {}),
}
"""Each operation asked for over HTTP."""

TOOL_CALLS: Mapping[str, tuple[str, dict[str, Any]]] = {
    "save": ("save_memory", {"content": "Rack 12 is full."}),
    "search": ("search_memory", {"query": "feed"}),
    "archive": ("delete_memory", {"id": "{of}"}),
    "rescore": ("update_memory_importance", {"id": "{of}", "importance": 0.9}),
    "history": ("get_memory_history", {"id": "{of}"}),
    "propose": ("propose_memory", {"content": "Rack 14 is full."}),
    "working save": ("save_to_working_memory", {"key": "session/s1/k", "data": "v"}),
    "working get": ("get_from_working_memory", {"key": "session/s1/k"}),
    "working search": ("search_working_memory", {}),
    "conversation search": ("search_conversation_history", {"query": "hello"}),
    "audit": ("get_memory_audit_trend", {"days": 1}),
    "resume_consolidation": ("resume_memory_consolidation", {"reason": "Looked into."}),
    "verify": ("verify_memory_log", {}),
    "feedback": ("give_feedback", {"kind": "praise", "text": "Well done."}),
}
"""Each operation asked for as a tool: agents have those that a turn needs."""

AsTools.LACKS = frozenset(CALLS) - frozenset(TOOL_CALLS)


@contextmanager
def surface(name: str, terminal: Terminal) -> Generator[Surface]:
    """A surface, by name, on the store of a command line."""
    if name == "python":
        yield InPython(terminal.data)
    elif name == "cli":
        yield OnTheCommandLine(terminal)
    else:
        with served(terminal.data, settings=_AS_OFTEN_AS_ASKED, authenticate=_as_role) as running:
            yield OverHttp(running) if name == "http" else AsTools(running)


_AS_OFTEN_AS_ASKED = {"limits": {"writes_per_minute": 0, "reads_per_minute": 0}}

SURFACES = ("python", "cli", "http", "mcp")
