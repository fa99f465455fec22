"""``audit evaluate`` and ``audit evaluation``: what they print, and how they end."""

import loopback
import pytest
from loopback import Loopback
from terminal import Terminal


@pytest.fixture
def judged(muniment: Terminal, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A store with a memory that was observed often."""
    monkeypatch.setenv("MUNIMENT_AUDIT__HIGH_REINFORCEMENT_FLOOR", "2")
    muniment.save("User is in Chicago")
    muniment.save("User is in Chicago")
    return muniment


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Loopback:
    """A language model; the one that uses it starts it."""
    server = Loopback(always=loopback.all_are(sound=False, evidence="in chicago"))
    monkeypatch.setenv("MUNIMENT_MODEL__ENDPOINT", server.url())
    monkeypatch.setenv("MUNIMENT_MODEL__NAME", "judge")
    return server


def test_verdicts_are_shown_with_what_was_not_sound(judged: Terminal, model: Loopback) -> None:
    with model:
        run = judged("audit", "evaluate")
    assert run.status == 0
    assert "Judged by judge on" in run.out
    assert "0 sound, 1 not; 0 carried over." in run.out
    assert "evidence: in chicago" in run.out
    assert judged("audit", "evaluation").out == run.out


def test_as_json_they_are_the_document_of_the_python_face(
    judged: Terminal, model: Loopback
) -> None:
    with model:
        first = judged("audit", "evaluate", "--json").json
        second = judged("audit", "evaluate", "--json").json
    assert (first["skipped"], second["skipped"]) == (False, True)
    assert first["verdicts"] == second["verdicts"]
    assert len(model.requests) == 1
    assert judged("audit", "evaluation", "--json").json == first


def test_without_a_model_it_is_said_what_to_set(judged: Terminal) -> None:
    run = judged("audit", "evaluate", "--json")
    assert (run.status, run.error["code"]) == (7, "model_not_configured")
    assert "MUNIMENT_MODEL__ENDPOINT" in run.error["message"]


def test_before_the_first_there_is_none(judged: Terminal) -> None:
    run = judged("audit", "evaluation", "--json")
    assert (run.status, run.error["code"]) == (3, "no_evaluation")


def test_where_there_is_nothing_to_judge_that_is_said(muniment: Terminal, model: Loopback) -> None:
    muniment.save("User is in Chicago")
    with model:
        run = muniment("audit", "evaluate", "--json")
    assert (run.status, run.error["code"]) == (3, "no_evaluation")
    assert model.requests == []
