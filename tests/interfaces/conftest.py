import os
from pathlib import Path

import pytest
from terminal import Terminal


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("MUNIMENT_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def muniment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Terminal:
    """The command line on a store that is not there yet."""
    return Terminal(tmp_path / "store", capsys, monkeypatch)
