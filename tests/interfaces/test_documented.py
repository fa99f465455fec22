"""What pages show of the command line is what it prints."""

from pathlib import Path

import pytest
from documented import replay, steps
from terminal import Terminal

from muniment import open as opened

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "page", ["README.md", "docs/backup.md", "docs/investigating.md", "docs/working-memory.md"]
)
def test_a_session_prints_what_its_page_shows(
    muniment: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    (tmp_path / "passphrase").write_text("nine brass keys\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    if page != "README.md":  # which begins at the very beginning
        with opened(tmp_path / "store"):
            pass

    def run(arguments: list[str]) -> str:
        done = muniment(*arguments)
        return done.err.replace(str(tmp_path / "store"), "/srv/ada/memory") + done.out

    assert replay(text, run) == list(steps(text)) != []
