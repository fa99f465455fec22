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
    for how, is_rich in (("text and speaker", False), ("with caption and day", True)):
        _measure(report, conversations, how, is_rich=is_rich)
    return report


def _measure(
    report: Report, conversations: list[dict[str, Any]], how: str, *, is_rich: bool
) -> None:
    found = dict.fromkeys(DEPTHS, 0.0)
    turns = questions = 0
    saving = asking = 0.0
    with tempfile.TemporaryDirectory() as folder, muniment.open(Path(folder) / "store") as store:
        for number, conversation in enumerate(conversations):
            space = f"conversation-{number}"
            clock = time.perf_counter()
            memory_of = _remember(store, space, conversation["conversation"], is_rich=is_rich)
            saving += time.perf_counter() - clock
            turns += len(memory_of)
            asker = store.acting_as("manual", space=space)
            clock = time.perf_counter()
            for question in conversation["qa"]:
                evidence = _evidence(question)
                if not evidence or not evidence <= memory_of.keys():
                    continue
                questions += 1
                wanted = {memory_of[turn] for turn in evidence}
                hits = asker.search(question["question"], limit=max(DEPTHS)).hits
                ids = [hit.memory.id for hit in hits]
                for depth in DEPTHS:
                    found[depth] += len(wanted.intersection(ids[:depth])) / len(wanted)
            asking += time.perf_counter() - clock
    for depth in DEPTHS:
        share = f"{found[depth] / questions:.4f}"
        report.rows.append((f"{how}: recall@{depth}, {questions:,} questions", share, "", ""))
    report.add(f"{how}: {turns:,} turns saved one by one", turns / saving, "saves/s")
    report.add(f"{how}: questions asked", questions / asking, "searches/s")


def _remember(
    store: muniment.Muniment, space: str, conversation: dict[str, Any], *, is_rich: bool
) -> dict[str, str]:
    memory_of: dict[str, str] = {}
    for name, session in conversation.items():
        if not name.startswith("session_") or not isinstance(session, list):
            continue
        day = str(conversation[f"{name}_date_time"]).partition(" on ")[2]
        for turn in cast("list[dict[str, str]]", session):
            content, tags = turn["text"], [turn["speaker"]]
            if is_rich:
                tags.append(day)
                if caption := turn.get("blip_caption"):
                    content += f" [shares a picture: {caption}]"
            speaker = store.acting_as("bot:" + turn["speaker"].replace(" ", "-"), space=space)
            memory_of[turn["dia_id"]] = speaker.save(content, tags=tags, source="user").id
    return memory_of


def _evidence(question: dict[str, Any]) -> set[str]:
    return {
        f"D{int(session)}:{int(turn)}"
        for text in question.get("evidence", ())
        for session, turn in _TURN.findall(text)
    }
