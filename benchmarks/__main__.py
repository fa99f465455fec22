"""``make bench``: every figure beside its target and its peers; LoCoMo where its file is given."""

import argparse
import os
import tempfile
from pathlib import Path

from . import (
    auditing,
    locomo,
    looking_up,
    nearest,
    past,
    replaying,
    rolling_back,
    saving,
    searching,
    serving,
    verifying,
)
from .stores import fill
from .verifying import EVENTS_A_MEMORY

TOPICS = (
    *("saving", "searching", "looking-up", "replaying", "auditing", "past"),
    *("verifying", "rolling-back", "vectors", "serving", "locomo"),
)


def main() -> None:
    """Runs what was asked for and prints a table each."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--memories", type=int, default=20_000, help="how many memories (20,000)")
    parser.add_argument(
        "--locomo", type=Path, help="locomo10.json of the LoCoMo data set: recall on real input"
    )
    parser.add_argument("--only", choices=TOPICS, help="one topic alone")
    asked = parser.parse_args()
    topics: set[str] = {asked.only} if asked.only else set(TOPICS)
    one, five, fifteen = os.getloadavg()
    print(f"{os.cpu_count()} cores; load {one:.2f} {five:.2f} {fifteen:.2f}")
    if topics - {"verifying", "rolling-back", "vectors", "serving", "locomo"}:
        _on_a_store(topics, asked.memories)
    if "verifying" in topics:
        with tempfile.TemporaryDirectory() as folder:
            verifying.run(Path(folder) / "store", EVENTS_A_MEMORY * asked.memories).show()
    if "vectors" in topics:
        nearest.run(asked.memories).show()
    if "rolling-back" in topics:
        with tempfile.TemporaryDirectory() as folder:
            rolling_back.run(Path(folder), asked.memories).show()
    if "serving" in topics:
        with tempfile.TemporaryDirectory() as folder:
            serving.run(Path(folder), asked.memories).show()
            serving.hanging(Path(folder)).show()
    if "locomo" in topics:
        if asked.locomo is None:
            print("LoCoMo was left out: name its file with BENCH='--locomo path/to/locomo10.json'.")
        else:
            for report in locomo.run(asked.locomo):
                report.show()


def _on_a_store(topics: set[str], memories: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store"
        filling = fill(path, memories)
        if "searching" in topics:
            searching.run(path, memories).show()
        if "looking-up" in topics:
            looking_up.run(path, memories).show()
        if "replaying" in topics:
            replaying.run(path, memories).show()
        if "auditing" in topics:
            auditing.run(path, memories).show()
        if "past" in topics:  # it rewrites some: so after those that ask about what was filled in
            past.run(path, memories).show()
        if "saving" in topics:
            saving.run(path, filling).show()


if __name__ == "__main__":
    main()
