"""The main job on real input: ten long conversations remembered turn by turn, then asked about.

Each turn of the LoCoMo data set is a memory, each conversation a space, each speaker an actor. A
question counts where all of its evidence names turns that are there. Recall at k is the share of a
question's evidence among the first k hits, averaged over questions. Two ways of keeping a turn are
measured: its text with the speaker as a tag; and besides, as a chat client knows them, the caption
of the picture that was shared and the day of the session as a tag.
"""

import json
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from muniment import Muniment
from muniment.domain.identity import identity
from muniment.engine import Engine

from .measuring import Report, at_least
from .sentence_model import MODEL, PACKAGE, loaded, served

_TURN = re.compile(r"D(\d+):(\d+)")
DEPTHS = (1, 5, 10)
BY_WORDS, BY_VECTORS_TOO = 0.65, 0.69
"""Recall at 10 that is aimed at."""

PATIENCE = 120.0
"""Seconds that the model may take."""

WAYS = (("text and speaker", False), ("with caption and day", True))


@dataclass
class _Counted:
    found: dict[int, float] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0.0))
    turns: int = 0
    questions: int = 0
    degraded: int = 0
    saving: float = 0.0
    asking: float = 0.0
    unrelated: list[NDArray[np.float32]] = field(default_factory=list[NDArray[np.float32]])


def run(path: Path) -> Iterator[Report]:
    """Saves the conversations, asks the questions, and counts: by words, then by meaning too."""
    conversations: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    report = Report("LoCoMo: recall of evidence, by words")
    for how, is_rich in WAYS:
        counted = _counted(conversations, is_rich=is_rich, endpoint=None)
        _say(report, f"keyword, {how}", counted, BY_WORDS)
        report.add("  turns saved one by one", counted.turns / counted.saving, "saves/s")
        report.add("  questions asked", counted.questions / counted.asking, "searches/s")
    yield report
    report = Report("LoCoMo: recall of evidence, by words and meaning")
    with ExitStack() as serving:
        try:
            endpoint = serving.enter_context(served(loaded()))
        except ModuleNotFoundError:
            report.missing(f"hybrid: {PACKAGE}")
            yield report
            return
        for how, is_rich in WAYS:
            counted = _counted(conversations, is_rich=is_rich, endpoint=endpoint)
            _say(report, f"hybrid, {how}", counted, BY_VECTORS_TOO)
            report.add(
                "  questions asked, the model's time too",
                counted.questions / counted.asking,
                "searches/s",
            )
            report.add(
                "  a cosine that 1 in 100 pairs reaches that have nothing to do with each other",
                float(np.quantile(np.concatenate(counted.unrelated), 0.99)),
                "",
            )
    yield report


def _say(report: Report, how: str, counted: _Counted, target: float) -> None:
    for depth in DEPTHS:
        report.add(
            f"{how}: recall@{depth}",
            counted.found[depth] / counted.questions,
            "",
            at_least(target) if depth == max(DEPTHS) else None,
            f"{counted.questions:,} questions, {counted.turns:,} turns",
        )


def _counted(
    conversations: list[dict[str, Any]], *, is_rich: bool, endpoint: str | None
) -> _Counted:
    counted = _Counted()
    embedding: dict[str, object] = {"endpoint": endpoint, "model": MODEL, "deadline": PATIENCE}
    embedding["query_deadline"] = PATIENCE  # a busy machine must not turn questions into keywords
    settings = {"embedding": embedding} if endpoint else None
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Path(folder) / "store", settings=settings)
        with Muniment(engine, identity("default", "manual")) as store:
            for number, conversation in enumerate(conversations):
                space = f"conversation-{number}"
                clock = time.perf_counter()
                memory_of = _remember(store, space, conversation["conversation"], is_rich=is_rich)
                counted.saving += time.perf_counter() - clock
                counted.turns += len(memory_of)
                if engine.meaning is not None and not engine.meaning.drain(600.0):
                    msg = "the vectors did not come within ten minutes"
                    raise TimeoutError(msg)
                clock = time.perf_counter()
                _ask(counted, store.acting_as("manual", space=space), conversation, memory_of)
                counted.asking += time.perf_counter() - clock
                if engine.meaning is not None and number:
                    other = engine.meaning.passages(f"conversation-{number - 1}")
                    rows = np.arange(len(other.ids), dtype=np.int32)
                    counted.unrelated += [
                        other.compared(engine.meaning.vector(question["question"])).of(rows)
                        for question in conversation["qa"]
                    ]
    return counted


def _ask(
    counted: _Counted, asker: Muniment, conversation: dict[str, Any], memory_of: dict[str, str]
) -> None:
    for question in conversation["qa"]:
        evidence = _evidence(question)
        if not evidence or not evidence <= memory_of.keys():
            continue
        counted.questions += 1
        wanted = {memory_of[turn] for turn in evidence}
        result = asker.search(question["question"], limit=max(DEPTHS))
        counted.degraded += bool(result.degraded)
        ids = [hit.memory.id for hit in result.hits]
        for depth in DEPTHS:
            counted.found[depth] += len(wanted.intersection(ids[:depth])) / len(wanted)


def _remember(
    store: Muniment, space: str, conversation: dict[str, Any], *, is_rich: bool
) -> dict[str, str]:
    memory_of: dict[str, str] = {}
    for day, turn in _turns(conversation):
        content, tags = turn["text"], [turn["speaker"]]
        if is_rich:
            tags.append(day)
            if caption := turn.get("blip_caption"):
                content += f" [shares a picture: {caption}]"
        speaker = store.acting_as("bot:" + turn["speaker"].replace(" ", "-"), space=space)
        memory_of[turn["dia_id"]] = speaker.save(content, tags=tags, source="user").id
    return memory_of


def _turns(conversation: dict[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """The turns of a conversation, each with the day of its session."""
    for name, session in conversation.items():
        if name.startswith("session_") and isinstance(session, list):
            day = str(conversation[f"{name}_date_time"]).partition(" on ")[2]
            for turn in cast("list[dict[str, str]]", session):
                yield day, turn


def _evidence(question: dict[str, Any]) -> set[str]:
    return {
        f"D{int(session)}:{int(turn)}"
        for text in question.get("evidence", ())
        for session, turn in _TURN.findall(text)
    }
