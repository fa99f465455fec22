"""``make bench``: search, saves and replay beside their peers; LoCoMo where its file is given."""

import argparse
from pathlib import Path

from . import locomo, reading, writing


def main() -> None:
    """Runs what was asked for and prints a table each."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--memories", type=int, default=20_000, help="how many memories (20,000)")
    parser.add_argument(
        "--locomo", type=Path, help="locomo10.json of the LoCoMo data set: recall on real input"
    )
    parser.add_argument("--only", choices=["writing", "reading", "locomo"])
    asked = parser.parse_args()
    if asked.only in (None, "writing"):
        writing.run(asked.memories).show()
    if asked.only in (None, "reading"):
        reading.run(asked.memories).show()
    if asked.locomo is not None and asked.only in (None, "locomo"):
        locomo.run(asked.locomo).show()
    elif asked.only in (None, "locomo"):
        print("LoCoMo was left out: name its file with BENCH='--locomo path/to/locomo10.json'.")


if __name__ == "__main__":
    main()
