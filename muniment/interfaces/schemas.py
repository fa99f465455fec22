"""The JSON schemas of what an operation takes and answers, for surfaces that publish them."""

from collections.abc import Collection, Mapping
from typing import Any, cast

from pydantic import TypeAdapter

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


def answered(kind: type[Any]) -> dict[str, Any]:
    """The schema of an answer of a type, as ``documents.plain`` writes it."""
    return cast(
        "dict[str, Any]", _inlined(TypeAdapter[Any](kind).json_schema(mode="serialization"))
    )


def _inlined(schema: Mapping[str, Any]) -> object:
    """The schema without references: what one refers to stands in its place.

    Titles are left out, which say the names once more: models are charged for each word.
    """
    definitions: Mapping[str, Any] = schema.get("$defs", {})

    def inline(part: object) -> object:
        if isinstance(part, list):
            return [inline(one) for one in cast("list[object]", part)]
        if not isinstance(part, dict):
            return part
        given = cast("dict[str, Any]", part)
        if "$ref" in given:
            return inline(definitions[given["$ref"].rpartition("/")[2]])
        return {
            name: inline(one)
            for name, one in given.items()
            if name != "$defs" and not (name == "title" and isinstance(one, str))
        }

    return inline(dict(schema))
