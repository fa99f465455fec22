"""Conversations: what was said, how much of it is replayed, and what a turn is told besides."""
