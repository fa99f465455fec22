"""The audit: what the system does to its memory, measured by code that does not do it."""
