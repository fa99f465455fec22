"""A setting that cannot be read is refused by its name, with how it is written."""

import re
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel, SecretStr
from terminal import Terminal

from muniment import Invalid
from muniment.settings import Settings, load

SECTIONS: dict[str, Any] = {name: one.annotation for name, one in Settings.model_fields.items()}
KINDS: dict[tuple[str, str], Any] = {
    (section, name): field.annotation
    for section, model in SECTIONS.items()
    for name, field in model.model_fields.items()
}
LISTS = [each for each, kind in KINDS.items() if get_origin(kind) is tuple]
TABLES = [
    *((section, "") for section in SECTIONS),
    *(
        each
        for each, kind in KINDS.items()
        if isinstance(kind, type) and issubclass(kind, BaseModel)
    ),
]
SINGLE = [each for each in KINDS if each not in LISTS + TABLES]
NUMBERS = [each for each in SINGLE if not {str, SecretStr} & {KINDS[each], *get_args(KINDS[each])}]
"""Numbers, switches and choices: what no text at all is."""


def refusal(directory: Path | None = None) -> Invalid:
    with pytest.raises(Invalid) as refused:
        load(directory)
    assert refused.value.code == "settings_invalid"
    return refused.value


def variable(section: str, name: str) -> str:
    return "MUNIMENT_" + (f"{section}__{name}" if name else section).upper()


def test_there_are_settings_of_every_kind() -> None:
    assert len(LISTS) >= 5
    assert ("model", "tiers") in TABLES
    assert len(NUMBERS) > 50
    assert ("audit", "cron_schedule") in set(SINGLE) - set(NUMBERS)


@pytest.mark.parametrize(("section", "name"), LISTS)
@pytest.mark.parametrize("wrong", ['["a",]', "a", '"a"', "{}", "5", "[5]", "", "["])
def test_a_variable_that_is_no_list_is_named_with_how_to_write_it(
    monkeypatch: pytest.MonkeyPatch, section: str, name: str, wrong: str
) -> None:
    monkeypatch.setenv(variable(section, name), wrong)
    message = refusal().message
    assert message.startswith(f"{variable(section, name)}: ")
    assert message.endswith('; write a list, such as ["memory.example"].')


@pytest.mark.parametrize(("section", "name"), TABLES)
@pytest.mark.parametrize("wrong", ["a", "[1]", "5", "{", ""])
def test_a_variable_that_is_no_table_is_named_with_how_to_write_it(
    monkeypatch: pytest.MonkeyPatch, section: str, name: str, wrong: str
) -> None:
    monkeypatch.setenv(variable(section, name), wrong)
    message = refusal().message
    assert message.startswith(f"{variable(section, name)}: ")
    assert "; give names and values, such as {" in message


@pytest.mark.parametrize(("section", "name"), NUMBERS)
def test_a_variable_of_another_type_is_named(
    monkeypatch: pytest.MonkeyPatch, section: str, name: str
) -> None:
    monkeypatch.setenv(variable(section, name), "[x")
    message = refusal().message
    assert message.startswith(f"{variable(section, name)}: ")
    assert re.search(r": (?:give|say) ", message), message


@pytest.mark.parametrize(("section", "name"), [*LISTS, *TABLES, *SINGLE])
def test_what_is_of_another_type_in_the_file_is_named(
    tmp_path: Path, section: str, name: str
) -> None:
    is_single = (section, name) in SINGLE
    told = f"[{section}]\n{name} = [1]\n" if is_single else f"{section}.{name} = 5\n"
    (tmp_path / "settings.toml").write_text(told if name else f"{section} = 5\n")
    refused = refusal(tmp_path)
    dotted = f"{section}.{name}".rstrip(".")
    assert refused.field == f"settings.{dotted}"
    if dotted != "log.checkpoint_command":  # no directory may name a program to run
        assert refused.message.startswith(f"settings.toml: {dotted}: ")
        assert is_single or "such as" in refused.message


def test_the_program_ends_as_after_any_wrong_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    muniment = Terminal(tmp_path / "store", capsys, monkeypatch)
    monkeypatch.setenv("MUNIMENT_SERVER__HOSTS", '["a",]')
    for verb in (["save", "x"], ["settings"], ["serve"], ["mcp"]):
        run = muniment(*verb)
        assert run.status == 2
        assert "MUNIMENT_SERVER__HOSTS" in run.err
