"""Who may ask, for what, and how much of it."""

from pydantic import Field

from .section import Section


class AccessSettings(Section):
    """What may be granted beyond the table of roles."""

    auditors_read_content: bool = Field(
        default=False, description="Whether auditors may read what memories say."
    )
    proposal_days: float = Field(
        default=7.0, gt=0.0, le=3_650.0, description="Days after which an open proposal expires."
    )
    max_pending_proposals: int = Field(
        default=1_000, ge=1, le=100_000, description="How many proposals of one agent may be open."
    )
    auto_commit_from: tuple[str, ...] = Field(
        default=(),
        description="Agents whose proposals of high confidence are committed without a review.",
    )


class ServerSettings(Section):
    """Who may ask the server."""

    hosts: tuple[str, ...] = Field(
        default=("localhost", "127.0.0.1", "::1"),
        description="Names that the server answers to; the one that it listens on is another.",
    )
    origins: tuple[str, ...] = Field(
        default=(), description="Web origins whose pages may ask, such as https://console.example."
    )
    proxies: tuple[str, ...] = Field(
        default=(),
        description="Addresses of proxies whose X-Forwarded-For says who asks; nobody else's does.",
    )


class LimitSettings(Section):
    """How much the server takes from a client."""

    body_bytes: int = Field(
        default=1_048_576, ge=1_024, le=1 << 30, description="Bytes that a request may have."
    )
    connections: int = Field(
        default=1_000, ge=1, le=1_000_000, description="Connections at once; one more is closed."
    )
    head_seconds: float = Field(
        default=10.0, gt=0, le=3_600, description="Seconds within which a request's head comes."
    )
    body_seconds: float = Field(
        default=60.0, gt=0, le=3_600, description="Seconds within which a request's body comes."
    )
    reads_per_minute: int = Field(
        default=600, ge=0, description="Reads a minute of each token; 0: as many as it likes."
    )
    writes_per_minute: int = Field(
        default=60, ge=0, description="Writes a minute of each token; 0: as many as it likes."
    )
