"""The outside models that settings name."""

from typing import TYPE_CHECKING, Final

from .domain.errors import Invalid
from .domain.language_model import TIERS, LanguageModel, Tier
from .settings import EmbeddingSettings, ModelSettings

if TYPE_CHECKING:
    from .adapters.endpoints import Endpoint
    from .domain.embedding import Embedder

_EMBEDDING: Final = "embedding"
_MODEL: Final = "model"


def embedder(settings: EmbeddingSettings) -> "Embedder | None":
    """The configured embedder; None where no endpoint is set.

    Raises:
        Invalid: ``model_required``, or the endpoint may not be asked.
    """
    if settings.endpoint is None:
        return None
    from .adapters.json_client import Patience
    from .adapters.openai_embedder import OpenAIEmbedder

    return OpenAIEmbedder(
        _endpoint(settings.endpoint, _EMBEDDING),
        _named(settings.model, f"{_EMBEDDING}.model", "nomic-embed-text"),
        api_key=settings.key,
        dimension=settings.dimension,
        max_input_chars=settings.max_input_chars,
        patience=Patience(connect=settings.connect_timeout, deadline=settings.deadline),
    )


def language_model(settings: ModelSettings) -> LanguageModel | None:
    """The configured language model; None where no endpoint is set.

    Raises:
        Invalid: ``model_required``, or the endpoint may not be asked.
    """
    if settings.endpoint is None:
        return None
    from .adapters.json_client import Patience
    from .adapters.openai_model import MAX_REPLY, OpenAIModel

    names: dict[Tier, str] = {
        tier: _named(getattr(settings.tiers, tier) or settings.name, f"{_MODEL}.name", "qwen3:8b")
        for tier in TIERS
    }
    return OpenAIModel(
        _endpoint(settings.endpoint, _MODEL),
        names,
        api_key=settings.key,
        patience=Patience(
            connect=settings.connect_timeout, deadline=settings.deadline, max_reply=MAX_REPLY
        ),
    )


def _endpoint(url: str, section: str) -> "Endpoint":
    from .adapters.endpoints import endpoint

    return endpoint(url, field=f"{section}.endpoint", written_by_operator=True)


def _named(name: str | None, field: str, such_as: str) -> str:
    if name is None:
        raise Invalid(
            f"{field}: name the model at the endpoint, such as {such_as}.",
            code="model_required",
            field=f"settings.{field}",
        )
    return name
