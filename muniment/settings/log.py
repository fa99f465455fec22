"""The event log: locks, keys, kept read models, checkpoints."""

from pydantic import Field

from .section import Section


class LogSettings(Section):
    """The event log."""

    busy_timeout: float = Field(
        default=10.0, ge=0.0, le=3_600.0, description="Seconds to wait for another process's write."
    )
    key_batch: int = Field(
        default=256, ge=1, le=100_000, description="How many encryption keys are minted at a time."
    )
    key_backup_retention_days: float = Field(
        default=30.0,
        le=36_500.0,
        description="Days after a purge or erasure in which the master key is replaced, so that"
        " older backups of the keys end; 0 or less: never by itself.",
    )
    keep_state: bool = Field(
        default=True,
        description="Whether read models are kept, encrypted, so that a large store opens fast.",
    )
    keep_state_after: int = Field(
        default=10_000,
        ge=1,
        le=1_000_000_000,
        description="New events of a space after which its read models are kept at close.",
    )
    checkpoint_events: int = Field(
        default=1_000,
        ge=0,
        le=1_000_000_000,
        description="New events after which a checkpoint is signed; 0: never by count.",
    )
    checkpoint_minutes: float = Field(
        default=60.0,
        ge=0.0,
        le=525_600.0,
        description="Minutes after which one is signed at the next new event; 0: never by time.",
    )
    checkpoint_command: tuple[str, ...] = Field(
        default=(),
        description="Program and arguments that get each checkpoint on the standard input.",
    )
