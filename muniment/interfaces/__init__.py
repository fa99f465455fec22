"""The surfaces: thin renderings of one set of operations."""
