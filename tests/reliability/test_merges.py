"""Merges that share a source, at once: exactly one of them wins, and nothing of the other stays."""

import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from log_backends import SOAK
from processes import run, started
from projection_answers import differing

import muniment
from muniment import Conflict, Merged, Muniment

ROUNDS = 100 * SOAK


def texts(round_: int) -> list[str]:
    return [f"Room {round_ * 10 + number} holds rack {number}." for number in range(3)]


def whole(round_: int) -> str:
    return " ".join(texts(round_))


def filled(m: Muniment) -> list[list[str]]:
    """Three memories a round, by round."""
    saved = m.save_many([{"content": text} for round_ in range(ROUNDS) for text in texts(round_)])
    ids = [one.id for one in saved]
    return [ids[start : start + 3] for start in range(0, len(ids), 3)]


def sound(m: Muniment, rounds: list[list[str]], winners: list[str]) -> None:
    """Each round has one result, its sources are archived into it, and its loser left nothing."""
    events = list(m.log())
    merged = [entry for entry in events if entry.name == "memory.merged"]
    assert sorted(entry.stream for entry in merged) == sorted(winners)
    assert len(events) == 3 * ROUNDS + 3 * ROUNDS  # the saves; a result and two archived a round
    for one, *sources in zip(*[iter(events[3 * ROUNDS :])] * 3, strict=True):
        assert [entry.name for entry in sources] == ["memory.archived"] * 2
        assert {entry.command_id for entry in sources} == {one.command_id}
        assert tuple(entry.stream for entry in sources) == one.data["merged_from"]
        assert {entry.data["merged_into"] for entry in sources} == {one.stream}
        assert one.data["reinforcement_count"] == 2
    states = [m.get(id_).state for ids in rounds for id_ in ids]
    assert states.count("live") == ROUNDS
    assert [entry.position for entry in events] == list(range(1, len(events) + 1))
    assert m.verify().intact
    assert differing(m) == []


@pytest.fixture(params=["disk", "memory"])
def m(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Muniment, None, None]:
    with muniment.open(tmp_path / "log" if request.param == "disk" else ":memory:") as opened:
        yield opened


def test_of_two_threads_that_merge_one_source_exactly_one_wins(m: Muniment) -> None:
    rounds = filled(m)
    gate = threading.Barrier(2)

    def merge(round_: int, ids: tuple[str, str]) -> Merged | Conflict:
        gate.wait()
        try:
            return m.merge(ids, whole(round_))
        except Conflict as conflict:
            return conflict

    winners: list[str] = []
    with ThreadPoolExecutor(2) as threads:
        for number, ids in enumerate(rounds):
            answers = list(threads.map(merge, [number] * 2, pairwise(ids)))
            lost = [answer for answer in answers if isinstance(answer, Conflict)]
            assert [answer.code for answer in lost] == ["source_not_live"]
            winners += [answer.id for answer in answers if isinstance(answer, Merged)]
    sound(m, rounds, winners)


def test_of_two_processes_that_merge_one_source_exactly_one_wins(tmp_path: Path) -> None:
    merging = """
        m = muniment.open(target)
        say("ready")
        for line in sys.stdin:
            one, other, text = line.rstrip("\\n").split("|")
            try:
                say(["won", m.merge([one, other], text).id])
            except muniment.Conflict as conflict:
                say(["lost", conflict.code])
        m.close()
        """
    directory = tmp_path / "log"
    with muniment.open(directory) as m:
        rounds = filled(m)
    winners: list[str] = []
    with started(merging, directory) as first, started(merging, directory) as second:
        both = (first, second)
        assert [process.hear() for process in both] == ["ready"] * 2
        for number, ids in enumerate(rounds):
            for process, pair in zip(both, pairwise(ids), strict=True):
                process.tell("|".join([*pair, whole(number)]))
            answers = sorted(process.hear() for process in both)
            assert answers[0] == ["lost", "source_not_live"]
            assert answers[1][0] == "won"
            winners.append(answers[1][1])
    with muniment.open(directory) as m:
        sound(m, rounds, winners)


def test_a_source_that_moves_while_a_merge_is_thought_of_keeps_what_was_said(
    m: Muniment,
) -> None:
    ids = [m.save(text).id for text in texts(0)]
    m.save(texts(0)[0])
    m.archive(ids[1], "no more")
    late = m.save("Room 77 is new.").id
    with pytest.raises(Conflict):
        m.merge(ids, whole(0))
    assert {hit.memory.id for hit in m.search().hits} == {ids[0], ids[2], late}
    assert m.get(ids[0]).reinforcement_count == 2


def test_a_merge_that_is_killed_happened_whole_or_not_at_all(tmp_path: Path) -> None:
    for number, step in enumerate(["before", "after"]):
        directory = tmp_path / str(number)
        run(
            """
            from muniment.log.recorder import Recorder
            from muniment.log.read_models import ReadModels

            def die(*_):
                os.kill(os.getpid(), signal.SIGKILL)

            child = os.fork()
            if child == 0:
                m = muniment.open(target)
                ids = [m.save(f"Room {number} is dry.").id for number in (11, 22, 33)]
                if arguments[0] == "after":
                    ReadModels.apply = die  # what comes next after the commit
                else:
                    insert = Recorder._insert_events
                    Recorder._insert_events = lambda *given, **named: die(insert(*given, **named))
                m.merge(ids, "Rooms 11, 22, 33 are dry, each Room.")
            os.waitpid(child, 0)
            """,
            directory,
            step,
        )
        with muniment.open(directory) as m:
            names = [entry.name for entry in m.log()]
            live = [hit.memory.content for hit in m.search().hits]
            if step == "before":
                assert names == ["memory.saved"] * 3
                assert len(live) == 3
            else:
                assert names[3:] == ["memory.merged", *["memory.archived"] * 3]
                assert live == ["Rooms 11, 22, 33 are dry, each Room."]
            assert m.verify().intact
