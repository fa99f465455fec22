"""The event log: how events are stored, sealed, chained and read back."""
