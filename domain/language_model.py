"""A model that answers in words: the port to it, and the sizes that it comes in."""

from typing import Final, Literal, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel

from .embedding import Health

S = TypeVar("S", bound=BaseModel)

Tier: TypeAlias = Literal["low", "balanced", "high"]
"""How able, and how dear, the model is that is asked."""

TIERS: Final[tuple[Tier, ...]] = ("low", "balanced", "high")


class LanguageModel(Protocol):
    """A model that follows a directive; safe to call from several threads."""

    def name(self, tier: Tier) -> str:
        """The name of the model of a tier."""
        ...

    def complete(
        self, directive: str, input: str, schema: type[S], *, tier: Tier = "balanced"
    ) -> S:
        """What the model makes of an input, whole and in the form asked for, or not at all.

        Args:
            directive: What it is to do; the operator's word.
            input: What to do it with; anybody's words.
            schema: The form of the answer.
            tier: The model that is asked.

        Raises:
            Unavailable: ``reply_refused`` where the answer is cut short or of another form,
                ``request_refused`` where the service turned it down, any other code where none
                came.
        """
        ...

    def health(self) -> Health:
        """Whether calls are let through."""
        ...

    def close(self) -> None:
        """Gives up every call under way, from whichever thread; later ones are Unavailable."""
        ...
