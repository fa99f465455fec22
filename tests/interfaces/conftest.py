from pathlib import Path

import pytest
from terminal import Terminal


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATA", "SPACE", "ACTOR", "DEBUG"):
        monkeypatch.delenv(f"MUNIMENT_{name}", raising=False)


@pytest.fixture
def muniment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Terminal:
    """The command line on a store that is not there yet."""
    return Terminal(tmp_path / "store", capsys, monkeypatch)
