"""Where settings come from: an argument, the environment, a file; and that they are whole."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias, cast, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_settings import EnvSettingsSource, SettingsError

from muniment.domain.errors import Invalid
from muniment.domain.findings import invalid

from .root import Settings

_ENVIRONMENT: Final = "environment"
_FILE: Final = "settings.toml"
_PREFIX: Final = Settings.model_config.get("env_prefix", "")

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
        (_ENVIRONMENT, _environment()),
        (_FILE, _file(directory)),
    ]


def _environment() -> Mapping[str, Any]:
    source = EnvSettingsSource(Settings)
    try:
        return source()
    except SettingsError as error:
        for name, value in dict(source.env_vars).items():
            source.env_vars = {name: value}
            try:
                source()
            except SettingsError:
                section, _, inner = name.removeprefix(_PREFIX.lower()).partition("__")
                raise _unfit(
                    _ENVIRONMENT, section, inner, "this is not the JSON that it takes"
                ) from error
        raise


def _file(directory: Path | None) -> Mapping[str, Any]:
    path = None if directory is None else directory / _FILE
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
        Invalid: ``settings_invalid``, naming the variable, or the place in the file or argument.
    """
    merged: dict[str, dict[str, Any]] = {section: {} for section in Settings.model_fields}
    for label, given in reversed(layered):
        for section, values in given.items():
            if section not in merged:
                raise Invalid(
                    f"settings: there is no section {section!r}.",
                    code="settings_invalid",
                    field="settings",
                )
            if not isinstance(values, Mapping):
                raise _unfit(label, section, "", "this is no section")
            merged[section].update(cast("Mapping[str, Any]", values))
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        found = invalid(error)
        section, inner = (*map(str, error.errors()[0]["loc"]), "")[:2]
        label = next(
            (label for label, given in layered if inner in _section(given, section)), "argument"
        )
        reason = found.message.removeprefix(f"{found.field}: ").rstrip(".")
        raise _unfit(label, section, inner, reason) from error


def _unfit(label: str, section: str, inner: str, reason: str) -> Invalid:
    """The error for a value, which says where it stands, and how a list or a table is written."""
    dotted = f"{section}.{inner}".rstrip(".")
    where = {
        _ENVIRONMENT: _PREFIX + f"{section}__{inner}".removesuffix("__").upper(),
        _FILE: f"{_FILE}: {dotted}",
    }.get(label, f"settings.{dotted}")
    how = _how(label, section, inner)
    return Invalid(f"{where}: {reason}{how}.", code="settings_invalid", field=f"settings.{dotted}")


def _how(label: str, section: str, inner: str) -> str:
    kind = cast("type[BaseModel]", Settings.model_fields[section].annotation)
    if inner and inner not in kind.model_fields:
        return ""
    annotation: Any = kind.model_fields[inner].annotation if inner else kind
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        name = next(iter(annotation.model_fields))
        example = f'{{"{name}": …}}' if label == _ENVIRONMENT else f"{name} = …"
        return f"; give names and values, such as {example}"
    if get_origin(annotation) is tuple:
        return '; write a list, such as ["memory.example"]'
    return ""
