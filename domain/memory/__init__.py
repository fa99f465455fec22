"""The memory aggregate: its events, its state, its decisions."""
