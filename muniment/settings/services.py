"""The outside services: a model that makes vectors, and a language model."""

from pydantic import Field, SecretStr

from .section import Section


class _ServiceSettings(Section):
    """An outside service: where it is, and how long it is waited for."""

    endpoint: str | None = Field(
        default=None, description="Base URL of an OpenAI-compatible service, with or without /v1."
    )
    api_key: SecretStr | None = Field(default=None, description="Sent as a bearer token.")
    connect_timeout: float = Field(default=3.0, gt=0.0, description="Seconds to connect.")
    deadline: float = Field(default=30.0, gt=0.0, description="Seconds for a whole call.")

    @property
    def key(self) -> str | None:
        """The API key itself."""
        return self.api_key.get_secret_value() if self.api_key else None


class EmbeddingSettings(_ServiceSettings):
    """The model that makes vectors of texts; without an endpoint, search is by words alone."""

    model: str | None = Field(default=None, description="The model's name at the endpoint.")
    dimension: int | None = Field(
        default=None, ge=1, le=65_536, description="Components of a vector, if it is to be fixed."
    )
    max_input_chars: int = Field(
        default=30_000, ge=1, description="Characters after which a text is cut."
    )
    min_similarity_threshold: float | None = Field(
        default=None,
        ge=-1.0,
        le=1.0,
        description="Cosine under which a memory is no hit by meaning; none: as measured for the"
        " model, else 0.5.",
    )
    query_deadline: float = Field(
        default=2.0, gt=0.0, description="Seconds that a search waits for a query's vector."
    )


class TierSettings(Section):
    """The models by what they can do; where one is not named, it is ``model.name``."""

    low: str | None = Field(default=None, description="The quick one.")
    balanced: str | None = Field(default=None, description="The usual one.")
    high: str | None = Field(default=None, description="The most able one.")


class ModelSettings(_ServiceSettings):
    """The language model; without an endpoint, nothing is judged."""

    name: str | None = Field(default=None, description="The model's name at the endpoint.")
    tiers: TierSettings = Field(
        default_factory=TierSettings,
        description="Other names for the tiers low, balanced and high.",
    )
