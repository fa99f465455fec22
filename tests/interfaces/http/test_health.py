"""Whether it lives, whether it can answer, and what it counts."""

import re

import pytest
from served import Served, fails

from muniment import Muniment, StorageFailed
from muniment._release import __version__
from muniment.interfaces.http.routes import ROUTES


def test_it_lives_and_is_ready_without_a_token(server: Served) -> None:
    nobody = server.bearing(None)
    assert nobody.get("/healthz").json() == {"status": "live"}
    ready = nobody.get("/readyz").json()
    assert ready == {"status": "ready", "position": server.store.stats().head}


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_whoever_asks_for_the_head_alone_is_told_by_the_status(server: Served, path: str) -> None:
    told = server.bearing(None).head(path)
    assert (told.status_code, told.content) == (200, b"")


def test_it_is_not_ready_where_the_log_cannot_be_read(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Muniment) -> None:
        raise StorageFailed("The database is damaged.", code="corrupt")

    monkeypatch.setattr(Muniment, "stats", fail)
    nobody = server.bearing(None)
    fails(nobody.get("/readyz"), 503, "corrupt")
    assert nobody.get("/healthz").status_code == 200


def test_figures_count_requests_by_pattern(server: Served) -> None:
    owner = server.client()
    for id_ in ("01980000-0000-7000-8000-000000000000", "01980000-0000-7000-8000-000000000001"):
        owner.get(f"/v1/memories/{id_}")
        owner.get(f"/nowhere/{id_}")
    told = owner.get("/metrics")
    assert told.headers["content-type"].startswith("text/plain; version=0.0.4")
    wanted = r'muniment_requests_total\{address="/v1/memories/\{id\}",method="GET",status="404"\} 2'
    assert re.search(wanted, told.text)
    assert f"muniment_log_position {float(server.store.stats().head)}" in told.text
    assert "0000000000" not in told.text


def test_the_description_has_every_address(server: Served) -> None:
    told = server.bearing(None).get("/openapi.json").json()
    assert told["info"]["version"] == __version__
    described = {
        f"{method.upper()} {path}" for path, methods in told["paths"].items() for method in methods
    }
    addresses = {f"{one.method} /v1{one.path.replace(':path', '')}" for one in ROUTES}
    assert addresses < described
    assert len(described - addresses) == 4  # the stream, and three of health
    names = [one["operationId"] for methods in told["paths"].values() for one in methods.values()]
    assert len(set(names)) == len(names)
