"""Where settings come from: an argument, the environment, a file; and that they are whole."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias, cast

from pydantic import ValidationError
from pydantic_settings import EnvSettingsSource

from muniment.domain.errors import Invalid
from muniment.domain.findings import invalid

from .root import Settings

Layers: TypeAlias = list[tuple[str, Mapping[str, Any]]]
"""What was given, section by section, each with the name of where it was."""


def load(directory: Path | None, arguments: Mapping[str, Any] | None = None) -> Settings:
    """The settings that hold for a store.

    Args:
        directory: Where ``settings.toml`` may lie.
        arguments: Sections by name, each a mapping of names to values.

    Raises:
        Invalid: ``settings_invalid``, naming file, variable or argument.
    """
    given: object = arguments or {}
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid("settings: give sections by name.", code="settings_invalid", field="settings")
    return validated(layers(directory, cast("Mapping[str, Any]", given)))


def layers(directory: Path | None, arguments: Mapping[str, Any]) -> Layers:
    """What was given, strongest first."""
    return [
        ("argument", arguments),
        ("environment", EnvSettingsSource(Settings)()),
        ("settings.toml", _file(directory)),
    ]


def _file(directory: Path | None) -> Mapping[str, Any]:
    path = None if directory is None else directory / "settings.toml"
    try:
        if path is None or not path.is_file():
            return {}
    except OSError:
        return {}  # a name that no file can have: opening the store says so
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Invalid(
            f"{path} cannot be read ({error}).", code="settings_invalid", field="settings"
        ) from error
    unknown = given.keys() - Settings.model_fields.keys()
    if unknown:
        raise Invalid(
            f"{path} has a section {min(unknown)!r} that does not exist.",
            code="settings_invalid",
            field="settings",
        )
    if "checkpoint_command" in _section(given, "log"):
        raise Invalid(
            f"{path} names a program to run (log.checkpoint_command), and a directory may come from"
            " elsewhere: set MUNIMENT_LOG__CHECKPOINT_COMMAND, or give it as an argument.",
            code="settings_invalid",
            field="settings.log.checkpoint_command",
        )
    return given


def _section(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = given.get(name)
    return cast("Mapping[str, Any]", section) if isinstance(section, Mapping) else {}


def validated(layered: Layers) -> Settings:
    """What holds once the weaker have given way.

    Raises:
        Invalid: ``settings_invalid``.
    """
    merged: dict[str, dict[str, Any]] = {section: {} for section in Settings.model_fields}
    for label, given in reversed(layered):
        for section, values in given.items():
            if section not in merged or not isinstance(values, Mapping):
                if label == "argument":
                    raise Invalid(
                        f"settings: there is no section {section!r}.",
                        code="settings_invalid",
                        field="settings",
                    )
                continue
            merged[section].update(cast("Mapping[str, Any]", values))
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        found = invalid(error)
        raise Invalid(
            f"settings.{found.message}", code="settings_invalid", field=f"settings.{found.field}"
        ) from error
