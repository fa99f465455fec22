"""What every section of the settings is: frozen, and strict about names."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Some settings by name, each with its default and a sentence about it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
