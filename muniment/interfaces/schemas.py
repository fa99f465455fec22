"""The JSON schema of what an operation takes, for surfaces that publish one."""

from collections.abc import Collection, Mapping
from typing import Any, cast

from muniment.domain.inputs import Input


def schema(model: type[Input], names: Collection[str]) -> dict[str, Any]:
    """The schema of an object with some of a model's fields; nothing else may be in it."""
    whole = cast("dict[str, Any]", _inlined(model.model_json_schema()))
    properties: dict[str, Any] = whole.get("properties", {})
    required = whole.get("required", ())
    return {
        "type": "object",
        "properties": {name: properties[name] for name in names},
        "required": [name for name in names if name in required],
        "additionalProperties": False,
    }


def _inlined(schema: Mapping[str, Any]) -> object:
    """The schema without references: what one refers to stands in its place."""
    definitions: Mapping[str, Any] = schema.get("$defs", {})

    def inline(part: object) -> object:
        if isinstance(part, list):
            return [inline(one) for one in cast("list[object]", part)]
        if not isinstance(part, dict):
            return part
        given = cast("dict[str, Any]", part)
        if "$ref" in given:
            return inline(definitions[given["$ref"].rpartition("/")[2]])
        return {name: inline(one) for name, one in given.items() if name != "$defs"}

    return inline(dict(schema))
