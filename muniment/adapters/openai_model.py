"""A language model at an endpoint that speaks OpenAI's ``/v1/chat/completions``."""

import json
import ssl
from collections.abc import Mapping
from typing import Final, TypeVar, cast

from pydantic import BaseModel, ValidationError

from muniment.domain.embedding import Health
from muniment.domain.errors import Unavailable
from muniment.domain.language_model import Tier

from .endpoints import Endpoint, Resolve, resolved
from .json_client import REPLY_REFUSED, JsonClient, Patience
from .json_reply import NoReply, outermost

S = TypeVar("S", bound=BaseModel)

MAX_REPLY: Final = 1024 * 1024
"""Bytes of a reply that are read."""

_FORM: Final = "Answer with one JSON object and nothing else. It has this JSON schema:"
_STOPPED: Final = frozenset(["length", "content_filter"])


class OpenAIModel:
    """The models of ``tiers`` at ``endpoint``, a ``LanguageModel``.

    The form of an answer is asked for in words, not by ``response_format``: that is not understood
    everywhere, and what comes is checked in any case.

    Args:
        endpoint: Whom to ask.
        tiers: The name of the model of each tier.
        api_key: Sent as a bearer token, where there is one.
        patience: How long and how often to try.
        resolve: Host and port → IP addresses.
        tls: What certificates are checked with; None: against the authorities that httpx knows.

    Raises:
        Invalid: ``api_key_invalid``.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        tiers: Mapping[Tier, str],
        *,
        api_key: str | None = None,
        patience: Patience | None = None,
        resolve: Resolve = resolved,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._tiers = tiers
        self._client = JsonClient(
            endpoint,
            api_key=api_key,
            patience=patience or Patience(max_reply=MAX_REPLY),
            resolve=resolve,
            tls=tls,
        )

    def name(self, tier: Tier) -> str:
        """The name of the model of a tier."""
        return self._tiers[tier]

    def health(self) -> Health:
        """Whether calls are let through."""
        return self._client.health()

    def complete(
        self, directive: str, input: str, schema: type[S], *, tier: Tier = "balanced"
    ) -> S:
        """What the model makes of an input, whole and in the form asked for, or not at all.

        Raises:
            Unavailable: As ``JsonClient.post`` says; ``reply_refused`` where the answer is cut
                short or of another form.
        """
        form = json.dumps(schema.model_json_schema(), ensure_ascii=False)
        body = {
            "model": self._tiers[tier],
            "messages": [
                {"role": "system", "content": f"{directive}\n\n{_FORM}\n{form}"},
                {"role": "user", "content": input},
            ],
            "stream": False,
        }

        def read(reply: object) -> S:
            try:
                return schema.model_validate(outermost(_said(reply)))
            except NoReply as error:
                raise _refused(str(error)) from None
            except ValidationError as error:
                wrong = error.errors(include_input=False, include_url=False)[0]
                where = ".".join(map(str, wrong["loc"])) or "the whole"
                raise _refused(f"is not of the form asked for ({where})") from None

        return self._client.post("/v1/chat/completions", body, read)

    def close(self) -> None:
        """Gives up every call under way, from whichever thread; later ones are Unavailable."""
        self._client.close()


def _said(reply: object) -> str:
    """The text of the first choice.

    Raises:
        NoReply: There is none, or the model was stopped before its end.
    """
    choices = _of(reply, "choices")
    choice = cast("list[object]", choices)[0] if isinstance(choices, list) and choices else None
    if _of(choice, "finish_reason") in _STOPPED:
        raise NoReply("was cut short by the service")
    content = _of(_of(choice, "message"), "content")
    if not isinstance(content, str):
        raise NoReply("has no text")
    return content


def _of(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if isinstance(value, dict) else None


def _refused(fault: str) -> Unavailable:
    return Unavailable(f"The language model's reply {fault}: it was refused.", code=REPLY_REFUSED)
