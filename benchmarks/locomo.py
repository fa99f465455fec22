"""The main job on real input: ten long conversations remembered turn by turn, then asked about.

Each turn of the LoCoMo data set is a memory, each conversation a space, each speaker an actor. A
question counts where its evidence names turns that are there. Recall at k is the share of a
question's evidence among the first k hits, averaged over questions.
"""

import json
import re
import tempfile
import time
from pathlib import Path
from typing import Any, cast

import muniment

from .measuring import Report

_TURN = re.compile(r"D(\d+):(\d+)")
DEPTHS = (1, 5, 10)


def run(path: Path) -> Report:
    """Saves the conversations, asks the questions, and counts."""
    conversations: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    report = Report("LoCoMo: recall of evidence by keyword search")
    found = dict.fromkeys(DEPTHS, 0.0)
    turns = questions = 0
    saving = asking = 0.0
    with (
        tempfile.TemporaryDirectory() as folder,
        muniment.open(Path(folder) / "store") as store,
    ):
        for number, conversation in enumerate(conversations):
            space = f"conversation-{number}"
            clock = time.perf_counter()
            memory_of = _remember(store, space, conversation["conversation"])
            saving += time.perf_counter() - clock
            turns += len(memory_of)
            asker = store.acting_as("manual", space=space)
            clock = time.perf_counter()
            for question in conversation["qa"]:
                wanted = {memory_of[turn] for turn in _evidence(question) if turn in memory_of}
                if not wanted:
                    continue
                questions += 1
                hits = asker.search(question["question"], limit=max(DEPTHS)).hits
                ids = [hit.memory.id for hit in hits]
                for depth in DEPTHS:
                    found[depth] += len(wanted.intersection(ids[:depth])) / len(wanted)
            asking += time.perf_counter() - clock
    for depth in DEPTHS:
        report.add(f"recall@{depth} over {questions:,} questions", found[depth] / questions, "")
    report.rows = [
        (what, f"{found[depth] / questions:.4f}", "", "")
        for (what, *_), depth in zip(report.rows, DEPTHS, strict=True)
    ]
    report.add(f"{turns:,} turns saved one by one", turns / saving, "saves/s")
    report.add("questions asked", questions / asking, "searches/s")
    return report


def _remember(store: muniment.Muniment, space: str, conversation: dict[str, Any]) -> dict[str, str]:
    memory_of: dict[str, str] = {}
    for name, session in conversation.items():
        if not name.startswith("session_") or not isinstance(session, list):
            continue
        for turn in cast("list[dict[str, str]]", session):
            speaker = "bot:" + turn["speaker"].replace(" ", "-")
            saved = store.acting_as(speaker, space=space).save(
                turn["text"], tags=[turn["speaker"]], source="user"
            )
            memory_of[turn["dia_id"]] = saved.id
    return memory_of


def _evidence(question: dict[str, Any]) -> set[str]:
    return {
        f"D{int(session)}:{int(turn)}"
        for text in question.get("evidence", ())
        for session, turn in _TURN.findall(text)
    }
